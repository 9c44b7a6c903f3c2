"""Audits: verdicts, results in every format, the command; and tools against their documentation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import ClassVar

import pytest

from cleverdon.auditing import audit, list_tools
from cleverdon.auditing.formulas import reciprocal_rank
from cleverdon.auditing.rankings import RANKINGS, Order, Ranking
from cleverdon.auditing.tools import TOOLS, Promise, Refused, Tool, Undocumented
from cleverdon.auditing.verdicts import Audit
from cleverdon.errors import MissingExtra, OptionError
from cleverdon.tables.table import FORMATS
from tests.auditing.stand_ins import stand_in
from tests.commands import Command

ISSUE = (
    *("ties", "duplicates", "negative", "graded", "missing query", "short list"),
    "no relevant documents",
)


def need(tool: str) -> type[Tool]:
    """The tool, or a skip that says what is not installed."""
    found = TOOLS.find(tool)
    try:
        found.need()
    except Exception as error:
        pytest.skip(str(error))
    return found


def wrong(found: Audit) -> dict[tuple[str, str], float | None]:
    """The deviations, by ranking and measure."""
    return {
        (check.ranking, check.measure): None
        if check.deviation is None
        else round(check.deviation, 4)
        for check in found.deviations
    }


# Verdicts


def _refused(order: Order) -> float:
    if max(order.grades, default=0) > 1:
        raise Refused
    if not order.relevant:
        raise Undocumented
    return reciprocal_rank(order)


class Invented(Tool):
    """A tool whose every answer is known."""

    name = "invented"
    package = "pytest"
    module = "pytest"
    about = "nothing"
    cannot: ClassVar[Mapping[str, str]] = {"close scores": "takes grades of school"}
    silent = frozenset({"negative"})
    promises = (Promise("RR", "The reciprocal rank.", "its page", _refused),)

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        if ranking.name == "short list":
            raise ValueError("too short\nreally")
        if ranking.name == "graded":
            return {"RR": ValueError("binary grades only")}
        return {
            "RR": 0.25 if ranking.name == "unreturned" else 1 / 3 if "tie" in ranking.name else 1
        }


@pytest.fixture
def invented(monkeypatch: pytest.MonkeyPatch) -> Audit:
    TOOLS.load()
    monkeypatch.setitem(TOOLS._classes, "invented", Invented)
    return audit("invented")


def test_verdicts(invented: Audit) -> None:
    by_ranking = {check.ranking: check for check in invented.checks}
    assert "close scores" not in by_ranking
    assert len(by_ranking) == len(RANKINGS) - 1
    assert by_ranking["plain"].verdict == "agrees"
    assert by_ranking["plain"].deviation == 0
    # The relevant one of three tied results may stand at any of their ranks, and 1/3 is one.
    assert by_ranking["ties"].verdict == "agrees"
    assert by_ranking["ties"].promised == (1 / 3, 0.5, 1.0)
    assert by_ranking["unreturned"].verdict == "deviates"
    assert by_ranking["unreturned"].deviation == 0.25 - 0.5
    assert by_ranking["graded"].verdict == "agrees"  # an error, as documented
    assert by_ranking["tied grades"].verdict == "deviates"  # no error, against the documentation
    assert by_ranking["short list"].verdict == "fails"
    assert by_ranking["short list"].error == "ValueError: too short"
    assert by_ranking["negative"].verdict == "undocumented"
    assert by_ranking["no relevant documents"].verdict == "undocumented"
    assert by_ranking["missing query"].promised == (0.5,)  # of a query without results: 0


def test_ties_are_averaged_where_that_is_promised() -> None:
    ties = next(ranking for ranking in RANKINGS if ranking.name == "ties")
    one = Promise("RR", "", "", reciprocal_rank, ties="mean")
    assert one.values(ties, skips_missing=False) == (pytest.approx((1 + 1 / 2 + 1 / 3) / 3),)
    first = Promise("RR", "", "", reciprocal_rank, ties="input")
    assert first.values(ties, skips_missing=False) == (0.5,)


def test_missing_queries_are_left_out_where_that_is_promised() -> None:
    missing = next(ranking for ranking in RANKINGS if ranking.name == "missing query")
    one = Promise("RR", "", "", reciprocal_rank)
    assert one.values(missing, skips_missing=True) == (1,)
    assert one.values(missing, skips_missing=False) == (0.5,)


def test_every_format(invented: Audit) -> None:
    text = str(invented)
    assert "invented" in text
    row = next(line for line in text.splitlines() if line.startswith("unreturned"))
    assert row.split() == ["unreturned", "RR", "deviates", "0.5000", "0.2500", "-0.2500"]
    assert "RR: The reciprocal rank. (its page)" in text
    assert "short list, RR: ValueError: too short" in text
    assert "Not tried: close scores; invented takes grades of school." in text
    for format in FORMATS:
        assert "unreturned" in invented.render(format)
    record = json.loads(invented.to_json())
    assert record["tool"] == "invented"
    assert {check["verdict"] for check in record["checks"]} == {
        *("agrees", "deviates", "fails", "undocumented"),
    }
    assert len(invented.to_csv().splitlines()) == len(invented.checks) + 1
    assert len(invented.to_polars()) == len(invented.checks)
    assert "plain" in invented.render(all_=True)
    assert "plain" not in text


# The tools


def test_every_tool_describes_itself() -> None:
    tools = TOOLS.all()
    assert {
        *("torchmetrics", "ragas", "pyspark", "mlflow", "sentence-transformers", "lightgbm"),
        "polars-ds",
    } <= set(tools)
    names = {ranking.name for ranking in RANKINGS}
    assert names >= set(ISSUE)
    for name, tool in tools.items():
        assert tool.name == name
        assert tool.package
        assert tool.about
        assert set(tool.cannot) | tool.silent <= names, name
        assert tool.promises
        for promise in tool.promises:
            assert promise.says.endswith((".", "..."))
            assert promise.where
    assert [one.tool for one in list_tools()] == list(tools)


@pytest.mark.parametrize("tool", sorted(TOOLS.all()))
def test_no_formula_contradicts_a_plain_ranking(tool: str) -> None:
    """The control: every promise has one value there, between 0 and the largest DCG."""
    for promise in TOOLS.find(tool).promises:
        values = promise.values(RANKINGS[0], skips_missing=False)
        assert all(0 < value < 2 for value in values), promise.measure


def test_scikit_learn() -> None:
    need("scikit-learn")
    assert set(wrong(audit("scikit-learn"))) == {
        ("negative", "ndcg_score(k=3)"),
        ("short list", "ndcg_score(k=3)"),
        ("short list", "dcg_score(k=3)"),
    }


def test_pytrec_eval_and_ir_measures_compare_scores_as_float32() -> None:
    need("pytrec_eval")
    need("ir_measures")
    assert wrong(audit("pytrec_eval")) == {
        ("close scores", "map"): -0.5,
        ("close scores", "recip_rank"): -0.5,
        ("close scores", "ndcg_cut_3"): -0.3691,
    }
    assert wrong(audit("ir_measures")) == {
        ("close scores", "AP"): -0.5,
        ("close scores", "nDCG@3"): -0.3691,
    }


def test_pyspark_ignores_grades_and_counts_duplicates() -> None:
    need("pyspark")
    assert wrong(audit("pyspark")) == {
        ("duplicates", "recallAt(3)"): 1.0,  # 1.5 instead of 0.5
        ("duplicates", "meanAveragePrecision"): 1.0,
        ("duplicates", "meanAveragePrecisionAt(3)"): 1.0,
        ("duplicates", "ndcgAt(3)"): 0.6934,
        ("graded", "ndcgAt(3)"): 0.1887,
    }


def test_mlflow_cuts_the_ideal_of_short_lists() -> None:
    need("mlflow")
    assert wrong(audit("mlflow")) == {("short list", "ndcg_at_k(3)"): 0.5307}


def test_lightgbm_does_what_it_says() -> None:
    need("lightgbm")
    found = audit("lightgbm")
    assert wrong(found) == {}
    silent = {(c.ranking, c.measure): c.found for c in found.checks if c.verdict == "undocumented"}
    # A query without relevant documents counts as 1.
    assert silent["no relevant documents", "ndcg@3"] == pytest.approx((0.7039 + 1) / 2, abs=1e-4)


def test_polars_ds_has_its_words_for_ties_exchanged() -> None:
    need("polars-ds")
    found = audit("polars-ds")
    deviating = {(c.ranking, c.measure) for c in found.checks if c.verdict == "deviates"}
    failing = {c.error.partition(":")[0] for c in found.checks if c.verdict == "fails"}
    # polars-ds 0.13 calls a method that polars 2 does not have.
    assert failing <= {"AttributeRemovedError", "AttributeError"}
    measures = {"query_ndcg_score(k=3, ignore_ties=True)"}
    if not failing:
        measures |= {"query_ndcg_score(k=3)", "query_dcg_score(k=3)"}
    wanted = {(ranking, one) for ranking in ("ties", "tied grades") for one in measures}
    assert deviating == wanted


def test_ragas_does_what_it_says() -> None:
    need("ragas")
    assert wrong(audit("ragas")) == {}


@pytest.mark.parametrize("tool", ["torchmetrics", "sentence-transformers"])
def test_tools_that_need_torch(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = TOOLS.find(tool)
    if not kind.installed():
        stand_in(tool, monkeypatch)
    found = audit(tool)
    expected = {
        # Relevance is forgotten where the score is not above 0.
        "torchmetrics": {
            ("low scores", "RetrievalMAP()"): 0.1667,
            ("low scores", "RetrievalPrecision(top_k=3)"): -0.3333,
            ("low scores", "RetrievalRecall(top_k=3)"): -0.5,
        },
        "sentence-transformers": {},
    }
    assert wrong(found) == expected[tool]


# The command


def test_the_command(cleverdon: Command) -> None:
    done = cleverdon("audit", "scikit-learn")
    assert done.returncode == 1
    assert "against its documentation" in done.stdout
    assert "short list" in done.stdout
    listed = cleverdon("audit", "--list", "-f", "csv")
    assert listed.returncode == 0
    assert listed.stdout.splitlines()[0] == "tool,installed,install with,what is audited"
    assert "polars-ds" in listed.stdout


def test_the_exit_code_is_0_where_nothing_deviates(
    cleverdon: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not TOOLS.find("sentence-transformers").installed():
        stand_in("sentence-transformers", monkeypatch)
    assert cleverdon("audit", "sentence-transformers").returncode == 0


def test_a_tool_that_is_not_there(cleverdon: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TOOLS.find("lightgbm"), "module", "no_such_module")
    done = cleverdon("audit", "lightgbm")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "cleverdon: error: cleverdon audit lightgbm needs lightgbm, which is not installed: "
        "pip install lightgbm\n"
    )
    with pytest.raises(MissingExtra, match="pip install lightgbm"):
        audit("lightgbm")


def test_an_unknown_tool(cleverdon: Command) -> None:
    with pytest.raises(OptionError, match="there is no tool 'polars_ds'; did you mean"):
        audit("polars_ds")
    done = cleverdon("audit", "polars_ds")
    assert done.returncode == 2
    assert "did you mean 'polars-ds'?" in done.stderr
    assert cleverdon("audit").returncode == 2
    assert cleverdon("audit", "--list", "ragas").returncode == 2
