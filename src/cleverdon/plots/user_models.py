"""The user models of measures: how much each rank counts, and how much each grade.

Both are found by asking the measure itself. What a rank counts for is the value of a ranking
whose only relevant result stands there: for measures that are sums of gains times weights this is
the weight, and it tells of those that are not (AP, RR, ERR, INST) as well. What a grade counts
for is its gain, or the value of a ranking whose first result has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, json_number
from cleverdon.charts.base import (
    LIMIT,
    Chart,
    Datasets,
    Row,
    alt,
    finish_chart,
    named_data,
    tooltips,
)
from cleverdon.charts.lines import label_rows, line_end, pointed_lines
from cleverdon.charts.theme import short_names
from cleverdon.errors import OptionError, check_word
from cleverdon.hits import Hits, cut_off
from cleverdon.judgment_arrays import JudgmentArrays
from cleverdon.measures.base import Measure
from cleverdon.measures.cwl import Model
from cleverdon.measures.notation import parse_all

_MODELS = "P@10 nDCG AP ERR RBP(p=0.5) RBP(p=0.8) RBP(p=0.95) INST"
"""The measures whose users are drawn where none are named."""
_GAINS = "DCG DCG(gain=exponential) ERR P@10"
_SCALES = {
    "first": "as a share of the value at rank 1",
    "sum": "as a share of the sum over these ranks",
    "value": "as it is",
}
"""The scales of the values of ranks."""

_MOST_RANKS = 1000


def attention(
    measures: str | Measure | Iterable[str | Measure] = _MODELS,
    *,
    depth: int = 20,
    scale: str = "first",
) -> Chart:
    """Draw how much each rank counts, by each of several measures.

    The weight of a rank is the value of one relevant result there.

    Args:
        measures: The measures, such as "RBP nDCG P@10".
        depth: The last rank that is drawn.
        scale: "first", relative to rank 1; "sum", relative to the sum over all ranks down to
            `depth`; or "value".

    Returns:
        An altair chart.

    >>> chart = attention("RBP(p=0.8) nDCG", depth=10)
    """
    check_word("scale", scale, _SCALES)
    wanted = parse_all(measures)
    names = [str(measure) for measure in wanted]
    return finish_chart(
        _lines_chart("weights", names, x="rank", y=_AXES[scale]),
        attention_rows(wanted, depth=depth, scale=scale),
        title="How much each rank counts",
        subtitle="The value of a ranking whose only relevant result stands at this rank.",
    )


_AXES = {"first": "value relative to rank 1", "sum": "share of the sum", "value": "value"}


def attention_rows(
    measures: Sequence[Measure], *, depth: int = 20, scale: str = "first"
) -> Datasets:
    """Return the value of each rank by each measure, and the measures' labels."""
    if not 2 <= cut_off(depth) <= min(_MOST_RANKS, LIMIT // max(len(measures), 1)):
        raise OptionError(f"depth={depth}: expected a number of ranks from 2 to {_MOST_RANKS:,}")
    hits = _one_relevant(depth)
    found = {}
    for measure in measures:
        values = _of_probe(measure, hits, what="rank")
        whole = {"first": values[0], "sum": values.sum(), "value": 1.0}[scale]
        if not whole > 0:
            raise OptionError(f"{measure}: a relevant result at rank 1 adds nothing to its value")
        found[str(measure)] = values / whole
    return _curve_rows("weights", "rank", range(1, depth + 1), found, by_sum=scale == "first")


def _curve_rows(
    dataset: str, x: str, places: Sequence[float], values: Mapping[str, Floats], *, by_sum: bool
) -> Datasets:
    """Return the values of each measure at the places, and labels by their sum or first value."""
    short = short_names(list(values))
    rows: list[Row] = [
        {"measure": name, x: place, "value": json_number(value)}
        for name, of_measure in values.items()
        for place, value in zip(places, of_measure.tolist(), strict=True)
    ]
    ends = [
        line_end(
            name,
            short[name],
            x=places[-1],
            y=float(of_measure[-1]),
            merit=float(of_measure.sum() if by_sum else of_measure[0]),
            field="measure",
        )
        for name, of_measure in values.items()
    ]
    highest = max((row["value"] or 0.0 for row in rows), default=1.0) or 1.0
    return {dataset: rows, "ends": label_rows(ends, span=highest)}


def _one_relevant(depth: int) -> Hits:
    """Return as many queries as ranks, the n-th with one relevant document, at rank n."""
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
        judgments=JudgmentArrays(names, np.arange(depth + 1), np.ones(depth), top_grade=1.0),
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


def gains(
    measures: str | Measure | Iterable[str | Measure] = _GAINS,
    *,
    grades: Sequence[float] = (0, 1, 2, 3, 4),
) -> Chart:
    """Draw how much each grade counts, by each of several measures.

    Values are shares of that of the highest grade.

    Args:
        measures: The measures, such as "DCG ERR".
        grades: The grades to draw, in rising order.

    Returns:
        An altair chart.

    >>> chart = gains("DCG ERR", grades=(0, 1, 2))
    """
    wanted = parse_all(measures)
    return finish_chart(
        _lines_chart(
            "gains", list(map(str, wanted)), x="grade", y="gain relative to the highest grade"
        ),
        gains_rows(wanted, grades=grades),
        title="How much each grade counts",
        subtitle=f"Gain of a result, relative to that of grade {max(grades, default=0):g}.",
    )


def gains_rows(
    measures: Sequence[Measure], *, grades: Sequence[float] = (0, 1, 2, 3, 4)
) -> Datasets:
    """Return the gain of each grade by each measure, and the measures' labels."""
    listed = sorted(set(grades))
    if len(listed) < 2 or listed[0] < 0 or len(listed) * len(measures) > LIMIT:
        raise OptionError(f"grades={tuple(grades)}: give two or more, from 0 on")
    hits = _one_result(listed)
    found = {}
    for measure in measures:
        values = _gain(measure, hits)
        if not values[-1] > 0:
            raise OptionError(f"{measure}: grade {listed[-1]:g} adds nothing to its value")
        found[str(measure)] = values / values[-1]
    return _curve_rows("gains", "grade", list(map(float, listed)), found, by_sum=True)


def _one_result(grades: Sequence[float]) -> Hits:
    """Return as many queries as grades, each with one result of this grade."""
    at, first = np.arange(len(grades)), np.ones(len(grades), dtype=np.int64)
    grade = np.array(grades, dtype=np.float64)
    judged = JudgmentArrays(
        [f"{value:g}" for value in grades],
        np.arange(len(grades) + 1),
        grade,
        top_grade=float(grade.max()),
    )
    return Hits(at, first, grade, at, first, first, first, judged)


def _gain(measure: Measure, hits: Hits) -> Floats:
    # The gain itself where the measure has one: its value may be relative to an ideal ranking.
    share = measure.as_share()
    if share is not None:
        return share.gain(hits)
    if isinstance(measure, Model):
        return measure.gain_of(hits)
    return _of_probe(measure, hits, what="grade")


def _lines_chart(dataset: str, measures: Sequence[str], *, x: str, y: str) -> Any:
    tight = alt.Scale(zero=False, nice=False)
    axis = alt.X(f"{x}:Q", title=x, axis=alt.Axis(tickMinStep=1), scale=tight)
    chart = alt.Chart(named_data(dataset)).encode(x=axis, y=alt.Y("value:Q", title=y))
    tooltip = [*tooltips("measure:N"), alt.Tooltip(f"{x}:Q"), *tooltips("value:Q .4f")]
    ends = alt.X("x:Q", scale=tight)
    return pointed_lines(chart, measures, tooltip, size=24, x=ends, field="measure")
