"""cleverdon demo: something real to evaluate, with nothing to download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon.compare import Comparison, Doubt
    from cleverdon.demo.write import Demo
    from cleverdon.scores import Scores

COMPARED = ("nDCG@10", "AP", "RR", "P@10", "R@100")
MEASURES = (*COMPARED, "Judged@10")
SHOWN = "nDCG@10"
BASELINE = "bm25"
_DEPTH = 20
"""How many results of each query the report shows."""
_COSTS = ("p50", "p99", "index_time", "index_size")
CAUTION = (
    "The judgments were derived, not made by people, and grade 1 goes by shared word stems: that\n"
    "favours a system that stems. Four fifths of what the systems return is not judged at all."
)


@click.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path), default="demo")
@click.option("--bench/--no-bench", default=True, help="Time the systems as well.  [default: do]")
def command(directory: Path, bench: bool) -> None:
    """Build a test collection under DIRECTORY, search it with four systems, and evaluate them.

    The documents are the docstrings of Python's standard library, without their summary lines; the
    queries are those summaries. A query is to find the function it describes (grade 2); others of
    the same module on the same topic are of some use (grade 1). How long the systems take to
    index, and to answer under a short load, is measured as well.

    \b
    Example:
      cleverdon demo
      cleverdon eval demo/qrels.txt demo/runs/*.run -m ERR@10 --per-query
    """
    from cleverdon.demo import write_demo
    from cleverdon.show.page.vega import begun

    demo = write_demo(
        directory, progress=lambda line: click.echo(f"... {line}", err=True), measure=bench
    )
    click.echo(
        f"{demo.documents:,} documents, {demo.queries} queries, {len(demo.runs)} systems, "
        f"written to {directory}\n"
    )
    with begun():  # not before, since it would keep a processor from the systems that are timed
        _evaluated(demo, directory, bench=bench)


def _evaluated(demo: Demo, directory: Path, *, bench: bool) -> None:
    """Say how good the systems are, and write the report."""
    from cleverdon.compare import claims, compare, doubts
    from cleverdon.evaluation import evaluate
    from cleverdon.show.claims import render as render_claims
    from cleverdon.show.table import render

    scores = evaluate(demo.qrels, demo.runs, MEASURES, keep=_DEPTH)
    click.echo(render(scores, **options.terminal()))
    found = compare(scores, baseline=BASELINE, measures=COMPARED)
    worst = evaluate(demo.qrels, demo.runs, MEASURES, ties="worst")
    best = evaluate(demo.qrels, demo.runs, MEASURES, ties="best")
    raised = doubts(found, tied=(worst, best))
    said = [claim for claim in claims(found) if str(claim.difference.measure) == SHOWN]
    click.echo("\n" + render_claims(said, raised))
    click.echo("\n" + CAUTION)
    if bench:
        click.echo("\n" + _costs(demo, scores))
    runs = directory / "runs" / "*.run"
    files = f"{demo.qrels} {runs}"
    click.echo(f"\nNow try:\n  cleverdon compare {files} --baseline {BASELINE}")
    click.echo(f"  cleverdon claim {files} --baseline {BASELINE} -m ERR@10 -m R@100")
    click.echo(f"  cleverdon explain {demo.qrels} {demo.runs[0]} --query {scores.queries[0]}")
    click.echo("  cleverdon explain nDCG")
    click.echo(f"  cleverdon collection stats {files}")
    click.echo(f"  cleverdon pool simulate {files} --budget 20")
    engine = f"sqlite:{demo.indexes[0]}"
    click.echo(f"  cleverdon search '{engine}?operator=and' {demo.topics} -o and.run")
    click.echo(f"  cleverdon bench {engine} {demo.topics} --sweep 50:800 --seconds 3")
    judged = f"--topics {demo.topics} --runs {runs} --docs {demo.collection}"
    click.echo(f"  cleverdon judge init judging {judged}\n")
    click.echo(_report(demo, found, raised, directory / "report.html"))


def _costs(demo: Demo, scores: Scores) -> str:
    """What the systems cost beside how good they are; or what is missing to measure it."""
    from cleverdon.compare.standings import standings
    from cleverdon.demo.measuring import RATE
    from cleverdon.demo.systems import DEPTH
    from cleverdon.engine.machine import disturbed
    from cleverdon.show.costs import render

    if demo.unmeasured:
        return f"What the systems cost was not measured: {demo.unmeasured}"
    table = render(standings(scores, demo.costs, SHOWN), columns=_COSTS, **options.terminal())
    return (
        f"What that costs, with {RATE:g} requests a second for {demo.queries / RATE:.1f} s (open "
        f"loop, {DEPTH} results each, within this process):\n\n{table}\n{disturbed(demo.busy)}"
    ).rstrip()


def _report(demo: Demo, found: Comparison, raised: list[Doubt], path: Path) -> str:
    """Write the report, and say so; or say what is missing for it."""
    from cleverdon.errors import MissingExtra
    from cleverdon.read.texts import read_texts
    from cleverdon.show.report import report, shown_documents

    click.echo("... writing a report", err=True)
    try:
        report(
            found,
            title="Four ways to search Python's documentation",
            queries=read_texts(demo.topics),
            documents=read_texts(demo.collection, wanted=shown_documents(found.scores)),
            doubts=raised,
            costs=demo.costs,
        ).save(path)
    except MissingExtra as error:
        return f"There is no report: {error}"
    return (
        f"A report of all this is in {path}: open it in a browser, pick a measure or a baseline, "
        "click a topic."
    )
