"""A rule's text, read from left to right."""

from __future__ import annotations

import re
from typing import NoReturn

from cleverdon.compare.limits import COMPARISONS
from cleverdon.errors import NotationError, suggest

FORMS = "; a rule is written as 'nDCG@10 >= baseline - 0.01'"
SHARES = "; a share of what the baseline has is written as 'baseline + 10%'"
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<comparison>[<>=!~≤≥]+)|(?P<word>[^\W\d]\w*)|(?P<mark>\S)"
)
_SLIPS = {"=>": ">=", "=<": "<=", "=": "==", "≥": ">=", "≤": "<="}


class RuleText:
    """The text, and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

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

    def comparison(self, *, other: str = "", forms: str = FORMS) -> str:
        """One of COMPARISONS; `other` is what could stand in its place, `forms` how rules are."""
        found = self.peek()[1]
        if found not in COMPARISONS:
            near = _SLIPS.get(found)
            self.fail(
                ", ".join(COMPARISONS) + other,
                hint=f"; did you mean {near!r}?" if near else forms,
            )
        return self.take()

    def change(self) -> str:
        """Behind 'baseline': the sign of what is added to it, or nothing."""
        sign = self.peek()[1]
        if sign not in ("+", "-"):
            self.end("'+', '-' or the end of the rule", hint=SHARES if sign == "*" else "")
            return ""
        return self.take()

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
        """What stands up to a blank or a comparison, those in brackets aside; it is not taken."""
        end, depth = self.at, 0
        while end < len(self.text):
            char = self.text[end]
            if depth == 0 and (char.isspace() or char in "<>=≤≥!"):
                break
            depth += (char in "({") - (char in ")}")
            end += 1
        return self.text[self.at : end]

    def peek(self) -> tuple[str, str]:
        """The kind and the text of what comes next; both are empty at the end."""
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
