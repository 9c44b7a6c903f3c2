"""Exports: qrels, the history, a report of agreement, a datasheet; their kinds.

Importing this package loads no database: the command line's help needs the kinds.
"""

from __future__ import annotations

from cleverdon.agreement.aggregation import AGGREGATION_METHODS

PUBLISHED = "published"
"""The default export, and the qrels of a folder that is read as judgments."""

ONE_GRADE_KINDS: dict[str, str] = {
    PUBLISHED: "the ruling where there is one, else the majority",
    "adjudicated": "the ruling where there is one, else what all who judged it agree on, else "
    "nothing",
    **AGGREGATION_METHODS,
}
"""The ways to make one grade of several; only the first two take rulings."""

EXPORT_KINDS: dict[str, str] = {
    **ONE_GRADE_KINDS,
    "assessor": "the grades of each assessor, or of those that are named",
    "history": "every judgment event and ruling",
    "agreement": "how far assessors agree",
    "datasheet": "how the collection was made, and how far its assessors agree",
}
"""All kinds of export."""

REPORTS = {"txt": "table", "md": "markdown", "html": "html", "json": "json", "csv": "csv"}
"""The formats of a report of agreement, by the endings of file names."""

EXPORT_ENDINGS: dict[str, tuple[str, ...]] = {
    "history": ("jsonl", "parquet"),
    "agreement": tuple(REPORTS),
    "datasheet": ("md", "html", "json"),
}
"""The endings of file names, which choose the format; qrels may have any."""
