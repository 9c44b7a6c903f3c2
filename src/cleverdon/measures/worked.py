"""Rankings written as grades down the page, as worked examples of measures have them.

    nDCG@3   2 - 1 | 1   = 0.7985

`-` is a result that nobody judged; judged documents that were not returned follow `|`;
results in brackets, `(2 0 -)`, have equal scores; `max=3` is the largest grade of the
collection's judgments where it is not the largest shown, `docs=100` the size of the collection.
The value of a measure is a number, `undefined`, or a text in quotes.

A document may have more than one grade: `2/1` is of relevance 2 and, say, credibility 1; `ab2`
covers subtopic a with grade 1 and subtopic b with grade 2; `1@3` was drawn from stratum 3 of
the pool; `1%.5` was drawn with probability .5; `1#3` is relevant for 3 queries, of as many as
`queries=20` says.
"""

from __future__ import annotations

import re

import numpy as np

from cleverdon.hits import Hits
from cleverdon.judgment_arrays import JudgmentArrays, Subtopics


def ranking(text: str) -> Hits:
    """Return the Hits of one query, written as grades down the page.

    >>> ranking("2 - 1 | 1").rank
    array([1, 3])
    """
    facts = dict(re.findall(r"\b(max|docs|queries)=(\S+)", text))
    shown, _, unreturned = re.sub(r"\b(max|docs|queries)=\S+", "", text).partition("|")
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


def _judged(documents: list[str], facts: dict[str, str]) -> JudgmentArrays:
    pairs = [
        [(name, float(grade or 1)) for name, grade in re.findall(r"([a-z])(\d*)", token)]
        for token in documents
    ]
    names = sorted({name for covered in pairs for name, _ in covered})
    covered = [
        (d, names.index(name), grade) for d, p in enumerate(pairs) for name, grade in sorted(p)
    ]
    docs, subtopics, subtopic_grades = np.array(covered, dtype=float).reshape(-1, 3).T
    grade = np.array(
        [
            max(g for _, g in p) if p else float(re.split("[/@%#]", t)[0])
            for t, p in zip(documents, pairs, strict=True)
        ]
    )

    def column(mark: str) -> np.ndarray | None:
        if not any(mark in token for token in documents):
            return None
        return np.array([float(token.partition(mark)[2]) for token in documents])

    stratum, second = column("@"), column("/")
    return JudgmentArrays(
        queries=["query"],
        starts=np.array([0, len(documents)]),
        grade=grade,
        top_grade=float(facts.get("max", grade.max(initial=0))),
        docs=int(facts["docs"]) if "docs" in facts else None,
        second=second,
        top_second=0.0 if second is None else float(second.max(initial=0)),
        subtopics=Subtopics(docs.astype(int), subtopics.astype(int), subtopic_grades, [names])
        if names
        else None,
        stratum=None if stratum is None else stratum.astype(int),
        probability=column("%"),
        positives=column("#"),
        all_queries=int(facts.get("queries", 1)),
    )
