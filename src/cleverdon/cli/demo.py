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
    from cleverdon.compare import claims, compare, doubts
    from cleverdon.demo import write_demo
    from cleverdon.evaluation import evaluate
    from cleverdon.show.claims import render as render_claims
    from cleverdon.show.table import render

    demo = write_demo(directory, progress=lambda line: click.echo(f"... {line}", err=True))
    click.echo(
        f"{demo.documents:,} documents, {demo.queries} queries, {len(demo.runs)} systems, "
        f"written to {directory}\n"
    )
    scores = evaluate(demo.qrels, demo.runs, MEASURES)
    click.echo(render(scores))
    found = compare(scores, baseline=BASELINE, measures=COMPARED)
    worst = evaluate(demo.qrels, demo.runs, COMPARED, ties="worst")
    best = evaluate(demo.qrels, demo.runs, COMPARED, ties="best")
    click.echo("\n" + render_claims(claims(found), doubts(found, tied=(worst, best))))
    click.echo("\n" + CAUTION)
    files = f"{demo.qrels} {directory / 'runs' / '*.run'}"
    click.echo(f"\nNow try:\n  cleverdon compare {files} --baseline {BASELINE}")
    click.echo(f"  cleverdon claim {files} --baseline {BASELINE} -m ERR@10 -m R@100")
    click.echo(f"  cleverdon eval {files} -m ERR@10 --per-query\n  cleverdon explain nDCG")
