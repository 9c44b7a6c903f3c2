"""cleverdon pool votes: an order of systems without judgments, and how far it can be trusted."""

from __future__ import annotations

import click

from cleverdon.cli import options, pool_options

# The names and the defaults of the library, which is not loaded for help; a test compares them.
WAYS = (
    "soboroff",
    "soboroff-duplicates",
    "references",
    "references-own-rank",
    "references-their-rank",
    "references-both-ranks",
    "references-both-scores",
    "rank-position",
)


@click.command()
@pool_options.runs
@click.option(
    "--qrels",
    metavar="FILE",
    type=click.Path(),
    help="Judgments: show the judged order as well, and how alike the two are.",
)
@click.option(
    "--method",
    "ways",
    multiple=True,
    type=click.Choice(WAYS),
    help="How votes are counted; again for more.  [default: all]",
)
@click.option(
    "-k",
    "--depth",
    type=options.COUNT,
    metavar="K",
    default=100,
    show_default=True,
    help="The first K results of each run vote, or make up the pool.",
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="AP",
    show_default=True,
    shell_complete=options.complete_measure,
    help="By which systems are scored: on the judgments, and on pseudo-judgments.",
)
@click.option(
    "--share",
    type=options.Number(0, 1, min_open=True),
    default=0.06,
    show_default=True,
    help="Of a query's pool, how much is taken for relevant.",
)
@click.option(
    "--deviation",
    type=options.Number(min=0),
    default=0.06,
    show_default=True,
    help="How much that share varies between queries, where documents are drawn at random: a "
    "standard deviation.",
)
@click.option(
    "--trials",
    type=options.REPEATS,
    metavar="N",
    default=50,
    show_default=True,
    help="How often documents are drawn at random.",
)
@options.seed("draws and intervals")
@click.option(
    "--resamples",
    type=options.REPEATS,
    metavar="N",
    default=2000,
    show_default=True,
    help="How often the bootstrap of the intervals draws queries.",
)
@options.formats("How to print. csv, tsv and json have all digits.")
@options.qrels_format
def command(
    runs: tuple[str, ...],
    qrels: str | None,
    ways: tuple[str, ...],
    depth: int,
    measure: str,
    share: float,
    deviation: float,
    trials: int,
    seed: int,
    resamples: int,
    format_: str,
    qrels_format: str | None,
    run_format: str | None,
    order_by: str,
) -> None:
    """Rank the systems behind RUNS without judgments, by taking their results as votes.

    A document that many systems return is likely to be relevant, and a system that returns many
    such documents is likely to be good. Votes go along with judgments, but underrate systems that
    find what the others do not: with --qrels of some queries one sees how far they can be trusted.

    \b
    Examples:
      cleverdon pool votes *.run
      cleverdon pool votes *.run --method references-both-ranks -k 50
      cleverdon pool votes *.run --qrels qrels.txt -m nDCG@10
      cleverdon pool votes *.run --method soboroff --trials 200 --seed 7 -f csv
    """
    options.check_one_stdin(*runs)
    if len(runs) < 2:
        raise click.UsageError("systems vote on each other: two RUNS at least are to be given")
    options.check_of_use(qrels, ("resamples", "qrels_format"), "--qrels")
    drawing = [way for way in ways or WAYS if way.startswith("soboroff")]
    assuming = [*drawing, *(way for way in ways or WAYS if way == "rank-position")]
    options.check_of_use(drawing, ("trials", "deviation"), "--method soboroff")
    options.check_of_use(assuming, ("share",), "--method soboroff or rank-position")
    options.check_of_use(assuming or qrels, ("measure",), "--qrels, or --method soboroff")
    if qrels is not None and "-" in (qrels, *runs):
        raise click.UsageError("with --qrels, nothing can be standard input")

    from cleverdon.cli.progress import bar, say
    from cleverdon.pool.votes import beside, turnout, votes
    from cleverdon.show.votes import render, render_beside, told_of_turnout

    found = pool_options.gathered(runs, depth=None, run_format=run_format, order_by=order_by)
    for line in told_of_turnout(turnout(found)):
        say(f"cleverdon: {line}")
    counted = []
    for way in dict.fromkeys(ways or WAYS):
        with bar(way) as update:
            counted.append(
                votes(
                    found,
                    way,
                    progress=update,
                    depth=depth,
                    measure=measure,
                    share=share,
                    deviation=deviation,
                    trials=trials,
                    seed=seed,
                )
            )
    if qrels is None:
        click.echo(render(counted, format_, **options.terminal()))
        return
    scores = options.evaluated(
        qrels,
        options.opened(runs),
        (measure,),
        qrels_format=qrels_format,
        run_format=run_format,
        order_by=order_by,
    )
    with bar("comparing"):
        compared = beside(counted, scores, resamples=resamples, seed=seed)
    click.echo(render_beside(compared, format_, **options.terminal()))
