"""Items as an assessor sees them: the document, and the assessor's own judgment.

Excerpts mark query terms and fold long text around them. The beginning and the surroundings of
query terms are in view, the rest is folded, and more than a maximum is left out, with the number of
missing characters. Terms match by their stems, without regard to case and accents.

No system, rank, score, stratum, gold grade or other person's judgment is read here, so none can be
shown.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, islice, pairwise
from operator import itemgetter
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import BindParameter, Connection, Row, Select, bindparam, func, select

from cleverdon.judging.errors import NotFound
from cleverdon.judging.record_fields import INTERNAL
from cleverdon.judging.recording import Judgment, history_of
from cleverdon.judging.store.schema import (
    NAMED_ITEMS,
    assignments,
    documents,
    events,
    items,
    judgments,
    queries,
)
from cleverdon.judging.workload import ME, NOT_ASSIGNED, assigned_item, is_assigned

_LONGEST = 64  # characters by which words are compared: a line of ten megabytes may be one word
_LONGEST_QUERY = 10_000  # characters that are searched for: a query may be a whole document
_MOST_WORDS = 100  # of a query that are searched for
_MOST_KNOWN = 20_000  # words that are cached: a text repeats the same few words
_ENDINGS = ("ingly", "edly", "ings", "ies", "ing", "ed", "es", "ly", "s", "e", "y")
_SHORTEST_STEM = 3
_LONGEST_ENDING = 4  # after a query's stem: watering matches water, waterproofing does not
_LITTLE_WORDS = (
    "a about all an and any are as at be but by can could did do does for from had has have how i "
    "if in into is it its me my no not of on or our should so some than that the their them then "
    "there these they this those to us was we were what when where which who why will with would "
    "you your"
)
_STOP_WORDS = frozenset(_LITTLE_WORDS.split())
# Scripts that put no spaces between words: runs of one script are compared as they are.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u30a0-\u30ff"
_UNSPACED = re.compile(f"[{_HAN}]+|[{_KANA}]+")
# A letter, and all that follows until a space or punctuation, so that combining marks belong to
# words in all scripts.
_WORD = re.compile("[^\\W_](?:[^\\s!-/:-@\\[-`{-~\\u00a0-\\u00bf\\u2000-\\u206f\\u3000-\\u303f])*")
# Plain English needs no look at every word: a regular expression finds those that may match.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x7f]")
_NOTHING = re.compile("(?!)")


class _QueryTerms:
    """The words of a query, prepared for search."""

    def __init__(self, query: str) -> None:
        words = [found.group() for found in _WORD.finditer(query[:_LONGEST_QUERY])]
        told = [word for word in words if _folded(word) not in _STOP_WORDS]
        wanted = (told or words)[:_MOST_WORDS]
        self._stems = frozenset(_stem(word) for word in wanted if not _UNSPACED.search(word))
        runs = {run for word in wanted for run in _UNSPACED.findall(word)}
        unspaced = sorted(runs, key=lambda run: (-len(run), run))
        self._unspaced = re.compile("|".join(map(re.escape, unspaced))) if unspaced else None
        self._known: dict[str, bool] = {}
        beginnings = "|".join(re.escape(stem) for stem in self._stems if stem.isascii())
        self._plain = (
            re.compile(f"(?<![a-z0-9])(?:{beginnings})[a-z0-9]*", re.ASCII | re.IGNORECASE)
            if beginnings
            else _NOTHING
        )

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Return the places of the words in a text, in order and without overlap."""
        is_plain = text.isascii() and not _CONTROL.search(text)
        for found in (self._plain if is_plain else _WORD).finditer(text):
            word = found.group()[:_LONGEST]
            if not is_plain and self._unspaced is not None and _UNSPACED.search(word):
                yield from (run.span() for run in self._unspaced.finditer(text, *found.span()))
            elif self._is_term(word):
                yield found.span()

    def _is_term(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            known = self._known[word] = self._matches(word)
        return known

    def _matches(self, word: str) -> bool:
        if _stem(word) in self._stems:
            return True
        # The stems that it may begin with are looked up: a query may have many words.
        folded = _folded(word)
        shortest = max(len(folded) - _LONGEST_ENDING, _SHORTEST_STEM + 1)
        return any(folded[:end] in self._stems for end in range(shortest, len(folded) + 1))


@lru_cache(maxsize=64)
def _query_terms(query: str) -> _QueryTerms:
    """Return the words of a query; cached, since assessors see many documents of one query."""
    return _QueryTerms(query)


def _folded(word: str) -> str:
    """Remove case and accents; the vowel signs of other scripts stay."""
    parts = unicodedata.normalize("NFKD", word[:_LONGEST].casefold())
    return "".join(one for one in parts if not "\u0300" <= one <= "\u036f")


def _stem(word: str) -> str:
    """Cut the usual English endings off a word.

    >>> [_stem(word) for word in ("Flows", "flowing", "cities", "City", "Été")]
    ['flow', 'flow', 'cit', 'cit', 'ete']
    """
    folded = _folded(word)
    if not folded.isascii():
        return folded
    for ending in _ENDINGS:
        if folded.endswith(ending) and len(folded) - len(ending) >= _SHORTEST_STEM:
            return folded.removesuffix(ending)
    return folded


SEARCHED = 200_000  # characters of a document that are searched for the query's terms
_WHOLE = 3_000  # a text up to this long is shown whole
_BEGINNING = 1_200  # characters in view at the beginning
_AROUND = 240  # characters in view on either side of a term
_OPENING = 400  # characters that a list shows
_WORTH_FOLDING = 400  # fewer characters are not folded: the fold would take as much room
_IN_VIEW = 12_000  # the most characters in view
_WITH_FOLDS = 60_000  # the most characters in view and folded
_MOST_MARKS = 5_000
_SNAP = 80  # characters by which a cut may move, to fall between words

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")

_Span = tuple[int, int]
_Kind = Literal["text", "fold", "gap"]


@dataclass(frozen=True)
class Piece:
    """Some characters, which are a term of the query or not."""

    text: str
    marked: bool


@dataclass(frozen=True)
class Part:
    """A stretch of the text: in view, folded, or left out."""

    kind: _Kind
    """text is shown, fold is folded (it has no query terms), gap is left out."""
    characters: int
    """The number of characters that it covers."""
    text: str
    """The text; empty for a gap."""
    marks: tuple[_Span, ...] = ()
    """Start and end of each query term in `text`."""

    @property
    def pieces(self) -> list[Piece]:
        """The text, split at its terms."""
        return self._pieces(0, len(self.text))

    @property
    def paragraphs(self) -> list[list[Piece]]:
        """The text, split at blank lines and at its terms."""
        blank = [found.span() for found in _BLANK_LINES.finditer(self.text)]
        bounds = [0, *chain.from_iterable(blank), len(self.text)]
        spans = zip(bounds[::2], bounds[1::2], strict=True)
        return [self._pieces(*span) for span in spans if self.text[slice(*span)].strip()]

    def _pieces(self, start: int, end: int) -> list[Piece]:
        bounds = [start, *chain.from_iterable(_within(self.marks, start, end)), end]
        pieces = (
            Piece(self.text[a:b], marked=place % 2 == 1)
            for place, (a, b) in enumerate(pairwise(bounds))
        )
        return [piece for piece in pieces if piece.text]


@dataclass(frozen=True)
class Excerpt:
    """A text as it is shown."""

    parts: tuple[Part, ...]
    length: int
    searched: int  # characters, from the beginning, that were looked through for the query's terms

    @property
    def left_out(self) -> int:
        """The number of characters that are in no part."""
        return sum(part.characters for part in self.parts if part.kind == "gap")

    @property
    def opening(self) -> Part:
        """The first few lines, for a list."""
        text = self.parts[0].text[:_OPENING] if self.parts else ""
        return _part("text", text, 0, len(text), self.parts[0].marks if self.parts else ())


def excerpt(text: str, query: str, *, length: int | None = None) -> Excerpt:
    """Return a text with the terms of a query in view.

    `length` is that of the whole text, where only its beginning is given.

    >>> [(part.kind, part.text) for part in excerpt("still water", "waters").parts]
    [('text', 'still water')]
    """
    length = len(text) if length is None else length
    text = text[:SEARCHED]
    marks = list(islice(_query_terms(query).spans(text), _MOST_MARKS))
    searched = len(text) if len(marks) < _MOST_MARKS else marks[-1][1]
    views = [(0, length)] if length <= _WHOLE else _views(text, marks)
    return Excerpt(tuple(_parts(text, views, marks, length)), length, searched)


def _mark_terms(text: str, query: str) -> Part:
    """Mark the terms in a page of a text, or in a title; all of it is in view."""
    marks = tuple(islice(_query_terms(query).spans(text), _MOST_MARKS))
    return Part("text", len(text), text, marks)


def _views(text: str, marks: Sequence[_Span]) -> list[_Span]:
    """Return the stretches in view: the beginning, and terms with their surroundings."""
    views = [(0, _cut(text, _BEGINNING))]
    room = _IN_VIEW - views[0][1]
    for start, end in marks:
        end = min(end, start + _AROUND)  # a word may be a megabyte
        if end <= views[-1][1]:
            continue
        wanted = _cut(text, max(start - _AROUND, 0)), _cut(text, end + _AROUND)
        if wanted[0] - views[-1][1] < _WORTH_FOLDING:
            last = views.pop()
            room += last[1] - last[0]
            wanted = last[0], wanted[1]
        room -= wanted[1] - wanted[0]
        views.append(wanted)
        if room <= 0:
            break
    if len(text) - views[-1][1] < _WORTH_FOLDING:
        views[-1] = views[-1][0], len(text)
    return views


def _parts(
    text: str, views: Sequence[_Span], marks: Sequence[_Span], length: int
) -> Iterator[Part]:
    """Yield the parts in order: stretches in view, and folds between them while there is room."""
    room = _WITH_FOLDS - sum(end - start for start, end in views)
    at = 0
    for start, end in [*views, (length, length)]:
        folded = min(start, len(text), at + max(room, 0))
        if folded < start:
            folded = _cut(text, folded) if folded > at else at
        if at < folded:
            yield _part("fold", text, at, folded, marks)
            room -= folded - at
        if folded < start:
            yield Part("gap", start - folded, "")
        if start < end:
            yield _part("text", text, start, end, marks)
        at = end


def _part(kind: _Kind, text: str, start: int, end: int, marks: Sequence[_Span]) -> Part:
    inside = ((a - start, b - start) for a, b in _within(marks, start, end))
    return Part(kind, end - start, text[start:end], tuple(inside))


def _within(marks: Sequence[_Span], start: int, end: int) -> list[_Span]:
    """Return the marks within a stretch; both lists are sorted and may be long."""
    first = bisect_right(marks, start, key=itemgetter(1))
    last = bisect_left(marks, end, key=itemgetter(0))
    return [(max(a, start), min(b, end)) for a, b in marks[first:last]]


def _cut(text: str, place: int) -> int:
    """Return the nearest place before this one that is between words, if one is near."""
    if place >= len(text):
        return len(text)
    for near in range(place, max(place - _SNAP, 0), -1):
        if text[near - 1].isspace():
            return near
    return place


JudgmentFilter = Literal["judged", "skipped", "flagged"]

_TEXT_PAGE = 40_000  # characters of a page of a document's whole text
_LAST_CHARACTER = 2**31 - 2  # PostgreSQL counts no further, and no text is as long
_TIMED = 99  # the last judgments, by which a person's pace is estimated


@dataclass(frozen=True)
class ItemView:
    """A document as it is shown for a query."""

    item: int
    query: str
    document: str
    title: str
    heading: list[Piece]  # the title with the query's terms marked, or the document's id
    url: str
    excerpt: Excerpt
    judgment: Judgment
    event: int | None = None  # the last one of the person
    history: tuple[Row[Any], ...] = ()

    @property
    def link(self) -> str:
        """The document's address, if a page may link to it."""
        return safe_link(self.url)


@dataclass(frozen=True)
class OwnJudgment:
    """One's own judgment of an item, in a list."""

    item: int
    query: str
    document: str
    title: str
    judgment: Annotated[Judgment, Field(serialization_alias="standing")]
    event: int
    made_at: float
    """Seconds since 1970."""


@dataclass(frozen=True)
class TextPage:
    """A page of a document's whole text."""

    query: str
    title: str
    """The title of the document, or its id."""
    heading: Annotated[list[Piece], INTERNAL]
    page: int
    pages: int
    part: Part


_WHICH = {
    "judged": judgments.c.grade.is_not(None),
    "skipped": judgments.c.skipped.is_not(None),
    "flagged": judgments.c.flagged,
}


def load_views(connection: Connection, person: int, wanted: Sequence[int]) -> list[ItemView]:
    """Return these items in this order, as far as they are assigned to the person."""
    if not wanted:
        return []
    rows = connection.execute(_SHOWN, {"me": person, "wanted": list(wanted)}).all()
    history = _histories(connection, person, [row.id for row in rows if row.event_id is not None])
    found = {row.id: _view(row, history.get(row.id, ())) for row in rows}
    return [found[item] for item in wanted if item in found]


def load_view(connection: Connection, person: int, item: int) -> ItemView:
    found = load_views(connection, person, [item])
    if not found:
        raise NotFound(NOT_ASSIGNED)
    return found[0]


def own_judgments(
    connection: Connection,
    person: int,
    *,
    query: int | None = None,
    which: JudgmentFilter | None = None,
    before: int | None = None,
    n: int,
) -> list[OwnJudgment]:
    """Return a person's own judgments, the newest first, before the event `before`."""
    wanted = _own(person).where(judgments.c.item_id.is_not(None))
    if which is not None:
        wanted = wanted.where(_WHICH[which])
    if query is not None:
        wanted = wanted.where(items.c.query_id == query)
    if before is not None:
        wanted = wanted.where(judgments.c.event_id < before)
    rows = connection.execute(wanted.order_by(judgments.c.event_id.desc()).limit(n))
    return [
        OwnJudgment(
            row.id, row.query, row.document, row.title, _judgment(row), row.event_id, row.made_at
        )
        for row in rows
    ]


def safe_link(url: str) -> str:
    """Return a document's address, if a page may link to it; else nothing."""
    return url if url.partition(":")[0].casefold() in ("http", "https") else ""


def text_page(connection: Connection, person: int, item: int, number: int) -> TextPage:
    """Return a page of the whole text of an assigned document."""
    assigned_item(connection, person, item)
    return unrestricted_text_page(connection, item, number)


def unrestricted_text_page(connection: Connection, item: int, number: int) -> TextPage:
    """Return a page of any document's whole text, from 1; an empty text has one page."""
    start = min((number - 1) * _TEXT_PAGE, _LAST_CHARACTER)
    row = connection.execute(
        select(
            queries.c.name.label("query"),
            queries.c.title.label("query_title"),
            documents.c.name.label("document"),
            documents.c.title,
            func.substr(documents.c.text, start + 1, _TEXT_PAGE).label("text"),
            func.length(documents.c.text).label("length"),
        )
        .select_from(NAMED_ITEMS)
        .where(items.c.id == item)
    ).first()
    pages = 0 if row is None else max(-(-row.length // _TEXT_PAGE), 1)
    if row is None or not 1 <= number <= pages:
        raise NotFound(f"there is no page {number} of a document {item}")
    title = row.title or row.document
    heading = heading_of(row.title, row.document, row.query_title)
    part = _mark_terms(row.text, row.query_title)
    return TextPage(row.query, title, heading, number, pages, part)


def recent_seconds(connection: Connection, person: int, query: int) -> list[float]:
    """Return the seconds that a person's last judgments of a query took, the newest first."""
    timed = connection.execute(
        select(events.c.seconds)
        .join(items, items.c.id == events.c.item_id)
        .where(
            events.c.person_id == person,
            items.c.query_id == query,
            events.c.kind.in_(("grade", "skip")),
            events.c.seconds.is_not(None),
        )
        .order_by(events.c.id.desc())
        .limit(_TIMED)
    )
    return list(timed.scalars())


def own_history(connection: Connection, person: int, item: int) -> Sequence[Row[Any]]:
    """Return a person's own events of an item, the first one first."""
    assigned_item(connection, person, item)
    return history_of(connection, person, item)


def _own(person: int | BindParameter[int], *more: Any) -> Select[Any]:
    """Select the items that are assigned to a person, each with the person's judgment."""
    return select(
        items.c.id,
        queries.c.name.label("query"),
        documents.c.name.label("document"),
        documents.c.title,
        judgments.c.event_id,
        judgments.c.grade,
        judgments.c.skipped,
        judgments.c.note,
        judgments.c.flagged,
        judgments.c.made_at,
        *more,
    ).select_from(
        NAMED_ITEMS.join(assignments, is_assigned(person)).outerjoin(
            judgments, (judgments.c.item_id == items.c.id) & (judgments.c.person_id == person)
        )
    )


_SHOWN = _own(
    ME,
    queries.c.title.label("query_title"),
    documents.c.url,
    func.substr(documents.c.text, 1, SEARCHED).label("text"),
    func.length(documents.c.text).label("length"),
).where(items.c.id.in_(bindparam("wanted", expanding=True)))


def _judgment(row: Row[Any]) -> Judgment:
    return Judgment(row.grade, row.skipped, row.note or "", bool(row.flagged))


def _histories(
    connection: Connection, person: int, wanted: Sequence[int]
) -> dict[int, tuple[Row[Any], ...]]:
    if not wanted:
        return {}
    rows = connection.execute(
        select(events)
        .where(events.c.item_id.in_(wanted), events.c.person_id == person)
        .order_by(events.c.item_id, events.c.id)
    ).all()
    return {
        item: tuple(history) for item, history in groupby(rows, key=lambda row: int(row.item_id))
    }


def _view(row: Row[Any], history: tuple[Row[Any], ...]) -> ItemView:
    return ItemView(
        item=row.id,
        query=row.query,
        document=row.document,
        title=row.title,
        heading=heading_of(row.title, row.document, row.query_title),
        url=row.url,
        excerpt=excerpt(row.text, row.query_title, length=row.length),
        judgment=_judgment(row),
        event=row.event_id,
        history=history,
    )


def heading_of(title: str, document: str, query: str) -> list[Piece]:
    """Return a document's title with the query's terms marked; where it has none, its id."""
    return _mark_terms(title, query).pieces if title else [Piece(document, marked=False)]
