"""A search service of its own process: HTTP and JSON before a real SQLite FTS5 index.

    python -m tests.engines.service INDEX [--delay S] [--fail-every N --status 503 --retry-after 1]
                                         [--drop-every N] [--malformed-every N]

Prints its port, and ends when its input does. `GET /search?q=WORDS&k=10` answers
`{"hits": [{"id": "d1", "score": 2.5}, ...]}`, `GET /requests` how many searches came in so far.
The failures are injected by the number of the search, from 1, so that every test sees the same.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from cleverdon.engines.protocol import Document

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Service:
    """One that runs."""

    url: str  # http://127.0.0.1:PORT, without a slash at the end

    @property
    def requests(self) -> int:
        """How many searches came in, those that failed included."""
        with urlopen(f"{self.url}/requests", timeout=10) as answer:
            return int(json.load(answer)["requests"])


@contextmanager
def serving(index: Path, *options: str) -> Iterator[Service]:
    """The service over that index, with what its command line takes."""
    command = [sys.executable, "-m", "tests.engines.service", str(index), *options]
    with Popen(command, cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            port = process.stdout.readline().strip()
            assert port.isdigit(), f"the service did not start: {port!r}"
            yield Service(f"http://127.0.0.1:{port}")
        finally:
            process.stdin.close()
            try:
                process.wait(timeout=10)
            finally:
                process.kill()


def write_index(path: Path, documents: Iterable[Document]) -> None:
    """An index of the documents, made by SQLite alone."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, title, text)")
        rows = ((document.id, document.title, document.text) for document in documents)
        database.executemany("INSERT INTO documents VALUES (?, ?, ?)", rows)


def found(database: sqlite3.Connection, query: str, k: int) -> list[tuple[str, float]]:
    """The first k documents that have a word of the query, by BM25."""
    words = " OR ".join(f'"{word}"' for word in re.findall(r"[^\W_]+", query))
    return database.execute(
        "SELECT id, -bm25(documents) AS score FROM documents WHERE documents MATCH ?"
        " ORDER BY score DESC, id DESC LIMIT ?",
        (words or '""', k),
    ).fetchall()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024  # many clients at once are what a load is

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.options = options
        self.searches = 0
        self.lock = threading.Lock()

    def count(self) -> int:
        with self.lock:
            self.searches += 1
            return self.searches

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that went away is none of this server's business


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        index = Path(self.server.options.index).resolve()
        # A thread for each client, so each has a connection of its own.
        self.database = sqlite3.connect(f"{index.as_uri()}?mode=ro", uri=True)

    def finish(self) -> None:
        self.database.close()
        super().finish()

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path == "/requests":
            self._say(200, {"requests": self.server.searches})
        elif asked.path == "/search":
            self._search(parse_qs(asked.query))
        else:
            self._say(404, {"error": f"nothing at {asked.path}"})

    def _search(self, asked: dict[str, list[str]]) -> None:
        options, number = self.server.options, self.server.count()
        time.sleep(options.delay)
        if options.drop_every and number % options.drop_every == 0:
            self.close_connection = True
        elif options.fail_every and number % options.fail_every == 0:
            after = {} if options.retry_after is None else {"Retry-After": options.retry_after}
            self._say(options.status, {"error": "injected"}, after)
        elif "q" not in asked or not asked.get("k", ["10"])[0].isdigit():
            self._say(400, {"error": "expected ?q=WORDS&k=NUMBER"})
        else:
            rows = found(self.database, asked["q"][0], int(asked.get("k", ["10"])[0]))
            cut = bool(options.malformed_every) and number % options.malformed_every == 0
            self._say(200, {"hits": [{"id": id, "score": score} for id, score in rows]}, cut=cut)

    def _say(
        self, status: int, said: Any, headers: dict[str, str] | None = None, *, cut: bool = False
    ) -> None:
        body = json.dumps(said).encode()
        body = body[: len(body) // 2] if cut else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def main() -> None:
    """Serve until the input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("index")
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--fail-every", type=int, default=0)
    parser.add_argument("--status", type=int, default=503)
    parser.add_argument("--retry-after")
    parser.add_argument("--drop-every", type=int, default=0)
    parser.add_argument("--malformed-every", type=int, default=0)
    server = _Server(parser.parse_args())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
