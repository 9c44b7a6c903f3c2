"""The server of the tests: each line of its input starts one, which may be killed.

    python -m tests.judging.serving

It reads `FOLDER PORT` (0 is any port), and prints the process and the port of a server that
listens. Each is a process of its own that opens the project anew; only the imports, which take a
second, are done once. It ends, with the server, when its input does.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from contextlib import suppress

from cleverdon.judging.project import open_project
from cleverdon.judging.web import server
from cleverdon.judging.web.app import make_app


def serve(folder: str, port: int) -> None:
    """Serve a project until the process is ended."""
    logging.basicConfig(level=logging.ERROR)
    with server._bind("127.0.0.1", port) as listening:
        app = make_app(open_project(folder))
        print(os.getpid(), listening.getsockname()[1], flush=True)
        server._run(app, listening)


def main() -> None:
    """Start a server for each line."""
    server = 0
    for line in sys.stdin:
        _ended(server)
        folder, port = line.rstrip("\n").rsplit(" ", 1)
        server = os.fork()
        if not server:
            os.close(sys.stdin.fileno())
            serve(folder, int(port))
            return
    if server:
        with suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)
        _ended(server)


def _ended(server: int) -> None:
    if server:
        os.waitpid(server, 0)


if __name__ == "__main__":
    main()
