"""Measures of preferences: how many pairs of documents are in the order that people want.

A preference is fulfilled where the preferred document comes first, or is the only one of the
two that was returned. With neither returned it is possible, and not fulfilled; `_ret` counts
only pairs of which both were returned, `_imp` leaves out those with neither. A topic at a time,
since preferences are few: they come from people who look at pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon.trec_eval.arguments import CALCULATION, Stop, WantedMeasure
from cleverdon.trec_eval.files import Opinion, Topics
from cleverdon.trec_eval.measures import Column


@dataclass(frozen=True, eq=False)
class Group:
    """The preferences of one group of people for one topic.

    Documents are numbered as the run has them, those that it did not return last.
    """

    place: Ints  # a row for each document; where there is one subgroup, for each line
    level: Floats  # 0 is not relevant; below 0, not judged by this group
    wanted: Bools  # rows x rows: whether one is preferred to the other
    returned: int  # how many judged documents the run returned
    one_subgroup: bool

    @cached_property
    def found(self) -> Bools:
        return self.place < self.returned

    @cached_property
    def fulfilled(self) -> Bools:
        """Mark the pairs in the right order whose first document was returned."""
        first: Bools = self.place[:, None] < self.place[None, :]
        return first & self.found[:, None]

    @cached_property
    def pairs(self) -> dict[str, Bools]:
        """The pairs that count: all; with both returned; with one returned at least."""
        rows, columns = self.found[:, None], self.found[None, :]
        return {
            "": self.wanted,
            "_ret": self.wanted & rows & columns,
            "_imp": self.wanted & (rows | columns),
        }

    def counts(self, which: str) -> tuple[int, int]:
        """Count the fulfilled preferences, and the possible ones."""
        pairs = self.pairs[which]
        return int((pairs & self.fulfilled).sum()), int(pairs.sum())

    def relevant(self, which: str) -> int:
        return int(((self.level > 0) & (self.found | (which == ""))).sum())

    def nonrelevant(self, which: str) -> int:
        none = self.level <= 0 if self.one_subgroup else self.level == 0
        return int((none & (self.found | (which == ""))).sum())

    def balanced(self, which: str) -> tuple[int, int]:
        """Return the counts as if as many documents were not relevant as are relevant."""
        wanted, unwanted = self.relevant(which), self.nonrelevant(which)
        if wanted >= unwanted:
            (fulfilled, possible), more = self.counts(which), wanted - unwanted
            return fulfilled + self.relevant("_ret") * more, possible + self.relevant("") * more
        return self._of_one_subgroup(which) if self.one_subgroup else self._of_several(which)

    def _of_one_subgroup(self, which: str) -> tuple[int, int]:
        """Count only the first documents of the lowest level, also against themselves."""
        lowest = np.flatnonzero(self.level == self.level.min())
        kept = lowest[: self.relevant(which)]
        pairs = self.wanted.copy()
        pairs[:, lowest] = False
        pairs[:, kept] = True
        if which == "_ret":
            pairs &= self.found[:, None] & self.found[None, :]
        return int((pairs & self.fulfilled).sum()), int(pairs.sum())

    def _of_several(self, which: str) -> tuple[int, int]:
        """Leave out non-relevant documents beyond the number of relevant ones."""
        searched = self.level[self.found] if which == "_ret" else self.level
        unwanted = np.flatnonzero(searched == 0)
        allowed = self.relevant("")
        kept = np.ones(len(self.level), dtype=bool)
        if len(unwanted) > allowed:
            kept[unwanted[allowed] :] = self.level[unwanted[allowed] :] != 0
        pairs = self.pairs[which] & kept[:, None] & kept[None, :]
        return int((pairs & self.fulfilled).sum()), int(pairs.sum())


@dataclass(frozen=True, eq=False)
class Topic:
    """One topic's preferences, of all groups."""

    groups: list[Group]
    documents: int
    returned: int

    @cached_property
    def votes(self) -> Floats:
        """Documents x documents: how many groups prefer one to the other."""
        votes = np.zeros((self.documents, self.documents))
        for group in self.groups:
            rows, columns = np.nonzero(group.wanted)
            np.add.at(votes, (group.place[rows], group.place[columns]), 1)
        return votes

    def simple(self, which: str) -> float:
        """Fulfilled over possible, of all groups together."""
        fulfilled, possible = self._sums(which)
        return fulfilled / possible if possible else 0.0

    def _sums(self, which: str) -> tuple[int, int]:
        counts = [group.counts(which) for group in self.groups]
        return sum(count for count, _ in counts), sum(count for _, count in counts)

    def possible(self, which: str) -> float:
        return self._sums(which)[1]

    def fulfilled(self, which: str) -> float:
        return self._sums(which)[0]

    def by_pair(self, which: str) -> float:
        """Return the share of votes that the run agrees with, averaged over pairs of documents."""
        agreeing = np.triu(self.votes, 1)
        all_votes = agreeing + np.tril(self.votes, -1).T
        both, one = slice(None, self.returned), slice(self.returned, None)
        parts = [(both, both)] if which == "_ret" else [(both, both), (both, one)]
        shares = np.concatenate(
            [
                (agreeing[part][all_votes[part] > 0] / all_votes[part][all_votes[part] > 0])
                for part in parts
            ]
        )
        neither = int((all_votes[one, one] > 0).sum()) if which == "" else 0
        pairs = len(shares) + neither
        return float(np.add.accumulate(shares)[-1]) / pairs if len(shares) else 0.0

    def by_group(self, which: str) -> float:
        """Fulfilled over possible, averaged over groups; a group without preferences counts 0."""
        counts = [group.counts(which) for group in self.groups]
        total = sum(fulfilled / possible for fulfilled, possible in counts if possible)
        return total / len(counts)

    def by_balanced_group(self, which: str) -> float:
        """Average over balanced groups; a group without preferences makes it 0."""
        counts = [group.balanced(which) for group in self.groups]
        if any(possible == 0 for _, possible in counts):
            return 0.0
        return sum(fulfilled / possible for fulfilled, possible in counts) / len(counts)


_MEASURES: dict[str, Callable[[Topic, str], float]] = {
    "prefs_num_prefs_poss": Topic.possible,
    "prefs_num_prefs_ful": Topic.fulfilled,
    "prefs_simp": Topic.simple,
    "prefs_pair": Topic.by_pair,
    "prefs_avgjg": Topic.by_group,
    "prefs_avgjg_Rnonrel": Topic.by_balanced_group,
}


def prefs_columns(wanted: Sequence[WantedMeasure], evaluated: Sequence[Topic]) -> list[Column]:
    """Return the measures of preferences."""
    found = []
    for one in wanted:
        name = one.name.name
        which = next((end for end in ("_ret", "_imp") if name.endswith(end)), "")
        measure = _MEASURES[name.removesuffix(which)]
        values = np.array([measure(topic, which) for topic in evaluated], dtype=np.float64)
        found.append(Column(one.name, name, values))
    return found


def with_preferences(topics: Topics) -> tuple[Topics, list[Topic]]:
    """Return each topic's preferences, up to a topic with contradictory preferences."""
    ids = topics.doc_ids
    by_name: dict[str, list[Opinion]] = {}
    for opinion in sorted(topics.qrels.opinions, key=lambda opinion: opinion.group):
        by_name.setdefault(opinion.topic, []).append(opinion)
    evaluated: list[Topic] = []
    for place, (row, name) in enumerate(zip(topics.rows.tolist(), topics.names, strict=True)):
        try:
            evaluated.append(_topic(topics, row, by_name[name], ids))
        except Stop as stop:
            return topics.until(place, stop), evaluated
    return topics, evaluated


def _topic(topics: Topics, row: int, opinions: list[Opinion], ids: list[str]) -> Topic:
    hits = topics.hits
    mine = slice(hits.starts[row], hits.starts[row + 1])
    first, last = hits.judgments.starts[row : row + 2].tolist()
    returned = [ids[doc] for doc in hits.doc[mine].tolist()]
    rest = sorted(set(ids[first:last]) - set(returned))
    place = {doc: number for number, doc in enumerate([*returned, *rest])}
    groups = [
        _group(list(lines), place, len(returned))
        for _, lines in groupby(opinions, key=lambda opinion: opinion.group)
    ]
    return Topic(groups, len(place), len(returned))


def _group(lines: list[Opinion], place: dict[str, int], returned: int) -> Group:
    lines.sort(key=lambda line: (line.subgroup, -line.level, place[line.doc]))
    if lines[0].subgroup == lines[-1].subgroup:
        where = np.array([place[line.doc] for line in lines])
        level = np.array([line.level for line in lines])
        wanted = level[:, None] > level[None, :]
        if np.any(wanted & (where[:, None] == where[None, :])):
            raise _contradiction(lines, "a document is at two levels")
        return Group(where, level, wanted, returned, one_subgroup=True)
    level = np.full(len(place), -1.0)
    wanted = np.zeros((len(place), len(place)), dtype=bool)
    for _, subgroup in groupby(lines, key=lambda line: line.subgroup):
        here = list(subgroup)
        for line in here:
            known = level[place[line.doc]]
            if (known > 0 and line.level == 0) or (known == 0 and line.level > 0):
                raise _contradiction(lines, f"{line.doc!r} is relevant and is not")
            level[place[line.doc]] = line.level
        where = np.array([place[line.doc] for line in here])
        levels = np.array([line.level for line in here])
        rows, columns = np.nonzero(levels[:, None] > levels[None, :])
        wanted[where[rows], where[columns]] = True
    wanted = _closed(wanted)
    np.fill_diagonal(wanted, False)
    if np.any(wanted & wanted.T):
        raise _contradiction(lines, "of two documents, each is preferred to the other")
    return Group(np.arange(len(place)), level, wanted, returned, one_subgroup=False)


def _closed(wanted: Bools) -> Bools:
    """Add what follows: who prefers a to b and b to c prefers a to c."""
    while True:
        more = wanted | (wanted.astype(np.uint32) @ wanted.astype(np.uint32) > 0)
        if np.array_equal(more, wanted):
            return more
        wanted = more


def _contradiction(lines: list[Opinion], why: str) -> Stop:
    one = lines[0]
    return Stop(CALCULATION, f"topic {one.topic!r}, group {one.group!r}: {why}")
