"""cleverdon collection stats: what a collection is like."""

from __future__ import annotations

import click

from cleverdon.cli import collection_options as shared
from cleverdon.cli import options
from cleverdon.cli.texts import queries
from cleverdon.show.sections import FORMATS

_OF_RUNS = ("measure", "ks", "depth", "reusable", "holes", "run_format", "order_by")
_LONGEST = 60
"""Longer texts of topics are cut in tables."""


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, type=click.Path(allow_dash=True))
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    shell_complete=options.complete_measure,
    help="By which topics are hard: its mean over RUNS.  [default: nDCG@10 where relevant "
    "documents have several grades and --rel is 1, else AP from --rel on]",
)
@click.option(
    "-k",
    "ks",
    type=options.COUNT,
    multiple=True,
    metavar="K",
    help="Count results among the first K that nobody judged; again for more.  [default: 5, 10, "
    "20, 100]",
)
@click.option(
    "--depth",
    type=options.COUNT,
    default=100,
    show_default=True,
    help="How many results of each run to look at, for the depth of the pool and for who found "
    "what.",
)
@click.option(
    "--reuse/--no-reuse",
    "reusable",
    default=True,
    help="Whether to see what each system would lose had it not been pooled, which takes long "
    "where there are many.  [default: reuse]",
)
@options.rel()
@options.attributes(
    "Attributes of topics, CSV or TSV with a header: count by one of them, and compare ids."
)
@queries
@click.option("--per-query", is_flag=True, help="A row for each query instead.")
@click.option(
    "--holes",
    type=options.COUNT,
    metavar="K",
    help="Instead: for each query and run, how many of its first K results nobody judged.",
)
@options.formats("How to print. csv, tsv and json have all digits.", FORMATS)
@options.qrels_format
@options.runs_read
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str | None,
    ks: tuple[int, ...],
    depth: int,
    reusable: bool,
    rel: float,
    topics: str | None,
    by: str | None,
    queries: str | None,
    per_query: bool,
    holes: int | None,
    format_: str,
    qrels_format: str | None,
    run_format: str | None,
    order_by: str,
) -> None:
    """Describe a collection: its judgments and grades, and what RUNS make of them.

    Without RUNS: judged and relevant documents per topic, grades, documents of several topics. With
    RUNS also: results that nobody judged, the depth of the pool as it seems, relevant documents
    that one system alone found, what a system would lose had it not been pooled, hard and easy
    topics. Below are warnings in words, each with what to do next.

    \b
    Examples:
      cleverdon collection stats qrels.txt
      cleverdon collection stats qrels.txt *.run
      cleverdon collection stats qrels.txt *.run --per-query -f csv > topics.csv
      cleverdon collection stats qrels.txt *.run --holes 10
      cleverdon collection stats qrels.txt --topics topics.csv --by language
    """
    if by and not topics:
        raise click.UsageError("--by goes with --topics")
    if per_query and holes:
        raise click.UsageError("--per-query and --holes are two tables: ask for one of them")
    options.check_of_use(runs, _OF_RUNS, "RUNS: name some")
    options.check_one_stdin(qrels, *runs)
    opened = options.opened(runs) if runs else None

    from cleverdon.cli.progress import bar
    from cleverdon.collection.coverage import KS
    from cleverdon.collection.stats import stats
    from cleverdon.show import collection as show

    judgments = shared.read_qrels(qrels, qrels_format)
    counted = (*(ks or KS), *([] if holes is None else [holes]))
    texts = _lines(queries) if queries else {}
    with bar("reading runs") as update:
        found = stats(
            judgments,
            opened,
            topics=topics,
            by=by,
            texts=texts,
            measure=measure,
            ks=counted,
            depth=depth,
            rel=rel,
            reusable=reusable,
            run_format=run_format,
            order_by=order_by,
            progress=shared.telling(update),
        )
    if holes is not None:
        click.echo(show.render_holes(found, holes, format_))
    elif per_query:
        click.echo(show.render_topics(found, format_))
    else:
        click.echo(show.render(found, format_))
        if format_ in ("csv", "tsv"):  # a table for programs has no place for them
            shared.say(show.warnings(found))


def _lines(file: str) -> dict[str, str]:
    """What each topic asks, in a line; of all topics of the file, judged or not."""
    from cleverdon.errors import InputError
    from cleverdon.read.texts import read_texts

    try:
        found = read_texts(file, kind="queries", limit=_LONGEST)
    except FileNotFoundError:  # said as of any other file
        raise InputError("there is no such file", source=file) from None
    return {topic: text.line for topic, text in found.items()}
