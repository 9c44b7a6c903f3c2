"""The command `cleverdon logs bridge`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import command, option, requires
from cleverdon.logs.cli import CountingOptions, LogOptions

if TYPE_CHECKING:
    from cleverdon.logs.bridge.analysis import Bridge


class BridgeOptions(
    LogOptions, CountingOptions, options.EvaluationOptions, rare=("level", "confidence", "seed")
):
    """The options of `cleverdon logs bridge`."""

    query_texts: str = option(
        options.FILE, "The queries' texts: TSV, JSONL, TREC topics, ...", required=True
    )
    qrels: str = option(options.FILE, "The judgments.", required=True)
    runs: tuple[str, ...] = option(
        options.FILE,
        "A run, to be scored with queries weighted by traffic; again for more.",
        metavar="RUN",
        multiple=True,
    )
    measures: tuple[str, ...] = options.measures_named(
        "A measure of runs, again for more.", default="nDCG@10"
    )
    metric: str | None = option(
        "METRIC",
        "The online metric to correlate measures with. Over queries: QueryCTR, ClickRank, "
        "Success, ...  [default: QueryCTR, where the log has clicks]",
    )
    production: str | None = option(
        "NAME", "The run of the ranker that users saw, for the correlation.  [default: the first]"
    )
    least: int = option(
        options.COUNT,
        "Correlate over queries with at least N searches. Or whatever the denominator of the "
        "metric counts.",
        metavar="N",
        default=10,
    )
    well: float = option(
        options.Number(0, 1),
        "The weight of a search that went well. To choose what to judge next; one that failed "
        "counts 1.",
        metavar="X",
        default=0.1,
    )
    write_queries: Path | None = option(
        options.OUTPUT, "Write the queries to judge next to a file. Id and text, separated by tabs."
    )
    interval: str = option(
        click.Choice(["t", "percentile"]),
        "The method of intervals of means by traffic; those of correlations are percentiles.",
        default="t",
    )
    level: float = options.level("One minus the confidence of the intervals.")
    confidence: float | None = options.confidence_of_level
    seed: int = options.seed("intervals")
    format_: str = options.formats(
        "How to print; json has all digits.", ("table", "markdown", "html", "json")
    )


@command(BridgeOptions, name="bridge")
@requires("--metric", "--runs")
@requires("--production", "--runs")
def bridge_command(given: BridgeOptions) -> Bridge:
    """Compare judgments with the traffic in LOG.

    Shows which judged queries users ask, and their share of all searches; and which queries to
    judge next. With runs, it also shows measures weighted by traffic, and whether a measure agrees
    with an online metric over queries.

    \b
    Examples:
      cleverdon logs bridge made_up --query-texts texts.tsv --qrels qrels.txt
      cleverdon logs bridge made_up --query-texts texts.tsv --qrels qrels.txt --top 50 \\
          --write-queries next.tsv
      cleverdon logs bridge made_up --query-texts texts.tsv --qrels qrels.txt --runs bm25.run \\
          --runs dense.run -m nDCG@10 --metric ClickRank
    """
    if given.write_queries is not None:
        options.check_output(given.write_queries, given.query_texts, given.qrels, *given.runs)
    runs = options.opened(given.runs)

    from cleverdon._common.progress_bar import bar, say

    with bar("reading the log") as progress:
        from cleverdon._common.text import counted
        from cleverdon.logs.bridge.analysis import bridge, find_ratio
        from cleverdon.logs.bridge.traffic import match_queries, write_queries

        judgments = given.read_judgments()
        queries = match_queries(given.query_texts, judgments, settings=given.settings)
        log = given.open_log()
        if given.metric:
            find_ratio(given.metric)  # before anything takes long
        found = bridge(
            log,
            queries,
            scores=given.evaluate(runs, judgments=judgments) if runs else None,
            metric=given.metric,
            production=given.production,
            least=given.least,
            well=given.well,
            interval=given.interval,
            confidence=given.confidence or 1 - given.level,
            seed=given.seed,
            settings=given.settings,
            progress=progress,
        )
    if given.write_queries is not None:
        count = write_queries(found.to_judge, given.write_queries)
        say(f"cleverdon: {given.write_queries}: {counted(count, 'query')} to judge")
    return found
