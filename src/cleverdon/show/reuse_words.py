"""What a system that was not pooled would lose, in sentences."""

from __future__ import annotations

from math import isnan

from cleverdon.pool.recall.reuse import LeftOut, Reuse
from cleverdon.show.grid import printable
from cleverdon.show.recall_phrases import NAMED

_NOTHING = 0.0005
"""Shares below it are printed as 0.0%."""


def reusable(reuse: Reuse | None) -> str:
    """How much a system that was not pooled would lose, beside the others."""
    if reuse is None or not reuse.systems:
        return ""
    measure = reuse.systems[0].measure
    mean, others = reuse.mean_relative(measure), reuse.mean_others(measure)
    if isnan(mean):
        return ""
    worst = reuse.worst(measure)
    meanwhile = "" if isnan(others) else f", while the others change by {others:+.1%}"
    loses = "none would lose any"
    if _loss(worst, worst.relative) >= _NOTHING:
        loses = f"{printable(worst.system)} would lose most, {abs(worst.relative):.1%}"
    fallen = reuse.fallen(measure)
    falls = "No system would lose a rank."
    if fallen:
        each = [f"{printable(one.system)} ({one.rank} to {one.rank_unpooled})" for one in fallen]
        more = f" and {len(each) - NAMED:,} more" if len(each) > NAMED else ""
        falls = f"Ranks would be lost by {', '.join(each[:NAMED])}{more}."
    return (
        f"A system that was not pooled would be {_rated(worst, mean)} on average ({measure})"
        f"{meanwhile}; {loses}. {falls}"
    )


def _loss(one: LeftOut, relative: float) -> float:
    """How much worse, whichever direction is better."""
    return relative if one.measure.better == "lower" else -relative


def _rated(one: LeftOut, mean: float) -> str:
    loss = _loss(one, mean)
    if abs(loss) < _NOTHING:
        return "rated the same"
    return f"{'underrated' if loss > 0 else 'overrated'} by {abs(loss):.1%}"
