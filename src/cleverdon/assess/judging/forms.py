"""What a form says: sent twice as it is, it is said once."""

from __future__ import annotations

import hashlib
import json
import secrets

from cleverdon.assess import clock
from cleverdon.assess.judging.recording import LONGEST_TIME, Kind, Saying


def new_request() -> str:
    """The id of a form that is about to be shown."""
    return secrets.token_urlsafe(12)


def request_of(form: str, *said: object) -> str:
    """The id of what a form says: made of it, so that a second thought is no repetition."""
    return f"{form}.{hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]}"


def saying_of(
    request: str,
    item: int,
    kind: Kind,
    *,
    grade: int | None = None,
    text: str = "",
    flagged: bool = False,
    shown_at: float | None = None,
) -> Saying:
    """What was said by a form.

    A browser may send the same form twice, by a second press of a button or by going back. What it
    says is part of the request's id: the same is said once, and a second thought is a second word,
    as is a third one that returns to the first.
    """
    seconds = None if shown_at is None else clock.now() - shown_at
    if seconds is not None and not 0 <= seconds <= LONGEST_TIME:
        seconds = None
    made = request_of(request, kind, grade, text, flagged)
    # An undo does not say what it takes back: sent again, it would take another word.
    may_recur = kind != "undo"
    return Saying(made, item, kind, grade, text, flagged, seconds, may_recur=may_recur)
