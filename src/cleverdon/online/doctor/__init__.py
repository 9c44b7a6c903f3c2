"""The log doctor: which metrics a log supports, and what looks wrong with it.

    examine(log)            all of it, as a `Diagnosis`
    errors(log, metrics)    only what makes these metrics wrong
    checks()                everything that is looked for

Names are loaded when they are first used: the command line needs `Limits` for its options, before
it is time to import Ibis.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cleverdon.online.doctor.base import Check, checks
    from cleverdon.online.doctor.examining import errors, examine
    from cleverdon.online.doctor.findings import Diagnosis, Finding, Size, Support
    from cleverdon.online.doctor.limits import Limits

_HOME = {
    "Check": "base",
    "Diagnosis": "findings",
    "Finding": "findings",
    "Limits": "limits",
    "Size": "findings",
    "Support": "findings",
    "checks": "base",
    "errors": "examining",
    "examine": "examining",
}

__all__ = [
    "Check",
    "Diagnosis",
    "Finding",
    "Limits",
    "Size",
    "Support",
    "checks",
    "errors",
    "examine",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'cleverdon.online.doctor' has no attribute {name!r}")
    return getattr(import_module(f"cleverdon.online.doctor.{_HOME[name]}"), name)
