"""cleverdon collection filter: judgments of some queries, documents or grades."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import collection_options as shared
from cleverdon.cli import options


def _ids(what: str, several: str, short: str, shorts: str) -> options.Decorator[Any]:
    """Options that name queries or documents."""
    return options.together(
        click.option(
            f"--{short}",
            f"{what}_ids",
            multiple=True,
            metavar="ID",
            help=f"A {what} to keep; again for more.",
        ),
        click.option(
            f"--{shorts}-in",
            f"{what}_file",
            type=click.Path(exists=True),
            metavar="FILE",
            help=f"The {several} to keep: an id a line, or a file with their texts.",
        ),
        click.option(
            f"--{shorts}-like",
            f"{what}_like",
            metavar="REGEX",
            help=f"Keep {several} in whose ids this regular expression is found.",
        ),
    )


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@shared.output
@_ids("query", "queries", "query", "queries")
@options.attributes("Attributes of topics, CSV or TSV with a header.")
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="VALUE",
    help="Keep queries whose attribute --by has this value; again for more.",
)
@_ids("document", "documents", "doc", "docs")
@click.option(
    "--exclude",
    is_flag=True,
    help="Drop the queries and documents that are named; keep all others.",
)
@click.option(
    "--lowest", type=options.Number(), metavar="GRADE", help="Keep grades from this one on."
)
@click.option(
    "--highest", type=options.Number(), metavar="GRADE", help="Keep grades up to this one."
)
@click.option(
    "--drop-unjudged", is_flag=True, help="Drop what was pooled and not judged: grades below 0."
)
@click.option(
    "--map",
    "grades",
    metavar="OLD=NEW,...",
    help="Make other grades of grades, as in 1=0,2=1,3=1; those not named stay.",
)
@click.option("--binary", is_flag=True, help="Make 1 of grades from --rel on, and 0 of others.")
@click.option(
    "--min-relevant",
    type=options.Count(min=0),
    default=0,
    metavar="N",
    help="Drop queries with fewer relevant documents, counted last.",
)
@options.rel("The lowest grade that is relevant, for --binary and --min-relevant.")
@options.qrels_format
def command(
    qrels: str,
    output: str,
    to: str | None,
    topics: str | None,
    by: str | None,
    values: tuple[str, ...],
    exclude: bool,
    lowest: float | None,
    highest: float | None,
    drop_unjudged: bool,
    grades: str | None,
    binary: bool,
    min_relevant: int,
    rel: float,
    qrels_format: str | None,
    **named: Any,
) -> None:
    """Keep judgments of some queries, documents or grades of QRELS, and make other grades of them.

    Queries and documents are chosen first, then grades; --map and --binary come after that, and
    --min-relevant counts what is left. Subtopics, strata and samples are written as they were read.

    \b
    Examples:
      cleverdon collection filter qrels.txt --queries-in dev.txt -o dev.qrels
      cleverdon collection filter qrels.txt --topics topics.csv --by language --value de -o de.qrels
      cleverdon collection filter qrels.txt --docs-in spam.txt --exclude -o clean.qrels
      cleverdon collection filter qrels.txt --map 1=0,2=1,3=1 --min-relevant 5 -o binary.qrels
    """
    if (by or values) and not topics:
        raise click.UsageError("--by and --value go with --topics")
    if topics and not values:
        raise click.UsageError("--topics needs --value: which queries of it are to be kept?")
    if exclude and not (topics or any(named.values())):
        raise click.UsageError("--exclude of what? name queries or documents")
    if grades and binary:
        raise click.UsageError("--map and --binary both say what becomes of grades: give one")
    options.check_of_use(binary or min_relevant, ["rel"], "--binary or --min-relevant")
    shared.check_output(output, qrels, topics, named["query_file"], named["document_file"])

    from cleverdon.collection.filtering import filtered, parse_grades
    from cleverdon.show.qrels_made import told_of_filter

    wanted = _listed(named["query_ids"], named["query_file"])
    if topics:
        wanted = [*(wanted or []), *_of_attribute(topics, by, values)]
    found = filtered(
        shared.read_qrels(qrels, qrels_format),
        topics=wanted,
        topics_like=named["query_like"],
        docs=_listed(named["document_ids"], named["document_file"]),
        docs_like=named["document_like"],
        exclude=exclude,
        lowest=lowest,
        highest=highest,
        drop_unjudged=drop_unjudged,
        grades=parse_grades(grades) if grades else None,
        binary=binary,
        least_relevant=min_relevant,
        rel=rel,
    )
    shared.say(told_of_filter(found))
    shared.write_qrels(found.judgments, output, to)


def _listed(ids: tuple[str, ...], file: str | None) -> list[str] | None:
    from cleverdon.read.ids import read_ids

    if not ids and file is None:
        return None
    return list(dict.fromkeys([*ids, *(read_ids(file) if file else ())]))


def _of_attribute(topics: str, by: str | None, values: tuple[str, ...]) -> list[str]:
    from cleverdon.errors import OptionError, suggest
    from cleverdon.read.topics import read_topics

    name, column = read_topics(topics).column(by)
    for value in values:
        known = dict.fromkeys(column.values())
        if value not in known:
            raise OptionError(f"no topic has {name} {value!r}{suggest(value, known)}")
    return [topic for topic, value in column.items() if value in values]
