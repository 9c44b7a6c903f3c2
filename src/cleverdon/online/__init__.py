"""Search logs: how users fare, which variant won, what clicks say of documents.

    from cleverdon.online import observe, read_log
    print(observe(read_log("logs"), by="day"))

Interleaving, click models, A/B tests and the generator of logs have packages of their own. Names
are loaded when they are first used: Ibis takes a while to import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cleverdon.online.log import Log
    from cleverdon.online.observing import Observed, observe
    from cleverdon.online.reading import read_log
    from cleverdon.online.settings import Settings

_HOME = {
    "Log": "log",
    "Observed": "observing",
    "Settings": "settings",
    "observe": "observing",
    "read_log": "reading",
}

__all__ = ["Log", "Observed", "Settings", "observe", "read_log"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'cleverdon.online' has no attribute {name!r}")
    return getattr(import_module(f"cleverdon.online.{_HOME[name]}"), name)
