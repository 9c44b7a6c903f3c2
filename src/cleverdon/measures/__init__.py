"""The measures, a family a file; `registry` has the list, `notation` how they are written."""

from __future__ import annotations

from typing import Any

from cleverdon.errors import NotationError
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse, parse_all
from cleverdon.measures.registry import find, measure, measures

__all__ = ["Measure", "find", "measure", "measures", "parse", "parse_all"]


def __getattr__(name: str) -> Any:
    """Return every measure by its name: `from cleverdon.measures import nDCG`."""
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return find(name)
    except NotationError as error:
        raise AttributeError(str(error)) from None
