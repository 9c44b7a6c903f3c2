"""Precision against recall down a ranking, against hand-made examples and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.measures import IPrec
from cleverdon.show.plot import precision_recall
from cleverdon.show.plot.base import LIMIT
from cleverdon.show.plot.kept import hits_of
from cleverdon.show.plot.precision_recall import precision_recall_rows
from tests.show.plot.ranked import made, ranked


def corners(rows, kind, system="a"):
    return [
        (row["recall"], row["precision"])
        for row in rows["lines"]
        if row["kind"] == kind and row["system"] == system
    ]


def test_a_ranking_by_hand() -> None:
    scores = ranked({"a": {"q": "0 1 1 - 1 0 | 1"}})
    rows = precision_recall_rows(scores, "q", systems=["a"])
    assert corners(rows, "as ranked") == [
        (0, 0),
        (0.25, 1 / 2),
        (0.5, 2 / 3),
        (0.5, 2 / 4),
        (0.75, 3 / 5),
        (0.75, 3 / 6),
    ]
    assert corners(rows, "interpolated") == [
        (0, 2 / 3),
        (0.25, 2 / 3),
        (0.25, 2 / 3),
        (0.5, 2 / 3),
        (0.5, 3 / 5),
        (0.75, 3 / 5),
        (0.75, 0),
        (1, 0),
    ]
    # Recall 0.3, 0.4 and 0.5 need two of four documents, 0.8 and above all of them.
    expected = [2 / 3] * 6 + [3 / 5] * 2 + [0] * 3
    assert corners(rows, "at 11 points") == [
        (level / 10, precision) for level, precision in enumerate(expected)
    ]
    found = [row for row in rows["points"] if row["kind"] == "as ranked"]
    assert [(row["rank"], row["document"]) for row in found] == [
        (2, "d1.1"),
        (3, "d1.2"),
        (5, "d1.3"),
    ]


def test_a_first_result_that_is_relevant_starts_the_curve() -> None:
    rows = precision_recall_rows(ranked({"a": {"q": "1 0"}}), "q", systems=["a"])
    assert corners(rows, "as ranked") == [(1, 1), (1, 1 / 2)]
    assert corners(rows, "interpolated") == [(0, 1), (1, 1)]


@pytest.mark.parametrize("text", ["0 - | 1", "| 1"])
def test_nothing_found_is_a_line_at_zero(text: str) -> None:
    scores = ranked({"a": {"q": text, "other": "1"}})
    rows = precision_recall_rows(scores, "q", systems=["a"])
    assert corners(rows, "interpolated") == [(0, 0), (1, 0)]
    assert {precision for _, precision in corners(rows, "at 11 points")} == {0}


def test_points_agree_with_scikit_learn() -> None:
    scores = made(2, 15)
    for system in scores.systems:
        for query in scores.queries:
            hits = hits_of(scores, system, query)
            returned, wanted = int(hits.returned[0]), int(hits.judgments.relevant(1)[0])
            relevant = np.zeros(returned + wanted, dtype=int)
            relevant[hits.rank[hits.grade >= 1] - 1] = 1
            # Relevant documents that were not returned come last, all with one score.
            unseen = wanted - int(relevant.sum())
            relevant[returned : returned + unseen] = 1
            strength = np.concatenate((np.arange(returned, 0, -1.0), np.zeros(unseen)))
            precision, recall, threshold = precision_recall_curve(
                relevant[: returned + unseen], strength
            )
            theirs = {
                int(returned + 1 - level): (r, p)
                for p, r, level in zip(precision[:-1], recall[:-1], threshold, strict=True)
                if level > 0
            }
            rows = precision_recall_rows(scores, query, systems=[system])
            for row in rows["lines"] + rows["points"]:
                if row["kind"] == "as ranked":
                    assert (row["recall"], row["precision"]) == pytest.approx(theirs[row["rank"]])
            # Their curve, made to fall, is the interpolated one.
            for recall_level, value in corners(rows, "interpolated", system)[1::2]:
                above = [p for r, p in theirs.values() if r >= recall_level - 1e-12]
                assert value == pytest.approx(max(above, default=0))


def test_eleven_points_are_the_measure() -> None:
    scores = made(1, 10)
    for query in scores.queries:
        rows = precision_recall_rows(scores, query, systems=scores.systems)
        for recall, precision in corners(rows, "at 11 points", "system 0"):
            measured = IPrec(x=recall)(hits_of(scores, "system 0", query))[0]
            assert precision == measured


def test_several_systems_have_labels() -> None:
    scores = made(10, 3)
    chart = precision_recall(scores, "t0001", texts={"t0001": "What is it?"}).to_dict()
    rows = chart["datasets"]
    assert {row["system"] for row in rows["lines"]} == set(scores.systems)
    assert {row["kind"] for row in rows["lines"]} == {"as ranked", "interpolated"}
    places = sorted(row["place"] for row in rows["ends"])
    assert np.diff(places).min() >= 13 / 300 - 1e-9
    assert chart["title"]["subtitle"][0].endswith("What is it?")


def test_long_rankings_are_thinned() -> None:
    many = {f"d{n:05}": 1 for n in range(9000)}
    run = {doc: float(n) for n, doc in enumerate(many)}
    scores = evaluate({"q": many}, {f"s{n}": {"q": run} for n in range(10)}, "AP", keep=1)
    rows = precision_recall_rows(scores, "q", systems=scores.systems)
    assert all(len(of_kind) <= LIMIT for of_kind in rows.values())
    last = [row for row in rows["lines"] if row["kind"] == "interpolated"][-1]
    assert (last["recall"], last["precision"]) == (1, 1)
    alone = precision_recall_rows(scores, "q", systems=["s0"])
    assert all(len(of_kind) <= LIMIT for of_kind in alone.values())


def test_what_cannot_be_drawn_is_said() -> None:
    scores = ranked({"a": {"q": "1 0", "none": "0 0"}})
    with pytest.raises(OptionError, match="no relevant document"):
        precision_recall(scores, "none")
    with pytest.raises(OptionError, match="no query 'nine'"):
        precision_recall(scores, "nine")
    with pytest.raises(OptionError, match="no system 'b'"):
        precision_recall(scores, "q", systems="b")
    bare = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP")
    with pytest.raises(OptionError, match="keep=k"):
        precision_recall(bare, "q")
