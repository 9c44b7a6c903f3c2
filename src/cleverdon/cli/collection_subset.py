"""cleverdon collection subset: a random part of judgments, or those of another pool."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import collection_options as shared
from cleverdon.cli import options

_SHARE = options.SHARE


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, type=click.Path(allow_dash=True))
@shared.output
@click.option(
    "--depth",
    type=options.COUNT,
    metavar="K",
    help="Keep what a pool of the first K results of RUNS has.",
)
@click.option("--all", "whole", is_flag=True, help="Keep what is anywhere in RUNS.")
@click.option(
    "--leave-out",
    multiple=True,
    metavar="NAME",
    help="A run that does not contribute to the pool; again for more.",
)
@click.option("--queries-share", type=_SHARE, metavar="SHARE", help="Keep a share of the queries.")
@click.option("--queries-count", type=options.COUNT, metavar="N", help="Keep so many queries.")
@click.option(
    "--share",
    type=_SHARE,
    metavar="SHARE",
    help="Keep a share of each query's judgments, and one at least.",
)
@click.option(
    "--per-query", type=options.COUNT, metavar="N", help="Keep so many judgments of each query."
)
@click.option(
    "--by-grade",
    is_flag=True,
    help="Of --share and --per-query: each grade gives its share, give or take one.",
)
@click.option(
    "--mark",
    is_flag=True,
    help="Of --share and --per-query: keep the others as pooled and not judged (-1), as infAP "
    "wants it.",
)
@options.seed("judgments")
@options.qrels_format
@options.runs_read
def command(
    qrels: str,
    runs: tuple[str, ...],
    output: str,
    to: str | None,
    depth: int | None,
    whole: bool,
    leave_out: tuple[str, ...],
    queries_share: float | None,
    queries_count: int | None,
    share: float | None,
    per_query: int | None,
    by_grade: bool,
    mark: bool,
    seed: int,
    qrels_format: str | None,
    run_format: str | None,
    order_by: str,
) -> None:
    """Keep a part of QRELS: drawn at random, or what a pool of RUNS would have had judged.

    What is drawn depends on the seed and the topic, not on the order of the file. Where several
    parts are asked for, the pool comes first, then queries, then judgments. Subtopics, strata and
    samples are written as they were read.

    \b
    Examples:
      cleverdon collection subset qrels.txt *.run --depth 10 -o shallow.txt
      cleverdon collection subset qrels.txt *.run --depth 100 --leave-out dense -o without.txt
      cleverdon collection subset qrels.txt --queries-count 25 --seed 1 -o some.txt
      cleverdon collection subset qrels.txt --share 0.2 --by-grade --mark -o sampled.txt
    """
    _check(locals())
    options.check_one_stdin(qrels, *runs)
    shared.check_output(output, qrels, *(options.name_and_file(run)[1] for run in runs))
    opened = options.opened(runs) if runs else {}

    from cleverdon.cli.progress import bar
    from cleverdon.collection.subsetting import pooled, some_judgments, some_topics
    from cleverdon.show.qrels_made import told_of_subset

    judgments = shared.read_qrels(qrels, qrels_format)
    if runs:
        with bar("reading runs") as update:
            found = pooled(
                judgments,
                opened,
                depth=depth,
                leave_out=leave_out,
                format=run_format,
                order_by=order_by,
                progress=shared.telling(update),
            )
        shared.say(told_of_subset(found))
        judgments = found.judgments
    if queries_share or queries_count:
        found = some_topics(judgments, share=queries_share, count=queries_count, seed=seed)
        shared.say(told_of_subset(found))
        judgments = found.judgments
    if share or per_query:
        found = some_judgments(
            judgments, share=share, count=per_query, seed=seed, by_grade=by_grade, mark=mark
        )
        shared.say(told_of_subset(found))
        judgments = found.judgments
    shared.write_qrels(judgments, output, to)


def _check(given: dict[str, Any]) -> None:
    """Whether the options go together."""
    for one, other in (
        ("queries_share", "queries_count"),
        ("share", "per_query"),
        ("depth", "whole"),
    ):
        if given[one] and given[other]:
            names = [f"--{name}".replace("_", "-").replace("whole", "all") for name in (one, other)]
            raise click.UsageError(f"{names[0]} and {names[1]} do not go together")
    if (given["by_grade"] or given["mark"]) and not (given["share"] or given["per_query"]):
        raise click.UsageError("--by-grade and --mark go with --share or --per-query")
    pool = given["depth"] or given["whole"]
    if bool(given["runs"]) != bool(pool) or (given["leave_out"] and not pool):
        raise click.UsageError("RUNS go with --depth K or --all, and these with RUNS")
    drawn = ("queries_share", "queries_count", "share", "per_query")
    options.check_of_use(given["runs"], ["run_format", "order_by"], "RUNS")
    random = any(given[name] for name in drawn)
    options.check_of_use(random or not pool, ["seed"], "what is drawn: --share and the like")
    if not pool and not random:
        raise click.UsageError(
            "which part? --depth with RUNS, --queries-share, --queries-count, --share or "
            "--per-query"
        )
