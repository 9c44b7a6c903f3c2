"""What the log doctor says: findings, what each metric lacks, and all of it together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from cleverdon.online.doctor.limits import Limits
from cleverdon.online.log import LeftOut

Severity = Literal["error", "warning", "note"]
"""An error makes metrics wrong, a warning is likely a mistake, a note is good to know."""
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

ERROR = "The log has an error: "
"""How a note begins that says that a number is not to be trusted."""

Row = Mapping[str, Any]
"""An example: a row of the log, or what was found of one."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that looks wrong, how often it was found, and what to do about it."""

    name: str
    severity: Severity
    what: str
    """What was found, in words."""
    count: int
    total: int | None
    """Of how many it was found, ..."""
    noun: str
    """... and what these are: `clicks`, `searches`."""
    details: tuple[str, ...] = ()
    """More about it, in sentences."""
    examples: tuple[Row, ...] = ()
    spoils: tuple[str, ...] = ()
    """Metrics that are not to be trusted because of it."""
    remedy: str = ""

    @property
    def share(self) -> float | None:
        """None where there is nothing to be a share of."""
        return self.count / self.total if self.total else None

    @property
    def sentence(self) -> str:
        """What was found and how often, for a number that it makes wrong."""
        number = f"{self.count:,}"
        if self.share is not None:
            number += f" of {self.total:,} {self.noun}, {self.share:.1%}"
        return f"{ERROR}{self.what}: {number} ({self.name}); see cleverdon logs check."


Verdict = Literal["yes", "partly", "no"]


@dataclass(frozen=True, kw_only=True)
class Support:
    """Whether the log has what a metric needs."""

    metric: str
    verdict: Verdict
    missing: tuple[str, ...] = ()
    """Columns that the log does not have, or of which every row is null."""
    nulls: Mapping[str, float] = field(default_factory=dict)
    """Columns that some rows lack, with the share of rows that do."""
    stand_ins: Mapping[str, float] = field(default_factory=dict)
    """What stands for a user where none is named, `session` or `client`; for which share."""
    lacks_actions: tuple[str, ...] = ()
    """What must have been done at least once, and was not."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much there is in a log."""

    searches: int
    users: int | None
    """None where the log does not name them."""
    actions: Mapping[str, int]
    """How often each thing was done, the most frequent first."""
    first: int | None
    """When the first search was, and the last, in milliseconds since 1970."""
    last: int | None

    @property
    def events(self) -> int:
        return sum(self.actions.values())


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """All that the doctor has to say of a log."""

    source: str
    format: str
    size: Size
    supports: tuple[Support, ...]
    findings: tuple[Finding, ...]
    """Errors first, then warnings, then notes."""
    skipped: Mapping[str, tuple[str, ...]]
    """What was not looked for, and the columns that it would have needed."""
    notes: tuple[str, ...]
    """What the reader of the log had to assume."""
    limits: Limits
    without_bots: LeftOut | None = None
    """What was left out as the doing of programs, before the doctor looked."""

    def of(self, severity: Severity) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == severity]

    def find(self, name: str) -> Finding | None:
        """The finding of that name, if there is any."""
        return next((finding for finding in self.findings if finding.name == name), None)

    def passes(self, *, strict: bool = False) -> bool:
        """Whether there is no error, and with `strict` no warning either."""
        return not self.of("error") and not (strict and self.of("warning"))
