"""How much memory a process holds, together with those that it started."""

from __future__ import annotations

from cleverdon.engine.cpu import psutil
from cleverdon.errors import OptionError


def memory_of(pid: int) -> int:
    """Bytes of memory that are resident; what processes share is counted for each of them."""
    library = psutil()
    try:
        process = library.Process(pid)
        family = [process, *process.children(recursive=True)]
        total = process.memory_info().rss
    except library.NoSuchProcess:
        raise OptionError(f"pid={pid}: there is no such process") from None
    except library.AccessDenied:
        raise OptionError(
            f"pid={pid}: this process is another user's, and may not be seen"
        ) from None
    for child in family[1:]:
        try:
            total += child.memory_info().rss
        except (library.NoSuchProcess, library.AccessDenied):
            continue  # it ended meanwhile
    return int(total)
