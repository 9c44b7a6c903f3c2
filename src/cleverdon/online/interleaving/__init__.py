"""Interleaving: two rankings in one result page, and clicks that say which is the better."""

from cleverdon.online.interleaving.balanced import Balanced
from cleverdon.online.interleaving.credit import Credits, QueryCredit, credit_clicks
from cleverdon.online.interleaving.from_log import credit_log
from cleverdon.online.interleaving.methods import Interleaved, Method, find, method, methods
from cleverdon.online.interleaving.optimised import Optimised
from cleverdon.online.interleaving.power import Power, power, units_needed
from cleverdon.online.interleaving.preference import Preference, preference
from cleverdon.online.interleaving.probabilistic import Probabilistic
from cleverdon.online.interleaving.records import Record
from cleverdon.online.interleaving.stored import read_records, write_records
from cleverdon.online.interleaving.team_draft import TeamDraft

__all__ = [
    "Balanced",
    "Credits",
    "Interleaved",
    "Method",
    "Optimised",
    "Power",
    "Preference",
    "Probabilistic",
    "QueryCredit",
    "Record",
    "TeamDraft",
    "credit_clicks",
    "credit_log",
    "find",
    "method",
    "methods",
    "power",
    "preference",
    "read_records",
    "units_needed",
    "write_records",
]
