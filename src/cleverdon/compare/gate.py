"""A gate: rules that a run must keep, as against the baseline that it is to replace.

For continuous integration: a change of a search engine passes when every rule holds. The rules are
written in the small language of `cleverdon.compare.rules`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.baselines import check_comparable, check_topics
from cleverdon.compare.cost_rules import CostLimit
from cleverdon.compare.cost_rulings import CostRuling, cost_doubts, cost_ruling
from cleverdon.compare.limits import SAME
from cleverdon.compare.margins import non_inferiority
from cleverdon.compare.multiplicity import CORRECTIONS, WHOLE, corrected
from cleverdon.compare.paired import LEVEL
from cleverdon.compare.part import part_of
from cleverdon.compare.results import joined
from cleverdon.compare.rules import LossLimit, MeasureRule, NotWorse, Rule, Threshold, parse_rule
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.tests import p_values
from cleverdon.costs import Costs
from cleverdon.errors import OptionError, check_word
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile as find_profile
from cleverdon.scores import Scores

RUN, BASELINE = "run", "baseline"
_TOO_FEW = "with {} topics no p-value can be as low as {:g}"


@dataclass(frozen=True)
class Ruling:
    """Whether a rule about a measure holds, and by what numbers."""

    rule: MeasureRule
    passed: bool
    value: float  # what was found: an average, a p-value, or the largest loss of a query
    limit: float  # what that is held against
    average: float  # the run's, by the rule's measure
    baseline: float | None  # the baseline's
    query: str = ""  # the query that loses most, where the rule is about single ones


@dataclass(frozen=True)
class Regression:
    """A query on which the run is worse than the baseline."""

    query: str
    measure: Measure
    value: float
    baseline: float
    loss: float  # above 0, whichever way the measure goes


@dataclass(frozen=True, eq=False)
class Verdict:
    """What became of every rule, and the queries that lost most."""

    rulings: tuple[Ruling | CostRuling, ...]
    worst: tuple[Regression, ...]
    scores: Scores  # of the run alone
    baseline: Scores | None  # of the baseline alone
    topics: int  # that both were compared on
    level: float
    correction: str
    family: int  # how many tests of being worse the p-values are corrected for
    notes: tuple[str, ...]  # what one should know before believing it
    costs: Costs | None = None  # of the run

    @property
    def passed(self) -> bool:
        return all(ruling.passed for ruling in self.rulings)


def gate(
    scores: Scores,
    rules: str | Iterable[str | Rule],
    *,
    system: str | None = None,
    baseline: Scores | str | None = None,
    costs: Costs | None = None,
    baseline_costs: Costs | None = None,
    level: float = LEVEL,
    correction: str = "holm",
    worst: int = 5,
    seed: int = 0,
    allow_different_qrels: bool = False,
    allow_different_topics: bool = False,
) -> Verdict:
    """Hold a run against rules, and against a baseline.

    The baseline is another system of `scores`, or scores of its own, as `read_results` gives them.
    It is refused where its settings are others; where its judgments or topics are, unless
    that is allowed: then the topics count that both have. Where `scores` hold several systems,
    `system` names the one that is judged. Rules about times and sizes go by its `costs`, and by
    the baseline's, as `read_costs` gives them.

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
    if not 0 < level < 1:
        raise OptionError(f"level={level}: a level of significance lies between 0 and 1")
    check_word("correction", correction, CORRECTIONS)
    theirs = part_of(scores, systems=[baseline]) if isinstance(baseline, str) else baseline
    ours = part_of(scores, systems=[_judged(scores, system, baseline)])
    read = [_rule(rule, ours) for rule in ([rules] if isinstance(rules, str) else rules)]
    if not read:
        raise OptionError("there is no rule to hold the run against")
    read = list(dict.fromkeys(read))
    of_measures = [rule for rule in read if not isinstance(rule, CostLimit)]
    wanted = tuple(dict.fromkeys(rule.measure for rule in of_measures))
    for measure in wanted:
        ours.check_known(measure)
    notes = [note for rule in of_measures for note in _doubts(rule)]
    pairs: dict[Measure, Sample] = {}
    if theirs is None:
        for rule in of_measures:
            if rule.needs_baseline:
                raise OptionError(f"rule {rule.text!r} needs a baseline, and there is none")
    else:
        notes += check_comparable(ours, theirs, wanted, qrels=allow_different_qrels)
    if theirs is not None and wanted:
        both = joined(part_of(ours, measures=wanted), theirs, names=(RUN, BASELINE))
        notes += check_topics(both, allowed=allow_different_topics)
        pairs = {sample.measure: sample for sample in samples(both)}
    tests = _tests(of_measures, pairs, correction=correction, seed=seed)
    count = len(next(iter(pairs.values())).topics) if pairs else len(ours.queries)
    family = len({rule.measure for rule in of_measures if _in_family(rule)})
    notes += _out_of_reach(tests, count, family if correction in WHOLE else 1, level)
    rulings = tuple(
        cost_ruling(rule, costs, baseline_costs)
        if isinstance(rule, CostLimit)
        else _ruling(rule, ours, pairs.get(rule.measure), tests, level)
        for rule in read
    )
    for ruling in rulings:
        notes += cost_doubts(ruling) if isinstance(ruling, CostRuling) else []
    return Verdict(
        rulings=rulings,
        worst=tuple(
            regression for pair in pairs.values() for regression in _regressions(pair)[:worst]
        ),
        scores=ours,
        baseline=theirs,
        topics=count,
        level=level,
        correction=correction,
        family=family,
        notes=tuple(notes),
        costs=costs,
    )


def _judged(scores: Scores, system: str | None, baseline: object) -> str:
    """The name of the system that is judged."""
    if system is not None:
        return system
    others = [name for name in scores.systems if name != baseline]
    if len(others) != 1:
        raise OptionError(f"which of {', '.join(scores.systems)} is to be judged? name the system")
    return others[0]


def _rule(rule: str | Rule, scores: Scores) -> Rule:
    """The rule, read in the words of the profile that the scores were made with."""
    tool = find_profile(scores.about.profile)
    read = parse_rule(rule, measure=lambda m: tool.parse(m)[0]) if isinstance(rule, str) else rule
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


def _doubts(rule: MeasureRule) -> list[str]:
    """A threshold that a worse run keeps more easily is probably a slip."""
    better = rule.measure.better
    if not isinstance(rule, Threshold) or not rule.asks_for_worse(better):
        return []
    return [f"rule {rule.text!r} asks for worse values: {better} {rule.measure} is better"]


def _out_of_reach(
    tests: dict[MeasureRule, float], topics: int, family: int, level: float
) -> list[str]:
    """That the topics are too few for rules to be able to fail, or to pass."""
    notes = []
    lowest = 0.5**topics
    if any(_in_family(rule) for rule in tests) and family * lowest > level:
        notes.append(f"{_TOO_FEW.format(topics, level)}: 'not significantly worse' can never fail")
    if not all(_in_family(rule) for rule in tests) and lowest > level:
        notes.append(f"{_TOO_FEW.format(topics, level)}: 'not significantly worse by' never passes")
    return notes


def _gains(pair: Sample) -> Floats:
    """By how much the run is better than the baseline, query by query; below 0 where worse."""
    sign = -1.0 if pair.measure.better == "lower" else 1.0
    gains: Floats = sign * (pair.of(RUN) - pair.of(BASELINE))
    return gains


def _in_family(rule: MeasureRule) -> bool:
    """Rules with a margin need no correction: a run passes when all of them hold."""
    return isinstance(rule, NotWorse) and rule.margin is None


def _tests(
    rules: list[MeasureRule], pairs: dict[Measure, Sample], *, correction: str, seed: int
) -> dict[MeasureRule, float]:
    """The p-value of each rule that has one: small ones speak against being as good as before.

    With a margin, small ones speak for being no worse than that.
    """
    found: dict[MeasureRule, float] = {}
    plain = [rule for rule in rules if _in_family(rule)]
    if plain:
        # A rule that is there twice, in other words, is one test.
        tested = list(dict.fromkeys(rule.measure for rule in plain))
        rows = np.array([_gains(pairs[measure]) for measure in tested])
        worse = p_values("randomisation", rows, alternative="less", seed=seed)
        of = dict(zip(tested, corrected(correction, [p.p for p in worse]), strict=True))
        found |= {rule: of[rule.measure] for rule in plain}
    for rule in rules:
        if isinstance(rule, NotWorse) and rule.margin is not None:
            gains = _gains(pairs[rule.measure])
            # Of a sum, each topic's share of the margin.
            margin = rule.margin / (len(gains) if rule.measure.average == "sum" else 1)
            p = non_inferiority(gains[None], margin=margin, test="randomisation", seed=seed)[0]
            found[rule] = p.p
    return found


def _ruling(
    rule: MeasureRule,
    ours: Scores,
    pair: Sample | None,
    tests: dict[MeasureRule, float],
    level: float,
) -> Ruling:
    if isinstance(rule, Threshold) and not rule.of_baseline:
        # What `eval` prints, whatever topics the baseline has.
        average = ours.mean(ours.systems[0], rule.measure)
        baseline = None if pair is None else pair.mean(BASELINE)
        passed = rule.holds(average, rule.number)
        return Ruling(rule, passed, average, rule.number, average, baseline)
    assert pair is not None  # since the rule needs a baseline
    average, baseline = pair.mean(RUN), pair.mean(BASELINE)
    if isinstance(rule, Threshold):
        limit = rule.limit(baseline)
        passed = rule.holds(average, limit)
        return Ruling(rule, passed, average, limit, average, baseline)
    if isinstance(rule, NotWorse):
        p = tests[rule]
        passed = p > level if rule.margin is None else p <= level
        return Ruling(rule, passed, p, level, average, baseline)
    lost = _regressions(pair)
    most = lost[0].loss if lost else 0.0
    query = lost[0].query if lost else ""
    return Ruling(rule, most <= rule.most + SAME, most, rule.most, average, baseline, query)


def _regressions(pair: Sample) -> list[Regression]:
    """The queries on which the run is worse, the largest loss first."""
    if pair.measure.better == "neither":
        return []
    losses = -_gains(pair)
    ours, theirs = pair.of(RUN), pair.of(BASELINE)
    return [
        Regression(pair.topics[q], pair.measure, float(ours[q]), float(theirs[q]), float(losses[q]))
        for q in np.argsort(-losses, kind="stable")
        if losses[q] > SAME
    ]
