"""Watching in a process of its own, so that those who judge do not wait for it.

Python runs one thread at a time: what computes for a second within the server slows every judgment
of that second. The process is asked by a line on its input, and answers by a record on its output.
It ends when its input does: with the server, however that ends.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from weakref import finalize

from cleverdon.assess.judging.feeding import Feeder
from cleverdon.assess.project import Project, open_project
from cleverdon.assess.watching.beyond import Systems
from cleverdon.assess.watching.facts import read_facts
from cleverdon.assess.watching.watched import Watched, watched


class Here:
    """Computes in this process; what it has read of the pool is kept."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._systems = Systems(project.folder)
        self._feeder = Feeder(project)

    def watched(self) -> Watched:
        """The state of the project as it is now."""
        with self._project.database.reading() as connection:
            endings = self._feeder.endings(connection)
            facts = read_facts(connection, self._project.scale, endings=endings)
        return watched(facts, self._systems)


class Apart:
    """Has another process compute."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def watched(self) -> Watched | None:
        """The same; None where the process failed, and the next one is to begin anew."""
        try:
            if self._process is None:
                self._process = self._started()
            return _answer(self._process)
        except (OSError, EOFError, pickle.UnpicklingError):
            if self._process is not None:
                _end(self._process)
            self._process = None
            return None

    def _started(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            # -P: what lies in the folder that the server was started in is not imported.
            [sys.executable, "-P", "-m", __name__, str(self._folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # whatever fails there is tried here, and told
        )
        finalize(self, _end, process)
        return process


def _answer(process: subprocess.Popen[bytes]) -> Watched:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n")
    process.stdin.flush()
    found: Watched = pickle.load(process.stdout)
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        process.kill()  # it only reads
        process.communicate()


def main(folder: str) -> None:
    """Answer each line until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the server's
    if hasattr(os, "nice"):
        os.nice(10)
    with open_project(folder) as project:
        here = Here(project)
        for _ in sys.stdin.buffer:
            pickle.dump(here.watched(), sys.stdout.buffer)
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
