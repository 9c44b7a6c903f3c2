"""cleverdon correlate: how alike orders of systems are, or rankings of documents."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options
from cleverdon.compare.orderings import COEFFICIENTS, RESAMPLES
from cleverdon.correlate import HOW
from cleverdon.scores import Scores

_WAYS = ("rbo", "overlap", "kendall_union")
"""How two runs are compared where nothing else is asked for: any two can be."""


@click.command()
@click.argument("qrels", required=False, type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, type=click.Path(allow_dash=True))
@options.measures
@click.option(
    "--qrels2",
    "other",
    metavar="FILE",
    type=click.Path(),
    help="Other judgments: compare, by each measure, the orders that the two give.",
)
@options.attributes(
    "Attributes of topics, CSV or TSV with a header: compare, by each measure, the orders on each "
    "kind of topic."
)
@click.option(
    "--runs",
    "two_runs",
    nargs=2,
    type=click.Path(),
    metavar="A B",
    help="Instead of all this: compare how two runs rank each query's documents.",
)
@click.option(
    "--how",
    "ways",
    multiple=True,
    type=click.Choice(list(HOW)),
    help=f"With --runs: by which coefficient; again for more.  [default: {', '.join(_WAYS)}]",
)
@click.option("-k", type=options.COUNT, metavar="K", help="With --runs: the first K results only.")
@click.option(
    "--matrix",
    type=click.Choice(list(COEFFICIENTS)),
    help="Print one coefficient as a square, without intervals.",
)
@click.option(
    "--first-is-truth",
    is_flag=True,
    help="tau-AP takes the first order for the truth.  [default: the mean of both directions]",
)
@click.option(
    "-p",
    "--persistence",
    type=options.SHARE,
    default=0.9,
    show_default=True,
    help="Of rank-biased overlap: how likely one reads on from a rank to the next.",
)
@click.option(
    "--resamples",
    type=options.REPEATS,
    default=RESAMPLES,
    show_default=True,
    help="How often the bootstrap draws topics.",
)
@options.seed("intervals")
@options.formats("How to print. csv, tsv and json have all digits.")
@options.settings
@options.judgments
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    other: str | None,
    topics: str | None,
    by: str | None,
    two_runs: tuple[str, str] | None,
    ways: tuple[str, ...],
    k: int | None,
    matrix: str | None,
    first_is_truth: bool,
    persistence: float,
    resamples: int,
    seed: int,
    format_: str,
    **how: Any,
) -> None:
    """Say how alike the orders are that measures give to RUNS, or two judgments, or topics.

    Kendall's tau-b, tau-AP, Spearman's rho and rank-biased overlap, each with a bootstrap interval
    over topics. Or, with --runs, how alike two runs rank documents.

    \b
    Examples:
      cleverdon correlate qrels.txt *.run -m nDCG@10 -m AP -m RR
      cleverdon correlate qrels.txt *.run -m nDCG@10 --qrels2 crowd.txt
      cleverdon correlate qrels.txt *.run -m AP --topics topics.csv --by language
      cleverdon correlate --runs bm25.run dense.run --how rbo -k 10
    """
    if two_runs:
        if qrels is not None or measures or other or topics or matrix:
            raise click.UsageError("--runs compares two rankings, with no judgments or measures")
        options.check_of_use(not ways or "rbo" in ways, ("persistence",), "--how rbo")
        reading = {"run_format": "format", "order_by": "order_by", "duplicates": "duplicates"}
        others = ("by", "first_is_truth", "resamples", "seed", *(how.keys() - reading))
        options.check_of_use(False, others, "QRELS and RUNS")
        chosen = {to: how[name] for name, to in reading.items() if how[name] is not None}
        click.echo(_of_runs(two_runs, ways, k, persistence, chosen, format_))
        return
    if ways or k:
        raise click.UsageError("--how and -k go with --runs")
    if qrels is None or len(runs) < 2:
        raise click.UsageError("QRELS and two RUNS at least, or --runs A B, are to be given")
    if matrix:
        options.check_of_use(False, ("resamples", "seed"), "intervals, which --matrix has none of")
        options.check_of_use(matrix == "rbo", ("persistence",), "--matrix rbo")
        options.check_of_use(matrix == "tau_ap", ("first_is_truth",), "--matrix tau_ap")
    if other and topics:
        raise click.UsageError("--qrels2 and --topics do not go together")
    if by and not topics:
        raise click.UsageError("--by goes with --topics")
    options.check_one_stdin(qrels, *runs)
    if other and "-" in (qrels, *runs):
        raise click.UsageError("with --qrels2, nothing can be standard input")
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar
    from cleverdon.compare.orderings import agreements
    from cleverdon.read.topics import read_topics
    from cleverdon.show.agreements import render, render_matrix

    kinds = read_topics(topics).column(by)[1] if topics else None
    scores = options.evaluated(qrels, opened, measures, **how)
    again = options.evaluated(other, options.opened(runs), measures, **how) if other else None
    sets = None if kinds is None else _sets(scores, kinds)
    with bar("comparing"):
        found = agreements(
            scores,
            other=again,
            topics=sets,
            p=persistence,
            symmetric=not first_is_truth,
            resamples=resamples,
            seed=seed,
        )
    click.echo(render_matrix(found, matrix, format_) if matrix else render(found, format_))


def _sets(scores: Scores, kinds: dict[str, str]) -> dict[str, list[str]]:
    """The topics of each kind that all runs are evaluated on."""
    from cleverdon.compare.samples import samples

    sets: dict[str, list[str]] = {}
    without = 0
    for topic in samples(scores)[0].topics:
        if topic in kinds:
            sets.setdefault(kinds[topic], []).append(topic)
        else:
            without += 1
    if without:
        click.echo(f"cleverdon: warning: {without} topics are of no kind, and left out", err=True)
    return sets


def _of_runs(
    files: tuple[str, str],
    ways: tuple[str, ...],
    k: int | None,
    persistence: float,
    reading: dict[str, str],
    format_: str,
) -> str:
    from cleverdon.correlate import correlate_runs
    from cleverdon.data import Run
    from cleverdon.show.agreements import render_runs

    first, second = (Run.read(file, **reading) for file in files)
    found = {}
    for way in ways or _WAYS:
        extra = {"p": persistence} if way == "rbo" else {}
        found[way] = correlate_runs(first, second, how=way, k=k, **extra)
    return render_runs(found, format_)
