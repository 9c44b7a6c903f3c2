"""What could flip, held against every way in which the unjudged could be judged."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon import could_flip, evaluate
from cleverdon.errors import NotationError, OptionError
from cleverdon.unknowns.flips import Flip

Nested = dict[str, dict[str, float]]

EXACT = "P@2 P(norm=returned)@3 DCG DCG(gain=exponential)@2 RBP RBP(p=0.5,rel=2)@2 CG@2 R R@2"
EXACT += " R(cap=true)@1 F@2 nDCG nDCG@1 nDCG@2 nDCG(gain=exponential)@3 nDCG(discount=jk)@2 nCG@2"
BOUNDED = "AP AP@2 AP(norm=min)@2 RR Success@2 Rprec Bpref ERR ERR@2 SetF"

DOCS = "abcde"
EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = [EXAMPLES / name for name in ("qrels.txt", "bm25.run", "dense.run")]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Nested, Nested, Nested]:
    """Judgments and two runs, of one or two queries and a few unjudged documents."""
    qrels: Nested = {}
    runs: tuple[Nested, Nested] = ({}, {})
    for query in ("q1", "q2")[: draw(st.integers(1, 2))]:
        unjudged = draw(st.sets(st.sampled_from(DOCS), max_size=3 if query == "q1" else 1))
        qrels[query] = {
            doc: draw(st.sampled_from([1, 0, 2, 1, 0])) for doc in DOCS if doc not in unjudged
        } | {"known": draw(st.sampled_from([0, 1, 2]))}
        for run in runs:
            order = draw(st.permutations(DOCS))[: draw(st.integers(0, 5))]
            run[query] = {doc: float(-rank) for rank, doc in enumerate(order)}
    for run in runs:
        run.setdefault("q1", {})["known"] = -100.0
    qrels["q1"]["top"] = 2
    return qrels, *runs


def differences(qrels: Nested, a: Nested, b: Nested, names: list[str]) -> np.ndarray:
    """For each way of judging, the difference by each measure: ways x measures."""
    unjudged = [
        (query, doc)
        for query in qrels
        for doc in sorted((a.get(query, {}).keys() | b.get(query, {}).keys()) - qrels[query].keys())
    ]
    found = []
    for grades in itertools.product((0, 1, 2), repeat=len(unjudged)):
        judged = {query: dict(grades_of) for query, grades_of in qrels.items()}
        for (query, doc), grade in zip(unjudged, grades, strict=True):
            judged[query][doc] = grade
        means = evaluate(judged, {"a": a, "b": b}, names).means
        found.append(means[1] - means[0])
    return np.array(found)


@settings(max_examples=12)
@given(pairs())
def test_the_difference_reaches_its_bounds_and_no_further(
    case: tuple[Nested, Nested, Nested],
) -> None:
    qrels, a, b = case
    exact, bounded = EXACT.split(), BOUNDED.split()
    found = differences(qrels, a, b, exact + bounded)
    for column, name in enumerate(exact + bounded):
        flip = could_flip(qrels, a, b, name)
        lowest, highest = found[:, column].min(), found[:, column].max()
        if name in exact:
            assert flip.exact
            np.testing.assert_allclose((flip.lowest, flip.highest), (lowest, highest), atol=1e-12)
            assert flip.possible == (lowest < -1e-12 and highest > 1e-12)
        else:
            assert not flip.exact
            assert flip.lowest <= lowest + 1e-12, name
            assert flip.highest >= highest - 1e-12, name


@settings(max_examples=25)
@given(pairs())
def test_each_document_moves_the_difference_as_it_says(case: tuple[Nested, Nested, Nested]) -> None:
    qrels, a, b = case
    for name in ("P@2", "nDCG@3", "R@2", "F@2", "AP", "ERR", "RBP", "Bpref"):
        flip = could_flip(qrels, a, b, name)
        moves = [abs(document.moves) for document in flip.documents]
        assert moves == sorted(moves, reverse=True)
        for document in flip.documents:
            judged = {query: dict(grades) for query, grades in qrels.items()}
            judged[document.query][document.doc] = 2
            means = evaluate(judged, {"a": a, "b": b}, name).means
            moved = (means[1] - means[0]).item() - flip.difference
            assert moved == pytest.approx(document.moves, abs=1e-12), name


def test_two_intervals_do_not_answer_it() -> None:
    qrels = {"q": {"good": 1}}
    a = {"q": {"good": 3, "x": 2, "y": 1}}
    b = {"q": {"x": 3, "y": 2, "bad": 1}}
    # Whatever is judged, a has the relevant document and b has not; yet their intervals overlap.
    flip = could_flip(qrels, a, b, "P@3")
    scores = evaluate(qrels, {"a": a, "b": b}, "P@3", bounds=True)
    (low_a, _), (_, high_b) = (scores.mean_bounds(name, "P@3") for name in ("a", "b"))
    assert high_b > low_a
    assert not flip.possible
    assert flip.highest == pytest.approx(0)
    assert "the order cannot flip" in str(flip)


def test_only_what_will_be_judged_counts() -> None:
    qrels = {"q": {"good": 1}}
    a = {"q": {"good": 3, "x": 2}}
    b = {"q": {"u": 3, "v": 2, "good": 1}}
    assert could_flip(qrels, a, b, "P@2").highest == 0.5
    assert could_flip(qrels, a, b, "P@2", depth=1).highest == 0
    assert could_flip(qrels, a, b, "P(rel=2)@2", unjudged=1).highest == 0
    assert could_flip(qrels, a, b, "P@2", unjudged=0.5).averages == (0.5, 0)
    assert [d.doc for d in could_flip(qrels, a, b, "P@2").documents] == ["u", "v", "x"]


def test_it_says_what_was_found() -> None:
    flip = could_flip(*FILES, "P@1")
    assert str(flip).splitlines() == [
        "P@1: bm25 0.7500, dense 0.7500, difference +0.0000",
        "judging the unjudged can bring the difference to between -0.2500 and +0.2500: the order "
        "could flip",
        "judge first (query, document, how it moves the difference if relevant):",
        "  q1  d20  +0.2500",
        "  q2  d23  -0.2500",
    ]
    bound = could_flip(*FILES, "AP")
    assert "may be able to flip; this is a bound" in str(bound)
    assert "... and 29 more" in str(bound)
    assert isinstance(bound, Flip)


@pytest.mark.parametrize(
    "name", ["GMAP", "SearchLength", "Judged@5", "RBP(gain=query)", "P(judged_only=true)@2"]
)
def test_what_cannot_be_told_is_refused(name: str) -> None:
    qrels = {"q": {"good": 1, "better": 2}}
    with pytest.raises(OptionError):
        could_flip(qrels, {"q": {"good": 3}}, {"q": {"x": 3}}, name)


def test_what_does_not_fit_is_refused() -> None:
    qrels, a, b = {"q": {"good": 1}}, {"q": {"good": 3}}, {"q": {"x": 3}}
    with pytest.raises(OptionError, match=r"FPR is undefined, since .* --docs N"):
        could_flip(qrels, a, b, "FPR")
    with pytest.raises(OptionError, match=r"has no value: .*no judged document is relevant"):
        could_flip({"q": {"good": 0}}, a, b, "AP")
    assert could_flip(qrels, a, b, "FPR", docs=10).averages == (0, 1 / 9)
    for depth in (0, 1.5):
        with pytest.raises(OptionError, match="a depth is a whole number from 1 on"):
            could_flip(qrels, a, b, "P@1", depth=depth)  # type: ignore[arg-type]
    with pytest.raises(NotationError, match="a measure is written as text"):
        could_flip(qrels, a, b, 5)  # type: ignore[arg-type]
