"""An engine that notes what it is asked, and a process that searches it, to be killed.

python -m tests.engines.counting_engine FOLDER
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from cleverdon.engines.client import Patience
from cleverdon.engines.protocol import Engine, Results, SearchFailure
from cleverdon.engines.run_file import search_to_file

TOPICS = {f"q{number}": f"word{number}" for number in range(60)}
QUICK = Patience(tries=1)


class Counting(Engine):
    """Notes each question in a file, at once, so that it is known even of a process that died."""

    name = "counting"

    def __init__(
        self, log: Path, *, fails: set[str] | None = None, depth: int = 3, delay: float = 0.0
    ) -> None:
        self.log, self.fails, self.depth, self.delay = log, fails or set(), depth, delay

    async def search(self, query: str, k: int) -> Results:
        with self.log.open("a") as file:
            file.write(f"{query}\n")
        await asyncio.sleep(self.delay)
        if query in self.fails:
            raise SearchFailure("server", "told so")
        number = int(query.removeprefix("word"))
        return [(f"d{(number * place) % 17}-{place}", 1 / place) for place in (1, 2, 3, 7)][:k]

    @property
    def settings(self) -> dict[str, Any]:
        return {"depth": self.depth}

    @property
    def asked(self) -> list[str]:
        """The words of all questions so far."""
        return self.log.read_text().split() if self.log.exists() else []


def main(folder: Path) -> None:
    """Search slowly enough to be killed on the way."""
    engine = Counting(folder / "asked", delay=0.02)
    search_to_file(engine, TOPICS, folder / "my.run", concurrency=3, patience=QUICK)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
