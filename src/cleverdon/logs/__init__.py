"""Search logs: metrics, A/B tests, interleaving, judgments from clicks.

Names are loaded when they are first used: Ibis takes a while to import. A/B tests, interleaving,
click models and the bridge to judgments are in packages of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.logs.bots import BotRules, without_bots
    from cleverdon.logs.compute import MetricResults, measure_log
    from cleverdon.logs.doctor.checks import examine
    from cleverdon.logs.doctor.diagnosis import Diagnosis, Limits
    from cleverdon.logs.generator.writer import Truth, generate_log
    from cleverdon.logs.log import Log
    from cleverdon.logs.reading.reader import read_log
    from cleverdon.logs.report.page import LogsReport, logs_report
    from cleverdon.logs.settings import Settings
    from cleverdon.logs.tables import explain_metric

_NAMES = {
    "bots": "BotRules without_bots",
    "compute": "MetricResults measure_log",
    "doctor.checks": "examine",
    "doctor.diagnosis": "Diagnosis Limits",
    "generator.writer": "Truth generate_log",
    "log": "Log",
    "reading.reader": "read_log",
    "report.page": "LogsReport logs_report",
    "settings": "Settings",
    "tables": "explain_metric",
}

__all__ = [
    "BotRules",
    "Diagnosis",
    "Limits",
    "Log",
    "LogsReport",
    "MetricResults",
    "Settings",
    "Truth",
    "examine",
    "explain_metric",
    "generate_log",
    "logs_report",
    "measure_log",
    "read_log",
    "without_bots",
]

__getattr__ = lazy_modules(__name__, _NAMES)
