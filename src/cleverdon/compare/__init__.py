"""Comparing systems, query by query."""

from cleverdon.compare.paired import Difference, compare

__all__ = ["Difference", "compare"]
