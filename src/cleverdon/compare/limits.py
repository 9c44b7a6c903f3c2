"""What a value is held against: a number, or what the baseline has and something on top."""

from __future__ import annotations

import operator

COMPARISONS = (">=", ">", "<=", "<", "==")
SAME = 1e-9
"""Numbers no further apart are equal: 0.5 - 0.01 must not miss 0.49 by its last digit.

Of large ones, as sizes in bytes, it is this share of them.
"""


class Limited:
    """A rule that compares a value with a limit."""

    comparison: str
    number: float  # the limit; or what is added to the baseline, if it is `of_baseline`
    of_baseline: bool
    percent: bool

    def limit(self, baseline: float) -> float:
        """What the value is held against; `baseline` is what the baseline has."""
        if not self.of_baseline:
            return self.number
        share = abs(baseline) / 100 if self.percent else 1.0
        return baseline + self.number * share

    def holds(self, value: float, limit: float) -> bool:
        """Whether the value is on the right side; what differs by rounding alone is equal."""
        if abs(value - limit) <= SAME * max(1.0, abs(limit)):
            return self.comparison in (">=", "<=", "==")
        compare = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
        return self.comparison != "==" and bool(compare[self.comparison](value, limit))

    def asks_for_worse(self, better: str) -> bool:
        """Whether worse values keep the rule more easily, which is probably a slip."""
        wrong = {"higher": ("<=", "<"), "lower": (">=", ">")}
        return self.comparison in wrong.get(better, ())
