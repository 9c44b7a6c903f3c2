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
BASES = {"Result", "Results", "RecordList", "OneTable", "LoadTest", "ProbeRounds"}
"""What others are made of."""


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
    what = ["PageCTR"] if name == "MetricResults" else []
    if name in NEEDS_MORE:
        with pytest.raises(OptionError, match=NEEDS_MORE[name]):
            result.plot(*what)
    else:
        assert result.plot(*what).to_dict()


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
