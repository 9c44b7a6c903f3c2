"""What is in a pool: how much there is to judge, and what each system brought in."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.pool.pooled import Pool
from cleverdon.show.grid import Grid, counted, laid_out, printable


def render(pool: Pool, format: str = "table", *, graded: Bools | None = None) -> str:
    """A row a system: how many documents of the pool it returned, and how many no other did.

    `graded` says which documents are judged already, and are not to be judged again.
    """
    waiting = pool.drawn if graded is None else pool.drawn & ~graded
    systems = _systems(pool, waiting)
    if format == "json":
        return json.dumps(_record(pool, systems, waiting), indent=1, ensure_ascii=False)
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
        notes=_notes(pool, waiting),
    )
    return laid_out(grid, format)


def _systems(pool: Pool, waiting: Bools) -> list[tuple[str, int, int, int]]:
    """Of each system: its documents in the pool, those to be judged, those that are its alone."""
    doc = np.repeat(np.arange(len(pool)), np.diff(pool.row_starts))
    count = len(pool.contributors)
    alone = np.diff(pool.row_starts)[doc] == 1
    columns = (
        np.bincount(pool.system, minlength=count),
        np.bincount(pool.system[waiting[doc]], minlength=count),
        np.bincount(pool.system[alone & waiting[doc]], minlength=count),
    )
    names = [each.name for each in pool.contributors]
    return list(zip(names, *(column.tolist() for column in columns), strict=True))


def _notes(pool: Pool, waiting: Bools) -> list[str]:
    to_judge = _per_topic(pool, waiting)
    total = int(to_judge.sum())
    among = f"{counted(total, 'document')} to judge for {counted(len(pool.topics), 'query')}"
    spread = f"{to_judge.min():,} to {to_judge.max():,}, {to_judge.mean():,.1f} on average"
    notes = [f"{among}: {spread}"]
    drawn = int(pool.drawn.sum())
    if total < drawn:
        notes.append(f"{counted(drawn - total, 'document')} judged already")
    if drawn < len(pool):
        notes.append(f"drawn from a pool of {counted(len(pool), 'document')}")
    if pool.stratum is not None:
        sizes, taken = Counter(pool.stratum.tolist()), Counter(pool.stratum[pool.drawn].tolist())
        parts = (f"{taken[at]:,} of {sizes[at]:,} in stratum {at}" for at in sorted(sizes))
        notes.append(", ".join(parts))
    return notes


def _per_topic(pool: Pool, waiting: Bools) -> Ints:
    topic = np.repeat(np.arange(len(pool.topics)), np.diff(pool.starts))
    return np.bincount(topic[waiting], minlength=len(pool.topics))


def _record(pool: Pool, systems: list[tuple[str, int, int, int]], waiting: Bools) -> dict[str, Any]:
    to_judge = _per_topic(pool, waiting).tolist()
    return {
        "how": dict(pool.how),
        "documents": len(pool),
        "drawn": int(pool.drawn.sum()),
        "to_judge": sum(to_judge),
        "queries": dict(zip(pool.topics, to_judge, strict=True)),
        "runs": [
            {"run": name, "in_pool": found, "to_judge": judged, "alone": alone}
            for name, found, judged, alone in systems
        ],
    }
