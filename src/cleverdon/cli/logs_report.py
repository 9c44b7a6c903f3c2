"""cleverdon logs report: one HTML file of what a log says, which can be sent around."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import logs_options, options
from cleverdon.cli.logs_settings import counting

if TYPE_CHECKING:
    from cleverdon.online.settings import Settings


@click.command()
@logs_options.log
@options.page("logs.html", title="What the search log says")
@click.option(
    "--control",
    metavar="VARIANT",
    help="The variant that the others are compared with.  [default: the one called control, "
    "baseline or A]",
)
@click.option(
    "--check/--no-check", default=True, help="Look for what is wrong with the log.  [default: do]"
)
@options.level("One minus the level of the intervals.")
@counting
def command(
    sources: tuple[str, ...],
    reading: dict[str, Any],
    output: Path,
    as_json: bool,
    title: str,
    control: str | None,
    check: bool,
    level: float,
    settings: Settings,
) -> None:
    """Write a report of LOG: numbers, time series, funnel, lists, latency, A/B test, and method.

    It is one file that needs no network, and that names no user: lists have only queries of
    several users.

    \b
    Examples:
      cleverdon logs report made_up
      cleverdon logs report made_up -o week.html --title "Week 46" --control A
      cleverdon logs report ubi_queries.jsonl ubi_events.jsonl --least-users 20 --json
    """
    if output.suffix not in (".html", ".htm"):
        raise click.UsageError(f"a report is a page: {output.with_suffix('.html')}, not {output}")
    written = [output, *([output.with_suffix(".json")] if as_json else [])]
    for file in written:
        options.check_output(file, *sources, reading["mapping"])

    from cleverdon.cli.progress import bar
    from cleverdon.show.page.vega import begun

    with begun(), bar("reading the log"):
        from cleverdon.show.logs_report import logs_report

        log = logs_options.opened(sources, reading)
        with _told() as tell:
            made = logs_report(
                log,
                title=title,
                settings=settings,
                control=control,
                level=1 - level,
                check=check,
                progress=tell,
            )
        with bar("drawing"):
            made.save(output)
            if as_json:
                made.save_json(output.with_suffix(".json"))
    click.echo(f"{output} is written: {output.stat().st_size / 1e6:.1f} MB; open it in a browser")
    if as_json:
        click.echo(f"{output.with_suffix('.json')} has the data")


@contextmanager
def _told() -> Iterator[Callable[[str], None]]:
    """What says on the bar what is being done now."""
    from cleverdon.cli.progress import bar

    with ExitStack() as label:

        def tell(what: str) -> None:
            label.close()
            label.enter_context(bar(what))

        yield tell
