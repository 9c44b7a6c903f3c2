"""What the calls have in common: how failures look, and what a judgment says."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from cleverdon.assess.judging.recording import Standing


class Failure(BaseModel):
    """Why something was not done."""

    error: str = Field(description="One sentence: what was found, what is allowed, what helps.")


def said(model: BaseModel) -> Response:
    """An answer of many a second: written here, as a model that is returned goes by a thread."""
    return Response(model.model_dump_json(), media_type="application/json")


def failing(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures of a call, for its description; those of every call are added."""
    return {
        status: {"model": Failure, "description": _FAILURES[status]}
        for status in sorted({*statuses, *_ALWAYS})
    }


_FAILURES = {
    400: "The request could not be read.",
    401: "Nobody is signed in, or the token is not valid.",
    403: "The role does not allow it, or the request is not from a page of this app.",
    404: "There is no such thing, or none that this person may know of.",
    408: "The request did not come whole within a minute.",
    409: "It does not fit what was said before.",
    413: "The request is too large.",
    422: "A value that cannot be.",
    429: "It was tried too often: wait for as long as Retry-After says.",
    503: "The database could not be read or written, or too many are connected. Nothing happened; "
    "ask again.",
}
_ALWAYS = (400, 401, 403, 408, 413, 422, 503)


class StandingModel(BaseModel):
    """A person's last word on a document."""

    model_config = ConfigDict(from_attributes=True)

    grade: int | None = Field(description="The grade, unless it was skipped or not yet judged.")
    skipped: str | None = Field(description="The reason why it was skipped.")
    note: str = Field(description="A note, or nothing.")
    flagged: bool = Field(description="Whether somebody should look at it.")

    @classmethod
    def of(cls, standing: Standing) -> StandingModel:
        """As the judgment stands."""
        return cls.model_construct(**vars(standing))
