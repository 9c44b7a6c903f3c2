"""What cleverdon pool next refuses before it reads or writes anything that matters."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon.pool import Contributions
    from cleverdon.pool.adaptive.journal_start import Start

_AT_FIRST = {"chosen": "topics"} | {
    name: name for name in ("depth", "rel", "seed", "run_format", "order_by")
}
"""What is decided when judging begins: as a parameter of the command, and in the journal."""


def check_files(runs: list[str]) -> None:
    """Runs are read again whenever judging goes on, so they must be files that stay."""
    for file in runs:
        stays = os.path.isfile(file) or os.path.isdir(file) or not os.path.exists(file)
        if file == "-" or not stays:
            raise click.UsageError(
                f"{'standard input' if file == '-' else file} cannot be read again when judging "
                "goes on: save the run to a file, and name that"
            )


def check_going_on(journal: str, start: Start) -> None:
    """What was decided when judging began cannot be asked for otherwise later."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        if ctx.get_parameter_source(parameter.name or "") is not ParameterSource.COMMANDLINE:
            continue
        if parameter.name not in _AT_FIRST:
            continue
        given, had = ctx.params[parameter.name], getattr(start, _AT_FIRST[parameter.name])
        if (tuple(dict.fromkeys(given)) if isinstance(given, tuple) else given) == had:
            continue  # as when the first command is run again
        option = parameter.opts[-1]
        began = f"without {option}" if had is None else f"with {option} {_as_given(had)}"
        raise click.UsageError(
            f"{journal} is there, and goes on as it began, {began}: {option} is only to begin "
            "with; leave it out, or name another journal"
        )


def _as_given(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def check_written(output: str | None, qrels: str | None, read: list[str]) -> None:
    """Neither file is written over one that is read, nor over the other."""
    for file in (output, qrels):
        if file and file != "-":
            options.check_output(Path(file), *read)
    if output and qrels and Path(output).resolve() == Path(qrels).resolve():
        raise click.UsageError(f"--output and --qrels are both {output}: name another for one")


def check_ids(found: Contributions, queries: tuple[str, ...]) -> None:
    """Before a journal begins, of documents that could never be given."""
    from cleverdon.read.sheet import check_ids

    for at, topic in enumerate(found.topics):
        if not queries or topic in queries:
            check_ids((topic, *found.ids(at)))
