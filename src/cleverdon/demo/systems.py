"""Four search systems on SQLite's full-text index, different enough to be worth comparing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cleverdon.demo.documents import Document
from cleverdon.demo.topics import Topic
from cleverdon.demo.words import FUNCTION_WORDS, name_words

if TYPE_CHECKING:
    from cleverdon.data import Run
    from cleverdon.engine.protocol import Document as Indexed

DEPTH = 100


@dataclass(frozen=True)
class System:
    """A way to search: how words are cut, how terms combine, and what a name counts."""

    name: str
    description: str
    tokenizer: Literal["unicode61", "porter unicode61"] = "unicode61"
    operator: Literal["or", "and"] = "or"
    ignored: frozenset[str] = frozenset()
    name_weight: float = 1.0

    def index(self, folder: Path) -> Path:
        """Where its index is, of those in a folder."""
        return folder / f"{self.name}.db"

    def engine(self, folder: Path) -> dict[str, Any]:
        """The engine that it is, as a configuration."""
        return {
            "kind": "sqlite",
            "name": self.name,
            "file": str(self.index(folder)),
            "tokenizer": self.tokenizer,
            "operator": self.operator,
            "ignored": sorted(self.ignored),
            "weights": {"title": self.name_weight},
        }


SYSTEMS = (
    System("bm25", "BM25 over name, path and text, words as they stand"),
    System("bm25-porter", "BM25 over Porter stems", tokenizer="porter unicode61"),
    System("name-weighted", "BM25 where a match in the name counts five times", name_weight=5.0),
    # How catalogues searched before ranking, made as kind as it can be: stems, no function words
    # (hardly any text has them all), and the matches in BM25 order. Most sentences still find
    # nothing, and an empty result is a result that an evaluation has to count.
    System(
        "boolean-and",
        "every content word must occur, as a Porter stem; the matches ordered by BM25",
        tokenizer="porter unicode61",
        operator="and",
        ignored=FUNCTION_WORDS,
    ),
)


def indexed(documents: Iterable[Document]) -> tuple[Indexed, ...]:
    """What is indexed: everything about a document but its summary, the name as its title."""
    from cleverdon.engine.protocol import Document as Indexed

    return tuple(
        Indexed(
            id=document.id,
            title=_with_parts(document.name),
            text=f"{_with_parts(document.owner)}\n{document.body}",
        )
        for document in documents
    )


def search(system: System, folder: Path, topics: Iterable[Topic], *, depth: int = DEPTH) -> Run:
    """Put every topic to a system, whose index is in the folder."""
    from cleverdon.engine.searching import search as put

    return put(system.engine(folder), {topic.id: topic.text for topic in topics}, k=depth)


def _with_parts(name: str) -> str:
    """A name, and its words where the tokenizer would not find them: it splits no CamelCase."""
    parts = name_words(name)
    found_anyway = parts == name.replace("_", " ").replace(".", " ").strip()
    return name if found_anyway else f"{name} {parts}"
