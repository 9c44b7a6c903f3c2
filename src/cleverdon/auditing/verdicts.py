"""The audit: a tool on adversarial rankings, against what its documentation promises."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.auditing.rankings import RANKINGS, Ranking
from cleverdon.auditing.tools import TOOLS, Promise, Refused, Tool, Undocumented, silenced
from cleverdon.tables.result import Result
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_Verdict = Literal["agrees", "deviates", "fails", "undocumented"]
_VERDICTS: tuple[_Verdict, ...] = ("agrees", "deviates", "fails", "undocumented")


@dataclass(frozen=True)
class Check:
    """One measure on one ranking."""

    ranking: str
    measure: str
    verdict: _Verdict
    promised: tuple[float, ...]  # every value that keeps the promise; none: an error, or silence
    found: float | None
    deviation: float | None  # of the value found from the nearest that is promised
    error: str = ""  # that the tool raised

    @property
    def wrong(self) -> bool:
        """Whether the tool does not do what its documentation says."""
        return self.verdict in ("deviates", "fails")


@dataclass(frozen=True)
class Audit(Result):
    """A tool's deviations from its documentation.

    >>> sorted({check.ranking for check in audit("scikit-learn").deviations})
    ['negative', 'short list']
    """

    tool: str
    version: str
    checks: tuple[Check, ...]
    not_handed_over: Mapping[str, str]  # rankings that the tool cannot take, and why
    documentation: Mapping[str, Mapping[str, str]]  # by measure: what it says, and where

    @property
    def deviations(self) -> tuple[Check, ...]:
        """The checks in which the tool does not do what its documentation says."""
        return tuple(check for check in self.checks if check.wrong)

    def heading(self) -> str:
        return f"{self.tool} {self.version} against its documentation"

    def opening(self) -> str:
        if not self.deviations:
            return "It does what its documentation says, on every ranking that it was given."
        count = counted(len(self.deviations), "check")
        worst = max((abs(check.deviation or 0) for check in self.deviations), default=0)
        by = f", by up to {worst:.4f}" if worst else ""
        return f"It deviates from its documentation in {count} of {len(self.checks)}{by}."

    def sections(self, *, exact: bool = False, all_: bool = False) -> list[Section]:
        """Return the deviations, and what the documentation does not say.

        Args:
            exact: Whether to write all digits.
            all_: Whether to list the checks that agree, too; in the same table.
        """
        main = [check for check in self.checks if all_ or exact or check.wrong]
        silent = [check for check in self.checks if check.verdict == "undocumented"]
        parts = [Section("Checks" if all_ or exact else "Deviations", _grid(main, exact=exact))]
        if not all_:
            parts.append(Section("Not documented", _grid(silent, exact=exact, short=True)))
        return parts

    def closing(self) -> list[str]:
        """Return the promises that were not kept, where they stand, and what was not tried."""
        lines = []
        for measure in dict.fromkeys(check.measure for check in self.deviations):
            stated = self.documentation[measure]
            lines.append(f"{measure}: {stated['says']} ({stated['where']})")
        raised = {check.error: check for check in self.checks if check.error and check.wrong}
        lines += [f"{check.ranking}, {check.measure}: {error}" for error, check in raised.items()]
        counts = Counter(check.verdict for check in self.checks)
        rankings = len({check.ranking for check in self.checks})
        told = ", ".join(f"{counts[verdict]} {_WORDS[verdict]}" for verdict in _VERDICTS)
        lines.append(f"{counted(len(self.checks), 'check')} on {rankings} rankings: {told}.")
        reasons: dict[str, list[str]] = {}
        for name, reason in self.not_handed_over.items():
            reasons.setdefault(reason, []).append(name)
        for reason, names in reasons.items():
            lines.append(f"Not tried: {', '.join(names)}; {self.tool} {reason}.")
        return lines


_LISTED = 3  # so many of the values that keep a promise are listed for people

_WORDS: Mapping[_Verdict, str] = {
    "agrees": "agree",
    "deviates": "deviate",
    "fails": "fail",
    "undocumented": "are not documented",
}


def _grid(checks: list[Check], *, exact: bool, short: bool = False) -> TextTable:
    header = ["ranking", "measure"]
    header += [] if short else ["verdict", "documented"]
    header += ["found"] if short else ["found", "deviation"]
    rows = [list(_cells(check, exact=exact, short=short)) for check in checks]
    return TextTable(header, rows, 2 if short else 3, [])


def _cells(check: Check, *, exact: bool, short: bool) -> Iterator[str]:
    def number(value: float) -> str:
        return repr(value) if exact else f"{value:.4f}"

    yield from (check.ranking, check.measure)
    if not short:
        yield check.verdict
        silent = "" if exact else "-"
        refused = silent if check.verdict == "undocumented" else "an error"
        yield _several(list(dict.fromkeys(map(number, check.promised))), exact=exact) or refused
    yield number(check.found) if check.found is not None else check.error.partition(":")[0]
    if not short:
        yield (
            ""
            if check.deviation is None
            else (number(check.deviation) if exact else f"{check.deviation:+.4f}")
        )


def _several(values: list[str], *, exact: bool) -> str:
    if exact or len(values) <= _LISTED:
        return " or ".join(values)
    return f"{len(values)} values from {values[0]} to {values[-1]}"


@shows_progress("auditing")
def audit(tool: str, *, progress: Progress | bool | None = None) -> Audit:
    """Run an installed evaluation tool on adversarial rankings, and hold it to its documentation.

    The rankings have ties, duplicates, graded and negative judgments, missing queries, short lists
    and queries without relevant documents. What the documentation promises is computed by formulas
    of its own, in plain Python.

    Args:
        tool: The name of the tool: see `list_tools`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        For each measure and ranking: what is promised, what the tool computes, and the difference.

    Raises:
        OptionError: There is no such tool.
        MissingExtra: The tool is not installed; the message says how to install it.

    >>> found = audit("scikit-learn")
    >>> found.checks[0].measure, found.checks[0].verdict
    ('ndcg_score(k=3)', 'agrees')
    """
    progress = as_callback(progress)
    kind = TOOLS.find(tool)
    kind.need()
    one = kind()
    checks: list[Check] = []
    try:
        for at, ranking in enumerate(RANKINGS):
            if progress is not None:
                progress(f"auditing {kind.name}", at, len(RANKINGS))
            if ranking.name not in kind.cannot:
                checks += _checked(one, ranking)
    finally:
        one.close()
    return Audit(
        tool=kind.name,
        version=kind.installed(),
        checks=tuple(checks),
        not_handed_over=dict(kind.cannot),
        documentation={p.measure: {"says": p.says, "where": p.where} for p in kind.promises},
    )


def _checked(tool: Tool, ranking: Ranking) -> Iterator[Check]:
    try:
        with silenced():
            values = tool.compute(ranking)
    except Exception as error:  # whatever the tool raises is a finding
        values = {promise.measure: error for promise in tool.promises}
    for promise in tool.promises:
        yield _judged(tool, promise, ranking, values[promise.measure])


def _judged(tool: Tool, promise: Promise, ranking: Ranking, value: float | Exception) -> Check:
    found = None if isinstance(value, Exception) else float(value)
    error = _in_short(value) if isinstance(value, Exception) else ""
    promised: tuple[float, ...] = ()
    deviation = None
    verdict: _Verdict
    try:
        if ranking.name in tool.silent:
            raise Undocumented
        promised = promise.values(ranking, skips_missing=tool.skips_missing)
    except Undocumented:
        verdict = "undocumented"
    except Refused:
        verdict = "agrees" if found is None else "deviates"
    else:
        if found is None:
            verdict = "fails"
        else:
            deviation = min((found - one for one in promised), key=abs)
            verdict = "agrees" if abs(deviation) <= tool.tolerance else "deviates"
            if verdict == "agrees":
                deviation = 0.0
    return Check(ranking.name, promise.measure, verdict, promised, found, deviation, error)


def _in_short(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return text if len(text) <= 120 else f"{text[:117]}..."


@dataclass(frozen=True)
class _AuditableTool:
    """A tool that can be audited."""

    tool: str
    installed: str  # its version; empty where it is not installed
    install: str  # the command that installs it
    about: str


class ToolList(RecordList[_AuditableTool]):
    """The tools that can be audited.

    >>> "polars-ds" in list_tools().to_csv()
    True
    """

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table."""
        rows = [
            [one.tool, one.installed or ("" if exact else "no"), one.install, one.about]
            for one in self
        ]
        header = ["tool", "installed", "install with", "what is audited"]
        return [Section("Tools", TextTable(header, rows, 4, []), titled=False)]


def list_tools() -> ToolList:
    """List the tools that `audit` knows.

    Returns:
        Each tool, its installed version, and how to install it.

    >>> [one.tool for one in list_tools()][:3]
    ['pytrec_eval', 'ir_measures', 'scikit-learn']
    """
    return ToolList(
        tuple(
            _AuditableTool(name, cls.installed(), f"pip install {cls.package}", cls.about)
            for name, cls in TOOLS.all().items()
        )
    )
