"""Objects of all kinds instead of text and numbers, and random measure names."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import numpy as np

from cleverdon import Judgments, Measure, Run, evaluate, parse
from cleverdon.errors import CleverdonError, InputError
from cleverdon.measures.registry import measures
from tests.fuzz.mutate import cases

IDS: list[Any] = [
    *("q1", "q2", "d1", "d2", "é", "a b", "1", "x" * 100, ""),
    *(1, 2, -3, 10**30, np.int64(1), np.uint8(2), b"q1", b"\xff", b""),
    *(None, 1.5, np.float64(2), (), ("q1",), frozenset(), object()),
]
NUMBERS: list[Any] = [
    *(0, 1, -2, 1.5, -0.0, 1e300, 5e-324, True, np.float32(0.1), np.int16(3), np.bool_(1)),
    *(float("inf"), float("-inf"), float("nan"), 10**400, "1", "x", None, [1], {}, 1j, b"1"),
]


def slow_id(object_: Any) -> str | None:
    if isinstance(object_, str):
        return object_ or None
    if isinstance(object_, bytes):
        try:
            return object_.decode() or None
        except UnicodeDecodeError:
            return None
    return str(int(object_)) if isinstance(object_, (int, np.integer)) else None


def slow_number(object_: Any, *, finite: bool) -> float | None:
    if not isinstance(object_, (int, float, np.number, np.bool_)):
        return None
    try:
        value = float(object_)
    except OverflowError:
        return None
    return None if value != value or (finite and np.isinf(value)) else value


def slow_rows(rows: list[tuple[Any, Any, Any]], *, finite: bool) -> Any:
    nested: dict[str, dict[str, float]] = {}
    for query, doc, number in rows:
        query_id, doc_id = slow_id(query), slow_id(doc)
        value = slow_number(number, finite=finite)
        if query_id is None or doc_id is None or value is None:
            return None
        if doc_id in nested.setdefault(query_id, {}):
            return None
        nested[query_id][doc_id] = value
    return nested or None


def chosen(chance: random.Random, pool: list[Any], good: int) -> Any:
    """Choose from the pool, mostly from its first `good` values."""
    return chance.choice(pool[:good] if chance.random() < 0.93 else pool)


def test_rows_and_dicts() -> None:
    for name, _ in cases("objects", [b""]):
        chance = random.Random(name)
        rows = [
            (chosen(chance, IDS, 7), chosen(chance, IDS, 7), chosen(chance, NUMBERS, 10))
            for _ in range(chance.randint(0, 6))
        ]
        cls = chance.choice([Run, Judgments])
        assert read(cls, rows) == slow_rows(rows, finite=cls is Judgments), (name, rows)

        nested: dict[Any, dict[Any, Any]] = {}
        for query, doc, number in rows:
            nested.setdefault(query, {})[doc] = number
        flat = [(q, d, v) for q, docs in nested.items() for d, v in docs.items()]
        assert read(cls, nested) == slow_rows(flat, finite=cls is Judgments), (name, nested)
        with suppress(InputError):
            evaluate({"q1": {"d1": 1}}, {"run": nested}, "RR")


def read(cls: Any, data: Any) -> Any:
    try:
        return cls.read(data).to_dict()
    except InputError:
        return None


NOTATIONS = [
    *(b"nDCG@10", b"nDCG(gain=exponential)@10", b"AP(rel=2)", b"P@5", b"RR", b"ndcg_cut_10"),
    *(b"nDCG(gains={1:3,2:9})@10", b"RBP(p=0.8)", b"ERR@20", b"map", b"recip_rank", b"P_10"),
    *(b"nDCG(dcg='exp-log2')@20", b"R(judged_only=true)@100", b"nDCG@10, AP RR", b"Success@1"),
]


def test_measures() -> None:
    """A random text is a NotationError, or a measure that is printed as it is parsed."""
    corpus = [*NOTATIONS, *(cls.__name__.encode() for cls in measures())]
    for name, text in cases("measures", corpus):
        written = text.decode("utf-8", errors="surrogateescape")
        try:
            measure = parse(written)
        except CleverdonError:
            continue
        assert isinstance(measure, Measure)
        assert parse(str(measure)) == measure, (name, written)
        assert hash(parse(str(measure))) == hash(measure), (name, written)
