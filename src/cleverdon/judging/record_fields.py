"""Annotations of the fields of records that the API sends as they are."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, PlainSerializer

from cleverdon.judging import clock

Moment = Annotated[float, PlainSerializer(clock.iso, return_type=str)]
"""Seconds since 1970, which the API writes as ISO 8601 in UTC."""

INTERNAL = Field(exclude=True)
"""Marks a field that the API does not send."""
