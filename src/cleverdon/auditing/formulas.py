"""Measures in plain Python, as documentation defines them; nothing here is Cleverdon's own code.

Each takes one order of results. They are slow and obvious on purpose: an audit compares a tool with
these, and tests compare these with Cleverdon's measures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2

from cleverdon.auditing.rankings import Order


def precision(order: Order, k: int, *, over: int | None = None, unique: bool = False) -> float:
    """Return the relevant results down to rank k, over k or another number."""
    return _found(order, k, unique=unique) / (k if over is None else over)


def recall(order: Order, k: int | None = None) -> float | None:
    """Return the share of the relevant documents down to rank k; None where nothing is relevant."""
    if not order.relevant:
        return None
    return _found(order, k, unique=True) / len(order.relevant)


def hit(order: Order, k: int) -> float:
    """Return 1 where a result down to rank k is relevant, else 0."""
    return float(_found(order, k, unique=True) > 0)


def reciprocal_rank(order: Order, k: int | None = None) -> float:
    """Return 1 over the rank of the first relevant result; 0 where there is none."""
    for rank, doc in enumerate(order.docs[:k], start=1):
        if doc in order.relevant:
            return 1 / rank
    return 0.0


def average_precision(
    order: Order, k: int | None = None, *, over: int | None = None
) -> float | None:
    """Return the sum of precisions at relevant documents, over all relevant or another number.

    A document that is returned again is not found again. None where the divisor is 0.
    """
    total, seen = 0.0, set()
    for rank, doc in enumerate(order.docs[:k], start=1):
        if doc in order.relevant and doc not in seen:
            seen.add(doc)
            total += len(seen) / rank
    divisor = len(order.relevant) if over is None else over
    return total / divisor if divisor else None


def average_precision_of_labels(labels: Sequence[bool]) -> float | None:
    """Return the mean of the precisions at the relevant labels; None where there are none."""
    precisions = [
        sum(labels[: rank + 1]) / (rank + 1) for rank, label in enumerate(labels) if label
    ]
    return sum(precisions) / len(precisions) if precisions else None


def dcg(gains: Iterable[float], k: int | None = None) -> float:
    """Return the sum of the gains down to rank k, each over log2(rank + 1)."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(list(gains)[:k], start=1))


def ndcg(
    order: Order, k: int | None = None, *, gain: str = "linear", returned_only: bool = False
) -> float | None:
    """Return the DCG over that of the best order; None where the best order has none.

    Args:
        order: The results; a document that is returned again gains nothing.
        k: The cut-off.
        gain: `linear` (the grade), `exponential` (2^grade - 1) or `binary`.
        returned_only: Whether only returned documents are in the best order.
    """
    seen: set[str] = set()
    gains = []
    for doc, grade in zip(order.docs, order.grades, strict=True):
        gains.append(0.0 if doc in seen else gain_of(grade, gain))
        seen.add(doc)
    known = order.grades if returned_only else list(order.judged.values())
    best = dcg(sorted((gain_of(grade, gain) for grade in known), reverse=True), k)
    return dcg(gains, k) / best if best > 0 else None


def gain_of(grade: float, gain: str) -> float:
    """Return the gain of a grade; that of one below 0 is 0."""
    grade = max(grade, 0.0)
    if gain == "binary":
        return float(grade > 0)
    return grade if gain == "linear" else 2**grade - 1


def r_precision(order: Order) -> float | None:
    """Return the precision at R, the number of relevant documents."""
    wanted = len(order.relevant)
    return _found(order, wanted, unique=True) / wanted if wanted else None


def _found(order: Order, k: int | None, *, unique: bool) -> int:
    found = [doc for doc in order.docs[:k] if doc in order.relevant]
    return len(set(found)) if unique else len(found)
