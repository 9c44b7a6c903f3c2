"""ROC curves, against hand-made examples and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import auc, roc_curve

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.measures import AUC
from cleverdon.show.plot import roc
from cleverdon.show.plot.base import LIMIT
from cleverdon.show.plot.kept import hits_of
from cleverdon.show.plot.roc import curves, mean_curve, roc_rows
from tests.show.plot.ranked import made, ranked


def corners(rows, system):
    return [
        (row["false_positives"], row["true_positives"])
        for row in rows["corners"]
        if row["system"] == system
    ]


def test_a_topic_by_hand() -> None:
    # Of two relevant and two other documents, one each was returned; the rest is one last group.
    scores = ranked({"a": {"q": "1 - 0 | 1 0"}})
    rows = roc_rows(scores, "q")
    assert corners(rows, "a") == [(0, 0), (0, 0.5), (0.5, 0.5), (1, 1)]
    assert rows["ends"][0]["merit"] == 0.625
    assert rows["ends"][0]["label"] == "AUC 0.625  a"


def test_a_tied_group_is_one_corner() -> None:
    qrels = {"q": {"d1": 1, "d2": 0, "d3": 0}}
    scores = evaluate(qrels, {"q": {"d1": 2.0, "d2": 2.0, "d3": 1.0}}, "AUC", keep=1)
    assert corners(roc_rows(scores, "q"), "run") == [(0, 0), (0.5, 1), (1, 1), (1, 1)]
    assert scores.mean("run", "AUC") == 0.75


@pytest.mark.parametrize("coarse", [False, True])
def test_curves_agree_with_scikit_learn(coarse: bool) -> None:
    scores = made(2, 15, coarse=coarse, measures="AUC")
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
    scores = made(1, 25, documents=3)
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
    np.testing.assert_allclose(mean_curve(hits, drawn, at, 1), mean, atol=1e-9)


def test_all_topics_with_a_curve_are_averaged() -> None:
    scores = ranked({"a": {"q1": "1 0", "q2": "0 1", "q3": "1 1"}}, "AUC")
    rows = roc_rows(scores)
    assert rows["ends"][0]["merit"] == 0.5
    assert corners(rows, "a")[0] == (0, 0.5)
    assert corners(rows, "a")[-1] == (1, 1)
    said = roc(scores).to_dict()["title"]["subtitle"]
    assert said == "Mean over 2 topics; 1 has no curve. Judged documents only."


def test_labels_are_a_list_with_the_best_on_top() -> None:
    scores = made(15, 10)
    ends = sorted(roc_rows(scores)["ends"], key=lambda end: -end["place"])
    areas = [end["merit"] for end in ends]
    assert len(ends) == 15
    assert areas == sorted(areas, reverse=True)


def test_rows_stay_within_the_limit() -> None:
    judged = {f"d{n:05}": n % 2 for n in range(4000)}
    run = {doc: float(n) for n, doc in enumerate(judged)}
    scores = evaluate({"q": judged}, {f"s{n}": {"q": run} for n in range(10)}, "AUC", keep=1)
    rows = roc_rows(scores, "q")
    assert len(rows["corners"]) <= LIMIT
    assert corners(rows, "s3")[-1] == (1, 1)


def test_a_topic_without_a_curve_is_refused() -> None:
    scores = ranked({"a": {"q": "1 1"}})
    with pytest.raises(OptionError, match="no ROC curve"):
        roc(scores, "q")
    with pytest.raises(OptionError, match="no query has judged documents"):
        roc(scores)
