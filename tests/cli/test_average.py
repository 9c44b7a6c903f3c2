"""cleverdon eval --average and --risk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Command


def test_another_average(cleverdon: Command, files: Path) -> None:
    done = cleverdon(
        *("eval", "qrels.txt", "good.run", "-m", "R@1", "-m", "SetP", "--average", "micro")
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[2].split() == ["good", "1.0000", "0.5000"]
    assert lines[4] == "3 queries, 4 judgments; average=micro"
    done = cleverdon(
        *("eval", "qrels.txt", "good.run", "-m", "AP", "--average", "min", "-f", "json")
    )
    assert json.loads(done.stdout)["min"] == {"good": {"AP": 0.0}}
    done = cleverdon("eval", "qrels.txt", "good.run", "-m", "GMAP", "-m", "AP", "-f", "csv")
    own = done.stdout.splitlines()[1]
    done = cleverdon(
        *("eval", "qrels.txt", "good.run", "-m", "AP", "-f", "csv", "--average", "geometric")
    )
    assert own.split(",")[1] == done.stdout.splitlines()[1].split(",")[1]


def test_a_measure_without_a_micro_average(cleverdon: Command, files: Path) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "-m", "AP", "--average", "micro")
    assert done.returncode != 0
    assert "AP has no micro-average, since it is no ratio of counts" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_size_of_the_collection(cleverdon: Command, files: Path) -> None:
    asked = ("eval", "qrels.txt", "good.run", "-m", "FPR", "-f", "csv")
    without = cleverdon(*asked)
    assert "FPR: undefined, since it is not known how many documents" in without.stderr
    done = cleverdon(*asked, "--docs", "10")
    assert done.stderr == ""
    assert float(done.stdout.splitlines()[1].split(",")[1]) == (1 / 9 + 1 / 10) / 3
    small = cleverdon(*asked, "--docs", "1")
    assert small.returncode != 0
    assert "docs=1 is less than the 2 documents that are relevant or were returned" in small.stderr


def test_risk(cleverdon: Command, files: Path) -> None:
    asked = ("eval", "qrels.txt", "good.run", "bad.run", "-m", "RR", "--risk", "2", "-f", "csv")
    done = cleverdon(*asked, "--baseline", "good")
    assert done.returncode == 0, done.stderr
    header, good, bad = (line.split(",") for line in done.stdout.splitlines())
    assert good[header.index("urisk")] == "0.0"
    assert (bad[header.index("losses")], bad[header.index("urisk")]) == ("2", "-2.0")
    alone = cleverdon(*asked)
    assert alone.returncode == 2
    assert "--risk goes with --baseline" in alone.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--average", "median", "-q"), "--per-query and --average median do not go"),
        (("--risk", "1", "--baseline", "good", "-q"), "--risk and --per-query do not go together"),
        (
            ("--risk", "1", "--baseline", "good", "--average", "max"),
            "--risk and --average max do not go together",
        ),
    ],
)
def test_nothing_asked_for_is_left_out(
    cleverdon: Command, files: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_infinite_values_have_no_deviation(cleverdon: Command, files: Path) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "-m", "SearchLength", "--average", "std")
    assert done.stderr == ""
    assert "good               -" in done.stdout
