"""The figures of a report.

A figure is drawn once, with marks in place of the names of measure and baseline; the page puts
the names there, and the rows that belong to them. A figure varies by a measure, a pair (a measure
and a baseline) or a system, as indices; -1 is no baseline. If rows would be too many, one for each
query, measure and baseline, the page makes them from the values: `assets/rows.js` has the same
columns. Those figures vary by the queries that are picked, or by the one that is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from cleverdon.by_rank import cut_measures
from cleverdon.charts.base import Chart, Datasets, without_validation
from cleverdon.charts.matrices import MOST_NAMES, matrix_chart
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.samples import Sample, samples
from cleverdon.comparison.tradeoffs import Tradeoffs
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.pages.page import WIDE, Figure, figure_of_chart, varying_figure
from cleverdon.plots.by_query import heat_map_chart, queries_chart
from cleverdon.plots.comparisons import bounds, forest_chart, forest_rows, has_intervals, pairs_rows
from cleverdon.plots.curves import eleven_points, precision_recall_chart, roc
from cleverdon.plots.cutoff_curves import by_cutoff_chart, by_cutoff_rows
from cleverdon.plots.distributions import (
    differences_chart,
    differences_rows,
    histogram_chart,
    histogram_rows,
    spread_chart,
    spread_rows,
)
from cleverdon.plots.inputs import coloured_systems, differences_to, distinguishable_systems
from cleverdon.plots.matrices import (
    confusion,
    confusion_rows,
    correlation,
    grades_by_rank,
    grades_by_rank_rows,
)
from cleverdon.plots.trade_offs import (
    TIME,
    f_lines,
    names_note,
    pareto_chart,
    pareto_notes,
    pareto_rows,
    trade_off_chart,
    trade_off_rows,
)
from cleverdon.plots.user_models import attention, attention_rows, gains, gains_rows
from cleverdon.scores import Scores

MEASURE, BASELINE, OTHER, SYSTEM = "⟦measure⟧", "⟦baseline⟧", "⟦other⟧", "⟦system⟧"
"""Placeholders for names in specifications and titles; the other is a second measure."""
_CUTOFFS = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 70, 100)
_MOST_GRADES = 10
_ALONE = 720
"""Pixels of a plot that has a row for itself, and names that reach beyond it."""
_MOST_SMALL = 8
"""Systems whose matrix of pairs fits in half a row."""
_TOP = 10
"""The cut-off of rankings in plots of sets."""


def report_figures(
    scores: Scores, comparisons: Sequence[Comparison], tradeoffs: Sequence[Tradeoffs] = ()
) -> list[Figure]:
    """Every plot that these scores give rise to, those that matter most first."""
    measures = [measure for measure in scores.measures if not measure.text]
    of = samples(scores, measures=measures)
    with without_validation():  # tests hold the charts against the schema
        made = [
            *_of_costs(scores, tradeoffs),
            *_of_comparisons(scores, of, comparisons),
            *_of_queries(scores, of),
            *_of_measures(scores, of),
        ]
        if scores.rankings is not None:
            baseline = comparisons[0].baseline if comparisons else None
            made += _of_rankings(scores, of, baseline)
    return made


def _of_costs(scores: Scores, tradeoffs: Sequence[Tradeoffs]) -> Iterator[Figure]:
    if not any(one.cost(TIME) for found in tradeoffs[:1] for one in found.systems):
        return
    yield _by_measure(
        "pareto",
        f"{MEASURE} against response time",
        " ".join(pareto_notes(tradeoffs[0])),
        pareto_chart(scores.systems, MEASURE),
        [pareto_rows(found, width=_ALONE) for found in tradeoffs],
        width=_ALONE,
        wide=True,
        place="cost-figures",
        fits=False,  # names are placed beside points for this width
    )


def _by_measure(
    id: str, title: str, caption: str, chart: Any, rows: Iterable[Datasets], **layout: Any
) -> Figure:
    keyed = {str(m): one for m, one in enumerate(rows)}
    return varying_figure(id, title, caption, chart, keyed, varies="measure", **layout)


def _of_comparisons(
    scores: Scores, of: Sequence[Sample], comparisons: Sequence[Comparison]
) -> Iterator[Figure]:
    place = {sample.measure: str(m) for m, sample in enumerate(of)}
    against = [
        (scores.systems.index(comparison.baseline), comparison)
        for comparison in comparisons
        if comparison.baseline is not None
    ]
    if against:
        known = has_intervals(against[0][1])
        note = "There are too few queries for intervals."
        if known:
            note = "Thin: intervals adjusted for how many there are, as p-values are."
            if any(found.family > 1 for found in against[0][1].differences):
                note += " Thick: not adjusted."
        yield varying_figure(
            "forest",
            "Differences and their intervals" if known else "Differences",
            f"Filled: told apart from chance. {note}",
            forest_chart(scores.systems, BASELINE),
            {
                f"{place[sample.measure]} {b}": forest_rows(comparison, sample.measure)
                for b, comparison in against
                for sample in comparison.samples
            },
            varies="pair",
        )
    for pairs in comparisons:
        if pairs.baseline is None and 2 < len(scores.systems) <= MOST_NAMES:
            yield varying_figure(
                "pairs",
                "p-values of all pairs",
                "Orange: the row is better than the column; purple: it is not. "
                f"Bold: p ≤ {pairs.level:g}, corrected over all pairs.",
                matrix_chart(scores.systems, "difference", "p", "corrected"),
                {place[one.measure]: pairs_rows(pairs, one.measure) for one in pairs.samples},
                varies="measure",
                wide=len(scores.systems) > _MOST_SMALL,
            )


def _of_queries(scores: Scores, of: Sequence[Sample]) -> Iterator[Figure]:
    systems = scores.systems
    yield _by_measure(
        "spread",
        "How queries spread",
        "Box: quartiles and median. Diamond: mean. Whiskers: 1.5 boxes at most.",
        spread_chart(systems, MEASURE),
        map(spread_rows, of),
    )
    picked: dict[str, Any] = {"varies": "queries", "width": WIDE, "wide": True}
    if len(systems) > 1:
        caption = "A bar for each of the picked queries, the best first"
        yield varying_figure(
            "queries",
            f"Where {SYSTEM} gains and loses",
            f"{caption}; click one to see its rankings.",
            queries_chart(systems, MEASURE, BASELINE),
            {},
            **picked,
        )
    yield varying_figure(
        "heat_map",
        "Queries and systems",
        "A column for each selected query, the hardest first; click one to see its rankings.",
        heat_map_chart(systems, MEASURE),
        {},
        **picked,
    )
    chart = histogram_chart(systems, MEASURE)
    title = "How many queries have which value"
    yield _by_measure("histogram", title, "Line: mean.", chart, map(histogram_rows, of))
    if len(systems) > 1:
        yield varying_figure(
            "differences",
            "How many queries gain or lose how much",
            "Against the baseline, or the median of all systems where there is none.",
            differences_chart(systems, MEASURE, BASELINE),
            {
                f"{m} {b}": differences_rows(differences_to(sample, None if b < 0 else systems[b]))
                for m, sample in enumerate(of)
                for b in range(-1, len(systems))
            },
            varies="pair",
        )


def _of_measures(scores: Scores, of: Sequence[Sample]) -> Iterator[Figure]:
    many = len(scores.systems)
    if len(of) > 1 and many > 1:
        # The first measure against the second, and every other against the first.
        yield _by_measure(
            "trade_off",
            "Trade-off of two measures",
            f"Filled and joined: no other system is better by both. {names_note(many)}".strip(),
            trade_off_chart(scores.systems, MEASURE, OTHER),
            [trade_off_rows(one, of[0 if m else 1], scores) for m, one in enumerate(of)],
            fits=False,  # as of "pareto"
        )
        yield from _fixed("correlation", lambda: correlation(scores, measures=_names(of)))
    yield from _fixed("attention", lambda: attention(_answering(of, attention_rows)))
    yield from _fixed("gains", lambda: gains(_answering(of, gains_rows), grades=_grades(scores)))
    if scores.bounds:
        yield from _fixed("bounds", lambda: bounds(scores, _names(of)))


def _of_rankings(scores: Scores, of: Sequence[Sample], baseline: str | None) -> Iterator[Figure]:
    drawn, note = distinguishable_systems(scores, baseline=baseline)
    deepest = max(run.deepest for run in scores.about.runs.values())
    cutoffs = [k for k in _CUTOFFS if k <= deepest] or [1]
    cut = {}
    families: dict[Measure, Datasets] = {}  # nDCG@10 and nDCG@20 are of one, for instance
    for m, sample in enumerate(of):
        try:
            family = cut_measures(scores, sample.measure, cutoffs)
            if family[0] not in families:
                rows = by_cutoff_rows(scores, family, cutoffs, systems=drawn)
                families[family[0]] = rows
            cut[str(m)] = families[family[0]]
        except OptionError:  # it has no cut-off
            continue
    if cut:
        coloured = coloured_systems(scores, drawn)
        yield varying_figure(
            "by_cutoff",
            "The measure at each cut-off",
            f"Of measures that have one. {note}".strip(),
            by_cutoff_chart(coloured, f"{MEASURE}, cut at k", points=True),
            cut,
            varies="measure",
        )
    yield from _fixed("eleven_points", lambda: eleven_points(scores, baseline=baseline))
    yield from _fixed("roc", lambda: roc(scores, baseline=baseline))
    yield from _fixed("f_lines", lambda: f_lines(scores, k=_TOP, baseline=baseline))
    others = list(enumerate(scores.systems))[1:]
    for id, chart, rows_of in (
        ("confusion", partial(confusion, k=_TOP), partial(confusion_rows, k=_TOP)),
        ("grades_by_rank", grades_by_rank, grades_by_rank_rows),
    ):
        rest = {str(s): rows_of(scores, systems=[name]) for s, name in others}
        first = chart(scores, systems=scores.systems[0])
        yield figure_of_chart(id, first, rest, varies="system", first="0")
    caption = f"Of the query that is shown, by {SYSTEM}."
    chart, place = precision_recall_chart(), "query-figures"
    title = "Precision and recall"
    yield varying_figure("precision_recall", title, caption, chart, {}, varies="query", place=place)


def _grades(scores: Scores) -> tuple[float, ...]:
    """From 0 to the highest of the judgments, where that is known and a few steps away."""
    top = 4.0 if scores.rankings is None else scores.rankings.judgments.judged.top_grade
    return tuple(range(int(top) + 1)) if 1 <= top <= _MOST_GRADES and top.is_integer() else (0, 1)


def _names(of: Sequence[Sample]) -> list[str]:
    return [str(sample.measure) for sample in of]


def _answering(of: Sequence[Sample], rows: Callable[[list[Measure]], Datasets]) -> list[Measure]:
    """The measures that such a plot can be drawn of."""
    found = []
    for sample in of:
        try:
            rows([sample.measure])
        except OptionError:
            continue
        found.append(sample.measure)
    if not found:
        raise OptionError("none of the measures can be drawn")
    return found


def _fixed(id: str, draw: Callable[[], Chart]) -> Iterator[Figure]:
    """A plot that nothing can be picked for; none where these scores do not give it."""
    try:
        drawn = draw()
    except OptionError:
        return
    yield figure_of_chart(id, drawn)
