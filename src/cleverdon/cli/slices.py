"""cleverdon slices: scores and comparisons by kinds of topics."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options


@click.command()
@options.inputs
@options.attributes(
    "Attributes of topics: CSV or TSV with a header, the first column the topic's id.",
    by="The attribute (column) to slice by.  [default: the only one]",
    required=True,
)
@options.measures
@options.comparison
@click.option(
    "--average",
    type=click.Choice(["mean", "geometric", "median", "min", "max", "std", "micro"]),
    default="mean",
    show_default=True,
    help="From values of topics to one: see `cleverdon eval --help`. Comparisons are of means.",
)
@click.option(
    "--bins",
    type=options.Count(min=0),
    default=4,
    show_default=True,
    help="Cut an attribute of more different numbers than this at its quantiles, into so many "
    "slices; 0: take numbers as names.",
)
@click.option(
    "--few",
    type=options.Count(min=0),
    default=10,
    show_default=True,
    help="Mark slices of fewer topics.",
)
@options.formats("How to print. csv, tsv and json have all digits.")
@options.settings
@options.judgments
def command(
    qrels: str,
    runs: tuple[str, ...],
    topics: str,
    by: str | None,
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    average: str,
    bins: int,
    few: int,
    format_: str,
    **how: Any,
) -> None:
    """Score and compare RUNS on each kind of topic: by language, length, type.

    p-values are corrected over the whole family: systems x measures x slices. A warning tells
    where one run beats another over all topics, and is behind on every kind of them.

    \b
    Examples:
      cleverdon slices qrels.txt bm25.run dense.run --topics topics.csv --by language
      cleverdon slices qrels.txt bm25.run dense.run --topics topics.tsv --by length --bins 2 \\
          --baseline bm25 -m nDCG@10
    """
    options.check_one_stdin(qrels, *runs)
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar
    from cleverdon.compare.slices import slices
    from cleverdon.read.topics import read_topics
    from cleverdon.show.slices import render

    table = read_topics(topics)  # before anything takes long
    table.column(by)
    scores = options.evaluated(qrels, opened, measures, **how)
    with bar("comparing"):
        found = slices(scores, table, by=by, average=average, bins=bins, few=few, **comparing)
    click.echo(render(found, format_))
