"""Where one query's score comes from: what each result adds to it, and what would gain most.

What a result adds is told without knowing the measure: with only the first i hits counted, and all
other results as if nobody had judged them, a measure has some value; with one hit more it has
another, and the difference is what that hit adds. The differences add up to the score, whatever
the measure. Measures may show their working beside it, as gains and discounts (`Measure.working`).

What would gain most is tried out: every relevant document at the place where a better ranking would
have it, and every unjudged result near the top with the best grade.
"""

from __future__ import annotations

from cleverdon.tracing.contributions import traced
from cleverdon.tracing.difference import Part, TracedDifference, difference
from cleverdon.tracing.query import Tracer, trace
from cleverdon.tracing.results import Ideal, Move, Step, Trace

__all__ = [
    "Ideal",
    "Move",
    "Part",
    "Step",
    "Trace",
    "TracedDifference",
    "Tracer",
    "difference",
    "trace",
    "traced",
]
