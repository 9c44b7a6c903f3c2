"""Grades of documents from what a click model knows of them, each with its confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.errors import InputError, OptionError
from cleverdon.online.clicks.model import Fitted


@dataclass(frozen=True)
class Grades:
    """Where grades begin: a document has grade g where its value is above g of the bounds.

    As quantiles, bounds are taken from the values themselves: with q0.5,q0.8 the better half of
    the documents gets at least grade 1, and the best fifth grade 2.

    >>> Grades.parse("q0.5,q0.8")
    Grades(bounds=(0.5, 0.8), quantiles=True)
    >>> Grades.parse("0.1,0.3,0.6").of(np.array([0.05, 0.1, 0.31]))
    (array([0, 0, 2]), (0.1, 0.3, 0.6))
    """

    bounds: tuple[float, ...] = (0.5, 0.8, 0.95)
    quantiles: bool = True

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip(self.bounds[:-1], self.bounds[1:], strict=True))
        low, high = (0.0, 1.0) if self.quantiles else (0.0, np.inf)
        if not (self.bounds and rising and low <= self.bounds[0] and self.bounds[-1] < high):
            allowed = "from 0 to below 1" if self.quantiles else "from 0 on"
            raise OptionError(f"grades={self}: bounds are rising numbers {allowed}")

    def __str__(self) -> str:
        mark = "q" if self.quantiles else ""
        return ",".join(f"{mark}{bound:g}" for bound in self.bounds)

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `0.1,0.3,0.6`, which are bounds, or `q0.5,q0.8`, which are quantiles."""
        parts = [part.strip() for part in text.split(",")]
        marked = [part.startswith("q") for part in parts]
        try:
            bounds = tuple(float(part.removeprefix("q")) for part in parts)
        except ValueError:
            bounds = ()
        if not bounds or any(marked) != all(marked):
            raise OptionError(
                f"grades={text!r}: write bounds, as in 0.1,0.3,0.6, or quantiles, as in "
                "q0.5,q0.8,q0.95"
            )
        return cls(bounds, quantiles=all(marked))

    def of(self, values: Floats) -> tuple[Ints, tuple[float, ...]]:
        """The grade of each value, and the bounds between grades."""
        bounds = np.quantile(values, self.bounds) if self.quantiles else np.array(self.bounds)
        return np.searchsorted(bounds, values, side="left"), tuple(bounds.tolist())


@dataclass(frozen=True, eq=False)
class Graded:
    """Documents with grades, and what these rest on: a row for each query and document.

    Rows are sorted by query, the one with the most impressions first, then by falling value.
    """

    queries: tuple[str, ...]
    docs: tuple[str, ...]
    grade: Ints
    value: Floats
    low: Floats
    high: Floats
    """From `low` to `high` is the interval of the value."""
    confidence: Floats
    """How likely the true value lies between the bounds of the grade that was given."""
    impressions: Ints
    examined: Floats
    """How many of the impressions were examined, as far as the model can tell."""
    clicks: Ints
    fitted: Fitted
    grades: Grades
    bounds: tuple[float, ...]
    level: float
    """Of the interval."""
    seldom: int
    """So many pairs were examined too seldom to be graded."""

    def __len__(self) -> int:
        return len(self.queries)

    def part(self, wanted: Bools) -> Graded:
        """Some of the rows."""
        changed: dict[str, Any] = {
            name: tuple(text for text, keep in zip(texts, wanted.tolist(), strict=True) if keep)
            for name, texts in (("queries", self.queries), ("docs", self.docs))
        }
        columns = ("grade", "value", "low", "high", "confidence", "impressions", "examined")
        changed |= {name: getattr(self, name)[wanted] for name in (*columns, "clicks")}
        return replace(self, **changed)


def graded(
    fitted: Fitted,
    *,
    grades: Grades = Grades(),
    min_impressions: float = 10,
    level: float = 0.95,
) -> Graded:
    """Grade every query and document that was examined often enough.

    Impressions count as far as they were examined: a document that was shown a hundred times where
    one user in twenty looks was seen five times. Where there are fewer than `min_impressions` of
    these, it gets no grade at all, rather than one made up by the prior.

    >>> from cleverdon.online.clicks import CM, Shown
    >>> lists = [("jazz", ["d1", "d2"], ["d2"])] * 30
    >>> found = graded(CM().fit(Shown.from_lists(lists)), grades=Grades.parse("0.5"))
    >>> list(zip(found.docs, found.grade.tolist(), found.confidence.round(3).tolist()))
    [('d2', 1, 1.0), ('d1', 0, 1.0)]
    """
    if not 0 < level < 1:
        raise OptionError(f"level={level}: a level of confidence lies between 0 and 1")
    if not min_impressions >= 0:
        raise OptionError(
            f"min_impressions={min_impressions} (--min-impressions): it is a number from 0 on"
        )
    shown = fitted.impressions > 0
    wanted = shown & (fitted.examined >= min_impressions) & np.isfinite(fitted.belief.estimate)
    if not wanted.any():
        raise InputError(
            f"no document, of {int(shown.sum()):,} shown, was examined {min_impressions:g} times "
            "or more: take more of the log, or ask for fewer impressions (--min-impressions)"
        )
    rows = _ordered(fitted, np.flatnonzero(wanted))
    belief = fitted.belief.part(rows)
    value = belief.estimate
    grade, bounds = grades.of(value)
    below = [np.zeros(len(rows)), *(belief.below(bound) for bound in bounds), np.ones(len(rows))]
    chances = np.diff(np.array(below), axis=0)
    low, high = belief.interval(level)
    pairs = fitted.pairs
    return Graded(
        tuple(pairs.queries[at] for at in pairs.query[rows].tolist()),
        tuple(pairs.docs[at] for at in pairs.doc[rows].tolist()),
        grade,
        value,
        low,
        high,
        chances[grade, np.arange(len(rows))],
        fitted.impressions[rows],
        fitted.examined[rows],
        fitted.clicks[rows],
        fitted,
        grades,
        bounds,
        level,
        seldom=int(np.sum(shown & ~wanted)),
    )


def _ordered(fitted: Fitted, rows: Ints) -> Ints:
    """By query, the one with the most impressions first, then by falling value, then by name."""
    pairs = fitted.pairs
    traffic = np.bincount(pairs.query, weights=fitted.impressions, minlength=len(pairs.queries))

    def key(row: int) -> tuple[float, str, float, str]:
        query = int(pairs.query[row])
        name = pairs.docs[int(pairs.doc[row])]
        return -traffic[query], pairs.queries[query], -fitted.belief.estimate[row], name

    return np.array(sorted(rows.tolist(), key=key), dtype=np.int64)
