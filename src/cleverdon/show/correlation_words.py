"""What correlations of offline measures with an online metric tell, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from cleverdon.online.bridge.by_text import over_queries
from cleverdon.online.bridge.correlation import FEW, Correlation
from cleverdon.show.grid import counted, printable


def sentences(correlations: Sequence[Correlation]) -> list[str]:
    """What they rest on, which sign means agreement, and what does not follow from it."""
    told = [sentence for one in correlations for sentence in (*_basis(one), *_agreement(one))]
    if any(not one.few for one in correlations):
        told.append("That two things go together does not say that one is the cause of the other.")
    return list(dict.fromkeys(told))


def _basis(one: Correlation) -> list[str]:
    metric = one.metric
    over = "queries" if over_queries(metric) else metric.over
    told = [
        f"Over {counted(len(one.points), 'judged query')} whose {metric} rests on at least "
        f"{one.least} {over}, as {printable(one.system)} ranks them."
    ]
    if one.seldom:
        told.append(f"Left out, since it rests on fewer: {counted(one.seldom, 'judged query')}.")
    if one.undefined:
        told.append(
            f"Left out, since {one.measure} has no value: {counted(one.undefined, 'judged query')}."
        )
    if over_queries(metric):
        told.append(f"{metric} is counted over queries here, and not over sessions.")
    return told


def _agreement(one: Correlation) -> list[str]:
    both = f"{one.measure} and {one.metric}"
    if one.few:
        return [f"Fewer than {FEW} queries: the coefficients of {both} tell nothing."]
    if isnan(one.kendall.value):
        return [f"Of {both}, one is the same for all queries: nothing can be told."]
    if one.expected == 0:
        return []
    sign = "positive" if one.expected > 0 else "negative"
    agree = f"{both} agree where the correlation is {sign}"
    ends = [end * one.expected for end in (one.kendall.interval.low, one.kendall.interval.high)]
    if isnan(ends[0]):
        return [f"{agree}; there is no interval of it."]
    if min(ends) > 0:
        return [f"{agree}, and the interval of Kendall's tau says that it is."]
    if max(ends) < 0:
        return [f"{agree}, and the interval of Kendall's tau says that it is not."]
    return [
        f"{agree}; whether it is remains open, since the interval of Kendall's tau has 0 in it."
    ]
