"""Results of votes: orders of systems, alone or compared with the judged order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.text import counted, printable
from cleverdon.comparison.orderings import OrderAgreement, OrderAgreements
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.stats.correlation import mean_ranks, ranks_of
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import as_json
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_DIGITS = 12
"""Means that differ further behind are equal, and were added up in another order."""
_MOST_MISPLACED = 3
"""How many misplaced systems are named."""


@dataclass(frozen=True, eq=False)
class Votes:
    """The value of each system on each query by votes, the higher the better."""

    method: str  # one of `VOTING_METHODS`
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    values: Floats  # systems x queries; of several trials, their means
    by_trial: Floats | None = None  # trials x systems: means over queries, of random draws
    summary: str = ""  # the method in words
    source: str = ""  # the paper that describes it

    @property
    def scores(self) -> dict[str, float]:
        """The mean of each system over queries."""
        return mean_scores(self.systems, self.values)

    @property
    def order(self) -> tuple[str, ...]:
        """The systems, the best first; equals by name."""
        scores = self.scores
        return tuple(sorted(scores, key=lambda system: (-scores[system], system)))

    @property
    def deviations(self) -> dict[str, float] | None:
        """The standard deviation of each system's mean over trials; None without trials."""
        if self.by_trial is None or len(self.by_trial) < 2:
            return None
        found = self.by_trial.std(axis=0, ddof=1).tolist()
        return dict(zip(self.systems, found, strict=True))

    def on(self, queries: Iterable[str]) -> Votes:
        """Return the votes on some of the queries; trials are kept only if these are all."""
        chosen = tuple(queries)
        if chosen == self.queries:
            return self
        at = {query: number for number, query in enumerate(self.queries)}
        values = self.values[:, [at[query] for query in chosen]]
        return replace(self, queries=chosen, values=values, by_trial=None)

    def to_dict(self) -> dict[str, Any]:
        scores, deviations = self.scores, self.deviations
        places = system_ranks(scores)
        return {
            "method": self.method,
            "source": self.source,
            "trials": None if self.by_trial is None else len(self.by_trial),
            "systems": {
                system: {
                    "votes": scores[system],
                    "rank": places[system],
                    "deviation": None if deviations is None else deviations[system],
                    "queries": as_json(dict(zip(self.queries, self.values[at], strict=True))),
                }
                for at, system in enumerate(self.systems)
            },
        }


def mean_scores(systems: Iterable[str], values: Floats) -> dict[str, float]:
    """Return each system's mean of its values, systems x queries."""
    means = np.round(values.mean(axis=1), _DIGITS)
    return dict(zip(systems, means.tolist(), strict=True))


def system_ranks(scores: dict[str, float]) -> dict[str, float]:
    """Return each system's rank, the highest score first; equal ones share their mean rank.

    >>> system_ranks({"a": 0.2, "b": 0.9, "c": 0.2})
    {'b': 1.0, 'a': 2.5, 'c': 2.5}
    """
    ordered = ranks_of(scores)
    return dict(zip(ordered.items, mean_ranks(ordered.first).tolist(), strict=True))


@dataclass(frozen=True)
class SystemPlace:
    """The rank of a system in the two orders; tied systems share their mean rank."""

    system: str
    judged: float
    voted: float

    @property
    def lost(self) -> float:
        """The number of ranks that votes place it lower than judgments; below 0, higher."""
        return self.voted - self.judged

    def __str__(self) -> str:
        return f"{printable(self.system)} (judged {self.judged:g}, voted {self.voted:g})"


@dataclass(frozen=True, eq=False)
class VoteComparison:
    """An order by votes, and the judged order of the same systems on the same queries."""

    votes: Votes
    measure: Measure  # of the judged order
    judged: dict[str, float]  # the average of each system
    places: tuple[SystemPlace, ...]  # the best by judgments first
    agreement: OrderAgreement
    left_out: int  # queries without judgments

    @property
    def misplaced(self) -> list[SystemPlace]:
        """The systems that votes place elsewhere, the furthest first."""
        moved = [place for place in self.places if place.lost]
        return sorted(moved, key=lambda place: (-abs(place.lost), place.judged, place.system))

    @property
    def best_missed(self) -> SystemPlace | None:
        """The system that is best by judgments, if votes do not place it in the first tenth.

        Of few systems, among the first three, or in the upper half if that is fewer.
        """
        best, systems = self.places[0], len(self.places)
        few = systems < 3  # two systems have the same votes, near enough
        near = max(ceil(systems / 10), min(3, ceil(systems / 2)))
        return None if few or best.voted < near + 1 else best

    def to_dict(self) -> dict[str, Any]:
        judged = {
            place.system: {"value": self.judged[place.system], "rank": place.judged}
            for place in self.places
        }
        compared = {
            "measure": str(self.measure),
            "judged": judged,
            "agreement": self.agreement,
            "misplaced": self.misplaced,
            "left_out": self.left_out,
        }
        return self.votes.to_dict() | {name: as_json(value) for name, value in compared.items()}


@dataclass(frozen=True)
class VoteOrders(RecordList[Votes | VoteComparison]):
    """Orders of systems by votes, one for each method; with judgments, compared with theirs.

    Attributes:
        items: `Votes`, or with judgments a `VoteComparison`, for each method.
        notes: Notes and warnings on the runs and the judgments.

    >>> from cleverdon.pooling import vote
    >>> run = {"q": {"x": 2, "y": 1}}
    >>> found = vote({"a": run, "b": run, "c": {"q": {"z": 1}}}, methods=["references"])
    >>> found.votes[0].order
    ('a', 'b', 'c')
    """

    notes: tuple[str, ...] = ()

    @property
    def votes(self) -> list[Votes]:
        """The orders by votes alone."""
        return [one if isinstance(one, Votes) else one.votes for one in self.items]

    @property
    def comparisons(self) -> list[VoteComparison]:
        """The comparisons with the judged order; empty without judgments."""
        return [one for one in self.items if isinstance(one, VoteComparison)]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the ranks of systems, and with judgments the correlation with the judged order.

        Args:
            exact: Write all digits, a row for each method and system.
        """
        grid = self._exact_table() if exact else self._table()
        parts = [Section("votes", grid, titled=False)]
        if self.comparisons:
            agreements = OrderAgreements(tuple(one.agreement for one in self.comparisons))
            parts += [
                replace(part, heading="agreement") for part in agreements.sections(exact=exact)
            ]
        return parts

    def closing(self) -> list[str]:
        """Return the systems that votes misplace most."""
        found = self.comparisons
        remarks = []
        for one in found:
            moved = "; ".join(map(str, one.misplaced[:_MOST_MISPLACED]))
            if moved:
                remarks.append(f"{one.votes.method} misplaces most: {moved}")
        if found and found[0].left_out:
            remarks.append(f"{counted(found[0].left_out, 'query')} without judgments (left out)")
        missed = [one.votes.method for one in found if one.best_missed]
        if missed:
            remarks.append(
                f"note: {printable(found[0].places[0].system)} is best by {found[0].measure}, and "
                f"not near the top by {', '.join(missed)}; votes reward what most systems return, "
                "and underrate a system that finds what others do not"
            )
        return remarks

    def _table(self) -> TextTable:
        scores = [one.scores for one in self.votes]
        ranks = [system_ranks(of_method) for of_method in scores]
        alone = len(ranks) == 1
        header = ["votes", "rank by votes"] if alone else [one.method for one in self.votes]
        rows = {
            system: [
                *([format_decimal(scores[0][system])] if alone else []),
                *(f"{places[system]:g}" for places in ranks),
            ]
            for system in self.votes[0].order
        }
        if self.comparisons:
            first = self.comparisons[0]
            header = [str(first.measure), "rank", *header]
            rows = {
                place.system: [
                    format_score(first.measure, first.judged[place.system]),
                    f"{place.judged:g}",
                    *rows[place.system],
                ]
                for place in first.places
            }
        listed = [[printable(system), *cells] for system, cells in rows.items()]
        return TextTable(["system", *header], listed, 1, [], self._table_notes())

    def _table_notes(self) -> list[str]:
        first = self.votes[0]
        size = f"{counted(len(first.systems), 'system')}, {counted(len(first.queries), 'query')}"
        notes = [size if len(self) == 1 else f"{size}; below the name of each method: ranks by it"]
        for votes in self.votes:
            trials = "" if votes.by_trial is None else f" ({counted(len(votes.by_trial), 'trial')})"
            notes.append(f"{votes.method}: {votes.summary}{trials}")
        return notes

    def _exact_table(self) -> TextTable:
        header = ["method", "system", "votes", "rank", "deviation"]
        header += ["judged", "judged rank"] if self.comparisons else []
        rows = []
        for votes in self.votes:
            scores, deviations = votes.scores, votes.deviations or {}
            places = system_ranks(scores)
            for system in votes.order:
                deviation = _exact(deviations[system]) if deviations else ""
                place = f"{places[system]:g}"
                rows.append([votes.method, system, _exact(scores[system]), place, deviation])
        if self.comparisons:
            first = self.comparisons[0]
            ranks = {place.system: place.judged for place in first.places}
            for row in rows:
                row += [_exact(first.judged[row[1]]), f"{ranks[row[1]]:g}"]
        return TextTable(header, rows, 2, [])


def _exact(value: float) -> str:
    return format_decimal(value, exact=True)
