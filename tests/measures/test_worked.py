"""Worked examples from the textbooks that the field teaches with, to the digits they print."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cleverdon import Hits, evaluate, parse
from cleverdon.measures.worked import ranking

# Two systems' results for two queries, 1 where a result is relevant.
SYSTEM_1_TOPIC_1 = "1 0 1 1 1 1 0 0 0 1"
SYSTEM_2_TOPIC_1 = "0 1 0 0 1 1 1 0 1 1"
SYSTEM_1_TOPIC_2 = "1 0 0 0 0 1 0 0 0 1"
SYSTEM_2_TOPIC_2 = "0 1 0 0 1 0 1 0 0 0"

DIGITS = 0.5e-6
"""The examples are given to six digits."""


def value(measure: str, hits: Hits | str) -> float:
    (found,) = parse(measure)(ranking(hits) if isinstance(hits, str) else hits)
    return float(found)


def down_the_ranking(measure: str, grades: str) -> list[float]:
    """The measure at each cut-off."""
    return [value(f"{measure}@{k}", grades) for k in range(1, len(grades.split()) + 1)]


@pytest.mark.parametrize(
    ("grades", "precision", "recall"),
    [
        (
            SYSTEM_1_TOPIC_1,
            "1 0.5 0.666667 0.75 0.8 0.833333 0.714286 0.625 0.555556 0.6",
            "0.166667 0.166667 0.333333 0.5 0.666667 0.833333 0.833333 0.833333 0.833333 1",
        ),
        (
            SYSTEM_2_TOPIC_1,
            "0 0.5 0.333333 0.25 0.4 0.5 0.571429 0.5 0.555556 0.6",
            "0 0.166667 0.166667 0.166667 0.333333 0.5 0.666667 0.666667 0.833333 1",
        ),
    ],
    ids=["system 1", "system 2"],
)
def test_precision_and_recall_down_the_ranking(grades: str, precision: str, recall: str) -> None:
    assert down_the_ranking("P", grades) == pytest.approx(_numbers(precision), abs=DIGITS)
    assert down_the_ranking("R", grades) == pytest.approx(_numbers(recall), abs=DIGITS)


@pytest.mark.parametrize(
    ("grades", "wanted"),
    [
        (SYSTEM_1_TOPIC_1, 0.775),
        (SYSTEM_2_TOPIC_1, 0.521164),
        # One printed source shows 0.44 here once; this is right, and gives its MAP of 0.66.
        (SYSTEM_1_TOPIC_2, 0.544444),
        (SYSTEM_2_TOPIC_2, 0.442857),
    ],
)
def test_average_precision(grades: str, wanted: float) -> None:
    assert value("AP", grades) == pytest.approx(wanted, abs=DIGITS)


def test_mean_average_precision() -> None:
    topics = {
        "system 1": (SYSTEM_1_TOPIC_1, SYSTEM_1_TOPIC_2),
        "system 2": (SYSTEM_2_TOPIC_1, SYSTEM_2_TOPIC_2),
    }
    # A query's relevant documents are the same ones for both systems: R1 to R6, and R1 to R3.
    qrels = {f"query {t}": {f"R{n}": 1 for n in range(1, (6, 3)[t] + 1)} for t in (0, 1)}
    runs = {
        system: {f"query {t}": _scored(grades) for t, grades in enumerate(rankings)}
        for system, rankings in topics.items()
    }
    scores = evaluate(qrels, runs, "MAP")
    assert scores.mean("system 1", "MAP") == pytest.approx(0.659722, abs=DIGITS)
    assert scores.mean("system 2", "MAP") == pytest.approx(0.482011, abs=DIGITS)


GRADED = "3 2 3 0 0 1 2 2 3 0"


@pytest.mark.parametrize(
    ("measure", "grades", "wanted"),
    [
        (
            "DCG(gain=exponential)",
            GRADED,
            "7 8.892789 12.392789 12.392789 12.392789 12.748996 13.748996 14.695391 16.802601 "
            "16.802601",
        ),
        (
            "DCG(gain=exponential)",
            "3 3 3 2 2 2 1 0 0 0",
            "7 11.416508 14.916508 16.208538 17.369096 18.437718 18.771051 18.771051 18.771051 "
            "18.771051",
        ),
        (
            "nDCG(gain=exponential)",
            GRADED,
            "1 0.778941 0.83081 0.764584 0.713496 0.691463 0.732457 0.782875 0.895134 0.895134",
        ),
        (
            "DCG(discount=jk)",
            GRADED,
            "3 5 6.892789 6.892789 6.892789 7.279642 7.992056 8.658723 9.605118 9.605118",
        ),
    ],
    ids=["DCG", "of the ideal ranking", "nDCG", "first two ranks undiscounted"],
)
def test_cumulated_gain_down_the_ranking(measure: str, grades: str, wanted: str) -> None:
    assert down_the_ranking(measure, grades) == pytest.approx(_numbers(wanted), abs=DIGITS)


def test_cumulated_gain_with_judged_documents_that_were_not_returned() -> None:
    assert value("DCG@6", "3 2 3 0 1 2") == pytest.approx(6.861127, abs=DIGITS)
    assert value("DCG@6", "3 3 3 2 2 2 1 0") == pytest.approx(8.740262, abs=DIGITS)
    assert value("nDCG@6", "3 2 3 0 1 2 | 3 2") == pytest.approx(0.785002, abs=DIGITS)


# Twenty results from a collection of 10,000 documents, of which eight are relevant.
EXERCISE = "1 1 0 0 0 0 0 0 1 0 1 0 0 0 1 0 0 0 0 1 | 1 1"


@pytest.mark.parametrize(
    ("measure", "wanted"),
    [("P@20", 0.3), ("F@20", 0.428571), ("AP@20", 0.416288), ("RR@20", 1.0)],
)
def test_exercise(measure: str, wanted: float) -> None:
    assert value(measure, EXERCISE) == pytest.approx(wanted, abs=DIGITS)


def test_highest_and_lowest_average_precision_over_the_unseen_rest() -> None:
    hits = ranking(EXERCISE)
    highest = value("AP", hits.completed("best", size=10_000))
    lowest = value("AP", hits.completed("worst", size=10_000))
    assert highest == pytest.approx(0.503409, abs=DIGITS)
    assert lowest == pytest.approx(0.416475, abs=DIGITS)


JUDGE_1 = (0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
JUDGE_2 = (0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("combine", "precision", "recall", "f"),
    [(min, 0.2, 0.5, 0.285714), (max, 1.0, 0.5, 0.666667)],
    ids=["relevant if both agree", "relevant if either says so"],
)
def test_two_judges(
    combine: Callable[[tuple[int, int]], int], precision: float, recall: float, f: float
) -> None:
    grades = enumerate(zip(JUDGE_1, JUDGE_2, strict=True), start=1)
    qrels = {"need": {str(doc): combine(pair) for doc, pair in grades}}
    run = {"need": dict.fromkeys(map(str, range(4, 9)), 1.0)}
    scores = evaluate(qrels, run, "SetP SetR SetF")
    assert scores.means[0] == pytest.approx([precision, recall, f], abs=DIGITS)


def test_reciprocal_rank() -> None:
    first_relevant = {"q1": 3, "q2": 2, "q3": 1}
    qrels = {query: {f"d{rank}": 1} for query, rank in first_relevant.items()}
    run = {query: {"d1": 0.9, "d2": 0.8, "d3": 0.7} for query in first_relevant}
    assert evaluate(qrels, run, "MRR").mean("run", "RR") == pytest.approx(0.611111, abs=DIGITS)


def test_interpolated_average_precision() -> None:
    assert value("IAP", SYSTEM_1_TOPIC_1) == pytest.approx(0.821212, abs=DIGITS)
    assert value("IAP", SYSTEM_2_TOPIC_1) == pytest.approx(0.6, abs=DIGITS)


def test_precision_at_levels_of_recall() -> None:
    assert value("PrecAtRecall@0.25", EXERCISE) == 1
    assert value("IPrec@0.33", EXERCISE) == pytest.approx(0.363636, abs=DIGITS)


def test_cumulative_gain() -> None:
    assert value("CG@6", "3 2 3 0 1 2 | 3 2") == 11


def test_label_ranking_average_precision() -> None:
    hits = Hits.from_matrix([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    assert parse("LRAP")(hits).mean() == pytest.approx(0.41666666666666663, abs=1e-15)


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split()]


def _scored(grades: str) -> dict[str, float]:
    """The results with falling scores: the relevant ones R1, R2, ..., the others N1, N2, ..."""
    counts = {"1": 0, "0": 0}
    docs = []
    for grade in grades.split():
        counts[grade] += 1
        docs.append(f"{'NR'[int(grade)]}{counts[grade]}")
    return {doc: float(-rank) for rank, doc in enumerate(docs)}
