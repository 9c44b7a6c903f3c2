"""Votes: ranking systems without judgments, by what they return in common.

Such orders correlate with judged ones, and are cheap. They rest on agreement alone, and so they
underrate systems that find what others do not: often the best ones. See docs/judging_less.md.

Reference counts (Wu & Crestani 2003, doi:10.1145/952532.952693): a system's result (the original)
is found again in the results of other systems (its references). In the basic kind, a system's value
on a query is the number of references of its first k results. In the weighted kinds, results count
more the higher they stand: the original, its references, or both. With L(s) for the first k results
of system s, and S systems, the value computed here is

    sum over d in L(s) of  w_own(s, d) * sum over t != s with d in L(t) of  w_theirs(t, d)

divided by k (S - 1), so that it lies from 0 to 1: for the basic kind it is the share of other
systems that agree, averaged over ranks. The weights w are one of `_REFERENCE_WEIGHTS`. The paper
numbers its weighted kinds; here they are named by what they weigh.

Pseudo-judgments: documents of the pool that are assumed to be relevant, unseen. They are drawn at
random (Soboroff, Nicholas & Cahan 2001, doi:10.1145/383952.383961), or are those that the fused
systems rank highest (Nuray & Can 2006, Information Processing & Management 42(3)). Systems are then
scored by them as by any judgments, on all of their results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints, ordinal_in, summed
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.comparison.orderings import CorrelationOptions, order_agreements_with
from cleverdon.comparison.samples import samples
from cleverdon.errors import InputError, OptionError, check_count, check_seed, check_word
from cleverdon.evaluation import evaluate
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import JudgmentArrays
from cleverdon.measures.base import Measure, worst_value
from cleverdon.measures.notation import parse
from cleverdon.pooling.choices import (
    RELEVANT_SHARE,
    SHARE_DEVIATION,
    VOTE_DEPTH,
    VOTE_MEASURE,
    VOTE_TRIALS,
    VOTING_METHODS,
)
from cleverdon.pooling.contributions import Contributions, gather, reciprocal_ranks, scale_scores
from cleverdon.pooling.vote_results import (
    SystemPlace,
    VoteComparison,
    VoteOrders,
    Votes,
    mean_scores,
    system_ranks,
)
from cleverdon.scores import Scores, average
from cleverdon.stats.resampling import FEWER_RESAMPLES


@dataclass(frozen=True, eq=False)
class DepthPool:
    """The documents in the first results of some system."""

    doc: Ints  # indices into the documents of the contributions
    query: Ints  # of each of them
    times: Floats  # how many systems have it there
    fused: Floats  # the sum of 1 / rank over these systems
    sizes: Ints  # of each query: how many documents are pooled

    @classmethod
    def of(cls, found: Contributions, depth: int) -> DepthPool:
        rows = np.flatnonzero(found.rank <= depth)
        doc = found.doc[rows]
        times = np.bincount(doc, minlength=len(found)).astype(float)
        fused = reciprocal_ranks(doc, found.rank[rows], len(found), constant=0)
        pooled = np.flatnonzero(times)
        query = found.query_of_doc[pooled]
        sizes = np.bincount(query, minlength=len(found.queries))
        return cls(pooled, query, times[pooled], fused[pooled], sizes)

    def first(self, keys: Floats, counts: Ints) -> Ints:
        """Return documents of each query with the lowest keys; equals in the order of ids."""
        order = np.lexsort((keys, self.query))
        place = ordinal_in(self.query[order])
        return self.doc[order[place <= counts[self.query[order]]]]

    def share(self, share: Floats | float) -> Ints:
        """Return how many documents of each query a share of its pool is: one at least."""
        wanted = np.rint(np.asarray(share) * self.sizes)
        return np.clip(wanted, 1, self.sizes).astype(np.int64)


def _draw_pseudo_judgments(
    pool: DepthPool, *, duplicates: bool, share: float, deviation: float, trials: int, seed: int
) -> Iterator[Ints]:
    """Yield documents drawn at random for each trial; a random share of each query's pool."""
    for trial in range(trials):
        random = np.random.default_rng([seed, trial])
        counts = pool.share(random.normal(share, deviation, len(pool.sizes)))
        # The document whose waiting time at its own rate is shortest comes first: the same as
        # drawing one after the other, with chances as the rates.
        waited = random.exponential(size=len(pool.doc))
        yield pool.first(waited / pool.times if duplicates else waited, counts)


def _pseudo_scorer(found: Contributions, measure: Measure) -> Callable[[Ints], Floats]:
    """Return a function that scores systems x queries if these documents are relevant."""
    _check_measure(measure)
    systems, queries = len(found.contributors), len(found.queries)
    returned = np.bincount(found.query_of_row * systems + found.system, minlength=queries * systems)
    names = [query for query in found.queries for _ in range(systems)]
    worst = worst_value(measure)

    def scored(docs: Ints) -> Floats:
        relevant: Bools = np.zeros(len(found), dtype=bool)
        relevant[docs] = True
        before = np.concatenate(([0], np.cumsum(relevant)))  # relevant ones before each document
        in_query = np.diff(before[found.doc_starts])
        starts = np.concatenate(([0], np.cumsum(np.repeat(in_query, systems))))
        rows = np.flatnonzero(relevant[found.doc])
        query, rank, doc = found.query_of_row[rows], found.rank[rows], found.doc[rows]
        cell = query * systems + found.system[rows]
        hits = Hits(
            query=cell,
            rank=rank,
            grade=np.ones(len(rows)),
            doc=starts[cell] + before[doc] - before[found.doc_starts[query]],
            tied_from=rank,
            tied_to=rank,
            returned=returned,
            judgments=JudgmentArrays(names, starts, np.ones(int(starts[-1])), top_grade=1.0),
        )
        values = measure(hits)
        settled: Floats = np.where(np.isnan(values), worst, values)
        return settled.reshape(queries, systems).T

    return scored


def _check_measure(measure: Measure) -> None:
    plain = not (measure.text or measure.needs or measure.needs_docs or measure.uses_other_queries)
    if measure.better != "higher" or not plain:
        raise OptionError(
            f"{measure} cannot be computed of pseudo-judgments, which only say that documents are "
            "relevant; take one such as AP, nDCG@10 or P@10"
        )


@dataclass(frozen=True)
class Turnout:
    """The numbers of queries for which systems returned something."""

    systems: int
    queries: int  # of any system
    of_all: int  # of all systems
    of_one: int  # of one alone, whose results nobody votes on
    alone: tuple[str, ...] = ()  # systems that share no document with any other

    @property
    def notes(self) -> list[str]:
        found = []
        if self.of_all < self.queries:
            found.append(
                f"warning: {self.of_all:,} of {counted(self.queries, 'query')} with results of all "
                f"{self.systems:,} systems, {self.of_one:,} of one alone; where a system has none "
                "it is worth 0: systems are to be voted on by the same queries"
            )
        found += [
            f"warning: {printable(system)} returned no document that another run has; are its ids "
            "the same?"
            for system in self.alone
        ]
        if self.systems == 2:
            found.append(
                "note: two systems can hardly vote on each other: what they share counts for both "
                "alike, so that the plain count of references is always a tie; give more runs"
            )
        return found


def _turnout(found: Contributions) -> Turnout:
    """Count the queries; refuse runs of which no two have one in common.

    >>> from cleverdon.pooling.contributions import gather
    >>> runs = {"a": {"q1": {"x": 1}, "q2": {"y": 1}}, "b": {"q1": {"x": 1}, "q3": {"z": 1}}}
    >>> _turnout(gather(runs))
    Turnout(systems=2, queries=3, of_all=1, of_one=2, alone=())
    """
    systems, queries = len(found.contributors), len(found.queries)
    if systems < 2:
        raise OptionError("systems vote on each other: give the runs of two at least")
    if not queries:
        raise InputError("the runs have no results, and so no votes")
    cells = np.unique(found.query_of_row * systems + found.system)
    voters = np.bincount(cells // systems, minlength=queries)
    if voters.max() < 2:
        has = {
            found.systems[cell % systems]: found.queries[cell // systems] for cell in cells[::-1]
        }
        some = " and ".join(f"{query!r} of {system}" for system, query in sorted(has.items())[:2])
        raise InputError(
            f"no two runs have a query in common, and so there are no votes: found {some}; systems "
            "vote on each other by their results for the same queries"
        )
    of_all, of_one = np.count_nonzero(voters == systems), np.count_nonzero(voters == 1)
    shared = np.bincount(found.doc)[found.doc] > 1
    in_common = np.bincount(found.system[shared], minlength=systems)
    alone = tuple(found.systems[at] for at in np.flatnonzero(in_common == 0))
    return Turnout(systems, queries, int(of_all), int(of_one), alone)


_REFERENCE_WEIGHTS = {
    "equal": "1",
    "rank": "(k + 1 - rank) / k",
    "score": "the score, scaled from 0 (the lowest of the list) to 1",
}
"""The weights of results."""


def _reference_counts(
    found: Contributions, *, depth: int, own: str = "equal", theirs: str = "equal"
) -> Floats:
    """Return systems x queries: how much other systems refer to a system's results.

    >>> from cleverdon.pooling.contributions import gather
    >>> runs = {"a": {"q": {"x": 2, "y": 1}}, "b": {"q": {"x": 9, "z": 4}}, "c": {"q": {"z": 7}}}
    >>> _reference_counts(gather(runs), depth=2).ravel().tolist()
    [0.25, 0.5, 0.25]
    """
    check_word("own", own, _REFERENCE_WEIGHTS)
    check_word("theirs", theirs, _REFERENCE_WEIGHTS)
    systems = len(found.contributors)
    rows = np.flatnonzero(found.rank <= depth)
    doc = found.doc[rows]
    cell = found.query_of_row[rows] * systems + found.system[rows]

    def weights(kind: str) -> Floats:
        if kind == "score":
            _, lengths = np.unique(cell, return_counts=True)  # of each list, as they stand
            return scale_scores(found.score[rows], lengths)
        ranks = found.rank[rows] if kind == "rank" else np.ones(len(rows))
        return (depth + 1 - ranks) / depth

    of_references = weights(theirs)
    worth = weights(own) * (summed(doc, of_references, len(found))[doc] - of_references)
    totals = summed(cell, worth, len(found.queries) * systems)
    values: Floats = totals.reshape(len(found.queries), systems).T / (depth * (systems - 1))
    return values


_WU = "Wu & Crestani 2003, doi:10.1145/952532.952693"
_SOBOROFF = "Soboroff, Nicholas & Cahan 2001, doi:10.1145/383952.383961"
_NURAY = "Nuray & Can 2006, Information Processing & Management 42(3)"
_VoteCounts = tuple[Floats, Floats | None]
"""Systems x queries; and trials x systems, where there are trials."""


@dataclass(frozen=True)
class VoteSettings:
    """The settings of votes; a method ignores those that it does not use."""

    depth: int = VOTE_DEPTH  # the results of each system that vote, or are pooled
    measure: str | Measure = VOTE_MEASURE  # by which pseudo-judgments are scored
    relevant_share: float = RELEVANT_SHARE  # of a query's pool, how much is taken for relevant
    share_deviation: float = SHARE_DEVIATION  # the standard deviation of the share between queries
    trials: int = VOTE_TRIALS
    seed: int = 0

    def __post_init__(self) -> None:
        check_count("depth", self.depth)
        check_count("trials", self.trials)
        check_seed(self.seed)
        if not 0 < _number(self.relevant_share) <= 1:
            raise OptionError(
                f"relevant_share={self.relevant_share!r}: expected a number above 0, and 1 at most"
            )
        if not 0 <= _number(self.share_deviation) < np.inf:
            raise OptionError(
                f"share_deviation={self.share_deviation!r}: expected a number from 0 on"
            )


def _number(value: object) -> float:
    """Return the value as a float, or NaN where it is no number."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number else float("nan")  # type: ignore[arg-type]


@shows_progress("counting votes")
def vote(
    runs: Any,
    *,
    methods: Iterable[str] | None = None,
    qrels: Any = None,
    depth: int = VOTE_DEPTH,
    measure: str | Measure = VOTE_MEASURE,
    relevant_share: float = RELEVANT_SHARE,
    share_deviation: float = SHARE_DEVIATION,
    trials: int = VOTE_TRIALS,
    seed: int = 0,
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
) -> VoteOrders:
    """Rank systems by taking their results as votes on what is relevant.

    Args:
        runs: Two runs or more, as `evaluate` takes them; without `qrels`, also what `gather`
            returned.
        methods: "soboroff", "soboroff-duplicates", "references", "references-own-rank",
            "references-their-rank", "references-both-ranks", "references-both-scores" or
            "rank-position"; by default all.
        qrels: Judgments: compare the orders with the judged one.
        depth: The number of results of each run that vote, or are pooled.
        measure: The measure that scores systems, on judgments and on pseudo-judgments.
        relevant_share: The share of a query's pool that is taken for relevant.
        share_deviation: The standard deviation of that share between queries.
        trials: The number of random draws of pseudo-judgments.
        seed: The seed of draws and intervals.
        confidence: The confidence of the intervals.
        resamples: The number of bootstrap resamples of queries.
        qrels_format: The format of the judgments, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` or by `rank`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        An order for each method, with judgments compared with theirs.

    >>> runs = {
    ...     "a": {"q": {"x": 3, "y": 2, "z": 1}},
    ...     "b": {"q": {"x": 3, "z": 2, "w": 1}},
    ...     "c": {"q": {"u": 3, "v": 2, "x": 1}},
    ... }
    >>> print(vote(runs, methods=["references"], depth=3))
    system   votes  rank by votes
    ──────  ──────  ─────────────
    a       0.5000            1.5
    b       0.5000            1.5
    c       0.3333              3
    <BLANKLINE>
    3 systems, 1 query
    references: how many other systems returned what a system returned
    """
    progress = as_callback(progress)
    found = gather(runs, format=run_format, order_by=order_by, progress=progress)
    notes = _turnout(found).notes
    chosen = dict.fromkeys(methods or VOTING_METHODS)
    settings = VoteSettings(depth, measure, relevant_share, share_deviation, trials, seed)
    votes = [_count_votes(found, method, progress=progress, **vars(settings)) for method in chosen]
    if qrels is None:
        return VoteOrders(tuple(votes), tuple(notes))
    scores = evaluate(
        qrels,
        runs,
        [measure],
        qrels_format=qrels_format,
        run_format=run_format,
        order_by=order_by,
        progress=progress,
    )
    notes += [f"warning: {warning}" for warning in scores.warnings]
    compared = _compare_votes(votes, scores, confidence=confidence, resamples=resamples, seed=seed)
    return VoteOrders(tuple(compared), tuple(notes))


def _count_votes(
    runs: Any, method: str = "references", *, progress: Progress | None = None, **settings: Any
) -> Votes:
    """Count votes by one of `VOTING_METHODS`; `settings` are the fields of `VoteSettings`.

    >>> runs = {"a": {"q": {"x": 2, "y": 1}}, "b": {"q": {"x": 2}}, "c": {"q": {"z": 1}}}
    >>> found = _count_votes(runs, "references", depth=2)
    >>> found.order, found.scores["a"]
    (('a', 'b', 'c'), 0.25)
    """
    check_word("method", method, VOTING_METHODS)
    known = [field.name for field in fields(VoteSettings)]
    for option in settings:
        check_word("option", option, known)
    ballot = VoteSettings(**settings)
    found = gather(runs)
    if found.depth is not None and found.depth < ballot.depth:
        raise OptionError(
            f"depth={ballot.depth}, but only the first {found.depth} results were gathered"
        )
    _turnout(found)  # an error, where nobody votes on anybody
    source, count = _COUNTERS[method]
    values, by_trial = count(found, ballot, progress or ignore_progress)
    summary = VOTING_METHODS[method]
    return Votes(method, found.systems, found.queries, values, by_trial, summary, source)


def _count_references(
    found: Contributions, ballot: VoteSettings, progress: Progress, *, own: str, theirs: str
) -> _VoteCounts:
    return _reference_counts(found, depth=ballot.depth, own=own, theirs=theirs), None


def _count_drawn(
    found: Contributions, ballot: VoteSettings, progress: Progress, *, duplicates: bool
) -> _VoteCounts:
    scored = _pseudo_scorer(found, _parsed_measure(ballot))
    trials = _draw_pseudo_judgments(
        DepthPool.of(found, ballot.depth),
        duplicates=duplicates,
        share=ballot.relevant_share,
        deviation=ballot.share_deviation,
        trials=ballot.trials,
        seed=ballot.seed,
    )
    total = np.zeros((len(found.contributors), len(found.queries)))
    by_trial = np.empty((ballot.trials, len(found.contributors)))
    for number, docs in enumerate(trials):
        values = scored(docs)
        total += values
        by_trial[number] = values.mean(axis=1)
        progress("drawing", number + 1, ballot.trials)
    return total / ballot.trials, by_trial


def _count_highest(found: Contributions, ballot: VoteSettings, progress: Progress) -> _VoteCounts:
    pool = DepthPool.of(found, ballot.depth)
    scored = _pseudo_scorer(found, _parsed_measure(ballot))
    return scored(pool.first(-pool.fused, pool.share(ballot.relevant_share))), None


def _parsed_measure(ballot: VoteSettings) -> Measure:
    return ballot.measure if isinstance(ballot.measure, Measure) else parse(ballot.measure)


_VoteCounter = Callable[[Contributions, VoteSettings, Progress], _VoteCounts]

_COUNTERS: dict[str, tuple[str, _VoteCounter]] = {
    "soboroff": (_SOBOROFF, partial(_count_drawn, duplicates=False)),
    "soboroff-duplicates": (_SOBOROFF, partial(_count_drawn, duplicates=True)),
    "references": (_WU, partial(_count_references, own="equal", theirs="equal")),
    "references-own-rank": (_WU, partial(_count_references, own="rank", theirs="equal")),
    "references-their-rank": (_WU, partial(_count_references, own="equal", theirs="rank")),
    "references-both-ranks": (_WU, partial(_count_references, own="rank", theirs="rank")),
    "references-both-scores": (_WU, partial(_count_references, own="score", theirs="score")),
    "rank-position": (_NURAY, _count_highest),
}
"""The source and the function of each of `VOTING_METHODS`."""


def _compare_votes(
    counted: Iterable[Votes],
    scores: Scores,
    *,
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    seed: int = 0,
) -> list[VoteComparison]:
    """Compare orders by votes with the judged one, on the queries that both have."""
    given = list(counted)
    if not given:
        return []
    if len(scores.measures) > 1:
        named = ", ".join(map(str, scores.measures))
        raise OptionError(f"there are several measures, {named}: systems are ordered by one")
    systems = given[0].systems
    (sample,) = samples(scores, systems=systems)
    voted = set(given[0].queries)
    shared = [at for at, query in enumerate(sample.queries) if query in voted]
    if not shared:
        raise OptionError(
            f"no query has both votes and judgments: runs have {given[0].queries[0]!r}, the "
            f"judgments {sample.queries[0]!r}"
        )
    queries = [sample.queries[at] for at in shared]
    on_shared = [votes.on(queries) for votes in given]
    found = order_agreements_with(
        (str(sample.measure), sample.merits[:, shared]),
        {votes.method: votes.values for votes in on_shared},
        systems,
        CorrelationOptions(symmetric=False, confidence=confidence, resamples=resamples, seed=seed),
    )
    judged = {system: average(sample.measure, sample.of(system)[shared]) for system in systems}
    judged_ranks = system_ranks(mean_scores(systems, sample.merits[:, shared]))
    return [
        VoteComparison(
            votes,
            sample.measure,
            judged,
            tuple(
                SystemPlace(system, rank, system_ranks(votes.scores)[system])
                for system, rank in judged_ranks.items()
            ),
            agreement,
            len(given[0].queries) - len(shared),
        )
        for votes, agreement in zip(on_shared, found, strict=True)
    ]
