"""What makes an index: an engine's adapter, or a command of one's own."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cleverdon.engine.configured import open_engine
from cleverdon.engine.indexing.documents import Prepared
from cleverdon.engine.protocol import Engine
from cleverdon.errors import OptionError


@dataclass(frozen=True)
class Started:
    """How a process is started."""

    words: tuple[str, ...]
    stdin: str | None = None  # a file that is its standard input
    told: str | None = None  # a line that is written to it, which is then held open


class Job(Protocol):
    """One way to make an index."""

    reports: bool
    """Whether the process says what it took."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What results say of it."""
        ...

    @property
    def hidden(self) -> bool:
        """Whether the work is done by processes elsewhere, whose times and memory are not seen."""
        ...

    @property
    def replaces(self) -> bool:
        """Whether an index may take the place of the one before."""
        ...

    def place(self, fresh: str) -> str | None:
        """Where the index will be; `fresh` is a path where nothing is."""
        ...

    def started(self, documents: Prepared, place: str | None) -> Started:
        """How to start it on some documents."""
        ...


@dataclass(frozen=True)
class EngineJob:
    """An engine, opened anew in the process that indexes."""

    given: str | Mapping[str, Any]
    engine: Engine
    named: str = ""
    reports = True

    @property
    def name(self) -> str:
        return self.named or self.engine.name

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"engine": dict(self.engine.settings)}

    @property
    def hidden(self) -> bool:
        return not self.engine.in_process

    @property
    def replaces(self) -> bool:
        # Engines that delete documents only when told so have an option of this name.
        return getattr(self.engine, "replace", True) is not False

    def place(self, fresh: str) -> str | None:
        return self.engine.place

    def started(self, documents: Prepared, place: str | None) -> Started:
        told = json.dumps({"engine": self.given, "input": documents.path})
        return Started((sys.executable, "-m", "cleverdon.engine.indexing.child"), told=told)


@dataclass(frozen=True)
class CommandJob:
    """A program that is given documents in a file, or on its standard input.

    `{input}` stands for a file of JSON lines with id, title and text; `{files}` for the collection
    as it was given, which cannot be cut to sizes; `{output}` for where to put the index. Where
    neither of the first two is there, the lines are the program's standard input.
    """

    command: str
    files: tuple[str, ...]
    named: str = ""
    reports = False
    hidden = False
    replaces = True

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise OptionError(f"command {self.command!r} cannot be read: {error}") from None
        if not words:
            raise OptionError("the command is empty; give a program and what it is to be told")
        if shutil.which(words[0]) is None:
            raise OptionError(f"there is no program {words[0]!r}, or it cannot be run")

    @property
    def name(self) -> str:
        return self.named or os.path.basename(shlex.split(self.command)[0])

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"command": self.command}

    @property
    def takes_files(self) -> bool:
        """Whether it reads the collection as it was given."""
        return "{files}" in self.command

    def place(self, fresh: str) -> str | None:
        return fresh if "{output}" in self.command else None

    def started(self, documents: Prepared, place: str | None) -> Started:
        words: list[str] = []
        for word in shlex.split(self.command):
            filled = word.replace("{input}", documents.path).replace("{output}", place or "")
            words += self.files if word == "{files}" else [filled]
        piped = not self.takes_files and "{input}" not in self.command
        return Started(tuple(words), stdin=documents.path if piped else os.devnull)


def engine_job(given: str | os.PathLike[str] | Mapping[str, Any], *, name: str = "") -> EngineJob:
    """The job of an engine, which must be able to index."""
    if not isinstance(given, (str, os.PathLike, Mapping)):
        raise OptionError(
            f"{type(given).__name__!r} cannot be indexed with: give the engine by its name or as a "
            "configuration, since it is opened in a process of its own"
        )
    engine = open_engine(given)
    if type(engine).index is Engine.index:
        engine.index(())  # which says why it cannot
    text = os.fspath(given) if isinstance(given, os.PathLike) else given
    return EngineJob(text, engine, name)


def check_repeatable(job: Job, builds: int) -> None:
    """Raise an OptionError where a second build could not replace the first one."""
    if builds > 1 and not job.replaces:
        raise OptionError(
            f"{job.name} is indexed {builds} times, and may not replace what is there: set its "
            "option replace to true, or measure once, with one size"
        )
