"""cleverdon report: one HTML file that says it all, and that can be sent around."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from cleverdon.cli import options
from cleverdon.cli.cost_options import costs_given, measured
from cleverdon.cli.doubting import doubting, tied
from cleverdon.cli.texts import TextFiles, texts

if TYPE_CHECKING:
    from cleverdon.show.report import Finding

_FINDINGS = 3
"""How many findings of a kind are listed for a file."""


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", nargs=-1, type=click.Path(allow_dash=True))
@options.page("report.html", title="Search evaluation")
@options.measures
@options.comparison
@doubting
@texts
@costs_given(
    "--costs",
    "Show what systems cost beside their quality: what 'bench --json' or 'index --json' wrote. The "
    "run within a bench is evaluated where none of RUNS has its system's name; NAME=FILE gives "
    "another",
)
@click.option(
    "--depth",
    type=options.COUNT,
    default=20,
    show_default=True,
    help="How many results of each topic can be looked at, judged or not.",
)
@click.option(
    "--bounds",
    is_flag=True,
    help="Draw, too, the lowest and highest that averages could be, whatever the order of tied "
    "results and the grades of unjudged ones.",
)
@click.option(
    "--check/--no-check", default=True, help="Look for what is wrong with the files.  [default: do]"
)
@options.settings
@options.judgments
def command(
    qrels: str,
    runs: tuple[str, ...],
    output: Path,
    as_json: bool,
    title: str,
    measures: tuple[str, ...],
    comparing: dict[str, Any],
    doubting: dict[str, Any],
    texts: TextFiles,
    costs: tuple[str, ...],
    depth: int,
    bounds: bool,
    check: bool,
    **how: Any,
) -> None:
    """Write a report of RUNS: claims, tables, plots, each topic's rankings, and the method.

    It is one file that needs no network, and whose reader can pick measure, baseline and topics.

    \b
    Examples:
      cleverdon report qrels.txt bm25.run dense.run --baseline bm25
      cleverdon report qrels.txt *.run -m nDCG@10 -m AP -o results.html --json
      cleverdon report qrels.txt *.run --queries topics.tsv --documents collection.jsonl
      cleverdon report qrels.txt --costs bench1.json --costs bench2.json --costs index2.json
    """
    options.check_one_stdin(qrels, *runs)
    if output.suffix not in (".html", ".htm"):
        raise click.UsageError(f"a report is a page: {output.with_suffix('.html')}, not {output}")
    for written in (output, *([output.with_suffix(".json")] if as_json else [])):
        files = [options.name_and_file(given)[1] for given in (*runs, *costs)]
        options.check_output(written, qrels, *files, texts.queries, texts.documents)
    found = measured(costs)
    if not runs and not found.runs:
        raise click.UsageError("there is no run to report on: RUNS..., or --costs with one in it")
    written_runs = options.opened(runs)
    # What was answered while it was timed stands in for a run that was not written.
    opened: dict[str, Any] = {**found.runs, **written_runs}

    from cleverdon.cli.progress import bar
    from cleverdon.show.page.vega import begun

    with begun(), bar("comparing and drawing"):
        from cleverdon.compare import compare, doubts
        from cleverdon.show.report import Finding, report, shown_documents

        scores = options.evaluated(
            qrels, opened, measures, keep=depth, bounds=bounds, warn=False, **how
        )
        found.check_asked(scores, written_runs)
        paths = {name: source.path for name, source in written_runs.items()}
        findings = _findings(qrels, runs, how["qrels_format"]) if check else []
        findings += [Finding(paths[name], "warning", text) for name, text in found.otherwise(paths)]
        queries = texts.of_queries(scores.queries)
        documents = texts.of_documents(lambda: shown_documents(scores))
        given: Any = scores
        raised = None
        numbers = [measure for measure in scores.measures if not measure.text]
        baseline = comparing["baseline"]
        if len(scores.systems) > 1 and numbers:
            # Every pair at once, since a reader may pick another baseline; a one-sided test
            # is of the one that is named.
            every = comparing["alternative"] == "two-sided"
            of = comparing | ({"baseline": None} if every else {})
            given = compare(scores, measures=numbers, **of)
            first = given.against(baseline) if every and baseline else given
            ordered = tied(scores, qrels, opened, measures, how)
            raised = doubts(first, tied=ordered, **doubting)
        made = report(
            given,
            baseline=baseline,
            title=title,
            queries=queries,
            documents=documents,
            doubts=raised,
            findings=findings,
            costs=found.costs,
        )
        made.save(output)
        if as_json:
            made.save_json(output.with_suffix(".json"))
    click.echo(f"{output} is written: {output.stat().st_size / 1e6:.1f} MB; open it in a browser")
    if as_json:
        click.echo(f"{output.with_suffix('.json')} has the data")


def _findings(qrels: str, runs: tuple[str, ...], qrels_format: str | None) -> list[Finding]:
    """What the linter says of the files; standard input has been read already."""
    from cleverdon.check import check
    from cleverdon.cli.progress import bar
    from cleverdon.data import Judgments
    from cleverdon.errors import InputError
    from cleverdon.show.report import Finding

    found = []
    judgments = None
    files: dict[str, Literal["run", "qrels"]] = {qrels: "qrels"}
    files |= {options.name_and_file(run)[1]: "run" for run in runs}
    for file, kind in files.items():
        if file == "-":
            continue
        with bar(f"checking {file}") as update:
            try:
                said = check(file, kind=kind, qrels=judgments, limit=_FINDINGS, progress=update)
            except InputError:
                continue  # formats that are read but not checked
        for one in said.findings:
            place = ":".join(str(part) for part in (one.line, one.column) if part)
            where = f"{file}:{place}" if place else file
            found.append(Finding(where, one.severity, one.message, one.fix))
        for name, count in said.hidden.items():
            found.append(Finding(file, "note", f"{count:,} more: {name}"))
        if file == qrels:
            judgments = Judgments.read(qrels, format=qrels_format)
    return found
