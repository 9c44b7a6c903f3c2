"""Typed rankings: the notation, and every place that takes it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cleverdon
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.typed import looks_typed, read_typed
from cleverdon.measures.notation import parse
from cleverdon.measures.worked import ranking
from tests.commands import Command

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def mean(text: object, measure: str, system: str = "run", **how: object) -> float:
    return cleverdon.evaluate(text, measures=[measure], **how).mean(system, measure)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "measure", "value"),
    [
        ("R R N N R N | R R", "P@5", 3 / 5),
        ("R R N N R N | R R", "AP", (1 + 1 + 3 / 5) / 5),
        ("r r n n r n | r r", "AP", (1 + 1 + 3 / 5) / 5),
        ("1 0 1 1 | 1", "AP", (1 + 2 / 3 + 3 / 4) / 4),
        ("1011 | 1", "AP", (1 + 2 / 3 + 3 / 4) / 4),
        ("RNRR|R", "AP", (1 + 2 / 3 + 3 / 4) / 4),
        ("RN RR | R", "AP", (1 + 2 / 3 + 3 / 4) / 4),
        ("R-RR | R", "AP", (1 + 2 / 3 + 3 / 4) / 4),
        ("01 10", "AP", (1 / 2 + 2 / 3) / 2),
        ("1 0; 0 1", "AP", (1 + 1 / 2) / 2),
        ("1 0; 0 1;", "AP", (1 + 1 / 2) / 2),
        ("1 0; | 1", "AP", 1 / 2),
        ("10 5 0", "CG@3", 15),
        ("10.0 0", "CG@2", 10),
        ("R N docs=11", "Fallout", 1 / 10),
        ("docs=11 R N", "Fallout", 1 / 10),
        ("2 0 max=3", "ERR@1", (2**2 - 1) / 2**3),
        ("(N R) N", "RR", 1 / 2),
    ],
)
def test_values(text: str, measure: str, value: float) -> None:
    assert mean(text, measure) == pytest.approx(value)


TOKENS = st.lists(st.sampled_from(["0", "1", "2", "3", "-"]), min_size=1, max_size=12)


@given(TOKENS, st.lists(st.sampled_from(["0", "1", "2", "3"]), min_size=1, max_size=4))
def test_values_are_those_of_worked_examples(returned: list[str], missed: list[str]) -> None:
    text = f"{' '.join(returned)} | {' '.join(missed)}"
    scores = cleverdon.evaluate(text, measures=["AP", "nDCG@5", "bpref", "RBP", "R@3"])
    for measure in scores.measures:
        (expected,) = parse(str(measure))(ranking(text))
        (value,) = scores.values[0, scores.measures.index(measure)]
        assert value == pytest.approx(expected, nan_ok=True)


def test_systems_share_documents() -> None:
    found = read_typed({"A": "2 1 0 -", "B": "- 1 0 0 | 2"})
    assert found.judgments.to_dict() == {"q1": {"d1": 2, "d2": 1, "d3": 0, "d6": 0}}
    assert [doc for doc, _ in found.runs["B"].ranking("q1")] == ["d5", "d2", "d3", "d6"]


def test_names() -> None:
    assert [*read_typed("1 0").runs] == ["run"]
    assert [*read_typed("bm25=1 0").runs] == ["bm25"]
    assert [*read_typed(["1 0", "B=0 1"]).runs] == ["run 1", "B"]


def test_tied_results_stand_as_typed_unless_asked_otherwise() -> None:
    assert mean("(0 0 1)", "RR") == pytest.approx(1 / 3)
    assert mean("(0 0 1)", "RR", ties="best") == 1
    assert mean("(0 0 1)", "RR", ties="expected") == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert mean("(0 0 1)", "RR", profile="trec_eval-9") == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R R X", "typed ranking, position 5: 'X' is none of R or N, a grade"),
        ("1 0; 1 -1", "typed ranking, position 8: '-1' is none of"),
        ("10", "position 1: '10' is either 2 results or one grade; write '1 0' or '10.0'"),
        ("1 0 110", "position 5: '110' is either 3 results or one grade; write '1 1 0' or '110.0'"),
        ("2 0101", "position 3: '0101' is either 4 results or one grade"),
        ("R 1", "position 3: write letters (R, N) or grades (1, 0), not both"),
        ("R N, R", "position 3: 'N,' has a comma; separate results by blanks"),
        ("1,0,1", "position 1: '1,0,1' has a comma; separate results by blanks"),
        ("R (N R", "position 3: this bracket is not closed"),
        ("R N) R", "position 4: this bracket was not opened"),
        ("R ((N R))", "position 4: brackets hold results with equal scores"),
        ("R | R | R", "position 7: there is one | already; a ; separates queries"),
        ("R | -", "position 5: after | stand judged documents"),
        ("R;;N", "position 3: a query is missing here"),
        ("- -", "no result of q1 is judged"),
        ("R docs=many", "position 3: 'docs=many': the number of documents in the collection"),
        ("R docs=0", "position 3: 'docs=0': the number of documents in the collection"),
        ("R docs=5; N R docs=6", "position 15: docs=6 contradicts docs=5"),
        ("R size=5", "position 3: 'size' is unknown; a ranking may have docs= and max="),
        ("3 max=2", "max=2 is less than the grade 3 that is typed"),
        (
            ["1 0", "1 1"],
            "for q1, run 1 has 1 relevant document and run 2 has 2; write those that run 1",
        ),
        (
            {"A": "2 1", "B": "1 1"},
            "for q1, A has 1 document of grade 2 and B has 0; write those that B",
        ),
        (["A=R", "A=R"], "two are called 'A'"),
        (["A=R; N", "B=R"], "A has 2 queries, B has 1; queries are separated by ;"),
        (["A=R docs=3", "B=R docs=4"], "docs=3 and docs=4 contradict each other"),
        (["A=R X", "B=R"], "typed ranking A, position 3: 'X'"),
    ],
)
def test_bad_input(text: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        cleverdon.evaluate(text, measures=["AP"])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", ["qrels.txt", "2024", {}, [], {"q1": {"d1": 1}}, 5])
def test_what_is_no_ranking_needs_a_run(data: object) -> None:
    with pytest.raises(InputError, match="there is no run"):
        cleverdon.evaluate(data)


def test_a_file_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert looks_typed("1 0")
    Path("1 0").write_text("q1 0 d1 1\n")
    assert not looks_typed("1 0")


def test_unjudged_results_of_typed_rankings_are_not_relevant() -> None:
    def ends(**how: object) -> tuple[float, float]:
        scores = cleverdon.evaluate("R - R | R", measures=["P@3"], bounds=True, **how)  # type: ignore[arg-type]
        return scores.mean_bounds("run", "P@3")

    assert ends() == ends(unjudged="not-relevant") == pytest.approx((2 / 3, 2 / 3))
    assert ends(unjudged="any") == ends(unjudged=1) == pytest.approx((2 / 3, 1))
    with pytest.raises(OptionError, match="goes with bounds=True"):
        cleverdon.evaluate("R", unjudged="any")
    with pytest.raises(OptionError, match="expected any, not-relevant or a grade"):
        ends(unjudged="relevant")


def test_trace() -> None:
    found = cleverdon.explain("1 0 1 1 | 1", measure="AP")
    assert [step.added for step in found.steps] == pytest.approx([1 / 4, 0, 1 / 6, 3 / 16])
    with pytest.raises(InputError, match="a trace is of one run"):
        cleverdon.explain("qrels.txt", measure="AP")


def test_commands(cleverdon: Command, tmp_path: Path) -> None:
    done = cleverdon("eval", "R R N N R N | R R", "-m", "P@5", "-m", "AP", "-f", "json")
    assert json.loads(done.stdout)["means"]["run"] == pytest.approx({"P@5": 0.6, "AP": 0.52})
    done = cleverdon("eval", "A=1 0 1 1", "B=0 1 1 1", "-m", "RR", "-f", "csv")
    assert done.stdout.splitlines()[1:] == ["A,1.0", "B,0.5"]
    by_measure = cleverdon("explain", "AP", "1 0 1 1 | 1")
    assert "AP of run on query q1 is 0.6042" in by_measure.stdout
    assert cleverdon("explain", "1 0 1 1 | 1", "-m", "AP").stdout == by_measure.stdout
    assert "Reciprocal rank" in cleverdon("explain", "RR").stdout
    assert "A" in cleverdon("explain", "RR", "A=0 1", "--diff", "B=1 0").stdout
    done = cleverdon("compare", "A=1 0; 0 1", "B=0 1; 1 0", "--baseline", "A", "-m", "RR")
    assert done.returncode == 0
    drawn = tmp_path / "ab.svg"
    both = ("A=1 0 1 1 1 1 0 0 0 1", "B=0 1 0 0 1 1 1 0 1 1")
    assert cleverdon("plot", "precision-recall", *both, "-o", str(drawn)).returncode == 0
    assert "<svg" in drawn.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("R X",), "typed ranking, position 3: 'X'"),
        (("R N", str(EXAMPLES / "bm25.run")), "give either files or typed rankings"),
        ((str(EXAMPLES / "qrels.txt"),), "Missing argument 'RUNS...'"),
        (("R N", "--qrels-format", "trec"), "--qrels-format goes with files"),
        (("R N", "--unjudged", "any"), "--unjudged goes with --bounds"),
        (("R N", "--bounds", "--unjudged", "x"), "'x': expected any, not-relevant or a grade"),
    ],
)
def test_command_errors(cleverdon: Command, arguments: tuple[str, ...], message: str) -> None:
    done = cleverdon("eval", *arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_bounds_of_files_take_the_same_option(cleverdon: Command) -> None:
    files = (str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "dense.run"))

    def ends(*more: str) -> list[float]:
        done = cleverdon("eval", *files, "-m", "P@1", "--bounds", *more, "-f", "json")
        found: list[float] = json.loads(done.stdout)["bounds"]["dense"]["P@1"]["means"]
        return found

    assert ends() == ends("--unjudged", "any") == ends("--unjudged", "1") == [0.75, 1]
    assert ends("--unjudged", "not-relevant") == [0.75, 0.75]


def test_files_do_not_load_the_notation() -> None:
    code = (
        "import sys; from cleverdon.cli import main\n"
        "try: main()\nfinally: assert 'cleverdon.formats.typed' not in sys.modules"
    )
    files = [str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "bm25.run")]
    done = subprocess.run([sys.executable, "-c", code, "eval", *files], capture_output=True)
    assert b"AssertionError" not in done.stderr
    assert done.returncode == 0


def test_down_the_ranking(cleverdon: Command) -> None:
    shown = cleverdon("eval", "3 - 1 | 2", "--down").stdout.splitlines()
    assert [line.split() for line in (shown[0], *shown[2:])] == [
        ["rank", "grade", "P", "R", "DCG", "nDCG"],
        ["1", "3", "1.0000", "0.3333", "3.0000", "1.0000"],
        ["2", "-", "0.5000", "0.3333", "3.0000", "0.7039"],
        ["3", "1", "0.6667", "0.6667", "3.5000", "0.7350"],
    ]
    two = cleverdon("eval", "A=1 0; 0 1", "B=0 1; 1 0", "--down", "-m", "P", "-f", "csv").stdout
    assert two.splitlines()[:3] == ["system,query,rank,grade,P", "A,q1,1,1,1.0", "A,q1,2,0,0.5"]
    assert "B, query q2" in cleverdon("eval", "A=1 0; 0 1", "B=0 1; 1 0", "--down").stdout
    found = json.loads(cleverdon("eval", "A=- 1", "--down", "-m", "RR@5", "-f", "json").stdout)
    assert [one["grade"] for one in found] == [None, 1]
    assert [one["values"] for one in found] == [{"RR": 0}, {"RR": 0.5}]


@pytest.mark.parametrize("format", ["markdown", "latex", "latex-siunitx", "html", "tsv"])
def test_down_in_all_formats(cleverdon: Command, format: str) -> None:
    assert "nDCG" in cleverdon("eval", "3 - 1 | 2", "--down", "-f", format).stdout


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--bounds",), "--down and --bounds do not go together"),
        (("-m", "Rprec"), "has no cut-off k"),
    ],
)
def test_down_refuses(cleverdon: Command, more: tuple[str, ...], message: str) -> None:
    assert message in cleverdon("eval", "1 0", "--down", *more).stderr


def test_down_files(cleverdon: Command) -> None:
    files = (str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "bm25.run"))
    rows = cleverdon("eval", *files, "--down", "-m", "P@3", "-f", "csv").stdout.splitlines()
    cells = [row.split(",") for row in rows]
    at_3 = [float(value) for _, _, rank, _, value in cells if rank == "3"]
    mean = json.loads(cleverdon("eval", *files, "-m", "P@3", "-f", "json").stdout)["means"]
    assert sum(at_3) / len(at_3) == pytest.approx(mean["bm25"]["P@3"])


A, B = "A=R N R -; N R | R; 0 1", "B=N R R -; R R; 1 0"


@pytest.mark.parametrize(
    "command",
    [
        "eval TYPED -m AP -f csv",
        "compare TYPED -m AP -f csv",
        "claim TYPED -m AP",
        "slices TYPED -m AP --attributes kinds.csv -f csv",
        "power TYPED -m AP -f csv",
        "worst TYPED -m AP",
        "flip TYPED -m P@4",
        "tune TYPED -m AP --folds 3",
        "correlate TYPED -m AP -m RR -f csv",
        "recall TYPED -f csv",
        "collection stats TYPED -f csv",
        "pool simulate TYPED --budget 1 --method depth -f csv",
    ],
)
def test_every_command_takes_them(cleverdon: Command, tmp_path: Path, command: str) -> None:
    (tmp_path / "kinds.csv").write_text("query,kind\nq1,a\nq2,b\nq3,b\n")
    _write_files(tmp_path)
    before, _, after = command.partition(" TYPED ")
    typed = cleverdon(*before.split(), A, B, *after.split())
    files = cleverdon(*before.split(), "qrels.txt", "A.run", "B.run", *after.split())
    assert typed.returncode == files.returncode == 0, typed.stderr
    assert typed.stdout == files.stdout.replace("A.run", "A").replace("B.run", "B")


def _write_files(folder: Path) -> None:
    found = read_typed([A, B])
    found.judgments.write(folder / "qrels.txt")
    for name, run in found.runs.items():
        run.write(folder / f"{name}.run")


def test_commands_of_runs_or_judgments_alone_take_them(cleverdon: Command, tmp_path: Path) -> None:
    _write_files(tmp_path)
    filtered = cleverdon("collection", "filter", A).stdout.splitlines()
    assert filtered == ["q1 0 d1 1", "q1 0 d2 0", "q1 0 d3 1", *_lines("q2", 2), *_lines("q3", 1)]
    cleverdon("pool", "make", A, B, "-k", "2", "-o", "typed.tsv")
    cleverdon("pool", "make", "A.run", "B.run", "-k", "2", "-o", "files.tsv")
    pools = [(tmp_path / f"{name}.sheet.tsv").read_text() for name in ("typed", "files")]
    assert pools[0] == pools[1]
    typed = cleverdon("correlate", "--runs", A, B)
    assert typed.stdout == cleverdon("correlate", "--runs", "A.run", "B.run").stdout
    splits = cleverdon("splits", A, "--folds", "3")
    assert splits.stdout == cleverdon("splits", "qrels.txt", "--folds", "3").stdout


def _lines(query: str, relevant: int) -> list[str]:
    return [f"{query} 0 d1 0", *(f"{query} 0 d{2 + i} 1" for i in range(relevant))]


def test_gate_takes_a_typed_baseline(cleverdon: Command) -> None:
    rule = ("--rule", "AP >= baseline")
    assert cleverdon("gate", "R N R", "--baseline", "R R N", *rule).returncode == 1
    assert cleverdon("gate", "R R N", "--baseline", "R N R", *rule).returncode == 0


def test_report_takes_them(cleverdon: Command, tmp_path: Path) -> None:
    done = cleverdon("report", A, B, "-m", "AP", "--data")
    assert done.returncode == 0, done.stderr
    assert "d3" in (tmp_path / "report.html").read_text()


def test_convert_writes_files_of_them(cleverdon: Command, tmp_path: Path) -> None:
    text = "2 - (1 0) | 1"
    assert cleverdon("convert", text, "my.qrels").returncode == 0
    assert (tmp_path / "my.qrels").read_text() == "q1 0 d1 2\nq1 0 d3 1\nq1 0 d4 0\nq1 0 d5 1\n"
    assert "by their ids, not as typed" in cleverdon("convert", text, "my.run", "--tag", "x").stderr
    values = (line.split() for line in (tmp_path / "my.run").read_text().splitlines())
    assert {(doc, float(score), tag) for _, _, doc, _, score, tag in values} == {
        ("d1", 4, "x"),
        ("d2", 3, "x"),
        ("d3", 2, "x"),
        ("d4", 2, "x"),
    }
    assert "say --kind run or qrels" in cleverdon("convert", text, "my.txt").stderr
    assert "--tag goes with a run" in cleverdon("convert", text, "q.qrels", "--tag", "x").stderr
    assert cleverdon("convert", text, "-", "--kind", "run").stdout.count("\n") == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("eval", "qrels.txt", "R R"), "'R R' is a typed ranking, which holds its own judgments"),
        (("eval", "qrels.txt", "R R"), "'qrels.txt' is a file, to be left out"),
        (("eval", "R R", "no.run"), "'no.run' is neither a file nor a ranking"),
        (("eval", "X R N"), "'X R N' is neither a file nor a ranking; the results of a ranking"),
        (("eval", ""), "'' is neither a file nor a ranking"),
        (("eval", "1 0"), "'1 0' is a file here; a blank before it makes it a ranking: ' 1 0'"),
        (("eval", "R", "R", "N"), "if they are results of one, put it in quotes: 'R R N'"),
        (("explain", "qrels.txt", "R R"), "'qrels.txt' is a file, to be left out"),
        (("flip", "R N", "N R", "R N"), "there are 3 typed rankings, and flip takes 2"),
        (("gate", "R N", "R N", "--rule", "AP >= 0"), "gate takes 1"),
        (("flip", "R N"), "Missing argument 'RUN_B'"),
        (("check", "R N"), "'R N' is a typed ranking, and a file is needed here"),
        (("collection", "merge", "R N", "N R"), "and a file is needed here"),
        (("collection", "diff", "R N", "N R"), "and a file is needed here"),
        (("agree", "R N", "N R"), "and a file is needed here"),
        (("pool", "next", "j", "R N"), "and a file is needed here"),
        (("plot", "attention", "R N"), "takes no files"),
        (("convert", "R N", "x.run", "--from", "trec"), "--from goes with files"),
    ],
)
def test_what_is_mistyped(
    cleverdon: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    for name in ("qrels.txt", "1 0"):
        (tmp_path / name).write_text("q1 0 d1 1\n")
    done = cleverdon(*arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["- R N", "A=- R N", "A = - R N", " - R N"])
def test_rankings_may_begin_with_an_unjudged_result(cleverdon: Command, text: str) -> None:
    assert cleverdon("eval", text, "-m", "AP", "-f", "csv").stdout.endswith(",0.5\n")


def test_functions_take_what_is_read() -> None:
    typed = cleverdon.read_typed({"A": "R N -", "B": "N R -"})
    a, b = typed.runs.values()
    found = cleverdon.could_flip(typed.judgments, a, b, "P@1")
    assert "A 1.0000, B 0.0000" in str(found)
    with pytest.raises(InputError, match="read_typed"):  # which would not share documents
        cleverdon.could_flip("R N", "R N", "N R", "P@1")
