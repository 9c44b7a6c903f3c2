"""The command `cleverdon pool votes`: an order of systems without judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, at_least, command, no_stdin, option, requires
from cleverdon.pooling.choices import (
    RELEVANT_SHARE,
    SHARE_DEVIATION,
    VOTE_DEPTH,
    VOTE_MEASURE,
    VOTE_TRIALS,
    VOTING_METHODS,
)

if TYPE_CHECKING:
    from cleverdon.pooling.vote_results import VoteOrders


class VotesOptions(Options):
    """The options of `cleverdon pool votes`."""

    runs: tuple[str, ...] = options.runs
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    qrels: str | None = option(
        options.FILE, "Judgments: show the judged order as well, and how alike the two are."
    )
    methods: tuple[str, ...] = option(
        click.Choice(list(VOTING_METHODS)),
        "How votes are counted; repeat for more.  [default: all]",
        flags="--method",
        multiple=True,
        default=tuple(VOTING_METHODS),
    )
    depth: int = options.depth(
        "The first K results of each run vote, or make up the pool.", default=VOTE_DEPTH
    )
    measure: str = options.measure(
        "The measure that scores systems. On the judgments, and on pseudo-judgments.",
        default=VOTE_MEASURE,
    )
    relevant_share: float = option(
        options.Number(0, 1, min_open=True),
        "The share of a query's pool that is taken for relevant.",
        default=RELEVANT_SHARE,
    )
    share_deviation: float = option(
        options.Number(min=0),
        "The standard deviation of that share between queries. For documents that are drawn at "
        "random.",
        default=SHARE_DEVIATION,
    )
    trials: int = option(
        options.REPEATS,
        "How often documents are drawn at random.",
        metavar="N",
        default=VOTE_TRIALS,
    )
    seed: int = options.seed("draws and intervals")
    resamples: int = option(
        options.REPEATS,
        "How often the bootstrap of the intervals draws queries.",
        metavar="N",
        default=2000,  # FEWER_RESAMPLES; a test compares them, since help loads no statistics
    )
    confidence: float = options.confidence
    format_: str = options.formats("Output format. csv, tsv and json have all digits.")
    qrels_format: str | None = options.qrels_format
    columns: str | None = options.columns


_DRAWING = ("--method soboroff", "--method soboroff-duplicates")
_ASSUMING = (*_DRAWING, "--method rank-position")


@command(VotesOptions)
@at_least(2, "RUNS", because="systems vote on each other")
@requires(["--resamples", "--confidence"], "--qrels")
@requires("--qrels-format", "--qrels")
@requires("--trials", *_DRAWING)
@requires("--share-deviation", *_DRAWING)
@requires("--relevant-share", *_ASSUMING)
@requires("--measure", "--qrels", *_ASSUMING)
@no_stdin("--qrels", "RUNS", where="--qrels")
def votes_command(given: VotesOptions) -> VoteOrders:
    """Rank the systems behind RUNS without judgments, by taking their results as votes.

    A document that many systems return is likely to be relevant, and a system that returns many
    such documents is likely to be good. Votes correlate with judgments, but underrate systems that
    find what the others do not: --qrels of some queries show how far votes can be trusted.

    \b
    Examples:
      cleverdon pool votes *.run
      cleverdon pool votes *.run --method references-both-ranks -k 50
      cleverdon pool votes *.run --qrels qrels.txt -m nDCG@10
      cleverdon pool votes *.run --method soboroff --trials 200 --seed 7 -f csv
    """
    options.check_one_stdin(*given.runs)

    from cleverdon._common.progress_bar import bar, say
    from cleverdon.pooling.votes import vote

    with bar("counting votes") as update:
        runs = options.opened(given.runs)
        found = vote(**given.keywords(vote, runs=runs, progress=update))
    for note in found.notes:
        say(f"cleverdon: {note}")
    return found
