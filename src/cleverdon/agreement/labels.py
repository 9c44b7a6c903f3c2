"""Labels: the judgments of several judges on the same documents.

A row is an item (a document for a query), a column is a judge. Labels are read from one file per
judge, or from one table with a column that names the judge. Files with a header may leave grades
empty, as judging sheets do that are not filled in yet. The second column of TREC qrels names the
judge only if the caller says so: mostly it is 0.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.extras import require
from cleverdon._common.text import counted
from cleverdon._core import Source
from cleverdon.data import Judgments, Nested
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.formats.columns import (
    DOCUMENT,
    GRADE,
    QUERY,
    choose_columns,
    column_position,
    first_line,
    is_column_header,
)
from cleverdon.formats.detection import detect_format
from cleverdon.formats.inputs import distinct_names, head_of, is_judging_project, open_source
from cleverdon.formats.mappings import id_text, note_unrated
from cleverdon.formats.ratings import book_rows, is_book_file
from cleverdon.formats.sheets import (
    UNJUDGED,
    grades_by_judge,
    has_header,
    is_journal,
    journal_grades,
)
from cleverdon.formats.streams import decode_text

if TYPE_CHECKING:
    from cleverdon.formats.spreadsheets import Sheet

_JUDGE = ("judge", "assessor", "annotator", "rater", "judge_id", "worker")
_MOST_GRADES = 100
"""Limits the memory that tables of grades by grades take."""

_Levels = NDArray[np.signedinteger[Any]]
"""Places on a scale, in as few bytes as the scale needs."""

JudgmentRow = tuple[str, str, str, float]
"""A judge, a query, a document, a grade."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Grades of several judges; an item is a document for a query.

    A grade below 0 means that a document was pooled and not judged: it is missing here.

    >>> labels = Labels.of({"ann": {"q1": {"d1": 1, "d2": 0}}, "bob": {"q1": {"d1": 2}}})
    >>> labels.judges, labels.grades.tolist(), labels.level.tolist()
    (('ann', 'bob'), [0.0, 1.0, 2.0], [[1, 2], [0, -1]])
    >>> labels
    <Labels: 2 documents of 1 query by ann, bob>
    """

    judges: tuple[str, ...]
    queries: tuple[str, ...]
    query: Ints  # of each item, an index into the queries; in rising order
    docs: NDArray[np.object_]  # of each item, the document's id
    grades: Floats  # the scale: every grade that occurs, rising
    level: _Levels  # items x judges: an index into the grades, -1 where it is missing

    def __repr__(self) -> str:
        documents = counted(len(self.docs), "document")
        queries = counted(len(self.queries), "query")
        return f"<Labels: {documents} of {queries} by {', '.join(self.judges)}>"

    @classmethod
    def of(cls, judged: Mapping[str, Any], *, format: str | None = None) -> Labels:
        """Make labels of each judge's judgments: files, dicts, data frames, `Judgments`.

        Args:
            judged: Judgments by the judge's name.
            format: The format of files; by default it is detected.
        """
        return cls.of_rows(
            row
            for name, given in judged.items()
            for row in _judgment_rows(name, Judgments.read(given, format=format))
        )

    @classmethod
    def of_rows(cls, rows: Iterable[JudgmentRow]) -> Labels:
        """Make labels of rows: judge, query, document, grade.

        >>> Labels.of_rows([("ann", "q1", "d1", 1), ("bob", "q1", "d1", -1)]).level.tolist()
        [[0, -1]]
        """
        judges: dict[str, int] = {}
        items: dict[str, dict[str, int]] = {}
        places: list[tuple[int, int]] = []
        given: list[float] = []
        count = 0
        for judge, query, doc, grade in rows:
            column = judges.setdefault(judge, len(judges))
            of_query = items.setdefault(query, {})
            item = of_query.setdefault(doc, count)
            count += item == count
            places.append((item, column))
            given.append(grade)
        if not given:
            raise InputError("there are no judgments")
        where, values = np.array(places), np.array(given, dtype=float)
        _check_distinct(where, judges, items)
        known = values >= 0
        grades = np.unique(values[known])
        if len(grades) == 0:
            raise InputError("no judge gave a grade of 0 or above: nothing is judged")
        level = np.full((count, len(judges)), -1, dtype=_level_type(grades))
        at = where[known]
        level[at[:, 0], at[:, 1]] = np.searchsorted(grades, values[known])
        # Items of a query are together, in the order of the input.
        order = np.concatenate([list(of_query.values()) for of_query in items.values()])
        sizes = [len(of_query) for of_query in items.values()]
        docs = np.array([doc for of_query in items.values() for doc in of_query], dtype=object)
        query_of = np.repeat(np.arange(len(items)), sizes)
        return cls(tuple(judges), tuple(items), query_of, docs, grades, level[order])

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.docs)

    @cached_property
    def judged(self) -> Bools:
        """Return whether a judge gave an item a grade: items x judges."""
        return np.asarray(self.level >= 0)

    @cached_property
    def shared(self) -> Bools:
        """Return whether at least two judges gave an item a grade."""
        return np.asarray(self.judged.sum(axis=1) >= 2)

    @cached_property
    def grade(self) -> Floats:
        """Return the grades, NaN where one is missing: items x judges."""
        return np.asarray(np.append(self.grades, np.nan)[self.level])

    def column(self, judge: str) -> int:
        """Return the column of a judge."""
        if judge not in self.judges:
            raise OptionError(f"there is no judge {judge!r}{suggest(judge, self.judges)}")
        return self.judges.index(judge)

    def only(self, judges: Sequence[str]) -> Labels:
        """Return the labels of some judges, on the same scale and items."""
        columns = [self.column(judge) for judge in judges]
        return replace(self, judges=tuple(judges), level=self.level[:, columns])

    def among(self, rows: Bools | Ints) -> Labels:
        """Return the labels of some items, with the same judges, queries and scale."""
        return replace(self, query=self.query[rows], docs=self.docs[rows], level=self.level[rows])

    def binary(self, rel: float) -> Labels:
        """Return labels with two grades: 1 from `rel` on, 0 below.

        >>> Labels.of({"ann": {"q1": {"d1": 3, "d2": 1}}}).binary(2).grade.tolist()
        [[1.0], [0.0]]
        """
        return self._graded((self.grades >= rel).astype(float), scale=np.array([0.0, 1.0]))

    def merged(self, into: Mapping[float, float]) -> Labels:
        """Return labels with some grades replaced: {3: 2} turns every 3 into 2.

        A grade that becomes negative counts as not judged.
        """
        for old in into:
            if old not in self.grades:
                known = ", ".join(f"{grade:g}" for grade in self.grades)
                raise OptionError(f"no judge gave the grade {old:g}; there are {known}")
        return self._graded(np.array([into.get(grade, grade) for grade in self.grades.tolist()]))

    def _graded(self, becomes: Floats, *, scale: Floats | None = None) -> Labels:
        """Return labels on another scale; `becomes` has the new value of each grade."""
        kept = np.unique(becomes[becomes >= 0]) if scale is None else scale
        if len(kept) == 0:
            raise OptionError("no grade of 0 or above would be left")
        places = np.where(becomes < 0, -1, np.searchsorted(kept, becomes))
        level = np.append(places, -1)[self.level].astype(_level_type(kept))
        return replace(self, grades=kept, level=level)

    def check_scale(self) -> None:
        """Raise an InputError if there are too many grades for tables of grades by grades."""
        if len(self.grades) > _MOST_GRADES:
            raise InputError(
                f"there are {len(self.grades)} different grades, and agreement is counted for at "
                f"most {_MOST_GRADES}: make two of them (--rel G, labels.binary), or merge some "
                "(--map OLD=NEW, labels.merged)"
            )


def row_keys(level: _Levels) -> NDArray[np.void]:
    """Return each row as one value that can be compared."""
    rows = np.ascontiguousarray(level)
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()


def _judgment_rows(judge: str, judgments: Judgments) -> Iterator[JudgmentRow]:
    """Yield one judge's judgments as rows."""
    if judgments.notes.subtopics is not None:
        raise InputError(
            f"{judge} judged subtopics, and agreement is of documents: give a file of one grade a "
            "document, or one file for each subtopic"
        )
    yield from ((judge, *row) for row in judgments.rows())


def judgments_of_items(labels: Labels, items: Ints, grades: Floats, *, name: str) -> Judgments:
    """Make judgments of some items with the given grades."""
    nested: dict[str, dict[str, float]] = {}
    queries = labels.query[items].tolist()
    for query, doc, grade in zip(queries, labels.docs[items], grades.tolist(), strict=True):
        nested.setdefault(labels.queries[query], {})[doc] = grade
    if not nested:
        raise InputError(f"{name} judged nothing that could be used here")
    return Judgments.read(nested, name=name)


def _check_distinct(where: Ints, judges: dict[str, int], items: dict[str, dict[str, int]]) -> None:
    cells = where[:, 0] * len(judges) + where[:, 1]
    distinct, times = np.unique(cells, return_counts=True)
    if len(distinct) == len(cells):
        return
    item, column = divmod(int(distinct[times > 1][0]), len(judges))
    judge = list(judges)[column]
    query, doc = next(
        (query, doc)
        for query, of_query in items.items()
        for doc, at in of_query.items()
        if at == item
    )
    raise InputError(f"judge {judge!r} judged document {doc!r} twice for query {query!r}")


def _level_type(grades: Floats) -> type[np.signedinteger[Any]]:
    return np.int8 if len(grades) < np.iinfo(np.int8).max else np.int32


JUDGE_COLUMNS = (
    *("judge", "assessor", "annotator", "rater"),
    *("judge_id", "assessor_id", "worker", "user"),
)
"""Names of the column that names the judge."""


def read_labels(
    files: Sequence[str] | Mapping[str, str],
    *,
    judge_column: bool = False,
    format: str | None = None,
) -> Labels:
    """Read labels: files with a column of judges hold several judges, others one each.

    Args:
        files: Files, or files by the judge's name. Without a name, a judge is named after the file.
        judge_column: The files are TREC qrels whose second column is the judge.
        format: The format of the files; by default it is detected.

    Returns:
        The labels of all judges.

    Raises:
        InputError: A file cannot be read, or a judge judged a document twice.

    >>> read_labels(["examples/labels.csv"]).judges
    ('ann', 'bob', 'eve')
    """
    if isinstance(files, Mapping):
        named = {name: os.fspath(file) for name, file in files.items()}
    else:
        named = {name: file for file, name in judge_names([*map(os.fspath, files)]).items()}
    return Labels.of_rows(read_label_rows(named, judge_column=judge_column, format=format))


def as_labels(given: Any) -> Labels:
    """Return labels as they are, or read them: files, judgments by judge, or a table.

    >>> as_labels(["examples/labels.csv"]).judges
    ('ann', 'bob', 'eve')
    >>> as_labels({"ann": {"q": {"a": 1}}, "bob": {"q": {"a": 2}}}).grades.tolist()
    [1.0, 2.0]
    """
    if isinstance(given, Labels):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read_labels([os.fspath(given)])
    if isinstance(given, Mapping):
        return Labels.of(given)
    if hasattr(given, "__arrow_c_stream__"):
        pyarrow = require("pyarrow", "reading tables", extra="tables")
        table = pyarrow.table(given)
        known = (_JUDGE, QUERY, DOCUMENT, GRADE)
        places = [column_position(table.column_names, names) for names in known]
        if None in places:
            lacking = known[places.index(None)][0]
            listed = ", ".join(table.column_names)
            raise InputError(f"a table of labels needs a column {lacking!r}; found {listed}")
        columns = [table.column(place).to_pylist() for place in places]
        return Labels.of_rows(
            (str(judge), str(query), str(doc), float(grade))
            for judge, query, doc, grade in zip(*columns, strict=True)
        )
    return read_labels(list(given))


def judge_names(files: list[str]) -> dict[str, str]:
    """Name judges after their files, without the word qrels."""
    own = distinct_names(files)
    short = {file: _short_name(name) for file, name in own.items()}
    return short if len(set(short.values())) == len(short) else own


def _short_name(name: str) -> str:
    for word in ("qrels", "qrel"):
        for mark in (".", "-", "_"):
            name = name.removesuffix(f"{mark}{word}").removeprefix(f"{word}{mark}")
    return name


def read_label_rows(
    files: Mapping[str, str], *, judge_column: bool = False, format: str | None = None
) -> list[JudgmentRow]:
    """Read the rows of files by the judge's name, which counts where the file names none."""
    if not files:
        raise OptionError("there is no file with judgments")
    if judge_column and format not in (None, "trec"):
        raise OptionError(f"the column of judges is of TREC's format, and not of {format!r}")
    return [
        row for name, file in files.items() for row in _file_rows(name, file, judge_column, format)
    ]


@dataclass(frozen=True, eq=False)
class JudgeLabels:
    """The labels of people and models, as files or judging projects have them."""

    labels: Labels
    models: tuple[str, ...]
    gold: frozenset[tuple[str, str]]  # queries and documents that a project's owner chose
    warnings: tuple[str, ...] = ()


def read_judges(
    people: Mapping[str, str],
    models: Mapping[str, str] | None = None,
    *,
    judge_column: bool = False,
    format: str | None = None,
    grades: Mapping[float, float] | None = None,
    rel: float | None = None,
) -> JudgeLabels:
    """Read the labels of people and models from files and judging projects.

    Args:
        people: Files by the judge's name. The folder of a judging project stands for its people,
            whatever its name.
        models: Files of models by name; a project stands for its models.
        judge_column: People's files are TREC qrels whose second column is the judge.
        format: The format of people's files; by default it is detected.
        grades: New grades by old ones; grades that are not named stay.
        rel: Make two grades of all: 1 from this one on, 0 below.

    Returns:
        The labels, the names of the models, the gold documents of projects, and warnings.

    Raises:
        InputError: A model and a person have the same name, or a file cannot be read.

    >>> found = read_judges({"people": "examples/labels.csv"}, {"llm": "examples/model.qrels"})
    >>> found.labels.judges, found.models
    (('ann', 'bob', 'eve', 'llm'), ('llm',))
    """
    by_people, gold = _read_judge_rows(people, "person", judge_column=judge_column, format=format)
    by_models, _ = _read_judge_rows(models or {}, "model")
    names = {row[0] for row in by_people}
    model_names = tuple(dict.fromkeys(row[0] for row in by_models))
    if both := names & set(model_names):
        raise InputError(f"{min(both)!r} is a model and a judge; give it another name: NAME=FILE")
    labels = Labels.of_rows([*by_people, *by_models])
    warnings = []
    if grades:
        labels = labels.merged(grades)
    if rel is not None:
        relevant = labels.grades >= rel
        if relevant.all() or not relevant.any():
            which = "at least" if relevant.all() else "below"
            warnings.append(f"--rel {rel:g}: every grade that was given is {which} {rel:g}")
        labels = labels.binary(rel)
    return JudgeLabels(labels, model_names, frozenset(gold), tuple(warnings))


def _read_judge_rows(
    named: Mapping[str, str], kind: str, *, judge_column: bool = False, format: str | None = None
) -> tuple[list[JudgmentRow], set[tuple[str, str]]]:
    """Read rows of files, and of projects those of its people or of its models; and the gold."""
    folders = [path for path in named.values() if is_judging_project(path)]
    files = {name: path for name, path in named.items() if path not in folders}
    rows = read_label_rows(files, judge_column=judge_column, format=format) if files else []
    gold: set[tuple[str, str]] = set()
    for folder in folders:
        from cleverdon.judging.cli import require_web  # the app is optional, and built on this

        require_web()
        # After the check, since it loads optional libraries.
        from cleverdon.judging.exports.qrels import read_judge_rows

        of_folder, of_gold = read_judge_rows(folder, kind)
        rows += of_folder
        gold |= of_gold
    return rows, gold


def _file_rows(
    name: str, file: str, judge_column: bool, format: str | None
) -> Iterator[JudgmentRow]:
    source = open_source(file)
    head = head_of(source)
    if not head.strip():
        raise InputError("is empty", source=source.name)
    if judge_column:
        yield from _assessor_rows(source.head(2**62), source=source.name)
    elif is_journal(head):
        yield from _grade_rows(name, journal_grades(source.head(2**62), source=source.name))
    elif format is None and is_book_file(head):
        rows, _, unrated = book_rows(source.head(2**62), source=source.name)
        note_unrated(unrated, source=source.name)
        yield from rows
    elif format is None and has_header(head):
        by_judge = grades_by_judge(
            source.head(2**62), source=source.name, judge=name, judges=JUDGE_COLUMNS
        )
        for judge, grades in by_judge.items():
            yield from _grade_rows(judge, grades)
    elif format is None and (kind := _table_kind(head, source=source.name)):
        yield from _table_rows(source, kind, judge=name)
    else:
        yield from _judgment_rows(name, Judgments.read(source, format=format, name=name))


def _grade_rows(judge: str, grades: Nested) -> Iterator[JudgmentRow]:
    for query, of_query in grades.items():
        yield from ((judge, query, doc, grade) for doc, grade in of_query.items())


def _table_kind(head: bytes, *, source: str) -> str | None:
    """Return the kind of table that starts like this; None where it is no table."""
    line = first_line(head.decode("utf-8", errors="replace").lstrip("\ufeff"), comments=False)
    if line.startswith("{"):
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            return None
        return "jsonl" if isinstance(fields, dict) and is_column_header(list(fields)) else None
    found = detect_format(head, kind="grade", source=source)
    if found == "json" and line.lstrip().startswith("["):
        return "json_list"
    return found if found in ("parquet", "arrow", "xlsx") else None


_Records = Iterable[tuple[int, Sequence[Any]]]
"""Line numbers and cells."""


def _table_rows(source: Source, kind: str, *, judge: str) -> Iterator[JudgmentRow]:
    content = source.head(2**62)
    if kind in ("json_list", "xlsx"):
        from cleverdon.formats.spreadsheets import read_table  # only for such files

        sheet = cast("Sheet", read_table(source))
        records: _Records
        names, records = sheet.columns, zip(sheet.lines, sheet.cells, strict=True)
    elif kind == "jsonl":
        names, records = _json_lines_records(content, source=source.name)
    else:
        from cleverdon.formats.arrow import load_table  # only for Parquet and Arrow files

        names, records = _arrow_records(load_table(content, format=kind, name=source.name))
    yield from _record_rows(names, records, judge=judge, source=source.name)


def _json_lines_records(content: bytes, *, source: str) -> tuple[list[str], _Records]:
    names: list[str] = []
    rows: list[tuple[int, Sequence[Any]]] = []
    text = decode_text(content, source=source, line=1, encoding="utf-8-sig")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON: {error}", source=source, line=number) from None
        if not isinstance(fields, dict):
            raise InputError("expected an object", source=source, line=number)
        names = names or list(fields)
        rows.append((number, [fields.get(name) for name in names]))
    return names, iter(rows)


def _arrow_records(table: Any) -> tuple[list[str], _Records]:
    # polars stands in for pyarrow, and has other names for the same.
    by_polars = not hasattr(table, "column_names")
    names = list(table.columns if by_polars else table.column_names)
    columns = (table[name] for name in names)
    cells = [column.to_list() if by_polars else column.to_pylist() for column in columns]
    return names, enumerate(zip(*cells, strict=True), start=1)


def _record_rows(
    names: list[str], records: _Records, *, judge: str, source: str
) -> Iterator[JudgmentRow]:
    """Yield rows by the names of the columns; without a column of judges, all are by `judge`."""
    (query, doc, grade), _ = choose_columns(names, kind="grade", source=source)
    who = column_position(names, JUDGE_COLUMNS)
    for number, cells in records:
        line = number or None
        value = _grade(cells[grade], source=source, line=line)
        if value is None:
            continue
        ids = [
            id_text(cells[at], what, "", source=source, line=line) if cells[at] is not None else ""
            for at, what in ((query, "query"), (doc, "document"))
        ]
        by = judge if who is None else _cell_text(cells[who])
        if not all((by, *ids)):
            what = "the judge, the query or the document is empty"
            raise InputError(what, source=source, line=line)
        yield by, ids[0], ids[1], value


def _cell_text(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _grade(cell: Any, *, source: str, line: int | None) -> float | None:
    """Return a grade; None where the cell is empty or `?`, since the item is not judged yet."""
    if cell is None or (isinstance(cell, str) and cell.strip() in UNJUDGED):
        return None
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = math.inf
    if math.isnan(value) and not isinstance(cell, str):
        return None  # how data frames write an empty cell
    if not math.isfinite(value):
        raise InputError(f"the grade {cell!r} is not a number", source=source, line=line)
    return value


def _assessor_rows(data: bytes, *, source: str) -> Iterator[JudgmentRow]:
    """Yield the rows of TREC qrels: query, judge, document, grade."""
    text = decode_text(data, source=source, line=1, encoding="utf-8-sig")
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        if len(fields) != 4:
            what = f"expected 4 fields (query, judge, document, grade), found {len(fields)}"
            raise InputError(what, source=source, line=number)
        query, judge, doc, grade = fields
        value = _grade(grade, source=source, line=number)
        if value is not None:
            yield judge, query, doc, value
