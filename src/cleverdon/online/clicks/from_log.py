"""Result lists out of a log: what was shown on each page, and which of it was clicked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.errors import InputError, OptionError
from cleverdon.online.clicks.lists import Pairs, Shown
from cleverdon.online.log import Log, with_actors
from cleverdon.online.texts import folded


@dataclass(frozen=True)
class Usage:
    """How many of a log's result pages click models can use, and why not the others."""

    pages: int
    used: int
    without_events: int
    """Neither an impression nor a click names the page."""
    without_text: int
    """The query's text is not known."""
    without_position: int
    """Some result was shown, and nobody knows where."""
    without_impressions: int
    """There are clicks, and what stood above them is not known."""
    too_deep: int
    """Every result is below the depth that was asked for."""
    with_gaps: int
    """Used, though between two results a rank is missing: it is passed over."""
    clicks_lost: int
    """Clicks of pages in use whose document was not among those shown, nor its position known."""


def lists_of(
    log: Log, *, normalise: Callable[[str], str] = folded, depth: int | None = None
) -> tuple[Shown, Usage]:
    """The result lists of a log, and how many of its pages they are.

    Texts that `normalise` makes equal are one query. A click belongs to the page whose query id it
    has, and to the document that it names, or else to the one shown at its position. A page with
    clicks but no impressions is used only where every result down to the last click was clicked:
    otherwise it is not known what was passed over. Results below rank `depth` are left out.
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
    usable = len(np.unique(rows.page[kept]))
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
        without_events=pages - len(np.unique(rows.page)) + why["of unknown pages"],
        without_text=why["without a text"],
        without_position=why["without positions"],
        without_impressions=why["without impressions"],
        too_deep=usable - shown.lists,
        with_gaps=_gaps(shown),
        clicks_lost=int(np.sum(rows.lost & np.isin(rows.page, rows.page[kept]))),
    )


def _rows(log: Log) -> Any:
    """A row for each document of each page: whether and where it was shown, and clicked."""
    events = log.events.filter(
        log.events.action.isin(["impression", "click"]) & log.events.query_id.notnull()
    )
    columns = ("query_id", "action", "doc", "position")
    named = events.filter(events.doc.notnull()).select(*columns)
    # A click that names no document is on the one that was shown at its position.
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
    """The same as arrays; texts are numbers into lists of them, and -1 is null."""

    page: Ints
    doc: Ints
    docs: list[str]
    rank: Ints
    """0 where it is not known."""
    seen: Bools
    """Whether it was shown, as an impression says."""
    clicked: Bools
    asked: Bools
    """Whether the page is one of the log's queries."""
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
        """Clicks on what was not shown, nobody knows where."""
        return ~self.seen & (self.rank <= 0)

    def usable(self) -> tuple[dict[str, int], Bools]:
        """How many pages cannot be used, by the first reason there is; and the rows that can."""
        pages = int(self.page.max()) + 1

        def any_of(rows: Bools) -> Bools:
            found = np.zeros(pages, dtype=bool)
            found[self.page[rows]] = True
            return found

        shown = any_of(self.seen)
        # Without impressions all is known only where clicks fill every rank down to the last.
        deepest = np.zeros(pages, dtype=np.int64)
        np.maximum.at(deepest, self.page, self.rank)
        whole = (np.bincount(self.page, minlength=pages) == deepest) & ~any_of(self.rank <= 0)
        # A rank beyond the number of rows leaves gaps in any case; as it is, it may overflow.
        rank = np.minimum(self.rank, len(self.rank) + 1)
        ranks = int(rank.max()) + 1
        taken = np.unique(self.page * ranks + rank) // ranks
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

    def shown(self, kept: Bools, normalise: Callable[[str], str]) -> Shown:
        """The result lists that these rows make."""
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
        return Shown.from_rows(
            pairs,
            list=page,
            rank=self.rank[kept],
            pair=pair,
            clicked=self.clicked[kept],
            user=user,
        )


def _numbered(column: Any) -> tuple[Ints, Any]:
    """A column of texts as numbers in the order of the texts, so that engines agree; and these."""
    import pyarrow.compute as pc

    # Large strings, since those of a long log do not fit into one array of small ones.
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


def _gaps(shown: Shown) -> int:
    """How many lists pass over a rank between two of their results."""
    found = np.zeros(shown.lists, dtype=bool)
    for place, following in zip(shown.places[:-1], shown.places[1:], strict=True):
        lists = following.lists
        found[lists] |= following.rank > place.rank[lists] + 1
    return int(found.sum())
