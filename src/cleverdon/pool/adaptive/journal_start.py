"""The first line of a journal: what is judged and how, which is decided once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from math import isfinite
from shlex import quote
from typing import Any

from cleverdon.errors import InputError, check_count, check_seed, check_word
from cleverdon.pool.adaptive.base import Method, make_method
from cleverdon.pool.adaptive.limits import Limits
from cleverdon.pool.contributions import Contributor
from cleverdon.read.judging_journal import FORMAT

_WANTED = {"method", "parameters", "seed", "rel", "topics", "limits", "depth", "systems"}


@dataclass(frozen=True)
class Start:
    """How judging began."""

    method: Method
    seed: int
    rel: float
    topics: tuple[str, ...] | None  # None: all
    limits: Limits
    depth: int | None  # how far the runs are looked at; None: to their ends
    run_format: str | None
    order_by: str
    systems: tuple[Contributor, ...]

    def entry(self) -> dict[str, Any]:
        """What is written."""
        return {
            "format": FORMAT,
            "method": self.method.name,
            "parameters": self.method.parameters,
            "seed": self.seed,
            "rel": self.rel,
            "topics": self.topics,
            "limits": asdict(self.limits),
            "depth": self.depth,
            "run_format": self.run_format,
            "order_by": self.order_by,
            "systems": [asdict(each) for each in self.systems],
        }


def parse_start(line: bytes, path: str) -> Start:
    """The first line of a journal; an InputError where it is none, or damaged."""
    found = _fields(line, path)
    try:
        topics = None if found["topics"] is None else tuple(map(str, found["topics"]))
        order_by = found.get("order_by", "score")
        check_word("order_by", order_by, ("score", "rank"))
        if not isfinite(found["rel"]):
            raise ValueError("rel is no number")
        return Start(
            method=make_method(found["method"], found["parameters"]),
            seed=check_seed(found["seed"]),
            rel=found["rel"],
            topics=topics,
            limits=Limits(**found["limits"]),
            depth=None if found["depth"] is None else check_count("depth", found["depth"]),
            run_format=found.get("run_format"),
            order_by=order_by,
            systems=tuple(Contributor(**each) for each in found["systems"]),
        )
    except (ValueError, TypeError) as error:
        raise damaged(path, 1, str(error)) from None


def read_start(path: str | os.PathLike[str]) -> Start:
    """How judging with a journal began; neither the rest of it nor the runs are read."""
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            return parse_start(file.readline(), path)
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror or error}", source=path) from None


def file_of(system: Contributor, path: str | os.PathLike[str]) -> str | None:
    """The file of a run, from the current folder or from the journal's; None where it is gone."""
    beside = os.path.join(os.path.dirname(path), system.source)
    found = (file for file in (system.source, beside) if os.path.exists(file))
    return next(found, None) if system.source else None


def of_runs(names: Iterable[str], depth: int | None) -> str:
    """The runs in words, for messages."""
    far = "all results" if depth is None else f"down to rank {depth}"
    return f"the runs {', '.join(names)} ({far})"


def damaged(path: str, number: int, what: str) -> InputError:
    """A line that cannot be gone on from."""
    return InputError(
        f"the journal is damaged here, or another version wrote it: {what}; put back a copy, or "
        f"{begin_another(path)}",
        source=path,
        line=number,
    )


def begin_another(path: str, *sheets: str) -> str:
    """What to do where judging cannot go on: what was judged is not lost, nor what `sheets` say."""
    judged = " ".join(f"--judged {quote(file)}" for file in (path, *sheets))
    command = f"cleverdon pool next NEW.jsonl RUNS {judged}"
    return f"begin another journal and hand it the judgments so far: {command}"


def _fields(line: bytes, path: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not str(found.get("format", "")).startswith("cleverdon "):
        raise InputError(
            f'is no journal of judging: expected {{"format": "{FORMAT}", ...}} on its first line',
            source=path,
            line=1,
        )
    if found["format"] != FORMAT:
        raise InputError(
            f"is a file of {found['format']!r}, and this is read: {FORMAT!r}; another version of "
            "Cleverdon may have written it",
            source=path,
            line=1,
        )
    if lacking := sorted(_WANTED - found.keys()):
        raise InputError(f"the first line lacks {', '.join(lacking)}", source=path, line=1)
    named = {"name", "source", "digest"}
    systems = found["systems"]
    if not isinstance(systems, list) or not all(
        isinstance(each, dict) and each.keys() == named for each in systems
    ):
        raise damaged(path, 1, "a system lacks its name, source or digest")
    return found
