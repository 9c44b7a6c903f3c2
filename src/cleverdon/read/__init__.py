"""Reading runs and judgments, from whatever people have them in.

`open_input` looks at what was given and does as little as possible: a text file stays a file, so
that it can be streamed. `read` goes on to hold everything in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from cleverdon import _core
from cleverdon.data import Judgments, Rows, Run
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.read.detect import ANNOTATED, FORMATS, HEAD, detect
from cleverdon.read.guess import counts_grades, counts_ranks
from cleverdon.read.judging_folder import from_project, is_project
from cleverdon.read.lines import BEIR_QRELS, MSMARCO_RUN, Lines, hinting_at_formats, shape_of

__all__ = ["FORMATS", "Lines", "open_input", "read"]

R = TypeVar("R", bound=Rows)

_IR_DATASETS = "ir_datasets:"
_NO_RANKS = "order_by='rank' needs ranks, and {what} has scores only"
_RANKS = (
    "looks like a run of MS MARCO's: for each query, the third column counts 1, 2, 3. Are "
    "judgments and run exchanged? If these are grades, name the format: --qrels-format beir, in "
    "Python format='beir'; or make it certain: cleverdon convert FILE qrels.txt --kind qrels"
)
_GRADES = (
    "looks like judgments: the third column has the same number several times for one query, and a "
    "run of MS MARCO's has ranks there. Are judgments and run exchanged? If these are ranks, name "
    "the format: --run-format msmarco, in Python format='msmarco'"
)


def read(
    cls: type[R],
    data: Any,
    *,
    format: str | None = None,
    name: str | None = None,
    duplicates: str = "error",
    order_by: str = "score",
    weights: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> R:
    """A `Run` or `Judgments` of a file, a dict of dicts, a data frame, or rows.

    `format` names the file's format where it is not to be guessed; `duplicates` says what becomes
    of a document that occurs twice for one query (error, first, best); `order_by="rank"` orders a
    TREC run by its rank column. `weights` says that the numbers are weights of subtopics, which may
    count 1, 2, 3 as the ranks of a run do.
    """
    check_word("duplicates", duplicates, ("error", "first", "best"))
    opened = open_input(
        cls, data, format=format, name=name, duplicates=duplicates, order_by=order_by
    )
    if isinstance(opened, Lines):
        try:
            table = _core.Table.read(opened.source, opened.layout, duplicates, progress)
        except InputError as error:
            raise (hinting_at_formats(error, opened) if cls is Judgments else error) from None
        if opened.may_be_ranks and not weights and counts_ranks(table):
            raise InputError(_RANKS, source=opened.source.name)
        digest, unlisted = opened.source.digest(), opened.unlisted
        source = opened.source.name
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
    """What was given as a `Run` or `Judgments`, or as a `Lines` where it can be streamed.

    `duplicates="unchecked"` leaves looking for them to the join that follows.
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
        if cls is Judgments and is_project(path):
            return cast(R, from_project(path, format=format, name=name))
        source = open_source(path)
        return _from_source(cls, source, format=format, name=name, kind=kind, duplicates=duplicates)
    if format in ANNOTATED and cls is Judgments and _has_rows(data):
        from cleverdon.read.annotated import annotated_rows

        label = name or "judgments"
        made = annotated_rows(data, format=format, name=label, duplicates=duplicates)
        return cast(R, made)
    if format is not None:
        raise OptionError(f"format={format!r} is for files, and a {type(data).__name__} is none")
    label = name or ("judgments" if cls is Judgments else "run")
    unlisted: list[str] = []
    if isinstance(data, Mapping):
        from cleverdon.read.mapping import empty_lists, from_mapping

        table = from_mapping(data, kind=cls.kind, duplicates=duplicates)
        unlisted = empty_lists(data)
    elif hasattr(data, "__arrow_c_stream__"):
        from cleverdon.read.table import from_arrow

        table = from_arrow(data, kind=kind, duplicates=duplicates)
    elif _has_rows(data):
        from cleverdon.read.mapping import from_rows

        table = from_rows(data, kind=kind, duplicates=duplicates)
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
        check_word("format", format, FORMATS | (ANNOTATED if cls is Judgments else {}))
    head = head_of(source)
    unlisted, results = queries_without_results(source) if cls is Run else ([], None)
    facts = {"name": name or name_of(path), "source": source.name}
    if unlisted and not results:
        table = _core.Table.from_dict({}, cls.kind, duplicates)
        return cls(table, **facts, digest=source.digest(), unlisted=unlisted)
    if not head:
        raise InputError("is empty", source=source.name)
    if format in ANNOTATED:
        from cleverdon.read.annotated import annotated

        facts["digest"] = source.digest()
        text = source.head(2**62)
        return cast(R, annotated(text, format=format, duplicates=duplicates, **facts))
    guessed = format is None
    format = format or detect(head, kind=kind, source=source.name)
    if format == "trec" and path.endswith(".csv"):
        format = "csv"  # whose header is missing or unknown: say so, and not what TREC expects
    if format == "json":
        from cleverdon.read.mapping import from_json

        if kind == "rank":
            raise OptionError(_NO_RANKS.format(what=source.name))

        text = source.head(2**62)
        table, unlisted = from_json(text, kind=cls.kind, duplicates=duplicates, source=source.name)
    elif format in ("parquet", "arrow"):
        from cleverdon.read.table import from_file

        table = from_file(path, source, format=format, kind=kind, duplicates=duplicates)
    else:
        text_head = head.decode("utf-8", errors="replace").lstrip("\ufeff")
        shape = shape_of(format, kind=kind, head=text_head, source=source.name)
        if guessed and shape is MSMARCO_RUN and counts_grades(text_head):
            raise InputError(_GRADES, source=source.name)
        may_be_ranks = guessed and shape is BEIR_QRELS
        return Lines(source, shape.layout(), facts["name"], tuple(unlisted), may_be_ranks)
    _check_not_empty(table, unlisted, source=path)
    return cls(table, **facts, digest=source.digest(), unlisted=unlisted)


def open_source(path: str) -> _core.Source:
    """A file, or standard input for `-`, opened."""
    try:
        return _core.Source(path)
    except UnicodeEncodeError:
        raise InputError(f"the name {path!r} is not UTF-8; rename the file") from None


def record_of(path: str) -> str:
    """The file in which `cleverdon search` says how a run came about."""
    return f"{path}.search.json"


def queries_without_results(source: _core.Source) -> tuple[list[str], int | None]:
    """The queries that found nothing, and how many results the run has, by its search record.

    Only JSON has a place for a query without results; for all other formats the record beside the
    run has it. A record of a file with other contents is out of date, and not used.
    """
    path = record_of(source.path)
    if source.path == "-" or not os.path.isfile(path):
        return [], None
    from cleverdon.read.mapping import parse_json

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
    """Whether it is text that can be written as UTF-8; JSON may hold half a character."""
    return isinstance(query, str) and not any("\ud800" <= char <= "\udfff" for char in query)


def head_of(source: _core.Source) -> bytes:
    """Enough of the text to see its format: at least the first line."""
    length = HEAD
    head = source.head(length)
    while len(head) == length and b"\n" not in head and not head.lstrip().startswith(b"{"):
        length *= 16
        head = source.head(length)
    return head


def _has_rows(data: Any) -> bool:
    """Whether it can be read row by row."""
    others = isinstance(data, (bytes, bytearray, Mapping)) or hasattr(data, "__arrow_c_stream__")
    return isinstance(data, Iterable) and not others


def _from_ir_datasets(cls: type[R], path: str, *, kind: str, duplicates: str) -> R:
    from cleverdon.errors import MissingExtra
    from cleverdon.read.mapping import from_rows

    try:
        import ir_datasets  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra(f"reading {path}", package="ir_datasets") from None
    dataset = path.removeprefix(_IR_DATASETS)
    try:
        loaded = ir_datasets.load(dataset)
        rows = loaded.qrels_iter() if cls is Judgments else loaded.scoreddocs_iter()
    except (KeyError, AttributeError) as error:
        raise InputError(f"ir_datasets has no such data: {error}", source=path) from None
    return cls(from_rows(rows, kind=kind, duplicates=duplicates), name=dataset, source=path)


def name_of(path: str) -> str:
    """What a file is called where no name is given: without folders and endings.

    >>> name_of("runs/bm25.tuned.run.gz")
    'bm25.tuned'
    """
    if path == "-":
        return "stdin"
    packed = (".gz", ".zst", ".bz2", ".xz")
    known = (
        ".run",
        ".trec",
        ".txt",
        ".tsv",
        ".csv",
        ".json",
        ".parquet",
        ".arrow",
        ".feather",
        ".res",
    )
    name = os.path.basename(path) or path
    for endings in (packed, known):
        for ending in endings:
            name = name.removesuffix(ending) or name
    return name


def distinct_names(paths: list[str]) -> dict[str, str]:
    """A name for each file, with as many of its folders as are needed to tell them apart.

    >>> distinct_names(["a/bm25.run", "b/bm25.run", "c/dense.run"])
    {'a/bm25.run': 'a/bm25', 'b/bm25.run': 'b/bm25', 'c/dense.run': 'dense'}
    """
    names = {path: name_of(path) for path in paths}
    folders = {path: os.path.normpath(path).split(os.sep)[:-1] for path in paths}
    for depth in range(1, 1 + max(map(len, folders.values()), default=0)):
        taken = list(names.values())
        for path, name in names.items():
            if taken.count(name) > 1:
                names[path] = "/".join((*folders[path][-depth:], name_of(path)))
    return names


def _check_not_empty(table: _core.Table, unlisted: list[str], *, source: str) -> None:
    if len(table.queries) == 0 and not unlisted:
        raise InputError("has no rows", source=source)
