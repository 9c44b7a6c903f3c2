"""Every Result prints, displays itself in notebooks, and writes itself in every format."""

from __future__ import annotations

import ast
import doctest
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import cleverdon
from cleverdon.errors import OptionError
from cleverdon.tables.result import Result

SOURCE = Path(cleverdon.__file__).parent
BASES = {"Result", "Results", "RecordList", "OneTable", "LoadTest", "ProbeRounds", "SparkScores"}
"""What others are made of; and scores on a cluster, which tests/scale has."""


def _result_classes() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of every class of Results, without importing them all."""
    bases: dict[str, set[str]] = {}
    homes: dict[str, str] = {}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body if "class " in text else ():
            if isinstance(node, ast.ClassDef):
                named = {ast.unparse(base).partition("[")[0] for base in node.bases}
                bases.setdefault(node.name, set()).update(named)
                if any(
                    isinstance(one, ast.FunctionDef) and one.name == "plot" for one in node.body
                ):
                    DRAWN.add(node.name)
                module = path.relative_to(SOURCE).with_suffix("").parts
                if named & BASES or node.name not in homes:
                    homes[node.name] = ".".join(("cleverdon", *module))
    bases |= {name: above - {"LoadTest"} for name, above in bases.items()}  # parts of a Bench
    found = {"Result"}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    yield from sorted((homes[name], name) for name in found - BASES if name[0] != "_")


DRAWN: set[str] = set()
CLASSES = {name: module for module, name in _result_classes()}


LIBRARIES = {"judging": ("sqlalchemy", "web"), "engines": ("aiohttp", "engine")}
"""A library that packages need, and the extra that has it."""


def example(name: str) -> Any:
    """Return the Result that an example makes: of its class, or of the function that returns it."""
    package = CLASSES[name].split(".")[1]
    if package in LIBRARIES:
        library, extra = LIBRARIES[package]
        pytest.importorskip(library, reason=f"{package} needs the extra {extra}")
    cls: type[Result] = getattr(import_module(CLASSES[name]), name)
    made: list[Result] = []
    before = cls.__init__

    def noted(self: Any, *args: Any, **keywords: Any) -> None:
        before(self, *args, **keywords)
        if type(self) is cls:
            made.append(self)

    cls.__init__ = noted  # type: ignore[method-assign]
    try:
        module = import_module(cls.__module__)
        makers = [
            one
            for one in vars(module).values()
            if getattr(one, "__annotations__", {}).get("return") == cls.__name__
        ]
        for documented in (cls, *makers):
            scope = dict(vars(module))
            for one in doctest.DocTestFinder(recurse=False).find(documented, globs=scope):
                doctest.DocTestRunner().run(one, out=lambda text: None, clear_globs=False)
    finally:
        cls.__init__ = before  # type: ignore[method-assign]
    assert made, "the docstring has an example that makes one"
    # A Comparison without differences is a step on the way to one that has them.
    return next(one for one in made if cls.__name__ != "Comparison" or one.differences)


@pytest.mark.parametrize("name", CLASSES)
def test_it_writes_itself_in_every_format(name: str) -> None:
    result = example(name)
    assert str(result).strip()
    assert result._repr_html_().lstrip().startswith("<")
    for format in ("text", "markdown", "latex", "html", "csv"):
        assert isinstance(getattr(result, f"to_{format}")(), str), format
    json.loads(result.to_json(), parse_constant=pytest.fail)
    assert isinstance(result.to_dict(), dict)
    for frame in (result.to_polars(), result.to_pandas()):
        assert len(frame.columns) > 0


NEEDS_MORE = {"IndexingResult": "3 sizes or more", "MetricResults": "by day"}
"""What the examples lack that the plot shows; other tests draw these."""


@pytest.mark.parametrize("name", sorted(DRAWN & CLASSES.keys()))
def test_it_draws_itself(name: str) -> None:
    result = example(name)
    if name in NEEDS_MORE:
        with pytest.raises(OptionError, match=NEEDS_MORE[name]):
            result.plot()
    else:
        assert result.plot().to_dict()


WITHOUT_NUMBERS = {
    *("AccountList", "Batch", "CheckResult", "Checklist", "ClickJudgments", "Correlation"),
    *("FileChecks", "JudgingCandidates", "NewDocuments", "Slices", "ToolList"),
}
"""Lists of texts, and Results whose example has no row."""


@pytest.mark.parametrize("name", sorted(CLASSES.keys() - DRAWN))
def test_others_draw_a_column_of_their_table(name: str) -> None:
    result = example(name)
    if name in WITHOUT_NUMBERS:
        with pytest.raises(OptionError, match="there is nothing to draw"):
            result.plot()
    else:
        drawn = result.plot().to_dict()
        assert all(drawn["datasets"].values())
        json.dumps(drawn, allow_nan=False)


def test_the_column_that_is_drawn_and_its_intervals() -> None:
    runs = ["examples/bm25.run", "examples/dense.run"]
    scores = cleverdon.evaluate("examples/qrels.txt", runs, ["AP", "RR"])
    sliced = cleverdon.slice_by(scores, "examples/topics.csv", by="language", baseline="bm25")
    rows = sliced.plot().to_dict()["datasets"]["rows"]
    found = [(part.name, one) for part in sliced.slices for one in part.differences]
    assert [(row["label"], row["panel"], row["value"], row["low"]) for row in rows] == [
        (name, str(one.measure), one.difference, one.interval.low) for name, one in found
    ]
    trace = cleverdon.explain("R N R N | R", measure="AP")
    drawn = trace.plot().to_dict()
    rows = drawn["datasets"]["rows"]
    assert [row["label"] for row in rows] == ["1, d1", "2, d2", "3, d3", "4, d4"]
    assert [row["value"] for row in rows] == pytest.approx([1 / 3, 0, 2 / 9, 0])
    assert drawn["title"]["text"] == "AP: adds"
    rows = trace.plot("so far").to_dict()["datasets"]["rows"]
    assert [row["value"] for row in rows] == pytest.approx([1 / 3, 1 / 3, 5 / 9, 5 / 9])
    with pytest.raises(OptionError, match="no column 'ads'; did you mean 'adds'"):
        trace.plot("ads")
    hits = cleverdon.Hits.from_matrix([[1, 0]], [[0.5, 0.5]])
    (row,) = cleverdon.bounds("RR", hits).plot().to_dict()["datasets"]["rows"]
    assert (row["value"], row["low"], row["high"]) == (None, 0.5, 1)
    values = {f"q{at:03}": {"d": 1} for at in range(150)}
    lost = {query: {"x": 1} for query in values}
    worst = cleverdon.worst(
        cleverdon.evaluate(values, {"old": values, "new": lost}, "RR", keep=1), "old", "new", n=None
    )
    drawn = worst.plot().to_dict()
    assert len(drawn["datasets"]["rows"]) == 100
    assert drawn["title"]["subtitle"] == "The first 100 of 150 rows."


def test_a_result_shows_its_table_where_python_shows_values() -> None:
    scores = cleverdon.evaluate("examples/qrels.txt", "examples/bm25.run", "AP")
    for result in (cleverdon.explain("R N | R", measure="AP"), scores):
        assert repr(result) == str(result)
    splits = cleverdon.split(["a", "b", "c"], folds=3)
    assert repr(splits) == str(splits)


def test_scores_and_comparisons_make_reports(tmp_path: Path) -> None:
    scores = cleverdon.evaluate("examples/qrels.txt", ["examples/bm25.run", "examples/dense.run"])
    made = scores.report(tmp_path / "report.html", title="Ours")
    assert "<title>Ours" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert made.comparisons[0].baseline is None
    found = cleverdon.compare(scores, baseline="bm25")
    assert found.report().comparisons[0].baseline == "bm25"


def test_scores_draw_themselves_by_every_kind_of_plot() -> None:
    runs = ["examples/bm25.run", "examples/dense.run"]
    scores = cleverdon.evaluate("examples/qrels.txt", runs, ["AP", "RR"], keep=10)
    assert scores.plot().to_dict() == cleverdon.plots.spread(scores, "AP").to_dict()
    assert scores.plot("heat-map", "RR").to_dict() != scores.plot("heat-map").to_dict()
    with pytest.raises(OptionError, match="did you mean 'histogram'"):
        scores.plot("histogramm")
