"""Grades of a pool that was sampled, with the stratum or the probability of each document.

Estimates need the whole pool: also what was not drawn, which is written as not judged. The pool is
in the project's folder, where `cleverdon judge init` put it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cleverdon import _core
from cleverdon.assess.project import POOL
from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.pool.file import read_pool
from cleverdon.pool.judged import KINDS, JudgedPool, judged_pool

__all__ = ["KINDS", "of_pool"]


def of_pool(folder: Path, judgments: Judgments, kind: str) -> JudgedPool:
    """Judgments of all documents of the project's pool; `kind` is one of `KINDS`."""
    path = folder / POOL
    if not path.is_file():
        raise InputError(
            f"there is no {POOL} in the project: it was not made of a pool, so that there are "
            "neither strata nor probabilities",
            source=str(folder),
        )
    found = judged_pool(read_pool(path), judgments.to_dict(), kind=kind)
    # Not in the pool's order, which is that of one seed.
    ordered = {
        topic: dict(sorted(grades.items(), key=lambda each: each[0].encode()))
        for topic, grades in found.judgments.to_dict().items()
    }
    table = _core.Table.from_dict(ordered, "grade", "unchecked")
    named = Judgments(table, name=judgments.name, notes=found.judgments.notes)
    return replace(found, judgments=named)
