"""Precision at levels of recall against plain loops; trec_eval 9's rounding against pytrec_eval.

The latter is in tests/differential/test_pytrec_eval.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from cleverdon import Hits, parse
from cleverdon.errors import NotationError
from cleverdon.measures.recall_levels import needed_for
from cleverdon.measures.worked import ranking
from tests.differential.collections import Collection
from tests.measures.plain import (
    FEWER,
    Formula,
    Numbers,
    batches,
    disagreements,
    number_relevant,
    relevant_ranks,
)
from tests.reference import ranked

LEVELS = ("0", "0.01", "0.1", "0.25", "0.3", "0.5", "0.6", "0.75", "0.9", "1")


def exactly(level: str, wanted: int) -> int:
    return math.ceil(Fraction(level) * wanted)


def nearest(level: str, wanted: int) -> int:
    return math.floor(Fraction(level) * wanted + Fraction(1, 2))


def interpolated(
    level: str, rel: float, needed: Callable[[str, int], int], grades: Numbers, results: Numbers
) -> float | None:
    wanted = number_relevant(grades, rel)
    ranks = relevant_ranks(grades, ranked(results), rel)
    if not wanted:
        return None
    reached = [found / i for found, i in enumerate(ranks, 1) if found >= needed(level, wanted)]
    return max(reached, default=0.0)


def averaged(
    levels: list[str], needed: Callable[[str, int], int], grades: Numbers, results: Numbers
) -> float | None:
    values = [interpolated(level, 1, needed, grades, results) for level in levels]
    return None if None in values else sum(values) / len(levels)


def at_first(level: str, rel: float, grades: Numbers, results: Numbers) -> float | None:
    wanted = number_relevant(grades, rel)
    ranks = relevant_ranks(grades, ranked(results), rel)
    if not wanted:
        return None
    needed = exactly(level, wanted)
    return needed / ranks[needed - 1] if needed <= len(ranks) else 0.0


def multiple(m: str, rel: float, grades: Numbers, results: Numbers) -> float | None:
    read = math.floor(Fraction(m) * number_relevant(grades, rel) + Fraction(9, 10))
    found = [rank for rank in relevant_ranks(grades, ranked(results), rel) if rank <= read]
    return len(found) / read if read else None


def area(curve: str, k: int | None, rel: float, grades: Numbers, results: Numbers) -> float | None:
    """Integrate the curve from point to point."""
    wanted = number_relevant(grades, rel)
    if not wanted:
        return None
    points, found = [(0.0, 1.0)], 0
    for rank, doc in enumerate(ranked(results)[:k], start=1):
        found += grades.get(doc, -1) >= rel
        points.append((found / wanted, found / rank))
    total = 0.0
    for number, (before, after) in enumerate(pairwise(points)):
        height = {
            "trapezoid": (before[1] + after[1]) / 2,
            "step": after[1],
            "monotone": max(precision for _, precision in points[number + 1 :]),
        }
        total += (after[0] - before[0]) * height[curve]
    return total


@FEWER
@given(batches)
def test_areas(collection: Collection) -> None:
    formulas: dict[str, Formula] = {}
    for curve in ("trapezoid", "step", "monotone"):
        formulas[f"AUPRC(curve={curve})"] = partial(area, curve, None, 1)
        formulas[f"AUPRC(curve={curve},rel=2)@3"] = partial(area, curve, 3, 2)
    assert not disagreements(collection, formulas)


@given(st.lists(st.booleans(), min_size=1, max_size=12).filter(any))
def test_areas_against_scikit_learn(labels: list[bool]) -> None:
    scores = [float(-rank) for rank in range(len(labels))]
    hits = Hits.from_matrix([labels], [scores])
    precision, recall, _ = metrics.precision_recall_curve(labels, scores)
    trapezoid = metrics.auc(recall, precision)
    assert parse("AUPRC")(hits).tolist() == pytest.approx([trapezoid], abs=1e-12)
    step = metrics.average_precision_score(labels, scores)
    assert parse("AUPRC(curve=step)")(hits).tolist() == pytest.approx([step], abs=1e-12)
    # scikit-learn's curve goes from the largest recall down: made monotone, it is integrated as is.
    highest = np.maximum.accumulate(precision[:-1])
    monotone = float(-np.sum(np.diff(recall) * highest))
    assert parse("AUPRC(curve=monotone)")(hits).tolist() == pytest.approx([monotone], abs=1e-12)


def test_the_area_of_steps_is_average_precision() -> None:
    hits = ranking("0 1 1 0 1 | 1")
    assert parse("AUPRC(curve=step)")(hits).tolist() == parse("AP")(hits).tolist()


@FEWER
@given(batches)
def test_every_level(collection: Collection) -> None:
    formulas: dict[str, Formula] = {}
    for level in LEVELS:
        formulas[f"IPrec@{level}"] = partial(interpolated, level, 1, exactly)
        formulas[f"IPrec(rel=2)@{level}"] = partial(interpolated, level, 2, exactly)
        formulas[f"IPrec(rounding=trec_eval-10)@{level}"] = partial(interpolated, level, 1, nearest)
    for level in LEVELS[1:]:
        formulas[f"PrecAtRecall@{level}"] = partial(at_first, level, 1)
        formulas[f"PrecAtRecall(rel=2)@{level}"] = partial(at_first, level, 2)
    assert not disagreements(collection, formulas)


@FEWER
@given(batches)
def test_averages_and_multiples(collection: Collection) -> None:
    eleven = [f"0.{tenth}" for tenth in range(10)] + ["1"]
    formulas: dict[str, Formula] = {
        "IAP": partial(averaged, eleven, exactly),
        "IAP(points=3)": partial(averaged, ["0", "0.5", "1"], exactly),
        "IAP(at=(0.2,0.5,0.8))": partial(averaged, ["0.2", "0.5", "0.8"], exactly),
        "IAP(rounding=trec_eval-10)": partial(averaged, eleven, nearest),
    }
    for m in ("0.05", "0.2", "0.5", "1", "1.4", "2", "100"):
        formulas[f"RprecMult(m={m})"] = partial(multiple, m, 1)
        formulas[f"RprecMult(m={m},rel=2)"] = partial(multiple, m, 2)
    assert not disagreements(collection, formulas)


def test_rounding() -> None:
    wanted = np.arange(1, 2001)
    for percent in range(101):
        # A level is written in decimals, and none of R documents more is needed for its binary.
        exact = -(-percent * wanted // 100)
        assert np.array_equal(needed_for(percent / 100, wanted, "exact"), exact)
    five = np.array([5])
    roundings = ("exact", "trec_eval-9", "trec_eval-10")
    # trec_eval 9 takes up to a tenth of a document as none, version 10 up to a half.
    for level, needed in {0.21: [2, 1, 1], 0.26: [2, 2, 1], 0.3: [2, 2, 2]}.items():
        assert [int(needed_for(level, five, how)[0]) for how in roundings] == needed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IPrec", "IPrec needs 'x', as in IPrec@0.5"),
        ("IPrec@1.5", "IPrec(x=1.5): expected 0 <= x <= 1"),
        ("IAP(points=1)", "IAP(points=1): expected 2 <= points"),
        ("IAP(at=(0.5,2))", "2 is no level of recall"),
        ("PrecAtRecall@0", "expected 0 < x <= 1"),
        ("RprecMult(m=0)", "expected 0 < m <= 1e6"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(NotationError) as error:
        parse(text)
    assert message in str(error.value)
