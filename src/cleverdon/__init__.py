"""Cleverdon turns search results into claims that can be defended.

    import cleverdon
    scores = cleverdon.evaluate("qrels.txt", ["bm25.run", "dense.run"], ["nDCG@10", "AP"])
    print(cleverdon.compare(scores, baseline="bm25"))

Functions are verbs and types are nouns. Each analysis is one function that takes files, dicts or
data frames and returns a result, which prints as a table and writes itself as Markdown, LaTeX,
HTML, CSV or JSON. Names are loaded when they are first used, so that importing the package costs
nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers understand it; importing typing takes longer than all else
if TYPE_CHECKING:
    from typing import Any

    from cleverdon import errors as errors
    from cleverdon import measures as measures
    from cleverdon import plots as plots
    from cleverdon import profiles as profiles
    from cleverdon.agreement.aggregation import aggregate_labels as aggregate_labels
    from cleverdon.agreement.agreement import agree as agree
    from cleverdon.checks.linter import check as check
    from cleverdon.comparison.claims import claim as claim
    from cleverdon.comparison.differences import compare as compare
    from cleverdon.comparison.gates import gate as gate
    from cleverdon.comparison.orderings import correlate as correlate
    from cleverdon.comparison.power_analysis import power as power
    from cleverdon.comparison.slices import slice_by as slice_by
    from cleverdon.comparison.splits import split as split
    from cleverdon.comparison.tuning import tune as tune
    from cleverdon.comparison.worst_queries import worst as worst
    from cleverdon.data import Judgments as Judgments
    from cleverdon.data import Run as Run
    from cleverdon.engines.indexing.measurement import index as index
    from cleverdon.engines.load.bench import bench as bench
    from cleverdon.engines.retrieval import evaluate_engines as evaluate_engines
    from cleverdon.engines.retrieval import search as search
    from cleverdon.evaluation import collection_facts as collection_facts
    from cleverdon.evaluation import evaluate as evaluate
    from cleverdon.explanation.traces import explain as explain
    from cleverdon.formats.conversion import convert as convert
    from cleverdon.formats.inputs import repeats as repeats
    from cleverdon.formats.topics import Topics as Topics
    from cleverdon.formats.typed import read_typed as read_typed
    from cleverdon.hits import Hits as Hits
    from cleverdon.judging.project import open_project as open_project
    from cleverdon.logs.abtest.analysis import abtest as abtest
    from cleverdon.logs.clicks.judgments import clicks_to_judgments as clicks_to_judgments
    from cleverdon.logs.compute import measure_log as measure_log
    from cleverdon.logs.interleaving.preference import interleave as interleave
    from cleverdon.logs.reading.reader import read_log as read_log
    from cleverdon.measures.base import Measure as Measure
    from cleverdon.measures.notation import parse as parse
    from cleverdon.measures.registry import measure as measure
    from cleverdon.pooling.pool_methods import pool as pool
    from cleverdon.pooling.recall.recall import estimate_recall as estimate_recall
    from cleverdon.pooling.votes import vote as vote
    from cleverdon.reports.html_report import report as report
    from cleverdon.scores import Scores as Scores
    from cleverdon.unknowns.bounds import bounds as bounds
    from cleverdon.unknowns.flips import could_flip as could_flip

__version__ = "0.2.0"

_HOMES = {
    "Hits": "hits",
    "Judgments": "data",
    "Measure": "measures.base",
    "Run": "data",
    "Scores": "scores",
    "Topics": "formats.topics",
    "abtest": "logs.abtest.analysis",
    "aggregate_labels": "agreement.aggregation",
    "agree": "agreement.agreement",
    "bench": "engines.load.bench",
    "bounds": "unknowns.bounds",
    "check": "checks.linter",
    "claim": "comparison.claims",
    "clicks_to_judgments": "logs.clicks.judgments",
    "collection_facts": "evaluation",
    "compare": "comparison.differences",
    "convert": "formats.conversion",
    "correlate": "comparison.orderings",
    "could_flip": "unknowns.flips",
    "estimate_recall": "pooling.recall.recall",
    "evaluate": "evaluation",
    "evaluate_engines": "engines.retrieval",
    "explain": "explanation.traces",
    "gate": "comparison.gates",
    "index": "engines.indexing.measurement",
    "interleave": "logs.interleaving.preference",
    "measure": "measures.registry",
    "measure_log": "logs.compute",
    "open_project": "judging.project",
    "parse": "measures.notation",
    "pool": "pooling.pool_methods",
    "power": "comparison.power_analysis",
    "read_log": "logs.reading.reader",
    "read_typed": "formats.typed",
    "repeats": "formats.inputs",
    "report": "reports.html_report",
    "search": "engines.retrieval",
    "slice_by": "comparison.slices",
    "split": "comparison.splits",
    "tune": "comparison.tuning",
    "vote": "pooling.votes",
    "worst": "comparison.worst_queries",
}
"""The module of each name, below `cleverdon`."""

_MODULES = ("errors", "measures", "plots", "profiles")
"""The modules that are names of their own."""

_PACKAGES = {
    *("agreement", "auditing", "checks", "collection", "comparison", "engines", "explanation"),
    *("judging", "logs", "pooling", "reports", "stats"),
}
"""Packages with further functions, which are attributes too: `cleverdon.stats.kendall`."""

_RENAMED = {
    "CleverdonError": "errors.CleverdonError",
    "InputError": "errors.InputError",
    "NotationError": "errors.NotationError",
    "trace": "explain",
}
"""Names of version 0.1, which work for one more release."""

__all__ = [  # sorted; tests compare them with the tables above
    "Hits",
    "Judgments",
    "Measure",
    "Run",
    "Scores",
    "Topics",
    "__version__",
    "abtest",
    "aggregate_labels",
    "agree",
    "bench",
    "bounds",
    "check",
    "claim",
    "clicks_to_judgments",
    "collection_facts",
    "compare",
    "convert",
    "correlate",
    "could_flip",
    "errors",
    "estimate_recall",
    "evaluate",
    "evaluate_engines",
    "explain",
    "gate",
    "index",
    "interleave",
    "measure",
    "measure_log",
    "measures",
    "open_project",
    "parse",
    "plots",
    "pool",
    "power",
    "profiles",
    "read_log",
    "read_typed",
    "repeats",
    "report",
    "search",
    "slice_by",
    "split",
    "tune",
    "vote",
    "worst",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _RENAMED:
        return _renamed(name)
    if name in _MODULES or name in _PACKAGES:
        return import_module(f"cleverdon.{name}")
    if name not in _HOMES:
        raise AttributeError(_unknown(name))
    from cleverdon._common.lazy import lazy_names  # which names the extra that is missing

    value = globals()[name] = lazy_names(__name__, _HOMES)(name)
    return value


def _renamed(name: str) -> Any:
    import warnings  # only for names that are gone

    new = _RENAMED[name]
    message = f"cleverdon.{name} is now cleverdon.{new}; the old name goes in the next release"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
    value: Any = __import__("cleverdon")
    for part in new.split("."):
        value = getattr(value, part)
    return value


def _unknown(name: str) -> str:
    if name.startswith("_"):
        return f"module 'cleverdon' has no attribute {name!r}"
    from cleverdon.errors import suggest  # loads little, and only after a mistake

    return f"module 'cleverdon' has no attribute {name!r}{suggest(name, __all__)}"


def __dir__() -> list[str]:
    return __all__
