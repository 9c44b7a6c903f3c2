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
    if _binaries() is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    if owner := _owner():
        shutil.chown(folder, owner["user"])
    _run("initdb", "-D", f"{folder}/data", "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8")
    _control(folder, "start")
    try:
        yield folder
    finally:
        _control(folder, "stop", "-m", "immediate")


def restart(folder: Path) -> None:
    """End all that its clients are at, and start it again."""
    _control(folder, "restart", "-m", "fast")


def _control(folder: Path, do: str, *more: str) -> None:
    settings = f"-k {folder} -c listen_addresses= -c fsync=off"
    known = ["-D", f"{folder}/data", "-l", f"{folder}/log", "-w"]
    _run("pg_ctl", do, *known, *more, *([] if do == "stop" else ["-o", settings]))


def _run(program: str, *arguments: str) -> None:
    binaries = _binaries()
    assert binaries is not None
    command = [str(binaries / program), *arguments]
    subprocess.run(command, check=True, capture_output=True, **_owner())


def _owner() -> dict[str, Any]:
    """Who runs the server: it refuses to run as root, as containers do everything."""
    if os.geteuid() != 0:
        return {}
    return {"user": "postgres" if _exists("postgres") else "nobody", "cwd": "/"}


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    return found[-1].parent if found else None


def _exists(user: str) -> bool:
    return any(entry.pw_name == user for entry in pwd.getpwall())
