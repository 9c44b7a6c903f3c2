"""The machine that measured: what results say of it, and what else it had to do meanwhile."""

from __future__ import annotations

import os
import platform
from time import perf_counter
from typing import Any

from cleverdon import __version__
from cleverdon.engine.cpu import psutil, spent

_BUSY = 0.2
"""Cores that other programs keep busy, from which on times are in doubt."""


def facts() -> dict[str, Any]:
    """What times and sizes depend on; nothing that says whose machine it is."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "memory": psutil().virtual_memory().total,
        "python": platform.python_version(),
        "cleverdon": __version__,
    }


def disturbed(cores: float) -> str:
    """A sentence on what so many cores that were busy with other programs mean; or nothing."""
    if cores <= _BUSY:
        return ""
    return f"other programs kept {cores:.1f} cores busy meanwhile: times may be too long"


class Others:
    """How many cores other programs kept busy, since this was made."""

    def __init__(self) -> None:
        self._began, self._busy, self._own = perf_counter(), _busy(), spent()

    def cores(self, measured: float) -> float:
        """On average; `measured` are the seconds that what is measured itself spent."""
        lasted = perf_counter() - self._began
        # What our children spent was counted once they ended, and is in `measured` already.
        ours = max((spent() - self._own).total, measured)
        return max(0.0, (_busy() - self._busy - ours) / lasted) if lasted > 0 else 0.0


def _busy() -> float:
    times = psutil().cpu_times()
    idle = ("idle", "iowait", "guest", "guest_nice", "steal")
    return float(sum(getattr(times, name) for name in times._fields if name not in idle))
