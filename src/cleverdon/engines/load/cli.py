"""The command bench."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import (
    argument,
    command,
    excludes,
    flag,
    needs_any,
    option,
    requires,
    writes,
)
from cleverdon.engines.cli import (
    DURATION,
    Duration,
    OutputOptions,
    check_outputs,
    choice_option,
    complete_engine,
    count_option,
    engine_argument,
    print_result,
)
from cleverdon.engines.protocol import FIELDS

if TYPE_CHECKING:
    from cleverdon.engines.load.workload import Mode

_EXIT_NOT_VALID = 3  # the exit code if the times may be the sender's rather than the engine's
_EXIT_INTERRUPTED = 130
"""The exit code of any command that Ctrl-C ends; this one prints what it has measured."""

_SWEEP_STEPS = 7  # the number of rates in a range such as 50:800


class Rates(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A list of rates, as 50,100,200, or a range, as 50:800 or 50:800:5."""

    name = "rates"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        from cleverdon.engines.load.sweep import check_rates, spaced_rates  # loads numpy
        from cleverdon.errors import OptionError

        try:
            if ":" not in value:
                return check_rates(float(rate) for rate in value.split(","))
            low, high, *steps = value.split(":")
            if len(steps) > 1 or not 0 < float(low) < float(high) or not isfinite(float(high)):
                raise ValueError
            return spaced_rates(float(low), float(high), int(steps[0]) if steps else _SWEEP_STEPS)
        except OptionError as error:
            self.fail(str(error))
        except ValueError:
            self.fail(f"{value!r}: expected rates as in 50,100,200 or 50:800 or 50:800:5")


_DURATION_OR_0 = Duration(zero=True)


class BenchCommandOptions(
    OutputOptions,
    rare=(
        *("traffic", "top", "arrivals", "warmup", "timeout", "seed", "limit_errors", "block"),
        *("rate_precision", "before_cold", "repetitions", "window", "pid", "index_size", "level"),
        *("confidence", "hdr"),
    ),
):
    """The options of `cleverdon bench`."""

    engine: str = engine_argument
    queries: str | None = argument(options.FILE, required=False)
    field: str = choice_option(FIELDS, "The part of a query to ask.", default="title")
    traffic: str | None = option(
        options.FILE,
        "Queries and their counts, separated by a tab or a comma; with QUERIES, only "
        "those that QUERIES have.",
    )
    logs: tuple[str, ...] = option(
        options.FILE,
        "A search log, for its most frequent queries. See cleverdon logs; they are sent as often "
        "as there. Repeat for several files.",
        flags="--log",
        multiple=True,
    )
    top: int = count_option("With --log: the number of queries.", default=1000)
    rate: float = option(
        options.Number(min=0, min_open=True),
        "Requests a second (open loop).",
        metavar="N",
        default=30.0,
    )
    arrivals: Literal["poisson", "constant"] = option(
        click.Choice(["poisson", "constant"]),
        "When requests come. poisson: at random, as users come; constant: evenly.",
        default="poisson",
    )
    clients: int | None = count_option(
        "A closed loop of N clients instead. Each waits for an answer before the next request. It "
        "hides stalls."
    )
    seconds: float = option(DURATION, "Length of the load, as 30 or 2min.", default="30")
    warmup: float = option(_DURATION_OR_0, "Load before it that does not count.", default="5")
    k: int = count_option("The number of results per query.", default=10)
    timeout: float = option(
        DURATION, "Time to wait for an answer. No request is sent twice.", default="10"
    )
    seed: int = options.seed("arrivals and queries")
    rates: tuple[float, ...] | None = option(
        Rates(),
        "Find the highest rate that keeps --limit-p99. As 200 or 50,100,200 or 50:800 (7 rates) "
        "or 50:800:5.",
        flags="--sweep",
        metavar="RATES",
    )
    limit_p99: float = option(DURATION, "With --sweep: the highest p99.", default="100ms")
    limit_errors: float = option(
        options.SHARE, "With --sweep: the highest share of failed requests.", default=0.01
    )
    rate_precision: float | None = option(
        options.SHARE,
        "With --sweep: bisect to this precision. Until the highest rate that keeps the limits and "
        "the lowest that does not differ by this share.",
        metavar="SHARE",
    )
    versus: str | None = option(
        "ENGINE",
        "Compare with another engine, in turn, block by block.",
        shell_complete=complete_engine,
    )
    blocks: int = count_option("With --versus: the number of blocks of each engine.", default=10)
    block: float = option(DURATION, "With --versus: the length of a block.", default="5")
    cold: bool = flag(
        "Compare cold and warm cache. Ask each query once and then again, one at a time.",
    )
    before_cold: str | None = option(
        "COMMAND", "With --cold: a shell command that empties the caches."
    )
    repetitions: int = count_option("With --cold: how often to repeat both passes.", default=1)
    soak: bool = flag("Find drift over the whole of --seconds.")
    window: float | None = option(
        DURATION, "With --soak: the length of a window.  [default: a thirtieth of --seconds]"
    )
    pid: int | None = count_option("With --soak: the engine's process, to watch its memory.")
    qrels: str | None = option(options.FILE, "Judgments, to score the answers that were timed.")
    measures: tuple[str, ...] = options.measures_named(
        "With --qrels: a measure; repeat for more.", default="nDCG@10"
    )
    index_size: bool = flag("Ask the engine for the size of its index.")
    level: float = options.level("Level of significance.")
    confidence: float | None = options.confidence_of_level
    hdr: Path | None = option(options.OUTPUT, "Write the response times as a log of HdrHistograms.")
    columns: str | None = options.columns

    def mode(self) -> Mode | None:
        """Return the options of a sweep, a comparison, cold and warm caches, or a soak test."""
        from cleverdon.engines.load.workload import (
            ColdOptions,
            SoakOptions,
            SweepOptions,
            VersusOptions,
        )

        if self.rates:
            return SweepOptions(self.rates, self.limit_p99, self.limit_errors, self.rate_precision)
        if self.versus:
            return VersusOptions(self.versus, self.blocks, self.block)
        if self.cold:
            return ColdOptions(self.before_cold, self.repetitions)
        return SoakOptions(self.window, self.pid) if self.soak else None


@command(BenchCommandOptions)
@needs_any("QUERIES", "--traffic", "--log", because="there is nothing to ask")
@excludes("--sweep", "--versus", "--cold", "--soak")
@excludes("--versus", "--cold", "--soak")
@excludes("--cold", "--soak")
@excludes("--log", "QUERIES", "--traffic", because="a log brings its own queries")
@requires("--top", "--log")
@requires("--qrels", "QUERIES", because="judgments are of the ids of queries")
@excludes(
    "--qrels",
    "--cold",
    "--versus",
    because="to compare the quality of two engines, use cleverdon search and cleverdon compare",
)
@requires("--measure", "--qrels")
@excludes("--clients", "--sweep", "--rate", "--arrivals", because="--clients is a closed loop")
@excludes("--sweep", "--rate", because="--sweep has its own rates")
@requires("--limit-p99", "--sweep")
@requires("--limit-errors", "--sweep")
@requires("--rate-precision", "--sweep")
@excludes("--versus", "--seconds", because="--blocks and --block set the length")
@requires("--blocks", "--versus")
@requires("--block", "--versus")
@excludes(
    "--cold",
    *("--rate", "--arrivals", "--clients", "--seconds", "--warmup", "--hdr"),
    because="--cold sends one query at a time",
)
@requires("--before-cold", "--cold")
@requires("--repetitions", "--cold")
@requires("--window", "--soak")
@requires("--pid", "--soak")
@writes("--json", "--hdr", "--plot")
def bench_command(given: BenchCommandOptions) -> int:
    """Put load on ENGINE with QUERIES, and measure its response times.

    Requests are sent at --rate, whether or not earlier ones are answered, and times run from when a
    request should have been sent: waiting behind a stall counts (open loop). The sender watches
    itself. If it was late or busy, the result is marked NOT VALID, and the exit code is 3. Ctrl-C
    ends a load early: what was measured is printed and written, and the exit code is 130.

    \b
    Examples:
      cleverdon bench sqlite:index.db queries.tsv
      cleverdon bench es.toml queries.tsv --sweep 200 --limit-p99 50ms --seconds 1min
      cleverdon bench es.toml queries.tsv --sweep 50:800 --limit-p99 50ms --plot curve.html
      cleverdon bench new=new.toml queries.tsv --versus old=old.toml --rate 200 --blocks 20
      cleverdon bench es.toml --traffic counts.tsv --rate 100 --soak --seconds 1h --pid 4711
      cleverdon bench es.toml queries.tsv --cold --before-cold 'systemctl restart search'
      cleverdon bench es.toml queries.tsv --rate 50 --qrels qrels.txt -m nDCG@10 --json es.json
    """
    inputs = (given.queries, given.traffic, given.qrels)
    check_outputs(given.json_file, given.hdr, plot=given.plot, inputs=inputs)

    from cleverdon._common.files import write_file
    from cleverdon._common.progress_bar import bar, say
    from cleverdon.engines.load.bench import bench

    try:
        with bar("load") as progress:
            others = {"mode": given.mode(), "progress": progress, "notify": say}
            found = bench(**given.keywords(bench, **others))
    except KeyboardInterrupt:
        say("cleverdon: too little was measured to say anything; nothing is written")
        raise
    try:
        if given.hdr is not None:
            write_file(str(given.hdr), found.histogram_log().encode())
    finally:
        print_result(found, given)
    return _EXIT_INTERRUPTED if found.interrupted else _EXIT_NOT_VALID if found.not_valid else 0
