"""The command `cleverdon logs abtest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, command, flag, group, option
from cleverdon.logs.cli import CountingOptions, LogOptions, check_option
from cleverdon.tables.table import FORMATS

if TYPE_CHECKING:
    from cleverdon.logs.abtest.results import ABTest


_NOT_TRUSTED = 3
"""The exit code where users are not split as expected; 1 and 2 are errors."""


def _parse_shares(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, float] | None:
    shares: dict[str, float] = {}
    for one in value:
        name, equals, share = one.rpartition("=")
        if name in shares:
            raise click.UsageError(f"--expected {one}: {name} has a share already")
        try:
            shares[name] = float(share if equals else "")
        except ValueError:
            raise click.UsageError(f"--expected {one}: it is NAME=SHARE, as in A=0.9") from None
    return shares or None


class _AnalysisOptions(Options):
    control: str | None = option(
        "NAME",
        "The variant that all others are compared with.  [default: the one called control, "
        "baseline or A]",
    )
    metrics: tuple[str, ...] = option(
        "METRIC",
        "A rate or a mean that may change for the better, such as Success; again for more.  "
        "[default: Success Abandonment QueryCTR ReciprocalClickRank Reformulation]",
        flags="-m --metric",
        multiple=True,
    )
    guardrails: tuple[str, ...] = option(
        "METRIC[=MARGIN]",
        "A metric that must not be worse by the margin, a share of the control's value; again for "
        "more; none: no guardrail.  [default: ZeroResults=0.02 Latency=0.02]",
        flags="--guardrail",
        multiple=True,
    )
    expected: dict[str, float] | None = option(
        "NAME=SHARE",
        "The share of users that a variant should have; again for each, so that they sum to 1.  "
        "[default: all the same]",
        multiple=True,
        callback=_parse_shares,
    )
    start: str | None = option(
        "TIME",
        "When the experiment began: 2026-11-15 or 2026-11-15T13:00, by the clocks of --days-in.  "
        "[default: with the first search that has a variant]",
    )
    end: str | None = option(
        "TIME", "When it ended; a day is not part of it.  [default: with the log]"
    )
    cuped: bool | None = flag(
        "Whether to adjust by what the same users did before.  [default: where the log has that]",
        flags="--cuped/--no-cuped",
        default=None,
    )
    sequential: bool = flag("Give p-values and intervals that hold however often you look.")
    correction: str = option(
        "NAME",
        "How p-values are corrected over all metrics and variants: holm, bonferroni, "
        "benjamini-hochberg or none.",
        default="holm",
    )
    level: float = options.level(
        "Up to which corrected p-value a difference is called significant."
    )
    wanted: float = option(
        options.SHARE,
        "The relative difference that must not be missed.",
        metavar="SHARE",
        default=0.05,
    )
    power: float = option(options.SHARE, "With which chance it is to be found.", default=0.8)


def _analysis_keywords(**given: Any) -> dict[str, Any]:
    """Leave out options that are not given, which then have the defaults of `abtest`."""
    keywords = {name: value for name, value in given.items() if value not in (None, ())}
    if given["guardrails"] == ("none",):
        keywords["guardrails"] = ()
    return keywords


class ABTestOptions(LogOptions, CountingOptions):
    """The options of `cleverdon logs abtest`."""

    analysis: dict[str, Any] = group(_AnalysisOptions, _analysis_keywords)
    check: bool = check_option
    sql: bool = flag("Print the queries that run, and not what they give.")
    format_: str = options.formats(
        "How to print. csv, tsv and json have all digits.", ("text", *FORMATS)
    )


@command(ABTestOptions, name="abtest")
def abtest_command(given: ABTestOptions) -> str | tuple[ABTest, int]:
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
    from cleverdon.cli.progress import bar, say

    with bar("comparing variants") as progress:
        from cleverdon.logs.abtest.analysis import abtest
        from cleverdon.logs.abtest.tables import ratio_sentence
        from cleverdon.logs.sql import script_text

        test = abtest(
            given.open_log(),
            **given.analysis,
            settings=given.settings,
            check=given.check and not given.sql,
            progress=progress,
        )
    if given.sql:
        return script_text(test.sql)
    if given.format_ in ("csv", "tsv") and test.ratio.verdict != "as expected":
        say(f"cleverdon: {ratio_sentence(test)}")
    return test, 0 if test.trusted else _NOT_TRUSTED
