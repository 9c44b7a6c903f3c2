"""Worked examples: a ranking written as grades down the page, and what a measure makes of it.

    nDCG@3   2 - 1 | 1   = 0.7985

`-` is a result that nobody judged; behind `|` stand judged documents that were not returned;
results in brackets, `(2 0 -)`, have equal scores; `max=3` is the largest grade of the collection's
judgments where it is not the largest shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from cleverdon.errors import NotationError
from cleverdon.hits import Hits, Judged
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse


@dataclass(frozen=True)
class Worked:
    """One example."""

    measure: Measure
    ranking: str
    expected: float  # NaN where the measure is undefined
    decimals: int

    @property
    def hits(self) -> Hits:
        return ranking(self.ranking)

    def agrees(self, value: float) -> bool:
        """Whether a value is the expected one, to the digits that the example shows."""
        if np.isnan(self.expected):
            return bool(np.isnan(value))
        return abs(value - self.expected) <= 0.5000001 * 10.0**-self.decimals


def examples(cls: type[Measure]) -> list[Worked]:
    """The worked examples of a measure."""
    return [_example(line) for line in cls.worked.strip().splitlines() if line.strip()]


def _example(line: str) -> Worked:
    match = re.fullmatch(r"\s*(\S+)\s+(.*?)\s*=\s*(undefined|-?[\d.]+)\s*", line)
    if match is None:
        raise NotationError(f"not a worked example: {line.strip()!r}")
    measure, text, value = match.groups()
    expected = np.nan if value == "undefined" else float(value)
    # Whole numbers are meant exactly.
    decimals = len(value.partition(".")[2]) or 9
    return Worked(parse(measure), text, expected, decimals)


def ranking(text: str) -> Hits:
    """The Hits of one query, written as grades down the page.

    >>> ranking("2 - 1 | 1").rank
    array([1, 3])
    """
    top = re.search(r"\bmax=(\S+)", text)
    shown, _, unreturned = re.sub(r"\bmax=\S+", "", text).partition("|")
    grades: list[float] = []
    ranks: list[tuple[int, int, int]] = []
    rank, group = 0, 0
    for token in re.findall(r"[()]|[^\s()]+", shown):
        if token == "(":
            group = len(ranks) + 1
            opened = rank + 1
        elif token == ")":
            ranks[group - 1 :] = [(r, opened, rank) for r, _, _ in ranks[group - 1 :]]
        else:
            rank += 1
            if token != "-":
                grades.append(float(token))
                ranks.append((rank, rank, rank))
    returned = len(grades)
    grades += [float(token) for token in unreturned.split()]
    judged = Judged(
        queries=["query"],
        starts=np.array([0, len(grades)]),
        grade=np.array(grades),
        top_grade=float(top[1]) if top else max(grades, default=0.0),
    )
    columns = np.array(ranks, dtype=np.int64).reshape(-1, 3).T
    return Hits(
        query=np.zeros(returned, dtype=np.int64),
        rank=columns[0],
        grade=judged.grade[:returned],
        doc=np.arange(returned),
        tied_from=columns[1],
        tied_to=columns[2],
        returned=np.array([rank]),
        judgments=judged,
    )
