"""The command `cleverdon report`: one HTML file with claims, tables and plots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.cost_options import costs_files, read_measured_costs
from cleverdon.cli.declarations import argument, command, flag, option
from cleverdon.cli.texts import TextOptions
from cleverdon.comparison.cli.compare import DoubtOptions, evaluate_tied
from cleverdon.comparison.cli.options import ProcedureOptions

if TYPE_CHECKING:
    from cleverdon.comparison.differences import Comparison
    from cleverdon.reports.html_report import Report
    from cleverdon.scores import Scores


class ReportOptions(ProcedureOptions, DoubtOptions, TextOptions, options.SettingsOptions):
    """The options of `cleverdon report`."""

    qrels: str = argument(options.QRELS)
    runs: tuple[str, ...] = argument(options.RUN, nargs=-1)
    output: Path = options.page_output("report.html")
    as_json: bool = options.page_data
    title: str = options.page_title("Search evaluation")
    measures: tuple[str, ...] = options.measures
    costs: tuple[str, ...] = costs_files(
        "What systems cost, to show beside their quality. A file that 'bench --json' or 'index "
        "--json' wrote. The run within a bench is evaluated where none of RUNS has its system's "
        "name; NAME=FILE gives another",
    )
    depth: int = option(
        options.COUNT, "How many results of each query the report shows, judged or not.", default=20
    )
    bounds: bool = flag(
        "Draw the lowest and highest possible averages, too. Over all orders of tied results and "
        "all grades of unjudged ones."
    )
    check: bool = flag(
        "Look for what is wrong with the files.  [default: on]",
        flags="--check/--no-check",
        default=True,
    )


@command(ReportOptions)
def report_command(given: ReportOptions) -> str:
    """Write a report of RUNS: claims, tables, plots, each query's rankings, and the method.

    It is one file that needs no network, and whose reader can pick measure, baseline and queries.

    \b
    Examples:
      cleverdon report qrels.txt bm25.run dense.run --baseline bm25
      cleverdon report qrels.txt *.run -m nDCG@10 -m AP -o results.html --data
      cleverdon report qrels.txt *.run --queries topics.tsv --documents collection.jsonl
      cleverdon report qrels.txt --costs bench1.json --costs bench2.json --costs index2.json
    """
    output, data = given.output, given.output.with_suffix(".json")
    options.check_one_stdin(given.qrels, *given.runs)
    files = [options.name_and_file(one)[1] for one in (*given.runs, *given.costs)]
    for written in (output, data) if given.as_json else (output,):
        texts = (given.texts.queries, given.texts.documents)
        options.check_output(written, given.qrels, *files, *texts)
    return _report(given).write(output, data=data if given.as_json else None)


def _report(given: ReportOptions) -> Report:
    costs = read_measured_costs(given.costs)
    if not given.runs and not costs.runs:
        raise click.UsageError("there is no run to report on: RUNS..., or --costs with one in it")
    written = options.opened(given.runs)
    # The answers of a load test stand in for a run that was not written.
    opened: dict[str, Any] = {**costs.runs, **written}

    from cleverdon._common.progress_bar import bar
    from cleverdon.charts.vega import bundling_in_background

    with bundling_in_background(), bar("comparing and drawing") as update:
        from cleverdon.formats.inputs import is_address
        from cleverdon.reports.content import Finding, check_files, shown_documents
        from cleverdon.reports.html_report import report

        scores = options.evaluated(
            given.qrels,
            opened,
            given.measures,
            keep=given.depth,
            bounds=given.bounds,
            warn=False,
            **given.evaluation,
        )
        costs.check_asked(scores, written)
        typed = options.as_typed(given.qrels) is not None
        paths = {name: getattr(run, "path", "-") for name, run in written.items()}
        files = [options.name_and_file(run)[1] for run in given.runs]
        in_files = not typed and not any(map(is_address, (given.qrels, *files)))
        findings = (
            check_files(given.qrels, files, qrels_format=given.qrels_format, progress=update)
            if given.check and in_files
            else []
        )
        findings += [Finding(paths[name], "warning", text) for name, text in costs.otherwise(paths)]
        compared, doubting = _compare(scores, opened, given)
        return report(
            compared,
            baseline=given.baseline_name,
            title=given.title,
            queries=given.texts.of_queries(scores.queries),
            documents=given.texts.of_documents(lambda: shown_documents(scores)),
            doubting=doubting,
            findings=findings,
            costs=costs.costs,
        )


def _compare(
    scores: Scores, opened: dict[str, Any], given: ReportOptions
) -> tuple[Scores | Comparison, dict[str, Any] | None]:
    """Compare all systems, where there are several; return also the options of doubts."""
    from cleverdon.comparison.differences import compare

    numbers = [measure for measure in scores.measures if not measure.text]
    if len(scores.systems) < 2 or not numbers:
        return scores, None
    # Every pair at once, since a reader may pick another baseline; a one-sided test is of the
    # named one.
    every = given.alternative == "two-sided"
    of = {**given.comparing, **({"baseline": None} if every else {})}
    compared = compare(scores, measures=numbers, **of)
    ordered = evaluate_tied(
        given.qrels,
        scores,
        lambda ties: options.evaluated(
            given.qrels, opened, given.measures, warn=False, **{**given.evaluation, "ties": ties}
        ),
    )
    return compared, {"tied": ordered, **given.doubting}
