"""A file of what was given and judged, from which judging goes on after any stop.

Lines of JSON, only ever added to. The first says what is judged and how: the systems with the
digests of their files, the method, the seed. Each later one is a batch that was given, a judgment,
or a change of limits. A line is on the disk before anybody sees what it says, so that a process may
be killed at any time: at most the line that was being written is torn, and nobody has seen it.

Going on is doing all of it again, which must give the same documents.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cleverdon.errors import InputError, OptionError
from cleverdon.pool.adaptive.base import Method, parse_method
from cleverdon.pool.adaptive.journal_start import (
    Start,
    begin_another,
    damaged,
    file_of,
    of_runs,
    parse_start,
)
from cleverdon.pool.adaptive.judging import Judging
from cleverdon.pool.adaptive.limits import Limits
from cleverdon.pool.contributions import Contributions, Contributor, Progress, gather
from cleverdon.read.journal_file import Journal, opened, sync_folder
from cleverdon.read.judging_journal import START, parse_entry


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
    judging = Judging(contributions, method, seed=seed, rel=rel, topics=topics, limits=limits)
    start = Start(
        method=judging.method,
        seed=judging.seed,
        rel=judging.rel,
        topics=None if topics is None else judging.topics,
        limits=judging.limits,
        depth=contributions.depth,
        run_format=format,
        order_by=order_by,
        systems=contributions.contributors,
    )
    with opened(path, "a+") as journal:
        _check_empty(journal)
        journal.add([start.entry()])
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

    `runs` may be whatever `gather` takes, or `Contributions`. Where none are given, files are
    looked for from the current folder, and then from the journal's. A `method` is only held against
    the one with which judging began. `notes` gets what is worth knowing.
    """
    path = os.fspath(path)
    with opened(path, "r+") as journal:
        *lines, torn = journal.content().split(b"\n")
        start = parse_start(lines[0] if lines else b"", path)
        if torn:
            journal.cut(torn, line=len(lines) + 1)
        if method is not None and parse_method(method) != start.method:
            raise OptionError(
                f"{path} was begun with the method {start.method}, not {parse_method(method)}; go "
                "on without naming one, or begin another file"
            )
        judging = Judging(
            _gathered(runs, start, path, progress),
            start.method,
            seed=start.seed,
            rel=start.rel,
            topics=start.topics,
            limits=start.limits,
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
    if content.startswith(START) and b"\n" in content:
        raise InputError("is there already: go on from it, or name another", source=journal.path)
    if not content.startswith(START) and not START.startswith(content):
        raise InputError("is there, and is no journal of judging", source=journal.path)
    journal.file.truncate(0)


def _replay(judging: Judging, line: bytes, path: str, number: int) -> None:
    entry = parse_entry(line)
    if entry is None:
        raise damaged(path, number, 'expected "given", "judged" or "limits", in JSON')
    try:
        judging.replay(entry)
    except (ValueError, TypeError, InputError) as error:
        raise damaged(path, number, str(error)) from None


def _gathered(runs: Any, start: Start, path: str, progress: Progress | None) -> Contributions:
    """What systems returned, once it is sure that they are the same."""
    if runs is None:
        runs = {system.name: _found(system, path) for system in start.systems}
    gathered: Contributions = (
        runs
        if isinstance(runs, Contributions)
        else gather(
            runs,
            depth=start.depth,
            format=start.run_format,
            order_by=start.order_by,
            progress=progress,
        )
    )
    found = {each.name: each.digest for each in gathered.contributors}
    begun = {each.name: each.digest for each in start.systems}
    if list(found) != list(begun) or gathered.depth != start.depth:
        raise InputError(
            f"judging began with {of_runs(begun, start.depth)}, and these are "
            f"{of_runs(found, gathered.depth)}; they must be the same, in the same order",
            source=path,
            line=1,
        )
    for name, digest in begun.items():
        if found[name] != digest:
            raise InputError(
                f"the run {name!r} is not what it was when judging began: its digest was "
                f"{digest[:12] or 'none'}, and is {found[name][:12] or 'none'}; put the old file "
                f"back, or {begin_another(path)}",
                source=path,
                line=1,
            )
    return gathered


def _found(system: Contributor, path: str) -> str:
    file = file_of(system, path)
    if file is None:
        raise InputError(
            f"the run {system.name!r}, {system.source or 'which was in memory'}, is not there; go "
            "on from the folder where judging began, or name the runs again, or "
            f"{begin_another(path)}",
            source=path,
            line=1,
        )
    return file
