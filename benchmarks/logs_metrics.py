"""The metrics of a log by Cleverdon, in the form in which they are held against those by hand.

python -m benchmarks.logs_metrics FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.peers import Values
from cleverdon.logs.compute import MetricResults, MetricValue, measure_log
from cleverdon.logs.metrics.base import Count
from cleverdon.logs.reading.reader import read_log


def ours(folder: Path) -> Values:
    """All metrics of the log in a folder."""
    results = measure_log(read_log(folder))
    found = {str(value.metric): _told(value) for value in results.values}
    for name in ("TopQueries", "TopZeroResults", "TopAbandoned"):
        found[name] = {row["text"]: row["count"] for row in results.list(name).rows}
    found["LinkCTR"] = _column(results, "LinkCTR", "doc", "share")
    found["HeadTorsoTail"] = _column(results, "HeadTorsoTail", "band", "count")
    found["QueriesPerTime"] = _column(results, "QueriesPerTime", "span", "peak")
    spikes = results.list("LatencySpikes").rows
    minutes = sum(spike["minutes"] for spike in spikes)
    found["LatencySpikes"] = {"spikes": len(spikes), "minutes": minutes}
    found["LatencyByLoad"] = {
        f"{label} of group {number}": row[label]
        for number, row in enumerate(results.list("LatencyByLoad").rows)
        for label in ("p50", "p95")
    }
    return {name: {x: float(v) for x, v in values.items()} for name, values in found.items()}


def _told(value: MetricValue) -> dict[str, float]:
    told = {"value": value.value}
    if not isinstance(value.metric, Count):
        told |= {"low": value.low, "high": value.high, "over": value.denominator}
    return {
        name: number for name, number in {**told, **value.percentiles}.items() if number is not None
    }


def _column(results: MetricResults, metric: str, key: str, column: str) -> dict[str, float]:
    return {row[key]: row[column] for row in results.list(metric).rows}


if __name__ == "__main__":
    print(json.dumps(ours(Path(sys.argv[1]))))
