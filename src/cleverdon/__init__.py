"""Cleverdon turns search results into claims that can be defended.

    import cleverdon
    scores = cleverdon.evaluate("qrels.txt", ["bm25.run", "dense.run"], ["nDCG@10", "AP"])

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cleverdon.bounding import bounds
    from cleverdon.data import Judgments, Run
    from cleverdon.engine.evaluating import evaluate_engines
    from cleverdon.engine.searching import search
    from cleverdon.errors import CleverdonError, InputError, NotationError
    from cleverdon.evaluation import evaluate
    from cleverdon.flip import could_flip
    from cleverdon.hits import Hits
    from cleverdon.measures import Measure, measure, parse
    from cleverdon.scores import Scores
    from cleverdon.tracing import trace

__version__ = "0.1.0"

_HOME = {
    "CleverdonError": "errors",
    "Hits": "hits",
    "InputError": "errors",
    "Judgments": "data",
    "Measure": "measures.base",
    "NotationError": "errors",
    "Run": "data",
    "Scores": "scores",
    "bounds": "bounding",
    "could_flip": "flip",
    "evaluate": "evaluation",
    "evaluate_engines": "engine.evaluating",
    "measure": "measures.registry",
    "parse": "measures.notation",
    "search": "engine.searching",
    "trace": "tracing",
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
    "could_flip",
    "evaluate",
    "evaluate_engines",
    "measure",
    "parse",
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
