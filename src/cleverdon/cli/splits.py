"""cleverdon splits: topics for training and for testing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cleverdon.cli import options


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, type=click.Path())
@click.option(
    "--folds",
    type=options.Count(min=2),
    metavar="K",
    help="Deal topics out to K folds, each of which is for testing once.  [default: 5]",
)
@click.option(
    "--repeats",
    type=options.REPEATS,
    default=1,
    show_default=True,
    help="Deal them out anew so many times.",
)
@click.option(
    "--hold-out",
    "share",
    type=options.SHARE,
    metavar="SHARE",
    help="Instead of folds: this share of the topics is for testing, all others for training.",
)
@options.seed("splits")
@options.attributes(
    "Attributes of topics, CSV or TSV with a header: spread each kind over the folds evenly."
)
@click.option(
    "--difficulty",
    metavar="MEASURE",
    help="Spread hard and easy topics over the folds evenly, by their mean over RUNS.",
)
@click.option(
    "--bins",
    type=options.Count(min=2),
    default=4,
    show_default=True,
    help="Cut difficulty, or an attribute of more different numbers than this, at its quantiles "
    "into so many kinds.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True),
    default="-",
    help="The file to write; - is standard output.  [default: -]",
)
@click.option(
    "--qrels-format", metavar="FORMAT", help="The judgments' format, if not to be guessed."
)
@click.option("--run-format", metavar="FORMAT", help="The runs' format, if not to be guessed.")
def command(
    qrels: str,
    runs: tuple[str, ...],
    folds: int | None,
    repeats: int,
    share: float | None,
    seed: int,
    topics: str | None,
    by: str | None,
    difficulty: str | None,
    bins: int,
    output: str,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Split the topics of QRELS into some for training and some for testing.

    What is written is JSON that says how topics were split, and `cleverdon tune` reads it. RUNS are
    needed for --difficulty only.

    \b
    Examples:
      cleverdon splits qrels.txt --folds 5 --seed 1 -o splits.json
      cleverdon splits qrels.txt --hold-out 0.2 -o splits.json
      cleverdon splits qrels.txt --topics topics.csv --by language -o splits.json
      cleverdon splits qrels.txt *.run --difficulty AP --repeats 10 -o splits.json
    """
    if share is not None and (folds is not None or repeats > 1):
        raise click.UsageError("--hold-out does not go with --folds or --repeats")
    if topics and difficulty:
        raise click.UsageError("--topics and --difficulty do not go together")
    if by and not topics:
        raise click.UsageError("--by goes with --topics")
    if bool(runs) != bool(difficulty):
        raise click.UsageError("RUNS and --difficulty go together")
    options.check_of_use(topics or difficulty, ("bins",), "--topics or --difficulty")
    options.check_of_use(runs, ("run_format",), "RUNS")
    if output != "-":
        options.check_output(Path(output))

    from cleverdon.compare.splits import hold_out, k_fold
    from cleverdon.compare.splits_file import splits_text, write_splits
    from cleverdon.data import Judgments

    how: dict[str, Any] = {"seed": seed}
    if topics:
        how |= _by_attribute(topics, by, bins)
    judgments = Judgments.read(qrels, format=qrels_format)
    if difficulty:
        how |= _by_difficulty(judgments, runs, difficulty, bins, run_format)
    queries = judgments.queries
    if share is not None:
        found = hold_out(queries, share=share, **how)
    else:
        found = k_fold(queries, folds=5 if folds is None else folds, repeats=repeats, **how)
    if output == "-":
        click.echo(splits_text(found))
    else:
        write_splits(found, output)
        click.echo(f"{output}: {found}", err=True)


def _by_attribute(topics: str, by: str | None, bins: int) -> dict[str, Any]:
    from cleverdon.compare.splits import quantiles
    from cleverdon.read.topics import read_topics

    name, column = read_topics(topics).column(by)
    try:
        numbers = {topic: float(value) for topic, value in column.items()}
    except ValueError:
        return {"by": column, "by_name": name}
    if len(set(numbers.values())) <= bins:
        return {"by": column, "by_name": name}
    return {"by": quantiles(numbers, bins=bins), "by_name": f"{name}, {bins} quantiles"}


def _by_difficulty(
    judgments: Any, runs: tuple[str, ...], measure: str, bins: int, run_format: str | None
) -> dict[str, Any]:
    from cleverdon.compare.splits import difficulty

    scores = options.evaluated(judgments, options.opened(runs), (measure,), run_format=run_format)
    name = f"difficulty by {scores.measures[0]}, {bins} quantiles"
    return {"by": difficulty(scores, scores.measures[0], bins=bins), "by_name": name}
