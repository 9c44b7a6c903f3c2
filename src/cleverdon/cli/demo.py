"""cleverdon demo: something real to evaluate, with nothing to download."""

from __future__ import annotations

from pathlib import Path

import click

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100", "Judged@10")
COMPARED = "nDCG@10"
BASELINE = "bm25"
CAUTION = (
    "The judgments were derived, not made by people, and grade 1 goes by shared word stems: that\n"
    "favours a system that stems. Four fifths of what the systems return is not judged at all."
)


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), default="demo")
def command(directory: Path) -> None:
    """Build a test collection under DIRECTORY, search it with four systems, and evaluate them.

    The documents are the docstrings of Python's standard library, without their summary lines; the
    queries are those summaries. A query is to find the function it describes (grade 2); others of
    the same module on the same topic are of some use (grade 1).

    \b
    Example:
      cleverdon demo
      cleverdon eval demo/qrels.txt demo/runs/*.run -m ERR@10 --per-query
    """
    from cleverdon.compare import compare
    from cleverdon.demo import write_demo
    from cleverdon.evaluation import evaluate
    from cleverdon.show.comparison import render as render_comparison
    from cleverdon.show.table import render

    demo = write_demo(directory, progress=lambda line: click.echo(f"... {line}", err=True))
    click.echo(
        f"{demo.documents:,} documents, {demo.queries} queries, {len(demo.runs)} systems, "
        f"written to {directory}\n"
    )
    scores = evaluate(demo.qrels, demo.runs, MEASURES)
    for warning in scores.warnings:
        click.echo(f"cleverdon: warning: {warning}", err=True)
    click.echo(render(scores))
    click.echo("\n" + render_comparison(compare(scores, baseline=BASELINE, measures=COMPARED)))
    click.echo(CAUTION)
    runs = directory / "runs"
    click.echo(f"\nNow try:\n  cleverdon eval {demo.qrels} {runs / '*.run'} -m ERR@10 --per-query")
    click.echo(
        f"  cleverdon check {runs / 'bm25.run'} --qrels {demo.qrels}\n  cleverdon explain nDCG"
    )
