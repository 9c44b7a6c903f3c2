"""A pool that was judged: judgments that say from which stratum, or with which probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cleverdon import _core
from cleverdon.annotations import Annotations, Nested
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.pool.pooled import Pool

KINDS = ("plain", "strata", "sampled")
NOT_JUDGED = -1.0


@dataclass(frozen=True)
class JudgedPool:
    """The judgments of a pool, and what to know of them."""

    judgments: Judgments
    judged: int  # documents that were to be judged, and were
    waiting: int  # that were to be judged, and are not yet
    not_drawn: int  # of the pool, and never to be judged
    outside: int  # judged, and not of the pool


def judged_pool(
    pool: Pool, grades: Mapping[str, Mapping[str, float]], *, kind: str | None = None
) -> JudgedPool:
    """The judgments of a pool; what has no grade is pooled and not judged, grade -1.

    `kind` is what they say beside grades: plain (nothing, as infAP takes it), strata (xinfAP),
    sampled (probabilities, statAP). Of a sample it must be named, since a file does not tell which
    it is.

    >>> from cleverdon.pool import depth_pool, gather
    >>> pool = depth_pool(gather({"a": {"q1": {"d1": 2, "d2": 1}}}), k=2)
    >>> judged_pool(pool, {"q1": {"d1": 2}}).judgments["q1"]["d2"]
    -1.0
    """
    if kind is None and (pool.stratum is not None or pool.probability is not None):
        raise OptionError(
            "the pool is a sample: name the kind of judgments to make of it, strata (for xinfAP), "
            "sampled (for statAP) or plain (for infAP)"
        )
    kind = kind or "plain"
    check_word("kind", kind, KINDS)
    if kind == "strata" and pool.stratum is None:
        raise OptionError("kind='strata': the pool has none, and is no stratified sample")
    if kind == "sampled" and pool.probability is None:
        raise OptionError("kind='sampled': the pool has no probabilities, and is no sample")
    nested: Nested = {topic: {} for topic in pool.topics}
    of_doc: dict[tuple[str, str], int] = {}
    waiting = 0
    for topic, at in pool.rows():
        doc = pool.docs[at]
        grade = grades.get(topic, {}).get(doc, NOT_JUDGED)
        nested[topic][doc] = grade
        of_doc[topic, doc] = at
        waiting += bool(pool.drawn[at]) and grade < 0
    outside = [(t, d) for t, of in grades.items() for d in of if (t, d) not in of_doc]
    if len(outside) == sum(map(len, grades.values())):
        _refuse_all_outside(pool, outside)
    notes = _noted(pool, of_doc, kind, outside)
    for topic, doc in outside:
        nested.setdefault(topic, {})[doc] = grades[topic][doc]
    to_judge = int(pool.drawn.sum())
    table = _core.Table.from_dict(nested, "grade", "unchecked")
    return JudgedPool(
        Judgments(table, name="pool", notes=notes),
        judged=to_judge - waiting,
        waiting=waiting,
        not_drawn=len(pool) - to_judge,
        outside=len(outside),
    )


def _refuse_all_outside(pool: Pool, outside: list[tuple[str, str]]) -> None:
    if not outside:
        raise InputError("there is no judgment yet: fill in the column grade of the sheet")
    topic, doc = outside[0]
    raise InputError(
        f"no judgment is of a document of the pool: they have {doc!r} of query {topic!r}, the pool "
        f"has {pool.docs[0]!r} of query {pool.topics[0]!r}"
    )


def _noted(
    pool: Pool, of_doc: dict[tuple[str, str], int], kind: str, outside: list[tuple[str, str]]
) -> Annotations:
    if kind == "strata" and outside:
        topic, doc = outside[0]
        raise InputError(
            f"{len(outside)} judgments are of documents in no stratum, as {doc!r} of query "
            f"{topic!r}; leave them out, or make plain or sampled judgments"
        )
    column = {"strata": pool.stratum, "sampled": pool.probability}.get(kind)
    if column is None:
        return Annotations()
    values = column.tolist()
    nested: Nested = {}
    for (topic, doc), at in of_doc.items():
        # What was not drawn has no probability: it stands for nothing.
        drawn = kind == "strata" or pool.drawn[at]
        nested.setdefault(topic, {})[doc] = values[at] if drawn else float("nan")
    for topic, doc in outside:
        nested.setdefault(topic, {})[doc] = float("nan")
    return Annotations(stratum=nested) if kind == "strata" else Annotations(probability=nested)
