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
    a: str = option("NAME", "What ranking A is called.", flags="--a", default="A")
    b: str = option("NAME", "What ranking B is called.", flags="--b", default="B")
    unit: str = option(
        click.Choice(["auto", "user", "query"]),
        "What is independent of others. auto: users where the log knows them, else queries.",
        default="auto",
    )
    test: str = option(
        click.Choice(["auto", "sign", "t"]),
        "sign: of queries won; t: of credit. auto: sign where the method is fair by queries won "
        "(team-draft, balanced), else t.",
        default="auto",
    )
    assigned: bool = flag(
        "Give a click on a list of probabilistic interleaving to the ranking that was drawn, not "
        "to both by how likely each gave the document."
    )
    difference: float | None = option(
        options.Number(min=0, min_open=True),
        "The preference that must not be missed: of queries won, or of credit by the t test.  "
        "[default: the one that was seen]",
        metavar="D",
    )
    target: float = option(options.SHARE, "The power to be reached.", default=0.8)
    level: float = options.level("Up to which p-value a preference is called significant.")
    seed: int = options.seed("interval")


class InterleaveOptions(LogOptions):
    """The options of `cleverdon logs interleave`."""

    records: str = argument(options.INPUT)
    preference: dict[str, Any] = group(_PreferenceOptions, dict)
    format_: str = options.formats("How to print. json has all digits.", ("text", "json"))


@command(InterleaveOptions, name="interleave")
def interleave_command(given: InterleaveOptions) -> Preference:
    """Say which of two interleaved rankings users prefer, by the clicks in a LOG.

    RECORDS has a line of JSON for every result page that was interleaved, as
    cleverdon.logs.interleaving writes it. Clicks are found by the ids of queries.

    \b
    Examples:
      cleverdon logs interleave records.jsonl queries.parquet events.parquet
      cleverdon logs interleave records.jsonl log.duckdb --a bm25 --b dense
      cleverdon logs interleave records.jsonl log.jsonl.gz --difference 0.02 -f json
    """
    from cleverdon.cli.progress import bar

    with bar("reading the log"):
        from cleverdon.logs.interleaving.base import read_records
        from cleverdon.logs.interleaving.preference import measure_log_preference

        records = read_records(given.records)
        log = given.open_log()
    with bar("counting clicks"):
        return measure_log_preference(log, records, **given.preference)
