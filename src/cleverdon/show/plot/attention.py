"""What measures take users to be like: how much a rank counts, and how much a grade.

Both are found by asking the measure itself. What a rank counts for is the value of a ranking whose
only relevant result stands there: for measures that are sums of gains times weights this is the
weight, and it tells of those that are not (AP, RR, ERR, INST) as well. What a grade counts for is
its gain, or the value of a ranking whose first result has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, plain
from cleverdon.errors import OptionError, check_word
from cleverdon.hits import Hits, cut_off
from cleverdon.judged import Judged
from cleverdon.measures.base import Measure
from cleverdon.measures.cwl import Model
from cleverdon.measures.notation import parse_all
from cleverdon.show.plot.base import (
    LIMIT,
    Chart,
    Datasets,
    Row,
    alt,
    finished,
    short_names,
    table,
)
from cleverdon.show.plot.lines import label_rows, labels, line_style

MODELS = "P@10 nDCG AP ERR RBP(p=0.5) RBP(p=0.8) RBP(p=0.95) INST"
"""The measures whose users are drawn where none are named."""
GAINS = "DCG DCG(gain=exponential) ERR P@10"
SCALES = {
    "first": "as a share of the value at rank 1",
    "sum": "as a share of the sum over these ranks",
    "value": "as it is",
}
"""What values of ranks can be relative to."""

_MOST_RANKS = 1000


def attention(
    measures: str | Measure | Iterable[str | Measure] = MODELS,
    *,
    depth: int = 20,
    scale: str = "first",
) -> Chart:
    """How much each rank counts, by each of the measures: the value of one relevant result there.

    `scale` is one of `SCALES`: relative to rank 1, to the sum over all ranks down to `depth`, or
    the value as it is.
    """
    check_word("scale", scale, SCALES)
    wanted = parse_all(measures)
    names = [str(measure) for measure in wanted]
    return finished(
        attention_chart(names, _AXES[scale]),
        attention_rows(wanted, depth=depth, scale=scale),
        title="How much each rank counts",
        subtitle="The value of a ranking whose only relevant result stands at this rank.",
    )


_AXES = {"first": "value relative to rank 1", "sum": "share of the sum", "value": "value"}


def attention_rows(
    measures: Sequence[Measure], *, depth: int = 20, scale: str = "first"
) -> Datasets:
    """The value of each rank by each measure, and the measures' labels."""
    if not 2 <= cut_off(depth) <= min(_MOST_RANKS, LIMIT // max(len(measures), 1)):
        raise OptionError(f"depth={depth}: ranks from 1 to between 2 and {_MOST_RANKS:,} are drawn")
    hits = _one_relevant(depth)
    short = short_names([str(measure) for measure in measures])
    weights: list[Row] = []
    ends: list[Row] = []
    for measure in measures:
        values = _of_probe(measure, hits, what="rank")
        whole = {"first": values[0], "sum": values.sum(), "value": 1.0}[scale]
        if not whole > 0:
            raise OptionError(f"{measure}: a relevant result at rank 1 adds nothing to its value")
        values = values / whole
        name = str(measure)
        weights += [
            {"measure": name, "rank": rank, "value": plain(value)}
            for rank, value in enumerate(values.tolist(), start=1)
        ]
        last = float(values[-1])
        merit = float(values.sum() if scale == "first" else values[0])
        ends.append({"measure": name, "label": short[name], "merit": merit, "x": depth, "y": last})
    return {"weights": weights, "ends": label_rows(ends, span=_highest(weights))}


def _highest(rows: list[Row]) -> float:
    return max((row["value"] or 0.0 for row in rows), default=1.0) or 1.0


def _one_relevant(depth: int) -> Hits:
    """As many queries as ranks: one relevant document each, returned a rank deeper each time."""
    at = np.arange(depth)
    names = [str(rank) for rank in (at + 1).tolist()]
    return Hits(
        query=at,
        rank=at + 1,
        grade=np.ones(depth),
        doc=at,
        tied_from=at + 1,
        tied_to=at + 1,
        returned=np.full(depth, depth),
        judgments=Judged(names, np.arange(depth + 1), np.ones(depth), top_grade=1.0),
    )


def _of_probe(measure: Measure, hits: Hits, *, what: str) -> Floats:
    if measure.text or measure.needs or measure.better != "higher":
        raise OptionError(f"{measure} does not say how much a {what} counts")
    values = measure(hits)
    if np.isnan(values).any():
        raise OptionError(
            f"{measure} does not say how much a {what} counts: it is undefined where "
            f"{measure.undefined}"
        )
    return values


def attention_chart(measures: Sequence[str], axis: str) -> Any:
    """A line for each measure."""
    return _lines("weights", measures, x="rank", y=axis)


def gains(
    measures: str | Measure | Iterable[str | Measure] = GAINS,
    *,
    grades: Sequence[float] = (0, 1, 2, 3, 4),
) -> Chart:
    """How much each grade counts, by each of the measures, as a share of the highest grade's."""
    wanted = parse_all(measures)
    return finished(
        gains_chart([str(measure) for measure in wanted]),
        gains_rows(wanted, grades=grades),
        title="How much each grade counts",
        subtitle=f"Gain of a result, relative to that of grade {max(grades, default=0):g}.",
    )


def gains_rows(
    measures: Sequence[Measure], *, grades: Sequence[float] = (0, 1, 2, 3, 4)
) -> Datasets:
    """The gain of each grade by each measure, and the measures' labels."""
    listed = sorted(set(grades))
    if len(listed) < 2 or listed[0] < 0 or len(listed) * len(measures) > LIMIT:
        raise OptionError(f"grades={tuple(grades)}: give two or more, from 0 on")
    hits = _one_result(listed)
    short = short_names([str(measure) for measure in measures])
    drawn: list[Row] = []
    ends: list[Row] = []
    for measure in measures:
        values = _gain(measure, hits)
        if not values[-1] > 0:
            raise OptionError(f"{measure}: grade {listed[-1]:g} adds nothing to its value")
        values, name = values / values[-1], str(measure)
        drawn += [
            {"measure": name, "grade": float(grade), "value": plain(value)}
            for grade, value in zip(listed, values.tolist(), strict=True)
        ]
        merit = float(values.sum())
        ends.append(
            {
                "measure": name,
                "label": short[name],
                "merit": merit,
                "x": float(listed[-1]),
                "y": 1.0,
            }
        )
    return {"gains": drawn, "ends": label_rows(ends, span=_highest(drawn))}


def _one_result(grades: Sequence[float]) -> Hits:
    """As many queries as grades, each with one result of this grade."""
    at, first = np.arange(len(grades)), np.ones(len(grades), dtype=np.int64)
    grade = np.array(grades, dtype=np.float64)
    judged = Judged(
        [f"{value:g}" for value in grades],
        np.arange(len(grades) + 1),
        grade,
        top_grade=float(grade.max()),
    )
    return Hits(at, first, grade, at, first, first, first, judged)


def _gain(measure: Measure, hits: Hits) -> Floats:
    """The gain itself where the measure has one: its value may be relative to an ideal ranking."""
    share = measure.as_share()
    if share is not None:
        return share.gain(hits)
    if isinstance(measure, Model):
        return measure.gain_of(hits)
    return _of_probe(measure, hits, what="grade")


def gains_chart(measures: Sequence[str]) -> Any:
    """A line for each measure, with a point for each grade."""
    return _lines("gains", measures, x="grade", y="gain relative to the highest grade")


def _lines(dataset: str, measures: Sequence[str], *, x: str, y: str) -> Any:
    tight = alt.Scale(zero=False, nice=False)
    axis = alt.X(f"{x}:Q", title=x, axis=alt.Axis(tickMinStep=1), scale=tight)
    chart = alt.Chart(table(dataset)).encode(x=axis, y=alt.Y("value:Q", title=y))
    style = line_style(measures, "measure")
    tooltip = [
        alt.Tooltip("measure:N"),
        alt.Tooltip(f"{x}:Q"),
        alt.Tooltip("value:Q", format=".4f"),
    ]
    return alt.layer(
        chart.mark_line().encode(**style),
        chart.mark_point(filled=True, size=24, opacity=1).encode(
            color=style["color"], tooltip=tooltip
        ),
        *labels(measures, alt.X("x:Q", scale=tight), field="measure"),
    )
