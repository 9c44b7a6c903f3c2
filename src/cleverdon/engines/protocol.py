"""The engine interface: search, index, and the failures of a search.

In Python any function `search(query, k)` that returns `[(doc_id, score), ...]` will do, or bare
ids, or dicts with id and score; sync or async, or an object with such a method: `as_engine`
(adapters/python.py) makes an `Engine` of it.
Searches change nothing, so asking again is safe; it helps only after failures that may
pass. No asyncio here: the command line imports this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from operator import index
from typing import Any, Self

from cleverdon.errors import CleverdonError, OptionError, check_word
from cleverdon.formats.columns import field_position

Results = list[tuple[str, float]]  # documents and their scores, the best first
FIELDS = {
    "title": "the title, or the text where a query has no title",
    "text": "the text (TREC's description and narrative), or the title where there is none",
    "both": "title and text",
}
"""The parts of a query that can be asked."""

SCORES = {
    "engine": "those of the engine",
    "rank": "falling by rank, so that the engine's own order is what is evaluated",
}
"""The kinds of scores that a run can have."""


def is_id(text: str) -> bool:
    """Tell whether a text can be a document's id: not empty, and without lone surrogates."""
    try:
        return bool(text) and (text.isascii() or bool(text.encode()))
    except UnicodeEncodeError:
        return False


@dataclass(frozen=True)
class Document:
    """A document to index."""

    id: str
    title: str
    text: str

    @property
    def bytes(self) -> int:
        return len(self.title.encode()) + len(self.text.encode())


class Engine(ABC):
    """A search engine under test. Opened with `async with`, which may open connections."""

    name: str = "engine"

    in_process: bool = False
    """True if it works in this process, so that its processor time is also ours."""

    identity: str = ""
    """Distinguishes it from engines with the same settings; may be secret.

    No result contains it. The journal of a search keeps its digest.
    """

    in_batches: bool = False
    """True if `search_all` answers many queries for little more than the cost of one."""

    @abstractmethod
    async def search(self, query: str, k: int) -> Results:
        """Return the first k results; raise a `SearchFailure` without an answer."""

    async def search_all(self, queries: Mapping[str, str], k: int) -> dict[str, Results]:
        """Return the first k results of every query; a `SearchFailure` is one of all queries."""
        return {id: await self.search(query, k) for id, query in queries.items()}

    def set_concurrency(self, queries: int) -> int:
        """Prepare for so many queries in flight; return how many it can work on at once."""
        return queries

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        return None

    def index(self, documents: Iterable[Document]) -> None:
        """Build the index anew, out of these documents; the engine need not be opened for it."""
        raise OptionError(f"{self.name} cannot index: this engine cannot take documents")

    def size(self) -> int | None:
        """Return the size of the index in bytes; None if it is unknown."""
        return None

    @property
    def place(self) -> str | None:
        """The file or folder of this machine that `index` makes; None where it makes none."""
        return None

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings that results show: never a password, a token or a header's value."""
        return {}


FAILURE_KINDS = {
    "connection": "no connection, or one that was lost",
    "timeout": "no answer within the time that was given",
    "overloaded": "the engine is overloaded (429, 503)",
    "server": "the engine failed (5xx, or an error of its own)",
    "refused": "the engine refused the query (4xx)",
    "malformed": "an answer that cannot be read, such as invalid JSON",
    "missing": "an answer without the field in which results were expected",
}
"""The kinds of failures, and what each means."""

_RETRYABLE = frozenset({"connection", "timeout", "overloaded", "server"})
"""Those after which another try may succeed."""


class SearchFailure(CleverdonError):
    """A query without an answer."""

    def __init__(self, kind: str, message: str, *, retry_after: float | None = None) -> None:
        check_word("kind", kind, FAILURE_KINDS)
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.retry_after = retry_after  # seconds after which the engine asked to be asked again

    @property
    def retryable(self) -> bool:
        return self.kind in _RETRYABLE


def to_failure(error: BaseException) -> SearchFailure:
    """Turn an error of an engine into a failure; a failure stays the same."""
    if isinstance(error, SearchFailure):
        return error
    text = " ".join(str(error).split())
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return SearchFailure("server", said)


def _id_and_number(row: Any) -> tuple[str, Any, Any]:
    """Return what the number of a result is (score, rank or none), its id and that number."""
    if isinstance(row, Mapping):
        names = [str(name) for name in row]
        doc = field_position(names, "document")
        if not isinstance(doc, int):
            raise TypeError
        cells = list(row.values())
        for role in ("score", "rank"):
            place = field_position(names, role)
            if isinstance(place, int) and cells[place] is not None:
                return role, cells[doc], cells[place]
        return "", cells[doc], None
    if isinstance(row, str) or hasattr(row, "__index__"):
        return "", row, None
    doc_id, score = row
    return ("", doc_id, None) if score is None else ("score", doc_id, score)


def check_results(found: Any, k: int) -> Results:
    """Return results in their proper form; raise a `SearchFailure` for anything else.

    Results are pairs of id and score, dicts such as `{"id": "d1", "score": 0.5}`, or bare ids in
    their order, whose scores are then the negatives of their ranks. Dicts may have ranks in place
    of scores.
    """
    if isinstance(found, dict):
        found = found.items()
    if not isinstance(found, Iterable) or isinstance(found, (str, bytes, set, frozenset)):
        raise SearchFailure("malformed", f"expected [(doc_id, score), ...], found {found!r:.80}")
    results: Results = []
    first: tuple[str, Any] | None = None
    for place, row in enumerate(found, start=1):
        try:
            role, given, number = _id_and_number(row)
            first = first or (role, row)
            if role != first[0]:
                other = row if not role or first[0] == "score" else first[1]
                what = "ranks" if {role, first[0]} == {"", "rank"} else "scores"
                message = f"some results have {what}, and {other!r:.60} has none"
                raise SearchFailure("malformed", message)
            # The id of any other object is unknown: its text would not be an id.
            doc = given if isinstance(given, str) else str(index(given))
            score = -float(place) if not role else float(number)
        except (TypeError, ValueError):
            raise SearchFailure(
                "malformed",
                "expected (doc_id, score), a text or whole number and a number; a dict with id and "
                f"score; or an id; found {row!r:.80}",
            ) from None
        if not isfinite(score):
            raise SearchFailure("malformed", f"the score of {doc!r} is {number}, and no number")
        if not is_id(doc):
            raise SearchFailure("malformed", f"{doc!r} is not the id of a document")
        results.append((doc, -score if role == "rank" else score))
        if len(results) == k and role != "rank":
            break
    if first is not None and first[0] == "rank":
        results.sort(key=lambda result: -result[1])
    return results[:k]
