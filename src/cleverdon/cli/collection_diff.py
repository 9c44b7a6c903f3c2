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


@click.command()
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path())
@click.argument("runs", nargs=-1, type=click.Path())
@options.measures_named(
    "With RUNS: a measure, such as nDCG@10; again for more.  [default: nDCG@10 and AP]"
)
@options.comparison
@shared.rel()
@click.option("--per-query", is_flag=True, help="A row for each topic instead.")
@click.option("--changes", is_flag=True, help="A row for each judgment that changed instead.")
@options.formats("How to print. csv, tsv and json have all digits.", FORMATS)
@shared.qrels_format
@shared.run_format
def command(
    before: str,
    after: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    rel: float,
    per_query: bool,
    changes: bool,
    format_: str,
    qrels_format: str | None,
    run_format: str | None,
) -> None:
    """Say what changed from the judgments BEFORE to those AFTER, and what that does to RUNS.

    Judgments that were added, removed and changed, from which grade to which, topic by topic. With
    RUNS: scores and ranks with both, how alike the two orders are (tau, tau-AP, with intervals over
    the topics of both), and which differences are significant with one and not with the other.

    \b
    Examples:
      cleverdon collection diff old.txt new.txt
      cleverdon collection diff old.txt new.txt *.run -m nDCG@10
      cleverdon collection diff human.txt model.txt *.run --baseline bm25
      cleverdon collection diff old.txt new.txt --changes -f csv
    """
    if per_query and changes:
        raise click.UsageError("--per-query and --changes are two tables: ask for one of them")
    if measures and not runs:
        raise click.UsageError("-m is about RUNS: name some")
    if runs and (per_query or changes):
        raise click.UsageError("--per-query and --changes are about judgments, without RUNS")

    from cleverdon.collection.difference import diff
    from cleverdon.show import qrels_diff as show

    both = [shared.read_qrels(file, qrels_format) for file in (before, after)]
    found = diff(*both, rel=rel)
    if changes:
        click.echo(show.render_changes(found, format_))
    elif per_query:
        click.echo(show.render_topics(found, format_))
    else:
        moved = _effects(both, runs, measures, comparing, run_format) if runs else []
        click.echo(show.render(found, moved, format_))


def _effects(
    both: list[Judgments],
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    run_format: str | None,
) -> list[Effect]:
    from cleverdon.cli.progress import bar
    from cleverdon.collection.effects import effects

    wanted = measures or ("nDCG@10", "AP")
    scores = [
        options.evaluated(
            judgments, options.opened(runs), wanted, warn=False, run_format=run_format
        )
        for judgments in both
    ]
    with bar("comparing"):
        return effects(*scores, **comparing)
