"""A description of this machine, to print with the times."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "cleverdon",
    "ir_measures",
    "pytrec_eval-terrier",
    "ranx",
    "trectools",
    "scikit-learn",
    "numpy",
    "polars",
    "pandas",
    "duckdb",
    "ibis-framework",
    "aiohttp",
    "httpx",
)


def facts() -> dict[str, str]:
    """Describe processor, memory, system and the versions of all tools."""
    return {
        "processor": f"{_processor()}, {_cores()} cores",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "versions": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "trec_eval": _trec_eval(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return models[0] if models else platform.processor() or platform.machine()


def _cores() -> int:
    """Count the cores that this process may use; in a container these may be fewer than all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB"
    except (ValueError, OSError):
        return "unknown"


def _trec_eval() -> str:
    binary = os.environ.get("TREC_EVAL")
    if binary is None:
        return "not given"
    told = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False)
    return (told.stdout + told.stderr).strip() or "of unknown version"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
