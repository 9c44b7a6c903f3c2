"""Plots of rankings, scores and comparisons: one function each, which returns an altair chart.

They are drawn from `Scores`, or from a `Comparison`; those that draw rankings need scores made
with `evaluate(..., keep=k)`. `save` writes a chart to a file. Names are loaded when they are first
used, since altair takes a while to import. See docs/plots.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names
from cleverdon.plots.kinds import PLOT_KINDS

if TYPE_CHECKING:  # the functions of PLOT_KINDS, for type checkers
    from cleverdon.charts.export import save as save
    from cleverdon.plots.by_query import heat_map as heat_map
    from cleverdon.plots.by_query import queries as queries
    from cleverdon.plots.comparisons import bounds as bounds
    from cleverdon.plots.comparisons import forest as forest
    from cleverdon.plots.comparisons import pairs as pairs
    from cleverdon.plots.curves import eleven_points as eleven_points
    from cleverdon.plots.curves import precision_recall as precision_recall
    from cleverdon.plots.curves import roc as roc
    from cleverdon.plots.cutoff_curves import by_cutoff as by_cutoff
    from cleverdon.plots.distributions import differences as differences
    from cleverdon.plots.distributions import histogram as histogram
    from cleverdon.plots.distributions import spread as spread
    from cleverdon.plots.matrices import confusion as confusion
    from cleverdon.plots.matrices import correlation as correlation
    from cleverdon.plots.matrices import grades_by_rank as grades_by_rank
    from cleverdon.plots.trade_offs import f_lines as f_lines
    from cleverdon.plots.trade_offs import pareto as pareto
    from cleverdon.plots.trade_offs import trade_off as trade_off
    from cleverdon.plots.user_models import attention as attention
    from cleverdon.plots.user_models import gains as gains

_HOMES = {name.replace("-", "_"): f"plots.{kind.home}" for name, kind in PLOT_KINDS.items()}
_HOMES["save"] = "charts.export"

__all__ = sorted(_HOMES)

__getattr__ = lazy_names(__name__, _HOMES)
