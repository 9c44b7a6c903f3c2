"""A judging project's folder is qrels to whatever takes qrels, and stays as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cleverdon import evaluate
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, MissingExtra, OptionError
from cleverdon.formats import inputs
from cleverdon.judging.exports.files import ExportRequest, write_export
from cleverdon.judging.people.accounts import COMMAND_LINE
from cleverdon.judging.project import open_project
from tests.commands import run_here
from tests.judging.judged_projects import give, judged_project
from tests.judging.projects import made_project

RUN = "".join(f"t{t} Q0 d{n} 1 {(n * 7 + t) % 11} x\n" for t in (1, 2) for n in range(1, 11))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that nobody has open, its published qrels, and a run."""
    where = tmp_path_factory.mktemp("folder")
    with judged_project(where / "judging") as project:
        write_export(
            project, ExportRequest("published"), str(where / "qrels.txt"), actor=COMMAND_LINE
        )
    (where / "x.run").write_text(RUN)
    return where


def printed(where: Path, *arguments: object) -> str:
    answer = run_here([str(each) for each in arguments], where)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@pytest.mark.parametrize(
    "command",
    [["eval", "-f", "json"], ["eval", "--bounds"], ["compare"], ["recall", "-f", "json"]],
    ids=" ".join,
)
def test_commands_say_the_same_of_folder_and_file(folder: Path, command: list[str]) -> None:
    name, *options = command
    (folder / "y.run").write_text(RUN.replace(" 1 ", " 1 -"))
    runs = (folder / "x.run", folder / "y.run")
    of_folder = printed(folder, name, folder / "judging", *runs, *options)
    of_file = printed(folder, name, folder / "qrels.txt", *runs, *options)
    assert of_folder.replace(str(folder / "judging"), "Q") == of_file.replace(
        str(folder / "qrels.txt"), "Q"
    )


def test_agree_takes_the_judges_of_a_folder(folder: Path) -> None:
    with open_project(folder / "judging") as project:
        write_export(
            project, ExportRequest("assessor"), str(folder / "all.txt"), actor=COMMAND_LINE
        )
    of_folder = printed(folder, "agree", folder / "judging", "-f", "json")
    of_file = printed(folder, "agree", folder / "all.txt", "--judge-column", "-f", "json")
    assert json.loads(of_folder)["overall"] == json.loads(of_file)["overall"]
    assert json.loads(of_folder)["judges"] == ["ann", "bob", "Cyd X"], "people alone"
    none = run_here(["agree", "judging", "--model", "judging"], folder)
    assert none.stderr.endswith("judging: no model has judged anything in this project yet\n")
    named = run_here(["agree", "x=judging"], folder)
    assert "leave x= out" in named.stderr


def test_the_record_names_it_and_nothing_is_left_behind(folder: Path) -> None:
    before = sorted(os.listdir(folder / "judging"))
    about = evaluate(str(folder / "judging"), folder / "x.run", "AP").about
    assert about.qrels == str(folder / "judging")
    assert about.qrels_digest == evaluate(folder / "qrels.txt", folder / "x.run").about.qrels_digest
    assert sorted(os.listdir(folder / "judging")) == before


def test_a_project_in_use_is_read_as_it_is_now(tmp_path: Path) -> None:
    with made_project(tmp_path / "p") as project:
        give(project, {"ann": {("t1", "d1"): 1}})
        assert Judgments.read(tmp_path / "p").to_dict() == {"t1": {"d1": 1}}
        give(project, {"ann": {("t1", "d1"): 3}})
        assert Judgments.read(tmp_path / "p").to_dict() == {"t1": {"d1": 3}}


def test_what_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_project(tmp_path / "empty").close()
    with pytest.raises(InputError, match="empty: nothing is judged yet"):
        Judgments.read(tmp_path / "empty")
    with pytest.raises(OptionError, match="is a judging project: leave it out"):
        Judgments.read(tmp_path / "empty", format="trec")
    with pytest.raises(InputError, match="is a directory; give a file"):
        Run.read(tmp_path / "empty")
    (tmp_path / "beir" / "qrels").mkdir(parents=True)
    with pytest.raises(InputError, match="is a directory; give a file"):
        Judgments.read(tmp_path / "beir")

    def missing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'sqlalchemy'", name="sqlalchemy")

    monkeypatch.setattr("builtins.__import__", missing)
    with pytest.raises(MissingExtra, match=r"needs sqlalchemy.*cleverdon\[web\]"):
        inputs._read_judging_project("p", format=None, name=None)


def test_a_folder_that_may_not_be_written_is_read(folder: Path) -> None:
    os.chmod(folder / "judging", 0o555)
    try:
        assert len(Judgments.read(folder / "judging")) == 7
    finally:
        os.chmod(folder / "judging", 0o755)
