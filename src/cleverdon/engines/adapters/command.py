"""A command that reads queries and writes TREC lines, as an engine."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from tempfile import TemporaryFile
from typing import IO, Any, Self

from cleverdon.engines.adapters.local import sort_results
from cleverdon.engines.protocol import Engine, Results, SearchFailure
from cleverdon.errors import InputError, OptionError, check_count, check_within


def _query_lines(queries: Mapping[str, str]) -> bytes:
    """Write each query as `id<TAB>query`; white space within a query becomes one blank."""
    for id in queries:
        if id.encode("utf-8", "replace").split() != [id.encode("utf-8", "replace")]:
            raise InputError(f"the id of query {id!r} is not one word, as TREC lines need it")
    lines = (f"{id}\t{' '.join(words.split())}\n" for id, words in queries.items())
    return "".join(lines).encode("utf-8", "replace")


def _parse_results(written: bytes, queries: Mapping[str, str], k: int) -> dict[str, Results]:
    """Return the first k results of every query; a query without a line has none."""
    found: dict[str, dict[str, float]] = {query: {} for query in queries}
    # Bytes, since only blanks and tabs part fields, and only line feeds lines: in a text, others of
    # Unicode would as well.
    for number, line in enumerate(written.split(b"\n"), 1):
        fields = line.split()
        if not fields:
            continue
        try:
            query, _, document, _, score, _ = (field.decode("utf-8") for field in fields)
        except UnicodeDecodeError as error:
            raise _malformed(number, f"is not UTF-8: {error}") from None
        except ValueError:
            said = line[:80].decode("utf-8", "replace")
            expected = "the 6 fields query Q0 document rank score tag"
            raise _malformed(number, f"expected {expected}, found {said!r}") from None
        if query not in found:
            raise _malformed(number, f"query {query!r} was not asked for")
        if document in found[query]:
            raise _malformed(number, f"document {document!r} is there twice for query {query!r}")
        found[query][document] = _parse_score(score, number)
    return {query: sort_results(list(held.items()))[:k] for query, held in found.items()}


def _parse_score(text: str, line: int) -> float:
    try:
        score = float(text)
    except ValueError:
        raise _malformed(line, f"expected a score, found {text!r}") from None
    if not isfinite(score):
        raise _malformed(line, f"the score is {text}, and no number")
    return score


def _malformed(line: int, message: str) -> SearchFailure:
    return SearchFailure("malformed", f"line {line} of its output: {message}")


_EXCERPT_LENGTH = 300
_KILL_TIMEOUT = 5.0
"""Seconds to wait for one that was ended: what left its session may hold its output open."""


class Command(Engine):
    """A command that gets lines `id<TAB>query` as its input, and writes `id Q0 doc rank score tag`.

    Its input ends after the last query. `{k}` in it is how many results are wanted. It is started
    without a shell, unless `shell` says so. A search starts it for one query, `processes` of them
    at most at a time; it is ended, with all that it started, after `timeout` seconds.
    """

    in_batches = True

    def __init__(
        self,
        *,
        command: str | Sequence[str],
        shell: bool = False,
        processes: int = 2,
        timeout: float = 600.0,
        name: str = "command",
    ) -> None:
        check_within("timeout", timeout, 0, 10**9)
        self.name = name
        self._shell, self._timeout = shell, timeout
        self._command = _command_words(command, shell=shell)
        self.identity = shlex.join(self._command)
        self._processes = check_count("processes", processes)
        self._turns = asyncio.Semaphore(self._processes)
        self._starting: set[asyncio.Task[asyncio.subprocess.Process]] = set()

    @staticmethod
    def short(text: str) -> Mapping[str, Any]:
        """`command:PROGRAM ARGUMENTS`, quoted as in a shell."""
        return {"command": text.partition(":")[2]}

    @property
    def settings(self) -> Mapping[str, Any]:
        # Arguments are not shown, since a key may be among them.
        program = "a shell" if self._shell else os.path.basename(self._command[0])
        return {"kind": "command", "program": program}

    def set_concurrency(self, queries: int) -> int:
        return min(queries, self._processes)

    async def __aenter__(self) -> Self:
        self._turns = asyncio.Semaphore(self._processes)
        if not self._shell and shutil.which(self._command[0]) is None:
            raise OptionError(
                f"command: there is no program {self._command[0]!r} on the path, or it cannot be "
                "run; one in the current folder is ./PROGRAM"
            )
        return self

    async def __aexit__(self, *error: object) -> None:
        # asyncio never ends where a process is cancelled while it starts, as asyncio.run() does.
        while self._starting:
            await asyncio.wait(set(self._starting))

    async def search(self, query: str, k: int) -> Results:
        async with self._turns:
            return (await self.search_all({"1": query}, k))["1"]

    async def search_all(self, queries: Mapping[str, str], k: int) -> dict[str, Results]:
        """Start the command once for all queries; a failure is one of all of them."""
        asked = _query_lines(queries)
        with TemporaryFile() as complaints:
            written, code = await self._run(asked, k, complaints)
            if code != 0:
                raise SearchFailure("server", f"{_exit_text(code)}{_stderr_excerpt(complaints)}")
        return _parse_results(written, queries, k)

    async def _run(self, asked: bytes, k: int, complaints: IO[bytes]) -> tuple[bytes, int]:
        pipe = asyncio.subprocess.PIPE
        options: dict[str, Any] = {"stdin": pipe, "stdout": pipe, "stderr": complaints}
        options["start_new_session"] = True  # so that all it starts can be ended with it
        words = [word.replace("{k}", str(k)) for word in self._command]
        if self._shell:
            starting = asyncio.create_task(asyncio.create_subprocess_shell(words[0], **options))
        else:
            starting = asyncio.create_task(asyncio.create_subprocess_exec(*words, **options))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        try:
            process = await asyncio.shield(starting)
        except OSError as error:
            raise SearchFailure("refused", f"cannot be started: {error}") from error
        except asyncio.CancelledError:  # asyncio would end the command, and not what it started
            with suppress(OSError):
                await _kill(await starting)
            raise
        try:
            async with asyncio.timeout(self._timeout):
                written, _ = await process.communicate(asked)
        except BaseException as error:  # given up by the one who asked as well
            await _kill(process)
            if isinstance(error, TimeoutError):
                said = f"not done within {self._timeout:g} s{_stderr_excerpt(complaints)}"
                raise SearchFailure("timeout", said) from None
            raise
        return written, await process.wait()


def _command_words(command: str | Sequence[str], *, shell: bool) -> list[str]:
    if shell and not isinstance(command, str):
        raise OptionError("command: expected one text for a shell, found a list")
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise OptionError(f"command: {error} in {command!r}") from None
    if not words or not words[0]:
        raise OptionError("command: expected a program, and perhaps arguments; found nothing")
    return [str(command)] if shell else words


async def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with suppress(TimeoutError):
        async with asyncio.timeout(_KILL_TIMEOUT):
            await process.wait()


def _exit_text(code: int) -> str:
    if code > 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"


def _stderr_excerpt(complaints: IO[bytes]) -> str:
    length = complaints.seek(0, os.SEEK_END)
    complaints.seek(max(0, length - 4 * _EXCERPT_LENGTH))
    said = " ".join(complaints.read().decode("utf-8", "replace").split())
    return (
        f": {said if len(said) <= _EXCERPT_LENGTH else f'... {said[-_EXCERPT_LENGTH:]}'}"
        if said
        else ""
    )
