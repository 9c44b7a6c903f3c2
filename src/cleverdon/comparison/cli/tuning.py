"""The commands splits and tune: queries for training and testing, and the choice of a setting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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


class SplitsOptions(Options):
    """The options of `cleverdon splits`."""

    qrels: str = argument(options.QRELS)
    runs: tuple[str, ...] = argument(options.FILE, nargs=-1)
    folds: int = option(
        options.Count(min=2),
        "Deal queries out to K folds, each of which is for testing once.",
        metavar="K",
        default=5,
    )
    repeats: int = option(options.REPEATS, "How often to deal queries out.", default=1)
    share: float | None = option(
        options.SHARE,
        "Not folds: the share of queries for testing. All others are for training.",
        flags="--hold-out",
        metavar="SHARE",
    )
    seed: int = options.seed("splits")
    attributes: str | None = options.attributes(
        "A table of attributes of queries. CSV or TSV with a header: spread each kind over the "
        "folds evenly."
    )
    by: str | None = options.by
    difficulty: str | None = option(
        "MEASURE", "Spread hard queries over the folds evenly. Difficulty is the mean over RUNS."
    )
    bins: int = option(
        options.Count(min=2),
        "Into how many kinds to cut numbers. Difficulty, or an attribute with more different "
        "numbers, is cut at its quantiles.",
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
    columns: str | None = options.columns


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

    from cleverdon.comparison.splits import split, splits_text, write_splits
    from cleverdon.data import Judgments

    judgments = Judgments.read(given.qrels, format=given.qrels_format)
    scores = None
    if given.difficulty:
        runs, measures = options.opened(given.runs), (given.difficulty,)
        scores = options.evaluated(judgments, runs, measures, run_format=given.run_format)
    found = split(judgments.queries, **given.keywords(split, scores=scores))
    if given.output == "-":
        return splits_text(found)
    write_splits(found, given.output)
    click.echo(f"{given.output}: {found}", err=True)
    return None


class TuneOptions(options.SettingsOptions):
    """The options of `cleverdon tune`."""

    qrels: str = argument(options.QRELS)
    runs: tuple[str, ...] = argument(
        options.RUN, metavar="SETTING=FILE...", nargs=-1, required=True
    )
    measure: str = option(
        "MEASURE",
        "The measure by which settings are chosen and scored.",
        short="-m",
        default="nDCG@10",
        shell_complete=options.complete_measure,
    )
    baseline: str | None = option(
        "NAME|FILE",
        "What to compare held-out values with: a run or a setting. By a test that allows for "
        "shared training queries.",
    )
    confidence: float = option(
        options.SHARE, "With --baseline: of the interval of the difference.", default=0.95
    )
    folds: str = option(
        "K|FILE",
        "How many folds, or a file that `cleverdon splits` wrote.",
        default="5",
    )
    repeats: int = option(
        options.REPEATS, "How often to deal queries out; scores are averaged.", default=1
    )
    seed: int = options.seed("folds")
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")


@command(TuneOptions)
@requires("--confidence", "--baseline")
def tune_command(given: TuneOptions) -> Tuning:
    """Choose the best of several settings, each a run, and say what it is worth.

    In each fold, a setting is chosen on the training queries and scored on the test queries. The
    optimistic score is printed next to it: that of the setting that is best on all queries, on the
    same queries. Of equally good settings, the first one given is chosen.

    \b
    Examples:
      cleverdon tune qrels.txt b0.4=a.run b0.75=b.run b0.9=c.run -m nDCG@10 --folds 5
      cleverdon tune qrels.txt runs/*.run -m AP --folds splits.json
      cleverdon tune qrels.txt runs/*.run -m AP --baseline bm25.run
      cleverdon tune qrels.txt runs/*.run -m AP --folds 5 --repeats 20 --seed 1
    """
    counted = given.folds.isdecimal()
    options.check_of_use(counted, ("seed", "repeats"), "a number of --folds, not a file")
    options.check_one_stdin(given.qrels, *given.runs)
    runs = options.opened(given.runs)
    settings = tuple(runs)
    baseline = options.resolve_baseline(given.baseline, given.runs)
    if baseline is not None and baseline not in runs:
        opened = options.opened((baseline,))
        if not set(opened).isdisjoint(runs):
            raise click.UsageError(
                f"--baseline {baseline}: a setting has the same name; write NAME={baseline}"
            )
        runs |= opened
        (baseline,) = opened

    from cleverdon.comparison.splits import read_splits
    from cleverdon.comparison.tuning import tune_scores

    folds = int(given.folds) if counted else read_splits(given.folds)  # before anything takes long
    scores = options.evaluated(given.qrels, runs, (given.measure,), **given.evaluation)
    return tune_scores(
        scores,
        folds=folds,
        settings=settings,
        baseline=baseline,
        confidence=given.confidence,
        repeats=given.repeats,
        seed=given.seed,
    )
