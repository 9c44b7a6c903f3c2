"""The metrics of a log by Cleverdon, in the form in which they are held against those by hand.

python -m benchmarks.logs_observed FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.peers import Values
from cleverdon.online.metrics.base import Count
from cleverdon.online.observing import Observed, Value, observe
from cleverdon.online.reading import read_log


def ours(folder: Path) -> Values:
    """All metrics of the log in a folder."""
    observed = observe(read_log(folder))
    found = {str(value.metric): _told(value) for value in observed.values}
    for name in ("TopQueries", "TopZeroResults", "TopAbandoned"):
        found[name] = {row["text"]: row["count"] for row in observed.list(name).rows}
    found["HeadTorsoTail"] = _column(observed, "HeadTorsoTail", "band", "count")
    found["QueriesPerTime"] = _column(observed, "QueriesPerTime", "span", "peak")
    spikes = observed.list("LatencySpikes").rows
    minutes = sum(spike["minutes"] for spike in spikes)
    found["LatencySpikes"] = {"spikes": len(spikes), "minutes": minutes}
    found["LatencyByLoad"] = {
        f"{label} of group {number}": row[label]
        for number, row in enumerate(observed.list("LatencyByLoad").rows)
        for label in ("p50", "p95")
    }
    return {name: {x: float(v) for x, v in values.items()} for name, values in found.items()}


def _told(value: Value) -> dict[str, float]:
    told = {"value": value.value}
    if not isinstance(value.metric, Count):
        told |= {"low": value.low, "high": value.high, "over": value.denominator}
    return {
        name: number for name, number in {**told, **value.percentiles}.items() if number is not None
    }


def _column(observed: Observed, metric: str, key: str, column: str) -> dict[str, float]:
    return {row[key]: row[column] for row in observed.list(metric).rows}


if __name__ == "__main__":
    print(json.dumps(ours(Path(sys.argv[1]))))
