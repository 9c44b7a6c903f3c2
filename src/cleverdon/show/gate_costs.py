"""What a gate found of costs: the cells of its table, a sentence, and a record for programs."""

from __future__ import annotations

from typing import Any

from cleverdon.compare.cost_rulings import CostRuling
from cleverdon.costs import QUANTITIES, Cost, spoken
from cleverdon.show.quantities import amount, between

_MOST_DIGITS = 9


def cost_cells(ruling: CostRuling) -> list[str]:
    """Of baseline and run, what was found, and the limit."""
    values = [_amount(ruling, cost) for cost in (ruling.baseline, ruling.cost)]
    return [*values, _found(ruling), _limit(ruling)]


def cost_sentence(ruling: CostRuling) -> str:
    """Why a rule holds or does not, in words."""
    before = ""
    if ruling.baseline is not None:
        before = f", the baseline {_amount(ruling, ruling.baseline)}"
    named = spoken(ruling.rule.cost)
    return f"the run has {named} {_found(ruling)}{before}; wanted {_limit(ruling)}"


def cost_record(ruling: CostRuling) -> dict[str, Any]:
    """The same for programs: seconds, bytes, or a second."""
    return {
        "rule": ruling.rule.text,
        "cost": ruling.rule.cost,
        "passed": ruling.passed,
        "value": ruling.cost.value,
        "low": ruling.cost.low,
        "high": ruling.cost.high,
        "limit": ruling.limit,
        "baseline": None if ruling.baseline is None else ruling.baseline.value,
    }


def _found(ruling: CostRuling) -> str:
    low, high = ruling.cost.ends
    interval = f" ({between(low, high, _unit(ruling))})" if low < high else ""
    return _amount(ruling, ruling.cost) + interval


def _limit(ruling: CostRuling) -> str:
    return f"{ruling.rule.comparison} {_amount(ruling, Cost(ruling.limit))}"


def _amount(ruling: CostRuling, cost: Cost | None) -> str:
    """With so many digits that one sees why the rule is broken."""
    unit, digits = _unit(ruling), 3
    value, limit = ruling.cost.value, ruling.limit
    while (
        value != limit
        and digits < _MOST_DIGITS
        and amount(value, unit, digits=digits) == amount(limit, unit, digits=digits)
    ):
        digits += 1
    return amount(None if cost is None else cost.value, unit, digits=digits)


def _unit(ruling: CostRuling) -> str:
    return QUANTITIES[ruling.rule.cost].unit
