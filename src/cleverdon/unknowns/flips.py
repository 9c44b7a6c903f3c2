"""Reversals: whether judging the unjudged could change the order of two systems.

Their intervals do not answer that. The systems share documents and R: a document that both
returned lifts both, and one that only the first returned joins the R that the second is
measured by. So the difference of the two is bounded itself, over all grades that the unjudged
results could get.

- Measures that are weighted gains over one whole (P, R, F, DCG, nDCG, RBP; see `bounds`): the
  difference is one too, of weights that may be below 0. Where it can be positive, its highest
  is found as in `bounds`; where it cannot, it is quasi-convex, and highest at a corner. Both
  are exact.
- Others: of m relevant documents, one system can make no more than its m topmost give, and the
  other no less than its m deepest. That holds for each m, but both need not be possible at
  once: it is a bound, and said to be one. (Of ERR, where grades count: all of the best grade
  for the one, and none for the other.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.data import Judgments, Run
from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, WeightedGain, worst_value
from cleverdon.measures.notation import parse
from cleverdon.rank import rank
from cleverdon.scores import has_no_value, why_no_value
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable
from cleverdon.unknowns.bounds import (
    as_relevance,
    best_grade,
    check_has_bounds,
    gain_levels,
    highest_ratio,
    is_binary,
)

_NOTHING = 1e-12  # smaller differences are rounding errors


@dataclass(frozen=True)
class UnjudgedDocument:
    """A document that nobody judged."""

    query: str
    doc: str
    moves: float  # the change of the difference if this document alone had the best grade


@dataclass(frozen=True)
class Flip(Result):
    """The difference between two systems, and how far judging the unjudged could move it."""

    _drawn = ("moves", "query", "document")

    measure: Measure
    systems: tuple[str, str]
    averages: tuple[float, float]
    lowest: float
    highest: float  # the highest possible difference, second system minus first
    exact: bool  # some grades reach it; otherwise it is an upper bound
    documents: tuple[UnjudgedDocument, ...]
    """The documents to judge first: those that could move the difference, largest move first."""

    @property
    def difference(self) -> float:
        """The second system's average less the first's, by the judgments there are."""
        return self.averages[1] - self.averages[0]

    @property
    def possible(self) -> bool:
        """True if the order could be reversed; for a bound, if this cannot be ruled out."""
        return self.lowest < -_NOTHING and self.highest > _NOTHING

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the documents to judge first, all of them."""
        rows = [[d.query, d.doc, format_decimal(d.moves, exact=exact)] for d in self.documents]
        return [Section("documents", TextTable(["query", "document", "moves"], rows, 2, []))]

    def to_text(self, **_: object) -> str:
        """Return the verdict in words, with the first ten documents to judge."""
        a, b = self.systems
        verdict = "could flip" if self.exact else "may be able to flip; this is a bound"
        if not self.possible:
            verdict = "cannot flip"
        lines = [
            f"{self.measure}: {a} {self.averages[0]:.4f}, {b} {self.averages[1]:.4f}, "
            f"difference {self.difference:+.4f}",
            f"judging the unjudged can bring the difference to between {self.lowest:+.4f} and "
            f"{self.highest:+.4f}: the order {verdict}",
        ]
        if self.possible and self.documents:
            lines.append("judge first (query, document, how it moves the difference if relevant):")
            lines += [f"  {d.query}  {d.doc}  {d.moves:+.4f}" for d in self.documents[:10]]
            if len(self.documents) > 10:
                lines.append(f"  ... and {len(self.documents) - 10:,} more")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()


@shows_progress("evaluating")
def could_flip(
    qrels: Any,
    run_a: Any,
    run_b: Any,
    measure: str | Measure,
    *,
    unjudged: bool | float = True,
    depth: int | None = None,
    docs: int | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    progress: Progress | bool | None = None,
) -> Flip:
    """Find out whether judging the unjudged could reverse the order of two runs.

    Args:
        qrels: The judgments: a file, a dict of dicts, a data frame, rows or `Judgments`.
        run_a: The first run, likewise.
        run_b: The second run.
        measure: The measure whose averages are compared.
        unjudged: The largest grade that a document could get; True for the largest there is.
        depth: How many results of each run will be judged at most; None for all.
        docs: The number of documents in the collection, for measures that need it.
        qrels_format: The format of the judgments, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        How far the difference could go, and which documents to judge first.

    Raises:
        OptionError: The measure has no value, or its averages do not add up over queries.

    >>> qrels = {"q1": {"d1": 1}}
    >>> flip = could_flip(qrels, {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d3": 2, "d2": 1}}, "P@2")
    >>> flip.difference, flip.lowest, flip.highest, flip.possible
    (-0.5, -0.5, 0.0, False)
    """
    progress = as_callback(progress)
    progress("evaluating")
    measure = measure if isinstance(measure, Measure) else parse(measure)
    if depth is not None and (not isinstance(depth, int) or depth < 1):
        raise OptionError(f"depth={depth!r}: a depth is a whole number from 1 on")
    if measure.average == "geometric":
        raise OptionError(f"{measure} is averaged geometrically: queries do not add up")
    if not np.isfinite(worst_value(measure)):
        raise OptionError(f"{measure} has no worst value that undefined ones could count as")
    judgments = Judgments.read(qrels, format=qrels_format).noting(docs=docs)
    if measure.needs_docs and judgments.notes.docs is None:
        raise OptionError(f"{measure} is {why_no_value(measure, docs=None)}")
    runs = [Run.read(run, format=run_format) for run in (run_a, run_b)]
    names = _names(runs)
    nested = judgments.to_dict()
    for query, grades in nested.items():
        for run in runs:
            if query in run:
                # Pooled, not judged: as good as not mentioned, and yet a row of its own.
                grades.update(dict.fromkeys(run[query].keys() - grades.keys(), -1.0))
    known = Judgments.read(nested).noting(docs=judgments.notes.docs)
    a, b = (rank(known, run).hits for run in runs)
    check_has_bounds(measure, a, unjudged)
    grade = best_grade(measure, a, unjudged)
    if is_binary(measure):
        a, b = as_relevance(measure, a), as_relevance(measure, b)
    for name, hits in zip(names, (a, b), strict=True):
        if has_no_value(measure, measure(hits), undefined="worst"):
            why = why_no_value(measure, docs=judgments.notes.docs)
            raise OptionError(f"{measure} of {name!r} has no value: it is {why}")
    case = _Case(measure, a, b, grade, depth)
    share = measure.as_share()
    low, high, moves = _exact_difference(case, share) if share else _bounded_difference(case)
    number = 1 if measure.average == "sum" else len(a)
    order = np.argsort(-np.abs(moves), kind="stable")
    order = order[np.abs(moves[order]) > _NOTHING]
    ids = _documents(known, case.slots[order])
    averages = tuple(float(values.sum()) / number for values in case.values)
    return Flip(
        measure=measure,
        systems=names,
        averages=(averages[0], averages[1]),
        lowest=float(low.sum()) / number,
        highest=float(high.sum()) / number,
        exact=share is not None,
        documents=tuple(
            UnjudgedDocument(query, doc, float(move) / number)
            for (query, doc), move in zip(ids, moves[order], strict=True)
        ),
    )


class _Case:
    """Two rankings of the same queries, and the documents that nobody judged."""

    def __init__(self, measure: Measure, a: Hits, b: Hits, grade: float, depth: int | None) -> None:
        self.measure, self.runs, self.grade = measure, (a, b), grade
        judged = a.judgments
        self.ranks = [self._rank_of(hits, len(judged.grade)) for hits in self.runs]
        nearest = np.minimum(*self.ranks)
        within = nearest < _UNSEEN if depth is None else nearest <= depth
        self.slots: Ints = np.flatnonzero((judged.grade < 0) & within & bool(grade))
        """Rows of the judgments."""
        self.query: Ints = judged.query[self.slots]
        self.values = [self._settled(measure(hits)) for hits in self.runs]
        """The current values of both systems."""

    @staticmethod
    def _rank_of(hits: Hits, size: int) -> Ints:
        ranks = np.full(size, _UNSEEN)
        ranks[hits.doc] = hits.rank
        return ranks

    def _settled(self, values: Floats) -> Floats:
        return np.where(np.isnan(values), worst_value(self.measure), values)

    def difference(self, *relevant: Bools, otherwise: float = 0) -> Floats:
        """The difference where these of the slots have the best grade, in each of the runs."""
        a, b = (
            self._settled(self.measure(self._judged(hits, rows, otherwise)))
            for hits, rows in zip(self.runs, relevant, strict=True)
        )
        return b - a

    def _judged(self, hits: Hits, rows: Bools, otherwise: float) -> Hits:
        grades = hits.judgments.grade.copy()
        grades[self.slots] = np.where(rows, self.grade, otherwise)
        judgments = replace(hits.judgments, grade=grades)
        return replace(hits, grade=grades[hits.doc], judgments=judgments)

    def slots_by(self, key: Floats | Ints) -> tuple[Hits, Ints]:
        """The slots as rows of Hits, by this key within each query, and which they are."""
        order = np.lexsort((key, self.query))
        rows = self.slots[order]
        rank, grade = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), self.grade)
        return self.runs[0].with_rows(self.query[order], rank, grade, rows), order


_UNSEEN = np.iinfo(np.int64).max


def _exact_difference(case: _Case, share: WeightedGain) -> tuple[Floats, Floats, Floats]:
    """Return the lowest and highest difference of each query, and each document's own effect."""
    now = case.values[1] - case.values[0]
    each = [_contributions(case, share, hits) for hits in case.runs]
    moves = each[1] - each[0]
    if share.whole is None:
        low, high = (
            np.bincount(case.query, part, minlength=len(now))
            for part in (np.minimum(moves, 0), np.maximum(moves, 0))
        )
        return now + low, now + high, moves
    a, b = case.runs
    largest = float(share.gain(case.slots_by(case.slots)[0]).max(initial=0))
    levels = gain_levels(share, a, largest)
    known = b.total(share.gain(b) * share.weight(b.rank))
    known = known - a.total(share.gain(a) * share.weight(a.rank))
    base = np.zeros(len(now))
    one_more = np.zeros(len(now))
    undefined = np.ones(len(now), dtype=bool)
    for level in levels:
        base += level.height * share.whole(level.judged)
        one_more += level.height * share.whole(level.judged + level.within_reach)
        undefined &= level.judged == 0

    def highest(sign: int) -> Floats:
        slots, order = case.slots_by(-sign * moves)
        gained = slots.running(sign * moves[order]) / (largest or 1)
        taken, whole = [], base[slots.query]
        for level in levels:
            if level.within_reach:
                assert share.whole is not None
                more = share.whole(level.judged[slots.query] + slots.ordinal)
                cost = level.height * (more - share.whole(level.judged)[slots.query])
                taken.append((level.height * gained, cost))
                whole = whole + cost
        # At corners, where each document has no gain or the largest; and 0 where undefined.
        corner = np.where(undefined, 0.0, sign * known / np.where(base > 0, base, 1))
        np.maximum.at(corner, slots.query, (sign * known[slots.query] + largest * gained) / whole)
        return np.where(corner >= 0, highest_ratio(slots, sign * known, base, taken), corner)

    alone = (known[case.query] + moves) / one_more[case.query] - now[case.query]
    return -highest(-1), highest(1), alone


def _contributions(case: _Case, share: WeightedGain, hits: Hits) -> Floats:
    """Return what each slot with the best grade would add to the sum of a run."""
    rows = replace(hits, grade=np.full(len(hits.grade), case.grade))
    worth = np.zeros(len(hits.judgments.grade))
    worth[hits.doc] = share.gain(rows) * share.weight(hits.rank)
    return worth[case.slots]


def _bounded_difference(case: _Case) -> tuple[Floats, Floats, Floats]:
    """Return bounds of the difference of each query, and each document's own effect."""
    now = case.values[1] - case.values[0]
    moves = np.zeros(len(case.slots))
    every, none = (np.full(len(moves), all_or_none) for all_or_none in (True, False))
    low = high = case.difference(none, none)
    first, last = (
        [_turns(case, sign * case.ranks[run][case.slots]) for run in (0, 1)] for sign in (1, -1)
    )
    each, _ = case.slots_by(case.slots)
    several_grades = not is_binary(case.measure) and case.measure.keeps("gain")
    if several_grades:
        low, high = case.difference(every, none), case.difference(none, every)
    for m in range(1, int(np.diff(each.starts).max(initial=0)) + 1):
        if not several_grades:
            high = np.maximum(high, case.difference(last[0] <= m, first[1] <= m))
            low = np.minimum(low, case.difference(first[0] <= m, last[1] <= m))
        one = each.ordinal == m
        moves[one] = (case.difference(one, one, otherwise=-1) - now)[case.query[one]]
    return low, high, moves


def _turns(case: _Case, key: Ints) -> Ints:
    """Number the slots by this key within their query, from 1."""
    slots, order = case.slots_by(key)
    turns = np.zeros(len(order), dtype=np.int64)
    turns[order] = slots.ordinal
    return turns


def _names(runs: list[Run]) -> tuple[str, str]:
    a, b = (run.name for run in runs)
    return (a, b) if a != b else (f"{a} (first)", f"{b} (second)")


def _documents(judgments: Judgments, rows: Ints) -> Iterator[tuple[str, str]]:
    core, judged = judgments.core, judgments.judged
    for row in rows.tolist():
        yield judged.queries[int(judged.query[row])], core.docs(row, row + 1)[0]
