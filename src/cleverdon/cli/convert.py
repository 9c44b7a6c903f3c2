"""The command `cleverdon convert`: turn a run or judgments into another format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, option
from cleverdon.formats.detection import ANNOTATED, FORMATS, detect_format
from cleverdon.settings import CHOICES

if TYPE_CHECKING:
    from cleverdon import _core


_FORMAT = click.Choice([*FORMATS, *ANNOTATED])


class ConvertOptions(Options):
    """The options of `cleverdon convert`."""

    source: str = argument(options.INPUT, metavar="IN")
    target: str = argument(options.INPUT, metavar="OUT")
    kind: str | None = option(
        click.Choice(["run", "qrels"]),
        "What IN is, if not to be guessed from the number of fields.",
    )
    from_: str | None = option(_FORMAT, "The format of IN, if not to be guessed.")
    to: str | None = option(_FORMAT, "The format of OUT, if not to follow from its name.")
    tag: str | None = option(
        "TAG", "What to call the run.  [default: the tag in IN; without one, the name of IN]"
    )
    order_by: str = option(
        click.Choice(list(CHOICES["order_by"])),
        "Whether the scores of a run decide its order, or its rank column; with rank, the scores "
        "that are written are the ranks, negated.",
        default="score",
    )
    duplicates: str = option(
        click.Choice(["error", "first", "best"]),
        "How to handle a document that occurs twice for one query.",
        default="error",
    )


@command(ConvertOptions)
def convert_command(given: ConvertOptions) -> None:
    """Turn the run or the judgments in IN into another format, in OUT.

    The format of OUT follows from its ending: .json, .parquet, .arrow, .csv, .tsv, and TREC's for
    all others; .gz, .bz2, .xz or .zst behind that compress. Runs are written in the order in which
    they are evaluated, with ranks that agree with the scores. Queries without results are kept in
    JSON only. Subtopics, strata and sampling probabilities of judgments are kept where --to names
    their format.

    \b
    Examples:
      cleverdon convert bm25.run bm25.parquet
      cleverdon convert qrels.json qrels.txt.gz
      cleverdon convert dev.tsv dev.run --from msmarco --kind run --tag dense
      cleverdon convert bm25.run - --to csv | head
      cleverdon convert sample.txt sample.gz --from strata --to strata
    """
    from cleverdon.cli.progress import bar, say
    from cleverdon.data import Judgments, Run
    from cleverdon.formats.inputs import head_of, open_source
    from cleverdon.formats.writers import fractional_grades, lost_queries, write_rows

    if given.target != "-":
        options.check_output(Path(given.target))
    annotated = given.from_ in ANNOTATED or given.to in ANNOTATED  # only judgments are
    opened = open_source(given.source)
    cls = (
        Run
        if not annotated and (given.kind or _guessed(opened, given.source)) == "run"
        else Judgments
    )
    options.check_of_use(cls is Run, ("tag", "order_by"), "a run, and these are judgments")
    reading: dict[str, Any] = {
        "format": given.from_,
        "name": given.tag,
        "duplicates": given.duplicates,
    }
    if cls is Run:
        tag = _tag(opened, ranks_decide=given.order_by == "rank", named=given.tag is not None)
        reading |= {"name": given.tag or tag, "order_by": given.order_by}
    elif (
        given.kind
        and not given.from_
        and detect_format(head_of(opened), kind="grade", source=given.source) == "beir"
    ):
        reading["format"] = "beir"  # --kind says that the third column has grades, not ranks
    with bar(f"reading {given.source}") as update:
        rows = cls.read(opened, progress=update, **reading)
    write_rows(rows, given.target, format=given.to)
    if given.target != "-":
        what = "results" if cls is Run else "judgments"
        say(f"{given.target}: {len(rows):,} {what} of {len(rows.queries):,} queries")
    if given.from_ in ANNOTATED and given.to not in ANNOTATED:
        say(f"{given.target}: only grades were written; --to {given.from_} keeps all")
    for line in (
        fractional_grades(rows, given.target, given.to) if isinstance(rows, Judgments) else ()
    ):
        say(f"cleverdon: {line}")
    if lost := lost_queries(rows, given.target, format=given.to):
        say(f"cleverdon: warning: {lost}")


def _guessed(opened: _core.Source, source: str) -> str:
    from cleverdon.formats.detection import guess_kind
    from cleverdon.formats.inputs import head_of

    found = guess_kind(source, opened, head_of(opened))
    if found is None:
        raise click.UsageError(f"is {source} a run, or are they judgments? say --kind run or qrels")
    return found


def _tag(opened: _core.Source, *, ranks_decide: bool, named: bool) -> str | None:
    """Return the tag of a TREC run, if it has one; warn of what the new file will not keep."""
    from cleverdon.checks.linter import check
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
            "is kept; --tag TAG names one"
        )
    return found.tags[0] if len(found.tags) == 1 else None
