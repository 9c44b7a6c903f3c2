"""The command `cleverdon eval`: score runs against judgments."""

from __future__ import annotations

from pathlib import Path

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import command, excludes, flag, option, requires, writes
from cleverdon.settings import AVERAGES

# A quantile needs a number, too.
_AVERAGES = {word: meaning for word, meaning in AVERAGES.items() if word != "quantile"}
_NO_MEAN = [f"--average {word}" for word in _AVERAGES if word != "mean"]


class EvalOptions(options.LayoutOptions, options.RepeatsOptions):
    measures: tuple[str, ...] = options.measures
    average: str = option(
        click.Choice(list(_AVERAGES)),
        "How to average over queries. "
        + "; ".join(f"{word}: {meaning}" for word, meaning in _AVERAGES.items())
        + ".",
        default="mean",
    )
    per_query: bool = flag("Show the value for each query.", short="-q")
    sort: str = option(
        "MEASURE|name|given",
        "By a measure, the best run is first; those that have no value are last. With --per-query, "
        "the worst query is first as well: by its mean value over the runs or, with --baseline, by "
        "its mean difference to the baseline.",
        default="given",
        shell_complete=options.complete_measure,
    )
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")
    output_file: Path | None = options.output_file
    alpha: float | None = option(
        options.Number(min=0),
        "Show gains and losses against --baseline, not averages. Each loss counting 1 + ALPHA "
        "times: URisk, TRisk, ZRisk and GeoRisk.",
        flags="--risk",
        metavar="ALPHA",
    )
    baseline: str | None = option(
        "NAME",
        "The run to compare with, by name or file. It goes with --risk, and with --per-query and "
        "--sort.",
    )
    bounds: bool = flag(
        "Show the lowest and highest values of averages. Over all orders of tied "
        "results and all grades of unjudged ones."
    )
    rest: bool = flag(
        "With --bounds, also let the rankings continue. Over all ways in which they could "
        "continue through the collection of --docs."
    )
    down: bool = flag(
        "Show each query rank by rank, not averages. The grade, and the measures at every "
        "cut-off.  [default measures: P R DCG nDCG]"
    )
    unjudged: str | float | None = option(
        options.UnjudgedGrade(),
        "With --bounds: what unjudged results could be. Of any grade, not relevant, or of grades "
        "up to GRADE.  [default: any; in typed rankings, not-relevant]",
    )


@command(EvalOptions)
@requires("--risk", "--baseline")
@requires("--baseline", "--risk", "--per-query")
@requires("--baseline", "--risk", "--sort")
@requires(["--rest", "--unjudged"], "--bounds")
@excludes("--bounds", *_NO_MEAN, "--risk", because="the bounds are those of means")
@excludes("--risk", "--per-query", *_NO_MEAN, "--systems rows", "--systems columns", "--sort")
@excludes("--down", "--per-query", *_NO_MEAN, "--systems rows", "--systems columns", "--sort")
@excludes("--down", "--bounds", "--risk")
@excludes("--repeats", "--down", "--bounds", because="these are of single runs")
@excludes("--per-query", *_NO_MEAN, unless="-f json", because="each query has its own value")
@writes("--output")
def eval_command(given: EvalOptions) -> str:
    """Score RUNS against the judgments in QRELS.

    A run is named after its file, or as you say: NAME=FILE. Both may be TREC text, CSV or TSV with
    a header, Excel (book.xlsx#Sheet1), BEIR, MS MARCO, JSON, JSON Lines, Parquet, Arrow, or lists
    of ratings of Quepid, OpenSearch and Elasticsearch; packed by gzip, zstd, bzip2 or xz; or - for
    standard input.

    A table of a database is an address: duckdb:///x.db#run, or duckdb://#runs/*.parquet for Parquet
    larger than memory. The database ranks it, and only judged results leave it.

    Rankings can also be typed in place of files: R or N, or a grade, for each result; after | the
    judged documents that were not returned; ; between queries; NAME= before each of several.

    \b
    Examples:
      cleverdon eval qrels.txt bm25.run dense.run
      cleverdon eval qrels.txt bm25.run -m nDCG@10 -m 'AP(rel=2)' --per-query
      cleverdon eval 'R R N N R N | R R' -m P@5 -m AP
      cleverdon eval qrels.txt old=a/out.run new=b/out.run --format latex
      cleverdon eval qrels.txt *.run -m nDCG@10 -m AP --sort nDCG@10 --digits 3
      cleverdon eval ratings.xlsx bm25.csv --columns query="Query Text",doc=sku,grade=Rating
      cleverdon eval qrels.txt old.run new.run -q -m AP --sort AP --baseline old -o queries.csv
      cleverdon eval qrels.txt bm25.run --repeats 'dense=dense-*.run'
      zcat bm25.run.gz | cleverdon eval qrels.txt -
      cleverdon eval A='3 2 0 1; 0 1' B='2 3 1 0; 1 0' -m nDCG
      cleverdon eval '3 2 3 0 0 1 2 2 3 0' --down
    """
    runs = given.open_runs()

    from cleverdon.score_tables import check_layout, shown_digits

    check_layout(given.format_, **given.layout)  # before anything takes long
    if given.down:
        from cleverdon.by_rank import measure_by_rank

        scores = given.changed(measures=()).evaluate(runs, keep=1)
        by_rank = measure_by_rank(scores, given.measures or None)
        return by_rank.render(given.format_, digits=shown_digits(scores, given.digits))
    scores = given.evaluate(runs, bounds=given.bounds, rest=given.rest, unjudged=given.unjudged)
    baseline = options.resolve_baseline(given.baseline, given.runs)
    if given.alpha is not None and baseline is not None:
        from cleverdon.risk import measure_risk

        found = measure_risk(scores, baseline=baseline, alpha=given.alpha)
        return found.render(given.format_, digits=shown_digits(scores, given.digits))
    on_screen = options.terminal() if given.output_file is None else {}
    return scores.render(
        given.format_,
        per_query=given.per_query,
        average=given.average,
        baseline=baseline,
        **given.layout,
        **on_screen,
    )
