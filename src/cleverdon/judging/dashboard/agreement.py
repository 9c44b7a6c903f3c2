"""Agreement of the people who judge, overall, by pair and by query.

It is computed by the code of `cleverdon agree`. Pages, datasheets and reports follow one rule for
intervals, which are by Student's t: with too few queries, they are over documents instead of
queries, because the interval of two queries is only as wide as these two happen to differ. They
then hold for further documents of the same queries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np

from cleverdon.agreement.agreement import Agreement, PairAgreement, agree, choose_coefficients
from cleverdon.agreement.labels import Labels
from cleverdon.errors import CleverdonError
from cleverdon.judging.dashboard import Measurement, from_estimate, not_yet, unknown
from cleverdon.judging.dashboard.facts import StandingGrade, labels_of, without_gold
from cleverdon.stats.intervals import Estimate

_FEWEST_QUERIES = 5  # the standard error of fewer says little
MOST_JUDGES = 12  # in larger teams not every pair is compared: a hundred people make thousands
_MOST_PAIRS = MOST_JUDGES * (MOST_JUDGES - 1) // 2
FEWEST = 5  # documents that two have judged, below which no coefficient is computed
_OF_ALL = ("agreement", "fleiss", "alpha-ordinal")  # of all judges at once, no mean over pairs
COEFFICIENTS = ("agreement", "kappa", "fleiss", "alpha-ordinal")
MEANINGS = {
    "agreement": "the share of documents on which two judges give the same grade",
    "kappa": "Cohen's, the mean over pairs: 1 is full agreement, 0 is what chance would give",
    "fleiss": "Fleiss's kappa, over all judges at once",
    "alpha-ordinal": "Krippendorff's: a grade that is far off counts more than one that is near",
}
"""Explanations of the coefficients, shown with the numbers."""

_NO_PAIRS = "not looked at in a team of this size: see the pairs"
_Names = Sequence[str] | None  # of coefficients; None chooses those that suit the scale


def measure_agreement(
    labels: Labels, coefficients: _Names = None, *, per_query: bool = False, seed: int = 0
) -> Agreement:
    """Compute the agreement of all judges; with `per_query`, also query by query.

    With too few queries, a mean over queries has no interval.
    """
    queries = len(np.unique(labels.query[labels.shared]))
    if not 1 < queries < _FEWEST_QUERIES:
        return _agree(labels, coefficients, per_query=per_query, seed=seed)
    alone = replace(labels, queries=("",), query=np.zeros_like(labels.query))
    found = replace(_agree(alone, coefficients, seed=seed), labels=labels)
    means = [each.name for each in choose_coefficients(labels, coefficients) if each.by_query]
    if not per_query and not means:
        return found
    over = _agree(labels, coefficients, per_query=per_query, seed=seed)

    def with_means(
        own: Mapping[str, Estimate], other: Mapping[str, Estimate]
    ) -> dict[str, Estimate]:
        bare = {
            name: replace(other[name], interval=replace(other[name].interval, low=nan, high=nan))
            for name in means
        }
        return {**own, **bare}

    pairs = tuple(
        replace(
            pair,
            queries=other.queries,
            coefficients=with_means(pair.coefficients, other.coefficients),
        )
        for pair, other in zip(found.pairs, over.pairs, strict=True)
    )
    overall = with_means(found.overall, over.overall)
    return replace(found, queries=over.queries, overall=overall, pairs=pairs)


def _team_agreement(labels: Labels, *, per_query: bool = False, seed: int = 0) -> Agreement:
    """Compute the agreement of a large team, by coefficients that ignore names."""
    # One column for the first judge of each document, one for the second, ...: the result is the
    # same, and there are far fewer columns than people.
    first = np.argsort(~labels.judged, axis=1, kind="stable")
    most = int(labels.judged.sum(axis=1).max())
    level = np.take_along_axis(labels.level, first, axis=1)[:, :most]
    unnamed = replace(labels, judges=tuple(map(str, range(1, most + 1))), level=level)
    return measure_agreement(unnamed, _OF_ALL, per_query=per_query, seed=seed)


def _pair_agreement(
    labels: Labels, names: tuple[str, str], coefficients: _Names, *, seed: int
) -> PairAgreement:
    """Compute the agreement of two judges, over their common documents."""
    own = labels.only(names)
    queries = len(np.unique(own.query[own.shared]))
    return replace(measure_agreement(own, coefficients, seed=seed).pairs[0], queries=queries)


def measure_report(labels: Labels, *, seed: int = 0) -> Agreement:
    """Compute everything in a report: the numbers of the dashboard, overall, by query and pair."""
    found = measure_agreement(labels, per_query=True, seed=seed)
    names = [each.name for each in found.coefficients]
    overall = dict(found.overall)
    if len(labels.judges) > MOST_JUDGES:
        of_many = _team_agreement(labels, seed=seed).overall
        overall |= {name: of_many[name] for name in _OF_ALL if name in overall}
    pairs = tuple(
        _pair_agreement(labels, (pair.first, pair.second), names, seed=seed)
        if pair.documents
        else pair
        for pair in found.pairs
    )
    return replace(found, overall=overall, pairs=pairs)


def _agree(
    labels: Labels, coefficients: _Names, *, per_query: bool = False, seed: int = 0
) -> Agreement:
    return agree(labels, coefficients=coefficients, per_query=per_query, seed=seed, progress=False)


@dataclass(frozen=True, eq=False)
class LiveAgreement:
    """The agreement of people so far; None where it is unknown, and `why` is the reason."""

    agreed: Agreement | None  # over all, and query by query
    shared: int  # documents that two people at least have judged
    gold: int = 0  # gold documents that two have judged as well, and that are left out
    pairs: tuple[PairAgreement, ...] = ()  # that have documents in common, the most first
    more_pairs: int = 0  # that are not among them
    why: str = ""


def shared_documents(rows: Sequence[StandingGrade]) -> int:
    """Return how many documents two or more people judged."""
    return sum(times > 1 for times in Counter(row.item for row in rows).values())


def live_agreement(rows: Sequence[StandingGrade], *, seed: int = 0) -> LiveAgreement:
    """Compute the agreement of judges overall, by pair and by query, without gold."""
    kept = without_gold(rows)
    shared = shared_documents(kept)
    gold = shared_documents(rows) - shared
    if shared < FEWEST:
        return LiveAgreement(None, shared, gold, why=_needs_shared(shared, gold=gold))
    labels = labels_of(kept)
    # Pairs of judges, those with the most documents in common first.
    judged = labels.judged.astype(float)
    both = np.triu(judged.T @ judged, k=1)
    common = np.argsort(-both, axis=None, kind="stable")[: np.count_nonzero(both)].tolist()
    try:
        if len(labels.judges) <= MOST_JUDGES:
            agreed = measure_agreement(labels, COEFFICIENTS, per_query=True, seed=seed)
        else:
            agreed = _team_agreement(labels, per_query=True, seed=seed)
        pairs = []
        for at in common[:_MOST_PAIRS]:
            first, second = (labels.judges[place] for place in divmod(at, len(labels.judges)))
            pair = _pair_agreement(labels, (first, second), COEFFICIENTS, seed=seed)
            pairs.append(pair)
    except CleverdonError as error:
        return LiveAgreement(None, shared, gold, why=not_yet(error))
    return LiveAgreement(agreed, shared, gold, tuple(pairs), len(common) - len(pairs))


def _needs_shared(shared: int, *, gold: int = 0) -> str:
    """Return why there is no agreement yet."""
    without = ", gold left out" if gold else ""
    return f"agreement needs {FEWEST} documents that two have judged{without}: {shared} so far"


@dataclass(frozen=True)
class PairRow:
    """The agreement of two people."""

    first: str
    second: str
    documents: int
    """Documents that both judged."""
    queries: int
    numbers: Mapping[str, Measurement]
    """Coefficients by name."""


@dataclass(frozen=True)
class QueryRow:
    """The agreement of all who judged a query."""

    query: str
    documents: int
    """Documents that at least two people judged."""
    judges: int
    numbers: Mapping[str, Measurement]


def overall_agreement(live: LiveAgreement) -> dict[str, Measurement]:
    """Return every coefficient over all people, or why there is none."""
    if live.agreed is None:
        return {name: unknown(live.why, of=live.shared) for name in COEFFICIENTS}
    found = live.agreed.overall
    return {
        name: from_estimate(found[name], live.shared)
        if name in found
        else unknown(_NO_PAIRS, of=live.shared)
        for name in COEFFICIENTS
    }


def pair_rows(live: LiveAgreement, *, judge: str | None = None) -> list[PairRow]:
    """Return pairs that have documents in common; of one person, where one is named."""
    return [
        PairRow(
            pair.first,
            pair.second,
            pair.documents,
            pair.queries,
            _numbers(pair.coefficients, pair.documents),
        )
        for pair in live.pairs
        if judge is None or judge in (pair.first, pair.second)
    ]


def query_rows(live: LiveAgreement) -> list[QueryRow]:
    """Return queries with documents that two people judged, the lowest agreement first."""
    if live.agreed is None:
        return []
    return [
        QueryRow(one.query, one.documents, one.judges, _numbers(one.coefficients, one.documents))
        for one in live.agreed.queries
    ]


def _numbers(estimates: Mapping[str, Estimate], documents: int) -> dict[str, Measurement]:
    """Return the numbers with their intervals; unknown where there are too few documents."""
    if documents < FEWEST:
        return {name: unknown(_needs_shared(documents), of=documents) for name in estimates}
    return {name: from_estimate(one, documents) for name, one in estimates.items()}
