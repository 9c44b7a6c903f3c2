"""docs/migration.md: both sides of every line are run, and their numbers are the same."""

from __future__ import annotations

import doctest
import re
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any

import ir_measures
import pyndeval
import pytest
import pytrec_eval

from tests.commands import run_here

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "migration.md").read_text("utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)}

RANX = {  # what ranx 0.3.21 gives for the run of the page
    "ndcg@10": 0.7118186516110403,
    "ndcg_burges@10": 0.7254092943429754,
    "ndcg@10-l2": 0.5436432511904858,
    "map": 0.5555555555555555,
    "map-l2": 0.5,
    "map@2": 0.38888888888888884,
    "mrr": 0.6666666666666666,
    "precision@5": 0.3333333333333333,
    "recall@5": 0.8888888888888888,
    "f1@5": 0.46825396825396825,
    "hit_rate@1": 0.3333333333333333,
    "r-precision": 0.27777777777777773,
    "dcg@3": 1.797596420238124,
    "dcg_burges@3": 3.3412396714286103,
}


def lines(section: str) -> list[tuple[str, str]]:
    """Return what one typed, and what one types now, of each line of a section's tables."""
    rows = re.findall(r"^\| `(.+?)` \| `(.+?)` \|", SECTIONS[section], flags=re.MULTILINE)
    assert rows, section
    return rows


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run the page's examples; return the names that they define."""
    found: dict[str, Any] = {"getfixture": lambda _: tmp_path_factory.mktemp("migration")}
    for example in doctest.DocTestParser().get_examples(PAGE):
        exec(compile(example.source, "docs/migration.md", "single"), found)
    return found


@pytest.fixture(scope="module")
def score(names: dict[str, Any]) -> Callable[..., float]:
    """Score the run of the page."""

    def score(measure: str, **choices: Any) -> float:
        scores = names["cleverdon"].evaluate(names["qrels"], names["run"], measure, **choices)
        return float(scores.mean("run", measure))

    return score


def same(found: float, wanted: float) -> bool:
    return found == pytest.approx(wanted, rel=1e-15, abs=1e-15)


def numbers(arguments: str, folder: Path) -> list[str]:
    done = run_here(shlex.split(arguments), folder)
    assert done.returncode == 0, done.stderr
    return re.findall(r"-?\d+\.\d{4,5}\b", done.stdout)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name in ("qrels.txt", "bm25.run"):
        (tmp_path / name).symlink_to(ROOT / "examples" / name)
    return tmp_path


@pytest.mark.parametrize(("typed", "now"), lines("trec_eval"))
def test_trec_eval(typed: str, now: str, files: Path) -> None:
    before = numbers(typed, files)  # cleverdon trec_eval prints what trec_eval does
    assert before
    assert numbers(now.removeprefix("cleverdon "), files) == before


@pytest.mark.parametrize(("typed", "now"), lines("pytrec_eval"))
def test_pytrec_eval(
    typed: str, now: str, names: dict[str, Any], score: Callable[..., float]
) -> None:
    name, _, parameter = typed.rpartition("_")
    asked = f"{name}.{parameter}" if re.fullmatch(r"[\d.]+", parameter) else typed
    found = pytrec_eval.RelevanceEvaluator(names["qrels"], {asked}).evaluate(names["run"])
    values = [found[query][typed] for query in names["qrels"]]
    wanted = pytrec_eval.compute_aggregated_measure(typed, values)
    assert same(score(now), wanted)
    assert same(score(typed), wanted)  # the old name is understood


@pytest.mark.parametrize(("typed", "now"), lines("ir_measures"))
def test_ir_measures(
    typed: str, now: str, names: dict[str, Any], score: Callable[..., float]
) -> None:
    by_gdeval = "exp" in typed or "ERR" in typed
    if by_gdeval and which("perl") is None:
        pytest.skip("ir_measures runs gdeval, which needs perl")
    measure = ir_measures.parse_measure(typed)
    wanted = ir_measures.calc_aggregate([measure], names["qrels"], names["run"])[measure]
    tolerance = 5.1e-6 if by_gdeval else 1e-15  # gdeval prints five decimals
    assert score(now) == pytest.approx(wanted, abs=tolerance)
    assert score(typed, profile="ir_measures") == pytest.approx(wanted, abs=tolerance)


@pytest.mark.parametrize(("typed", "now"), lines("ranx"))
def test_ranx(typed: str, now: str, score: Callable[..., float]) -> None:
    assert same(score(now), RANX[typed])


@pytest.mark.parametrize(("typed", "now"), lines("scikit-learn"))
def test_scikit_learn(typed: str, now: str, names: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert same(eval(now, names), eval(typed, names))


@pytest.mark.parametrize(("typed", "now"), lines("ndeval"))
def test_ndeval(typed: str, now: str, names: dict[str, Any]) -> None:
    judged = [line.split() for line in names["subtopics"].splitlines()]
    returned = [line.split() for line in names["found"].splitlines()]
    found = pyndeval.ndeval(
        [(query, topic, doc, int(grade)) for query, topic, doc, grade in judged],
        [(query, doc, float(score)) for query, _, doc, _, score, _ in returned],
    )
    wanted = sum(values[typed] for values in found.values()) / len(found)
    assert names["diverse"](now) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("typed", "now"), lines("gdeval and BEIR"))
def test_other_profiles_run(typed: str, now: str, files: Path) -> None:
    assert numbers(now.removeprefix("cleverdon "), files)
