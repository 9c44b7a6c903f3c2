"""One judgment of several: votes, and Dawid and Skene's estimate."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cleverdon import aggregate_labels
from cleverdon.agreement.aggregation import _dawid_skene_of_counts, write_aggregation
from cleverdon.agreement.labels import Labels
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from tests.agreement.made import labels_of, simulated

ITEMS = [[2, 0, 0, 3], [2, 1, 0, 1], [0, 2, None, 1], [0, 2, None, 0]]
"""Four judges: two against two; a majority for the highest; two alike; one grade twice of four."""


@pytest.mark.parametrize(
    ("way", "ties", "expected"),
    [
        ("majority", "lower", [0, 2, 0, 1]),
        ("majority", "higher", [2, 2, 0, 1]),
        ("majority", "median", [0, 2, 0, 1]),
        ("median", "lower", [0, 1, 0, 1]),
        ("median", "higher", [2, 2, 0, 1]),
        ("mean", "lower", [1, 1.25, 0, 1.25]),
    ],
)
def test_votes(way: str, ties: str, expected: list[float]) -> None:
    found = aggregate_labels(labels_of(ITEMS), way, vote_ties=ties)
    assert found.grades.tolist() == expected


def test_confidence_is_the_share_of_judges() -> None:
    found = aggregate_labels(labels_of(ITEMS))
    assert found.confidence.tolist() == [0.5, 0.5, 1, 0.5]
    assert found.judges.tolist() == [4, 4, 2, 4]
    assert found.tied.tolist() == [True, False, False, False]
    by_mean = aggregate_labels(labels_of(ITEMS), "mean")
    assert by_mean.confidence.tolist() == [0, 0.25, 1, 0.5]


def test_ties_by_the_median() -> None:
    """Votes 0, 0, 2, 2, 3: the median is 2, and so is the grade, where the lower would be 0."""
    labels = labels_of([[0], [0], [2], [2], [3]])
    assert aggregate_labels(labels, vote_ties="median").grades.tolist() == [2]
    assert aggregate_labels(labels, vote_ties="lower").grades.tolist() == [0]


def test_ties_by_chance_are_the_same_for_the_same_seed() -> None:
    labels = labels_of([[0] * 200, [1] * 200])
    first = aggregate_labels(labels, vote_ties="random").grades
    assert 60 < first.sum() < 140
    assert (first == aggregate_labels(labels, vote_ties="random").grades).all()
    assert (first != aggregate_labels(labels, vote_ties="random", seed=1).grades).any()
    middle = aggregate_labels(labels, "median", vote_ties="random").grades
    assert 60 < middle.sum() < 140


PATIENTS = """1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223
4444444 2223343 1111111 2223212 1211111 1112111 1111111 1111111 2222221 2221322 2222222 2222221
2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121 1111111 3333233 1111111 2222222
2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222"""
"""Forty-five patients, five anaesthetists; the first saw each three times. Dawid & Skene 1979."""


def test_dawid_and_skenes_own_example() -> None:
    """Their classes' shares are .40, .42, .11 and .07; the first one's errors by counting."""
    seen = np.zeros((45, 5, 4))
    for patient, marks in enumerate(PATIENTS.split()):
        for place, mark in enumerate(marks):
            seen[patient, max(0, place - 2), int(mark) - 1] += 1
    found = _dawid_skene_of_counts(seen)
    assert found.converged
    assert found.shares == pytest.approx([0.40, 0.42, 0.11, 0.07], abs=5e-3)
    assert found.tables[0][0] == pytest.approx([0.89, 0.11, 0, 0], abs=5e-3)
    assert found.tables[0][1] == pytest.approx([0.07, 0.88, 0.05, 0], abs=5e-3)
    # Patients 2, 11 and 36 are of the fourth class; the first doctor called them 333, 444, 433.
    assert found.probability[[1, 10, 35], 3] == pytest.approx([1, 1, 1], abs=5e-3)
    assert found.tables[0][3] == pytest.approx([0, 0, 5 / 9, 4 / 9], abs=5e-3)
    rises = np.diff(found.log_likelihoods)
    assert (rises > -1e-9).all()


def test_accuracies_are_recovered() -> None:
    knows = [0.9, 0.8, 0.7, 0.6, 0.2]
    labels, truth = simulated(accuracies=knows, items=4000, missing=0.3)
    found = aggregate_labels(labels, "dawid-skene")
    assert found.estimate is not None
    wanted = [known + (1 - known) / 3 for known in knows]
    assert found.estimate.accuracies == pytest.approx(wanted, abs=0.03)
    right = (found.grades == truth[found.items]).mean()
    by_votes = aggregate_labels(labels)
    assert right > (by_votes.grades == truth[by_votes.items]).mean()
    # Confidence is what it says: of documents that are 90% sure, about 90% are right.
    sure = (found.confidence > 0.85) & (found.confidence < 0.95)
    share = (found.grades == truth[found.items])[sure].mean()
    assert share == pytest.approx(found.confidence[sure].mean(), abs=0.05)


def test_a_judge_who_always_errs_in_one_way_is_of_use() -> None:
    """One who calls every 1 a 0 and every 0 a 1 tells as much as one who is always right."""
    random = np.random.default_rng(2)
    truth = random.integers(0, 2, 800)
    columns = [np.where(random.random(800) < 0.8, truth, 1 - truth) for _ in range(3)]
    labels = labels_of([*columns, 1 - truth])
    found = aggregate_labels(labels, "dawid-skene")
    assert found.estimate is not None
    assert (found.grades == truth).mean() > 0.97
    assert found.estimate.accuracies[3] < 0.05


def test_the_same_input_gives_the_same_estimate() -> None:
    labels, _ = simulated(accuracies=[0.8, 0.7, 0.6])
    first, again = (aggregate_labels(labels, "dawid-skene") for _ in range(2))
    assert (first.confidence == again.confidence).all()


def test_an_estimate_that_did_not_settle_says_so() -> None:
    labels, _ = simulated(accuracies=[0.6, 0.6, 0.6])
    found = aggregate_labels(labels, "dawid-skene", iterations=2).estimate
    assert found is not None
    assert (found.converged, found.iterations) == (False, 2)


def test_equal_patterns_are_estimated_once_and_count_as_often_as_they_are() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.7, 0.6], items=400, missing=0.2)
    found = aggregate_labels(labels, "dawid-skene").estimate
    judged = labels.among(labels.judged.any(axis=1))
    given = (judged.level[:, :, None] == np.arange(3)).astype(float)
    plain = _dawid_skene_of_counts(given)
    assert found is not None
    assert found.probability == pytest.approx(plain.probability, abs=1e-9)
    assert found.tables == pytest.approx(plain.tables, abs=1e-9)
    assert found.log_likelihoods[-1] == pytest.approx(plain.log_likelihoods[-1])


def test_steps_are_told() -> None:
    labels, _ = simulated(accuracies=[0.6, 0.6, 0.6])
    told: list[tuple[int, int]] = []
    aggregate_labels(
        labels, "dawid-skene", iterations=5, progress=lambda step, *at: told.append(at)
    )
    assert told == [(step, 5) for step in range(5)]


def test_two_judges_are_too_few_to_tell_who_errs() -> None:
    labels, _ = simulated(accuracies=[0.8, 0.8, 0.8], items=200)
    few = "fewer than three judges"
    assert few not in str(aggregate_labels(labels, "dawid-skene").warnings())
    two = labels.only(["judge 0", "judge 1"])
    assert few in str(aggregate_labels(two, "dawid-skene").warnings())


def test_smoothing_rules_nothing_out() -> None:
    labels, _ = simulated(accuracies=[1.0, 1.0, 1.0], items=30)
    sharp = aggregate_labels(labels, "dawid-skene").estimate
    smooth = aggregate_labels(labels, "dawid-skene", smoothing=1).estimate
    assert sharp is not None
    assert smooth is not None
    assert (sharp.tables == 0).any()
    assert (smooth.tables > 0).all()


def test_a_grade_that_a_judge_never_met() -> None:
    """Nothing is known of what the second does with a 2: that row of the table is not made up."""
    labels = Labels.of(
        {
            "ann": {"q": {"a": 2, "b": 0, "c": 1}},
            "bob": {"q": {"b": 0, "c": 1}},
        }
    )
    found = aggregate_labels(labels, "dawid-skene").estimate
    assert found is not None
    assert np.isnan(found.tables[1][2]).all()
    assert found.accuracies == pytest.approx([1, 1])


def test_one_judge_is_taken_at_their_word() -> None:
    labels = labels_of([[0, 2, 1]])
    for way in ("majority", "median", "mean", "dawid-skene"):
        assert aggregate_labels(labels, way).grades.tolist() == [0, 2, 1]


def test_files(tmp_path: Path) -> None:
    labels = labels_of(ITEMS, topics=2)
    found = aggregate_labels(labels, "dawid-skene")
    other = write_aggregation(found, tmp_path / "qrels.txt")
    read = Judgments.read(str(tmp_path / "qrels.txt"))
    assert read.to_dict() == found.judgments.to_dict()
    assert other == tmp_path / "qrels.confidence.tsv"
    header, first, *_ = other.read_text().splitlines()
    assert header.split("\t")[:5] == ["query_id", "doc_id", "grade", "confidence", "judges"]
    assert sum(map(float, first.split("\t")[5:])) == pytest.approx(1, abs=1e-5)
    # It can be read as judgments too, by the names of its columns.
    assert Judgments.read(str(other)).to_dict() == read.to_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "mode"}, "method='mode'"),
        ({"vote_ties": "up"}, "vote_ties='up'"),
        ({"method": "dawid-skene", "smoothing": -1}, "smoothing=-1"),
        ({"method": "dawid-skene", "iterations": 0}, "iterations=0"),
        ({"method": "dawid-skene", "iterations": 1.5}, "iterations=1.5"),
        ({"vote_ties": "random", "seed": -1}, "seed=-1"),
    ],
)
def test_what_does_not_exist(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        aggregate_labels(labels_of(ITEMS), **options)  # type: ignore[arg-type]


def test_judges_who_judged_nothing() -> None:
    labels = labels_of([[0, 1], [None, 1]])
    nobody = labels.among(np.array([0])).only(["judge 1"])
    with pytest.raises(InputError, match="none of these judges"):
        aggregate_labels(nobody)


def test_table_of_votes() -> None:
    part = aggregate_labels(labels_of([[0, 0, 2], [0, 1, 2]])).sections()[0]
    assert part.grid.rows == [["0", "2"], ["2", "1"]]
    assert "ties, of 1 document: the lowest of the tied grades" in part.grid.footnotes


def test_the_mean_has_no_grades_to_count() -> None:
    part = aggregate_labels(labels_of([[0, 0], [1, 2]]), "mean").sections()[0]
    assert part.grid.rows == [["mean grade", "0.7500"]]


def test_judges_and_their_errors() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.8, 0.7], items=900, grades=2)
    found = aggregate_labels(labels, "dawid-skene")
    part = found.sections()[0]
    assert [row[0] for row in part.grid.rows] == ["judge 0", "", "judge 1", "", "judge 2", ""]
    assert found.warnings() == []
    assert any("settled after" in note for note in part.grid.footnotes)


def test_warnings() -> None:
    labels, _ = simulated(accuracies=[0.5, 0.5, 0.5], items=60)
    two = labels.only(["judge 0", "judge 1"])
    (few_judges, *_) = aggregate_labels(two, "dawid-skene").warnings()
    assert "it may take one judge's word, or the commoner grade" in few_judges
    told = aggregate_labels(labels, "dawid-skene", iterations=2).warnings()
    assert "given up before it settled" in told[0]
    sparse = aggregate_labels(labels.among(labels.query < 2), "dawid-skene").warnings()
    assert "18 judgments are few for 18 shares to be estimated" in sparse[-1]


def test_one_judgment_of_several() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.8, 0.7], items=400)
    votes = aggregate_labels(labels, vote_ties="higher").to_dict()
    assert (votes["way"], votes["ties"], votes["warnings"]) == ("majority", "higher", [])
    estimate = aggregate_labels(labels, "dawid-skene").to_dict()
    assert estimate["converged"]
    assert estimate["warnings"] == []
    assert list(estimate["judges"]) == list(labels.judges)
    json.dumps(estimate, allow_nan=False)
