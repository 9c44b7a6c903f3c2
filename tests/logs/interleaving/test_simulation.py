"""Each method finds the better of two rankings, and calls equal ones equal."""

from __future__ import annotations

from functools import cache
from math import sqrt

import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.interleaving.base import Chance, Method
from cleverdon.logs.interleaving.credit import credit_clicks
from cleverdon.logs.interleaving.methods import Balanced, Optimised, Probabilistic, TeamDraft
from cleverdon.logs.interleaving.preference import Preference, measure_preference
from cleverdon.logs.interleaving.simulation import (
    CLICKERS,
    SimulatedQuery,
    make_queries,
    simulate,
)

METHODS: list[Method] = [
    TeamDraft(seed=1),
    Balanced(seed=1),
    Probabilistic(seed=1),
    Optimised(seed=1),
    Optimised(seed=1, by="linear"),
]
every = pytest.mark.parametrize("one", METHODS, ids=lambda one: one.name)
judging = pytest.mark.parametrize("users", ["perfect", "navigational", "informational"])


@cache
def better() -> tuple[SimulatedQuery, ...]:
    """A is better on average, and not on every query."""
    return tuple(make_queries(0.5, 0.2, queries=30, seed=3))


@cache
def equal() -> tuple[SimulatedQuery, ...]:
    """Different rankings, each pair both ways round: neither is better, on any clicks."""
    there = tuple(make_queries(0.3, 0.3, queries=15, seed=4))
    return (*there, *(SimulatedQuery(query.b, query.a, query.grades) for query in there))


def preferred(
    one: Method, queries: tuple[SimulatedQuery, ...], users: str, *, pages: int
) -> Preference:
    made = simulate(one, queries, CLICKERS[users], impressions=pages, k=8, seed=2)
    return measure_preference(credit_clicks(*made), resamples=200)


@judging
@every
def test_finds_the_winner(one: Method, users: str) -> None:
    found = preferred(one, better(), users, pages=500)
    assert found.verdict == "better"
    assert found.delta > 0
    assert found.credit_interval.low > 0


@judging
@every
def test_finds_the_winner_the_other_way_round(one: Method, users: str) -> None:
    swapped = tuple(SimulatedQuery(query.b, query.a, query.grades) for query in better())
    assert preferred(one, swapped, users, pages=500).verdict == "worse"


@pytest.mark.parametrize("users", list(CLICKERS))
@every
def test_equal_rankings_win_half_each(one: Method, users: str) -> None:
    found = preferred(one, equal(), users, pages=600)
    decided = found.queries.a + found.queries.b
    assert decided > 200
    # Within three standard errors of a fair coin.
    assert abs(found.queries.a - decided / 2) < 3 * sqrt(decided) / 2


@pytest.mark.parametrize("users", ["random", "random-once"])
@pytest.mark.parametrize(
    "one", [one for one in METHODS if one.name != "balanced"], ids=lambda one: one.name
)
def test_random_clicks_prefer_neither_though_one_is_better(one: Method, users: str) -> None:
    found = preferred(one, better(), users, pages=600)
    half = (found.credit_interval.high - found.credit_interval.low) / 2
    assert abs(found.credit) < half * 3 / 1.96


def test_balanced_interleaving_is_biased_and_the_others_are_not() -> None:
    """A = x y z, B = y z x, and a click on one document at random."""
    query = (SimulatedQuery(("x", "y", "z"), ("y", "z", "x"), {}),)
    for one in METHODS:
        records, _ = simulate(one, query, CLICKERS["random"], impressions=900)
        clicks = [
            (record.query_id, record.docs[int(3 * Chance(0, record.query_id).number())])
            for record in records
        ]
        found = measure_preference(credit_clicks(records, clicks), resamples=200)
        if one.name == "balanced":
            assert found.verdict == "worse"
            assert found.queries.b / found.queries.all == pytest.approx(2 / 3, abs=0.05)
        else:
            assert found.verdict == "not shown", one


def test_interleaving_takes_fewer_pages_with_better_methods_of_credit() -> None:
    """Marginalised credit varies less than credit by what was drawn, as Hofmann et al. found."""
    found = simulate(Probabilistic(), better(), CLICKERS["informational"], impressions=400)
    wide = {
        marginalised: _error(measure_preference(credit_clicks(*found, marginalised=marginalised)))
        for marginalised in (True, False)
    }
    assert wide[True] < wide[False]


def _error(found: Preference) -> float:
    """The interval's width, by the size of what it is of."""
    return (found.credit_interval.high - found.credit_interval.low) / found.credit


def test_seeded() -> None:
    one, users = TeamDraft(seed=1), CLICKERS["informational"]
    first, again = (simulate(one, better(), users, impressions=40, seed=5) for _ in range(2))
    assert first == again
    assert simulate(one, better(), users, impressions=40, seed=6)[1] != first[1]
    with pytest.raises(OptionError, match="no query"):
        simulate(one, [], users, impressions=1)


def test_users_click_as_they_are_said_to() -> None:
    grades = {"good": 1, "better": 3}
    docs = ["bad", "good", "worse", "better"]
    perfect = CLICKERS["perfect"]
    assert perfect.clicks(docs, grades, Chance(0)) == ["good", "better"]
    once = [len(CLICKERS["random-once"].clicks(docs, {}, Chance(seed))) for seed in range(200)]
    assert set(once) == {0, 1}
    assert sum(once) / 200 == pytest.approx(15 / 16, abs=0.05)
