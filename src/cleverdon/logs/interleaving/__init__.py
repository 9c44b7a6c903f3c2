"""Interleaving: two rankings on one result page, and clicks that show which is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.logs.interleaving.base import Record, read_records, write_records
    from cleverdon.logs.interleaving.credit import Credits, credit_clicks, credit_log
    from cleverdon.logs.interleaving.methods import Balanced, Optimised, Probabilistic, TeamDraft
    from cleverdon.logs.interleaving.preference import (
        Preference,
        interleave,
        measure_preference,
    )

_NAMES = {
    "base": "Record read_records write_records",
    "credit": "Credits credit_clicks credit_log",
    "methods": "Balanced Optimised Probabilistic TeamDraft",
    "preference": "Preference interleave measure_preference",
}

__all__ = [
    "Balanced",
    "Credits",
    "Optimised",
    "Preference",
    "Probabilistic",
    "Record",
    "TeamDraft",
    "credit_clicks",
    "credit_log",
    "interleave",
    "measure_preference",
    "read_records",
    "write_records",
]

__getattr__ = lazy_modules(__name__, _NAMES)
