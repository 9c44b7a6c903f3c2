"""The command `cleverdon flip`: could judging the unjudged reverse the order of two runs?"""

from __future__ import annotations

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, one_stdin, option


class FlipOptions(Options):
    qrels: str = argument(options.QRELS)
    run_a: str = argument(options.RUN)
    run_b: str = argument(options.RUN)
    measures: tuple[str, ...] = options.measures_named(
        "A measure, such as nDCG@10 or 'P(rel=2)@5'; again for more.", default="nDCG@10"
    )
    depth: int | None = option(
        options.COUNT, "Only the first K results of each run will ever be judged.", metavar="K"
    )
    grade: float | None = option(
        options.Number(),
        "The largest grade that a document could get, up to the largest in QRELS.  [default: that "
        "one]",
        metavar="GRADE",
    )
    docs: int | None = options.docs
    qrels_format: str | None = options.qrels_format
    run_format: str | None = options.run_format
    columns: str | None = options.columns


@command(FlipOptions)
@one_stdin("QRELS", "RUN_A", "RUN_B")
def flip_command(given: FlipOptions) -> str:
    """Say whether judging what nobody judged could reverse the order of RUN_A and RUN_B.

    And which documents to judge first to settle it.

    \b
    Examples:
      cleverdon flip qrels.txt bm25.run dense.run -m nDCG@10
      cleverdon flip qrels.txt bm25.run dense.run -m P@5 --depth 5
    """
    from cleverdon.data import Judgments, Run
    from cleverdon.unknowns.flips import could_flip

    # Read once for all measures: standard input cannot be read twice.
    judgments = Judgments.read(given.qrels, format=given.qrels_format)
    run_a, run_b = (Run.read(run, format=given.run_format) for run in (given.run_a, given.run_b))
    flips = (
        could_flip(
            judgments,
            run_a,
            run_b,
            measure,
            unjudged=True if given.grade is None else given.grade,
            depth=given.depth,
            docs=given.docs,
        )
        for measure in given.measures
    )
    return "\n\n".join(map(str, flips))
