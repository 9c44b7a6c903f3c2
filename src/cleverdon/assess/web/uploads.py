"""Files that administrators sent and have not imported yet: one for each person, for an hour.

A browser does not send a file again with the next form. So it is kept from the look at it to the
import, and while options are set right.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from cleverdon.assess import clock
from cleverdon.assess.refusals import Conflict

_KEPT = 3_600.0
"""Seconds."""


@dataclass(frozen=True)
class Upload:
    """A file that was sent."""

    key: str
    name: str  # as it is called there
    path: str
    sent_at: float


class Uploads:
    """What is kept, in a folder that is gone when the server ends."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._of: dict[int, Upload] = {}
        self._folder = ""

    def keep(self, person: int, file: BinaryIO, name: str) -> Upload:
        """Keep a file in the place of the one that the person sent before."""
        key = secrets.token_hex(8)
        with self._lock:
            self._drop_expired()
            path = os.path.join(self._made_folder(), key)
        with open(path, "xb") as own:
            shutil.copyfileobj(file, own)
        kept = Upload(key, name, path, clock.now())
        with self._lock:
            self._drop(person)
            self._of[person] = kept
        return kept

    def kept(self, person: int, key: str) -> Upload:
        """The file that a form speaks of; a Conflict where it is no longer here."""
        with self._lock:
            self._drop_expired()
            found = self._of.get(person)
        if found is None or found.key != key or not os.path.exists(found.path):
            raise Conflict("the file is no longer here, or you sent another since: choose it again")
        return found

    def drop(self, person: int) -> None:
        """Forget a file."""
        with self._lock:
            self._drop(person)

    def _made_folder(self) -> str:
        """The folder, which only we may read; another where something that tidies up took it."""
        if not os.path.isdir(self._folder):
            self._folder = tempfile.mkdtemp(prefix="cleverdon-")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _drop_expired(self) -> None:
        for person, upload in [*self._of.items()]:
            if upload.sent_at < clock.now() - _KEPT:
                self._drop(person)

    def _drop(self, person: int) -> None:
        old = self._of.pop(person, None)
        if old is not None:
            Path(old.path).unlink(missing_ok=True)
