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


_NOT_TRUSTED = 3  # the exit code if users are not split as expected; 1 and 2 are errors


def _parse_shares(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, float] | None:
    shares: dict[str, float] = {}
    for one in value:
        name, equals, share = one.rpartition("=")
        if name in shares:
            raise click.BadParameter(f"{one}: {name} has a share already")
        try:
            shares[name] = float(share if equals else "")
        except ValueError:
            raise click.BadParameter(f"{one}: write NAME=SHARE, as in A=0.9") from None
    return shares or None


class _AnalysisOptions(
    Options, rare=("expected", "cuped", "level", "confidence", "wanted", "power")
):
    control: str | None = option(
        "NAME",
        "The variant that all others are compared with.  [default: the one called control, "
        "baseline or A]",
    )
    metrics: tuple[str, ...] = option(
        "METRIC",
        "A rate or a mean that should improve, such as Success; repeat for more.  "
        "[default: Success Abandonment QueryCTR ReciprocalClickRank Reformulation]",
        flags="-m --metric",
        multiple=True,
    )
    guardrails: tuple[str, ...] = option(
        "METRIC[=MARGIN]",
        "A metric that must not be worse by more than a margin. The margin is a share of the "
        "control's value; repeat for more; none: no guardrail.  [default: ZeroResults=0.02 "
        "Latency=0.02]",
        flags="--guardrail",
        multiple=True,
    )
    expected: dict[str, float] | None = option(
        "NAME=SHARE",
        "The share of users that a variant should have; repeat for each variant: they sum to 1.  "
        "[default: the same for all]",
        multiple=True,
        callback=_parse_shares,
    )
    start: str | None = option(
        "TIME",
        "The start, as 2026-11-15 or 2026-11-15T13:00. In the zone of --days-in.  [default: the "
        "first search that has a variant]",
    )
    end: str | None = option("TIME", "The end; a day is excluded.  [default: the end of the log]")
    cuped: bool | None = flag(
        "Adjust by the same users' behaviour before the experiment.  [default: if the log has it]",
        flags="--cuped/--no-cuped",
        default=None,
    )
    sequential: bool = flag("Stay valid if you look at results repeatedly. P-values and intervals.")
    correction: str = option(
        "NAME",
        "How to correct for many comparisons. Of p-values and intervals: holm, bonferroni, "
        "benjamini-hochberg or none.",
        default="holm",
    )
    primary: str | None = option(
        "METRIC",
        "The metric that decides. Its comparisons are one family, those of other metrics a "
        "second. `all` makes one family of all.  [default: the first metric]",
    )
    level: float = options.level("The largest corrected p-value that is significant.")
    confidence: float | None = options.confidence_of_level
    wanted: float = option(
        options.SHARE,
        "The relative difference that the test should be able to detect.",
        metavar="SHARE",
        default=0.05,
    )
    power: float = option(options.SHARE, "The probability of detecting it.", default=0.8)


def _analysis_keywords(**given: Any) -> dict[str, Any]:
    """Leave out options that are not given: `abtest` has their defaults."""
    keywords = {name: value for name, value in given.items() if value not in (None, ())}
    if given["guardrails"] == ("none",):
        keywords["guardrails"] = ()
    return keywords


class ABTestOptions(LogOptions, CountingOptions):
    """The options of `cleverdon logs abtest`."""

    analysis: dict[str, Any] = group(_AnalysisOptions, _analysis_keywords)
    check: bool = check_option
    sql: bool = flag("Print the SQL queries instead of their results.")
    format_: str = options.formats(
        "How to print. csv, tsv and json have all digits.", ("text", *FORMATS)
    )


@command(ABTestOptions, name="abtest")
def abtest_command(given: ABTestOptions) -> str | tuple[ABTest, int]:
    """Compare the variants of an experiment in LOG with its control, and say what it shows.

    Users are the sample, whatever a metric counts. First the split of users is tested: if it is not
    as expected, with p below 0.001, nothing is claimed and the exit code is 3. With p below 0.05
    the split is doubtful, and the exit code is 0.

    \b
    Examples:
      cleverdon logs abtest made_up --control A
      cleverdon logs abtest made_up -m Success -m PageCTR --guardrail Latency=0.01
      cleverdon logs abtest made_up --expected A=0.9 --expected B=0.1 --start 2026-11-15
      cleverdon logs abtest made_up --sequential --format json
    """
    from cleverdon._common.progress_bar import bar, say

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
