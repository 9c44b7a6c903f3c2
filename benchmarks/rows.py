"""The rows of the first table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.measure import UNKNOWN, Memory, Timing
from benchmarks.peers import Peer, Values, disagreement


@dataclass(frozen=True, kw_only=True)
class Found:
    """The measurement of one tool in a task; some tools print no values."""

    timing: Timing
    values: Values | None
    memory_is_added: bool = False


@dataclass(frozen=True, kw_only=True)
class Row:
    """One tool in one task.

    `ratio` is its time divided by Cleverdon's. `memory` is the peak of its process or, with
    `memory_is_added`, the amount that the call added to a process that held the inputs before.
    """

    task: str
    tool: str
    seconds: float | None = None
    cpu: float | None = None
    rounds: int = 0
    ratio: float | None = None
    target: str = ""
    met: bool | None = None
    agrees: bool | None = None
    memory: Memory = UNKNOWN
    memory_is_added: bool = False
    note: str = ""

    @property
    def wrong(self) -> bool:
        """Tell whether the tool failed or gave different values; a missed target is not wrong."""
        return self.agrees is False or self.note.startswith("FAILED")


def rows_of(task: str, peers: Sequence[Peer], found: Mapping[str, Found | str]) -> list[Row]:
    """Compare every tool with the first, Cleverdon; a string is the reason for no measurement.

    Values are compared with those of the first tool that has any, so the peers are compared with
    each other if Cleverdon has none.
    """
    own = found[peers[0].name]
    seconds = own.timing.seconds if isinstance(own, Found) else None
    results = (found[peer.name] for peer in peers)
    values = next((r.values for r in results if isinstance(r, Found) and r.values), None)
    return [_row(task, peer, found[peer.name], seconds, values) for peer in peers]


def _row(
    task: str, peer: Peer, found: Found | str, own_seconds: float | None, expected: Values | None
) -> Row:
    if isinstance(found, str):
        return Row(task=task, tool=peer.name, target=peer.target, note=found)
    timing = found.timing
    seconds, cpu = timing.seconds / peer.share, timing.cpu / peer.share
    ratio = seconds / own_seconds if own_seconds else None
    agrees, note = None, ""
    if expected is not None and found.values and found.values is not expected:
        difference = disagreement(expected, found.values, tolerance=peer.tolerance)
        agrees, note = difference is None, difference or ""
    return Row(
        task=task,
        tool=peer.name,
        seconds=seconds,
        cpu=cpu,
        rounds=len(timing.rounds),
        ratio=ratio,
        target=peer.target,
        met=peer.met(ratio, timing.memory),
        agrees=agrees,
        memory=timing.memory,
        memory_is_added=found.memory_is_added,
        note=note,
    )
