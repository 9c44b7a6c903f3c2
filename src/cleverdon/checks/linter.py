"""The check of one run or of judgments, from the file to the findings.

Reading stops at the first error; a check goes on. It also reports likely mistakes: ranks that
contradict scores, ties, queries cut short, ids that the judgments do not know.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from cleverdon import _core
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.checks.findings import Finding, Findings
from cleverdon.data import Judgments
from cleverdon.errors import InputError, check_word
from cleverdon.formats.inputs import queries_without_results
from cleverdon.tables.result import Result
from cleverdon.tables.result_lists import Results
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.checks.scan import CheckedFile, FileRows


@dataclass(frozen=True)
class CheckResult(Result):
    """The findings in one file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("q1 0 d1 1" + chr(10))
    >>> found = check(path)
    >>> found.kind, found.rows, found.errors, found.passes()
    ('qrels', 1, 0, True)
    """

    path: str
    kind: Literal["run", "qrels"]
    format: str
    lines: int
    rows: int
    queries: int
    findings: tuple[Finding, ...]
    """The findings in the order of the file; those on the whole file come last."""
    hidden: dict[str, int]  # by name: the number of findings that are not listed
    errors: int
    warnings: int
    notes: int
    tags: tuple[str, ...] = ()  # the names that a TREC run gives itself in its last column

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table, with a row for each finding in the order of the file."""
        names = ("line", "column", "severity", "name", "message", "fix")
        rows = [
            ["" if getattr(one, name) is None else str(getattr(one, name)) for name in names]
            for one in self.findings
        ]
        return [Section("findings", TextTable(list(names), rows, len(names), []), titled=False)]

    def passes(self, *, strict: bool = False) -> bool:
        """Tell whether there is no error and, when strict, no warning."""
        return not self.errors and not (strict and self.warnings)

    def to_text(self, **view: Any) -> str:
        """Return a line for each finding, as compilers write them, and its remedy below."""
        lines = []
        for one in self.findings:
            place = ":".join(str(part) for part in (self.path, one.line, one.column) if part)
            lines += [f"{place}: {one.severity}: {one.message} ({one.name})", f"    {one.fix}"]
        for name, count in self.hidden.items():
            lines.append(f"{self.path}: {count:,} more: {name} (--limit 0 lists all)")
        numbers = {"error": self.errors, "warning": self.warnings, "note": self.notes}
        counts = ", ".join(counted(number, what) for what, number in numbers.items())
        what = "judgments" if self.kind == "qrels" else "results"
        size = f"{self.rows:,} {what} of {counted(self.queries, 'query')}"
        return "\n".join([*lines, f"{self.path}: {counts}; {size}"])

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True)
class FileChecks(Results):
    """The findings in several files.

    >>> check_files(["examples/qrels.txt"]).passes()
    True
    """

    items: Sequence[CheckResult]
    unreadable: tuple[str, ...] = ()  # messages about files that could not be read

    def passes(self, *, strict: bool = False) -> bool:
        """Tell whether all files could be read and pass."""
        return not self.unreadable and all(one.passes(strict=strict) for one in self.items)

    def render(self, format: str = "text", **how: Any) -> str:
        if format == "text":
            return "\n".join(one.to_text() for one in self.items)
        return super().render(format, **how)


@shows_progress("checking")
def check_files(
    files: Sequence[str | os.PathLike[str]],
    *,
    kind: Literal["run", "qrels"] | None = None,
    qrels: Any = None,
    qrels_format: str | None = None,
    limit: int | None = 5,
    progress: Progress | bool | None = None,
) -> FileChecks:
    """Find errors and likely mistakes in runs and judgments; go on after a file that is unreadable.

    Args:
        files: The files.
        kind: "run" or "qrels"; by default guessed from the number of fields.
        qrels: Judgments to compare the runs' queries and documents with.
        qrels_format: The format of these judgments, if it should not be guessed.
        limit: List at most this many findings of each name, and count the others; None lists all.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The findings by file, and messages about files that could not be read.

    Raises:
        InputError: The judgments `qrels` cannot be read.

    >>> [found.kind for found in check_files(["examples/qrels.txt", "examples/bm25.run"]).items]
    ['qrels', 'run']
    """
    progress = as_callback(progress)
    # Read here rather than by `check`, once for all files; an error in them is not one of a run.
    judgments = None if qrels is None else Judgments.read(qrels, format=qrels_format)
    found: list[CheckResult] = []
    unreadable: list[str] = []
    for file in files:
        try:
            found.append(check(file, kind=kind, qrels=judgments, limit=limit, progress=progress))
        except InputError as error:
            unreadable.append(str(error))
    return FileChecks(found, tuple(unreadable))


@shows_progress("checking")
def check(
    path: str | os.PathLike[str] | _core.Source,
    *,
    kind: Literal["run", "qrels"] | None = None,
    qrels: Any = None,
    limit: int | None = 5,
    progress: Progress | bool | None = None,
) -> CheckResult:
    """Find errors and likely mistakes in a run or in judgments.

    Args:
        path: The file.
        kind: "run" or "qrels"; by default guessed from the number of fields.
        qrels: Judgments to compare a run's queries and documents with.
        limit: List at most this many findings of each name, and count the others; None lists all.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The findings, with a remedy for each.

    Raises:
        InputError: The file does not exist or cannot be read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.txt"
    >>> _ = path.write_text("q1 Q0 d1 1 2.5 me" + chr(10) + "q1 Q0 d1 2 abc me" + chr(10))
    >>> for finding in check(path).findings:
    ...     print(finding)
    2:12: error: the score 'abc' is not a number (not-a-number)
    """
    progress = as_callback(progress)
    # Numpy loads while files are hashed.
    from cleverdon.checks.consistency import check_qrels, check_run
    from cleverdon.checks.scan import open_checked_file, scan

    if kind is not None:
        check_word("kind", kind, ("run", "qrels"))
    file = open_checked_file(path if isinstance(path, _core.Source) else os.fspath(path), kind=kind)
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
    return CheckResult(
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


def _with_record(rows: FileRows, file: CheckedFile, found: Findings) -> FileRows:
    """Add the queries without results, by the search record next to the file."""
    try:
        unlisted, _ = queries_without_results(file.source)
    except InputError as error:
        found.add("unreadable", str(error))
        return rows
    known = set(rows.queries)
    added = [query.encode() for query in unlisted if query.encode() not in known]
    return replace(rows, queries=rows.queries + added)
