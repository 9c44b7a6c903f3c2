"""A file of what was given and judged, from which judging goes on after any stop.

Lines of JSON, only ever added to. The first says what is judged and how: the systems with the
digests of their files, the method, the seed. Each later one is a batch that was given, a judgment,
or a change of limits. A line is on the disk before anybody sees what it says, so that a process may
be killed at any time: at most the line that was being written is torn, and nobody has seen it.

Going on is doing all of it again, which must give the same documents.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cleverdon.errors import InputError, OptionError
from cleverdon.pool.adaptive.base import Method, make_method, parse_method
from cleverdon.pool.adaptive.journal_file import Journal, opened, sync_folder
from cleverdon.pool.adaptive.judging import Judging
from cleverdon.pool.adaptive.limits import Limits
from cleverdon.pool.contributions import Contributions, Progress, gather

FORMAT = "cleverdon judging 1"
_START = f'{{"format": "{FORMAT}"'.encode()


@contextmanager
def begin(
    path: str | os.PathLike[str],
    contributions: Contributions,
    method: str | Method = "mtf",
    *,
    seed: int = 0,
    rel: float = 1,
    topics: Sequence[str] | None = None,
    limits: Limits | None = None,
    format: str | None = None,
    order_by: str = "score",
) -> Iterator[Judging]:
    """Start judging with a journal; `format` and `order_by` say how the runs were read."""
    path = os.fspath(path)
    method = parse_method(method)
    judging = Judging(contributions, method, seed=seed, rel=rel, topics=topics, limits=limits)
    header = {
        "format": FORMAT,
        "method": method.name,
        "parameters": method.parameters,
        "seed": seed,
        "rel": rel,
        "topics": None if topics is None else list(judging.topics),
        "limits": asdict(judging.limits),
        "depth": contributions.depth,
        "run_format": format,
        "order_by": order_by,
        "systems": [asdict(each) for each in contributions.contributors],
    }
    with opened(path, "a+") as journal:
        _check_empty(journal)
        journal.add([header])
        sync_folder(path)
        judging.replayed(journal.add)
        yield judging


@contextmanager
def resume(
    path: str | os.PathLike[str],
    runs: Any = None,
    *,
    method: str | Method | None = None,
    notes: list[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[Judging]:
    """Go on from a journal: of the runs that it names, or of the same ones where they are now.

    `runs` may be whatever `gather` takes, or `Contributions`. A `method` is only held against the
    one with which judging began. `notes` gets what is worth knowing.
    """
    path = os.fspath(path)
    with opened(path, "r+") as journal:
        *lines, torn = journal.content().split(b"\n")
        header = _header(lines[0] if lines else b"", path)
        if torn:
            journal.cut(torn, line=len(lines) + 1)
        try:
            how = make_method(header["method"], header["parameters"])
            limits = Limits(**header["limits"])
        except (ValueError, TypeError) as error:
            raise _damaged(path, 1, str(error)) from None
        if method is not None and parse_method(method) != how:
            raise OptionError(
                f"{path} was begun with the method {how}, not {parse_method(method)}; go on "
                "without naming one, or begin another file"
            )
        contributions = _gathered(runs, header, path, progress)
        judging = Judging(
            contributions,
            how,
            seed=header["seed"],
            rel=header["rel"],
            topics=header["topics"],
            limits=limits,
        )
        for number, line in enumerate(lines[1:], start=2):
            _replay(judging, line, path, number)
        judging.replayed(journal.add)
        if notes is not None:
            notes += journal.notes
        yield judging


def _check_empty(journal: Journal) -> None:
    """Nothing of value is written over: only what a killed process left of a first line."""
    content = journal.content()
    if content.startswith(_START) and b"\n" in content:
        raise InputError("is there already: go on from it, or name another", source=journal.path)
    if not content.startswith(_START) and not _START.startswith(content):
        raise InputError("is there, and is no journal of judging", source=journal.path)
    journal.file.truncate(0)


def _header(line: bytes, path: str) -> dict[str, Any]:
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
    wanted = {"method", "parameters", "seed", "rel", "topics", "limits", "depth", "systems"}
    if lacking := sorted(wanted - found.keys()):
        raise InputError(f"the first line lacks {', '.join(lacking)}", source=path, line=1)
    named = {"name", "source", "digest"}
    if not all(isinstance(each, dict) and named <= each.keys() for each in found["systems"]):
        raise _damaged(path, 1, "a system lacks its name, source or digest")
    return found


def _json(line: bytes, path: str, number: int) -> Any:
    try:
        return json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        raise _damaged(path, number, "it is no JSON") from None


def _replay(judging: Judging, line: bytes, path: str, number: int) -> None:
    entry = _json(line, path, number)
    if not isinstance(entry, dict) or len(entry.keys() & {"given", "judged", "limits"}) != 1:
        raise _damaged(path, number, 'expected "given", "judged" or "limits"')
    try:
        judging.replay(entry)
    except (ValueError, TypeError, InputError) as error:
        raise _damaged(path, number, str(error)) from None


def _damaged(path: str, number: int, what: str) -> InputError:
    return InputError(
        f"the journal is damaged here, or another version wrote it: {what}; put back a copy, or "
        "begin another and hand it the judgments so far",
        source=path,
        line=number,
    )


def _gathered(
    runs: Any, header: dict[str, Any], path: str, progress: Progress | None
) -> Contributions:
    """What systems returned, once it is sure that they are the same."""
    systems: list[dict[str, str]] = header["systems"]
    if runs is None:
        for system in systems:
            if not system["source"] or not Path(system["source"]).exists():
                where = system["source"] or "which was in memory"
                raise InputError(
                    f"the run {system['name']!r}, {where}, is not there; go on from the folder "
                    "where judging began, or name the runs again",
                    source=path,
                    line=1,
                )
        runs = {system["name"]: system["source"] for system in systems}
    how = {"format": header.get("run_format"), "order_by": header.get("order_by", "score")}
    gathered: Contributions = (
        runs
        if isinstance(runs, Contributions)
        else gather(runs, depth=header["depth"], progress=progress, **how)
    )
    found = {each.name: each.digest for each in gathered.contributors}
    begun = {system["name"]: system["digest"] for system in systems}
    if list(found) != list(begun) or gathered.depth != header["depth"]:
        raise InputError(
            f"judging began with the runs {', '.join(begun)} down to rank {header['depth']}, and "
            f"these are {', '.join(found)} down to {gathered.depth}; they must be the same, in the "
            "same order",
            source=path,
            line=1,
        )
    for name, digest in begun.items():
        if found[name] != digest:
            raise InputError(
                f"the run {name!r} is not what it was when judging began: its digest was "
                f"{digest[:12] or 'none'}, and is {found[name][:12] or 'none'}; put the old file "
                "back, or begin another journal and hand it the judgments so far",
                source=path,
                line=1,
            )
    return gathered
