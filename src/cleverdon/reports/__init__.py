"""The HTML report of an evaluation: one file, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.reports.html_report import Report, report

__all__ = [
    "Report",
    "report",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Report": "reports.html_report",
        "report": "reports.html_report",
    },
)
