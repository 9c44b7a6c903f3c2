"""What is in a pool: how much there is to judge, and what each system brought in."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np

from cleverdon.pool.pooled import Pool
from cleverdon.show.grid import Grid, counted, laid_out, printable


def render(pool: Pool, format: str = "table") -> str:
    """A row a system: how many documents of the pool it returned, and how many no other did."""
    systems = _systems(pool)
    if format == "json":
        return json.dumps(_record(pool, systems), indent=1, ensure_ascii=False)
    grid = Grid(
        header=["run", "in the pool", "to judge", "no other run's"],
        rows=[
            [
                printable(name),
                *(f"{number:,}" if format == "table" else str(number) for number in row),
            ]
            for name, *row in systems
        ],
        labels=1,
        notes=_notes(pool),
    )
    return laid_out(grid, format)


def _systems(pool: Pool) -> list[tuple[str, int, int, int]]:
    """Of each system: its documents in the pool, those to be judged, those that are its alone."""
    doc = np.repeat(np.arange(len(pool)), np.diff(pool.row_starts))
    count = len(pool.contributors)
    alone = np.diff(pool.row_starts)[doc] == 1
    columns = (
        np.bincount(pool.system, minlength=count),
        np.bincount(pool.system[pool.drawn[doc]], minlength=count),
        np.bincount(pool.system[alone & pool.drawn[doc]], minlength=count),
    )
    names = [each.name for each in pool.contributors]
    return list(zip(names, *(column.tolist() for column in columns), strict=True))


def _notes(pool: Pool) -> list[str]:
    to_judge = _per_topic(pool)
    total = int(to_judge.sum())
    among = f"{counted(total, 'document')} to judge for {counted(len(pool.topics), 'query')}"
    spread = f"{to_judge.min():,} to {to_judge.max():,}, {to_judge.mean():,.1f} on average"
    notes = [f"{among}: {spread}"]
    if total < len(pool):
        notes.append(f"drawn from a pool of {counted(len(pool), 'document')}")
    if pool.stratum is not None:
        sizes, drawn = Counter(pool.stratum.tolist()), Counter(pool.stratum[pool.drawn].tolist())
        parts = (f"{drawn[at]:,} of {sizes[at]:,} in stratum {at}" for at in sorted(sizes))
        notes.append(", ".join(parts))
    return notes


def _per_topic(pool: Pool) -> Any:
    return np.add.reduceat(pool.drawn.astype(np.int64), pool.starts[:-1])


def _record(pool: Pool, systems: list[tuple[str, int, int, int]]) -> dict[str, Any]:
    to_judge = _per_topic(pool).tolist()
    return {
        "how": dict(pool.how),
        "documents": len(pool),
        "to_judge": sum(to_judge),
        "queries": dict(zip(pool.topics, to_judge, strict=True)),
        "runs": [
            {"run": name, "in_pool": found, "to_judge": judged, "alone": alone}
            for name, found, judged, alone in systems
        ],
    }
