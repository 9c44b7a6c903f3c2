"""Results files: one run's scores with their provenance and costs, as JSON.

`cleverdon gate` writes them, and reads them as the next baseline.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from cleverdon._common.files import write_file
from cleverdon.costs import Costs, costs_from_record, damage_text
from cleverdon.errors import CleverdonError, InputError, OptionError
from cleverdon.formats.inputs import open_source
from cleverdon.measures.notation import parse
from cleverdon.scores import Provenance, RunProvenance, Scores
from cleverdon.settings import Settings

_KIND = "cleverdon results"
_VERSION = 1
_DAMAGE = (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, CleverdonError)
_Read = TypeVar("_Read")


def write_results(path: str, scores: Scores, *, costs: Costs | None = None, **more: Any) -> None:
    """Write the scores of one system, and its costs, to a file that appears when it is complete.

    Args:
        path: The file.
        scores: Scores of one system.
        costs: What it costs.
        more: Further entries of the file, which are not read back.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"a": 1}}, {"run": {"q1": {"a": 1.0}}}, "RR")
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_results(f"{folder}/results.json", scores)
    ...     read_results(f"{folder}/results.json").to_dict()
    {'run': {'RR': 1.0}}
    """
    if len(scores.systems) != 1 or not scores.evaluated.all():
        raise OptionError(
            "a results file is of one system; part_of(scores, systems=[name]) gives one"
        )
    if scores.repeats:
        raise OptionError("a results file holds one run, and this system has several")
    if any(measure.text for measure in scores.measures):
        raise OptionError("a results file holds numbers, and a measure of these gives texts")
    held = {"kind": _KIND, "version": _VERSION, **scores.to_record(), **more}
    if costs is not None:
        held["costs"] = costs.record()
    write_text(path, json.dumps(held, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_text(path: str, text: str) -> None:
    """Write a text to a file that appears when it is complete."""
    # A lone surrogate, as in a file's name that is not UTF-8, cannot be written otherwise.
    write_file(path, text.encode("utf-8", errors="backslashreplace"))


def read_results(path: str | os.PathLike[str]) -> Scores | None:
    """Read the scores of a results file.

    Args:
        path: The file.

    Returns:
        The scores; None where the file is something else, such as a run.

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".run") as file:
    ...     print("q1 Q0 d1 1 0.5 x", file=file, flush=True)
    ...     read_results(file.name) is None
    True
    """
    held = _read_json(path)
    return None if held is None else _read(_scores_from_json, held, path)


def read_result_costs(path: str | os.PathLike[str]) -> Costs | None:
    """Read the costs of a results file; None where there are none, or it is something else."""
    held = _read_json(path)
    if held is None or held.get("costs") is None:
        return None
    return _read(costs_from_record, held["costs"], path)


def _read_json(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Read a results file; None where the file is something else."""
    opened = open_source(os.fspath(path))
    if not opened.head(64).lstrip().startswith(b"{"):
        return None
    text = opened.head(2**62)
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        if _KIND.encode() in text[:1000]:
            raise InputError(f"is a damaged results file: {error}", source=opened.name) from None
        return None
    if not isinstance(held, dict) or held.get("kind") != _KIND:
        return None
    if held.get("version") != _VERSION:
        raise InputError(
            f"is a results file of version {held.get('version')!r}, and this Cleverdon reads "
            f"version {_VERSION}; make the baseline again",
            source=opened.name,
        )
    return held


def _read(reader: Callable[[Any], _Read], held: Any, path: str | os.PathLike[str]) -> _Read:
    try:
        return reader(held)
    except _DAMAGE as error:
        damage = f"is a damaged results file: {damage_text(error)}"
        raise InputError(damage, source=os.fspath(path)) from None


def _scores_from_json(held: dict[str, Any]) -> Scores:
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
    if not rows:
        raise ValueError("there are no values")
    return Scores(
        systems=(system,),
        measures=tuple(parse(measure) for measure in by_measure),
        queries=queries,
        values=np.array([rows], dtype=np.float64),
        evaluated=np.ones((1, len(queries)), dtype=bool),
        about=_known_fields(Provenance, about),
    )


def _value(held: Any) -> float:
    if held is None:
        return math.nan
    if isinstance(held, bool) or not isinstance(held, (int, float)) or not math.isfinite(held):
        raise ValueError(f"{held!r} is no value of a measure")
    return float(held)


def _run(held: dict[str, Any]) -> RunProvenance:
    made: RunProvenance = _known_fields(RunProvenance, held)
    return replace(
        made,
        missing=tuple(made.missing),
        empty=tuple(made.empty),
        extra_names=tuple(made.extra_names),
        judged_at={int(depth): share for depth, share in made.judged_at.items()},
    )


def _known_fields(cls: type[Any], held: dict[str, Any]) -> Any:
    """Return the record without fields of later versions."""
    return cls(**{field.name: held[field.name] for field in fields(cls) if field.name in held})
