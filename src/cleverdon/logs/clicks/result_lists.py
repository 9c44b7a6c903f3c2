"""Result lists that were shown, and which of their results were clicked, as arrays.

Click models walk down all lists at once, one place at a time. So rows are sorted by place, and
lists are numbered by decreasing length: the rows of a place are one slice, and belong to the first
lists. No list is padded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints, ordinal_in, summed
from cleverdon._common.text import counted
from cleverdon.errors import InputError, OptionError
from cleverdon.logs.log import Log, with_actors
from cleverdon.logs.settings import fold_text


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
        """Return the index of each of these pairs in other pairs; -1 where it is not there."""
        if other is self:
            return np.arange(len(self))
        place = {names: at for at, names in enumerate(other)}
        return np.array([place.get(names, -1) for names in self], dtype=np.int64)


@dataclass(frozen=True)
class Place:
    """The results at one place of the lists that are long enough, which are the first lists."""

    rows: slice
    pair: Ints
    rank: Ints
    clicked: Bools

    @property
    def lists(self) -> slice:
        return slice(0, len(self.pair))


@dataclass(frozen=True, eq=False)
class ResultLists:
    """Result lists with clicks: a row for each result, by place and then by list.

    >>> lists = [("jazz", ["d1", "d2", "d3"], ["d2"]), ("jazz", ["d2", "d1"], [])]
    >>> shown = ResultLists.from_lists(lists)
    >>> shown
    <ResultLists: 2 lists, 5 results, 1 clicked, 1 query>
    >>> dict(zip(shown.pairs, shown.impressions.tolist()))
    {('jazz', 'd1'): 2, ('jazz', 'd2'): 2, ('jazz', 'd3'): 1}
    """

    pairs: Pairs
    pair: Ints  # the query and document of a row
    rank: Ints  # from 1, as the log has it: the first place of a second page may be rank 11
    clicked: Bools
    list: Ints  # the list of a row; lists are numbered by decreasing length
    user: Ints | None = None  # the user of each list; -1 if unknown

    def __repr__(self) -> str:
        queries = counted(len(np.unique(self.pairs.query[self.pair])), "query")
        return (
            f"<ResultLists: {self.lists:,} lists, {len(self.pair):,} results, "
            f"{int(self.clicked.sum()):,} clicked, {queries}>"
        )

    @classmethod
    def from_lists(
        cls,
        lists: Iterable[tuple[str, Sequence[str], Iterable[str]]],
        *,
        users: Sequence[str] | None = None,
    ) -> ResultLists:
        """Make result lists of queries, their documents by rank, and the clicked documents.

        `users` has the user of each list, for splits by users.
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
            raise InputError(f"there are {number + 1} lists, but {len(users)} users")
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
    ) -> ResultLists:
        """Make result lists of rows in any order; leave out lists without rows."""
        if len(pair) == 0:
            raise InputError("there is no result list with a result in it")
        kept, list = np.unique(list, return_inverse=True)
        length = np.bincount(list)
        longest_first = np.argsort(-length, kind="stable")
        number = np.empty_like(longest_first)
        number[longest_first] = np.arange(len(length))
        list = number[list]
        order = np.lexsort((pair, rank, list))  # by pair, so that ties have one order
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
        return np.bincount(self.pair, minlength=len(self.pairs))

    @cached_property
    def clicks(self) -> Ints:
        return np.bincount(self.pair[self.clicked], minlength=len(self.pairs))

    def of_users(self, least: int) -> frozenset[str]:
        """Return the queries of at least `least` users; each list of an unknown user counts."""
        query = self.pairs.query[self.places[0].pair]
        both = np.unique(np.stack([query, self.user_of_lists]), axis=1)
        counts = np.bincount(both[0], minlength=len(self.pairs.queries))
        return frozenset(self.pairs.queries[at] for at in np.flatnonzero(counts >= least))

    @property
    def user_of_lists(self) -> Ints:
        """The user of each list; a list of an unknown user has a user of its own."""
        alone = np.arange(self.lists)
        if self.user is None:
            return alone
        return np.where(self.user < 0, self.user.max() + 1 + alone, self.user)

    @cached_property
    def above(self) -> Bools:
        """True if a result above the row was clicked."""
        return self._clicked_before(self.places)

    @cached_property
    def below(self) -> Bools:
        """True if a result below the row was clicked."""
        return self._clicked_before(self.places[::-1])

    def _clicked_before(self, places: tuple[Place, ...]) -> Bools:
        before = np.zeros(self.lists, dtype=bool)
        found = np.zeros(len(self.pair), dtype=bool)
        for place in places:
            found[place.rows] = before[place.lists]
            before[place.lists] |= place.clicked
        return found

    @cached_property
    def followed(self) -> Bools:
        """True if the row's list has a further result."""
        found = np.zeros(len(self.pair), dtype=bool)
        for place, following in zip(self.places[:-1], self.places[1:], strict=True):
            found[place.rows.start : place.rows.start + len(following.pair)] = True
        return found

    @cached_property
    def followed_cuts(self) -> tuple[slice, ...]:
        """The same rows as slices, from the first place down."""
        pairs = zip(self.places[:-1], self.places[1:], strict=True)
        starts = [(place.rows.start, len(following.pair)) for place, following in pairs]
        return tuple(slice(start, start + rows) for start, rows in starts) or (slice(0, 0),)

    @cached_property
    def clicked_rows(self) -> Ints:
        """The rows that were clicked."""
        return np.flatnonzero(self.clicked)

    @cached_property
    def clicked_at(self) -> tuple[slice, ...]:
        """Which of the clicked rows are at each place."""
        ends = [place.rows.stop for place in self.places]
        cuts = [0, *np.searchsorted(self.clicked_rows, ends).tolist()]
        return tuple(slice(start, stop) for start, stop in pairwise(cuts))

    @cached_property
    def read_rows(self) -> Ints:
        """The rows at or above the last click of their list, which were examined."""
        return np.flatnonzero(self.clicked | self.below)

    @cached_property
    def with_click(self) -> Bools:
        """True for each list with a click."""
        found = np.zeros(self.lists, dtype=bool)
        found[self.list[self.clicked]] = True
        return found

    def totals(self, values: Floats) -> Floats:
        """Return the sum of the rows' values for each pair."""
        return summed(self.pair, values, len(self.pairs))

    def as_one(self) -> ResultLists:
        """Return the same lists with all queries and documents replaced by one."""
        only = np.zeros(1, dtype=np.int64)
        pairs = Pairs(("any",), ("any",), only, only)
        return replace(self, pairs=pairs, pair=np.zeros_like(self.pair))

    def part(self, wanted: Bools) -> ResultLists:
        """Return some of the lists; all pairs keep their numbers."""
        rows = wanted[self.list]
        return ResultLists.from_rows(
            self.pairs,
            list=self.list[rows],
            rank=self.rank[rows],
            pair=self.pair[rows],
            clicked=self.clicked[rows],
            user=self.user,
        )


@dataclass(frozen=True)
class Usage:
    """The number of result pages that click models can use, and of others by reason."""

    pages: int
    used: int
    without_events: int  # no impression and no click names the page
    without_text: int  # the query's text is unknown
    without_position: int  # a result was shown at an unknown position
    without_impressions: int  # there are clicks, but the results above them are unknown
    too_deep: int  # every result is below `depth`
    with_gaps: int  # used, although a rank between two results is missing; it is skipped
    clicks_lost: int  # clicks of used pages on documents not shown, at an unknown position


def read_result_lists(
    log: Log, *, normalise: Callable[[str], str] = fold_text, depth: int | None = None
) -> tuple[ResultLists, Usage]:
    """Read the result lists of a log, with their clicks.

    A click belongs to the page whose query id it has, and to the document that it names, or else to
    the one shown at its position. A page with clicks but no impressions is used only if every
    result down to the last click was clicked: otherwise the skipped results are unknown.

    Args:
        log: The log.
        normalise: Maps spellings of the same query to one text.
        depth: The lowest rank that is used.

    Returns:
        The lists, and counts of the pages that cannot be used.

    Raises:
        InputError: No page can be used.
        OptionError: `depth` is below 1.

    >>> from cleverdon.logs.log import log_of
    >>> page = {"query_id": "p1", "user": "ann", "time": 0, "text": "hats"}
    >>> event = {"query_id": "p1", "time": 1, "action": "impression", "doc": "d1", "position": 1}
    >>> read_result_lists(log_of([page], [event]))[0]
    <ResultLists: 1 lists, 1 results, 0 clicked, 1 query>
    """
    if depth is not None and depth < 1:
        raise OptionError(f"depth={depth}: a list has at least one result")
    log.need("a click model", "queries.text", "events.query_id", "events.doc", "events.position")
    table = _rows(log).to_pyarrow()
    pages = int(log.queries.count().to_pyarrow().as_py())
    if len(table) == 0:
        raise InputError(
            "no impression and no click belongs to a result page: nothing to learn from",
            source=log.source,
        )
    rows = _Rows.of(table)
    why, kept = rows.usable()
    deep = kept & (rows.rank > depth) if depth is not None else np.zeros(len(kept), dtype=bool)
    usable = _count_distinct(rows.page[kept])
    kept &= ~deep
    if not kept.any():
        raise InputError(
            "no result page can be used: " + "; ".join(f"{n:,} {name}" for name, n in why.items()),
            source=log.source,
        )
    shown = rows.shown(kept, normalise)
    return shown, Usage(
        pages=pages,
        used=shown.lists,
        without_events=pages - _count_distinct(rows.page) + why["of unknown pages"],
        without_text=why["without a text"],
        without_position=why["without positions"],
        without_impressions=why["without impressions"],
        too_deep=usable - shown.lists,
        with_gaps=_gaps(shown),
        clicks_lost=int(np.sum(rows.lost & np.isin(rows.page, rows.page[kept]))),
    )


def _rows(log: Log) -> Any:
    """Return a row for each document of each page: whether and where it was shown and clicked."""
    events = log.events.filter(
        log.events.action.isin(["impression", "click"]) & log.events.query_id.notnull()
    )
    columns = ("query_id", "action", "doc", "position")
    named = events.filter(events.doc.notnull()).select(*columns)
    # A click without a document belongs to the document that was shown at its position.
    nameless = events.filter(
        (events.action == "click") & events.doc.isnull() & events.position.notnull()
    ).select("query_id", "action", "position")
    placed = named.filter((named.action == "impression") & named.position.notnull())
    at = placed.group_by(at_page=placed.query_id, at_position=placed.position).aggregate(
        doc=placed.doc.min()
    )
    found = nameless.inner_join(
        at, (nameless.query_id == at.at_page) & (nameless.position == at.at_position)
    )
    every = named.union(found.select(*columns))
    is_click = every.action == "click"
    rows = every.group_by(page=every.query_id, doc=every.doc).aggregate(
        shown=(~is_click).any(),
        clicked=is_click.any(),
        shown_at=every.position.min(where=~is_click),
        clicked_at=every.position.min(where=is_click),
    )
    queries = with_actors(log).select("query_id", "text", user="actor")
    return rows.left_join(queries, rows.page == queries.query_id).select(
        "page", "doc", "shown", "clicked", "shown_at", "clicked_at", "query_id", "text", "user"
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of `_rows` as arrays; texts are indices into lists, and -1 is null."""

    page: Ints
    doc: Ints
    docs: list[str]
    rank: Ints  # 0 if unknown
    seen: Bools  # True if there is an impression
    clicked: Bools
    asked: Bools  # True if the page is one of the log's queries
    text: Ints
    texts: list[str]
    user: Ints

    @classmethod
    def of(cls, table: Any) -> _Rows:
        page, _ = _numbered(table["page"])
        doc, docs = _numbered(table["doc"])
        text, texts = _numbered(table["text"])
        user, _ = _numbered(table["user"])
        ranks = [_whole(table[name]) for name in ("shown_at", "clicked_at")]
        return cls(
            page,
            doc,
            docs.to_pylist(),
            np.where(ranks[0] > 0, ranks[0], ranks[1]),
            table["shown"].to_numpy().astype(bool),
            table["clicked"].to_numpy().astype(bool),
            table["query_id"].is_valid().to_numpy(),
            text,
            texts.to_pylist(),
            user,
        )

    @property
    def lost(self) -> Bools:
        """Clicks on documents that were not shown, at an unknown position."""
        return ~self.seen & (self.rank <= 0)

    def usable(self) -> tuple[dict[str, int], Bools]:
        """Return the number of unusable pages by their first reason, and the usable rows."""
        pages = int(self.page.max()) + 1

        def any_of(rows: Bools) -> Bools:
            found = np.zeros(pages, dtype=bool)
            found[self.page[rows]] = True
            return found

        shown = any_of(self.seen)
        # Without impressions, a page is known only if clicks fill every rank down to the last.
        deepest = np.zeros(pages, dtype=np.int64)
        np.maximum.at(deepest, self.page, self.rank)
        whole = (np.bincount(self.page, minlength=pages) == deepest) & ~any_of(self.rank <= 0)
        # Capped, because huge ranks may overflow; a rank beyond the number of rows leaves a gap.
        rank = np.minimum(self.rank, len(self.rank) + 1)
        ranks = int(rank.max()) + 1
        places = np.sort(self.page * ranks + rank)
        taken = places[np.diff(places, prepend=-1) > 0] // ranks
        whole &= np.bincount(taken, minlength=pages) == deepest
        reasons = {
            "of unknown pages": any_of(~self.asked),
            "without a text": any_of(self.text < 0),
            "without impressions": ~shown & ~whole,
            "without positions": any_of(self.seen & (self.rank <= 0)),
        }
        counts: dict[str, int] = {}
        out = np.zeros(pages, dtype=bool)
        for reason, of in reasons.items():
            counts[reason] = int(np.sum(of & ~out))
            out |= of
        return counts, ~out[self.page] & (self.rank > 0)

    def shown(self, kept: Bools, normalise: Callable[[str], str]) -> ResultLists:
        queries: dict[str, int] = {}
        number = np.array(
            [queries.setdefault(normalise(text), len(queries)) for text in self.texts],
            dtype=np.int64,
        )
        query, doc = number[self.text[kept]], self.doc[kept]
        both, pair = np.unique(query * len(self.docs) + doc, return_inverse=True)
        pairs = Pairs(
            tuple(queries), tuple(self.docs), both // len(self.docs), both % len(self.docs)
        )
        page = self.page[kept]
        user = None
        if (self.user >= 0).any():
            user = np.full(int(page.max()) + 1, -1, dtype=np.int64)
            user[page] = self.user[kept]
        return ResultLists.from_rows(
            pairs,
            list=page,
            rank=self.rank[kept],
            pair=pair,
            clicked=self.clicked[kept],
            user=user,
        )


def _count_distinct(numbers: Ints) -> int:
    """Return how many different numbers there are, all of them small and at least 0."""
    return int(np.count_nonzero(np.bincount(numbers)))


def _numbered(column: Any) -> tuple[Ints, Any]:
    """Return a column of texts as indices into the sorted texts, and these."""
    import pyarrow.compute as pc

    # Large strings, because the texts of a long log do not fit into one array of small ones.
    coded = column.cast("large_string").combine_chunks().dictionary_encode()
    order = pc.array_sort_indices(coded.dictionary)
    place = np.full(len(order) + 1, -1, dtype=np.int64)  # the last one is that of null, -1
    place[order.to_numpy()] = np.arange(len(order))
    codes = pc.fill_null(coded.indices, -1).to_numpy()
    return place[codes], coded.dictionary.take(order)


def _whole(column: Any) -> Ints:
    import pyarrow.compute as pc

    found: Ints = pc.fill_null(column.cast("int64"), 0).to_numpy().astype(np.int64)
    return found


def _gaps(shown: ResultLists) -> int:
    """Count the lists that lack a rank between two results."""
    found = np.zeros(shown.lists, dtype=bool)
    for place, following in zip(shown.places[:-1], shown.places[1:], strict=True):
        lists = following.lists
        found[lists] |= following.rank > place.rank[lists] + 1
    return int(found.sum())
