"""The language of a gate's rules about costs: times, rates and sizes.

    COST <= NUMBER UNIT                             also >=, >, < and ==
    COST <= baseline                                what the baseline has
    COST <= baseline + NUMBER UNIT                  or - NUMBER UNIT
    COST <= baseline + NUMBER%                      per cent of the baseline's value

Costs are those of `cleverdon.costs`: p50 to p99.99, throughput, errors, index size and others.
Times have a unit (s, ms, us), as have sizes (B, kB, MB, GB; KiB, MiB, GiB) and rates (/s), since
a limit of 50 that is read in the wrong one never fails. Shares are numbers or per cent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

from cleverdon.compare.limits import Limited
from cleverdon.compare.rule_text import SHARES, RuleText
from cleverdon.costs import QUANTITIES, spoken
from cleverdon.errors import suggest

_UNITS: dict[str, dict[str, float]] = {
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6},  # micro, and the letter mu
    "B": {
        "B": 1.0,
        "kB": 1e3,
        "MB": 1e6,
        "GB": 1e9,
        "TB": 1e12,
        "KiB": 2.0**10,
        "MiB": 2.0**20,
        "GiB": 2.0**30,
        "TiB": 2.0**40,
    },
    "1/s": {"/s": 1.0},
    "": {"%": 0.01, "": 1.0},
}
_SUCH_AS = {
    "s": "a time such as '50 ms'",
    "B": "a size such as '200 MB'",
    "1/s": "a rate such as '400/s'",
    "": "a share such as '0.1%' or '0.001'",
}
_FORMS = "; a rule about costs is written as 'p99 <= 50 ms'"
_PERCENTILE = re.compile(r"p\d+(\.\d+)?", flags=re.IGNORECASE)
_BY_CHANCE = "; whether costs differ by chance is for 'cleverdon bench --versus'"
_TIMES = ("latency", "median", "response")
"""What response times are called elsewhere."""


@dataclass(frozen=True)
class CostLimit(Limited):
    """A cost lies on the right side of a number, or of what the baseline costs."""

    text: str
    cost: str  # a name of `cleverdon.costs.QUANTITIES`
    comparison: str
    number: float  # in seconds, bytes, or a second; or what is added to the baseline
    of_baseline: bool = False
    percent: bool = False


def cost_named(text: RuleText) -> str | None:
    """The cost that the rule begins with, which is then read; None where it is none."""
    word = text.name()
    folded = word.casefold()
    if folded in QUANTITIES:
        text.at += len(word)
        return folded
    if folded.startswith("index_"):
        text.fail("a cost", hint=suggest(folded, QUANTITIES), found=word)
    if folded != "index":
        return None
    text.at += len(word)
    text.blanks()
    second = text.name()
    name = f"index_{second.casefold()}"
    if name not in QUANTITIES:
        words = [one.removeprefix("index_") for one in QUANTITIES if one.startswith("index_")]
        text.fail("what of the index", hint=suggest(second, words), found=second)
    text.at += len(second)
    return name


def near_costs(word: str) -> str:
    """What to say of costs to someone who wrote what is no measure."""
    folded = word.casefold()
    if _PERCENTILE.fullmatch(word) or folded in _TIMES:
        known = ", ".join(name for name in QUANTITIES if _PERCENTILE.fullmatch(name))
        return f"; response times are {known}"
    near = [name for name in QUANTITIES if name == f"index_{folded}"]
    near = near or get_close_matches(folded, QUANTITIES, n=1, cutoff=0.7)
    return f"; of costs, there is {spoken(near[0])!r}" if near else ""


def cost_limit(text: RuleText, cost: str) -> CostLimit:
    """The rest of a rule, behind the name of the cost."""
    if text.peek()[1].casefold() == "not":
        text.fail("a comparison", hint=_BY_CHANCE)
    comparison = text.comparison(forms=_FORMS)
    unit = QUANTITIES[cost].unit
    if text.peek()[0] != "word":
        number = _amount(text, unit, f"{_SUCH_AS[unit]}, or 'baseline'")
        text.end()
        return CostLimit(text.text, cost, comparison, number)
    text.keyword("baseline", f"{_SUCH_AS[unit]}, or 'baseline'")
    sign = text.change()
    if not sign:
        return CostLimit(text.text, cost, comparison, 0.0, of_baseline=True)
    start = text.at
    what = f"{_SUCH_AS[unit]}, or per cent"
    number = text.number(what)
    percent = text.peek()[1] == "%"
    if percent:
        text.take()
    else:
        text.at = start
        number = _amount(text, unit, what)
    text.end()
    change = -number if sign == "-" else number
    return CostLimit(text.text, cost, comparison, change, of_baseline=True, percent=percent)


def _amount(text: RuleText, unit: str, what: str) -> float:
    number = text.number(what)
    units = _UNITS[unit]
    text.blanks()
    start, written = text.at, text.name()
    text.at += len(written)
    if written == "/":  # blanks are free
        text.blanks()
        second = text.name()
        text.at += len(second)
        written += second
    if written not in units:
        text.at = start
        named = [name for name in units if name and name.isascii()]
        text.fail(f"a unit, {' or '.join(named)}", hint=_near(written, named), found=written)
    return number * units[written]


def _near(written: str, units: list[str]) -> str:
    if written == "%":
        return SHARES
    near = suggest(written, units)
    return near if "did you mean" in near else ""
