"""What `cleverdon demo` says and writes, of the demo that all tests here share.

It stands here and not with the other commands, since building a demo of its own takes seconds.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cleverdon.comparison.tradeoffs import _NO_BREAK
from cleverdon.costs import Cost, Costs
from cleverdon.demo import experiment as package
from cleverdon.demo.experiment import _SYSTEMS
from tests.commands import run_here
from tests.reports.examples import Outline, without_vega

from .conftest import Written

COSTS = {
    system.name: Costs(
        system.name,
        {"p50": Cost(0.004), "p99": Cost(0.01 * place, 0.009 * place), "index_size": Cost(1e6)},
    )
    for place, system in enumerate(_SYSTEMS, start=1)
}


@pytest.fixture
def said(written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the command prints, given what measuring found."""

    def run(*options: str, **found: Any) -> str:
        def write_demo(directory: Path, *, measure: bool, **_: object) -> package.Demo:
            assert measure != ("--no-bench" in options)
            directory.mkdir(exist_ok=True)
            return replace(written.demo, **found)

        monkeypatch.setattr(package, "write_demo", write_demo)
        with without_vega():
            done = run_here(("demo", "out", *options), tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_it_is_evaluated_compared_and_priced(said: Any, written: Written, tmp_path: Path) -> None:
    printed = said(costs=COSTS, busy=1.54)
    for part in (
        "bm25-porter",
        "nDCG@10",
        "boolean-and is worse than bm25 on nDCG@10 by",
        "max-T over 3 comparisons",
        "- missing-queries: boolean-and lacks",
        "What that costs, with 60 requests a second for 3.0 s (open loop, 100 results each",
        "40 ms (36 ms or more)",
        "other programs kept 1.5 cores busy meanwhile: times may be too long",
        f"A report of all this is in {Path('out', 'report.html')}",
    ):
        assert part in printed
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Four ways to search Python&#x27;s documentation" in page
    texts = [text.replace(_NO_BREAK, " ") for text in Outline(page).text.values()]
    assert any("40 ms (36 ms or more)" in text for text in texts)
    again = run_here(
        ("eval", str(written.demo.qrels), str(written.demo.runs[0]), "-m", "nDCG@10", "-f", "csv"),
        tmp_path,
    )
    assert f"{float(again.stdout.split(',')[-1]):.4f}" in printed


def test_what_is_not_judged_can_be_judged_at_once(
    said: Any, written: Written, tmp_path: Path
) -> None:
    demo = written.demo
    (line,) = (line for line in said("--no-bench").splitlines() if " judge init " in line)
    runs = str(Path("out", "runs", "*.run"))
    # As a shell would have it: the runs are not where this demo pretends to be written.
    words = [
        str(path) for word in line.split()[1:] for path in (demo.runs if word == runs else [word])
    ]
    done = run_here(tuple(words), tmp_path)
    assert done.returncode == 0, done.stderr
    assert "queries     180" in done.stdout


def test_systems_that_were_not_timed(said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from cleverdon.demo import cli as command

    monkeypatch.setattr(command, "_report", lambda *_: "There is no report.")
    monkeypatch.setattr(command, "_COMPARED", ("nDCG@10",))  # the others are not what this is about
    assert "cost" not in said("--no-bench")
    assert "What the systems cost was not measured: pip" in said(unmeasured="pip install it")
