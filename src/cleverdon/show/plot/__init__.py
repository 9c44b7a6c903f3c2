"""Plots: one function each, which returns an altair chart; `save` writes it to a file.

They are drawn from `Scores`, or from a `Comparison`; those that draw rankings want scores made with
`evaluate(..., keep=k)`. See docs/plots.md.
"""

from cleverdon.show.plot.attention import attention, gains
from cleverdon.show.plot.bounds import bounds
from cleverdon.show.plot.by_cutoff import by_cutoff
from cleverdon.show.plot.by_topic import heat_map, topics
from cleverdon.show.plot.confusion import confusion
from cleverdon.show.plot.correlation import correlation
from cleverdon.show.plot.eleven_points import eleven_points
from cleverdon.show.plot.engine.pareto import pareto
from cleverdon.show.plot.f_lines import f_lines
from cleverdon.show.plot.forest import forest
from cleverdon.show.plot.grades_by_rank import grades_by_rank
from cleverdon.show.plot.histogram import differences, histogram
from cleverdon.show.plot.pairs import pairs
from cleverdon.show.plot.precision_recall import precision_recall
from cleverdon.show.plot.roc import roc
from cleverdon.show.plot.save import save
from cleverdon.show.plot.spread import spread
from cleverdon.show.plot.trade_off import trade_off

__all__ = [
    "attention",
    "bounds",
    "by_cutoff",
    "confusion",
    "correlation",
    "differences",
    "eleven_points",
    "f_lines",
    "forest",
    "gains",
    "grades_by_rank",
    "heat_map",
    "histogram",
    "pairs",
    "pareto",
    "precision_recall",
    "roc",
    "save",
    "spread",
    "topics",
    "trade_off",
]
