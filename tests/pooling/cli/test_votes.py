"""Votes on the command line."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from cleverdon import evaluate
from cleverdon.cli import cleverdon
from cleverdon.errors import CleverdonError
from cleverdon.pooling.choices import VOTING_METHODS
from cleverdon.pooling.cli import votes
from cleverdon.pooling.votes import _compare_votes, _count_votes
from cleverdon.stats.resampling import FEWER_RESAMPLES

RUNS = [f"s{number}.run" for number in range(5)]

Command = Callable[..., Result]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Five systems that see relevance through more and more noise."""
    random = Random(11)
    lines = []
    runs: list[list[str]] = [[] for _ in RUNS]
    for query in range(8):
        grades = [int(doc < 6) for doc in range(60)]
        lines += [f"q{query} 0 d{doc:02} {grade}" for doc, grade in enumerate(grades)]
        for system, of_run in enumerate(runs):
            seen = {doc: g + (system + 0.5) * random.gauss(0, 0.5) for doc, g in enumerate(grades)}
            best = sorted(seen, key=lambda doc: -seen[doc])[:30]
            of_run += [f"q{query} Q0 d{doc:02} 0 {seen[doc]} s" for doc in best]
    (tmp_path / "qrels.txt").write_text("\n".join(lines) + "\n")
    for name, of_run in zip(RUNS, runs, strict=True):
        (tmp_path / name).write_text("\n".join(of_run) + "\n")
    return tmp_path


@pytest.fixture
def run(collection: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Calls the command in the collection's folder."""
    monkeypatch.chdir(collection)
    return lambda *arguments: CliRunner().invoke(cleverdon, ["pool", "votes", *arguments])


def test_orders_beside_the_judged_one(run: Command, collection: Path) -> None:
    arguments = (*RUNS, "--qrels", "qrels.txt", "-k", "10", "--trials", "5")
    found = json.loads(run(*arguments, "-f", "json").stdout)
    assert [one["method"] for one in found] == list(VOTING_METHODS)
    runs = {Path(run).stem: str(collection / run) for run in RUNS}
    wanted = _compare_votes(
        [_count_votes(runs, way, depth=10, trials=5) for way in VOTING_METHODS],
        evaluate(str(collection / "qrels.txt"), runs, "AP"),
    )
    for one, other in zip(found, wanted, strict=True):
        assert one["agreement"]["kendall"]["value"] == pytest.approx(other.agreement.kendall.value)
        ends = other.agreement.tau_ap.interval
        assert one["agreement"]["tau_ap"]["interval"] == pytest.approx([ends.low, ends.high])
        for system, score in other.votes.scores.items():
            assert one["systems"][system]["votes"] == pytest.approx(score)
        assert one["judged"]["s0"] == {"value": pytest.approx(other.judged["s0"]), "rank": 1}
        assert len(one["systems"]["s0"]["queries"]) == 8
    table = run(*arguments).stdout
    assert "tau-AP" in table
    assert "misplaces most" in table
    assert "8 queries" in table


def test_order_without_judgments(run: Command, collection: Path) -> None:
    arguments = (*RUNS, "--method", "soboroff", "--trials", "4", "-k", "10")
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "-f", "csv").stdout)))
    assert sorted(row["system"] for row in rows) == ["s0", "s1", "s2", "s3", "s4"]
    values = [float(row["votes"]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert all(float(row["deviation"]) > 0 for row in rows)
    again = run(*arguments, "-f", "csv", "--seed", "1").stdout
    assert again != run(*arguments, "-f", "csv").stdout
    table = run(*arguments).stdout
    assert table.splitlines()[0].split() == ["system", "votes", "rank", "by", "votes"]
    assert "(4 trials)" in table


def test_the_default_of_resamples_is_that_of_the_library() -> None:
    defaults = {option.name: option.default for option in votes.votes_command.params}
    assert defaults["resamples"] == FEWER_RESAMPLES


def test_help_loads_no_library() -> None:
    """So it comes at once."""
    code = (
        "import sys, cleverdon.pooling.cli.votes, cleverdon.pooling.cli.expand, "
        "cleverdon.pooling.cli.pools, cleverdon.pooling.cli.adaptive, "
        "cleverdon.pooling.recall.cli; "
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_method_said_twice_counts_once(run: Command) -> None:
    twice = ("--method", "references", "--method", "soboroff", "--method", "references")
    found = json.loads(run(*RUNS, *twice, "-k", "10", "--trials", "2", "-f", "json").stdout)
    assert [one["method"] for one in found] == ["references", "soboroff"]


def test_runs_of_other_topics(run: Command, collection: Path) -> None:
    assert run(*RUNS).stderr == ""
    text = (collection / "s1.run").read_text()
    (collection / "far.run").write_text(text.replace("q", "z"))
    done = run("s0.run", "far.run")
    assert "no two runs have a query in common" in str(done.exception)
    (collection / "near.run").write_text(text.replace("q1", "z1"))
    done = run("s0.run", "near.run")
    assert done.exit_code == 0
    assert "warning: 7 of 9 queries with results of all 2 systems, 2 of one alone" in done.stderr


def test_a_run_with_other_ids_is_told(run: Command, collection: Path) -> None:
    text = (collection / "s1.run").read_text()
    (collection / "far.run").write_text(text.replace(" d", " doc-"))
    told = run("s0.run", "s2.run", "far.run").stderr
    warning = "warning: far returned no document that another run has; are its ids the same?\n"
    assert told == f"cleverdon: {warning}"


def test_two_systems_can_hardly_vote(run: Command) -> None:
    assert "note: two systems can hardly vote" in run("s0.run", "s1.run").stderr
    assert "note" not in run("s0.run", "s1.run", "s2.run").stderr


def test_how_judgments_are_read(run: Command, collection: Path) -> None:
    lines = (collection / "qrels.txt").read_text().splitlines()
    twice = [line.replace(" 0 ", f" {subtopic} ", 1) for line in lines for subtopic in "ab"]
    (collection / "twice.txt").write_text("\n".join(twice) + "\n")
    arguments = ("--method", "references", "-k", "10", "-f", "csv", "--qrels")
    done = run(*RUNS, *arguments, "twice.txt", "--qrels-format", "subtopics")
    assert done.stdout == run(*RUNS, *arguments, "qrels.txt").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["s0.run", "s1.run", "-k", str(10**20)], "not in the range"),
        (["s0.run", "s1.run", "--trials", str(10**20)], "not in the range"),
        (["s0.run", "s1.run", "--resamples", str(10**20)], "not in the range"),
        (["s0.run"], "give at least two RUNS"),
        (["s0.run", "-", "--qrels", "qrels.txt"], "standard input"),
        (["s0.run", "s1.run", "--method", "soborof"], "'soborof' is not one of"),
        (["s0.run", "s1.run", "-m", "Judged@10"], "take one such as AP"),
        (["s0.run", "none.run"], "none.run"),
    ],
)
def test_errors(run: Command, collection: Path, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert isinstance(done.exception, (CleverdonError, SystemExit)), done.exception
    assert message in f"{done.stderr} {done.exception}"
