"""Adversarial rankings: small inputs on which evaluation tools are known to differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations, product

CUT = 3
"""The cut-off of all measures that have one: short enough for rankings that one can read."""


@dataclass(frozen=True)
class Order:
    """One query's results in one order, and what was judged."""

    docs: tuple[str, ...]
    scores: tuple[float, ...]
    judged: Mapping[str, float]

    @property
    def grades(self) -> list[float]:
        """The grade of each result; 0 where nobody judged it."""
        return [self.judged.get(doc, 0.0) for doc in self.docs]

    @property
    def relevant(self) -> set[str]:
        """The judged documents with a positive grade."""
        return {doc for doc, grade in self.judged.items() if grade > 0}


@dataclass(frozen=True)
class QueryResults:
    """What a system returned for a query, and what was judged."""

    results: tuple[tuple[str, float], ...]  # document and score, in the order of input
    judged: Mapping[str, float]
    missing: bool = False  # the run does not have the query

    def given(self) -> Order:
        """Return the results by falling score; equal scores stay in the order of input."""
        return self._order(sorted(self.results, key=lambda result: -result[1]))

    def orders(self) -> Iterator[Order]:
        """Yield every order in which results with equal scores could stand."""
        ranked = sorted(self.results, key=lambda result: -result[1])
        groups = [list(group) for _, group in groupby(ranked, key=lambda result: result[1])]
        for ways in product(*map(permutations, groups)):
            yield self._order([result for group in ways for result in group])

    def _order(self, results: Sequence[tuple[str, float]]) -> Order:
        docs, scores = zip(*results, strict=True) if results else ((), ())
        return Order(tuple(docs), tuple(scores), self.judged)


@dataclass(frozen=True)
class Ranking:
    """One adversarial input: a few queries with results and judgments."""

    name: str
    about: str
    queries: Mapping[str, QueryResults]

    @property
    def graded(self) -> bool:
        """Whether a grade is above 1."""
        return any(max(q.judged.values(), default=0) > 1 for q in self.queries.values())


def _query(
    results: str,
    *,
    scores: Sequence[float] = (),
    missed: Mapping[str, float] | None = None,
    missing: bool = False,
    **grades: float,
) -> QueryResults:
    docs = results.split()
    values = scores or [1 - place / 10 for place in range(len(docs))]
    given = {**dict.fromkeys(docs, 0), **grades, **(missed or {})}
    judged = {doc: float(grade) for doc, grade in given.items()}
    return QueryResults(tuple(zip(docs, values, strict=True)), judged, missing)


_PLAIN = _query("a x b y c", a=1, b=1, c=1)

RANKINGS: tuple[Ranking, ...] = (
    Ranking("plain", "grades of 0 and 1, distinct scores, all relevant returned", {"q": _PLAIN}),
    Ranking(
        "unreturned",
        "two of three relevant documents are not returned",
        {"q": _query("x a y z", a=1, missed={"m": 1, "n": 1})},
    ),
    Ranking(
        "ties",
        "a relevant and two other results have equal scores",
        {"q": _query("x b y c", scores=[0.9, 0.9, 0.9, 0.5], b=1, c=1)},
    ),
    Ranking(
        "tied grades",
        "results of three grades have equal scores",
        {"q": _query("x b c d", scores=[0.9, 0.5, 0.5, 0.5], b=1, c=3, d=2)},
    ),
    Ranking(
        "duplicates",
        "one relevant document is returned three times",
        {"q": _query("a a a x", a=1, missed={"m": 1})},
    ),
    Ranking("graded", "grades of 0 to 3", {"q": _query("a b x c", a=1, b=3, c=2)}),
    Ranking(
        "negative",
        "one result has a grade of -1",
        {"q": _query("n a x b", n=-1, a=1, b=1)},
    ),
    Ranking(
        "missing query",
        "the run lacks one of two judged queries",
        {"q": _PLAIN, "r": _query("", missing=True, missed={"m": 1})},
    ),
    Ranking(
        "empty list",
        "nothing is returned for one of two queries",
        {"q": _PLAIN, "r": _query("", missed={"m": 1})},
    ),
    Ranking(
        "short list",
        f"fewer than {CUT} results",
        {"q": _query("a", a=1, missed={"m": 1, "n": 1})},
    ),
    Ranking(
        "no relevant documents",
        "no document of one of two queries is relevant",
        {"q": _PLAIN, "r": _query("x y z")},
    ),
    Ranking(
        "nothing at all",
        "no document of one of two queries is relevant, and none is returned",
        {"q": _PLAIN, "r": _query("", missed={"x": 0})},
    ),
    Ranking(
        "low scores",
        "scores are 0 and below",
        {"q": _query("a x b y", scores=[0.5, 0.0, -0.5, -1.0], a=1, b=1)},
    ),
    Ranking(
        "close scores",
        "scores differ by less than float32 can tell",
        {"q": _query("a z", scores=[0.5 + 2**-40, 0.5], a=1)},
    ),
)
"""Every adversarial ranking; the first is the control."""
