"""With which versions of what a page's numbers were made."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version


def versions(cleverdon: str, libraries: Iterable[str]) -> dict[str, str]:
    """Cleverdon's, Python's, and those of the libraries that are there."""
    found = {"Cleverdon": cleverdon, "Python": platform.python_version()}
    for library in libraries:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
