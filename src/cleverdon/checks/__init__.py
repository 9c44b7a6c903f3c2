"""A linter for runs and judgments: what is wrong with a file, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.checks.linter import CheckResult, FileChecks, check, check_files

__all__ = ["CheckResult", "FileChecks", "check", "check_files"]

__getattr__ = lazy_modules(__name__, {"linter": "CheckResult FileChecks check check_files"})
