"""What plots of rankings draw from: systems, their rankings, and averages over queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

import numpy as np

from cleverdon.aggregate import average, settled, unknown, why_unknown, worst_value
from cleverdon.arrays import Floats
from cleverdon.errors import OptionError, suggest
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile as find_profile
from cleverdon.scores import Scores
from cleverdon.show.grid import counted

MOST_SYSTEMS = 15
"""Systems that one plot can tell apart by colours and dashes."""
_LONGEST_TEXT = 80


def chosen(scores: Scores, systems: str | Sequence[str] | None) -> tuple[str, ...]:
    """The systems that are meant: one, several, or all."""
    named = scores.systems if systems is None else systems
    named = (named,) if isinstance(named, str) else tuple(named)
    for name in named:
        if name not in scores.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, scores.systems)}")
    if not named:
        raise OptionError("there is no system to draw")
    return named


def told_apart(
    scores: Scores, systems: str | Sequence[str] | None = None, baseline: str | None = None
) -> tuple[tuple[str, ...], str]:
    """The systems that a plot draws as a line or a mark each, and a note if some are left out.

    Where there are too many to tell apart, it draws the best by the first measure of the scores,
    and the `baseline`.
    """
    named = chosen(scores, systems)
    if baseline is not None:
        chosen(scores, baseline)
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


def coloured(scores: Scores, named: Sequence[str]) -> tuple[str, ...]:
    """The systems whose places give the colours: all, so that each has one colour in all plots.

    Where they are more than can be told apart, those that are drawn.
    """
    return scores.systems if len(scores.systems) <= MOST_SYSTEMS else tuple(named)


def with_note(subtitle: str | list[str], note: str) -> str | list[str]:
    """The subtitle, and the note as a line of its own where there is one."""
    lines = [subtitle] if isinstance(subtitle, str) else subtitle
    return [*lines, note] if note else subtitle


def hits_of(scores: Scores, system: str, query: str | None = None) -> Hits:
    """One system's results, of one query or of all."""
    hits = scores.ranked().hits[system]
    if query is None:
        return hits
    if query not in scores.queries:
        raise OptionError(f"there is no query {query!r}{suggest(query, scores.queries)}")
    at = scores.queries.index(query)
    return hits.queries_between(at, at + 1)


def values_of(scores: Scores, system: str, measure: Measure) -> Floats:
    """The value of each query by a measure that need not be among those of the scores."""
    settings = scores.about.settings
    special = find_profile(scores.about.profile).settings_of(measure, settings, ())
    if measure.looks_elsewhere or special != settings or measure.text:
        raise OptionError(f"{measure} cannot be computed from the rankings that were kept")
    hits = hits_of(scores, system)
    return measure.over_ties(hits) if settings.ties == "expected" else measure(hits)


def entering(scores: Scores, system: str, measure: Measure, values: Floats) -> Floats:
    """The values that enter a system's average, undefined ones as the settings have it.

    An OptionError says why, where the measure is undefined for every query.
    """
    evaluated = scores.evaluated[scores.systems.index(system)]
    undefined = scores.about.settings.undefined
    if unknown(measure, values[evaluated], undefined=undefined):
        why = why_unknown(measure, docs=scores.about.docs)
        raise OptionError(f"{measure} of {system!r} cannot be drawn: it is {why}")
    return settled(measure, values, evaluated, undefined=undefined, queries=scores.queries)


def mean_of(scores: Scores, system: str, measure: Measure, values: Floats) -> float:
    """A system's average, as scores have it."""
    return average(measure, entering(scores, system, measure, values))


def resting_on(scores: Scores, measure: Measure | None = None, undefined: int = 0) -> str:
    """How many topics a plot rests on, and what became of those that a measure is undefined for."""
    topics = counted(int(scores.evaluated.any(axis=0).sum()), "topic")
    if measure is None or not undefined:
        return topics
    if scores.about.settings.undefined == "skip":
        return f"{topics}, {undefined:,} left out ({measure.undefined})"
    counts = "count" if undefined > 1 else "counts"
    return f"{topics}, {undefined:,} of which {counts} as {worst_value(measure):g}"


def undefined_in(scores: Scores, system: str, values: Floats) -> int:
    """How many of a system's queries have no value."""
    return int(np.isnan(values[scores.evaluated[scores.systems.index(system)]]).sum())


def topic_said(query: str, texts: Mapping[str, str] | None) -> str:
    """The topic as a line of a subtitle, with its text where that is known."""
    text = " ".join((texts or {}).get(query, "").split())
    if len(text) > _LONGEST_TEXT:
        text = text[:_LONGEST_TEXT].rstrip() + "…"
    return f"Topic {query}: {text}" if text else f"Topic {query}"
