"""When to stop giving documents."""

from __future__ import annotations

from dataclasses import dataclass, fields

from cleverdon.errors import check_count


@dataclass(frozen=True)
class Limits:
    """Where judging ends; None is nowhere."""

    budget: int | None = None  # documents given of each topic
    total: int | None = None  # documents given, over all topics
    patience: int | None = None  # documents in a row that are not relevant end a topic
    target: int | None = None  # relevant documents that are enough for a topic

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None:
                check_count(field.name, value)
