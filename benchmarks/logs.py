"""All metrics of a search log: Cleverdon beside SQL that was written by hand for the same numbers.

Each in a process of its own, from its start to its exit, on the same made-up log. Both work in
DuckDB, so that what is compared is the SQL, and what it takes to come to it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.generate import DATA
from benchmarks.measure import Once, ToolError, fresh_process, in_turn
from benchmarks.peers import Peer
from benchmarks.progress import Sometimes, say
from benchmarks.rows import Found, Row, rows_of

FORMAT = 1
"""Raise this when the generator of logs changes, so that an older log is not reused."""

PEERS = {
    Peer(name="cleverdon", module="ibis"): "benchmarks.logs_metrics",
    Peer(name="DuckDB by hand", module="duckdb", faster=1.5): "benchmarks.logs_by_hand",
}
"""The tools, and the module that each is run as."""


def run_logs(events: int, *, rounds: int) -> list[Row]:
    """Measure both on a log of about so many events."""
    say("task logs")
    folder = log_of(events)
    found: dict[str, Found | str] = {p.name: why for p in PEERS if (why := p.missing())}
    present = {peer.name: module for peer, module in PEERS.items() if peer.name not in found}
    tools = {name: once([sys.executable, "-m", m, str(folder)]) for name, m in present.items()}
    for name, timing in in_turn(tools, rounds=rounds).items():
        if isinstance(timing, ToolError):
            found[name] = f"FAILED: {timing}"
        else:
            found[name] = Found(timing=timing, values=json.loads(timing.first.output))
    return rows_of(f"all metrics of {events:,} events of a log", list(PEERS), found)


def once(command: Sequence[str]) -> Once:
    return lambda watch: fresh_process(command, watch=watch)


def log_of(events: int) -> Path:
    """Find the log under `data/`, or write it; whatever is interrupted leaves nothing behind."""
    from cleverdon.logs.generator.writer import generate_log

    home = DATA / f"logs-{events}-v{FORMAT}"
    if not home.exists():
        DATA.mkdir(exist_ok=True)
        progress = Sometimes()
        with tempfile.TemporaryDirectory(prefix="unfinished-", dir=DATA) as unfinished:
            draft = Path(unfinished) / "draft"
            generate_log(
                draft,
                events=events,
                progress=lambda _, made=0, of=0: progress.say(f"  made {made:,} of {of:,} events"),
            )
            draft.rename(home)
    return home
