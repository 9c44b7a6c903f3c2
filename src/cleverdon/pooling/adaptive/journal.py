"""The journal of adaptive judging: a file from which judging is resumed after any stop.

Lines of JSON, only ever appended. The first says what is judged and how, which is decided once: the
systems with the digests of their files, the method, the seed. Each later line is a batch that was
given, a judgment, or a change of limits. A line is on disk before anybody sees what it says, so a
process may be killed at any time: at most the line that was being written is torn, and nobody has
seen it. Resuming replays all lines, which must give the same documents.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import isfinite
from shlex import quote
from typing import Any

from cleverdon._common.digests import UNKNOWN
from cleverdon._common.files import Journal, open_journal, sync_folder
from cleverdon._common.progress import Progress
from cleverdon.errors import InputError, OptionError, check_count, check_seed, check_word
from cleverdon.formats.sheets import JOURNAL_FORMAT, JOURNAL_START, parse_entry
from cleverdon.pooling.adaptive.judging import AdaptiveJudging, Limits
from cleverdon.pooling.adaptive.methods import Method, make_method, parse_method
from cleverdon.pooling.contributions import Contributions, Contributor, gather

_START_FIELDS = {"method", "parameters", "seed", "rel", "queries", "limits", "depth", "systems"}


@dataclass(frozen=True)
class JournalStart:
    """The first line of a journal: what is judged, and how."""

    method: Method
    seed: int
    rel: float
    queries: tuple[str, ...] | None  # None: all
    limits: Limits
    depth: int | None  # how far the runs are looked at; None: to their ends
    run_format: str | None
    order_by: str
    systems: tuple[Contributor, ...]

    def entry(self) -> dict[str, Any]:
        rest = asdict(self)
        parameters = rest.pop("method")
        method = {"method": self.method.name, "parameters": parameters}
        return {"format": JOURNAL_FORMAT, **method, **rest}


def _parse_start(line: bytes, path: str) -> JournalStart:
    """Parse the first line of a journal."""
    found = _start_fields(line, path)
    try:
        queries = None if found["queries"] is None else tuple(map(str, found["queries"]))
        order_by = found.get("order_by", "score")
        check_word("order_by", order_by, ("score", "rank"))
        if not isfinite(found["rel"]):
            raise ValueError("rel is not a number")
        return JournalStart(
            method=make_method(found["method"], found["parameters"]),
            seed=check_seed(found["seed"]),
            rel=found["rel"],
            queries=queries,
            limits=Limits(**found["limits"]),
            depth=None if found["depth"] is None else check_count("depth", found["depth"]),
            run_format=found.get("run_format"),
            order_by=order_by,
            systems=tuple(Contributor(**each) for each in found["systems"]),
        )
    except (ValueError, TypeError) as error:
        raise _damaged_journal(path, 1, str(error)) from None


def read_start(path: str | os.PathLike[str]) -> JournalStart:
    """Read the first line of a journal."""
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            return _parse_start(file.readline(), path)
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror or error}", source=path) from None


def run_file(system: Contributor, path: str | os.PathLike[str]) -> str | None:
    """Find the file of a run, from the current folder or the journal's; None where it is gone."""
    beside = os.path.join(os.path.dirname(path), system.source)
    found = (file for file in (system.source, beside) if os.path.exists(file))
    return next(found, None) if system.source else None


def _describe_runs(names: Iterable[str], depth: int | None) -> str:
    far = "all results" if depth is None else f"down to rank {depth}"
    return f"the runs {', '.join(names)} ({far})"


def _damaged_journal(path: str, number: int, what: str) -> InputError:
    return InputError(
        f"the journal is damaged here, or another version wrote it: {what}; put back a copy, or "
        f"{restart_advice(path)}",
        source=path,
        line=number,
    )


def restart_advice(path: str, *sheets: str) -> str:
    """Return the command that begins another journal with the judgments so far."""
    judged = " ".join(f"--judged {quote(file)}" for file in (path, *sheets))
    command = f"cleverdon pool next NEW.jsonl RUNS {judged}"
    return f"begin another journal and hand it the judgments so far: {command}"


def _start_fields(line: bytes, path: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not str(found.get("format", "")).startswith("cleverdon "):
        raise InputError(
            f'is not a journal of judging: expected {{"format": "{JOURNAL_FORMAT}", ...}} on its '
            "first line",
            source=path,
            line=1,
        )
    if found["format"] != JOURNAL_FORMAT:
        raise InputError(
            f"is a file of {found['format']!r}, and this is read: {JOURNAL_FORMAT!r}; another "
            "version of Cleverdon may have written it",
            source=path,
            line=1,
        )
    if "topics" in found:  # the name in version 0.1
        found.setdefault("queries", found["topics"])
    if lacking := sorted(_START_FIELDS - found.keys()):
        raise InputError(f"the first line lacks {', '.join(lacking)}", source=path, line=1)
    named = {"name", "source", "digest"}
    systems = found["systems"]
    if not isinstance(systems, list) or not all(
        isinstance(each, dict) and each.keys() == named for each in systems
    ):
        raise _damaged_journal(path, 1, "a system lacks its name, source or digest")
    return found


@contextmanager
def begin_journal(
    path: str | os.PathLike[str],
    contributions: Contributions,
    method: str | Method = "mtf",
    *,
    seed: int = 0,
    rel: float = 1,
    queries: Sequence[str] | None = None,
    limits: Limits | None = None,
    format: str | None = None,
    order_by: str = "score",
) -> Iterator[AdaptiveJudging]:
    """Start judging with a journal; `format` and `order_by` say how the runs were read."""
    path = os.fspath(path)
    judging = AdaptiveJudging(
        contributions, method, seed=seed, rel=rel, queries=queries, limits=limits
    )
    start = JournalStart(
        method=judging.method,
        seed=judging.seed,
        rel=judging.rel,
        queries=None if queries is None else judging.queries,
        limits=judging.limits,
        depth=contributions.depth,
        run_format=format,
        order_by=order_by,
        systems=contributions.contributors,
    )
    with open_journal(path, "a+") as journal:
        _check_empty(journal)
        journal.add([start.entry()])
        sync_folder(path)
        judging.replayed(journal.add)
        yield judging


@contextmanager
def resume_journal(
    path: str | os.PathLike[str],
    runs: Any = None,
    *,
    method: str | Method | None = None,
    notes: list[str] | None = None,
    progress: Progress | None = None,
) -> Iterator[AdaptiveJudging]:
    """Go on from a journal: of the given runs, or of the files that it names."""
    path = os.fspath(path)
    with open_journal(path, "r+") as journal:
        *lines, torn = journal.content().split(b"\n")
        start = _parse_start(lines[0] if lines else b"", path)
        if torn:
            journal.cut(torn, line=len(lines) + 1)
        if method is not None and parse_method(method) != start.method:
            raise OptionError(
                f"{path} was begun with the method {start.method}, not {parse_method(method)}; go "
                "on without naming one, or begin another file"
            )
        judging = AdaptiveJudging(
            _gather_same_runs(runs, start, path, progress),
            start.method,
            seed=start.seed,
            rel=start.rel,
            queries=start.queries,
            limits=start.limits,
        )
        for number, line in enumerate(lines[1:], start=2):
            _replay_line(judging, line, path, number)
        judging.replayed(journal.add)
        if notes is not None:
            notes += journal.notes
        yield judging


def _check_empty(journal: Journal) -> None:
    """Refuse to write over anything but the rest of a first line that was cut."""
    content = journal.content()
    if content.startswith(JOURNAL_START) and b"\n" in content:
        raise InputError("exists already: go on from it, or name another", source=journal.path)
    if not content.startswith(JOURNAL_START) and not JOURNAL_START.startswith(content):
        raise InputError("exists, and is not a journal of judging", source=journal.path)
    journal.file.truncate(0)


def _replay_line(judging: AdaptiveJudging, line: bytes, path: str, number: int) -> None:
    entry = parse_entry(line)
    if entry is None:
        raise _damaged_journal(path, number, 'expected "given", "judged" or "limits", in JSON')
    try:
        judging.replay(entry)
    except (ValueError, TypeError, InputError) as error:
        raise _damaged_journal(path, number, str(error)) from None


def _gather_same_runs(
    runs: Any, start: JournalStart, path: str, progress: Progress | None
) -> Contributions:
    """Gather the runs, and check that they are those of the journal."""
    if runs is None:
        runs = {system.name: _find_run(system, path) for system in start.systems}
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
            f"judging began with {_describe_runs(begun, start.depth)}, and these are "
            f"{_describe_runs(found, gathered.depth)}; they must be the same, in the same order",
            source=path,
            line=1,
        )
    for name, digest in begun.items():
        if found[name] != digest or digest == UNKNOWN:
            raise InputError(
                f"the run {name!r} is not what it was when judging began: its digest was "
                f"{digest[:12] or 'none'}, and is {found[name][:12] or 'none'}; put the old file "
                f"back, or {restart_advice(path)}",
                source=path,
                line=1,
            )
    return gathered


def _find_run(system: Contributor, path: str) -> str:
    file = run_file(system, path)
    if file is None:
        raise InputError(
            f"the run {system.name!r}, {system.source or 'which was in memory'}, is not there; go "
            "on from the folder where judging began, or name the runs again, or "
            f"{restart_advice(path)}",
            source=path,
            line=1,
        )
    return file
