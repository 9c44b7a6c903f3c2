"""A search over HTTP: what is sent, and where results are in the answer."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from cleverdon.engine.adapters.jsonpath import Follow
from cleverdon.engine.adapters.templates import Template
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.protocol import Results, is_id

_LARGEST = 2**1000
"""Above this, numbers are no scores, and may be too large for a float."""


@dataclass(frozen=True)
class Request:
    """A search as it is sent, and where results are in the answer."""

    url: Template
    ids: Follow
    scores: Follow | None  # without them, the rank says how good a result is
    method: str = "POST"
    body: Template | None = None
    content_type: str = "application/json"

    def results(self, answer: Any, k: int) -> Results:
        """The first k results of an answer."""
        ids = self.ids(answer)
        if self.scores is None:
            return [(_id(found), float(k - rank)) for rank, found in enumerate(ids[:k])]
        scores = self.scores(answer)
        if len(ids) != len(scores):
            raise SearchFailure(
                "malformed", f"{len(ids)} ids and {len(scores)} scores: they do not belong together"
            )
        pairs = zip(ids[:k], scores[:k], strict=True)
        return [(_id(found), _score(score)) for found, score in pairs]


def _id(found: Any) -> str:
    if type(found) is int:
        return str(found)
    if type(found) is str and is_id(found):
        return found
    raise SearchFailure("malformed", f"expected an id, found {found!r:.80}")


def _score(found: Any) -> float:
    if type(found) is float and isfinite(found):
        return found
    if type(found) is int and abs(found) < _LARGEST:
        return float(found)
    raise SearchFailure("malformed", f"expected a number as a score, found {found!r:.80}")
