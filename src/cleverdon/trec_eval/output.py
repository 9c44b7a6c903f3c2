"""What is printed: a line for each measure and topic, then one for each measure over all topics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.trec_eval.kernels import Column
from cleverdon.trec_eval.names import Name
from cleverdon.trec_eval.options import Options
from cleverdon.trec_eval.topics import Topics

_FLOOR = 1e-5
"""What a value counts at least in a geometric mean."""


def logarithms(columns: Sequence[Column]) -> list[Column]:
    """The columns as they are summed: those of geometric means as logarithms."""
    return [
        Column(column.name, column.label, np.log(np.maximum(column.values, _FLOOR)))
        if column.name.average == "geometric"
        else column
        for column in columns
    ]


def per_topic(columns: Sequence[Column], names: Sequence[str], *, z: bool) -> Iterator[str]:
    """The lines of all topics, one topic after the other."""
    shown = [column for column in columns if column.name.where != "summary"]
    starts = [_start(column.name, column.label, z=z) for column in shown]
    values = [
        [f"'{text}'\n" for text in column.texts]
        if column.texts is not None
        else _printed(column.name, column.values, z=z)
        for column in shown
    ]
    for place, name in enumerate(names):
        for start, of_topics in zip(starts, values, strict=True):
            yield f"{start}{name}\t{of_topics[place]}"


def summary(
    columns: Sequence[Column], topics: Topics, options: Options, run_id: str
) -> Iterator[str]:
    """The lines over all topics."""
    z = options.zscores is not None
    for column in columns:
        if column.name.where == "topics":
            continue
        start = _start(column.name, column.label, z=z)
        if column.name.printed == "text":
            yield f"{start}all\t{run_id}\n"
        else:
            value = np.array([over_all(column, topics, options)])
            yield f"{start}all\t{_printed(column.name, value, z=z)[0]}"


def over_all(column: Column, topics: Topics, options: Options) -> float:
    """The sum or mean of a column, added one by one in the order of topics."""
    evaluated = len(topics.rows)
    # With -c, even topics count that were not evaluated, as in version 9 those without results.
    count = len(topics.hits) if options.complete else evaluated
    if column.name.name == "num_q":
        return count
    if column.name.name == "num_rel" and options.complete:
        return topics.qrels.relevant
    total = float(np.add.accumulate(column.values)[-1])
    if column.name.average == "sum":
        return total
    if column.name.average == "geometric":
        return math.exp((total + (count - evaluated) * math.log(_FLOOR)) / count)
    return total / count


def _start(name: Name, label: str, *, z: bool) -> str:
    mark = "Z" if z and name.printed != "text" else ""
    return f"{mark}{label:<22}\t"


def _printed(name: Name, values: Floats, *, z: bool) -> list[str]:
    if name.printed == "count" and not z:
        return [f"{int(value)}\n" for value in values.tolist()]
    return [f"{value:6.4f}\n" for value in values.tolist()]
