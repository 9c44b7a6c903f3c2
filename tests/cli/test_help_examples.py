"""The examples in help texts are commands that exist, with options that exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pytest

from cleverdon.cli import cleverdon


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def found(path: tuple[str, ...]) -> click.Command:
    command: click.Command = cleverdon
    for name in path:
        assert isinstance(command, click.Group)
        next_command = command.get_command(click.Context(command), name)
        assert next_command is not None, f"there is no command {' '.join(path)}"
        command = next_command
    return command


def examples(command: click.Command) -> list[str]:
    text = (command.help or "").replace("\\\n", " ")
    return re.findall(r"^ +cleverdon (.+)$", text, flags=re.MULTILINE)


def words_of(example: str) -> list[str]:
    """The command's own words, without what the shell does with its output."""
    lexer = shlex.shlex(example, posix=True, punctuation_chars="|>&")
    lexer.whitespace_split = True
    words = list(lexer)
    ends = [at for at, word in enumerate(words) if set(word) <= set("|>&")]
    return words[: ends[0]] if ends else words


@pytest.mark.parametrize("path", [(), *commands(cleverdon)], ids=" ".join)
def test_examples_can_be_parsed(path: tuple[str, ...], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for example in examples(found(path)):
        words = words_of(example)
        for word in words:
            if "/" not in word and "." in word:
                Path(word).touch()  # some options want files that are there
        command: click.Command = cleverdon
        while isinstance(command, click.Group) and words:
            _, inner, words = command.resolve_command(click.Context(command), words)
            assert inner is not None
            command = inner
        # Raises where an option does not exist, or is given what it cannot be.
        with suppress(click.exceptions.Exit), command.make_context("cleverdon", list(words)):
            pass
