"""The commands that make pools, draw samples, and turn them into qrels once they are judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options, texts
from cleverdon.cli.declarations import (
    Options,
    argument,
    command,
    excludes,
    needs_any,
    no_stdin,
    option,
    requires,
)
from cleverdon.pooling.choices import (
    ALLOCATIONS,
    PERSISTENCE,
    POOL_DEPTH,
    POOL_METHODS,
    QRELS_KINDS,
    SAMPLE_SIZE,
    SAMPLING_WEIGHTS,
)

if TYPE_CHECKING:
    from cleverdon.pooling.pools import Pool


def _output_of_pool(help: str) -> Path:
    def check(ctx: click.Context, param: click.Parameter, path: Path) -> Path:
        if str(path) == "-":
            raise click.BadParameter(
                "a pool is written to a file, and its sheet to another: name a file"
            )
        return path

    made: Path = option(options.OUTPUT, help, short="-o", required=True, callback=check)
    return made


def _parse_strata(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> list[tuple[int, float]] | None:
    """Parse strata as in 10:1,100:0.2."""
    strata = []
    for part in value.split(",") if value else ():
        depth, _, share = part.partition(":")
        try:
            strata.append((int(depth), float(share)))
        except ValueError:
            raise click.UsageError(
                f"--strata {value}: expected DEPTH:SHARE, as in 10:1,100:0.2, found {part!r}"
            ) from None
    return strata or None


class MakeOptions(texts.TextOptions):
    """The options of `cleverdon pool make`."""

    runs: tuple[str, ...] = options.runs
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    columns: str | None = options.columns
    output: Path = _output_of_pool(
        "The pool to write. The sheet for judges is written next to it, as .sheet.tsv."
    )
    method: str = option(
        click.Choice(list(POOL_METHODS)),
        "How to choose documents. "
        + "; ".join(f"{name}: {meaning}" for name, meaning in POOL_METHODS.items())
        + ".",
        default="depth",
    )
    depth: int | None = options.depth(
        f"Look at the first K results of each run and query.  [default: {POOL_DEPTH} for depth "
        "without a budget, else all]"
    )
    budget: int | None = option(
        options.COUNT,
        "The number of documents to judge for each query. Needed by all methods except depth and "
        "stratified. With depth, the first N by their best rank.",
        metavar="N",
    )
    strata: list[tuple[int, float]] | None = option(
        "DEPTH:SHARE,...",
        "With stratified: last ranks of strata, and shares. A stratum's share is how much of it "
        "is drawn.  [default: ",
        callback=_parse_strata,
    )
    weight: str | None = option(
        click.Choice(SAMPLING_WEIGHTS),
        "With probability: the weight.  [default: ap, how much a rank bears on AP]",
    )
    persistence: float | None = option(
        options.SHARE,
        "With rbp: the probability that a user reads on to the next rank.  "
        f"[default: {PERSISTENCE}]",
        short="-p",
    )
    judged: str | None = option(
        options.FILE,
        "Judgments so far: pooled, and not on the sheet.",
        metavar="QRELS",
    )
    qrels_format: str | None = options.qrels_format
    queries: str | None = texts.queries
    documents: str | None = texts.documents
    seed: int = options.seed("draws, and the same order of documents")
    format_: str = options.formats("Output format of the summary of the pool.")


_A_BUDGET = "the number of documents of each query"
_BY_STRATA = "--strata says how deep and how many"


@command(MakeOptions)
@requires("--method rrf", "--budget", because=_A_BUDGET)
@requires("--method rbp", "--budget", because=_A_BUDGET)
@requires("--method combmnz", "--budget", because=_A_BUDGET)
@requires("--method probability", "--budget", because=_A_BUDGET)
@excludes("--method stratified", "--budget", "--depth", because=_BY_STRATA)
@requires("--strata", "--method stratified")
@requires("--weight", "--method probability")
@requires("--persistence", "--method rbp", "--weight rbp")
@requires("--qrels-format", "--judged")
def make_command(given: MakeOptions) -> Pool:
    """Pool the results of RUNS, for people to judge.

    Two files are written. The pool has the runs and ranks of each document, and for a sample its
    stratum and the probability with which it was drawn. The sheet is for judges: queries and
    documents in a random order, with their texts where --queries and --documents are given. It does
    not show which run returned a document.

    \b
    Examples:
      cleverdon pool make *.run -k 50 -o pool.tsv
      cleverdon pool make *.run --method rrf --budget 100 -o pool.tsv
      cleverdon pool make *.run --method stratified --strata 10:1,50:0.3,200:0.05 -o pool.tsv
      cleverdon pool make *.run --method probability --budget 60 --seed 7 -o pool.tsv
      cleverdon pool make *.run -o pool.tsv --queries topics.tsv --documents corpus.jsonl
      cleverdon pool qrels pool.tsv filled_in.tsv -o qrels.txt
    """
    from cleverdon._common.progress_bar import bar, say
    from cleverdon._common.text import counted
    from cleverdon.pooling.files import check_replaceable, sheet_beside, write_pool
    from cleverdon.pooling.pool_methods import pool

    sheet = sheet_beside(given.output)
    options.check_output(given.output)
    options.check_output(sheet)
    check_replaceable(given.output)  # before anything takes long
    with bar("pooling") as update:
        runs = options.opened(given.runs)
        made = pool(**given.keywords(pool, runs=runs, progress=update))
        for note in made.notes:
            say(f"cleverdon: {note}")
        rows = list(made.sheet())
        write_pool(made, given.output, sheet=sheet, **given.texts.of_sheet(rows))
    say(f"{given.output}: the pool; {sheet}: {counted(len(rows), 'document')} for judges to grade")
    return made


class QrelsOptions(Options):
    """The options of `cleverdon pool qrels`."""

    pool: str = argument(options.FILE)
    sheets: tuple[str, ...] = argument(options.FILE, nargs=-1, required=True)
    output: Path = option(options.OUTPUT, "The qrels to write.", short="-o", required=True)
    qrels_kind: str | None = option(
        click.Choice(list(QRELS_KINDS)),
        "What is written with the grades; a sample needs it. "
        + "; ".join(f"{name}: {meaning}" for name, meaning in QRELS_KINDS.items())
        + ".",
    )
    qrels_format: str | None = options.qrels_format
    columns: str | None = options.columns


@command(QrelsOptions)
def qrels_command(given: QrelsOptions) -> None:
    """Turn POOL and the SHEETS that judges filled in into qrels.

    SHEETS may be any qrels as well. A document of the pool without a grade is written with grade
    -1: pooled, and not judged; so is a document that a sample did not draw, even if it has a grade.
    The format of plain qrels follows from the name of the file (.json, .csv, .parquet), else it
    is TREC's.

    \b
    Examples:
      cleverdon pool qrels pool.tsv pool.sheet.tsv -o qrels.txt
      cleverdon pool qrels pool.tsv anna.tsv ben.tsv --qrels-kind strata -o qrels.strata
      cleverdon eval qrels.strata --qrels-format strata *.run -m xinfAP
    """
    options.check_output(given.output)

    from cleverdon._common.progress_bar import say
    from cleverdon.cli.qrels_files import write_qrels
    from cleverdon.pooling.files import read_grades, read_pool
    from cleverdon.pooling.pools import judged_pool

    grades = read_grades(given.sheets, format=given.qrels_format)
    found = judged_pool(read_pool(given.pool), grades, kind=given.qrels_kind)
    write_qrels(found.judgments, str(given.output))
    say(found.summary)
    for line in found.warnings:
        say(f"cleverdon: warning: {line}")


def _parse_shares(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, float]:
    shares = {}
    for given in value:
        name, _, text = given.rpartition("=")
        try:
            share = float(text)
        except ValueError:
            share = -1.0
        if not name or not 0 < share < 1:
            raise click.UsageError(
                f"--stratum-share {given}: expected STRATUM=SHARE, a share between 0 and 1, as in "
                "returned=0.02"
            )
        shares[name] = share
    return shares


class SampleOptions(Options):
    """The options of `cleverdon pool sample`."""

    docs: str = argument(options.FILE)
    qrels: str | None = option(options.FILE, "Judgments: a query's judged documents are not drawn.")
    qrels_format: str | None = options.qrels_format
    pool: str | None = option(
        options.FILE,
        "A pool of `cleverdon pool make`. Its documents to judge are not drawn. If it is a "
        "sample, the documents that it did not draw may be drawn here.",
    )
    queries: tuple[str, ...] = option(
        "ID",
        "A query to draw for; repeat for more.  [default: all of the judgments or the pool]",
        flags="--query",
        multiple=True,
    )
    output: Path = _output_of_pool(
        "The sample to write. The sheet for judges is written next to it, as .sheet.tsv."
    )
    size: int = option(
        options.COUNT, "How many documents to draw for each query.", short="-n", default=SAMPLE_SIZE
    )
    strata_file: str | None = option(
        options.FILE,
        "Draw by strata: a line for each document and its stratum; all others are in stratum rest.",
    )
    runs: tuple[str, ...] = option(
        options.FILE,
        "Draw by two strata. What some run returned below the pool, and what none returned; "
        "repeat for more runs.",
        multiple=True,
        metavar="RUN",
    )
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    allocation: str | None = option(
        click.Choice(list(ALLOCATIONS)),
        "How the sample is divided among strata. "
        + "; ".join(f"{name}: {meaning}" for name, meaning in ALLOCATIONS.items())
        + ", --stratum-share.  [default: equal with --runs, else proportional]",
    )
    stratum_shares: dict[str, float] = option(
        "STRATUM=SHARE",
        "With neyman: guessed share of relevant, as returned=0.02.",
        flags="--stratum-share",
        multiple=True,
        callback=_parse_shares,
    )
    seed: int = options.seed("documents")
    columns: str | None = options.columns


@command(SampleOptions)
@needs_any("--qrels", "--pool", because="documents that are judged, or to be judged, are not drawn")
@excludes("--strata-file", "--runs")
@no_stdin("DOCS", because="it is read twice")
@requires("--stratum-share", "--allocation neyman")
@requires("--allocation", "--strata-file", "--runs", because="it divides a sample among strata")
@requires("--run-format", "--runs")
@requires("--order-by", "--runs")
@requires("--qrels-format", "--qrels")
def sample_command(given: SampleOptions) -> Pool:
    """Draw documents of the collection that no pool holds, to estimate what the pool missed.

    DOCS has the ids of the whole collection: one a line, or the documents themselves (corpus.jsonl,
    TREC's tags, columns), packed or not. It is read several times and not kept in memory, so it may
    be large. Two files are written: the sample, with the way it was drawn, and the sheet for
    judges. Once that is filled in, `cleverdon recall --drawn SAMPLE --sample SHEET` estimates
    recall.

    \b
    Examples:
      cleverdon pool sample docs.txt --qrels qrels.txt -n 200 -o sample.tsv
      cleverdon pool sample corpus.jsonl.gz --pool pool.tsv --seed 7 -o sample.tsv
      cleverdon pool sample docs.txt --qrels qrels.txt --runs a.run --runs b.run -o sample.tsv
      cleverdon pool sample docs.txt --qrels qrels.txt --strata-file kinds.tsv -n 500 -o sample.tsv
    """
    from cleverdon._common.progress_bar import bar, say
    from cleverdon.formats.sheets import check_replaceable
    from cleverdon.pooling.files import sheet_beside, write_pool
    from cleverdon.pooling.recall.sampling import sample_collection

    sheet = sheet_beside(given.output)
    options.check_output(given.output)
    options.check_output(sheet)
    check_replaceable(sheet)  # before anything is drawn, and before the sample's file is replaced
    with bar("drawing") as update:
        runs = options.opened(given.runs) if given.runs else None
        others = {"strata": given.strata_file, "runs": runs, "progress": update}
        made = sample_collection(**given.keywords(sample_collection, **others))
        write_pool(made, given.output, sheet=sheet)
    say(f"{given.output}: the sample; {sheet}: for judges to grade")
    return made
