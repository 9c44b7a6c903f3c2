"""The stylesheet of the project's grades: pages name a grade, and this gives it its colour."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Request
from starlette.responses import Response

from cleverdon.assess.people.rights import Right
from cleverdon.assess.scale import Scale
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter()

_DARK, _LIGHT = "#000000", "#ffffff"
"""Of these, one has a contrast of 4.5 and more on any colour; a dark grey would not."""


@router.get("/scale.css")
def scale_style(request: Request, visitor: Annotated[Visitor, Needs(Right.SIGNED_IN)]) -> Response:
    """The colours of the scale."""
    style = style_of(request.app.state.project.scale)
    tag = f'"{hashlib.sha256(style.encode()).hexdigest()[:16]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(style, media_type="text/css", headers=headers)


def style_of(scale: Scale) -> str:
    """A rule for each grade: its colour, and that of letters on it, which can be read."""
    rules = (
        f".grade-{grade.value} {{ --grade: {grade.colour}; --on-grade: {_letters(grade.colour)} }}"
        for grade in scale.grades
    )
    return "\n".join(rules) + "\n"


def _letters(colour: str) -> str:
    """Dark or light letters, whichever stands out more."""
    own = _luminance(colour)
    contrasts = {letters: _ratio(own, _luminance(letters)) for letters in (_LIGHT, _DARK)}
    return max(contrasts, key=lambda letters: contrasts[letters])


def _ratio(one: float, other: float) -> float:
    """The contrast of WCAG 2.2: 4.5 is enough for text."""
    low, high = sorted((one, other))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
