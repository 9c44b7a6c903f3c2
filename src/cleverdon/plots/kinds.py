"""The list of plots that `cleverdon plot` and `cleverdon.plots` offer.

A plot is called as its function, with dashes for underscores. The function's parameters say which
options it takes: see `plots/cli.py`. No altair here, so that plots can be listed and completed at
once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

_PlotSource = Literal["measures", "scores", "rankings", "bounds", "comparison", "all pairs"]
"""The input of a plot: measures without files; scores, with or without the rankings behind them or
their bounds; a comparison of systems, with or without a baseline."""


class PlotKind(NamedTuple):
    """One of the plots."""

    home: str  # its function's module within cleverdon.plots
    of: _PlotSource
    about: str
    defaults: Mapping[str, Any] = {}  # by option, where the function has no default


PLOT_KINDS = {
    "precision-recall": PlotKind(
        "curves",
        "rankings",
        "Precision against recall down the ranking of one query, raw and interpolated.",
    ),
    "eleven-points": PlotKind(
        "curves", "rankings", "Mean precision at eleven levels of recall, a line for each system."
    ),
    "roc": PlotKind(
        "curves", "rankings", "True against false positives, with the area under each curve."
    ),
    "f-lines": PlotKind(
        "trade_offs", "rankings", "Mean precision and recall of each system, over lines of equal F."
    ),
    "confusion": PlotKind(
        "matrices",
        "rankings",
        "Returned and relevant documents: a confusion matrix for each system.",
    ),
    "grades-by-rank": PlotKind(
        "matrices", "rankings", "The number of documents of each grade, by rank."
    ),
    "by-cutoff": PlotKind(
        "cutoff_curves",
        "rankings",
        "A measure at one cut-off after the other, a line for each system.",
    ),
    "spread": PlotKind(
        "distributions", "scores", "The spread of values over queries: a box for each system."
    ),
    "histogram": PlotKind(
        "distributions", "scores", "The number of queries by value, system by system."
    ),
    "queries": PlotKind(
        "by_query",
        "scores",
        "One system query by query, or its gains and losses against a baseline.",
    ),
    "heat-map": PlotKind(
        "by_query", "scores", "Every system on every query, the hardest queries first."
    ),
    "differences": PlotKind(
        "distributions",
        "scores",
        "The number of queries by gain or loss against a baseline, or the median.",
        {"baseline": "median"},
    ),
    "forest": PlotKind(
        "comparisons", "comparison", "Differences between systems, with intervals and p-values."
    ),
    "pairs": PlotKind(
        "comparisons",
        "all pairs",
        "Every system against every other: p-values or effect sizes.",
    ),
    "trade-off": PlotKind(
        "trade_offs", "scores", "Systems by two measures, and which are not beaten on both."
    ),
    "pareto": PlotKind(
        "trade_offs", "scores", "Quality against response time and index size; needs --costs."
    ),
    "correlation": PlotKind(
        "matrices", "scores", "Rank correlation of measures: do they order the systems alike?"
    ),
    "bounds": PlotKind(
        "comparisons", "bounds", "The bounds of each mean over ties and unjudged results."
    ),
    "attention": PlotKind(
        "user_models", "measures", "The weight of each rank by a measure; needs no files."
    ),
    "gains": PlotKind(
        "user_models", "measures", "The weight of each grade by a measure; needs no files."
    ),
}
