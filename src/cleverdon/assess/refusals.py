"""Why something that was asked for is not done; the web app gives each its status.

CleverdonError
├── NotThere      nothing of this name, or nothing that may be known of
├── NotAllowed    it is not this person's to do
├── Conflict      it does not fit what was said before
└── Invalid       a value that cannot be
"""

from __future__ import annotations

from cleverdon.errors import CleverdonError


class NotThere(CleverdonError):
    """There is no such thing, or none that this person may know of."""


class NotAllowed(CleverdonError):
    """It is not this person's to do."""


class Conflict(CleverdonError):
    """It does not fit what was said before."""


class Invalid(CleverdonError):
    """A value that cannot be."""
