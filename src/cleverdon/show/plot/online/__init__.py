"""Plots of search logs: one function each, which returns an altair chart.

They are drawn from what `cleverdon.online` counts, and stand in the report of a log;
`cleverdon.show.plot.save` writes one to a file.
"""

from cleverdon.show.plot.online.bands import bands
from cleverdon.show.plot.online.busy_hours import busy_hours
from cleverdon.show.plot.online.by_day import by_day
from cleverdon.show.plot.online.distribution import distribution
from cleverdon.show.plot.online.effects import effects
from cleverdon.show.plot.online.funnel import funnel
from cleverdon.show.plot.online.latency import latency_by_load, latency_over_time
from cleverdon.show.plot.online.searches import searches_over_time

__all__ = [
    "bands",
    "busy_hours",
    "by_day",
    "distribution",
    "effects",
    "funnel",
    "latency_by_load",
    "latency_over_time",
    "searches_over_time",
]
