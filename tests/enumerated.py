"""Small rankings for tests that enumerate all cases."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from cleverdon.hits import Hits
from cleverdon.judgment_arrays import JudgmentArrays


@st.composite
def rankings(
    draw: st.DrawFn,
    *,
    longest: int,
    grades: tuple[str, ...] = ("1", "0", "2", "3", "-1"),
    ties: bool = True,
    unjudged: int = 3,
) -> str:
    """Draw a ranking in the notation of worked examples, at most `unjudged` results unjudged."""
    tokens = draw(st.lists(st.sampled_from((*grades, "-", "-")), max_size=longest))
    while sum(token in ("-", "-1") for token in tokens) > unjudged:
        tokens.remove("-" if "-" in tokens else "-1")
    shown, place = [], 0
    while place < len(tokens):
        size = draw(st.integers(1, 4)) if ties else 1
        group = " ".join(tokens[place : place + size])
        shown.append(f"({group})" if size > 1 else group)
        place += size
    unseen = draw(st.lists(st.sampled_from([g for g in grades if g != "-1"]), max_size=3))
    return f"{' '.join(shown)} | {' '.join(unseen)}"


def all_orders(hits: Hits) -> list[Hits]:
    """Return one query's Hits in every order of its tied groups, with repetitions."""
    groups = sorted(set(zip(hits.tied_from.tolist(), hits.tied_to.tolist(), strict=True)))
    places = []
    for first, last in groups:
        rows = np.flatnonzero(hits.tied_from == first).tolist()
        taken = itertools.permutations(range(first, last + 1), len(rows))
        places.append([dict(zip(rows, ranks, strict=True)) for ranks in taken])
    orders = []
    for chosen in itertools.product(*places):
        ranks = {row: rank for group in chosen for row, rank in group.items()}
        rank = np.array([ranks[row] for row in range(len(hits.rank))], dtype=np.int64)
        moved = replace(hits, rank=rank, tied_from=rank, tied_to=rank)
        orders.append(moved.where(np.argsort(rank)))
    return orders


def joined(queries: list[Hits]) -> Hits:
    """Combine Hits of one query each into one Hits."""
    rows = np.cumsum([0, *(len(hits.judgments.grade) for hits in queries)])

    def column(name: str) -> np.ndarray:
        return np.concatenate([getattr(hits, name) for hits in queries])

    first = queries[0].judgments
    judgments: JudgmentArrays = replace(
        first,
        queries=[str(number) for number in range(len(queries))],
        starts=rows,
        grade=np.concatenate([hits.judgments.grade for hits in queries]),
        top_grade=max(hits.judgments.top_grade for hits in queries),
    )
    return Hits(
        query=np.repeat(np.arange(len(queries)), [len(hits.query) for hits in queries]),
        rank=column("rank"),
        grade=column("grade"),
        doc=np.concatenate([hits.doc + row for hits, row in zip(queries, rows, strict=False)]),
        tied_from=column("tied_from"),
        tied_to=column("tied_to"),
        returned=column("returned"),
        judgments=judgments,
    )


def all_cases(
    hits: Hits, grades: tuple[float, ...], *, ties: bool = True, docs: int | None = None
) -> list[Hits]:
    """Return one query's Hits in every order of ties, with all grades of the unjudged results.

    With `docs`, the judged documents that were not returned are also tried at all ranks below.
    """
    whole = hits.assume(-1.0, join=True)
    if not ties:
        whole = replace(whole, tied_from=whole.rank, tied_to=whole.rank)
    cases = []
    for order in all_orders(whole):
        slots = np.flatnonzero(order.grade < 0)
        for chosen in itertools.product(grades, repeat=len(slots)):
            judged = order.judgments.grade.copy()
            judged[order.doc[slots]] = chosen
            case = replace(
                order,
                grade=judged[order.doc],
                judgments=replace(order.judgments, grade=judged),
            )
            cases += [case] if docs is None else _all_rests(case, docs)
    return cases


def _all_rests(hits: Hits, docs: int) -> list[Hits]:
    grade = hits.judgments.grade
    unseen = np.setdiff1d(np.arange(len(grade)), hits.doc)
    rests = []
    left = range(int(hits.returned[0]) + 1, docs + 1)
    for places in itertools.permutations(left, len(unseen)):
        doc = np.concatenate((hits.doc, unseen))
        rank = np.concatenate((hits.rank, np.array(places, dtype=np.int64)))
        rest = replace(
            hits,
            query=np.zeros(len(doc), dtype=np.int64),
            rank=rank,
            grade=grade[doc],
            doc=doc,
            tied_from=rank,
            tied_to=rank,
            returned=np.array([docs]),
        )
        rests.append(rest.where(np.argsort(rank)))
    return rests
