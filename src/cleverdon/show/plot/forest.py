"""A forest plot: every difference of a comparison with its interval, and what chance has to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from cleverdon.compare.claims import told_apart
from cleverdon.compare.paired import Comparison, Difference
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.show.claims import p_of
from cleverdon.show.comparison import basis, record, tested
from cleverdon.show.numbers import number
from cleverdon.show.plot.base import (
    LIMIT,
    Chart,
    Datasets,
    Row,
    alt,
    finished,
    short_names,
    system_colour,
    table,
)
from cleverdon.show.plot.theme import WIDTH
from cleverdon.show.plot.topicwise import exactly, named, panels, sample_of


def forest(comparison: Comparison, measure: str | Measure | None = None) -> Chart:
    """Every difference to the baseline, or of every pair, with its interval and its p-value.

    One measure's, or in a panel each, those of all measures of the comparison.
    """
    baseline = comparison.baseline
    return finished(
        forest_chart(comparison.scores.systems, baseline),
        forest_rows(comparison, measure),
        title="Differences between systems" if baseline is None else f"Differences to {baseline}",
        subtitle=f"{tested(comparison)}, {basis(comparison)}. {_marks(comparison)}",
    )


def _marks(comparison: Comparison) -> str:
    filled = f"Filled: p ≤ {comparison.level:g}."
    if not has_intervals(comparison):
        return f"Too few topics for intervals. {filled}"
    return f"Lines: {comparison.differences[0].interval.confidence:.0%} intervals. {filled}"


def has_intervals(comparison: Comparison) -> bool:
    """Whether a difference has an interval: one topic gives none."""
    return any(isfinite(found.interval.low) for found in comparison.differences)


def forest_rows(comparison: Comparison, measure: str | Measure | None = None) -> Datasets:
    """A row for each difference, with all that is known of it and what is printed beside it."""
    wanted = None if measure is None else sample_of(comparison, measure).measure
    shown = [found for found in comparison.differences if wanted is None or found.measure == wanted]
    if len(shown) > LIMIT:
        raise OptionError(
            f"{len(shown):,} differences are too many to draw: name a measure, a baseline, or some "
            "of the systems (--system)"
        )
    short = short_names(comparison.scores.systems)
    return {"differences": [_row(found, comparison, short) for found in shown]}


def _row(found: Difference, comparison: Comparison, short: Mapping[str, str]) -> Row:
    difference = number(found.measure, found.difference, signed=True)
    label = short[found.system]
    if comparison.baseline is None:
        label += f" less {short[found.baseline]}"
    return {
        **record(found, comparison),
        "significant": told_apart(found, comparison),
        "label": label,
        "panel": named(found.measure),
        "place": next(at for at, s in enumerate(comparison.samples) if s.measure == found.measure),
        "estimate": difference.replace("-", "−"),
        "chance": p_of(found, comparison),
    }


def forest_chart(systems: Sequence[str], baseline: str | None) -> Any:
    """Intervals that lie on their side, in a panel for each measure."""
    title = "difference"
    if baseline is not None:
        title += f" to {short_names(systems).get(baseline, baseline)}"
    numbers = exactly("mean", "baseline_mean", "difference", "low", "high", "corrected")
    names = [alt.Tooltip("system:N"), alt.Tooltip("baseline:N")]
    topics = [alt.Tooltip("up:Q"), alt.Tooltip("even:Q"), alt.Tooltip("down:Q")]
    colour = system_colour(systems, legend=None)
    drawn = intervals_chart(title, colour, [*names, *numbers, *topics])
    return drawn.resolve_scale(x="independent")


def intervals_chart(title: str, colour: Any, tooltip: list[alt.Tooltip], **axis: Any) -> Any:
    """The dataset `differences`, in panels: of each row its `difference`, from `low` to `high`.

    Its `label` stands at the left, `estimate` and `chance` at the right. What is `significant` is
    filled.
    """
    row = alt.Y("label:N", sort=None, title=None)
    across: dict[str, Any] = {"title": title, **({"axis": alt.Axis(**axis)} if axis else {})}
    rows = alt.Chart().encode(y=row)
    end = alt.value("width")  # pages draw plots narrower where there is less room
    points = rows.encode(x=alt.X("difference:Q", **across), color=colour, tooltip=tooltip)
    layers = [
        alt.Chart().mark_rule(strokeDash=[3, 3]).encode(x=alt.datum(0)),
        rows.mark_rule(size=2).encode(
            x=alt.X("low:Q", **across), x2=alt.X2("high:Q"), color=colour, tooltip=tooltip
        ),
        points.mark_point(size=70, filled=True, opacity=1),
        # What is not significant is hollow: filled with the colour of the paper.
        rows.transform_filter("!datum.significant")
        .mark_point(size=22, filled=True, style="paper", opacity=1)
        .encode(x=alt.X("difference:Q"), tooltip=tooltip),
        rows.mark_text(align="right", dx=62).encode(text=alt.Text("estimate:N"), x=end),
        rows.mark_text(align="left", dx=76).encode(text=alt.Text("chance:N"), x=end),
    ]
    return panels(alt.layer(*layers), table("differences"), width=WIDTH, height=alt.Step(22))
