"""cleverdon index: what it takes to index a collection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options
from cleverdon.cli.engine_options import complete_engine, name_and_engine
from cleverdon.show.sections import FORMATS

if TYPE_CHECKING:
    from cleverdon.engine.indexing.jobs import Job


@click.command()
@click.argument(
    "given",
    nargs=-1,
    required=True,
    metavar="[ENGINE] COLLECTION...",
    shell_complete=complete_engine,
)
@click.option(
    "--command",
    "program",
    metavar="COMMAND",
    help="In the place of ENGINE, a program that makes the index at {output}. {input} is a file of "
    "JSON lines with id, title and text; without it they are its standard input; {files} are "
    "COLLECTION as given. No shell runs it.",
)
@click.option(
    "-o",
    "--output",
    metavar="PLACE",
    type=click.Path(),
    help="With --command: where the last index stays.  [default: it is deleted]",
)
@click.option("--name", metavar="NAME", default="", help="What results call the system.")
@click.option(
    "--repeat",
    type=options.REPEATS,
    default=3,
    show_default=True,
    help="How often to build each index; from 6 times on, medians have an interval.",
)
@click.option(
    "--sizes",
    metavar="N,...",
    default="all",
    show_default=True,
    help="How many documents to take, as in 1000,10000,all; with three sizes or more, growth is "
    "fitted.",
)
@click.option(
    "--sample",
    type=click.Choice(["random", "first"]),
    default="random",
    show_default=True,
    help="How smaller sizes are taken: drawn at random, or the first documents.",
)
@options.seed("documents")
@click.option(
    "--at",
    type=options.COUNT,
    multiple=True,
    metavar="N",
    help="Say what N documents would take by the fitted growth; again for more.",
)
@click.option(
    "--pid",
    "pids",
    type=options.COUNT,
    multiple=True,
    help="A server that does the work: the time and memory of it and its children count; again "
    "for more.",
)
@click.option(
    "--watch",
    "watched",
    type=click.Path(),
    multiple=True,
    metavar="FOLDER",
    help="Where else disk is taken, as a server's data; again for more.",
)
@click.option(
    "--interval",
    type=options.Number(),
    default=0.02,
    show_default=True,
    metavar="SECONDS",
    help="How often to look at processes and disk.",
)
@click.option(
    "--json",
    "to_json",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all of it, every build included, for reports and gates.",
)
@options.plot("growth with the collection's size")
@options.formats("How to print. csv, tsv and json have all digits.", FORMATS)
def command(
    given: tuple[str, ...],
    program: str | None,
    output: str | None,
    name: str,
    repeat: int,
    sizes: str,
    sample: str,
    seed: int,
    at: tuple[int, ...],
    pids: tuple[int, ...],
    watched: tuple[str, ...],
    interval: float,
    to_json: Path | None,
    plot: Path | None,
    format_: str,
) -> None:
    """Have ENGINE, or a command, index COLLECTION, and say what that takes.

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
    wanted = _sizes(sizes)
    collection = given if program is not None else given[1:]
    if not collection:
        raise click.UsageError("it takes an ENGINE and a COLLECTION, or --command and a COLLECTION")
    if (plot is not None or at) and len(wanted) < 3:
        raise click.UsageError("--plot and --at need three sizes or more, in --sizes")
    if plot is not None and plot == to_json:
        raise click.UsageError(f"--json and --plot both name {plot}; give each a file of its own")
    for file in (to_json, plot):
        if file is not None:
            options.check_output(file, *collection)
    if plot is not None:
        from cleverdon.show.plot.save import check_savable

        check_savable(plot)

    from cleverdon.cli.progress import bar
    from cleverdon.engine.indexing.building import Watching
    from cleverdon.engine.indexing.measuring import measure
    from cleverdon.read.write import write_file
    from cleverdon.show.indexing import render
    from cleverdon.show.indexing_json import as_json

    job = _job(given, program, name)
    with bar("indexing"):
        found = measure(
            job,
            collection,
            repeat=repeat,
            sizes=wanted,
            sample=sample,
            seed=seed,
            output=output,
            watching=Watching(servers=pids, folders=watched, interval=interval),
            progress=bar,
        )
    if to_json is not None:
        text = json.dumps(as_json(found, at=at), indent=1, ensure_ascii=False)
        write_file(str(to_json), text.encode() + b"\n")
    click.echo(render(found, format_, at=at, **options.terminal()))
    if plot is not None:
        from cleverdon.show.plot.engine.growth import growth
        from cleverdon.show.plot.save import save

        save(growth(found), plot)


def _job(given: tuple[str, ...], program: str | None, name: str) -> Job:
    from cleverdon.engine.indexing.jobs import CommandJob, engine_job

    if program is not None:
        return CommandJob(program, given, name)
    own, engine = name_and_engine(given[0])
    return engine_job(engine, name=name or own)


def _sizes(text: str) -> list[int | None]:
    """As in 1000,10000,all."""
    found: list[int | None] = []
    for part in text.split(","):
        word = part.strip().replace("_", "")
        if word != "all" and not (word.isascii() and word.isdigit() and int(word) > 0):
            raise click.UsageError(
                f"--sizes {text}: expected numbers of documents, as in 1000,10000,all; found "
                f"{part!r}"
            )
        found.append(None if word == "all" else int(word))
    return found
