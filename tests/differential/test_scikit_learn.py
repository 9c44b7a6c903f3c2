"""Compare measures of matrices with scikit-learn's ranking metrics.

All scores of a row differ: for equal scores scikit-learn averages over the orders, or takes the end
of the group, which are other values of Cleverdon's `ties`. It has no negative grades. It averages
over rows, and a row without a relevant document counts as 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics

from cleverdon import Hits, Measure, evaluate, parse


@dataclass(frozen=True)
class Matrices:
    """Relevance and scores: a row per query, a column per document."""

    relevance: NDArray[np.float64]
    scores: NDArray[np.float64]

    def mean(self, measure: Measure) -> float:
        """Compute the mean over rows from the matrices."""
        values = measure(Hits.from_matrix(self.relevance, self.scores))
        return float(np.nan_to_num(values).mean())

    def mean_of_dicts(self, measure: Measure) -> float:
        """Compute the mean from dicts with ids."""
        qrels, run = (
            {f"q{q}": {f"d{d}": value for d, value in enumerate(row)} for q, row in enumerate(rows)}
            for rows in (self.relevance.tolist(), self.scores.tolist())
        )
        return evaluate(qrels, run, measure).mean("run", measure)

    def agrees(self, measure: str, wanted: float) -> bool:
        """Tell whether both give this value, up to rounding of logarithms and of numpy's mean."""
        found = [self.mean(parse(measure)), self.mean_of_dicts(parse(measure))]
        return found == pytest.approx([wanted, wanted], rel=1e-12)


@st.composite
def matrices(draw: st.DrawFn, *, grades: tuple[float, ...]) -> Matrices:
    """Draw up to 20 queries and 30 documents; scikit-learn needs at least two documents."""
    queries, documents = draw(st.integers(1, 20)), draw(st.integers(2, 30))
    made = np.random.default_rng(draw(st.integers(0, 2**32)))
    relevance = made.choice(grades, size=(queries, documents)).astype(float)
    ranks = np.tile(np.arange(documents), (queries, 1))
    return Matrices(relevance, made.permuted(ranks, axis=1) / 8 - 1)


graded = matrices(grades=(0, 0, 0, 1, 2, 3.5, 10))
binary = matrices(grades=(0, 0, 1))
cut_offs = st.none() | st.integers(1, 40)


def at(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{k}"


@given(graded, cut_offs, st.sampled_from((2, 10, 1.5)))
def test_dcg(made: Matrices, k: int | None, base: float) -> None:
    wanted = metrics.dcg_score(made.relevance, made.scores, k=k, log_base=base)
    assert made.agrees(at(f"DCG(base={base})", k), wanted)


@given(graded, cut_offs)
def test_ndcg(made: Matrices, k: int | None) -> None:
    wanted = metrics.ndcg_score(made.relevance, made.scores, k=k)
    assert made.agrees(at("nDCG", k), wanted)


@given(graded, cut_offs)
def test_exponential_gain_is_linear_gain_of_powers(made: Matrices, k: int | None) -> None:
    gains = 2**made.relevance - 1
    wanted = metrics.ndcg_score(gains, made.scores, k=k)
    assert made.agrees(at("nDCG(gain=exponential)", k), wanted)


@given(binary)
def test_average_precision(made: Matrices) -> None:
    relevance, scores = made.relevance.copy(), made.scores
    relevance[:, 0] = 1  # scikit-learn warns about rows without a relevant document
    rows = zip(relevance, scores, strict=True)
    wanted = np.mean([metrics.average_precision_score(*row) for row in rows])
    assert Matrices(relevance, scores).agrees("AP", wanted)
    wanted = metrics.label_ranking_average_precision_score(relevance, scores)
    assert Matrices(relevance, scores).agrees("AP", wanted)


@given(binary, st.integers(0, 30), st.sampled_from((1, 2, 0.5)))
def test_sets(made: Matrices, size: int, beta: float) -> None:
    # scikit-learn's labels are sets: documents above a threshold were returned.
    returned = made.scores >= size / 8 - 1
    precision, recall, f, _ = metrics.precision_recall_fscore_support(
        made.relevance, returned, beta=beta, average="samples", zero_division=0
    )
    qrels = _nested(made.relevance, np.ones_like(returned))
    run = _nested(made.scores, returned)
    wanted = ["SetP", "SetR", f"SetF(beta={beta})"]
    scores = evaluate(qrels, {"sets": run}, wanted, profile="sklearn")
    assert scores.means[0].tolist() == pytest.approx([precision, recall, f], rel=1e-12)


def test_facts_of_its_documentation() -> None:
    relevance, scores = [[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]
    hits = Hits.from_matrix(relevance, scores)
    assert parse("DCG")(hits) == pytest.approx([9.499457825916874], rel=1e-14)
    assert parse("DCG@2")(hits) == pytest.approx([5.630929753571458], rel=1e-14)
    # Label ranking average precision, which is average precision if no scores are equal.
    hits = Hits.from_matrix([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    assert parse("AP")(hits).mean() == pytest.approx(0.41666666666666663, rel=1e-14)


def _nested(values: NDArray[np.float64], kept: NDArray[np.bool_]) -> dict[str, dict[str, float]]:
    return {
        f"q{q}": {f"d{d}": float(values[q, d]) for d in np.flatnonzero(row)}
        for q, row in enumerate(kept)
    }
