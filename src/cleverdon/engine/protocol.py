"""What a search engine under test offers: documents with scores for a query, and perhaps an index.

In Python any function `search(query, k)` that returns `[(doc_id, score), ...]` will do, sync or
async, or an object that has such a method: `as_engine` makes an `Engine` of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from cleverdon.errors import OptionError

Results = list[tuple[str, float]]
"""Documents and their scores, the best first."""


def is_id(text: str) -> bool:
    """Whether it can be a document's: not empty, and without halves of characters, as JSON has."""
    try:
        return bool(text) and (text.isascii() or bool(text.encode()))
    except UnicodeEncodeError:
        return False


@dataclass(frozen=True)
class Document:
    """What is indexed."""

    id: str
    title: str
    text: str

    @property
    def bytes(self) -> int:
        """How much text it is, in UTF-8."""
        return len(self.title.encode()) + len(self.text.encode())


class Engine(ABC):
    """A search engine under test. Opened with `async with`, which may open connections."""

    name: str = "engine"

    in_process: bool = False
    """Whether it works in this very process, so that the time it takes is ours as well."""

    unsaid: str = ""
    """What tells it from others of the same settings, and may be secret.

    No result has it. Of a search that goes on after a stop, the journal has its digest.
    """

    in_batches: bool = False
    """Whether `search_all` takes many queries at once, for little more than one of them costs."""

    @abstractmethod
    async def search(self, query: str, k: int) -> Results:
        """The first k results; raises a `SearchFailure` where there is no answer."""

    async def search_all(self, topics: Mapping[str, str], k: int) -> dict[str, Results]:
        """The first k results of every topic; a `SearchFailure` is one of all topics."""
        return {topic: await self.search(query, k) for topic, query in topics.items()}

    def make_room(self, at_once: int) -> int:
        """Be told, before it is opened, how many questions there will be at once.

        How many of them it can work on is returned: the others would only wait in line.
        """
        return at_once

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        return None

    def index(self, documents: Iterable[Document]) -> None:
        """Build the index anew, out of these documents; the engine need not be opened for it."""
        raise OptionError(f"{self.name} cannot index: this engine has no way to take documents")

    def size(self) -> int | None:
        """How many bytes the index takes up; None where that cannot be known."""
        return None

    @property
    def place(self) -> str | None:
        """The file or folder of this machine that `index` makes; None where it makes none."""
        return None

    @property
    def settings(self) -> Mapping[str, Any]:
        """What results say of the engine: never a password, a token or a header's value."""
        return {}
