"""Recording of imported judgments: matched with items, judges and grades of the project."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select

from cleverdon.errors import InputError, OptionError
from cleverdon.judging import clock
from cleverdon.judging.candidates import shuffled
from cleverdon.judging.contents import Document, Documents, line_of
from cleverdon.judging.errors import Conflict
from cleverdon.judging.imports import FileContent, FileJudgment
from cleverdon.judging.people.accounts import (
    check_name,
    check_new_name,
    normalized_name,
    person_named,
)
from cleverdon.judging.scale import Scale
from cleverdon.judging.store.schema import (
    documents,
    events,
    items,
    judgments,
    leases,
    people,
    queries,
)

QueryAndDocument = tuple[int, str]  # the number of a query, and the name of a document


@dataclass(frozen=True)
class MatchedRows:
    """The judgments of a file, matched with queries and items of the project."""

    rows: tuple[tuple[QueryAndDocument, FileJudgment], ...]  # of queries that the project has
    unknown: tuple[FileJudgment, ...]  # of others
    items: Mapping[QueryAndDocument, int]  # all of the project
    newest: int  # the number of the last item: a larger one shows that items were added


def match_rows(connection: Connection, content: FileContent, *, source: str) -> MatchedRows:
    """Match rows with items; raise an error where no query is in common."""
    known = _queries(connection, by_title=content.by_title)
    rows, unknown = [], []
    for row in content.rows:
        query = known.get(row.query)
        if query is None and content.by_title:
            query = known.get(_folded_title(row.query))
        if query is None:
            unknown.append(row)
        else:
            rows.append(((query, row.document), row))
    if content.rows and not rows:
        raise InputError(
            f"has no query in common with the project: it has {content.rows[0].query!r}, the "
            f"project has {next(iter(known))!r}",
            source=source,
        )
    at = items_after(connection, 0)
    return MatchedRows(tuple(rows), tuple(unknown), at, max(at.values(), default=0))


def items_after(connection: Connection, newest: int) -> dict[QueryAndDocument, int]:
    """Return items that were added later than one."""
    columns = (items.c.query_id, documents.c.name, items.c.id)
    wanted = select(*columns).join_from(items, documents).where(items.c.id > newest)
    return {(query, name): item for query, name, item in connection.execute(wanted)}


def newest_item(connection: Connection) -> int:
    """Return the last item that was added; 0 where there is none."""
    return connection.execute(select(func.max(items.c.id))).scalar() or 0


def _queries(connection: Connection, *, by_title: bool) -> dict[str, int]:
    """Return queries by name, and with `by_title` also by unique titles."""
    found = connection.execute(
        select(queries.c.id, queries.c.name, queries.c.title).order_by(queries.c.position)
    ).all()
    named = {row.name: row.id for row in found}
    if not by_title:
        return named
    titled: dict[str, list[int]] = {}
    for row in found:
        titled.setdefault(_folded_title(row.title), []).append(row.id)
    return {**{title: ids[0] for title, ids in titled.items() if len(ids) == 1}, **named}


def _folded_title(text: str) -> str:
    return " ".join(text.split()).casefold()


# The columns that events and judgments have in common.
_STATE = ("item_id", "person_id", "grade", "skipped", "note", "flagged", "made_at")
_ItemAndJudge = tuple[int | None, int | None]  # their numbers; None before they are added


@dataclass(frozen=True)
class ImportedJudgment:
    """A grade from a file, for a judge and an item of the project."""

    idempotency_key: str
    place: QueryAndDocument
    judge: str
    grade: int
    note: str = ""
    seconds: float | None = None
    said_at: float | None = None


@dataclass(frozen=True)
class ComparedJudgments:
    """Judgments of a file, compared with those that are recorded already."""

    new: Sequence[tuple[_ItemAndJudge, ImportedJudgment]]
    unchanged: int
    kept: int
    current: Mapping[_ItemAndJudge, Row[Any]]


def compare(
    connection: Connection,
    given: Iterable[ImportedJudgment],
    *,
    items: Mapping[QueryAndDocument, int],
    judges: Mapping[str, int],
    replace: bool,
) -> ComparedJudgments:
    """Find the judgments to record; a different grade that is recorded stays, unless `replace`."""
    persons = set(judges.values())
    requests = select(events.c.request).where(events.c.person_id.in_(persons))
    known = set(connection.execute(requests).scalars())
    current: dict[_ItemAndJudge, Row[Any]] = {
        (row.item_id, row.person_id): row
        for row in connection.execute(select(judgments).where(judgments.c.person_id.in_(persons)))
    }
    new: list[tuple[_ItemAndJudge, ImportedJudgment]] = []
    unchanged = kept = 0
    for each in given:
        key = items.get(each.place), judges.get(each.judge)
        before = current.get(key)
        if before is not None and before.grade == each.grade:
            unchanged += 1
        elif before is not None and (before.grade, before.skipped) != (None, None) and not replace:
            kept += 1
        elif each.idempotency_key not in known:
            new.append((key, each))
        elif replace and before is not None:
            # It was recorded before and changed since: this is another event, with another key.
            again = f"{each.idempotency_key}-{before.event_id}"
            new.append((key, dataclasses.replace(each, idempotency_key=again)))
        else:
            unchanged += 1
    return ComparedJudgments(new, unchanged, kept, current)


def record_new(connection: Connection, compared: ComparedJudgments) -> None:
    """Record the new judgments; all items and judges must exist."""
    if not compared.new:
        return
    current, made_at = compared.current, clock.now()
    # One transaction writes at a time, so all events after this one are ours. SQLite returns the
    # numbers of inserted rows only one by one.
    last = connection.execute(select(func.max(events.c.id))).scalar() or 0
    rows = [_import_event(key, each, current.get(key), made_at) for key, each in compared.new]
    connection.execute(insert(events), rows)
    keys = {key for key, _ in compared.new}
    held = connection.execute(
        select(leases.c.item_id, leases.c.person_id).where(
            leases.c.person_id.in_({person for _, person in keys})
        )
    )
    _delete(connection, leases, [key for row in held if (key := (row[0], row[1])) in keys])
    _delete(connection, judgments, [key for key in keys if key in current])
    ours = select(events.c.id, *(events.c[name] for name in _STATE)).where(events.c.id > last)
    connection.execute(insert(judgments).from_select(["event_id", *_STATE], ours))


def _delete(connection: Connection, table: Any, keys: Sequence[_ItemAndJudge]) -> None:
    if keys:
        connection.execute(
            delete(table).where(
                table.c.item_id == bindparam("of_item"), table.c.person_id == bindparam("of_person")
            ),
            [{"of_item": item, "of_person": person} for item, person in keys],
        )


def _import_event(
    key: _ItemAndJudge, each: ImportedJudgment, before: Row[Any] | None, made_at: float
) -> dict[str, Any]:
    """Return a row of events; note and flag stay where the file has none."""
    item, person = key
    return {
        "request": each.idempotency_key,
        "item_id": item,
        "person_id": person,
        "kind": "import",
        "grade": each.grade,
        "skipped": None,
        "note": each.note or ("" if before is None else before.note),
        "flagged": False if before is None else before.flagged,
        "seconds": each.seconds,
        "made_at": made_at,
        "said_at": each.said_at,
    }


_AT_ONCE = 100  # documents of an insert, which may be long


def new_documents(
    connection: Connection, wanted: Collection[QueryAndDocument], texts: Sequence[str]
) -> list[Document]:
    """Read documents that the project does not have yet from files; others have no text."""
    known = _numbers(connection)
    names = dict.fromkeys(name for _, name in wanted if name not in known)
    return list(Documents(texts, names) if texts and names else map(Document, names))


def add_items(
    connection: Connection,
    wanted: Collection[QueryAndDocument],
    new: Sequence[Document],
    *,
    seed: int,
    judges: int,
) -> None:
    """Add documents to queries, after the others, in random order; `judges` judge each of them."""
    last_id = connection.execute(select(func.max(documents.c.id))).scalar() or 0
    added = [{"id": number, **vars(each)} for number, each in enumerate(new, start=last_id + 1)]
    for start in range(0, len(added), _AT_ONCE):
        connection.execute(insert(documents), added[start : start + _AT_ONCE])
    numbers = _numbers(connection)
    called = {row.id: row.name for row in connection.execute(select(queries.c.id, queries.c.name))}
    positions = (
        select(items.c.query_id, func.max(items.c.position))
        .where(items.c.position.is_not(None))
        .group_by(items.c.query_id)
    )
    last = {row[0]: row[1] for row in connection.execute(positions)}
    by_query: dict[int, set[str]] = {}
    for query, name in wanted:
        by_query.setdefault(query, set()).add(name)
    rows = []
    for query, of_query in by_query.items():
        order = shuffled(called[query], of_query, seed=seed, of="imported")
        rows += [
            {
                "query_id": query,
                "document_id": numbers[name],
                "position": position,
                "wanted": judges,
                "added": True,
            }
            for position, name in enumerate(order, start=last.get(query, -1) + 1)
        ]
    connection.execute(insert(items), rows)


def _numbers(connection: Connection) -> dict[str, int]:
    found = connection.execute(select(documents.c.name, documents.c.id))
    return {row.name: row.id for row in found}


def parse_map(given: Iterable[str], scale: Scale) -> dict[str, int]:
    """Parse grades of the file and grades of the scale, as in 4=3 or Perfect=3."""
    made: dict[str, int] = {}
    for text in given:
        old, equals, new = text.rpartition("=")
        listed = ", ".join(map(str, scale.values))
        if not equals or not old.strip() or not new.strip().isdecimal():
            raise OptionError(
                f"the map {text!r} is not valid: write it like 4=1, with a grade of the scale on "
                f"the right: {listed}"
            )
        if int(new) not in scale:
            raise OptionError(
                f"the map {text!r} leads to a grade that is not on the scale: it can be {listed}"
            )
        made[_folded_grade(old)] = int(new)
    return made


def known_grades(scale: Scale, becomes: Mapping[str, int]) -> dict[str, int]:
    """Return grades by the texts that mean them: names of grades, and texts that are mapped."""
    return {_folded_grade(grade.name): grade.value for grade in scale.grades} | dict(becomes)


def grade_on_scale(
    row: FileJudgment, scale: Scale, known: Mapping[str, int], *, source: str
) -> int:
    """Return the grade of a row: a known one (`known_grades`), or a number on the scale."""
    text = _folded_grade(row.grade)
    if text in known:
        return known[text]
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if number in scale:
        return int(number)
    listed = ", ".join(f"{grade.value} ({grade.name})" for grade in scale.grades)
    raise InputError(
        f"the grade {row.grade!r} of document {row.document!r} for query {row.query!r} is not on "
        f"the scale: {listed}. Map it to one of these, as '{row.grade}={scale.values[-1]}' does",
        source=source,
        line=row.line or line_of(row.query, row.document, source),
    )


def _folded_grade(grade: str) -> str:
    """Normalise a grade: names without case, numbers in one notation.

    >>> _folded_grade(" 3.0 "), _folded_grade("Not  Relevant")
    ('3', 'not relevant')
    """
    text = " ".join(grade.split()).casefold()
    try:
        number = float(text)
    except ValueError:
        return text
    return f"{number:.17g}"


def stored_name(name: str, kind: str) -> str:
    """Return a name as it is stored; names of accounts need no check."""
    return normalized_name(name) if kind == "person" else check_name(name)


def known_judge(connection: Connection, name: str, kind: str) -> int | None:
    """Return the number of a judge; None where the name is new. Persons have accounts."""
    if kind == "person":
        return person_named(connection, name).id
    found = connection.execute(
        select(people.c.id, people.c.kind).where(people.c.name == name)
    ).first()
    if found is None:
        check_new_name(connection, name)
        return None
    if found.kind != kind:
        what = "a person with an account" if found.kind == "person" else f"of kind {found.kind}"
        raise Conflict(
            f"{name!r} is {what}: give these judgments another name, or import them as {found.kind}"
        )
    return int(found.id)


def add_judge(connection: Connection, name: str, kind: str) -> int:
    row = {"name": name, "kind": kind, "active": True, "created_at": clock.now()}
    added = connection.execute(insert(people).values(**row)).inserted_primary_key
    assert added is not None
    return int(added.id)
