"""Hypothesis strategies for small collections with many edge cases.

A few documents with few distinct scores and grades give ties, unjudged results, judged documents
that were not returned, queries without a relevant document, queries that are missing from the run
and queries that only the run has, all in one collection.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

Nested = dict[str, dict[str, float]]

# Numbers whose order differs as text, prefixes of each other, letter case, and characters of one,
# two, three and four bytes: ids must be ordered bytewise.
DOCUMENTS = ("10", "2", "1", "a", "ab", "abc", "B", "é", "日本", "𝔘", "doc-1", "doc-10")
QUERIES = ("q10", "q2", "q1", "Q", "é", "10", "2", "日")
# Many queries per example: one large collection is much cheaper to draw than many small ones.
MANY = tuple(f"query {number}" for number in range(60))

# The simplest first: hypothesis prefers it when it shrinks a failing case.
INTEGER_GRADES = (1, 0, 2, 1, 0, 3, 4, -1, -2)
REAL_GRADES = (1.0, 0.0, 2.0, 0.75, 1.5, 3.75, 0.25, -1.0, -0.25)
# Exact as float32 too; 0.0 and -0.0 are equal, and therefore tied.
SCORES = (1.0, 0.5, 0.25, 0.0, -0.0, -3.0, 1024.0)
WIDE_SCORES = (*SCORES, 1e300, -1e300, 1e-300, float("inf"), float("-inf"))

PRESENCE = (*6 * ("in both",), "only judged", "only in the run", "nothing returned")


@dataclass(frozen=True)
class Collection:
    """Judgments, and a run with results for at least one of their queries."""

    qrels: Nested
    run: Nested


@st.composite
def collections(
    draw: st.DrawFn,
    *,
    grades: tuple[float, ...] = REAL_GRADES,
    scores: tuple[float, ...] = WIDE_SCORES,
    queries: tuple[str, ...] = QUERIES,
    fewest: int = 1,
) -> Collection:
    """Draw judgments and a run for some of the first of these queries."""
    # One draw per document instead of four: drawing takes most of the time of such tests.
    pairs = [(grade, score) for grade in grades for score in scores]
    pairs += 4 * [(None, score) for score in scores]
    pairs += 4 * [(grade, None) for grade in grades]
    values = st.lists(st.sampled_from(pairs), min_size=1, max_size=len(DOCUMENTS))
    one_query = st.tuples(st.sampled_from(PRESENCE), values)
    drawn = draw(st.lists(one_query, min_size=fewest, max_size=len(queries)))
    shuffled = random.Random(draw(st.integers(0, 2**16)))
    qrels: Nested = {}
    run: Nested = {}
    for query, (presence, drawn_values) in zip(queries, drawn, strict=False):
        rows = list(zip(shuffled.sample(DOCUMENTS, len(drawn_values)), drawn_values, strict=True))
        judged = {doc: grade for doc, (grade, _) in rows if grade is not None}
        returned = {doc: score for doc, (_, score) in rows if score is not None}
        if judged and presence != "only in the run":
            qrels[query] = judged
        if returned and presence != "only judged":
            run[query] = {} if presence == "nothing returned" else returned
    assume(any(run.get(query) for query in qrels))
    return Collection(qrels, run)
