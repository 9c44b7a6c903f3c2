"""The measured costs of a system: times, rates and sizes.

The files that `cleverdon bench --json` and `cleverdon index --json` write have, among much else,
an object `costs`; and where queries were asked, `run`: what was answered while it was timed, as
`{query: {document: score}}`, with all queries that were asked. This module reads no more of them.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from cleverdon.errors import InputError

VERSION = 1
_KINDS = ("cleverdon bench", "cleverdon index")
_WRITTEN_BY = "'cleverdon bench --json' or 'cleverdon index --json'"
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Quantity:
    """One thing that can be measured."""

    unit: Literal["s", "B", "1/s", ""]
    better: Literal["lower", "higher"]
    what: str


QUANTITIES = {
    "p50": Quantity("s", "lower", "the response time that half of the requests stay within"),
    "p90": Quantity("s", "lower", "the response time that 90% of the requests stay within"),
    "p95": Quantity("s", "lower", "the response time that 95% of the requests stay within"),
    "p99": Quantity("s", "lower", "the response time that 99% of the requests stay within"),
    "p99.9": Quantity("s", "lower", "the response time that 99.9% of the requests stay within"),
    "p99.99": Quantity("s", "lower", "the response time that 99.99% of the requests stay within"),
    "throughput": Quantity("1/s", "higher", "answered requests a second"),
    "errors": Quantity("", "lower", "the share of requests that were not answered"),
    "knee": Quantity("1/s", "higher", "the highest rate that kept the limit on p99"),
    "index_time": Quantity("s", "lower", "how long indexing takes"),
    "index_cpu": Quantity("s", "lower", "processor time of indexing"),
    "index_memory": Quantity("B", "lower", "the most memory that indexing holds"),
    "index_overhead": Quantity("B", "lower", "the most disk that indexing takes beside the index"),
    "index_size": Quantity("B", "lower", "the size of the index"),
    "index_ratio": Quantity("", "lower", "the index's size as a share of the text's"),
}
"""All of them, by the names that files and rules have for them."""


@dataclass(frozen=True)
class Cost:
    """A value, and an interval of confidence where one is known."""

    value: float
    low: float | None = None
    high: float | None = None
    not_valid: tuple[str, ...] = ()  # why this one should not be believed

    @property
    def ends(self) -> tuple[float, float]:
        """The interval, 0 or infinity for an unknown end; the value alone if both are unknown."""
        if self.low is None and self.high is None:
            return self.value, self.value
        return (0.0 if self.low is None else self.low, math.inf if self.high is None else self.high)


@dataclass(frozen=True)
class Costs:
    """The measured costs of one system."""

    system: str
    by_name: Mapping[str, Cost]  # by the names of QUANTITIES
    not_valid: tuple[str, ...] = ()  # why the values should not be believed
    settings: Mapping[str, Any] = field(default_factory=dict)  # how they were measured

    def why_not(self, name: str) -> tuple[str, ...]:
        """Return the reasons not to trust one of the values; usually there are none."""
        return (*self.not_valid, *self.by_name[name].not_valid)

    def to_json(self) -> dict[str, Any]:
        """Return the object `costs` of a file of results."""
        return {
            name: {"value": cost.value, "low": cost.low, "high": cost.high}
            | ({"not_valid": list(cost.not_valid)} if cost.not_valid else {})
            for name, cost in self.by_name.items()
        }

    def record(self) -> dict[str, Any]:
        """Return the record that `costs_from_record` reads."""
        return {
            "system": self.system,
            "settings": dict(self.settings),
            "costs": self.to_json(),
            "not_valid": list(self.not_valid),
        }


def costs_from_record(held: Mapping[str, Any]) -> Costs:
    """Read costs; KeyError, TypeError or ValueError if the record is damaged."""
    return Costs(
        system=str(held["system"]),
        by_name={name: _cost(cost) for name, cost in held["costs"].items() if name in QUANTITIES},
        not_valid=_reasons(held),
        settings=dict(held.get("settings", {})),
    )


def cost_label(name: str) -> str:
    return name.replace("_", " ")


def read_costs(path: str | os.PathLike[str]) -> Costs:
    """Read the costs of a file of results."""
    return _read(costs_from_record, path)


def read_timed_run(path: str | os.PathLike[str]) -> dict[str, dict[str, float]] | None:
    """Return the run that the engine gave while it was timed; None where the file has none."""
    return _read(_timed_run, path)


def _timed_run(held: Mapping[str, Any]) -> dict[str, dict[str, float]] | None:
    run = held.get("run")
    if run is None:
        return None
    return {
        str(query): {str(doc): _number(score) for doc, score in found.items()}
        for query, found in run.items()
    }


def _read(reader: Callable[[dict[str, Any]], _Read], path: str | os.PathLike[str]) -> _Read:
    source = os.fspath(path)
    try:
        with open(path, encoding="utf-8") as file:
            held = json.load(file)
    except FileNotFoundError:
        raise InputError("there is no such file of results", source=source) from None
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(
            f"cannot be read as what {_WRITTEN_BY} writes: {error}", source=source
        ) from None
    if not isinstance(held, dict) or held.get("kind") not in _KINDS:
        raise InputError(f"is not what {_WRITTEN_BY} writes", source=source)
    if held.get("version") != VERSION:
        raise InputError(
            f"is of version {held.get('version')!r}, and this Cleverdon reads version {VERSION}; "
            "measure again",
            source=source,
        )
    try:
        return reader(held)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"is a damaged file of results: {damage_text(error)}; measure again", source=source
        ) from None


def damage_text(error: Exception) -> str:
    """Describe what is wrong with a record, from the error that reading it gave."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    if isinstance(error, (TypeError, AttributeError)):
        return "something in it is of another kind than it should be"
    return str(error)


def as_costs(given: Any) -> Costs | None:
    """Return the costs of one system: as they are, or of a file of results or of several.

    >>> as_costs("examples/bm25.bench.json").system
    'bm25'
    """
    if given is None or isinstance(given, Costs):
        return given
    files = [given] if isinstance(given, (str, os.PathLike)) else list(given)
    found = merge_costs(replace(read_costs(file), system="") for file in files)
    if not found:
        raise InputError("there is no file of costs")
    name = read_costs(files[0]).system
    return replace(found[""], system=name)


def costs_by_system(given: Any) -> dict[str, Costs]:
    """Return the costs of systems: of a dict by system, or of files that name their systems.

    >>> list(costs_by_system(["examples/bm25.bench.json", "examples/dense.bench.json"]))
    ['bm25', 'dense']
    """
    if given is None:
        return {}
    if isinstance(given, Mapping):
        known = {system: as_costs(costs) for system, costs in given.items()}
        return {system: costs for system, costs in known.items() if costs is not None}
    files = [given] if isinstance(given, (str, os.PathLike)) else given
    return merge_costs(read_costs(file) for file in files)


def merge_costs(found: Iterable[Costs]) -> dict[str, Costs]:
    """Merge the costs of each system: those of a bench and those of indexing."""
    systems: dict[str, Costs] = {}
    for costs in found:
        before = systems.get(costs.system)
        if before is None:
            systems[costs.system] = costs
            continue
        one, other = _each_with_its_doubts(before), _each_with_its_doubts(costs)
        both = sorted(one.keys() & other.keys())
        twice = [name for name in both if one[name].value != other[name].value]
        if twice:
            raise InputError(
                f"two files say {twice[0]} of {costs.system!r}; give systems names of their own"
            )
        systems[costs.system] = Costs(
            system=costs.system,
            by_name={
                **one,
                **other,
                # What one of them doubts, the other has found to be so.
                **{name: min(one[name], other[name], key=_doubts) for name in both},
            },
            settings={**before.settings, **costs.settings},
        )
    return systems


def _each_with_its_doubts(costs: Costs) -> dict[str, Cost]:
    """Attach to each cost its own doubts: those of a bench do not concern an index's size."""
    return {
        name: replace(cost, not_valid=costs.why_not(name)) for name, cost in costs.by_name.items()
    }


def _doubts(cost: Cost) -> int:
    return len(cost.not_valid)


def _cost(held: Mapping[str, Any]) -> Cost:
    low, high = (None if held.get(end) is None else _amount(held[end]) for end in ("low", "high"))
    return Cost(_amount(held["value"]), low, high, _reasons(held))


def _reasons(held: Mapping[str, Any]) -> tuple[str, ...]:
    reasons = held.get("not_valid", [])
    if not isinstance(reasons, list):
        raise ValueError(f"the reasons in not_valid are no list: {reasons!r}")
    return tuple(map(str, reasons))


def _amount(held: Any) -> float:
    found = _number(held)
    if found < 0:
        raise ValueError(f"{held!r} is below 0, which no cost is")
    return found


def _number(held: Any) -> float:
    if isinstance(held, bool) or not isinstance(held, (int, float)) or not math.isfinite(held):
        raise ValueError(f"{held!r} is no number")
    return float(held)
