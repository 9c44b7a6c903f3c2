"""cleverdon compare: a table of runs, with significance marked as papers do."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options


@click.command()
@options.inputs
@options.measures
@options.comparison
@options.formats("How to print. csv, tsv and json have every difference, with all digits.")
@options.layout
@options.settings
@options.judgments
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    format_: str,
    layout: dict[str, Any],
    **how: Any,
) -> None:
    """Compare RUNS topic by topic: with a baseline, or every one with every other.

    A dagger marks what differs significantly from the baseline. Without one, every run has a
    letter, and a value has the letters of the runs that it is significantly better than. The best
    value of a measure is bold, and the second underlined.

    \b
    Examples:
      cleverdon compare qrels.txt bm25.run dense.run --baseline bm25
      cleverdon compare qrels.txt *.run -m nDCG@10 -m AP --test randomised-tukey
      cleverdon compare qrels.txt bm25.run dense.run --baseline bm25 --format latex
      cleverdon compare qrels.txt *.run -m nDCG@10 -m AP --sort nDCG@10 --systems columns
      cleverdon compare qrels.txt bm25.run dense.run --format csv > differences.csv
    """
    options.check_one_stdin(qrels, *runs)
    opened = options.opened(runs)

    from cleverdon.cli.progress import bar

    with bar("comparing"):
        from cleverdon.compare import compare
        from cleverdon.show.comparison import render
        from cleverdon.show.layout import check_layout, sorting

        check_layout(format_, **layout, records=True)  # before anything takes long
        scores = options.evaluated(qrels, opened, measures, **how)
        sorting(layout["sort"], scores, scores.measures)
        found = compare(scores, **comparing)
    click.echo(render(found, format_, **layout, **options.terminal()))
