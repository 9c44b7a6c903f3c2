"""The exceptions that Cleverdon raises, and the checks of option values that raise them.

    CleverdonError
    ├── InputError       something is wrong in a file or an object: where, and what
    ├── NotationError    a measure, a parameter or a value does not exist
    ├── OptionError      a setting does not exist, or does not fit the others
    │   └── UsageError   settings do not fit what is there; commands end with exit code 2
    ├── UndefinedError   a measure is undefined for a query, and `undefined="error"` was asked for
    ├── MissingExtra     an optional library is not installed; the text names the install command
    └── InternalError    a defect of Cleverdon itself

Catch `CleverdonError` for all of them. The command line prints its text as one line.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index


class CleverdonError(Exception):
    """The root of all errors that Cleverdon raises on purpose."""


class InputError(CleverdonError):
    """Something is wrong in a file or an object that was given.

    Its text starts as compilers' messages do, `file:line:column:`, so that editors can jump there.
    """

    def __init__(
        self, message: str, *, source: str = "", line: int | None = None, column: int | None = None
    ) -> None:
        place = ":".join(str(part) for part in (source, line, column) if part not in ("", None))
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.source = source
        self.line = line
        self.column = column


class InputNote(UserWarning):
    """What was understood of an input, where that may surprise; commands print it as a note."""


class NotationError(CleverdonError, ValueError):
    """A measure, a parameter of one, or a value that does not exist."""


class OptionError(CleverdonError, ValueError):
    """A setting that does not exist or does not fit the others."""


class UsageError(OptionError):
    """Settings that do not fit what is there; commands end with exit code 2, as for wrong usage."""


class UndefinedError(CleverdonError, ArithmeticError):
    """A measure is undefined for a query, and `undefined="error"` was asked for."""


class MissingExtra(CleverdonError, ImportError):
    """A library that Cleverdon needs only for what was asked, and that is not installed."""

    def __init__(self, purpose: str, *, package: str, extra: str | None = None) -> None:
        install = f"pip install 'cleverdon[{extra}]'" if extra else f"pip install {package}"
        super().__init__(f"{purpose} needs {package}, which is not installed: {install}")


class InternalError(CleverdonError, RuntimeError):
    """A defect of Cleverdon itself."""


def check_word(option: str, word: object, allowed: Iterable[str]) -> None:
    """Raise an OptionError that names the nearest allowed word, unless `word` is one of them."""
    allowed = list(allowed)
    if word not in allowed:
        raise OptionError(f"{option}={word!r} is not known{suggest(str(word), allowed)}")


LARGEST_COUNT = 10**15  # higher numbers are typing mistakes


def check_count(option: str, value: object, *, least: int = 1) -> int:
    """Return the value as a whole number; refuse what is none, too small, or absurd."""
    # Numbers of numpy are no `int`, and yet whole; True and False are, and are no numbers here.
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not whole or index(value) < least:  # type: ignore[arg-type]
        raise OptionError(f"{option}={value!r}: expected a whole number from {least} on")
    if index(value) > LARGEST_COUNT:  # type: ignore[arg-type]
        raise OptionError(f"{option}={value}: expected {LARGEST_COUNT:,} at most")
    return index(value)  # type: ignore[arg-type]


def check_seed(seed: object) -> int:
    """Return the seed; refuse what is none."""
    return check_count("seed", seed, least=0)


def check_within(option: str, value: object, low: float, high: float) -> None:
    """Raise an OptionError unless the value is a number between two others, and neither of them."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not low < value < high:  # type: ignore[operator]
        raise OptionError(f"{option}={value!r}: expected a number between {low:g} and {high:g}")


def nearest(word: str, allowed: Iterable[str]) -> str | None:
    """Return the allowed word that was probably meant; None where none is near."""
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in reversed(list(allowed))}
    near = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.5)
    return by_folded[near[0]] if near else None


def suggest(word: str, allowed: Iterable[str]) -> str:
    """Name the allowed word that was probably meant, or all of them where none is near."""
    allowed = list(allowed)
    near = nearest(word, allowed)
    if near is not None:
        return f"; did you mean {near!r}?"
    listed = ", ".join(repr(name) for name in allowed)
    return f"; it can be {listed}" if len(allowed) <= 12 else ""
