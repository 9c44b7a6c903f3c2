"""A real PostgreSQL server for tests, which lives as long as they do."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

USER = "tester"
DATABASE = "postgres"


@contextmanager
def server(folder: Path) -> Iterator[Path]:
    """A server whose data and socket are in that folder, which is its host; no port is open."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    # It refuses to run as root, as containers do everything.
    owner: dict[str, Any] = {}
    if os.geteuid() == 0:
        owner = {"user": "postgres" if _exists("postgres") else "nobody", "cwd": "/"}
        shutil.chown(folder, owner["user"])

    def run(program: str, *arguments: str) -> None:
        command = [str(binaries / program), *arguments]
        subprocess.run(command, check=True, capture_output=True, **owner)

    data = str(folder / "data")
    run("initdb", "-D", data, "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8")
    settings = f"-k {folder} -c listen_addresses= -c fsync=off"
    run("pg_ctl", "-D", data, "-o", settings, "-l", str(folder / "log"), "-w", "start")
    try:
        yield folder
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    return found[-1].parent if found else None


def _exists(user: str) -> bool:
    return any(entry.pw_name == user for entry in pwd.getpwall())
