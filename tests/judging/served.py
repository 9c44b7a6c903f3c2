"""A real server in a process of its own, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen
from typing import IO

from cleverdon.judging.project import Project
from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name, csrf_token
from tests.judging.projects import signed_in

ROOT = Path(__file__).parents[2]
_COMMAND = (sys.executable, "-m", "tests.judging.serving")


class Served:
    """A server of a project; it keeps its port when it is started again."""

    def __init__(self, folder: Path, starter: Popen[str]) -> None:
        self.folder = folder
        self.pid = 0
        self._port = 0
        assert starter.stdin is not None
        assert starter.stdout is not None
        self._asked: IO[str] = starter.stdin
        self._told: IO[str] = starter.stdout
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it; it listens when this returns."""
        self._asked.write(f"{self.folder} {self._port}\n")
        self._asked.flush()
        told = self._told.readline().split()
        assert len(told) == 2, "the server did not start; what it says stands above"
        self.pid, self._port = map(int, told)

    def kill(self) -> None:
        """As by `kill -9`: nothing is tidied up."""
        os.kill(self.pid, signal.SIGKILL)

    def pause(self) -> None:
        """It holds its connections, and answers nobody."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """After a pause."""
        os.kill(self.pid, signal.SIGCONT)


@contextmanager
def serving(folder: Path, *, within: Sequence[str] = ()) -> Iterator[Served]:
    """A server of the project in a folder; `within` is a command that runs it."""
    with Popen([*within, *_COMMAND], cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as starter:
        try:
            yield Served(folder, starter)
        finally:
            assert starter.stdin is not None
            starter.stdin.close()
            starter.wait(timeout=60)


def headers(project: Project, name: str) -> dict[str, str]:
    """What a browser sends in which a person is signed in."""
    key = signed_in(project, name)
    return {"Cookie": f"{cookie_name(project)}={key}", CSRF_HEADER: csrf_token(key)}
