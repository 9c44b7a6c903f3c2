"""Files of scores: everything that `Scores` has, in a Parquet table.

There is a row for each system and query, and a column for each measure; what is no value of a query
is JSON in the metadata of the table.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Ints
from cleverdon._common.extras import require
from cleverdon._common.files import replacing
from cleverdon.data import Annotations, CollectionFacts, Judgments
from cleverdon.errors import CleverdonError, InputError, OptionError
from cleverdon.formats.inputs import open_source
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import NOT_JUDGED
from cleverdon.measures.notation import parse
from cleverdon.scores import Provenance, Rankings, RunProvenance, Scores
from cleverdon.settings import Settings

_KIND = "cleverdon scores"
_FORMAT = 1
_KEY = b"cleverdon"
_DAMAGE = (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, CleverdonError)
_TOP, _HITS, _RETURNED, _JUDGED = "kept results", "hits", "returned", "judged"


def write_scores(scores: Scores, path: str | os.PathLike[str]) -> None:
    """Write scores to a Parquet file that appears when it is complete; see `Scores.write`."""
    arrow = require("pyarrow", "Scores.write()", extra="tables")
    parquet = require("pyarrow.parquet", "Scores.write()", extra="tables")
    for measure in scores.measures:
        if parse(str(measure)) != measure:
            raise OptionError(f"{measure} cannot be written: its name means another measure")
    columns = _schema(scores, arrow)
    metadata = {_KEY: json.dumps(_described(scores)).encode()}
    schema = arrow.schema([(name, kind) for name, kind, _ in columns], metadata=metadata)
    with (
        replacing(os.fspath(path)) as file,
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for s in range(len(scores.systems)):
            arrays = [arrow.array(get(s), type=kind) for _, kind, get in columns]
            writer.write_table(arrow.table(arrays, schema=schema))


_Column = tuple[str, Any, Callable[[int], Any]]
"""The name of a column, its type, and what returns its rows for a system."""


def _schema(scores: Scores, arrow: Any) -> list[_Column]:
    number, names = arrow.float64(), scores.systems
    columns: list[_Column] = [
        ("system", arrow.string(), lambda s: [names[s]] * len(scores.queries)),
        ("query", arrow.string(), lambda s: scores.queries),
        ("evaluated", arrow.bool_(), lambda s: scores.evaluated[s]),
    ]

    def add(name: str, kind: Any, get: Callable[[int], Any]) -> None:
        columns.append((name, kind, get))

    for m, measure in enumerate(scores.measures):
        columns += _measure_columns(scores, m, str(measure), arrow)
    if scores.top:
        result = arrow.struct([("doc", arrow.string()), ("score", number)])
        add(_TOP, arrow.list_(result), lambda s: _top_column(scores, names[s]))
    if scores.rankings is not None:
        whole = arrow.int64()
        hit = [("rank", whole), ("grade", number), ("doc", whole)]
        hit += [("tied_from", whole), ("tied_to", whole)]
        rankings = scores.rankings
        add(_RETURNED, whole, lambda s: rankings.hits[names[s]].returned)
        add(
            _HITS,
            arrow.list_(arrow.struct(hit)),
            lambda s: _hits_column(rankings.hits[names[s]], arrow),
        )
        judged = arrow.struct([("doc", arrow.string()), ("grade", number)])
        add(_JUDGED, arrow.list_(judged), lambda s: _judged_column(scores, rankings, s))
    return columns


def _part(name: str, at: int) -> str:
    return f"{name} part {at + 1}"


def _measure_columns(scores: Scores, m: int, name: str, arrow: Any) -> Iterator[_Column]:
    number, measure, systems = arrow.float64(), scores.measures[m], scores.systems
    if measure.text:
        yield name, arrow.string(), lambda s: scores.texts[systems[s]][name]
    else:
        yield name, number, lambda s: scores.values[s, m]
    if measure in scores.parts:
        for at in range(scores.parts[measure].shape[1]):
            yield _part(name, at), number, _row_of(scores.parts[measure][:, at])
    if any(name in of for of in scores.bounds.values()):
        for column in ("lowest", "highest", "undefined"):
            kind = arrow.bool_() if column == "undefined" else number
            rows = [getattr(scores.bounds[system][name], column) for system in systems]
            yield f"{name} {column}", kind, _row_of(rows)
    if scores.repeats:
        yield f"{name} of runs", arrow.list_(number), _repeats_column(scores, m)


def _row_of(rows: Any) -> Callable[[int], Any]:
    return lambda s: rows[s]


def _repeats_column(scores: Scores, m: int) -> Callable[[int], Any]:
    def rows(s: int) -> list[Any]:
        found = scores.repeats.get(scores.systems[s])
        return [None] * len(scores.queries) if found is None else found[:, m].T.tolist()

    return rows


def _top_column(scores: Scores, system: str) -> list[Any]:
    kept = scores.top.get(system)
    if kept is None:
        return [None] * len(scores.queries)
    return [[{"doc": doc, "score": score} for doc, score in row] for row in kept]


def _hits_column(hits: Hits, arrow: Any) -> Any:
    columns = [hits.rank, hits.grade, within_query(hits), hits.tied_from, hits.tied_to]
    names = ["rank", "grade", "doc", "tied_from", "tied_to"]
    rows = arrow.StructArray.from_arrays([arrow.array(column) for column in columns], names)
    return arrow.ListArray.from_arrays(arrow.array(hits.starts, type=arrow.int32()), rows)


def _judged_column(scores: Scores, rankings: Rankings, s: int) -> list[Any]:
    """Return the judgments of each query, next to the first system only."""
    if s > 0:
        return [None] * len(scores.queries)
    of = rankings.judgments
    return [
        [{"doc": doc, "grade": grade} for doc, grade in of[query].items()]
        for query in scores.queries
    ]


def _described(scores: Scores) -> dict[str, Any]:
    """Return what is no value of a query, as JSON can hold it."""
    held: dict[str, Any] = {
        "kind": _KIND,
        "format": _FORMAT,
        "systems": scores.systems,
        "queries": len(scores.queries),
        "measures": [str(measure) for measure in scores.measures],
        "parts": {str(measure): found.shape[1] for measure, found in scores.parts.items()},
        "bounds": {
            system: {name: {"over": of.over} for name, of in found.items()}
            for system, found in scores.bounds.items()
        },
        "repeats": list(scores.repeats),
        "top": list(scores.top),
        "about": asdict(scores.about),
        "warnings": scores.warnings,  # for people who look at the file
    }
    if scores.rankings is not None:
        of = scores.rankings.judgments
        notes = {one.name: getattr(of.notes, one.name) for one in fields(Annotations)}
        facts = notes.pop("collection")
        if facts is not None:
            facts = {one.name: getattr(facts, one.name) for one in fields(CollectionFacts)}
            docs = facts["judged_docs"]
            facts["judged_docs"] = None if docs is None else sorted(docs)
        told = {"name": of.name, "source": of.source, "digest": of.digest}
        held["judgments"] = {**told, "notes": notes, "collection": facts}
    return held


def read_scores(path: str | os.PathLike[str]) -> Scores:
    """Read scores from a file that `Scores.write` has written; see `Scores.read`."""
    name = os.fspath(path)
    parquet = require("pyarrow.parquet", "Scores.read()", extra="tables")
    if open_source(name).head(4) != b"PAR1":
        raise InputError("is no file of scores, which Scores.write writes", source=name)
    try:
        table = parquet.read_table(name)
    except (OSError, ValueError) as error:  # Arrow's own complaints are of these kinds
        message = f"is a damaged file: {str(error).partition(chr(10))[0]}"
        raise InputError(message, source=name) from None
    text = (table.schema.metadata or {}).get(_KEY)
    if text is None:
        raise InputError(
            "is a Parquet file, and not one of scores, which Scores.write writes", source=name
        )
    try:
        held = json.loads(text)
        if held["kind"] == _KIND and held["format"] == _FORMAT:
            return _scores_of(table, held)
        found = f"{held['kind']} {held['format']}"
    except _DAMAGE as error:
        what = error.args[0] if isinstance(error, KeyError) else error
        raise InputError(f"is a damaged file of scores: {what}", source=name) from None
    raise InputError(
        f"is of kind {found}, and this Cleverdon reads {_KIND} {_FORMAT}; write it again",
        source=name,
    )


def _scores_of(table: Any, held: dict[str, Any]) -> Scores:
    systems, size = tuple(held["systems"]), int(held["queries"])
    queries = table["query"].slice(0, size).to_pylist()
    rows = [system for system in systems for _ in queries]
    if len(table) != len(rows) or len(queries) != size:
        raise ValueError(f"it has {len(table)} rows, and {len(systems) * size} were written")
    if table["system"].to_pylist() != rows or table["query"].to_pylist() != queries * len(systems):
        raise ValueError("its rows are not those that were written, in their order")
    measures = tuple(map(parse, held["measures"]))
    shape = (len(systems), len(queries))

    def numbers(name: str) -> Any:
        return table[name].to_numpy().reshape(shape)

    def by_system(name: str) -> Iterator[tuple[str, list[Any]]]:
        for s, system in enumerate(systems):
            yield system, table[name].slice(s * size, size).to_pylist()

    none = np.full(shape, np.nan)
    columns = [none if m.text else numbers(str(m)) for m in measures]
    texts = {m: dict(by_system(str(m))) for m in measures if m.text}
    bounds: dict[str, dict[str, Any]] = {}
    for system, found in held["bounds"].items():
        from cleverdon.unknowns.bounds import Bounds  # as in evaluate(..., bounds=True)

        s = systems.index(system)
        for name, of in found.items():
            lowest, highest, undefined = (
                numbers(f"{name} {end}")[s] for end in ("lowest", "highest", "undefined")
            )
            made = Bounds(parse(name), lowest, highest, undefined, tuple(of["over"]), queries)
            bounds.setdefault(system, {})[name] = made
    top = {}
    if held["top"]:
        for system, kept in by_system(_TOP):
            if system in held["top"]:
                top[system] = [[(one["doc"], one["score"]) for one in row] for row in kept]
    repeats = {}
    for system in held["repeats"]:
        rows_of = {m: dict(by_system(f"{m} of runs"))[system] for m in measures}
        repeats[system] = np.array([rows_of[m] for m in measures]).transpose(2, 0, 1)
    return Scores(
        systems=systems,
        measures=measures,
        queries=queries,
        values=np.stack(columns, axis=1),
        evaluated=numbers("evaluated"),
        about=_provenance_of(held["about"]),
        top=top,
        rankings=_rankings_of(table, held, queries),
        texts={system: {str(m): texts[m][system] for m in texts} for system in systems},
        parts={
            m: np.stack([numbers(_part(str(m), at)) for at in range(count)], axis=1)
            for m in measures
            if (count := held["parts"].get(str(m)))
        },
        bounds=bounds,
        repeats=repeats,
    )


def _provenance_of(held: dict[str, Any]) -> Provenance:
    known: dict[str, Any] = {
        **held,
        "settings": Settings(**held["settings"]),
        "runs": {name: _run_of(run) for name, run in held["runs"].items()},
        "repeats": {name: tuple(map(_run_of, of)) for name, of in held["repeats"].items()},
    }
    return Provenance(**known)


def _run_of(held: dict[str, Any]) -> RunProvenance:
    lists = {name: tuple(held[name]) for name in ("missing", "extra_names", "empty")}
    tables = {
        name: {int(k): value for k, value in held[name].items()}
        for name in ("judged_at", "returned_at")
    }
    return RunProvenance(**{**held, **lists, **tables})


def _rankings_of(table: Any, held: dict[str, Any], queries: list[str]) -> Rankings | None:
    if "judgments" not in held:
        return None
    told, size = held["judgments"], len(queries)
    facts = told["collection"]
    if facts is not None:
        docs = facts["judged_docs"]
        facts = CollectionFacts(
            **{**facts, "judged_docs": None if docs is None else frozenset(docs)}
        )
    listed = table[_JUDGED].slice(0, size).to_pylist()
    nested = {
        query: {one["doc"]: one["grade"] for one in row}
        for query, row in zip(queries, listed, strict=True)
    }
    judgments = Judgments(
        _core.Table.from_dict(nested, Judgments.kind, "unchecked"),
        notes=Annotations(**told["notes"], collection=facts),
        name=told["name"],
        source=told["source"],
        digest=told["digest"],
    )
    drop = held["about"]["settings"]["unreturned"] == "drop"
    hits = {}
    for s, system in enumerate(held["systems"]):
        rows = table[_HITS].slice(s * size, size).combine_chunks()
        returned = table[_RETURNED].slice(s * size, size).to_numpy()
        hits[system] = _hits_of(rows, returned, judgments, drop=drop)
    return Rankings(judgments, hits)


def _hits_of(rows: Any, returned: Ints, judgments: Judgments, *, drop: bool) -> Hits:
    flat, judged = rows.flatten(), judgments.judged
    lengths = rows.value_lengths().to_numpy()
    query = np.repeat(np.arange(len(lengths)), lengths)
    column = {
        name: flat.field(name).to_numpy()
        for name in ("rank", "grade", "doc", "tied_from", "tied_to")
    }
    doc = np.where(column["doc"] >= 0, column["doc"] + judged.starts[query], NOT_JUDGED)
    hits = Hits(**{**column, "doc": doc}, query=query, returned=returned, judgments=judged)
    return hits.without_unreturned() if drop else hits


def within_query(hits: Hits) -> Ints:
    """Return each row's index into the judgments of its query; NOT_JUDGED where it has none."""
    local: Ints = np.where(hits.doc >= 0, hits.doc - hits.judgments.starts[hits.query], NOT_JUDGED)
    return local
