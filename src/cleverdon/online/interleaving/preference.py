"""Preference: which ranking users chose, how sure that is, and by what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.intervals import Interval
from cleverdon.compare.pvalue import PValue
from cleverdon.compare.signs import sign
from cleverdon.compare.student import student
from cleverdon.errors import OptionError, check_seed, check_word
from cleverdon.online.interleaving.credit import Credits, QueryCredit

UNITS = {
    "auto": "users where they are known, else queries",
    "user": "users, with all their queries",
    "query": "queries, as if each were a user's only one",
}
"""What counts as one independent observation."""

TESTS = {
    "auto": "sign where random clicks win either ranking as many queries, else t",
    "sign": "the exact sign test, of units won",
    "t": "Student's test, of units' credit",
}
"""What tells a preference from chance."""

RESAMPLES = 10_000
LEVEL = 0.05


@dataclass(frozen=True)
class Votes:
    """How many are for A, for B, and for neither."""

    a: int
    b: int
    even: int

    @property
    def all(self) -> int:
        return self.a + self.b + self.even

    @property
    def delta(self) -> float:
        """By how much A is preferred: from -0.5, always B, to 0.5, always A; NaN of nobody."""
        return (self.a - self.b) / (2 * self.all) if self.all else np.nan


@dataclass(frozen=True)
class Preference:
    """Which of two rankings users preferred, and how sure that is."""

    a: str
    b: str
    """What the rankings are called."""
    queries: Votes
    """Result pages with a click that counts: won by A, won by B, tied."""
    not_clicked: int
    """Result pages without one."""
    interval: Interval
    """Of `delta`, by bootstrap over units."""
    credit: float
    """The mean of what A got more than B, over queries with clicks; NaN where there are none."""
    credit_interval: Interval
    """By the delta method: queries of one unit go together."""
    unit: Literal["user", "query"]
    """What was tested and resampled as independent of others."""
    units: Votes
    """Of users: those with more of their queries won by A than by B, and so on."""
    deviation: float
    """The standard deviation of units' credit, A's less B's; NaN of fewer than two."""
    test: Literal["sign", "t"]
    p: PValue
    """Two-sided, on units. The sign test leaves out those for neither."""
    level: float
    seed: int
    methods: Mapping[str, int]
    """How many records there are of each method."""

    @property
    def delta(self) -> float:
        """Chapelle et al.'s delta: (wins of A + ties / 2) / queries with clicks - 1/2.

        Above 0 users prefer A, below 0 B; 0.5 is as far as it goes. Ties are queries with clicks
        for both alike; those without clicks say nothing, and are not among them. Chapelle,
        Joachims, Radlinski & Yue 2012, doi:10.1145/2094072.2094078.
        """
        return self.queries.delta

    @property
    def verdict(self) -> Literal["better", "worse", "not shown"]:
        """What may be said of A against B.

        The sign test looks at units and delta at queries: nothing is shown where they do not agree.
        """
        tested, said = self.units.delta, self.delta
        if self.test == "t":
            tested = said = self.credit
        if self.p.p > self.level or tested * said <= 0:
            return "not shown"
        return "better" if said > 0 else "worse"


def preference(
    credits: Credits,
    *,
    a: str = "A",
    b: str = "B",
    unit: str = "auto",
    test: str = "auto",
    level: float = LEVEL,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Preference:
    """Which ranking users prefer, by wins of queries and by credit.

    Queries of one user are alike, and no independent observations. Where users are known, a user
    counts for whoever won more of the user's queries in the sign test, and the bootstrap draws
    users with all their queries; a query whose user is not known is a user of its own. `unit` is
    one of `UNITS`, `test` one of `TESTS`.

    >>> from cleverdon.online.interleaving.credit import QueryCredit
    >>> queries = [QueryCredit(f"q{i}", None, float(i < 8), float(i > 7), 1) for i in range(10)]
    >>> found = preference(Credits(tuple(queries), {"team-draft": 10}, counted=10))
    >>> found.queries, round(found.delta, 3), found.p.p
    (Votes(a=8, b=2, even=0), 0.3, 0.109375)
    """
    check_word("unit", unit, UNITS)
    check_word("test", test, TESTS)
    check_seed(seed)
    if not 0 < level < 1:
        raise OptionError(f"level={level}: a level of significance lies between 0 and 1")
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence}: it lies between 0 and 1")
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: there is at least one")
    clicked = [query for query in credits.queries if query.clicks]
    users = any(query.user is not None for query in clicked)
    if unit == "user" and not users:
        raise OptionError(
            "unit='user': no query with clicks has a user; unit='query' (--unit query) needs none"
        )
    by_user = users and unit != "query"
    sums = _sums(clicked, by_user=by_user)
    signs = np.sign(sums[:, 0])
    tested: Literal["sign", "t"] = "t"
    if test == "sign" or (test == "auto" and credits.fair_by_wins):
        tested = "sign"
    units = Votes(int((signs > 0).sum()), int((signs < 0).sum()), int((signs == 0).sum()))
    return Preference(
        a=a,
        b=b,
        queries=_votes(clicked),
        not_clicked=len(credits.queries) - len(clicked),
        interval=_drawn(sums, confidence=confidence, resamples=resamples, seed=seed),
        credit=float(sums[:, 1].sum() / sums[:, 2].sum()) if len(sums) else np.nan,
        credit_interval=_by_formula(sums, confidence),
        unit="user" if by_user else "query",
        units=units,
        deviation=float(sums[:, 1].std(ddof=1)) if len(sums) > 1 else np.nan,
        test=tested,
        p=_p_value(tested, signs, sums[:, 1]),
        level=level,
        seed=seed,
        methods=credits.methods,
    )


def _votes(queries: Sequence[QueryCredit]) -> Votes:
    won = Counter(query.winner for query in queries)
    return Votes(won["A"], won["B"], won["tie"])


def _sums(clicked: Sequence[QueryCredit], *, by_user: bool) -> Floats:
    """Units x 3: queries won by A more than by B, credit of A more than of B, and queries."""
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


def _p_value(test: str, signs: Floats, credit: Floats) -> PValue:
    # Of credit that is always the same the t test knows no error, and p would be 0 of two units.
    if test == "sign" or len(credit) < 2 or np.ptp(credit) == 0:
        return sign(signs[None])[0]
    return student(credit[None])[0]


def _drawn(sums: Floats, *, confidence: float, resamples: int, seed: int) -> Interval:
    """Delta's interval: that of units drawn with replacement, over and over.

    Units with the same sums are as good as one another: how often each kind is drawn is all that
    matters, and there are few kinds however many users there are.
    """
    if len(sums) < 2:
        return Interval(np.nan, np.nan, confidence, "percentile")
    kinds, times = np.unique(sums[:, [0, 2]], axis=0, return_counts=True)
    random = np.random.default_rng(seed)
    drawn = []
    at_a_time = max(1, _BLOCK // len(kinds))
    for start in range(0, resamples, at_a_time):
        size = min(at_a_time, resamples - start)
        won, queries = (random.multinomial(len(sums), times / len(sums), size=size) @ kinds).T
        drawn.append(won / (2 * queries))
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(drawn), [tail, 1 - tail])
    return Interval(float(low), float(high), confidence, "percentile")


_BLOCK = 4_000_000
"""How many numbers are held at a time."""


def _by_formula(sums: Floats, confidence: float) -> Interval:
    """The interval of credit a query, a ratio of two sums over units."""
    if len(sums) < 2:
        return Interval(np.nan, np.nan, confidence, "delta")
    credit, queries = sums[:, 1], sums[:, 2]
    mean = credit.sum() / queries.sum()
    away = (credit - mean * queries) / queries.mean()
    error = np.sqrt(away.var(ddof=1) / len(sums))
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    return Interval(float(mean - reach), float(mean + reach), confidence, "delta")
