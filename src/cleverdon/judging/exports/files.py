"""Export files: one entry point for the command line, the pages and the API.

The history holds every event and ruling, as JSON lines or Parquet; a row holds the whole judgment
after the event. A file with the grades of all assessors can be read back: tables by their column of
judges, TREC lines by `cleverdon agree --judge-column`.
"""

from __future__ import annotations

import csv
import heapq
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import PurePath
from typing import Any

from sqlalchemy import Connection, Select, Table, literal, null, select

from cleverdon._common.extras import require
from cleverdon._common.files import replacing, write_file
from cleverdon._common.text import counted, printable
from cleverdon.agreement.aggregation import TIE_RULES
from cleverdon.agreement.labels import JUDGE_COLUMNS, JudgmentRow
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_seed, check_word
from cleverdon.formats.writers import format_of, fractional_grades, refuse_ids
from cleverdon.judging import clock
from cleverdon.judging.exports import (
    EXPORT_ENDINGS,
    EXPORT_KINDS,
    ONE_GRADE_KINDS,
    PUBLISHED,
    reports,
)
from cleverdon.judging.exports.datasheet import make_datasheet
from cleverdon.judging.exports.qrels import (
    Qrels,
    assessor_rows,
    by_assessor,
    make_qrels,
    pseudonyms,
    sampled_judgments,
)
from cleverdon.judging.exports.reports import as_html, as_markdown, datasheet_parts
from cleverdon.judging.people.accounts import COMMAND_LINE, Actor
from cleverdon.judging.project import Project
from cleverdon.judging.store.schema import (
    NAMED_ITEMS,
    documents,
    events,
    items,
    people,
    queries,
    rulings,
)

_JUDGE_COLUMNS = (JUDGE_COLUMNS[0], *Judgments.columns)
_EACH = "a file each, as 'qrels.{}.json'"
_FORMULA = re.compile(r"=|[+@-](?![\w.-]*$)").match


def _refuse_formulas(texts: Iterable[str], path: str) -> None:
    """Raise an InputError if a spreadsheet would compute a text of this CSV or TSV file."""
    # Ids are refused and not changed, because they are read back. A number or a name, such as
    # `-x1`, is harmless.
    if format_of(path) not in ("csv", "tsv"):
        return
    if found := next(filter(_FORMULA, texts), None):
        raise InputError(
            f"{found!r} is a formula to spreadsheets: write .txt, .parquet or .arrow, which they "
            "do not compute",
            source=path,
        )


def _without_formulas(table: str) -> str:
    """Turn the formulas in a CSV table for people into text, by an apostrophe."""
    text = io.StringIO(newline="")
    rows = csv.reader(io.StringIO(table, newline=""))
    csv.writer(text, lineterminator="\n").writerows(
        [f"'{cell}" if _FORMULA(cell) else cell for cell in row] for row in rows
    )
    return text.getvalue()


def _write_together(rows: Sequence[JudgmentRow], path: str) -> str:
    """Write the rows of all judges to one file; return the place of the judge in it."""
    format = format_of(path)
    if format == "trec":
        write_file(path, "".join(_trec_lines(rows)).encode())
        return "the second column"
    # Readers of tables drop blanks at the ends of cells.
    ids = [id for _, *pair, _ in rows for id in pair]
    _refuse_formulas((text for *texts, _ in rows for text in texts), path)
    refuse_ids(r"[\r\n\0]|^\s|\s$", ids, "", remedy=f"write {_EACH}")
    if format in ("csv", "tsv"):
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter="," if format == "csv" else "\t", lineterminator="\n")
        writer.writerow(_JUDGE_COLUMNS)
        writer.writerows((judge, query, doc, f"{grade:g}") for judge, query, doc, grade in rows)
        write_file(path, text.getvalue().encode())
    else:
        write_file(path, _arrow_file(rows, format))
    return f"the column {_JUDGE_COLUMNS[0]!r}"


def _trec_lines(rows: Sequence[JudgmentRow]) -> Iterator[str]:
    """Return lines of TREC's format, in which names have no blanks."""
    short = {judge: "_".join(judge.split()) for judge, *_ in rows}
    if len(set(short.values())) < len(short):
        raise InputError(
            "two assessors' names are the same without blanks: write .csv or .parquet, "
            "pseudonyms, or a file each"
        )
    remedy = f"write .csv or .parquet, or {_EACH}"
    for judge, query, doc, grade in rows:
        refuse_ids(r"[\s\0]|^[#\ufeff]", [query], "", remedy=remedy)
        refuse_ids(r"[\s\0]", [doc], "", remedy=remedy)
        yield f"{query} {short[judge]} {doc} {grade:g}\n"


def _arrow_file(rows: Sequence[JudgmentRow], format: str) -> bytes:
    pyarrow = require("pyarrow", f"writing {format} files", extra="tables")
    require("pyarrow.parquet", f"writing {format} files", extra="tables")
    columns = map(list, zip(*rows, strict=True))
    table = pyarrow.table(dict(zip(_JUDGE_COLUMNS, columns, strict=True)))
    file = io.BytesIO()
    if format == "parquet":
        pyarrow.parquet.write_table(table, file)
    else:
        with pyarrow.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    return file.getvalue()


_HISTORY_COLUMNS = {
    "event": "int64",  # the number of an event, or of a ruling
    "query": "string",
    "document": "string",
    "judge": "string",
    "judge_kind": "string",  # person, model, earlier
    "kind": "string",  # grade, skip, note, flag, undo, import, ruling
    "grade": "int64",
    "skipped": "string",  # the reason
    "note": "string",
    "flagged": "bool",
    "seconds": "double",  # for which the document was looked at
    "made_at": "string",  # when it was recorded
    "said_at": "string",  # by the clock of the browser, where it was sent later
    "gold": "int64",  # the grade that is known to be right, where attention is checked
    "request": "string",
}
"""The columns of the history, and their types in Parquet."""

_ROWS_AT_ONCE = 10_000


def _history_rows(
    connection: Connection, *, called: Mapping[str, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Return all events and rulings in order; `called` maps people to other names."""
    streamed = connection.execution_options(yield_per=_ROWS_AT_ONCE)
    # In their own order each, so that the two can be merged without holding either.
    both = heapq.merge(
        streamed.execute(_history(events)),
        streamed.execute(_history(rulings)),
        key=lambda row: (row.made_at, row.kind == "ruling", row.event),
    )
    for row in both:
        found = {name: getattr(row, name) for name in _HISTORY_COLUMNS}
        found["made_at"] = clock.iso(row.made_at)
        found["said_at"] = None if row.said_at is None else clock.iso(row.said_at)
        found["judge"] = (called or {}).get(row.judge, row.judge)
        yield found


def _write_history(rows: Iterator[dict[str, Any]], path: str) -> int:
    """Write rows as Parquet or JSON lines, by the file's name; return how many."""
    count = 0
    try:
        with replacing(path) as file:
            if path.casefold().endswith(".parquet"):
                return _write_parquet(rows, file)
            for row in rows:
                file.write(f"{json.dumps(row, ensure_ascii=False)}\n".encode())
                count += 1
            return count
    except BrokenPipeError:  # the reader has read enough
        raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", source=path) from None


def _write_parquet(rows: Iterator[dict[str, Any]], file: Any) -> int:
    pyarrow = require("pyarrow", "writing Parquet files", extra="tables")
    require("pyarrow.parquet", "writing Parquet files", extra="tables")
    types = {"int64": pyarrow.int64(), "double": pyarrow.float64(), "bool": pyarrow.bool_()}
    schema = pyarrow.schema(
        [(name, types.get(kind, pyarrow.string())) for name, kind in _HISTORY_COLUMNS.items()]
    )
    count = 0
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def _history(table: Table) -> Select[Any]:
    """Select events or rulings with the names of query, document and judge."""
    kind = table.c.kind if table is events else literal("ruling").label("kind")
    only_events = ("skipped", "flagged", "seconds", "said_at")
    return (
        select(
            table.c.id.label("event"),
            queries.c.name.label("query"),
            documents.c.name.label("document"),
            people.c.name.label("judge"),
            people.c.kind.label("judge_kind"),
            kind,
            table.c.grade,
            table.c.note,
            table.c.made_at,
            table.c.request,
            items.c.gold,
            *(table.c[name] if table is events else null().label(name) for name in only_events),
        )
        .select_from(table.join(NAMED_ITEMS).join(people))
        .order_by(table.c.made_at, table.c.id)
    )


_NAMED = 20  # documents in dispute that are named; the others are counted


@dataclass(frozen=True)
class ExportRequest:
    what: str = PUBLISHED  # one of EXPORT_KINDS
    ties: str = "lower"
    others: tuple[str, ...] = ()  # models and earlier judgments that count as people do
    assessors: tuple[str, ...] = ()  # of `assessor`: only these
    kind: str | None = None  # of qrels: plain, strata or sampled, over the whole pool
    names: bool | None = None  # whether people have their names; by default not in datasheets
    seed: int = 0  # of random ties

    def __post_init__(self) -> None:
        check_word("what", self.what, EXPORT_KINDS)
        check_word("ties", self.ties, TIE_RULES)
        check_seed(self.seed)
        if self.kind is not None and self.what not in ONE_GRADE_KINDS:
            raise OptionError("strata and probabilities need qrels with one grade per document")
        if self.assessors and self.what != "assessor":
            raise OptionError("assessors can be named only in an export by assessor")
        if self.others and self.what in ("assessor", "history", "datasheet"):
            raise OptionError(f"{self.what} cannot count other judges as people")


def export_judgments(
    project: Project,
    path: str,
    *,
    combine: str = PUBLISHED,
    assessors: Sequence[str] = (),
    vote_ties: str = "lower",
    seed: int = 0,
    unsettled: str = "out",
    others: Sequence[str] = (),
    qrels_kind: str | None = None,
    names: bool | None = None,
) -> list[str]:
    """Write qrels, the history, a report of agreement or a datasheet.

    The same state of a project gives the same file, byte by byte.

    Args:
        project: The project; it may be in use.
        path: The file to write; its ending is the format. "-" is standard output.
        combine: One of `EXPORT_KINDS`; by default the qrels that the project publishes.
        assessors: With "assessor": whose judgments; by default everybody's.
        vote_ties: Which grade is taken where several have most votes.
        seed: The seed of random ties.
        unsettled: With "adjudicated": whether documents in dispute without a ruling are left "out",
            or get the "majority".
        others: Models and earlier judgments that count as people do.
        qrels_kind: All documents of the pool: "plain", with "strata", or with probabilities
            ("sampled").
        names: Whether people have their names; by default they have pseudonyms in a datasheet.

    Returns:
        Lines about the file: its size, ties, documents left out; warnings start with "warning: ".

    Raises:
        OptionError: Options contradict each other, or do not suit the format.
        InputError: The file cannot be written, or cannot hold the ids.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     file = project.folder.with_name("history.jsonl")
    ...     export_judgments(project, str(file), combine="history")
    ['0 events and rulings']
    """
    check_word("unsettled", unsettled, ("out", "majority"))
    # The fields of an ExportRequest have the names of the web app's parameters.
    check_word("combine", combine, EXPORT_KINDS)
    check_word("vote_ties", vote_ties, TIE_RULES)
    if combine == "adjudicated" and unsettled == "majority":
        combine = PUBLISHED
    request = ExportRequest(
        what=combine,
        ties=vote_ties,
        others=tuple(others),
        assessors=tuple(assessors),
        kind=qrels_kind,
        names=names,
        seed=seed,
    )
    return write_export(project, request, path, actor=COMMAND_LINE)


def write_export(project: Project, wanted: ExportRequest, path: str, *, actor: Actor) -> list[str]:
    """Write an export and a line of the audit log; return notes on the file."""
    with project.database.reading() as connection:
        notes = _write_content(project, connection, wanted, path)
    with project.database.writing() as connection:
        about = f"{wanted.what} {PurePath(path).name}"
        if wanted.others:
            about += f" with {', '.join(wanted.others)}"
        actor.note(connection, "exported", about)
    return notes


def _write_content(
    project: Project, connection: Connection, wanted: ExportRequest, path: str
) -> list[str]:
    if wanted.what in ONE_GRADE_KINDS:
        return _write_qrels(project, connection, wanted, path)
    hidden = wanted.names is False or (wanted.names is None and wanted.what == "datasheet")
    called: Mapping[str, str] = pseudonyms(connection) if hidden else {}
    if wanted.what == "assessor":
        return _write_assessors(connection, wanted, path, called)
    ending = _ending(wanted.what, path)
    if wanted.what == "history":
        count = _write_history(_history_rows(connection, called=called), path)
        return [f"{count:,} events and rulings"]
    if wanted.what == "agreement":
        text = reports.agreement_report(
            connection, ending, title=project.title, others=wanted.others, called=called
        )
        if ending == "csv":
            text = _without_formulas(text)
    else:
        sheet = make_datasheet(project, connection, names=not hidden)
        title = f"Datasheet: {printable(project.title)}"
        if ending == "json":
            text = json.dumps(sheet.to_json(), indent=1, ensure_ascii=False) + "\n"
        else:
            write = as_html if ending == "html" else as_markdown
            text = write(title, datasheet_parts(sheet))
    write_file(path, text.encode())
    return []


def _ending(what: str, path: str) -> str:
    """Return the format of a file name; the first one for standard output."""
    ending = PurePath(path.casefold()).suffix.removeprefix(".")
    if path == "-":
        return EXPORT_ENDINGS[what][0]
    if ending not in EXPORT_ENDINGS[what]:
        listed = ", ".join(f".{one}" for one in EXPORT_ENDINGS[what])
        raise OptionError(f"{path}: for {what}, the file's name ends in one of {listed}")
    return ending


def _write_qrels(
    project: Project, connection: Connection, wanted: ExportRequest, path: str
) -> list[str]:
    found = make_qrels(
        connection, wanted.what, ties=wanted.ties, others=wanted.others, seed=wanted.seed
    )
    notes = _about_qrels(found, wanted.seed)
    judgments = found.judgments
    if wanted.kind is not None:
        pooled = sampled_judgments(project.folder, judgments, wanted.kind)
        judgments = pooled.judgments
        for number, what in (
            (pooled.waiting, "of the pool are not judged yet"),
            (pooled.not_drawn, "of the pool were not drawn"),
            (pooled.left_out, "are judged and were not drawn, and are left out"),
        ):
            if number:
                notes.append(f"{counted(number, 'document')} {what}")
    format = wanted.kind if wanted.kind in ("strata", "sampled") else None
    _write_judgments(judgments, path, format=format)
    return [_size(judgments), *notes, *fractional_grades(judgments, path, format)]


def _write_judgments(judgments: Judgments, path: str, *, format: str | None = None) -> None:
    _refuse_formulas((id for query in judgments.queries for id in (query, *judgments[query])), path)
    judgments.write(path, format=format)


def rulings_left_out(rulings: int) -> str:
    """Return a sentence on the rulings that are not in the qrels."""
    return f"{counted(rulings, 'ruling')} {'is' if rulings == 1 else 'are'} not in it"


def _about_qrels(found: Qrels, seed: int) -> list[str]:
    notes = [f"{found.way}, of {counted(found.judges, 'judge')}: {ONE_GRADE_KINDS[found.way]}"]
    if found.ruled:
        notes.append(f"{counted(found.ruled, 'document')} as ruled")
    if found.unused:
        notes.append(f"{rulings_left_out(found.unused)}; {PUBLISHED} takes rulings")
    if found.tied:
        rule = TIE_RULES[found.ties] + (f"; the seed is {seed}" if found.ties == "random" else "")
        notes.append(f"ties, of {counted(found.tied, 'document')}: {rule}")
    if found.unsettled:
        listed = ", ".join(f"{query} {doc}" for query, doc in found.unsettled[:_NAMED])
        more = len(found.unsettled) - _NAMED
        notes.append(
            f"warning: {counted(len(found.unsettled), 'document')} in dispute and without a "
            f"ruling, left out: {listed}" + (f", and {more:,} more" if more > 0 else "")
        )
    return [*notes, *(f"warning: {caution}" for caution in found.cautions)]


def _write_assessors(
    connection: Connection, wanted: ExportRequest, path: str, called: Mapping[str, str]
) -> list[str]:
    """Write qrels of assessors: a file each where the name has a {}, else one file."""
    if len(wanted.assessors) == 1 or "{}" in path:
        judged = by_assessor(connection, wanted.assessors)
        shown = [called.get(name, name) for name in judged]
        notes = []
        for name, part, judgments in zip(shown, _file_names(shown), judged.values(), strict=True):
            own = path.replace("{}", part)
            _write_judgments(judgments, own)
            notes.append(f"{own}: {name}, {_size(judgments)}")
        return notes
    if format_of(path) == "json":
        raise OptionError(
            "JSON has no place for who judged: write .txt, .csv or .parquet, the judgments of one "
            f"assessor, or {_EACH}"
        )
    rows = assessor_rows(connection, wanted.assessors, called=called)
    where = _write_together(rows, path)
    return [f"{counted(len(rows), 'judgment')}, {where} is who judged"]


def _file_names(names: Sequence[str]) -> list[str]:
    """Turn names of people into names of files that differ on any disk.

    >>> _file_names(["a b", "a_b", "A_B", "a_b-2", ".."])
    ['a_b', 'a_b-3', 'A_B-4', 'a_b-2', '_.']
    """
    plain = [
        # No file is hidden, and none is the folder above.
        re.sub(r"^\.", "_", "".join(c if c.isalnum() or c in "-_." else "_" for c in name))
        for name in names
    ]
    # Folded, since many disks ignore case. A numbered name must not be the name of somebody else.
    taken = {name.casefold() for name in plain}
    met: set[str] = set()
    found = []
    for name in plain:
        own = name
        if name.casefold() in met:
            numbered = (f"{name}-{number}" for number in count(2))
            own = next(each for each in numbered if each.casefold() not in taken)
            taken.add(own.casefold())
        met.add(name.casefold())
        found.append(own)
    return found


def _size(judgments: Judgments) -> str:
    queries = counted(len(judgments.queries), "query")
    return f"{counted(len(judgments), 'judgment')} for {queries}"
