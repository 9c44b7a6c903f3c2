"""Scores for plots to draw, larger and odder than those of other tests."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from cleverdon.charts.base import LIMIT
from cleverdon.scores import Scores
from tests.comparison.made import made

ODD = "a <script>alert('&')</script> of \"forty\""


def many(systems: int, queries: int, measures: tuple[str, ...] = ("AP", "FPR", "P@5")) -> Scores:
    """So many systems, each a little better than the one before, on queries that differ more."""
    random = np.random.default_rng(5)
    query = random.uniform(0.1, 0.8, queries)
    return made(
        {
            f"system-{s:02}": {
                name: np.clip(
                    query * (0.9 + s / 50) + random.normal(0, 0.1, queries), 0, 1
                ).tolist()
                for name in measures
            }
            for s in range(systems)
        }
    )


def datasets(chart: Any) -> dict[str, list[dict[str, Any]]]:
    """A chart's rows, which a page can hold and a browser draw."""
    spec = chart.to_dict()
    json.dumps(spec, allow_nan=False)
    found: dict[str, list[dict[str, Any]]] = spec["datasets"]
    assert all(len(rows) <= LIMIT for rows in found.values())
    return found


def subtitle(chart: Any) -> str:
    """What the chart says that it rests on."""
    lines = chart.to_dict()["title"]["subtitle"]
    return lines if isinstance(lines, str) else " ".join(lines)
