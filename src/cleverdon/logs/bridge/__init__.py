"""The bridge between judgments and the traffic of a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

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
        match_queries,
        measure_coverage,
    )

_NAMES = {
    "analysis": "Bridge Correlation Weighting bridge correlate_with_metric weight_by_traffic",
    "traffic": "Coverage JudgingCandidates Traffic count_traffic judging_candidates match_queries "
    "measure_coverage",
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
    "match_queries",
    "measure_coverage",
    "weight_by_traffic",
]

__getattr__ = lazy_modules(__name__, _NAMES)
