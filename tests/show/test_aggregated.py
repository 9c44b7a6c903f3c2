"""How one judgment was made of several, as tables."""

from __future__ import annotations

from cleverdon.judge import aggregate
from cleverdon.show.aggregated import aggregated_part, cautions
from tests.judge.made import labels_of, simulated


def test_votes() -> None:
    part = aggregated_part(aggregate(labels_of([[0, 0, 2], [0, 1, 2]])))
    assert part.grid.rows == [["0", "2"], ["2", "1"]]
    assert "ties, of 1 document: the lowest of the tied grades" in part.grid.footnotes


def test_the_mean_has_no_grades_to_count() -> None:
    part = aggregated_part(aggregate(labels_of([[0, 0], [1, 2]]), "mean"))
    assert part.grid.rows == [["mean grade", "0.7500"]]


def test_judges_and_their_errors() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.8, 0.7], items=900, grades=2)
    found = aggregate(labels, "dawid-skene")
    part = aggregated_part(found)
    assert [row[0] for row in part.grid.rows] == ["judge 0", "", "judge 1", "", "judge 2", ""]
    assert cautions(found) == []
    assert any("settled after" in note for note in part.grid.footnotes)


def test_cautions() -> None:
    labels, _ = simulated(accuracies=[0.5, 0.5, 0.5], items=60)
    (few_judges, *_) = cautions(aggregate(labels.only(["judge 0", "judge 1"]), "dawid-skene"))
    assert "it may take one judge's word, or the commoner grade" in few_judges
    told = cautions(aggregate(labels, "dawid-skene", iterations=2))
    assert "given up before it settled" in told[0]
    sparse = cautions(aggregate(labels.among(labels.topic < 2), "dawid-skene"))
    assert "18 judgments are few for 18 shares to be estimated" in sparse[-1]
