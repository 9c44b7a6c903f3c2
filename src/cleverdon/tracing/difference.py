"""Which documents make the difference between two systems on a query."""

from __future__ import annotations

from dataclasses import dataclass

from cleverdon.errors import OptionError
from cleverdon.tracing.moves import NOTHING
from cleverdon.tracing.results import Step, Trace


@dataclass(frozen=True)
class Part:
    """What one document makes of the difference between two systems."""

    doc: str | None  # None: what both have before any hit
    grade: float | None
    ranks: tuple[int | None, int | None]  # None where it was not returned
    added: tuple[float, float]

    @property
    def difference(self) -> float:
        return self.added[0] - self.added[1]


@dataclass(frozen=True)
class TracedDifference:
    """Which documents make the difference between two systems' scores of a query."""

    traces: tuple[Trace, Trace]
    parts: tuple[Part, ...]
    """The largest first; their differences add up to that of the values."""

    @property
    def value(self) -> float:
        """The first system's value less the second's; NaN where one is undefined."""
        return self.traces[0].value - self.traces[1].value

    def __str__(self) -> str:
        from cleverdon.show.traced_difference import render_difference

        return render_difference([self])

    def _repr_html_(self) -> str:
        from cleverdon.show.traced_difference import render_difference

        return render_difference([self], "html")


def difference(first: Trace, second: Trace) -> TracedDifference:
    """Which documents make the difference between two traces, of a query by the same measure.

    >>> from cleverdon.tracing import trace
    >>> qrels = {"q1": {"d1": 1, "d2": 2}}
    >>> runs = {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d3": 2, "d1": 1}}
    >>> found = difference(*(trace(qrels, run, "CG") for run in runs))
    >>> [(part.doc, part.ranks, part.difference) for part in found.parts]
    [('d2', (2, None), 2.0)]
    """
    if (first.query, first.measure) != (second.query, second.measure):
        raise OptionError("two traces are compared where query and measure are the same")
    of_both: list[dict[str, Step]] = [
        {step.doc: step for step in one.steps} for one in (first, second)
    ]
    parts = [Part(None, None, (None, None), (first.start, second.start))]
    for doc in of_both[0] | of_both[1]:
        steps = [steps.get(doc) for steps in of_both]
        known = next(step for step in steps if step is not None)
        ranks = [None if step is None else step.rank for step in steps]
        added = [0.0 if step is None else step.added for step in steps]
        parts.append(Part(doc, known.grade, (ranks[0], ranks[1]), (added[0], added[1])))
    parts = [part for part in parts if abs(part.difference) > NOTHING]
    parts.sort(key=lambda part: -abs(part.difference))
    return TracedDifference((first, second), tuple(parts))
