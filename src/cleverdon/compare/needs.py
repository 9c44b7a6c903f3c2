"""What tests need, and what they say when it is not there."""

from __future__ import annotations

from typing import Any

from cleverdon.arrays import Floats
from cleverdon.errors import MissingExtra, OptionError


def scipy_stats(purpose: str) -> Any:
    """scipy's distributions, which only some of the tests need."""
    try:
        from scipy import stats  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra(purpose, package="scipy", extra="stats") from None
    return stats


def scipy_special(purpose: str) -> Any:
    """scipy's special functions, which load in a tenth of the time of its distributions."""
    try:
        from scipy import special  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra(purpose, package="scipy", extra="stats") from None
    return special


def check_topics(purpose: str, values: Floats) -> int:
    """The number of topics, of which a test that looks at their spread needs two."""
    topics = int(values.shape[-1])
    if topics < 2:
        raise OptionError(f"{purpose} needs at least 2 topics, and there is {topics}")
    return topics
