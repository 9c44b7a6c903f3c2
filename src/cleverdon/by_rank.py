"""Measures at every cut-off: a table down the ranking, as textbooks have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.text import printable
from cleverdon.errors import NotationError, OptionError
from cleverdon.measures.base import Measure
from cleverdon.profiles import find_profile
from cleverdon.scores import Scores
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import DIGITS, TextTable

_COLUMNS = ("P", "R", "DCG", "nDCG")


@dataclass(frozen=True)
class CutOff:
    """One rank of one query, and the values of measures cut off there."""

    system: str
    query: str
    rank: int
    grade: float | None  # None where nobody judged the result
    values: dict[str, float]  # by measure, without its cut-off; NaN where undefined


class ByRank(RecordList[CutOff]):
    """Measures at every cut-off of each query and system.

    Attributes:
        items: A record for each result.
    """

    def sections(self, *, exact: bool = False, digits: int = DIGITS) -> list[Section]:
        """Return a table for each system and query; for programs, one of all."""
        measures = list(self[0].values) if len(self) else []
        if exact:
            rows = [
                [one.system, one.query, *_cells(one, exact=True, digits=digits)] for one in self
            ]
            header = ["system", "query", "rank", "grade", *measures]
            return [Section("by rank", TextTable(header, rows, 3, []), titled=False)]
        grouped = groupby(self, key=lambda one: (one.system, one.query))
        parts = {
            key: [_cells(one, exact=False, digits=digits) for one in of] for key, of in grouped
        }
        return [
            Section(
                f"{printable(system)}, query {printable(query)}",
                TextTable(["rank", "grade", *measures], rows, 1, []),
                titled=len(parts) > 1,
            )
            for (system, query), rows in parts.items()
        ]


def _cells(one: CutOff, *, exact: bool, digits: int) -> list[str]:
    grade = "" if one.grade is None else f"{one.grade:g}"
    if one.grade is None and not exact:
        grade = "-"
    values = (format_decimal(v, exact=exact, digits=digits) for v in one.values.values())
    return [str(one.rank), grade, *values]


def measure_by_rank(
    scores: Scores, measures: str | Measure | Iterable[str | Measure] | None = None
) -> ByRank:
    """Compute measures at every cut-off, down to the last result of each query.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        measures: Measures that have a cut-off, with or without it: "nDCG" or "nDCG@10".
            By default P, R, DCG and nDCG.

    Returns:
        A record for each result.

    >>> from cleverdon import evaluate
    >>> found = measure_by_rank(evaluate("1 0 1 | 1", keep=1), ["P", "R"])
    >>> [round(one.values["P"], 4) for one in found]
    [1.0, 0.5, 0.6667]
    """
    measures = _COLUMNS if measures is None else measures
    asked = [measures] if isinstance(measures, (str, Measure)) else list(measures)
    expected = scores.about.settings.ties == "expected"
    found = []
    for system, hits in scores.ranked().hits.items():
        deepest = int(hits.returned.max(initial=0))
        columns: dict[str, list[Floats]] = {}
        for measure in asked:
            family = cut_measures(scores, measure, range(1, deepest + 1))
            name = str(family[0]).removesuffix("@1") if family else ""
            columns[name] = [one.over_ties(hits) if expected else one(hits) for one in family]
        grades = np.full((len(hits), deepest + 1), -1.0)
        grades[hits.query, hits.rank] = hits.grade
        for q, query in enumerate(scores.queries):
            for rank in range(1, int(hits.returned[q]) + 1):
                grade = float(grades[q, rank])
                values = {name: float(of[rank - 1][q]) for name, of in columns.items()}
                judged = grade if grade >= 0 else None
                found.append(CutOff(system, str(query), rank, judged, values))
    return ByRank(tuple(found))


def cut_measures(scores: Scores, measure: str | Measure, cutoffs: Iterable[int]) -> list[Measure]:
    """Return the measure at each cut-off, with or without one of its own."""
    found = measure if isinstance(measure, Measure) else _parse_one(scores, measure)
    if found.cut != "k" or "k" not in found.defaults:
        raise OptionError(f"{found} has no cut-off k")
    return [type(found)(**found.parameters | {"k": k}) for k in cutoffs]


def _parse_one(scores: Scores, text: str) -> Measure:
    parse = find_profile(scores.about.profile).parse
    try:
        found = parse(text)
    except NotationError:
        if "@" in text:
            raise
        found = parse(f"{text}@1")  # P alone is no measure
    if len(found) != 1:
        raise OptionError(f"{text!r} is {len(found)} measures; take one")
    return found[0]
