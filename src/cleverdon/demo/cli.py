"""The command `cleverdon demo`: something real to evaluate, with nothing to download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, flag

if TYPE_CHECKING:
    from cleverdon.comparison.differences import Comparison
    from cleverdon.demo.experiment import Demo
    from cleverdon.scores import Scores


_COMPARED = ("nDCG@10", "AP", "RR", "P@10", "R@100")
_MEASURES = (*_COMPARED, "Judged@10")
_SHOWN = "nDCG@10"
_BASELINE = "bm25"
_DEPTH = 20  # the number of results of each query in the report
_COSTS = ("p50", "p99", "index_time", "index_size")
_CAUTION = (
    "The judgments were derived, not made by people, and grade 1 goes by shared word stems: that\n"
    "favours a system that stems. Four fifths of what the systems return is not judged at all."
)


class DemoOptions(Options):
    """The options of `cleverdon demo`."""

    directory: Path = argument(click.Path(file_okay=False, path_type=Path), default="demo")
    bench: bool = flag(
        "Time the systems as well.  [default: on]", flags="--bench/--no-bench", default=True
    )


@command(DemoOptions)
def demo_command(given: DemoOptions) -> None:
    """Build a test collection under DIRECTORY, search it with four systems, and evaluate them.

    The documents are the docstrings of Python's standard library, without their summary lines; the
    queries are those summaries. A query is to find the function it describes (grade 2); others of
    the same module on the same query are of some use (grade 1). How long the systems take to
    index, and to answer under a short load, is measured as well.

    \b
    Example:
      cleverdon demo
      cleverdon eval demo/qrels.txt demo/runs/*.run -m ERR@10 --per-query
    """
    from cleverdon.charts.vega import bundling_in_background
    from cleverdon.demo.experiment import write_demo

    directory, bench = given.directory, given.bench
    demo = write_demo(
        directory, progress=lambda step, *_: click.echo(f"... {step}", err=True), measure=bench
    )
    click.echo(
        f"{demo.documents:,} documents, {demo.queries} queries, {len(demo.runs)} systems, "
        f"written to {directory}\n"
    )
    with (
        bundling_in_background()
    ):  # not before, since it would keep a processor from the systems that are timed
        _evaluated(demo, directory, bench=bench)


def _evaluated(demo: Demo, directory: Path, *, bench: bool) -> None:
    from cleverdon.comparison.claims import Claims, claim
    from cleverdon.comparison.differences import compare
    from cleverdon.comparison.doubts import find_doubts
    from cleverdon.evaluation import evaluate

    scores = evaluate(demo.qrels, demo.runs, _MEASURES, keep=_DEPTH)
    click.echo(scores.render(**options.terminal()))
    found = compare(scores, baseline=_BASELINE, measures=_COMPARED)
    worst = evaluate(demo.qrels, demo.runs, _MEASURES, ties="worst")
    best = evaluate(demo.qrels, demo.runs, _MEASURES, ties="best")
    tied = (worst, best)
    raised = find_doubts(found, tied=tied)
    claims = claim(found, doubts=raised)
    shown = tuple(claim for claim in claims if str(claim.difference.measure) == _SHOWN)
    click.echo(f"\n{Claims(shown, tuple(raised))}")
    click.echo("\n" + _CAUTION)
    if bench:
        click.echo("\n" + _costs(demo, scores))
    runs = directory / "runs" / "*.run"
    files = f"{demo.qrels} {runs}"
    click.echo(f"\nNow try:\n  cleverdon compare {files} --baseline {_BASELINE}")
    click.echo(f"  cleverdon claim {files} --baseline {_BASELINE} -m ERR@10 -m R@100")
    click.echo(f"  cleverdon explain {demo.qrels} {demo.runs[0]} --query {scores.queries[0]}")
    click.echo("  cleverdon explain nDCG")
    click.echo(f"  cleverdon collection stats {files}")
    click.echo(f"  cleverdon pool simulate {files} --budget 20")
    engine = f"sqlite:{demo.indexes[0]}"
    click.echo(f"  cleverdon search '{engine}?operator=and' {demo.query_file} -o and.run")
    click.echo(f"  cleverdon bench {engine} {demo.query_file} --sweep 50:800 --seconds 3")
    judged = f"--queries {demo.query_file} --runs {runs} --documents {demo.collection}"
    click.echo(f"  cleverdon judge init judging {judged}\n")
    click.echo(_report(demo, found, tied, directory / "report.html"))


def _costs(demo: Demo, scores: Scores) -> str:
    """Write the table of costs, or name the library that is missing to measure them."""
    from cleverdon.comparison.tradeoffs import find_tradeoffs
    from cleverdon.demo.experiment import DEPTH, LOAD_RATE
    from cleverdon.engines.resources import disturbance_text

    if demo.unmeasured:
        return f"What the systems cost was not measured: {demo.unmeasured}"
    table = find_tradeoffs(scores, demo.costs, _SHOWN).render(columns=_COSTS, **options.terminal())
    return (
        f"What that costs, with {LOAD_RATE:g} requests a second for {demo.queries / LOAD_RATE:.1f} "
        f"s (open loop, {DEPTH} results each, within this process):\n\n"
        f"{table}\n{disturbance_text(demo.busy)}"
    ).rstrip()


def _report(demo: Demo, found: Comparison, tied: tuple[Scores, Scores], path: Path) -> str:
    """Write the report, or say which library is missing."""
    from cleverdon.errors import MissingExtra
    from cleverdon.formats.texts import read_texts

    click.echo("... writing a report", err=True)
    try:
        from cleverdon.reports.content import shown_documents  # which needs altair
        from cleverdon.reports.html_report import report

        report(
            found,
            title="Four ways to search Python's documentation",
            queries=read_texts(demo.query_file),
            documents=read_texts(demo.collection, wanted=shown_documents(found.scores)),
            doubting={"tied": tied},
            costs=demo.costs,
        ).save(path)
    except MissingExtra as error:
        return f"There is no report: {error}"
    return (
        f"A report of all this is in {path}: open it in a browser, pick a measure or a baseline, "
        "click a query."
    )
