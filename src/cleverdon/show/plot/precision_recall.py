"""Precision against recall, down one ranking: as it is, and interpolated in two ways.

Going down a ranking, recall stays and precision falls until the next relevant result, where both
rise: a saw. Interpolated precision at a recall is the largest from there on, since nobody need stop
where reading on would raise it: steps that never rise. The eleven points are these steps read off
at recall 0, 0.1, ..., 1, which can be averaged over topics: see `eleven_points`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.measures.recall_levels import IPrec
from cleverdon.scores import Scores
from cleverdon.show.plot import theme
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
    thinned,
)
from cleverdon.show.plot.kept import coloured, hits_of, told_apart, topic_said, with_note
from cleverdon.show.plot.lines import label_rows, labels, line_style, thinned_line

LEVELS = tuple(level / 10 for level in range(11))
_RAW, _STEPS, _LEVELS = "as ranked", "interpolated", "at 11 points"
_KINDS = (_RAW, _STEPS, _LEVELS)


def precision_recall(
    scores: Scores,
    query: str,
    *,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rel: float = 1,
    texts: Mapping[str, str] | None = None,
) -> Chart:
    """The curve of one topic: one system's with both interpolations, or several systems' curves.

    `rel` is the lowest grade that counts as relevant; `texts` are the topics' own, by topic. Of
    more than 15 systems it draws the best and the `baseline`, unless `systems` names others.
    """
    named, note = told_apart(scores, systems, baseline)
    rows = precision_recall_rows(scores, query, systems=named, rel=rel)
    wanted = int(hits_of(scores, named[0], query).judgments.relevant(rel)[0])
    topic, count = topic_said(query, texts), f"Relevant documents: {wanted:,}."
    if len(named) == 1:
        name = f"Precision and recall of {named[0]}"
        return finished(precision_recall_chart(), rows, title=name, subtitle=[topic, count])
    return finished(
        precision_recalls_chart(coloured(scores, named)),
        rows,
        title="Precision and recall",
        subtitle=with_note([topic, f"{count} Thick: interpolated; thin: as ranked."], note),
    )


def precision_recall_rows(
    scores: Scores, query: str, *, systems: Sequence[str], rel: float = 1
) -> Datasets:
    """The lines of each system and kind, the points on them, and the systems' labels."""
    lines: list[Row] = []
    points: list[Row] = []
    ends: list[Row] = []
    short = short_names(scores.systems)
    for system in systems:
        hits = hits_of(scores, system, query)
        if not hits.judgments.relevant(rel)[0]:
            raise OptionError(f"query {query!r} has no relevant document, and so no recall")
        top = scores.top.get(system, [[]] * len(scores.queries))[scores.queries.index(query)]
        found = found_rows(hits, rel, [doc for doc, _ in top])
        precisions = IPrec(x=0, rel=rel).at_levels(hits, LEVELS)[:, 0].tolist()
        eleven = [
            {"recall": recall, "precision": precision}
            for recall, precision in zip(LEVELS, precisions, strict=True)
        ]
        of_kind = {_RAW: _saw(hits, found), _STEPS: _steps(found), _LEVELS: eleven}
        for kind, corners in of_kind.items():
            kept = thinned_line(corners, LIMIT // (len(_KINDS) * len(systems)))
            lines += [
                {"system": system, "kind": kind, "at": at} | row for at, row in enumerate(kept)
            ]
        seen = thinned(found, LIMIT // (2 * len(systems)))
        points += [{"system": system, "kind": _RAW} | row for row in seen]
        points += [{"system": system, "kind": _LEVELS} | row for row in eleven]
        last, merit = of_kind[_STEPS][-1]["precision"], sum(precisions)
        ends.append({"system": system, "label": short[system], "merit": merit, "x": 1.0, "y": last})
    if len(systems) == 1:
        return {"lines": lines, "points": points}
    return {
        "lines": [row for row in lines if row["kind"] != _LEVELS],
        "points": [row for row in points if row["kind"] == _RAW],
        "ends": label_rows(ends),
    }


def found_rows(hits: Hits, rel: float, documents: Sequence[str] = ()) -> list[Row]:
    """One query's relevant results: rank, recall and precision there, and the document's id."""
    relevant = hits.where(hits.relevant(rel))
    wanted = int(hits.judgments.relevant(rel)[0])
    return [
        {
            "rank": rank,
            "recall": number / wanted,
            "precision": number / rank,
            "document": documents[rank - 1] if rank <= len(documents) else None,
        }
        for number, rank in enumerate(relevant.rank.tolist(), start=1)
    ]


def _saw(hits: Hits, found: list[Row]) -> list[Row]:
    """The corners of the curve as it is: each relevant result, and the last one before the next."""
    corners: list[Row] = []
    if not found or found[0]["rank"] > 1:
        corners.append({"rank": 1, "recall": 0.0, "precision": 0.0})
    ends = [*(row["rank"] - 1 for row in found[1:]), int(hits.returned[0])]
    for number, (row, rank) in enumerate(zip(found, ends[: len(found)], strict=True), start=1):
        corners.append({name: row[name] for name in ("rank", "recall", "precision")})
        if rank > row["rank"]:
            corners.append({"rank": rank, "recall": row["recall"], "precision": number / rank})
    return corners


def _steps(found: list[Row]) -> list[Row]:
    """The corners of the largest precision from each recall on; 0 where that is never reached."""
    starts = [0.0, *(row["recall"] for row in found)]
    corners: list[Row] = []
    if starts[-1] < 1:
        corners += [{"recall": 1.0, "precision": 0.0}, {"recall": starts[-1], "precision": 0.0}]
    largest = 0.0
    for row, start in zip(reversed(found), reversed(starts[:-1]), strict=True):
        largest = max(largest, row["precision"])
        corners.append({"recall": row["recall"], "precision": largest})
        corners.append({"recall": start, "precision": largest})
    return corners[::-1]


_TOOLTIP = [
    alt.Tooltip("system:N"),
    alt.Tooltip("rank:Q"),
    alt.Tooltip("document:N"),
    alt.Tooltip("recall:Q", format=".4f"),
    alt.Tooltip("precision:Q", format=".4f"),
]


def _axes() -> dict[str, Any]:
    unit = alt.Scale(domain=[0, 1])
    return {
        "x": alt.X("recall:Q", title="recall", scale=unit),
        "y": alt.Y("precision:Q", title="precision", scale=unit),
    }


def precision_recall_chart() -> Any:
    """One ranking: a saw, steps, and eleven points, told apart by colour, dash and shape."""
    domain = list(_KINDS)
    legend = alt.Legend(symbolType="stroke", symbolSize=400, symbolOpacity=1)

    def by_kind(channel: Any, values: list[Any], level: str = "N") -> Any:
        scale = alt.Scale(domain=domain, range=values)
        return channel(f"kind:{level}", title=None, legend=legend, scale=scale)

    colour = by_kind(alt.Color, list(theme.PALETTE[: len(domain)]))
    dash = by_kind(alt.StrokeDash, [[1, 0], [1, 0], [5, 3]])
    width = by_kind(alt.StrokeWidth, [1.2, 2.5, 1.5], "O")  # else Vega-Lite warns of widths
    curves = alt.Chart(table("lines")).mark_line()

    def points(kind: str, shape: str) -> Any:
        return (
            alt.Chart(table("points"))
            .transform_filter(alt.datum.kind == kind)
            .mark_point(filled=True, size=45, opacity=1, shape=shape)
            .encode(**_axes(), color=colour, tooltip=_TOOLTIP)
        )

    return alt.layer(
        curves.encode(
            **_axes(), color=colour, strokeDash=dash, strokeWidth=width, order=alt.Order("at:Q")
        ),
        points(_RAW, "circle"),
        points(_LEVELS, "diamond"),
    )


def precision_recalls_chart(systems: Sequence[str]) -> Any:
    """Several systems' rankings: thin saws and thick steps, in each system's colour."""
    style = line_style(systems)
    width = alt.StrokeWidth(
        "kind:O", legend=None, scale=alt.Scale(domain=[_RAW, _STEPS], range=[0.8, 2.2])
    )
    opacity = alt.Opacity(
        "kind:O", legend=None, scale=alt.Scale(domain=[_RAW, _STEPS], range=[0.5, 1])
    )
    curves = alt.Chart(table("lines")).mark_line()
    points = alt.Chart(table("points")).mark_point(filled=True, size=22, opacity=0.7)
    colour = system_colour(systems, legend=None)
    return alt.layer(
        curves.encode(
            **_axes(), **style, strokeWidth=width, opacity=opacity, order=alt.Order("at:Q")
        ),
        points.encode(**_axes(), color=colour, tooltip=_TOOLTIP),
        *labels(systems),
    )
