"""cleverdon logs bridge: judgments beside traffic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import logs_options, options
from cleverdon.cli.logs_settings import counting

if TYPE_CHECKING:
    from cleverdon.online.bridge import Correlation, Topics
    from cleverdon.online.settings import Settings
    from cleverdon.online.stages import Stages
    from cleverdon.scores import Scores

_METRICS = ("QueryCTR", "PageCTR")
"""What measures are correlated with where no metric is named: the first that the log supports."""


@click.command()
@logs_options.log
@click.option(
    "--topics",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="The topics' texts: TSV, JSONL, TREC topics, ...",
)
@click.option("--qrels", required=True, type=click.Path(), metavar="FILE", help="The judgments.")
@click.option(
    "--run",
    "runs",
    multiple=True,
    type=click.Path(),
    metavar="RUN",
    help="A run, to be scored by traffic; again for more.",
)
@options.measures_named("A measure of runs, again for more.", default="nDCG@10")
@click.option(
    "--metric",
    metavar="METRIC",
    help="The online metric that measures are correlated with over queries: QueryCTR, ClickRank, "
    "Success, ...  [default: QueryCTR, where the log has clicks]",
)
@click.option(
    "--production",
    metavar="NAME",
    help="The run of the ranker that users saw, for the correlation.  [default: the first]",
)
@click.option(
    "--least",
    type=options.COUNT,
    default=10,
    show_default=True,
    metavar="N",
    help="Correlate over queries whose online value rests on at least N, as of QueryCTR N queries.",
)
@click.option(
    "--well",
    type=options.Number(0, 1),
    default=0.1,
    show_default=True,
    metavar="X",
    help="What to judge next: a query that failed counts 1, and one that went well X.",
)
@click.option(
    "--write-topics",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the queries to judge next as topics: id and text, by tabs.",
)
@options.level("One minus the level of the intervals.")
@options.seed("intervals")
@options.formats("How to print; json has all digits.", ("table", "markdown", "html", "json"))
@counting
@options.settings
@options.judgments
def command(
    sources: tuple[str, ...],
    reading: dict[str, Any],
    topics: str,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    metric: str | None,
    production: str | None,
    least: int,
    well: float,
    write_topics: Path | None,
    level: float,
    seed: int,
    format_: str,
    settings: Settings,
    **how: Any,
) -> None:
    """Lay judgments beside the traffic in LOG.

    Which judged topics are asked, and how much of all queries they are; which queries to judge
    next; and with runs, what measures are when topics count as often as they are asked, and whether
    a measure agrees with an online metric over queries.

    \b
    Examples:
      cleverdon logs bridge made_up --topics topics.tsv --qrels qrels.txt
      cleverdon logs bridge made_up --topics topics.tsv --qrels qrels.txt --top 50 \\
          --write-topics next.tsv
      cleverdon logs bridge made_up --topics topics.tsv --qrels qrels.txt --run bm25.run \\
          --run dense.run -m nDCG@10 --metric ClickRank
    """
    if not runs and (metric or production):
        raise click.UsageError("--metric and --production go with --run")
    if write_topics is not None:
        options.check_output(write_topics, topics, qrels, *runs)
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar, say

    with bar("reading the log"):
        from cleverdon.data import Judgments
        from cleverdon.online import bridge
        from cleverdon.online.bridge.by_text import find_ratio
        from cleverdon.profiles import profile
        from cleverdon.show.bridge import render
        from cleverdon.show.grid import counted

        tool = profile(how["profile"])
        judgments = Judgments.read(
            qrels,
            format=how.pop("qrels_format") or tool.qrels_format,
            duplicates=how["duplicates"] or tool.settings.duplicates,
        )
        known = bridge.known_topics(topics, judgments, settings=settings)
        log = logs_options.opened(sources, reading)
        if metric:
            find_ratio(metric)  # before anything takes long
    with bar("counting"):
        found = bridge.traffic(log, settings)
        covered = bridge.coverage(found, known)
        next_ones = bridge.to_judge(found, known, well=well)
    weighting, correlations = None, []
    if opened:
        scores = options.evaluated(judgments, opened, measures, **how)
        chance: dict[str, Any] = {"confidence": 1 - level, "seed": seed}
        with bar("weighing"):
            weighting = bridge.weighted(scores, covered.weights, **chance)
            correlations = _correlations(
                scores, found.stages, known, metric, system=production, least=least, **chance
            )
    if write_topics is not None:
        count = bridge.write_topics(next_ones, write_topics)
        say(f"cleverdon: {write_topics}: {counted(count, 'topic')} to judge")
    terminal = options.terminal() if format_ == "table" else {}
    shown = render(found, covered, next_ones, weighting, correlations, format=format_, **terminal)
    click.echo(shown)


def _correlations(
    scores: Scores, stages: Stages, topics: Topics, metric: str | None, **how: Any
) -> list[Correlation]:
    """A correlation for each measure; none where no metric is named and the log has no clicks."""
    from cleverdon.online.bridge import correlated
    from cleverdon.online.metrics.registry import find

    supported = (name for name in _METRICS if not find(name).missing(stages))
    metric = metric or next(supported, None)
    if metric is None:
        return []
    return [
        correlated(scores, stages, topics, measure=measure, metric=metric, **how)
        for measure in scores.measures
    ]
