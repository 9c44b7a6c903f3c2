"""Processor time, of this process and of others."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from cleverdon.errors import MissingExtra


@dataclass(frozen=True)
class Cpu:
    """Seconds that processors spent: in the program itself, and in the system on its behalf."""

    user: float = 0.0
    system: float = 0.0

    @property
    def total(self) -> float:
        """Both together."""
        return self.user + self.system

    def __add__(self, other: Cpu) -> Cpu:
        return Cpu(self.user + other.user, self.system + other.system)

    def __sub__(self, other: Cpu) -> Cpu:
        return Cpu(max(0.0, self.user - other.user), max(0.0, self.system - other.system))


NOTHING = Cpu()

TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 1 / 64
"""The step in which the system tells the time of other processes; that of Windows is 1/64 s."""


def spent() -> Cpu:
    """What this process spent so far, and those of its children that have ended."""
    try:
        import resource
    except ImportError:  # Windows, where children that have ended are forgotten
        times = os.times()
        return Cpu(times.user + times.children_user, times.system + times.children_system)
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Cpu(own.ru_utime + children.ru_utime, own.ru_stime + children.ru_stime)


def psutil() -> Any:
    """The library that sees other processes."""
    try:
        import psutil
    except ImportError:
        raise MissingExtra("measuring processes", package="psutil", extra="engine") from None
    return psutil
