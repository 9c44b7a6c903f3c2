"""cleverdon pool make: a pool out of runs, and the sheet that judges fill in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options, pool_options, texts

if TYPE_CHECKING:
    from cleverdon.cli.texts import TextFiles
    from cleverdon.pool import Contributions, Pool

METHODS = {
    "depth": "whatever some run has in its first K results",
    "rrf": "the best by reciprocal rank fusion",
    "rbp": "the best by what rank-biased precision gives to their ranks",
    "combmnz": "the best by their scores, times the number of runs",
    "stratified": "a random share of each of several depths",
    "probability": "at random, in proportion to a weight",
}
_DEPTH = 100
_STRATA = "10:1,100:0.1"


@click.command()
@pool_options.runs
@pool_options.output("The pool to write. The sheet for judges is written beside it, as .sheet.tsv.")
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="depth",
    show_default=True,
    help="; ".join(f"{name}: {what}" for name, what in METHODS.items()) + ".",
)
@click.option(
    "-k",
    "--depth",
    type=options.COUNT,
    metavar="K",
    help=f"Look at the first K results of each run and query.  [default: {_DEPTH} for depth "
    "without a budget, else all]",
)
@click.option(
    "--budget",
    type=options.COUNT,
    metavar="N",
    help="How many documents to judge for each query: needed by all methods but depth and "
    "stratified. With depth, the first N by their best rank.",
)
@click.option(
    "--strata",
    metavar="DEPTH:SHARE,...",
    help="With stratified: down to which rank each stratum reaches, and which share of it is drawn."
    f"  [default: {_STRATA}]",
)
@click.option(
    "--by",
    type=click.Choice(["ap", "rrf", "rbp", "combmnz"]),
    help="With probability: the weight.  [default: ap, how much a rank bears on AP]",
)
@click.option(
    "-p",
    "--persistence",
    type=options.SHARE,
    help="Of rbp: how likely one reads on from a rank to the next.  [default: 0.8]",
)
@click.option(
    "--judged",
    metavar="QRELS",
    type=click.Path(),
    help="What is judged already: it is in the pool, and not on the sheet.",
)
@options.qrels_format
@texts.texts
@options.seed("draws, and the same order of documents")
@options.formats("How to print what is in the pool.")
def command(
    runs: tuple[str, ...],
    run_format: str | None,
    order_by: str,
    output: Path,
    method: str,
    depth: int | None,
    budget: int | None,
    strata: str | None,
    by: str | None,
    persistence: float | None,
    judged: str | None,
    qrels_format: str | None,
    texts: TextFiles,
    seed: int,
    format_: str,
) -> None:
    """Pool the results of RUNS, for people to judge.

    Two files are written. The pool says of each document which run had it at which rank, and in a
    sample from which stratum it is and how likely it was to be drawn. The sheet is for judges:
    queries and documents in a random order, with their texts where --queries and --documents are
    given, and nothing that gives a run away.

    \b
    Examples:
      cleverdon pool make *.run -k 50 -o pool.tsv
      cleverdon pool make *.run --method rrf --budget 100 -o pool.tsv
      cleverdon pool make *.run --method stratified --strata 10:1,50:0.3,200:0.05 -o pool.tsv
      cleverdon pool make *.run --method probability --budget 60 --seed 7 -o pool.tsv
      cleverdon pool make *.run -o pool.tsv --queries topics.tsv --documents corpus.jsonl
      cleverdon pool qrels pool.tsv filled_in.tsv -o qrels.txt
    """
    _check(method, depth, budget, strata, by, persistence)
    sheet = pool_options.sheet_beside(output)
    for file in (output, sheet):
        options.check_output(file, judged, *(options.name_and_file(run)[1] for run in runs))
    if method == "depth" and depth is None and budget is None:
        depth = _DEPTH
    if qrels_format and not judged:
        raise click.UsageError("--qrels-format goes with --judged")
    layers = _parsed(strata or _STRATA) if method == "stratified" else []

    from cleverdon.cli.progress import bar, say
    from cleverdon.pool.file import check_replaceable, write_pool
    from cleverdon.read.sheet import write_sheet
    from cleverdon.show.grid import counted
    from cleverdon.show.pool import render

    check_replaceable(output)  # before anything takes long
    known = pool_options.judged((judged,), qrels_format) if judged else {}
    deepest = layers[-1][0] if layers else depth
    found = pool_options.gathered(runs, depth=deepest, run_format=run_format, order_by=order_by)
    pool_options.warn_of_missing(found)
    with bar("pooling"):
        weight: dict[str, Any] = {} if persistence is None else {"p": persistence}
        pool = _pool(found, method, depth, budget, layers, by, weight, seed)
        read = {"order_by": order_by, "run_format": run_format, "judged": judged}
        pool = replace(pool, how={**pool.how, **{name: how for name, how in read.items() if how}})
        graded = pool.graded(known)
        if known and not graded.any():
            say(f"cleverdon: warning: {judged} has no judgment of a document of the pool")
        # The sheet first: where it cannot be written, the pool that it belongs to stays.
        rows = list(pool.sheet(without=graded))
        write_sheet(rows, sheet, **texts.of_sheet(rows))
        write_pool(pool, output)
    click.echo(render(pool, format_, graded=graded))
    to_judge = int((pool.drawn & ~graded).sum())
    click.echo(
        f"{output}: the pool; {sheet}: {counted(to_judge, 'document')} for judges to grade",
        err=True,
    )


def _check(
    method: str,
    depth: int | None,
    budget: int | None,
    strata: str | None,
    by: str | None,
    persistence: float | None,
) -> None:
    """Options that do not go together are refused before anything is read."""
    if method in ("rrf", "rbp", "combmnz", "probability") and budget is None:
        raise click.UsageError(f"--method {method} needs --budget: how many documents for a query")
    if method == "stratified" and (budget or depth):
        raise click.UsageError("with --method stratified, --strata says how deep and how many")
    if strata and method != "stratified":
        raise click.UsageError("--strata goes with --method stratified")
    if by and method != "probability":
        raise click.UsageError("--by goes with --method probability")
    if persistence and "rbp" not in (method, by):
        raise click.UsageError("--persistence goes with rbp")


def _parsed(strata: str) -> list[tuple[int, float]]:
    """As in 10:1,100:0.2."""
    layers = []
    for part in strata.split(","):
        depth, _, share = part.partition(":")
        try:
            layers.append((int(depth), float(share)))
        except ValueError:
            raise click.UsageError(
                f"--strata {strata}: expected DEPTH:SHARE, as in 10:1,100:0.2, found {part!r}"
            ) from None
    return layers


def _pool(
    found: Contributions,
    method: str,
    depth: int | None,
    budget: int | None,
    layers: list[tuple[int, float]],
    by: str | None,
    weight: dict[str, Any],
    seed: int,
) -> Pool:
    from cleverdon.pool import depth_pool, probability_pool, stratified_pool, weighted_pool

    if method == "stratified":
        return stratified_pool(found, strata=layers, seed=seed)
    if budget is None:
        return depth_pool(found, k=depth or _DEPTH, seed=seed)
    if method == "probability":
        return probability_pool(found, budget=budget, by=by or "ap", seed=seed, **weight)
    return weighted_pool(found, by=method, budget=budget, seed=seed, **weight)
