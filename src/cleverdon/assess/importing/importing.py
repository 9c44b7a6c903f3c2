"""Judgments that were made elsewhere, recorded under the names of those who made them.

The request of each is made of the file and of what it is of, so that the same file changes nothing
when it comes a second time. What is recorded is in the history, and can be undone as a grade is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from sqlalchemy import Connection

from cleverdon.assess.importing.adding import add_items, new_documents
from cleverdon.assess.importing.grading import known_grades, on_scale
from cleverdon.assess.importing.judges import add_judge, known_judge, stored_name
from cleverdon.assess.importing.kinds import KINDS
from cleverdon.assess.importing.matching import Matched, Place, items_after, match, newest_item
from cleverdon.assess.importing.reading import read_judgments
from cleverdon.assess.importing.recording import Compared, Given, compare, record_new
from cleverdon.assess.importing.rows import Content, Fields, Row
from cleverdon.assess.importing.unzipping import unzipped
from cleverdon.assess.judging.checking import LONGEST_TEXT
from cleverdon.assess.people.auditing import Actor
from cleverdon.assess.project import Project
from cleverdon.assess.refusals import Invalid
from cleverdon.assess.setup.filling import Document
from cleverdon.assess.setup.topics import storable
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.judge.reading import names_of
from cleverdon.read import open_source


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
    would come of it, and nothing is changed: nobody who judges meanwhile waits for it.
    """
    label = name or PurePath(path).name
    with unzipped(path, called=name or path) as plain:
        content = read_judgments(plain, form=form, assessors=assessors, fields=fields)
        file = _File(plain, label, str(open_source(plain).digest()), content)
        if only_look:
            return _looked_at(project, file, how)
        return _imported(project, file, how, actor)


@dataclass(frozen=True)
class _File:
    """A file that was read."""

    path: str
    label: str  # what people call it
    digest: str
    content: Content


@dataclass(frozen=True)
class _Plan:
    """What a file brings, as far as that is found without anybody waiting for it."""

    matched: Matched
    judges: Mapping[str, str]  # names as the file has them: as they are stored
    given: Sequence[Given]
    added: Sequence[Place]
    documents: Sequence[Document]  # which of what is added are new to all topics
    elsewhere: int


def _looked_at(project: Project, file: _File, how: Importing) -> Imported:
    with project.database.reading() as connection:
        plan = _planned(connection, project, file, how)
        found = {name: known_judge(connection, name, how.kind) for name in plan.judges.values()}
        judges = {name: number for name, number in found.items() if number is not None}
        items = plan.matched.items
        compared = compare(connection, plan.given, items=items, judges=judges, replace=how.replace)
    return _told(file, plan, compared)


def _imported(project: Project, file: _File, how: Importing, actor: Actor) -> Imported:
    """Most is done before the one transaction that writes, for which all who judge wait."""
    seed, judges_each = int(project.setting("seed", 0)), int(project.setting("judges", 1))
    with project.database.reading() as connection:
        plan = _planned(connection, project, file, how)
    with project.database.writing() as connection:
        if newest_item(connection) != plan.matched.newest:  # another import was quicker
            plan = _planned(connection, project, file, how)
        judges = {
            name: known_judge(connection, name, how.kind) or add_judge(connection, name, how.kind)
            for name in dict.fromkeys(plan.judges.values())
        }
        items = plan.matched.items
        if plan.added:
            add_items(connection, plan.added, plan.documents, seed=seed, judges=judges_each)
            items = {**items, **items_after(connection, plan.matched.newest)}
        compared = compare(connection, plan.given, items=items, judges=judges, replace=how.replace)
        record_new(connection, compared)
        about = f"{len(compared.new)} judgments of {', '.join(plan.judges) or 'nobody'}"
        actor.note(connection, "imported", f"{file.label}: {about} ({how.kind})")
    return _told(file, plan, compared)


def _told(file: _File, plan: _Plan, compared: Compared) -> Imported:
    unknown = plan.matched.unknown
    return Imported(
        file.content.form,
        tuple(plan.judges),
        len(compared.new),
        compared.unchanged,
        compared.kept,
        file.content.ungraded,
        tuple(dict.fromkeys(row.topic for row in unknown)),
        len(unknown),
        plan.elsewhere,
        len(plan.added),
        file.content.cautions,
    )


def _planned(connection: Connection, project: Project, file: _File, how: Importing) -> _Plan:
    matched = match(connection, file.content, source=file.path)
    here = [(place, row) for place, row in matched.rows if how.add or place in matched.items]
    added = list(dict.fromkeys(place for place, _ in here if place not in matched.items))
    grades = known_grades(project.scale, how.becomes)
    own = _own_name(file.label)
    judges: dict[str, str] = {}
    given: dict[tuple[Place, str], Given] = {}
    for place, row in here:
        name = _named(row, own, how)
        if name not in judges:
            judges[name] = stored_name(name, how.kind)
        judge = judges[name]
        grade = on_scale(row, project.scale, grades, source=file.path)
        note = storable(row.note)[:LONGEST_TEXT]
        request = _request(file.digest, name, row)
        new = Given(request, place, judge, grade, note, row.seconds, row.said_at)
        before = given.setdefault((place, judge), new)
        if before.grade != grade:
            raise InputError(
                f"{name!r} gave document {row.document!r} two grades for topic {row.topic!r}: if "
                "several judged, leave out the one name for all",
                source=file.path,
                line=row.line,
            )
    documents = new_documents(connection, added, how.texts) if added else []
    elsewhere = len(matched.rows) - len(here)
    return _Plan(matched, judges, list(given.values()), added, documents, elsewhere)


def _own_name(label: str) -> str:
    plain = label.removesuffix(".zip") or label
    return names_of([plain])[plain]


def _named(row: Row, own: str, how: Importing) -> str:
    """Whose judgment it is."""
    if how.name:
        return how.name
    if row.judge:
        return how.called.get(row.judge, row.judge)
    if how.kind == "person":
        raise OptionError("the file does not say who judged: name the person")
    return own


def _request(digest: str, name: str, row: Row) -> str:
    """The same of the same line of the same file."""
    parts: Iterable[str] = (digest, name, row.topic, row.document)
    return f"import-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"
