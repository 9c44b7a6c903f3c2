"""Results files: one run's scores, with all that says what they are scores of.

JSON: a kind and a version of the format, then what `Scores.to_json` gives: hashes of judgments and
run, settings, and each query's values; and what the system costs, where that was measured. So a
run that was good enough can be the next baseline.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from cleverdon.about import About, AboutRun
from cleverdon.costs import Costs, damage, from_record
from cleverdon.errors import CleverdonError, InputError, OptionError
from cleverdon.measures.notation import parse
from cleverdon.read import open_source
from cleverdon.read.write import write_file
from cleverdon.scores import Scores
from cleverdon.settings import Settings

KIND = "cleverdon results"
VERSION = 1
_Read = TypeVar("_Read")


def write_results(path: str, scores: Scores, *, costs: Costs | None = None, **more: Any) -> None:
    """Write the scores of one system, and its costs, to a file that appears when it is complete.

    `more` stands beside them, for whoever reads the file, and is not read back.
    """
    if len(scores.systems) != 1 or not scores.evaluated.all():
        raise OptionError(
            "a results file is of one system; part_of(scores, systems=[name]) gives one"
        )
    if any(measure.text for measure in scores.measures):
        raise OptionError("a results file holds numbers, and a measure of these gives texts")
    held = {"kind": KIND, "version": VERSION, **scores.to_json(), **more}
    if costs is not None:
        held["costs"] = costs.record()
    write_text(path, json.dumps(held, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_text(path: str, text: str) -> None:
    """Write a text to a file that appears when it is complete."""
    # A lone surrogate, as in a file's name that is not UTF-8, cannot be written otherwise.
    write_file(path, text.encode("utf-8", errors="backslashreplace"))


def read_results(path: str | os.PathLike[str]) -> Scores | None:
    """The scores that a results file holds; None where the file is something else, as a run."""
    held = _held(path)
    return None if held is None else _read(_restored, held, path)


def read_result_costs(path: str | os.PathLike[str]) -> Costs | None:
    """The costs that a results file holds; None where there are none, or it is something else."""
    held = _held(path)
    if held is None or held.get("costs") is None:
        return None
    return _read(from_record, held["costs"], path)


def _held(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """What a results file says; None where the file is something else."""
    opened = open_source(os.fspath(path))
    if not opened.head(64).lstrip().startswith(b"{"):
        return None
    text = opened.head(2**62)
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        if KIND.encode() in text[:1000]:
            raise InputError(f"is a damaged results file: {error}", source=opened.name) from None
        return None
    if not isinstance(held, dict) or held.get("kind") != KIND:
        return None
    if held.get("version") != VERSION:
        raise InputError(
            f"is a results file of version {held.get('version')!r}, and this Cleverdon reads "
            f"version {VERSION}; make the baseline anew",
            source=opened.name,
        )
    return held


def _read(reader: Callable[[Any], _Read], held: Any, path: str | os.PathLike[str]) -> _Read:
    try:
        return reader(held)
    except (
        KeyError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
        CleverdonError,
    ) as error:
        raise InputError(
            f"is a damaged results file: {damage(error)}", source=os.fspath(path)
        ) from None


def _restored(held: dict[str, Any]) -> Scores:
    about = dict(held["about"])
    about["settings"] = Settings(**about["settings"])
    about["runs"] = {name: _run(run) for name, run in about["runs"].items()}
    (system,) = about["runs"]
    queries = held["queries"]
    by_measure = held["values"][system]
    if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
        raise ValueError("queries are not a list of names")
    if not queries or len(set(queries)) < len(queries):
        raise ValueError("there are no queries, or one is listed twice")
    rows = []
    for measure, values in by_measure.items():
        if len(values) != len(queries):
            raise ValueError(f"{measure} has {len(values)} values for {len(queries)} queries")
        rows.append([_value(value) for value in values])
    measures = tuple(parse(measure) for measure in by_measure)
    if not rows:
        raise ValueError("there are no values")
    return Scores(
        systems=(system,),
        measures=measures,
        queries=queries,
        values=np.array([rows], dtype=np.float64),
        evaluated=np.ones((1, len(queries)), dtype=bool),
        about=_made(About, about),
    )


def _value(held: Any) -> float:
    if held is None:
        return math.nan
    if isinstance(held, bool) or not isinstance(held, (int, float)) or not math.isfinite(held):
        raise ValueError(f"{held!r} is no value of a measure")
    return float(held)


def _run(held: dict[str, Any]) -> AboutRun:
    made: AboutRun = _made(AboutRun, held)
    return replace(
        made,
        missing=tuple(made.missing),
        empty=tuple(made.empty),
        extra_names=tuple(made.extra_names),
        judged_at={int(depth): share for depth, share in made.judged_at.items()},
    )


def _made(cls: type[Any], held: dict[str, Any]) -> Any:
    """The record; fields that are not known, as later versions may have, are passed over."""
    return cls(**{field.name: held[field.name] for field in fields(cls) if field.name in held})


def joined(ours: Scores, theirs: Scores, *, names: tuple[str, str]) -> Scores:
    """Two systems' scores as one, by the measures of the first and the queries of both.

    A query that one of them lacks counts as not evaluated for it.
    """
    queries = list(dict.fromkeys([*ours.queries, *theirs.queries]))
    place = {query: at for at, query in enumerate(queries)}
    values = np.full((2, len(ours.measures), len(queries)), np.nan)
    evaluated = np.zeros((2, len(queries)), dtype=bool)
    for row, scores in enumerate((ours, theirs)):
        at = [place[query] for query in scores.queries]
        columns = [scores.index_of(scores.systems[0], measure)[1] for measure in ours.measures]
        values[row][:, at] = scores.values[0][columns]
        evaluated[row, at] = scores.evaluated[0]
    runs = zip(names, (ours, theirs), strict=True)
    about = replace(
        ours.about,
        queries=len(queries),
        runs={name: scores.about.runs[scores.systems[0]] for name, scores in runs},
    )
    return Scores(names, ours.measures, queries, values, evaluated, about)
