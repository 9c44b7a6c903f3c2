"""Response times as a log of HdrHistograms, which tools for such logs read."""

from __future__ import annotations

from cleverdon.engine.load.cold import ColdWarm
from cleverdon.engine.load.histogram import HEADER, Histogram
from cleverdon.engine.load.records import Load
from cleverdon.engine.load.soak import Soak
from cleverdon.engine.load.sweep import Sweep
from cleverdon.errors import OptionError
from cleverdon.show.bench.about import Found


def histogram_log(found: Found) -> str:
    """A line for each load, one after the other: of response times, and of service times."""
    lines = [HEADER]
    start = 0.0
    for name, load in _named(found):
        for kind, times in (("response", load.response), ("service", load.service)):
            tag = f"{name}-{kind}" if name else kind
            lines.append(Histogram.of(times).log_line(start=start, seconds=load.seconds, tag=tag))
        start += load.seconds
    return "".join(lines)


def _named(found: Found) -> list[tuple[str, Load]]:
    if isinstance(found, Load):
        return [("", found)]
    if isinstance(found, Soak):
        return [("", found.load)]
    if isinstance(found, Sweep):
        return [(f"{step.rate:g}", step.load) for step in found.steps]
    if isinstance(found, ColdWarm):
        raise OptionError("a histogram is of a load, and cold and warm are one query at a time")
    # A comma or a space in a tag would end it.
    names = ["".join(c if c.isalnum() or c in "-_." else "_" for c in n) for n in found.names]
    return [(names[side], pair[side]) for pair in found.pairs for side in (0, 1)]
