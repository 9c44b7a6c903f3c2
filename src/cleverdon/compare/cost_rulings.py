"""Whether a rule about costs holds; and when that cannot be told."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from cleverdon.compare.cost_rules import CostLimit
from cleverdon.costs import QUANTITIES, Cost, Costs, spoken
from cleverdon.errors import OptionError


@dataclass(frozen=True)
class CostRuling:
    """Whether a rule holds, and by what numbers."""

    rule: CostLimit
    passed: bool
    cost: Cost
    limit: float  # what that is held against
    baseline: Cost | None

    @property
    def limits(self) -> tuple[float, float]:
        """Where the limit could be: a baseline was measured with an error, too."""
        if not self.rule.of_baseline or self.baseline is None:
            return self.limit, self.limit
        low, high = (self.rule.limit(end) if isfinite(end) else end for end in self.baseline.ends)
        return low, high

    @property
    def could_be_otherwise(self) -> bool:
        """Whether another measurement could well be on the other side of the limit."""
        (low, high), (lowest, highest) = self.cost.ends, self.limits
        known = low < high or lowest < highest
        return known and low <= highest and lowest <= high


def cost_ruling(rule: CostLimit, costs: Costs | None, baseline: Costs | None) -> CostRuling:
    """Hold what was measured against the rule; an OptionError where nothing of use was."""
    cost = _measured(rule, costs, "--costs (costs=)")
    before = None
    if rule.of_baseline:
        before = _measured(rule, baseline, "--baseline-costs (baseline_costs=)", of="baseline's ")
    elif baseline is not None:
        before = baseline.by_name.get(rule.cost)
    limit = rule.limit(0.0 if before is None else before.value)
    return CostRuling(rule, rule.holds(cost.value, limit), cost, limit, before)


def cost_doubts(ruling: CostRuling) -> list[str]:
    """What one should know before believing it."""
    rule, notes = ruling.rule, []
    better = QUANTITIES[rule.cost].better
    if rule.asks_for_worse(better):
        notes.append(
            f"rule {rule.text!r} asks for worse values: {better} {spoken(rule.cost)} is better"
        )
    if ruling.could_be_otherwise:
        from cleverdon.show.quantities import between

        unit = QUANTITIES[rule.cost].unit
        measured, limits = between(*ruling.cost.ends, unit), between(*ruling.limits, unit)
        notes.append(
            f"rule {rule.text!r}: the limit ({limits}) and what was measured ({measured}) are no "
            "further apart than their intervals: another measurement could be judged otherwise"
            if ruling.limits[0] < ruling.limits[1]
            else f"rule {rule.text!r}: the limit lies within the interval of what was measured "
            f"({measured}): another measurement could be judged otherwise"
        )
    return notes


def _measured(rule: CostLimit, costs: Costs | None, given_by: str, of: str = "") -> Cost:
    """The cost that the rule is about. What nobody measured keeps no rule and breaks none."""
    name = spoken(rule.cost)
    command = "index" if rule.cost.startswith("index_") else "bench"
    if costs is None or rule.cost not in costs.by_name:
        known = "" if costs is None else f"; there are {', '.join(map(spoken, costs.by_name))}"
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
