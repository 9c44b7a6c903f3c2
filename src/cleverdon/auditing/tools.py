"""What an audit has to know of a tool: how to call it, and what its documentation promises."""

from __future__ import annotations

import os
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from typing import ClassVar, Literal

from cleverdon._common.extras import require
from cleverdon._common.registry import Registry
from cleverdon.auditing.rankings import Order, QueryResults, Ranking

_Value = float | tuple[float, ...] | None
"""A promised value; several where the documentation can be read in several ways; None: the query
is left out."""

_Ties = Literal["any", "mean", "input"]


class Undocumented(Exception):
    """The documentation says nothing about an input."""


class Refused(Exception):
    """The documentation says that an input is an error."""


@dataclass(frozen=True)
class Promise:
    """What a tool's documentation says of one measure."""

    measure: str  # as the tool calls it
    says: str  # in the words of the documentation, or close to them
    where: str  # the page, or the docstring
    formula: Callable[[Order], _Value]
    """The value of one query; raises `Undocumented` or `Refused`."""
    ties: _Ties = "any"
    """The order of equal scores: by default any, since most tools do not say."""

    def values(self, ranking: Ranking, *, skips_missing: bool) -> tuple[float, ...]:
        """Return every average over queries that keeps the promise, in ascending order.

        Args:
            ranking: The input.
            skips_missing: Whether queries that the run lacks are left out.
        """
        queries = [q for q in ranking.queries.values() if not (q.missing and skips_missing)]
        by_query = [values for values in map(self._of_query, queries) if values]
        if not by_query:
            raise Undocumented
        means = {sum(values) / len(values) for values in product(*by_query)}
        return tuple(sorted(means))

    def _of_query(self, query: QueryResults) -> tuple[float, ...]:
        if self.ties == "input":
            return _as_tuple(self.formula(query.given()))
        found = [_as_tuple(self.formula(order)) for order in query.orders()]
        if self.ties == "mean":
            return tuple(sum(values) / len(values) for values in zip(*found, strict=True))
        return tuple(sorted({value for values in found for value in values}))


def _as_tuple(value: _Value) -> tuple[float, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


class Tool(ABC):
    """One evaluation tool: a subclass calls it and states its documentation."""

    name: ClassVar[str]
    package: ClassVar[str]
    """What to install."""
    module: ClassVar[str]
    """What to import; an audit needs nothing else of the tool to be there."""
    about: ClassVar[str]
    promises: ClassVar[tuple[Promise, ...]]
    cannot: ClassVar[Mapping[str, str]] = {}
    """Rankings that cannot be handed to the tool, and why."""
    silent: ClassVar[frozenset[str]] = frozenset()
    """Rankings of which the documentation says nothing, whatever the measure."""
    skips_missing: ClassVar[bool] = False
    """Whether the documentation leaves out queries that the run lacks."""
    tolerance: ClassVar[float] = 1e-6
    """A difference that is rounding: some tools compute in float32."""

    @classmethod
    def installed(cls) -> str:
        """Return the installed version; an empty text where the tool is not installed."""
        try:
            return version(cls.package.partition("[")[0])
        except PackageNotFoundError:
            return ""

    @classmethod
    def need(cls) -> None:
        """Raise a MissingExtra unless the tool is installed."""
        require(cls.module, f"cleverdon audit {cls.name}", package=cls.package)

    @abstractmethod
    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        """Run the tool.

        Returns:
            The average over queries by measure, as the tool computes it; or its exception, if the
            measures are computed one by one.
        """

    def close(self) -> None:  # noqa: B027 (most tools have nothing to close)
        """Release what `compute` started."""


TOOLS: Registry[Tool] = Registry(
    "tool",
    package="cleverdon.auditing",
    modules=("id_tools", "label_tools"),
    key=lambda cls: cls.name,
    order=(
        *("pytrec_eval", "ir_measures", "scikit-learn", "torchmetrics", "ragas", "pyspark"),
        *("mlflow", "sentence-transformers", "lightgbm", "polars-ds"),
    ),
)
"""The tools that can be audited."""


@contextmanager
def silenced() -> Iterator[None]:
    """Discard warnings and what a tool prints, from C++ or a Java process as well."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    kept = {number: os.dup(number) for number in (1, 2)}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in kept:
            os.dup2(nowhere, number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)


def said(value: float | None) -> float:
    """Return a value that is defined; where it is not, most documentation is silent."""
    if value is None:
        raise Undocumented
    return value


def attempt(
    ranking: Ranking, measures: Mapping[str, Callable[[Ranking], float]]
) -> dict[str, float | Exception]:
    """Compute each measure on its own, so that one that fails leaves the others their values."""
    found: dict[str, float | Exception] = {}
    for name, compute in measures.items():
        try:
            found[name] = float(compute(ranking))
        except Exception as error:  # whatever the tool raises is a finding
            found[name] = error
    return found
