"""A pool that was judged: judgments that say from which stratum, or with which probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np

from cleverdon import _core
from cleverdon.annotations import POOLED, Annotations, Nested
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.pool.pooled import Pool

KINDS = ("plain", "strata", "sampled")


@dataclass(frozen=True)
class JudgedPool:
    """The judgments of a pool, and what to know of them."""

    judgments: Judgments
    judged: int  # documents that were to be judged, and were
    waiting: int  # that were to be judged, and are not yet
    not_drawn: int  # of the pool, and never to be judged
    left_out: int  # judged, and not drawn: in an estimate they would stand for others
    outside: int  # judged, and not of the pool; of a sample, they are left out as well
    uniform: bool  # whether each document of a topic was as likely to be drawn as any other


def judged_pool(
    pool: Pool, grades: Mapping[str, Mapping[str, float]], *, kind: str | None = None
) -> JudgedPool:
    """The judgments of a pool; what has no grade is pooled and not judged, grade -1.

    `kind` is what they say beside grades: plain (nothing, as infAP takes it), strata (xinfAP),
    sampled (probabilities, statAP). Of a sample it must be named, since a file does not tell which
    it is. Grades of documents that a sample did not draw, of its pool or not, are left out: a
    sample that was added to on purpose is none.

    >>> from cleverdon.pool import depth_pool, gather
    >>> pool = depth_pool(gather({"a": {"q1": {"d1": 2, "d2": 1}}}), k=2)
    >>> judged_pool(pool, {"q1": {"d1": 2}}).judgments["q1"]["d2"]
    -1.0
    """
    sample = pool.probability is not None
    if kind is None and sample:
        raise OptionError(
            "the pool is a sample: name the kind of judgments to make of it, strata (for xinfAP), "
            "sampled (for statAP) or plain (for infAP)"
        )
    kind = kind or "plain"
    check_word("kind", kind, KINDS)
    if kind == "strata" and pool.stratum is None:
        raise OptionError("strata are asked for, and the pool has none: it is no stratified sample")
    if kind == "sampled" and not sample:
        raise OptionError("probabilities are asked for, and the pool has none: it is no sample")
    nested: Nested = {topic: {} for topic in pool.topics}
    left = {topic: dict(of_topic) for topic, of_topic in grades.items()}
    judged = left_out = 0
    for (topic, at), drawn in zip(pool.rows(), pool.drawn.tolist(), strict=True):
        doc = pool.docs[at]
        grade = left.get(topic, {}).pop(doc, POOLED)
        judged += drawn and grade >= 0
        left_out += not drawn and grade >= 0
        nested[topic][doc] = grade if drawn and grade >= 0 else POOLED
    outside = [(t, d, g) for t, rest in left.items() for d, g in rest.items() if g >= 0]
    if not judged + left_out:
        _refuse(pool, outside)
    notes = _noted(pool, kind)
    if not sample:
        for topic, doc, grade in outside:
            nested.setdefault(topic, {})[doc] = grade
    to_judge = int(pool.drawn.sum())
    return JudgedPool(
        Judgments(_core.Table.from_dict(nested, "grade", "unchecked"), name="pool", notes=notes),
        judged=judged,
        waiting=to_judge - judged,
        not_drawn=len(pool) - to_judge,
        left_out=left_out + (len(outside) if sample else 0),
        outside=len(outside),
        uniform=_is_uniform(pool),
    )


def _refuse(pool: Pool, outside: list[tuple[str, str, float]]) -> None:
    if not outside:
        raise InputError("there is no judgment yet: fill in the column grade of the sheet")
    topic, doc, _ = outside[0]
    raise InputError(
        f"no judgment is of a document of the pool: they have {doc!r} of query {topic!r}, the pool "
        f"has {pool.docs[0]!r} of query {pool.topics[0]!r}"
    )


def _noted(pool: Pool, kind: str) -> Annotations:
    """Strata of all documents, or probabilities of those that were drawn."""
    nested: Nested = {topic: {} for topic in pool.topics}
    if kind == "strata" and pool.stratum is not None:
        strata = pool.stratum.tolist()
        for topic, at in pool.rows():
            nested[topic][pool.docs[at]] = strata[at]
        return Annotations(stratum=nested)
    if kind == "sampled" and pool.probability is not None:
        # What was not drawn has no probability: it stands for nothing.
        known = np.where(pool.drawn, pool.probability, nan).tolist()
        for topic, at in pool.rows():
            nested[topic][pool.docs[at]] = known[at]
        return Annotations(probability=nested)
    return Annotations()


def _is_uniform(pool: Pool) -> bool:
    if pool.probability is None:
        return True
    topic = np.repeat(np.arange(len(pool.topics)), np.diff(pool.starts))
    first = pool.probability[pool.starts[:-1]]
    return bool(np.allclose(pool.probability, first[topic]))
