"""Precision-recall curves, eleven points and ROC curves."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve, roc_curve

from cleverdon import evaluate
from cleverdon.charts.base import LIMIT
from cleverdon.errors import OptionError
from cleverdon.measures.positions import AUC
from cleverdon.measures.recall_levels import IPrec
from cleverdon.plots.curves import (
    _binormal_rows,
    _eleven_points_rows,
    _mean_curve,
    _precision_recall_rows,
    _roc_rows,
    curves,
    eleven_points,
    precision_recall,
    roc,
)
from cleverdon.plots.inputs import hits_of
from tests.plots.ranked import made_rankings, ranked


def corners(rows, kind, system="a"):
    return [
        (row["recall"], row["precision"])
        for row in rows["lines"]
        if row["kind"] == kind and row["system"] == system
    ]


def test_a_ranking_by_hand() -> None:
    scores = ranked({"a": {"q": "0 1 1 - 1 0 | 1"}})
    rows = _precision_recall_rows(scores, "q", systems=["a"])
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
    rows = _precision_recall_rows(ranked({"a": {"q": "1 0"}}), "q", systems=["a"])
    assert corners(rows, "as ranked") == [(1, 1), (1, 1 / 2)]
    assert corners(rows, "interpolated") == [(0, 1), (1, 1)]


@pytest.mark.parametrize("text", ["0 - | 1", "| 1"])
def test_nothing_found_is_a_line_at_zero(text: str) -> None:
    scores = ranked({"a": {"q": text, "other": "1"}})
    rows = _precision_recall_rows(scores, "q", systems=["a"])
    assert corners(rows, "interpolated") == [(0, 0), (1, 0)]
    assert {precision for _, precision in corners(rows, "at 11 points")} == {0}


def test_points_agree_with_scikit_learn() -> None:
    scores = made_rankings(2, 15)
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
            rows = _precision_recall_rows(scores, query, systems=[system])
            for row in rows["lines"] + rows["points"]:
                if row["kind"] == "as ranked":
                    assert (row["recall"], row["precision"]) == pytest.approx(theirs[row["rank"]])
            # Their curve, made to fall, is the interpolated one.
            for recall_level, value in corners(rows, "interpolated", system)[1::2]:
                above = [p for r, p in theirs.values() if r >= recall_level - 1e-12]
                assert value == pytest.approx(max(above, default=0))


def scored(relevant, others, unseen=0):
    results = {f"r{n}": score for n, score in enumerate(relevant)}
    grades = dict.fromkeys(results, 1) | {f"u{n}": 1 for n in range(unseen)}
    results |= {f"n{n}": score for n, score in enumerate(others)}
    return evaluate({"q": grades}, {"a": {"q": results}}, "AP", keep=10**6)


def test_a_binormal_curve_by_hand() -> None:
    # Means of 4 and 2, standard deviations of the root of 2, half of the results are relevant.
    rows = _binormal_rows(scored([3.0, 5.0], [1.0, 3.0], unseen=2), "q", system="a", rel=1)
    curve = {row["recall"]: row["precision"] for row in rows}
    # Half of the relevant results have more than 4, and of the others 1 - cdf(root of 2) = 0.07865.
    # Two of four relevant documents were returned: that half is a quarter of all.
    assert curve[0.25] == pytest.approx(0.25 / (0.25 + 0.5 * 0.0786496), abs=1e-6)
    assert max(curve) == 0.5
    assert curve[0.5] == 0.5


def test_a_binormal_curve_is_that_of_many_normal_scores() -> None:
    made = np.random.default_rng(1)
    relevant, others = made.normal(2, 1.5, 4000), made.normal(0, 1, 12000)
    rows = _binormal_rows(scored(relevant.tolist(), others.tolist()), "q", system="a", rel=1)
    precision, recall, _ = precision_recall_curve(
        np.repeat([1, 0], [4000, 12000]), np.concatenate((relevant, others))
    )
    for row in rows[5:]:
        theirs = np.interp(row["recall"], recall[::-1], precision[::-1])
        assert row["precision"] == pytest.approx(theirs, abs=0.02)


def test_a_binormal_curve_needs_scores() -> None:
    chart = precision_recall(scored([3.0, 5.0], [1.0, 3.0]), "q", binormal=True).to_dict()
    (lines,) = (
        rows for rows in chart["datasets"].values() if "kind" in rows[0] and "at" in rows[0]
    )
    assert {row["kind"] for row in lines} == {
        *("as ranked", "interpolated", "at 11 points", "binormal")
    }
    with pytest.raises(OptionError, match="at least two relevant and two other results"):
        precision_recall(scored([3.0, 3.0], [1.0, 2.0]), "q", binormal=True)
    with pytest.raises(OptionError, match="at least two relevant and two other results"):
        precision_recall(scored([3.0, 2.0], [1.0]), "q", binormal=True)
    kept = evaluate({"q": {"a": 1}}, {"s": {"q": {"a": 2, "b": 1}}}, "AP", keep=1)
    with pytest.raises(OptionError, match="the scores of all 2 results of query 'q', and 1 were"):
        precision_recall(kept, "q", binormal=True)
    with pytest.raises(OptionError, match="the binormal curve is of one system; there are 10"):
        precision_recall(made_rankings(10, 3), "t0001", binormal=True)


def test_eleven_points_are_the_measure() -> None:
    scores = made_rankings(1, 10)
    for query in scores.queries:
        rows = _precision_recall_rows(scores, query, systems=scores.systems)
        for recall, precision in corners(rows, "at 11 points", "system 0"):
            measured = IPrec(x=recall)(hits_of(scores, "system 0", query))[0]
            assert precision == measured


def test_several_systems_have_labels() -> None:
    scores = made_rankings(10, 3)
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
    rows = _precision_recall_rows(scores, "q", systems=scores.systems)
    assert all(len(of_kind) <= LIMIT for of_kind in rows.values())
    last = [row for row in rows["lines"] if row["kind"] == "interpolated"][-1]
    assert (last["recall"], last["precision"]) == (1, 1)
    alone = _precision_recall_rows(scores, "q", systems=["s0"])
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


def curve(rows, system):
    return [row["precision"] for row in rows["levels"] if row["system"] == system]


def test_the_mean_of_two_queries() -> None:
    rows = _eleven_points_rows(ranked({"a": {"q1": "1 0 1", "q2": "0 1"}}))
    # Precision 1 up to recall 0.5 and 2/3 above it; and 1/2 at every level.
    expected = [(1 + 1 / 2) / 2] * 6 + [(2 / 3 + 1 / 2) / 2] * 5
    assert curve(rows, "a") == pytest.approx(expected)
    assert [row["recall"] for row in rows["levels"]] == [level / 10 for level in range(11)]


@pytest.mark.parametrize("undefined", ["worst", "skip"])
@pytest.mark.parametrize("profile", ["cleverdon", "trec_eval-9", "trec_eval-10"])
def test_their_mean_is_what_the_measure_has(undefined: str, profile: str) -> None:
    scores = made_rankings(4, 12, documents=4, measures="IAP", undefined=undefined, profile=profile)
    rows = _eleven_points_rows(scores)
    for system in scores.systems:
        mean = sum(curve(rows, system)) / 11
        assert mean == pytest.approx(scores.mean(system, scores.measures[0]))


def test_undefined_queries_are_said() -> None:
    queries = {"q1": "1 0", "q2": "0 0"}
    worst = ranked({"a": queries})
    assert curve(_eleven_points_rows(worst), "a") == [0.5] * 11
    said = eleven_points(worst).to_dict()["title"]["subtitle"]
    assert said == "Interpolated, mean over 2 queries, 1 of which counts as 0."
    skipped = ranked({"a": queries}, undefined="skip")
    assert curve(_eleven_points_rows(skipped), "a") == [1] * 11
    assert "1 left out" in eleven_points(skipped).to_dict()["title"]["subtitle"]


def test_another_grade_counts() -> None:
    scores = ranked({"a": {"q": "1 2"}})
    assert curve(_eleven_points_rows(scores, rel=2), "a") == [0.5] * 11


def test_nothing_defined_is_refused() -> None:
    scores = ranked({"a": {"q": "0 0"}}, undefined="skip")
    with pytest.raises(OptionError, match="cannot be drawn: it is undefined for every query"):
        _eleven_points_rows(scores)


def roc_corners(rows, system):
    return [
        (row["false_positives"], row["true_positives"])
        for row in rows["corners"]
        if row["system"] == system
    ]


def test_a_query_by_hand() -> None:
    # Of two relevant and two other documents, one each was returned; the rest is one last group.
    scores = ranked({"a": {"q": "1 - 0 | 1 0"}})
    rows = _roc_rows(scores, "q")
    assert roc_corners(rows, "a") == [(0, 0), (0, 0.5), (0.5, 0.5), (1, 1)]
    assert rows["ends"][0]["merit"] == 0.625
    assert rows["ends"][0]["label"] == "AUC 0.625  a"


def test_a_tied_group_is_one_corner() -> None:
    qrels = {"q": {"d1": 1, "d2": 0, "d3": 0}}
    scores = evaluate(qrels, {"q": {"d1": 2.0, "d2": 2.0, "d3": 1.0}}, "AUC", keep=1)
    assert roc_corners(_roc_rows(scores, "q"), "run") == [(0, 0), (0.5, 1), (1, 1), (1, 1)]
    assert scores.mean("run", "AUC") == 0.75


@pytest.mark.parametrize("coarse", [False, True])
def test_curves_agree_with_scikit_learn(coarse: bool) -> None:
    scores = made_rankings(2, 15, coarse=coarse, measures="AUC")
    qrels = scores.ranked().judgments.to_dict()
    for system in scores.systems:
        for q, query in enumerate(scores.queries):
            hits = hits_of(scores, system, query)
            judged = [grade for grade in qrels[query].values() if grade >= 0]
            seen = hits.grade >= 0
            unseen = list(judged)
            for grade in hits.grade[seen].tolist():
                unseen.remove(grade)
            relevant = np.concatenate((hits.grade[seen], unseen)) >= 1
            strength = np.concatenate((-hits.tied_from[seen], [-1e6] * len(unseen)))
            across, up, _ = roc_curve(relevant, strength, drop_intermediate=False)
            _, ours_across, ours_up = curves(hits, 1)
            both = zip(ours_across.tolist(), ours_up.tolist(), strict=True)
            # Ours says twice where it ends if everything judged was returned.
            ours = list(dict.fromkeys(both))
            theirs = list(dict.fromkeys(zip(across.tolist(), up.tolist(), strict=True)))
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
            area = auc(ours_across, ours_up)
            assert area == pytest.approx(scores.values[scores.systems.index(system), 0, q])


def test_the_average_is_taken_upwards() -> None:
    scores = made_rankings(1, 25, documents=3)
    hits = hits_of(scores, "system 0")
    drawn = ~np.isnan(AUC()(hits))
    assert 0 < drawn.sum() < 25
    at = np.arange(101) / 100
    expected = []
    for query in np.array(scores.queries)[drawn]:
        _, across, up = curves(hits_of(scores, "system 0", query), 1)
        for x in at.tolist():
            reached = np.flatnonzero(across <= x + 1e-12)[-1]  # where it rises, its upper end
            if across[reached] >= x - 1e-12:
                expected.append(up[reached])
            else:
                expected.append(np.interp(x, across[reached : reached + 2], up[reached:][:2]))
    mean = np.array(expected).reshape(-1, 101).mean(axis=0)
    np.testing.assert_allclose(_mean_curve(hits, drawn, at, 1), mean, atol=1e-9)


def test_all_queries_with_a_curve_are_averaged() -> None:
    scores = ranked({"a": {"q1": "1 0", "q2": "0 1", "q3": "1 1"}}, "AUC")
    rows = _roc_rows(scores)
    assert rows["ends"][0]["merit"] == 0.5
    assert roc_corners(rows, "a")[0] == (0, 0.5)
    assert roc_corners(rows, "a")[-1] == (1, 1)
    said = roc(scores).to_dict()["title"]["subtitle"]
    assert said == "Mean over 2 queries; 1 has no curve. Judged documents only."


def test_labels_are_a_list_with_the_best_on_top() -> None:
    scores = made_rankings(15, 10)
    ends = sorted(_roc_rows(scores)["ends"], key=lambda end: -end["place"])
    areas = [end["merit"] for end in ends]
    assert len(ends) == 15
    assert areas == sorted(areas, reverse=True)


def test_rows_stay_within_the_limit() -> None:
    judged = {f"d{n:05}": n % 2 for n in range(4000)}
    run = {doc: float(n) for n, doc in enumerate(judged)}
    scores = evaluate({"q": judged}, {f"s{n}": {"q": run} for n in range(10)}, "AUC", keep=1)
    rows = _roc_rows(scores, "q")
    assert len(rows["corners"]) <= LIMIT
    assert roc_corners(rows, "s3")[-1] == (1, 1)


def test_a_query_without_a_curve_is_refused() -> None:
    scores = ranked({"a": {"q": "1 1"}})
    with pytest.raises(OptionError, match="no ROC curve"):
        roc(scores, "q")
    with pytest.raises(OptionError, match="no query has both"):
        roc(scores)
