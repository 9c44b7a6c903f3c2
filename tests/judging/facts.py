"""States of projects for tests of watching, without a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cleverdon.judging.dashboard.facts import (
    AssignmentFact,
    Facts,
    GradeEvent,
    ItemFact,
    JudgeFact,
    QueryFact,
    StandingGrade,
)
from cleverdon.judging.scale import _parse_scale

Given = Mapping[str, Mapping[int, int]]
"""Judges to items to grades; each judge's are in the order in which they were given."""


def made_facts(
    given: Given,
    *,
    queries: int = 1,
    documents: int = 10,
    models: Sequence[str] = (),
    gold: Mapping[int, int] | None = None,
    drawn: Mapping[int, float] | None = None,
    rulings: Mapping[int, int] | None = None,
    adaptive: bool = False,
    endings: Mapping[str, str] | None = None,
    scale: str = "0..3",
) -> Facts:
    """Items are numbered from 1, `documents` of them a query; all judge all, ten seconds each."""
    items = tuple(
        ItemFact(
            query * documents + place + 1,
            f"t{query + 1}",
            f"d{place + 1}",
            True,
            2,
            (gold or {}).get(query * documents + place + 1),
            None if drawn is None else 1,
            None if drawn is None else drawn[query * documents + place + 1],
        )
        for query in range(queries)
        for place in range(documents)
    )
    of_item = {item.id: item for item in items}
    kinds = {judge: "model" if judge in models else "person" for judge in given}
    labels = [
        StandingGrade(
            judge,
            kinds[judge],
            of_item[item].query,
            of_item[item].document,
            grade,
            item,
            0.0,
            of_item[item].gold is not None,
        )
        for judge, grades in given.items()
        for item, grade in grades.items()
    ]
    return Facts(
        as_of=1_000_000.0,
        scale=_parse_scale(scale),
        queries=tuple(QueryFact(f"t{query + 1}", "water") for query in range(queries)),
        items=items,
        judges=tuple(JudgeFact(judge, kind, "assessor", True) for judge, kind in kinds.items()),
        assigned=tuple(
            AssignmentFact(judge, f"t{query + 1}", "all")
            for judge, kind in kinds.items()
            if kind == "person"
            for query in range(queries)
        ),
        grades=tuple(sorted(labels, key=lambda row: row.item)),
        skips_and_flags=(),
        grade_events=tuple(
            GradeEvent(judge, item, 4.0, 10.0 * place)
            for judge, grades in given.items()
            if kinds[judge] == "person"
            for place, item in enumerate(grades)
        ),
        rulings=dict(rulings or {}),
        adaptive=adaptive,
        endings=endings or {},
    )


def simulated(
    *,
    judges: int = 4,
    queries: int = 10,
    documents: int = 12,
    stricter: float = 0.0,
    error: float = 0.3,
    overlap: float = 1.0,
    seed: int = 0,
) -> Facts:
    """People who err at random; the first becomes `stricter` by so many grades half-way."""
    random = np.random.default_rng(seed)
    count = queries * documents
    truth = random.choice(4, p=[0.4, 0.3, 0.2, 0.1], size=count)
    given: dict[str, dict[int, int]] = {}
    for number in range(judges):
        off = random.choice([-1, 0, 1], p=[error / 2, 1 - error, error / 2], size=count)
        late = np.arange(count) >= count / 2
        less = (random.random(count) < stricter) & late if number == 0 else 0
        grades = np.clip(truth + off - less, 0, 3)
        judged = random.random(count) < overlap
        given[f"p{number}"] = {
            place + 1: int(grades[place]) for place in range(count) if judged[place]
        }
    return made_facts(given, queries=queries, documents=documents)
