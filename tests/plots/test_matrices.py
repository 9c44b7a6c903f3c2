"""Confusion matrices, grades by rank and correlations of measures."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from cleverdon import correlate, evaluate
from cleverdon.errors import InputError, OptionError
from cleverdon.plots import matrices
from cleverdon.plots.inputs import hits_of
from cleverdon.plots.matrices import confusion, confusion_rows, grades_by_rank, grades_by_rank_rows
from tests.comparison.made import made
from tests.plots.made import datasets, many, subtitle
from tests.plots.ranked import made_rankings, ranked

QUERIES = {"q1": "1 0 - 2 | 1 0", "q2": "0 1"}


def counts(rows, system="a"):
    return {
        (row["truth"], row["outcome"]): row["count"]
        for row in rows["cells"]
        if row["system"] == system
    }


def test_two_queries_by_hand() -> None:
    rows = confusion_rows(ranked({"a": QUERIES}, docs=10))
    assert counts(rows) == {
        ("relevant", "returned"): 3,
        ("relevant", "not returned"): 1,
        ("not relevant", "returned"): 3,
        ("not relevant", "not returned"): 20 - 7,
    }
    assert [row["share"] for row in rows["cells"]] == [0.75, 0.25, 3 / 16, 13 / 16]


def test_cut_off_and_grade() -> None:
    rows = confusion_rows(ranked({"a": QUERIES}, docs=10), k=1, rel=2)
    assert counts(rows) == {
        ("relevant", "returned"): 0,
        ("relevant", "not returned"): 1,
        ("not relevant", "returned"): 2,
        ("not relevant", "not returned"): 17,
    }


def test_without_the_size_of_the_collection_a_cell_is_unknown() -> None:
    rows = confusion_rows(ranked({"a": QUERIES}))
    last = rows["cells"][-1]
    assert (last["count"], last["share"], last["text"]) == (None, None, "unknown")
    assert rows["cells"][2]["share"] is None, "a share of a row that is not known whole"


def test_unjudged_documents_may_stand_apart() -> None:
    found = counts(confusion_rows(ranked({"a": QUERIES}), unjudged="apart"))
    assert found == {
        ("relevant", "returned"): 3,
        ("relevant", "not returned"): 1,
        ("not relevant", "returned"): 2,
        ("not relevant", "not returned"): 1,
        ("not judged", "returned"): 1,
        ("not judged", "not returned"): None,
    }
    sized = counts(confusion_rows(ranked({"a": QUERIES}, docs=10), unjudged="apart"))
    assert sum(sized.values()) == 20


@pytest.mark.parametrize("k", [None, 3])
def test_counts_agree_with_scikit_learn(k: int | None) -> None:
    docs = 100
    scores = made_rankings(2, 12, docs=docs)
    for system in scores.systems:
        total = np.zeros((2, 2), dtype=int)
        for query in scores.queries:
            hits = hits_of(scores, system, query)
            relevant, returned = np.zeros((2, docs), dtype=int)
            returned[: min(int(hits.returned[0]), k or docs)] = 1
            found = hits.rank[hits.grade >= 1] - 1
            relevant[found] = 1
            unseen = int(hits.judgments.relevant(1)[0]) - len(found)
            relevant[docs - unseen :] = 1
            total += confusion_matrix(relevant, returned, labels=[1, 0])
        ours = list(counts(confusion_rows(scores, k=k), system).values())
        assert ours == total.ravel().tolist()


def test_queries_that_were_not_evaluated_do_not_count() -> None:
    scores = ranked({"a": {"q1": "1 0"}, "b": {"q1": "1 0", "q2": "1 1"}}, missing="skip")
    assert counts(confusion_rows(scores))["relevant", "not returned"] == 0


def test_options_are_checked() -> None:
    scores = ranked({"a": QUERIES}, docs=3)
    with pytest.raises(InputError, match="docs=3 is less"):
        confusion(scores)
    with pytest.raises(OptionError, match="unjudged='away'"):
        confusion(scores, unjudged="away")
    with pytest.raises(OptionError, match="k=0"):
        confusion(scores, k=0)


def test_the_chart_has_a_matrix_for_each_system() -> None:
    scores = made_rankings(15, 3)
    chart = confusion(scores, k=5).to_dict()
    assert chart["facet"]["sort"] == list(scores.systems)
    assert len(chart["datasets"]["cells"]) == 60
    assert "the first 5 results" in chart["title"]["subtitle"]


def band_counts(rows):
    return {(row["grade"], row["band"]): row["count"] for row in rows["cells"]}


def test_grades_of_two_queries_by_hand() -> None:
    scores = ranked({"a": {"q1": "2 0 - 1 | 1", "q2": "1 2"}})
    assert band_counts(grades_by_rank_rows(scores, bands=(1, 3))) == {
        ("grade 2", "1"): 1,
        ("grade 2", "2-3"): 1,
        ("grade 2", "not in 1-3"): 0,
        ("grade 1", "1"): 1,
        ("grade 1", "2-3"): 0,
        ("grade 1", "not in 1-3"): 2,
        ("grade 0", "1"): 0,
        ("grade 0", "2-3"): 1,
        ("grade 0", "not in 1-3"): 0,
        ("not judged", "1"): 0,
        ("not judged", "2-3"): 1,
        ("not judged", "not in 1-3"): None,
    }


def test_shares_are_of_the_column() -> None:
    scores = made_rankings(1, 10)
    cells = grades_by_rank_rows(scores)["cells"]
    for band in {cell["band"] for cell in cells}:
        shares = [c["share"] for c in cells if c["band"] == band and c["share"] is not None]
        assert sum(shares) == pytest.approx(1)


def test_bands_end_with_the_results() -> None:
    scores = made_rankings(1, 5)
    deepest = int(hits_of(scores, scores.systems[0]).returned.max())
    assert 20 < deepest < 100
    bands = [cell["band"] for cell in grades_by_rank_rows(scores)["cells"]]
    assert list(dict.fromkeys(bands)) == [
        "1",
        "2-5",
        "6-10",
        "11-20",
        f"21-{deepest}",
        "not returned",
    ]


@pytest.mark.parametrize(
    ("returned", "bands"),
    [
        (1, ["1"]),
        (2, ["1", "2"]),
        (5, ["1", "2-5"]),
        (6, ["1", "2-5", "6"]),
        (150, ["1", "2-5", "6-10", "11-20", "21-100", "101-150"]),
    ],
)
def test_no_band_is_labelled_beyond_the_last_result(returned: int, bands: list[str]) -> None:
    run = {"q": {f"d{n}": float(-n) for n in range(returned)}}
    scores = evaluate({"q": {"d0": 1, "other": 1}}, {"a": run}, "AP", keep=1)
    cells = grades_by_rank_rows(scores)["cells"]
    assert list(dict.fromkeys(cell["band"] for cell in cells)) == [*bands, "not returned"]
    spec = grades_by_rank(scores).to_dict()
    assert [row["band"] for row in spec["datasets"]["cells"]] == [cell["band"] for cell in cells]
    (lost,) = (c["count"] for c in cells if (c["grade"], c["band"]) == ("grade 1", "not returned"))
    assert lost == 1


def test_too_many_grades_are_refused() -> None:
    qrels = {"q": {f"d{n}": n / 7 for n in range(40)}}
    scores = evaluate(qrels, {"q": {"d1": 1.0}}, "AP", keep=1)
    with pytest.raises(OptionError, match="40 different grades"):
        grades_by_rank(scores)


def test_the_chart_names_its_grades_from_the_best_down() -> None:
    chart = grades_by_rank(made_rankings(2, 5)).to_dict()
    layer = chart["spec"]["layer"][0]
    assert layer["encoding"]["y"]["sort"] == ["grade 2", "grade 1", "grade 0", "not judged"]


SCORES = made(
    {
        "a": {"AP": [0.1, 0.2, 0.6], "RR": [0.2, 0.4, 0.3], "FPR": [0.9, 0.8, 0.7]},
        "b": {"AP": [0.2, 0.3, 0.7], "RR": [0.1, 0.2, 0.3], "FPR": [0.5, 0.5, 0.5]},
        "c": {"AP": [0.3, 0.4, 0.8], "RR": [0.4, 0.5, 0.6], "FPR": [0.3, 0.2, 0.1]},
    }
)


def cells(chart: object) -> dict[tuple[str, str], dict[str, object]]:
    return {(row["row"], row["column"]): row for row in datasets(chart)["cells"]}


def test_orders_of_systems() -> None:
    found = cells(matrices.correlation(SCORES))
    assert found["AP", "AP"]["text"] == ""
    # RR has b below a, and the rest as AP has it; FPR is turned round.
    assert found["AP", "RR"]["coefficient"] == pytest.approx(1 / 3)
    assert found["AP", "RR"]["text"] == "0.33"
    assert found["AP", "FPR"]["coefficient"] == 1.0
    assert found["RR", "AP"] == found["AP", "RR"] | {"row": "RR", "column": "AP"}


@pytest.mark.parametrize("coefficient", ["kendall", "tau_ap", "spearman"])
def test_the_coefficients_are_those_of_agreements(coefficient: str) -> None:
    found = cells(matrices.correlation(many(6, 30), coefficient=coefficient))
    for one in correlate(many(6, 30), resamples=1):
        value = getattr(one, coefficient).value
        assert found[one.first, one.second]["coefficient"] == value
        assert found[one.second, one.first]["shade"] == value


def test_values_of_queries() -> None:
    chart = matrices.correlation(SCORES, of="queries", measures="AP RR")
    # Of a, one pair of three queries is the other way round: tau 1/3; of b and c none is.
    assert cells(chart)["AP", "RR"]["coefficient"] == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert subtitle(chart) == "Kendall's tau-b over 3 queries, the mean of 3 systems."
    pearson = matrices.correlation(SCORES, of="queries", coefficient="pearson")
    expected = np.mean(
        [np.corrcoef(SCORES.values[s, 0], SCORES.values[s, 1])[0, 1] for s in range(3)]
    )
    assert cells(pearson)["AP", "RR"]["coefficient"] == pytest.approx(expected)
    # All of b's FPR are the same, and say nothing of queries.
    assert cells(pearson)["AP", "FPR"]["coefficient"] == pytest.approx(
        np.mean([np.corrcoef(SCORES.values[s, 0], -SCORES.values[s, 2])[0, 1] for s in (0, 2)])
    )


def test_what_says_nothing_is_a_dash() -> None:
    flat = made({name: {"AP": [0.5, 0.5], "RR": [0.1, 0.9]} for name in "ab"})
    for of in ("systems", "queries"):
        cell = cells(matrices.correlation(flat, of=of))["AP", "RR"]
        assert (cell["text"], cell["coefficient"], cell["shade"]) == ("-", None, 0.0)


def test_measures_that_give_texts_are_left_out() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {name: {"q1": {name: 1.0}, "q2": {"a": 1.0}} for name in "ab"}
    scores = evaluate(qrels, runs, "AP RR RelString")
    assert len(datasets(matrices.correlation(scores))["cells"]) == 4


def test_mistakes_are_told() -> None:
    with pytest.raises(OptionError, match="only one measure, AP"):
        matrices.correlation(SCORES, measures="AP")
    with pytest.raises(OptionError, match="coefficient='tau_ap' is not known"):
        matrices.correlation(SCORES, of="queries", coefficient="tau_ap")
    with pytest.raises(OptionError, match="of='system' is not known"):
        matrices.correlation(SCORES, of="system")
    with pytest.raises(OptionError, match="two systems"):
        matrices.correlation(made({"a": {"AP": [0.5], "RR": [0.5]}}))
