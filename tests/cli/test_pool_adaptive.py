"""Judging one batch after the other, and simulating it, on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon.cli import cleverdon
from cleverdon.data import Judgments, Run
from cleverdon.errors import CleverdonError
from cleverdon.pool.adaptive import Judging, methods
from cleverdon.pool.contributions import gather
from tests.pool.adaptive.made_up import systems

RUNS, GRADES = systems(count=4, topics=3, docs=40, depth=10)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files of runs and judgments, in the folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    for name, run in RUNS.items():
        Run.read(run, name=name).write(f"{name}.run")
    Judgments.read(GRADES).write("qrels.txt")
    return [f"{name}.run" for name in RUNS]


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(cleverdon, ["pool", *arguments])


def given(sheet: str) -> list[tuple[str, str]]:
    header, *lines = Path(sheet).read_text("utf-8").splitlines()
    assert header == "query_id\tdoc_id\tgrade"
    rows = [line.split("\t") for line in lines]
    assert {row[2] for row in rows} <= {""}
    return [(row[0], row[1]) for row in rows]


def fill_in(sheet: str, *, most: int = 1000) -> list[tuple[str, str]]:
    """Grade the first documents of a sheet."""
    rows = given(sheet)
    lines = [
        f"{topic}\t{doc}\t{GRADES[topic][doc]:g}" if at < most else f"{topic}\t{doc}\t"
        for at, (topic, doc) in enumerate(rows)
    ]
    Path(sheet).write_text("\n".join(["query_id\tdoc_id\tgrade", *lines]) + "\n")
    return rows


def test_from_runs_to_qrels_in_batches(runs: list[str]) -> None:
    done = invoked("next", "j.jsonl", *runs, "--method", "hedge", "-n", "7", "-o", "s.tsv")
    assert done.exit_code == 0, done.output
    assert "hedge; 0 of " in done.stderr
    assert "7 given and not judged yet" in done.stderr
    judging = Judging(gather(RUNS), "hedge")
    expected = judging.next(7)
    seen = fill_in("s.tsv")
    assert seen == expected
    while True:
        done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "7", "-o", "s.tsv")
        assert done.exit_code == 2  # the sheet that is read would be overwritten
        done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "7", "-o", "next.tsv")
        assert done.exit_code == 0, done.output
        judging.judge_all((topic, doc, GRADES[topic][doc]) for topic, doc in expected)
        expected = judging.next(7)
        Path("next.tsv").rename("s.tsv")
        assert given("s.tsv") == expected
        if not fill_in("s.tsv"):
            break
    assert "there is nothing more to judge" in done.stderr
    done = invoked("next", "j.jsonl", "-n", "0", "--qrels", "made.txt")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert Judgments.read("made.txt").to_dict() == judging.grades


def test_what_was_not_judged_comes_again(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "6", "-o", "s.tsv")
    rows = fill_in("s.tsv", most=2)
    done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "5", "-o", "t.tsv")
    assert "2 of " in done.stderr
    again = given("t.tsv")
    assert set(rows[2:]) < set(again)
    assert len(again) == 5
    # Once more, without judgments: the same documents, and none is lost.
    invoked("next", "j.jsonl", "-n", "5", "-o", "u.tsv")
    assert set(given("u.tsv")) == set(again)


def test_old_judgments_and_limits(runs: list[str]) -> None:
    Judgments.read({"q0": GRADES["q0"]}).write("old.txt")
    done = invoked("next", "j.jsonl", *runs, "--judged", "old.txt", "--budget", "2", "-n", "99")
    assert done.exit_code == 0, done.output
    topics = [line.split("\t")[0] for line in done.stdout.splitlines()[1:]]
    assert topics == ["q1"] * 2 + ["q2"] * 2
    assert "3 of 3 topics over (all documents given: 1, the budget spent: 2)" in done.stderr
    assert "judged that no run returned" in done.stderr
    done = invoked("next", "j.jsonl", "--budget", "3", "-n", "99")
    assert len(done.stdout.splitlines()) == 7
    assert json.loads(Path("j.jsonl").read_text().splitlines()[-2])["limits"]["budget"] == 3


def test_notes(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "--query", "q1", "-n", "3", "-o", "s.tsv")
    assert {topic for topic, _ in given("s.tsv")} == {"q1"}
    done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "0")
    assert "s.tsv: no document has a grade yet" in done.stderr
    Path("other.txt").write_text("q1 0 unknown 1\n")
    done = invoked("next", "j.jsonl", "--judged", "other.txt", "-n", "0")
    assert "is it of another collection?" in done.stderr
    with open("j.jsonl", "a") as file:
        file.write('{"judged": ["q1"')
    done = invoked("next", "j.jsonl", "-n", "0")
    assert "the last line was cut short" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.jsonl"], "there is no none.jsonl to go on from; to begin, give RUNS"),
        (["j.jsonl", "--seed", "1"], "--seed is only to begin with"),
        (["j.jsonl", "--depth", "1"], "--depth is only to begin with"),
        (["j.jsonl", "--method", "hedge"], "was begun with the method mtf, not hedge"),
        (["j.jsonl", "s0.run"], "began with the runs s0, s1, s2, s3"),
        (["j.jsonl", "-o", "none/s.tsv"], "there is no folder"),
        (["j.jsonl", "-o", "j.jsonl"], "would be overwritten"),
        (["j.jsonl", "--qrels", "x.txt"], "nothing is judged yet"),
        (["new.jsonl", "s0.run", "--method", "best"], "there is no method 'best'"),
        (["new.jsonl", "s0.run", "--query", "q9"], "no system returned anything for topic 'q9'"),
        (["qrels.txt"], "qrels.txt:1: is no journal of judging"),
    ],
)
def test_what_is_refused(runs: list[str], arguments: list[str], message: str) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "2")
    before = Path("j.jsonl").read_bytes()
    done = invoked("next", *arguments)
    assert done.exit_code != 0
    text = done.output if done.exit_code == 2 else str(done.exception)
    if done.exit_code != 2:
        assert isinstance(done.exception, CleverdonError)
    assert message in text
    assert Path("j.jsonl").read_bytes() == before
    assert not Path("new.jsonl").exists()


def test_the_methods_are_listed() -> None:
    done = invoked("next", "--methods")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(methods())


def test_simulate(runs: list[str]) -> None:
    arguments = ["qrels.txt", *runs, "--method", "mtf", "--method", "hedge(beta=0.3)"]
    done = invoked("simulate", *arguments, "--budget", "4", "--budget", "2", "-f", "csv")
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["method"], row["budget"], row["judged"]) for row in rows] == [
        ("mtf", "2", "6"),
        ("hedge(beta=0.3)", "2", "6"),
        ("mtf", "4", "12"),
        ("hedge(beta=0.3)", "4", "12"),
    ]
    text = invoked("simulate", *arguments, "--plot", "y.json")
    assert "recall: of the" in text.stdout
    chart = json.loads(Path("y.json").read_text())
    assert {row["method"] for row in chart["datasets"]["curves"]} == {"mtf", "hedge(beta=0.3)"}
    whole = json.loads(invoked("simulate", *arguments, "-f", "json").stdout)
    curve = whole["methods"][0]["found"]
    ends = [row for row in chart["datasets"]["curves"] if row["method"] == "mtf"]
    assert ends[-1]["relevant"] == curve[-1] == whole["methods"][0]["stops"][-1]["relevant"]
    assert ends[0] == {"method": "mtf", "judged": 0, "relevant": 0}


def test_a_plot_that_cannot_be_saved_is_refused_at_once(runs: list[str]) -> None:
    done = invoked("simulate", "qrels.txt", *runs, "--plot", "y.gif")
    assert "cannot be saved as '.gif'" in str(done.exception)
