"""The input of plots: systems, their rankings, averages and differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.text import counted
from cleverdon.charts.base import alt
from cleverdon.charts.theme import MOST_SYSTEMS
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.samples import Sample
from cleverdon.errors import OptionError, suggest
from cleverdon.formats.texts import Text
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, worst_value
from cleverdon.measures.notation import parse
from cleverdon.profiles import find_profile
from cleverdon.scores import Scores, average, has_no_value, values_to_average, why_no_value
from cleverdon.stats.tests import round_differences

_LONGEST_TEXT, _LONGEST_TIP = 80, 160  # characters of a query


def select_systems(scores: Scores, systems: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the systems that are named: one, several, or all."""
    named = scores.systems if systems is None else systems
    named = (named,) if isinstance(named, str) else tuple(named)
    for name in named:
        if name not in scores.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, scores.systems)}")
    if not named:
        raise OptionError("there is no system to draw")
    return named


def distinguishable_systems(
    scores: Scores, systems: str | Sequence[str] | None = None, baseline: str | None = None
) -> tuple[tuple[str, ...], str]:
    """Return the systems to draw, the best of too many, and a note if some are left out."""
    named = select_systems(scores, systems)
    if baseline is not None:
        select_systems(scores, baseline)
    if len(named) <= MOST_SYSTEMS:
        return named, ""
    if systems is not None:
        raise OptionError(
            f"{len(named)} systems cannot be told apart in one plot: choose {MOST_SYSTEMS} at most "
            "(--system, or systems= in Python), the best and the baseline first"
        )
    merit, which = dict.fromkeys(named, 0.0), "the first"
    for measure in [one for one in scores.measures if not one.text][:1]:
        sign = -1 if measure.better == "lower" else 1
        merit = {name: sign * scores.mean(name, measure) for name in named}
        which = f"the best by {measure}"
    best = sorted(named, key=lambda name: (name != baseline, isnan(merit[name]), -merit[name]))
    kept = set(best[:MOST_SYSTEMS])
    also = "" if baseline is None else " and the baseline"
    return tuple(name for name in named if name in kept), (
        f"{MOST_SYSTEMS} of {len(named):,} systems: {which}{also}. "
        "Choose others with cleverdon plot --system, or systems= in Python."
    )


def coloured_systems(scores: Scores, named: Sequence[str]) -> tuple[str, ...]:
    """Return the systems whose places give the colours: all, or if too many, those drawn."""
    return scores.systems if len(scores.systems) <= MOST_SYSTEMS else tuple(named)


def add_note(subtitle: str | list[str], note: str) -> str | list[str]:
    """Add a note to a subtitle, as a line of its own."""
    lines = [subtitle] if isinstance(subtitle, str) else subtitle
    return [*lines, note] if note else subtitle


def hits_of(scores: Scores, system: str, query: str | None = None) -> Hits:
    """Return one system's results, of one query or of all."""
    hits = scores.ranked().hits[system]
    if query is None:
        return hits
    if query not in scores.queries:
        raise OptionError(f"there is no query {query!r}{suggest(query, scores.queries)}")
    at = scores.queries.index(query)
    return hits.queries_between(at, at + 1)


def values_of(scores: Scores, system: str, measure: Measure) -> Floats:
    """Return the value of each query by a measure that need not be among the scores'."""
    settings = scores.about.settings
    special = find_profile(scores.about.profile).settings_of(measure, settings, ())
    if measure.uses_other_queries or special != settings or measure.text:
        raise OptionError(f"{measure} cannot be computed from the rankings that were kept")
    hits = hits_of(scores, system)
    return measure.over_ties(hits) if settings.ties == "expected" else measure(hits)


def averaged_values(scores: Scores, system: str, measure: Measure, values: Floats) -> Floats:
    """Return the values that enter a system's average; an OptionError if all are undefined."""
    evaluated = scores.evaluated[scores.systems.index(system)]
    undefined = scores.about.settings.undefined
    if has_no_value(measure, values[evaluated], undefined=undefined):
        why = why_no_value(measure, docs=scores.about.docs, top_grade=scores.about.top_grade)
        raise OptionError(f"{measure} of {system!r} cannot be drawn: it is {why}")
    return values_to_average(
        measure, values, evaluated, undefined=undefined, queries=scores.queries
    )


def mean_of(scores: Scores, system: str, measure: Measure, values: Floats) -> float:
    """Return a system's average, as scores have it."""
    return average(measure, averaged_values(scores, system, measure, values))


def queries_note(scores: Scores, measure: Measure | None = None, undefined: int = 0) -> str:
    """Note the number of queries, and the treatment of undefined values."""
    queries = counted(int(scores.evaluated.any(axis=0).sum()), "query")
    if measure is None or not undefined:
        return queries
    if scores.about.settings.undefined == "skip":
        return f"{queries}, {undefined:,} left out ({measure.undefined})"
    counts = "count" if undefined > 1 else "counts"
    return f"{queries}, {undefined:,} of which {counts} as {worst_value(measure):g}"


def count_undefined(scores: Scores, system: str, values: Floats) -> int:
    return int(np.isnan(values[scores.evaluated[scores.systems.index(system)]]).sum())


def query_line(query: str, texts: Mapping[str, str | Text] | None) -> str:
    """Write the query as a line of a subtitle, with its text if that is known."""
    text = _query_text(query, texts)
    if len(text) > _LONGEST_TEXT:
        text = text[:_LONGEST_TEXT].rstrip() + "…"
    return f"Query {query}: {text}" if text else f"Query {query}"


_MEDIAN = "median"  # in place of a baseline: the median of all systems, query by query

_OUTCOMES = {"win": "#e08214", "even": "#8f8f8f", "loss": "#8073ac"}
"""Better or worse than the baseline, in colours that no system has; as in heat maps."""


@dataclass(frozen=True, eq=False)
class Differences:
    """Systems' values less those of a baseline, or less the median, query by query."""

    sample: Sample
    baseline: str
    systems: tuple[str, ...]  # all but the baseline
    values: Floats  # systems x queries

    @property
    def gains(self) -> Floats:
        """The same, with a positive number wherever the system does better."""
        return -self.values if self.sample.measure.better == "lower" else self.values


def differences_to(
    sample: Sample, baseline: str | None, *, systems: Iterable[str] | None = None
) -> Differences:
    """Return the differences to a system, or where that is None to the median of all."""
    base = np.median(sample.values, axis=0) if baseline is None else sample.of(baseline)
    wanted = sample.systems if systems is None else tuple(systems)
    named = tuple(name for name in wanted if name != baseline)
    if not named:
        raise OptionError(
            f"{baseline!r} is the only system, and there is nothing to compare it with"
        )
    values = round_differences(np.array([sample.of(name) - base for name in named]))
    return Differences(sample, baseline or "the median of all systems", named, values)


def differences_to_named(
    sample: Sample, baseline: str, *, systems: Iterable[str] | None = None
) -> Differences:
    """Return the differences to a system, or to the median if it is called so."""
    if baseline == _MEDIAN and _MEDIAN in sample.systems:
        raise OptionError(
            "a system is called 'median', which stands for the median of all systems; give it "
            "another name: NAME=FILE on the command line, {'name': run} in Python"
        )
    return differences_to(sample, None if baseline == _MEDIAN else baseline, systems=systems)


def sample_of(comparison: Comparison, measure: str | Measure | None) -> Sample:
    """Return the comparison's sample by a measure; None stands for the only one."""
    known = {str(sample.measure): sample for sample in comparison.samples}
    if measure is None and len(known) > 1:
        raise OptionError(f"the comparison is by several measures: name one of {', '.join(known)}")
    wanted = next(iter(known)) if measure is None else str(parse(str(measure)))
    if wanted not in known:
        raise OptionError(f"{wanted} was not compared{suggest(wanted, known)}")
    return known[wanted]


def outcome(gain: float) -> str:
    """Return win, even or loss."""
    return "even" if gain == 0 else "win" if gain > 0 else "loss"


def tally(gains: Floats) -> str:
    """Write `2 wins, 1 even, 3 losses`."""
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    lost = f"{losses:,} {'loss' if losses == 1 else 'losses'}"
    return f"{counted(wins, 'win')}, {len(gains) - wins - losses:,} even, {lost}"


def outcome_colour(**options: Any) -> alt.Color:
    scale = alt.Scale(domain=list(_OUTCOMES), range=list(_OUTCOMES.values()))
    return alt.Color("outcome:N", scale=scale, **({"title": None} | options))


def measure_label(measure: Measure) -> str:
    """Write the measure for an axis."""
    return f"{measure} (lower is better)" if measure.better == "lower" else str(measure)


def sample_note(sample: Sample) -> str:
    """Note the number of queries, and the treatment of undefined values."""
    queries = counted(len(sample.queries), "query")
    if not sample.undefined:
        return queries
    undefined = counted(sample.undefined, "undefined value")
    return f"{queries}; {undefined} counted as {worst_value(sample.measure):g}"


def win_note(measure: Measure) -> str:
    """Explain a win, where lower values are better."""
    words = {"lower": " A win is a lower value.", "neither": " A win is a higher value."}
    return words.get(measure.better, "")


def short_query_text(query: str, texts: Mapping[str, str | Text] | None) -> str:
    """Write a query's text for a tooltip, without its end if it is long."""
    text = _query_text(query, texts)
    return text if len(text) <= _LONGEST_TIP else text[: _LONGEST_TIP - 1].rstrip() + "…"


def _query_text(query: str, texts: Mapping[str, str | Text] | None) -> str:
    text = (texts or {}).get(query, "")
    return text.line if isinstance(text, Text) else " ".join(text.split())
