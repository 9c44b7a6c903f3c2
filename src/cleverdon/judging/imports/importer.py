"""The import of a judgment file, recorded under the names of those who judged.

The idempotency key of each judgment is made from the unpacked file, the judge, the query and the
document. So importing the same file again changes nothing, packed or not. Imported judgments are
events in the history, and can be undone like a grade.
"""

from __future__ import annotations

import errno
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import PurePath
from tempfile import TemporaryDirectory
from typing import TypedDict, Unpack
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from sqlalchemy import Connection

from cleverdon._common.text import counted
from cleverdon.agreement.labels import judge_names
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.formats.columns import HEAD
from cleverdon.formats.detection import is_workbook
from cleverdon.formats.inputs import open_source
from cleverdon.judging import imports
from cleverdon.judging.contents import Document, storable
from cleverdon.judging.errors import Invalid
from cleverdon.judging.imports import IMPORT_KINDS, Fields, FileContent
from cleverdon.judging.imports.files import read_judgments, too_large
from cleverdon.judging.imports.recording import (
    ComparedJudgments,
    ImportedJudgment,
    MatchedRows,
    QueryAndDocument,
    add_items,
    add_judge,
    compare,
    grade_on_scale,
    items_after,
    known_grades,
    known_judge,
    match_rows,
    new_documents,
    newest_item,
    parse_map,
    record_new,
    stored_name,
)
from cleverdon.judging.people.accounts import COMMAND_LINE, Actor
from cleverdon.judging.project import Project
from cleverdon.judging.recording import LONGEST_TEXT

_EXAMPLES = 5


@dataclass(frozen=True)
class ImportSettings:
    kind: str = "earlier"  # one of IMPORT_KINDS
    name: str = ""  # the judge of all; by default as the file says, or the file's name
    called: Mapping[str, str] = field(default_factory=dict)  # judges of the file: their names here
    becomes: Mapping[str, int] = field(default_factory=dict)  # see `parse_map`
    add: bool = False  # whether unknown documents are added to the project
    texts: Sequence[str] = ()  # files with the texts of these
    replace: bool = False  # whether the file's grade replaces another one of the same judge

    def __post_init__(self) -> None:
        check_word("kind", self.kind, IMPORT_KINDS)
        if self.texts and not self.add:
            raise OptionError("the texts of documents go with adding them")
        if self.name and self.called:
            raise OptionError("one name for all, or a name for each judge of the file: not both")


class FileOptions(TypedDict, total=False):
    form: str | None  # the tool that wrote it; by default it is recognised
    judge_column: bool  # whether the second column of TREC's qrels is the judge
    fields: Fields | None  # of an export of Label Studio


@dataclass(frozen=True)
class ImportResult:
    """The result of an import, in numbers of judgments."""

    form: str
    judges: tuple[str, ...]
    recorded: int
    unchanged: int  # the same grade was there already, or the file was imported before
    kept: int  # another grade of the same judge was there, and stays
    ungraded: int  # in the file, without a grade
    unknown_queries: tuple[str, ...]
    unknown: int  # judgments of these
    elsewhere: int  # of documents that are not to be judged for their query
    added: int  # documents that were added to queries
    cautions: tuple[str, ...] = ()

    def summary(self, *, dry_run: bool = False) -> str:
        """Return one line: the form of the file, the number of judgments, the judges."""
        by = f", of {', '.join(self.judges)}" if self.judges else ""
        would = "would be " if dry_run else ""
        return f"{self.form}: {counted(self.recorded, 'judgment')} {would}recorded{by}"

    def notes(self, *, dry_run: bool = False) -> list[str]:
        """Return a line for each kind of judgment that is not recorded, and for what was added."""
        numbers = {
            "were recorded before": self.unchanged,
            "differ from the grade of the same judge here; --replace replaces it": self.kept,
            "have no grade in the file": self.ungraded,
            "are of documents that the project lacks; --add-documents adds them": self.elsewhere,
        }
        lines = [f"{number:,} {what}" for what, number in numbers.items() if number]
        if self.added:
            would = "would be " if dry_run else ""
            lines.append(f"{counted(self.added, 'document')} {would}added")
        if self.unknown:
            lines.append(
                f"cleverdon: warning: {self.unknown:,} are of "
                f"{counted(len(self.unknown_queries), 'query')} that the project does not have: "
                f"{', '.join(self.unknown_queries[:_EXAMPLES])}"
            )
        return [*lines, *self.cautions]


def parse_judges(given: Iterable[str]) -> dict[str, str]:
    """Parse names of judges in the file and here, as in ann@example.org=Ann."""
    called = {}
    for text in given:
        there, equals, here = (part.strip() for part in text.rpartition("="))
        if not (equals and there and here):
            raise Invalid(f"the judge {text!r} is not valid: write it like ann@example.org=Ann")
        called[there] = here
    return called


def import_judgments(
    project: Project,
    path: str,
    *,
    judged_by: str = "earlier",
    judge: str | Sequence[str] = "",
    grades: Mapping[str, int] | Sequence[str] = (),
    form: str | None = None,
    judge_column: bool = False,
    fields: Fields | None = None,
    add_documents: bool = False,
    docs: Sequence[str] = (),
    replace: bool = False,
    dry_run: bool = False,
) -> ImportResult:
    """Add the judgments of a file to a project: all of them, or none where something is wrong.

    Importing the same file again changes nothing.

    Args:
        project: The project; it may be in use.
        path: Qrels in any format, a table with a column of judges, or an export of Quepid or Label
            Studio; also alone in a zip archive.
        judged_by: Whose judgments they are: "earlier" people's, a "model"'s, or of a "person" with
            an account.
        judge: The judge of all of them; or for judges in the file their names here, as
            ["ann@example.org=Ann"]. By default as the file says, or is called.
        grades: Grades in the file, and the grades on the scale that they stand for, as {"4": 3} or
            ["4=3"].
        form: The tool that wrote the file, if it cannot be recognised.
        judge_column: Whether the second column of TREC's qrels is the judge.
        fields: The fields of an export of Label Studio.
        add_documents: Whether documents are added that the project does not have.
        docs: With `add_documents`: files with the texts of these documents.
        replace: Whether the file's grade replaces another one of the same judge.
        dry_run: Whether to count only, and change nothing.

    Returns:
        The numbers of judgments that were recorded and that were not, and why.

    Raises:
        OptionError: Options contradict each other.
        InputError: The file is damaged, or does not belong to the project.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     file = project.folder.with_name("old.qrels")
    ...     _ = file.write_text("t1 0 d0 3\\nt9 0 d0 1\\n")
    ...     found = import_judgments(project, str(file), judge="trec8")
    >>> found.recorded, found.judges, found.unknown_queries
    (1, ('trec8',), ('t9',))
    """
    if isinstance(grades, Mapping):
        grades = [f"{old}={new}" for old, new in grades.items()]
    names = [judge] if isinstance(judge, str) else [one for one in judge if "=" not in one]
    renamed = [] if isinstance(judge, str) else [one for one in judge if "=" in one]
    # The fields of ImportSettings have the names of the web app's parameters.
    check_word("judged_by", judged_by, IMPORT_KINDS)
    settings = ImportSettings(
        judged_by,
        next(iter(names), ""),
        parse_judges(renamed),
        parse_map(grades, project.scale),
        add_documents,
        docs,
        replace=replace,
    )
    options: FileOptions = {"form": form, "judge_column": judge_column, "fields": fields}
    return import_file(project, path, settings, actor=COMMAND_LINE, only_look=dry_run, **options)


def import_file(
    project: Project,
    path: str,
    how: ImportSettings,
    *,
    actor: Actor,
    name: str = "",
    only_look: bool = False,
    **options: Unpack[FileOptions],
) -> ImportResult:
    """Record all judgments of a file in one transaction, or none.

    Judgments of unknown queries and documents are counted and left out. `name` is the file's own
    name, if the path differs. With `only_look`, judgments are counted, and nothing is changed.
    """
    label = name or PurePath(path).name
    with _unzipped(path, called=name or path) as plain:
        content = read_judgments(plain, **options)
        file = _File(plain, label, str(open_source(plain).digest()), content)
        if only_look:
            return _looked_at(project, file, how)
        return _imported(project, file, how, actor)


_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")  # archives: with a file, empty, in parts
_BLOCK_SIZE = 1 << 20
_ENCRYPTED = 1
_UNPACK_IT = "unpack it, and import the file with the judgments"


@contextmanager
def _unzipped(path: str, *, called: str) -> Iterator[str]:
    """Yield the path of the unpacked file; errors name the original."""
    plain = path
    try:
        if not _is_archive(path):
            yield path
            return
        with TemporaryDirectory(prefix="cleverdon-") as folder:
            plain = os.path.join(folder, "import")
            _unpack(path, plain)
            yield plain
    except InputError as error:
        if error.source not in (path, plain):  # which may be that of documents' texts
            raise
        message, line, column = error.message, error.line, error.column
        raise InputError(message, source=called, line=line, column=column) from None


def _is_archive(path: str) -> bool:
    if not os.path.isfile(path):  # a pipe can be read only once
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
            return head[:4] in _MARKS and not is_workbook(head, path)
    except OSError:
        return False  # reading it raises the error


def _unpack(path: str, plain: str) -> None:
    try:
        with (
            ZipFile(path) as archive,
            archive.open(_only_file(archive, path)) as packed,
            open(plain, "xb") as file,
        ):
            # Counted, because the sizes that an archive declares can be wrong.
            while block := packed.read(_BLOCK_SIZE):
                if file.tell() + len(block) > imports.LARGEST:
                    raise too_large(path)
                file.write(block)
    except OSError as error:
        if error.errno != errno.EINVAL:  # that of a place before the file's first byte
            raise
        raise _damaged(path) from None
    except (BadZipFile, EOFError, NotImplementedError, OverflowError, ValueError, zlib.error):
        raise _damaged(path) from None


def _damaged(path: str) -> InputError:
    return InputError("is damaged or cut short: it cannot be unpacked as zip", source=path)


def _only_file(archive: ZipFile, path: str) -> ZipInfo:
    """Return the only file of an archive; folders and macOS's extra files do not count."""
    files = [
        each
        for each in archive.infolist()
        if not each.filename.endswith("/") and not each.filename.startswith("__MACOSX/")
    ]
    if len(files) != 1:
        first = f", first {files[0].filename[:60]!r}" if files else ""
        raise InputError(
            f"is a zip archive of {len(files)} files{first}: expected one; {_UNPACK_IT}",
            source=path,
        )
    if files[0].flag_bits & _ENCRYPTED:
        raise InputError(f"is a zip archive with a password: {_UNPACK_IT}", source=path)
    # Of other methods, a few bytes become gigabytes at once.
    if files[0].compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise InputError(f"is a zip archive of an unusual method: {_UNPACK_IT}", source=path)
    return files[0]


@dataclass(frozen=True)
class _File:
    path: str
    label: str  # the name for people
    digest: str
    content: FileContent


@dataclass(frozen=True)
class _Plan:
    """The judgments of a file, matched with the project before anything is written."""

    matched: MatchedRows
    judges: Mapping[str, str]  # names in the file: names as they are stored
    given: Sequence[ImportedJudgment]
    added: Sequence[QueryAndDocument]
    documents: Sequence[Document]  # of those added, the ones that no query has yet
    elsewhere: int


def _looked_at(project: Project, file: _File, how: ImportSettings) -> ImportResult:
    with project.database.reading() as connection:
        plan = _make_plan(connection, project, file, how)
        found = {name: known_judge(connection, name, how.kind) for name in plan.judges.values()}
        judges = {name: number for name, number in found.items() if number is not None}
        items = plan.matched.items
        compared = compare(connection, plan.given, items=items, judges=judges, replace=how.replace)
    return _import_result(file, plan, compared)


def _imported(project: Project, file: _File, how: ImportSettings, actor: Actor) -> ImportResult:
    """Import a file; most is done before the transaction, for which all who judge wait."""
    seed, judges_each = int(project.setting("seed", 0)), int(project.setting("judges", 1))
    with project.database.reading() as connection:
        plan = _make_plan(connection, project, file, how)
    with project.database.writing() as connection:
        if newest_item(connection) != plan.matched.newest:  # another import was quicker
            plan = _make_plan(connection, project, file, how)
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
    return _import_result(file, plan, compared)


def _import_result(file: _File, plan: _Plan, compared: ComparedJudgments) -> ImportResult:
    unknown = plan.matched.unknown
    return ImportResult(
        file.content.form,
        tuple(plan.judges),
        len(compared.new),
        compared.unchanged,
        compared.kept,
        file.content.ungraded,
        tuple(dict.fromkeys(row.query for row in unknown)),
        len(unknown),
        plan.elsewhere,
        len(plan.added),
        file.content.cautions,
    )


def _make_plan(connection: Connection, project: Project, file: _File, how: ImportSettings) -> _Plan:
    matched = match_rows(connection, file.content, source=file.path)
    here = [(place, row) for place, row in matched.rows if how.add or place in matched.items]
    added = list(dict.fromkeys(place for place, _ in here if place not in matched.items))
    grades = known_grades(project.scale, how.becomes)
    plain = file.label.removesuffix(".zip") or file.label
    file_name = judge_names([plain])[plain]
    judges: dict[str, str] = {}
    given: dict[tuple[QueryAndDocument, str], ImportedJudgment] = {}
    for place, row in here:
        name = how.name or how.called.get(row.judge, row.judge) or file_name
        if how.kind == "person" and not (how.name or row.judge):
            raise OptionError("the file does not say who judged: name the person")
        if name not in judges:
            judges[name] = stored_name(name, how.kind)
        judge = judges[name]
        grade = grade_on_scale(row, project.scale, grades, source=file.path)
        note = storable(row.note)[:LONGEST_TEXT]
        # The same judgment of the same file has the same key.
        key = hashlib.sha256("\0".join((file.digest, name, row.query, row.document)).encode())
        new = ImportedJudgment(
            f"import-{key.hexdigest()}", place, judge, grade, note, row.seconds, row.said_at
        )
        before = given.setdefault((place, judge), new)
        if before.grade != grade:
            raise InputError(
                f"{name!r} gave document {row.document!r} two grades for query {row.query!r}: if "
                "several judged, leave out the one name for all",
                source=file.path,
                line=row.line,
            )
    documents = new_documents(connection, added, how.texts) if added else []
    elsewhere = len(matched.rows) - len(here)
    return _Plan(matched, judges, list(given.values()), added, documents, elsewhere)
