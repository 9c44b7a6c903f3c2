"""The files that a project was made of, and their digests, by which one can tell them later."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from cleverdon.read import open_source
from cleverdon.read.texts import files_of


def made_of(files: Mapping[str, str | list[str] | None]) -> dict[str, Any]:
    """Files by what they hold, and under `BLAKE3` the digests of those that are files.

    A folder has one where it is BEIR's, of the one file that is meant; a pipe has none.
    """
    named = {what: given for what, given in files.items() if given}
    digests = {what: _digests(what, given) for what, given in named.items() if what != "runs"}
    return {**named, "BLAKE3": {what: found for what, found in digests.items() if found}}


def _digests(what: str, given: str | list[str]) -> list[str]:
    paths = [given] if isinstance(given, str) else given
    return [digest for path in paths if (digest := _digest(what, path))]


def _digest(what: str, path: str) -> str:
    kind = {"topics": "queries", "docs": "documents"}.get(what)
    files = [path] if path == "-" else files_of(path, kind)
    if len(files) != 1 or not os.path.isfile(files[0]):
        return ""
    return open_source(files[0]).digest()
