"""A real PostgreSQL server for tests."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest

USER = "tester"
DATABASE = "postgres"


@contextmanager
def server() -> Iterator[Path]:
    """Start a server; yield the folder of its data and socket (its host). No port is open."""
    if _binaries() is None:
        pytest.skip("no PostgreSQL server is installed: apt-get install postgresql")
    # Not in pytest's own folder, which only its owner may enter: PostgreSQL does not run as root.
    with TemporaryDirectory(prefix="cleverdon-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if owner := _owner():
            shutil.chown(folder, owner["user"])
        _run(
            "initdb", "-D", f"{folder}/data", "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8"
        )
        _control(folder, "start")
        try:
            yield folder
        finally:
            _control(folder, "stop", "-m", "immediate")


@contextmanager
def stopped(host: Path) -> Iterator[None]:
    """Stop the server at once, and start it again afterwards."""
    _control(host, "stop", "-m", "fast")
    try:
        yield
    finally:
        _control(host, "start")


def url(host: Path) -> str:
    return f"postgresql://{USER}@/{DATABASE}?host={host}"


def empty_database(host: Path) -> str:
    """Create an empty database; return its URL."""
    name = f"of_{token_hex(4)}"
    with psycopg.connect(url(host), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql://{USER}@/{name}?host={host}"


def _control(folder: Path, do: str, *more: str) -> None:
    settings = f"-k {folder} -c listen_addresses= -c fsync=off"
    known = ["-D", f"{folder}/data", "-l", f"{folder}/log", "-w", "-t", "300"]
    _run("pg_ctl", do, *known, *more, *([] if do == "stop" else ["-o", settings]))


def _run(program: str, *arguments: str) -> None:
    binaries = _binaries()
    assert binaries is not None
    command = [str(binaries / program), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, **_owner())
    assert ran.returncode == 0, f"{program}: {ran.stdout}{ran.stderr}"


def _owner() -> dict[str, Any]:
    """Return the user who runs the server: not root, which PostgreSQL refuses."""
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
