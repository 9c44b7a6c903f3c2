"""Cleverdon turns search results into claims that can be defended.

    import cleverdon
    scores = cleverdon.evaluate("qrels.txt", ["bm25.run", "dense.run"], ["nDCG@10", "AP"])

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cleverdon.data import Judgments, Run
    from cleverdon.engines.retrieval import evaluate_engines, search
    from cleverdon.errors import CleverdonError, InputError, NotationError
    from cleverdon.evaluation import evaluate
    from cleverdon.explanation.traces import trace
    from cleverdon.formats.conversion import convert
    from cleverdon.formats.inputs import repeats
    from cleverdon.formats.typed import read_typed
    from cleverdon.hits import Hits
    from cleverdon.measures.base import Measure
    from cleverdon.measures.notation import parse
    from cleverdon.measures.registry import measure
    from cleverdon.scores import Scores
    from cleverdon.unknowns.bounds import bounds
    from cleverdon.unknowns.flips import could_flip

__version__ = "0.2.0"

_HOME = {
    "CleverdonError": "errors",
    "Hits": "hits",
    "InputError": "errors",
    "Judgments": "data",
    "Measure": "measures.base",
    "NotationError": "errors",
    "Run": "data",
    "Scores": "scores",
    "bounds": "unknowns.bounds",
    "convert": "formats.conversion",
    "could_flip": "unknowns.flips",
    "evaluate": "evaluation",
    "evaluate_engines": "engines.retrieval",
    "measure": "measures.registry",
    "parse": "measures.notation",
    "read_typed": "formats.typed",
    "repeats": "formats.inputs",
    "search": "engines.retrieval",
    "trace": "explanation.traces",
}

__all__ = [
    "CleverdonError",
    "Hits",
    "InputError",
    "Judgments",
    "Measure",
    "NotationError",
    "Run",
    "Scores",
    "__version__",
    "bounds",
    "convert",
    "could_flip",
    "evaluate",
    "evaluate_engines",
    "measure",
    "parse",
    "read_typed",
    "repeats",
    "search",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'cleverdon' has no attribute {name!r}")
    value = getattr(import_module(f"cleverdon.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
