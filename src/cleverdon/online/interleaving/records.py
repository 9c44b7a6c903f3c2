"""What is stored of an interleaved result page: one small record a query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

VERSION = 1
"""The version of what records look like."""

Value = str | int | float | None
Columns = Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True)
class Record:
    """One result page: what was shown, and what credits clicks on it.

    >>> record = Record("q1", "team-draft", 7, ("x", "y"), {"team": ("B", "A")})
    >>> record.line()
    '{"query_id": "q1", "method": "team-draft", "seed": 7, "version": 1, "docs": ["x", "y"],
      "team": ["B", "A"]}'
    """

    query_id: str
    method: str
    """The name of the method whose rules give credit."""
    seed: int
    docs: tuple[str, ...]
    """As they were shown, from the top."""
    columns: Columns = field(default_factory=dict)
    """What the method notes of each document; null where a click on it counts for nobody."""
    version: int = VERSION

    def line(self) -> str:
        """The record as one line of JSON."""
        fields = {
            "query_id": self.query_id,
            "method": self.method,
            "seed": self.seed,
            "version": self.version,
            "docs": self.docs,
        }
        return json.dumps({**fields, **self.columns}, ensure_ascii=False)
