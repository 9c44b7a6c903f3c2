"""cleverdon collection merge: one of several judgments."""

from __future__ import annotations

import click

from cleverdon.cli import collection_options as shared
from cleverdon.cli import options

_POLICIES = ("error", "first", "last", "max", "min", "mean", "majority")


@click.command()
@click.argument("qrels", nargs=-1, required=True, type=click.Path(allow_dash=True))
@shared.output
@click.option(
    "--on-contradiction",
    "policy",
    type=click.Choice(_POLICIES),
    default="error",
    show_default=True,
    help="Which grade a document gets to which files give different ones: of the first or the "
    "last file, the highest, the lowest, their mean, or the one that most files give.",
)
@click.option(
    "--contradictions",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="List all contradictions in a CSV file.",
)
@shared.kept_format
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
    judged: that is no contradiction.

    \b
    Examples:
      cleverdon collection merge nist.txt extra.txt -o all.txt
      cleverdon collection merge ann.txt bob.txt eve.txt --on-contradiction majority -o all.txt
      cleverdon collection merge old.txt new.txt --on-contradiction last --contradictions c.csv
    """
    if len(qrels) < 2:
        raise click.UsageError("two QRELS at least are to be merged")
    if len(set(qrels)) < len(qrels):
        raise click.UsageError("a file is named twice")
    options.check_one_stdin(*qrels)

    from cleverdon.collection.merging import merge
    from cleverdon.read.write import write_file
    from cleverdon.show.qrels_made import contradictions_csv, told_of_merge

    shared.check_output(output, *qrels)
    shared.check_output(contradictions or "-", *qrels)
    found = merge({file: shared.read_qrels(file, qrels_format) for file in qrels}, policy=policy)
    shared.say(told_of_merge(found))
    shared.write_qrels(found.judgments, output, to)
    if contradictions:
        text = contradictions_csv(found.contradictions, qrels)
        write_file(contradictions, text.encode())
