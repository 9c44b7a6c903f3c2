"""The command group `cleverdon collection`."""

from __future__ import annotations

import click

from cleverdon.cli import Commands

COLLECTION_COMMANDS = {
    "stats": (
        "collection.cli.describe",
        "Describe a collection: judgments, grades, hard queries, holes, reusability.",
    ),
    "merge": (
        "collection.cli.edit",
        "Make one of several qrels, and say where they contradict each other.",
    ),
    "diff": (
        "collection.cli.describe",
        "Say what changed between two qrels, and what that does to the order of systems.",
    ),
    "filter": ("collection.cli.edit", "Keep judgments of some queries, documents or grades."),
    "subset": (
        "collection.cli.edit",
        "Keep a random part, or what a shallower pool would have judged.",
    ),
    "split": ("collection.cli.edit", "Split judgments into several files, by queries."),
}


@click.command(cls=Commands, commands=COLLECTION_COMMANDS)
def collection_command() -> None:
    """Describe judgments and runs as a whole, and change judgments.

    \b
    Examples:
      cleverdon collection stats qrels.txt *.run
      cleverdon collection diff old.txt new.txt *.run
      cleverdon collection merge nist.txt extra.txt -o all.txt
      cleverdon collection subset qrels.txt *.run --depth 10 -o shallow.txt
    """
