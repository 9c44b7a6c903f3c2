"""Curves down rankings: precision against recall, and ROC.

Precision and recall: going down a ranking, recall stays and precision falls until the next
relevant result, where both rise: a saw. Interpolated precision at a recall is the largest from
there on, since nobody need stop where reading on would raise it: steps that never rise. The
eleven points are these steps read off at recall 0, 0.1, ..., 1, which can be averaged over
queries.

ROC: only judged documents have a place in it, since the others are on neither axis. Judged
documents that were not returned are one last tied group, a straight line to the corner, so that
the area under a query's curve is the measure AUC. Over queries the curves are averaged upwards,
at each false positive rate (Fawcett 2006, doi:10.1016/j.patrec.2005.10.010): pooling all
results would compare scores of different queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints, json_number
from cleverdon._common.text import counted
from cleverdon.charts import base as charts
from cleverdon.charts import theme
from cleverdon.charts.base import LIMIT, Chart, Datasets, Row, alt, named_data
from cleverdon.charts.lines import (
    label_rows,
    labels,
    line_end,
    line_style,
    pointed_lines,
    thin_line,
)
from cleverdon.charts.theme import short_names
from cleverdon.errors import OptionError
from cleverdon.formats.texts import Text
from cleverdon.hits import Hits
from cleverdon.measures.positions import AUC
from cleverdon.measures.recall_levels import IPrec
from cleverdon.plots import inputs
from cleverdon.profiles import find_profile
from cleverdon.scores import Scores

_RECALL_LEVELS = tuple(level / 10 for level in range(11))
_RAW, _STEPS, _LEVELS = "as ranked", "interpolated", "at 11 points"
_KINDS = (_RAW, _STEPS, _LEVELS)
_BINORMAL = "binormal"
# Where all results are nearly found, precision may fall steeply.
_BINORMAL_LEVELS = (0.001, *(level / 100 for level in range(1, 100)), 0.995, 0.998, 0.999, 1.0)


def precision_recall(
    scores: Scores,
    query: str,
    *,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rel: float = 1,
    texts: Mapping[str, str | Text] | None = None,
    binormal: bool = False,
) -> Chart:
    """Draw the precision-recall curve of one query.

    One system is drawn with both interpolations; of several, one curve each.

    The binormal curve is the smooth one that follows if the scores of relevant and of other results
    have normal distributions (Brodersen et al. 2010, doi:10.1109/ICPR.2010.1036), with the means
    and standard deviations of the scores of this query, and the share of relevant results among all
    results (the alpha-binormal model there). It ends at the recall of all results.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        query: The query.
        systems: The systems to draw. By default all; of more than 15, the best and the baseline.
        baseline: A system that is drawn in any case.
        rel: The lowest grade that counts as relevant.
        texts: Texts of queries by id, shown on hover.
        binormal: Whether to draw the binormal curve of one system as well. It needs the scores of
            all results: `keep` must not be less than their number.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP", keep=10)
    >>> chart = precision_recall(scores, "q1")
    """
    named, note = inputs.distinguishable_systems(scores, systems, baseline)
    rows = _precision_recall_rows(scores, query, systems=named, rel=rel)
    wanted = int(inputs.hits_of(scores, named[0], query).judgments.relevant(rel)[0])
    line, count = inputs.query_line(query, texts), f"Relevant documents: {wanted:,}."
    if binormal:
        if len(named) > 1:
            raise OptionError(f"the binormal curve is of one system; there are {len(named)}")
        fitted = _binormal_rows(scores, query, system=named[0], rel=rel)
        rows = {**rows, "lines": rows["lines"] + fitted}
    if len(named) == 1:
        name = f"Precision and recall of {named[0]}"
        chart = precision_recall_chart((*_KINDS, _BINORMAL) if binormal else _KINDS)
        return charts.finish_chart(chart, rows, title=name, subtitle=[line, count])
    return charts.finish_chart(
        _precision_recalls_chart(inputs.coloured_systems(scores, named)),
        rows,
        title="Precision and recall",
        subtitle=inputs.add_note([line, f"{count} Thick: interpolated; thin: as ranked."], note),
    )


def _precision_recall_rows(
    scores: Scores, query: str, *, systems: Sequence[str], rel: float = 1
) -> Datasets:
    """Return the lines of each system and kind, their points, and the systems' labels."""
    lines: list[Row] = []
    points: list[Row] = []
    ends: list[Row] = []
    short = short_names(scores.systems)
    for system in systems:
        hits = inputs.hits_of(scores, system, query)
        if not hits.judgments.relevant(rel)[0]:
            raise OptionError(f"query {query!r} has no relevant document, and so no recall")
        top = scores.top.get(system, [[]] * len(scores.queries))[scores.queries.index(query)]
        found = _found_rows(hits, rel, [doc for doc, _ in top])
        precisions = IPrec(x=0, rel=rel).at_levels(hits, _RECALL_LEVELS)[:, 0].tolist()
        eleven = [
            {"recall": recall, "precision": precision}
            for recall, precision in zip(_RECALL_LEVELS, precisions, strict=True)
        ]
        of_kind = {_RAW: _saw(hits, found), _STEPS: _steps(found), _LEVELS: eleven}
        for kind, corners in of_kind.items():
            kept = thin_line(corners, LIMIT // (len(_KINDS) * len(systems)))
            lines += [
                {"system": system, "kind": kind, "at": at} | row for at, row in enumerate(kept)
            ]
        seen = charts.thin_rows(found, LIMIT // (2 * len(systems)))
        points += [{"system": system, "kind": _RAW} | row for row in seen]
        points += [{"system": system, "kind": _LEVELS} | row for row in eleven]
        last, merit = of_kind[_STEPS][-1]["precision"], sum(precisions)
        ends.append(line_end(system, short[system], x=1.0, y=last, merit=merit))
    if len(systems) == 1:
        return {"lines": lines, "points": points}
    return {
        "lines": [row for row in lines if row["kind"] != _LEVELS],
        "points": [row for row in points if row["kind"] == _RAW],
        "ends": label_rows(ends),
    }


def _binormal_rows(scores: Scores, query: str, *, system: str, rel: float) -> list[Row]:
    """Return the corners of the curve that follows from normal distributions of scores."""
    hits = inputs.hits_of(scores, system, query)
    top = scores.top.get(system, [[]] * len(scores.queries))[scores.queries.index(query)]
    if len(top) < int(hits.returned[0]):
        raise OptionError(
            f"the binormal curve needs the scores of all {int(hits.returned[0]):,} results of "
            f"query {query!r}, and {len(top):,} were kept: evaluate with a larger keep="
        )
    strength = np.array([score for _, score in top], dtype=np.float64)
    relevant = np.zeros(len(strength), dtype=bool)
    relevant[hits.rank[hits.relevant(rel)] - 1] = True
    groups = strength[relevant], strength[~relevant]
    if any(len(group) < 2 or np.ptp(group) == 0 for group in groups):
        raise OptionError(
            f"the binormal curve needs at least two relevant and two other results of query "
            f"{query!r}, with different scores in each group"
        )
    wanted, others = (NormalDist(float(g.mean()), float(g.std(ddof=1))) for g in groups)
    share = len(groups[0]) / len(strength)
    found = len(groups[0]) / int(hits.judgments.relevant(rel)[0])
    rows: list[Row] = []
    for at, level in enumerate(_BINORMAL_LEVELS):
        # Of the relevant results, this share has a higher score than the threshold.
        false_positives = 1.0
        if level < 1:
            false_positives = 1 - others.cdf(wanted.inv_cdf(1 - level))
        precision = share * level / (share * level + (1 - share) * false_positives)
        row = {"recall": level * found, "precision": precision}
        rows.append({"system": system, "kind": _BINORMAL, "at": at} | row)
    return rows


def _found_rows(hits: Hits, rel: float, documents: Sequence[str] = ()) -> list[Row]:
    """Return the relevant results of one query: rank, recall, precision and id."""
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
    """Return the corners of the raw curve: relevant results, and the last ones before the next."""
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
    """Return the corners of the largest precision from each recall on; 0 if it is never reached."""
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


_TOOLTIP = charts.tooltips("system:N", "rank:Q", "document:N", "recall:Q .4f", "precision:Q .4f")


def _axes() -> dict[str, Any]:
    unit = alt.Scale(domain=[0, 1])
    return {
        "x": alt.X("recall:Q", title="recall", scale=unit),
        "y": alt.Y("precision:Q", title="precision", scale=unit),
    }


def precision_recall_chart(kinds: Sequence[str] = _KINDS) -> Any:
    """Draw one ranking: a saw, steps, and eleven points; with a fourth kind, a fitted curve."""
    domain = list(kinds)
    legend = alt.Legend(symbolType="stroke", symbolSize=400, symbolOpacity=1)

    def by_kind(channel: Any, values: list[Any], level: str = "N") -> Any:
        scale = alt.Scale(domain=domain, range=values)
        return channel(f"kind:{level}", title=None, legend=legend, scale=scale)

    colour = by_kind(alt.Color, list(theme.PALETTE[: len(domain)]))
    dash = by_kind(alt.StrokeDash, [[1, 0], [1, 0], [5, 3], [1, 0]][: len(domain)])
    widths = [1.2, 2.5, 1.5, 2.0][: len(domain)]
    width = by_kind(alt.StrokeWidth, widths, "O")  # else Vega-Lite warns of widths
    curves = alt.Chart(named_data("lines")).mark_line()

    def points(kind: str, shape: str) -> Any:
        return (
            alt.Chart(named_data("points"))
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


def _precision_recalls_chart(systems: Sequence[str]) -> Any:
    """Draw several rankings: thin saws and thick steps, in each system's colour."""
    style = line_style(systems)
    width = alt.StrokeWidth(
        "kind:O", legend=None, scale=alt.Scale(domain=[_RAW, _STEPS], range=[0.8, 2.2])
    )
    opacity = alt.Opacity(
        "kind:O", legend=None, scale=alt.Scale(domain=[_RAW, _STEPS], range=[0.5, 1])
    )
    curves = alt.Chart(named_data("lines")).mark_line()
    points = alt.Chart(named_data("points")).mark_point(filled=True, size=22, opacity=0.7)
    colour = charts.system_colour(systems, legend=None)
    return alt.layer(
        curves.encode(
            **_axes(), **style, strokeWidth=width, opacity=opacity, order=alt.Order("at:Q")
        ),
        points.encode(**_axes(), color=colour, tooltip=_TOOLTIP),
        *labels(systems),
    )


def eleven_points(
    scores: Scores,
    *,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rel: float = 1,
) -> Chart:
    """Draw each system's mean interpolated precision at recall 0, 0.1, ..., 1.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        systems: The systems to draw. By default all; of more than 15, the best and the baseline.
        baseline: A system that is drawn in any case.
        rel: The lowest grade that counts as relevant.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP", keep=10)
    >>> chart = eleven_points(scores)
    """
    named, note = inputs.distinguishable_systems(scores, systems, baseline)
    measure = _interpolation(scores, rel)
    first = measure.at_levels(inputs.hits_of(scores, scores.systems[0]), _RECALL_LEVELS)[0]
    undefined = inputs.count_undefined(scores, scores.systems[0], first)
    rests = f"Interpolated, mean over {inputs.queries_note(scores, measure, undefined)}."
    return charts.finish_chart(
        _eleven_points_chart(inputs.coloured_systems(scores, named)),
        _eleven_points_rows(scores, rel=rel, systems=named),
        title="Precision at eleven levels of recall",
        subtitle=inputs.add_note(rests, note),
    )


def _eleven_points_rows(
    scores: Scores, *, rel: float = 1, systems: Sequence[str] | None = None
) -> Datasets:
    measure = _interpolation(scores, rel)
    short = short_names(scores.systems)
    levels: list[Row] = []
    ends: list[Row] = []
    for system in scores.systems if systems is None else systems:
        of_levels = measure.at_levels(inputs.hits_of(scores, system), _RECALL_LEVELS)
        means = [inputs.mean_of(scores, system, measure, values) for values in of_levels]
        levels += [
            {"system": system, "recall": level, "precision": json_number(mean)}
            for level, mean in zip(_RECALL_LEVELS, means, strict=True)
        ]
        last, merit = (json_number(value) or 0.0 for value in (means[-1], sum(means)))
        ends.append(line_end(system, short[system], x=1.0, y=last, merit=merit))
    return {"levels": levels, "ends": label_rows(ends)}


def _interpolation(scores: Scores, rel: float) -> IPrec:
    # The scores' profile may round levels in another way.
    (asked,) = find_profile(scores.about.profile).parse("IPrec@0")
    rounding = asked.rounding if isinstance(asked, IPrec) else "exact"
    return IPrec(x=0, rel=rel, rounding=rounding)


def _eleven_points_chart(systems: Sequence[str]) -> Any:
    unit = alt.Scale(domain=[0, 1])
    levels = alt.Chart(named_data("levels")).encode(
        x=alt.X("recall:Q", title="recall", scale=unit),
        y=alt.Y("precision:Q", title="mean interpolated precision", scale=unit),
    )
    tooltip = charts.tooltips("system:N", "recall:Q .1f", "precision:Q .4f")
    return pointed_lines(levels, systems, tooltip)


_RATES = 100
_SIDE = 340


def roc(
    scores: Scores,
    query: str | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rel: float = 1,
    texts: Mapping[str, str | Text] | None = None,
) -> Chart:
    """Draw each system's ROC curve with its AUC.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        query: One query; by default the average over all that have a curve.
        systems: The systems to draw. By default all; of more than 15, the best and the baseline.
        baseline: A system that is drawn in any case.
        rel: The lowest grade that counts as relevant.
        texts: Texts of queries by id, shown on hover.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"d1": 1, "d2": 0}}
    >>> scores = evaluate(qrels, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP", keep=10)
    >>> chart = roc(scores)
    """
    named, note = inputs.distinguishable_systems(scores, systems, baseline)
    rows = _roc_rows(scores, query, rel=rel, systems=named)
    if query is None:
        drawn = max(int(_drawn(scores, system, rel).sum()) for system in named)
        basis = f"Mean over {counted(drawn, 'query')}"
        others = len(scores.queries) - drawn
        if others:
            basis += f"; {others:,} {'has' if others == 1 else 'have'} no curve"
        subtitle: str | list[str] = f"{basis}. {_basis(scores)}"
    else:
        subtitle = [inputs.query_line(query, texts), _basis(scores)]
    return charts.finish_chart(
        _roc_chart(inputs.coloured_systems(scores, named)),
        rows,
        title="ROC curves",
        subtitle=inputs.add_note(subtitle, note),
    )


def _basis(scores: Scores) -> str:
    """Say what the curve is of; the size of the collection is known, but has no part in it."""
    docs = scores.about.docs
    ignored = "" if docs is None else f"; docs={docs:,} is ignored"
    return f"Judged documents only{ignored}."


def _roc_rows(
    scores: Scores,
    query: str | None = None,
    *,
    rel: float = 1,
    systems: Sequence[str] | None = None,
) -> Datasets:
    """Return the corners of each system's curve, and its label with the AUC."""
    named = scores.systems if systems is None else systems
    short = short_names(scores.systems)
    corners: list[Row] = []
    areas: dict[str, float] = {}
    for system in named:
        if query is None:
            drawn = _drawn(scores, system, rel)
            if not drawn.any():
                raise OptionError("no query has both relevant and non-relevant judged documents")
            x = np.arange(_RATES + 1) / _RATES
            y = _mean_curve(inputs.hits_of(scores, system), drawn, x, rel)
            areas[system] = float(AUC(rel=rel)(inputs.hits_of(scores, system))[drawn].mean())
        else:
            hits = inputs.hits_of(scores, system, query)
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
        corners += thin_line(rows, LIMIT // len(named))
    ends = [  # all curves end in one corner
        line_end(system, f"AUC {area:.3f}  {short[system]}", x=1.0, y=1.0, merit=area)
        for system, area in areas.items()
    ]
    return {"corners": corners, "ends": label_rows(ends, height=_SIDE)}


def _drawn(scores: Scores, system: str, rel: float) -> Bools:
    evaluated = scores.evaluated[scores.systems.index(system)]
    defined: Bools = evaluated & ~np.isnan(AUC(rel=rel)(inputs.hits_of(scores, system)))
    return defined


def curves(hits: Hits, rel: float) -> tuple[Ints, Floats, Floats]:
    """Return the corners of each query's curve: query, false and true positive rate."""
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


def _mean_curve(hits: Hits, drawn: Bools, at: Floats, rel: float) -> Floats:
    """Return the mean true positive rate of queries at each false positive rate."""
    query, across, up = curves(hits, rel)
    kept = drawn[query]
    # All curves behind each other, two apart, so that one interpolation serves them all.
    places = 2.0 * np.flatnonzero(drawn)[:, None] + at
    heights = np.interp(places, 2.0 * query[kept] + across[kept], up[kept])
    mean: Floats = heights.mean(axis=0)
    return mean


def _roc_chart(systems: Sequence[str]) -> Any:
    unit = alt.Scale(domain=[0, 1])
    chance = alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])
    curve = (
        alt.Chart(named_data("corners"))
        .mark_line()
        .encode(
            x=alt.X(
                "false_positives:Q",
                title="false positive rate (of judged and not relevant)",
                scale=unit,
            ),
            y=alt.Y("true_positives:Q", title="true positive rate (recall)", scale=unit),
            order=alt.Order("at:Q"),
            tooltip=charts.tooltips(
                "system:N",
                "false positive rate=false_positives:Q .4f",
                "true positive rate=true_positives:Q .4f",
                "AUC=auc:Q .4f",
            ),
            **line_style(systems),
        )
    )
    diagonal = (
        alt.Chart(chance)
        .mark_line(strokeDash=[2, 3], strokeWidth=1, color="#8a8a8a")
        .encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    )
    return alt.layer(diagonal, curve, *labels(systems)).properties(width=_SIDE, height=_SIDE)
