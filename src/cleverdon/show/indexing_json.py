"""What indexing took, for programs: the file of results, with every build."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cleverdon.costs import VERSION
from cleverdon.engine.indexing.records import MEASURED, Indexing, Sized


def as_json(found: Indexing, *, at: Sequence[int] = ()) -> dict[str, Any]:
    """All of it as plain values: seconds and bytes."""
    return {
        "kind": "cleverdon index",
        "version": VERSION,
        "system": found.system,
        "settings": dict(found.settings),
        "costs": found.costs().to_json(),
        "not_valid": list(found.not_valid),
        "notes": list(found.notes),
        "machine": dict(found.machine),
        "sizes": [_size(size) for size in found.sizes],
        "growth": {name: asdict(grown) for name, grown in found.growth.items()},
        "predictions": [
            {name: asdict(grown.predict(documents)) for name, grown in found.growth.items()}
            for documents in at
        ],
    }


def _size(size: Sized) -> dict[str, Any]:
    spreads = {name: size.spread(name) for name in MEASURED}
    return {
        "documents": size.documents,
        "bytes": size.bytes,
        "quantities": {
            name: asdict(spread) for name, spread in spreads.items() if spread is not None
        },
        "builds": [build.to_json() for build in size.builds],
    }
