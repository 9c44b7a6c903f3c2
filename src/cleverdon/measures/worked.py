"""Worked examples: a ranking written as grades down the page, and what a measure makes of it.

    nDCG@3   2 - 1 | 1   = 0.7985

`-` is a result that nobody judged; behind `|` stand judged documents that were not returned;
results in brackets, `(2 0 -)`, have equal scores; `max=3` is the largest grade of the collection's
judgments where it is not the largest shown, `docs=100` the size of the collection. What a measure
yields is a number, `undefined`, or a text in quotes.

A document may have more than one grade: `2/1` is of relevance 2 and, say, credibility 1; `ab2`
covers subtopic a with grade 1 and subtopic b with grade 2; `1@3` was drawn from stratum 3 of the
pool; `1%.5` was drawn with probability .5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.judged import Judged, Subtopics
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse


@dataclass(frozen=True)
class Worked:
    """One example."""

    measure: Measure
    ranking: str
    expected: float | str  # NaN where the measure is undefined
    decimals: int

    @property
    def hits(self) -> Hits:
        return ranking(self.ranking)

    @property
    def undefined(self) -> bool:
        """Whether it shows a case in which the measure has no value."""
        return not isinstance(self.expected, str) and bool(np.isnan(self.expected))

    @property
    def found(self) -> float | str:
        """What the measure makes of the ranking."""
        if self.measure.text:
            return self.measure.texts(self.hits)[0]
        return float(self.measure(self.hits)[0])

    def agrees(self, value: float | str) -> bool:
        """Whether a value is the expected one, to the digits that the example shows."""
        if isinstance(value, str) or isinstance(self.expected, str):
            return value == self.expected
        if self.undefined:
            return bool(np.isnan(value))
        return abs(value - self.expected) <= 0.5000001 * 10.0**-self.decimals


def examples(cls: type[Measure]) -> list[Worked]:
    """The worked examples of a measure."""
    return [_example(line) for line in cls.worked.strip().splitlines() if line.strip()]


def _example(line: str) -> Worked:
    match = re.fullmatch(r"\s*(\S+)\s+(.*?)\s*=\s*(undefined|-?[\d.]+|'[^']*')\s*", line)
    if match is None:
        raise NotationError(f"not a worked example: {line.strip()!r}")
    measure, text, value = match.groups()
    if value.startswith("'"):
        return Worked(parse(measure), text, value[1:-1], 0)
    expected = np.nan if value == "undefined" else float(value)
    # Whole numbers are meant exactly.
    decimals = len(value.partition(".")[2]) or 9
    return Worked(parse(measure), text, expected, decimals)


def ranking(text: str) -> Hits:
    """The Hits of one query, written as grades down the page.

    >>> ranking("2 - 1 | 1").rank
    array([1, 3])
    """
    facts = dict(re.findall(r"\b(max|docs)=(\S+)", text))
    shown, _, unreturned = re.sub(r"\b(max|docs)=\S+", "", text).partition("|")
    documents: list[str] = []
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
                documents.append(token)
                ranks.append((rank, rank, rank))
    returned = len(documents)
    judged = _judged(documents + unreturned.split(), facts)
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


def _judged(documents: list[str], facts: dict[str, str]) -> Judged:
    """The judgments that such tokens stand for."""
    pairs = [
        [(name, float(grade or 1)) for name, grade in re.findall(r"([a-z])(\d*)", token)]
        for token in documents
    ]
    names = sorted({name for covered in pairs for name, _ in covered})
    covered = [
        (d, names.index(name), grade) for d, p in enumerate(pairs) for name, grade in sorted(p)
    ]
    docs, topics, topic_grades = np.array(covered, dtype=float).reshape(-1, 3).T
    grade = np.array(
        [
            max(g for _, g in p) if p else float(re.split("[/@%]", t)[0])
            for t, p in zip(documents, pairs, strict=True)
        ]
    )

    def column(mark: str) -> np.ndarray | None:
        if not any(mark in token for token in documents):
            return None
        return np.array([float(token.partition(mark)[2]) for token in documents])

    stratum, second = column("@"), column("/")
    return Judged(
        queries=["query"],
        starts=np.array([0, len(documents)]),
        grade=grade,
        top_grade=float(facts.get("max", grade.max(initial=0))),
        docs=int(facts["docs"]) if "docs" in facts else None,
        second=second,
        top_second=0.0 if second is None else float(second.max(initial=0)),
        subtopics=Subtopics(docs.astype(int), topics.astype(int), topic_grades, [names])
        if names
        else None,
        stratum=None if stratum is None else stratum.astype(int),
        probability=column("%"),
    )
