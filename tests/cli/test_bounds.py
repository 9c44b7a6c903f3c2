"""Bounds and flips on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Command

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FILES = tuple(str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def test_json_has_the_bounds(cleverdon: Command) -> None:
    found = json.loads(cleverdon("eval", *FILES, "-m", "P@1", "--bounds", "-f", "json").stdout)
    assert found["bounds"]["dense"]["P@1"]["means"] == [0.75, 1.0]
    assert len(found["bounds"]["bm25"]["P@1"]["lowest"]) == 4


def test_the_rest_widens_them(cleverdon: Command) -> None:
    plain, wider = (
        json.loads(cleverdon("eval", *FILES, "-m", "AP", "--bounds", *more, "-f", "json").stdout)
        for more in ((), ("--rest", "--docs", "100"))
    )
    (low, high), (lower, higher) = (d["bounds"]["bm25"]["AP"]["means"] for d in (plain, wider))
    # Documents that were judged and not returned turn up at last, be it at the very end.
    assert low < lower < higher
    assert high < higher


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rest",), "--rest goes with --bounds"),
        (("--bounds", "--rest"), "--rest needs --docs N, or docs=N in the ranking"),
        (("--bounds", "--average", "median"), "do not go together: the bounds are those of means"),
        (("--bounds", "-m", "Judged@5"), "Judged@5 has no bounds"),
    ],
)
def test_what_does_not_fit(cleverdon: Command, arguments: tuple[str, ...], message: str) -> None:
    done = cleverdon("eval", *FILES, *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_flip_reads_standard_input_once(cleverdon: Command) -> None:
    qrels, first, second = FILES
    measures = ("-m", "P@1", "-m", "AP")
    done = cleverdon("flip", qrels, "-", second, *measures, stdin=Path(first).read_text())
    assert done.stderr == ""
    assert done.stdout.replace("stdin", "bm25") == cleverdon("flip", *FILES, *measures).stdout
    done = cleverdon("flip", qrels, "-", "-")
    assert "only one of QRELS, RUN_A and RUN_B can be standard input" in done.stderr


def test_flip_of_what_needs_the_size_of_the_collection(cleverdon: Command) -> None:
    done = cleverdon("flip", *FILES, "-m", "FPR")
    assert "FPR is undefined, since it is not known how many documents" in done.stderr
    assert "could flip" not in done.stdout
    assert "FPR: bm25 0.0" in cleverdon("flip", *FILES, "-m", "FPR", "--docs", "1000").stdout


def test_flip_by_several_measures(cleverdon: Command) -> None:
    done = cleverdon("flip", *FILES, "-m", "P@1", "-m", "AP", "--depth", "3", "--grade", "1")
    first, second = done.stdout.split("\n\n")
    assert first.startswith("P@1: bm25 0.7500, dense 0.7500")
    assert "this is a bound" in second
