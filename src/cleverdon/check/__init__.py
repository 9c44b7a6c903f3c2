"""A linter for runs and judgments: everything that is wrong with a file, and what to do about it.

Reading stops at the first error; this goes on, and tells of what can be read and is probably not
meant: ranks that contradict scores, ties, queries cut short, ids that the judgments do not know.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from cleverdon import _core
from cleverdon.check.findings import RULES, Finding, Findings, Rule, Severity
from cleverdon.data import Judgments
from cleverdon.errors import InputError, check_word
from cleverdon.read import queries_without_results

if TYPE_CHECKING:
    from cleverdon.check.file import File
    from cleverdon.check.rows import Rows

__all__ = ["RULES", "Checked", "Finding", "Rule", "Severity", "check"]


@dataclass(frozen=True)
class Checked:
    """What was found in one file."""

    path: str
    kind: Literal["run", "qrels"]
    format: str
    lines: int
    rows: int
    queries: int
    findings: tuple[Finding, ...]
    """In the order of the file; what concerns the whole of it comes last."""
    hidden: dict[str, int]
    """By name: how many more there are than are listed."""
    errors: int
    warnings: int
    notes: int
    tags: tuple[str, ...] = ()
    """What a TREC run calls itself, in its last column."""

    def passes(self, *, strict: bool = False) -> bool:
        """Whether there is no error, nor, when strict, a warning."""
        return not self.errors and not (strict and self.warnings)


def check(
    path: str | os.PathLike[str] | _core.Source,
    *,
    kind: Literal["run", "qrels"] | None = None,
    qrels: Any = None,
    limit: int | None = 5,
    progress: Callable[[int, int], object] | None = None,
) -> Checked:
    """Find what is wrong with a run or with judgments.

    `kind` is guessed from the number of fields unless it is given. With `qrels`, a run's queries
    and documents are compared with theirs. At most `limit` findings of each name are listed, the
    others counted. Only a file that is not there, or may not be read, is an exception.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("q1 Q0 d1 1 2.5 me" + chr(10) + "q1 Q0 d1 2 abc me" + chr(10))
    >>> for finding in check(path).findings:
    ...     print(finding)
    2:12: error: the score 'abc' is not a number (not-a-number)
    """
    from cleverdon.check.file import open_file
    from cleverdon.check.scan import scan
    from cleverdon.check.whole import check_qrels, check_run

    if kind is not None:
        check_word("kind", kind, ("run", "qrels"))
    file = open_file(path if isinstance(path, _core.Source) else os.fspath(path), kind=kind)
    found = Findings(limit=limit)
    judgments = None
    if qrels is not None and file.kind == "run":
        judgments = Judgments.read(qrels)
    rows = scan(file, found, progress=progress)
    if file.kind == "run" and file.format != "json":
        rows = _with_record(rows, file, found)
    if not rows and not (file.kind == "run" and rows.queries):
        if not found.severities["error"]:
            found.add("no-rows", "has no rows" if file.head else "is empty")
    elif file.kind == "run":
        check_run(rows, file, found, judgments=judgments)
    else:
        check_qrels(rows, file, found)
    return Checked(
        path=file.name,
        kind=file.kind,
        format=file.format,
        lines=rows.lines,
        rows=len(rows),
        queries=len(rows.queries),
        findings=found.sorted(),
        hidden=found.hidden(),
        errors=found.severities["error"],
        warnings=found.severities["warning"],
        notes=found.severities["note"],
        tags=tuple(sorted(tag.decode("utf-8", "replace") for tag in rows.tags)),
    )


def _with_record(rows: Rows, file: File, found: Findings) -> Rows:
    """The rows, and the queries that found nothing by the search record beside the file."""
    try:
        unlisted, _ = queries_without_results(file.source)
    except InputError as error:
        found.add("unreadable", str(error))
        return rows
    known = set(rows.queries)
    added = [query.encode() for query in unlisted if query.encode() not in known]
    return replace(rows, queries=rows.queries + added)
