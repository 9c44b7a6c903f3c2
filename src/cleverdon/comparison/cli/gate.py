"""The command gate: a run against rules and a baseline, for continuous integration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.cost_options import costs_files
from cleverdon.cli.declarations import argument, command, excludes, flag, no_stdin, option
from cleverdon.errors import CleverdonError

if TYPE_CHECKING:
    from cleverdon.comparison.gates import GateResult


class CannotTell(click.ClickException):
    """No rule was judged: exit code 2, since 1 means that a rule is broken."""

    exit_code = 2


_NOT_RECORDED = "it is not recorded in results files; compare with a run"


class GateOptions(options.SettingsOptions):
    """The options of `cleverdon gate`."""

    qrels: str = argument(options.QRELS)
    run: str = argument(options.RUN)
    rules: tuple[str, ...] = option(
        "RULE",
        "A rule that the run must keep; repeat for more.",
        flags="--rule",
        multiple=True,
        required=True,
    )
    baseline: str | None = option(
        options.RUN,
        "What it would replace: a run, or a file of --json. One that gate wrote before.",
    )
    costs: tuple[str, ...] = costs_files(
        "What the run's engine costs. A file that 'bench --json' or 'index --json' wrote"
    )
    baseline_costs: tuple[str, ...] = costs_files(
        "The same of the baseline's engine, where it is in no results file"
    )
    json_file: str | None = option(
        click.Path(dir_okay=False),
        "Write a results file, which can be the next --baseline.",
        flags="--json",
        metavar="FILE",
    )
    junit_file: str | None = option(
        click.Path(dir_okay=False),
        "Write a JUnit report, with a test case for each rule.",
        flags="--junit",
        metavar="FILE",
    )
    worst: int = option(
        options.Count(min=0),
        "For each measure, show the N queries that lost most.",
        metavar="N",
        default=5,
    )
    allow_different_qrels: bool = flag(
        "Compare even where the baseline was made with other judgments."
    )
    allow_different_queries: bool = flag(
        "Compare on common queries, where run and baseline have others.",
        flags="--allow-different-queries",
    )
    correction: str = option(
        "NAME",
        "How the p-values of several 'not significantly worse' are corrected; none: not at all.",
        default="holm",
    )
    level: float = options.level("Up to which p-value a difference is called significant.")
    seed: int = options.seed("p-values")
    format_: str = options.formats("How to print.", ("table", "markdown", "json"))


@command(GateOptions)
@excludes("--json", "--second", "--weights", because=_NOT_RECORDED)
@no_stdin("--baseline")
def gate_command(given: GateOptions) -> tuple[GateResult, int]:
    """Check RUN against rules and a baseline; fail if a rule is broken.

    For continuous integration. The exit code is 0 where every rule holds, 1 where one is broken,
    and 2 where that cannot be told: a wrong rule, a missing file, a baseline that does not fit.

    \b
    Rules:
      MEASURE >= NUMBER                            also >, <=, < and ==
      MEASURE >= baseline - NUMBER                 or + NUMBER; NUMBER% is of the baseline's value
      MEASURE not significantly worse              no evidence of being worse than the baseline
      MEASURE not significantly worse by NUMBER    evidence of not being worse by that
      MEASURE not significantly worse by NUMBER with COUNT differing queries
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
    baseline, json_file = given.baseline, given.json_file
    options.check_one_stdin(given.qrels, given.run)
    if baseline and json_file and os.path.realpath(baseline) == os.path.realpath(json_file):
        raise click.UsageError("--json would overwrite the --baseline, even if RUN fails")
    for written in filter(None, (json_file, given.junit_file)):
        options.check_output(Path(written))
    of_baseline = ("worst", "allow_different_qrels", "allow_different_queries")
    options.check_of_use(baseline, (*of_baseline, "correction", "level", "seed"), "--baseline")

    from cleverdon.comparison.results import write_results, write_text

    try:
        verdict = _judged(given)
        if json_file is not None:
            record = verdict.to_dict()
            write_results(json_file, verdict.scores, costs=verdict.costs, gate=record)
        if given.junit_file is not None:
            write_text(given.junit_file, verdict.to_junit())
    except CleverdonError as error:
        raise CannotTell(str(error)) from None
    for note in verdict.notes:
        click.echo(f"cleverdon: warning: {note}", err=True)
    return verdict, int(not verdict.passed)


def _read_rules(given: GateOptions) -> list[Any]:
    from cleverdon.comparison.rules import parse_rule
    from cleverdon.profiles import find_profile

    tool = find_profile(given.profile)
    return [parse_rule(rule, measure=tool.parse_one) for rule in given.rules]


def measures_of_rules(given: GateOptions) -> list[str]:
    """Return the measures that the rules name, for `--python`."""
    from cleverdon.comparison.rules import CostLimit

    rules = [rule for rule in _read_rules(given) if not isinstance(rule, CostLimit)]
    return list(dict.fromkeys(str(rule.measure) for rule in rules))


def _judged(given: GateOptions) -> GateResult:
    from cleverdon._common.progress_bar import bar
    from cleverdon.cli.cost_options import read_costs_of_one
    from cleverdon.comparison.gates import BASELINE, RUN, gate, no_query_differs
    from cleverdon.comparison.results import read_result_costs, read_results
    from cleverdon.comparison.rules import CostLimit

    read = _read_rules(given)
    of_measures = [rule for rule in read if not isinstance(rule, CostLimit)]
    baseline = given.baseline
    for rule in of_measures:  # before anything takes long
        if rule.needs_baseline and baseline is None:
            raise click.UsageError(f"rule {rule.text!r} needs a --baseline")
    ours = read_costs_of_one(given.costs, "--costs")
    theirs = read_costs_of_one(given.baseline_costs, "--baseline-costs")
    before = None if baseline is None or options.as_typed(baseline) else read_results(baseline)
    if theirs is None and baseline is not None and before is not None:
        theirs = read_result_costs(baseline)
    for name in ("second", "weights"):
        if before is not None and given.evaluation[name] is not None:
            raise click.UsageError(
                f"--{name} and a results file do not go together: {_NOT_RECORDED}"
            )
    opened = {RUN: options.opened_run(given.run)}
    if baseline is not None and before is None:
        opened[BASELINE] = options.opened_run(baseline)
    measures = tuple(dict.fromkeys(rule.measure for rule in of_measures))
    scores = options.evaluated(given.qrels, opened, measures, **given.evaluation)
    if BASELINE in opened and no_query_differs(scores):
        # The same rankings keep every rule of not being worse; to know them takes all results.
        depth = max(run.deepest for run in scores.about.runs.values())
        scores = options.evaluated(
            given.qrels, opened, measures, keep=depth, warn=False, **given.evaluation
        )
    other = BASELINE if BASELINE in opened else before
    with bar("comparing"):
        return gate(
            scores,
            read,
            system=RUN,
            baseline=other,
            costs=ours,
            baseline_costs=theirs,
            correction=given.correction,
            level=given.level,
            worst=given.worst,
            seed=given.seed,
            allow_different_qrels=given.allow_different_qrels,
            allow_different_queries=given.allow_different_queries,
        )
