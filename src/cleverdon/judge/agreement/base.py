"""What a coefficient of agreement is, and which there are: the one list of names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeVar

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import NotationError, OptionError, suggest
from cleverdon.judge.agreement.counts import Counts

NOTHING_SHARED = "no document was judged by two of the judges"


class Coefficient(ABC):
    """The base of all coefficients: a subclass computes, and says of itself all there is to say."""

    name: ClassVar[str]
    """As it is called on the command line and in files."""
    title: ClassVar[str]
    """As people call it."""
    formula: ClassVar[str]
    """In LaTeX."""
    source: ClassVar[str]
    undefined: ClassVar[str] = NOTHING_SHARED
    two_only: ClassVar[bool] = False
    """Whether it is of two judges; of more, it is the mean over all pairs of them."""
    same_of_two: ClassVar[str] = ""
    """The coefficient that it is, if there are two judges."""
    by_topic: ClassVar[bool] = False
    """Whether its value over several topics is the mean of the topics' values."""
    corrected: ClassVar[bool] = True
    """Whether it takes chance into account."""
    graded: ClassVar[bool] = False
    """Whether it minds how far apart two grades are."""

    def of(self, counts: Counts) -> Floats:
        """The value of each table; NaN where it is undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self.value(counts)
            return np.where(counts.items > 0, value, np.nan)

    @abstractmethod
    def value(self, counts: Counts) -> Floats:
        """The same; 0/0 is let through."""

    def __str__(self) -> str:
        return self.name


_known: dict[str, type[Coefficient]] = {}

C = TypeVar("C", bound=type[Coefficient])


def coefficient(cls: C) -> C:
    """Make a coefficient known by its name; a name that is taken is refused."""
    if cls.name in _known:
        raise NotationError(f"there is a coefficient {cls.name!r} already; choose another name")
    _known[cls.name] = cls
    return cls


def known_coefficients() -> dict[str, type[Coefficient]]:
    """Every coefficient by its name, in the order of listings."""
    from cleverdon.judge.agreement import coefficients  # noqa: F401 (they make themselves known)

    return dict(_known)


def find(name: str) -> type[Coefficient]:
    """The coefficient of that name; letter case does not matter."""
    known = known_coefficients()
    folded = {one.casefold(): cls for one, cls in known.items()}
    if name.casefold() not in folded:
        hint = suggest(name, known) or "; cleverdon agree --list shows them"
        raise OptionError(f"there is no coefficient {name!r}{hint}")
    return folded[name.casefold()]
