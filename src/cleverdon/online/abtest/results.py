"""What an A/B test gives: small records, which others put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from cleverdon.compare.multiplicity import WHOLE
from cleverdon.online.abtest.ratio_mismatch import SampleRatio
from cleverdon.online.days import DAY
from cleverdon.online.metrics.base import Ratio
from cleverdon.online.scripts import script
from cleverdon.online.stages import Stages

if TYPE_CHECKING:
    import ibis

GuardrailVerdict = Literal["kept", "broken", "open"]
"""Shown to be within the margin, shown to be beyond it, or neither."""


def each_level(level: float, correction: str, comparisons: int) -> float:
    """What a p-value is to reach at worst, before it is corrected."""
    return level / comparisons if comparisons and correction in WHOLE else level


@dataclass(frozen=True)
class Side:
    """One variant's side of a difference."""

    users: int
    """All who took part, also those who add nothing to this metric."""
    value: float
    """What is compared: adjusted, where CUPED was used."""
    raw: float
    """The metric as it is."""
    denominator: float
    """What the metric is divided by: so many sessions, queries, pages."""
    heaviest: float
    """The share of it that is one user's: of the one who has most."""


@dataclass(frozen=True)
class Adjustment:
    """What CUPED did: how much of the chance it took out by what users did before."""

    removed: float
    """The share of the variance of the difference that is gone."""
    known: float
    """The share of users with something before the experiment; others are not adjusted."""
    raw_difference: float
    """The difference without it."""
    p_before: float | None
    """The p-value of a difference before the experiment, where there can be none but by chance."""


@dataclass(frozen=True)
class Planning:
    """What the users at hand can show, and how many it would take; None where nobody can tell."""

    smallest: float | None
    """The smallest difference, as a share of the control's value, that is likely to be found."""
    users_needed: float | None
    """How many users, of all variants, it takes to find the wanted difference."""
    days_needed: float | None
    """After how many days from the start there are so many; infinite where never."""
    users_for_seen: float | None
    """How many users it would take to find a difference as large as the one that was seen."""


@dataclass(frozen=True)
class Effect:
    """A variant's difference to the control, on one metric."""

    metric: Ratio
    control: str
    variant: str
    sides: tuple[Side, Side] | None
    """The control's and the variant's; None where the metric is undefined in one of them."""
    difference: float | None = None
    low: float | None = None
    """The ends of the interval of the difference; of shares, no further than -1 and 1."""
    high: float | None = None
    relative: float | None = None
    """The difference as a share of the control's value; None where that is 0."""
    relative_low: float | None = None
    relative_high: float | None = None
    p: float | None = None
    """The p-value; always valid where the test is sequential. None where it cannot be tested."""
    fixed_p: float | None = None
    """The p-value of those who look once, as planned."""
    corrected: float | None = None
    """The p-value, corrected for all metrics and variants."""
    untested: str = ""
    """Why there is no p-value, where there is none."""
    adjustment: Adjustment | None = None
    planning: Planning | None = None


@dataclass(frozen=True)
class Guardrail:
    """Whether a variant is not worse than the control by more than a margin."""

    effect: Effect
    margin: float
    """How much worse it may be, as a share of the control's value."""
    p: float | None
    """Small where it is shown not to be worse by the margin or more."""
    p_beyond: float | None
    """Small where it is shown to be worse by more than the margin."""
    verdict: GuardrailVerdict

    @property
    def change(self) -> Literal["better", "worse", "not shown"]:
        """The side of 0 on which the whole interval of the difference lies, if it lies on one."""
        low, high = self.effect.low, self.effect.high
        if low is None or high is None or low <= 0 <= high:
            return "not shown"
        return "better" if (low > 0) == (self.effect.metric.better == "higher") else "worse"


@dataclass(frozen=True)
class Participants:
    """Who took part."""

    unit: str
    """What was randomised: `user`; where the log names none, `session`; or else `client`."""
    start: int
    """From when on, and until when, in milliseconds since 1970; the end is no part of it."""
    end: int
    users: Mapping[str, int]
    """How many, by variant."""
    contaminated: int
    """Users who saw more than one variant, and were left out."""
    unassigned: int
    """Users of whom no variant is known, and who are no part of the test."""
    anonymous: int
    """Searches that name no user, and are no part of the test."""
    arrivals: tuple[int, ...]
    """How many took part for the first time on each day, counted from the start."""

    @property
    def total(self) -> int:
        return sum(self.users.values())

    def counted(self, number: int) -> str:
        """`1 user`, `2 users`."""
        return f"{number:,} {self.unit if number == 1 else f'{self.unit}s'}"

    @property
    def days(self) -> float:
        return (self.end - self.start) / DAY


@dataclass(frozen=True, eq=False)
class ABTest:
    """All that an experiment gives."""

    stages: Stages
    control: str
    participants: Participants
    ratio: SampleRatio
    effects: tuple[Effect, ...]
    """By variant, then by metric."""
    guardrails: tuple[Guardrail, ...]
    correction: str
    level: float
    sequential: bool
    wanted: float
    """The difference that must not be missed, as a share of the control's value."""
    power: float
    cuped: bool
    """Whether any effect is adjusted by what users did before."""
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metrics that are usually looked at, and the columns that they would need."""
    notes: tuple[str, ...] = ()
    asked: Mapping[str, ibis.Table] = field(default_factory=dict)
    """What was asked of the engine."""

    @property
    def sql(self) -> dict[str, str]:
        """The queries that ran: those that made the tables first."""
        return script(self.stages, self.asked)

    @property
    def trusted(self) -> bool:
        """Whether users were split as they should be; if not, nothing is claimed."""
        return not self.ratio.mismatch

    @property
    def family(self) -> int:
        """How many comparisons p-values are corrected for."""
        return sum(effect.p is not None for effect in self.effects)

    @property
    def level_of_each(self) -> float:
        """What a p-value is to reach at worst, before it is corrected."""
        return each_level(self.level, self.correction, self.family)

    @property
    def variants(self) -> list[str]:
        """All but the control."""
        return [name for name in self.participants.users if name != self.control]

    def effect(self, metric: str, variant: str | None = None) -> Effect:
        """The effect on a metric: of the variant, where there are several."""
        from cleverdon.errors import OptionError, suggest

        named = [one for one in self.effects if str(one.metric).casefold() == metric.casefold()]
        found = [one for one in named if variant in (None, one.variant)]
        if not found:
            known = [str(one.metric) for one in self.effects]
            raise OptionError(f"{metric!r} was not compared{suggest(metric, dict.fromkeys(known))}")
        return found[0]
