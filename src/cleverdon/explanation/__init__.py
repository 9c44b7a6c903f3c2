"""Explain where one query's score comes from, rank by rank.

What a result adds is found without knowing the measure: with only the first i hits counted, and
all other results as if nobody had judged them, a measure has some value; with one hit more it has
another, and the difference is what that hit adds. The differences add up to the score, whatever
the measure. Measures may show their working beside it, as gains and discounts
(`Measure.working`).

What would gain most is tried out: every relevant document at the place where a better ranking
would have it, and every unjudged result near the top with the best grade.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.explanation.difference import TraceDifference, trace_difference
    from cleverdon.explanation.traces import Explanation, Trace, explain

__all__ = ["Explanation", "Trace", "TraceDifference", "explain", "trace_difference"]

__getattr__ = lazy_names(
    __name__,
    {
        "Explanation": "explanation.traces",
        "Trace": "explanation.traces",
        "TraceDifference": "explanation.difference",
        "explain": "explanation.traces",
        "trace_difference": "explanation.difference",
    },
)
