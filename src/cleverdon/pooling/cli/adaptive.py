"""The commands of adaptive judging: `cleverdon pool next` and `cleverdon pool simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cleverdon.cli import options, texts
from cleverdon.cli.declarations import (
    Options,
    argument,
    command,
    flag,
    option,
    rereadable,
    was_given,
)
from cleverdon.cli.qrels_files import check_two_outputs
from cleverdon.pooling.choices import ADAPTIVE_METHOD, BATCH_SIZE, BUDGETS

if TYPE_CHECKING:
    from cleverdon.pooling.adaptive.simulation import Simulation


def _list_methods(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        from cleverdon.pooling.adaptive.methods import methods_text

        click.echo(methods_text())
        ctx.exit()


_LIMITS = {
    "budget": "budget",
    "total": "total",
    "patience": "patience",
    "target": "target_relevant",
}
"""The limits, and the options that set them."""


def _limit(help: str) -> int | None:
    made: int | None = option(options.COUNT, help, metavar="N")
    return made


class NextOptions(texts.TextOptions):
    """The options of `cleverdon pool next`."""

    journal: str = argument(click.Path(dir_okay=False))
    runs: tuple[str, ...] = argument(options.FILE, nargs=-1)
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    method: str | None = option(
        "METHOD",
        "The method, as mtf or 'hedge(beta=0.2)'; --methods lists them. Only to begin with.  "
        f"[default: {ADAPTIVE_METHOD}]",
    )
    methods: None = flag(
        "List the methods.", is_eager=True, expose_value=False, callback=_list_methods
    )
    judged: tuple[str, ...] = option(
        options.INPUT,
        "A sheet that was filled in, any judgments, or another journal; repeat for more. What is "
        "in the journal already need not be given again.",
        multiple=True,
        metavar="SHEET",
    )
    qrels_format: str | None = options.qrels_format
    queries: str | None = texts.queries
    documents: str | None = texts.documents
    count: int = option(
        options.Count(min=0),
        "How many documents to give. 0 only takes judgments.",
        flags="-n",
        default=BATCH_SIZE,
    )
    output: str = option(
        click.Path(dir_okay=False, allow_dash=True),
        "The sheet to write; - is standard output.  [default: -]",
        short="-o",
        default="-",
    )
    write_qrels: str | None = option(
        click.Path(dir_okay=False),
        "Write all judgments so far, in the format that the name asks for. With -n 0 and nothing "
        "to take, the runs need not be there.",
    )
    chosen: tuple[str, ...] = option(
        "ID",
        "Judge this query only; repeat for more. Only to begin with.",
        flags="--query",
        multiple=True,
    )
    budget: int | None = _limit("End a query after N documents given.")
    total: int | None = _limit("End after N documents given in all.")
    patience: int | None = _limit(
        "End a query after N documents in a row that are not relevant. Like --target-relevant, it "
        "acts when judgments come back: a batch that is out is not cut short."
    )
    target_relevant: int | None = _limit("End a query once N relevant documents are judged.")
    depth: int | None = options.depth(
        "Look at the first K results of each run and query. Only to begin with.  [default: all]"
    )
    rel: float = options.rel("The lowest grade that is relevant. Only to begin with.")
    seed: int = options.seed("documents, where judgments are the same. Only to begin with")
    columns: str | None = options.columns


@command(NextOptions)
@rereadable("RUNS", because="judging goes on from the files of runs; save the run to one")
def next_command(given: NextOptions) -> None:
    """Give the next documents to judge, out of what RUNS returned.

    JOURNAL is a file that keeps what was given and judged. If it does not exist, judging begins,
    and RUNS are needed; otherwise judging goes on with the runs that the journal names. Documents
    that were given and not judged come first, so that nothing is lost. Judges see queries and
    documents in a random order, and not which run returned a document.

    \b
    Examples:
      cleverdon pool next judging.jsonl *.run --method mtf -n 50 -o sheet.tsv
      cleverdon pool next judging.jsonl --judged sheet.tsv -n 50 -o next.tsv
      cleverdon pool next judging.jsonl --judged next.tsv -n 0 --write-qrels qrels.txt
      cleverdon pool next judging.jsonl *.run --judged old-qrels.txt --patience 30 -o sheet.tsv
    """
    from cleverdon._common.progress_bar import bar, say
    from cleverdon.formats.sheets import check_replaceable, write_sheet
    from cleverdon.pooling.adaptive.batches import journal_runs, next_batch

    read = journal_runs(given.journal)
    outputs = [given.output] if given.count else []
    for file in (*outputs, given.write_qrels):
        if file and file != "-":
            options.check_output(Path(file), *read)
    if given.count and given.write_qrels:
        check_two_outputs(given.output, given.write_qrels)
    if given.count:
        check_replaceable(given.output)  # before anything is given
    with bar("judging") as update:
        how = given.keywords(
            next_batch,
            runs=options.opened(given.runs) if given.runs else None,
            queries=given.chosen or None,
            limits={name: getattr(given, option) for name, option in _LIMITS.items()},
            progress=update,
        )
        for name in ("rel", "seed", "order_by"):
            if not was_given(f"--{name.replace('_', '-')}"):
                how[name] = None  # as the journal has it, or the default
        batch = next_batch(**how)
        if given.count:
            write_sheet(batch.documents, given.output, **given.texts.of_sheet(batch.documents))
        for line in batch.summary:
            say(line)


class SimulateOptions(Options):
    """The options of `cleverdon pool simulate`."""

    qrels: str = argument(options.QRELS)
    runs: tuple[str, ...] = options.runs
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    methods: tuple[str, ...] = option(
        "METHOD",
        "A method of `cleverdon pool next`, as mtf or 'hedge(beta=0.2)'; repeat for more.  "
        "[default: all]",
        flags="--method",
        multiple=True,
    )
    budgets: tuple[int, ...] = option(
        options.COUNT,
        "How many documents to judge for each query; repeat for more.  [default: "
        f"{', '.join(map(str, BUDGETS))}]",
        flags="--budget",
        multiple=True,
        metavar="N",
    )
    depth: int | None = options.depth(
        "Look at the first K results of each run and query.  [default: all]"
    )
    measure: str | None = options.measure(
        "The measure that orders runs.  [default: AP, from the grade of --rel on]"
    )
    rel: float = options.rel()
    plot: Path | None = options.plot("what each method finds")
    seed: int = options.seed("choices")
    format_: str = options.formats(
        "Output format. csv, tsv and json have all digits; json the curves as well."
    )
    qrels_format: str | None = options.qrels_format
    columns: str | None = options.columns


@command(SimulateOptions)
def simulate_command(given: SimulateOptions) -> Simulation:
    """Play methods of judging against QRELS, where the answers are known.

    For each method and budget: how many relevant documents it finds, and how well its judgments
    order RUNS, compared with all judgments. Documents that QRELS do not have count as not relevant,
    so the more complete QRELS are the better.

    \b
    Examples:
      cleverdon pool simulate qrels.txt *.run --budget 20 --budget 100
      cleverdon pool simulate qrels.txt *.run --method depth --method 'thompson(memory=0.5)'
      cleverdon pool simulate qrels.txt *.run --plot yield.svg
    """
    options.check_one_stdin(given.qrels, *given.runs)
    options.check_plot(given.plot)

    from cleverdon._common.progress_bar import bar
    from cleverdon.pooling.adaptive.simulation import simulate_methods

    with bar("judging") as update:
        runs = options.opened(given.runs)
        found = simulate_methods(**given.keywords(simulate_methods, runs=runs, progress=update))
    options.save_plot(found, given.plot, "what each method finds")
    return found
