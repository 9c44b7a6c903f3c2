"""What is checked of everything that is said of a document, by an assessor or as a ruling."""

from __future__ import annotations

from cleverdon.assess.refusals import Invalid
from cleverdon.assess.scale import Scale

LONGEST_TEXT = 10_000
"""Characters of a note or of a reason."""


def check_said(*, request: str, grade: int | None, text: str, scale: Scale) -> None:
    """Whether it can be recorded, in either database."""
    if not 8 <= len(request) <= 100:
        raise Invalid("a request's id has 8 to 100 characters")
    if grade is not None and grade not in scale:
        listed = ", ".join(map(str, scale.values))
        raise Invalid(f"the grade {grade} is not on the scale: it can be {listed}")
    if "\0" in text + request:
        raise Invalid(
            "the text or the request holds a null character, which not all databases keep"
        )
    if len(text) > LONGEST_TEXT:
        raise Invalid(f"the text has {len(text):,} characters; {LONGEST_TEXT:,} at most")
