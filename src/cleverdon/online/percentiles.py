"""Percentiles with one exact definition, whatever the engine.

Engines interpolate, approximate, or round ranks each in their own way. Here a percentile is the
smallest value that at least so many per cent of all values do not exceed, found by counting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ibis

from cleverdon.online.portable import row_number

if TYPE_CHECKING:
    from ibis import Table

_PARTS = 1000
"""Percentiles are told apart to a thousandth, so that ranks are compared as whole numbers."""


def label(percentile: float) -> str:
    """`p50`, `p99.9`."""
    return f"p{percentile:g}"


def percentiles(
    table: Table, value: Any, which: Sequence[float], *, by: Sequence[Any] = ()
) -> Table:
    """A row for each group of `by`, with how many values there are, `n`, and the percentiles.

    Values that are null are left out.
    """
    names = [column.get_name() for column in by]
    values = table.select(*by, value=value)
    values = values.filter(values.value.notnull())
    upwards = ibis.window(group_by=names, order_by="value", preceding=None, following=0)
    together = ibis.window(group_by=names)
    if names:
        # Groups are small: to put them in order is faster than to count equal values first.
        place = row_number(group_by=names, order_by="value")
        ranked = values.mutate(n=1, below=place + 1, all=values.count().over(together))
    else:
        counts = values.group_by("value").agg(n=values.count())
        ranked = counts.mutate(
            below=counts.n.sum().over(upwards), all=counts.n.sum().over(together)
        )
    found = {
        label(percentile): ranked.value.min(
            where=ranked.below * (100 * _PARTS) >= ranked["all"] * round(percentile * _PARTS)
        )
        for percentile in which
    }
    return ranked.agg(by=names, n=ranked.n.sum(), **found)
