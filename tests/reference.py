"""A reference implementation of every measure in plain loops over dicts: slow and easy to check.

It is written from the formulas of the literature and not from Cleverdon's code, so that tests can
compare the two. Fractions keep everything exact except logarithms and powers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from cleverdon import Measure

Value = Fraction | float | int | None
"""None is undefined."""


@dataclass(frozen=True)
class Query:
    """One query's judgments, and its results in order."""

    grades: dict[str, float]
    ranking: list[str]
    top_grade: float
    """The largest grade of all queries, at least 0."""

    @property
    def returned(self) -> list[float | None]:
        """Return the grades of the results in order; None for unjudged results."""
        return [self.grades.get(doc) for doc in self.ranking]

    def relevant(self, rel: float) -> int:
        """Count the relevant documents: R."""
        return sum(grade >= rel for grade in self.grades.values())


def ranked(scores: dict[str, float]) -> list[str]:
    """Sort documents by score, descending; among equal scores, the larger id first, bytewise."""
    return sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)


def queries_of(
    qrels: dict[str, dict[str, float]],
    run: dict[str, dict[str, float]],
    order: Callable[[dict[str, float]], list[str]] = ranked,
) -> dict[str, Query]:
    """Combine every judged query with its results; empty if the run does not have the query."""
    top_grade = max([0.0, *(grade for grades in qrels.values() for grade in grades.values())])
    return {
        query: Query(grades, order(run.get(query, {})), top_grade)
        for query, grades in qrels.items()
    }


def value(measure: Measure, query: Query) -> float | None:
    """Compute a measure for a query."""
    cls = type(measure)
    parameters = {name: getattr(measure, name) for name in cls.defaults}
    if parameters.pop("judged_only"):
        judged = [doc for doc in query.ranking if query.grades.get(doc, -1) >= 0]
        query = replace(query, ranking=judged)
    result = FORMULAS[cls.__name__](query, **parameters)
    return None if result is None else float(result)


def _ratio(part: Any, whole: Any) -> Fraction | None:
    return None if whole == 0 else Fraction(part) / Fraction(whole)


def _hits(query: Query, rel: float, k: int | None = None) -> list[int]:
    """Return the ranks of relevant results, down to k."""
    grades = enumerate(query.returned[:k], start=1)
    return [rank for rank, grade in grades if grade is not None and grade >= rel]


# Sets


def set_p(query: Query, rel: float) -> Value:
    return _ratio(len(_hits(query, rel)), len(query.ranking))


def set_r(query: Query, rel: float) -> Value:
    return _ratio(len(_hits(query, rel)), query.relevant(rel))


def set_f(query: Query, beta: float, alpha: float | None, rel: float) -> Value:
    square = Fraction(beta) ** 2
    if alpha is not None:
        square = (1 - Fraction(alpha)) / Fraction(alpha)
    a = len(_hits(query, rel))
    b = len(query.ranking) - a
    c = query.relevant(rel) - a
    return _ratio((1 + square) * a, (1 + square) * a + b + square * c)


def set_e(query: Query, beta: float, alpha: float | None, rel: float) -> Value:
    f = set_f(query, beta, alpha, rel)
    return None if f is None else 1 - f


def set_rel_p(query: Query, rel: float) -> Value:
    return _ratio(len(_hits(query, rel)), min(len(query.ranking), query.relevant(rel)))


def set_ap(query: Query, rel: float) -> Value:
    p, r = set_p(query, rel), set_r(query, rel)
    return None if p is None or r is None else p * r


# Ranked, binary


def precision(query: Query, k: int, rel: float, norm: str) -> Value:
    read = k if norm == "k" else min(k, len(query.ranking))
    return _ratio(len(_hits(query, rel, k)), read)


def recall(query: Query, k: int | None, rel: float, cap: bool) -> Value:
    wanted = query.relevant(rel)
    if cap and k is not None:
        wanted = min(wanted, k)
    return _ratio(len(_hits(query, rel, k)), wanted)


def f_measure(query: Query, k: int, beta: float, rel: float, alpha: float | None) -> Value:
    p = precision(query, k, rel, "k")
    r = recall(query, k, rel, cap=False)
    if p is None or r is None:
        return None
    if p == r == 0:
        return 0
    if alpha is not None:
        return 1 / (Fraction(alpha) / p + (1 - Fraction(alpha)) / r) if p and r else 0
    square = Fraction(beta) ** 2
    return _ratio((1 + square) * Fraction(p) * Fraction(r), square * Fraction(p) + Fraction(r))


def success(query: Query, k: int, rel: float) -> Value:
    return 1 if _hits(query, rel, k) else 0


def reciprocal_rank(query: Query, k: int | None, rel: float) -> Value:
    ranks = _hits(query, rel, k)
    return Fraction(1, ranks[0]) if ranks else 0


def average_precision(query: Query, k: int | None, rel: float, norm: str) -> Value:
    wanted = query.relevant(rel)
    if wanted == 0:
        return None
    ranks = _hits(query, rel, k)
    total = sum((Fraction(found, rank) for found, rank in enumerate(ranks, start=1)), Fraction(0))
    if norm == "hits":
        return total / len(ranks) if ranks else 0
    if norm == "min" and k is not None:
        wanted = min(wanted, k)
    return total / wanted


def r_precision(query: Query, rel: float) -> Value:
    wanted = query.relevant(rel)
    return _ratio(len(_hits(query, rel, wanted)), wanted)


def bpref(query: Query, rel: float) -> Value:
    wanted = query.relevant(rel)
    unwanted = sum(0 <= grade < rel for grade in query.grades.values())
    total, above = Fraction(0), 0
    for grade in query.returned:
        if grade is None or grade < 0:
            continue
        if grade < rel:
            above += 1
        elif above == 0:
            total += 1
        else:
            total += 1 - Fraction(min(above, wanted), min(wanted, unwanted))
    return _ratio(total, wanted)


# Ranked, graded


def _gain(grade: float | None, gain: str, gains: dict[float, float] | None) -> float:
    if grade is None:
        return 0.0
    if gains is not None and grade in gains:
        return gains[grade]
    positive = max(grade, 0)
    if gain == "binary":
        return float(grade >= 1)
    return positive if gain == "linear" else 2.0**positive - 1


def _discounted(gains: Iterable[float], k: int | None, discount: str, base: Any) -> float:
    total = 0.0
    base = math.e if base == "e" else base
    for rank, gain in enumerate(list(gains)[:k], start=1):
        if discount == "log":
            total += gain / math.log(rank + 1, base)
        else:  # the first ranks are not discounted
            total += gain if rank < base else gain / math.log(rank, base)
    return total


def dcg(query: Query, k: int | None, gain: str, gains: Any, discount: str, base: float) -> Value:
    return _discounted([_gain(grade, gain, gains) for grade in query.returned], k, discount, base)


def ndcg(
    query: Query, k: int | None, gain: str, gains: Any, discount: str, base: float, ideal: str
) -> Value:
    def best(grades: Iterable[float | None]) -> float:
        worth = sorted((_gain(grade, gain, gains) for grade in grades), reverse=True)
        return _discounted([gain for gain in worth if gain > 0], k, discount, base)

    whole = best(query.grades.values())
    if whole == 0:
        return None
    if ideal == "retrieved":
        whole = best(query.returned)
    if ideal == "short":
        worth = [_gain(grade, gain, gains) for grade in query.grades.values()]
        worth = sorted((gained for gained in worth if gained > 0), reverse=True)
        whole = _discounted(worth[: len(query.returned)], k, discount, base)
    # If no result has a gain, the ideal order of the results has none either.
    part = dcg(query, k, gain, gains, discount, base)
    return float(part or 0) / (whole or 1)


def err(query: Query, k: int | None, max: float | None) -> Value:
    highest = query.top_grade if max is None else max
    total, reading = 0.0, 1.0
    for rank, grade in enumerate(query.returned[:k], start=1):
        satisfied = 0.0 if grade is None or grade < 0 else (2.0**grade - 1) / 2.0**highest
        total += reading * satisfied / rank
        reading *= 1 - satisfied
    return total


def rbp(query: Query, p: float, k: int | None, rel: float | None, gain: str) -> Value:
    largest = query.top_grade
    if gain == "query":
        largest = max([1.0, *query.grades.values()])
    total = 0.0
    for rank, grade in enumerate(query.returned[:k], start=1):
        if grade is None or (grade <= 0 and rel is None):
            continue
        worth = grade / largest if rel is None else float(grade >= rel)
        total += (1 - p) * worth * p ** (rank - 1)
    return total


def rbp_residual(query: Query, p: float, k: int | None) -> Value:
    read = query.returned[:k]
    total = p ** len(read)
    for rank, grade in enumerate(read, start=1):
        if grade is None or grade < 0:
            total += (1 - p) * p ** (rank - 1)
    return total


# Judgments and counts


def judged(query: Query, k: int | None, norm: str) -> Value:
    read = query.returned[:k]
    known = sum(grade is not None and grade >= 0 for grade in read)
    return _ratio(known, k if norm == "k" and k is not None else len(read))


def unjudged(query: Query, k: int, norm: str) -> Value:
    read = query.returned[:k]
    unknown = sum(grade is None or grade < 0 for grade in read)
    return _ratio(unknown, k if norm == "k" else len(read))


def num_q(query: Query) -> Value:
    return 1


def num_ret(query: Query, rel: float | None) -> Value:
    return len(query.ranking) if rel is None else len(_hits(query, rel))


def num_rel(query: Query, rel: float) -> Value:
    return query.relevant(rel)


def num_rel_ret(query: Query, k: int | None, rel: float) -> Value:
    return len(_hits(query, rel, k))


def num_nonrel_judged_ret(query: Query, rel: float) -> Value:
    return sum(grade is not None and 0 <= grade < rel for grade in query.returned)


FORMULAS: dict[str, Callable[..., Value]] = {
    "SetP": set_p,
    "SetR": set_r,
    "SetF": set_f,
    "SetE": set_e,
    "SetRelP": set_rel_p,
    "SetAP": set_ap,
    "P": precision,
    "R": recall,
    "F": f_measure,
    "Success": success,
    "RR": reciprocal_rank,
    "AP": average_precision,
    "Rprec": r_precision,
    "Bpref": bpref,
    "DCG": dcg,
    "nDCG": ndcg,
    "ERR": err,
    "RBP": rbp,
    "RBPResidual": rbp_residual,
    "Judged": judged,
    "Unjudged": unjudged,
    "NumQ": num_q,
    "NumRet": num_ret,
    "NumRel": num_rel,
    "NumRelRet": num_rel_ret,
    "NumNonrelJudgedRet": num_nonrel_judged_ret,
}
