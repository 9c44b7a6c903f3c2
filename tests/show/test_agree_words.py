"""What agreement tells, in sentences."""

from __future__ import annotations

from cleverdon.judge import Labels, agree
from cleverdon.show.agree_words import intervals_named, sentences
from tests.judge.made import labels_of, simulated


def said(labels: Labels, **options: float) -> str:
    return "\n".join(sentences(agree(labels, resamples=20, **options)))  # type: ignore[arg-type]


def test_agreement_is_a_mean_over_documents_where_there_are_several_judges() -> None:
    three, _ = simulated(accuracies=[0.8, 0.8, 0.8])
    assert "of cases (the mean over documents); they avoid" in said(three)
    two = said(three.only(["judge 0", "judge 1"]))
    assert "of cases; they avoid" in two
    assert "the mean over pairs" not in two


def test_less_agreement_than_by_chance() -> None:
    assert "would agree more often by chance" in said(labels_of([[0, 1, 0, 1], [1, 0, 1, 0]]))


def test_one_grade() -> None:
    assert "all judges gave grade 2 throughout" in said(labels_of([[2, 2], [2, 2]]))


def test_skewed_grades() -> None:
    text = said(labels_of([[0] * 18 + [1, 1], [0] * 19 + [1]]))
    assert "92% of the judgments are grade 0" in text


def test_what_the_brackets_hold() -> None:
    labels, _ = simulated(accuracies=[0.8, 0.8], topics=5)
    assert "in brackets: 90% intervals of a bootstrap over 5 topics" in said(labels, confidence=0.9)
    assert "so few topics" in said(labels)
    assert "97.5%" in intervals_named(agree(labels, confidence=0.975, resamples=5).units)
    alone = labels_of([[1, 0, 1], [1, 1, 1]])
    assert "over 3 documents, since there are too few topics" in said(alone)
    assert "in brackets" not in said(labels_of([[1], [0]]))


def test_documents_of_one_judge_are_left_out() -> None:
    assert "left out" in said(labels_of([[1, 0, 1], [1, 1, None]]))


def test_a_model_among_the_judges_is_named() -> None:
    agreed = agree(labels_of([[1, 0], [1, 1]]), resamples=5)
    assert "all this is of them and judge 1" in "\n".join(sentences(agreed, ["judge 1"]))
