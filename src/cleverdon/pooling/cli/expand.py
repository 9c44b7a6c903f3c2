"""The command `cleverdon pool expand`: probes with expanded queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, excludes, flag, option, requires
from cleverdon.pooling.choices import ORIGINAL, PROBE_DEPTH, PROBE_ROUNDS, QUERY_FORMATS, TERMS
from cleverdon.tables.table import FORMATS

if TYPE_CHECKING:
    from cleverdon.pooling.expansion import Expansion


class ExpandOptions(Options):
    """The options of `cleverdon pool expand`."""

    qrels: str = argument(options.FILE)
    sheets: tuple[str, ...] = argument(options.FILE, nargs=-1)
    queries: str | None = option(options.FILE, "The queries' texts: TSV, JSONL, TREC topics, ...")
    documents: str | None = option(
        options.FILE,
        "The documents' texts. JSONL, TSV, TREC, a folder, ... Of relevant ones at least; of all, "
        "where they are searched.",
    )
    rephrasings: str | None = option(
        options.FILE,
        "Other words for queries, to probe as well. Query and text, in the formats of --queries; "
        "a query may have several.",
    )
    terms: int = option(
        options.COUNT,
        "How many words of relevant documents expand a query.",
        metavar="N",
        default=TERMS,
    )
    original: float = option(
        options.Number(0, 1), "The weight of the query's own words together.", default=ORIGINAL
    )
    stop_words: str | None = option(
        click.Path(exists=True, dir_okay=False),
        "Words that expand no query, separated by white space.  [default: English ones]",
    )
    common: float | None = option(
        options.Number(0, 1, min_open=True),
        "Ignore words that a larger share of documents contains.",
        metavar="SHARE",
    )
    rel: float = options.rel()
    depth: int = options.depth("The first K results of each probe are judged.", default=PROBE_DEPTH)
    runs: tuple[str, ...] = option(
        options.FILE,
        "What your engine returned for the expanded queries; repeat for more.  [default: "
        "--documents are searched here]",
        multiple=True,
        metavar="RUN",
    )
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    qrels_format: str | None = options.qrels_format
    output: Path | None = option(
        options.OUTPUT,
        "Write what was found, and is not judged yet, as a sheet for judges.",
        short="-o",
    )
    pool: str | None = option(
        options.FILE,
        "A pool that is being judged. Its documents are not new either.",
    )
    seed: int = options.seed("order of the sheet")
    simulate: bool = flag("Simulate: search, judge by QRELS, expand, repeat.")
    rounds: int = option(
        options.COUNT,
        "With --simulate: how many rounds at most.",
        metavar="N",
        default=PROBE_ROUNDS,
    )
    plot: Path | None = options.plot("the yield of the rounds")
    format_: str | None = option(
        click.Choice([*QUERY_FORMATS, *FORMATS]),
        "Output format. lucene (the default) and jsonl are for expanded queries, table (the "
        "default) and the others for the yield of rounds.",
        flags="-f --format",
    )
    columns: str | None = options.columns


_SEARCHES = ("--output", "--simulate")
_NO_TEXTS = "a run has the results already"
_TEXTS = "queries are expanded by the texts of relevant documents"


@command(ExpandOptions)
@requires("--runs", "--output", because="name the sheet to be written")
@excludes("--simulate", "--output", "SHEETS", "--runs", because="it judges as QRELS say")
@excludes("--runs", "--queries", "--documents", "--rephrasings", "--stop-words", because=_NO_TEXTS)
@requires("--queries", "--documents", because=_TEXTS)
@requires("--documents", "--queries", because=_TEXTS)
@requires("--simulate", "--queries", because=_TEXTS)
@requires("--output", "--queries", "--runs", because=_TEXTS)
@requires("--stop-words", "--queries")
@requires("--rephrasings", *_SEARCHES, because="your own engine can run them as they stand")
@requires("--common", *_SEARCHES, because="all documents tell which words are common")
@requires("--pool", "--output", because="it says what is not to be judged again")
@requires("--plot", *_SEARCHES, "no --queries", because="it draws the yield of rounds")
@requires("-f lucene", "--queries")
@requires("-f jsonl", "--queries")
@excludes("-f lucene", *_SEARCHES)
@excludes("-f jsonl", *_SEARCHES)
def expand_command(given: ExpandOptions) -> Expansion | None:
    """Probe for relevant documents, with queries expanded by relevant texts (RM3).

    QRELS are the judgments so far, and SHEETS what judges filled in since, a round each: the yield
    of these rounds is shown. With --queries, the expanded queries are printed instead, for your own
    engine to run. With --output, what --runs brought (or else a search in --documents) goes to a
    sheet: the next round. All state is in QRELS and SHEETS, so a probe can stop at any time.

    \b
    Examples:
      cleverdon pool expand qrels.txt --queries topics.tsv --documents corpus.jsonl > queries.tsv
      cleverdon pool expand qrels.txt --runs expanded.run -k 20 -o round1.tsv
      cleverdon pool expand qrels.txt round1.tsv --queries topics.tsv \\
          --documents corpus.jsonl -o round2.tsv
      cleverdon pool expand qrels.txt round1.tsv round2.tsv --plot yield.html
      cleverdon pool expand qrels.txt --queries topics.tsv --documents corpus.jsonl --simulate
    """
    options.check_plot(given.plot)

    from cleverdon._common.progress_bar import bar, say
    from cleverdon.formats.sheets import check_replaceable
    from cleverdon.pooling.expansion import expand

    if given.output is not None:
        options.check_output(given.output)
        check_replaceable(given.output)  # before anything takes long
    with bar("probing") as update:
        runs = options.opened(given.runs) if given.runs else None
        search = given.output is not None
        found = expand(**given.keywords(expand, runs=runs, search=search, progress=update))
    for note in found.notes:
        say(f"cleverdon: {note}")
    if given.output is not None and found.new is not None:
        say(found.new.write_sheet(given.output, seed=given.seed))
        if not given.sheets and given.plot is None:
            return None  # there is only round 0
    options.save_plot(found, given.plot, "the yield of the rounds")
    return found
