from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from cleverdon.engines.adapters.local import ThreadedEngine
from cleverdon.engines.protocol import Results, SearchFailure
from cleverdon.errors import OptionError


class Recording(ThreadedEngine):
    """Says which of its threads answered, and when they began and ended."""

    def __init__(self, *, threads: int = 4) -> None:
        super().__init__(threads=threads)
        self.name = "recording"
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.gate = threading.Barrier(threads)

    def begin(self) -> None:
        self.begun.append(threading.current_thread().name)

    def end(self) -> None:
        self.ended.append(threading.current_thread().name)

    def answer(self, query: str, k: int) -> Results:
        if query == "together":
            self.gate.wait(10)  # passes only where as many as there are threads are here
        return [(threading.current_thread().name, 1.0)]


def threads_of(name: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith(name)]


def test_searches_run_in_threads_at_once() -> None:
    engine = Recording(threads=3)

    async def many() -> list[Results]:
        async with engine:
            return await asyncio.gather(*(engine.search("together", 1) for _ in range(6)))

    names = {results[0][0] for results in asyncio.run(many())}
    assert names == set(engine.begun) == {f"recording-{number}" for number in range(3)}


def test_threads_end_with_the_engine_and_begin_anew() -> None:
    engine = Recording(threads=2)

    async def once() -> None:
        async with engine:
            await engine.search("q", 1)

    for times in (1, 2):
        asyncio.run(once())
        for thread in threads_of("recording-"):
            thread.join(10)
        assert len(engine.begun) == len(engine.ended) == 2 * times
    assert not threads_of("recording-")


def test_an_engine_that_is_not_open_says_so() -> None:
    with pytest.raises(OptionError, match="recording is not open: write 'async with engine:'"):
        asyncio.run(Recording().search("a", 1))


def test_more_threads_than_there_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, start, started = Recording(threads=5), threading.Thread.start, []

    def limited(thread: threading.Thread) -> None:
        if len(started) == 3:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    async def opened() -> None:
        async with engine:
            pass

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", limited)
        with pytest.raises(OptionError, match=r"threads=5: this machine started 3 of them"):
            asyncio.run(opened())
    for thread in started:
        thread.join(10)
    assert not threads_of("recording-")


class Broken(ThreadedEngine):
    """One whose threads cannot even begin."""

    def begin(self) -> None:
        raise OSError("no such file")

    def answer(self, query: str, k: int) -> Results:
        return []


def test_everyone_is_told_why_threads_could_not_begin() -> None:
    engine = Broken(threads=2)

    async def many() -> list[Results | BaseException]:
        async with engine:
            asked = (engine.search("q", 1) for _ in range(5))
            return await asyncio.gather(*asked, return_exceptions=True)

    said = [str(failure) for failure in asyncio.run(many())]
    assert said == ["server: OSError: no such file"] * 5


class Waiting(ThreadedEngine):
    """Waits for a word."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.begun, self.word = threading.Event(), threading.Event()
        self.answered: list[str] = []

    def answer(self, query: str, k: int) -> Results:
        if query == "wait":
            self.begun.set()
            assert self.word.wait(10)
        self.answered.append(query)
        return [(query, 1.0)]


def test_what_nobody_waits_for_is_not_searched() -> None:
    engine = Waiting()

    async def hurried() -> Results:
        async with engine:
            first = asyncio.create_task(engine.search("wait", 1))
            second = asyncio.create_task(engine.search("given up", 1))
            assert await asyncio.to_thread(engine.begun.wait, 10)
            first.cancel()
            second.cancel()
            await asyncio.gather(first, second, return_exceptions=True)
            engine.word.set()
            return await engine.search("last", 1)

    assert asyncio.run(hurried()) == [("last", 1.0)]
    assert engine.answered == ["wait", "last"]


def test_failures_are_the_ones_that_were_raised() -> None:
    class Busy(Recording):
        def answer(self, query: str, k: int) -> Results:
            raise SearchFailure("overloaded", "later", retry_after=3.0)

    async def once() -> None:
        async with Busy(threads=1) as engine:
            await engine.search("q", 1)

    with pytest.raises(SearchFailure) as raised:
        asyncio.run(once())
    assert (raised.value.kind, raised.value.retry_after) == ("overloaded", 3.0)


HANGING = """
import asyncio, random, threading
from cleverdon.engines.client import Patience, ask
from cleverdon.engines.adapters.python import as_engine

def search(query, k):
    threading.Event().wait()

async def main():
    async with as_engine(search) as engine:
        patience = Patience(timeout=0.05, tries=1)
        answer = await ask(engine, "q", 1, patience=patience, chance=random.Random(0))
        print(answer.failure)

asyncio.run(main())
"""


def test_a_search_that_hangs_keeps_no_program_from_ending() -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGING], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "timeout: no answer within 0.05 s\n"
    assert done.stderr == ""
