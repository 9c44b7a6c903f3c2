"""The options on which tools disagree, in one record; `profiles` has named bundles of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from cleverdon.errors import OptionError, check_word, suggest

CHOICES: dict[str, dict[str, str]] = {
    "ties": {
        "descending": "of equal scores, the larger document id first, bytewise (as trec_eval)",
        "ascending": "of equal scores, the smaller document id first, bytewise",
        "input": "of equal scores, the one given first",
        "best": "the order that is best for the system",
        "worst": "the order that is worst for the system",
        "expected": "the mean over all orders, for measures that have a formula for it",
    },
    "order_by": {
        "score": "the scores decide; the rank column of a run file is ignored",
        "rank": "the rank column decides; the scores are ignored",
    },
    "precision": {
        "double": "scores are compared as float64",
        "single": "scores are compared as float32 (as trec_eval 9)",
    },
    "missing": {
        "empty": "a judged query that the run lacks is evaluated as an empty result",
        "skip": "only queries that are in the run and in the judgments count",
        "error": "a judged query that the run lacks is an error",
    },
    "undefined": {
        "worst": "an undefined value counts as the measure's worst (0 where higher is better); a "
        "measure that is undefined for every query has no average",
        "always-worst": "the same, and the average is the worst value where it is undefined for "
        "every query (as trec_eval)",
        "skip": "an undefined value is left out of the mean",
        "error": "an undefined value is an error",
    },
    "duplicates": {
        "error": "a document twice for one query is an error",
        "first": "of a document twice for one query, the first is kept",
        "best": "of a document twice for one query, the one with the higher score is kept",
        "keep": "each counts as a result of its own, so that recall may exceed 1 (as pyspark); "
        "twice in the judgments is an error",
        "once": "each takes up a rank, and only the highest counts as found; twice in the "
        "judgments is an error",
    },
    "own_document": {
        "keep": "a result whose id is the query's counts as any other",
        "drop": "a result whose id is the query's is left out, as where queries are documents",
    },
    "no_relevant": {
        "keep": "a query without a relevant document (grade above 0) is evaluated as any other",
        "skip": "a query without a relevant document (grade above 0) is left out",
    },
    "unreturned": {
        "keep": "a judged document that the run does not return counts: as missed, and in ideals",
        "drop": "a judged document that the run does not return is forgotten, as in tools that see "
        "only the labels of what was returned",
    },
}
"""Every setting, what it can be, and what that means; the first is the default."""

AVERAGES: dict[str, str] = {
    "mean": "each measure's own average: the mean, of counts the sum, of GMAP the geometric mean",
    "geometric": "the geometric mean, values below the floor (0.00001) raised to it",
    "median": "half of the queries have less, half have more",
    "min": "the lowest value of any query",
    "max": "the highest",
    "std": "the standard deviation between queries, with n - 1 as the divisor",
    "quantile": "a given share of the queries have less",
    "micro": "the counts summed over queries first, then divided: each document weighs the same",
    "of-means": "F of the mean precision and the mean recall, not the mean of F; only for F, SetF "
    "and SetE",
}
"""Every kind of average, and what it means."""

CONTRADICTIONS: dict[str, str] = {
    "error": "none: stop, and say where",
    "first": "that of the file that is named first",
    "last": "that of the file that is named last",
    "max": "the highest",
    "min": "the lowest",
    "mean": "the mean of the grades",
    "majority": "the one that most files give; of several such, the lowest",
}
"""The grade of a document to which merged judgments give different ones."""


@dataclass(frozen=True)
class Settings:
    """Settings of how runs are ordered and which queries count."""

    ties: str = "descending"
    order_by: str = "score"
    precision: str = "double"
    missing: str = "empty"
    undefined: str = "worst"
    duplicates: str = "error"
    own_document: str = "keep"
    no_relevant: str = "keep"
    unreturned: str = "keep"

    def __post_init__(self) -> None:
        for setting in fields(self):
            check_word(setting.name, getattr(self, setting.name), CHOICES[setting.name])

    @property
    def qrels_duplicates(self) -> str:
        """The same choice for judgments, of which a document has only one."""
        return "error" if self.duplicates in ("keep", "once") else self.duplicates

    def changed(self, **changes: Any) -> Settings:
        """Return a copy with some settings changed; None changes nothing."""
        from dataclasses import replace

        for name in changes:
            if name not in CHOICES:
                raise OptionError(f"there is no setting {name!r}{suggest(name, CHOICES)}")
        return replace(self, **{name: word for name, word in changes.items() if word is not None})
