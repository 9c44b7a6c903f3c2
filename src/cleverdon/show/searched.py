"""What came of a search, in a few lines."""

from __future__ import annotations

from shlex import quote

from cleverdon.engine.searched import Searched
from cleverdon.show.grid import counted, printable
from cleverdon.show.quantities import seconds

_ENOUGH = 100
"""Of fewer times, the hundredth part is no time of its own: the slowest is shown instead."""


def summary(found: Searched, path: str) -> list[str]:
    """What the run rests on, a line each; the last says what can be done with it."""
    lines = [f"{_name(path)}: {_counts(found)}"]
    if found.kept:
        lines.append(f"{counted(found.kept, 'answer')} of these from before the last stop")
    if found.retries:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in found.retries.items())
        lines.append(f"asked again: {kinds}")
    if found.answered:
        lines.append(_times(found))
    if path != "-":
        lines.append(f"next: cleverdon eval QRELS {quote(_name(path))}")
    return lines


def interrupted(done: int, total: int, journal: str | None) -> str:
    """How far it came, and where to go on from, if there is something."""
    asked = f"{done:,} of {counted(total, 'query')} asked"
    if journal is None:
        return f"{asked}, and nothing is kept"
    return (
        f"{asked}, and what was answered is kept in {printable(journal)}; the same command goes on "
        "from there"
    )


def _name(path: str) -> str:
    return "run" if path == "-" else printable(path)


def _counts(found: Searched) -> str:
    total = len(found.answered) + len(found.failed)
    parts = [
        counted(total, "query"),
        f"{len(found.answered):,} answered",
        f"{len(found.failed):,} failed",
        f"{len(found.empty):,} without results",
    ]
    return f"{', '.join(parts)}; {counted(len(found.run), 'result')}"


def _times(found: Searched) -> str:
    if found.in_one:
        return f"all in one call of {seconds(found.seconds)}"
    enough = len(found.answered) >= _ENOUGH
    slow = f"p99 {seconds(found.percentile(0.99))}"
    if not enough:
        slow = f"the slowest {seconds(found.percentile(1))}"
    line = f"median {seconds(found.percentile(0.5))}, {slow}"
    if found.kept:  # before, there may have been more at a time, or fewer
        return line
    how = f"with {found.at_once:,} at a time" if found.at_once > 1 else "one by one"
    return f"{line}, while searching {how}"
