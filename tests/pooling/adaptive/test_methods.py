"""Every method by hand on small queries, and what all of them promise."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import OptionError
from cleverdon.pooling.adaptive import methods
from cleverdon.pooling.adaptive.methods import (
    Method,
    MethodState,
    MoveToFront,
    known_methods,
    make_method,
    parse_method,
)
from cleverdon.pooling.contributions import QueryContributions
from tests.pooling.adaptive.made_up import of_rankings

NAMES = list(known_methods())


def begun(method: str, *rankings: str, seed: int = 0) -> MethodState:
    return parse_method(method).begin(of_rankings(*rankings), np.random.default_rng(seed))


def sequence(method: str, *rankings: str, relevant: str = "") -> str:
    """The documents in the order in which they are given, each judged at once."""
    state = begun(method, *rankings)
    found = ""
    while (doc := state.next()) is not None:
        name = state.of.docs[doc]
        state.judge(doc, name in relevant)
        found += name
    return found


def test_depth_goes_by_the_best_rank() -> None:
    # Best ranks: a, c 1; b 2; d 3.
    assert sequence("depth", "abd", "cba") == "acbd"


def test_reciprocal_ranks_are_summed() -> None:
    # a: 1/61 + 1/63 = 0.03227; b: 2/62 = 0.03226; c: 1/61 = 0.0164; d: 1/63 = 0.0159.
    assert sequence("rrf", "abd", "cba") == "abcd"
    # With k = 0: a 1 + 1/3, b 1, c 1, d 1/3.
    assert sequence("rrf(k=0)", "abd", "cba") == "abcd"
    # With k = 0: a 1, b 1/2 + 1/2 + 1/2, c 1, d 1.
    assert sequence("rrf(k=0)", "ab", "cb", "db") == "bacd"


def test_move_to_front() -> None:
    # s0 gives a and s1 gives d, in vain. s2 gives b: relevant. It stays in front, and gives g, in
    # vain. All three are one step back now; s2 was in front last, and gives h, its last.
    # s0 comes to b, which is known to be relevant: in front again. It gives c in vain, is one step
    # back as s1 is, but was in front more recently: i. Then s1 is left with e and f.
    assert sequence("mtf", "abci", "def", "bgh", relevant="b") == "adbghcief"


def test_move_to_front_goes_round_while_nothing_is_relevant() -> None:
    assert sequence("mtf", "abc", "def", "ghi") == "adgbehcfi"


def test_move_to_front_in_batches() -> None:
    # Nothing is judged: what was given counts as not relevant, so that systems take turns.
    state = begun("mtf", "abc", "def")
    given = [state.next() for _ in range(4)]
    assert [state.of.docs[doc] for doc in given if doc is not None] == list("adbe")
    # a turns out to be relevant: s0 has shown one document since, s1 two.
    state.judge(0, True)
    assert state.next() == 2


def test_a_changed_mind_moves_back() -> None:
    # As if a had been judged so from the start: s1 is in front, s0 one step back.
    state = begun("mtf", "abcx", "defy")
    assert state.next() == 0
    state.judge(0, True)
    state.judge(0, False)
    assert state.of.docs[state.next() or 0] == "d"


def test_max_mean_keeps_all_and_its_other_kind_the_last() -> None:
    # s0: a and b relevant: mean 3/4. After c, 3/5; after d, 3/6, as s1, which has been read less
    # far: e. After that s1 is at 1/3: i; s0 at 3/7, but it has no more.
    assert sequence("max-mean", "abcdi", "efgh", relevant="ab") == "abcdeifgh"
    # The last judgment alone: after c, s0 is at 1/3, below 1/2 of s1; then both are at 1/3, and the
    # one that has been read least far is next until both have been read as far.
    assert sequence("max-mean-ns", "abcdi", "efgh", relevant="ab") == "abcefgdhi"


def test_memory_fades() -> None:
    # Hits of s0 after a, b, c: ((1 * .5) + 1) * .5 = 0.75, misses 1: mean 1.75 / 3.75 = 0.467. So
    # s1 is next. With memory 0.9: 1.71 hits, 1 miss: 2.71 / 4.71 = 0.575, and s0 goes on.
    assert sequence("max-mean(memory=0.5)", "abcd", "efgh", relevant="ab")[:4] == "abce"
    assert sequence("max-mean(memory=0.9)", "abcd", "efgh", relevant="ab")[:4] == "abcd"


def test_credit_to_all_that_returned_it() -> None:
    # s0 gives a, which s2 returned as well: both are at 1/3 if all get the credit, so s1 gives b;
    # in vain. With a relevant, s0 goes on, then s2.
    assert sequence("max-mean(credit=all)", "ac", "bd", "ea")[:3] == "abc"
    assert sequence("max-mean", "ac", "bd", "ea")[:3] == "abe"


@pytest.mark.parametrize("name", ["max-mean", "max-mean-ns", "thompson"])
def test_bandits_learn_from_what_was_never_given(name: str) -> None:
    # c is at the top of s1, and further down in s0: s1 has the credit, and is played next.
    for relevant, nexts in ((True, "d"), (False, "a")):
        state = begun(f"{name}(credit=giver)", "abcx", "cdef")
        state.judge(state.of.docs.index("c"), relevant)
        hits, misses = state._hits.tolist(), state._misses.tolist()  # type: ignore[attr-defined]
        assert (hits, misses) == ([0, relevant], [0, not relevant])
        if name != "thompson":  # which is left to chance
            assert state.of.docs[state.next() or 0] == nexts
    # Of several that rank it best, each; and of one that was given, the giver alone.
    state = begun(name, "ab", "ac", "da")
    state.judge(0, True)
    assert state._hits.tolist() == [1, 1, 0]  # type: ignore[attr-defined]
    state = begun(name, "ab", "ac", "ad")
    state.judge(state.next() or 0, True)
    assert state._hits.sum() == 1  # type: ignore[attr-defined]


def test_a_corrected_hit_is_a_miss() -> None:
    for memory in (0, 0.5, 1):
        corrected = begun(f"max-mean(memory={memory})", "abcdef", "ghijkl")
        straight = begun(f"max-mean(memory={memory})", "abcdef", "ghijkl")
        for state in (corrected, straight):
            state.judge(state.next() or 0, state is corrected)
        # Nothing else was learnt in between.
        corrected.judge(0, False)
        for relevant in (True, False, False, True, False):
            one, other = corrected.next(), straight.next()
            assert one == other
            corrected.judge(one or 0, relevant)
            straight.judge(other or 0, relevant)


def test_thompson_plays_systems_as_often_as_they_are_best() -> None:
    # Beta(2, 1) is above a uniform number with the probability of its mean, 2/3.
    first = 0
    of, random = of_rankings("ab", "cd"), np.random.default_rng(1)
    for _ in range(3000):
        state = parse_method("thompson(credit=all)").begin(of, random)
        state.judge(0, True)
        first += state.next() == 1
    assert abs(first / 3000 - 2 / 3) < 4 * np.sqrt(2 / 9 / 3000)


def test_hedge() -> None:
    # Z = 3; g of ranks 1, 2, 3: 0.549, 0.203, 0. First a and c, by one system each, 0.549, and b,
    # by both, 0.405: a, as the lower of equals. Not relevant: the weight of s0 is
    # 0.1 ** 0.549 = 0.282, so b has 0.203 * 1.282 = 0.260 and c 0.549.
    assert sequence("hedge", "ab", "cb") == "acb"
    # Relevant: the weight of s0 is 1 / 0.282 = 3.54, so b has 0.203 * 4.54 = 0.921.
    assert sequence("hedge", "ab", "cb", relevant="a") == "abc"
    # With beta near 1, weights hardly move.
    assert sequence("hedge(beta=0.99)", "ab", "cb", relevant="a") == "acb"


def test_hedge_takes_a_loss_back() -> None:
    state = begun("hedge", "ab", "cb")
    assert state.next() == 0
    state.judge(0, True)
    state.judge(0, False)
    assert state.next() == 2


def test_hedge_weighs_what_was_not_returned_by_the_mean_of_the_rest() -> None:
    # s0 returned a alone, of Z = 4: ranks 2, 3, 4 have a mean g of ln(4^3 / 24) / 6 = 0.163; s1 and
    # a: the ranks 4 to 4, 0. a relevant: s0 wins 0.693 and s1 nothing.
    state = begun("hedge(beta=0.5)", "a", "bcd")
    state.judge(0, True)
    weights = state._weight  # type: ignore[attr-defined]
    assert weights == pytest.approx([np.log(2) * np.log(4) / 2, 0])
    # b is not relevant: s0 loses 0.163, s1 0.693.
    state.judge(1, False)
    lost = np.log(0.5) * np.array([np.log(4**3 / 24) / 6, np.log(4) / 2])
    assert weights == pytest.approx([np.log(2) * np.log(4) / 2 + lost[0], lost[1]])


def worth(ranking: str, doc: str, size: int) -> float:
    """ln(Z / rank) / 2; of what was not returned, the mean over the ranks below."""
    ranks = [ranking.index(doc) + 1] if doc in ranking else range(len(ranking) + 1, size + 1)
    return float(np.mean([np.log(size / rank) / 2 for rank in ranks]))


@given(st.lists(st.permutations("abcdefghij"), min_size=1, max_size=5), st.data())
def test_hedge_as_it_is_defined(orders: list[list[str]], data: st.DataObject) -> None:
    """Against weights that are multiplied one by one, over all systems and documents."""
    rankings = ["".join(order)[: data.draw(st.integers(1, 10))] for order in orders]
    state = begun("hedge(beta=0.05)", *rankings)
    docs = state.of.docs
    weights = np.ones(len(rankings))
    left = set(docs)
    while (number := state.next()) is not None:
        scores = {
            doc: sum(
                weight * worth(one, doc, len(docs))
                for weight, one in zip(weights, rankings, strict=True)
            )
            for doc in left
        }
        assert scores[docs[number]] == pytest.approx(max(scores.values()), rel=1e-9)
        left.remove(docs[number])
        relevant = data.draw(st.booleans())
        state.judge(number, relevant)
        for system, one in enumerate(rankings):
            loss = worth(one, docs[number], len(docs)) * (-1 if relevant else 1)
            weights[system] *= 0.05**loss


def precision_sum(ranking: str, relevant: set[str]) -> float:
    """Average precision times the number of relevant documents, by its definition."""
    hits, total = 0, 0.0
    for rank, doc in enumerate(ranking, start=1):
        hits += doc in relevant
        total += hits / rank * (doc in relevant)
    return total


def separation(rankings: list[str], known: dict[str, bool], doc: str, chance: float) -> float:
    """The expected change that a document makes, by going through all that could be relevant."""
    rest = sorted(set("".join(rankings)) - known.keys() - {doc})
    changes = np.zeros(len(rankings))
    for outcome in product((True, False), repeat=len(rest)):
        likely = np.prod([chance if each else 1 - chance for each in outcome])
        both = zip(rest, outcome, strict=True)
        relevant = {each for each, is_so in (*known.items(), *both) if is_so}
        changes += likely * np.array(
            [
                precision_sum(one, relevant | {doc}) - precision_sum(one, relevant)
                for one in rankings
            ]
        )
    return sum((a - b) ** 2 for a, b in combinations(changes.tolist(), 2))


@given(st.lists(st.permutations("abcdef"), min_size=2, max_size=4), st.data())
def test_mtc_gives_what_separates_most(orders: list[list[str]], data: st.DataObject) -> None:
    rankings = ["".join(order)[: data.draw(st.integers(1, 6))] for order in orders]
    chance = data.draw(st.sampled_from([0, 0.25, 0.5, 1]))
    state = begun(f"mtc(chance={chance})", *rankings)
    known: dict[str, bool] = {}
    while (number := state.next()) is not None:
        doc = state.of.docs[number]
        weights = {
            each: separation(rankings, known, each, chance)
            for each in state.of.docs
            if each not in known
        }
        assert weights[doc] == pytest.approx(max(weights.values()), abs=1e-9)
        known[doc] = data.draw(st.booleans())
        state.judge(number, known[doc])
        if data.draw(st.booleans()):
            again = data.draw(st.sampled_from(sorted(known)))
            known[again] = not known[again]
            state.judge(state.of.docs.index(again), known[again])


def test_mtc_by_hand() -> None:
    # Two systems, chance 0: c alone stands at different ranks (1 and 3), a and b at 2 and 3 against
    # 1 and 2. Squares of 1 / rank - 1 / rank': a (1/2 - 1)^2 = 1/4, b (1/3 - 1/2)^2 = 1/36,
    # c (1 - 1/3)^2 = 4/9.
    assert sequence("mtc(chance=0)", "cab", "abc") == "cab"


def test_mtc_needs_two_systems() -> None:
    with pytest.raises(OptionError, match="one only"):
        begun("mtc", "abc")


rankings_of_letters = st.lists(
    st.permutations("abcdefgh").flatmap(
        lambda docs: st.integers(0, 8).map(lambda n: "".join(docs[:n]))
    ),
    min_size=2,
    max_size=5,
).filter(any)


@pytest.mark.parametrize("name", NAMES)
@given(rankings=rankings_of_letters, data=st.data())
def test_every_document_once_whatever_happens(
    name: str, rankings: list[str], data: st.DataObject
) -> None:
    """Batches, judgments of what was not given, and changed minds; and the same again."""
    state, twin = (begun(name, *rankings, seed=3) for _ in range(2))
    outside: set[int] = set()
    given: list[int] = []
    while True:
        step = data.draw(st.sampled_from(["next", "next", "judge", "other"]))
        number = data.draw(st.integers(0, len(state.of.docs) - 1))
        relevant = data.draw(st.booleans())
        if step == "next":
            doc = state.next()
            assert twin.next() == doc
            if doc is None:
                break
            given.append(doc)
        elif step == "other" or number in given:
            if number not in given:
                outside.add(number)
            state.judge(number, relevant)
            twin.judge(number, relevant)
    assert len(given) == len(set(given))
    assert not outside & set(given)
    assert outside | set(given) == set(range(len(state.of.docs)))


def test_methods_are_written_as_they_are_read() -> None:
    for name in NAMES:
        found = parse_method(name)
        assert str(found) == name
        assert make_method(found.name, asdict(found)) == found
    assert str(parse_method(" thompson( memory = 0.5 , credit=all ) ")) == (
        "thompson(memory=0.5, credit=all)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mft", "did you mean 'mtf'"),
        ("hedge(beta=1)", "expected a number between 0 and 1"),
        ("hedge(beta=x)", "expected a number between 0 and 1"),
        ("hedge(gamma=1)", "hedge has no parameter 'gamma'; did you mean|it can be 'beta'"),
        ("mtf(x=1)", "mtf has no parameter 'x'; it has none"),
        ("thompson(memory=2)", "expected a number from 0 to 1"),
        ("thompson(credit=both)", "credit='both' is not known"),
        ("rrf(k=-1)", "expected a number from 0"),
        ("hedge(", "is not a method: write NAME"),
        ("hedge(beta=0.2, beta=0.3)", "the parameter 'beta' is given twice"),
    ],
)
def test_what_is_no_method(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_method(text)


def test_a_name_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(methods._METHODS, "_classes", dict(methods._METHODS._classes))

    class Mine(Method):
        name = "mtf"
        summary = "another one"

        def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
            raise NotImplementedError

    with pytest.raises(OptionError, match="there is a method 'mtf' already; choose another name"):
        methods.method(Mine)
    assert known_methods()["mtf"] is MoveToFront
    Mine.name = "mine"
    assert methods.method(Mine) is Mine
    # The same again, as when a notebook cell is run twice.
    assert methods.method(Mine) is known_methods()["mine"] is Mine
