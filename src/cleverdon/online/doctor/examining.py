"""The main job of the doctor: every check, on one log."""

from __future__ import annotations

from collections.abc import Collection

from cleverdon.online.doctor.base import checks
from cleverdon.online.doctor.facts import Facts
from cleverdon.online.doctor.findings import SEVERITIES, Diagnosis, Finding
from cleverdon.online.doctor.limits import Limits
from cleverdon.online.doctor.supported import supported
from cleverdon.online.log import Log
from cleverdon.online.stages import Progress


def errors(
    log: Log, metrics: Collection[str], *, progress: Progress | None = None
) -> dict[str, list[Finding]]:
    """The errors that make these metrics wrong, by metric.

    Only checks are made that can be an error and that spoil one of the metrics.
    """
    facts = Facts(log, Limits())
    tell = progress or (lambda what: None)
    found: dict[str, list[Finding]] = {}
    for check in checks():
        spoils = set(metrics) if check.spoils_all else set(check.spoils) & set(metrics)
        if check.error_from is None or not spoils or not check.asks(facts):
            continue
        tell(f"looking for {check.what}")
        for finding in check.find(facts):
            if finding.severity == "error":
                for metric in spoils & set(finding.spoils):
                    found.setdefault(metric, []).append(finding)
    return found


def examine(
    log: Log, limits: Limits | None = None, *, progress: Progress | None = None
) -> Diagnosis:
    """Which metrics the log supports, and what looks wrong with it.

    The log stays where it is: about twenty queries run there, whatever its size, and one more for
    the examples of each thing that is found.

    >>> from cleverdon.online.worked import worked_log
    >>> log, _ = worked_log('''
    ...     ann 0:00 shoes shown@1 click@2
    ...     =
    ... ''')
    >>> finding = examine(log).find("clicks-without-impressions")
    >>> finding.severity, finding.count, finding.examples[0]["doc"]
    ('error', 1, 'd2')
    """
    facts = Facts(log, limits or Limits())
    tell = progress or (lambda what: None)
    found: list[Finding] = []
    skipped = {}
    tell("looking through the log")
    for check in checks():
        if missing := check.missing(facts):
            skipped[check.name] = missing
        elif check.asks(facts):
            tell(f"looking for {check.what}")
            found += check.find(facts)
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Diagnosis(
        source=log.source,
        format=log.format,
        size=facts.size,
        supports=supported(facts),
        findings=tuple(found),
        skipped=skipped,
        notes=log.notes,
        limits=facts.limits,
        without_bots=log.without_bots,
    )
