"""Live search engines: searching, load tests, indexing costs.

    Engine.search(query, k) -> results      one query: an answer, or a SearchFailure
    queries -> search -> Run                 a run file, like any other
    workload -> bench -> percentiles        open or closed loop
    documents -> index -> costs             time, memory, disk

Names are loaded when they are first used: the process that indexes imports this package, and its
memory is measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.engines.client import Patience
    from cleverdon.engines.configuration import open_engine
    from cleverdon.engines.indexing.builds import WatchOptions
    from cleverdon.engines.indexing.measurement import index
    from cleverdon.engines.indexing.results import IndexingResult
    from cleverdon.engines.load.bench import Bench, bench
    from cleverdon.engines.load.workload import (
        ColdOptions,
        SoakOptions,
        SweepOptions,
        VersusOptions,
    )
    from cleverdon.engines.retrieval import SearchOptions, SearchResult, evaluate_engines, search
    from cleverdon.engines.run_file import search_to_file

__all__ = [
    "Bench",
    "ColdOptions",
    "IndexingResult",
    "Patience",
    "SearchOptions",
    "SearchResult",
    "SoakOptions",
    "SweepOptions",
    "VersusOptions",
    "WatchOptions",
    "bench",
    "evaluate_engines",
    "index",
    "open_engine",
    "search",
    "search_to_file",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Bench": "engines.load.bench",
        "ColdOptions": "engines.load.workload",
        "IndexingResult": "engines.indexing.results",
        "Patience": "engines.client",
        "SearchOptions": "engines.retrieval",
        "SearchResult": "engines.retrieval",
        "SoakOptions": "engines.load.workload",
        "SweepOptions": "engines.load.workload",
        "VersusOptions": "engines.load.workload",
        "WatchOptions": "engines.indexing.builds",
        "bench": "engines.load.bench",
        "evaluate_engines": "engines.retrieval",
        "index": "engines.indexing.measurement",
        "open_engine": "engines.configuration",
        "search": "engines.retrieval",
        "search_to_file": "engines.run_file",
    },
)
