"""cleverdon logs interleave: which of two interleaved rankings users prefer."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import logs_options, options


@click.command()
@click.argument("records", type=click.Path(allow_dash=True))
@logs_options.log
@click.option("--a", "a", metavar="NAME", default="A", help="What ranking A is called.")
@click.option("--b", "b", metavar="NAME", default="B", help="What ranking B is called.")
@click.option(
    "--unit",
    type=click.Choice(["auto", "user", "query"]),
    default="auto",
    show_default=True,
    help="What is independent of others. auto: users where the log knows them, else queries.",
)
@click.option(
    "--test",
    type=click.Choice(["auto", "sign", "t"]),
    default="auto",
    show_default=True,
    help="sign: of queries won; t: of credit. auto: sign where the method is fair by queries won "
    "(team-draft, balanced), else t.",
)
@click.option(
    "--assigned",
    is_flag=True,
    help="Give a click on a list of probabilistic interleaving to the ranking that was drawn, not "
    "to both by how likely each gave the document.",
)
@click.option(
    "--difference",
    type=options.Number(min=0, min_open=True),
    metavar="D",
    help="The preference that must not be missed: of queries won, or of credit by the t test.  "
    "[default: the one that was seen]",
)
@click.option(
    "--target",
    type=options.SHARE,
    default=0.8,
    show_default=True,
    help="The power to be reached.",
)
@options.level("Up to which p-value a preference is called significant.")
@options.seed("interval")
@options.formats("How to print. json has all digits.", ("text", "json"))
def command(
    records: str,
    sources: tuple[str, ...],
    reading: dict[str, Any],
    assigned: bool,
    difference: float | None,
    target: float,
    format_: str,
    **testing: Any,
) -> None:
    """Say which of two interleaved rankings users prefer, by the clicks in a LOG.

    RECORDS has a line of JSON for every result page that was interleaved, as
    cleverdon.online.interleaving writes it. Clicks are found by the ids of queries.

    \b
    Examples:
      cleverdon logs interleave records.jsonl queries.parquet events.parquet
      cleverdon logs interleave records.jsonl log.duckdb --a bm25 --b dense
      cleverdon logs interleave records.jsonl log.jsonl.gz --difference 0.02 -f json
    """
    from cleverdon.cli.progress import bar

    with bar("reading the log"):
        from cleverdon.online.interleaving import credit_log, power, preference, read_records
        from cleverdon.show.interleaving import render

        stored = read_records(records)
        log = logs_options.opened(sources, reading)
    with bar("counting clicks"):
        credits = credit_log(log, stored, marginalised=not assigned)
        found = preference(credits, **testing)
        planned = power(found, size=difference, target=target)
    click.echo(render(found, planned, credits, format_, without_bots=log.without_bots))
