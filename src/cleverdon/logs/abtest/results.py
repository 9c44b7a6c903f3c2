"""Results of an A/B test: participants, sample ratio, effects, guardrails, claims, doubts.

A sample-ratio mismatch means that users are missing for a reason, which probably changed the
metrics as well. It is tested first; if there is one, nothing is claimed. Fabijan et al. 2019,
doi:10.1145/3292500.3330722.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from cleverdon._common.text import counted
from cleverdon.comparison.claims import ClaimVerdict
from cleverdon.comparison.doubts import Doubt
from cleverdon.errors import OptionError, suggest
from cleverdon.logs.abtest.tables import (
    abtest_text,
    claim_record,
    effects_table,
    guardrail_record,
)
from cleverdon.logs.calendar import DAY
from cleverdon.logs.metrics.base import Ratio
from cleverdon.logs.session_tables import SessionTables
from cleverdon.logs.sql import sql_script
from cleverdon.stats.multiple_comparisons import holm
from cleverdon.stats.tests import split_p_value
from cleverdon.tables.result import Result, as_json, fields_as_json, in_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    import ibis

    from cleverdon.charts.base import Chart


GuardrailVerdict = Literal["kept", "broken", "open"]
"""Shown to be within the margin, shown to be outside it, or neither."""


class Limits(NamedTuple):
    """The ends of an interval: of the difference, and of it as a share of the control's value."""

    low: float
    high: float
    relative_low: float | None
    relative_high: float | None


@dataclass(frozen=True)
class Side:
    """One variant's side of a difference."""

    users: int  # all participants, also those without a value of this metric
    value: float  # the value that is compared, with the adjustment by CUPED
    raw: float  # the value without adjustment
    denominator: float  # of the metric: the number of sessions, queries or pages
    heaviest: float  # the largest share of the denominator that one user has


@dataclass(frozen=True)
class Adjustment:
    """The adjustment by CUPED: the variance that the users' past explains."""

    removed: float  # the share of the variance of the difference that it removed
    known: float  # the share of users with data from before; others are not adjusted
    raw_difference: float  # the difference without adjustment
    p_before: float | None  # of the difference before the experiment, which is due to chance


@dataclass(frozen=True)
class Planning:
    """The difference that the test can detect, and the users needed; None if unknown."""

    level: float  # the p-value that is needed, before any correction
    smallest: float | None  # the smallest relative difference that is likely to be detected
    users_needed: float | None  # of all variants, to detect the wanted difference
    days_needed: float | None  # from the start until there are that many; may be infinite


@dataclass(frozen=True)
class Effect:
    """A variant's difference to the control, on one metric.

    >>> from cleverdon.logs.metrics.base import find_metric
    >>> effect = Effect(find_metric("Success"), "A", "B", None, difference=0.1, corrected=0.01)
    >>> effect.verdict(level=0.05), effect.verdict(level=0.001)
    ('better', 'not shown')
    """

    metric: Ratio = field(metadata=in_json(None))
    control: str
    variant: str
    sides: tuple[Side, Side] | None = field(metadata=in_json(None))  # None: undefined in one
    difference: float | None = None
    low: float | None = None  # the interval of the difference, adjusted for the family;
    high: float | None = None  # of shares, within -1 and 1
    relative: float | None = None  # as a share of the control's value; None if that is 0
    relative_low: float | None = None  # None also if the control's value may be 0
    relative_high: float | None = None
    unadjusted_low: float | None = None  # the intervals of this comparison by itself
    unadjusted_high: float | None = None
    unadjusted_relative_low: float | None = None
    unadjusted_relative_high: float | None = None
    confidence: float | None = None
    p: float | None = None  # always valid if the test is sequential; None if it cannot be tested
    fixed_p: float | None = None  # the p-value for a single look
    corrected: float | None = None  # the p-value, corrected for the family
    family: int = 1  # the comparisons that p-value and interval are corrected for
    primary: bool = True  # whether it is in the family that decides
    untested: str = ""  # the reason why there is no p-value
    adjustment: Adjustment | None = None
    planning: Planning | None = None

    def verdict(self, level: float) -> ClaimVerdict:
        """Return whether the variant is better or worse on the metric."""
        if self.corrected is None or self.corrected > level or not self.difference:
            return "not shown"
        higher = self.difference > 0
        if self.metric.better == "neither":
            return "higher" if higher else "lower"
        return "better" if higher == (self.metric.better == "higher") else "worse"

    @property
    def told_relative(self) -> float | None:
        """The relative difference where it has an interval, or where not even the difference has.

        If the control's value may be 0, any share of it is possible.
        """
        unknown = self.low is not None and self.relative_low is None
        return None if unknown else self.relative

    @property
    def excludes_zero(self) -> bool:
        """Whether there is an interval, and 0 is outside."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high

    def within(self, limits: Limits, confidence: float, *, unadjusted: Limits) -> Effect:
        """Return the effect with these intervals."""
        alone = {f"unadjusted_{name}": end for name, end in unadjusted._asdict().items()}
        return replace(self, confidence=confidence, **limits._asdict(), **alone)

    def to_dict(self) -> dict[str, Any]:
        """Return the effect for JSON, with the sides under the names of the variants."""
        metric, names = self.metric, (self.control, self.variant)
        sides = self.sides and dict(zip(names, self.sides, strict=True))
        record = {"metric": str(metric), "better": metric.better, "over": metric.over}
        return {**record, "sides": as_json(sides), **fields_as_json(self)}


@dataclass(frozen=True)
class Guardrail:
    """The test that a variant is not worse than the control by more than a margin.

    Its intervals are not adjusted. They have the confidence that goes with a one-sided test at each
    end: the margin is outside exactly where the guardrail is kept or broken.

    >>> from cleverdon.logs.metrics.base import find_metric
    >>> effect = Effect(find_metric("Latency"), "A", "B", None, low=1.0, high=3.0)
    >>> Guardrail(effect, margin=0.02, p=0.6, p_beyond=0.4, verdict="open").change
    'worse'
    """

    effect: Effect = field(metadata=in_json(None))
    margin: float  # as a share of the control's value
    p: float | None = field(metadata=in_json("p_kept"))  # small if it is within the margin
    p_beyond: float | None = field(metadata=in_json("p_broken"))  # small if it is outside
    verdict: GuardrailVerdict = field(metadata=in_json(None))

    def to_dict(self) -> dict[str, Any]:
        return {**fields_as_json(self), **self.effect.to_dict()}

    @property
    def change(self) -> Literal["better", "worse", "not shown"]:
        """The direction of the difference, if its interval excludes 0."""
        low = self.effect.low
        if low is None or not self.effect.excludes_zero:
            return "not shown"
        return "better" if (low > 0) == (self.effect.metric.better == "higher") else "worse"


@dataclass(frozen=True)
class Participants:
    """The users who took part, and those who were left out."""

    unit: str  # of randomisation: `user`; if the log names none, `session`, or else `client`
    start: int  # in milliseconds since 1970
    end: int  # exclusive
    users: Mapping[str, int]  # by variant
    contaminated: int  # users who saw more than one variant; left out
    unassigned: int  # users without a known variant; left out
    anonymous: int  # searches without a user; left out
    arrivals: tuple[int, ...]  # new users of each day from the start

    @property
    def total(self) -> int:
        return sum(self.users.values())

    def counted(self, number: int) -> str:
        return counted(number, self.unit)

    @property
    def days(self) -> float:
        return (self.end - self.start) / DAY


_MISMATCH_LEVEL = 0.001
"""Below this p-value, users are missing. It is low because many experiments are run."""
_DOUBTFUL_LEVEL = 0.05
"""Below this p-value, a split is unusual, but not enough to distrust the experiment."""
_TOLERANCE = 1e-6
"""The distance allowed between the sum of shares and 1: three times 0.333333 is 0.999999."""


@dataclass(frozen=True)
class SampleRatio(Result):
    """The users that each variant has and should have, and the p-value of the split.

    p is that of the exact binomial test for two variants, and of the chi-square test for more.

    >>> found = sample_ratio({"A": 5120, "B": 4610})
    >>> found.test, found.verdict
    ('exact binomial test', 'mismatch')
    """

    users: Mapping[str, int]
    expected: Mapping[str, float]  # the number of users that each should have
    p: float
    test: str

    @property
    def mismatch(self) -> bool:
        return self.verdict == "mismatch"

    @property
    def verdict(self) -> Literal["as expected", "doubtful", "mismatch"]:
        """A mismatch if p is below 0.001; doubtful if it is below 0.05."""
        if self.p < _MISMATCH_LEVEL:
            return "mismatch"
        return "doubtful" if self.p < _DOUBTFUL_LEVEL else "as expected"

    def sections(self, *, exact: bool = False) -> list[Section]:
        number = count_format(exact=exact)
        rows = [
            [name, number(users), str(self.expected[name]) if exact else f"{self.expected[name]:g}"]
            for name, users in self.users.items()
        ]
        notes = [f"{self.verdict}: {self.test}, p = {self.p:.3g}"]
        table = TextTable(["variant", "users", "expected"], rows, 1, [], notes)
        return [Section("sample ratio", table, titled=False)]

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "mismatch": self.mismatch, "verdict": self.verdict}


def sample_ratio(
    users: Mapping[str, int], shares: Mapping[str, float] | None = None
) -> SampleRatio:
    """Test whether users are split over the variants as they should be.

    Args:
        users: The number of users of each variant.
        shares: The share of users that each should have; they sum to 1. By default all the same.

    Returns:
        The counts, the expected counts, and the p-value of the split.

    Raises:
        OptionError: There are no users, or a variant has no share.

    >>> found = sample_ratio({"A": 5120, "B": 4610})
    >>> found.expected["A"], found.mismatch
    (4865.0, True)
    >>> sample_ratio({"A": 900, "B": 98}, {"A": 0.9, "B": 0.1}).verdict
    'as expected'
    >>> sample_ratio({"A": 5140, "B": 4860}).verdict
    'doubtful'
    """
    if shares is None:
        shares = dict.fromkeys(users, 1.0)
    else:
        check_shares(shares)
    for name in users:
        if name not in shares:
            raise OptionError(
                f"the variant {name!r} has no expected share of users, only "
                f"{', '.join(map(repr, shares))}; give one for every variant (--expected)"
            )
    counts = {name: users.get(name, 0) for name in shares}
    total, whole = sum(counts.values()), sum(shares.values())
    if not total:
        raise OptionError("no variant has a user")
    expected = {name: total * share / whole for name, share in shares.items()}
    p = split_p_value(list(counts.values()), list(shares.values()))
    test = "exact binomial test" if len(counts) == 2 else "chi-square test"
    return SampleRatio(counts, expected, p, test)


def check_shares(shares: Mapping[str, float]) -> None:
    for name, share in shares.items():
        if not (isfinite(share) and share > 0):
            raise OptionError(
                f"the expected share of {name} is {share:g}: it must be above 0 (--expected)"
            )
    whole = sum(shares.values())
    # Rounded, because floating point cannot represent the tolerance exactly.
    if round(abs(whole - 1), 9) > _TOLERANCE:
        given = ", ".join(f"{name}={share:g}" for name, share in shares.items())
        instead = ", ".join(f"{name}={share / whole:.6g}" for name, share in shares.items())
        raise OptionError(
            f"the expected shares of users sum to {whole:.7g} ({given}), but should sum to 1 over "
            f"all variants; in the same proportions they would be {instead} (--expected)"
        )


@dataclass(frozen=True, eq=False)
class ABTest(Result):
    """The effects of an experiment's variants, and whether its users were split as expected.

    >>> from cleverdon.logs.abtest import abtest
    >>> from cleverdon.logs.log import worked_log
    >>> pages = [f"u{i} 0:00 hats variant={'AB'[i % 2]} {'click@1' * (i < 3)}" for i in range(8)]
    >>> test = abtest(worked_log("\\n".join([*pages, "="]))[0], ["QueryCTR"], guardrails=())
    >>> test.control, test.trusted, [claim.verdict for claim in test.claims()]
    ('A', True, ['not shown'])
    """

    tables: SessionTables
    control: str
    participants: Participants
    ratio: SampleRatio
    effects: tuple[Effect, ...]  # by variant, then by metric
    guardrails: tuple[Guardrail, ...]
    correction: str
    level: float
    confidence: float
    sequential: bool
    wanted: float  # the difference to be detected, as a share of the control's value
    power: float
    cuped: bool  # True if any effect is adjusted by the users' past
    primary: Ratio | None = None  # the metric that decides; None if all metrics are one family
    primary_named: bool = False  # whether it was named; otherwise it is the first
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # columns, by metric
    notes: tuple[str, ...] = ()
    asked: Mapping[str, ibis.Table] = field(default_factory=dict)  # the queries that ran, by name

    @property
    def sql(self) -> dict[str, str]:
        """The queries that ran; those that make tables come first."""
        return sql_script(self.tables, self.asked)

    @property
    def trusted(self) -> bool:
        """True if users are split as expected; otherwise nothing is claimed."""
        return not self.ratio.mismatch

    @property
    def comparisons(self) -> int:
        """The number of comparisons that were tested, in all families."""
        return sum(effect.p is not None for effect in self.effects)

    @property
    def families(self) -> list[list[Effect]]:
        """The effects that were tested: those of the family that decides, then all others."""
        tested = [effect for effect in self.effects if effect.p is not None]
        both = ([one for one in tested if one.primary == first] for first in (True, False))
        return [family for family in both if family]

    @property
    def variants(self) -> list[str]:
        """The variants other than the control."""
        return [name for name in self.participants.users if name != self.control]

    def effect(self, metric: str, variant: str | None = None) -> Effect:
        """Return the effect on a metric; `variant` chooses one of several."""
        named = [one for one in self.effects if str(one.metric).casefold() == metric.casefold()]
        found = [one for one in named if variant in (None, one.variant)]
        if not found:
            known = [str(one.metric) for one in self.effects]
            raise OptionError(f"{metric!r} was not compared{suggest(metric, dict.fromkeys(known))}")
        return found[0]

    def disagrees(self, effect: Effect) -> bool:
        """Return whether the interval says otherwise than the test."""
        if effect.low is None or effect.corrected is None:
            return False
        return effect.excludes_zero != (effect.verdict(self.level) != "not shown")

    def claims(self, *, silence: Iterable[str] = ()) -> list[Claim]:
        """Return a claim for each effect that can be tested; none if the test is not trusted.

        Serious doubts qualify the claims that they concern, except for those that `silence` names.
        """
        if not self.trusted:
            return []
        return [
            Claim(one, one.verdict(self.level), self, self.qualified(one, silence=silence))
            for family in self.families
            for one in family
        ]

    def qualified(self, effect: Effect, *, silence: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the names of the serious doubts about an effect."""
        names = (effect.variant, effect.control)
        return tuple(
            doubt.name
            for doubt in self.doubts(silence=silence)
            if doubt.serious and (doubt.about is None or names in doubt.about)
        )

    def doubts(self, *, silence: Iterable[str] = ()) -> list[Doubt]:
        """Return the reasons to doubt the test, except for those that `silence` names."""
        silent = set(silence)
        for name in silent - _DOUBT_RULES.keys():
            raise OptionError(f"there is no doubt {name!r} to silence{suggest(name, _DOUBT_RULES)}")
        found = []
        for name, rule in _DOUBT_RULES.items():
            if name not in silent and (raised := rule.find(self)) is not None:
                sentence, number, about = (*raised, None)[:3]
                found.append(Doubt(name, sentence, number, rule.reference, rule.serious, about))
        return found

    def sections(self, *, exact: bool = False) -> list[Section]:
        return [Section("effects", effects_table(self, exact=exact), titled=False)]

    def plot(self) -> Chart:
        """Draw the effects with their intervals."""
        from cleverdon.logs.abtest.plots import effects  # altair is optional, and slow

        return effects(self)

    def to_text(self, **view: Any) -> str:
        terminal = {name: view[name] for name in ("styled", "width") if name in view}
        return abtest_text(self, **terminal)

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        log = self.tables.log
        claims = {id(claim.effect): claim_record(claim) for claim in self.claims()}
        none: dict[str, Any] = {"text": None, "verdict": None, "qualified": []}
        same = ("level", "confidence", "sequential", "cuped", "wanted", "power", "missing", "notes")
        record: dict[str, Any] = as_json(
            {
                "source": log.source,
                "settings": self.tables.settings,
                "control": self.control,
                "trusted": self.trusted,
                "participants": self.participants,
                "sample_ratio": self.ratio,
                "without_bots": log.without_bots,
                "correction": self.correction,
                "primary": None if self.primary is None else str(self.primary),
                "primary_named": self.primary_named,
                "comparisons": self.comparisons,
                **{name: getattr(self, name) for name in same},
                "effects": [claims.get(id(one), none) | one.to_dict() for one in self.effects],
                "guardrails": [
                    guardrail_record(one, self) | one.to_dict() for one in self.guardrails
                ],
                "doubts": self.doubts(),
            }
        )
        return record


@dataclass(frozen=True, eq=False)
class Claim:
    """A statement about one effect, as far as the test supports it."""

    effect: Effect
    verdict: ClaimVerdict
    test: ABTest = field(repr=False)
    qualified: tuple[str, ...] = ()  # the names of serious doubts about it

    @property
    def shown(self) -> bool:
        return self.verdict != "not shown"


_MOST_CONTAMINATED = 0.01
_FEWEST_USERS = 200
_FEWEST_FOR_SHARES = 100
"""Among fewer users, one always has a large share."""
_BEFORE_LEVEL = 0.01
_MOST_OF_ONE = 0.05
_WEEK = 7

_FoundDoubt = tuple[str, float] | tuple[str, float, tuple[tuple[str, str], ...]] | None
"""A sentence, the number behind it, and the variants and controls that it concerns, if not all;
None without a doubt."""


def _doubtful_ratio(test: ABTest) -> _FoundDoubt:
    if test.ratio.verdict != "doubtful":
        return None
    return (
        f"the split of {test.participants.unit}s over variants is unusual (p = {test.ratio.p:.2g}):"
        " check how they are assigned, and whether any are missing from the log",
        test.ratio.p,
    )


def _contaminated(test: ABTest) -> _FoundDoubt:
    count = test.participants.contaminated
    share = count / (count + test.participants.total)
    if share <= _MOST_CONTAMINATED:
        return None
    unit = test.participants.unit
    return f"{share:.1%} of the {unit}s saw more than one variant and were left out", share


def _differed_before(test: ABTest) -> _FoundDoubt:
    before = [
        (one.adjustment.p_before, one)
        for one in test.effects
        if one.adjustment is not None and one.adjustment.p_before is not None
    ]
    if not before:
        return None
    corrected = holm([p for p, _ in before])
    lowest, (_, one) = min(zip(corrected, before, strict=True), key=lambda pair: pair[0])
    if lowest > _BEFORE_LEVEL:
        return None
    differed = [
        (other.variant, other.control)
        for p, (_, other) in zip(corrected, before, strict=True)
        if p <= _BEFORE_LEVEL
    ]
    return (
        f"the users of {one.variant} differed from those of {one.control} on {one.metric} before "
        f"the experiment began (p = {lowest:.1g}), which is rare in a fair split",
        lowest,
        tuple(dict.fromkeys(differed)),
    )


def _part_of_a_week(test: ABTest) -> _FoundDoubt:
    days = test.participants.days
    if days >= _WEEK - 0.5:  # a log rarely begins and ends at midnight
        return None
    return (
        f"the experiment ran for {days:.1f} days, and users of other days of the week may differ",
        days,
    )


def _few_users(test: ABTest) -> _FoundDoubt:
    name, fewest = min(test.participants.users.items(), key=lambda item: item[1])
    if fewest >= _FEWEST_USERS:
        return None
    unit = test.participants.unit
    cut = ""
    if any(one.metric.kind == "share" and (one.low == -1 or one.high == 1) for one in test.effects):
        cut = "; intervals of shares end at 100 points, the largest possible difference"
    return (
        f"{name} has only {test.participants.counted(fewest)}: intervals and p-values are rough if "
        f"{unit}s differ a lot{cut}",
        float(fewest),
    )


def _heavy_user(test: ABTest) -> _FoundDoubt:
    sides = [
        (side.heaviest, name, one.metric)
        for one in test.effects
        if one.sides is not None
        for side, name in zip(one.sides, (one.control, one.variant), strict=True)
        if side.users >= _FEWEST_FOR_SHARES
    ]
    if not sides:
        return None
    share, name, metric = max(sides, key=lambda side: side[0])
    if share <= _MOST_OF_ONE:
        return None
    unit = test.participants.unit
    return (
        f"one {unit} of {name} has {share:.0%} of the {metric.over} behind {metric}: if it is a "
        "bot, remove it from the log",
        share,
    )


def _sessions_randomised(test: ABTest) -> _FoundDoubt:
    if test.participants.unit == "user":
        return None
    return (
        f"the log does not name users, so {test.participants.unit}s stand for them; p-values are "
        "too small if users return",
        float(test.participants.total),
    )


def _near_zero(test: ABTest) -> _FoundDoubt:
    near = [
        one
        for one in (*test.effects, *(guard.effect for guard in test.guardrails))
        if one.relative is not None and one.told_relative is None
        if one.sides is not None and one.sides[1].value > 0
    ]
    if not near:
        return None
    names = dict.fromkeys(str(one.metric) for one in near)
    least = min(one.sides[0].value for one in near if one.sides is not None)
    return (
        f"{test.control}'s {', '.join(names)} cannot be told from 0, so that no difference in "
        "per cent of it is known",
        least,
    )


def _uncorrected(test: ABTest) -> _FoundDoubt:
    count = test.comparisons
    if test.correction != "none" or count < 2:
        return None
    return (
        f"{count} comparisons are made and not corrected for: without any effect, each has a "
        f"chance of {test.level:g} to seem to differ, and at least one of so many is likelier to",
        float(count),
    )


_KOHAVI = "Kohavi, Tang & Xu 2020, doi:10.1017/9781108653985"


@dataclass(frozen=True)
class _DoubtRule:
    find: Callable[[ABTest], _FoundDoubt]
    reference: str
    serious: bool = False
    """Whether a claim that it concerns is not to be read without it: the comparison may be unfair,
    or its p-value and interval wrong."""


_DOUBT_RULES: dict[str, _DoubtRule] = {
    "sample-ratio": _DoubtRule(
        _doubtful_ratio, "Fabijan et al. 2019, doi:10.1145/3292500.3330722", serious=True
    ),
    "contaminated": _DoubtRule(
        _contaminated, "Crook et al. 2009, doi:10.1145/1557019.1557139", serious=True
    ),
    "differed-before": _DoubtRule(_differed_before, _KOHAVI, serious=True),
    "part-of-a-week": _DoubtRule(_part_of_a_week, _KOHAVI),
    "near-zero-baseline": _DoubtRule(
        _near_zero, "Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x"
    ),
    "few-users": _DoubtRule(_few_users, "Kohavi et al. 2014, doi:10.1145/2623330.2623341"),
    "heavy-user": _DoubtRule(_heavy_user, _KOHAVI),
    "sessions-randomised": _DoubtRule(
        _sessions_randomised,
        "Deng, Knoblich & Lu 2018, doi:10.1145/3219819.3219919",
        serious=True,
    ),
    "uncorrected": _DoubtRule(_uncorrected, "Carterette 2012, doi:10.1145/2094072.2094076"),
}
"""The rule behind each doubt, by its name."""
