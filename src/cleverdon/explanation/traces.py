"""A trace of one query's score: what each result adds, and what would gain most.

Moves that are tried out: a relevant document moves up to another rank, and the results from there
on shift down by one; one that was not returned is inserted. Every rank that can be its best one
is tried, and the best is kept; of equally good ranks the lowest, which is the shortest way up. A
result that nobody judged gets the best grade there is, and joins the judged documents.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.data import Judgments, Run
from cleverdon.errors import InputError, OptionError, suggest
from cleverdon.explanation.tables import exact_trace_table, move_lines, trace_headline, trace_table
from cleverdon.explanation.variants import (
    insert_document,
    judge_result,
    measure_variants,
    ranking_prefixes,
    with_every_rank,
)
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, WeightedGain, cumulative_weight
from cleverdon.profiles import find_profile
from cleverdon.rank import RankedRun, rank
from cleverdon.settings import Settings
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.result_lists import Results
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable
from cleverdon.unknowns.bounds import gain_levels


@dataclass(frozen=True)
class Step:
    """One result, and what it does to the score."""

    rank: int
    doc: str  # empty where it is not known
    grade: float | None  # None where nobody judged it
    tied: bool  # whether it shares its score with another
    working: Mapping[str, float]  # the steps from the grade to what it adds; NaN is nothing to say
    added: float
    so_far: float  # the value with only the results down to this one counted


@dataclass(frozen=True)
class Ideal:
    """One place of the best order, where the measure compares with that."""

    rank: int
    doc: str
    grade: float
    gain: float
    so_far: float  # gains times weights, down to this rank


@dataclass(frozen=True)
class Move:
    """Something that could be otherwise, and how the score would change."""

    doc: str
    grade: float | None  # None where nobody judged it
    rank: int | None  # where it stands; None where it was not returned
    to: int | None  # where it would stand
    assumed: float | None  # the grade that it would have
    change: float  # of the value


@dataclass(frozen=True)
class Trace(Result):
    """The score of one query, taken apart rank by rank.

    >>> found = explain({"q": {"d": 1, "e": 1}}, {"q": {"d": 1}}, "AP")
    >>> found.value, [(step.doc, step.added) for step in found.steps]
    (0.5, [('d', 0.5)])
    """

    _drawn = ("adds", "measure", "rank", "document")

    system: str
    query: str
    measure: Measure
    value: float  # NaN where undefined
    start: float  # the value with no hit at all; 0 where that is undefined
    steps: tuple[Step, ...]  # the steps that, added to `start`, give the value
    returned: int
    total: float | None = None
    """The sum of gains times weights, for a measure that is a sum divided by a whole."""
    whole: float | None = None  # and the whole: the value is one over the other
    ideal: tuple[Ideal, ...] = ()
    """The best order, for a measure whose whole is the best order's sum."""
    moves: tuple[Move, ...] = ()
    """Changes that would improve the value, largest first; none where no value is better."""
    missed: tuple[Move, ...] = ()
    """The relevant documents that were not returned, and what each would change."""
    text: str = ""  # the query's text
    titles: Mapping[str, str] = field(default_factory=dict)  # the titles of documents, by id

    @property
    def undefined(self) -> bool:
        return bool(np.isnan(self.value))

    def opening(self) -> str:
        return trace_headline(self)

    def sections(self, *, exact: bool = False, depth: int | None = None) -> Sequence[Section]:
        if exact:
            table = exact_trace_table([self], depth)
        else:
            table = trace_table(self, depth)
        return [Section("results", table, titled=False)]

    def closing(self) -> Sequence[str]:
        return move_lines(self)

    def to_dict(self) -> dict[str, Any]:
        record: dict[str, Any] = as_json(vars(self))
        steps = {"steps": record.pop("steps")}  # below the numbers, where people look first
        lists = {name: record.pop(name) for name in ("ideal", "moves", "missed")}
        del record["text"], record["titles"]
        return record | steps | lists


@dataclass(frozen=True)
class Explanation(Results):
    """Traces of one query, a measure each.

    >>> qrels, run = {"q": {"d": 1}}, {"q": {"d": 1}}
    >>> found = Explanation([explain(qrels, run, measure) for measure in ("AP", "RR")])
    >>> len(found.table().rows)
    2
    """

    _drawn = ("adds", "measure", "rank", "document")

    items: Sequence[Trace]

    def table(
        self, section: str | None = None, *, depth: int | None = None, **view: Any
    ) -> TextTable:
        return exact_trace_table(self.items, depth)


NOTHING = 1e-12  # changes below are rounding

_UNJUDGED = 100
"""The number of unjudged results that are tried with the best grade, from the top down."""

_RANKS = 100
"""Down to which rank a document is tried everywhere, by measures that may prefer any rank."""

_Try = tuple[Move, Hashable, Callable[[], Hits]]
"""A move, what the change depends on, and the ranking with it; the change is not known yet."""


def _try_moves(
    measure: Measure,
    compute: Callable[[Hits], Floats],
    hits: Hits,
    docs: Sequence[str],
    names: Mapping[int, str],
    value: float,
) -> list[Move]:
    """Return every move, and how it would change the value; NaN if there is none."""
    tries = [*_promotions(measure, hits, docs), *_judgements(measure, hits, names)]
    if np.isnan(value):
        # No change can be computed, so no rank is better than another.
        moves = {(move.doc, move.rank): replace(move, to=None) for move, _, _ in tries}
        return list(moves.values())
    # What changes a value in the same way is measured once.
    distinct = {key: variant for _, key, variant in tries}
    values = measure_variants(compute, (variant() for variant in distinct.values()))
    change = dict(zip(distinct, (values - value).tolist(), strict=True))
    best: dict[tuple[str, int | None], Move] = {}
    for move, key, _ in tries:
        move = replace(move, change=change[key])
        before = best.setdefault((move.doc, move.rank), move)
        if _gain(measure, move) > _gain(measure, before) + NOTHING:
            best[move.doc, move.rank] = move
    return list(best.values())


def _gain(measure: Measure, move: Move) -> float:
    """Return the improvement of the value; -inf where it would be undefined."""
    sign = {"higher": 1, "lower": -1, "neither": 0}[measure.better]
    return -np.inf if np.isnan(move.change) else sign * move.change


def _best_moves(measure: Measure, moves: Sequence[Move]) -> tuple[Move, ...]:
    """Return the moves that improve the value, the best first."""
    better = [move for move in moves if _gain(measure, move) > NOTHING]

    def effort(move: Move) -> tuple[float, float]:
        # Of those that gain the same, but for the last digits, what has the shortest way to go.
        return -round(_gain(measure, move), 12), np.inf if move.rank is None else move.rank

    return tuple(sorted(better, key=effort))


def _promotions(measure: Measure, hits: Hits, docs: Sequence[str]) -> Iterator[_Try]:
    """Yield each relevant document at each rank that can be its best, the lowest first."""
    grades = hits.judgments.grade
    rank_of = dict(zip(hits.doc.tolist(), hits.rank.tolist(), strict=True))
    alike = _all_but_their_ids(hits)
    for doc in np.flatnonzero(grades > 0).tolist():
        rank = rank_of.get(doc)
        for to in _places(measure, hits, float(grades[doc]), rank):
            move = Move(docs[doc], float(grades[doc]), rank, to, None, float("nan"))
            key = (doc, to) if rank is not None else ("not returned", to, *alike[doc])
            yield move, key, partial(insert_document, hits, doc, to)


def _places(measure: Measure, hits: Hits, grade: float, rank: int | None) -> list[int]:
    # A measure that keeps the promise "swap" never loses when a document passes a worse or an equal
    # result on its way up. So the best rank is 1, or right below a result that is strictly better.
    # Equal results that follow there can stay above. For other measures, every rank is tried.
    last = int(hits.returned[0]) + 1 if rank is None else rank - 1
    if not measure.keeps("swap") or getattr(measure, "gains", None):
        return list(range(min(last, _RANKS), 0, -1))
    merit = np.zeros(last + 2)  # by rank; the entries at both ends stand for nothing
    above = (hits.rank <= last) & (hits.grade > 0)
    merit[hits.rank[above]] = hits.grade[above]
    better = merit > grade
    unequal = np.flatnonzero(merit != grade)
    first = np.append(1, np.flatnonzero(better[:-1] & ~better[1:]) + 1)
    places = sorted(set(unequal[np.searchsorted(unequal, first)].tolist()))
    if measure.cut == "k" and not measure.judged_only:
        within = [place for place in places if place <= (getattr(measure, "k", None) or np.inf)]
        places = places[: len(within) + 1]  # below the cut-off, one place is as good as another
    return [place for place in reversed(places) if 1 <= place <= last]


def _judgements(measure: Measure, hits: Hits, names: Mapping[int, str]) -> Iterator[_Try]:
    """Yield each unjudged result near the top with the best grade."""
    best = hits.judgments.top_grade
    if measure.needs or best <= 0:
        return  # what is needed beside grades would have to be assumed as well
    cut = getattr(measure, "k", None) if measure.cut == "k" else None
    deepest = np.inf if cut is None else cut
    judged = set(hits.rank[hits.grade >= 0].tolist())
    places = [place for place in sorted(names) if place not in judged and place <= deepest]
    for place in places[:_UNJUDGED]:
        move = Move(names[place], None, place, None, best, float("nan"))
        yield move, ("judged", place), partial(judge_result, hits, place, best)


def _all_but_their_ids(hits: Hits) -> list[tuple[Any, ...]]:
    """Return all that is known of each judged document but its id."""
    judged = hits.judgments
    columns = [judged.grade, *(c for c in judged.beside(slice(None)).values() if c is not None)]
    known = list(zip(*(column.tolist() for column in columns), strict=True))
    if judged.subtopics is None:
        return known
    covered: list[list[tuple[int, float]]] = [[] for _ in known]
    pairs = judged.subtopics
    for doc, subtopic, grade in zip(pairs.doc, pairs.subtopic, pairs.grade, strict=True):
        covered[int(doc)].append((int(subtopic), float(grade)))
    return [(*facts, *subtopics) for facts, subtopics in zip(known, covered, strict=True)]


_Columns = Mapping[str, Mapping[int, float]]  # a measure's own columns: by name, then by rank


def _trace_hits(
    measure: Measure,
    hits: Hits,
    docs: Sequence[str],
    ranking: Sequence[str],
    *,
    system: str = "run",
    tied: Collection[int] = (),
    expected: bool = False,
) -> Trace:
    """Take the value of one query apart.

    `docs` are the ids of its judged documents, `ranking` those of its first results. `tied` are
    ranks that are tied, besides those that hits tell of. `expected`: the value over ties.
    """
    compute = measure.over_ties if expected else measure
    values = measure_variants(compute, ranking_prefixes(hits))
    value = float(values[-1])
    names = _names(hits, docs, ranking)
    # Weights of ranks say nothing where a result is at several ranks at once.
    share = None if expected else measure.as_share()
    total, whole, ideal = _over_whole(measure, share, hits, docs)
    working = {} if expected else _working(measure, share, hits)
    moves = _try_moves(measure, compute, hits, docs, names, value)
    return Trace(
        system=system,
        query=hits.judgments.queries[0],
        measure=measure,
        value=value,
        start=_carried(values)[0],
        steps=_steps(hits, names, values, working, tied={*tied, *_tied(hits)}),
        returned=int(hits.returned[0]),
        total=total,
        whole=whole,
        ideal=ideal,
        moves=_best_moves(measure, moves),
        missed=tuple(move for move in moves if move.rank is None),
    )


def _names(hits: Hits, docs: Sequence[str], ranking: Sequence[str]) -> dict[int, str]:
    """Return the documents by rank, as far as they are known."""
    known = {
        place: docs[row]
        for place, row in zip(hits.rank.tolist(), hits.doc.tolist(), strict=True)
        if row >= 0
    }
    # Where ties=best or worst, tied results stand in another order than `ranking` has them: the
    # judged ones are known by themselves, and the others follow in theirs.
    # With duplicates=once, a document that is known at one rank stands at another as well.
    left = Counter(known.values())
    others = iter([doc for doc in ranking if not _taken(left, doc)])
    for place in range(1, len(ranking) + 1):
        if place not in known:
            known[place] = next(others, "")
    return known


def _taken(left: Counter[str], doc: str) -> bool:
    """Tell whether one of the known documents is meant, and take it away."""
    known = left[doc] > 0
    left[doc] -= known
    return known


def _carried(values: Floats) -> list[float]:
    # Where the value is undefined, the last one holds: such a hit adds nothing.
    carried: list[float] = []
    for value in values.tolist():
        carried.append((carried[-1] if carried else 0.0) if np.isnan(value) else value)
    return carried


def _tied(hits: Hits) -> set[int]:
    """Return the ranks of all tied groups that have a hit."""
    groups = set(zip(hits.tied_from.tolist(), hits.tied_to.tolist(), strict=True))
    return {place for first, last in groups if first < last for place in range(first, last + 1)}


def _steps(
    hits: Hits,
    names: Mapping[int, str],
    values: Floats,
    working: _Columns,
    *,
    tied: Collection[int],
) -> tuple[Step, ...]:
    row_at = {place: row for row, place in enumerate(hits.rank.tolist())}
    added = [after - before for before, after in pairwise(_carried(values))]
    so_far = float(values[0])
    steps = []
    for place in sorted(names.keys() | row_at.keys()):
        row = row_at.get(place)
        grade = None
        if row is not None:
            so_far = float(values[row + 1])
            grade = float(hits.grade[row]) if hits.doc[row] >= 0 else None
        steps.append(
            Step(
                rank=place,
                doc=names.get(place, ""),
                grade=grade,
                tied=place in tied,
                working={name: column[place] for name, column in working.items()},
                added=0.0 if row is None else added[row],
                so_far=so_far,
            )
        )
    return tuple(steps)


def _working(measure: Measure, share: WeightedGain | None, hits: Hits) -> _Columns:
    """Return the measure's own columns, by rank; NaN where it passes a result over."""
    every = kept = read = with_every_rank(hits)
    if measure.judged_only:
        kept, read = every.where(every.grade >= 0), every.condensed()
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = measure.working(read)
        if share is not None and share.whole is not None:
            product = share.gain(read) * share.weight(read.rank)
            columns |= {"product": product, "sum": np.cumsum(product)}
    nothing = dict.fromkeys(every.rank.tolist(), float("nan"))
    return {
        name: nothing | dict(zip(kept.rank.tolist(), column.tolist(), strict=True))
        for name, column in columns.items()
    }


def query_steps(
    measure: Measure,
    hits: Hits,
    docs: Sequence[str],
    ranking: Sequence[str],
    *,
    expected: bool = False,
) -> tuple[float, float, tuple[Step, ...]]:
    """Return one query's value, its value with no hit at all, and what each result adds.

    A trace without what takes long: the working of the measure, and moves that would gain.
    """
    compute = measure.over_ties if expected else measure
    values = measure_variants(compute, ranking_prefixes(hits))
    steps = _steps(hits, _names(hits, docs, ranking), values, {}, tied=_tied(hits))
    return float(values[-1]), _carried(values)[0], steps


def _over_whole(
    measure: Measure, share: WeightedGain | None, hits: Hits, docs: Sequence[str]
) -> tuple[float | None, float | None, tuple[Ideal, ...]]:
    """Return the sum and the whole that the value is a share of, and the ideal order."""
    if share is None or share.whole is None:
        return None, None, ()
    read = hits.condensed() if measure.judged_only else hits
    total = float(np.sum(share.gain(read) * share.weight(read.rank)))
    whole = 0.0
    for level in gain_levels(share, read, 0.0):
        whole += level.height * float(share.whole(level.judged)[0])
    best = read.best_by(share.gain)
    gain, weight = share.gain(best), share.weight(best.rank)
    so_far = np.cumsum(gain * weight)
    # The whole of F has precision in it, and recall at k has no ideal that reaches it where more
    # than k documents are relevant.
    number = np.arange(len(gain) + 1)
    if not np.allclose(share.whole(number), cumulative_weight(share.weight)(number), rtol=1e-12):
        return total, whole, ()
    rows = zip(best.rank, best.doc, best.grade, gain, so_far, weight, strict=True)
    ideal = (
        Ideal(int(place), docs[doc], float(grade), float(worth), float(down_to))
        for place, doc, grade, worth, down_to, counts in rows
        if counts > 0
    )
    return total, whole, tuple(ideal)


_ALL = 2**31  # as many results as no ranking has


@shows_progress("explaining")
def explain(
    qrels: Any,
    run: Any = None,
    measure: str | Measure = "nDCG@10",
    *,
    query: str | None = None,
    progress: Progress | bool | None = None,
    **how: Any,
) -> Trace:
    """Take one query's score apart: what each result adds, and what would gain most.

    Args:
        qrels: The judgments: a file, a dict or a data frame. Or a ranking that holds its
            judgments, as text: "1 0 1 | 1".
        run: The run, likewise. None if the ranking is typed.
        measure: The measure.
        query: The query; may be left out where the judgments have only one.
        how: Other keywords of `evaluate`: the settings on which tools disagree, `profile`, `docs`,
            `second`, `weights`, `qrels_format` and `run_format`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The trace, which prints as a table.

    >>> found = explain({"q1": {"d1": 1, "d2": 2}}, {"q1": {"d1": 3, "d3": 2, "d2": 1}}, "DCG")
    >>> [(step.doc, step.added) for step in found.steps]
    [('d1', 1.0), ('d3', 0.0), ('d2', 1.0)]
    >>> best = found.moves[0]
    >>> best.doc, best.rank, best.to, round(best.change, 4)
    ('d3', 2, None, 1.2619)
    """
    progress = as_callback(progress)
    progress("explaining")
    if run is None:
        from cleverdon.formats.typed import are_typed, read_typed  # only where there are no files

        typed = read_typed(qrels) if are_typed(qrels) else None
        if typed is None or len(typed.runs) != 1:
            raise InputError("a trace is of one run: give judgments and a run, or one ranking")
        (run,) = typed.runs.values()
        qrels, how = typed.judgments, {"ties": typed.ties} | how
    return Tracer(qrels, **how).trace(run, measure, query=query)


class Tracer:
    """Judgments and choices that several traces share; a run is ranked once for all of them."""

    def __init__(
        self,
        qrels: Any,
        *,
        profile: str = "cleverdon",
        docs: int | None = None,
        second: Any = None,
        weights: Any = None,
        qrels_format: str | None = None,
        run_format: str | None = None,
        **choices: str | None,
    ) -> None:
        self.profile, self.run_format = find_profile(profile), run_format
        self.settings = self.profile.settings.changed(**choices)
        self._named = [name for name, word in choices.items() if word is not None]
        if isinstance(qrels, (str, os.PathLike)):
            qrels_format = qrels_format or self.profile.qrels_format
        duplicates = self.settings.qrels_duplicates
        judgments = Judgments.read(qrels, format=qrels_format, duplicates=duplicates)
        self.profile.check_grades(judgments.judged.top_grade)
        other = None if second is None else Judgments.read(second, duplicates=duplicates)
        shares = None if weights is None else Judgments.read(weights, weights=True).to_dict()
        self.judgments = judgments.noting(docs=docs, second=other, weights=shares)
        self._known: dict[Any, tuple[Any, RankedRun]] = {}

    def trace(
        self,
        run: Any,
        measure: str | Measure = "nDCG@10",
        *,
        query: str | None = None,
        name: str | None = None,
    ) -> Trace:
        """Trace one query of a run; `name` is the run's, if not its own."""
        found = self.profile.parse(measure)
        if len(found) != 1:
            raise OptionError(f"a trace is of one measure; {measure!r} are {len(found)}")
        (wanted,) = found
        if wanted.text:
            raise OptionError(f"{wanted} yields a text, which is no sum of what results add")
        if wanted.needs == "positives" and not self.judgments.notes.positives:
            self.judgments = self.judgments.noting(positives=True)
            self._known.clear()  # these runs were joined with judgments without the counts
        settings = self.profile.settings_of(wanted, self.settings, self._named)
        number = self._number(None if query is None else str(query), run)
        way = (settings, wanted.uses_other_queries)
        ranked = self._ranked(run, name, way)
        hits = ranked.hits_by(settings, elsewhere=wanted.uses_other_queries)
        hits = hits.queries_between(number, number + 1)
        start, stop = self.judgments.core.starts[number : number + 2].tolist()
        docs = self.judgments.core.docs(start, stop)
        top = self._top(run, number, settings) if ranked.present[number] else []
        scores = [
            np.float32(score) if settings.precision == "single" else score for _, score in top
        ]
        equal = [rank for rank, (a, b) in enumerate(pairwise(scores), start=1) if a == b]
        return _trace_hits(
            wanted,
            hits,
            docs,
            [doc for doc, _ in top],
            system=ranked.name,
            tied={place for rank in equal for place in (rank, rank + 1)},
            expected=settings.ties == "expected",
        )

    def _number(self, query: str | None, run: Any) -> int:
        queries = list(self.judgments.core.queries)
        if query is None and len(queries) == 1:
            return 0
        if query is None:
            shown = ", ".join(queries[:10]) + (", ..." if len(queries) > 10 else "")
            raise OptionError(
                f"there are {len(queries):,} judged queries, and a trace is of one: query=..., on "
                f"the command line --query; they are {shown}"
            )
        if query in queries:
            return queries.index(query)
        if query in Run.read(run, format=self.run_format, duplicates="first"):
            raise InputError(f"query {query!r} has results, but no judgments to score them by")
        raise InputError(f"no query {query!r} has judgments{suggest(query, queries)}")

    def _ranked(self, run: Any, name: str | None, way: tuple[Settings, bool]) -> RankedRun:
        """Rank the run, once for all measures that want the same."""
        key = (id(run), name, way)
        if key not in self._known:
            ranked = rank(
                self.judgments,
                run,
                settings=way[0],
                name=name,
                format=self.run_format,
                also=[way] if way[1] else (),
            )
            self._known[key] = run, ranked  # as long as the run is kept, its number is its own
        return self._known[key][1]

    def _top(self, run: Any, number: int, settings: Settings) -> list[tuple[str, float]]:
        """Return the results of one query with their scores."""
        key = (id(run), number, settings)
        if key not in self._known:
            query = self.judgments.core.queries[number]
            # Judgments of this query only: nothing is kept of the others.
            alone = Judgments.read({query: self.judgments[query]})
            kept = rank(alone, run, settings=settings, format=self.run_format, keep=_ALL)
            self._known[key] = run, kept
        top: list[tuple[str, float]] = self._known[key][1].top[0]
        return top
