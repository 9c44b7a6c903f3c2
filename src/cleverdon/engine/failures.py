"""What can go wrong with one question to an engine, by kind; and which of it is worth another try.

Searches change nothing, so that asking again is safe. It is of use where the engine may answer the
next time: not where it said that the question is wrong, or answered in another shape than expected.
"""

from __future__ import annotations

from cleverdon.errors import CleverdonError, check_word

KINDS = {
    "connection": "no connection, or one that was lost",
    "timeout": "no answer within the time that was given",
    "overloaded": "the engine said that it has too much to do (429, 503)",
    "server": "the engine failed (5xx, or an error of its own)",
    "refused": "the engine refused the question (4xx)",
    "malformed": "an answer that cannot be read, as JSON that is none",
    "missing": "an answer without the field in which results were expected",
}
"""The kinds of failures, and what each means."""

PASSING = frozenset({"connection", "timeout", "overloaded", "server"})
"""Those after which another try may succeed."""


class SearchFailure(CleverdonError):
    """A question that was not answered."""

    def __init__(self, kind: str, message: str, *, retry_after: float | None = None) -> None:
        check_word("kind", kind, KINDS)
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message
        self.retry_after = retry_after
        """Seconds after which the engine asked to be asked again."""

    @property
    def passing(self) -> bool:
        """Whether another try may succeed."""
        return self.kind in PASSING


def failure_of(error: BaseException) -> SearchFailure:
    """What an error within an engine comes to: one that is a failure already stays the same."""
    if isinstance(error, SearchFailure):
        return error
    text = " ".join(str(error).split())
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return SearchFailure("server", said)
