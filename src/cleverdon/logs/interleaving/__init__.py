"""Interleaving: two rankings on one result page, and clicks that show which is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.logs.interleaving.base import Record, read_records, write_records
    from cleverdon.logs.interleaving.credit import Credits, credit_clicks, credit_log
    from cleverdon.logs.interleaving.methods import Balanced, Optimised, Probabilistic, TeamDraft
    from cleverdon.logs.interleaving.preference import (
        Preference,
        measure_log_preference,
        measure_preference,
    )

_HOME = {
    "Balanced": "logs.interleaving.methods",
    "Credits": "logs.interleaving.credit",
    "Optimised": "logs.interleaving.methods",
    "Preference": "logs.interleaving.preference",
    "Probabilistic": "logs.interleaving.methods",
    "Record": "logs.interleaving.base",
    "TeamDraft": "logs.interleaving.methods",
    "credit_clicks": "logs.interleaving.credit",
    "credit_log": "logs.interleaving.credit",
    "measure_log_preference": "logs.interleaving.preference",
    "measure_preference": "logs.interleaving.preference",
    "read_records": "logs.interleaving.base",
    "write_records": "logs.interleaving.base",
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
    "measure_log_preference",
    "measure_preference",
    "read_records",
    "write_records",
]

__getattr__ = lazy_names(__name__, _HOME)
