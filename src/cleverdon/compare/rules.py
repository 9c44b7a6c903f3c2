"""The language of a gate's rules.

    MEASURE >= NUMBER                               also >, <=, < and ==
    MEASURE >= baseline                             what the baseline has
    MEASURE >= baseline - NUMBER                    or + NUMBER
    MEASURE >= baseline - NUMBER%                   per cent of the baseline's value
    MEASURE not significantly worse                 [than baseline]
    MEASURE not significantly worse by NUMBER       [than baseline]: shown to be no worse by that
    no query loses more than NUMBER on MEASURE

Words may be in capitals, and blanks are free. Measures are written as everywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from cleverdon.errors import NotationError, suggest
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse

COMPARISONS = (">=", ">", "<=", "<", "==")
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<comparison>[<>=!~≤≥]+)|(?P<word>[^\W\d]\w*)|(?P<mark>\S)"
)
_WORSE = ("not", "significantly", "worse")
_LOSES = ("no", "query", "loses", "more", "than")


@dataclass(frozen=True)
class Threshold:
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

    def limit(self, baseline: float) -> float:
        """What the average is held against."""
        if not self.of_baseline:
            return self.number
        share = abs(baseline) / 100 if self.percent else 1.0
        return baseline + self.number * share


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


Rule = Threshold | NotWorse | LossLimit


def parse_rule(text: str, *, measure: Callable[[str], Measure] = parse) -> Rule:
    """The rule that is written so; `measure` reads the names of measures.

    >>> parse_rule("nDCG@10 >= baseline - 2%").limit(0.5)
    0.49
    >>> parse_rule("AP not significantly worse than baseline by 0.02").margin
    0.02
    """
    return _Reader(text, measure).rule()


class _Reader:
    """Reads a rule from left to right."""

    def __init__(self, text: str, measure: Callable[[str], Measure]) -> None:
        self.text = text
        self.make = measure
        self.at = 0

    def rule(self) -> Rule:
        self.blanks()
        if self.at == len(self.text):
            self.fail("a measure, or 'no query loses more than'", hint=_FORMS)
        if self.peek()[1].casefold() == "no":
            return self.loss_limit()
        measure = self.measure()
        kind, found = self.peek()
        if kind == "word":
            return self.not_worse(measure)
        if found not in COMPARISONS:
            near = {"=>": ">=", "=<": "<=", "=": "==", "≥": ">=", "≤": "<="}.get(found)
            self.fail(
                f"{', '.join(COMPARISONS)} or 'not significantly worse'",
                hint=f"; did you mean {near!r}?" if near else _FORMS,
            )
        self.take()
        return self.threshold(measure, found)

    def threshold(self, measure: Measure, comparison: str) -> Threshold:
        if self.peek()[0] != "word":
            number = self.number("a number or 'baseline'", signed=True)
            self.end("the end of the rule")
            return Threshold(self.text, measure, comparison, number)
        self.keyword("baseline", "a number or 'baseline'")
        sign = self.peek()[1]
        if sign not in ("+", "-"):
            self.end("'+', '-' or the end of the rule")
            return Threshold(self.text, measure, comparison, 0.0, of_baseline=True)
        self.take()
        number = self.number("a number without a sign")
        percent = self.peek()[1] == "%"
        if percent:
            self.take()
        self.end("the end of the rule")
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
        self.end("the end of the rule")
        return LossLimit(self.text, measure, most)

    def measure(self) -> Measure:
        """What stands up to a blank or a comparison, those in brackets aside."""
        start, depth = self.at, 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if depth == 0 and (char.isspace() or char in "<>=≤≥!"):
                break
            depth += (char in "({") - (char in ")}")
            self.at += 1
        if self.at == start:
            self.fail("a measure", hint=_FORMS)
        try:
            return self.make(self.text[start : self.at])
        except NotationError as error:
            raise NotationError(f"rule {self.text!r}, at character {start + 1}: {error}") from None

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

    def keyword(self, word: str, what: str) -> None:
        found = self.peek()[1]
        if found.casefold() != word:
            near = suggest(found, [word]) if found else ""
            self.fail(what, hint=near if "did you mean" in near else "")
        self.take()

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> tuple[str, str]:
        """The kind and the text of what comes next; both are empty at the end."""
        self.blanks()
        match = _TOKEN.match(self.text, self.at)
        return ("", "") if match is None else (str(match.lastgroup), match[0])

    def take(self) -> str:
        found = self.peek()[1]
        self.at += len(found)
        return found

    def end(self, what: str) -> None:
        if self.peek()[0]:
            self.fail(what)

    def fail(self, what: str, hint: str = "") -> NoReturn:
        found = self.peek()[1]
        shown = repr(found) if found else "the end of the rule"
        raise NotationError(
            f"rule {self.text!r}, at character {self.at + 1}: expected {what}, found {shown}{hint}"
        )


_FORMS = "; a rule is written as 'nDCG@10 >= baseline - 0.01'"
