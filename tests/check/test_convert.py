"""cleverdon convert, as people call it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon import InputError, Judgments, Run
from cleverdon.cli.convert import command
from tests.read.ways import JUDGMENTS, QRELS, RUN, RUNS


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, so that files have short names."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


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
    assert run("in", "out", "--kind", "run", "--from", "msmarco", "--name", "my tag").exit_code == 0
    assert (folder / "out").read_text() == "q Q0 a 1 -1.0 my_tag\nq Q0 b 2 -2.0 my_tag\n"
    assert run("in", "out", "--kind", "qrels", "--to", "beir").exit_code == 0
    assert (folder / "out").read_text() == "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t2\n"
    (folder / "in").write_text("q Q0 a 1 1 t\nq Q0 a 2 2 t\n")
    assert isinstance(run("in", "out").exception, InputError)
    assert run("in", "out", "--duplicates", "best").exit_code == 0
    assert (folder / "out").read_text() == "q Q0 a 1 2.0 in\n"


def test_ranks_are_put_right(folder: Path) -> None:
    (folder / "in.run").write_text("q Q0 a 1 1.5 t\nq Q0 b 2 2.5 t\nq Q0 c 3 2.5 t\n")
    run("in.run", "in.run", "--name", "t")
    assert (folder / "in.run").read_text() == ("q Q0 c 1 2.5 t\nq Q0 b 2 2.5 t\nq Q0 a 3 1.5 t\n")


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
