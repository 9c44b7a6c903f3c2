"""The commands `cleverdon collection stats` and `diff`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon.cli import options
from cleverdon.cli import qrels_files as shared
from cleverdon.cli.declarations import (
    argument,
    command,
    excludes,
    flag,
    one_stdin,
    option,
    requires,
)
from cleverdon.cli.texts import queries
from cleverdon.comparison.cli.options import ComparisonOptions

if TYPE_CHECKING:
    from cleverdon.tables.result import Result


class StatsOptions(options.ReadingOptions):
    qrels: str = argument(options.QRELS)
    runs: tuple[str, ...] = argument(options.RUN, nargs=-1)
    measure: str | None = option(
        "MEASURE",
        "By which queries are hard: its mean over RUNS.  [default: nDCG@10 where relevant "
        "documents have several grades and --rel is 1, else AP from --rel on]",
        short="-m",
        shell_complete=options.complete_measure,
    )
    ks: tuple[int, ...] = option(
        options.COUNT,
        "Count results among the first K that nobody judged; again for more.  [default: 5, 10, "
        "20, 100]",
        flags="-k",
        metavar="K",
        multiple=True,
    )
    depth: int = option(
        options.COUNT,
        "How many results of each run to look at. For the depth of the pool and for who found "
        "what.",
        default=100,
    )
    reusable: bool = flag(
        "What a system loses if it is not pooled. It takes long where there are many.  [default: "
        "reuse]",
        flags="--reuse/--no-reuse",
        default=True,
    )
    rel: float = options.rel()
    attributes: str | None = options.attributes(
        "A table of attributes of queries. CSV or TSV with a header: count by one of them, and "
        "compare ids."
    )
    by: str | None = options.by
    queries: str | None = queries
    per_query: bool = flag("A row for each query instead.")
    holes: int | None = option(
        options.COUNT,
        "Instead: count unjudged results in the first K. For each query and run.",
        metavar="K",
    )
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")
    section: str | None = options.section


@command(StatsOptions)
@requires("--by", "--attributes")
@excludes("--per-query", "--holes", because="these are two tables")
@requires(["-m", "-k", "--depth", "--reuse", "--holes", "--run-format", "--order-by"], "RUNS")
@one_stdin("QRELS", "RUNS")
def stats_command(given: StatsOptions) -> Result:
    """Describe a collection: its judgments and grades, and what RUNS make of them.

    Without RUNS: judged and relevant documents per query, grades, documents of several queries.
    With RUNS also: results that nobody judged, the apparent depth of the pool, relevant documents
    that only one system found, what a system would lose had it not been pooled, hard and easy
    queries. Below are warnings in words, each with what to do next.

    \b
    Examples:
      cleverdon collection stats qrels.txt
      cleverdon collection stats qrels.txt *.run
      cleverdon collection stats qrels.txt *.run --per-query -f csv > topics.csv
      cleverdon collection stats qrels.txt *.run --holes 10
      cleverdon collection stats qrels.txt --attributes topics.csv --by language
    """
    opened = options.opened(given.runs) if given.runs else None

    from cleverdon._common.progress_bar import bar
    from cleverdon.collection.description import KS
    from cleverdon.collection.stats import collection_stats
    from cleverdon.collection.tables import stats_warnings

    judgments = shared.read_qrels(given.qrels, given.qrels_format)
    with bar("reading runs") as update:
        found = collection_stats(
            judgments,
            opened,
            attributes=given.attributes,
            by=given.by,
            texts=given.queries,
            measure=given.measure,
            ks=(*(given.ks or KS), *([] if given.holes is None else [given.holes])),
            depth=given.depth,
            rel=given.rel,
            reusable=given.reusable,
            run_format=given.run_format,
            order_by=given.order_by,
            progress=update,
        )
    if given.holes is not None:
        return found.holes(given.holes)
    if given.per_query:
        return found.by_query()
    if given.format_ in ("csv", "tsv"):  # a table for programs has no place for warnings
        shared.say(stats_warnings(found))
    return found


class DiffOptions(options.ReadingOptions, ComparisonOptions):
    before: str = argument(options.FILE)
    after: str = argument(options.FILE)
    runs: tuple[str, ...] = argument(options.FILE, nargs=-1)
    measures: tuple[str, ...] = options.measures_named(
        "With RUNS: a measure, such as nDCG@10; again for more.  [default: nDCG@10, by all grades, "
        "and AP, from --rel on]"
    )
    confidence: float | None = options.confidence_of_level
    rel: float = options.rel()
    per_query: bool = flag("A row for each query instead.")
    changes: bool = flag("A row for each judgment that changed instead.")
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")
    section: str | None = options.section


@command(DiffOptions)
@excludes("--per-query", "--changes", because="these are two tables")
@requires(["-m", *ComparisonOptions.flags()], "RUNS")
@requires(["--confidence", "--run-format", "--order-by"], "RUNS")
@excludes("RUNS", "--per-query", "--changes", because="these are about judgments alone")
def diff_command(given: DiffOptions) -> Result:
    """Say what changed from the judgments BEFORE to those AFTER, and what that does to RUNS.

    Judgments that were added, removed and changed, from which grade to which, query by query. With
    RUNS: scores and ranks with both, how alike the two orders are (tau, and tau-AP with the order
    BEFORE as the truth, with intervals over queries), and which differences are shown by one and
    not by the other: all of it on the queries that both have.

    \b
    Examples:
      cleverdon collection diff old.txt new.txt
      cleverdon collection diff old.txt new.txt *.run -m nDCG@10
      cleverdon collection diff human.txt model.txt *.run --baseline bm25
      cleverdon collection diff old.txt new.txt --changes -f csv
    """
    from cleverdon._common.progress_bar import bar
    from cleverdon.collection.difference import diff

    before, after = (
        shared.read_qrels(file, given.qrels_format) for file in (given.before, given.after)
    )
    runs = options.opened(given.runs) if given.runs else None
    with bar("comparing judgments") as update:
        how = given.keywords(diff, before=before, after=after, runs=runs, progress=update)
        found = diff(**how, **(given.comparing if runs else {}))
    if given.changes:
        return found.by_judgment()
    return found.by_query() if given.per_query else found
