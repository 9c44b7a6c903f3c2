"""cleverdon eval: score runs against judgments."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options
from cleverdon.settings import AVERAGES

# A quantile needs a number beside the word.
_AVERAGES = {word: meaning for word, meaning in AVERAGES.items() if word != "quantile"}


@click.command()
@options.inputs
@options.measures
@click.option(
    "--average",
    type=click.Choice(list(_AVERAGES)),
    default="mean",
    show_default=True,
    help="; ".join(f"{word}: {meaning}" for word, meaning in _AVERAGES.items()) + ".",
)
@click.option("-q", "--per-query", is_flag=True, help="Show the value for each query.")
@options.formats("How to print. csv, tsv and json have all digits.")
@options.layout
@options.settings
@click.option(
    "--risk",
    "alpha",
    type=options.Number(min=0),
    metavar="ALPHA",
    help="Show, instead of averages, gains and losses against the --baseline, each loss counting "
    "1 + ALPHA times: URisk, TRisk, ZRisk and GeoRisk.",
)
@click.option("--baseline", metavar="NAME", help="The run that --risk compares with.")
@click.option(
    "--bounds",
    is_flag=True,
    help="Show beside each average the lowest and highest that it could be, whatever the order of "
    "tied results and the grades of unjudged ones.",
)
@click.option(
    "--rest",
    is_flag=True,
    help="With --bounds: and however the rankings went on through the collection of --docs.",
)
@options.judgments
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    average: str,
    per_query: bool,
    format_: str,
    layout: dict[str, Any],
    alpha: float | None,
    baseline: str | None,
    bounds: bool,
    rest: bool,
    **how: Any,
) -> None:
    """Score RUNS against the judgments in QRELS.

    A run is named after its file, or as you say: NAME=FILE. Both may be TREC text, CSV or TSV with
    a header, BEIR, MS MARCO, JSON, Parquet or Arrow, packed by gzip, zstd, bzip2 or xz, or - for
    standard input.

    \b
    Examples:
      cleverdon eval qrels.txt bm25.run dense.run
      cleverdon eval qrels.txt bm25.run -m nDCG@10 -m 'AP(rel=2)' --per-query
      cleverdon eval qrels.txt old=a/out.run new=b/out.run --format latex
      cleverdon eval qrels.txt *.run -m nDCG@10 -m AP --sort nDCG@10 --digits 3
      zcat bm25.run.gz | cleverdon eval qrels.txt -
    """
    options.check_one_stdin(qrels, *runs)
    if (alpha is None) != (baseline is None):
        raise click.UsageError("--risk and --baseline go together")
    if bounds and (average != "mean" or alpha is not None):
        raise click.UsageError("--bounds are those of means, and go with no other --average")
    if alpha is not None and (per_query or average != "mean"):
        raise click.UsageError("--risk goes with neither --per-query nor --average")
    if per_query and average != "mean" and format_ != "json":
        raise click.UsageError("--per-query shows each query's own value, and no --average")
    if rest and not bounds:
        raise click.UsageError("--rest goes with --bounds")
    if alpha is not None and (layout["systems"] != "auto" or layout["sort"] != "given"):
        raise click.UsageError("--risk goes with neither --systems nor --sort")
    opened = options.opened(runs)

    from cleverdon.show.layout import check_layout, decimals
    from cleverdon.show.table import render

    check_layout(format_, **layout)  # before anything takes long
    scores = options.evaluated(qrels, opened, measures, bounds=bounds, rest=rest, **how)
    if alpha is not None and baseline is not None:
        from cleverdon.risk import risk
        from cleverdon.show.risk import render as render_risk

        risks = [risk(scores, m, baseline=baseline, alpha=alpha) for m in scores.measures]
        every = [found for of_one in risks for found in of_one]
        click.echo(render_risk(every, format_, digits=decimals(scores, layout["digits"])))
        return
    shown = render(
        scores, format_, per_query=per_query, average=average, **layout, **options.terminal()
    )
    click.echo(shown)
