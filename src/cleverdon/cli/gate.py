"""cleverdon gate: may a run replace the baseline?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.cost_options import costs_given
from cleverdon.errors import CleverdonError

if TYPE_CHECKING:
    from cleverdon.compare.gate import Verdict


class CannotTell(click.ClickException):
    """No rule was judged; that one is broken is the only thing that 1 stands for."""

    exit_code = 2


@click.command()
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("run", type=click.Path(allow_dash=True))
@click.option(
    "--rule",
    "rules",
    multiple=True,
    required=True,
    metavar="RULE",
    help="What the run must keep; again for more.",
)
@click.option(
    "--baseline",
    type=click.Path(),
    metavar="FILE",
    help="What the run is to replace: a run, or a results file that --json wrote before.",
)
@costs_given("--costs", "What the run's engine costs: what 'bench --json' or 'index --json' wrote")
@costs_given(
    "--baseline-costs", "The same of the baseline's engine, where it is in no results file"
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a results file, which can be the next --baseline.",
)
@click.option(
    "--junit",
    "junit_file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write a JUnit report, with a test case for each rule.",
)
@click.option(
    "--worst",
    type=options.Count(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="For each measure, show the N queries that lost most.",
)
@click.option(
    "--allow-different-qrels",
    is_flag=True,
    help="Compare even where the baseline was made with other judgments.",
)
@click.option(
    "--allow-different-topics",
    is_flag=True,
    help="Compare even where run and baseline have different topics: on those that both have.",
)
@click.option(
    "--correction",
    default="holm",
    show_default=True,
    metavar="NAME",
    help="How the p-values of several 'not significantly worse' are corrected; none: not at all.",
)
@options.level("Up to which p-value a difference is called significant.")
@options.seed("p-values")
@options.formats("How to print.", ("table", "markdown", "json"))
@options.settings
@options.judgments
def command(
    qrels: str,
    run: str,
    rules: tuple[str, ...],
    baseline: str | None,
    costs: tuple[str, ...],
    baseline_costs: tuple[str, ...],
    json_file: str | None,
    junit_file: str | None,
    worst: int,
    allow_different_qrels: bool,
    allow_different_topics: bool,
    correction: str,
    level: float,
    seed: int,
    format_: str,
    **how: Any,
) -> None:
    """Hold RUN against rules, and against a baseline; fail where a rule is broken.

    For continuous integration. The exit code is 0 where every rule holds, 1 where one is broken,
    and 2 where that cannot be told: a wrong rule, a missing file, a baseline that does not fit.

    \b
    Rules:
      MEASURE >= NUMBER                            also >, <=, < and ==
      MEASURE >= baseline - NUMBER                 or + NUMBER; NUMBER% is of the baseline's value
      MEASURE not significantly worse              no evidence of being worse than the baseline
      MEASURE not significantly worse by NUMBER    evidence of not being worse by that
      no query loses more than NUMBER on MEASURE
      COST <= NUMBER UNIT                          p99 <= 50 ms, index size <= 200 MB,
      COST <= baseline + NUMBER%                   throughput >= 400/s, errors <= 0.1%

    Costs come from the files of --costs. Of a bench: p50, p90, p95, p99, p99.9, p99.99, throughput,
    errors and knee; of indexing: index time, cpu, memory, overhead, size and ratio. What was not
    measured, or not validly, cannot be judged: the exit code is 2.

    \b
    Examples:
      cleverdon gate qrels.txt new.run --baseline old.run --rule 'nDCG@10 >= baseline - 0.01'
      cleverdon gate qrels.txt new.run --rule 'nDCG@10 >= 0.3' --json results.json
      cleverdon gate qrels.txt new.run --baseline results.json --junit gate.xml \\
          --rule 'R@100 not significantly worse' --rule 'no query loses more than 0.5 on RR'
      cleverdon gate qrels.txt new.run --costs bench.json --costs index.json \\
          --rule 'p99 <= 50 ms' --rule 'index size <= 200 MB' --rule 'nDCG@10 >= 0.3'
    """
    options.check_one_stdin(qrels, run)
    if baseline == "-":
        raise click.UsageError("the --baseline cannot be standard input")
    if None not in (baseline, json_file) and _same_file(str(baseline), str(json_file)):
        raise click.UsageError("--json would put RUN in the place of the --baseline, good or not")
    for written in filter(None, (json_file, junit_file)):
        options.check_output(Path(written))
    if json_file is not None:
        _check_recorded(how)
    of_baseline = ("worst", "allow_different_qrels", "allow_different_topics")
    options.check_of_use(baseline, (*of_baseline, "correction", "level", "seed"), "--baseline")
    try:
        verdict = _judged(
            qrels,
            run,
            rules,
            baseline,
            how,
            costs=costs,
            baseline_costs=baseline_costs,
            correction=correction,
            level=level,
            worst=worst,
            seed=seed,
            allow_different_qrels=allow_different_qrels,
            allow_different_topics=allow_different_topics,
        )
        _written(verdict, json_file, junit_file)
    except CleverdonError as error:
        raise CannotTell(str(error)) from None

    from cleverdon.show.gate import render

    for note in verdict.notes:
        click.echo(f"cleverdon: warning: {note}", err=True)
    click.echo(render(verdict, format_))
    if not verdict.passed:
        raise click.exceptions.Exit(1)


def _check_recorded(how: dict[str, Any]) -> None:
    """Refuse what changes values and is not in results files: they would be taken for others."""
    for name in ("second", "weights"):
        if how[name] is not None:
            raise click.UsageError(
                f"--{name} is not recorded in results files; compare with a run, without --json"
            )


def _same_file(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _judged(
    qrels: str,
    run: str,
    rules: tuple[str, ...],
    baseline: str | None,
    how: dict[str, Any],
    *,
    costs: tuple[str, ...],
    baseline_costs: tuple[str, ...],
    **judging: Any,
) -> Verdict:
    from cleverdon.cli.cost_options import costs_of_one
    from cleverdon.cli.progress import bar
    from cleverdon.compare.cost_rules import CostLimit
    from cleverdon.compare.gate import BASELINE, RUN, gate
    from cleverdon.compare.results import read_result_costs, read_results
    from cleverdon.compare.rules import parse_rule
    from cleverdon.profiles import profile
    from cleverdon.read import open_source

    tool = profile(how["profile"])
    read = [parse_rule(rule, measure=lambda text: tool.parse(text)[0]) for rule in rules]
    of_measures = [rule for rule in read if not isinstance(rule, CostLimit)]
    if baseline is None:
        for rule in of_measures:
            if rule.needs_baseline:
                raise click.UsageError(f"rule {rule.text!r} needs a --baseline")
    ours = costs_of_one(costs, "--costs")
    theirs = costs_of_one(baseline_costs, "--baseline-costs")
    before = None if baseline is None else read_results(baseline)
    if theirs is None and baseline is not None and before is not None:
        theirs = read_result_costs(baseline)
    if before is not None:
        _check_recorded(how)
    opened = {RUN: open_source(run)}
    if baseline is not None and before is None:
        opened[BASELINE] = open_source(baseline)
    measures = tuple(dict.fromkeys(rule.measure for rule in of_measures))
    scores = options.evaluated(qrels, opened, measures, **how)
    other = BASELINE if BASELINE in opened else before
    with bar("comparing"):
        return gate(
            scores,
            read,
            system=RUN,
            baseline=other,
            costs=ours,
            baseline_costs=theirs,
            **judging,
        )


def _written(verdict: Verdict, json_file: str | None, junit_file: str | None) -> None:
    from cleverdon.compare.results import write_results, write_text
    from cleverdon.show.gate import as_json, junit

    if json_file is not None:
        write_results(json_file, verdict.scores, costs=verdict.costs, gate=as_json(verdict))
    if junit_file is not None:
        write_text(junit_file, junit(verdict))
