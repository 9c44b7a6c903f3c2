"""cleverdon logs abtest: what the variants of an experiment did to the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import logs_options, options
from cleverdon.cli.logs_settings import counting
from cleverdon.show.grid import FORMATS

if TYPE_CHECKING:
    from cleverdon.online.settings import Settings

NOT_TRUSTED = 3
"""The exit code where users are not split as expected; 1 and 2 are errors."""

_SHARE = options.SHARE


def _shares(given: tuple[str, ...]) -> dict[str, float] | None:
    """NAME=SHARE, each; None where nothing is given."""
    shares = {}
    for one in given:
        name, equals, share = one.rpartition("=")
        if name in shares:
            raise click.UsageError(f"--expected {one}: {name} has a share already")
        try:
            shares[name] = float(share)
        except ValueError:
            equals = ""
        if not equals:
            raise click.UsageError(f"--expected {one}: it is NAME=SHARE, as in A=0.9")
    return shares or None


@click.command("abtest")
@logs_options.log
@click.option(
    "--control",
    metavar="NAME",
    help="The variant that all others are compared with.  [default: the one called control, "
    "baseline or A]",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="A rate or a mean that may change for the better, such as Success; again for more.  "
    "[default: Success Abandonment QueryCTR ReciprocalClickRank Reformulation]",
)
@click.option(
    "--guardrail",
    "guardrails",
    multiple=True,
    metavar="METRIC[=MARGIN]",
    help="A metric that must not be worse by the margin, a share of the control's value; again for "
    "more; none: no guardrail.  [default: ZeroResults=0.02 Latency=0.02]",
)
@click.option(
    "--expected",
    multiple=True,
    metavar="NAME=SHARE",
    help="The share of users that a variant should have; again for each, so that they sum to 1.  "
    "[default: all the same]",
)
@click.option(
    "--start",
    metavar="TIME",
    help="When the experiment began: 2026-11-15 or 2026-11-15T13:00, by the clocks of --days-in.  "
    "[default: with the first search that has a variant]",
)
@click.option(
    "--end",
    metavar="TIME",
    help="When it ended; a day is not part of it.  [default: with the log]",
)
@click.option(
    "--cuped/--no-cuped",
    default=None,
    help="Whether to adjust by what the same users did before.  [default: where the log has that]",
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Give p-values and intervals that hold however often you look.",
)
@click.option(
    "--correction",
    default="holm",
    show_default=True,
    metavar="NAME",
    help="How p-values are corrected over all metrics and variants: holm, bonferroni, "
    "benjamini-hochberg or none.",
)
@options.level("Up to which corrected p-value a difference is called significant.")
@click.option(
    "--wanted",
    type=_SHARE,
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="The relative difference that must not be missed.",
)
@click.option(
    "--power",
    type=_SHARE,
    default=0.8,
    show_default=True,
    help="With which chance it is to be found.",
)
@logs_options.check
@click.option("--sql", is_flag=True, help="Print the queries that run, and not what they give.")
@options.formats("How to print. csv, tsv and json have all digits.", ("text", *FORMATS))
@counting
def command(
    sources: tuple[str, ...],
    reading: dict[str, Any],
    metrics: tuple[str, ...],
    guardrails: tuple[str, ...],
    expected: tuple[str, ...],
    check: bool,
    sql: bool,
    format_: str,
    settings: Settings,
    **how: Any,
) -> None:
    """Compare the variants of an experiment in LOG with its control, and say what it shows.

    Users are the sample, whatever a metric counts. First it is checked whether they are split as
    they should be: where they are not, with p below 0.001, nothing is claimed and the exit code is
    3. With p below 0.05 the split is called doubtful, and the exit code is 0.

    \b
    Examples:
      cleverdon logs abtest made_up --control A
      cleverdon logs abtest made_up -m Success -m PageCTR --guardrail Latency=0.01
      cleverdon logs abtest made_up --expected A=0.9 --expected B=0.1 --start 2026-11-15
      cleverdon logs abtest made_up --sequential --format json
    """
    shares = _shares(expected)

    from cleverdon.cli.progress import bar, say

    limits = () if guardrails == ("none",) else guardrails or None
    with bar("comparing variants"):
        from cleverdon.online.abtest import abtest
        from cleverdon.show.abtest import render
        from cleverdon.show.abtest_records import ratio_sentence

        log = logs_options.opened(sources, reading)
        test = abtest(
            log,
            metrics or None,
            guardrails=limits,
            expected=shares,
            settings=settings,
            check=check and not sql,
            **how,
        )
    if sql:
        for name, text in test.sql.items():
            click.echo(f"-- {name}\n{text};\n")
        return
    if format_ in ("csv", "tsv") and test.ratio.verdict != "as expected":
        say(f"cleverdon: {ratio_sentence(test)}")
    click.echo(render(test, format_, **options.terminal()))
    if not test.trusted:
        raise click.exceptions.Exit(NOT_TRUSTED)
