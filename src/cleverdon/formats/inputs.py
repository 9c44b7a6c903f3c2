"""Runs and judgments from files and objects.

`open_input` looks at what was given and does as little as possible: a text file stays a file,
so that it can be streamed. `read_input` goes on to hold everything in memory.

Judgments may also lie in the folder of a judging project (`cleverdon judge`). The folder is
known by a file of its own, so that looking for it costs next to nothing where none of the
judging app's libraries are installed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cleverdon import _core
from cleverdon._common.digests import digest_of
from cleverdon._common.extras import importing, require
from cleverdon._common.progress import Progress
from cleverdon.data import Judgments, Rows, Run
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.formats import ARROW, ARROW_STREAM, PARQUET
from cleverdon.formats.columns import (
    HEAD,
    has_query_column,
    is_column_header,
    naming_columns,
    without_separator_line,
)
from cleverdon.formats.detection import (
    ANNOTATED,
    BOOKS,
    FORMATS,
    OF_JUDGMENTS,
    counts_grades,
    counts_ranks,
    detect_format,
)
from cleverdon.formats.lines import (
    BEIR_QRELS,
    MSMARCO_RUN,
    Lines,
    LineShape,
    line_shape,
    with_format_hint,
)
from cleverdon.formats.mappings import (
    empty_lists,
    first_filled,
    from_cells,
    from_json,
    from_json_lines,
    from_mapping,
    from_records,
    from_rows,
    is_list,
    is_ranking,
    parse_json,
)

if TYPE_CHECKING:
    from cleverdon.formats.typed import TypedRanking

PROJECT_FILE = "cleverdon-judge.json"  # marks a folder as a judging project


def is_judging_project(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is the folder of a judging project."""
    return os.path.isfile(os.path.join(path, PROJECT_FILE))


def _read_judging_project(path: str, *, format: str | None, name: str | None) -> Judgments:
    """Read the judgments of a project as it would publish them."""
    with importing(f"reading the project {path}", extra="web"):
        # The declared hook of judging projects.
        from cleverdon.judging.exports.qrels import read_folder
    return read_folder(path, format=format, name=name)


R = TypeVar("R", bound=Rows)

_IR_DATASETS = "ir_datasets:"
_NO_RANKS = "order_by='rank' needs ranks, and {what} has scores only"
_LOOKS_LIKE_RUN = (
    "looks like a run of MS MARCO's: for each query, the third column counts 1, 2, 3. Are "
    "judgments and run exchanged? If these are grades, name the format: --qrels-format beir, in "
    "Python format='beir'; or make it certain: cleverdon convert FILE qrels.txt --kind qrels"
)
_LOOKS_LIKE_QRELS = (
    "looks like judgments: the third column has the same number several times for one query, and a "
    "run of MS MARCO's has ranks there. Are judgments and run exchanged? If these are ranks, name "
    "the format: --run-format msmarco, in Python format='msmarco'"
)


def read_input(
    cls: type[R],
    data: Any,
    *,
    duplicates: str = "error",
    weights: bool = False,
    columns: Mapping[str, Any] | str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> R:
    """Read a `Run` or `Judgments` from a file, a dict of dicts, a data frame, or rows.

    `duplicates` says how to handle a document that occurs twice for one query (error, first, best).
    `weights` says that the numbers are weights of subtopics, which may count 1, 2, 3 as the ranks
    of a run do. `columns` names columns of a table by what they are: `{"query": "Query Text",
    "doc": "sku", "grade": "Rating"}`. `options` are those of `open_input`.
    """
    check_word("duplicates", duplicates, ("error", "first", "best"))
    if columns is not None:
        how: dict[str, Any] = {"duplicates": duplicates, "weights": weights, "progress": progress}
        with naming_columns(columns, strict=True):
            return read_input(cls, data, **how, **options)
    opened = open_input(cls, data, duplicates=duplicates, **options)
    if isinstance(opened, Lines):
        source = opened.source.name
        report = None if progress is None else partial(progress, f"reading {source}")
        try:
            table = _core.Table.read(opened.source, opened.layout, duplicates, report)
        except InputError as error:
            if cls is Judgments and opened.shape is not None and opened.shape.quepid:
                return cast(R, _with_unrated(opened, duplicates=duplicates))
            raise with_format_hint(error, opened) from None
        if opened.may_be_ranks and not weights and counts_ranks(table):
            raise InputError(_LOOKS_LIKE_RUN, source=source)
        digest, unlisted = digest_of(opened.source), opened.unlisted
        return cls(table, name=opened.name, source=source, digest=digest, unlisted=unlisted)
    return opened


def open_input(
    cls: type[R],
    data: Any,
    *,
    format: str | None = None,
    name: str | None = None,
    duplicates: str = "error",
    order_by: str = "score",
) -> R | Lines:
    """Open the input as a `Run` or `Judgments`, or as a `Lines` where it can be streamed.

    `format` names the file's format where it is not to be guessed; `order_by="rank"` orders a TREC
    run by its rank column; `duplicates="unchecked"` leaves them to the join that follows.
    """
    check_word("order_by", order_by, ("score", "rank"))
    ranks_needed = cls is Run and order_by == "rank"
    if ranks_needed and isinstance(data, (Run, Mapping)):
        raise OptionError(_NO_RANKS.format(what=f"a {type(data).__name__}"))
    if isinstance(data, cls):
        return data
    if isinstance(data, Rows):
        wanted = "judgments" if cls is Judgments else "a run"
        raise InputError(f"expected {wanted}, found {data!r}; are the two exchanged?")
    kind = order_by if cls is Run else "grade"
    if isinstance(data, _core.Source):
        return _from_source(cls, data, format=format, name=name, kind=kind, duplicates=duplicates)
    if isinstance(data, (str, os.PathLike)):
        path = os.fspath(data)
        if path.startswith(_IR_DATASETS):
            return _from_ir_datasets(cls, path, kind=kind, duplicates=duplicates)
        if cls is Judgments and is_judging_project(path):
            return cast(R, _read_judging_project(path, format=format, name=name))
        if hasattr(path, "rankings"):  # a `TypedRanking`, whose module is not loaded for files
            typed = cast("TypedRanking", path)
            if format is not None:
                raise OptionError(f"format={format!r} is for files, and a typed ranking is none")
            return cast(R, typed.rankings.judgments if cls is Judgments else typed.run)
        source = open_source(path)
        name = name or run_name(path)
        return _from_source(cls, source, format=format, name=name, kind=kind, duplicates=duplicates)
    if format in ANNOTATED and cls is Judgments and _has_rows(data):
        # Which imports this module.
        from cleverdon.formats.annotated_qrels import read_annotated_rows

        label = name or "judgments"
        made = read_annotated_rows(data, format=format, name=label, duplicates=duplicates)
        return cast(R, made)
    if format is not None:
        raise OptionError(f"format={format!r} is for files, and a {type(data).__name__} is none")
    label = name or ("judgments" if cls is Judgments else "run")
    unlisted: list[str] = []
    if isinstance(data, Mapping) and not _is_dataset(data):
        table = from_mapping(data, kind=cls.kind, duplicates=duplicates)
        unlisted = empty_lists(data)
    elif _is_table(data):
        from cleverdon.formats.arrow import from_arrow  # only for data frames

        table, unlisted = from_arrow(data, kind=kind, duplicates=duplicates)
    elif _has_rows(data):
        rows = data if isinstance(data, (list, tuple)) else list(data)
        if cls is Run and rows and _is_whole_run(rows[0]):
            raise InputError(
                "is a list of runs; several runs of one system are repeats(run1, run2)",
                source=label,
            )
        if rows and isinstance(rows[0], Mapping):
            table, unlisted = from_records(rows, kind=kind, duplicates=duplicates, source=label)
        else:
            table = from_rows(rows, kind=kind, duplicates=duplicates)
    else:
        raise InputError(
            f"{type(data).__name__!r} cannot be read as {label}: give a file, a dict of dicts, "
            "a data frame, or rows of (query, document, number)"
        )
    _check_not_empty(table, unlisted, source=label)
    return cls(table, name=label, unlisted=unlisted)


def _from_source(
    cls: type[R],
    source: _core.Source,
    *,
    format: str | None,
    name: str | None,
    kind: str,
    duplicates: str,
) -> R | Lines:
    path = source.path
    if format is not None:
        check_word("format", format, FORMATS | (ANNOTATED | BOOKS if cls is Judgments else {}))
    head = head_of(source)
    unlisted, results = queries_without_results(source) if cls is Run else ([], None)
    facts: dict[str, Any] = {"name": name or run_name(path), "source": source.name}
    if unlisted and not results:
        table = _core.Table.from_dict({}, cls.kind, duplicates)
        return cls(table, **facts, digest=digest_of(source), unlisted=unlisted)
    if not head:
        raise InputError("is empty", source=source.name)
    binary = b"\0" in head or head.startswith((PARQUET, ARROW, ARROW_STREAM, b"PK", b"{", b"["))
    if b"\r" in head.rstrip() and b"\n" not in head and not binary:
        message = (
            "its lines end in carriage returns only, as those of old Macintosh programs; save it "
            "as CSV UTF-8, or convert it: tr '\\r' '\\n' < FILE > FIXED"
        )
        raise InputError(message, source=source.name)
    if format in ANNOTATED:
        from cleverdon.formats.annotated_qrels import read_annotated  # which imports this module

        facts["digest"] = digest_of(source)
        text = source.head(2**62)
        return cast(R, read_annotated(text, format=format, duplicates=duplicates, **facts))
    if format in BOOKS:
        from cleverdon.formats.ratings import read_book  # only for such files

        return cast(R, read_book(source, rule=format.removeprefix("quepid_"), name=facts["name"]))
    guessed = format is None
    format = format or detect_format(head, kind=kind, source=source.name)
    if format in OF_JUDGMENTS and cls is Run:
        raise OptionError(f"format={format!r} is one of judgments; runs have none of their own")
    reading: dict[str, Any] = {"kind": kind, "duplicates": duplicates}
    if format in ("json", "json_list", "jsonl", "quepid", "opensearch", "rank_eval"):
        if kind == "rank" and format == "json" and head.lstrip().startswith(b"{"):
            raise OptionError(_NO_RANKS.format(what=source.name))
        reading["kind"] = kind if format == "jsonl" or head.lstrip()[:1] == b"[" else cls.kind
        text = source.head(2**62)
        read = from_json_lines if format == "jsonl" else from_json
        table, own = read(text, source=source.name, **reading)
        unlisted = own or unlisted
    elif format == "xlsx":
        from cleverdon.formats.spreadsheets import read_sheet  # only for such files

        sheet = read_sheet(source.head(2**62), path=path)
        reading |= {"source": source.name, "lines": sheet.lines}
        table, own = from_cells(sheet.columns, sheet.cells, **reading)
        unlisted = own or unlisted
    elif format in ("parquet", "arrow", "dataset"):
        from cleverdon.formats.arrow import from_file  # only for such files

        format = "arrow" if format == "dataset" else format
        table, own = from_file(path, source, format=format, **reading)
        unlisted = own or unlisted
    elif format == "ltr":
        from cleverdon.formats.ratings import from_ltr  # only for such files

        decoded = source.head(2**62).decode("utf-8", "replace").removeprefix("\ufeff")
        rows = list(from_ltr(decoded, source=source.name))
        try:
            table = from_rows(rows, **reading)
        except InputError as error:
            raise InputError(error.message, source=source.name) from None
    else:
        text_head = head.decode("utf-8", errors="replace").lstrip("\ufeff")
        shape = line_shape(format, kind=kind, head=text_head, source=source.name)
        tabs = shape.separator is not None
        if guessed and shape.is_like(MSMARCO_RUN) and counts_grades(text_head, tabs=tabs):
            raise InputError(_LOOKS_LIKE_QRELS, source=source.name)
        may_be_ranks = guessed and shape.is_like(BEIR_QRELS)
        if not unlisted or not shape.header:
            return Lines(
                source,
                shape.layout(),
                facts["name"],
                unlisted=tuple(unlisted),
                may_be_ranks=may_be_ranks,
                shape=shape,
                is_run=cls is Run,
            )
        # Columns may hold the same queries themselves, and each counts once.
        table = _core.Table.read(source, shape.layout(), duplicates)
    _check_not_empty(table, unlisted, source=path)
    return cls(table, **facts, digest=digest_of(source), unlisted=unlisted)


def _with_unrated(text: Lines, *, duplicates: str) -> Judgments:
    """Read Quepid's CSV cell by cell: a document may have no rating."""
    import io

    from cleverdon.formats.streams import csv_rows, decode_text  # only for such files

    source, shape = text.source, cast(LineShape, text.shape)
    decoded = decode_text(source.head(2**62), source=source.name, line=1, encoding="utf-8-sig")
    _, decoded = without_separator_line(decoded)
    rows = csv_rows(io.StringIO(decoded, newline=""), shape.separator or ",", source=source.name)
    _, names = next(rows)
    cells: list[list[str]] = []
    lines: list[int] = []
    missing = line = 0
    for line, row in rows:
        missing = len(names) - len(row)
        if missing and not (shape.alone and len(row) == shape.query + 1):
            message = f"expected {len(names)} fields ({', '.join(names)}), found {len(row)}"
            message += "; is the file cut short?" if missing > 0 else ""
            raise InputError(message, source=source.name, line=line)
        cells.append([cell.strip() for cell in row] + [""] * missing)
        lines.append(line)
    if missing and not decoded.endswith("\n"):
        raise InputError("the last line is cut short", source=source.name, line=line)
    table, unlisted = from_cells(
        names, cells, kind="grade", duplicates=duplicates, source=source.name, lines=lines
    )
    _check_not_empty(table, unlisted, source=source.name)
    about: dict[str, Any] = {"source": source.name, "digest": digest_of(source)}
    return Judgments(table, name=text.name, unlisted=unlisted, **about)


def names_of_columns(path: str, source: _core.Source, *, format: str) -> list[str]:
    """The names of the columns of a Parquet, Arrow or Excel file."""
    if format == "xlsx":
        from cleverdon.formats.spreadsheets import read_sheet  # only for such files

        return read_sheet(source.head(2**62), path=path).columns
    from cleverdon.formats.arrow import names_in_file  # only for such files

    return names_in_file(path, source, format=format)


def _is_table(data: Any) -> bool:
    """Tell whether an object is a data frame, or a dataset of Hugging Face's."""
    return hasattr(data, "__arrow_c_stream__") or _is_dataset(data)


def _is_dataset(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "datasets"


def is_address(data: Any) -> bool:
    """Tell whether this is the address of a table: an engine, `://`, `#` and the table.

    >>> is_address("duckdb:///x.db#run"), is_address("book.xlsx#Sheet1")
    (True, False)
    """
    return isinstance(data, str) and "#" in data.partition("://")[2]


def is_in_sql(data: Any) -> bool:
    """Tell whether this is a table of an SQL engine, or the address of one."""
    return is_address(data) or type(data).__module__.startswith("ibis.")


def any_in_sql(qrels: Any, runs: Any) -> bool:
    """Tell whether judgments or runs are tables of an SQL engine, or addresses of some."""
    several = runs.values() if isinstance(runs, Mapping) else runs
    listed = several if isinstance(runs, (Mapping, list, tuple)) else ()
    # So many runs at most: a dict or a list may also be of queries or rows.
    return any(map(is_in_sql, (qrels, runs, *islice(listed, 1000))))


def is_engine_table(data: Any) -> bool:
    """Tell whether this is an opened table of an engine, which ranks its results itself."""
    return type(data).__module__ == "cleverdon.scale.sql"


def open_source(path: str) -> _core.Source:
    """Open a file, or standard input for `-`.

    A part of a file or folder stands behind `#`: a sheet, a split. Of a BEIR folder, the judgments
    are opened; of a folder that Hugging Face's datasets have saved, the first of its files.
    """
    try:
        if path != "-" and os.path.isdir(path.rpartition("#")[0] or path):
            path = _file_in_folder(path)
        return _core.Source(path)
    except UnicodeEncodeError:
        raise InputError(f"the name {path!r} is not UTF-8; rename the file") from None
    except InputError:
        from cleverdon.formats.typed import looks_typed  # not for files

        if looks_typed(path):
            raise InputError(
                f"{str(path)!r} is a typed ranking, and a file is needed here; cleverdon convert "
                "makes files of it, and in Python cleverdon.read_typed judgments and runs"
            ) from None
        raise


def _file_in_folder(path: str) -> str:
    """Return the file that is meant by a folder; the folder itself where there is none."""
    folder, _, part = (path, "", "") if os.path.isdir(path) else path.rpartition("#")
    if os.path.isfile(os.path.join(folder, "dataset_dict.json")):
        splits = sorted(each.name for each in os.scandir(folder) if each.is_dir())
        folder = os.path.join(folder, _choose_part(folder, splits, part, what="split"))
    if os.path.isfile(os.path.join(folder, "state.json")):
        state = parse_json(open_source(os.path.join(folder, "state.json")).head(2**62), source=path)
        try:
            return os.path.join(folder, state["_data_files"][0]["filename"])
        except (KeyError, IndexError, TypeError):
            raise InputError("is a dataset without files", source=folder) from None
    inside = os.path.join(folder, "qrels")
    if os.path.isdir(inside):
        files = {
            name.partition(".")[0]: name for name in sorted(os.listdir(inside)) if ".tsv" in name
        }
        if files:
            chosen = _choose_part(folder, list(files), part, what="judgments")
            return os.path.join(inside, files[chosen])
    return path


def _choose_part(folder: str, parts: list[str], wanted: str, *, what: str) -> str:
    if wanted in parts:
        return wanted
    if len(parts) == 1 and not wanted:
        return parts[0]
    folder = folder.rstrip("/")
    either = ", ".join(parts) or "none"
    if wanted:
        raise InputError(f"has no {what} {wanted!r}: there are {either}", source=folder)
    first = "test" if "test" in parts else parts[0]
    message = f"which {what} are meant: {either}? Answer with {folder}#{first}"
    raise InputError(message.replace("split are", "split is"), source=folder)


def search_record_path(path: str) -> str:
    """Return the path of the record that `cleverdon search` writes next to a run."""
    return f"{path}.search.json"


def queries_without_results(source: _core.Source) -> tuple[list[str], int | None]:
    """Return the queries without results, and the number of results, by the search record.

    TREC's formats cannot hold a query without results; the search record next to the run can.
    A record of a file with other contents is out of date, and not used.
    """
    path = search_record_path(source.path)
    if source.path == "-" or not os.path.isfile(path):
        return [], None
    record = parse_json(open_source(path).head(2**62), source=path)
    if not isinstance(record, dict) or record.get("kind") != "cleverdon search":
        return [], None
    queries, run = record.get("empty"), record.get("run")
    named = isinstance(queries, list) and all(map(_is_id, queries))
    if not named or not isinstance(run, dict):
        raise InputError("is damaged; remove it, or search again", source=path)
    if not queries or run.get("digest") != source.digest():
        return [], None
    return queries, run.get("results")


def _is_id(query: object) -> bool:
    """Tell whether it is text that UTF-8 can hold; JSON may hold half a character."""
    return isinstance(query, str) and not any("\ud800" <= char <= "\udfff" for char in query)


def head_of(source: _core.Source) -> bytes:
    """Return enough of the text to detect its format: at least the first line."""
    length = HEAD
    head = source.head(length)
    while len(head) == length and b"\n" not in head and head.lstrip()[:1] not in (b"{", b"["):
        length *= 16
        head = source.head(length)
    return head


def _is_whole_run(row: Any) -> bool:
    """Tell whether what should be a row of a run is a run."""
    if isinstance(row, Mapping):
        return bool(row) and all(isinstance(value, Mapping) for value in row.values())
    return isinstance(row, Rows) or _is_table(row)


def _has_rows(data: Any) -> bool:
    others = isinstance(data, (bytes, bytearray, Mapping)) or _is_table(data)
    return isinstance(data, Iterable) and not others


def _from_ir_datasets(cls: type[R], path: str, *, kind: str, duplicates: str) -> R:
    ir_datasets = require("ir_datasets", f"reading {path}")
    dataset = path.removeprefix(_IR_DATASETS)
    try:
        loaded = ir_datasets.load(dataset)
        rows = loaded.qrels_iter() if cls is Judgments else loaded.scoreddocs_iter()
    except (KeyError, AttributeError) as error:
        raise InputError(f"ir_datasets has no such data: {error}", source=path) from None
    return cls(from_rows(rows, kind=kind, duplicates=duplicates), name=dataset, source=path)


def run_name(path: str) -> str:
    """Return the name of a run file: without folders and endings.

    >>> run_name("runs/bm25.tuned.run.gz")
    'bm25.tuned'
    """
    if path == "-":
        return "stdin"
    if is_address(path):
        path = path.partition("#")[2].replace("*", "")
    known = ".run .trec .txt .tsv .csv .json .jsonl .xlsx .parquet .arrow .feather .res"
    name = os.path.basename(path.rstrip("/")) or path
    if ".xlsx#" in name:
        name = name.replace(".xlsx#", "#")
    for ending in (".gz", ".zst", ".bz2", ".xz", *known.split()):
        name = name.removesuffix(ending) or name
    return name


def distinct_names(paths: list[str]) -> dict[str, str]:
    """Name each file, with as many of its folders as make the names distinct.

    >>> distinct_names(["a/bm25.run", "b/bm25.run", "c/dense.run"])
    {'a/bm25.run': 'a/bm25', 'b/bm25.run': 'b/bm25', 'c/dense.run': 'dense'}
    """
    names = {path: run_name(path) for path in paths}
    folders = {path: os.path.normpath(path).split(os.sep)[:-1] for path in paths}
    for depth in range(1, 1 + max(map(len, folders.values()), default=0)):
        taken = list(names.values())
        for path, name in names.items():
            if taken.count(name) > 1:
                names[path] = "/".join((*folders[path][-depth:], run_name(path)))
    return names


def _check_not_empty(table: _core.Table, unlisted: list[str], *, source: str) -> None:
    if len(table.queries) == 0 and not unlisted:
        raise InputError("has no rows", source=source)


class Repeats:
    """Several runs of one system: see `repeats`."""

    def __init__(self, runs: Iterable[Any]) -> None:
        self.runs = tuple(runs)
        if len(self.runs) < 2:
            raise InputError(
                f"repeats takes two or more runs of one system, and has {len(self.runs)}; give a "
                "single run as it is"
            )

    def __repr__(self) -> str:
        return f"<Repeats: {len(self.runs)} runs of one system>"


def repeats(*runs: Any) -> Repeats:
    """Take several runs as one system: seeds of a ranker, or repeated calls of a model.

    A query's value is the mean over the runs. `compare` counts how much they differ into intervals
    and p-values, which are then of other queries and other runs.

    Args:
        runs: Two or more runs, each in any form that `evaluate` takes.

    Returns:
        One of the values of the dict of runs that `evaluate` takes.

    Raises:
        InputError: There are fewer than two.

    >>> from cleverdon import evaluate
    >>> first, second = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"a": 1.0, "b": 2.0}}
    >>> evaluate({"q1": {"a": 1}}, {"dense": repeats(first, second)}, "RR").to_dict()
    {'dense': {'RR': 0.75}}
    """
    return Repeats(runs)


def named_runs(runs: Any, queries: Iterable[str] | None = None) -> list[tuple[str | None, Any]]:
    """Return the runs with their names; None where a run has its own name.

    `queries` are those with judgments, if known: they tell a query without results from the name
    of an empty run.
    """
    if isinstance(runs, Repeats):
        raise InputError("several runs of one system need its name: {'dense': repeats(run1, run2)}")
    if isinstance(runs, Mapping) and any(isinstance(run, Repeats) for run in runs.values()):
        return [(str(name), run) for name, run in runs.items()]
    if isinstance(runs, Mapping) and runs and not _is_dataset(runs):
        if _is_one_run(runs, queries):
            return [(None, runs)]
        return [(str(name), run) for name, run in runs.items()]
    one = (str, os.PathLike, Rows, _core.Source)
    if isinstance(runs, one) or _is_table(runs):
        return [(None, runs)]
    if not isinstance(runs, Iterable):
        raise InputError(f"{type(runs).__name__!r} is neither a run nor several")
    listed = list(runs)
    if not listed:
        raise InputError("there is no run to evaluate")
    if isinstance(listed[0], (tuple, list)) or hasattr(listed[0], "__dataclass_fields__"):
        return [(None, listed)]  # rows of one run
    if isinstance(listed[0], Mapping) and _is_row(listed[0]):
        return [(None, listed)]  # the same, by name
    if any(isinstance(run, Repeats) for run in listed):
        raise InputError("several runs of one system need its name: {'dense': repeats(run1, run2)}")
    paths = [os.fspath(run) for run in listed if isinstance(run, (str, os.PathLike))]
    labels = distinct_names(paths)
    named: list[tuple[str | None, Any]] = []
    for number, run in enumerate(listed, start=1):
        if isinstance(run, (str, os.PathLike)):
            named.append((labels[os.fspath(run)], run))
        else:
            named.append((run.name if isinstance(run, Rows) else f"run {number}", run))
    return named


def one_by_one(runs: Iterable[tuple[str | None, Any]]) -> Iterator[tuple[str | None, Any]]:
    """Yield all runs; those of one system with numbers behind its name."""
    for name, run in runs:
        if isinstance(run, Repeats):
            yield from ((f"{name}#{number}", one) for number, one in enumerate(run.runs, start=1))
        else:
            yield name, run


SPARK = "spark:"
"""What the name of a table or path begins with that Spark is to read."""


def is_on_spark(data: Any) -> bool:
    """Tell whether data is a frame of Spark's, or a table or path that Spark is to read."""
    if isinstance(data, str):
        return data.startswith(SPARK)
    return type(data).__module__.startswith("pyspark.sql.") and hasattr(data, "mapInArrow")


def any_on_spark(*inputs: Any) -> bool:
    """Tell whether any of these is on Spark, or several runs of which one is."""
    return any(map(is_on_spark, each_input(*inputs)))


def each_input(*inputs: Any) -> Iterator[Any]:
    """Yield all inputs; several runs one by one."""
    for data in inputs:
        if isinstance(data, Repeats):
            yield from data.runs
        elif isinstance(data, Mapping):
            yield from each_input(*(run for run in data.values() if not isinstance(run, Mapping)))
        elif isinstance(data, (list, tuple)):
            yield from (one for one in data if not isinstance(one, (list, tuple, Mapping)))
        else:
            yield data


def _is_row(fields: Mapping[Any, Any]) -> bool:
    """Tell whether a dict is a row of a run, by the names of its fields, and not a run."""
    if any(isinstance(value, Mapping) for value in fields.values()):
        return False
    names = [str(name) for name in fields]
    return is_column_header(names) or (len(names) == 1 and has_query_column(names))


def _is_one_run(runs: Mapping[Any, Any], queries: Iterable[str] | None) -> bool:
    """Tell whether a dict is one run (query to document to score) or runs by name."""
    first = first_filled(runs)
    if isinstance(first, (Mapping, list, tuple)) and not first:  # so are all: only keys can tell
        keys = {
            str(key, "utf-8", "replace") if isinstance(key, bytes) else str(key) for key in runs
        }
        return queries is None or not keys.isdisjoint(queries)
    if not isinstance(first, Mapping):
        return is_ranking(first)
    return not any(isinstance(inner, Mapping) or is_list(inner) for inner in first.values())
