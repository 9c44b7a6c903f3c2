"""Power on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Command

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"
FILES = tuple(str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def test_of_runs(cleverdon: Command) -> None:
    done = cleverdon("power", *FILES, "--baseline", "bm25", "-m", "AP", "--difference", "0.2")
    assert done.returncode == 0
    header, _, row = done.stdout.splitlines()[:3]
    assert header.split()[:4] == ["system", "baseline", "measure", "queries"]
    # Four queries can show nothing at all by a randomisation test: p is 1/8 at best.
    assert row.split()[:8] == ["dense", "bm25", "AP", "4", "0.2000", "0.4612", "0%", "none"]
    assert "restates its p-value" not in done.stdout
    seen = cleverdon("power", *FILES, "--baseline", "bm25", "-m", "AP")
    assert "restates its p-value" in seen.stdout


def test_what_power_means_goes_where_the_table_goes(cleverdon: Command) -> None:
    for format in ("markdown", "latex"):
        done = cleverdon("power", *FILES, "--baseline", "bm25", "-m", "AP", "-f", format)
        assert "power: the chance of a significant difference, p " in done.stdout
        assert "for a difference that was seen, power restates its p-value" in done.stdout
        assert "--difference" not in done.stdout  # a hint for whoever sits at the screen


def test_json_has_all_digits_and_no_infinity(cleverdon: Command) -> None:
    done = cleverdon("power", *FILES, "-m", "AP", "-m", "P@5", "-f", "json", "--test", "t")
    first, second = json.loads(done.stdout)
    assert (first["system"], first["baseline"], first["measure"]) == ("dense", "bm25", "AP")
    assert (first["level"], first["method"], first["queries"]) == (0.05, "t", 4)
    assert 0 < first["power"] < 0.1
    assert second["measure"] == "P@5"
    done = cleverdon("power", *FILES, "-m", "AP", "-f", "json")
    assert json.loads(done.stdout)[0]["smallest"] is None


def test_csv(cleverdon: Command) -> None:
    done = cleverdon("power", *FILES, "-m", "AP", "-f", "csv", "--method", "t")
    header, row = done.stdout.splitlines()[:2]
    assert header.split(",")[-1] == "queries needed"
    assert row.startswith("dense,bm25,AP,4,0.09")


def test_without_files(cleverdon: Command) -> None:
    done = cleverdon("power", "--difference", "0.5", "--deviation", "1")
    first, second = done.stdout.splitlines()
    assert first.startswith("34 queries: a paired t-test at 0.05 finds a difference of 0.5")
    assert second.startswith("18 queries: the 95% interval")
    done = cleverdon("power", "--difference", "0.5", "--deviation", "1", "--system-count", "3")
    assert done.stdout.startswith("79 queries: one-way analysis of variance")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "QRELS and RUNS, or --difference and --deviation"),
        (("--difference", "0.1"), "QRELS and RUNS, or --difference and --deviation"),
        (("--difference", "-1", "--deviation", "1"), "-1"),
        (("--difference", "0.1", "--deviation", "1", "--target", "0.04"), "power=0.04"),
        ((FILES[0],), "at least two runs"),
        (FILES[:2], "only one system"),
        ((*FILES, "--deviation", "1"), "for use without files"),
        ((*FILES, "--test", "bootstrap", "-m", "AP"), "no resampling for test='bootstrap'"),
        ((*FILES, "--baseline", "bm52"), "did you mean 'bm25'"),
    ],
)
def test_errors_are_one_line(cleverdon: Command, arguments: tuple[str, ...], message: str) -> None:
    done = cleverdon("power", *arguments)
    assert done.returncode != 0
    errors = [line for line in done.stderr.splitlines() if "warning" not in line]
    assert len(errors) == 1
    assert message in errors[0]


def test_a_sentence_has_no_format(cleverdon: Command) -> None:
    done = cleverdon("power", "--difference", "0.1", "--deviation", "0.2", "-f", "json")
    assert done.returncode == 2
    assert "the answer is a sentence" in done.stderr


@pytest.mark.parametrize("command", ["compare", "claim", "power"])
def test_a_seed_is_no_negative_number(cleverdon: Command, command: str) -> None:
    done = cleverdon(command, *FILES, "--seed", "-1")
    assert done.returncode == 2
    assert "-1 is not in the range 0<=x" in done.stderr
