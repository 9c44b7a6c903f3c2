"""cleverdon convert: turn a run or judgments into another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.read.detect import ANNOTATED, FORMATS, detect
from cleverdon.settings import CHOICES

if TYPE_CHECKING:
    from cleverdon import _core

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
@click.option(
    "--name",
    metavar="TAG",
    help="What to call the run.  [default: the tag in IN; without one, the name of IN]",
)
@click.option(
    "--order-by",
    type=click.Choice(list(CHOICES["order_by"])),
    default="score",
    show_default=True,
    help="Whether the scores of a run decide its order, or its rank column; with rank, the scores "
    "that are written are the ranks, negated.",
)
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
    order_by: str,
    duplicates: str,
) -> None:
    """Turn the run or the judgments in IN into another format, in OUT.

    The format of OUT follows from its ending: .json, .parquet, .arrow, .csv, .tsv, and TREC's for
    all others; .gz, .bz2, .xz or .zst behind that compress. Runs are written in the order in which
    they are evaluated, with ranks that agree with the scores. Queries without results are kept in
    JSON only. What judgments say beside grades (subtopics, strata, probabilities of a sample) is
    kept where --to names the format that has it.

    \b
    Examples:
      cleverdon convert bm25.run bm25.parquet
      cleverdon convert qrels.json qrels.txt.gz
      cleverdon convert dev.tsv dev.run --from msmarco --kind run --name dense
      cleverdon convert bm25.run - --to csv | head
      cleverdon convert sample.txt sample.gz --from strata --to strata
    """
    from cleverdon.cli.progress import bar, say
    from cleverdon.data import Judgments, Run
    from cleverdon.read import head_of, open_source
    from cleverdon.read.write import fractional_grades, lost_queries, write

    if target != "-":
        options.check_output(Path(target))
    annotated = from_ in ANNOTATED or to in ANNOTATED  # only judgments are
    opened = open_source(source)
    cls = Run if not annotated and (kind or _guessed(opened, source)) == "run" else Judgments
    options.check_of_use(cls is Run, ("name", "order_by"), "a run, and these are judgments")
    reading: dict[str, Any] = {"format": from_, "name": name, "duplicates": duplicates}
    if cls is Run:
        tag = _tag(opened, ranks_decide=order_by == "rank", named=name is not None)
        reading |= {"name": name or tag, "order_by": order_by}
    elif kind and not from_ and detect(head_of(opened), kind="grade", source=source) == "beir":
        reading["format"] = "beir"  # --kind says that the third column has grades, not ranks
    with bar(f"reading {source}") as update:
        rows = cls.read(opened, progress=update, **reading)
    write(rows, target, format=to)
    if target != "-":
        what = "results" if cls is Run else "judgments"
        say(f"{target}: {len(rows):,} {what} of {len(rows.queries):,} queries")
    if from_ in ANNOTATED and to not in ANNOTATED:
        say(f"{target}: only grades were written; --to {from_} keeps all")
    for line in fractional_grades(rows, target, to) if isinstance(rows, Judgments) else ():
        say(f"cleverdon: {line}")
    if lost := lost_queries(rows, target, format=to):
        say(f"cleverdon: warning: {lost}")


def _guessed(opened: _core.Source, source: str) -> str:
    from cleverdon.read import head_of
    from cleverdon.read.guess import guess_kind

    found = guess_kind(source, opened, head_of(opened))
    if found is None:
        raise click.UsageError(f"is {source} a run, or are they judgments? say --kind run or qrels")
    return found


def _tag(opened: _core.Source, *, ranks_decide: bool, named: bool) -> str | None:
    """The tag of a TREC run, if it has one; a warning says what the new file will not keep."""
    from cleverdon.check import check
    from cleverdon.cli.progress import bar, say

    with bar(f"checking {opened.name}") as update:
        found = check(opened, kind="run", limit=1, progress=update)
    contradictions = {"rank-contradicts-score", "scores-rise"}
    if not ranks_decide and any(one.name in contradictions for one in found.findings):
        say(
            f"cleverdon: warning: {opened.name}: ranks contradict scores; the scores decide, and "
            "ranks are written anew; --order-by rank keeps the order of the ranks"
        )
    if len(found.tags) > 1 and not named:
        say(
            f"cleverdon: warning: {opened.name}: {len(found.tags)} different tags, of which none "
            "is kept; --name TAG names one"
        )
    return found.tags[0] if len(found.tags) == 1 else None
