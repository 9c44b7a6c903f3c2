"""Judging one batch after the other, and simulating it, on the command line."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon.cli import cleverdon
from cleverdon.data import Judgments, Run
from cleverdon.errors import CleverdonError
from cleverdon.pooling.adaptive.judging import AdaptiveJudging
from cleverdon.pooling.adaptive.methods import known_methods
from cleverdon.pooling.choices import BUDGETS
from cleverdon.pooling.contributions import gather
from tests.pooling.adaptive.made_up import systems

RUNS, GRADES = systems(count=4, queries=3, docs=40, depth=10)


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
        f"{query}\t{doc}\t{GRADES[query][doc]:g}" if at < most else f"{query}\t{doc}\t"
        for at, (query, doc) in enumerate(rows)
    ]
    Path(sheet).write_text("\n".join(["query_id\tdoc_id\tgrade", *lines]) + "\n")
    return rows


def test_from_runs_to_qrels_in_batches(runs: list[str]) -> None:
    done = invoked("next", "j.jsonl", *runs, "--method", "hedge", "-n", "25", "-o", "s.tsv")
    assert done.exit_code == 0, done.output
    assert "hedge; 0 of " in done.stderr
    assert "25 given and not judged yet" in done.stderr
    judging = AdaptiveJudging(gather(RUNS), "hedge")
    expected = judging.next(25)
    seen = fill_in("s.tsv")
    assert seen == expected
    done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "25", "-o", "s.tsv")
    assert done.exit_code == 2  # the sheet that is read would be overwritten
    while True:
        done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "25", "-o", "next.tsv")
        assert done.exit_code == 0, done.output
        judging.judge_all((query, doc, GRADES[query][doc]) for query, doc in expected)
        expected = judging.next(25)
        Path("next.tsv").rename("s.tsv")
        assert given("s.tsv") == expected
        if not fill_in("s.tsv"):
            break
    assert "there is nothing more to judge" in done.stderr
    done = invoked("next", "j.jsonl", "-n", "0", "--write-qrels", "made.txt")
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
    queries = [line.split("\t")[0] for line in done.stdout.splitlines()[1:]]
    assert queries == ["q1"] * 2 + ["q2"] * 2
    assert "3 of 3 queries over (all documents given: 1, the budget spent: 2)" in done.stderr
    assert "judged that no run returned" in done.stderr
    done = invoked("next", "j.jsonl", "--budget", "3", "-n", "99")
    assert len(done.stdout.splitlines()) == 7
    assert json.loads(Path("j.jsonl").read_text().splitlines()[-2])["limits"]["budget"] == 3


def test_notes(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "--query", "q1", "-n", "3", "-o", "s.tsv")
    assert {query for query, _ in given("s.tsv")} == {"q1"}
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
        (["none.jsonl", "--write-qrels", "x.txt"], "there is no none.jsonl to go on from"),
        (["j.jsonl", "--seed", "1"], "began with seed=0: seed can only be chosen at the beginning"),
        (["j.jsonl", "--depth", "1"], "began without depth: depth can only be chosen"),
        (["j.jsonl", "--rel", "2"], "began with rel=1"),
        (["j.jsonl", "--query", "q1"], "began without queries"),
        (["j.jsonl", "--order-by", "rank"], "began with order_by=score"),
        (["j.jsonl", "-o", "s0.run"], "s0.run is read, and would be overwritten"),
        (["j.jsonl", "-o", "qrels.txt"], "qrels.txt: exists, and is not a sheet without grades"),
        (["j.jsonl", "--write-qrels", "s0.run"], "s0.run is read, and would be overwritten"),
        (["j.jsonl", "--write-qrels", "j.jsonl"], "j.jsonl is read, and would be overwritten"),
        (["j.jsonl", "-o", "x", "--write-qrels", "x"], "x would be written twice"),
        (["j.jsonl", "--write-qrels", "-"], "- would be written twice"),
        (["j.jsonl", "-n", str(10**20)], "is not in the range"),
        (["j.jsonl", "--budget", str(10**20)], "is not in the range"),
        (["new.jsonl", "s0.run", "-k", str(10**20)], "is not in the range"),
        (["new.jsonl", "-"], "standard input cannot be read again: judging goes on"),
        (["new.jsonl", "a=-"], "standard input cannot be read again: judging goes on"),
        (["new.jsonl", "tab.json"], "the id 'd\\t1' is empty, or holds a tab"),
        (["j.jsonl", "--method", "hedge"], "was begun with the method mtf, not hedge"),
        (["j.jsonl", "s0.run"], "began with the runs s0, s1, s2, s3"),
        (["j.jsonl", "-o", "none/s.tsv"], "there is no folder"),
        (["j.jsonl", "-o", "j.jsonl"], "would be overwritten"),
        (["j.jsonl", "--write-qrels", "x.txt"], "nothing is judged yet"),
        (["new.jsonl", "s0.run", "-n", "0", "--write-qrels", "x.txt"], "nothing is judged yet"),
        (["new.jsonl", "s0.run", "-o", "s.tsv", "--write-qrels", "x.txt"], "nothing is judged yet"),
        (["new.jsonl", "s0.run", "--method", "best"], "there is no method 'best'"),
        (["new.jsonl", "s0.run", "--query", "q9"], "no system returned anything for query 'q9'"),
        (["qrels.txt"], "qrels.txt:1: is not a journal of judging"),
    ],
)
def test_what_is_refused(runs: list[str], arguments: list[str], message: str) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "2")
    Path("tab.json").write_text(json.dumps({"q1": {"d0": 2, "d\t1": 1}}))
    files = [*map(Path, runs), Path("j.jsonl"), Path("qrels.txt")]
    before = [file.read_bytes() for file in files]
    done = invoked("next", *arguments)
    assert done.exit_code != 0
    text = done.output if done.exit_code == 2 else str(done.exception)
    if done.exit_code != 2:
        assert isinstance(done.exception, CleverdonError)
    assert message in text
    assert [file.read_bytes() for file in files] == before
    assert not Path("new.jsonl").exists()


@pytest.mark.parametrize(
    "how", [["--seed", "3"], ["-k", "5", "--rel", "2"], ["--query", "q2", "--query", "q1"]]
)
def test_the_first_command_may_be_run_again(runs: list[str], how: list[str]) -> None:
    """As one does who was interrupted; and what was not judged comes again."""
    command = ["next", "j.jsonl", *runs, "--method", "hedge", *how, "-n", "4", "-o", "s.tsv"]
    assert invoked(*command).exit_code == 0
    rows = given("s.tsv")
    done = invoked(*command)
    assert done.exit_code == 0, done.output
    assert sorted(given("s.tsv")) == sorted(rows)
    assert "4 given and not judged yet" in done.stderr


def test_a_sheet_that_is_filled_in_is_not_overwritten(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "3", "-o", "s.tsv")
    fill_in("s.tsv", most=2)
    before = Path("s.tsv").read_bytes(), Path("j.jsonl").read_bytes()
    done = invoked("next", "j.jsonl", "-n", "6", "-o", "s.tsv")
    assert "s.tsv: has 2 grades, which a new sheet would overwrite" in str(done.exception)
    # Nothing was given that nobody has seen.
    assert (Path("s.tsv").read_bytes(), Path("j.jsonl").read_bytes()) == before


def test_judgments_are_got_out_without_the_runs(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "5", "-o", "s.tsv")
    rows = fill_in("s.tsv")
    invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "0")
    Path("s0.run").unlink()
    Path("s1.run").write_text("q0 Q0 d1 1 1.0 other\n")
    with open("j.jsonl", "a") as file:
        file.write("damaged\n")
    done = invoked("next", "j.jsonl", "-n", "0", "--write-qrels", "out.txt")
    assert done.exit_code == 0, done.output
    assert "out.txt: 5 judgments of 3 queries" in done.stderr
    assert "j.jsonl:8: the line is damaged, and left out" in done.stderr
    found = Judgments.read("out.txt").to_dict()
    assert {(query, doc) for query, docs in found.items() for doc in docs} == set(rows)
    # What the error says is to be done, done: another journal, with the judgments so far.
    done = invoked("next", "j.jsonl", "-n", "0")
    assert "cleverdon pool next NEW.jsonl RUNS --judged j.jsonl" in str(done.exception)
    done = invoked("next", "NEW.jsonl", *runs[2:], "--judged", "j.jsonl", "-n", "0")
    assert done.exit_code == 0, done.output
    assert "j.jsonl:8: the line is damaged" in done.stderr
    done = invoked("next", "NEW.jsonl", "-n", "0", "--write-qrels", "again.txt")
    assert Judgments.read("again.txt").to_dict() == found
    # Other commands that take sheets take a journal, as long as all of it can be read.
    invoked("make", *runs[2:], "-k", "10", "-o", "pool.tsv")
    done = invoked("qrels", "pool.tsv", "NEW.jsonl", "-o", "pool.txt")
    assert done.exit_code == 0, done.output
    pooled = Judgments.read("pool.txt").to_dict()
    assert (
        found.items()
        <= {
            query: {doc: grade for doc, grade in docs.items() if grade >= 0}
            for query, docs in pooled.items()
        }.items()
    )
    done = invoked("qrels", "pool.tsv", "j.jsonl", "-o", "pool.txt")
    assert "`cleverdon pool next j.jsonl -n 0 --write-qrels FILE`" in str(done.exception)


def test_judgments_that_are_in_a_file_alone_are_not_overwritten(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "2", "-o", "s.tsv")
    fill_in("s.tsv")
    before = Path("qrels.txt").read_bytes()
    done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "0", "--write-qrels", "qrels.txt")
    assert "qrels.txt: has 118 judgments that the journal has not" in str(done.exception)
    assert Path("qrels.txt").read_bytes() == before
    invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "0")
    for _ in range(2):  # what it wrote itself it may write again
        done = invoked("next", "j.jsonl", "-n", "0", "--write-qrels", "out.txt")
        assert done.exit_code == 0, done.output
    Path("notes.txt").write_text("what I think")
    done = invoked("next", "j.jsonl", "-n", "0", "--write-qrels", "notes.txt")
    assert "notes.txt: exists, and contains something other than judgments" in str(done.exception)


def test_grades_that_were_changed_by_hand_are_not_overwritten(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "2", "-o", "s.tsv")
    (query, doc), _ = fill_in("s.tsv")
    invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "0", "--write-qrels", "out.txt")
    made = Path("out.txt").read_text()
    old = f"{query} 0 {doc} {GRADES[query][doc]:g}"
    changed = made.replace(old, f"{query} 0 {doc} 7")
    assert changed != made
    Path("out.txt").write_text(changed)
    Path("t.tsv").write_text(f"query_id\tdoc_id\tgrade\n{query}\t{doc}\t0.1\n")
    before = Path("j.jsonl").read_bytes()
    for more in ([], ["--judged", "t.tsv"]):
        done = invoked("next", "j.jsonl", *more, "-n", "0", "--write-qrels", "out.txt")
        assert "out.txt: has 1 judgment that the journal has not, or with" in str(done.exception)
        assert Path("out.txt").read_text() == changed
        assert Path("j.jsonl").read_bytes() == before
    # What the journal had before another grade came is kept there, and may be written over.
    Path("out.txt").write_text(made)
    for more in (["--judged", "t.tsv"], []):
        done = invoked("next", "j.jsonl", *more, "-n", "0", "--write-qrels", "out.txt")
        assert done.exit_code == 0, done.output
        assert f"{query} 0 {doc} 0.1\n" in Path("out.txt").read_text()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_qrels_are_not_written_over_sheets_or_journals(runs: list[str], encoding: str) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "2", "-o", "s.tsv")
    Path("blank.tsv").write_bytes(Path("s.tsv").read_bytes())
    fill_in("s.tsv")
    invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "0")
    Path("copy.jsonl").write_bytes(Path("j.jsonl").read_bytes())
    for name in ("s.tsv", "blank.tsv"):
        Path(name).write_text(Path(name).read_text("utf-8"), encoding=encoding)
    for name, what in (("s.tsv", "judges' sheet"), ("blank.tsv", "judges' sheet"),
                       ("copy.jsonl", "journal")):  # fmt: skip
        before = Path(name).read_bytes()
        done = invoked("next", "j.jsonl", "-n", "0", "--write-qrels", name)
        assert f"{name}: is a {what}, which qrels would overwrite" in str(done.exception)
        assert Path(name).read_bytes() == before
    for _ in range(2):  # qrels with a header are no sheet
        assert invoked("next", "j.jsonl", "-n", "0", "--write-qrels", "out.tsv").exit_code == 0


def test_judgments_of_other_queries_are_refused(runs: list[str]) -> None:
    Path("other.txt").write_text("z1 0 d1 1\nz2 0 d2 -1\n")
    message = "other.txt: no run has any of its queries, such as 'z1' (the runs have such as 'q0')"
    done = invoked("next", "j.jsonl", *runs, "--judged", "other.txt", "-n", "0")
    assert message in str(done.exception)
    assert not Path("j.jsonl").exists()
    invoked("next", "j.jsonl", *runs, "-n", "2", "-o", "s.tsv")
    before = Path("j.jsonl").read_bytes()
    fill_in("s.tsv")
    both = ["--judged", "s.tsv", "--judged", "other.txt"]
    done = invoked("next", "j.jsonl", *both, "--budget", "9", "-n", "0")
    assert message in str(done.exception)
    assert Path("j.jsonl").read_bytes() == before
    with open("other.txt", "a") as file:  # more than the runs have is no matter
        file.write("q1 0 d1 1\n")
    assert invoked("next", "j.jsonl", *both, "-n", "0").exit_code == 0


def test_what_is_to_be_done_names_the_sheets_as_well(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "2", "-o", "my sheet.tsv")
    fill_in("my sheet.tsv")
    Path("s1.run").write_text("q0 Q0 d1 1 1.0 other\n")
    done = invoked("next", "j.jsonl", "--judged", "my sheet.tsv", "-n", "0")
    assert str(done.exception).startswith("j.jsonl:1: the run 's1' is not what it was")
    advice = "cleverdon pool next NEW.jsonl RUNS --judged j.jsonl --judged 'my sheet.tsv'"
    assert str(done.exception).endswith(advice)


def test_changed_grades_are_said(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "4", "-o", "s.tsv")
    rows = fill_in("s.tsv")
    done = invoked("next", "j.jsonl", "--judged", "s.tsv", "-n", "0")
    assert "changed" not in done.stderr
    header = "query_id\tdoc_id\tgrade\n"
    lines = [f"{query}\t{doc}\t{GRADES[query][doc] + 1:g}\n" for query, doc in rows[:3]]
    Path("t.tsv").write_text(header + "".join(lines))
    before = Path("j.jsonl").read_bytes()
    done = invoked("next", "j.jsonl", "--judged", "s.tsv", "--judged", "t.tsv", "-n", "0")
    assert "`cleverdon agree` makes one grade" in str(done.exception)
    assert Path("j.jsonl").read_bytes() == before
    # Pooled and not judged is no grade, and changes none.
    Path("u.txt").write_text(f"{rows[3][0]} 0 {rows[3][1]} -1\n")
    done = invoked("next", "j.jsonl", "--judged", "t.tsv", "--judged", "u.txt", "-n", "0")
    assert "j.jsonl: 3 grades changed since they were judged before\n" in done.stderr
    assert "4 of " in done.stderr
    Path("t.tsv").write_text(f"{header}{rows[0][0]}\t{rows[0][1]}\t-1\n")
    done = invoked("next", "j.jsonl", "--judged", "t.tsv", "-n", "0")
    assert "t.tsv:2: the grade -1" in str(done.exception)


def test_patience_does_not_end_what_never_began(runs: list[str]) -> None:
    docs = gather(RUNS).of("q0").docs[:6]
    Path("old.txt").write_text("".join(f"q0 0 {doc} 0\n" for doc in docs))
    done = invoked("next", "j.jsonl", *runs, "--judged", "old.txt", "--patience", "3", "-n", "3")
    assert [line[:2] for line in done.stdout.splitlines()[1:]] == ["q0", "q1", "q2"]


def test_the_limit_that_ends_it_is_named(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "--total", "3", "-o", "s.tsv")
    fill_in("s.tsv")
    done = invoked("next", "j.jsonl", "--judged", "s.tsv")
    assert "3 given in all, the limit" in done.stderr
    assert "nothing more is given, by --total 3: to go on, give a larger number" in done.stderr


def test_the_methods_are_listed() -> None:
    done = invoked("next", "--methods")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(known_methods())


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


def test_simulate_by_another_grade(runs: list[str]) -> None:
    done = invoked("simulate", "qrels.txt", *runs, "--rel", "0.5", "--method", "mtf")
    assert "of the order of runs by AP(rel=0.5) and" in done.stdout


def test_simulate_help_says_what_holds(runs: list[str]) -> None:
    done = invoked("simulate", "--help-all")
    assert f"[default: {', '.join(map(str, BUDGETS))}]" in " ".join(done.stdout.split())
    done = invoked("simulate", "qrels.txt", *runs, "--budget", str(10**20))
    assert done.exit_code == 2
    assert "is not in the range" in done.output


def test_help_is_there_before_numpy_is(runs: list[str]) -> None:
    script = (
        "import sys\n"
        "from cleverdon.cli import cleverdon\n"
        "for name in ('simulate', 'next'):\n"
        "    cleverdon(['pool', name, '--help'], standalone_mode=False)\n"
        "sys.exit('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done


def test_a_plot_that_cannot_be_saved_is_refused_at_once(runs: list[str]) -> None:
    done = invoked("simulate", "qrels.txt", *runs, "--plot", "y.gif")
    assert "cannot be saved as '.gif'" in str(done.exception)


def test_a_journal_that_is_cut_within_its_first_line(runs: list[str]) -> None:
    invoked("next", "j.jsonl", *runs, "-n", "2", "-o", "s.tsv")
    first = Path("j.jsonl").read_bytes().partition(b"\n")[0]
    for end in (40, len(first)):
        Path("cut.jsonl").write_bytes(first[:end])
        for arguments in (("next", "cut.jsonl"), ("next", "j.jsonl", "--judged", "cut.jsonl")):
            done = invoked(*arguments)
            assert isinstance(done.exception, CleverdonError)
            told = str(done.exception)
            assert told.startswith(
                "cut.jsonl:1: the journal is cut within its first line, and holds"
            )
        assert Path("cut.jsonl").read_bytes() == first[:end]
        done = invoked("next", "cut.jsonl", *runs, "-n", "2", "-o", f"s{end}.tsv")
        assert done.exit_code == 0
        assert "note: cut.jsonl: it was cut within its first line, and begins anew" in done.stderr
    Path("notes.txt").write_text("not a journal")
    assert "notes.txt is not a journal to go on from" in invoked("next", "notes.txt").stderr
    assert Path("notes.txt").read_text() == "not a journal"
