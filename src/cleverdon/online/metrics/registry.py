"""Which online metrics there are: the one list of names."""

from __future__ import annotations

from importlib import import_module
from typing import TypeVar

from cleverdon.errors import NotationError, suggest
from cleverdon.online.metrics.base import Metric

FAMILIES = {
    "sessions": "Sessions: did users find something?",
    "clicks": "Clicks",
    "searches": "Searches",
    "volume": "How many",
    "lists": "Lists of queries",
    "load": "Load",
}
"""The modules that hold the metrics, with their headings, in the order of listings."""

_classes: dict[str, type[Metric]] = {}

M = TypeVar("M", bound=type[Metric])


def metric(cls: M) -> M:
    """Make a metric known by its name; a name that is taken is refused."""
    name = cls.__name__
    known = _classes.get(name)
    if known is not None and known.__module__ != cls.__module__:
        raise NotationError(f"there is a metric {name!r} already; choose another name")
    _classes[name] = cls
    return cls


def metrics() -> list[type[Metric]]:
    """Every metric there is, in the order of the families."""
    for family in FAMILIES:
        import_module(f"cleverdon.online.metrics.{family}")
    order = list(FAMILIES)

    def place(cls: type[Metric]) -> int:
        family = cls.__module__.rpartition(".")[2]
        return order.index(family) if family in order else len(order)

    return sorted(_classes.values(), key=place)


def find(name: str) -> Metric:
    """The metric of that name; letter case does not matter."""
    known = {cls.__name__: cls for cls in metrics()}
    folded = {known_name.casefold(): cls for known_name, cls in known.items()}
    if name.casefold() not in folded:
        hint = suggest(name, known) or "; cleverdon logs explain lists them"
        raise NotationError(f"there is no metric {name!r}{hint}")
    return folded[name.casefold()]()


def family(cls: type[Metric]) -> str:
    """The heading under which a metric is listed."""
    return FAMILIES.get(cls.__module__.rpartition(".")[2], "Your own")
