"""The command `cleverdon convert`: turn a run or judgments into another format."""

from __future__ import annotations

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, option, writes
from cleverdon.formats.detection import ANNOTATED, BOOKS, FORMATS
from cleverdon.settings import CHOICES

_FORMAT = click.Choice([*FORMATS, *ANNOTATED])


class ConvertOptions(Options):
    source: str = argument(options.QRELS, metavar="IN")
    target: str = argument(options.INPUT, metavar="OUT")
    kind: str | None = option(
        click.Choice(["run", "qrels"]),
        "What IN is, if not to be guessed from the number of fields.",
    )
    source_format: str | None = option(
        click.Choice([*FORMATS, *ANNOTATED, *BOOKS]),
        "The format of IN, if not to be guessed.",
        flags="--from",
    )
    target_format: str | None = option(
        _FORMAT, "The format of OUT, if not to follow from its name.", flags="--to"
    )
    tag: str | None = option(
        "TAG", "What to call the run.  [default: the tag in IN; without one, the name of IN]"
    )
    order_by: str | None = option(
        click.Choice(list(CHOICES["order_by"])),
        "Whether the scores of a run decide its order, or its rank column; with rank, the scores "
        "that are written are the ranks, negated.  [default: score]",
    )
    duplicates: str = option(
        click.Choice(["error", "first", "best"]),
        "How to handle a document that occurs twice for one query.",
        default="error",
    )
    columns: str | None = options.columns


@command(ConvertOptions)
@writes("OUT")
def convert_command(given: ConvertOptions) -> None:
    """Turn the run or the judgments in IN into another format, in OUT.

    The format of OUT follows from its ending: .json, .jsonl, .parquet, .arrow, .csv, .tsv, .xlsx,
    and TREC's for all others; .gz, .bz2, .xz or .zst behind that compress. Runs are written in the
    order in which they are evaluated, with ranks that agree with the scores. Queries without
    results are kept in all formats but TREC's, MS MARCO's and BEIR's. Subtopics, strata and
    sampling probabilities of judgments are kept where --to names their format.

    \b
    Examples:
      cleverdon convert bm25.run bm25.parquet
      cleverdon convert qrels.json qrels.txt.gz
      cleverdon convert dev.tsv dev.run --from msmarco --kind run --tag dense
      cleverdon convert bm25.run - --to csv | head
      cleverdon convert sample.txt sample.gz --from strata --to strata
    """
    from cleverdon._common.progress_bar import bar
    from cleverdon.cli.qrels_files import say
    from cleverdon.formats.conversion import KindError, convert

    with bar(f"reading {given.source}") as update:
        try:
            found = convert(**given.keywords(convert, progress=update))
        except KindError as error:
            raise click.UsageError(str(error)) from None
    say(found.notes)
