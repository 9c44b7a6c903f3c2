"""cleverdon bench: load on a search engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from cleverdon.cli import engine_options, options
from cleverdon.cli.bench_values import Duration, Rates
from cleverdon.engine.queries import FIELDS

NOT_VALID = 3
"""The exit code where the sender, and not the engine, may have been measured."""

INTERRUPTED = 130
"""As of any command that Ctrl-C ended, though what was measured until then is shown."""

_FORMATS = ("table", "markdown", "json")
_SHARE = options.SHARE

asked = options.together(
    click.option(
        "--field",
        type=click.Choice(list(FIELDS)),
        default="title",
        show_default=True,
        help="What of a topic is asked.",
    ),
    click.option(
        "--traffic",
        type=click.Path(),
        metavar="FILE",
        help="Queries and how often each is asked, by a tab or a comma; with TOPICS, only those.",
    ),
    click.option(
        "--log",
        "logs",
        multiple=True,
        type=click.Path(),
        metavar="FILE",
        help="A search log (see cleverdon logs), whose most frequent queries are asked as often as "
        "there; again for a log of several files.",
    ),
    click.option(
        "--top",
        type=options.COUNT,
        default=1000,
        show_default=True,
        metavar="N",
        help="With --log: how many queries of it.",
    ),
)
"""What is asked, and how often."""

load = options.together(
    click.option(
        "--rate",
        type=options.Number(min=0, min_open=True),
        default=30.0,
        show_default=True,
        metavar="N",
        help="Requests a second (open loop).",
    ),
    click.option(
        "--arrivals",
        type=click.Choice(["poisson", "constant"]),
        default="poisson",
        show_default=True,
        help="poisson: by chance, as users come; constant: evenly.",
    ),
    click.option(
        "--clients",
        type=options.COUNT,
        metavar="N",
        help="Closed loop instead: so many clients, each of which asks again once it is answered. "
        "It hides stalls.",
    ),
    click.option(
        "--seconds", type=Duration(), default="30", show_default=True, help="How long, as 30, 2min."
    ),
    click.option(
        "--warmup",
        type=Duration(zero=True),
        default="5",
        show_default=True,
        help="Load before it that does not count.",
    ),
    engine_options.results(10),
    click.option(
        "--timeout",
        type=Duration(),
        default="10",
        show_default=True,
        help="How long to wait for an answer. None is asked for again.",
    ),
    options.seed("arrivals and queries"),
)
"""What load there is."""

modes = options.together(
    click.option(
        "--sweep",
        "rates",
        type=Rates(),
        metavar="RATES",
        help="One rate after the other: 200 or 50,100,200 or 50:800 (7 of them) or 50:800:5. Gives "
        "the highest that keeps --limit-p99.",
    ),
    click.option(
        "--limit-p99",
        type=Duration(),
        default="100ms",
        show_default=True,
        help="With --sweep: what p99 may be at most.",
    ),
    click.option(
        "--limit-errors",
        type=_SHARE,
        default=0.01,
        show_default=True,
        help="With --sweep: the share of requests that may fail.",
    ),
    click.option(
        "--precision",
        type=_SHARE,
        metavar="SHARE",
        help="With --sweep: go on between the last rate that keeps it and the first that does not, "
        "until they differ by so much.",
    ),
    click.option(
        "--versus",
        metavar="ENGINE",
        shell_complete=engine_options.complete_engine,
        help="Compare with another engine, in turn, block by block.",
    ),
    click.option(
        "--pairs",
        type=options.COUNT,
        default=10,
        show_default=True,
        help="With --versus: how many blocks of each.",
    ),
    click.option(
        "--block",
        type=Duration(),
        default="5",
        show_default=True,
        help="With --versus: how long a block is.",
    ),
    click.option(
        "--cold",
        is_flag=True,
        help="Ask each query once and then again, one after the other: cold and warm cache.",
    ),
    click.option(
        "--before-cold",
        metavar="COMMAND",
        help="With --cold: a command of the shell that empties the caches.",
    ),
    click.option(
        "--repetitions",
        type=options.COUNT,
        default=1,
        show_default=True,
        help="With --cold: how often all of it.",
    ),
    click.option("--soak", is_flag=True, help="Look for drift over the whole of --seconds."),
    click.option(
        "--window",
        type=Duration(),
        help="With --soak: how long a window is.  [default: a thirtieth of --seconds]",
    ),
    click.option(
        "--pid",
        type=options.COUNT,
        help="With --soak: the engine's process, whose memory is watched.",
    ),
)
"""What to do with the load."""

results = options.together(
    click.option(
        "--qrels",
        type=click.Path(),
        metavar="FILE",
        help="Judgments: score the answers that were timed.",
    ),
    options.measures_named("With --qrels: a measure, again for more.", default="nDCG@10"),
    click.option("--index-size", is_flag=True, help="Ask the engine how large its index is."),
    options.level("Of claims (p-values); intervals hold the truth with one minus it."),
    click.option(
        "--json",
        "json_file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write all of it as JSON, for cleverdon report and gate.",
    ),
    click.option(
        "--hdr",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write the response times as a log of HdrHistograms.",
    ),
    options.plot("the result"),
    options.formats("How to print.", _FORMATS),
)
"""What else is wanted, and where it goes."""


@click.command()
@engine_options.engine
@click.argument("topics", required=False, type=click.Path())
@asked
@load
@modes
@results
def command(engine: str, topics: str | None, **given: Any) -> None:
    """Put load on ENGINE with the queries of TOPICS, and say how long it takes to answer.

    Requests are sent at --rate, whether or not earlier ones are answered, and times run from when a
    request was to be sent: what waits behind a stall is counted (open loop). The sender watches
    itself. Where it was late or busy, the result is marked NOT VALID, and the exit code is 3.
    Ctrl-C ends a load early: what was measured is shown and written, and the exit code is 130.

    \b
    Examples:
      cleverdon bench sqlite:index.db topics.tsv
      cleverdon bench es.toml topics.tsv --sweep 200 --limit-p99 50ms --seconds 1min
      cleverdon bench es.toml topics.tsv --sweep 50:800 --limit-p99 50ms --plot curve.html
      cleverdon bench new=new.toml topics.tsv --versus old=old.toml --rate 200 --pairs 20
      cleverdon bench es.toml --traffic counts.tsv --rate 100 --soak --seconds 1h --pid 4711
      cleverdon bench es.toml topics.tsv --cold --before-cold 'systemctl restart search'
      cleverdon bench es.toml topics.tsv --rate 50 --qrels qrels.txt -m nDCG@10 --json es.json
    """
    from cleverdon.cli.bench_checks import check

    check(topics, given)
    from cleverdon.cli.bench_running import benched, written
    from cleverdon.cli.progress import say
    from cleverdon.show.bench import render

    try:
        bench = benched(engine, topics, given)
    except KeyboardInterrupt:
        say("cleverdon: too little was measured to say anything; nothing is written")
        raise
    terminal = options.terminal() if given["format_"] == "table" else {}
    try:
        written(bench, given)
    finally:  # what was measured is shown, whatever became of the files
        click.echo(render(bench, given["format_"], **terminal))
    if bench.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)
    if bench.not_valid:
        raise click.exceptions.Exit(NOT_VALID)
