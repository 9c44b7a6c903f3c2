"""cleverdon search: topics through an engine to a run file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import engine_options, options
from cleverdon.engine.ordering import SCORES
from cleverdon.engine.queries import FIELDS

if TYPE_CHECKING:
    from cleverdon.engine.searched import Searched


def _meanings(words: dict[str, str]) -> str:
    return "; ".join(f"{word}: {meaning}" for word, meaning in words.items())


@click.command()
@engine_options.engine
@click.argument("topics", type=click.Path(allow_dash=True))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="The run to write, in the format that the name asks for; - is standard output. Nothing is "
    "kept beside that, or beside a pipe.",
)
@engine_options.results(100)
@click.option(
    "--concurrency",
    type=options.COUNT,
    default=8,
    show_default=True,
    help="How many queries are asked at a time.",
)
@engine_options.patience
@click.option(
    "--field",
    type=click.Choice(list(FIELDS)),
    default="title",
    show_default=True,
    help=f"What of a topic is asked. {_meanings(FIELDS)}.",
)
@click.option(
    "--scores",
    type=click.Choice(list(SCORES)),
    default="engine",
    show_default=True,
    help=f"Which scores are written. {_meanings(SCORES)}.",
)
@click.option(
    "--allow-failed",
    is_flag=True,
    help="Write the run without the queries that failed, rather than nothing.",
)
@click.option(
    "--fresh", is_flag=True, help="Ask all again, and drop what was answered before a stop."
)
def command(
    engine: str,
    topics: str,
    output: str,
    k: int,
    concurrency: int,
    timeout: float,
    tries: int,
    field: str,
    scores: str,
    allow_failed: bool,
    fresh: bool,
) -> None:
    """Put TOPICS to ENGINE, and write its results as a run.

    ENGINE is a configuration file (.toml), or an engine in short, such as sqlite:index.db;
    NAME=ENGINE names the run. TOPICS are TREC topics, JSONL, or columns by tabs.

    The run appears when it is whole. Until then FILE.journal keeps the answers: after a stop, or
    where queries failed, the same command asks only for what is missing. FILE.search.json says how
    the run came about.

    \b
    Examples:
      cleverdon search sqlite:index.db topics.tsv -o bm25.run
      cleverdon search mine=engine.toml topics.txt -o mine.run -k 1000 --concurrency 32
      cleverdon search elasticsearch+http://localhost:9200/docs topics.jsonl -o es.run
      cleverdon search python:retriever:search topics.tsv -o - | cleverdon eval qrels.txt -
    """
    from cleverdon.cli.progress import bar, say
    from cleverdon.engine.search_file import has_beside, journal_of, search_to_file
    from cleverdon.read.write import lost_queries
    from cleverdon.show.searched import interrupted, summary

    if output != "-":
        options.check_output(Path(output), topics)
    named = output if has_beside(output) else "-"
    done, total = 0, 0

    with bar("searching") as update:

        def progress(answered: int, of: int) -> None:
            nonlocal done, total
            done, total = answered, of
            if answered:  # until then, the bar moves to show that work goes on
                update(answered, of)

        try:
            found = search_to_file(
                engine_options.engine_named(engine),
                topics,
                output,
                k=k,
                concurrency=concurrency,
                patience=engine_options.patience_of(timeout, tries),
                failed="leave out" if allow_failed else "raise",
                scores=scores,
                field=field,
                fresh=fresh,
                progress=progress,
            )
        except KeyboardInterrupt:
            if total:
                journal = journal_of(output)
                kept = named != "-" and Path(journal).exists()
                say(interrupted(done, total, journal if kept else None))
            raise
    _say_warnings(found)
    if named == "-" and (lost := lost_queries(found.run, output)):
        say(f"cleverdon: warning: {lost}")
    for line in summary(found, named):
        say(line)


def _say_warnings(found: Searched) -> None:
    from cleverdon.cli.progress import say

    for note in found.notes:
        say(f"cleverdon: note: {note}")
    for warning in found.warnings:
        say(f"cleverdon: warning: {warning}")
    if found.options.scores == "engine" and found.order.tied:
        say(f"cleverdon: note: {found.order.tied_text}")
