"""Whether a backup is whole: every byte of it is read, and counted against what it says."""

from __future__ import annotations

import hashlib
import zlib
from zipfile import BadZipFile, ZipFile

from cleverdon.assess.backup.form import Held, Manifest, read_manifest
from cleverdon.errors import InputError

_AT_ONCE = 1 << 20


def check_backup(path: str, *, source: str = "") -> Manifest:
    """What a backup says of itself, once all of it was read; `source` is what it is called."""
    source = source or path
    try:
        with ZipFile(path) as archive:
            manifest = read_manifest(archive, source=source)
            for name, held in manifest.parts.items():
                if _held(archive, name) != held:
                    raise InputError(f"{name} is not what was backed up: {_DAMAGED}", source=source)
    except KeyError as error:
        raise InputError(f"{error.args[0]}: {_DAMAGED}", source=source) from None
    # Encrypted, or packed in a way that is not ours: zipfile has no error of its own for these.
    except (BadZipFile, EOFError, zlib.error, RuntimeError) as error:
        raise InputError(f"is damaged, or no backup ({error}): {_DAMAGED}", source=source) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", source=source) from None
    return manifest


_DAMAGED = "take another copy"


def _held(archive: ZipFile, name: str) -> Held:
    digest, rows = hashlib.sha256(), 0
    with archive.open(name) as file:
        while block := file.read(_AT_ONCE):
            digest.update(block)
            rows += block.count(b"\n")
    return Held(rows, digest.hexdigest())
