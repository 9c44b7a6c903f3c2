"""A document's text as it is shown: query terms marked, and long text folded around them.

However long a text is, what is shown of it is bounded: its beginning and what stands around the
query's terms is in view, the rest is folded, and what would be too much even so is left out, with
the number of characters that are missing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import itemgetter
from typing import Literal

from cleverdon.assess.judging.terms import terms_of

SEARCHED = 200_000
"""Characters of a document that are looked through for the query's terms."""

_WHOLE = 3_000
"""A text up to this long is shown whole."""

_BEGINNING = 1_200
_AROUND = 240
"""Characters in view at the beginning, and on either side of a term."""

_OPENING = 400
"""Characters that a list shows."""

_WORTH_FOLDING = 400
"""Fewer characters than this are not folded away: the fold would take as much room."""

_IN_VIEW = 12_000
_WITH_FOLDS = 60_000
"""Characters that are shown at most: in view, and together with what is folded."""

_MOST_MARKS = 5_000
_SNAP = 80
"""Characters by which a cut may move, to fall between words."""

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")

Span = tuple[int, int]
Kind = Literal["text", "fold", "gap"]


@dataclass(frozen=True)
class Piece:
    """Some characters, which are a term of the query or not."""

    text: str
    marked: bool


@dataclass(frozen=True)
class Part:
    """A stretch of the text: in view, folded, or left out."""

    kind: Kind
    start: int
    end: int
    text: str  # empty where it is left out
    marks: tuple[Span, ...] = ()  # within `text`

    @property
    def characters(self) -> int:
        """How many it stands for."""
        return self.end - self.start

    @property
    def pieces(self) -> list[Piece]:
        """The text cut at its terms."""
        return self._pieces(0, len(self.text))

    @property
    def paragraphs(self) -> list[list[Piece]]:
        """The text cut at blank lines, and there at its terms."""
        ends = [found.span() for found in _BLANK_LINES.finditer(self.text)]
        bounds = [0, *(place for span in ends for place in span), len(self.text)]
        spans = [(bounds[at], bounds[at + 1]) for at in range(0, len(bounds), 2)]
        return [self._pieces(*span) for span in spans if self.text[slice(*span)].strip()]

    def _pieces(self, start: int, end: int) -> list[Piece]:
        inside = _within(self.marks, start, end)
        bounds = [start, *(place for span in inside for place in span), end]
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
        """How many characters are in no part."""
        return sum(part.characters for part in self.parts if part.kind == "gap")

    @property
    def opening(self) -> Part:
        """The first few lines, for a list."""
        text = self.parts[0].text[:_OPENING] if self.parts else ""
        return _part("text", text, 0, len(text), self.parts[0].marks if self.parts else ())


def excerpt(text: str, query: str, *, length: int | None = None) -> Excerpt:
    """A text with the terms of a query in view.

    `length` is that of the whole text, where only its beginning is given.

    >>> [(part.kind, part.text) for part in excerpt("still water", "waters").parts]
    [('text', 'still water')]
    """
    length = len(text) if length is None else length
    text = text[:SEARCHED]
    marks = list(islice(terms_of(query).spans(text), _MOST_MARKS))
    searched = len(text) if len(marks) < _MOST_MARKS else marks[-1][1]
    views = [(0, length)] if length <= _WHOLE else _views(text, marks)
    return Excerpt(tuple(_parts(text, views, marks, length)), length, searched)


def marked(text: str, query: str) -> Part:
    """A page of a text, or a title: all of it is in view."""
    marks = tuple(islice(terms_of(query).spans(text), _MOST_MARKS))
    return Part("text", 0, len(text), text, marks)


def _views(text: str, marks: Sequence[Span]) -> list[Span]:
    """What is in view: the beginning, and terms with what is around them, as far as it goes."""
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


def _parts(text: str, views: Sequence[Span], marks: Sequence[Span], length: int) -> Iterator[Part]:
    """The text in order: what is in view, and between it folds, while there is room for them."""
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
            yield Part("gap", folded, start, "")
        if start < end:
            yield _part("text", text, start, end, marks)
        at = end


def _part(kind: Kind, text: str, start: int, end: int, marks: Sequence[Span]) -> Part:
    inside = ((a - start, b - start) for a, b in _within(marks, start, end))
    return Part(kind, start, end, text[start:end], tuple(inside))


def _within(marks: Sequence[Span], start: int, end: int) -> list[Span]:
    """What of the marks, which rise, is in a stretch: a text has many of both."""
    first = bisect_right(marks, start, key=itemgetter(1))
    last = bisect_left(marks, end, key=itemgetter(0))
    return [(max(a, start), min(b, end)) for a, b in marks[first:last]]


def _cut(text: str, place: int) -> int:
    """The nearest place before this one that is between words, if one is near."""
    if place >= len(text):
        return len(text)
    for near in range(place, max(place - _SNAP, 0), -1):
        if text[near - 1].isspace():
            return near
    return place
