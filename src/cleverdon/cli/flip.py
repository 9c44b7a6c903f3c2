"""cleverdon flip: could judging the unjudged reverse the order of two runs?"""

from __future__ import annotations

import click

from cleverdon.cli import options


@click.command()
@click.argument("qrels", type=click.Path())
@click.argument("run_a", type=click.Path())
@click.argument("run_b", type=click.Path())
@options.measures_named(
    "A measure, such as nDCG@10 or 'P(rel=2)@5'; again for more.", default="nDCG@10"
)
@click.option(
    "--depth",
    type=options.COUNT,
    metavar="K",
    help="Only the first K results of each run will ever be judged.",
)
@click.option(
    "--grade",
    type=options.Number(),
    metavar="GRADE",
    help="The largest grade that a document could get, up to the largest in QRELS.  [default: that "
    "one]",
)
@click.option(
    "--docs", type=options.COUNT, metavar="N", help="How many documents the collection has."
)
@click.option(
    "--qrels-format", metavar="FORMAT", help="The judgments' format, if not to be guessed."
)
@click.option("--run-format", metavar="FORMAT", help="The runs' format, if not to be guessed.")
def command(
    qrels: str,
    run_a: str,
    run_b: str,
    measures: tuple[str, ...],
    depth: int | None,
    grade: float | None,
    docs: int | None,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Say whether judging what nobody judged could reverse the order of RUN_A and RUN_B.

    And which documents to judge first to settle it.

    \b
    Examples:
      cleverdon flip qrels.txt bm25.run dense.run -m nDCG@10
      cleverdon flip qrels.txt bm25.run dense.run -m P@5 --depth 5
    """
    options.check_one_stdin(qrels, run_a, run_b)

    from cleverdon.data import Judgments, Run
    from cleverdon.flip import could_flip

    # Read once for all measures: standard input can be read no second time.
    judgments = Judgments.read(qrels, format=qrels_format)
    first, second = (Run.read(run, format=run_format) for run in (run_a, run_b))
    for number, measure in enumerate(measures):
        if number:
            click.echo()
        click.echo(
            could_flip(
                judgments,
                first,
                second,
                measure,
                unjudged=True if grade is None else grade,
                depth=depth,
                docs=docs,
            )
        )
