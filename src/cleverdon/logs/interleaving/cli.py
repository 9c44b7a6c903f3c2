"""The command `cleverdon logs interleave`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, flag, group, option
from cleverdon.logs.cli import LogOptions

if TYPE_CHECKING:
    from cleverdon.logs.interleaving.preference import Preference


class _PreferenceOptions(Options):
    a: str = option("NAME", "The name of ranking A.", flags="--a", default="A")
    b: str = option("NAME", "The name of ranking B.", flags="--b", default="B")
    unit: str = option(
        click.Choice(["auto", "user", "query"]),
        "The independent observations. auto: users if the log names them, else queries.",
        default="auto",
    )
    test: str = option(
        click.Choice(["auto", "sign", "t"]),
        "What to test. sign: queries won; t: credit. auto: sign if the method is fair by queries "
        "won (team-draft, balanced), else t.",
        default="auto",
    )
    assigned: bool = flag(
        "Credit a click to the ranking that was drawn. With probabilistic interleaving, not to "
        "both by their probabilities of giving the document."
    )
    difference: float | None = option(
        options.Number(min=0, min_open=True),
        "The preference to be detected. Of queries won, or of credit for the t test.  [default: "
        "only the smallest that can be]",
        metavar="D",
    )
    target: float = option(options.SHARE, "The power to be reached.", default=0.8)
    level: float = options.level("The largest p-value that is significant.")
    interval: str = option(
        click.Choice(["t", "percentile"]),
        "The method of intervals. Student's by leaving out one unit at a time, or a bootstrap.",
        default="t",
    )
    confidence: float | None = options.confidence_of_level
    seed: int = options.seed("intervals of a bootstrap")


class InterleaveOptions(LogOptions):
    """The options of `cleverdon logs interleave`."""

    records: str = argument(options.INPUT)
    preference: dict[str, Any] = group(_PreferenceOptions, dict)
    format_: str = options.formats("How to print. json has all digits.", ("text", "json"))


@command(InterleaveOptions, name="interleave")
def interleave_command(given: InterleaveOptions) -> Preference:
    """Test which of two interleaved rankings users prefer, by the clicks in a LOG.

    RECORDS has a line of JSON for every interleaved result page, as cleverdon.logs.interleaving
    writes it. Clicks are matched by the ids of queries.

    \b
    Examples:
      cleverdon logs interleave records.jsonl queries.parquet events.parquet
      cleverdon logs interleave records.jsonl log.duckdb --a bm25 --b dense
      cleverdon logs interleave records.jsonl log.jsonl.gz --difference 0.02 -f json
    """
    from cleverdon._common.progress_bar import bar

    with bar("reading the log"):
        from cleverdon.logs.interleaving.base import read_records
        from cleverdon.logs.interleaving.preference import interleave

        records = read_records(given.records)
        log = given.open_log()
    with bar("counting clicks"):
        return interleave(log, records, **given.preference)
