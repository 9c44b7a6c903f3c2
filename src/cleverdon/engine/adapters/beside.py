"""An index is built beside the one that it replaces, and takes its place when it is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cleverdon.errors import InputError

_MARK = "cleverdon-index"
"""The file by which a folder is known as one that may be replaced."""


@contextmanager
def replacing_file(path: Path) -> Iterator[Path]:
    """Where to write; what is there at the end becomes the file, and nothing after a failure."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        yield unfinished
        _to_disk(unfinished)
        os.replace(unfinished, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error}", source=str(path)) from error
    finally:
        with suppress(OSError):
            unfinished.unlink()


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """The same of a folder, which is replaced only if it is empty or was made here."""
    if path.exists() and not (path.is_dir() and (_made_here(path) or not any(path.iterdir()))):
        raise InputError(
            "cleverdon did not make this, and would replace all of it; give another folder, or "
            "delete this one first",
            source=str(path),
        )
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    before = path.with_name(f".{path.name}.{os.getpid()}.before")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        yield unfinished
        (unfinished / _MARK).touch()
        for file in unfinished.rglob("*"):
            if file.is_file():
                _to_disk(file)
        if path.exists():
            os.rename(path, before)  # a folder with files in it cannot be renamed over
        os.rename(unfinished, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error}", source=str(path)) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        if before.exists() and not path.exists():
            os.rename(before, path)
        shutil.rmtree(before, ignore_errors=True)


def folder_size(path: Path) -> int | None:
    """The bytes of all files of an index; None where there is none."""
    if not path.is_dir():
        return None
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def check_folder(path: Path, *, kind: str) -> None:
    """Raise an error that says how to make an index, where there is none."""
    if not path.is_dir():
        raise InputError(
            f"there is no such index; this makes it: cleverdon index {kind}:{path} COLLECTION",
            source=str(path),
        )


def _made_here(path: Path) -> bool:
    return (path / _MARK).is_file()


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
