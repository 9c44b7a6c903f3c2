"""The command worst: the queries on which one run loses most against another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cleverdon.cli import options
from cleverdon.cli.declarations import argument, command, flag, one_stdin, option, writes
from cleverdon.cli.texts import TextOptions

if TYPE_CHECKING:
    from cleverdon.comparison.worst_queries import WorstQueries


class WorstOptions(TextOptions, options.SettingsOptions):
    """The options of `cleverdon worst`."""

    qrels: str = argument(options.QRELS)
    old: str = argument(options.RUN)
    new: str = argument(options.RUN)
    measure: str = options.measure("The measure.", default="nDCG@10")
    n: int = option(
        options.Count(min=0), "How many queries to list; 0: all that lost.", metavar="N", default=10
    )
    improved: bool = flag("List the largest gains instead of losses.")
    depth: int | None = options.depth(
        "Count unjudged results among the first K of each run.  [default: the cut-off of the "
        "measure, or 10]"
    )
    to_judge: Path | None = option(
        options.OUTPUT,
        "Write these unjudged results to a file. It is a sheet that `cleverdon judge init --pool` "
        "reads.",
    )
    section: str | None = option(
        "HEADING", "The table of csv and tsv: queries, moved or unjudged.  [default: queries]"
    )
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")
    output_file: Path | None = options.output_file


@command(WorstOptions)
@one_stdin("QRELS", "OLD", "NEW")
@writes("--to-judge", "--output")
def worst_command(given: WorstOptions) -> WorstQueries:
    """List the queries on which NEW loses most against OLD, and why.

    For each query: both values, the documents that make the difference, how many results nobody
    judged, and whether these could explain it.

    \b
    Examples:
      cleverdon worst qrels.txt bm25.run dense.run
      cleverdon worst qrels.txt bm25.run dense.run -m AP -n 20 --queries topics.tsv
      cleverdon worst qrels.txt bm25.run dense.run --improved -f csv
      cleverdon worst qrels.txt bm25.run dense.run --to-judge unjudged.tsv
    """
    opened = options.opened((given.old, given.new))

    from cleverdon._common.progress_bar import say
    from cleverdon.comparison.worst_queries import looking_depth, with_texts, worst
    from cleverdon.profiles import find_profile

    depth = looking_depth(find_profile(given.profile).parse(given.measure), given.depth)
    scores = options.evaluated(
        given.qrels, opened, (given.measure,), keep=depth, **given.evaluation
    )
    found = worst(scores, *opened, n=given.n or None, improved=given.improved, depth=depth)
    asked = given.texts.of_queries({one.query for one in found.queries})
    shown = given.texts.of_documents(found.documents)
    if given.to_judge is not None and found.unjudged:
        found.write_unjudged(given.to_judge, queries=asked, documents=shown)
    elif given.to_judge is not None:
        say(f"there is nothing to judge, so {given.to_judge} is not written")
    return with_texts(found, asked, shown)
