"""Audits of other evaluation tools: where they deviate from their own documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.auditing.verdicts import Audit, ToolList, audit, list_tools

__all__ = ["Audit", "ToolList", "audit", "list_tools"]

__getattr__ = lazy_names(
    __name__,
    {
        "Audit": "auditing.verdicts",
        "ToolList": "auditing.verdicts",
        "audit": "auditing.verdicts",
        "list_tools": "auditing.verdicts",
    },
)
