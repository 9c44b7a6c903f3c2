"""A linter for runs and judgments: what is wrong with a file, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.checks.linter import CheckResult, check

__all__ = ["CheckResult", "check"]

__getattr__ = lazy_names(__name__, {"CheckResult": "checks.linter", "check": "checks.linter"})
