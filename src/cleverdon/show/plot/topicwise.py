"""What plots of topics share: what they rest on, and differences to a baseline or to the median."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.aggregate import worst_value
from cleverdon.arrays import Floats
from cleverdon.compare.paired import Comparison
from cleverdon.compare.samples import Sample
from cleverdon.compare.tests import settled
from cleverdon.errors import OptionError, suggest
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.show.grid import counted
from cleverdon.show.plot.base import alt

MEDIAN = "median"
"""In place of a baseline: the median of all systems, topic by topic."""

OUTCOMES = {"win": "#e08214", "even": "#8f8f8f", "loss": "#8073ac"}
"""Better or worse than the baseline, in colours that no system has; as in heat maps."""


@dataclass(frozen=True, eq=False)
class Differences:
    """Systems' values less those of a baseline, or less the median, topic by topic."""

    sample: Sample
    against: str
    systems: tuple[str, ...]  # all but the baseline
    values: Floats  # systems x topics

    @property
    def gains(self) -> Floats:
        """The same, with a positive number wherever the system does better."""
        return -self.values if self.sample.measure.better == "lower" else self.values


def differences_to(
    sample: Sample, against: str | None, *, systems: Iterable[str] | None = None
) -> Differences:
    """The differences to a system, or where that is None to the median of all.

    `systems` are those whose differences are wanted; the median is of all systems in any case.
    """
    base = np.median(sample.values, axis=0) if against is None else sample.of(against)
    wanted = sample.systems if systems is None else tuple(systems)
    named = tuple(name for name in wanted if name != against)
    if not named:
        raise OptionError(f"there is no system but {against!r}, and nothing to compare with it")
    values = settled(np.array([sample.of(name) - base for name in named]))
    return Differences(sample, against or "the median of all systems", named, values)


def baseline_named(against: str, systems: Sequence[str]) -> str | None:
    """The system that is meant; None is the median, which is called so unless a system is."""
    if against != MEDIAN:
        return against
    if MEDIAN in systems:
        raise OptionError(
            "a system is called 'median', which stands for the median of all systems; give it "
            "another name: NAME=FILE on the command line, {'name': run} in Python"
        )
    return None


def sample_of(comparison: Comparison, measure: str | Measure | None) -> Sample:
    """The comparison's sample by this measure, which need not be named where there is one."""
    known = {str(sample.measure): sample for sample in comparison.samples}
    if measure is None and len(known) > 1:
        raise OptionError(f"the comparison is by several measures: name one of {', '.join(known)}")
    wanted = next(iter(known)) if measure is None else str(parse(str(measure)))
    if wanted not in known:
        raise OptionError(f"{wanted} was not compared{suggest(wanted, known)}")
    return known[wanted]


def outcome(gain: float) -> str:
    """A word of `OUTCOMES`."""
    return "even" if gain == 0 else "win" if gain > 0 else "loss"


def tally(gains: Floats) -> str:
    """`2 wins, 1 even, 3 losses`."""
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    lost = f"{losses:,} {'loss' if losses == 1 else 'losses'}"
    return f"{counted(wins, 'win')}, {len(gains) - wins - losses:,} even, {lost}"


def outcome_colour(**options: Any) -> alt.Color:
    """The colour of a row's `outcome`."""
    scale = alt.Scale(domain=list(OUTCOMES), range=list(OUTCOMES.values()))
    return alt.Color("outcome:N", scale=scale, **({"title": None} | options))


def named(measure: Measure) -> str:
    """The measure as axes have it."""
    return f"{measure} (lower is better)" if measure.better == "lower" else str(measure)


def rests_on(sample: Sample) -> str:
    """How many topics, and what became of undefined values."""
    topics = counted(len(sample.topics), "topic")
    if not sample.undefined:
        return topics
    undefined = counted(sample.undefined, "undefined value")
    return f"{topics}; {undefined} counted as {worst_value(sample.measure):g}"


def winning(measure: Measure) -> str:
    """What a win is, where that is not plain."""
    words = {"lower": " A win is a lower value.", "neither": " A win is a higher value."}
    return words.get(measure.better, "")


def text_of(topic: str, texts: Mapping[str, str] | None) -> str:
    """A topic's text as a tooltip shows it: without its end where it is long."""
    text = " ".join((texts or {}).get(topic, "").split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"


_LONGEST = 160


def exactly(*fields: str) -> list[alt.Tooltip]:
    """Numbers in a tooltip, under the names that they have in the rows."""
    return [alt.Tooltip(f"{name}:Q", format=".4f", title=_words(name)) for name in fields]


def _words(name: str) -> str:
    return name.replace("_", " ")


def panels(chart: Any, dataset: Any, **options: Any) -> Any:
    """The chart once for each `panel` of the rows, one below the other, by their `place`."""
    header = alt.Header(labelAnchor="start", labelFontWeight="bold", labelPadding=3, title=None)
    place = alt.EncodingSortField(field="place", op="min")
    facet = alt.Facet("panel:N", sort=place, header=header)
    return chart.properties(**options).facet(facet, data=dataset, columns=1, spacing=14)
