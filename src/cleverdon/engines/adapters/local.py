"""Base classes of engines with blocking searches or a local index.

A search that blocks runs in a thread of its own. A new index is built next to the one that it
replaces, and takes its place when it is complete. Equal scores have one order, so that two runs of
the same queries do not differ.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, ClassVar, Self
from unicodedata import normalize

from cleverdon.engines.adapters import parse_short_form
from cleverdon.engines.protocol import Engine, Results, to_failure
from cleverdon.errors import InputError, MissingExtra, OptionError, check_count

_Job = tuple[Callable[[], Results], "asyncio.Future[Results]"]


class ThreadedEngine(Engine):
    """An engine that blocks, asked in daemon threads: no search keeps the program from ending."""

    in_process = True

    def __init__(self, *, threads: int | None = None) -> None:
        self._fixed = threads is not None
        self._threads = 4 if threads is None else check_count("threads", threads)
        self._jobs: SimpleQueue[_Job | None] | None = None  # none while it is not open

    @abstractmethod
    def answer(self, query: str, k: int) -> Results:
        """Return the first k results; called in several threads at once."""

    def begin(self) -> None:
        """Prepare a thread before its first search, as by opening a connection."""

    def end(self) -> None:
        """Clean up a thread after its last search."""

    def set_concurrency(self, queries: int) -> int:
        """Use this many threads, unless the number was given."""
        if not self._fixed:
            self._threads = queries
        return min(queries, self._threads)

    async def __aenter__(self) -> Self:
        jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._jobs = jobs
        for number in range(self._threads):
            name = f"{self.name}-{number}"
            try:
                Thread(target=self._work, args=(jobs,), name=name, daemon=True).start()
            except RuntimeError:
                await self.__aexit__()
                raise OptionError(
                    f"threads={self._threads}: this machine started {number} of them and no more; "
                    "ask fewer questions at a time, or say how many threads the engine may have"
                ) from None
        return self

    async def __aexit__(self, *exception: object) -> None:
        jobs, self._jobs = self._jobs, None
        if jobs is not None:
            for _ in range(self._threads):
                jobs.put(None)

    async def search(self, query: str, k: int) -> Results:
        if self._jobs is None:
            raise OptionError(f"{self.name} is not open: write 'async with engine:' around this")
        future: asyncio.Future[Results] = asyncio.get_running_loop().create_future()
        self._jobs.put((lambda: self.answer(query, k), future))
        return await future

    def _work(self, jobs: SimpleQueue[_Job | None]) -> None:
        problem: BaseException | None = None
        try:
            self.begin()
        except BaseException as error:
            problem = error  # raised for every query
        while (job := jobs.get()) is not None:
            call, future = job
            if future.cancelled():  # nobody waits for it any more
                continue
            try:
                if problem is not None:
                    raise problem
                _tell(future, call(), None)
            except (MissingExtra, OptionError) as error:
                _tell(future, [], error)  # of the settings: other queries would fail, too
            except BaseException as error:  # sys.exit() too, or the query would wait for ever
                _tell(future, [], to_failure(error))
        if problem is None:
            self.end()


class LocalIndex(ThreadedEngine):
    """An engine whose index is a file or a folder of this machine."""

    kind: ClassVar[str]
    place_option: ClassVar[str] = "folder"  # the option that names the index

    def __init__(
        self, path: str | os.PathLike[str], *, name: str, threads: int | None = None
    ) -> None:
        super().__init__(threads=threads)
        self.name = name
        self._path = Path(path)

    @classmethod
    def short(cls, text: str) -> Mapping[str, Any]:
        """Parse the short form, with options behind a question mark: `sqlite:FILE?operator=and`."""
        example = f"{cls.kind}:{cls.place_option.upper()}"
        return parse_short_form(cls, text, place=cls.place_option, example=example)

    @property
    def place(self) -> str:
        return str(self._path)

    def size(self) -> int | None:
        return _folder_size(self._path)


def _tell(future: asyncio.Future[Results], results: Results, failure: Exception | None) -> None:
    def settle() -> None:
        if future.done():  # given up
            return
        if failure is None:
            future.set_result(results)
        else:
            future.set_exception(failure)

    with suppress(RuntimeError):  # a loop that is closed: nobody waits any more
        future.get_loop().call_soon_threadsafe(settle)


_FOLDER_MARK = "cleverdon-index"  # the file by which a folder is known as one that may be replaced


@contextmanager
def replacing_file(path: Path) -> Iterator[Path]:
    """Yield a path to write to, which becomes the file unless there is an error."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        yield unfinished
        _sync(unfinished)
        os.replace(unfinished, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error}", source=str(path)) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Replace a folder, only if it is empty or was made here."""
    made_here = (path / _FOLDER_MARK).is_file()
    if path.exists() and not (path.is_dir() and (made_here or not any(path.iterdir()))):
        raise InputError(
            "cleverdon did not make this, and would replace all of it; give another folder, or "
            "delete this one first",
            source=str(path),
        )
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    before = path.with_name(f".{path.name}.{os.getpid()}.before")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        yield unfinished
        (unfinished / _FOLDER_MARK).touch()
        for file in unfinished.rglob("*"):
            if file.is_file():
                _sync(file)
        if path.exists():
            os.rename(path, before)  # a folder with files in it cannot be renamed over
        os.rename(unfinished, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error}", source=str(path)) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        if before.exists() and not path.exists():
            os.rename(before, path)
        shutil.rmtree(before, ignore_errors=True)


def _folder_size(path: Path) -> int | None:
    if not path.is_dir():
        return None
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def check_index_folder(path: Path, *, kind: str) -> None:
    """Raise an error that says how to make an index, where there is none."""
    if not path.is_dir():
        raise InputError(
            f"there is no such index; this makes it: cleverdon index {kind}:{path} COLLECTION",
            source=str(path),
        )


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sort_results(results: Results) -> Results:
    """Sort by score, and equal scores by the later id, as evaluation reads them."""
    return sorted(results, key=lambda result: (result[1], result[0]), reverse=True)


def first_results(k: int, fetch: Callable[[int], Results]) -> Results:
    """Return the first k; of equal scores at the cut, all are fetched, so that ids decide."""
    wanted = k + 1
    while True:
        found = fetch(wanted)
        if len(found) < wanted or found[-1][1] < found[k - 1][1]:
            return sort_results(found)[:k]
        wanted *= 4


_WORD = re.compile(r"[^\W_]+")


def query_words(text: str) -> list[str]:
    """Return the words of a text in lower case, in any script."""
    # An accent that stands as a character of its own would cut the word in two.
    return _WORD.findall(normalize("NFC", text.lower()))
