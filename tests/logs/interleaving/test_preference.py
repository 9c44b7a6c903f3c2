"""Preference and power: votes, delta, the tests, the bootstrap, and how many queries it takes."""

from __future__ import annotations

from math import comb, inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import OptionError
from cleverdon.logs.interleaving.credit import Credits, QueryCredit
from cleverdon.logs.interleaving.preference import Votes, _preference_power, measure_preference
from cleverdon.stats.power import sign_test_power, sign_test_smallest_delta, sign_test_units


def credits(
    *votes: tuple[str | None, float, float], not_clicked: int = 0, fair: bool = True
) -> Credits:
    """Queries by user, with what they gave to A and B."""
    clicked = [QueryCredit(f"q{i}", user, a, b, 1) for i, (user, a, b) in enumerate(votes)]
    rest = [QueryCredit(f"n{i}", None, 0.0, 0.0, 0) for i in range(not_clicked)]
    return Credits((*clicked, *rest), {"team-draft": len(votes)}, len(votes), fair_by_wins=fair)


FOR_A, FOR_B, EVEN = (None, 1.0, 0.0), (None, 0.0, 1.0), (None, 1.0, 1.0)


def test_by_hand() -> None:
    found = measure_preference(credits(*[FOR_A] * 6, *[FOR_B] * 2, *[EVEN] * 2, not_clicked=5))
    assert found.queries == Votes(6, 2, 2)
    assert found.not_clicked == 5
    assert found.delta == pytest.approx((6 + 2 / 2) / 10 - 0.5)
    # Eight that are no ties, two or fewer of them for the other: (1 + 8 + 28) / 256, twice.
    assert found.p.p == pytest.approx(2 * 37 / 256)
    assert (found.unit, found.units, found.test) == ("query", Votes(6, 2, 2), "sign")
    assert found.credit == pytest.approx(0.4)
    assert found.verdict == "not shown"
    assert found.interval.low < 0.2 < found.interval.high


def test_verdicts() -> None:
    assert measure_preference(credits(*[FOR_A] * 9)).verdict == "better"
    assert measure_preference(credits(*[FOR_B] * 9)).verdict == "worse"
    assert measure_preference(credits(*[FOR_A] * 5)).verdict == "not shown"  # p = 1/16


def test_queries_of_a_user_are_one_vote() -> None:
    """One user with twenty queries is no more than one observation."""
    votes = [("u1", 1.0, 0.0)] * 20 + [("u2", 0.0, 1.0), ("u3", 0.0, 1.0), ("u3", 1.0, 0.0)]
    found = measure_preference(credits(*votes))
    assert found.unit == "user"
    assert found.units == Votes(1, 1, 1)
    assert found.p.p == 1
    assert found.delta == pytest.approx((21 - 2) / 46)
    assert found.verdict == "not shown"
    alone = measure_preference(credits(*votes), unit="query")
    assert alone.p.p < 0.001
    # Users are the sample: without the first of them, B would be ahead.
    assert found.interval.low <= -0.25
    assert alone.interval.low > 0
    drawn = measure_preference(credits(*votes), interval="percentile")
    assert drawn.interval.low <= -0.25
    assert (drawn.interval.method, found.interval.method) == ("percentile", "jackknife")


def test_intervals_go_with_the_level_and_have_a_width() -> None:
    votes = [*[FOR_A] * 9, *[FOR_B] * 6]
    assert measure_preference(credits(*votes), level=0.1).interval.confidence == 0.9
    assert measure_preference(credits(*votes), level=0.1, confidence=0.5).interval.confidence == 0.5
    for interval in ("t", "percentile"):
        alike = measure_preference(credits(*[FOR_A] * 9), interval=interval)
        assert isnan(alike.interval.low)
        assert isnan(alike.credit_interval.low)


def test_where_interval_and_verdict_disagree() -> None:
    """Students' interval beside the exact sign test."""
    assert not measure_preference(credits(*[FOR_A] * 6)).disagrees  # there is no interval
    some = measure_preference(credits(*[FOR_A] * 15, *[FOR_B] * 6))
    assert (some.disagrees, some.verdict) == (True, "not shown")
    assert some.opening().endswith(
        " Interval and verdict disagree, since they are by different methods: the interval "
        "excludes 0."
    )
    sure = measure_preference(credits(*[FOR_A] * 16, *[FOR_B] * 4), confidence=0.999)
    assert (sure.disagrees, sure.verdict) == (True, "better")
    assert "since the confidence of 0.999 is not that of the level 0.05: the" in sure.opening()


def test_a_query_without_a_user_is_one_of_its_own() -> None:
    found = measure_preference(credits(("u1", 1.0, 0.0), ("u1", 1.0, 0.0), FOR_A, FOR_B))
    assert (found.unit, found.units) == ("user", Votes(2, 1, 0))


def test_test_and_delta_that_disagree_show_nothing() -> None:
    votes = [("u0", 1.0, 0.0)] * 40 + [(f"u{i}", 0.0, 1.0) for i in range(1, 20)]
    found = measure_preference(credits(*votes))
    assert found.delta > 0
    assert found.p.p < 0.05
    assert found.verdict == "not shown"


def test_where_credit_is_what_is_fair_credit_is_tested() -> None:
    """Many small credits against few large ones, which make up for them."""
    votes = [(None, 0.1, 0.0)] * 30 + [(None, 0.0, 1.0)] * 3
    found = measure_preference(credits(*votes, fair=False))
    assert (found.test, found.verdict) == ("t", "not shown")
    assert found.credit == pytest.approx(0)
    assert measure_preference(credits(*votes, fair=False), test="sign").verdict == "better"
    clear = measure_preference(
        credits(*[(None, 0.5 + 0.01 * (i % 3), 0.0) for i in range(9)], fair=False)
    )
    assert (clear.test, clear.verdict) == ("t", "better")
    # Credit that does not vary: the t test would call two queries proof.
    assert measure_preference(credits(*[FOR_A] * 2, fair=False)).p.p == 0.5


def test_the_t_test_is_scipys() -> None:
    from scipy import stats

    random = np.random.default_rng(3)
    gains = random.normal(0.2, 1, size=40)
    found = measure_preference(credits(*[(None, gain, 0.0) for gain in gains], fair=False))
    assert found.p.p == pytest.approx(stats.ttest_1samp(gains, 0).pvalue)
    error = gains.std(ddof=1) / np.sqrt(40)
    reach = stats.t.ppf(0.975, 39) * error
    assert found.credit_interval.high - found.credit == pytest.approx(reach, rel=1e-6)


def test_nothing_clicked() -> None:
    found = measure_preference(credits(not_clicked=3))
    assert isnan(found.delta)
    assert isnan(found.credit)
    assert isnan(found.interval.low)
    assert (found.verdict, found.p.p, found.not_clicked) == ("not shown", 1, 3)
    planned = _preference_power(found)
    assert isnan(planned.units_needed)
    one = measure_preference(credits(FOR_A, fair=False))
    assert (one.verdict, one.p.p) == ("not shown", 1)
    assert isnan(_preference_power(one).power)


def test_seeded() -> None:
    votes = [(f"u{i % 7}", float(i % 3), 1.0) for i in range(50)]
    how = {"interval": "percentile", "resamples": 40}
    first, again = (measure_preference(credits(*votes), seed=5, **how) for _ in range(2))  # type: ignore[arg-type]
    assert first == again
    assert measure_preference(credits(*votes), seed=6, **how).interval != first.interval  # type: ignore[arg-type]


@given(
    st.lists(
        st.tuples(st.sampled_from(["u1", "u2", "u3", None]), *[st.sampled_from([0.0, 1.0])] * 2),
        min_size=1,
        max_size=30,
    )
)
def test_mirrored(votes: list[tuple[str | None, float, float]]) -> None:
    forth = measure_preference(credits(*votes), resamples=50)
    back = measure_preference(credits(*[(user, b, a) for user, a, b in votes]), resamples=50)
    assert forth.delta == -back.delta
    assert forth.p == back.p
    assert (forth.units.a, forth.units.b) == (back.units.b, back.units.a)
    assert -0.5 <= forth.delta <= 0.5
    if not isnan(forth.interval.low):
        assert -0.5 <= forth.interval.low <= forth.interval.high <= 0.5


def test_the_bootstrap_is_that_of_users_drawn_one_by_one() -> None:
    random = np.random.default_rng(8)
    votes = [
        (f"u{user}", float(random.random() < 0.6), float(random.random() < 0.4))
        for user in range(60)
        for _ in range(int(random.integers(1, 6)))
    ]
    found = measure_preference(credits(*votes), interval="percentile", resamples=20_000)
    sums = np.zeros((60, 2))
    for user, a, b in votes:
        assert user is not None
        sums[int(user[1:])] += (np.sign(a - b), 1)
    drawn = sums[random.integers(0, 60, size=(20_000, 60))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / (2 * drawn[:, 1]), [0.025, 0.975])
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.004)


def test_what_cannot_be_asked() -> None:
    some = credits(FOR_A, FOR_B)
    for wrong, message in {
        "unit": "unit='x' is not known",
        "test": "test='x' is not known",
        "interval": "interval='x' is not known",
    }.items():
        with pytest.raises(OptionError, match=message):
            measure_preference(some, **{wrong: "x"})  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="no query with clicks has a user"):
        measure_preference(some, unit="user")
    with pytest.raises(OptionError, match="level=2"):
        measure_preference(some, level=2)
    with pytest.raises(OptionError, match="confidence=1"):
        measure_preference(some, confidence=1)
    with pytest.raises(OptionError, match="resamples=0"):
        measure_preference(some, resamples=0)
    with pytest.raises(OptionError, match="seed=-1"):
        measure_preference(some, seed=-1)
    with pytest.raises(OptionError, match="size=0"):
        _preference_power(measure_preference(some), size=0)
    with pytest.raises(OptionError, match=r"target=0\.01"):
        _preference_power(measure_preference(some), target=0.01)


def test_power_of_the_sign_test_from_first_principles() -> None:
    """Of 20 queries, 5 or fewer for the other are significant: p = 0.041, and of 6, 0.115."""
    win = 0.7
    expected = sum(
        comb(20, n) * (win**n * (1 - win) ** (20 - n)) for n in (*range(6), *range(15, 21))
    )
    assert sign_test_power(0.2, 20) == pytest.approx(expected)
    # Ties are left out: of 40 queries with half of them tied, it takes the same share of all.
    assert sign_test_power(0.1, 40, decided=0.5) == pytest.approx(expected)
    assert sign_test_power(0.0, 20) == pytest.approx(0.0414, abs=1e-4)
    assert sign_test_power(0.5, 5) == 0  # five can show nothing at 0.05


@pytest.mark.parametrize("delta", [0.05, 0.1, 0.2, 0.4])
def test_from_the_units_needed_on_power_stays_above_the_target(delta: float) -> None:
    needed = int(sign_test_units(delta))
    assert sign_test_power(delta, needed - 1) < 0.8
    assert all(sign_test_power(delta, n) >= 0.8 for n in range(needed, needed + 200))


def test_units_needed_where_the_normal_curve_takes_over() -> None:
    near, exact = sign_test_units(0.0187), sign_test_units(0.0189)
    assert near > 5_000
    assert exact > 5_000
    assert 1 < near / exact < 1.05
    assert sign_test_power(0.0187, int(near)) == pytest.approx(0.8, abs=0.01)
    assert sign_test_units(0) == inf
    assert isnan(sign_test_units(0.3, decided=0.5))
    with pytest.raises(OptionError, match=r"level=0\.9"):
        sign_test_units(0.1, level=0.9)


def test_the_smallest_preference() -> None:
    found = sign_test_smallest_delta(200)
    assert sign_test_power(found, 200) >= 0.8 > sign_test_power(found - 2e-4, 200)
    assert isnan(sign_test_smallest_delta(5))
    assert isnan(sign_test_smallest_delta(5, decided=nan))


def test_what_an_experiment_can_show() -> None:
    votes = credits(*[FOR_A] * 55, *[FOR_B] * 35, *[EVEN] * 10, not_clicked=300)
    seen = _preference_power(measure_preference(votes))
    assert isnan(seen.size)  # what was seen says nothing about power
    assert isnan(seen.power)
    assert isnan(seen.units_needed)
    planned = _preference_power(measure_preference(votes), size=0.1)
    assert planned.smallest == seen.smallest
    assert planned.units_needed == sign_test_units(0.1, decided=0.9)
    assert planned.impressions_needed == 4 * planned.units_needed
    # For users, impressions are all the pages that users with clicks stand for.
    users = credits(*[(f"u{i % 50}", float(i % 3 > 0), float(i % 3 == 0)) for i in range(150)])
    of_users = _preference_power(measure_preference(users), size=0.2)
    assert of_users.unit == "user"
    assert of_users.impressions_needed == 3 * of_users.units_needed


def test_power_by_credit() -> None:
    """Twice the queries a user with the same credit in all: half the credit a query, same power."""
    random = np.random.default_rng(2)
    gains = random.normal(0.1, 1, size=80)
    one = measure_preference(
        credits(*[(f"u{i}", gain, 0.0) for i, gain in enumerate(gains)], fair=False)
    )
    halves = [(f"u{i}", gain / 2, 0.0) for i, gain in enumerate(gains) for _ in range(2)]
    two = measure_preference(credits(*halves, fair=False))
    assert two.p.p == pytest.approx(one.p.p)
    by_one, by_two = _preference_power(one, size=0.3), _preference_power(two, size=0.15)
    assert by_two.power == pytest.approx(by_one.power)
    assert by_two.units_needed == by_one.units_needed
    assert by_two.smallest == pytest.approx(by_one.smallest / 2)
    assert by_one.power == pytest.approx(0.8, abs=0.1)
