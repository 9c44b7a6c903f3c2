"""What an adaptive method is, and the one list of them.

A method is a small frozen record of its parameters. For each topic it begins a `State`, which is
asked for the next document and told what became of it. Documents and systems are numbers here.
Ties go to the lower number; `Judging` deals numbers out by chance, so that they favour nobody.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, ClassVar, TypeVar

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.errors import OptionError, suggest
from cleverdon.pool.contributions import OfTopic


class State(ABC):
    """How far a method has come with one topic.

    Several documents may be given before one of them is judged, and documents may be judged that
    were never given: those are not given any more. A document may be judged again, where a judge
    changes her mind.
    """

    def __init__(self, of: OfTopic) -> None:
        self.of = of
        self.seen = bytearray(len(of.docs))  # given, or judged without that
        self.left = len(of.docs)
        self.relevant: dict[int, bool] = {}

    def next(self) -> int | None:
        """The document to judge next; None where all have been seen."""
        if not self.left:
            return None
        doc = self._choose()
        self._see(doc)
        return doc

    def judge(self, doc: int, relevant: bool) -> None:
        """Learn whether a document is relevant."""
        before = self.relevant.get(doc)
        if not self.seen[doc]:
            self._see(doc)
        if before is not relevant:
            self.relevant[doc] = relevant
            self._learn(doc, relevant, before)

    def _see(self, doc: int) -> None:
        self.seen[doc] = True
        self.left -= 1

    @abstractmethod
    def _choose(self) -> int:
        """A document that has not been seen; there is one."""

    @abstractmethod
    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        """What a judgment says; `before` is what was said of the document earlier, if anything."""


@dataclass(frozen=True)
class Method(ABC):
    """A way to choose what to judge next; its fields are its parameters."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """What it does, for lists of methods."""

    @abstractmethod
    def begin(self, of: OfTopic, random: np.random.Generator) -> State:
        """Start with a topic."""

    @property
    def parameters(self) -> dict[str, Any]:
        """By name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __str__(self) -> str:
        """As it is written: the parameters that are not as they are by default."""
        changed = [
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def _check(self, parameter: str, low: float, high: float, *, open: bool = False) -> None:
        """Raise an OptionError unless a parameter is a number between two others."""
        value = getattr(self, parameter)
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits or not (low < value < high if open else low <= value <= high):
            ends = f"between {low:g} and {high:g}" if open else f"from {low:g} to {high:g}"
            raise OptionError(f"{self.name}({parameter}={value!r}): expected a number {ends}")


_METHODS: dict[str, type[Method]] = {}
_FAMILIES = ("static", "move_to_front", "bandits", "hedge", "minimal")
"""The modules that define methods, in the order in which they are listed."""

M = TypeVar("M", bound=type[Method])


def method(cls: M) -> M:
    """Register a method under its name."""
    if not cls.__module__.startswith(__package__):
        methods()  # so that no name of Cleverdon's own can be taken
    known = _METHODS.get(cls.name)
    # The same class again, as when a notebook cell is run twice, takes the place of the first.
    if known is not None and _identity(known) != _identity(cls):
        raise OptionError(f"there is a method {cls.name!r} already; choose another name")
    _METHODS[cls.name] = cls
    return cls


def _identity(cls: type[Method]) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def methods() -> dict[str, type[Method]]:
    """All methods by name."""
    for family in _FAMILIES:
        import_module(f"cleverdon.pool.adaptive.{family}")
    return dict(_METHODS)


def parse_method(given: str | Method) -> Method:
    """A method by its name, with parameters in brackets where they are to be others.

    >>> parse_method("hedge(beta=0.2)")
    Hedge(beta=0.2)
    """
    if isinstance(given, Method):
        return given
    found = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", given)
    if not found:
        raise OptionError(f"{given!r} is no method: write NAME or NAME(parameter=value, ...)")
    parameters: dict[str, Any] = {}
    for pair in (found[2] or "").split(","):
        key, _, value = (part.strip() for part in pair.partition("="))
        if key in parameters:
            raise OptionError(f"{given!r}: the parameter {key!r} is given twice")
        if pair.strip():
            parameters[key] = _value(value)
    return make_method(found[1], parameters)


def make_method(name: str, parameters: dict[str, Any]) -> Method:
    """The method of a name, with these parameters."""
    known = methods()
    if name not in known:
        raise OptionError(f"there is no method {name!r}{suggest(name, known)}")
    allowed = [field.name for field in fields(known[name])]
    for parameter in parameters:
        if parameter not in allowed:
            hint = suggest(parameter, allowed) if allowed else "; it has none"
            raise OptionError(f"{name} has no parameter {parameter!r}{hint}")
    return known[name](**parameters)


def _value(text: str) -> Any:
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        return text


class Holders:
    """Which systems returned a document, and at which place of their rankings (from 0)."""

    def __init__(self, of: OfTopic) -> None:
        order = np.argsort(of.doc, kind="stable")
        self._system, self._place = of.system[order], of.rank[order] - 1
        bounds = np.searchsorted(of.doc[order], np.arange(len(of.docs) + 1))
        self._bounds: list[int] = bounds.tolist()

    def of(self, doc: int) -> tuple[Ints, Ints]:
        """The systems and the places."""
        rows = slice(self._bounds[doc], self._bounds[doc + 1])
        return self._system[rows], self._place[rows]
