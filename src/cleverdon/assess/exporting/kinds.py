"""What can be exported, in words: the one list, which the command line reads without a database."""

from __future__ import annotations

from cleverdon.judge.aggregation.aggregating import WAYS

PUBLISHED = "published"
"""What a project stands for where its folder is read as qrels, and what is exported by default."""

ONE_GRADE: dict[str, str] = {
    PUBLISHED: "the ruling where there is one, else the majority",
    "adjudicated": "the ruling where there is one, else what all who judged it agree on, else "
    "nothing",
    **WAYS,
}
"""How one grade is made of several; only the first two take rulings."""

KINDS: dict[str, str] = {
    **ONE_GRADE,
    "assessor": "as each assessor, or those that are named, graded",
    "history": "everything that was ever said",
    "agreement": "how far assessors agree",
    "datasheet": "how the collection was made, by how many, and how far they agree",
}
"""What can be exported."""

REPORTS = {"txt": "table", "md": "markdown", "html": "html", "json": "json", "csv": "csv"}
"""The formats of a report of agreement by the endings of files, as they are called elsewhere."""

ENDINGS: dict[str, tuple[str, ...]] = {
    "history": ("jsonl", "parquet"),
    "agreement": tuple(REPORTS),
    "datasheet": ("md", "html", "json"),
}
"""The endings of files that say in which format something is written; qrels have any."""
