"""cleverdon convert: turn a run or judgments into another format."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.read.detect import ANNOTATED, FORMATS

_FORMAT = click.Choice([*FORMATS, *ANNOTATED])


@click.command()
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(allow_dash=True))
@click.option(
    "--kind",
    type=click.Choice(["run", "qrels"]),
    help="What IN is, if not to be guessed from the number of fields.",
)
@click.option("--from", "from_", type=_FORMAT, help="The format of IN, if not to be guessed.")
@click.option("--to", "to", type=_FORMAT, help="The format of OUT, if not to follow from its name.")
@click.option("--name", metavar="TAG", help="What to call the run.  [default: the name of IN]")
@click.option(
    "--duplicates",
    type=click.Choice(["error", "first", "best"]),
    default="error",
    show_default=True,
    help="What becomes of a document that occurs twice for one query.",
)
def command(
    source: str,
    target: str,
    kind: str | None,
    from_: str | None,
    to: str | None,
    name: str | None,
    duplicates: str,
) -> None:
    """Turn the run or the judgments in IN into another format, in OUT.

    The format of OUT follows from its ending: .json, .parquet, .arrow, .csv, .tsv, and TREC's for
    all others; .gz, .bz2, .xz or .zst behind that compress. Runs are written in the order in which
    they are evaluated, with ranks that agree with the scores. What judgments say beside grades
    (subtopics, strata, probabilities of a sample) is kept where --to names the format that has it.

    \b
    Examples:
      cleverdon convert bm25.run bm25.parquet
      cleverdon convert qrels.json qrels.txt.gz
      cleverdon convert dev.tsv dev.run --from msmarco --kind run --name dense
      cleverdon convert bm25.run - --to csv | head
      cleverdon convert sample.txt sample.gz --from strata --to strata
    """
    from cleverdon.cli.progress import bar
    from cleverdon.data import Judgments, Run

    annotated = from_ in ANNOTATED or to in ANNOTATED  # only judgments are
    cls = Run if not annotated and (kind or _guessed(source)) == "run" else Judgments
    options: dict[str, Any] = {"format": from_, "name": name, "duplicates": duplicates}
    with bar(f"reading {source}") as update:
        rows = cls.read(source, progress=update, **options)
    rows.write(target, format=to)
    if target != "-":
        what = "results" if cls is Run else "judgments"
        click.echo(f"{target}: {len(rows):,} {what} of {len(rows.queries):,} queries", err=True)
    if from_ in ANNOTATED and to not in ANNOTATED:
        click.echo(f"{target}: only grades were written; --to {from_} keeps all", err=True)


def _guessed(path: str) -> str:
    from pathlib import Path

    from cleverdon.read import head_of, open_source
    from cleverdon.read.guess import guess_kind

    # What comes through a pipe comes only once.
    if path != "-" and (Path(path).is_file() or not Path(path).exists()):
        opened = open_source(path)
        found = guess_kind(path, opened, head_of(opened))
        if found is not None:
            return found
    raise click.UsageError(f"is {path} a run, or are they judgments? say --kind run or qrels")
