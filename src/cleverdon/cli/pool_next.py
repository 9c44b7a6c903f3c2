"""cleverdon pool next: documents to judge, chosen by the judgments so far."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from cleverdon.cli import options, pool_options

if TYPE_CHECKING:
    from cleverdon.pool.adaptive import Judging

METHOD = "mtf"
_AT_FIRST = ("queries", "depth", "rel", "seed", "run_format", "order_by")
"""What is decided when judging begins."""


def _list_methods(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from cleverdon.show.adaptive import methods_text

        click.echo(methods_text())
        ctx.exit()


@click.command()
@click.argument("journal", type=click.Path(dir_okay=False))
@click.argument("runs", nargs=-1, type=click.Path())
@options.runs_read
@click.option(
    "--method",
    metavar="METHOD",
    help="How to choose, as mtf or 'hedge(beta=0.2)'; --methods lists them. Only to begin with.  "
    f"[default: {METHOD}]",
)
@click.option(
    "--methods",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_methods,
    help="List the methods.",
)
@click.option(
    "--judged",
    "sheets",
    multiple=True,
    type=click.Path(allow_dash=True),
    metavar="SHEET",
    help="A sheet that was filled in, or any judgments; again for more. What is in the journal "
    "already need not be given again.",
)
@click.option(
    "-n",
    "count",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many documents to give. 0 only takes judgments.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True),
    default="-",
    metavar="SHEET",
    help="The sheet to write; - is standard output.  [default: -]",
)
@click.option(
    "--qrels",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write all judgments so far, in the format that the name asks for.",
)
@click.option(
    "--query",
    "queries",
    multiple=True,
    metavar="ID",
    help="Judge this query only; again for more. Only to begin with.",
)
@click.option(
    "--budget", type=click.IntRange(min=1), metavar="N", help="End a query after N documents."
)
@click.option(
    "--total", type=click.IntRange(min=1), metavar="N", help="End after N documents in all."
)
@click.option(
    "--patience",
    type=click.IntRange(min=1),
    metavar="N",
    help="End a query after N documents in a row that are not relevant.",
)
@click.option(
    "--target",
    type=click.IntRange(min=1),
    metavar="N",
    help="End a query once N relevant documents are found.",
)
@click.option(
    "-k",
    "--depth",
    type=click.IntRange(min=1),
    metavar="K",
    help="Look at the first K results of each run and query. Only to begin with.  [default: all]",
)
@click.option(
    "--rel",
    type=float,
    default=1,
    show_default=True,
    help="The lowest grade that counts as relevant. Only to begin with.",
)
@options.seed("documents, where judgments are the same. Only to begin with")
def command(
    journal: str,
    runs: tuple[str, ...],
    run_format: str | None,
    order_by: str,
    method: str | None,
    sheets: tuple[str, ...],
    count: int,
    output: str,
    qrels: str | None,
    queries: tuple[str, ...],
    depth: int | None,
    rel: float,
    seed: int,
    **limits: int | None,
) -> None:
    """Give the next documents to judge, out of what RUNS returned.

    JOURNAL is a file that keeps what was given and judged. Where there is none yet, judging begins,
    and RUNS are needed; otherwise it goes on, of the runs that the journal names. Documents that
    were given and not judged come first, so that nothing is lost, whatever happened. Judges see
    queries and documents in a shuffled order, and nothing that gives a run away.

    \b
    Examples:
      cleverdon pool next judging.jsonl *.run --method mtf -n 50 -o sheet.tsv
      cleverdon pool next judging.jsonl --judged sheet.tsv -n 50 -o next.tsv
      cleverdon pool next judging.jsonl --judged next.tsv -n 0 --qrels qrels.txt
      cleverdon pool next judging.jsonl *.run --judged old-qrels.txt --patience 30 -o sheet.tsv
    """
    files = [options.name_and_file(run)[1] for run in runs]
    for file in (output if output != "-" else None, qrels):
        if file:
            options.check_output(Path(file), journal, *sheets, *files)

    from cleverdon.cli.progress import bar, say
    from cleverdon.pool.adaptive import Limits, begin, resume
    from cleverdon.pool.adaptive.journal_file import exists
    from cleverdon.read.sheet import read_sheet, write_sheet
    from cleverdon.show.adaptive import tally_text

    judged = [read_sheet(sheet) for sheet in sheets]
    notes: list[str] = []
    going: AbstractContextManager[Judging]
    if exists(journal):
        _check_going_on(journal)
        going = resume(journal, options.opened(runs) if runs else None, method=method, notes=notes)
    else:
        if not runs:
            raise click.UsageError(f"there is no {journal} to go on from; to begin, give RUNS")
        found = pool_options.gathered(runs, depth=depth, run_format=run_format, order_by=order_by)
        going = begin(
            journal,
            found,
            method or METHOD,
            seed=seed,
            rel=rel,
            topics=queries or None,
            limits=Limits(**limits),
            format=run_format,
            order_by=order_by,
        )
    with bar("judging"), going as judging:
        judging.limit(**{name: value for name, value in limits.items() if value is not None})
        for sheet, grades in zip(sheets, judged, strict=True):
            notes += _take(judging, sheet, grades)
        if qrels:
            _write_qrels(judging, qrels)
        documents = judging.next(count)
        if count:
            write_sheet(documents, output)
        for note in notes:
            say(f"cleverdon: note: {note}")
        say(f"{journal}: {judging.method}; {tally_text(judging.tally)}")
        if count and not documents:
            say(f"{journal}: there is nothing more to judge")


def _check_going_on(journal: str) -> None:
    """What is decided when judging begins cannot be asked for later."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        if parameter.name in _AT_FIRST:
            source = ctx.get_parameter_source(parameter.name)
            if source is ParameterSource.COMMANDLINE:
                raise click.UsageError(
                    f"{journal} is there, and goes on as it began: {parameter.opts[-1]} is only "
                    "to begin with; leave it out, or name another journal"
                )


def _take(judging: Judging, sheet: str, grades: dict[str, dict[str, float]]) -> list[str]:
    """Take the judgments of a sheet; what is odd about them is returned."""
    before = judging.tally
    # A grade below 0 stands for documents that were pooled and not judged.
    judged = [
        (topic, doc, grade)
        for topic, docs in grades.items()
        for doc, grade in docs.items()
        if grade >= 0
    ]
    new = judging.judge_all(judged)
    elsewhere = judging.tally.elsewhere - before.elsewhere
    if not judged:
        return [f"{sheet}: no document has a grade yet"]
    if new and elsewhere == new:
        return [f"{sheet}: no run returned any of these documents; is it of another collection?"]
    return []


def _write_qrels(judging: Judging, path: str) -> None:
    from cleverdon.data import Judgments
    from cleverdon.errors import InputError

    if not judging.grades:
        raise InputError("nothing is judged yet, so there are no qrels to write", source=path)
    Judgments.read(judging.grades).write(path)
