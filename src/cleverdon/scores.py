"""Scores: what evaluation gives, a value for each system, measure and query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon.about import About, AboutRun
from cleverdon.aggregate import aggregated, settled, unknown, why_unknown
from cleverdon.arrays import Bools, Floats, plain
from cleverdon.errors import MissingExtra, NotationError, OptionError, suggest
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.profiles import profile as find_profile

if TYPE_CHECKING:
    import pandas
    import polars

    from cleverdon.bounding import Bounds
    from cleverdon.data import Judgments
    from cleverdon.hits import Hits


@dataclass(frozen=True, eq=False)
class Rankings:
    """The rankings behind scores, for whoever draws or explains them."""

    judgments: Judgments
    hits: Mapping[str, Hits]  # by system; their queries are those of the scores


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
    rankings: Rankings | None = None
    """With `keep=k`: what the values were computed from."""
    texts: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """For each system and measure that yields texts and no numbers: the text of each query."""

    parts: dict[Measure, Floats] = field(default_factory=dict)
    """For each measure that has a micro-average: systems x parts x queries."""

    bounds: dict[str, dict[str, Bounds]] = field(default_factory=dict)
    """With `bounds=True`: for each system and measure, the lowest and highest values."""

    @cached_property
    def means(self) -> Floats:
        """Systems x measures: the average over queries (for counts, the sum).

        NaN of texts, and of a measure that is undefined for every query.
        """
        return self.aggregate("mean")

    def aggregate(
        self, how: str = "mean", *, floor: float = 1e-5, quantile: float = 0.5, ddof: int = 1
    ) -> Floats:
        """Systems x measures: the values of all queries made into one, NaN of texts.

        `how` is one of `cleverdon.settings.AVERAGES`. `floor` is what lower values count as in
        geometric means, `quantile` the share of queries that lie below, and the standard deviation
        divides by the number of queries less `ddof`.

        >>> from cleverdon import evaluate
        >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1, "d3": 1, "d4": 1}}
        >>> scores = evaluate(qrels, {"q1": {"d1": 0.5}, "q2": {"d5": 0.5}}, "R@10")
        >>> scores.means.item(), scores.aggregate("micro").item(), scores.aggregate("max").item()
        (0.5, 0.25, 1.0)
        """
        options = {"floor": floor, "quantile": quantile, "ddof": ddof}
        return np.array(
            [
                [self._aggregate(s, m, how, options) for m in range(len(self.measures))]
                for s in range(len(self.systems))
            ]
        )

    def _aggregate(self, s: int, m: int, how: str, options: dict[str, Any]) -> float:
        measure = self.measures[m]
        if measure.text:
            return float("nan")
        if how == "micro":
            return self.micro(self.systems[s], measure)
        values = settled(
            measure,
            self.values[s, m],
            self.evaluated[s],
            undefined=self.about.settings.undefined,
            queries=self.queries,
        )
        return aggregated(measure, values, how, **options)

    def micro(self, system: str, measure: str | Measure) -> float:
        """One system's micro-average: counts summed over queries first, and divided then.

        So that each document weighs the same, where in a mean each query does. Every evaluated
        query is in it, those that have no value of their own among them; NaN where even the sums
        have none.
        """
        s, m = self.index_of(system, measure)
        wanted = self.measures[m]
        if wanted not in self.parts:
            if not wanted.has_parts:
                raise OptionError(f"{wanted} has no micro-average, since it is no ratio of counts")
            ties = self.about.settings.ties
            raise OptionError(f"there are no micro-averages where ties={ties}")
        return wanted.micro(self.parts[wanted][s][:, self.evaluated[s]])

    def mean(self, system: str, measure: str | Measure) -> float:
        """One system's average of one measure."""
        return float(self.means[self.index_of(system, measure)])

    def mean_bounds(self, system: str, measure: str | Measure) -> tuple[float, float]:
        """The lowest and highest that one system's average could be; see `cleverdon.bounds`."""
        s, m = self.index_of(system, measure)
        found = self.bounds.get(system, {}).get(str(self.measures[m]))
        if found is None:
            raise OptionError("there are no bounds; evaluate(..., bounds=True) finds them")
        undefined = self.about.settings.undefined
        return found.means(undefined=undefined, evaluated=self.evaluated[s])

    def ranked(self) -> Rankings:
        """The rankings behind the scores; an OptionError where they were not kept."""
        if self.rankings is None:
            raise OptionError("the rankings were not kept; evaluate(..., keep=k) keeps them")
        return self.rankings

    def per_query(self, system: str, measure: str | Measure) -> dict[str, float]:
        """One system's values of one measure, by query; NaN where undefined."""
        s, m = self.index_of(system, measure)
        if self.measures[m].text:
            raise OptionError(f"{self.measures[m]} yields texts: see Scores.texts")
        values = self.values[s, m]
        return dict(zip(self.queries, values.tolist(), strict=True))

    @property
    def warnings(self) -> list[str]:
        """What one should know before believing the numbers, a sentence each."""
        ties = self.about.settings.ties
        runs = self.about.runs.items()
        doubts = [warning for name, run in runs for warning in _doubts(name, run, ties=ties)]
        return doubts + self.unknowns()

    def unknowns(self) -> list[str]:
        """Which measures have no value because they are undefined for every query, and why.

        A sentence for each reason; nothing where all measures have values.
        """
        alike: dict[str, list[str]] = {}
        for measure in self.measures:
            systems = [system for system in self.systems if self.is_unknown(system, measure)]
            if systems:
                where = "" if len(systems) == len(self.systems) else f" in {', '.join(systems)}"
                why = why_unknown(measure, docs=self.about.docs)
                alike.setdefault(f"{where}: {why}", []).append(str(measure))
        return [f"{', '.join(measures)}{why}" for why, measures in alike.items()]

    def is_unknown(self, system: str, measure: str | Measure, *, on: Bools | None = None) -> bool:
        """Whether a system has no value of a measure: undefined for all queries, or all `on`."""
        s, m = self.index_of(system, measure)
        wanted, counted = self.measures[m], self.evaluated[s] if on is None else on
        undefined = self.about.settings.undefined
        return not wanted.text and unknown(wanted, self.values[s, m, counted], undefined=undefined)

    def check_known(
        self, measure: Measure, *, systems: Sequence[str] | None = None, on: Bools | None = None
    ) -> None:
        """Raise an OptionError that says why a system has no value of a measure, if one has none.

        For whatever needs a value of each system, such as comparisons.
        """
        named = self.systems if systems is None else systems
        lacking = [name for name in named if self.is_unknown(name, measure, on=on)]
        if lacking:
            of = "" if len(lacking) == len(named) else f" of {' and '.join(map(repr, lacking))}"
            why = why_unknown(measure, docs=self.about.docs)
            raise OptionError(f"{measure}{of} has no value: it is {why}")

    def index_of(self, system: str, measure: str | Measure) -> tuple[int, int]:
        """Where a system and a measure stand in `values`; an OptionError where they are not."""
        return self._system(system), self._measure(measure)

    def _system(self, name: str) -> int:
        if name not in self.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, self.systems)}")
        return self.systems.index(name)

    def _measure(self, measure: str | Measure) -> int:
        wanted = measure if isinstance(measure, Measure) else self._written(measure)
        if wanted not in self.measures:
            names = [str(known) for known in self.measures]
            raise OptionError(f"{wanted} was not evaluated{suggest(str(wanted), names)}")
        return self.measures.index(wanted)

    def _written(self, measure: str) -> Measure:
        """The measure that is written so, here or in the tool that the profile is of."""
        with suppress(NotationError):  # what is no name here may be one of the tool's
            found = parse(measure)
            if found in self.measures:
                return found
        (as_asked,) = find_profile(self.about.profile).parse(measure)
        return as_asked

    def rows(self) -> list[dict[str, Any]]:
        """Every value as a record: system, measure, query_id, value."""
        return [
            {"system": system, "measure": str(measure), "query_id": query, "value": value}
            for s, system in enumerate(self.systems)
            for m, measure in enumerate(self.measures)
            for q, (query, value) in enumerate(
                zip(self.queries, self.values[s, m].tolist(), strict=True)
            )
            if self.evaluated[s, q] and not measure.text
        ]

    def to_dict(self, *, average: str = "mean") -> dict[str, dict[str, float]]:
        """The averages: system to measure to value; NaN of a measure that has none.

        It has none where it is undefined for every query: `warnings` says why.
        """
        found = self.aggregate(average)
        return {
            system: {
                str(measure): float(value)
                for measure, value in zip(self.measures, found[s], strict=True)
                if not measure.text
            }
            for s, system in enumerate(self.systems)
        }

    def to_json(self, *, average: str = "mean") -> dict[str, Any]:
        """Everything, ready for `json.dumps`: averages, values, and how they came about.

        The averages stand under `means`, or under the word for them where others are asked for;
        None where there is none, and `warnings` says why.
        """
        return {
            "about": asdict(self.about),
            "means" if average == "mean" else average: {
                system: {measure: plain(value) for measure, value in found.items()}
                for system, found in self.to_dict(average=average).items()
            },
            "queries": self.queries,
            "values": {
                system: {
                    str(measure): self.texts[system][str(measure)]
                    if measure.text
                    else [plain(value) for value in self.values[s, m].tolist()]
                    for m, measure in enumerate(self.measures)
                }
                for s, system in enumerate(self.systems)
            },
            "warnings": self.warnings,
        } | ({"bounds": self._bounds_for_json()} if self.bounds else {})

    def _bounds_for_json(self) -> dict[str, Any]:
        return {
            system: {
                measure: {
                    "means": [plain(end) for end in self.mean_bounds(system, measure)],
                    "lowest": [plain(value) for value in found.lowest.tolist()],
                    "highest": [plain(value) for value in found.highest.tolist()],
                }
                for measure, found in of_system.items()
            }
            for system, of_system in self.bounds.items()
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


def _doubts(name: str, run: AboutRun, *, ties: str) -> list[str]:
    """What may be wrong with one run."""
    doubts = []
    if run.missing:
        shown = ", ".join(run.missing[:3]) + (", ..." if len(run.missing) > 3 else "")
        doubts.append(f"{name} lacks {len(run.missing)} of the judged queries ({shown})")
    if not run.results:
        doubts.append(f"{name} found nothing for any judged query; is it the right file?")
    elif run.judged_rate == 0:
        doubts.append(f"{name} returned no judged document at all; are its document ids the same?")
    if run.tie_rate > 0.1:
        averaged = "the values are means over their orders"
        chosen = averaged if ties == "expected" else "their order is not the system's"
        doubts.append(
            f"{name}: {run.tie_rate:.0%} of the results are tied with another; "
            f"{chosen} (ties={ties})"
        )
    return doubts
