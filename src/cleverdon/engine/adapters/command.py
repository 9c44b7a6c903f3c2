"""Any command that reads queries and writes TREC lines, as a search engine."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Any, Self

from cleverdon.engine.adapters.trec_lines import query_lines, results_of
from cleverdon.engine.failures import SearchFailure
from cleverdon.engine.protocol import Engine, Results
from cleverdon.errors import OptionError, check_count, check_within

_EXCERPT = 300
_ENDING = 5.0
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
        self._command = _words(command, shell=shell)
        self.unsaid = shlex.join(self._command)
        self._processes = check_count("processes", processes)
        self._turns = asyncio.Semaphore(self._processes)

    @staticmethod
    def short(text: str) -> Mapping[str, Any]:
        """`command:PROGRAM ARGUMENTS`, quoted as in a shell."""
        return {"command": text.partition(":")[2]}

    @property
    def settings(self) -> Mapping[str, Any]:
        # Arguments are left unsaid, since a key may be among them.
        program = "a shell" if self._shell else os.path.basename(self._command[0])
        return {"kind": "command", "program": program}

    def make_room(self, at_once: int) -> int:
        return min(at_once, self._processes)

    async def __aenter__(self) -> Self:
        self._turns = asyncio.Semaphore(self._processes)
        if not self._shell and shutil.which(self._command[0]) is None:
            raise OptionError(
                f"command: there is no program {self._command[0]!r} on the path, or it cannot be "
                "run; one in the current folder is ./PROGRAM"
            )
        return self

    async def search(self, query: str, k: int) -> Results:
        """The first k results of one query, for which the command is started."""
        async with self._turns:
            return (await self.search_all({"1": query}, k))["1"]

    async def search_all(self, topics: Mapping[str, str], k: int) -> dict[str, Results]:
        """The first k results of every topic, for all of which the command is started once.

        Every topic is in what is returned, in the same order; one of which the command wrote
        nothing has no results. Raises a `SearchFailure`, which is then that of all topics: of the
        kind "timeout" after the engine's own time limit, "server" where the command says by its
        exit code that it failed, "malformed" where a line is none. An answer is never half of one.
        """
        asked = query_lines(topics)
        with TemporaryFile() as complaints:
            written, code = await self._run(asked, k, complaints)
            if code != 0:
                raise SearchFailure("server", f"{_ended(code)}{_excerpt(complaints)}")
        return results_of(written, topics, k)

    async def _run(self, asked: bytes, k: int, complaints: IO[bytes]) -> tuple[bytes, int]:
        pipe = asyncio.subprocess.PIPE
        options: dict[str, Any] = {"stdin": pipe, "stdout": pipe, "stderr": complaints}
        options["start_new_session"] = True  # so that all it starts can be ended with it
        words = [word.replace("{k}", str(k)) for word in self._command]
        if self._shell:
            starting = asyncio.create_task(asyncio.create_subprocess_shell(words[0], **options))
        else:
            starting = asyncio.create_task(asyncio.create_subprocess_exec(*words, **options))
        try:
            process = await asyncio.shield(starting)
        except OSError as error:
            raise SearchFailure("refused", f"cannot be started: {error}") from error
        except asyncio.CancelledError:  # asyncio would end the command, and not what it started
            with suppress(OSError):
                await _end(await starting)
            raise
        try:
            async with asyncio.timeout(self._timeout):
                written, _ = await process.communicate(asked)
        except BaseException as error:  # given up by the one who asked as well
            await _end(process)
            if isinstance(error, TimeoutError):
                said = f"not done within {self._timeout:g} s{_excerpt(complaints)}"
                raise SearchFailure("timeout", said) from None
            raise
        return written, await process.wait()


def _words(command: str | Sequence[str], *, shell: bool) -> list[str]:
    if shell and not isinstance(command, str):
        raise OptionError("command: expected one text for a shell, found a list")
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise OptionError(f"command: {error} in {command!r}") from None
    if not words or not words[0]:
        raise OptionError("command: expected a program, and perhaps arguments; found nothing")
    return [str(command)] if shell else words


async def _end(process: asyncio.subprocess.Process) -> None:
    """End it, and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with suppress(TimeoutError):
        async with asyncio.timeout(_ENDING):
            await process.wait()


def _ended(code: int) -> str:
    if code > 0:
        return f"it ended with exit code {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"


def _excerpt(complaints: IO[bytes]) -> str:
    """The end of what it wrote to stderr, where the reason mostly stands."""
    length = complaints.seek(0, os.SEEK_END)
    complaints.seek(max(0, length - 4 * _EXCERPT))
    said = " ".join(complaints.read().decode("utf-8", "replace").split())
    return f": {said if len(said) <= _EXCERPT else f'... {said[-_EXCERPT:]}'}" if said else ""
