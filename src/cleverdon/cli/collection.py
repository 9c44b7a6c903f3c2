"""cleverdon collection: judgments and runs as a whole. A file a command, as on the first level."""

from __future__ import annotations

import click

from cleverdon.cli import Commands

COMMANDS = {
    "stats": "Describe a collection: judgments, grades, hard topics, holes, reusability.",
    "merge": "Make one of several qrels, and say where they contradict each other.",
    "diff": "Say what changed between two qrels, and what that does to the order of systems.",
    "filter": "Keep judgments of some queries, documents or grades.",
    "subset": "Keep a random part, or what a shallower pool would have judged.",
    "split": "Split judgments into several files, by topics.",
}


@click.command(cls=Commands, listed=COMMANDS, module="cleverdon.cli.collection_{}")
def command() -> None:
    """Describe judgments and runs as a whole, and change judgments.

    \b
    Examples:
      cleverdon collection stats qrels.txt *.run
      cleverdon collection diff old.txt new.txt *.run
      cleverdon collection merge nist.txt extra.txt -o all.txt
      cleverdon collection subset qrels.txt *.run --depth 10 -o shallow.txt
    """
