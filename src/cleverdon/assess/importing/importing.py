"""Judgments that were made elsewhere, recorded under the names of those who made them.

The request of each is made of the file and of what it is of, so that the same file changes nothing
when it comes a second time. What is recorded is in the history, and can be undone as a grade is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from sqlalchemy import Connection, insert, select

from cleverdon.assess import clock
from cleverdon.assess.importing.adding import add_items
from cleverdon.assess.importing.grading import on_scale
from cleverdon.assess.importing.matching import Matched, match
from cleverdon.assess.importing.reading import read_judgments
from cleverdon.assess.importing.recording import Given, Written, record_all
from cleverdon.assess.importing.rows import Content, Fields, Row
from cleverdon.assess.judging.recording import LONGEST_TEXT
from cleverdon.assess.people.accounts import check_name, person_named
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.project import Project
from cleverdon.assess.refusals import Conflict, Invalid
from cleverdon.assess.setup.topics import storable
from cleverdon.assess.store.schema import people
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.judge.reading import names_of
from cleverdon.read import open_source

KINDS = {
    "earlier": "judgments of people who have no account here",
    "model": "those of a model, or of a click model: one more judge, never one of the people",
    "person": "those of somebody who has an account, made elsewhere",
}
"""Whose judgments can be imported."""


@dataclass(frozen=True)
class Importing:
    """What is to be done with a file."""

    kind: str = "earlier"  # one of KINDS
    name: str = ""  # whose they all are; else the file says it, or is called so
    called: Mapping[str, str] = field(default_factory=dict)  # judges of the file: their names here
    becomes: Mapping[str, int] = field(default_factory=dict)  # see `grading.parse_map`
    add: bool = False  # whether documents that the project has not are added
    texts: Sequence[str] = ()  # files with the texts of these
    replace: bool = False  # whether a grade that stands and differs gives way

    def __post_init__(self) -> None:
        check_word("kind", self.kind, KINDS)
        if self.texts and not self.add:
            raise OptionError("the texts of documents go with adding them")
        if self.name and self.called:
            raise OptionError("one name for all, or a name for each judge of the file: not both")


@dataclass(frozen=True)
class Imported:
    """What came of it, in numbers of judgments."""

    form: str
    judges: tuple[str, ...]
    recorded: int
    unchanged: int  # the same grade stood already, or the file was imported before
    kept: int  # another grade stands, and stays
    ungraded: int  # in the file, without a grade
    unknown_topics: tuple[str, ...]
    unknown: int  # judgments of these
    elsewhere: int  # of documents that are not to be judged for their topic
    added: int  # documents that were added to topics
    cautions: tuple[str, ...] = ()


def parse_judges(given: Iterable[str]) -> dict[str, str]:
    """What judges of a file are called here, as in ann@example.org=Ann."""
    called = {}
    for text in given:
        there, equals, here = (part.strip() for part in text.rpartition("="))
        if not (equals and there and here):
            raise Invalid(f"the judge {text!r} is not as THERE=HERE is, as ann@example.org=Ann")
        called[there] = here
    return called


def import_file(
    project: Project,
    path: str,
    how: Importing,
    *,
    actor: Actor,
    form: str | None = None,
    assessors: bool = False,
    fields: Fields | None = None,
    name: str = "",
    only_look: bool = False,
) -> Imported:
    """Record all of a file in one transaction, or nothing; `name` is the file's, where it differs.

    `form`, `assessors` and `fields` are those of `read_judgments`. Documents of other topics, and
    those that the project has not, are counted and left out. With `only_look`, it is found out what
    would come of it, and nothing is changed.
    """
    try:
        content = read_judgments(path, form=form, assessors=assessors, fields=fields)
        return _imported(project, content, path, how, name or PurePath(path).name, actor, only_look)
    except InputError as error:
        if not name or error.source != path:  # which may be that of documents' texts
            raise
        raise InputError(error.message, source=name, line=error.line, column=error.column) from None


def _imported(
    project: Project,
    content: Content,
    path: str,
    how: Importing,
    label: str,
    actor: Actor,
    only_look: bool,
) -> Imported:
    digest = str(open_source(path).digest())
    seed = int(project.setting("seed", 0))
    with project.database.writing() as connection:
        matched = match(connection, content, source=path)
        added = 0
        if how.add and matched.elsewhere:
            wanted = {(topic, row.document) for topic, row in matched.elsewhere}
            added = add_items(connection, wanted, texts=how.texts, seed=seed)
            matched = match(connection, content, source=path)
        written, judges = _recorded(connection, project, matched, path, label, digest, how)
        about = f"{label}: {written.recorded} judgments of {', '.join(judges) or 'nobody'}"
        actor.note(connection, "imported", f"{about} ({how.kind})")
        if only_look:
            connection.rollback()
    return Imported(
        content.form,
        judges,
        written.recorded,
        written.unchanged,
        written.kept,
        content.ungraded,
        tuple(dict.fromkeys(row.topic for row in matched.unknown)),
        len(matched.unknown),
        len(matched.elsewhere),
        added,
        content.cautions,
    )


def _recorded(
    connection: Connection,
    project: Project,
    matched: Matched,
    path: str,
    label: str,
    digest: str,
    how: Importing,
) -> tuple[Written, tuple[str, ...]]:
    own = _own_name(label)
    numbers: dict[str, int] = {}
    given: dict[tuple[int, int], Given] = {}
    for item, row in matched.rows:
        name = _named(row, own, how)
        if name not in numbers:
            numbers[name] = _judge(connection, name, how.kind)
        grade = on_scale(row, project.scale, how.becomes, source=path)
        request = _request(digest, name, row)
        note = storable(row.note)[:LONGEST_TEXT]
        new = Given(request, item, numbers[name], grade, note, row.seconds, row.said_at)
        before = given.setdefault((item, new.person), new)
        if before.grade != grade:
            raise InputError(
                f"{name!r} gave document {row.document!r} two grades for topic {row.topic!r}: if "
                "several judged, leave out the one name for all",
                source=path,
                line=row.line,
            )
    found = record_all(connection, list(given.values()), replace=how.replace)
    return found, tuple(numbers)


def _own_name(label: str) -> str:
    return names_of([label])[label]


def _named(row: Row, own: str, how: Importing) -> str:
    """Whose judgment it is."""
    if how.name:
        return how.name
    if row.judge:
        return how.called.get(row.judge, row.judge)
    if how.kind == "person":
        raise OptionError("the file does not say who judged: name the person (--name NAME)")
    return own


def _judge(connection: Connection, name: str, kind: str) -> int:
    """The number of a judge, who is added where nobody is called so; persons have accounts."""
    if kind == "person":
        return person_named(connection, name).id
    name = check_name(name)
    found = connection.execute(
        select(people.c.id, people.c.kind).where(people.c.name == name)
    ).first()
    if found is not None:
        if found.kind != kind:
            what = "a person with an account" if found.kind == "person" else f"of kind {found.kind}"
            raise Conflict(
                f"{name!r} is {what}: give these judgments another name, or import them as "
                f"{found.kind}"
            )
        return int(found.id)
    row = {"name": name, "kind": kind, "active": True, "created_at": clock.now()}
    added = connection.execute(insert(people).values(**row)).inserted_primary_key
    assert added is not None
    return int(added.id)


def _request(digest: str, name: str, row: Row) -> str:
    """The same of the same line of the same file."""
    parts: Iterable[str] = (digest, name, row.topic, row.document)
    return f"import-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"
