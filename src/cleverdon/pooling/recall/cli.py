"""The command `cleverdon recall`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, excludes, flag, option, requires
from cleverdon.pooling.choices import PRECISION, SAMPLE_FORMATS, TARGET

if TYPE_CHECKING:
    from cleverdon.pooling.recall.recall import Recall


class RecallOptions(Options):
    """The options of `cleverdon recall`."""

    qrels: str = argument(options.QRELS)
    runs: tuple[str, ...] = options.runs
    docs: int | None = option(
        options.COUNT,
        "How many documents the collection has.  [default: as --drawn says]",
        metavar="N",
    )
    sample: str | None = option(
        options.FILE,
        "Judgments of a sample from outside the pool. The sheet of `cleverdon pool sample`, "
        "filled in, or any judgments.",
    )
    drawn: str | None = option(
        options.FILE,
        "How the sample was drawn: the file of `cleverdon pool sample`.",
    )
    sample_format: str | None = option(
        click.Choice(SAMPLE_FORMATS),
        "Without --drawn: what the sample's file says. How it was drawn; plain: nothing, each "
        "query's is a simple random one; sampled: probabilities; strata: strata.  [default: plain]",
    )
    depth: int | None = option(
        options.COUNT,
        "How deep the pool is.  [default: down to where all results of all runs are judged]",
        metavar="K",
    )
    groups: str | None = option(
        options.FILE,
        "Runs that belong together, as of one team. Run and group, a line each. A group counts as "
        "one system, and is left out as a whole.",
    )
    measures: tuple[str, ...] = options.measures_named(
        "A measure of runs. With and without the judgments that they alone contributed; repeat "
        "for more.  [default: AP by --rel, and nDCG@10]"
    )
    no_reuse: bool = flag("Do not score runs with judgments left out.")
    rel: float = options.rel()
    target_recall: float = option(
        options.SHARE, "The recall at which judging may stop.", default=TARGET
    )
    half_width: float = option(
        options.SHARE,
        "The wanted precision: half the width of the interval of recall.",
        default=PRECISION,
    )
    confidence: float = options.confidence
    per_query: bool = flag("Print the estimates of each query, too.")
    plot: Path | None = options.plot("the saturation of the pool")
    qrels_format: str | None = options.qrels_format
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    format_: str = options.formats("Output format. csv, tsv and json have all digits.")
    section: str | None = options.section
    columns: str | None = options.columns


@command(RecallOptions)
@requires("--drawn", "--sample", because="the judgments of what was drawn")
@requires("--sample-format", "--sample")
@excludes("--drawn", "--sample-format", because="--drawn says how the sample was drawn")
@excludes("--measure", "--no-reuse", because="without reuse, no run is scored")
def recall_command(given: RecallOptions) -> Recall:
    """Estimate how many relevant documents there are, and how many of them were found.

    By a judged sample of what is not in the pool, where there is one; and by capture-recapture,
    from how much RUNS found in common, which gives a lower bound unless they complement each other.
    It also shows how the pool fills with depth and with systems, what a system that was not pooled
    would lose, and whether to stop judging.

    \b
    Examples:
      cleverdon recall qrels.txt *.run
      cleverdon recall qrels.txt *.run --docs 528155 --depth 100 --target-recall 0.8
      cleverdon pool sample docs.txt --qrels qrels.txt -n 200 -o sample.tsv
      cleverdon recall qrels.txt *.run --drawn sample.tsv --sample filled_in.tsv
      cleverdon recall qrels.txt *.run --groups teams.tsv --per-query -f csv
    """
    options.check_one_stdin(given.qrels, *given.runs)
    options.check_plot(given.plot)
    runs = options.opened(given.runs)

    from cleverdon._common.progress_bar import bar, say
    from cleverdon.pooling.recall.recall import estimate_recall

    with bar("estimating") as update:
        others = {"runs": runs, "reusing": not given.no_reuse, "progress": update}
        found = estimate_recall(**given.keywords(estimate_recall, **others))
    for note in found.notes:
        say(f"cleverdon: {note}")
    options.save_plot(found, given.plot)
    return found
