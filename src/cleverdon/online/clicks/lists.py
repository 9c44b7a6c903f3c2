"""Result lists that were shown, and which of their results were clicked, as arrays.

Click models walk down all lists at once, a place at a time. So rows are sorted by place, and lists
are numbered by falling length: the rows of a place are one slice, and belong to the first so many
lists. No list is padded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints, ordinal_in, summed
from cleverdon.errors import InputError


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every query and document that were shown together."""

    queries: tuple[str, ...]
    docs: tuple[str, ...]
    query: Ints  # of each pair, an index into the queries
    doc: Ints

    def __len__(self) -> int:
        return len(self.query)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for query, doc in zip(self.query.tolist(), self.doc.tolist(), strict=True):
            yield self.queries[query], self.docs[doc]

    def places_in(self, other: Pairs) -> Ints:
        """Where each of these pairs stands in the other list of pairs; -1 where it does not."""
        if other is self:
            return np.arange(len(self))
        place = {names: at for at, names in enumerate(other)}
        return np.array([place.get(names, -1) for names in self], dtype=np.int64)


@dataclass(frozen=True)
class Place:
    """The results that stand at one place of their lists: of the first so many lists."""

    rows: slice
    pair: Ints
    rank: Ints
    clicked: Bools

    @property
    def lists(self) -> slice:
        """The lists that have a result here."""
        return slice(0, len(self.pair))


@dataclass(frozen=True, eq=False)
class Shown:
    """Result lists with clicks: a row for each result, by place and then by list.

    >>> lists = [("jazz", ["d1", "d2", "d3"], ["d2"]), ("jazz", ["d2", "d1"], [])]
    >>> shown = Shown.from_lists(lists)
    >>> shown
    <Shown: 2 lists, 5 results, 1 clicked, 1 query>
    >>> dict(zip(shown.pairs, shown.impressions.tolist()))
    {('jazz', 'd1'): 2, ('jazz', 'd2'): 2, ('jazz', 'd3'): 1}
    """

    pairs: Pairs
    pair: Ints
    """Which query and document a row is of."""
    rank: Ints
    """From 1, as the log has it: the first place of a second page may be rank 11."""
    clicked: Bools
    list: Ints
    """Which list a row is of; lists are numbered by falling length."""
    user: Ints | None = None
    """Whose list it was, for each list; -1 is nobody known."""

    def __repr__(self) -> str:
        queries = len(np.unique(self.pairs.query[self.pair]))
        return (
            f"<Shown: {self.lists:,} lists, {len(self.pair):,} results, "
            f"{int(self.clicked.sum()):,} clicked, {queries:,} "
            f"{'query' if queries == 1 else 'queries'}>"
        )

    @classmethod
    def from_lists(
        cls,
        lists: Iterable[tuple[str, Sequence[str], Iterable[str]]],
        *,
        users: Sequence[str] | None = None,
    ) -> Shown:
        """From plain lists: the query, its documents from the first rank on, those clicked.

        `users` says whose each list was, where lists are to be split by users.
        """
        queries: dict[str, int] = {}
        docs: dict[str, int] = {}
        pairs: dict[tuple[int, int], int] = {}
        rows: list[tuple[int, int, int, bool]] = []
        number = -1
        for number, (query, results, clicks) in enumerate(lists):
            wanted = set(clicks)
            if len(set(results)) < len(results):
                raise InputError(f"list {number + 1} ({query!r}) has a document twice")
            if not wanted <= set(results):
                odd = min(wanted - set(results))
                raise InputError(
                    f"list {number + 1} ({query!r}) has a click on {odd!r}, which is not in it"
                )
            at = queries.setdefault(query, len(queries))
            for rank, doc in enumerate(results, start=1):
                pair = (at, docs.setdefault(doc, len(docs)))
                rows.append((number, rank, pairs.setdefault(pair, len(pairs)), doc in wanted))
        if users is not None and len(users) != number + 1:
            raise InputError(f"there are {number + 1} lists, and users of {len(users)}")
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        both = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
        whose = None if users is None else np.unique(np.asarray(users), return_inverse=True)[1]
        return cls.from_rows(
            Pairs(tuple(queries), tuple(docs), both[0], both[1]),
            list=columns[0],
            rank=columns[1],
            pair=columns[2],
            clicked=columns[3].astype(bool),
            user=whose,
        )

    @classmethod
    def from_rows(
        cls,
        pairs: Pairs,
        *,
        list: Ints,
        rank: Ints,
        pair: Ints,
        clicked: Bools,
        user: Ints | None = None,
    ) -> Shown:
        """From rows in any order; a list without rows is left out, with its user."""
        if len(pair) == 0:
            raise InputError("there is no result list with a result in it")
        kept, list = np.unique(list, return_inverse=True)
        length = np.bincount(list)
        longest_first = np.argsort(-length, kind="stable")
        number = np.empty_like(longest_first)
        number[longest_first] = np.arange(len(length))
        list = number[list]
        order = np.lexsort((pair, rank, list))  # two results at one rank: the same way every time
        place = ordinal_in(list[order])
        order = order[np.lexsort((list[order], place))]
        return cls(
            pairs,
            pair[order],
            rank[order],
            clicked[order],
            list[order],
            None if user is None else user[kept][longest_first],
        )

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return int(self.list.max()) + 1

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The results of each place, from the first down."""
        # The first list is the longest, and every place begins with it.
        ends = [*np.flatnonzero(self.list == 0).tolist(), len(self.list)]
        cuts = [slice(start, stop) for start, stop in pairwise(ends)]
        return tuple(Place(cut, self.pair[cut], self.rank[cut], self.clicked[cut]) for cut in cuts)

    @cached_property
    def impressions(self) -> Ints:
        """How often each pair was shown."""
        return np.bincount(self.pair, minlength=len(self.pairs))

    @cached_property
    def clicks(self) -> Ints:
        """How often each pair was clicked."""
        return np.bincount(self.pair[self.clicked], minlength=len(self.pairs))

    def of_users(self, least: int) -> frozenset[str]:
        """The queries of at least so many users; where users are not known, of so many lists."""
        first = self.places[0]
        query = self.pairs.query[first.pair]
        nobody = np.arange(self.lists) + (0 if self.user is None else int(self.user.max()) + 1)
        user = nobody if self.user is None else np.where(self.user < 0, nobody, self.user)
        both = np.unique(np.stack([query, user]), axis=1)
        counts = np.bincount(both[0], minlength=len(self.pairs.queries))
        return frozenset(self.pairs.queries[at] for at in np.flatnonzero(counts >= least))

    @cached_property
    def above(self) -> Bools:
        """Whether a result higher up in the row's list was clicked."""
        before = np.zeros(self.lists, dtype=bool)
        found = np.zeros(len(self.pair), dtype=bool)
        for place in self.places:
            found[place.rows] = before[place.lists]
            before[place.lists] |= place.clicked
        return found

    @cached_property
    def below(self) -> Bools:
        """Whether a result further down in the row's list was clicked."""
        after = np.zeros(self.lists, dtype=bool)
        found = np.zeros(len(self.pair), dtype=bool)
        for place in reversed(self.places):
            found[place.rows] = after[place.lists]
            after[place.lists] |= place.clicked
        return found

    @cached_property
    def followed(self) -> Bools:
        """Whether the row's list has a further result."""
        found = np.zeros(len(self.pair), dtype=bool)
        for place, following in zip(self.places[:-1], self.places[1:], strict=True):
            found[place.rows.start : place.rows.start + len(following.pair)] = True
        return found

    @cached_property
    def with_click(self) -> Bools:
        """Whether each list has a click."""
        found = np.zeros(self.lists, dtype=bool)
        found[self.list[self.clicked]] = True
        return found

    def totals(self, values: Floats) -> Floats:
        """The sum of the rows' values for each pair."""
        return summed(self.pair, values, len(self.pairs))

    def as_one(self) -> Shown:
        """The same lists, as if every document were the same."""
        only = np.zeros(1, dtype=np.int64)
        pairs = Pairs(("any",), ("any",), only, only)
        pair = np.zeros_like(self.pair)
        return Shown(pairs, pair, self.rank, self.clicked, self.list, self.user)

    def part(self, wanted: Bools) -> Shown:
        """Some of the lists; pairs keep their numbers, whether they are still shown or not."""
        rows = wanted[self.list]
        return Shown.from_rows(
            self.pairs,
            list=self.list[rows],
            rank=self.rank[rows],
            pair=self.pair[rows],
            clicked=self.clicked[rows],
            user=self.user,
        )
