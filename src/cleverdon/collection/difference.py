"""The difference between two sets of judgments, and its effect on the order of systems."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from cleverdon import _core
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.collection.difference_tables import (
    change_table,
    changed_query_table,
    diff_json,
    diff_notes,
    diff_sections,
)
from cleverdon.comparison.claim_flips import Flips, flips
from cleverdon.comparison.differences import compare
from cleverdon.comparison.orderings import OrderAgreement, correlate
from cleverdon.comparison.samples import part_of, samples
from cleverdon.data import Judgments, Nested
from cleverdon.errors import InputError, OptionError
from cleverdon.evaluation import evaluate
from cleverdon.measures.base import Measure
from cleverdon.measures.ranked import AP
from cleverdon.scores import Scores
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.result_lists import OneTable
from cleverdon.tables.sections import Section

Grade = float | None
"""None where a document is not mentioned."""
_Transitions = dict[tuple[Grade, Grade], int]
"""From grade to grade, and how many judgments went there."""
_ChangedGrades = tuple[str, list[tuple[Any, tuple[Grade, Grade]]]]
"""A query, and its documents (or each with a subtopic) whose grades changed."""
Key = TypeVar("Key", bound=Hashable)
"""A document, or a document and a subtopic of its query."""

_BESIDE = ("subtopics", "stratum", "probability")
"""The annotations that judgments may have in addition to grades."""


@dataclass(frozen=True)
class Change:
    """One judgment that is not as it was."""

    query: str
    doc: str
    before: Grade
    after: Grade
    subtopic: str | None = None  # where subtopics are judged


@dataclass(frozen=True)
class QueryDiff:
    """The changes for one query."""

    query: str
    same: int
    added: int
    removed: int
    changed: int
    relevant_before: int  # documents
    relevant_after: int


@dataclass(frozen=True, eq=False)
class Diff(Result):
    """The changes from one set of judgments to another; of subtopics, each grade is a judgment.

    >>> found = diff({"q1": {"a": 1}}, {"q1": {"a": 0, "b": 1}})
    >>> found.added, found.changed, found.by_judgment().to_csv().splitlines()[0]
    (1, 1, 'query,document,before,after')
    """

    names: tuple[str, str]
    rel: float
    moved: tuple[_ChangedGrades, ...]  # a query each, where anything changed
    queries: tuple[QueryDiff, ...]  # all queries of both
    only_before: tuple[str, ...]  # queries
    only_after: tuple[str, ...]
    transitions: _Transitions  # the same grades among them
    beside: int  # judgments of the same grade whose stratum or probability changed
    by_subtopic: bool  # whether both judge subtopics, and these were compared
    one_sided: tuple[str, ...]  # annotations that only one of the two has
    effects: tuple[Effect, ...] = ()  # on the order of systems, a measure each

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        return diff_sections(self, exact=exact)

    def closing(self) -> Sequence[str]:
        return diff_notes(self)

    def to_dict(self) -> dict[str, Any]:
        return diff_json(self)

    def by_query(self) -> OneTable:
        """Return the changes with a row for each query."""
        grid = partial(changed_query_table, self)
        return OneTable("queries", grid, lambda: {"queries": as_json(self.queries)})

    def by_judgment(self) -> OneTable:
        """Return a row for each judgment that changed."""
        grid = partial(change_table, self)
        return OneTable("changes", grid, lambda: {"changes": as_json(self.changes)})

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Every judgment that changed: records, of which there may be millions."""
        return tuple(
            Change(query, *([key[0], *grades, key[1]] if self.by_subtopic else [key, *grades]))
            for query, of_query in self.moved
            for key, grades in of_query
        )

    @property
    def same(self) -> int:
        return sum(one.same for one in self.queries)

    @cached_property
    def added(self) -> int:
        return sum(one.added for one in self.queries)

    @cached_property
    def removed(self) -> int:
        return sum(one.removed for one in self.queries)

    @cached_property
    def changed(self) -> int:
        return sum(one.changed for one in self.queries)

    @property
    def crossed(self) -> tuple[int, int]:
        """Documents of both that became relevant, and that no longer are."""
        moved = [
            ((before >= self.rel), (after >= self.rel), count)
            for (before, after), count in self.transitions.items()
            if before is not None and after is not None
        ]
        became = sum(count for was, now, count in moved if now and not was)
        return became, sum(count for was, now, count in moved if was and not now)


@shows_progress("comparing")
def diff(
    before: Any,
    after: Any,
    *,
    runs: Any = None,
    measures: Sequence[str | Measure] = (),
    rel: float = 1,
    confidence: float | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
    **comparing: Any,
) -> Diff:
    """Compare two sets of judgments document by document; with runs, their order by both.

    Where both judge subtopics, each subtopic is compared.

    Args:
        before: The old judgments: a file, a dict or a data frame.
        after: The new ones.
        runs: Runs by name, or files: see what the change does to their scores and order.
        measures: The measures of the runs; by default nDCG@10, and AP from `rel` on.
        rel: The lowest grade that is relevant.
        confidence: The confidence of intervals; by default 1 - level.
        run_format: The format of the runs, if it should not be guessed.
        order_by: "score", or "rank" to order runs by their rank column.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        comparing: Keywords of `compare`: baseline, test, level, seed.

    Returns:
        The changes.

    Raises:
        InputError: The two have no query in common.

    >>> found = diff({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 2, "c": 0}})
    >>> [(change.doc, change.before, change.after) for change in found.changes]
    [('a', 1.0, 2.0), ('b', 0.0, None), ('c', None, 0.0)]
    """
    progress = as_callback(progress)
    old, new = Judgments.read(before), Judgments.read(after)
    found = _diff(old, new, rel, progress)
    if runs is None:
        return found
    how: dict[str, Any] = {"run_format": run_format, "order_by": order_by, "progress": progress}
    wanted = measures or ("nDCG@10", AP(rel=rel))
    scores = [evaluate(judgments, runs, wanted, **how) for judgments in (old, new)]
    return with_effects(found, *scores, confidence=confidence, **comparing)


def _diff(old: Judgments, new: Judgments, rel: float, progress: Progress | None) -> Diff:
    if not set(old.queries) & set(new.queries):
        raise InputError(
            f"the two have no query in common: {_label(old)} has {old.queries[0]!r}, "
            f"{_label(new)} has {new.queries[0]!r}"
        )
    have = [{what for what in _BESIDE if getattr(of.notes, what) is not None} for of in (old, new)]
    by_subtopic = "subtopics" in have[0] & have[1]
    noted = sorted((have[0] & have[1]) - {"subtopics"})
    moved: list[_ChangedGrades] = []
    by_query: list[QueryDiff] = []
    transitions: Counter[tuple[Grade, Grade]] = Counter()
    beside = 0
    queries = list(dict.fromkeys([*old.queries, *new.queries]))
    for at, query in enumerate(queries):
        were, are = (_grades(of, query) for of in (old, new))
        changed: list[tuple[Any, tuple[Grade, Grade]]]
        if by_subtopic:
            found, changed = _compared(_pairs(old, query), _pairs(new, query))
        else:
            found, changed = _compared(were, are)
        if changed:
            moved.append((query, changed))
        transitions.update(found)
        by_query.append(_query_diff(query, found, were, are, rel))
        if noted:
            same = (doc for doc, grade in were.items() if are.get(doc) == grade)
            beside += sum(
                _annotations_of(old, noted, query, d) != _annotations_of(new, noted, query, d)
                for d in same
            )
        if progress is not None:
            progress("comparing judgments", at + 1, len(queries))
    return Diff(
        names=_labels(old, new),
        rel=rel,
        moved=tuple(moved),
        queries=tuple(by_query),
        only_before=tuple(query for query in old.queries if query not in new),
        only_after=tuple(query for query in new.queries if query not in old),
        transitions=dict(transitions),
        beside=beside,
        by_subtopic=by_subtopic,
        one_sided=tuple(sorted(have[0] ^ have[1])),
    )


def _compared(
    were: Mapping[Key, float], are: Mapping[Key, float]
) -> tuple[Counter[tuple[Grade, Grade]], list[tuple[Key, tuple[Grade, Grade]]]]:
    """Count the transitions between grades, and list the judgments that changed."""
    now = are.get
    pairs: list[tuple[Grade, Grade]] = [(grade, now(key)) for key, grade in were.items()]
    moved = [(key, pair) for key, pair in zip(were, pairs, strict=True) if pair[0] != pair[1]]
    new: list[tuple[Key, tuple[Grade, Grade]]] = [
        (key, (None, grade)) for key, grade in are.items() if key not in were
    ]
    return Counter([*pairs, *(pair for _, pair in new)]), [*moved, *new]


def _query_diff(
    query: str,
    found: Mapping[tuple[Grade, Grade], int],
    were: Mapping[str, float],
    are: Mapping[str, float],
    rel: float,
) -> QueryDiff:
    counts = Counter[str]()
    for pair, count in found.items():
        counts[_kind(*pair)] += count
    return QueryDiff(
        query=query,
        **{name: counts[name] for name in ("same", "added", "removed", "changed")},
        relevant_before=sum(grade >= rel for grade in were.values()),
        relevant_after=sum(grade >= rel for grade in are.values()),
    )


def apply_changes(found: Diff, judgments: Any) -> Judgments:
    """Make the changes of a difference to the judgments that were compared.

    Args:
        found: The difference.
        judgments: The old judgments, of plain grades.

    Returns:
        The new judgments.

    >>> old, new = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 2, "c": 0}}
    >>> apply_changes(diff(old, new), old).to_dict() == new
    True
    """
    given = Judgments.read(judgments)
    if any(getattr(given.notes, what) is not None for what in _BESIDE):
        raise OptionError(
            "changes can be made to plain grades only: these judgments have subtopics, strata or "
            "probabilities, of which a difference does not say what became"
        )
    nested: Nested = given.to_dict()
    for change in found.changes:
        held = nested.setdefault(change.query, {})
        if held.get(change.doc) != change.before:
            raise InputError(
                f"document {change.doc!r} of query {change.query!r} had grade {change.before}, and "
                f"has {held.get(change.doc)} here: these are other judgments"
            )
        if change.after is None:
            del held[change.doc]
        else:
            held[change.doc] = change.after
    left = {query: docs for query, docs in nested.items() if docs}
    return Judgments(_core.Table.from_dict(left, Judgments.kind, "unchecked"), name=given.name)


def _grades(judgments: Judgments, query: str) -> dict[str, float]:
    return judgments[query] if query in judgments else {}  # noqa: SIM401 (there is no `get`)


def _pairs(judgments: Judgments, query: str) -> dict[tuple[str, str], float]:
    """Return the grades of documents for each subtopic."""
    return {
        (doc, subtopic): grade
        for doc, grades in (judgments.notes.subtopics or {}).get(query, {}).items()
        for subtopic, grade in grades.items()
    }


def _kind(before: Grade, after: Grade) -> str:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    return "same" if before == after else "changed"


def _label(judgments: Judgments) -> str:
    return judgments.source or judgments.name


def _labels(old: Judgments, new: Judgments) -> tuple[str, str]:
    """Return two labels that differ."""
    names = _label(old), _label(new)
    return names if names[0] != names[1] else (f"first {names[0]}", f"second {names[1]}")


def _annotations_of(judgments: Judgments, what: Iterable[str], query: str, doc: str) -> list[Any]:
    """Return a document's annotations in a form that can be compared."""
    found = [getattr(judgments.notes, name).get(query, {}).get(doc) for name in what]
    # NaN, of what was not drawn, would not even equal itself.
    return ["not drawn" if value is not None and math.isnan(value) else value for value in found]


_DIGITS = 12
"""Averages that differ in later digits are equal, and were added up in another order."""


@dataclass(frozen=True)
class RankMove:
    """One system before and after."""

    system: str
    before: float
    after: float
    rank_before: int  # from 1; equal systems share the best of their ranks
    rank_after: int

    @property
    def up(self) -> int:
        """The ranks gained."""
        return self.rank_before - self.rank_after


@dataclass(frozen=True)
class SharedQueries:
    """The queries on which two judgments are compared, and how many are left out."""

    queries: tuple[str, ...] = field(metadata=in_json(None))
    """Judged by both, and all systems are evaluated on them."""
    only_before: int
    only_after: int
    not_evaluated: int  # judged by both, and some system is not evaluated on them


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of a change of judgments on the order of systems by one measure."""

    measure: Measure
    shared: SharedQueries
    moves: tuple[RankMove, ...]  # the best after the change first
    agreement: OrderAgreement | None  # of both orders; None of one system
    flips: Flips  # what became of the difference of each two systems


def effects(
    before: Scores,
    after: Scores,
    *,
    baseline: str | None = None,
    level: float = 0.05,
    confidence: float | None = None,
    seed: int = 0,
    **testing: Any,
) -> list[Effect]:
    """Compare the same runs' scores by two judgments, measure by measure.

    Everything is on the queries that both judgments have, and that every system was evaluated on.
    `testing` are keywords of `compare`.
    """
    if before.systems != after.systems or before.measures != after.measures:
        raise OptionError("the two scores are to be of the same systems, by the same measures")
    shared = _shared_queries(before, after)
    before, after = (part_of(of, queries=shared.queries) for of in (before, after))
    alike: list[OrderAgreement] = []
    turned = Flips(())
    if len(before.systems) > 1:
        # tau-AP takes the order before the change for the truth: what is lost of it?
        of_level = 1 - level if confidence is None else confidence
        drawn: dict[str, Any] = {"confidence": of_level, "seed": seed}
        alike = list(correlate(before, other=after, symmetric=False, **drawn))
        how = testing | {"baseline": baseline, "level": level, "confidence": confidence}
        turned = flips(*(compare(of, seed=seed, **how) for of in (before, after)))
    elif baseline is not None:
        raise OptionError(
            f"baseline={baseline!r}: there is one system, and none to compare it with"
        )
    return [
        Effect(
            measure=measure,
            shared=shared,
            moves=_rank_moves(before, after, m),
            agreement=alike[m] if alike else None,
            flips=turned.of(measure),
        )
        for m, measure in enumerate(before.measures)
    ]


def with_effects(found: Diff, before: Scores, after: Scores, **options: Any) -> Diff:
    """Add to a difference what it does to the order of systems.

    Args:
        found: The difference.
        before: Scores of the runs by the old judgments.
        after: Scores of the same runs by the new ones.
        options: Keywords of `effects`: baseline, level, confidence, seed, and those of `compare`.

    Returns:
        The difference, with an effect for each measure.

    >>> from cleverdon import evaluate
    >>> old, new = {"q1": {"a": 1}}, {"q1": {"b": 1}}
    >>> scores = [evaluate(of, {"x": {"q1": {"a": 1}}}, "RR") for of in (old, new)]
    >>> with_effects(diff(old, new), *scores).effects[0].moves[0].after
    0.0
    """
    return replace(found, effects=tuple(effects(before, after, **options)))


def _shared_queries(before: Scores, after: Scores) -> SharedQueries:
    old, new = set(before.queries), set(after.queries)
    in_both = old & new
    if not in_both:
        raise InputError("the two judgments have no query in common")
    evaluated = set(samples(before)[0].queries) & set(samples(after)[0].queries)
    if not evaluated:
        raise InputError("no query of both judgments was evaluated for all systems")
    return SharedQueries(
        queries=tuple(query for query in before.queries if query in evaluated),
        only_before=len(old - new),
        only_after=len(new - old),
        not_evaluated=len(in_both - evaluated),
    )


def _rank_moves(before: Scores, after: Scores, m: int) -> tuple[RankMove, ...]:
    measure = before.measures[m]
    means = [scores.means[:, m] for scores in (before, after)]
    merits = [np.round(-of if measure.better == "lower" else of, _DIGITS) for of in means]
    ranks = [[1 + int((of > own).sum()) for own in of] for of in merits]
    found = [
        RankMove(system, float(means[0][s]), float(means[1][s]), ranks[0][s], ranks[1][s])
        for s, system in enumerate(before.systems)
    ]
    return tuple(sorted(found, key=lambda move: (move.rank_after, move.rank_before)))
