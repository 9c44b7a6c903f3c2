"""Adaptive judging, query by query: give the next documents, take judgments, know when to stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any
from zlib import crc32

import numpy as np

from cleverdon._common.text import counted
from cleverdon.errors import InputError, OptionError, check_count, check_seed
from cleverdon.pooling.adaptive.methods import Method, MethodState, parse_method
from cleverdon.pooling.contributions import Contributions, QueryContributions


@dataclass(frozen=True)
class Limits:
    """The limits at which judging ends; None is no limit."""

    budget: int | None = None  # documents given of each query
    total: int | None = None  # documents given, over all queries
    patience: int | None = None  # documents in a row that are not relevant end a query
    target: int | None = None  # relevant documents that are enough for a query

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                check_count(field.name, value)


class QueryJudging:
    """The progress of one query."""

    def __init__(self, of: QueryContributions, method: Method, seed: int) -> None:
        # Seeded by the name, so that other queries make no difference.
        random = np.random.default_rng([seed, crc32(of.query.encode())])
        of = _shuffled(of, random)
        self.docs = of.docs
        self.number = {doc: number for number, doc in enumerate(of.docs)}
        self.state: MethodState = method.begin(of, random)
        self.relevant = 0
        self.fruitless = 0  # given and judged in a row, and none of them relevant
        self._given: set[int] = set()
        self._row: list[int] = []  # given and judged, in the order of judgments

    @property
    def given(self) -> int:
        return len(self._given)

    @property
    def judged(self) -> int:
        return len(self.state.relevant)

    def ended(self, limits: Limits) -> str:
        """Return why nothing more is given; empty where something is."""
        if not self.state.left:
            return "all given"
        if limits.budget is not None and self.given >= limits.budget:
            return "budget"
        if limits.target is not None and self.relevant >= limits.target:
            return "target"
        if limits.patience is not None and self.fruitless >= limits.patience:
            return "patience"
        return ""

    def give(self) -> str | None:
        """Return the next document; None where all were given or judged."""
        number = self.state.next()
        if number is None:
            return None
        self._given.add(number)
        return self.docs[number]

    def judge(self, doc: str, relevant: bool) -> None:
        """Take a judgment of any document, given or not."""
        number = self.number[doc]
        known = self.state.relevant
        before = known.get(number)
        self.state.judge(number, relevant)
        self.relevant += relevant - bool(before)
        # Only documents that were given count as fruitless; earlier judgments do not.
        if number not in self._given:
            return
        if before is None:
            self._row.append(number)
            self.fruitless = 0 if relevant else self.fruitless + 1
        elif before is not relevant:
            row = [known[number] for number in reversed(self._row)]
            self.fruitless = row.index(True) if True in row else len(row)


def _shuffled(of: QueryContributions, random: np.random.Generator) -> QueryContributions:
    """Number documents and systems at random: methods break ties by number."""
    docs = random.permutation(len(of.docs))
    systems = random.permutation(of.systems)
    number, place = np.argsort(docs), np.argsort(systems)
    order = np.argsort(place[of.system], kind="stable")
    return QueryContributions(
        of.query,
        [of.docs[doc] for doc in docs],
        place[of.system][order],
        number[of.doc][order],
        of.rank[order],
        of.score[order],
        of.systems,
    )


Judgment = tuple[str, str, float]
"""Query, document, grade."""

_JournalWriter = Callable[[list[dict[str, Any]]], object]
"""Keeps what happened; see `journal.py`."""


@dataclass(frozen=True)
class Tally:
    """The progress of judging."""

    pooled: int  # documents that could be given
    given: int
    judged: int  # of those that some system returned, given or not
    relevant: int  # of those
    waiting: int  # given and not judged yet
    elsewhere: int  # judged, and returned by no system
    queries: int
    ended: dict[str, int]  # why queries are over, and how many are
    total: int | None = None  # the limit over all queries, where it is reached

    @property
    def text(self) -> str:
        """The progress in one line."""
        share = f" ({self.relevant / self.judged:.0%})" if self.judged else ""
        parts = [
            f"{self.judged:,} of {counted(self.pooled, 'document')} judged",
            f"{self.relevant:,} relevant{share}",
            f"{self.waiting:,} given and not judged yet",
        ]
        if self.elsewhere:
            parts.append(f"{self.elsewhere:,} judged that no run returned")
        if self.total is not None:
            parts.append(f"{self.total:,} given in all, the limit")
        over = sum(self.ended.values())
        if over:
            why = ", ".join(f"{_ENDED[reason]}: {count:,}" for reason, count in self.ended.items())
            parts.append(f"{over:,} of {counted(self.queries, 'query')} over ({why})")
        return "; ".join(parts)

    @property
    def over_text(self) -> str:
        """The reason why no document is given, and what can be done about it."""
        limits = [_OPTIONS[reason] for reason in self.ended if reason in _OPTIONS]
        if self.total is not None:
            limits = [f"--total {self.total:,}"]
        if not limits or self.ended.get("all given") == self.queries:
            return "there is nothing more to judge: all documents have been given or judged"
        return f"nothing more is given, by {' and '.join(limits)}: to go on, give a larger number"


_ENDED = {
    "all given": "all documents given",
    "budget": "the budget spent",
    "target": "as many relevant as wanted",
    "patience": "nothing relevant for too long",
}
_OPTIONS = {"budget": "--budget", "target": "--target-relevant", "patience": "--patience"}
"""The options of `cleverdon pool next` that set the limits."""


class AdaptiveJudging:
    """Adaptive judging of all queries in turn.

    >>> from cleverdon.pooling.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> judging = AdaptiveJudging(gather(runs), "mtf")
    >>> for query, doc in judging:
    ...     judging.judge(query, doc, 1 if doc == "d3" else 0)
    >>> judging.tally.given, judging.tally.relevant
    (3, 1)

    Documents are relevant from the grade `rel` on. With the same seed and the same judgments, the
    same documents come in the same order. Nothing tells a judge who returned a document, or where.
    """

    def __init__(
        self,
        contributions: Contributions,
        method: str | Method = "mtf",
        *,
        seed: int = 0,
        rel: float = 1,
        queries: Sequence[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        seed = check_seed(seed)
        if not isfinite(rel):
            raise OptionError(f"rel={rel!r}: the lowest grade that is relevant is a number")
        self.contributions = contributions
        self.method = parse_method(method)
        self.seed, self.rel = seed, rel
        self.queries = _chosen_queries(contributions.queries, queries)
        self._places = {query: place for place, query in enumerate(self.queries)}
        self.limits = limits or Limits()
        self.given: list[tuple[str, str]] = []
        """What was given, in this order."""
        self.grades: dict[str, dict[str, float]] = {}
        """All judgments: query to document to grade."""
        self._record: _JournalWriter = lambda entries: None  # without a journal
        self._states: dict[str, QueryJudging] = {}
        self._turn = 0
        self._waiting: dict[tuple[str, str], None] = {}
        self._again: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return self

    def __next__(self) -> tuple[str, str]:
        found = self.next(1)
        if not found:
            raise StopIteration
        return found[0]

    def next(self, n: int) -> list[tuple[str, str]]:
        """Return the next documents, at most n; those that wait for a judgment come first."""
        again = [pair for pair in self._again if pair in self._waiting]
        found, self._again = again[:n], again[n:]
        new: list[tuple[str, str]] = []
        while len(found) + len(new) < n and (pair := self._one()) is not None:
            new.append(pair)
        if new:
            self._record([{"given": new}])
        return self._blind([*found, *new])

    def judge(self, query: str, doc: str, grade: float) -> None:
        """Take a judgment, also of a document that was not given; the last one counts."""
        self.judge_all([(query, doc, grade)])

    def judge_all(self, judgments: Iterable[Judgment]) -> int:
        """Take several judgments; return how many of them are new."""
        new = [
            judgment
            for judgment in map(_checked_judgment, judgments)
            if self.grades.get(judgment[0], {}).get(judgment[1]) != judgment[2]
        ]
        if new:
            self._record([{"judged": judgment} for judgment in new])
        for judgment in new:
            self._learn(judgment)
        return len(new)

    @property
    def waiting(self) -> list[tuple[str, str]]:
        """The documents that were given and are not judged yet, in the order of giving."""
        return list(self._waiting)

    @property
    def tally(self) -> Tally:
        states = [self._query(query) for query in self.queries]
        judged = sum(state.judged for state in states)
        reasons = Counter(state.ended(self.limits) for state in states)
        return Tally(
            pooled=sum(len(state.docs) for state in states),
            given=len(self.given),
            judged=judged,
            relevant=sum(state.relevant for state in states),
            waiting=len(self._waiting),
            elsewhere=sum(map(len, self.grades.values())) - judged,
            queries=len(states),
            ended={reason: count for reason, count in reasons.items() if reason},
            total=self.limits.total if self._spent else None,
        )

    def limit(self, **changed: int | None) -> None:
        limits = replace(self.limits, **changed)
        if limits != self.limits:
            self._record([{"limits": vars(limits)}])
            self.limits = limits

    def replay(self, entry: dict[str, Any]) -> None:
        """Repeat a step of a journal; raise a ValueError if it gives something else."""
        if "judged" in entry:
            query, doc, grade = entry["judged"]
            self._learn(_checked_judgment((query, doc, grade)))
        elif "given" in entry:
            for query, doc in entry["given"]:
                self._give_again(query, doc)
        else:
            self.limits = Limits(**entry["limits"])

    def replayed(self, record: _JournalWriter) -> None:
        """End the replay: record new steps, and give first what waits for a judgment."""
        self._record = record
        self._again = self.waiting

    @property
    def _spent(self) -> bool:
        return self.limits.total is not None and len(self.given) >= self.limits.total

    def _query(self, query: str) -> QueryJudging:
        if query not in self._states:
            self._states[query] = QueryJudging(self.contributions.of(query), self.method, self.seed)
        return self._states[query]

    def _one(self) -> tuple[str, str] | None:
        if self._spent:
            return None
        for step in range(len(self.queries)):
            at = (self._turn + step) % len(self.queries)
            state = self._query(self.queries[at])
            if not state.ended(self.limits):
                self._turn = at + 1
                return self._give(self.queries[at], state)
        return None

    def _give(self, query: str, state: QueryJudging) -> tuple[str, str]:
        doc = state.give()
        if doc is None:
            raise ValueError(f"no document of query {query!r} is left to give")
        pair = query, doc
        self.given.append(pair)
        self._waiting[pair] = None
        return pair

    def _give_again(self, query: str, doc: str) -> None:
        if query not in self._places:
            raise ValueError(f"there is no query {query!r}")
        _, found = self._give(query, self._query(query))
        if found != doc:
            raise ValueError(f"of query {query!r}, document {found!r} would be given, not {doc!r}")
        self._turn = self._places[query] + 1

    def _learn(self, judgment: Judgment) -> None:
        query, doc, grade = judgment
        self.grades.setdefault(query, {})[doc] = grade
        self._waiting.pop((query, doc), None)
        if query in self._places and doc in self._query(query).number:
            self._query(query).judge(doc, bool(grade >= self.rel))

    def _blind(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Order documents by query, and within a query at random."""
        if len(pairs) < 2:
            return pairs
        random = np.random.default_rng([self.seed, len(self.given), len(pairs)])
        mixed = [pairs[at] for at in random.permutation(len(pairs))]
        return sorted(mixed, key=lambda pair: self._places[pair[0]])


def _chosen_queries(all_queries: tuple[str, ...], wanted: Sequence[str] | None) -> tuple[str, ...]:
    if wanted is None:
        return all_queries
    for query in wanted:
        if query not in all_queries:
            raise InputError(f"no system returned anything for query {query!r}")
    return tuple(dict.fromkeys(wanted))


def _checked_judgment(judgment: Judgment) -> Judgment:
    query, doc, grade = judgment
    if not isinstance(grade, (int, float)) or not isfinite(grade):
        raise InputError(f"document {doc!r} of query {query!r}: the grade {grade!r} is no number")
    if grade < 0:
        raise InputError(
            f"document {doc!r} of query {query!r}: the grade {grade:g} is below 0; use 0 for junk, "
            "and leave out what is not judged"
        )
    return query, doc, float(grade)
