"""The exceptions of the judging app, with the status codes that the web app answers."""

from __future__ import annotations

from cleverdon.errors import CleverdonError


class NotFound(CleverdonError):
    """404: it does not exist, or the person may not know that it does."""


class Forbidden(CleverdonError):
    """403: the person may not do it."""


class Conflict(CleverdonError):
    """409: it contradicts what was recorded before."""


class Invalid(CleverdonError):
    """422: the value is not allowed."""


class DatabaseFailure(CleverdonError):
    """503: the database could not be read or written; nothing has changed.

    The message may name the database's host, user and path, for the log and the command line. The
    message `public` names none of these: the web app shows it.
    """

    def __init__(self, message: str, *, public: str = "") -> None:
        super().__init__(message)
        self.public = public
