"""The command explain: what a measure is, where profiles differ, where a score comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from cleverdon.cli import options
from cleverdon.cli.declarations import (
    argument,
    at_most,
    command,
    flag,
    needs_one,
    one_stdin,
    option,
)
from cleverdon.cli.texts import TextFiles, TextOptions

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from cleverdon.data import Judgments
    from cleverdon.explanation.traces import Trace
    from cleverdon.tables.result import Result


_LINE = 60  # characters of a query's or a document's text


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    named = options.complete_measure(ctx, param, incomplete)
    files = CompletionItem(incomplete, type="file")
    return [CompletionItem(name) for name in named] or [files]


class ExplainOptions(TextOptions, options.SettingsOptions):
    what: str | None = argument(metavar="MEASURE|QRELS", required=False, shell_complete=_complete)
    runs: tuple[str, ...] = argument(options.INPUT, metavar="RUN", nargs=-1)
    profiles: bool = flag("Show where the profiles differ, as tables.")
    query: str | None = option(
        "ID", "The query to trace; may be left out where only one has judgments."
    )
    measures: tuple[str, ...] = options.measures_named(
        "The measure whose value is traced; again for more.", default="nDCG@10"
    )
    diff: str | None = option(
        "RUN2", "Show which documents make the difference between RUN and RUN2."
    )
    depth: int | None = option(
        options.COUNT,
        "Show each of the first N results; with --diff, N documents.  [default: down to the "
        "cut-off or the last judged result, long parts without effect folded]",
        metavar="N",
    )
    format_: str = options.formats("How to print a trace. csv, tsv and json have all digits.")


@command(ExplainOptions)
@needs_one("MEASURE|QRELS", "--profiles", what="name a measure, or QRELS and RUN")
@at_most(2, "RUN", because="QRELS and RUN may stand behind MEASURE")
@one_stdin("MEASURE|QRELS", "RUN", "--diff")
def explain_command(given: ExplainOptions) -> Result | str:
    """Explain what MEASURE is, or where RUN's score on a query comes from.

    Of a measure: formula, user, when it is undefined, source, worked examples. Of a score: what
    each result adds to it, rank by rank, and what would gain most. MEASURE may stand before QRELS
    and RUN. In place of files, MEASURE and a ranking may be given, typed as for cleverdon eval.

    \b
    Examples:
      cleverdon explain nDCG
      cleverdon explain ndcg_cut_10
      cleverdon explain --profiles
      cleverdon explain qrels.txt bm25.run --query 301 -m nDCG@10
      cleverdon explain nDCG@10 qrels.csv run.xlsx --query 'red shoes'
      cleverdon explain qrels.txt bm25.run --query 301 --diff dense.run
      cleverdon explain AP '1 0 1 1 | 1'
    """
    given = _with_leading_measure(given)
    given, qrels, opened = _typed_inputs(given)
    # The options are those of a trace, and a typed ranking needs no RUN.
    traced = [name for name in ExplainOptions.fields if name not in ("what", "runs", "profiles")]
    options.check_of_use(given.runs or qrels, traced, "RUN")
    if given.profiles:
        from cleverdon.profiles import profile_differences

        return profile_differences()
    assert given.what is not None
    if qrels is None and not given.runs:
        from cleverdon.measures.description import describe_measure

        if os.path.exists(given.what):
            kind = "folder" if os.path.isdir(given.what) else "file"
            raise click.UsageError(f"{given.what} is a {kind}; a trace needs two: QRELS RUN")
        return describe_measure(given.what)
    if qrels is None:
        qrels = given.what
        opened = options.opened((*given.runs, *([given.diff] if given.diff else [])))

    from cleverdon.explanation.difference import trace_difference
    from cleverdon.explanation.traces import Explanation, Tracer
    from cleverdon.tables.result_lists import Results

    tracer = Tracer(qrels, **given.evaluation)
    found = [
        [
            tracer.trace(source, measure, query=given.query, name=name)
            for name, source in opened.items()
        ]
        for measure in given.measures
    ]
    found = _with_texts(found, given.texts)
    if given.diff:
        return Results([trace_difference(first, second) for first, second in found])
    return Explanation([trace for (trace,) in found])


def _with_leading_measure(given: ExplainOptions) -> ExplainOptions:
    """Take MEASURE QRELS RUN for QRELS RUN -m MEASURE, where the first is no file."""
    if len(given.runs) < 2 or given.what is None:
        return given
    files = given.what == "-" or os.path.exists(given.what.rpartition("#")[0] or given.what)
    if files:
        raise click.UsageError("give at most one RUN: --diff RUN2 compares a second one")
    qrels, run = given.runs
    return given.changed(what=qrels, runs=(run,), measures=_and_named(given))


def _and_named(given: ExplainOptions) -> tuple[str, ...]:
    """The measure that stands first, and those that -m names."""
    source = click.get_current_context().get_parameter_source("measures")
    more = given.measures if source is ParameterSource.COMMANDLINE else ()
    return (given.what or "", *more)


def _typed_inputs(
    given: ExplainOptions,
) -> tuple[ExplainOptions, Judgments | str | None, Mapping[str, Any]]:
    """Read MEASURE RANKING, or RANKING, where that is given and not files."""
    if given.what is None or (not given.runs and given.what.isalpha()):
        return given, None, {}  # R and RR are measures
    measured = bool(given.runs) and not os.path.exists(given.what)
    rankings = given.runs if measured else (given.what, *given.runs)
    found = options.typed_rankings([*rankings, *([given.diff] if given.diff else [])])
    if not found:
        return given, None, {}
    typed = found[0].rankings
    if measured:
        given = given.changed(measures=_and_named(given))
    given = given.changed(ties=given.ties or typed.ties)
    return given, typed.judgments, typed.runs


def _with_texts(found: list[list[Trace]], texts: TextFiles) -> list[list[Trace]]:
    """Add the query's text, and the titles of the documents that may be shown."""
    traces = [trace for of_one in found for trace in of_one]

    def documents() -> set[str]:
        ids = {step.doc for trace in traces for step in trace.steps}
        return ids | {move.doc for trace in traces for move in trace.missed}

    asked = texts.of_queries({trace.query for trace in traces}, limit=_LINE)
    titles = {doc: text.line for doc, text in texts.of_documents(documents, limit=_LINE).items()}
    text = next((text.line for text in asked.values()), "")
    return [[replace(trace, text=text, titles=titles) for trace in of_one] for of_one in found]
