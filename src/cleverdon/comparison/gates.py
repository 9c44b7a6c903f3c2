"""The gate: rules that a run must keep, compared with the baseline that it is to replace.

For continuous integration: a change of a search engine passes when every rule holds. `rules` has
their language. The baseline is a run, or a results file (`results`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any
from xml.etree import ElementTree

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.digests import UNKNOWN, same_file
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.comparison.differences import LEVEL, compare
from cleverdon.comparison.doubts import Doubt
from cleverdon.comparison.doubts_of_tests import FewDiffering, few_differ, few_differing_text
from cleverdon.comparison.rules import (
    SAME,
    CostLimit,
    CostRuleResult,
    LossLimit,
    MeasureRule,
    NotWorse,
    Rule,
    RuleResult,
    Threshold,
    parse_rule,
)
from cleverdon.comparison.samples import Sample, check_single_runs, part_of, samples
from cleverdon.costs import QUANTITIES, Cost, Costs, as_costs, cost_label
from cleverdon.errors import OptionError, check_within, check_word
from cleverdon.measures.base import Measure
from cleverdon.profiles import find_profile
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores
from cleverdon.stats.multiple_comparisons import CORRECTIONS, FAMILYWISE, correct_p_values
from cleverdon.stats.tests import margin_test, p_values
from cleverdon.tables.numbers import format_range
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable


def _join_scores(ours: Scores, theirs: Scores, *, names: tuple[str, str]) -> Scores:
    """Join two systems' scores, by the measures of the first and the queries of both."""
    queries = list(dict.fromkeys([*ours.queries, *theirs.queries]))
    place = {query: at for at, query in enumerate(queries)}
    values = np.full((2, len(ours.measures), len(queries)), np.nan)
    evaluated = np.zeros((2, len(queries)), dtype=bool)
    for row, scores in enumerate((ours, theirs)):
        at = [place[query] for query in scores.queries]
        columns = [scores.index_of(scores.systems[0], measure)[1] for measure in ours.measures]
        values[row][:, at] = scores.values[0][columns]
        evaluated[row, at] = scores.evaluated[0]
    runs = zip(names, (ours, theirs), strict=True)
    about = ours.about.replace(
        queries=len(queries),
        runs={name: scores.about.runs[scores.systems[0]] for name, scores in runs},
    )
    return Scores(names, ours.measures, queries, values, evaluated, about)


@dataclass(frozen=True)
class Regression:
    """A query on which the run is worse than the baseline."""

    query: str
    measure: Measure
    value: float
    baseline: float
    loss: float  # above 0, whichever way the measure goes


def _baseline_record(scores: Scores | None) -> dict[str, str] | None:
    if scores is None:
        return None
    about = scores.about
    run = about.runs[scores.systems[0]]
    digests = {"digest": run.digest, "qrels_digest": about.qrels_digest}
    return {"source": run.source, **digests, "version": about.version}


@dataclass(frozen=True, eq=False, kw_only=True)
class GateResult(Result):
    """The verdict of a gate: the result of each rule, and the queries that lost most.

    Attributes:
        queries: The number of queries that both were compared on.
        level: The level of significance.
        correction: The correction of p-values.
        family: The number of tests of being worse that p-values are corrected for.
        rulings: The result of each rule.
        worst: The queries that lost most, by each measure.
        baseline: The scores of the baseline.
        notes: Warnings.
        scores: The scores of the run.
        costs: The costs of the run.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"a": 1}}, {"run": {"q1": {"a": 1.0}}}, "RR")
    >>> gate(scores, "RR >= 0.5").passed
    True
    """

    queries: int
    level: float
    correction: str
    family: int
    rulings: tuple[RuleResult | CostRuleResult, ...] = field(metadata=in_json("rules"))
    worst: tuple[Regression, ...]
    baseline: Scores | None = field(metadata=in_json("baseline", _baseline_record))
    notes: tuple[str, ...]
    scores: Scores = field(metadata=in_json(None))
    costs: Costs | None = field(default=None, metadata=in_json(None))

    @property
    def passed(self) -> bool:
        return all(ruling.passed for ruling in self.rulings)

    @property
    def qualified(self) -> tuple[str, ...]:
        """The names of serious doubts about the results of rules."""
        of_measures = [one for one in self.rulings if isinstance(one, RuleResult)]
        return tuple(dict.fromkeys(name for one in of_measures for name in one.qualified))

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the rules with what was found, then the queries that lost most."""
        return [
            Section("rules", self._rules(), titled=False),
            Section("worst queries", self._worst_queries(exact=exact), titled=False),
        ]

    def closing(self) -> str:
        """Return the verdict in a line."""
        failed = sum(not ruling.passed for ruling in self.rulings)
        rules = counted(len(self.rulings), "rule")
        over = f"over {counted(self.queries, 'query')}"
        if self.qualified:
            over += f"; qualified by {' and '.join(self.qualified)}"
        if failed:
            return f"FAILED: {failed} of {rules} broken, {over}"
        return f"PASSED: {rules} kept, {over}"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        verdict = {"passed": self.passed, "qualified": list(self.qualified)}
        return verdict | super().to_dict()

    def to_junit(self) -> str:
        """Return a JUnit report with a test case for each rule."""
        name = "cleverdon gate"
        failures = sum(not ruling.passed for ruling in self.rulings)
        # Judging takes no time to speak of, but readers of such reports want to be told.
        counts = {"tests": str(len(self.rulings)), "failures": str(failures)}
        counts |= {"errors": "0", "time": "0"}
        root = ElementTree.Element("testsuites", {"name": name, **counts})
        suite = ElementTree.SubElement(root, "testsuite", {"name": name, "skipped": "0", **counts})
        properties = ElementTree.SubElement(suite, "properties")
        for key, value in self._facts().items():
            ElementTree.SubElement(properties, "property", name=key, value=_for_xml(value))
        for ruling in self.rulings:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                name=_for_xml(ruling.rule.text),
                classname=f"cleverdon.gate.{ruling.subject}",
                time="0",
            )
            if not ruling.passed:
                message = _for_xml(ruling.sentence())
                failure = ElementTree.SubElement(case, "failure", message=message, type="rule")
                failure.text = _for_xml("\n".join([ruling.sentence(), *self._losses(ruling)]))
        if self.notes:
            ElementTree.SubElement(suite, "system-out").text = _for_xml("\n".join(self.notes))
        ElementTree.indent(root)
        text = ElementTree.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'

    def _rules(self) -> TextTable:
        rows = [
            [printable(one.rule.text), *one.cells(), "pass" if one.passed else "FAIL"]
            for one in self.rulings
        ]
        notes = []
        if any(isinstance(one.rule, NotWorse) for one in self.rulings):
            text = "p of one-sided randomisation tests over queries"
            if self.family > 1:
                text += f"; of being worse, corrected for {self.family} tests ({self.correction})"
            notes.append(text)
        header = ["rule", "baseline", "run", "found", "limit", "verdict"]
        return TextTable(header, rows, 1, [], notes)

    def _worst_queries(self, *, exact: bool) -> TextTable:
        rows = []
        for one in self.worst:
            values = (one.baseline, one.value, one.loss)
            cells = [str(value) if exact else format_score(one.measure, value) for value in values]
            rows.append([str(one.measure), printable(one.query), *cells])
        return TextTable(["measure", "worst queries", "baseline", "run", "loss"], rows, 2, [])

    def _facts(self) -> dict[str, str]:
        about = self.scores.about
        run = about.runs[self.scores.systems[0]]
        facts = {
            "cleverdon": about.version,
            "qrels": about.qrels,
            "qrels_digest": about.qrels_digest,
            "run": run.source,
            "run_digest": run.digest,
            "queries": str(self.queries),
        }
        if self.baseline is not None:
            before = self.baseline.about.runs[self.baseline.systems[0]]
            facts |= {"baseline": before.source, "baseline_digest": before.digest}
        return facts

    def _losses(self, ruling: RuleResult | CostRuleResult) -> list[str]:
        """Return a line for each of the queries that lost most by the rule's measure."""
        if isinstance(ruling, CostRuleResult):
            return []
        return [
            f"{printable(lost.query)}: {format_score(lost.measure, lost.baseline)} to "
            f"{format_score(lost.measure, lost.value)}"
            for lost in self.worst
            if lost.measure == ruling.rule.measure
        ]


_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _for_xml(text: str) -> str:
    """Escape characters that XML cannot hold."""
    return _NOT_IN_XML.sub(lambda match: repr(match[0])[1:-1], text)


def _check_comparable(
    ours: Scores, theirs: Scores, measures: tuple[Measure, ...], *, qrels: bool
) -> list[str]:
    """Refuse a baseline whose numbers mean something else; return warnings."""
    if len(theirs.systems) != 1:
        raise OptionError(f"a baseline is one system, and there are {len(theirs.systems)}")
    missing = [str(measure) for measure in measures if measure not in theirs.measures]
    if missing:
        held = ", ".join(str(measure) for measure in theirs.measures)
        raise OptionError(
            f"the baseline has no values of {', '.join(missing)}, only of {held}; make it again"
        )
    here, there = ours.about, theirs.about
    if (here.profile, here.docs) != (there.profile, there.docs):
        raise OptionError(
            f"the baseline was made with profile={there.profile} docs={there.docs}, now "
            f"profile={here.profile} docs={here.docs}; make it again"
        )
    were, are = asdict(there.settings), asdict(here.settings)
    changed = [f"{name}={were[name]}, now {are[name]}" for name in are if are[name] != were[name]]
    if changed:
        raise OptionError(
            f"the baseline was made with other settings ({'; '.join(changed)}); make it again"
        )
    notes = []
    digests = {here.qrels_digest, there.qrels_digest}
    if len(digests) > 1 or UNKNOWN in digests:
        hashes = f"{there.qrels_digest[:12] or 'none'}, now {here.qrels_digest[:12] or 'none'}"
        if not qrels:
            raise OptionError(
                f"the baseline was made with other judgments (hash {hashes}); make it again, or "
                "say --allow-different-qrels (allow_different_qrels=True)"
            )
        notes.append(f"the baseline was made with other judgments (hash {hashes})")
    if here.version != there.version:
        notes.append(f"the baseline was made by version {there.version}, now {here.version}")
    return notes


def _check_same_queries(both: Scores, *, allowed: bool) -> list[str]:
    """Refuse queries that are not the same, or return a warning."""
    mine, theirs = both.evaluated
    if np.array_equal(mine, theirs):
        return []
    parts = []
    for name, only in (("run", mine & ~theirs), ("baseline", theirs & ~mine)):
        listed = [both.queries[q] for q in np.flatnonzero(only)]
        if listed:
            shown = ", ".join(listed[:3]) + (", ..." if len(listed) > 3 else "")
            parts.append(f"{len(listed)} only of the {name} ({shown})")
    found = f"run and baseline were evaluated on different queries: {'; '.join(parts)}"
    shared = f"the {int((mine & theirs).sum())} that both have"
    if not allowed:
        raise OptionError(
            f"{found}; --allow-different-queries (allow_different_queries=True) "
            f"compares on {shared}"
        )
    return [f"{found}; compared on {shared}"]


def _check_cost_rule(
    rule: CostLimit, costs: Costs | None, baseline: Costs | None
) -> CostRuleResult:
    """Check a rule on a cost; refuse one whose cost was not measured, or not validly."""
    cost = _measured_cost(rule, costs, "--costs (costs=)")
    before = None
    if rule.of_baseline:
        given_by = "--baseline-costs (baseline_costs=)"
        before = _measured_cost(rule, baseline, given_by, of="baseline's ")
    elif baseline is not None:
        before = baseline.by_name.get(rule.cost)
    limit = rule.limit(0.0 if before is None else before.value)
    return CostRuleResult(rule, rule.holds(cost.value, limit), cost, limit, before)


def _cost_notes(ruling: CostRuleResult) -> list[str]:
    """Return warnings about a rule on a cost."""
    rule, notes = ruling.rule, []
    better = QUANTITIES[rule.cost].better
    if rule.asks_for_worse(better):
        notes.append(
            f"rule {rule.text!r} asks for worse values: {better} {cost_label(rule.cost)} is better"
        )
    if ruling.could_be_otherwise:
        unit = QUANTITIES[rule.cost].unit
        measured, limits = format_range(*ruling.cost.ends, unit), format_range(*ruling.limits, unit)
        notes.append(
            f"rule {rule.text!r}: the limit ({limits}) and what was measured ({measured}) are no "
            "further apart than their intervals: another measurement could be judged otherwise"
            if ruling.limits[0] < ruling.limits[1]
            else f"rule {rule.text!r}: the limit lies within the interval of what was measured "
            f"({measured}): another measurement could be judged otherwise"
        )
    return notes


def _measured_cost(rule: CostLimit, costs: Costs | None, given_by: str, of: str = "") -> Cost:
    """Return the cost that the rule is about."""
    name = cost_label(rule.cost)
    command = "index" if rule.cost.startswith("index_") else "bench"
    if costs is None or rule.cost not in costs.by_name:
        known = "" if costs is None else f"; there are {', '.join(map(cost_label, costs.by_name))}"
        raise OptionError(
            f"rule {rule.text!r} needs the {of}{name}, which was not measured{known}: give what "
            f"'cleverdon {command} --json' wrote by {given_by}"
        )
    reasons = costs.why_not(rule.cost)
    if reasons:
        raise OptionError(
            f"rule {rule.text!r}: the measurement of the {of}{name} is not valid "
            f"({'; '.join(reasons)}); measure again with 'cleverdon {command}'"
        )
    return costs.by_name[rule.cost]


RUN, BASELINE = "run", "baseline"
_DOUBT_DRAWS = 10_000
"""The random draws of the test that the doubt about skewed differences looks at."""
_TOO_FEW = "with {} queries no p-value can be as low as {:g}"


@shows_progress("comparing")
def gate(
    scores: Scores,
    rules: str | Iterable[str | Rule],
    *,
    system: str | None = None,
    baseline: Scores | str | None = None,
    costs: Any = None,
    baseline_costs: Any = None,
    level: float = LEVEL,
    correction: str = "holm",
    worst: int = 5,
    seed: int = 0,
    allow_different_qrels: bool = False,
    allow_different_queries: bool = False,
    progress: Progress | bool | None = None,
) -> GateResult:
    """Check a run against rules and a baseline.

    A baseline with other settings is refused. One with other judgments or queries is refused unless
    that is allowed; then only the queries that both have count.

    Args:
        scores: Scores of the run, and maybe of the baseline.
        rules: One rule or several; `cleverdon.comparison.rules` has their language.
        system: The system to check, where `scores` hold several.
        baseline: Another system of `scores`, or scores of its own, as `read_results` returns them.
        costs: What the run's engine costs: the file of a bench or of indexing, or several files.
        baseline_costs: The same of the baseline's engine.
        level: The level of significance.
        correction: "holm", "bonferroni", "benjamini-hochberg" or "none", for several rules
            "not significantly worse".
        worst: How many of the queries that lost most to list for each measure.
        seed: The seed of random draws.
        allow_different_qrels: Accept a baseline that was made with other judgments.
        allow_different_queries: Accept a baseline that was evaluated on other queries.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The result of each rule, and whether all hold.

    Raises:
        OptionError: A rule cannot be read or checked, or the baseline does not fit.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> old = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> new = old | {"q5": {"a": 1.0, "b": 2.0}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> rules = ["RR >= baseline - 10%", "RR not significantly worse"]
    >>> verdict = gate(scores, rules, system="new", baseline="old")
    >>> [(ruling.passed, round(ruling.value, 4)) for ruling in verdict.rulings]
    [(True, 0.9167), (True, 0.5)]
    """
    progress = as_callback(progress)
    progress("comparing")
    costs, baseline_costs = as_costs(costs), as_costs(baseline_costs)
    check_within("level", level, 0, 1)
    check_word("correction", correction, CORRECTIONS)
    theirs = part_of(scores, systems=[baseline]) if isinstance(baseline, str) else baseline
    ours = part_of(scores, systems=[_judged_system(scores, system, baseline)])
    read = [_parsed_rule(rule, ours) for rule in ([rules] if isinstance(rules, str) else rules)]
    if not read:
        raise OptionError("there is no rule to check the run against")
    read = list(dict.fromkeys(read))
    of_measures = [rule for rule in read if not isinstance(rule, CostLimit)]
    wanted = tuple(dict.fromkeys(rule.measure for rule in of_measures))
    for measure in wanted:
        ours.check_known(measure)
    notes = [note for rule in of_measures for note in _gate_notes(rule)]
    pairs: dict[Measure, Sample] = {}
    doubts: dict[Measure, list[Doubt]] = {}
    if theirs is None:
        for rule in of_measures:
            if rule.needs_baseline:
                raise OptionError(f"rule {rule.text!r} needs a baseline, and there is none")
    else:
        notes += _check_comparable(ours, theirs, wanted, qrels=allow_different_qrels)
        for rule in of_measures:
            if isinstance(rule, NotWorse):
                what, instead = f"rule {rule.text!r}", "compare(scores) does"
                for side in (ours, theirs):
                    check_single_runs(side, side.systems, what=what, instead=instead)
    if theirs is not None and wanted:
        both = _join_scores(part_of(ours, measures=wanted), theirs, names=(RUN, BASELINE))
        notes += _check_same_queries(both, allowed=allow_different_queries)
        pairs = {sample.measure: sample for sample in samples(both)}
    tests = _tests(of_measures, pairs, correction=correction, seed=seed)
    count = len(next(iter(pairs.values())).queries) if pairs else len(ours.queries)
    family = len({rule.measure for rule in of_measures if _in_family(rule)})
    identical = _same_file(ours, theirs) or _same_rankings(scores, ours.systems[0], baseline)
    if not identical:
        if pairs:
            compared = [rule.measure for rule in of_measures if rule.needs_baseline]
            doubts = _serious_doubts(both, list(dict.fromkeys(compared)), seed=seed)
        notes += _out_of_reach(tests, count, family if correction in FAMILYWISE else 1, level)
    rulings = tuple(
        _check_cost_rule(rule, costs, baseline_costs)
        if isinstance(rule, CostLimit)
        else _check_rule(rule, ours, pairs.get(rule.measure), tests, level, identical=identical)
        for rule in read
    )
    if not identical:
        rulings = tuple(_qualify(ruling, doubts, count) for ruling in rulings)
    for ruling in rulings:
        if isinstance(ruling, CostRuleResult):
            notes += _cost_notes(ruling)
        elif FewDiffering.name in ruling.qualified:
            text = few_differing_text(ruling.differing or 0, count, level=level)
            notes.append(f"rule {ruling.rule.text!r}: {text}")
    notes += [str(doubt) for doubt in dict.fromkeys(chain.from_iterable(doubts.values()))]
    if tests and identical:
        notes.append("run and baseline have the same rankings: nothing can be worse")
    return GateResult(
        queries=count,
        level=level,
        correction=correction,
        family=family,
        rulings=rulings,
        worst=tuple(lost for pair in pairs.values() for lost in _regressions(pair)[:worst]),
        baseline=theirs,
        notes=tuple(notes),
        scores=ours,
        costs=costs,
    )


def _judged_system(scores: Scores, system: str | None, baseline: object) -> str:
    if system is not None:
        return system
    others = [name for name in scores.systems if name != baseline]
    if len(others) != 1:
        raise OptionError(f"name the system to check: one of {', '.join(scores.systems)}")
    return others[0]


def _parsed_rule(rule: str | Rule, scores: Scores) -> Rule:
    """Parse a rule with the measure names of the profile, and check its measure."""
    tool = find_profile(scores.about.profile)
    read = parse_rule(rule, measure=tool.parse_one) if isinstance(rule, str) else rule
    if isinstance(read, CostLimit):
        return read
    measure = read.measure
    _, m = scores.index_of(scores.systems[0], measure)
    if measure.text:
        raise OptionError(f"rule {read.text!r}: {measure} gives texts, and no numbers")
    if isinstance(read, (NotWorse, LossLimit)) and measure.better == "neither":
        raise OptionError(
            f"rule {read.text!r}: neither more nor less of {measure} is better, so none is worse"
        )
    if isinstance(read, NotWorse) and measure.average == "geometric":
        raise OptionError(
            f"rule {read.text!r}: tests are of means, and {measure} is no mean; a threshold can do"
        )
    return replace(read, measure=scores.measures[m])


def _gate_notes(rule: MeasureRule) -> list[str]:
    # A threshold that a worse run keeps more easily is probably a slip.
    better = rule.measure.better
    if not isinstance(rule, Threshold) or not rule.asks_for_worse(better):
        return []
    return [f"rule {rule.text!r} asks for worse values: {better} {rule.measure} is better"]


def _out_of_reach(
    tests: dict[MeasureRule, float], queries: int, family: int, level: float
) -> list[str]:
    """Warn that there are too few queries for a rule to fail, or to pass."""
    notes = []
    lowest = 0.5**queries
    if any(_in_family(rule) for rule in tests) and family * lowest > level:
        notes.append(f"{_TOO_FEW.format(queries, level)}: 'not significantly worse' can never fail")
    if not all(_in_family(rule) for rule in tests) and lowest > level:
        notes.append(
            f"{_TOO_FEW.format(queries, level)}: 'not significantly worse by' never passes"
        )
    return notes


def _same_file(ours: Scores, theirs: Scores | None) -> bool:
    """Return whether run and baseline are the same file, with the same judgments."""
    if theirs is None or ours.about.qrels_digest != theirs.about.qrels_digest:
        return False
    one, other = (scores.about.runs[scores.systems[0]].digest for scores in (ours, theirs))
    return same_file(one, other)


def no_query_differs(scores: Scores) -> bool:
    """Return whether two systems have the same values on every query."""
    ours, theirs = scores.values
    return np.array_equal(ours, theirs, equal_nan=True)


def _same_rankings(scores: Scores, run: str, baseline: object) -> bool:
    """Return whether two runs have the same results in the same order, as far as that is known.

    It is known of scores of an evaluation that kept all results.
    """
    if not isinstance(baseline, str):
        return False
    kept = [scores.top.get(name) for name in (run, baseline)]
    of = [scores.about.runs[name].results for name in (run, baseline)]
    if any(
        top is None or sum(map(len, top)) != results for top, results in zip(kept, of, strict=True)
    ):
        return False
    ranked = [[[doc for doc, _ in results] for results in top or ()] for top in kept]
    return ranked[0] == ranked[1]


def _serious_doubts(
    both: Scores, measures: list[Measure], *, seed: int
) -> dict[Measure, list[Doubt]]:
    """Return the doubts that qualify what is found of run and baseline, by measure."""
    if not measures:
        return {}
    compared = compare(
        both,
        baseline=BASELINE,
        measures=measures,
        primary="all",
        correction="none",
        seed=seed,
        options={"draws": _DOUBT_DRAWS},
    )
    return {
        found.measure: [one for one in compared.serious_doubts if one.qualifies(found)]
        for found in compared.differences
    }


def _qualify(
    ruling: RuleResult | CostRuleResult, doubts: dict[Measure, list[Doubt]], queries: int
) -> RuleResult | CostRuleResult:
    """Add the names of serious doubts to a result that rests on the baseline."""
    if isinstance(ruling, CostRuleResult) or not ruling.rule.needs_baseline:
        return ruling
    names = [doubt.name for doubt in doubts.get(ruling.rule.measure, ())]
    margin = isinstance(ruling.rule, NotWorse) and ruling.rule.margin is not None
    # A margin seems to be kept where hardly any query differs.
    if margin and ruling.passed and few_differ(ruling.differing or 0, queries):
        names.append(FewDiffering.name)
    return replace(ruling, qualified=tuple(names))


def _gains(pair: Sample) -> Floats:
    """Return the run's gain over the baseline, query by query."""
    sign = -1.0 if pair.measure.better == "lower" else 1.0
    return np.asarray(sign * (pair.of(RUN) - pair.of(BASELINE)))


def _in_family(rule: MeasureRule) -> bool:
    # Rules with a margin need no correction: a run passes when all of them hold.
    return isinstance(rule, NotWorse) and rule.margin is None


def _tests(
    rules: list[MeasureRule], pairs: dict[Measure, Sample], *, correction: str, seed: int
) -> dict[MeasureRule, float]:
    """Return the p-value of each rule that has one: of being worse, or of being worse by less."""
    found: dict[MeasureRule, float] = {}
    plain = [rule for rule in rules if _in_family(rule)]
    if plain:
        # A rule that is there twice, in other words, is one test.
        tested = list(dict.fromkeys(rule.measure for rule in plain))
        rows = np.array([_gains(pairs[measure]) for measure in tested])
        worse = p_values("randomisation", rows, alternative="less", seed=seed)
        of = dict(zip(tested, correct_p_values(correction, [p.p for p in worse]), strict=True))
        found |= {rule: of[rule.measure] for rule in plain}
    for rule in rules:
        if isinstance(rule, NotWorse) and rule.margin is not None:
            gains = _gains(pairs[rule.measure])
            # Of a sum, each query's share of the margin.
            margin = rule.margin / (len(gains) if rule.measure.average == "sum" else 1)
            how: dict[str, Any] = {"claim": "non-inferiority", "test": "randomisation"}
            found[rule] = margin_test(gains[None], margin=margin, seed=seed, **how)[0].p
    return found


def _check_rule(
    rule: MeasureRule,
    ours: Scores,
    pair: Sample | None,
    tests: dict[MeasureRule, float],
    level: float,
    *,
    identical: bool,
) -> RuleResult:
    if isinstance(rule, Threshold) and not rule.of_baseline:
        # What `eval` prints, whatever queries the baseline has.
        average, limit = ours.mean(ours.systems[0], rule.measure), rule.number
        before = None if pair is None else pair.mean(BASELINE)
        return RuleResult(rule, rule.holds(average, limit), average, limit, average, before)
    assert pair is not None  # since the rule needs a baseline
    query, differing = "", None
    average, baseline = pair.mean(RUN), pair.mean(BASELINE)
    if isinstance(rule, Threshold):
        value, limit = average, rule.limit(baseline)
        passed = rule.holds(value, limit)
    elif isinstance(rule, NotWorse):
        value, limit = tests[rule], level
        passed = value > level if rule.margin is None else value <= level
        differing = int(np.count_nonzero(np.abs(_gains(pair)) > SAME))
        passed = identical or (passed and differing >= rule.differing)
    else:
        lost = _regressions(pair)
        value, query = (lost[0].loss, lost[0].query) if lost else (0.0, "")
        limit = rule.most
        passed = value <= limit + SAME
    return RuleResult(rule, passed, value, limit, average, baseline, query, differing)


def _regressions(pair: Sample) -> list[Regression]:
    """Return the queries on which the run is worse, the largest loss first."""
    if pair.measure.better == "neither":
        return []
    losses = -_gains(pair)
    ours, theirs = pair.of(RUN), pair.of(BASELINE)
    return [
        Regression(
            pair.queries[q], pair.measure, float(ours[q]), float(theirs[q]), float(losses[q])
        )
        for q in np.argsort(-losses, kind="stable")
        if losses[q] > SAME
    ]
