"""Tables as plain rows, so that tests can say what they expect in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

AT = 1_772_442_930_000
"""A time in March 2026, in milliseconds."""
SAMPLES = Path(__file__).parent / "samples"


def rows(table: Any) -> list[dict[str, Any]]:
    """The rows in order of time, each without the columns that are null."""
    found = [
        {name: value for name, value in row.items() if value is not None}
        for row in table.to_pyarrow().to_pylist()
    ]
    return sorted(found, key=lambda row: (row["time"], str(row)))


def written(path: Path, *lines: str) -> Path:
    """A file of these lines."""
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path
