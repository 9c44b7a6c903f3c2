"""cleverdon explain: what a measure is, where profiles differ, and where a score comes from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from cleverdon.cli import options
from cleverdon.cli.texts import TextFiles, texts

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from cleverdon.tracing import Trace

_LINE = 60
"""Characters of a query's or a document's text."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    named = options.complete_measure(ctx, param, incomplete)
    files = CompletionItem(incomplete, type="file")
    return [CompletionItem(name) for name in named] or [files]


@click.command()
@click.argument("what", nargs=-1, metavar="MEASURE | QRELS RUN", shell_complete=_complete)
@click.option("--profiles", is_flag=True, help="Show where the profiles differ, as tables.")
@click.option(
    "--query",
    metavar="ID",
    help="The query to trace; may be left out where only one has judgments.",
)
@options.measures_named("The measure whose value is traced; again for more.", default="nDCG@10")
@click.option(
    "--diff",
    metavar="RUN2",
    help="Show which documents make the difference between RUN and RUN2.",
)
@click.option(
    "--depth",
    type=options.COUNT,
    metavar="N",
    help="Show each of the first N results; with --diff, N documents.  [default: down to the "
    "cut-off or the last judged result, long parts without effect folded]",
)
@texts
@options.formats("How to print a trace. csv, tsv and json have all digits.")
@options.settings
@options.judgments
def command(
    what: tuple[str, ...],
    profiles: bool,
    query: str | None,
    measures: tuple[str, ...],
    diff: str | None,
    depth: int | None,
    texts: TextFiles,
    format_: str,
    **how: Any,
) -> None:
    """Say what MEASURE is, or where RUN's score on a query comes from.

    Of a measure: formula, user, when it is undefined, source, worked examples. Of a score: what
    each result adds to it, rank by rank, and what would gain most.

    \b
    Examples:
      cleverdon explain nDCG
      cleverdon explain ndcg_cut_10
      cleverdon explain --profiles
      cleverdon explain qrels.txt bm25.run --query 301 -m nDCG@10
      cleverdon explain qrels.txt bm25.run --query 301 --diff dense.run
    """
    if profiles != (not what):
        raise click.UsageError("name a measure, or QRELS and RUN, or say --profiles")
    if len(what) > 2:
        raise click.UsageError("a trace is of one RUN; a second one is compared by --diff RUN2")
    if len(what) < 2:
        _check_no_trace(what)
        click.echo(_differences() if profiles else _described(what[0]))
        return
    qrels, run = what
    options.check_one_stdin(qrels, run, *([diff] if diff else []))
    opened = options.opened((run, diff) if diff else (run,))

    from cleverdon.show.trace import render
    from cleverdon.show.traced_difference import render_difference
    from cleverdon.tracing import Tracer, difference

    tracer = Tracer(qrels, **how)
    found = [
        [tracer.trace(source, measure, query=query, name=name) for name, source in opened.items()]
        for measure in measures
    ]
    shown = _shown([trace for of_one in found for trace in of_one], texts)
    if diff:
        pairs = [difference(first, second) for first, second in found]
        click.echo(render_difference(pairs, format_, depth=depth, **shown))
    else:
        click.echo(render([trace for (trace,) in found], format_, depth=depth, **shown))


def _check_no_trace(what: tuple[str, ...]) -> None:
    """Options of traces are of no use where there is nothing to trace."""
    if what and os.path.isfile(what[0]):
        raise click.UsageError(f"{what[0]} is a file; a trace needs two: QRELS RUN")
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        name = str(parameter.name)
        given = ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if given and name not in ("what", "profiles"):
            raise click.UsageError(f"{parameter.opts[-1]} goes with QRELS RUN")


def _differences() -> str:
    from cleverdon.show.profiles import differences

    return differences()


def _described(measure: str) -> str:
    from cleverdon.show.explain import described

    return described(measure)


def _shown(traces: list[Trace], texts: TextFiles) -> dict[str, Any]:
    """The query's text, and the titles of the documents that may be shown."""

    def documents() -> set[str]:
        ids = {step.doc for trace in traces for step in trace.steps}
        return ids | {move.doc for trace in traces for move in trace.missed}

    asked = texts.of_queries({trace.query for trace in traces}, limit=_LINE)
    titles = texts.of_documents(documents, limit=_LINE)
    return {
        "asked": next((text.line for text in asked.values()), ""),
        "titles": {doc: text.line for doc, text in titles.items()},
    }
