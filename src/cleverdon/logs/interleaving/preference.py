"""Preference between two interleaved rankings: test, interval, power, and the text about them.

Power is that of the chosen test on its units: users if they are known, else queries. The size of a
preference is delta over units for the sign test, and mean credit for the t test.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import ceil, inf, isfinite, isnan, nan
from typing import Any, Literal

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.errors import OptionError, check_count, check_seed, check_within, check_word
from cleverdon.logs.abtest.tables import VERBS
from cleverdon.logs.interleaving.base import Record, find_method, read_records
from cleverdon.logs.interleaving.credit import Credits, QueryCredit, credit_log
from cleverdon.logs.log import ExcludedBots, LogSource
from cleverdon.logs.reading.reader import as_log
from cleverdon.stats.intervals import Interval, why_disagree
from cleverdon.stats.power import (
    TARGET_POWER,
    normal_difference,
    sample_size_for_t_test,
    sign_test_power,
    sign_test_smallest_delta,
    sign_test_units,
    t_test_power,
)
from cleverdon.stats.proportions import bootstrap_ratio_interval, jackknife_ratio_interval
from cleverdon.stats.resampling import RESAMPLES
from cleverdon.stats.tests import PValue, sign_test, t_test
from cleverdon.tables.numbers import format_decimal, format_p_value, round_up_to_two_digits
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable


@dataclass(frozen=True)
class Votes:
    """The numbers of votes for A, for B, and for neither."""

    a: int
    b: int
    even: int

    @property
    def all(self) -> int:
        return self.a + self.b + self.even

    @property
    def delta(self) -> float:
        """The preference for A: from -0.5, always B, to 0.5, always A; NaN without votes."""
        return (self.a - self.b) / (2 * self.all) if self.all else np.nan


@dataclass(frozen=True)
class PreferencePower:
    """The power of an experiment, and the sample that it needs."""

    unit: str
    test: str
    size: float  # the preference to be detected, in either direction; NaN where none is named
    power: float  # the probability that these units show it; NaN likewise
    target: float
    level: float
    smallest: float  # the preference that these units show with the target power; NaN if none
    units_needed: float
    """Units with clicks that show `size` with the target power; NaN if no size is named, or if
    there are too many ties for a preference of that size."""
    impressions_needed: (
        float  # result pages that give that many units, at the rate of clicks so far
    )


@dataclass(frozen=True)
class Preference(Result):
    """The ranking that users preferred, with interval, test and power.

    >>> from cleverdon.logs.interleaving import TeamDraft, credit_clicks
    >>> page = TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q1")
    >>> found = measure_preference(credit_clicks([page.record], [("q1", "z")]))
    >>> found.queries, found.delta, found.verdict
    (Votes(a=0, b=1, even=0), -0.5, 'not shown')
    """

    a: str  # the names of the rankings
    b: str
    queries: Votes  # result pages with a click that counts: won by A, won by B, tied
    not_clicked: int  # result pages without one
    interval: Interval  # of `delta`, over units
    credit: float  # the mean of A's credit minus B's, over queries with clicks; NaN without any
    credit_interval: Interval  # over units
    unit: Literal["user", "query"]  # the unit that is tested and resampled
    units: Votes  # for users: those with more queries won by A than by B, and so on
    deviation: (
        float  # the standard deviation of units' credit, A's minus B's; NaN if fewer than two
    )
    test: Literal["sign", "t"]
    p: PValue  # two-sided, on units; the sign test leaves out ties
    level: float
    seed: int
    methods: Mapping[str, int]  # the number of records of each method
    clicks: Credits  # the credit of each result page, and the clicks that gave none
    difference: float | None = field(default=None, metadata=in_json(None))
    """The preference to be detected; the one that was seen says nothing about power."""
    target: float = field(default=TARGET_POWER, metadata=in_json(None))  # the power to be reached
    without_bots: ExcludedBots | None = None

    @property
    def delta(self) -> float:
        """Chapelle et al.'s delta: (wins of A + ties / 2) / queries with clicks - 1/2.

        Above 0 users prefer A, below 0 B; 0.5 is the largest value. Ties are queries with equal
        credit for both; queries without clicks do not count. Chapelle, Joachims, Radlinski & Yue
        2012, doi:10.1145/2094072.2094078.
        """
        return self.queries.delta

    @property
    def verdict(self) -> Literal["better", "worse", "not shown"]:
        """The verdict on A against B.

        The sign test is over units and delta over queries: nothing is shown if they disagree.
        """
        tested, said = self.units.delta, self.delta
        if self.test == "t":
            tested = said = self.credit
        if self.p.p > self.level or tested * said <= 0:
            return "not shown"
        return "better" if said > 0 else "worse"

    @property
    def disagrees(self) -> bool:
        """Whether the interval says otherwise than the test."""
        ends = self.interval if self.test == "sign" else self.credit_interval
        if isnan(ends.low):
            return False
        return (ends.low > 0 or ends.high < 0) != (self.verdict != "not shown")

    @cached_property
    def power(self) -> PreferencePower:
        """The power to show a preference of size `difference`."""
        return _preference_power(self, size=self.difference, target=self.target)

    def opening(self) -> str:
        return _preference_sentence(self)

    def sections(self, *, exact: bool = False) -> list[Section]:
        return [Section("votes", _votes_table(self, exact=exact), titled=False)]

    def closing(self) -> str:
        parts = [_power_sentence(self.power)]
        if self.without_bots is not None:
            parts.append(str(self.without_bots))
        if doubts := [f"- {doubt}" for doubt in _preference_doubts(self)]:
            parts.append("\n".join(["Before you believe it:", *doubts]))
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        record = super().to_dict()
        bots = record.pop("without_bots")
        return {
            "text": _preference_sentence(self),
            "verdict": self.verdict,
            "delta": as_json(self.delta),
            **record,
            "power": as_json(self.power),
            "doubts": list(_preference_doubts(self)),
            "without_bots": bots,
        }


def measure_preference(
    credits: Credits,
    *,
    a: str = "A",
    b: str = "B",
    unit: str = "auto",
    test: str = "auto",
    difference: float | None = None,
    target: float = TARGET_POWER,
    level: float = 0.05,
    interval: str = "t",
    confidence: float | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    without_bots: ExcludedBots | None = None,
) -> Preference:
    """Test which ranking users prefer, by queries won or by credit.

    Queries of one user are not independent observations. If users are known, a user counts for the
    ranking that won more of the user's queries in the sign test, and the bootstrap draws users with
    all their queries; a query without a known user counts as a user.

    Args:
        credits: The credit of each result page, from `credit_clicks` or `credit_log`.
        a: The name of ranking A.
        b: The name of ranking B.
        unit: The independent observations: "user", with all their queries; "query"; or "auto",
            users if they are known, else queries.
        test: "sign", the exact sign test of units won; "t", Student's test of units' credit; or
            "auto", sign if the method is fair by queries won, else t.
        difference: The preference to be detected, for the power; by default none.
        target: The power to be reached.
        level: The largest p-value that is significant.
        interval: The method of intervals: "t", Student's by the jackknife, or "percentile", of a
            bootstrap.
        confidence: The confidence of intervals; by default 1 - level.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
        without_bots: The bots that were left out of the log.

    Returns:
        The preference, with its power.

    Raises:
        OptionError: An option has a value that is not allowed, or no user is known for unit="user".

    >>> from cleverdon.logs.interleaving.credit import QueryCredit
    >>> queries = [QueryCredit(f"q{i}", None, float(i < 8), float(i > 7), 1) for i in range(10)]
    >>> found = measure_preference(Credits(tuple(queries), {"team-draft": 10}, counted=10))
    >>> found.queries, round(found.delta, 3), found.p.p
    (Votes(a=8, b=2, even=0), 0.3, 0.109375)
    """
    check_word("unit", unit, ("auto", "user", "query"))
    check_word("test", test, ("auto", "sign", "t"))
    check_seed(seed)
    check_word("interval", interval, ("t", "percentile"))
    check_within("level", level, 0, 1)
    confidence = 1 - level if confidence is None else confidence
    check_within("confidence", confidence, 0, 1)
    check_count("resamples", resamples)
    _check_power(difference, target, level)
    clicked = [query for query in credits.queries if query.clicks]
    users = any(query.user is not None for query in clicked)
    if unit == "user" and not users:
        raise OptionError(
            "unit='user': no query with clicks has a user; unit='query' (--unit query) needs none"
        )
    by_user = users and unit != "query"
    sums = _unit_sums(clicked, by_user=by_user)
    signs = np.sign(sums[:, 0])
    won = Counter(query.winner for query in clicked)
    by_wins = test == "sign" or (test == "auto" and credits.fair_by_wins)
    # If credit never varies, the standard error is 0, and the t test would give p = 0.
    by_signs = by_wins or len(sums) < 2 or np.ptp(sums[:, 1]) == 0
    ends = partial(jackknife_ratio_interval, confidence=confidence)
    if interval == "percentile":
        ends = partial(
            bootstrap_ratio_interval, confidence=confidence, resamples=resamples, seed=seed
        )
    of_wins = ends(sums[:, 0] / 2, sums[:, 2])
    low, high = max(of_wins.low, -0.5), min(of_wins.high, 0.5)  # NaN stays
    return Preference(
        a=a,
        b=b,
        queries=Votes(won["A"], won["B"], won["tie"]),
        not_clicked=len(credits.queries) - len(clicked),
        interval=replace(of_wins, low=low, high=high),
        credit=float(sums[:, 1].sum() / sums[:, 2].sum()) if len(sums) else np.nan,
        credit_interval=ends(sums[:, 1], sums[:, 2]),
        unit="user" if by_user else "query",
        units=Votes(*(int((signs == sign).sum()) for sign in (1, -1, 0))),
        deviation=float(sums[:, 1].std(ddof=1)) if len(sums) > 1 else np.nan,
        test="sign" if by_wins else "t",
        p=(sign_test(signs[None]) if by_signs else t_test(sums[None, :, 1]))[0],
        level=level,
        seed=seed,
        methods=credits.methods,
        clicks=credits,
        difference=difference,
        target=target,
        without_bots=without_bots,
    )


@shows_progress("reading the log")
def interleave(
    log: LogSource,
    records: str | os.PathLike[str] | Sequence[Record],
    *,
    assigned: bool = False,
    progress: Progress | bool | None = None,
    **options: Any,
) -> Preference:
    """Test which of two interleaved rankings users prefer, by the clicks in a log.

    Args:
        log: The log with the clicks, or files of it. They are matched by the ids of queries.
        records: The record of every interleaved result page, or the file of them.
        assigned: With probabilistic interleaving, credit a click to the ranking that was drawn, not
            to both by their probabilities of giving the document.
        options: Other options of `measure_preference`: `a`, `b`, `unit`, `test`, `level`, ...
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The preference, with its power.

    Raises:
        OptionError: An option has a value that is not allowed, or no user is known for unit="user".
        InputError: The log has no clicks with query ids and documents.

    >>> from cleverdon.logs.interleaving.methods import TeamDraft
    >>> from cleverdon.logs.log import log_of
    >>> page = TeamDraft(seed=7).interleave(["x", "y"], ["z", "x"], query_id="q1")
    >>> click = {"query_id": "q1", "time": 2000, "action": "click", "doc": "z"}
    >>> log = log_of([{"query_id": "q1", "time": 0, "user": "ann", "text": "hats"}], [click])
    >>> interleave(log, [page.record]).queries
    Votes(a=0, b=1, even=0)
    """
    progress = as_callback(progress)
    progress("reading the log")
    log = as_log(log)
    if isinstance(records, (str, os.PathLike)):
        records = read_records(records)
    credits = credit_log(log, records, marginalised=not assigned)
    return measure_preference(credits, **options, without_bots=log.without_bots)


def _unit_sums(clicked: Sequence[QueryCredit], *, by_user: bool) -> Floats:
    """Return for each unit: queries won by A minus B, credit of A minus B, and queries."""
    worth = {"A": 1.0, "B": -1.0, "tie": 0.0}
    sums: dict[tuple[str, str], list[float]] = {}
    for query in clicked:
        key = ("query", query.query_id)
        if by_user and query.user is not None:
            key = ("user", query.user)
        of = sums.setdefault(key, [0.0, 0.0, 0.0])
        of[0] += worth[query.winner]
        of[1] += query.a - query.b
        of[2] += 1
    return np.array(list(sums.values())).reshape(-1, 3)


def _preference_power(
    found: Preference, *, size: float | None = None, target: float = TARGET_POWER
) -> PreferencePower:
    """Return the smallest preference that is shown, and the power for one of this size."""
    _check_power(size, target, found.level)
    assumed = nan if size is None else size
    by_test = _by_signs if found.test == "sign" else _by_credit
    shown, smallest, needed = by_test(found, size, target)
    units, impressions = found.units.all, found.queries.all + found.not_clicked
    pages = ceil(needed * impressions / units) if units and isfinite(needed) else needed
    return PreferencePower(
        found.unit, found.test, assumed, shown, target, found.level, smallest, needed, pages
    )


def _check_power(size: float | None, target: float, level: float) -> None:
    if not level < target < 1:
        raise OptionError(f"target={target}: power is between the level, {level:g}, and 1")
    if size is not None and not 0 < size < inf:
        raise OptionError(f"size={size} (--difference): a preference is a number above 0")


def _by_signs(found: Preference, size: float | None, target: float) -> tuple[float, float, float]:
    votes, level = found.units, found.level
    decided = (votes.a + votes.b) / votes.all if votes.all else nan
    smallest = sign_test_smallest_delta(votes.all, decided=decided, level=level, target=target)
    if size is None:
        return nan, smallest, nan
    return (
        sign_test_power(size, votes.all, decided=decided, level=level),
        smallest,
        sign_test_units(size, decided=decided, level=level, target=target),
    )


def _by_credit(found: Preference, size: float | None, target: float) -> tuple[float, float, float]:
    units, spread, level = found.units.all, found.deviation, found.level
    if not spread > 0:
        return nan, nan, nan
    # The test is on the credit of units, the sum over their queries.
    times = found.queries.all / units
    smallest = normal_difference(spread, units, level=level, power=target) / times
    if size is None:
        return nan, smallest, nan
    return (
        t_test_power(size * times, spread, units, level=level),
        smallest,
        sample_size_for_t_test(size * times, spread, level=level, power=target),
    )


_DIGITS = 3

_OF = {"sign": "queries won", "t": "credit"}
"""The quantity by which each test measures a preference."""
_PLURAL = {"user": "users", "query": "queries"}


def _preference_sentence(found: Preference) -> str:
    names = f"{printable(found.a)} {VERBS[found.verdict]} {printable(found.b)}"
    if isnan(found.delta):
        return f"{names}: no result page has a click that counts."
    value = found.delta if found.test == "sign" else found.credit
    shown = found.verdict != "not shown"
    size = f" by {abs(value):.{_DIGITS}f}" if shown else f": {value:+.{_DIGITS}f}"
    interval = found.interval if found.test == "sign" else found.credit_interval
    units, unit = found.units, counted(found.units.all, found.unit)
    basis = [
        *_interval_texts(interval),
        f"{found.test} test {format_p_value(found.p.p, level=found.level)}",
        f"{unit} with clicks: {units.a:,} for, {units.even:,} even, {units.b:,} against",
    ]
    return f"{names} on {_OF[found.test]}{size} ({'; '.join(basis)}).{_afterthoughts(found)}"


def _interval_texts(interval: Interval) -> list[str]:
    """Return the text of an interval, in a list; an empty list if there is none."""
    if isnan(interval.low):
        return []
    ends = f"{interval.low:.{_DIGITS}f} to {interval.high:.{_DIGITS}f}"
    return [f"{interval.confidence:.0%} CI {ends}"]


def _afterthoughts(found: Preference) -> str:
    """Say where there is nothing to show, and where interval and verdict disagree."""
    value = found.units.delta if found.test == "sign" else found.credit
    if found.verdict == "not shown" and value == 0:
        return " There is no preference to show."
    if not found.disagrees:
        return ""
    other = "excludes" if found.verdict == "not shown" else "includes"
    ends = found.interval if found.test == "sign" else found.credit_interval
    why = why_disagree(ends.confidence, found.level)
    return f" Interval and verdict disagree, since {why}: the interval {other} 0."


def _power_sentence(power: PreferencePower) -> str:
    units = _PLURAL[power.unit]
    of = f"{units} won" if power.test == "sign" else _OF[power.test]
    if isnan(power.smallest):
        parts = [f"These are too few {units} to show any preference"]
    else:
        parts = [
            f"These {units} show a preference of {power.smallest:.{_DIGITS}f} on {of} with a power "
            f"of {power.target:.0%}"
        ]
    if isfinite(power.units_needed):
        parts.append(
            f"one of {power.size:.{_DIGITS}f} has a power of {power.power:.0%}, and needs "
            f"{int(power.units_needed):,} {units} with clicks for {power.target:.0%}, or about "
            f"{round_up_to_two_digits(power.impressions_needed):,} result pages"
        )
    elif not isnan(power.size) and not isnan(power.smallest):
        parts.append(f"with so many ties, one of {power.size:.{_DIGITS}f} is impossible")
    return "; ".join(parts) + "."


def _preference_doubts(found: Preference) -> Iterator[str]:
    """Yield the reasons to doubt the preference."""
    credits = found.clicks
    for name in found.methods:
        if doubt := find_method(name).doubt:
            yield f"{doubt}."
    if len(found.methods) > 1:
        mixed = ", ".join(f"{name} {count:,}" for name, count in found.methods.items())
        yield f"records of several methods are combined: {mixed}."
    if found.test == "sign" and not credits.fair_by_wins:
        yield (
            "with these methods, one ranking may win more queries even if users click at random; "
            "the mean credit is fair, which the t test uses."
        )
    if found.delta * found.credit < 0:
        yield (
            f"queries won ({found.delta:+.{_DIGITS}f}) and credit ({found.credit:+.{_DIGITS}f}) "
            "have different signs: the ranking that wins fewer queries wins them by more."
        )
    unknown = sum(query.user is None for query in credits.queries if query.clicks)
    if found.unit == "user" and unknown:
        one = unknown == 1
        yield (
            f"{counted(unknown, 'query')} with clicks {'has' if one else 'have'} no user, and "
            f"{'counts as a user of its own' if one else 'count as users of their own'}."
        )
    if found.unit == "query":
        are = "are" if credits.users > 1 else "is"
        reason = f"{counted(credits.users, 'user') if credits.users else 'no user'} {are} known"
        yield (
            f"queries count as independent ({reason}); those of one user are not, so p is too "
            "small if users ask many."
        )
    yield from _lost(credits)


def _lost(credits: Credits) -> Iterator[str]:
    """Yield a sentence for each kind of click or record that could not be matched."""
    if credits.not_shown:
        yield (
            f"{counted(credits.not_shown, 'click')} on documents that are not in the record of the "
            "page: check that it records what was shown."
        )
    if credits.without_record:
        yield (
            f"left out: {counted(credits.without_record, 'click')} of "
            f"{counted(credits.queries_without_record, 'query')} without a record."
        )
    if credits.without_doc:
        yield f"left out: {counted(credits.without_doc, 'click')} without a document."
    if credits.below:
        yield f"left out: {counted(credits.below, 'click')} below the interleaved places."
    if credits.not_logged:
        yield (
            f"{counted(credits.not_logged, 'record')} of queries that are not in the log: check "
            "that it covers the whole experiment."
        )


def _votes_table(found: Preference, *, exact: bool = False) -> TextTable:
    number = count_format(exact=exact)
    a, b = printable(found.a), printable(found.b)
    header = ["", f"for {a}", f"for {b}", "even", "no click"]
    votes = {"queries": found.queries} | ({"users": found.units} if found.unit == "user" else {})
    rows = [[unit, number(of.a), number(of.b), number(of.even), ""] for unit, of in votes.items()]
    rows[0][-1] = number(found.not_clicked)
    notes = [
        f"queries won, delta: {_value(found.delta, found.interval)}; (for {a} - for {b}) / (2 * "
        "queries with clicks)",
        f"credit: {_value(found.credit, found.credit_interval)}; the mean of {a}'s minus {b}'s, by "
        f"{', '.join(found.methods) or 'no'} interleaving",
    ]
    return TextTable(header, rows, 1, [], notes)


def _value(value: float, interval: Interval) -> str:
    shown = format_decimal(value, digits=_DIGITS, signed=True)
    return " ".join([shown, *(f"({text})" for text in _interval_texts(interval))])
