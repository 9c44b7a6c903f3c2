"""Stand-ins for tools that need torch, which tests do not install: plain Python in their place.

They have the interface that the adapters call, and compute what the tools' sources compute, written
anew from reading them: torchmetrics at dab0333 (src/torchmetrics/functional/retrieval) and
sentence-transformers at 85ec645 (evaluation/InformationRetrievalEvaluator.py). They were compared
with the functions of those sources, run with numpy in the place of torch: on all rankings of the
audit and 20 random ones, every value was equal, to float32. Where a tool is installed, tests use
the tool.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Sequence
from math import log2
from types import ModuleType
from typing import Any

import pytest


def stand_in(tool: str, patch: pytest.MonkeyPatch) -> None:
    """Put the stand-in of a tool in the place of its modules."""
    for name, contents in _MODULES[tool].items():
        module = ModuleType(name)
        vars(module).update(contents)
        patch.setitem(sys.modules, name, module)


def _tensor(values: Sequence[Any], dtype: Any = None) -> list[Any]:
    return list(values)


class _Metric:
    """torchmetrics' RetrievalMetric: a mean over queries, 0 for those without positive targets."""

    binary = True

    def __init__(self, top_k: int | None = None) -> None:
        self.top_k = top_k

    def __call__(self, preds: list[float], target: list[int], *, indexes: list[int]) -> float:
        if self.binary and (max(target) > 1 or min(target) < 0):
            raise ValueError("`target` must contain `binary` values")
        values = []
        for query in sorted(set(indexes)):
            rows = [row for row, index in enumerate(indexes) if index == query]
            labels = [target[row] for row in rows]
            scores = [preds[row] for row in rows]
            values.append(self.of_query(scores, labels) if sum(labels) else 0.0)
        return sum(values) / len(values)

    def of_query(self, scores: list[float], labels: list[int]) -> float:
        raise NotImplementedError

    def ranked(self, scores: list[float], labels: list[int], *, above_zero: bool) -> list[int]:
        order = sorted(range(len(scores)), key=lambda row: -scores[row])
        found = [labels[row] if scores[row] > 0 or not above_zero else 0 for row in order]
        return found[: self.top_k]


class RetrievalMAP(_Metric):
    def of_query(self, scores: list[float], labels: list[int]) -> float:
        ranked = self.ranked(scores, labels, above_zero=True)
        places = [place for place, label in enumerate(ranked, start=1) if label]
        shares = [count / place for count, place in enumerate(places, start=1)]
        return sum(shares) / len(shares) if shares else 0.0


class RetrievalMRR(_Metric):
    def of_query(self, scores: list[float], labels: list[int]) -> float:
        ranked = self.ranked(scores, labels, above_zero=True)
        return 1 / (ranked.index(1) + 1) if any(ranked) else 0.0


class RetrievalPrecision(_Metric):
    def of_query(self, scores: list[float], labels: list[int]) -> float:
        found = sum(self.ranked(scores, labels, above_zero=True))
        return found / (self.top_k or len(labels))


class RetrievalRecall(_Metric):
    def of_query(self, scores: list[float], labels: list[int]) -> float:
        return sum(self.ranked(scores, labels, above_zero=True)) / sum(labels)


class RetrievalHitRate(_Metric):
    def of_query(self, scores: list[float], labels: list[int]) -> float:
        return float(any(self.ranked(scores, labels, above_zero=False)))


class RetrievalRPrecision(_Metric):
    def of_query(self, scores: list[float], labels: list[int]) -> float:
        wanted = sum(labels)
        return sum(self.ranked(scores, labels, above_zero=False)[:wanted]) / wanted


class RetrievalNormalizedDCG(_Metric):
    binary = False

    def of_query(self, scores: list[float], labels: list[int]) -> float:
        weight = [1 / log2(rank + 2) for rank in range(len(labels))]
        weight = [w if self.top_k is None or at < self.top_k else 0 for at, w in enumerate(weight)]
        gained, start = 0.0, 0
        for score in sorted(set(scores), reverse=True):
            tied = [label for one, label in zip(scores, labels, strict=True) if one == score]
            gained += sum(tied) / len(tied) * sum(weight[start : start + len(tied)])
            start += len(tied)
        best = sum(w * g for w, g in zip(weight, sorted(labels, reverse=True), strict=True))
        return gained / best if best else 0.0


class InformationRetrievalEvaluator:
    """sentence-transformers' evaluator, from the results of a search on."""

    def __init__(
        self, queries: dict[str, str], corpus: Any, relevant_docs: Any, **cuts: list[int]
    ) -> None:
        self.queries_ids = [name for name in queries if relevant_docs.get(name)]
        self.relevant, self.cuts = relevant_docs, cuts

    def compute_metrics(self, results: list[list[dict[str, Any]]]) -> dict[str, dict[int, float]]:
        found: dict[str, dict[int, list[float]]] = {}

        def add(name: str, k: int, value: float) -> None:
            found.setdefault(name, {}).setdefault(k, []).append(value)

        for name, listed in zip(self.queries_ids, results, strict=True):
            relevant = self.relevant[name]
            heap: list[tuple[float, str]] = []
            for one in listed:  # as the search collects them
                heapq.heappush(heap, (one["score"], one["corpus_id"]))
            top = [doc for _, doc in sorted(heap, key=lambda pair: pair[0], reverse=True)]
            hits = [doc in relevant for doc in top]
            for k in self.cuts["accuracy_at_k"]:
                add("accuracy@k", k, float(any(hits[:k])))
            for k in self.cuts["precision_recall_at_k"]:
                add("precision@k", k, sum(hits[:k]) / k)
                add("recall@k", k, sum(hits[:k]) / len(relevant))
            for k in self.cuts["mrr_at_k"]:
                add("mrr@k", k, 1 / (hits.index(True) + 1) if any(hits[:k]) else 0.0)
            for k in self.cuts["ndcg_at_k"]:
                gained = sum(hit / log2(at + 2) for at, hit in enumerate(hits[:k]))
                add(
                    "ndcg@k",
                    k,
                    gained / sum(1 / log2(at + 2) for at in range(min(k, len(relevant)))),
                )
            for k in self.cuts["map_at_k"]:
                shares = [sum(hits[: at + 1]) / (at + 1) for at, hit in enumerate(hits[:k]) if hit]
                add("map@k", k, sum(shares) / min(k, len(relevant)))
        return {
            name: {k: sum(values) / len(values) for k, values in by_cut.items()}
            for name, by_cut in found.items()
        }


_RETRIEVAL = {cls.__name__: cls for cls in _Metric.__subclasses__()}
_MODULES: dict[str, dict[str, dict[str, Any]]] = {
    "torchmetrics": {
        "torch": {"tensor": _tensor, "long": int},
        "torchmetrics": {"__path__": []},
        "torchmetrics.retrieval": _RETRIEVAL,
    },
    "sentence-transformers": {
        "sentence_transformers": {"__path__": []},
        "sentence_transformers.evaluation": {
            "InformationRetrievalEvaluator": InformationRetrievalEvaluator
        },
    },
}
_MODULES["torchmetrics"]["torchmetrics"]["retrieval"] = type("retrieval", (), _RETRIEVAL)
