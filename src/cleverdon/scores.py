"""Scores: what evaluation gives, a value for each system, measure and query."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon.aggregate import average, settled
from cleverdon.errors import MissingExtra, OptionError, suggest
from cleverdon.hits import Bools, Floats
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.settings import Settings

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class AboutRun:
    """What is to be known of one run beside its scores."""

    source: str  # the file, if it was one
    digest: str  # BLAKE3 of that file
    queries: int  # that are judged and that the run has
    missing: tuple[str, ...]  # judged queries that the run lacks
    extra: int  # queries of the run that have no judgments
    extra_names: tuple[str, ...]  # the first few of them
    results: int  # of judged queries
    tie_rate: float  # the share of results that have their score in common with another
    judged_rate: float  # the share of results that are judged
    judged_in_top_10: float  # the same of the first ten of each query
    undefined: dict[str, int]  # measure: for how many queries it is undefined; zeros left out


@dataclass(frozen=True)
class About:
    """How scores came about: all that one needs to get them again."""

    version: str
    profile: str
    settings: Settings
    qrels: str  # the file, if it was one
    qrels_digest: str
    queries: int
    judgments: int
    runs: dict[str, AboutRun]


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """A value for each system, measure and query.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}, "q2": {"d3": 1}}, {"q1": {"d1": 0.5}}, ["AP", "P@1"])
    >>> scores.mean("run", "AP")
    0.5
    >>> scores.per_query("run", "AP")
    {'q1': 1.0, 'q2': 0.0}
    """

    systems: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: list[str]
    values: Floats  # systems x measures x queries; NaN where undefined or not evaluated
    evaluated: (
        Bools  # systems x queries: False where the run lacks the query and that is passed over
    )
    about: About
    top: dict[str, list[list[tuple[str, float]]]] = field(default_factory=dict)
    """With `keep=k`: for each system and query, the first k results with their scores."""

    @cached_property
    def means(self) -> Floats:
        """Systems x measures: the average over queries (for counts, the sum)."""
        undefined = self.about.settings.undefined
        means = [
            [
                average(
                    measure,
                    settled(
                        measure,
                        self.values[s, m],
                        self.evaluated[s],
                        undefined=undefined,
                        queries=self.queries,
                    ),
                )
                for m, measure in enumerate(self.measures)
            ]
            for s in range(len(self.systems))
        ]
        return np.array(means)

    def mean(self, system: str, measure: str | Measure) -> float:
        """One system's average of one measure."""
        return float(self.means[self._system(system), self._measure(measure)])

    def per_query(self, system: str, measure: str | Measure) -> dict[str, float]:
        """One system's values of one measure, by query; NaN where undefined."""
        values = self.values[self._system(system), self._measure(measure)]
        return dict(zip(self.queries, values.tolist(), strict=True))

    @property
    def warnings(self) -> list[str]:
        """What one should know before believing the numbers, a sentence each."""
        ties = self.about.settings.ties
        runs = self.about.runs.items()
        return [warning for name, run in runs for warning in _doubts(name, run, ties=ties)]

    def _system(self, name: str) -> int:
        if name not in self.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, self.systems)}")
        return self.systems.index(name)

    def _measure(self, measure: str | Measure) -> int:
        wanted = parse(measure) if isinstance(measure, str) else measure
        if wanted not in self.measures:
            names = [str(known) for known in self.measures]
            raise OptionError(f"{wanted} was not evaluated{suggest(str(wanted), names)}")
        return self.measures.index(wanted)

    def rows(self) -> list[dict[str, Any]]:
        """Every value as a record: system, measure, query_id, value."""
        return [
            {"system": system, "measure": str(measure), "query_id": query, "value": value}
            for s, system in enumerate(self.systems)
            for m, measure in enumerate(self.measures)
            for q, (query, value) in enumerate(
                zip(self.queries, self.values[s, m].tolist(), strict=True)
            )
            if self.evaluated[s, q]
        ]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """The averages: system to measure to value."""
        return {
            system: {
                str(measure): float(value)
                for measure, value in zip(self.measures, self.means[s], strict=True)
            }
            for s, system in enumerate(self.systems)
        }

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for `json.dumps`: averages, values, and how they came about."""
        return {
            "about": asdict(self.about),
            "means": {
                system: {measure: _plain(value) for measure, value in means.items()}
                for system, means in self.to_dict().items()
            },
            "queries": self.queries,
            "values": {
                system: {
                    str(measure): [_plain(value) for value in self.values[s, m].tolist()]
                    for m, measure in enumerate(self.measures)
                }
                for s, system in enumerate(self.systems)
            },
        }

    def to_polars(self) -> polars.DataFrame:
        """Every value as a row of a polars data frame."""
        try:
            import polars
        except ImportError:
            raise MissingExtra("to_polars()", package="polars") from None
        return polars.DataFrame(self.rows())

    def to_pandas(self) -> pandas.DataFrame:
        """Every value as a row of a pandas data frame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtra("to_pandas()", package="pandas") from None
        return pandas.DataFrame(self.rows())

    def to_arrow(self) -> Any:
        """Every value as a row of a pyarrow table."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtra("to_arrow()", package="pyarrow", extra="tables") from None
        return pyarrow.Table.from_pylist(self.rows())

    def __repr__(self) -> str:
        from cleverdon.show.table import render

        return render(self, "table")

    def _repr_html_(self) -> str:
        from cleverdon.show.table import render

        return render(self, "html")


def _plain(value: float) -> float | None:
    """JSON knows no NaN."""
    return None if np.isnan(value) else value


def _doubts(name: str, run: AboutRun, *, ties: str) -> list[str]:
    """What may be wrong with one run."""
    doubts = []
    if run.missing:
        shown = ", ".join(run.missing[:3]) + (", ..." if len(run.missing) > 3 else "")
        doubts.append(f"{name} lacks {len(run.missing)} of the judged queries ({shown})")
    if run.judged_rate == 0:
        doubts.append(f"{name} returned no judged document at all; are its document ids the same?")
    if run.tie_rate > 0.1:
        doubts.append(
            f"{name}: {run.tie_rate:.0%} of the results are tied with another; "
            f"their order is not the system's (ties={ties})"
        )
    return doubts
