"""cleverdon pool sample: documents that no pool holds, drawn at random, to see what was missed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options, pool_options

if TYPE_CHECKING:
    from cleverdon.pool import Pool

_ALLOCATIONS = ("proportional", "equal", "neyman")


@click.command()
@click.argument("docs", type=click.Path())
@click.option(
    "--qrels",
    metavar="FILE",
    type=click.Path(),
    help="Judgments: a query's judged documents are not drawn.",
)
@options.qrels_format
@click.option(
    "--pool",
    "pool_file",
    metavar="FILE",
    type=click.Path(),
    help="A pool, as `cleverdon pool make` writes it: what is to be judged of it is not drawn. Of "
    "a pool that is a sample itself, the documents that it did not draw may be.",
)
@click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="ID",
    help="A query to draw for; again for more.  [default: all of the judgments or the pool]",
)
@pool_options.output("The sample to write. The sheet for judges is beside it, as .sheet.tsv.")
@click.option(
    "-n",
    "--size",
    type=options.COUNT,
    default=200,
    show_default=True,
    help="How many documents to draw for each query.",
)
@click.option(
    "--strata",
    metavar="FILE",
    type=click.Path(),
    help="Draw by strata: document and stratum, a line each; what is not there is of stratum rest.",
)
@click.option(
    "--runs",
    "runs",
    multiple=True,
    metavar="RUN",
    type=click.Path(),
    help="Draw by two strata: what some run returned below the pool, and what none did; again for "
    "more runs.",
)
@options.runs_read
@click.option(
    "--allocation",
    type=click.Choice(_ALLOCATIONS),
    help="How the sample is divided among strata. proportional: by size; equal; neyman: by size "
    "and by how much of each is guessed to be relevant, --share.  [default: equal with --runs, "
    "else proportional]",
)
@click.option(
    "--share",
    "shares",
    multiple=True,
    metavar="STRATUM=SHARE",
    help="With neyman: which share of a stratum is guessed to be relevant, as in returned=0.02.",
)
@options.seed("documents")
def command(
    docs: str,
    qrels: str | None,
    qrels_format: str | None,
    pool_file: str | None,
    queries: tuple[str, ...],
    output: Path,
    size: int,
    strata: str | None,
    runs: tuple[str, ...],
    run_format: str | None,
    order_by: str,
    allocation: str | None,
    shares: tuple[str, ...],
    seed: int,
) -> None:
    """Draw documents of the collection that no pool holds, to estimate what the pool missed.

    DOCS has the ids of the whole collection: one a line, or the documents themselves (corpus.jsonl,
    TREC's tags, columns), packed or not. It is read twice and never held, so that it may be large.
    Two files are written: the sample, which says how it was drawn, and the sheet for judges. Once
    that is filled in, `cleverdon recall --drawn SAMPLE --sample SHEET` estimates how much there is.

    \b
    Examples:
      cleverdon pool sample docs.txt --qrels qrels.txt -n 200 -o sample.tsv
      cleverdon pool sample corpus.jsonl.gz --pool pool.tsv --seed 7 -o sample.tsv
      cleverdon pool sample docs.txt --qrels qrels.txt --runs a.run --runs b.run -o sample.tsv
      cleverdon pool sample docs.txt --qrels qrels.txt --strata language.tsv -n 500 -o sample.tsv
    """
    if qrels is None and pool_file is None:
        raise click.UsageError(
            "it takes --qrels or --pool, or both: what is judged, or is to be, is not drawn"
        )
    if strata and runs:
        raise click.UsageError("strata are by --strata or by --runs, and not by both")
    if docs == "-":
        raise click.UsageError("DOCS is read twice, and cannot be standard input")
    if shares and allocation != "neyman":
        raise click.UsageError("--share goes with --allocation neyman")
    if allocation and not (strata or runs):
        raise click.UsageError("--allocation divides a sample among strata: --strata or --runs")
    options.check_of_use(runs, ("run_format", "order_by"), "--runs")
    options.check_of_use(qrels, ("qrels_format",), "--qrels")
    sheet = pool_options.sheet_beside(output)
    read = (docs, qrels, pool_file, strata, *(options.name_and_file(run)[1] for run in runs))
    for file in (output, sheet):
        options.check_output(file, *read)

    from cleverdon.cli.progress import bar
    from cleverdon.pool.file import write_pool
    from cleverdon.pool.recall import Design, draw_sample
    from cleverdon.read.ids import read_ids
    from cleverdon.read.pairs import read_pairs
    from cleverdon.read.sheet import check_replaceable, write_sheet

    check_replaceable(sheet)  # before anything is drawn, and before the sample's file is replaced
    pooled = _pooled(qrels, qrels_format, pool_file, queries)
    table = None
    if strata:
        with bar("reading strata") as update:
            headings = ("doc_id", "docid", "id")
            table = read_pairs(strata, ("document", "stratum"), headings=headings, progress=update)
    design = Design(
        size,
        how=allocation or ("equal" if runs else "proportional"),
        shares=dict(map(_share, shares)),
        stratum_of=table,
        returned=_returned(runs, run_format, order_by) if runs else None,
    )
    with bar("drawing") as update:

        def ids() -> Iterator[str]:
            return read_ids(docs, progress=update)

        pool = draw_sample(ids, pooled, design, seed=seed)
        write_pool(pool, output)
        write_sheet(pool.sheet(), sheet)
    click.echo(_summary(pool))
    click.echo(f"{output}: the sample; {sheet}: for judges to grade", err=True)


def _pooled(
    qrels: str | None, qrels_format: str | None, pool_file: str | None, queries: tuple[str, ...]
) -> dict[str, set[str]]:
    """The documents that are out of question, of each query that is wanted."""
    from cleverdon.errors import InputError, suggest

    found: dict[str, set[str]] = {}
    if qrels is not None:
        from cleverdon.data import Judgments

        judged = Judgments.read(qrels, format=qrels_format)
        # What is pooled and not judged may be relevant, and is drawn with the others.
        for query in judged.queries:
            found[query] = {doc for doc, grade in judged[query].items() if grade >= 0}
    if pool_file is not None:
        from cleverdon.pool.file import read_pool

        pool = read_pool(pool_file)
        # For the same reason, of a sampled pool only what was drawn is out of question.
        for query in pool.topics:
            found.setdefault(query, set())
        for query, doc in pool.sheet():
            found[query].add(doc)
    unknown = next((query for query in queries if query not in found), None)
    if unknown is not None:
        files = " or ".join(file for file in (qrels, pool_file) if file)
        raise InputError(f"there is no query {unknown!r} in {files}{suggest(unknown, found)}")
    return {query: found[query] for query in queries or found}


def _returned(
    runs: tuple[str, ...], run_format: str | None, order_by: str
) -> dict[str, frozenset[str]]:
    found = pool_options.gathered(runs, depth=None, run_format=run_format, order_by=order_by)
    return {each.topic: frozenset(each.docs) for each in found.each()}


def _share(given: str) -> tuple[str, float]:
    name, _, share = given.rpartition("=")
    try:
        value = float(share)
    except ValueError:
        value = -1.0
    if not name or not 0 < value < 1:
        raise click.UsageError(
            f"--share {given}: expected STRATUM=SHARE, a share between 0 and 1, as in returned=0.02"
        )
    return name, value


def _summary(pool: Pool) -> str:
    """What was drawn from how much, over all queries."""
    from collections import Counter

    from cleverdon.show.grid import Grid, counted, laid_out, printable

    names: list[str] = pool.how["stratum_names"]
    drawn: Counter[int] = Counter(pool.stratum.tolist() if pool.stratum is not None else ())
    sizes: Counter[str] = Counter()
    for of_topic in pool.how["sizes"].values():
        sizes.update(of_topic)
    rows = [
        [printable(name), f"{sizes[name]:,}", f"{drawn[number]:,}"]
        for number, name in enumerate(names, start=1)
    ]
    queries = counted(len(pool.topics), "query")
    notes = [f"of a collection of {counted(pool.how['docs'], 'document')}, for {queries}"]
    return laid_out(Grid(["stratum", "to draw from", "drawn"], rows, 1, notes), "table")
