"""The description of a tool in a task, and the names of the five measures in each tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from benchmarks.measure import Memory

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
TREC_EVAL = ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.100")
TREC_EVAL_PRINTED = ("ndcg_cut_10", "map", "recip_rank", "P_10", "recall_100")
RANX = ("ndcg@10", "map", "mrr", "precision@10", "recall@100")

Values = dict[str, dict[str, float]]
"""The values by query and measure; the key "mean" alone for tools that give only means."""

PRINTED = 1.01e-4
"""Two numbers rounded to four decimals may differ by one in the last decimal."""

EXACT = 1e-9

RANX_TIES = 1e-3
"""ranx sorts with an unstable quicksort, so its order of equal scores is arbitrary."""


DRAWN = 0.03
"""p-values of 10,000 or more random draws may differ by four standard errors of each."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A tool in one task, and the target there.

    `slower` is the least ratio of the tool's time to Cleverdon's, `at_most` the largest (if the
    tool is Cleverdon as well). `faster` is the largest ratio of Cleverdon's time to the tool's.
    `anonymous` is the most bytes of anonymous memory that the tool itself may hold. `share` is the
    part of the task that the tool gets if all of it would take too long; its time is divided by it.
    """

    name: str
    module: str | None = None
    tolerance: float = EXACT
    slower: float | None = None
    at_most: float | None = None
    faster: float | None = None
    anonymous: int | None = None
    share: float = 1.0

    def missing(self) -> str | None:
        """Return why the tool cannot be measured here, if it cannot."""
        absent = self.module is not None and find_spec(self.module) is None
        return "not installed" if absent else None

    @property
    def target(self) -> str:
        """Describe the target."""
        if self.slower is not None:
            return f"at least {self.slower:g}x slower"
        if self.at_most is not None:
            return f"at most {self.at_most:g}x slower"
        if self.faster is not None:
            return f"at most {self.faster:g}x faster"
        if self.anonymous is not None:
            return f"anonymous < {self.anonymous / 1e6:g} MB"
        return ""

    def met(self, ratio: float | None, memory: Memory) -> bool | None:
        """Tell whether the target is met; `ratio` is the tool's time divided by Cleverdon's."""
        if self.slower is not None and ratio is not None:
            return ratio >= self.slower
        if self.at_most is not None and ratio is not None:
            return ratio <= self.at_most
        if self.faster is not None and ratio is not None:
            return ratio >= 1 / self.faster
        if self.anonymous is not None and memory.anonymous is not None:
            return memory.anonymous < self.anonymous
        return None


def by_measure(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    """Rename values by the tool's own names, which are in the order of `MEASURES`."""
    return {measure: float(values[name]) for measure, name in zip(MEASURES, names, strict=True)}


def disagreement(expected: Values, found: Values, *, tolerance: float) -> str | None:
    """Describe the values that differ from `expected` by more than `tolerance`, if any."""
    if expected.keys() != found.keys():
        return f"{len(expected.keys() ^ found.keys())} queries are in one result only"
    wrong = [
        f"{measure} of {query} is {found[query][measure]:.9g}, expected {value:.9g}"
        for query, values in expected.items()
        for measure, value in values.items()
        if not abs(value - found[query][measure]) <= tolerance  # unlike `>`, true for NaN
    ]
    return f"{len(wrong)} values differ: {wrong[0]}" if wrong else None
