"""cleverdon tune: which setting is best, and what it is worth on topics that had no say."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", metavar="SETTING=FILE...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="nDCG@10",
    show_default=True,
    shell_complete=options.complete_measure,
    help="By which settings are chosen and scored.",
)
@click.option(
    "--folds",
    metavar="K|FILE",
    default="5",
    show_default=True,
    help="How many folds to deal topics out to, or a file that `cleverdon splits` wrote.",
)
@click.option(
    "--repeats",
    type=options.REPEATS,
    default=1,
    show_default=True,
    help="Deal them out anew so many times, and average.",
)
@options.seed("folds")
@options.formats("How to print. csv, tsv and json have all digits.")
@options.settings
@options.judgments
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    folds: str,
    repeats: int,
    seed: int,
    format_: str,
    **how: Any,
) -> None:
    """Choose the best of several settings, each a run, and say what it is worth.

    In each fold a setting is chosen on the training topics and scored on the test topics. The
    score of the best setting on the very topics that it is best on stands beside: it is optimistic.
    Of settings that are equally good, the one given first is chosen.

    \b
    Examples:
      cleverdon tune qrels.txt b0.4=a.run b0.75=b.run b0.9=c.run -m nDCG@10 --folds 5
      cleverdon tune qrels.txt runs/*.run -m AP --folds splits.json
      cleverdon tune qrels.txt runs/*.run -m AP --folds 5 --repeats 20 --seed 1
    """
    options.check_of_use(folds.isdecimal(), ("seed", "repeats"), "a number of --folds, not a file")
    options.check_one_stdin(qrels, *runs)
    opened = options.opened(runs)

    from cleverdon.compare.splits_file import read_splits
    from cleverdon.compare.tune import tune_scores
    from cleverdon.show.tuning import render

    parted = int(folds) if folds.isdecimal() else read_splits(folds)  # before anything takes long
    scores = options.evaluated(qrels, opened, (measure,), **how)
    click.echo(render(tune_scores(scores, folds=parted, repeats=repeats, seed=seed), format_))
