"""cleverdon trec_eval: trec_eval's arguments, output and exit codes."""

from __future__ import annotations

import os
import sys

import click


@click.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Evaluate a run as trec_eval does: the same arguments, output and exit codes.

    `cleverdon trec_eval -h` tells all of them.
    """
    from cleverdon.trec_eval.command import run

    try:
        return run(arguments, out=sys.stdout.buffer, tell=lambda line: click.echo(line, err=True))
    except BrokenPipeError:
        # Whoever read the output has enough; click would make an error of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def main() -> None:
    """The entry point of `cleverdon-trec_eval`."""
    from cleverdon.cli import main as cleverdon

    sys.argv.insert(1, "trec_eval")
    cleverdon()
