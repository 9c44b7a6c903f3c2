"""Scores: a value for each system, measure and query, with averages and provenance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon._common.digests import Digest, pending
from cleverdon._common.extras import require
from cleverdon.errors import NotationError, OptionError, UndefinedError, check_word, suggest
from cleverdon.measures.base import Measure, worst_value
from cleverdon.measures.notation import parse
from cleverdon.profiles import find_profile
from cleverdon.score_tables import arrange_table, check_layout, score_table
from cleverdon.settings import AVERAGES, Settings
from cleverdon.tables.markup import escape_html
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import EXACT, render_table

if TYPE_CHECKING:
    import os

    import pandas
    import polars

    from cleverdon.charts.base import Chart
    from cleverdon.data import Judgments
    from cleverdon.hits import Hits
    from cleverdon.reports.html_report import Report
    from cleverdon.unknowns.bounds import Bounds


@dataclass(frozen=True, kw_only=True)
class RunProvenance:
    """Facts about one run in addition to its scores."""

    source: str  # the file, if it was one
    digest: Digest = Digest()  # noqa: RUF009 (a descriptor; BLAKE3 of that file)
    queries: int  # that are judged and that the run has
    missing: tuple[str, ...]  # judged queries that the run lacks
    extra: int  # queries of the run that have no judgments
    extra_names: tuple[str, ...]  # the first few of them
    results: int  # of judged queries
    tie_rate: float  # the share of results that have their score in common with another
    judged_rate: float  # the share of results that are judged
    judged_in_top_10: float  # the same of the first ten of each query
    undefined: dict[str, int]  # measure: for how many queries it is undefined; zeros left out
    judged_at: dict[int, float] = field(default_factory=dict)
    """The share judged of the first k of each query, for each cut-off k of the measures."""
    returned_at: dict[int, int] = field(default_factory=dict, compare=False, metadata=in_json(None))
    """How many results stand in the first k of all queries, for 10 and the same cut-offs."""
    deepest: int = 0  # the most results that a query has
    empty: tuple[str, ...] = ()  # judged queries that the run has, and that found nothing


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """The origin of scores: everything needed to compute them again."""

    version: str
    profile: str
    settings: Settings
    qrels: str  # the file, if it was one
    qrels_digest: Digest = Digest()  # noqa: RUF009 (a descriptor)
    queries: int
    judgments: int
    runs: dict[str, RunProvenance]
    docs: int | None = None  # how many documents the collection has, where that was said
    pooled: int = 0  # judgments below 0: pooled, and not judged
    asked_for: dict[str, str] = field(default_factory=dict)
    """The text by which a measure was asked for, if that is not its canonical name."""
    top_grade: float | None = field(default=None, compare=False, metadata=in_json(None))
    """The highest grade of all judgments."""
    collection: dict[str, float | str] = field(
        default_factory=dict, compare=False, metadata=in_json(None)
    )
    """The facts of the whole collection that the measures needed: a number, the hash of a table, or
    "own" for a table of these judgments alone."""
    repeats: dict[str, tuple[RunProvenance, ...]] = field(
        default_factory=dict, compare=False, metadata=in_json(None)
    )
    """For each system of several runs: the provenance of each."""

    def replace(self, **changes: Any) -> Provenance:
        """Return it with other values of some fields; a pending digest stays pending."""
        return replace(self, **{"qrels_digest": pending(self, "qrels_digest")} | changes)


def has_no_value(measure: Measure, values: Floats, *, undefined: str) -> bool:
    """Tell whether a system has no average: the measure is undefined for all these queries.

    With undefined="always-worst" it counts as the worst value even then, since other tools print a
    number; but none of them has the measures that need the size of the collection.
    """
    counted = undefined == "always-worst" and not measure.needs_docs
    return len(values) > 0 and not counted and bool(np.isnan(values).all())


def why_no_value(measure: Measure, *, docs: int | None, top_grade: float | None = None) -> str:
    """Explain why a measure is undefined for every query, and what helps."""
    if measure.needs_docs and docs is None:
        return (
            "undefined, since it is not known how many documents the collection has; "
            "docs=N, on the command line --docs N, says so"
        )
    condition = measure.undefined.removeprefix("never; ")
    rel = getattr(measure, "rel", None)
    if top_grade is not None and rel is not None and 0 < top_grade < rel:
        condition = (
            f"no grade reaches {rel:g}, from which on a document is relevant; the highest is "
            f"{top_grade:g}: rel= sets another, as AP(rel={top_grade:g}) does"
        )
    return "undefined for every query" + (f" ({condition})" if condition else "")


def values_to_average(
    measure: Measure, values: Floats, evaluated: Bools, *, undefined: str, queries: list[str]
) -> Floats:
    """The values that enter an average: undefined ones replaced or left out, as was asked for.

    `values` are of one system; those of queries that are not evaluated are left out in any case.
    Nothing is left where the measure is undefined for every query.
    """
    missing = np.isnan(values) & evaluated
    if undefined == "error" and missing.any():
        first = queries[int(np.flatnonzero(missing)[0])]
        remedy = "undefined='worst' or 'skip' passes over that"
        if measure.needs_docs:
            remedy = "docs=N, on the command line --docs N, gives the size of the collection"
        raise UndefinedError(
            f"{measure} is undefined for query {first!r}, {int(missing.sum())} in all "
            f"({measure.undefined}); {remedy}"
        )
    if undefined == "skip" or has_no_value(measure, values[evaluated], undefined=undefined):
        return values[evaluated & ~missing]
    return np.where(missing, worst_value(measure), values)[evaluated]


def average(measure: Measure, values: Floats) -> float:
    """The measure's own average: mean, sum or geometric mean; NaN where there is none.

    Added one by one in the order of queries, as trec_eval does, so that the last digit agrees:
    numpy's own sum adds in pairs.
    """
    if len(values) == 0:
        return float("nan")
    if measure.average == "geometric":
        return _geometric_mean(values)
    total = float(np.add.accumulate(values)[-1])
    return total if measure.average == "sum" else total / len(values)


_OF_PARTS = ("micro", "of-means")
"""The averages that need more of each query than its value."""


def _aggregate_values(
    measure: Measure,
    values: Floats,
    how: str,
    *,
    floor: float = 1e-5,
    quantile: float = 0.5,
    ddof: int = 1,
) -> float:
    """One value of many, in one of the ways that `AVERAGES` lists; `_OF_PARTS` need more."""
    check_word("how", how, [word for word in AVERAGES if word not in _OF_PARTS])
    if how == "mean":
        return average(measure, values)
    if how == "geometric":
        if measure.range[0] < 0:
            raise OptionError(f"{measure} can be below 0, where there is no geometric mean")
        return _geometric_mean(values, floor=floor)
    if not 0 <= quantile <= 1:
        raise OptionError(f"quantile={quantile}: a quantile lies between 0 and 1")
    if len(values) == 0 or (how == "std" and len(values) <= ddof):
        return float("nan")
    if how == "std":
        # Where one value is infinite, as an undefined one may count, there is no deviation.
        return float(np.std(values, ddof=ddof)) if np.isfinite(values).all() else float("nan")
    if how == "quantile":
        return _quantile(values, quantile)
    if how == "median":
        return float(np.median(values))
    return float(values.min() if how == "min" else values.max())


def _quantile(values: Floats, share: float) -> float:
    """Interpolate the value below which a share of all values lies."""
    below = float(np.quantile(values, share, method="lower"))
    above = float(np.quantile(values, share, method="higher"))
    # numpy takes the difference of the two, which is no number where both are infinite.
    return above if below == above or np.isinf(above) else float(np.quantile(values, share))


def _geometric_mean(values: Floats, *, floor: float = 1e-5) -> float:
    """The geometric mean, values below the floor raised to it; NaN where there are no values.

    Robertson 2006, doi:10.1145/1183614.1183630.
    """
    if floor <= 0:
        raise OptionError(f"floor={floor}: the floor is above 0, which has no logarithm")
    if len(values) == 0:
        return float("nan")
    logarithms = np.log(np.maximum(values, floor))
    return float(np.exp(np.add.accumulate(logarithms)[-1] / len(values)))


@dataclass(frozen=True, eq=False)
class Rankings:
    """The rankings behind scores, for whoever draws or explains them."""

    judgments: Judgments
    hits: Mapping[str, Hits]  # by system; their queries are those of the scores


_PLOTTED = ("scores", "rankings", "bounds")
"""What the plots are of that `Scores.plot` draws."""


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
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
    evaluated: Bools  # systems x queries: False where a query that the run lacks is left out
    about: Provenance
    top: dict[str, list[list[tuple[str, float]]]] = field(default_factory=dict)
    """With `keep=k`: for each system and query, the first k results with their scores."""
    rankings: Rankings | None = None  # with `keep=k`: the input of the values
    texts: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """For each system and measure that yields texts and no numbers: the text of each query."""
    parts: dict[Measure, Floats] = field(default_factory=dict)
    """For each measure that has a micro-average: systems x parts x queries."""
    bounds: dict[str, dict[str, Bounds]] = field(default_factory=dict)
    """With `bounds=True`: for each system and measure, the lowest and highest values."""
    repeats: dict[str, Floats] = field(default_factory=dict)
    """For each system of several runs: runs x measures x queries; `values` has the means."""

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
        if how == "of-means":
            return self.of_means(self.systems[s], measure)
        values = values_to_average(
            measure,
            self.values[s, m],
            self.evaluated[s],
            undefined=self.about.settings.undefined,
            queries=self.queries,
        )
        return _aggregate_values(measure, values, how, **options)

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

    def of_means(self, system: str, measure: str | Measure) -> float:
        """One system's F of its mean precision and its mean recall.

        It is not the mean of F, though both are called macro-averaged F: Opitz & Burst 2019,
        arXiv:1911.03347. Undefined precision or recall enters its mean as it would by itself.

        >>> from cleverdon import evaluate
        >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1, "d3": 1, "d4": 1, "d5": 1}}
        >>> run = {"q1": {"d1": 2, "d9": 1}, "q2": {"d2": 1}}
        >>> scores = evaluate(qrels, run, "SetF")
        >>> round(scores.mean("run", "SetF"), 4), round(scores.of_means("run", "SetF"), 4)
        (0.5333, 0.6818)
        """
        s, m = self.index_of(system, measure)
        wanted = self.measures[m]
        if wanted.has_parts and wanted not in self.parts:
            ties = self.about.settings.ties
            raise OptionError(f"there is no average of-means where ties={ties}")
        parts = self.parts[wanted][s] if wanted.has_parts else ()
        with np.errstate(divide="ignore", invalid="ignore"):
            components = wanted.components(*parts)
        means = [
            average(
                component,
                values_to_average(
                    component,
                    values,
                    self.evaluated[s],
                    undefined=self.about.settings.undefined,
                    queries=self.queries,
                ),
            )
            for component, values in components.items()
        ]
        return float("nan") if np.isnan(means).any() else wanted.of_means(*means)

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
        """Warnings to read before believing the numbers, a sentence each."""
        ties = self.about.settings.ties
        runs = self.about.runs.items()
        doubts = [warning for name, run in runs for warning in _run_warnings(name, run, ties=ties)]
        return doubts + self.unknowns()

    def unknowns(self) -> list[str]:
        """List the measures that are undefined for every query, and why.

        A sentence for each reason; nothing where all measures have values.
        """
        alike: dict[str, list[str]] = {}
        for measure in self.measures:
            systems = [system for system in self.systems if self.is_unknown(system, measure)]
            if systems:
                where = "" if len(systems) == len(self.systems) else f" in {', '.join(systems)}"
                why = why_no_value(measure, docs=self.about.docs, top_grade=self.about.top_grade)
                alike.setdefault(f"{where}: {why}", []).append(str(measure))
        return [f"{', '.join(measures)}{why}" for why, measures in alike.items()]

    def is_unknown(self, system: str, measure: str | Measure, *, on: Bools | None = None) -> bool:
        """Tell whether a measure of a system is undefined for all queries, or for all `on`."""
        s, m = self.index_of(system, measure)
        wanted, counted = self.measures[m], self.evaluated[s] if on is None else on
        undefined = self.about.settings.undefined
        return not wanted.text and has_no_value(
            wanted, self.values[s, m, counted], undefined=undefined
        )

    def check_known(
        self, measure: Measure, *, systems: Sequence[str] | None = None, on: Bools | None = None
    ) -> None:
        """Raise an OptionError that says why a system has no value of a measure, if one has none.

        Comparisons, for example, need a value of each system.
        """
        named = self.systems if systems is None else systems
        lacking = [name for name in named if self.is_unknown(name, measure, on=on)]
        if lacking:
            of = "" if len(lacking) == len(named) else f" of {' and '.join(map(repr, lacking))}"
            why = why_no_value(measure, docs=self.about.docs, top_grade=self.about.top_grade)
            raise OptionError(f"{measure}{of} has no value: it is {why}")

    def index_of(self, system: str, measure: str | Measure) -> tuple[int, int]:
        """Return the indices of a system and a measure in `values`; OptionError if unknown."""
        if system not in self.systems:
            raise OptionError(f"there is no system {system!r}{suggest(system, self.systems)}")
        wanted = measure if isinstance(measure, Measure) else self._written(measure)
        if wanted not in self.measures:
            names = [str(known) for known in self.measures]
            raise OptionError(f"{wanted} was not evaluated{suggest(str(wanted), names)}")
        return self.systems.index(system), self.measures.index(wanted)

    def _written(self, measure: str) -> Measure:
        """Look up a measure by Cleverdon's name, or by that of the profile's tool."""
        with suppress(NotationError):  # what is no name here may be one of the tool's
            found = parse(measure)
            if found in self.measures:
                return found
        return find_profile(self.about.profile).parse_one(measure)

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

    def to_json(self, *, average: str = "mean") -> str:
        """Return `to_record` as JSON."""
        return self.render("json", average=average)

    def to_record(self, *, average: str = "mean") -> dict[str, Any]:
        """Return everything as JSON can hold it: averages, values, provenance, warnings.

        The averages have the key `means`, or the name of another average that was asked for; None
        where there is none, and `warnings` says why.
        """
        record = {
            "about": self.about,
            "means" if average == "mean" else average: self.to_dict(average=average),
            "queries": self.queries,
            "values": {
                system: {
                    str(measure): self.texts[system][str(measure)] if measure.text else values
                    for measure, values in zip(self.measures, self.values[s], strict=True)
                }
                for s, system in enumerate(self.systems)
            },
            "warnings": self.warnings,
        }
        if self.bounds:
            record["bounds"] = {
                system: {
                    measure: {
                        "means": self.mean_bounds(system, measure),
                        "lowest": found.lowest,
                        "highest": found.highest,
                    }
                    for measure, found in of_system.items()
                }
                for system, of_system in self.bounds.items()
            }
        if self.repeats:
            record["repeats"] = {
                system: {str(m): values[:, at] for at, m in enumerate(self.measures)}
                for system, values in self.repeats.items()
            }
        plain: dict[str, Any] = as_json(record)
        return plain

    def to_polars(self) -> polars.DataFrame:  # type: ignore[override]  # has one view
        """Return every value as a row of a polars data frame."""
        frame: polars.DataFrame = require("polars", "to_polars()").DataFrame(self.rows())
        return frame

    def to_pandas(self) -> pandas.DataFrame:  # type: ignore[override]  # has one view
        """Every value as a row of a pandas data frame."""
        frame: pandas.DataFrame = require("pandas", "to_pandas()").DataFrame(self.rows())
        return frame

    def to_arrow(self) -> Any:
        """Every value as a row of a pyarrow table."""
        pyarrow = require("pyarrow", "to_arrow()", extra="tables")
        return pyarrow.Table.from_pylist(self.rows())

    def sections(self, *, exact: bool = False, **view: Any) -> list[Section]:
        """Return two tables: the averages of the systems, and their values for each query."""
        return [
            Section("systems", score_table(self, exact=exact, **view)),
            Section("queries", score_table(self, per_query=True, exact=exact, **view)),
        ]

    def render(  # type: ignore[override]  # names the options of the view
        self,
        format: str = "table",
        *,
        section: str | None = None,
        per_query: bool = False,
        average: str = "mean",
        systems: str = "auto",
        sort: str = "given",
        digits: int | None = None,
        baseline: str | None = None,
        styled: bool = False,
        width: int | None = None,
    ) -> str:
        """Write the averages, or the values for each query, as text.

        Args:
            format: One of `cleverdon.tables.table.FORMATS`.
            section: "systems" for the averages, "queries" for the values, as `per_query`.
            per_query: Whether to write the value for each query.
            average: One of `cleverdon.settings.AVERAGES`.
            systems: "rows" or "columns"; "auto" means rows, and columns where text would be too
                wide for a screen.
            sort: "given", "name" or a measure, by which the best system is first, and, with
                `per_query`, the worst query.
            digits: Decimals; by default four, or those of the profile.
            baseline: With `per_query`: queries are sorted by the difference to this system, and
                the difference has a column.
            styled: Whether a terminal shows bold and underlined text.
            width: The columns of the terminal.

        >>> from cleverdon import evaluate
        >>> runs = {"one": {"q1": {"d2": 2, "d1": 1}}, "two": {"q1": {"d1": 2, "d2": 1}}}
        >>> print(evaluate({"q1": {"d1": 1}}, runs, "RR P@5").render("csv", sort="RR"))
        system,RR,P@5
        two,1.0,0.2
        one,0.5,0.2
        """
        check_layout(format, systems=systems, sort=sort, digits=digits)
        if format == "json":
            import json

            return json.dumps(self.to_record(average=average), indent=1, ensure_ascii=False)
        if section is not None:
            check_word("section", section, ("systems", "queries"))
            per_query = section == "queries"
        grid = score_table(
            self,
            per_query=per_query,
            exact=format in EXACT,
            average=average,
            systems=systems,
            sort=sort,
            digits=digits,
            baseline=baseline,
        )
        if not per_query:
            grid = arrange_table(grid, format, systems, width)
        return render_table(grid, format, styled=styled, width=width)

    def plot(self, kind: str = "spread", *what: Any, **options: Any) -> Chart:
        """Draw the scores; `cleverdon.plots` describes each kind and its options.

        Args:
            kind: The name of a plot of scores or rankings, such as "spread" or "by-cutoff".
            what: What the plot's function takes after the scores, such as a measure; where it needs
                one and none is given, the first.
            options: Other options of the plot.

        >>> from cleverdon import evaluate
        >>> runs = {"one": {"q1": {"d2": 2, "d1": 1}}, "two": {"q1": {"d1": 2, "d2": 1}}}
        >>> chart = evaluate({"q1": {"d1": 1}}, runs, "RR P@5").plot("heat-map", "RR")
        """
        from inspect import signature

        from cleverdon import plots  # altair is optional, and slow
        from cleverdon.plots.kinds import PLOT_KINDS

        of_scores = [name for name, plot in PLOT_KINDS.items() if plot.of in _PLOTTED]
        check_word("kind", kind, of_scores)
        draw = getattr(plots, kind.replace("-", "_"))
        if not what and "measure" in signature(draw).parameters.keys() - options.keys():
            options["measure"] = self.measures[0]
        chart: Chart = draw(self, *what, **options)
        return chart

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Make a report: one HTML page with claims, tables and plots; see `cleverdon.report`.

        Args:
            path: The file to write, if any.
            options: Those of `cleverdon.report`.
        """
        from cleverdon.reports.html_report import report  # loads altair, which is slow

        made = report(self, **options)
        if path is not None:
            made.save(path)
        return made

    @staticmethod
    def merge(parts: Iterable[Scores | str | os.PathLike[str]]) -> Scores:
        """Put together scores of other queries, of other systems, or of both.

        The result has the bits that one evaluation of everything gives. Parts of other queries are
        evaluated with `collection=`, all judgments or their `collection_facts`, if a measure
        depends on more than a query's own judgments.

        Args:
            parts: The scores, or files that `write` has written.

        Returns:
            All queries of all systems; systems in the order in which they first occur.

        Raises:
            OptionError: Parts do not go together: other settings, measures or versions, a query of
                a system twice, other judgments of the same queries, or other facts of the
                collection. The message names the parts, counted from 1.

        >>> from cleverdon import evaluate
        >>> first = evaluate({"q1": {"a": 1}}, {"bm25": {"q1": {"a": 1.0}}}, "AP")
        >>> second = evaluate({"q2": {"b": 1}}, {"bm25": {"q2": {"a": 2.0, "b": 1.0}}}, "AP")
        >>> Scores.merge([second, first]).per_query("bm25", "AP")
        {'q1': 1.0, 'q2': 0.5}
        """
        from cleverdon.merging import merge  # which imports this module

        return merge(parts)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a Parquet file, from which `read` makes the same scores.

        It has a row for each system and query, and a column for each measure, so that other tools
        can read it as well; pyarrow is needed (`pip install 'cleverdon[tables]'`).

        Args:
            path: The file, which appears when it is complete.

        >>> from tempfile import TemporaryDirectory
        >>> from cleverdon import evaluate
        >>> scores = evaluate({"q1": {"a": 1}}, {"bm25": {"q1": {"a": 1.0}}}, "AP")
        >>> with TemporaryDirectory() as folder:
        ...     scores.write(f"{folder}/bm25.parquet")
        ...     Scores.read(f"{folder}/bm25.parquet").to_dict()
        {'bm25': {'AP': 1.0}}
        """
        from cleverdon.score_files import write_scores  # which imports this module

        write_scores(self, path)

    @staticmethod
    def read(path: str | os.PathLike[str]) -> Scores:
        """Read scores from a file that `write` has written; every bit is as it was.

        Args:
            path: The file.

        Returns:
            The scores, with their provenance.

        Raises:
            InputError: The file is no file of scores, or is damaged.
        """
        from cleverdon.score_files import read_scores  # which imports this module

        return read_scores(path)

    def __repr__(self) -> str:
        return self.render()

    def _repr_html_(self) -> str:
        warnings = [f"<p><strong>{escape_html(text)}</strong></p>" for text in self.warnings]
        return "\n".join([super()._repr_html_(), *warnings])


def _run_warnings(name: str, run: RunProvenance, *, ties: str) -> list[str]:
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
