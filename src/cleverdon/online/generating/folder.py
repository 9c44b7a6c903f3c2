"""The folder of a made-up log: what it gets, and what must not be in it."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from cleverdon.errors import OptionError

QUERIES_FILE, EVENTS_FILE, TRUTH_FILE = "queries.parquet", "events.parquet", "truth.json"

OWN = (QUERIES_FILE, EVENTS_FILE, TRUTH_FILE)

_LOGS = ("queries", "events")


def there_already(folder: str | PathLike[str]) -> list[Path]:
    """What is in a folder, hidden files aside: the files that `generate` writes come first."""
    home = Path(folder)
    if not home.is_dir():
        return []
    found = [path for path in home.iterdir() if not path.name.startswith(".")]
    return sorted(found, key=lambda path: (path.name not in OWN, path.name))


def check_foreign(folder: str | PathLike[str]) -> None:
    """An error where a folder has a log that `generate` did not write.

    Whoever reads the folder would count both logs. The truth is written last: without it, files
    that are called as a made-up log's may be somebody's only log.
    """
    home = Path(folder)
    own = OWN if (home / TRUTH_FILE).exists() else ()
    foreign = [
        path
        for path in there_already(home)
        if path.name not in own and path.name.lower().startswith(_LOGS)
    ]
    if foreign:
        raise OptionError(
            f"{foreign[0]} is a log that was not made up here, and is not written over or mixed "
            "with one that is; name another folder"
        )
