"""cleverdon claim: what runs and judgments allow one to say, in words."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options
from cleverdon.cli.doubting import doubting, tied


@click.command()
@options.inputs
@options.measures
@options.comparison
@doubting
@click.option(
    "--bounds",
    is_flag=True,
    help="Look, too, at the lowest and highest that averages could be, whatever the order of tied "
    "results and the grades of unjudged ones.",
)
@options.formats("How to print.", ("text", "markdown", "json"))
@options.settings
@options.judgments
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    doubting: dict[str, Any],
    bounds: bool,
    format_: str,
    **how: Any,
) -> None:
    """Say in words what the data supports, what it does not, and what speaks against believing it.

    A sentence for each pair of runs and each measure; below, doubts about the evaluation, each with
    its name, by which it can be silenced, and a reference.

    \b
    Examples:
      cleverdon claim qrels.txt bm25.run dense.run --baseline bm25 -m nDCG@10
      cleverdon claim qrels.txt bm25.run dense.run --baseline bm25 --pooled bm25 --bounds
      cleverdon claim qrels.txt bm25.run dense.run --silence few-topics --silence mean-rr
    """
    options.check_one_stdin(qrels, *runs)
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar

    with bar("comparing"):
        from cleverdon.compare import claims, compare, doubts
        from cleverdon.show.claims import render

        scores = options.evaluated(qrels, opened, measures, bounds=bounds, warn=False, **how)
        ordered = tied(scores, qrels, opened, measures, how)
        found = compare(scores, **comparing)
        raised = doubts(found, tied=ordered, **doubting)
        said = claims(found)
    click.echo(render(said, raised, format_))
