"""cleverdon collection merge: one of several judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from cleverdon.cli import collection_options as shared
from cleverdon.cli import options
from cleverdon.errors import InputError
from cleverdon.settings import CONTRADICTIONS
from cleverdon.show.grid import counted

if TYPE_CHECKING:
    from cleverdon.collection.merging import Contradiction

_MEANINGS = "; ".join(f"{word}: {meaning}" for word, meaning in CONTRADICTIONS.items())


@click.command()
@click.argument("qrels", nargs=-1, required=True, type=click.Path(allow_dash=True))
@shared.output
@click.option(
    "--on-contradiction",
    "policy",
    type=click.Choice(list(CONTRADICTIONS)),
    default="error",
    show_default=True,
    help=f"Which grade a document gets to which files give different ones. {_MEANINGS}.",
)
@click.option(
    "--contradictions",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="List all contradictions in a CSV file, those that stop the command as well.",
)
@options.qrels_format
def command(
    qrels: tuple[str, ...],
    output: str,
    to: str | None,
    policy: str,
    contradictions: str | None,
    qrels_format: str | None,
) -> None:
    """Make one of several QRELS, and say what each brought and where they contradict each other.

    A document that is pooled and not judged in one file (a grade below 0) and judged in another is
    judged: that is no contradiction. Subtopics, strata and samples are written as they were read.

    \b
    Examples:
      cleverdon collection merge nist.txt extra.txt -o all.txt
      cleverdon collection merge ann.txt bob.txt eve.txt --on-contradiction majority -o all.txt
      cleverdon collection merge old.txt new.txt --contradictions all.csv -o all.txt
    """
    if len(qrels) < 2:
        raise click.UsageError("two QRELS at least are to be merged")
    if len(set(qrels)) < len(qrels):
        raise click.UsageError("a file is named twice")
    options.check_one_stdin(*qrels)

    shared.check_output(output, *qrels)
    if contradictions:
        shared.check_output(contradictions, *qrels)
        shared.check_two_outputs(output, contradictions)

    from cleverdon.cli.progress import bar
    from cleverdon.collection.merging import Contradicting, merge
    from cleverdon.show.qrels_made import told_of_merge

    given = {file: shared.read_qrels(file, qrels_format) for file in qrels}
    try:
        with bar("merging") as update:
            found = merge(given, policy=policy, progress=update)
    except Contradicting as error:
        if contradictions:
            _list(contradictions, error.contradictions, qrels)
            raise InputError(f"{error.message}; {contradictions} lists all") from None
        raise
    shared.say(told_of_merge(found))
    shared.write_qrels(found.judgments, output, to)
    if contradictions:
        _list(contradictions, found.contradictions, qrels)


def _list(file: str, contradictions: Sequence[Contradiction], qrels: Sequence[str]) -> None:
    from cleverdon.read.write import write_file
    from cleverdon.show.qrels_made import contradictions_csv

    write_file(file, contradictions_csv(contradictions, qrels).encode())
    shared.say([f"{file}: {counted(len(contradictions), 'contradiction')}"])
