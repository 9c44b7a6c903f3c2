"""The four methods: what they may show, that they are fair, and what is known of each."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon._common.arrays import Floats
from cleverdon.errors import InputError, OptionError
from cleverdon.logs.interleaving.base import Method, find_method, method, methods
from cleverdon.logs.interleaving.methods import (
    Balanced,
    Optimised,
    Probabilistic,
    TeamDraft,
    _plan_lists,
)
from tests.logs.interleaving.chances import distribution, record_of

METHODS: list[Method] = [
    TeamDraft(seed=3),
    Balanced(seed=3),
    Probabilistic(seed=3),
    Optimised(seed=3),
    Optimised(seed=3, by="linear"),
]
FAIR = [one for one in METHODS if one.name != "balanced"]

rankings = st.lists(st.sampled_from("uvwxyz"), unique=True, max_size=4)
full = st.permutations("wxyz").map(lambda docs: list(docs[:3]))


def ids(one: Method) -> str:
    return f"{one.name}-{getattr(one, 'by', '')}".strip("-")


every = pytest.mark.parametrize("one", METHODS, ids=ids)
fair = pytest.mark.parametrize("one", FAIR, ids=ids)


def subsets(places: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(places), n) for n in range(places + 1)))


@every
@given(a=rankings, b=rankings, k=st.none() | st.integers(1, 8))
def test_shows_the_best_of_both_once(
    one: Method, a: list[str], b: list[str], k: int | None
) -> None:
    docs, record = one.interleave(a, b, query_id="q", k=k)
    assert len(set(docs)) == len(docs) == min(len({*a, *b}), k or 99)
    assert set(docs) <= {*a, *b}
    assert record.docs == docs
    # Down to every place of the interleaved part, whatever comes next is somebody's best; only
    # probabilistic interleaving reaches further down.
    credited = [doc for doc in docs if doc in find_method(record.method).credited(record)]
    assert len(credited) == min(len(a), len(b), k or 99)
    assert tuple(credited) == docs[: len(credited)]
    if one.name != "probabilistic":
        for place, doc in enumerate(credited):
            left = [[x for x in of if x not in docs[:place]] for of in (a, b)]
            assert doc in (left[0][0], left[1][0])


@every
@given(a=full, b=full, places=st.sets(st.integers(0, 2)))
def test_credit_is_mirrored_when_rankings_are_swapped(
    one: Method, a: list[str], b: list[str], places: set[int]
) -> None:
    """On average over all draws: what A gets of (A, B) is what B gets of (B, A)."""

    def mean(first: list[str], second: list[str]) -> Floats:
        gains: list[Floats] = [
            chance * np.array(one.credit(record_of(drawn), {drawn.docs[i] for i in places}))
            for drawn, chance in distribution(one, first, second, 3)
        ]
        total: Floats = np.sum(gains, axis=0)
        return total

    if one.name == "optimised":
        # Of several best solutions either may be taken; but the difference is 0 at every place.
        forth, back = mean(a, b), mean(b, a)
        assert np.diff(forth) == pytest.approx(0, abs=1e-9)
        assert np.diff(back) == pytest.approx(0, abs=1e-9)
    else:
        assert mean(a, b) == pytest.approx(mean(b, a)[::-1])


@fair
@given(a=full, b=full)
def test_users_who_click_at_random_prefer_neither(one: Method, a: list[str], b: list[str]) -> None:
    """Exactly, over everything that can be drawn, and for every set of places to click on."""
    drawn = distribution(one, a, b, 3)
    assert sum(chance for _, chance in drawn) == pytest.approx(1)
    for places in subsets(3):
        credits = [
            (one.credit(record_of(page), {page.docs[i] for i in places}), chance)
            for page, chance in drawn
        ]
        gained = sum(chance * (credit.a - credit.b) for credit, chance in credits)
        assert gained == pytest.approx(0, abs=1e-9)
        if one.fair_by_wins():
            won = sum(chance * np.sign(credit.a - credit.b) for credit, chance in credits)
            assert won == pytest.approx(0, abs=1e-9)


@given(a=full, b=full, places=st.sets(st.integers(0, 2)))
def test_probabilistic_credit_is_the_papers_sum_over_assignments(
    a: list[str], b: list[str], places: set[int]
) -> None:
    """Marginalised credit, from all ways in which each list came about in the enumeration."""
    one = Probabilistic()
    outcomes: dict[tuple[str, ...], Counter[str]] = {}
    drawn = distribution(one, a, b, 3)
    for page, chance in drawn:
        clicked = {page.docs[i] for i in places}
        by_team = one.credit(record_of(page), clicked, marginalised=False)
        of = outcomes.setdefault(page.docs, Counter())
        of["all"] += chance  # type: ignore[assignment]
        winner = "a" if by_team.a > by_team.b else "b" if by_team.b > by_team.a else "tie"
        of[winner] += chance  # type: ignore[assignment]
    for page, _ in drawn:
        of = outcomes[page.docs]
        credit = one.credit(record_of(page), {page.docs[i] for i in places})
        assert credit.a == pytest.approx(of["a"] / of["all"])
        assert credit.b == pytest.approx(of["b"] / of["all"])


def test_probabilities_of_team_draft_by_hand() -> None:
    """A = x y z, B = y z x: two coins, four drafts."""
    found = {
        (page.docs, page.columns["team"]): chance
        for page, chance in distribution(TeamDraft(), [*"xyz"], [*"yzx"], 3)
    }
    assert found == {
        (("x", "y", "z"), ("A", "B", "A")): 0.25,
        (("x", "y", "z"), ("A", "B", "B")): 0.25,
        (("y", "x", "z"), ("B", "A", "A")): 0.25,
        (("y", "x", "z"), ("B", "A", "B")): 0.25,
    }


def test_balanced_is_not_fair_and_team_draft_is() -> None:
    """The known example: one click on any of three documents, each as likely."""

    def wins(one: Method) -> tuple[float, float]:
        for_a = for_b = 0.0
        for page, chance in distribution(one, [*"xyz"], [*"yzx"], 3):
            for doc in page.docs:
                credit = one.credit(record_of(page), {doc})
                for_a += chance / 3 * (credit.a > credit.b)
                for_b += chance / 3 * (credit.b > credit.a)
        return for_a, for_b

    assert wins(Balanced()) == pytest.approx((1 / 3, 2 / 3))
    assert wins(TeamDraft()) == pytest.approx((1 / 2, 1 / 2))


def test_balanced_credit_by_hand() -> None:
    """A = a b c d, B = b e a f. The lowest click is on a, first in A: k is 1."""
    drawn = [page for page, _ in distribution(Balanced(), [*"abcd"], [*"beaf"], 4)]
    assert [page.docs for page in drawn] == [tuple("abec"), tuple("baec")]
    second = record_of(drawn[1])
    assert second.columns == {"rank_a": (2, 1, None, 3), "rank_b": (1, 3, 2, None)}
    assert Balanced.credit(second, {"a", "b"}) == (1, 1)
    assert Balanced.credit(second, {"b", "e"}) == (1, 2)  # k = 2, and A has b at 2
    assert Balanced.credit(second, {"c"}) == (1, 0)
    assert Balanced.credit(second, set()) == (0, 0)


def test_optimised_probabilities_by_hand() -> None:
    """A = a b c d, B = b d c a, linear credit: 3, -1, 0, -2 for a, b, c, d.

    Place 1: 3p = 1 - p for a first, so p(a..) = 1/4. Of six lists, those with c last lose nothing
    to a tie above; of them abdc, badc and bdac are fair with 25%, 35% and 40% alone.
    """
    plan = _plan_lists((0, 1, 2, 3), (1, 3, 2, 0), 4, "linear", 1024, 0)
    assert plan is not None
    lists = {"".join("abcd"[doc] for doc in docs) for docs in plan.lists.tolist()}
    assert lists == {"abcd", "abdc", "bacd", "badc", "bdac", "bdca"}
    chances = {
        "".join("abcd"[doc] for doc in docs): chance
        for docs, chance in zip(plan.lists.tolist(), plan.chances.tolist(), strict=True)
        if chance > 1e-12
    }
    assert chances == pytest.approx({"abdc": 0.25, "badc": 0.35, "bdac": 0.4})


@pytest.mark.parametrize("by", ["inverse", "linear"])
@given(a=st.permutations(range(6)), b=st.permutations(range(2, 8)), k=st.integers(1, 6))
def test_optimised_is_fair_at_every_depth(by: str, a: list[int], b: list[int], k: int) -> None:
    names = {doc: place for place, doc in enumerate(dict.fromkeys([*a, *b]))}
    plan = _plan_lists(
        tuple(names[doc] for doc in a), tuple(names[doc] for doc in b), k, by, 1024, 0
    )
    assert plan is not None
    assert plan.chances.sum() == pytest.approx(1)
    assert (plan.chances >= 0).all()
    assert plan.expected == pytest.approx(np.zeros(k), abs=1e-9)


def test_optimised_draws_lists_where_there_are_too_many() -> None:
    a, b = [f"a{i}" for i in range(20)], [f"b{i}" for i in range(20)]
    one = Optimised(seed=4)
    docs, record = one.interleave(a, b, query_id="q", k=15)
    assert record.method == "optimised"
    assert len(docs) == 15
    plan = _plan_lists(tuple(range(20)), tuple(range(20, 40)), 15, "inverse", 1024, 4)
    assert plan is not None
    assert len(plan.lists) <= 1024
    assert plan.expected == pytest.approx(np.zeros(15), abs=1e-9)


def test_optimised_falls_back_to_team_draft_and_says_so() -> None:
    """Two lists drawn out of 64 are not enough to be fair at six places."""
    one = Optimised(seed=4, lists=2)
    a, b = [f"a{i}" for i in range(6)], [f"b{i}" for i in range(6)]
    _, record = one.interleave(a, b, query_id="q")
    assert record.method == "team-draft"
    assert set(record.columns["team"][:6]) == {"A", "B"}
    assert TeamDraft.credit(record, set(record.docs)) == (3, 3)


@every
def test_equal_rankings_are_shown_as_they_are(one: Method) -> None:
    docs, record = one.interleave([*"xyz"], [*"xyz"], query_id="q")
    if one.name != "probabilistic":  # which draws the order
        assert docs == ("x", "y", "z")
    assert sorted(docs) == ["x", "y", "z"]
    assert one.interleave([], [], query_id="q").docs == ()
    assert find_method(record.method).credited(record) == {"x", "y", "z"}


@every
def test_what_only_one_ranking_has_counts_for_nobody(one: Method) -> None:
    docs, record = one.interleave([], ["x", "y"], query_id="q")
    assert docs == ("x", "y")
    assert one.credited(record) == set()
    assert one.credit(record, {"x", "y"}) == (0, 0)
    docs, record = one.interleave(["v"], ["x", "y", "z"], query_id="q", k=3)
    assert len(docs) == 3
    assert one.credited(record) == {docs[0]}


@every
def test_the_draw_is_the_seeds_and_the_querys(one: Method) -> None:
    a, b = [f"d{i}" for i in range(10)], [f"d{i}" for i in range(14, 4, -1)]
    pages = {query: one.interleave(a, b, query_id=query) for query in map(str, range(30))}
    assert all(one.interleave(a, b, query_id=query) == page for query, page in pages.items())
    assert len({page.docs for page in pages.values()}) > 1
    other = type(one)(seed=4)
    assert any(
        other.interleave(a, b, query_id=query).docs != page.docs for query, page in pages.items()
    )


def test_a_draw_is_the_same_on_every_machine() -> None:
    a, b = [f"a{i}" for i in range(5)], [f"b{i}" for i in range(5)]
    docs, record = TeamDraft(seed=7).interleave(a, b, query_id="käse", k=6)
    assert "".join(str(team) for team in record.columns["team"] if team) == "ABBAA"
    assert docs == ("a0", "b0", "b1", "a1", "a2", "b2")


@every
def test_says_what_it_is(one: Method) -> None:
    assert one.description().endswith(".")
    assert one.formula
    assert one.source
    assert find_method(one.name) is type(one)


def test_the_list_of_methods() -> None:
    names = [known.name for known in methods()]
    assert sorted(names) == ["balanced", "optimised", "probabilistic", "team-draft"]
    with pytest.raises(
        InputError, match="no interleaving method 'team'; did you mean 'team-draft'"
    ):
        find_method("team")
    with pytest.raises(InputError, match="interleaving method 'balanced' already"):
        method(type("Other", (Balanced,), {}))


def test_what_cannot_be_interleaved() -> None:
    one = TeamDraft()
    with pytest.raises(InputError, match="ranking B has 'x' twice, as number 1 and 3; keep the"):
        one.interleave(["x"], ["x", "y", "x"], query_id="q")
    with pytest.raises(InputError, match="ranking A is 'xyz'; it should be a list"):
        one.interleave("xyz", ["x"], query_id="q")
    with pytest.raises(InputError, match="ranking A: number 1 is 5; ids should be strings"):
        one.interleave([5], ["x"], query_id="q")  # type: ignore[list-item]
    with pytest.raises(InputError, match="query_id is 5; it should be a string"):
        one.interleave(["x"], ["y"], query_id=5)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="k=0: at least one"):
        one.interleave(["x"], ["y"], query_id="q", k=0)
    with pytest.raises(OptionError, match="seed=-1"):
        TeamDraft(seed=-1)
    with pytest.raises(OptionError, match="tau=-1"):
        Probabilistic(tau=-1)
    with pytest.raises(OptionError, match="by='lienar' is not known; did you mean 'linear'"):
        Optimised(by="lienar")
    with pytest.raises(OptionError, match="lists=1"):
        Optimised(lists=1)
