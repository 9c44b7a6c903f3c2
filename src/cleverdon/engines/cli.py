"""The commands search and index, and the options of every command that asks an engine."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from cleverdon.cli import options
from cleverdon.cli.declarations import (
    Options,
    argument,
    at_least,
    command,
    flag,
    option,
    writes,
)
from cleverdon.engines.protocol import FIELDS, SCORES

if TYPE_CHECKING:
    from cleverdon.engines.indexing.results import IndexingResult
    from cleverdon.engines.load.bench import Bench

_UNITS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "": 1, "s": 1, "m": 60, "min": 60, "h": 3600}
_TIME = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*([a-zµ]*)\s*", re.IGNORECASE)


class Duration(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Seconds, or a time with its unit: 30, 50ms, 2min."""

    name = "time"

    def __init__(self, *, zero: bool = False) -> None:
        self._zero = zero

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        found = _TIME.fullmatch(str(value))
        unit = _UNITS.get(found[2].lower()) if found else None
        if found is None or unit is None:
            self.fail(f"{value!r} is not a time; write seconds or a unit: 30, 50ms, 2min, 1h")
        seconds = float(found[1]) * unit
        if seconds == 0 and not self._zero:
            self.fail(f"{value!r}: expected a time above 0")
        if not isfinite(seconds):
            self.fail(f"{value!r} is not a finite time")
        return seconds


DURATION = Duration()


class Sizes(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Numbers of documents, as 1000,10000,all; None stands for all."""

    name = "sizes"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | None, ...]:
        if isinstance(value, tuple):
            return value
        found: list[int | None] = []
        for part in value.split(","):
            word = part.strip().replace("_", "")
            if word != "all" and not (word.isascii() and word.isdigit() and int(word) > 0):
                expected = "expected numbers of documents, as in 1000,10000,all"
                self.fail(f"{value!r}: {expected}; found {part!r}")
            found.append(None if word == "all" else int(word))
        return tuple(found)


def complete_engine(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Offer the kinds of engines, and files, which the shell itself completes."""
    from cleverdon.engines.configuration import ENGINE_KINDS  # loads tomllib, inspect and more

    kinds = [
        CompletionItem(re.split("[A-Z]", kind.short, maxsplit=1)[0], help=kind.what)
        for name, kind in ENGINE_KINDS.items()
        if name.startswith(incomplete) and not kind.short.endswith(".toml")
    ]
    return [*kinds, CompletionItem(incomplete, type="file")]


engine_argument = argument(shell_complete=complete_engine)


def count_option(help: str, **attributes: Any) -> Any:
    return option(options.COUNT, help, metavar="N", **attributes)


def choice_option(choices: Mapping[str, str], help: str, *, default: str) -> Any:
    """Offer words, whose meanings the help lists."""
    meanings = "; ".join(f"{word}: {meaning}" for word, meaning in choices.items())
    return option(click.Choice(list(choices)), f"{help} {meanings}.", default=default)


def check_outputs(
    json_file: Path | None, *files: Path | None, plot: Path | None, inputs: Sequence[str | None]
) -> None:
    """Refuse files that cannot be written, before anything takes long."""
    for file in (json_file, *files, plot):
        if file is not None:
            options.check_output(file, *inputs)
    if plot is not None:
        from cleverdon.charts.export import check_savable  # loads altair

        check_savable(plot)


class OutputOptions(Options):
    """The files and formats of a measurement."""

    json_file: Path | None = option(
        options.OUTPUT, "Write all results as JSON, for cleverdon report and gate.", flags="--json"
    )
    plot: Path | None = options.plot("the result")
    format_: str = options.formats("Output format. csv, tsv and json have all digits.")
    section: str | None = options.section


def print_result(found: Bench | IndexingResult, given: OutputOptions) -> None:
    """Write the files, and print the result even if one of them cannot be written."""
    from cleverdon._common.files import write_file
    from cleverdon._common.progress_bar import bar

    try:
        if given.json_file is not None:
            write_file(str(given.json_file), f"{found.to_json()}\n".encode())
        if given.plot is not None:
            with bar("drawing"):
                options.save_plot(found, given.plot)
    finally:
        text = found.render(given.format_, section=given.section, **options.terminal())
        click.echo(text)


class SearchCommandOptions(Options):
    """The options of `cleverdon search`."""

    engine: str = engine_argument
    queries: str = argument(options.INPUT)
    output: str = option(
        click.Path(dir_okay=False, allow_dash=True),
        "The run file; its name decides the format, and - is standard output. Only a file gets a "
        "journal and a record next to it.",
        short="-o",
        metavar="FILE",
        required=True,
    )
    k: int = count_option("The number of results per query.", default=100)
    concurrency: int = count_option("The number of queries in flight at a time.", default=8)
    timeout: float = option(DURATION, "Time to wait for an answer.", default="10")
    tries: int = count_option(
        "How often to ask a query if another try may succeed. After a lost connection, a "
        "time-out, 429, 5xx.",
        default=3,
    )
    field: str = choice_option(FIELDS, "The part of a query to ask.", default="title")
    scores: str = choice_option(SCORES, "The scores to write.", default="engine")
    allow_failed: bool = flag("Write the run without the queries that failed, instead of nothing.")
    fresh: bool = flag("Drop the answers of an unfinished search.")
    columns: str | None = options.columns


@command(SearchCommandOptions)
def search_command(given: SearchCommandOptions) -> None:
    """Search QUERIES with ENGINE, and write the results as a run.

    ENGINE is a configuration file (.toml), or the short form of an engine, such as sqlite:index.db;
    NAME=ENGINE names the run. QUERIES are TREC topics, JSONL, or columns separated by tabs.

    The run appears when it is complete. Until then FILE.journal keeps the answers: after a stop, or
    if queries failed, the same command asks only for the missing ones. FILE.search.json records how
    the run was made.

    \b
    Examples:
      cleverdon search sqlite:index.db queries.tsv -o bm25.run
      cleverdon search mine=engine.toml topics.txt -o mine.run -k 1000 --concurrency 32
      cleverdon search elasticsearch+http://localhost:9200/docs queries.jsonl -o es.run
      cleverdon search python:retriever:search queries.tsv -o - | cleverdon eval qrels.txt -
    """
    from cleverdon._common.progress_bar import bar, say
    from cleverdon.engines.client import Patience
    from cleverdon.engines.retrieval import SearchOptions
    from cleverdon.engines.run_file import search_messages, search_to_file

    if given.output != "-":
        options.check_output(Path(given.output), given.queries)
    patience = Patience(timeout=given.timeout, tries=given.tries)
    failed = "leave out" if given.allow_failed else "raise"
    with bar("searching") as update:
        found = search_to_file(
            given.engine,
            given.queries,
            given.output,
            fresh=given.fresh,
            # Before the first answer, the bar only shows that work goes on.
            progress=lambda step, done=0, total=0: update(step, done, total) if done else None,
            notify=say,
            **given.keywords(SearchOptions, patience=patience, failed=failed),
        )
    for line in search_messages(found, given.output):
        say(line)


class IndexCommandOptions(OutputOptions):
    """The options of `cleverdon index`."""

    arguments: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="[ENGINE] COLLECTION...", shell_complete=complete_engine
    )
    command: str | None = option(
        "COMMAND",
        "Instead of ENGINE, a program that builds the index at {output}. {input} is a file of "
        "JSON lines with id, title and text, by default its standard input; {files} is COLLECTION "
        "as given. It runs without a shell.",
    )
    output: str | None = option(
        options.FILE,
        "With --command: where to keep the last index.  [default: it is deleted]",
        short="-o",
        metavar="PATH",
    )
    name: str = option("NAME", "The name of the system in results.", default="", show_default=False)
    repeat: int = option(
        options.REPEATS,
        "How often to build each index; from 6 builds on, medians have an interval.",
        default=3,
    )
    sizes: tuple[int | None, ...] = option(
        Sizes(),
        "Numbers of documents to index, as 1000,10000,all; growth is fitted from three sizes on.",
        metavar="N,...",
        default="all",
    )
    sampling: str = option(
        click.Choice(["random", "first"]),
        "How to choose the documents of smaller sizes. At random, or the first.",
        default="random",
    )
    seed: int = options.seed("documents")
    confidence: float = options.confidence
    at: tuple[int, ...] = count_option(
        "Predict the cost of indexing N documents by the fitted growth; repeat for more.",
        multiple=True,
    )
    pids: tuple[int, ...] = count_option(
        "A server whose time and memory count. With its children; repeat for more.",
        flags="--pid",
        multiple=True,
    )
    folders: tuple[str, ...] = option(
        options.FILE,
        "Another folder whose disk space counts, as a server's data; repeat for more.",
        flags="--watch",
        metavar="FOLDER",
        multiple=True,
    )
    interval: float = option(
        options.Number(),
        "Time between two samples of processes and disk.",
        metavar="SECONDS",
        default=0.02,
    )
    plot: Path | None = options.plot("growth with the size of the collection")
    columns: str | None = options.columns


@command(IndexCommandOptions)
@writes("--json", "--plot")
@at_least(3, "--sizes", where="--plot", because="growth is fitted to them")
@at_least(3, "--sizes", where="--at", because="growth is fitted to them")
def index_command(given: IndexCommandOptions) -> None:
    """Index COLLECTION with ENGINE or a command, and measure time, memory and disk.

    Each index is built anew in a process of its own, which is watched with all its children: wall
    time, processor time, the most memory and the most disk at once, the size of the index and its
    ratio to the text. The last index stays.

    \b
    Examples:
      cleverdon index sqlite:index.db corpus.jsonl
      cleverdon index sqlite:index.db corpus.jsonl --sizes 1000,10000,all --at 1000000
      cleverdon index engine.toml corpus.jsonl --pid 4711 --watch /var/lib/data
      cleverdon index --command 'my_indexer {input} {output}' corpus.tsv -o my_index
      cleverdon index sqlite:index.db corpus.jsonl --repeat 6 --json costs.json
    """
    engine, *others = (None, *given.arguments) if given.command else given.arguments
    check_outputs(given.json_file, plot=given.plot, inputs=others)

    from cleverdon._common.progress_bar import bar
    from cleverdon.engines.indexing.builds import WatchOptions
    from cleverdon.engines.indexing.measurement import index

    watching = WatchOptions(servers=given.pids, folders=given.folders, interval=given.interval)
    with bar("indexing") as progress:
        what = {"engine": engine, "collection": others, "watching": watching}
        found = index(**given.keywords(index, **what, progress=progress))
    print_result(found, given)
