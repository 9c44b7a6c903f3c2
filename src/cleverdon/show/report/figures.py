"""The plots of a report: a specification each, and its rows for all that a reader can pick.

A plot is drawn once, with marks in place of the names of measure and baseline; the page puts the
names there, and the rows that belong to them. What a plot varies by is a measure, a pair (a measure
and a baseline) or a system, as indices; -1 is no baseline. Where rows would be too many, a topic
each for every measure and baseline, the page makes them from the values: `assets/rows.js` has the
same columns. Those plots vary by the topics that are picked, or by the one that is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cleverdon.compare.paired import Comparison
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.standings import Standings
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.page.figure import WIDE, Figure, of_drawn, packed, spec_of
from cleverdon.show.plot import (
    attention,
    bounds,
    confusion,
    correlation,
    eleven_points,
    f_lines,
    gains,
    grades_by_rank,
    roc,
)
from cleverdon.show.plot.attention import attention_rows, gains_rows
from cleverdon.show.plot.base import Chart, Datasets, unchecked
from cleverdon.show.plot.by_cutoff import by_cutoff_chart, by_cutoff_rows, cut_measures
from cleverdon.show.plot.by_topic import heat_map_chart, topics_chart
from cleverdon.show.plot.confusion import confusion_rows
from cleverdon.show.plot.engine.pareto import TIME, pareto_chart, pareto_notes, pareto_rows
from cleverdon.show.plot.forest import forest_chart, forest_rows, has_intervals
from cleverdon.show.plot.grades_by_rank import grades_by_rank_rows
from cleverdon.show.plot.histogram import (
    differences_chart,
    differences_rows,
    histogram_chart,
    histogram_rows,
)
from cleverdon.show.plot.kept import coloured, told_apart
from cleverdon.show.plot.matrix import MOST_NAMES, matrix_chart
from cleverdon.show.plot.pairs import pairs_rows
from cleverdon.show.plot.precision_recall import precision_recall_chart
from cleverdon.show.plot.spread import spread_chart, spread_rows
from cleverdon.show.plot.topicwise import differences_to
from cleverdon.show.plot.trade_off import names_note, trade_off_chart, trade_off_rows

MEASURE, BASELINE, OTHER, SYSTEM = "⟦measure⟧", "⟦baseline⟧", "⟦other⟧", "⟦system⟧"
"""What stands in specifications and titles in place of names; the other is a second measure."""
CUTOFFS = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 70, 100)
_MOST_GRADES = 10
_ALONE = 720
"""Pixels of a plot that has a row for itself, and names that reach beyond it."""
_MOST_SMALL = 8
"""Systems whose matrix of pairs fits in half a row."""
_TOP = 10
"""Where rankings are cut in plots of sets."""


def figures(
    scores: Scores, comparisons: Sequence[Comparison], standings: Sequence[Standings] = ()
) -> list[Figure]:
    """Every plot that these scores give rise to, those that matter most first."""
    measures = [measure for measure in scores.measures if not measure.text]
    of = samples(scores, measures=measures)
    with unchecked():  # tests hold the charts against the schema
        made = [
            *_of_costs(scores, standings),
            *_of_comparisons(scores, of, comparisons),
            *_of_topics(scores, of),
            *_of_measures(scores, of),
        ]
        if scores.rankings is not None:
            baseline = comparisons[0].baseline if comparisons else None
            made += _of_rankings(scores, of, baseline)
    return made


def _of_costs(scores: Scores, standings: Sequence[Standings]) -> Iterator[Figure]:
    if not any(one.cost(TIME) for found in standings[:1] for one in found.systems):
        return
    yield Figure(
        "pareto",
        f"{MEASURE} against response time",
        " ".join(pareto_notes(standings[0])),
        "measure",
        spec_of(pareto_chart(scores.systems, MEASURE), width=_ALONE),
        {str(m): packed(pareto_rows(found, width=_ALONE)) for m, found in enumerate(standings)},
        wide=True,
        place="cost-figures",
        fits=False,  # names are placed beside points for this width
    )


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
        yield Figure(
            "forest",
            "Differences and their intervals" if known else "Differences",
            "Filled: told apart from chance. "
            + (
                "Intervals are not corrected for how many there are."
                if known
                else "There are too few topics for intervals."
            ),
            "pair",
            spec_of(forest_chart(scores.systems, BASELINE)),
            {
                f"{place[sample.measure]} {b}": packed(forest_rows(comparison, sample.measure))
                for b, comparison in against
                for sample in comparison.samples
            },
        )
    for pairs in comparisons:
        if pairs.baseline is None and 2 < len(scores.systems) <= MOST_NAMES:
            yield Figure(
                "pairs",
                "p-values of all pairs",
                "Orange: the row is better than the column; purple: it is not. "
                f"Bold: p ≤ {pairs.level:g}, corrected over all pairs and measures.",
                "measure",
                spec_of(matrix_chart(scores.systems, "difference", "p", "corrected")),
                {
                    place[sample.measure]: packed(pairs_rows(pairs, sample.measure))
                    for sample in pairs.samples
                },
                wide=len(scores.systems) > _MOST_SMALL,
            )


def _of_topics(scores: Scores, of: Sequence[Sample]) -> Iterator[Figure]:
    systems = scores.systems
    yield Figure(
        "spread",
        "How topics spread",
        "Box: quartiles and median. Diamond: mean. Whiskers: 1.5 boxes at most.",
        "measure",
        spec_of(spread_chart(systems, MEASURE)),
        {str(m): packed(spread_rows(sample)) for m, sample in enumerate(of)},
    )
    if len(systems) > 1:
        yield Figure(
            "topics",
            f"Where {SYSTEM} gains and loses",
            "A bar for each of the picked topics, the best first; click one to see its rankings.",
            "topics",
            spec_of(topics_chart(systems, MEASURE, BASELINE), width=WIDE),
            {},
            wide=True,
        )
    yield Figure(
        "heat_map",
        "Topics and systems",
        "A column for each of the picked topics, the hardest first; click one to see its rankings.",
        "topics",
        spec_of(heat_map_chart(systems, MEASURE), width=WIDE),
        {},
        wide=True,
    )
    yield Figure(
        "histogram",
        "How many topics have which value",
        "Line: mean.",
        "measure",
        spec_of(histogram_chart(systems, MEASURE)),
        {str(m): packed(histogram_rows(sample)) for m, sample in enumerate(of)},
    )
    if len(systems) > 1:
        yield Figure(
            "differences",
            "How many topics gain or lose how much",
            "Against the baseline, or the median of all systems where there is none.",
            "pair",
            spec_of(differences_chart(systems, MEASURE, BASELINE)),
            {
                f"{m} {b}": packed(
                    differences_rows(differences_to(sample, None if b < 0 else systems[b]))
                )
                for m, sample in enumerate(of)
                for b in range(-1, len(systems))
            },
        )


def _of_measures(scores: Scores, of: Sequence[Sample]) -> Iterator[Figure]:
    many = len(scores.systems)
    if len(of) > 1 and many > 1:
        # The first measure against the second, and every other against the first.
        yield Figure(
            "trade_off",
            "Trade-off of two measures",
            " ".join(
                ["Filled and joined: no other system is better by both.", names_note(many)]
            ).strip(),
            "measure",
            spec_of(trade_off_chart(scores.systems, MEASURE, OTHER)),
            {
                str(m): packed(trade_off_rows(sample, of[0 if m else 1], scores))
                for m, sample in enumerate(of)
            },
            fits=False,  # as of "pareto"
        )
        yield from _fixed("correlation", lambda: correlation(scores, measures=_names(of)))
    yield from _fixed("attention", lambda: attention(_answering(of, attention_rows)))
    yield from _fixed("gains", lambda: gains(_answering(of, gains_rows), grades=_grades(scores)))
    if scores.bounds:
        yield from _fixed("bounds", lambda: bounds(scores, _names(of)))


def _of_rankings(scores: Scores, of: Sequence[Sample], baseline: str | None) -> Iterator[Figure]:
    drawn, note = told_apart(scores, baseline=baseline)
    deepest = max(run.deepest for run in scores.about.runs.values())
    cutoffs = [k for k in CUTOFFS if k <= deepest] or [1]
    cut = {}
    families: dict[Measure, dict[str, Any]] = {}  # nDCG@10 and nDCG@20 are of one, for instance
    for m, sample in enumerate(of):
        try:
            family = cut_measures(scores, sample.measure, cutoffs)
            if family[0] not in families:
                families[family[0]] = packed(by_cutoff_rows(scores, family, cutoffs, systems=drawn))
            cut[str(m)] = families[family[0]]
        except OptionError:  # it has no cut-off
            continue
    if cut:
        yield Figure(
            "by_cutoff",
            "The measure at each cut-off",
            f"Of measures that have one. {note}".strip(),
            "measure",
            spec_of(by_cutoff_chart(coloured(scores, drawn), f"{MEASURE}, cut at k", points=True)),
            cut,
        )
    yield from _fixed("eleven_points", lambda: eleven_points(scores, baseline=baseline))
    yield from _fixed("roc", lambda: roc(scores, baseline=baseline))
    yield from _fixed("f_lines", lambda: f_lines(scores, k=_TOP, baseline=baseline))
    first, *others = scores.systems
    for id, chart, rows in (
        (
            "confusion",
            confusion(scores, k=_TOP, systems=first),
            [confusion_rows(scores, k=_TOP, systems=[name]) for name in others],
        ),
        (
            "grades_by_rank",
            grades_by_rank(scores, systems=first),
            [grades_by_rank_rows(scores, systems=[name]) for name in others],
        ),
    ):
        by_system = {str(s): of for s, of in enumerate(rows, start=1)}
        yield of_drawn(id, chart, by_system, varies="system", first="0")
    yield Figure(
        "precision_recall",
        "Precision and recall",
        f"Of the topic that is shown, by {SYSTEM}.",
        "topic",
        spec_of(precision_recall_chart()),
        {},
        place="topic-figures",
    )


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
    yield of_drawn(id, drawn)
