"""The result of indexing: builds, their spread over repetitions, growth, costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

from cleverdon._common.text import counted, printable
from cleverdon.costs import QUANTITIES, VERSION, Cost, Costs
from cleverdon.stats.intervals import MEDIAN_CONFIDENCE, median_interval
from cleverdon.stats.trends import Growth
from cleverdon.tables.numbers import format_bytes, format_rate, format_seconds, format_significant
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart

_WRITERS = {
    "s": format_seconds,
    "B": format_bytes,
    "1/s": format_rate,
    "B/s": lambda value: f"{format_bytes(value)}/s",
    "": format_significant,
}


@dataclass(frozen=True)
class MeasuredQuantity:
    """A quantity that is measured of every build."""

    unit: Literal["s", "B", "1/s", "B/s", ""]
    label: str

    def write(self, value: float) -> str:
        return _WRITERS[self.unit](value)


MEASURED_QUANTITIES = {
    "index_time": MeasuredQuantity("s", "wall time"),  # without reading, if that can be separated
    "reading": MeasuredQuantity("s", "reading the collection"),  # wall time
    "index_cpu": MeasuredQuantity("s", "processor time"),  # of all processes
    "cpu_user": MeasuredQuantity("s", "user"),
    "cpu_system": MeasuredQuantity("s", "system"),
    "documents_rate": MeasuredQuantity("1/s", "documents"),
    "text_rate": MeasuredQuantity("B/s", "text"),
    "index_memory": MeasuredQuantity("B", "peak memory"),  # of all processes at once
    "memory_before": MeasuredQuantity("B", "memory at the start"),  # before the first document
    "disk_peak": MeasuredQuantity("B", "peak disk"),  # with temporary files
    "index_overhead": MeasuredQuantity("B", "disk beyond the index"),  # at its peak
    "index_size": MeasuredQuantity("B", "index size"),
    "index_ratio": MeasuredQuantity("", "index to text"),  # sizes
}

_OVERVIEW_QUANTITIES = (
    *("index_time", "documents_rate", "index_cpu", "index_memory", "index_overhead"),
    *("index_size", "index_ratio"),
)
_SLIGHT = 0.15  # an exponent that differs by less is called slightly faster or slower than linear
_HARDLY = 0.2
"""An exponent that is certainly below this one: ten times the documents take 1.6 times as much."""


@dataclass(frozen=True)
class Amount:
    """A value, and by how much its measurement may be off."""

    value: float
    less: float = 0.0
    more: float = 0.0


@dataclass(frozen=True)
class Build:
    """One build of an index; it lacks the amounts that could not be measured."""

    documents: int
    bytes: int  # of text
    amounts: Mapping[str, Amount]  # by name of the quantity
    samples: int = 0
    longest_gap: float = 0.0  # seconds: the longest time between two looks at the processes
    taken: int | None = None  # documents that the engine took, where that can be known
    left: int = 0  # processes that still ran when it was over
    overlap: float = 0.0  # seconds of reading in its wall time, during which work may have gone on

    def to_dict(self) -> dict[str, Any]:
        facts = {name: value for name, value in vars(self).items() if name != "amounts"}
        return {**facts, **as_json(self.amounts)}


@dataclass(frozen=True)
class Spread:
    """A quantity over repetitions."""

    median: float
    least: float
    most: float
    deviation: float  # the median of the distances from the median
    low: float | None  # the interval of the median; None where repetitions are too few for one
    high: float | None
    less: float  # how far measuring itself may be off: the worst of the repetitions
    more: float

    @classmethod
    def of(cls, amounts: Sequence[Amount], confidence: float = MEDIAN_CONFIDENCE) -> Spread:
        values = sorted(one.value for one in amounts)
        middle = median(values)
        low, high = median_interval(values, confidence)
        return cls(
            median=middle,
            least=values[0],
            most=values[-1],
            deviation=median(abs(value - middle) for value in values),
            low=low,
            high=high,
            less=max(one.less for one in amounts),
            more=max(one.more for one in amounts),
        )

    def error(self, name: str) -> str:
        """Write how much less or more it may be: what sampling missed, and what the clock took."""
        signs = (("-", self.less), ("+", self.more))
        write = MEASURED_QUANTITIES[name].write
        return " ".join(f"{sign}{write(off)}" for sign, off in signs if off > 0)


@dataclass(frozen=True)
class SizeBuilds:
    """All builds of one size of the collection."""

    documents: int
    bytes: int
    quantities: Mapping[str, Spread] = field(init=False)  # those that every build has
    builds: tuple[Build, ...]
    confidence: float = MEDIAN_CONFIDENCE  # of intervals of medians

    def __post_init__(self) -> None:
        spreads = {
            name: Spread.of([build.amounts[name] for build in self.builds], self.confidence)
            for name in MEASURED_QUANTITIES
            if self.builds and all(name in build.amounts for build in self.builds)
        }
        object.__setattr__(self, "quantities", spreads)

    @property
    def heading(self) -> str:
        return (
            f"{counted(self.documents, 'document')}, {format_bytes(self.bytes)} of text, "
            f"{counted(len(self.builds), 'build')}"
        )

    def table(self, *, exact: bool) -> TextTable:
        interval = any(spread.low is not None for spread in self.quantities.values())
        error = ["less", "more"] if exact else ["measured to within"]
        ends = ["low", "high"] if interval or exact else []
        rows = []
        for name, spread in self.quantities.items():
            cells = [name if exact else MEASURED_QUANTITIES[name].label]
            cells += _cells(name, (spread.median, spread.least, spread.most), exact=exact)
            if exact:
                cells += _cells(name, (spread.less, spread.more), exact=exact)
            else:
                cells.append(spread.error(name))
            if ends:
                cells += _cells(name, (spread.low, spread.high), exact=exact)
            rows.append(cells)
        notes = ["measured to within: what sampling may have missed, and what taking the time took"]
        if interval:
            notes.append(f"low, high: the {self.confidence:.0%} interval of the median")
        header = ["quantity", "median", "least", "most", *error, *ends]
        return TextTable(header, rows, 1, [], notes)


def _cells(name: str, values: Sequence[float | None], *, exact: bool) -> list[str]:
    write = repr if exact else MEASURED_QUANTITIES[name].write
    return ["" if value is None else write(value) for value in values]


@dataclass(frozen=True)
class IndexingResult(Result):
    """The costs of indexing, at one size of the collection or at several.

    >>> build = Build(documents=2, bytes=27, amounts={"index_time": Amount(0.5)})
    >>> found = IndexingResult("mine", (SizeBuilds(2, 27, (build,)),))
    >>> found.costs().by_name["index_time"].value
    0.5
    """

    system: str
    sizes: tuple[SizeBuilds, ...]  # the smallest first
    growth: Mapping[str, Growth] = field(default_factory=dict)  # where there are 3 sizes or more
    notes: tuple[str, ...] = ()
    not_valid: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    at: tuple[int, ...] = ()  # other sizes, to predict what they would take

    @property
    def largest(self) -> SizeBuilds:
        return self.sizes[-1]

    def costs(self) -> Costs:
        """Return medians at the largest size as the costs of the system."""
        return Costs(
            system=self.system,
            by_name={
                name: Cost(spread.median, spread.low, spread.high)
                for name, spread in self.largest.quantities.items()
                if name in QUANTITIES
            },
            not_valid=self.not_valid,
            settings=self.settings,
        )

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        parts = [Section(self.largest.heading, self.largest.table(exact=exact))]
        if len(self.sizes) > 1:
            parts.append(Section("by size of the collection", self._sizes_table(exact=exact)))
        if self.growth:
            parts.append(Section("growth with documents", self._growth_table(exact=exact)))
        return parts

    def closing(self) -> Sequence[str]:
        lines = _growth_sentences(self.growth)
        for documents in self.at:
            lines += self._prediction(documents)
        lines += [f"note: {printable(note)}" for note in self.notes]
        return [*lines, *(f"not valid: {printable(reason)}" for reason in self.not_valid)]

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "cleverdon index",
            "version": VERSION,
            "system": self.system,
            "settings": as_json(self.settings),
            "costs": self.costs().to_json(),
            "not_valid": list(self.not_valid),
            "notes": list(self.notes),
            "machine": as_json(self.machine),
            "sizes": as_json(self.sizes),
            "growth": as_json(self.growth),
            "predictions": [
                {name: as_json(grown.predict(documents)) for name, grown in self.growth.items()}
                for documents in self.at
            ],
        }

    def plot(self) -> Chart:
        """Draw growth with the size of the collection."""
        from cleverdon.engines.plots import growth_curve  # altair takes a while to load

        return growth_curve(self)

    def _sizes_table(self, *, exact: bool) -> TextTable:
        names = [
            name
            for name in _OVERVIEW_QUANTITIES
            if all(name in size.quantities for size in self.sizes)
        ]
        labels = names if exact else [MEASURED_QUANTITIES[name].label for name in names]
        labels = ["documents/s" if label == "documents" else label for label in labels]
        rows = [
            [
                str(size.documents) if exact else f"{size.documents:,}",
                str(size.bytes) if exact else format_bytes(size.bytes),
                *(
                    cell
                    for name in names
                    for cell in _cells(name, [size.quantities[name].median], exact=exact)
                ),
            ]
            for size in self.sizes
        ]
        return TextTable(["documents", "text", *labels], rows, 0 if not exact else 1, [])

    def _growth_table(self, *, exact: bool) -> TextTable:
        rows = []
        for name, grown in self.growth.items():
            exponents = (grown.exponent, grown.low, grown.high)
            if exact:
                numbers = (*exponents, grown.stray)
                rows.append([name, *("" if isnan(one) else repr(one) for one in numbers)])
            else:
                label = MEASURED_QUANTITIES[name].label
                rows.append([label, *map(_exponent_text, exponents), f"{grown.stray:.1%}"])
        return TextTable(["quantity", "exponent", "low", "high", "strays by"], rows, 1, [])

    def _prediction(self, documents: int) -> list[str]:
        found = {name: grown.predict(documents) for name, grown in self.growth.items()}
        outside = any(one.extrapolated for one in found.values())
        how = "extrapolated, if growth goes on as it was" if outside else "by the fitted lines"
        lines = [f"{counted(documents, 'document')}, {how}:"]
        for name, one in found.items():
            quantity = MEASURED_QUANTITIES[name]
            value, low, high = map(quantity.write, (one.value, one.low, one.high))
            ends = "" if isnan(one.low) else f", from {low} to {high}"
            lines.append(f"    {quantity.label}: {value}{ends}")
        return lines


def _growth_sentences(growth: Mapping[str, Growth]) -> list[str]:
    """Describe each quantity's exponent, its interval and its meaning; add warnings."""
    lines = []
    for name, grown in growth.items():
        exponent, low, high = map(_exponent_text, (grown.exponent, grown.low, grown.high))
        ends = ""
        if not isnan(grown.low):
            ends = f" ({grown.confidence:.0%} interval {low} to {high})"
        lines.append(
            f"{MEASURED_QUANTITIES[name].label} grows as n^{exponent}{ends}: "
            f"{_growth_meaning(grown)}"
        )
        lines += [f"    warning: {warning}" for warning in grown.warnings]
    return lines


def _exponent_text(value: float) -> str:
    return "-" if isnan(value) else f"{round(value, 2) + 0.0:.2f}"


def _growth_meaning(grown: Growth) -> str:
    """Describe the exponent, as far as its interval allows."""
    if isnan(grown.low):
        return "the sizes are on one line, which shows no spread to tell chance by"
    if grown.low > 1:
        return _slightly(grown.exponent - 1) + "faster than linear"
    if grown.high < _HARDLY:
        return "hardly at all"
    if grown.high < 1:
        return _slightly(1 - grown.exponent) + "slower than linear"
    if grown.high - grown.low > 2 * _SLIGHT:
        return "linear or not: these sizes do not tell"
    return "linear, as far as these sizes show"


def _slightly(difference: float) -> str:
    return "slightly " if difference < _SLIGHT else ""
