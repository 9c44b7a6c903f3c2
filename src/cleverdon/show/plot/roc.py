"""ROC curves: what share of the relevant comes before a share of the judged and not relevant.

Only judged documents have a place in it: what nobody judged is passed over, since it is on neither
axis. Judged documents that were not returned are one last tied group, a straight line to the
corner. So the area under a topic's curve is the measure AUC. Over topics the curves are averaged
upwards, at each false positive rate (Fawcett 2006, doi:10.1016/j.patrec.2005.10.010): pooling all
topics' results would compare scores of different topics, which rankings do not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.measures.pairs import AUC
from cleverdon.scores import Scores
from cleverdon.show.grid import counted
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
from cleverdon.show.plot.kept import coloured, hits_of, told_apart, topic_said, with_note
from cleverdon.show.plot.lines import label_rows, labels, line_style, thinned_line

_STEPS = 100
_SIDE = 340


def roc(
    scores: Scores,
    query: str | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rel: float = 1,
    texts: Mapping[str, str] | None = None,
) -> Chart:
    """Each system's ROC curve with its AUC: of one topic, or averaged over all that have one.

    Of more than 15 systems it draws the best and the `baseline`, unless `systems` names others.
    """
    named, note = told_apart(scores, systems, baseline)
    rows = roc_rows(scores, query, rel=rel, systems=named)
    if query is None:
        drawn = max(int(_drawn(scores, system, rel).sum()) for system in named)
        basis = f"Mean over {counted(drawn, 'topic')}"
        others = len(scores.queries) - drawn
        if others:
            basis += f"; {others:,} {'has' if others == 1 else 'have'} no curve"
        subtitle: str | list[str] = f"{basis}. Judged documents only."
    else:
        subtitle = [topic_said(query, texts), "Judged documents only."]
    return finished(
        roc_chart(coloured(scores, named)),
        rows,
        title="ROC curves",
        subtitle=with_note(subtitle, note),
    )


def roc_rows(
    scores: Scores,
    query: str | None = None,
    *,
    rel: float = 1,
    systems: Sequence[str] | None = None,
) -> Datasets:
    """The corners of each system's curve, and its label with the AUC, the best on top."""
    named = scores.systems if systems is None else systems
    short = short_names(scores.systems)
    corners: list[Row] = []
    areas: dict[str, float] = {}
    for system in named:
        if query is None:
            drawn = _drawn(scores, system, rel)
            if not drawn.any():
                raise OptionError("no query has judged documents that are relevant and ones not")
            x = np.arange(_STEPS + 1) / _STEPS
            y = mean_curve(hits_of(scores, system), drawn, x, rel)
            areas[system] = float(AUC(rel=rel)(hits_of(scores, system))[drawn].mean())
        else:
            hits = hits_of(scores, system, query)
            areas[system] = float(AUC(rel=rel)(hits)[0])
            if np.isnan(areas[system]):
                raise OptionError(
                    f"query {query!r} has no ROC curve: {AUC.undefined} ({AUC(rel=rel)})"
                )
            _, x, y = curves(hits, rel)
        rows = [
            {
                "system": system,
                "auc": areas[system],
                "at": at,
                "false_positives": across,
                "true_positives": up,
            }
            for at, (across, up) in enumerate(zip(x.tolist(), y.tolist(), strict=True))
        ]
        corners += thinned_line(rows, LIMIT // len(named))
    ends = [
        {
            "system": system,
            "label": f"AUC {area:.3f}  {short[system]}",
            "merit": area,
            "x": 1.0,
            "y": 1.0,  # all curves end in this corner
        }
        for system, area in areas.items()
    ]
    return {"corners": corners, "ends": label_rows(ends, height=_SIDE)}


def _drawn(scores: Scores, system: str, rel: float) -> Bools:
    """Which queries have a curve."""
    evaluated = scores.evaluated[scores.systems.index(system)]
    defined: Bools = evaluated & ~np.isnan(AUC(rel=rel)(hits_of(scores, system)))
    return defined


def curves(hits: Hits, rel: float) -> tuple[Ints, Floats, Floats]:
    """The corners of each query's curve: query, false and true positive rate, from (0, 0) on."""
    judged = hits.judgments
    wanted = judged.relevant(rel)
    unwanted = judged.count((judged.grade >= 0) & (judged.grade < rel))
    seen = hits.condensed()
    found = seen.running(seen.relevant(rel).astype(float))
    others = seen.ordinal - found
    # Of results with equal scores none comes first: a corner only where a group of them ends.
    corner = seen.rank == seen.tied_to
    query = seen.query[corner]
    ends = np.arange(len(hits))
    of = np.concatenate((ends, query, ends))
    none, one = np.zeros(len(hits)), np.ones(len(hits))
    with np.errstate(divide="ignore", invalid="ignore"):
        across = np.concatenate((none, others[corner] / unwanted[query], one))
        up = np.concatenate((none, found[corner] / wanted[query], one))
    order = np.argsort(of, kind="stable")
    return of[order], across[order], up[order]


def mean_curve(hits: Hits, drawn: Bools, at: Floats, rel: float) -> Floats:
    """The mean true positive rate of these queries at each false positive rate."""
    query, across, up = curves(hits, rel)
    kept = drawn[query]
    # All curves behind each other, two apart, so that one interpolation serves them all.
    places = 2.0 * np.flatnonzero(drawn)[:, None] + at
    heights = np.interp(places, 2.0 * query[kept] + across[kept], up[kept])
    mean: Floats = heights.mean(axis=0)
    return mean


def roc_chart(systems: Sequence[str]) -> Any:
    """A curve for each system over the diagonal, which is what chance gives."""
    unit = alt.Scale(domain=[0, 1])
    chance = alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])
    curve = (
        alt.Chart(table("corners"))
        .mark_line()
        .encode(
            x=alt.X(
                "false_positives:Q",
                title="false positive rate (of judged and not relevant)",
                scale=unit,
            ),
            y=alt.Y("true_positives:Q", title="true positive rate (recall)", scale=unit),
            order=alt.Order("at:Q"),
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("false_positives:Q", title="false positive rate", format=".4f"),
                alt.Tooltip("true_positives:Q", title="true positive rate", format=".4f"),
                alt.Tooltip("auc:Q", title="AUC", format=".4f"),
            ],
            **line_style(systems),
        )
    )
    diagonal = (
        alt.Chart(chance)
        .mark_line(strokeDash=[2, 3], strokeWidth=1, color="#8a8a8a")
        .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    )
    return alt.layer(diagonal, curve, *labels(systems)).properties(width=_SIDE, height=_SIDE)
