"""The language of a gate's rules.

    MEASURE >= NUMBER                               also >, <=, < and ==
    MEASURE >= baseline                             what the baseline has
    MEASURE >= baseline - NUMBER                    or + NUMBER
    MEASURE >= baseline - NUMBER%                   per cent of the baseline's value
    MEASURE not significantly worse                 [than baseline]
    MEASURE not significantly worse by NUMBER       [than baseline]: shown to be no worse by that
    MEASURE not significantly worse with COUNT differing queries    and broken where fewer differ
    no query loses more than NUMBER on MEASURE

    COST <= NUMBER UNIT                             also >=, >, < and ==
    COST <= baseline                                what the baseline has
    COST <= baseline + NUMBER UNIT                  or - NUMBER UNIT
    COST <= baseline + NUMBER%                      per cent of the baseline's value

Words may be in capitals, and blanks are free. Measures are written as everywhere else. Costs are
those of `cleverdon.costs`: p50 to p99.99, throughput, errors, index size and others. Times have a
unit (s, ms, us), as have sizes (B, kB, MB, GB; KiB, MiB, GiB) and rates (/s), since a limit of 50
that is read in the wrong one never fails. Shares are numbers or per cent.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite
from typing import Any, NoReturn

from cleverdon._common.text import printable
from cleverdon.costs import QUANTITIES, Cost, cost_label
from cleverdon.errors import NotationError, suggest
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.score_tables import format_score
from cleverdon.tables.numbers import format_amount, format_p_value, format_range
from cleverdon.tables.result import as_json, fields_as_json, in_json
from cleverdon.tables.table import DIGITS

_COMPARISONS = (">=", ">", "<=", "<", "==")
SAME = 1e-9
"""Numbers that differ by less are equal; of numbers above 1, by this share of them."""


class _LimitRule:
    """A rule that compares a value with a limit."""

    comparison: str
    number: float  # the limit; or what is added to the baseline, if it is `of_baseline`
    of_baseline: bool
    percent: bool

    def limit(self, baseline: float) -> float:
        """Return the limit, given the value of the baseline."""
        if not self.of_baseline:
            return self.number
        share = abs(baseline) / 100 if self.percent else 1.0
        return baseline + self.number * share

    def holds(self, value: float, limit: float) -> bool:
        """Return whether the value is on the right side; differences by rounding are none."""
        if abs(value - limit) <= SAME * max(1.0, abs(limit)):
            return self.comparison in (">=", "<=", "==")
        compare = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
        return self.comparison != "==" and bool(compare[self.comparison](value, limit))

    def asks_for_worse(self, better: str) -> bool:
        """Return whether worse values keep the rule more easily, which is probably a slip."""
        wrong = {"higher": ("<=", "<"), "lower": (">=", ">")}
        return self.comparison in wrong.get(better, ())


_FORMS = "; a rule is written as 'nDCG@10 >= baseline - 0.01'"
_SHARES = "; a share of what the baseline has is written as 'baseline + 10%'"
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<comparison>[<>=!~≤≥]+)|(?P<word>[^\W\d]\w*)|(?P<mark>\S)"
)
_SLIPS = {"=>": ">=", "=<": "<=", "=": "==", "≥": ">=", "≤": "<="}


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
_COST_FORMS = "; a rule about costs is written as 'p99 <= 50 ms'"
_PERCENTILE = re.compile(r"p\d+(\.\d+)?", flags=re.IGNORECASE)
_BY_CHANCE = "; whether costs differ by chance is for 'cleverdon bench --versus'"
_TIMES = ("latency", "median", "response")
"""What response times are called elsewhere."""


@dataclass(frozen=True)
class CostLimit(_LimitRule):
    """A cost lies on the right side of a number, or of what the baseline costs."""

    text: str
    cost: str  # a name of `cleverdon.costs.QUANTITIES`
    comparison: str
    number: float  # in seconds, bytes, or a second; or what is added to the baseline
    of_baseline: bool = False
    percent: bool = False


_WORSE = ("not", "significantly", "worse")
_LOSES = ("no", "query", "loses", "more", "than")


@dataclass(frozen=True)
class Threshold(_LimitRule):
    """The average lies on the right side of a number, or of the baseline's average."""

    text: str
    measure: Measure
    comparison: str
    number: float  # the limit; or what is added to the baseline, if it is `of_baseline`
    of_baseline: bool = False
    percent: bool = False

    @property
    def needs_baseline(self) -> bool:
        return self.of_baseline


@dataclass(frozen=True)
class NotWorse:
    """No evidence of being worse; with a margin, evidence of not being worse by that."""

    text: str
    measure: Measure
    margin: float | None = None
    differing: int = 0  # so many queries must differ, or else the rule is broken
    needs_baseline = True


@dataclass(frozen=True)
class LossLimit:
    """No query's value is worse than the baseline's by more than this."""

    text: str
    measure: Measure
    most: float
    needs_baseline = True


MeasureRule = Threshold | NotWorse | LossLimit
Rule = MeasureRule | CostLimit


def parse_rule(text: str, *, measure: Callable[[str], Measure] = parse) -> Rule:
    """Parse a rule; `measure` reads the names of measures.

    >>> parse_rule("nDCG@10 >= baseline - 2%").limit(0.5)
    0.49
    >>> parse_rule("AP not significantly worse than baseline by 0.02").margin
    0.02
    """
    return _RuleReader(text, measure).rule()


class _RuleReader:
    """Reads a rule from left to right; `make` reads the name of a measure."""

    def __init__(self, text: str, make: Callable[[str], Measure]) -> None:
        self.text, self.make = text, make
        self.at = 0

    def rule(self) -> Rule:
        self.blanks()
        if self.at == len(self.text):
            self.fail("a measure, a cost, or 'no query loses more than'", hint=_FORMS)
        if self.peek()[1].casefold() == "no":
            return self.loss_limit()
        cost = self.cost_name()
        if cost is not None:
            return self.cost_limit(cost)
        measure = self.measure()
        if self.peek()[0] == "word":
            return self.not_worse(measure)
        return self.threshold(measure, self.comparison(other=" or 'not significantly worse'"))

    def threshold(self, measure: Measure, comparison: str) -> Threshold:
        if self.peek()[0] != "word":
            number = self.number("a number or 'baseline'", signed=True)
            self.end()
            return Threshold(self.text, measure, comparison, number)
        self.keyword("baseline", "a number or 'baseline'")
        change, percent = self.change("a number without a sign")
        return Threshold(self.text, measure, comparison, change, of_baseline=True, percent=percent)

    def not_worse(self, measure: Measure) -> NotWorse:
        for word in _WORSE:
            self.keyword(word, f"'{' '.join(_WORSE)}'")
        margin, differing = None, 0
        # 'than baseline', 'by NUMBER' and 'with COUNT differing queries' stand in any order.
        than = by = False
        while self.peek()[0]:
            if self.peek()[1].casefold() == "than" and not than:
                self.take()
                self.keyword("baseline", "'baseline'")
                than = True
            elif self.peek()[1].casefold() == "by" and not by:
                self.take()
                start = self.at
                margin = self.number("a margin")
                by = True
                if margin == 0:
                    self.at = start
                    self.fail("a margin above 0", hint="; without 'by', there is none")
            elif self.peek()[1].casefold() == "with" and not differing:
                self.take()
                differing = self.count("how many queries must differ")
                for word in ("differing", "queries"):
                    self.keyword(word, "'differing queries'")
            else:
                self.end("'than baseline', 'by NUMBER' or the end of the rule")
        return NotWorse(self.text, measure, margin, differing)

    def count(self, what: str) -> int:
        """Read a whole number above 0."""
        start = self.at
        number = self.number(what)
        if number < 1 or number != int(number):
            self.at = start
            self.fail(f"{what}, a whole number above 0")
        return int(number)

    def loss_limit(self) -> LossLimit:
        for word in _LOSES:
            self.keyword(word, f"'{' '.join(_LOSES)}'")
        most = self.number("how much a query may lose")
        self.keyword("on", "'on' and a measure")
        self.blanks()
        measure = self.measure()
        self.end()
        return LossLimit(self.text, measure, most)

    def measure(self) -> Measure:
        name = self.name()
        if not name:
            self.fail("a measure", hint=_FORMS)
        try:
            made = self.make(name)
        except NotationError as error:
            raise NotationError(
                f"rule {self.text!r}, at character {self.at + 1}: {error}{_near_costs(name)}"
            ) from None
        self.at += len(name)
        return made

    def cost_name(self) -> str | None:
        """Read the cost that the rule begins with; None where it is none."""
        word = self.name()
        folded = word.casefold()
        if folded in QUANTITIES:
            self.at += len(word)
            return folded
        if folded.startswith("index_"):
            self.fail("a cost", hint=suggest(folded, QUANTITIES), found=word)
        if folded != "index":
            return None
        self.at += len(word)
        self.blanks()
        second = self.name()
        name = f"index_{second.casefold()}"
        if name not in QUANTITIES:
            words = [one.removeprefix("index_") for one in QUANTITIES if one.startswith("index_")]
            self.fail("what of the index", hint=suggest(second, words), found=second)
        self.at += len(second)
        return name

    def cost_limit(self, cost: str) -> CostLimit:
        """Read the rest of a rule, behind the name of the cost."""
        if self.peek()[1].casefold() == "not":
            self.fail("a comparison", hint=_BY_CHANCE)
        comparison = self.comparison(forms=_COST_FORMS)
        unit = QUANTITIES[cost].unit
        if self.peek()[0] != "word":
            number = self.amount(unit, f"{_SUCH_AS[unit]}, or 'baseline'")
            self.end()
            return CostLimit(self.text, cost, comparison, number)
        self.keyword("baseline", f"{_SUCH_AS[unit]}, or 'baseline'")
        change, percent = self.change(f"{_SUCH_AS[unit]}, or per cent", unit)
        return CostLimit(self.text, cost, comparison, change, of_baseline=True, percent=percent)

    def amount(self, unit: str, what: str) -> float:
        number = self.number(what)
        units = _UNITS[unit]
        self.blanks()
        start, written = self.at, self.name()
        self.at += len(written)
        if written == "/":  # blanks are free
            self.blanks()
            second = self.name()
            self.at += len(second)
            written += second
        if written not in units:
            self.at = start
            named = [name for name in units if name and name.isascii()]
            near = _SHARES if written == "%" else suggest(written, named)
            hint = near if written == "%" or "did you mean" in near else ""
            self.fail(f"a unit, {' or '.join(named)}", hint=hint, found=written)
        return number * units[written]

    def number(self, what: str, *, signed: bool = False) -> float:
        sign = ""
        if signed and self.peek()[1] in ("+", "-"):
            sign = self.take()
        kind, found = self.peek()
        if kind != "number":
            self.fail(what)
        value = float(sign + found)
        if value in (float("inf"), float("-inf")):
            self.fail("a number that is not so large")
        self.take()
        return value

    def comparison(self, *, other: str = "", forms: str = _FORMS) -> str:
        """Read one of COMPARISONS; `other` is an alternative to it, `forms` shows how rules are."""
        found = self.peek()[1]
        if found not in _COMPARISONS:
            near = _SLIPS.get(found)
            self.fail(
                ", ".join(_COMPARISONS) + other, hint=f"; did you mean {near!r}?" if near else forms
            )
        return self.take()

    def change(self, what: str, unit: str | None = None) -> tuple[float, bool]:
        """Read, behind 'baseline', what is added to it, and whether that is per cent of it."""
        sign = self.peek()[1]
        if sign not in ("+", "-"):
            self.end("'+', '-' or the end of the rule", hint=_SHARES if sign == "*" else "")
            return 0.0, False
        self.take()
        start = self.at
        number = self.number(what)
        percent = self.peek()[1] == "%"
        if percent:
            self.take()
        elif unit is not None:
            self.at = start
            number = self.amount(unit, what)
        self.end()
        return -number if sign == "-" else number, percent

    def keyword(self, word: str, what: str) -> None:
        found = self.peek()[1]
        if found.casefold() != word:
            near = suggest(found, [word]) if found else ""
            self.fail(what, hint=near if "did you mean" in near else "")
        self.take()

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def name(self) -> str:
        """Return the text up to a blank or a comparison outside brackets, without taking it."""
        end, depth = self.at, 0
        while end < len(self.text):
            char = self.text[end]
            if depth == 0 and (char.isspace() or char in "<>=≤≥!"):
                break
            depth += (char in "({") - (char in ")}")
            end += 1
        return self.text[self.at : end]

    def peek(self) -> tuple[str, str]:
        """Return the kind and the text of what comes next; both are empty at the end."""
        self.blanks()
        match = _TOKEN.match(self.text, self.at)
        return ("", "") if match is None else (str(match.lastgroup), match[0])

    def take(self) -> str:
        found = self.peek()[1]
        self.at += len(found)
        return found

    def end(self, what: str = "the end of the rule", *, hint: str = "") -> None:
        kind, found = self.peek()
        if found.casefold() in ("and", "&", ","):
            hint = "; give each rule by itself"
        if kind:
            self.fail(what, hint)

    def fail(self, what: str, hint: str = "", *, found: str = "") -> NoReturn:
        found = found or self.peek()[1]
        shown = repr(found) if found else "the end of the rule"
        raise NotationError(
            f"rule {self.text!r}, at character {self.at + 1}: expected {what}, found {shown}{hint}"
        )


def _near_costs(word: str) -> str:
    """Return a hint about costs, for a name that is no measure."""
    folded = word.casefold()
    if _PERCENTILE.fullmatch(word) or folded in _TIMES:
        known = ", ".join(name for name in QUANTITIES if _PERCENTILE.fullmatch(name))
        return f"; response times are {known}"
    near = [name for name in QUANTITIES if name == f"index_{folded}"]
    near = near or get_close_matches(folded, QUANTITIES, n=1, cutoff=0.7)
    return f"; of costs, there is {cost_label(near[0])!r}" if near else ""


_MOST_DIGITS = 9


@dataclass(frozen=True)
class CostRuleResult:
    """The result of a rule about a cost."""

    rule: CostLimit
    passed: bool
    cost: Cost
    limit: float  # what that is held against
    baseline: Cost | None

    @property
    def limits(self) -> tuple[float, float]:
        """The interval of the limit: a baseline is measured with an error, too."""
        if not self.rule.of_baseline or self.baseline is None:
            return self.limit, self.limit
        low, high = (self.rule.limit(end) if isfinite(end) else end for end in self.baseline.ends)
        return low, high

    @property
    def could_be_otherwise(self) -> bool:
        """True if another measurement could well be on the other side of the limit."""
        (low, high), (lowest, highest) = self.cost.ends, self.limits
        known = low < high or lowest < highest
        return known and low <= highest and lowest <= high

    def cells(self) -> list[str]:
        """Return baseline, run, what was found and the limit, as a table has them."""
        return [self._amount(self.baseline), self._amount(self.cost), self._found(), self._limit()]

    def sentence(self) -> str:
        """Return why the rule holds or does not."""
        before = "" if self.baseline is None else f", the baseline {self._amount(self.baseline)}"
        named = cost_label(self.rule.cost)
        return f"the run has {named} {self._found()}{before}; wanted {self._limit()}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: seconds, bytes, or a second."""
        record = {"rule": self.rule.text, "cost": self.rule.cost, "passed": self.passed}
        record |= {name: getattr(self.cost, name) for name in ("value", "low", "high")}
        record |= {"limit": self.limit, "baseline": self.baseline and self.baseline.value}
        return {key: as_json(value) for key, value in record.items()}

    @property
    def subject(self) -> str:
        return self.rule.cost

    def _found(self) -> str:
        low, high = self.cost.ends
        unit = QUANTITIES[self.rule.cost].unit
        interval = f" ({format_range(low, high, unit)})" if low < high else ""
        return self._amount(self.cost) + interval

    def _limit(self) -> str:
        return f"{self.rule.comparison} {self._amount(Cost(self.limit))}"

    def _amount(self, cost: Cost | None) -> str:
        """Write a cost with as many digits as it takes to tell the value from the limit."""
        unit, digits = QUANTITIES[self.rule.cost].unit, 3
        value, limit = self.cost.value, self.limit
        while (
            value != limit
            and digits < _MOST_DIGITS
            and format_amount(value, unit, digits=digits)
            == format_amount(limit, unit, digits=digits)
        ):
            digits += 1
        return format_amount(None if cost is None else cost.value, unit, digits=digits)


@dataclass(frozen=True)
class RuleResult:
    """The result of a rule about a measure."""

    rule: MeasureRule = field(metadata=in_json(None))
    passed: bool
    value: float  # what was found: an average, a p-value, or the largest loss of a query
    limit: float  # what that is held against
    average: float  # the run's, by the rule's measure
    baseline: float | None  # the baseline's
    query: str = field(default="", metadata=in_json(None))
    """The query that loses most, where the rule is about single ones."""
    differing: int | None = None
    """How many queries differ, where the rule is about being worse."""
    qualified: tuple[str, ...] = ()
    """The names of serious doubts about run and baseline, where the rule compares them."""

    def cells(self) -> list[str]:
        """Return baseline, run, what was found and the limit, as a table has them."""
        numbers = [self._number(self.baseline), self._number(self.average)]
        return [*numbers, self._found(), self._limit()]

    def sentence(self) -> str:
        """Return why the rule holds or does not."""
        rule, passed = self.rule, self.passed
        before = "" if self.baseline is None else f", the baseline {self._number(self.baseline)}"
        averages = f"the run has {rule.measure} {self._number(self.average)}{before}"
        if isinstance(rule, Threshold):
            return f"{averages}; wanted {self._limit()}"
        if isinstance(rule, LossLimit):
            lost = f"{printable(self.query)} loses {self._number(self.value)}"
            return f"{lost if self.query else 'no query loses'}; wanted {self._limit()}"
        if rule.margin is None:
            shown = "no evidence of being worse" if passed else "significantly worse"
        else:
            kept = self.value <= self.limit
            shown = f"{'' if kept else 'not '}shown to be worse by less than {rule.margin:g}"
        if not passed and self.differing is not None and self.differing < rule.differing:
            few = f"too few queries differ ({self._found()}, wanted {self._limit()})"
            return f"{few}; {averages}"
        return f"{shown} ({self._found()}, wanted {self._limit()}); {averages}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        subject = {"rule": self.rule.text, "measure": str(self.rule.measure)}
        return subject | fields_as_json(self)

    @property
    def subject(self) -> str:
        return type(self.rule.measure).__name__

    def _number(self, value: float | None) -> str:
        """Write a value with as many digits as it takes to tell what was found from the limit."""
        digits = DIGITS
        apart = self.value - self.limit
        while not isinstance(self.rule, NotWorse) and 1e-9 < abs(apart) < 10**-digits:
            digits += 1
        return "-" if value is None else format_score(self.rule.measure, value, digits=digits)

    def _found(self) -> str:
        if isinstance(self.rule, NotWorse):
            found = format_p_value(self.value, level=self.limit)
            return f"{found}, {self.differing} differ" if self.rule.differing else found
        where = f" ({printable(self.query)})" if self.query else ""
        return self._number(self.value) + where

    def _limit(self) -> str:
        rule = self.rule
        if isinstance(rule, NotWorse):
            limit = f"p {'>' if rule.margin is None else '<='} {self.limit:g}"
            return f"{limit}, {rule.differing} differ" if rule.differing else limit
        if isinstance(rule, LossLimit):
            return f"<= {self.limit:g}"
        return f"{rule.comparison} {self._number(self.limit)}"
