"""cleverdon collection split: judgments in several files, by topics."""

from __future__ import annotations

import os
from typing import Any

import click

from cleverdon.cli import collection_options as shared
from cleverdon.cli import options


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.option(
    "-o",
    "--output",
    "pattern",
    required=True,
    metavar="PATTERN",
    help="The files to write, with {name} for the part: 'qrels-{name}.txt'.",
)
@click.option(
    "--hold-out",
    "share",
    type=options.SHARE,
    metavar="SHARE",
    help="Two parts: this share of the topics is test, all others are train.",
)
@click.option(
    "--folds",
    type=options.Count(min=2),
    metavar="K",
    help="K parts: fold1, fold2 and on.",
)
@click.option(
    "--splits",
    type=click.Path(),
    metavar="FILE",
    help="The parts of a file that `cleverdon splits` wrote.",
)
@options.attributes(
    "A part for each value of an attribute of topics, CSV or TSV with a header.",
    by="The attribute (column) of --topics.  [default: the only one]",
)
@click.option(
    "--train",
    is_flag=True,
    help="Of folds: write each one's topics for training as well, as fold1-train and fold1-test.",
)
@options.seed("parts")
@click.option(
    "--overwrite", is_flag=True, help="Write over files that are there, which are kept otherwise."
)
@options.qrels_format
def command(
    qrels: str,
    pattern: str,
    share: float | None,
    folds: int | None,
    splits: str | None,
    topics: str | None,
    by: str | None,
    train: bool,
    seed: int,
    overwrite: bool,
    qrels_format: str | None,
) -> None:
    """Split QRELS into several files, each with all judgments of some topics.

    Subtopics, strata and samples are written as they were read.

    \b
    Examples:
      cleverdon collection split qrels.txt --hold-out 0.2 -o 'qrels-{name}.txt'
      cleverdon collection split qrels.txt --folds 5 --seed 1 -o 'parts/{name}.qrels'
      cleverdon collection split qrels.txt --splits splits.json -o '{name}.qrels'
      cleverdon collection split qrels.txt --topics topics.csv --by language -o '{name}.qrels'
    """
    ways = {"--hold-out": share, "--folds": folds, "--splits": splits, "--topics": topics}
    if sum(given is not None for given in ways.values()) != 1:
        raise click.UsageError(f"name one way to split: {', '.join(ways)}")
    if by and not topics:
        raise click.UsageError("--by goes with --topics")
    options.check_of_use(share or folds, ["seed"], "--hold-out or --folds")
    if train and not (folds or splits):
        raise click.UsageError("--train goes with --folds or --splits")

    from cleverdon.collection.splitting import file_names, split
    from cleverdon.show.qrels_made import told_of_hold_out, told_of_split

    judgments = shared.read_qrels(qrels, qrels_format)
    parts = _parts(judgments.queries, ways, by, seed, train=train)
    files = file_names(pattern, list(parts))
    found = split(judgments, parts)
    # All is checked before anything is written, so that it is all files or none.
    for file in files.values():
        shared.check_output(file, qrels, splits, topics)
        shared.format_to_write(judgments, file, None)
        if os.path.exists(file) and not overwrite:
            raise click.UsageError(f"{file} is there already: --overwrite writes over it")
    shared.say(told_of_split(found))
    if share is not None:
        shared.say(told_of_hold_out(share, len(parts["train"]), len(parts["test"])))
    for name, made in found.parts.items():
        shared.write_qrels(made, files[name])


def _parts(
    queries: list[str], ways: dict[str, Any], by: str | None, seed: int, *, train: bool
) -> dict[str, tuple[str, ...]]:
    from cleverdon.collection.splitting import parts_by_attribute, parts_of_splits
    from cleverdon.compare.splits import hold_out, k_fold
    from cleverdon.compare.splits_file import read_splits
    from cleverdon.read.topics import read_topics

    if ways["--topics"]:
        return parts_by_attribute(queries, read_topics(ways["--topics"]).column(by)[1])
    if ways["--splits"]:
        return parts_of_splits(read_splits(ways["--splits"]), train=train)
    if ways["--folds"]:
        return parts_of_splits(k_fold(queries, folds=ways["--folds"], seed=seed), train=train)
    return parts_of_splits(hold_out(queries, share=ways["--hold-out"], seed=seed))
