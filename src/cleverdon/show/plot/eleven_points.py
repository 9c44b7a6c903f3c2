"""Averaged precision at eleven levels of recall: the classic curve of whole systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.arrays import plain
from cleverdon.measures.recall_levels import IPrec
from cleverdon.profiles import profile as find_profile
from cleverdon.scores import Scores
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, short_names, table
from cleverdon.show.plot.kept import (
    coloured,
    hits_of,
    mean_of,
    resting_on,
    told_apart,
    undefined_in,
    with_note,
)
from cleverdon.show.plot.lines import label_rows, labels, line_style
from cleverdon.show.plot.precision_recall import LEVELS


def eleven_points(
    scores: Scores,
    *,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rel: float = 1,
) -> Chart:
    """Each system's mean interpolated precision at recall 0, 0.1, ..., 1.

    Of more than 15 systems it draws the best and the `baseline`, unless `systems` names others.
    """
    named, note = told_apart(scores, systems, baseline)
    measure = _interpolation(scores, rel)
    first = measure.at_levels(hits_of(scores, scores.systems[0]), LEVELS)[0]
    undefined = undefined_in(scores, scores.systems[0], first)
    rests = f"Interpolated, mean over {resting_on(scores, measure, undefined)}."
    return finished(
        eleven_points_chart(coloured(scores, named)),
        eleven_points_rows(scores, rel=rel, systems=named),
        title="Precision at eleven levels of recall",
        subtitle=with_note(rests, note),
    )


def eleven_points_rows(
    scores: Scores, *, rel: float = 1, systems: Sequence[str] | None = None
) -> Datasets:
    """The mean of each system at each level, and the systems' labels."""
    measure = _interpolation(scores, rel)
    short = short_names(scores.systems)
    levels: list[Row] = []
    ends: list[Row] = []
    for system in scores.systems if systems is None else systems:
        of_levels = measure.at_levels(hits_of(scores, system), LEVELS)
        means = [mean_of(scores, system, measure, values) for values in of_levels]
        levels += [
            {"system": system, "recall": level, "precision": plain(mean)}
            for level, mean in zip(LEVELS, means, strict=True)
        ]
        last, merit = (plain(value) or 0.0 for value in (means[-1], sum(means)))
        ends.append({"system": system, "label": short[system], "merit": merit, "x": 1.0, "y": last})
    return {"levels": levels, "ends": label_rows(ends)}


def _interpolation(scores: Scores, rel: float) -> IPrec:
    """Interpolated precision as the scores' profile has it, which may round levels otherwise."""
    (asked,) = find_profile(scores.about.profile).parse("IPrec@0")
    rounding = asked.rounding if isinstance(asked, IPrec) else "exact"
    return IPrec(x=0, rel=rel, rounding=rounding)


def eleven_points_chart(systems: Sequence[str]) -> Any:
    """A line for each system, with its points."""
    unit = alt.Scale(domain=[0, 1])
    levels = alt.Chart(table("levels")).encode(
        x=alt.X("recall:Q", title="recall", scale=unit),
        y=alt.Y("precision:Q", title="mean interpolated precision", scale=unit),
    )
    style = line_style(systems)
    tooltip = [
        alt.Tooltip("system:N"),
        alt.Tooltip("recall:Q", format=".1f"),
        alt.Tooltip("precision:Q", format=".4f"),
    ]
    return alt.layer(
        levels.mark_line().encode(**style),
        levels.mark_point(filled=True, size=28, opacity=1).encode(
            color=style["color"], tooltip=tooltip
        ),
        *labels(systems),
    )
