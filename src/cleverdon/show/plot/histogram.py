"""How many topics have which value, or gain and lose how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cleverdon.compare.samples import Sample, samples
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.numbers import number
from cleverdon.show.plot.base import (
    Chart,
    Datasets,
    Row,
    alt,
    finished,
    short_names,
    system_colour,
    table,
)
from cleverdon.show.plot.bins import counts, difference_counts, difference_edges, value_edges
from cleverdon.show.plot.topicwise import (
    Differences,
    baseline_named,
    differences_to,
    named,
    outcome,
    outcome_colour,
    panels,
    rests_on,
    tally,
    winning,
)


def histogram(
    scores: Scores, measure: str | Measure, *, systems: Iterable[str] | None = None
) -> Chart:
    """How many topics have which value of a measure: a panel for each system."""
    (sample,) = samples(scores, measures=measure, systems=systems)
    return finished(
        histogram_chart(scores.systems, named(sample.measure)),
        histogram_rows(sample),
        title=f"How many topics have which {sample.measure}",
        subtitle=f"{rests_on(sample)}. Line: mean.",
    )


def histogram_rows(sample: Sample) -> Datasets:
    """A row for each system and bin; all systems have the same bins."""
    edges = value_edges(sample.measure, sample.values)
    short = short_names(sample.systems)
    bins: list[Row] = []
    for place, system in enumerate(sample.systems):
        values = sample.of(system)
        mean = float(values.mean())  # of counts as well, whose average is their sum
        panel = f"{short[system]}: mean {number(sample.measure, mean)}"
        for at, topics in enumerate(counts(values, edges).tolist()):
            bins.append(
                {
                    "system": system,
                    "panel": panel,
                    "place": place,
                    "from": float(edges[at]),
                    "to": float(edges[at + 1]),
                    "topics": topics,
                    "share": topics / len(values),
                    "mean": mean,
                }
            )
    return {"bins": bins}


def histogram_chart(systems: Sequence[str], measure: str) -> Any:
    """Bars in a panel for each system, and its mean as a line."""
    bars = (
        alt.Chart()
        .mark_bar(binSpacing=1)
        .encode(
            alt.X("from:Q", bin="binned", title=measure),
            _topics(),
            color=system_colour(systems, legend=None),
            x2=alt.X2("to:Q"),
            tooltip=[alt.Tooltip("system:N"), *_ends(), alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return panels(alt.layer(bars, _mean()), table("bins"), height=_height(systems))


def differences(
    scores: Scores,
    measure: str | Measure,
    *,
    against: str,
    systems: Iterable[str] | None = None,
) -> Chart:
    """How many topics gain or lose how much: a panel for each system.

    `against` is the baseline, or "median" for the median of all systems.
    """
    (sample,) = samples(scores, measures=measure)
    baseline = baseline_named(against, sample.systems)
    found = differences_to(sample, baseline, systems=systems)
    return finished(
        differences_chart(scores.systems, str(sample.measure), found.against),
        differences_rows(found),
        title=f"Wins and losses by {sample.measure} against {found.against}",
        subtitle=f"{rests_on(sample)}. Line: mean.{winning(sample.measure)}",
    )


def differences_rows(found: Differences) -> Datasets:
    """A row for each system and bin, and one for the topics whose difference is exactly 0."""
    edges = difference_edges(found.values)
    short = short_names(found.sample.systems)
    sign = -1 if found.sample.measure.better == "lower" else 1
    bins: list[Row] = []
    rows = zip(found.systems, found.values, found.gains, strict=True)
    for place, (system, values, gains) in enumerate(rows):
        panel, mean = f"{short[system]}: {tally(gains)}", float(values.mean())
        topics = difference_counts(values, edges).tolist()
        parts = list(zip(edges[:-1].tolist(), edges[1:].tolist(), topics, strict=True))
        parts.append((0.0, 0.0, int((values == 0).sum())))
        bins += [
            {
                "system": system,
                "panel": panel,
                "place": place,
                "outcome": outcome(sign * (low + high)),
                "from": low,
                "to": high,
                "topics": count,
                "mean": mean,
            }
            for low, high, count in parts
        ]
    return {"bins": bins}


def differences_chart(systems: Sequence[str], measure: str, baseline: str) -> Any:
    """Bars in a panel for each system; that of the topics that are even is narrow, and at 0."""
    title = f"{measure} less that of {short_names(systems).get(baseline, baseline)}"
    rows = alt.Chart().encode(
        _topics(),
        color=outcome_colour(),
        tooltip=[alt.Tooltip("system:N"), alt.Tooltip("outcome:N"), *_ends()],
    )
    bars = (
        rows.transform_filter("datum.outcome != 'even'")
        .mark_bar(binSpacing=1)
        .encode(alt.X("from:Q", bin="binned", title=title), x2=alt.X2("to:Q"))
    )
    even = (
        rows.transform_filter("datum.outcome == 'even' && datum.topics")
        .mark_bar(size=7)
        .encode(alt.X("from:Q"))
    )
    return panels(alt.layer(bars, even, _mean()), table("bins"), height=_height(systems))


def _height(systems: Sequence[str]) -> int:
    return 90 if len(systems) <= 5 else 56


def _topics() -> alt.Y:
    whole = "datum.value % 1 ? '' : format(datum.value, ',d')"  # there is no half a topic
    return alt.Y("topics:Q", title="topics", axis=alt.Axis(labelExpr=whole, tickCount=4))


def _ends() -> list[alt.Tooltip]:
    ends = [alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("from", "to")]
    return [*ends, alt.Tooltip("topics:Q")]


def _mean() -> Any:
    """Every row of a panel has its mean; a mean of them draws it once."""
    tooltip = alt.Tooltip("mean(mean):Q", format=".4f", title="mean")
    return (
        alt.Chart()
        .mark_rule(strokeDash=[4, 2], size=1.5)
        .encode(x=alt.X("mean(mean):Q"), tooltip=tooltip)
    )
