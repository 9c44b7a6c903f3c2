"""Measures that are made of another measure, which they are given as a parameter."""

from __future__ import annotations

from typing import Any

from cleverdon.errors import NotationError
from cleverdon.measures.base import Measure


class _OfTheOther:
    """A fact that a measure has from the one that it is made of; its class has the usual one."""

    def __init__(self, usual: Any) -> None:
        self.usual = usual

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Composed | None, owner: type) -> Any:
        return self.usual if instance is None else getattr(instance.measure, self.name)


class Composed(Measure):
    """A measure that puts together values of another one, each as good as the whole is."""

    better = _OfTheOther(Measure.better)
    average = _OfTheOther(Measure.average)
    range = _OfTheOther(Measure.range)

    measure: Measure

    @property
    def needs_docs(self) -> bool:
        return self.measure.needs_docs

    def check(self) -> None:
        if self.measure.text:
            raise NotationError(f"{self}: {self.measure} yields a text, and no number")
        if self.needs is not None and self.measure.needs == self.needs:
            raise NotationError(f"{self}: {self.measure} is one of this kind already")
