"""Old spellings of options: they work for one release, with a note."""

from __future__ import annotations

import pytest

from cleverdon import cli
from cleverdon.cli.options import RenamedChoice
from tests.commands import Command


@pytest.fixture(autouse=True)
def one_renamed_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cli.RENAMED_OPTIONS, "measures", {"--old-help": "--help"})
    monkeypatch.setitem(cli.RENAMED_OPTIONS, "eval", {"--metric": "--measure"})


def test_an_old_spelling_works_with_a_note(cleverdon: Command, files: object) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "--metric", "P@1", "--metric=RR")
    assert done.returncode == 0
    assert "P@1" in done.stdout
    assert "RR" in done.stdout
    assert (
        done.stderr.splitlines()
        == [
            "cleverdon: note: --metric of eval is called --measure now; "
            "the old name works for one more release"
        ]
        * 2
    )


def test_current_spellings_are_not_noted(cleverdon: Command, files: object) -> None:
    assert cleverdon("eval", "qrels.txt", "good.run", "-m", "P@1").stderr == ""


def test_what_follows_two_dashes_is_no_option(cleverdon: Command, files: object) -> None:
    done = cleverdon("eval", "--", "--metric", "good.run")
    assert "note" not in done.stderr
    assert "--metric" in done.stderr  # as the name of a file


def test_every_renamed_option_exists() -> None:
    import click

    for path, renamed in cli.RENAMED_OPTIONS.items():
        command: click.Command = cli.cleverdon
        for name in path.split():
            assert isinstance(command, click.Group)
            found = command.get_command(click.Context(command), name)
            assert found is not None, path
            command = found
        known = {option for parameter in command.params for option in parameter.opts}
        for old, new in renamed.items():
            assert new in {*known, "--help"}, (path, new)
            assert old not in known, (path, old)


def test_an_old_choice_works_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    choice = RenamedChoice(["query", "document"], {"topic": "query"}, "unit")
    assert choice.convert("document", None, None) == "document"
    assert capsys.readouterr().err == ""
    assert choice.convert("topic", None, None) == "query"
    note = "the unit topic is called query now; the old name works for one more release"
    assert note in capsys.readouterr().err
