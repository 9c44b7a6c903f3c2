"""cleverdon pool simulate: what methods of judging would have found, where all is judged."""

from __future__ import annotations

import click

from cleverdon.cli import options, pool_options
from cleverdon.pool.adaptive.simulate import BUDGETS, MEASURE, METHODS


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@pool_options.runs
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="A method of `cleverdon pool next`, as mtf or 'hedge(beta=0.2)'; again for more.  "
    f"[default: {', '.join(METHODS)}]",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="How many documents to judge for each query; again for more.  "
    f"[default: {', '.join(map(str, BUDGETS))}]",
)
@click.option(
    "-k",
    "--depth",
    type=click.IntRange(min=1),
    metavar="K",
    help="Look at the first K results of each run and query.  [default: all]",
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default=MEASURE,
    show_default=True,
    shell_complete=options.complete_measure,
    help="By which runs are ordered.",
)
@click.option(
    "--rel",
    type=float,
    default=1,
    show_default=True,
    help="The lowest grade that counts as relevant.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw what each method finds, to .html, .svg, .png, .pdf or .json.",
)
@options.seed("choices")
@options.formats("How to print. csv, tsv and json have all digits; json the curves as well.")
@click.option(
    "--qrels-format", metavar="FORMAT", help="The judgments' format, if not to be guessed."
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    run_format: str | None,
    order_by: str,
    methods: tuple[str, ...],
    budgets: tuple[int, ...],
    depth: int | None,
    measure: str,
    rel: float,
    plot: str | None,
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
    chosen = [parse_method(method) for method in methods or METHODS]
    judgments = Judgments.read(qrels, format=qrels_format)
    found = pool_options.gathered(runs, depth=depth, run_format=run_format, order_by=order_by)
    with bar("judging") as update:
        played = simulate(
            found,
            judgments,
            chosen,
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
