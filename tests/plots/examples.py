"""A call of every plot, for tests that hold all of them to the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from cleverdon import Scores, evaluate
from cleverdon.comparison.differences import Comparison, compare
from cleverdon.costs import Cost, Costs
from cleverdon.plots import (
    by_query,
    comparisons,
    curves,
    cutoff_curves,
    distributions,
    matrices,
    trade_offs,
    user_models,
)

SYSTEMS = ("plain", "a <b>&</b> c", 'with "quotes"')
TEXTS = {"q00": "what is <b>bold</b>", "q01": "a & b"}


@cache
def scores() -> Scores:
    """Three systems that find relevant documents sooner or later, on 12 queries in three grades."""
    qrels = {f"q{t:02}": {f"d{d}": (t + d) % 3 for d in range(9)} for t in range(12)}
    runs = {
        system: {
            query: {f"d{d}": float((d * (s + 2) + t * (s + 1)) % 11) for d in range(2 * s, 11)}
            for t, query in enumerate(qrels)
        }
        for s, system in enumerate(SYSTEMS)
    }
    return evaluate(qrels, runs, "AP nDCG@10 P@5", keep=10, bounds=True)


@cache
def comparison(baseline: str | None = None) -> Comparison:
    return compare(scores(), baseline=baseline)


def costs() -> dict[str, Costs]:
    """A system that is faster has a larger index."""
    return {
        system: Costs(system, {"p99": Cost(0.01 * 4**s), "index_size": Cost(1e7 / 2**s)})
        for s, system in enumerate(SYSTEMS)
    }


EXAMPLES: dict[str, Callable[[], Any]] = {
    "attention": lambda: user_models.attention(),
    "bounds": lambda: comparisons.bounds(scores()),
    "by_cutoff": lambda: cutoff_curves.by_cutoff(scores(), "nDCG", cutoffs=[1, 2, 5]),
    "confusion": lambda: matrices.confusion(scores(), k=5),
    "correlation": lambda: matrices.correlation(scores()),
    "differences": lambda: distributions.differences(scores(), "AP", baseline="median"),
    "eleven_points": lambda: curves.eleven_points(scores()),
    "f_lines": lambda: trade_offs.f_lines(scores(), k=5),
    "forest": lambda: comparisons.forest(comparison("plain")),
    "gains": lambda: user_models.gains(),
    "grades_by_rank": lambda: matrices.grades_by_rank(scores()),
    "heat_map": lambda: by_query.heat_map(scores(), "AP", baseline="plain", texts=TEXTS),
    "histogram": lambda: distributions.histogram(scores(), "AP"),
    "pairs": lambda: comparisons.pairs(comparison(), "AP"),
    "pareto": lambda: trade_offs.pareto(scores(), costs(), "AP"),
    "precision_recall": lambda: curves.precision_recall(scores(), "q01", texts=TEXTS),
    "roc": lambda: curves.roc(scores()),
    "spread": lambda: distributions.spread(scores(), "AP"),
    "queries": lambda: by_query.queries(scores(), "AP", SYSTEMS[1], baseline="plain", texts=TEXTS),
    "trade_off": lambda: trade_offs.trade_off(scores(), "AP", "P@5", intervals=True),
}
"""By the name of the plot's function."""


@cache
def chart(name: str) -> Any:
    """The example of a plot, drawn once."""
    return EXAMPLES[name]()


@cache
def spec(name: str) -> dict[str, Any]:
    """Its Vega-Lite specification, which altair holds to the schema."""
    found: dict[str, Any] = chart(name).to_dict()
    return found
