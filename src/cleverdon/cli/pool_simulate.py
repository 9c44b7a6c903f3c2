"""cleverdon pool simulate: what methods of judging would have found, where all is judged."""

from __future__ import annotations

from pathlib import Path

import click

from cleverdon.cli import options, pool_options


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@pool_options.runs
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="A method of `cleverdon pool next`, as mtf or 'hedge(beta=0.2)'; again for more.  "
    "[default: all]",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    type=options.COUNT,
    metavar="N",
    help="How many documents to judge for each query; again for more.  [default: 10, 20, 50, 100]",
)
@click.option(
    "-k",
    "--depth",
    type=options.COUNT,
    metavar="K",
    help="Look at the first K results of each run and query.  [default: all]",
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    shell_complete=options.complete_measure,
    help="By which runs are ordered.  [default: AP, from the grade of --rel on]",
)
@options.rel()
@options.plot("what each method finds")
@options.seed("choices")
@options.formats("How to print. csv, tsv and json have all digits; json the curves as well.")
@options.qrels_format
def command(
    qrels: str,
    runs: tuple[str, ...],
    run_format: str | None,
    order_by: str,
    methods: tuple[str, ...],
    budgets: tuple[int, ...],
    depth: int | None,
    measure: str | None,
    rel: float,
    plot: Path | None,
    seed: int,
    format_: str,
    qrels_format: str | None,
) -> None:
    """Play methods of judging against QRELS, where the answers are known.

    For each method and budget: how many relevant documents it finds, and whether the judgments that
    it gathers put RUNS in the order in which all judgments put them. Documents that QRELS do not
    have are taken as not relevant, so the fuller they are the better.

    \b
    Examples:
      cleverdon pool simulate qrels.txt *.run --budget 20 --budget 100
      cleverdon pool simulate qrels.txt *.run --method depth --method 'thompson(memory=0.5)'
      cleverdon pool simulate qrels.txt *.run --plot yield.svg
    """
    options.check_one_stdin(qrels, *runs)

    from cleverdon.cli.progress import bar
    from cleverdon.data import Judgments
    from cleverdon.pool.adaptive import parse_method, simulate
    from cleverdon.show.adaptive import render

    if plot:
        from cleverdon.show.plot.save import check_savable

        check_savable(plot)
        options.check_output(plot)
    chosen = [parse_method(method) for method in methods]
    judgments = Judgments.read(qrels, format=qrels_format)
    found = pool_options.gathered(runs, depth=depth, run_format=run_format, order_by=order_by)
    with bar("judging") as update:
        played = simulate(
            found,
            judgments,
            chosen or None,
            budgets=budgets or None,
            measure=measure,
            seed=seed,
            rel=rel,
            progress=lambda name, done, total: update(done, total),
        )
    click.echo(render(played, format_))
    if plot:
        from cleverdon.show.plot.pooling.yield_curves import yield_curves
        from cleverdon.show.plot.save import save

        save(yield_curves(played), plot)
        click.echo(f"{plot}: what each method finds", err=True)
