"""The method section: enough to get the same numbers again."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree

import pytest

import cleverdon
from cleverdon import evaluate
from cleverdon.compare import compare
from cleverdon.measures.notation import parse
from cleverdon.measures.registry import measures
from cleverdon.show.page.formula import mathml
from cleverdon.show.report import method as section
from cleverdon.show.report.method import method
from tests.compare.made import pair
from tests.show.report.examples import QRELS, RUNS, scores


def test_the_paragraph_of_a_paper() -> None:
    found = method(scores(), compare(scores(), baseline="poor")).paragraph
    assert found == (
        "We report AP, RR, P@2 and FPR over 8 topics with 16 judgments, computed with Cleverdon "
        f"{cleverdon.__version__}. Systems were compared topic by topic: randomisation test, "
        "Holm's correction over 8 comparisons, significance level 0.05. Intervals of differences "
        "have 95% confidence (bootstrap, corrected for bias and acceleration). poor: 1 judged "
        "query missing (evaluated as empty results). AP is undefined for 1 query (counted as 0)."
    )


def test_one_measure_and_nothing_to_compare() -> None:
    alone = evaluate(QRELS, {"good": RUNS["good"]}, "RR")
    assert method(alone, None).paragraph == (
        "We report RR over 8 topics with 16 judgments, computed with Cleverdon "
        f"{cleverdon.__version__}."
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test": "t"}, ": Student's t test, Holm's correction over 8 comparisons, "),
        ({"test": "wilcoxon", "correction": "none"}, ": Wilcoxon test, no correction over 8"),
        ({"test": "tukey"}, ": Tukey's HSD over all pairs of 3 systems, for each measure by"),
        ({"alternative": "greater"}, ": randomisation test, one-sided, Holm's correction"),
        ({"level": 0.01}, "significance level 0.01"),
        ({"interval": "t", "confidence": 0.9}, "have 90% confidence (Student's, of means)"),
    ],
)
def test_tests_are_named(options: dict[str, object], words: str) -> None:
    compared = compare(scores(), baseline="poor", **options)  # type: ignore[arg-type]
    assert words in method(scores(), compared).paragraph


def test_facts_have_every_setting_and_the_test() -> None:
    found = method(scores(), compare(scores(), baseline="poor", seed=5)).facts
    assert found["Topics"] == "8"
    assert found["Judgments"] == "16"
    assert found["Documents"] == "20"
    assert found["Profile"] == "cleverdon"
    assert found["Ties"].startswith("descending: ")
    assert found["Undefined"].startswith("worst: ")
    assert found["Test"] == "Randomisation test, Holm's correction over 8 comparisons"
    assert found["Seed"] == "5"
    assert "Draws" not in found  # of 8 topics, every sign is tried
    assert "10,000 resamples" in found["Intervals"]


def test_draws_are_told_where_there_are_some() -> None:
    of = pair(40, 0.02)
    assert method(of, compare(of)).facts["Draws"].startswith("100,000")
    fewer = compare(of, options={"draws": 2000})
    assert method(of, fewer).facts["Draws"].startswith("2,000")


def test_profiles_and_settings_are_told() -> None:
    other = evaluate(QRELS, RUNS, "map", profile="trec_eval-9")
    found = method(other, None)
    assert " as trec_eval-9 does." in found.paragraph
    assert found.facts["Profile"] == "trec_eval-9"
    assert found.facts["Precision"].startswith("single: ")


def test_bounds_have_no_brackets_here() -> None:
    bounded = evaluate(QRELS, RUNS, "AP", keep=3, bounds=True)
    assert "brackets" not in method(bounded, None).paragraph


def test_measures_have_formula_parameters_and_source() -> None:
    asked = ["nDCG(gain=exponential)@10", "RBP(p=0.5)", "FPR"]
    of = evaluate(QRELS, RUNS, [*asked, "RelString@3"], docs=20)
    found = method(of, None).measures
    assert [one["name"] for one in found] == [str(parse(text)) for text in asked]
    ndcg, rbp, fpr = found
    assert "k=10" in ndcg["parameters"]
    assert "gain=exponential" in ndcg["parameters"]
    assert "p=0.5" in rbp["parameters"]
    assert fpr["better"].startswith("lower")
    for one, measure in zip(found, asked, strict=True):
        kind = type(parse(measure))
        assert one["formula"] == kind.formula
        assert one["source"] == kind.source
        assert one["undefined"] == kind.undefined
        assert one["about"].splitlines()[0] == (kind.__doc__ or "").splitlines()[0]
        assert one["mathml"].startswith("<math ")


def test_every_formula_can_be_drawn() -> None:
    for kind in measures():
        if kind.formula:
            root = ElementTree.fromstring(mathml(kind.formula))
            assert root.tag == "{http://www.w3.org/1998/Math/MathML}math"
            assert not [e for e in root.iter() if e.get("href") or e.tag.endswith("script")]


def test_formulas_without_the_library_that_draws_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", None)
    (found, *_) = method(scores(), None).measures
    assert "mathml" not in found
    assert found["formula"]


def test_files_and_their_hashes(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "one.run").write_text("1 Q0 a 1 2 t\n1 Q0 x 2 1 t\n")
    of = evaluate(str(tmp_path / "qrels.txt"), str(tmp_path / "one.run"), "RR")
    judgments, run = method(of, None).files
    assert judgments["file"].endswith("qrels.txt")
    assert (judgments["rows"], judgments["queries"]) == (2, 2)
    assert (run["name"], run["rows"], run["queries"]) == ("one", 2, 1)
    assert (run["tied"], run["judged"]) == (0, 0.5)
    for file in (judgments, run):
        assert len(file["digest"]) == 64
    assert run["digest"] == of.about.runs["one"].digest
    assert judgments["digest"] != run["digest"]


def test_versions() -> None:
    found = method(scores(), None).versions
    assert found["Cleverdon"] == cleverdon.__version__
    assert found["Python"] == platform.python_version()
    assert found["numpy"] == version("numpy")
    assert found["altair"] == version("altair")


def test_what_is_not_installed_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(section, "_LIBRARIES", ("numpy", "no-such-library"))
    assert list(method(scores(), None).versions) == ["Cleverdon", "Python", "numpy"]
