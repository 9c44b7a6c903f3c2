"""cleverdon convert, as people call it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon import Judgments, Run
from cleverdon.cli.convert import convert_command
from cleverdon.errors import InputError
from tests.formats.ways import JUDGMENTS, QRELS, RUN, RUNS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, so that files have short names."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(convert_command, arguments)


@pytest.mark.parametrize(
    "target", ["out.run", "out.json", "out.csv.gz", "out.parquet", "out.arrow"]
)
@pytest.mark.parametrize("name", ["trec", "gzip", "csv", "json", "parquet", "arrow"])
def test_runs(name: str, target: str, folder: Path) -> None:
    source = RUNS[name](folder)
    result = run(source.name, target)
    assert result.exit_code == 0
    assert result.stderr == f"{target}: 9 results of 3 queries\n"
    assert Run.read(target).to_dict() == RUN


@pytest.mark.parametrize("name", ["trec", "beir", "csv", "parquet"])
def test_judgments(name: str, folder: Path) -> None:
    assert run(JUDGMENTS[name](folder).name, "out.tsv").exit_code == 0
    assert Judgments.read("out.tsv").to_dict() == QRELS


def test_options(folder: Path) -> None:
    (folder / "in").write_text("q\ta\t1\nq\tb\t2\n")
    assert run("in", "out", "--kind", "run", "--from", "msmarco", "--tag", "my tag").exit_code == 0
    assert (folder / "out").read_text() == "q Q0 a 1 -1.0 my_tag\nq Q0 b 2 -2.0 my_tag\n"
    assert run("in", "out", "--kind", "qrels", "--to", "beir").exit_code == 0
    assert (folder / "out").read_text() == "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t2\n"
    (folder / "in").write_text("q Q0 a 1 1 t\nq Q0 a 2 2 t\n")
    assert isinstance(run("in", "out").exception, InputError)
    assert run("in", "out", "--duplicates", "best").exit_code == 0
    assert (folder / "out").read_text() == "q Q0 a 1 2.0 t\n"


RANKED = "q Q0 a 1 1.5 t\nq Q0 b 2 2.5 t\nq Q0 c 3 2.5 t\n"


def test_ranks_are_put_right(folder: Path) -> None:
    (folder / "in.run").write_text(RANKED)
    result = run("in.run", "out.run")
    assert (folder / "out.run").read_text() == "q Q0 c 1 2.5 t\nq Q0 b 2 2.5 t\nq Q0 a 3 1.5 t\n"
    assert "warning: in.run: ranks contradict scores; the scores decide" in result.stderr
    assert "--order-by rank" in result.stderr


def test_the_order_of_the_ranks(folder: Path) -> None:
    (folder / "in.run").write_text(RANKED)
    result = run("in.run", "out.run", "--order-by", "rank")
    assert (folder / "out.run").read_text() == "q Q0 a 1 -1.0 t\nq Q0 b 2 -2.0 t\nq Q0 c 3 -3.0 t\n"
    assert result.stderr == "out.run: 3 results of 1 queries\n"


def test_no_file_is_written_over_itself(folder: Path) -> None:
    (folder / "in.run").write_text(RANKED)
    (folder / "symbolic.run").symlink_to("in.run")
    (folder / "hard.run").hardlink_to("in.run")
    (folder / "inner").mkdir()
    for target in ("in.run", "./in.run", "inner/../in.run", "symbolic.run", "hard.run"):
        result = run("in.run", target)
        assert result.exit_code == 2
        assert "in.run is read, and would be overwritten: name another" in result.stderr
    assert (folder / "in.run").read_text() == RANKED


def test_tags(folder: Path) -> None:
    (folder / "in.run").write_text("q Q0 a 1 1.5 bm25\n")
    run("in.run", "out.run")
    assert (folder / "out.run").read_text() == "q Q0 a 1 1.5 bm25\n"
    (folder / "in.run").write_text("q Q0 a 1 1.5 bm25\nq Q0 b 2 1.0 other\n")
    result = run("in.run", "out.run")
    assert "warning: in.run: 2 different tags, of which none is kept; --tag TAG" in result.stderr
    assert (folder / "out.run").read_text() == "q Q0 a 1 1.5 in\nq Q0 b 2 1.0 in\n"
    assert "different tags" not in run("in.run", "out.run", "--tag", "mine").stderr
    (folder / "in.json").write_text('{"q": {"a": 1.5}}')
    run("in.json", "out.run")
    assert (folder / "out.run").read_text() == "q Q0 a 1 1.5 in\n"


def test_options_of_runs_only(folder: Path) -> None:
    (folder / "qrels.txt").write_text("q 0 a 1\n")
    for option in (("--tag", "x"), ("--order-by", "rank")):
        result = run("qrels.txt", "out", *option)
        assert result.exit_code == 2
        assert f"{option[0]} goes with a run, and these are judgments" in result.stderr


def test_queries_without_results(folder: Path) -> None:
    (folder / "in.json").write_text('{"q1": {"d1": 1.5}, "q2": {}}')
    result = run("in.json", "out.run")
    assert "out.run: 1 query without results (q2) cannot be written in this format" in result.stderr
    assert run("in.json", "out.json").stderr == "out.json: 1 results of 2 queries\n"
    assert Run.read("out.json").to_dict() == {"q1": {"d1": 1.5}, "q2": {}}
    with pytest.warns(UserWarning, match=r"1 query without results \(q2\)"):
        Run.read("in.json").write("out.txt")
    for name in ("out.parquet", "out.arrow", "out.csv", "out.tsv", "out.jsonl"):
        assert run("in.json", name).stderr == f"{name}: 1 results of 2 queries\n"
        assert Run.read(name).to_dict() == {"q1": {"d1": 1.5}, "q2": {}}
    (folder / "qrels.json").write_text('{"q1": {"d1": 1}, "q2": {}}')
    assert "1 query without judgments (q2)" in run("qrels.json", "out").stderr


def test_grades_that_trec_eval_would_truncate(folder: Path) -> None:
    (folder / "in.json").write_text('{"q": {"a": 0.5, "b": 1}}')
    told = run("in.json", "out.txt", "--kind", "qrels").stderr
    assert "warning: 1 of 2 grades are not whole numbers" in told
    assert "warning" not in run("in.json", "out.csv", "--kind", "qrels").stderr


def test_standard_output(folder: Path) -> None:
    (folder / "in.run").write_text("q Q0 a 1 1.5 t\n")
    result = run("in.run", "-", "--to", "csv")
    assert result.stdout == "query_id,doc_id,rank,score\nq,a,1,1.5\n"
    assert result.stderr == ""


def test_what_cannot_be_guessed(folder: Path) -> None:
    (folder / "in").write_text("q a\n")
    for source in ("in", "-"):
        result = run(source, "out")
        assert result.exit_code == 2
        assert f"is {source} a run, or are they judgments? say --kind run or qrels" in result.stderr


def test_nothing_is_left_behind(folder: Path) -> None:
    (folder / "in.csv").write_text('query_id,doc_id,score\n"q 1",a,1\n')
    result = run("in.csv", "out.run")
    assert isinstance(result.exception, InputError)
    assert "the id 'q 1' holds white space" in str(result.exception)
    assert isinstance(run("nowhere", "out.run").exception, InputError)
    assert os.listdir(folder) == ["in.csv"]
