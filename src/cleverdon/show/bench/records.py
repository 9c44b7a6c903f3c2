"""A bench as JSON: seconds and bytes as plain numbers, with all digits, and nothing secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, plain, plain_record
from cleverdon.costs import VERSION, Cost, Costs
from cleverdon.engine.load.cold import ColdWarm
from cleverdon.engine.load.latencies import latencies
from cleverdon.engine.load.records import Load
from cleverdon.engine.load.soak import Soak
from cleverdon.engine.load.sweep import Sweep
from cleverdon.engine.load.versus import Versus
from cleverdon.show.bench.about import Bench


def as_json(bench: Bench) -> dict[str, Any]:
    """What `cleverdon bench --json` writes, and `read_costs` reads."""
    found = bench.found
    record: dict[str, Any] = {
        "kind": "cleverdon bench",
        "version": VERSION,
        "system": bench.system,
        "mode": _MODES[type(found)],
        "settings": {"engine": dict(bench.engine), **bench.settings},
        "costs": costs_of(bench).to_json(),
        "not_valid": list(bench.not_valid),
        "interrupted": bench.interrupted,
        _MODES[type(found)]: _RECORDS[type(found)](found, bench.confidence),
    }
    if bench.quality:
        record["quality"] = {name: plain(value) for name, value in bench.quality.items()}
        record["quality_notes"] = list(bench.quality_notes)
    if bench.answers:
        record["run"] = {topic: dict(rows) for topic, rows in bench.answers.items()}
    return record


def costs_of(bench: Bench) -> Costs:
    """What gates and reports hold systems to.

    Of a sweep, times are those at the knee; of a comparison, those of the first engine over all of
    its blocks; of cold and warm there are none, since there was no load.
    """
    found = bench.found
    by_name: dict[str, Cost] = {}
    if isinstance(found, Load):
        by_name = _load_costs([found], bench.confidence)
    elif isinstance(found, Soak):
        by_name = _load_costs([found.load], bench.confidence)
    elif isinstance(found, Versus):
        by_name = _load_costs([pair[0] for pair in found.pairs], bench.confidence)
    elif isinstance(found, Sweep) and found.knee.rate is not None:
        at = found.knee
        kept = [step.load for step in found.steps if step.rate == at.rate]
        by_name = _load_costs(kept, bench.confidence)
        by_name["knee"] = Cost(found.knee.rate, at.low, at.high)
    if bench.index_size is not None:
        by_name["index_size"] = Cost(float(bench.index_size))
    return Costs(system=bench.system, by_name=by_name, not_valid=bench.not_valid)


def _load_costs(loads: Sequence[Load], confidence: float) -> dict[str, Cost]:
    times = np.concatenate([load.response for load in loads])
    found: dict[str, Cost] = {}
    if len(times):
        percentiles = latencies(times, confidence=confidence).percentiles
        found = {one.name: Cost(one.value, one.low, one.high) for one in percentiles}
    found["throughput"] = Cost(float(np.mean([load.throughput for load in loads])))
    found["errors"] = Cost(float(np.mean([load.share_failed for load in loads])))
    return found


def _load(load: Load, confidence: float) -> dict[str, Any]:
    return {
        "requests": len(load.intended),
        "answered": int(load.answered.sum()),
        "seconds": load.seconds,
        "throughput": load.throughput,
        "errors": load.errors(),
        "messages": dict(load.messages),
        "response": _times(load.response, confidence),
        "service": _times(load.service, confidence),
        "generator": asdict(load.generator),
    }


def _times(seconds: Floats, confidence: float) -> dict[str, Any] | None:
    return latencies(seconds, confidence=confidence).to_json() if len(seconds) else None


def _sweep(found: Sweep, confidence: float) -> dict[str, Any]:
    return {
        "goal": asdict(found.goal),
        "knee": asdict(found.knee),
        "not_tried": list(found.not_tried),
        "steps": [
            {
                "rate": step.rate,
                "keeps": step.keeps,
                "broken": list(step.broken),
                "uncertain": step.uncertain,
                "kept_up": step.kept_up,
                "not_valid": list(step.not_valid),
                **_load(step.load, confidence),
            }
            for step in found.steps
        ],
    }


def _versus(found: Versus, confidence: float) -> dict[str, Any]:
    return {
        "systems": list(found.names),
        "pairs": len(found.pairs),
        "level": found.level,
        "left_out": list(found.left_out),
        "differences": {
            name: plain_record(asdict(change)) | {"verdict": found.verdict(name)}
            for name, change in found.changes.items()
        },
        "blocks": [
            {name: _load(load, confidence) for name, load in zip(found.names, pair, strict=True)}
            for pair in found.pairs
        ],
    }


def _cold(found: ColdWarm, confidence: float) -> dict[str, Any]:
    times = {
        which: {name: plain(found.percentile(which, name)) for name in ("p50", "p90", "p99")}
        for which in ("cold", "warm")
    }
    return {
        **times,
        "ratio": plain_record(asdict(found.ratio)),
        "emptied": found.emptied,
        "repetitions": len(found.cold),
        "queries": len(found.queries),
        "failed": found.failed,
    }


def _soak(found: Soak, confidence: float) -> dict[str, Any]:
    return {
        "window": found.window,
        "windows": [plain_record(asdict(window)) for window in found.windows],
        "drifts": {
            name: plain_record(asdict(one))
            | {"corrected": found.corrected[name], "verdict": found.verdict(name)}
            for name, one in found.drifts.items()
        },
        "load": _load(found.load, confidence),
    }


_MODES: dict[type[Any], str] = {
    Load: "load",
    Sweep: "sweep",
    Versus: "versus",
    ColdWarm: "cold",
    Soak: "soak",
}
_RECORDS: dict[type[Any], Any] = {
    Load: _load,
    Sweep: _sweep,
    Versus: _versus,
    ColdWarm: _cold,
    Soak: _soak,
}
