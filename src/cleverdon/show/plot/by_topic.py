"""Topic by topic: one system's values or differences, sorted; or all systems' as a heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.compare.samples import Sample, samples
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import (
    LIMIT,
    Chart,
    Datasets,
    Row,
    alt,
    finished,
    name_labels,
    short_names,
    system_colour,
    table,
)
from cleverdon.show.plot.kept import chosen
from cleverdon.show.plot.topicwise import (
    Differences,
    baseline_named,
    differences_to,
    exactly,
    named,
    outcome,
    outcome_colour,
    rests_on,
    tally,
    text_of,
    winning,
)

_SHOWN = 300
"""Bars, or columns of a heat map, that can be told apart; more topics than that share them."""
_WIDTH = 640


def topics(
    scores: Scores,
    measure: str | Measure,
    system: str,
    *,
    against: str | None = None,
    texts: Mapping[str, str] | None = None,
) -> Chart:
    """One system's values, a bar for each topic, the best first.

    With `against`, a baseline or "median", the differences to it: TREC's picture of where a system
    gains and loses. `texts` are the queries', to be seen on hover.
    """
    (sample,) = samples(scores, measures=measure)
    if against is None:
        return finished(
            topics_chart(scores.systems, named(sample.measure)),
            topics_rows(sample, system, texts=texts),
            title=f"{sample.measure} of {system} by topic",
            subtitle=f"{rests_on(sample)}{_sharing(sample, 'bar')}.",
        )
    baseline = baseline_named(against, sample.systems)
    found = differences_to(sample, baseline, systems=[system])
    return finished(
        topics_chart(scores.systems, named(sample.measure), found.against),
        topics_rows(sample, system, differences=found, texts=texts),
        title=f"{sample.measure} of {system}, less that of {found.against}, by topic",
        subtitle=f"{rests_on(sample)}: {tally(found.gains[0])}{_sharing(sample, 'bar')}."
        f"{winning(sample.measure)}",
    )


def topics_rows(
    sample: Sample,
    system: str,
    *,
    differences: Differences | None = None,
    texts: Mapping[str, str] | None = None,
) -> Datasets:
    """A row for each topic, the best first; where they are too many, for each group of such."""
    values = sample.of(system) if differences is None else _row(differences, system)
    lower = sample.measure.better == "lower"
    order = np.argsort(values if lower else -values, kind="stable")
    bars: list[Row] = []
    for group in _groups(order, _SHOWN):
        value = float(values[group].mean())
        bars.append(
            {
                "system": system,
                **_topics_of(sample, group, texts),
                "value": value,
                "outcome": outcome(-value if lower else value),
            }
        )
    return {"topics": bars}


def _row(found: Differences, system: str) -> Floats:
    of: Floats = found.values[found.systems.index(system)]
    return of


def topics_chart(systems: Sequence[str], measure: str, baseline: str | None = None) -> Any:
    """Bars next to each other; in the system's colour, or in those of wins and losses."""
    title = measure
    if baseline is not None:
        title += f" less that of {short_names(systems).get(baseline, baseline)}"
    colour = system_colour(systems, legend=None) if baseline is None else outcome_colour()
    return (
        alt.Chart(table("topics"))
        .mark_bar()
        .encode(
            alt.X("topic:N", sort=None, axis=_topic_axis(), title="topics, the best first"),
            alt.Y("value:Q", title=title),
            color=colour,
            tooltip=[alt.Tooltip("system:N"), _ABOUT, *exactly("value")],
        )
        .properties(width=_WIDTH)
    )


def heat_map(
    scores: Scores,
    measure: str | Measure,
    *,
    against: str | None = None,
    systems: str | Sequence[str] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Chart:
    """A cell for each topic and system, the topics that are hardest for all on the left.

    With `against`, a baseline or "median", cells show what is gained over it and lost. `systems`
    are those that are drawn; how hard a topic is depends on all.
    """
    (sample,) = samples(scores, measures=measure)
    shown = chosen(scores, systems)
    rests = (
        f"{rests_on(sample)}, hardest on the left{_sharing(sample, 'column', _columns(sample))}."
    )
    if against is None:
        return finished(
            heat_map_chart(scores.systems, named(sample.measure)),
            heat_map_rows(sample, systems=shown, texts=texts),
            title=f"{sample.measure} by topic and system",
            subtitle=rests,
        )
    found = differences_to(sample, baseline_named(against, sample.systems), systems=shown)
    return finished(
        heat_map_chart(scores.systems, named(sample.measure), gains=True),
        heat_map_rows(sample, differences=found, texts=texts),
        title=f"Gains and losses of {sample.measure} over {found.against}",
        subtitle=rests + winning(sample.measure).replace("win", "gain"),
    )


def heat_map_rows(
    sample: Sample,
    *,
    differences: Differences | None = None,
    systems: Sequence[str] | None = None,
    texts: Mapping[str, str] | None = None,
) -> Datasets:
    """A cell for each system and topic, or band of topics of like difficulty.

    A second dataset has the ends of the scale of colours: of gains as far from 0 on both sides, of
    values those of the measure's range, so that where all fail, all are pale.
    """
    systems = (systems or sample.systems) if differences is None else differences.systems
    shown = [sample.of(name) for name in systems] if differences is None else differences.gains
    mean = sample.values.mean(axis=0)
    order = np.argsort(-mean if sample.measure.better == "lower" else mean, kind="stable")
    cells: list[Row] = []
    for group in _groups(order, _columns(sample)):
        about = _topics_of(sample, group, texts)
        for system, values in zip(systems, shown, strict=True):
            value = float(sample.of(system)[group].mean())
            cells.append({"system": system, **about, "value": value})
            if differences is not None:
                cells[-1]["gain"] = float(values[group].mean())
    if differences is None:
        return {"cells": cells, "ends": [{"value": end} for end in _ends(sample)]}
    largest = max(abs(cell["gain"]) for cell in cells)
    return {"cells": cells, "ends": [{"gain": -largest}, {"gain": largest}]}


def heat_map_chart(systems: Sequence[str], measure: str, *, gains: bool = False) -> Any:
    """Topics from left to right, systems from top to bottom."""
    field, title = ("gain:Q", "gain") if gains else ("value:Q", measure)
    scale = alt.Scale(scheme=theme.DIVERGING, domainMid=0) if gains else _RISING
    colour = alt.Color(field, scale=scale, title=title, legend=alt.Legend(gradientLength=70))
    shown = ("value", "gain") if gains else ("value",)
    names = alt.Axis(**name_labels(systems))
    cells = (
        alt.Chart(table("cells"))
        # Columns are no whole pixels wide: if they did not overlap, seams would show between them.
        .mark_rect(width=alt.expr("bandwidth('x') + 0.8"))
        .encode(
            alt.X("topic:N", sort=None, axis=_topic_axis(), title="topics, the hardest first"),
            alt.Y("system:N", sort=list(systems), title=None, axis=names),
            color=colour,
            tooltip=[alt.Tooltip("system:N"), _ABOUT, *exactly(*shown)],
        )
        .properties(width=_WIDTH, height=alt.Step(24))
    )
    return alt.Chart(table("ends")).mark_rect(opacity=0).encode(color=colour) + cells


def _topic_axis() -> alt.Axis:
    """Ids that stand upright; long ones lose their middle, since they mostly differ at the end."""
    end = "slice(datum.label, length(datum.label) - 9)"
    cut = f"length(datum.label) > 16 ? slice(datum.label, 0, 6) + '…' + {end} : datum.label"
    return alt.Axis(labelOverlap="greedy", labelAngle=-90, labelExpr=cut, ticks=False)


_RISING = alt.Scale(scheme=theme.RISING)


def _ends(sample: Sample) -> list[float]:
    """The ends of the measure's range, or where it has none, of the values."""
    found = (float(sample.values.min()), float(sample.values.max()))
    pairs = zip(sample.measure.range, found, strict=True)
    return [end if isfinite(end) else own for end, own in pairs]


def _columns(sample: Sample) -> int:
    """How many columns a heat map may have."""
    return max(1, min(_SHOWN, LIMIT // len(sample.systems)))


def _groups(order: Ints, most: int) -> list[Ints]:
    """Topics one by one, or where there are more than that, neighbours in groups of like size."""
    return np.array_split(order, min(most, len(order)))


def _sharing(sample: Sample, what: str, most: int = _SHOWN) -> str:
    """A note where topics had to be put together."""
    each = -(-len(sample.topics) // most)
    return f"; each {what} is the mean of up to {each} neighbours" if each > 1 else ""


def _topics_of(sample: Sample, group: Ints, texts: Mapping[str, str] | None) -> Row:
    """What names a topic, or a group by the first of its topics, and what a tooltip says of it."""
    first, others = sample.topics[group[0]], len(group) - 1
    if others:
        return {"topic": f"{first} +{others}", "about": f"{first} and {others:,} more, their mean"}
    text = text_of(first, texts)
    return {"topic": first, "about": f"{first}: {text}" if text else first}


_ABOUT = alt.Tooltip("about:N", title="topic")
