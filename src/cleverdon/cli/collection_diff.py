"""cleverdon collection diff: what changed between two judgments, and what that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import collection_options as shared
from cleverdon.cli import options
from cleverdon.show.sections import FORMATS

if TYPE_CHECKING:
    from cleverdon.collection.effects import Effect
    from cleverdon.data import Judgments
    from cleverdon.measures.base import Measure

_OF_RUNS = ("measures", *options.COMPARING, "confidence", "run_format", "order_by")


@click.command()
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path())
@click.argument("runs", nargs=-1, type=click.Path())
@options.measures_named(
    "With RUNS: a measure, such as nDCG@10; again for more.  [default: nDCG@10, by all grades, and "
    "AP, from --rel on]"
)
@options.comparison
@options.confidence
@options.rel()
@click.option("--per-query", is_flag=True, help="A row for each query instead.")
@click.option("--changes", is_flag=True, help="A row for each judgment that changed instead.")
@options.formats("How to print. csv, tsv and json have all digits.", FORMATS)
@options.qrels_format
@options.runs_read
def command(
    before: str,
    after: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    confidence: float,
    rel: float,
    per_query: bool,
    changes: bool,
    format_: str,
    qrels_format: str | None,
    run_format: str | None,
    order_by: str,
) -> None:
    """Say what changed from the judgments BEFORE to those AFTER, and what that does to RUNS.

    Judgments that were added, removed and changed, from which grade to which, topic by topic. With
    RUNS: scores and ranks with both, how alike the two orders are (tau, and tau-AP with the order
    BEFORE as the truth, with intervals over topics), and which differences are shown by one and not
    by the other: all of it on the topics that both have.

    \b
    Examples:
      cleverdon collection diff old.txt new.txt
      cleverdon collection diff old.txt new.txt *.run -m nDCG@10
      cleverdon collection diff human.txt model.txt *.run --baseline bm25
      cleverdon collection diff old.txt new.txt --changes -f csv
    """
    if per_query and changes:
        raise click.UsageError("--per-query and --changes are two tables: ask for one of them")
    options.check_of_use(runs, _OF_RUNS, "RUNS: name some")
    if runs and (per_query or changes):
        raise click.UsageError("--per-query and --changes are about judgments, without RUNS")

    from cleverdon.cli.progress import bar
    from cleverdon.collection.difference import diff
    from cleverdon.measures import AP
    from cleverdon.show import qrels_diff as show

    both = [shared.read_qrels(file, qrels_format) for file in (before, after)]
    with bar("comparing judgments") as update:
        found = diff(*both, rel=rel, progress=update)
    if changes:
        click.echo(show.render_changes(found, format_))
    elif per_query:
        click.echo(show.render_topics(found, format_))
    else:
        moved: list[Effect] = []
        if runs:
            wanted = measures or ("nDCG@10", AP(rel=rel))
            how = {"run_format": run_format, "order_by": order_by}
            moved = _effects(both, runs, wanted, comparing | {"confidence": confidence}, how)
        click.echo(show.render(found, moved, format_))


def _effects(
    both: list[Judgments],
    runs: tuple[str, ...],
    measures: tuple[str | Measure, ...],
    comparing: dict[str, Any],
    how: dict[str, Any],
) -> list[Effect]:
    from cleverdon.cli.progress import bar
    from cleverdon.collection.effects import effects

    scores = [
        options.evaluated(judgments, options.opened(runs), measures, warn=False, **how)
        for judgments in both
    ]
    with bar("comparing systems"):
        return effects(*scores, **comparing)
