"""The commands splits and tune: queries for training and testing, and the choice of a setting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import (
    Options,
    argument,
    command,
    excludes,
    option,
    requires,
    together,
)

if TYPE_CHECKING:
    from cleverdon.comparison.tuning import Tuning
    from cleverdon.data import Judgments


class SplitsOptions(Options):
    """The options of `cleverdon splits`."""

    qrels: str = argument(options.INPUT)
    runs: tuple[str, ...] = argument(options.FILE, nargs=-1)
    folds: int | None = option(
        options.Count(min=2),
        "Deal queries out to K folds, each of which is for testing once.  [default: 5]",
        metavar="K",
    )
    repeats: int = option(options.REPEATS, "Deal them out anew so many times.", default=1)
    share: float | None = option(
        options.SHARE,
        "Instead of folds: this share of the queries is for testing, all others for training.",
        flags="--hold-out",
        metavar="SHARE",
    )
    seed: int = options.seed("splits")
    topics: str | None = options.attributes(
        "Attributes of queries, CSV or TSV with a header: spread each kind over the folds evenly."
    )
    by: str | None = options.by
    difficulty: str | None = option(
        "MEASURE", "Spread hard and easy queries over the folds evenly, by their mean over RUNS."
    )
    bins: int = option(
        options.Count(min=2),
        "Cut difficulty, or an attribute of more different numbers than this, at its quantiles "
        "into so many kinds.",
        default=4,
    )
    output: str = option(
        click.Path(dir_okay=False, allow_dash=True),
        "The file to write; - is standard output.  [default: -]",
        short="-o",
        default="-",
    )
    qrels_format: str | None = option("FORMAT", "The judgments' format, if not to be guessed.")
    run_format: str | None = option("FORMAT", "The runs' format, if not to be guessed.")


@command(SplitsOptions)
@excludes("--hold-out", "--folds")
@excludes("--hold-out", "--repeats")
@excludes("--attributes", "--difficulty")
@requires("--by", "--attributes")
@together("RUNS", "--difficulty")
@requires("--bins", "--attributes", "--difficulty")
@requires("--run-format", "RUNS")
def splits_command(given: SplitsOptions) -> str | None:
    """Split the queries of QRELS into some for training and some for testing.

    The output is JSON that says how queries were split; `cleverdon tune` reads it. RUNS are needed
    for --difficulty only.

    \b
    Examples:
      cleverdon splits qrels.txt --folds 5 --seed 1 -o splits.json
      cleverdon splits qrels.txt --hold-out 0.2 -o splits.json
      cleverdon splits qrels.txt --attributes topics.csv --by language -o splits.json
      cleverdon splits qrels.txt *.run --difficulty AP --repeats 10 -o splits.json
    """
    if given.output != "-":
        options.check_output(Path(given.output))

    from cleverdon.comparison.splits import hold_out, k_fold, splits_text, write_splits
    from cleverdon.data import Judgments

    how: dict[str, Any] = {"seed": given.seed}
    if given.topics:
        how |= _by_attribute(given.topics, given.by, given.bins)
    judgments = Judgments.read(given.qrels, format=given.qrels_format)
    if given.difficulty:
        how |= _by_difficulty(judgments, given.difficulty, given)
    queries = judgments.queries
    if given.share is not None:
        found = hold_out(queries, share=given.share, **how)
    else:
        folds = 5 if given.folds is None else given.folds
        found = k_fold(queries, folds=folds, repeats=given.repeats, **how)
    if given.output == "-":
        return splits_text(found)
    write_splits(found, given.output)
    click.echo(f"{given.output}: {found}", err=True)
    return None


def _by_attribute(topics: str, by: str | None, bins: int) -> dict[str, Any]:
    from cleverdon.comparison.splits import quantiles
    from cleverdon.formats.attributes import read_attributes

    name, column = read_attributes(topics).column(by)
    try:
        numbers = {topic: float(value) for topic, value in column.items()}
    except ValueError:
        return {"by": column, "by_name": name}
    if len(set(numbers.values())) <= bins:
        return {"by": column, "by_name": name}
    return {"by": quantiles(numbers, bins=bins), "by_name": f"{name}, {bins} quantiles"}


def _by_difficulty(judgments: Judgments, measure: str, given: SplitsOptions) -> dict[str, Any]:
    from cleverdon.comparison.splits import difficulty

    runs = options.opened(given.runs)
    scores = options.evaluated(judgments, runs, (measure,), run_format=given.run_format)
    name = f"difficulty by {scores.measures[0]}, {given.bins} quantiles"
    return {"by": difficulty(scores, scores.measures[0], bins=given.bins), "by_name": name}


class TuneOptions(options.SettingsOptions):
    """The options of `cleverdon tune`."""

    qrels: str = argument(options.INPUT)
    runs: tuple[str, ...] = argument(
        options.FILE, metavar="SETTING=FILE...", nargs=-1, required=True
    )
    measure: str = option(
        "MEASURE",
        "By which settings are chosen and scored.",
        short="-m",
        default="nDCG@10",
        shell_complete=options.complete_measure,
    )
    folds: str = option(
        "K|FILE",
        "How many folds to deal queries out to, or a file that `cleverdon splits` wrote.",
        default="5",
    )
    repeats: int = option(
        options.REPEATS, "Deal them out anew so many times, and average.", default=1
    )
    seed: int = options.seed("folds")
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")


@command(TuneOptions)
def tune_command(given: TuneOptions) -> Tuning:
    """Choose the best of several settings, each a run, and say what it is worth.

    In each fold, a setting is chosen on the training queries and scored on the test queries. The
    optimistic score is printed next to it: that of the setting that is best on all queries, on the
    same queries. Of equally good settings, the first one given is chosen.

    \b
    Examples:
      cleverdon tune qrels.txt b0.4=a.run b0.75=b.run b0.9=c.run -m nDCG@10 --folds 5
      cleverdon tune qrels.txt runs/*.run -m AP --folds splits.json
      cleverdon tune qrels.txt runs/*.run -m AP --folds 5 --repeats 20 --seed 1
    """
    counted = given.folds.isdecimal()
    options.check_of_use(counted, ("seed", "repeats"), "a number of --folds, not a file")
    options.check_one_stdin(given.qrels, *given.runs)
    runs = options.opened(given.runs)

    from cleverdon.comparison.splits import read_splits
    from cleverdon.comparison.tuning import tune_scores

    folds = int(given.folds) if counted else read_splits(given.folds)  # before anything takes long
    scores = options.evaluated(given.qrels, runs, (given.measure,), **given.evaluation)
    return tune_scores(scores, folds=folds, repeats=given.repeats, seed=given.seed)
