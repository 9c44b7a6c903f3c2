"""Judgments that say more than a grade: of subtopics, of strata, of samples."""

from __future__ import annotations

import gzip
import pickle
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from cleverdon import Judgments, evaluate
from cleverdon.errors import InputError, OptionError

SUBTOPICS = "q1 1 d1 1\nq1 10 d1 2\nq1 2 d2 0\nq2 a d1 -2\n# a comment\n\nq1 2 d3 1\n"
ROWS = [
    ("q1", "1", "d1", 1),
    ("q1", "10", "d1", 2),
    ("q1", "2", "d2", 0),
    ("q2", "a", "d1", -2),
    ("q1", "2", "d3", 1),
]
RUN = {"q1": {"d1": 2.0, "d3": 1.0}, "q2": {"d1": 1.0}}


def check(judgments: Judgments) -> None:
    """Whether they are what the text above says."""
    # A document is as relevant as it is to the subtopic that it serves best.
    assert judgments.to_dict() == {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": -2}}
    subtopics = judgments.judged.subtopics
    assert subtopics is not None
    assert subtopics.names == [["1", "10", "2"], ["a"]]
    assert subtopics.doc.tolist() == [0, 0, 1, 2, 3]
    assert subtopics.subtopic.tolist() == [0, 1, 2, 2, 0]
    assert subtopics.grade.tolist() == [1, 2, 0, 1, -2]


def test_a_file_of_subtopics(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(SUBTOPICS)
    check(Judgments.read(path, format="subtopics"))
    packed = tmp_path / "qrels.gz"
    packed.write_bytes(gzip.compress(SUBTOPICS.replace("\n", "\r\n").encode("utf-8-sig")))
    check(Judgments.read(packed, format="subtopics"))


def test_rows_of_subtopics() -> None:
    check(Judgments.read(ROWS, format="subtopics"))
    check(Judgments.read((list(row) for row in ROWS), format="subtopics"))
    for names in ("query_id subtopic_id doc_id relevance", "query_id iteration doc_id rel"):
        row = namedtuple("row", names)
        check(Judgments.read([row(*fields) for fields in ROWS], format="subtopics"))


def test_they_can_be_pickled() -> None:
    judgments = Judgments.read(ROWS, format="subtopics").noting(weights={"q2": {"a": 2.0}})
    again = pickle.loads(pickle.dumps(judgments))
    check(again)
    assert again.notes == judgments.notes


def test_plain_measures_take_the_best_grade(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(SUBTOPICS)
    plain = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": -2}}
    wanted = ("nDCG@10", "AP", "Bpref")
    found = evaluate(path, RUN, wanted, qrels_format="subtopics")
    assert np.array_equal(found.values, evaluate(plain, RUN, wanted).values, equal_nan=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 1 d9", "6: expected 4 fields (query, subtopic, document, grade), found 3"),
        ("q1 1 d9 1 0", "6: expected 4 fields (query, subtopic, document, grade), found 5"),
        ("q1 1 d9 yes", "6: expected a grade, found 'yes' in field 4"),
        ("q1 1 d9 nan", "6: expected a grade, found 'nan' in field 4"),
        (
            "q1 10 d1 0",
            "6: document 'd1' occurs twice for subtopic '10' of query 'q1', first on line 2",
        ),
    ],
)
def test_lines_that_are_refused(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q1 1 d1 1\nq1 10 d1 2\nq1 2 d2 0\n\n# a comment\n" + line + "\n")
    with pytest.raises(InputError) as caught:
        Judgments.read(path, format="subtopics")
    assert str(caught.value) == f"{path}:{message}"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            ("q1", "d1", 1),
            "row:2: expected (query, subtopic, document, grade), found ('q1', 'd1', 1)",
        ),
        (("q1", "1", "d2", "x"), "row:2: expected a grade, found 'x' in field 4"),
        (
            ("q1", "1", "d1", 2),
            "row:2: document 'd1' occurs twice for subtopic '1' of query 'q1', first on line 1",
        ),
    ],
)
def test_rows_that_are_refused(row: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Judgments.read([ROWS[0], row], format="subtopics")
    assert str(caught.value) == message


def test_what_is_no_file_and_no_rows_is_refused() -> None:
    with pytest.raises(OptionError, match="format='subtopics' is for files"):
        Judgments.read({"q1": {"d1": 1}}, format="subtopics")
    with pytest.raises(InputError, match="has no rows"):
        Judgments.read([], format="subtopics")


@pytest.mark.parametrize(("duplicates", "grade"), [("first", 1), ("best", 2)])
def test_duplicates_can_be_kept_by_rule(duplicates: str, grade: float) -> None:
    rows = [("q", "a", "d", 1), ("q", "a", "d", 2), ("q", "a", "d", 0), ("q", "b", "d", 0)]
    judgments = Judgments.read(rows, format="subtopics", duplicates=duplicates)
    assert judgments["q"] == {"d": grade}
    assert judgments.judged.subtopics is not None
    assert judgments.judged.subtopics.grade.tolist() == [grade, 0]


def test_ordinary_judgments_hint_at_subtopics(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(SUBTOPICS)
    with pytest.raises(InputError) as caught:
        evaluate(path, RUN)
    assert str(caught.value) == (
        f"{path}:2: document 'd1' occurs twice for query 'q1', first on line 1; where the second "
        "field is a subtopic, the format is 'subtopics'"
    )


def test_strata_and_samples() -> None:
    strata = Judgments.read([("q", 0, "d1", 2, 1), ("q", 0, "d2", 1, -1)], format="strata").judged
    assert strata.stratum is not None
    assert (strata.stratum.tolist(), strata.grade.tolist()) == ([2, 1], [1, -1])
    sampled = Judgments.read(
        [("q", "d1", 1, 1, 0.5), ("q", "d2", 0, 0, 1)], format="sampled"
    ).judged
    assert sampled.probability is not None
    assert (sampled.probability.tolist(), sampled.grade.tolist()) == ([0.5, 1], [1, 0])
    with pytest.raises(InputError, match="row:2: document 'd1' occurs twice for query 'q'"):
        Judgments.read(2 * [("q", "d1", 1, 1, 0.5)], format="sampled")


def test_who_chose_a_document_and_what_was_not_drawn(tmp_path: Path) -> None:
    prels = "q d0 1 0 1\nq d1 1 1 .5\nq d2 1 2 .25\nq d3 1 0 NA\nq d4 1 1 NA\nq d5 0 4 .1\n"
    path = tmp_path / "prels"
    path.write_text(prels)
    judged = Judgments.read(path, format="sampled").judged
    assert judged.probability is not None
    assert np.isnan(judged.probability).tolist() == [False, False, False, True, True, False]
    assert judged.probability[[0, 1, 2, 5]].tolist() == [1, 0.5, 1, 0.1]
    # What statAP_MQ_eval_v4.pl prints for these lines and this ranking: R is 1 + 2 + 1.
    run = {"q": {"d3": 5.0, "d1": 4.0, "d5": 3.0, "d2": 2.0}}
    (value,) = evaluate(path, run, "statAP", qrels_format="sampled").means[0]
    assert value == pytest.approx((1 / 2 * 2 + 3 / 4) / 4)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("0", "0.5"), "expected probability 1 or NA, found '0.5': what method 0 chose was not"),
        (("1", "1.5"), "expected a probability, found '1.5'"),
        (("1", "na?"), "expected a probability, or NA, found 'na?' in field 5"),
    ],
)
def test_a_probability_that_cannot_be(fields: tuple[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Judgments.read([("q", "d", "1", *fields)], format="sampled")
    assert message in str(caught.value)
