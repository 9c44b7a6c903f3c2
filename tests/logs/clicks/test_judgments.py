"""Grades from clicks, their confidence, and the files that they are written to."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from cleverdon import evaluate
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.attributes import read_attributes
from cleverdon.logs.clicks.base import Belief, Prior
from cleverdon.logs.clicks.evaluation import simulate_clicks
from cleverdon.logs.clicks.judgments import (
    ClickJudgments,
    FitSummary,
    GradeBounds,
    GradedDocuments,
    GradeSummary,
    WrittenQrels,
    _write_qrels,
    as_judgments,
    grade_documents,
    query_ids,
)
from cleverdon.logs.clicks.models import CM, COEC, DBN
from cleverdon.logs.clicks.result_lists import ResultLists, Usage
from tests.logs.clicks.made import MODELS, pages, truth

LISTS = [
    *[("hot jazz", ["a", "b", "c"], ["a"])] * 30,
    *[("hot jazz", ["b", "a", "c"], ["a"])] * 30,
    *[("blues", ["a", "b"], ["b"])] * 20,
    *[("rare", ["a"], ["a"])] * 3,
]


def found(**options: object) -> GradedDocuments:
    return grade_documents(CM().fit(ResultLists.from_lists(LISTS), prior=Prior(1, 1)), **options)  # type: ignore[arg-type]


def test_one_is_one_in_words() -> None:
    written = WrittenQrels("x.qrels", "x.evidence.tsv", "x.topics.tsv", 1, 1, without_id=1)
    model = FitSummary("DBN", 1, True, 1.0, Prior())
    grades = GradeSummary("attractiveness", (0.5,), None, (1, 0), 0.9, 1)
    lists = Usage(1, 1, 0, 0, 0, 0, 0, 0, 0)
    judged = ClickJudgments(lists, (), model, grades, written, None, found(min_impressions=5), None)
    text = judged.closing()
    assert "DBN converged after 1 iteration." in text
    assert "\n1 pair of query and document was examined too rarely to be graded.\n" in text
    assert "x.qrels: 1 judgment of 1 query\n" in text
    assert text.endswith("\n1 judgment left out: too few users asked the query")


def test_confidence_by_hand() -> None:
    """Of 20 examined and 20 clicked, with the prior of one hit and one miss: Beta(22, 2)."""
    from scipy.stats import beta

    shown = ResultLists.from_lists([("q", ["a"], ["a"])] * 20)
    one = grade_documents(
        CM().fit(shown, prior=Prior(1, 1)), grades=GradeBounds((0.5, 0.9), quantiles=False)
    )
    assert one.value.tolist() == [21 / 22]
    assert one.grade.tolist() == [2]
    assert one.confidence.tolist() == pytest.approx([1 - beta.cdf(0.9, 22, 2)])
    assert [one.low[0], one.high[0]] == pytest.approx(beta.ppf([0.025, 0.975], 22, 2).tolist())
    assert (one.impressions[0], one.examined[0], one.clicks[0]) == (20, 20, 20)


def test_products_of_betas() -> None:
    """The mean and variance are those of the product, by simulation to three digits."""
    one = Belief.beta(np.array([0.3]), np.array([20.0]))
    other = Belief.beta(np.array([0.6]), np.array([10.0]))
    both = one.times(other)
    random = np.random.default_rng(0)
    drawn = random.beta(7, 15, 400_000) * random.beta(7, 5, 400_000)
    total = both.first + both.second
    assert both.first / total == pytest.approx(drawn.mean(), abs=1e-3)
    variance = both.first * both.second / total**2 / (total + 1)
    assert variance == pytest.approx(drawn.var(), rel=0.02)
    assert both.estimate.tolist() == pytest.approx([0.18])
    low, high = both.interval(0.9)
    assert [low[0], high[0]] == pytest.approx(np.quantile(drawn, [0.05, 0.95]).tolist(), abs=5e-3)


def test_rows_are_ordered_and_rare_ones_left_out() -> None:
    all_of_them = found(grades=GradeBounds.parse("0.3,0.9"), min_impressions=5)
    assert list(zip(all_of_them.queries, all_of_them.docs, strict=True)) == [
        ("hot jazz", "a"),
        ("hot jazz", "b"),
        ("blues", "b"),
        ("blues", "a"),
    ]
    assert all_of_them.grade.tolist() == [2, 0, 2, 0]
    # c stands below the click of every list, and was never examined; rare was shown three times.
    assert all_of_them.seldom == 2
    assert found(min_impressions=0).seldom == 0
    with pytest.raises(InputError, match="none of the 6 documents shown was examined 1000 times"):
        found(min_impressions=1000)


def test_quantiles() -> None:
    grades = GradeBounds.parse("q0.5,q0.8")
    values = np.arange(10.0)
    assert grades.of(values)[0].tolist() == [0] * 5 + [1] * 3 + [2] * 2
    assert grades.of(np.full(4, 0.3))[0].tolist() == [0] * 4  # nothing stands out
    assert str(grades) == "q0.5,q0.8"


@pytest.mark.parametrize(
    "text", ["", "x", "0.1,q0.5", "0.5,0.1", "q0.5,q1", "-1", "0.1,,0.3", "nan", "q"]
)
def test_grades_that_cannot_be(text: str) -> None:
    with pytest.raises(OptionError, match="grades="):
        GradeBounds.parse(text)


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="confidence=1"):
        found(confidence=1)
    with pytest.raises(OptionError, match="min_impressions=-1"):
        found(min_impressions=-1)


@pytest.mark.parametrize("name", MODELS)
def test_grades_of_every_model(name: str) -> None:
    """Confidence is a probability; values lie in their intervals; better documents grade better."""
    model, true = truth("PBM" if name == "COEC" else name)
    shown = simulate_clicks(model, true, pages(3000), seed=7)
    fitted = (COEC() if name == "COEC" else model).fit(shown)
    some = grade_documents(fitted)
    assert ((some.confidence >= 0) & (some.confidence <= 1)).all()
    assert (some.low < some.high).all()
    assert np.mean((some.low <= some.value) & (some.value <= some.high)) > 0.97
    worth = true.attraction
    if isinstance(model, DBN):
        assert true.satisfaction is not None
        worth = worth * true.satisfaction
    place = {names: at for at, names in enumerate(shown.pairs)}
    truly = np.array([worth[place[pair]] for pair in zip(some.queries, some.docs, strict=True)])
    means = [truly[some.grade == grade].mean() for grade in range(4)]
    assert means == sorted(means)


def test_confidence_is_how_often_grades_are_right() -> None:
    """Of 480 grades as many are right as their confidences sum up to, give or take 6 points.

    Documents are drawn anew for each log: of ones near a bound, any number of logs would be wrong.
    """
    grades = GradeBounds((0.1, 0.2, 0.35), quantiles=False)
    right, said = [], []
    for seed in range(12):
        model, true = truth("DBN", seed)
        assert true.satisfaction is not None
        worth = true.attraction * true.satisfaction
        shown = simulate_clicks(model, true, pages(1000, seed=seed), seed=seed + 20)
        some = grade_documents(model.fit(shown), grades=grades)
        place = {names: at for at, names in enumerate(shown.pairs)}
        truly = worth[[place[pair] for pair in zip(some.queries, some.docs, strict=True)]]
        right += (grades.of(truly)[0] == some.grade).tolist()
        said += some.confidence.tolist()
    assert np.mean(right) == pytest.approx(np.mean(said), abs=0.06)


def test_written_and_evaluated(tmp_path: Path) -> None:
    some = found(grades=GradeBounds.parse("0.5"), min_impressions=5)
    ids = query_ids(some)
    assert ids.ids == {"hot jazz": "q1", "blues": "q2"}
    written = _write_qrels(some, ids, tmp_path / "clicks.qrels")
    assert (tmp_path / "clicks.qrels").read_text() == "q1 0 a 1\nq1 0 b 0\nq2 0 b 1\nq2 0 a 0\n"
    assert (written.rows, written.queries, written.without_id) == (4, 2, 0)
    assert written.texts is not None
    assert read_attributes(written.texts).column("text")[1] == {"q1": "hot jazz", "q2": "blues"}
    with open(written.evidence, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["doc"] for row in rows] == ["a", "b", "b", "a"]
    assert float(rows[0]["confidence"]) == some.confidence[0]
    assert rows[0]["query"] == "q1"
    assert rows[0]["text"] == "hot jazz"
    read = Judgments.read(str(tmp_path / "clicks.qrels"))
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    assert evaluate(read, run, "RR").means.tolist() == [[0.75]]
    assert read.to_dict() == as_judgments(some, ids).to_dict()


def test_queries_that_are_given(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("id\tkind\ttext\n7\tmusic\tHot  JAZZ\n8\tmusic\tswing\n")
    some = found(grades=GradeBounds.parse("0.5"), min_impressions=5)
    ids = query_ids(some, tmp_path / "topics.tsv")
    written = _write_qrels(some, ids, tmp_path / "clicks.qrels.gz")
    assert written.texts is None
    assert written.without_id == 2
    assert written.evidence == str(tmp_path / "clicks.evidence.tsv")
    assert Judgments.read(written.qrels).to_dict() == {"7": {"a": 1.0, "b": 0.0}}
    assert query_ids(some, {"9": "blues"}).ids == {"blues": "9"}
    (tmp_path / "topics.txt").write_text("Hot jazz\nswing\n")
    assert query_ids(some, tmp_path / "topics.txt").ids == {
        "hot jazz": "Hot jazz",
        "swing": "swing",
    }
    (tmp_path / "topics.json").write_text('[{"qid": "7", "search_term": "hot jazz"}]')
    assert query_ids(some, tmp_path / "topics.json").ids == {"hot jazz": "7"}
    (tmp_path / "topics.csv").write_text("nr,anfrage\n7,hot jazz\n")
    assert query_ids(some, tmp_path / "topics.csv").ids == {"hot jazz": "7"}
    with pytest.raises(InputError, match="queries '1' and '2' have the same text, 'blues'"):
        query_ids(some, {"1": "blues", "2": "Blues "})
    with pytest.raises(
        InputError, match="none of these texts, such as 'swing', was asked in the log"
    ):
        query_ids(some, {"1": "swing"})
    with pytest.raises(OptionError, match="queries have no attribute 'txt'"):
        query_ids(some, tmp_path / "topics.tsv", column="txt")
    with pytest.raises(OptionError, match="qrels from clicks need a file"):
        _write_qrels(some, ids, "-")
