"""The bridge between judgments and the traffic of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.logs.bridge.analysis import (
        Bridge,
        Correlation,
        Weighting,
        bridge,
        correlate_with_metric,
        weight_by_traffic,
    )
    from cleverdon.logs.bridge.traffic import (
        Coverage,
        JudgingCandidates,
        Traffic,
        count_traffic,
        judging_candidates,
        match_topics,
        measure_coverage,
    )

_HOME = {
    "Bridge": "logs.bridge.analysis",
    "Correlation": "logs.bridge.analysis",
    "Coverage": "logs.bridge.traffic",
    "JudgingCandidates": "logs.bridge.traffic",
    "Traffic": "logs.bridge.traffic",
    "Weighting": "logs.bridge.analysis",
    "bridge": "logs.bridge.analysis",
    "correlate_with_metric": "logs.bridge.analysis",
    "count_traffic": "logs.bridge.traffic",
    "judging_candidates": "logs.bridge.traffic",
    "match_topics": "logs.bridge.traffic",
    "measure_coverage": "logs.bridge.traffic",
    "weight_by_traffic": "logs.bridge.analysis",
}

__all__ = [
    "Bridge",
    "Correlation",
    "Coverage",
    "JudgingCandidates",
    "Traffic",
    "Weighting",
    "bridge",
    "correlate_with_metric",
    "count_traffic",
    "judging_candidates",
    "match_topics",
    "measure_coverage",
    "weight_by_traffic",
]

__getattr__ = lazy_names(__name__, _HOME)
