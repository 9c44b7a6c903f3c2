"""The language of a gate's rules.

    MEASURE >= NUMBER                               also >, <=, < and ==
    MEASURE >= baseline                             what the baseline has
    MEASURE >= baseline - NUMBER                    or + NUMBER
    MEASURE >= baseline - NUMBER%                   per cent of the baseline's value
    MEASURE not significantly worse                 [than baseline]
    MEASURE not significantly worse by NUMBER       [than baseline]: shown to be no worse by that
    no query loses more than NUMBER on MEASURE

    COST <= NUMBER UNIT                             see `cleverdon.compare.cost_rules`

Words may be in capitals, and blanks are free. Measures are written as everywhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cleverdon.compare.cost_rules import CostLimit, cost_limit, cost_named, near_costs
from cleverdon.compare.limits import Limited
from cleverdon.compare.rule_text import FORMS, RuleText
from cleverdon.errors import NotationError
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse

_WORSE = ("not", "significantly", "worse")
_LOSES = ("no", "query", "loses", "more", "than")


@dataclass(frozen=True)
class Threshold(Limited):
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
    """The rule that is written so; `measure` reads the names of measures.

    >>> parse_rule("nDCG@10 >= baseline - 2%").limit(0.5)
    0.49
    >>> parse_rule("AP not significantly worse than baseline by 0.02").margin
    0.02
    """
    return _Reader(text, measure).rule()


class _Reader(RuleText):
    """Reads a rule from left to right."""

    def __init__(self, text: str, measure: Callable[[str], Measure]) -> None:
        super().__init__(text)
        self.make = measure

    def rule(self) -> Rule:
        self.blanks()
        if self.at == len(self.text):
            self.fail("a measure, a cost, or 'no query loses more than'", hint=FORMS)
        if self.peek()[1].casefold() == "no":
            return self.loss_limit()
        cost = cost_named(self)
        if cost is not None:
            return cost_limit(self, cost)
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
        sign = self.change()
        if not sign:
            return Threshold(self.text, measure, comparison, 0.0, of_baseline=True)
        number = self.number("a number without a sign")
        percent = self.peek()[1] == "%"
        if percent:
            self.take()
        self.end()
        change = -number if sign == "-" else number
        return Threshold(self.text, measure, comparison, change, of_baseline=True, percent=percent)

    def not_worse(self, measure: Measure) -> NotWorse:
        for word in _WORSE:
            self.keyword(word, f"'{' '.join(_WORSE)}'")
        margin = None
        # 'than baseline' and 'by NUMBER' may stand in either order.
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
            else:
                self.end("'than baseline', 'by NUMBER' or the end of the rule")
        return NotWorse(self.text, measure, margin)

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
            self.fail("a measure", hint=FORMS)
        try:
            made = self.make(name)
        except NotationError as error:
            raise NotationError(
                f"rule {self.text!r}, at character {self.at + 1}: {error}{near_costs(name)}"
            ) from None
        self.at += len(name)
        return made
