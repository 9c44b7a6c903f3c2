"""How topics are put to an engine: what every way to search has in common."""

from __future__ import annotations

from dataclasses import dataclass

from cleverdon.engine.asking import Patience
from cleverdon.engine.ordering import SCORES
from cleverdon.errors import check_count, check_word

K = 100
CONCURRENCY = 8
PATIENCE = Patience()


@dataclass(frozen=True)
class SearchOptions:
    """What `search` explains; `field` is checked by what reads topics."""

    k: int = K
    concurrency: int = CONCURRENCY
    patience: Patience = PATIENCE
    scores: str = "engine"
    field: str = "title"

    def __post_init__(self) -> None:
        check_word("scores", self.scores, SCORES)
        # Numbers of numpy are whole as well, and no JSON.
        object.__setattr__(self, "k", check_count("k", self.k))
        object.__setattr__(self, "concurrency", check_count("concurrency", self.concurrency))
