"""The plot of a bench, whatever it was."""

from __future__ import annotations

from cleverdon.engine.load.cold import ColdWarm
from cleverdon.engine.load.records import Load
from cleverdon.engine.load.sweep import Sweep
from cleverdon.engine.load.versus import Versus
from cleverdon.show.bench import Bench
from cleverdon.show.plot.base import Chart
from cleverdon.show.plot.engine.differences import percentile_differences
from cleverdon.show.plot.engine.percentiles import cold_warm_curve, percentile_curve
from cleverdon.show.plot.engine.soaking import soak_over_time
from cleverdon.show.plot.engine.throughput import throughput_curve


def plotted(bench: Bench) -> Chart:
    """Percentiles of a load or a cache, a sweep's curve, differences, or a soak over time."""
    found, system = bench.found, bench.system
    if isinstance(found, Load):
        return percentile_curve(found, system=system, confidence=bench.confidence)
    if isinstance(found, Sweep):
        return throughput_curve(found, system=system)
    if isinstance(found, Versus):
        return percentile_differences(found)
    if isinstance(found, ColdWarm):
        return cold_warm_curve(found, system=system)
    return soak_over_time(found, system=system)
