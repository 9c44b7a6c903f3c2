"""cleverdon logs: what search logs say. A file a command, as on the first level."""

from __future__ import annotations

import click

from cleverdon.cli import Commands

COMMANDS = {
    "check": "Find what is wrong with a log, and say which metrics it supports.",
    "metrics": "Count: abandonment, click-through, success, latency, top queries and more.",
    "abtest": "Compare the variants of an experiment, and say what it shows.",
    "interleave": "Say which of two interleaved rankers users preferred.",
    "judge": "Make judgments of clicks, by a click model.",
    "bridge": "Lay judgments beside traffic: what to judge next, scores weighted by traffic.",
    "report": "Write all of it to one HTML file.",
    "explain": "Say what a metric is.",
    "generate": "Write a made-up log, whose truth is known.",
}


@click.command(cls=Commands, listed=COMMANDS, module="cleverdon.cli.logs_{}")
def command() -> None:
    """Say what search logs tell.

    LOG is a folder with files queries.* and events.*, the files themselves, a DuckDB file, or a
    connection string. Logs of OpenSearch (UBI), Algolia, Matomo, Snowplow and slow logs of
    Elasticsearch are read as they are, and any other by a mapping file.

    \b
    Examples:
      cleverdon logs generate made_up --events 100000
      cleverdon logs check made_up
      cleverdon logs metrics made_up
      cleverdon logs metrics made_up -m PageCTR -m Abandonment --by day
      cleverdon logs abtest made_up --control A
    """
