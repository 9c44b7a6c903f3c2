"""cleverdon pool next: documents to judge, chosen by the judgments so far."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options, pool_options, texts
from cleverdon.cli import pool_next_checks as checks

if TYPE_CHECKING:
    from cleverdon.annotations import Grades
    from cleverdon.cli.texts import TextFiles
    from cleverdon.pool.adaptive import Judging

METHOD = "mtf"


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
    help="A sheet that was filled in, any judgments, or another journal; again for more. What is "
    "in the journal already need not be given again.",
)
@options.qrels_format
@texts.texts
@click.option(
    "-n",
    "count",
    type=options.Count(min=0),
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
    help="Write all judgments so far, in the format that the name asks for. With -n 0 and nothing "
    "to take, the runs need not be there.",
)
@click.option(
    "--query",
    "chosen",
    multiple=True,
    metavar="ID",
    help="Judge this query only; again for more. Only to begin with.",
)
@click.option(
    "--budget", type=options.COUNT, metavar="N", help="End a query after N documents given."
)
@click.option(
    "--total", type=options.COUNT, metavar="N", help="End after N documents given in all."
)
@click.option(
    "--patience",
    type=options.COUNT,
    metavar="N",
    help="End a query after N given documents in a row that were judged not relevant. Like "
    "--target, it acts when judgments come back: a batch that is out is not cut short.",
)
@click.option(
    "--target",
    type=options.COUNT,
    metavar="N",
    help="End a query once N relevant documents are judged.",
)
@click.option(
    "-k",
    "--depth",
    type=options.COUNT,
    metavar="K",
    help="Look at the first K results of each run and query. Only to begin with.  [default: all]",
)
@options.rel("The lowest grade that is relevant. Only to begin with.")
@options.seed("documents, where judgments are the same. Only to begin with")
def command(
    journal: str,
    runs: tuple[str, ...],
    run_format: str | None,
    order_by: str,
    method: str | None,
    sheets: tuple[str, ...],
    qrels_format: str | None,
    count: int,
    output: str,
    qrels: str | None,
    chosen: tuple[str, ...],
    texts: TextFiles,
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
    from cleverdon.cli.progress import bar, say
    from cleverdon.pool.adaptive import Limits, begin, resume
    from cleverdon.pool.adaptive.journal_start import file_of, read_start
    from cleverdon.read.journal_file import exists
    from cleverdon.read.judging_journal import judgments_of
    from cleverdon.read.sheet import check_replaceable, merged_sheets, read_sheet, write_sheet
    from cleverdon.show.adaptive import changed_text, over_text, tally_text

    files = [options.name_and_file(run)[1] for run in runs]
    checks.check_files(files)
    notes: list[str] = []
    start = read_start(journal) if exists(journal) else None
    if start:
        checks.check_going_on(journal, start)
        files += [file for system in start.systems if (file := file_of(system, journal))]
    else:
        checks.check_begun(journal, runs, notes)
    checks.check_written(output if count else None, qrels, [journal, *sheets, *files])
    if count:
        check_replaceable(output)  # before anything is given
    changed_limits = {name: value for name, value in limits.items() if value is not None}
    before = judgments_of(journal) if start and qrels else []
    if start and qrels and not (count or sheets or changed_limits):
        checks.check_qrels(qrels, before)
        _write_qrels(read_sheet(journal, notes=notes), qrels)
        for note in notes:
            say(f"cleverdon: note: {note}")
        return
    judged = {sheet: read_sheet(sheet, format=qrels_format, notes=notes) for sheet in sheets}
    together = merged_sheets(judged)  # an error where they contradict each other
    if qrels:
        checks.check_qrels(qrels, before + checks.graded(together))  # before anything is kept
    going: AbstractContextManager[Judging]
    if start:
        going = resume(journal, options.opened(runs) if runs else None, method=method, notes=notes)
    else:
        found = pool_options.gathered(runs, depth=depth, run_format=run_format, order_by=order_by)
        checks.check_ids(found, chosen)
        checks.check_queries(judged, found)
        going = begin(
            journal,
            found,
            method or METHOD,
            seed=seed,
            rel=rel,
            topics=chosen or None,
            limits=Limits(**limits),
            format=run_format,
            order_by=order_by,
        )
    with bar("judging"), checks.advising(journal, sheets), going as judging:
        checks.check_queries(judged, judging.contributions)
        judging.limit(**changed_limits)
        changed = _changed(judging, together)
        for sheet, grades in judged.items():
            notes += _take(judging, sheet, grades)
        if qrels:
            _write_qrels(judging.grades, qrels)
        documents = judging.next(count)
        if count:
            write_sheet(documents, output, **texts.of_sheet(documents))
        for note in notes:
            say(f"cleverdon: note: {note}")
        if changed:
            say(f"{journal}: {changed_text(changed)}")
        tally = judging.tally
        say(f"{journal}: {judging.method}; {tally_text(tally)}")
        if count and not documents:
            say(f"{journal}: {over_text(tally)}")


def _changed(judging: Judging, grades: Grades) -> int:
    """How many documents that were judged before have another grade now."""
    return sum(
        grade >= 0 and judging.grades.get(topic, {}).get(doc, grade) != grade
        for topic, docs in grades.items()
        for doc, grade in docs.items()
    )


def _take(judging: Judging, sheet: str, grades: Grades) -> list[str]:
    """Take the judgments of a sheet; what is odd about them is returned."""
    before = judging.tally
    judged = checks.graded(grades)
    new = judging.judge_all(judged)
    elsewhere = judging.tally.elsewhere - before.elsewhere
    if not judged:
        return [f"{sheet}: no document has a grade yet"]
    if new and elsewhere == new:
        return [f"{sheet}: no run returned any of these documents; is it of another collection?"]
    return []


def _write_qrels(grades: Grades, path: str) -> None:
    from cleverdon.cli.progress import say
    from cleverdon.data import Judgments
    from cleverdon.show.grid import counted

    Judgments.read(grades).write(path)
    name, total = "qrels" if path == "-" else path, sum(map(len, grades.values()))
    say(f"{name}: {counted(total, 'judgment')} of {counted(len(grades), 'query')}")
