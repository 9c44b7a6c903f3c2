"""Precision at levels of recall."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.base import OverRelevant
from cleverdon.measures.registry import measure

_BOOK = "van Rijsbergen 1979, Information Retrieval, chapter 7"

Rounding = Literal["exact", "trec_eval-9", "trec_eval-10"]


def needed_for(level: float, wanted: Ints, rounding: Rounding) -> Ints:
    """Return the number of wanted documents that reach this level of recall."""
    share = level * wanted
    needed = {
        # 0.07 of 100 documents is 7.000000000000001 in binary, and yet means 7.
        "exact": np.ceil(share - 1e-9),
        "trec_eval-9": np.trunc(share + 0.9),
        "trec_eval-10": np.trunc(share) + (share - np.trunc(share) >= 0.5),
    }
    whole: Ints = needed[rounding].astype(np.int64)
    return whole


class Interpolated(OverRelevant):
    """Base class of measures of interpolated precision."""

    meanings = {
        "rounding": "How many of R documents a level x needs: exact, xR rounded up; trec_eval-9, "
        "xR + 0.9 rounded down; trec_eval-10, xR rounded to the nearest.",
    }

    rounding: Rounding = "exact"

    def at_levels(self, hits: Hits, levels: tuple[float, ...]) -> Floats:
        """Levels x queries: the largest precision at this level of recall or any above it."""
        relevant, wanted = self.relevant(hits), self.wanted(hits)
        largest = np.append(_largest_below(relevant, relevant.ordinal / relevant.rank), 0.0)
        found = np.diff(relevant.starts)
        values = np.zeros((len(levels), len(hits)))
        for row, level in zip(values, levels, strict=True):
            # The largest precision is always that at a relevant document, of which one is needed.
            needed = np.maximum(needed_for(level, wanted, self.rounding), 1)
            reached = needed <= found
            row[reached] = largest[(relevant.starts[:-1] + needed - 1)[reached]]
        values[:, wanted == 0] = np.nan
        return values


def _largest_below(hits: Hits, values: Floats) -> Floats:
    """Return for each row the largest value of its query from there on down."""
    order = np.argsort(values)
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.arange(len(values))
    # In whole numbers, so that a query's largest can be told from that of the next one exactly.
    key = place + (len(hits) - hits.query) * len(values)
    highest = np.maximum.accumulate(key[::-1])[::-1]
    return values[order[highest - (len(hits) - hits.query) * len(values)]]


@measure
class IPrec(Interpolated):
    """Interpolated precision at recall x: the largest at that level of recall or any above it.

    Nobody need stop where precision is low if reading on would raise it. At x = 0 it is the largest
    of all. With rounding=trec_eval-9 or trec_eval-10, xR is rounded as these versions do: to
    trunc(xR + 0.9), and to the nearest whole number.
    """

    formula = r"\max_{i : R@i \ge x} P@i"
    user = "Reads until a share x of what is relevant is found, and on while that pays."
    source = _BOOK
    trec_eval = ("iprec_at_recall_{x}",)
    aliases = ("IPrecAtRecall",)
    cut = "x"
    worked = """
        IPrec@0                         0 1 1 0 1 | 1  = 0.6667
        IPrec@0.5                       0 1 1 0 1 | 1  = 0.6667
        IPrec@0.6                       0 1 1 0 1 | 1  = 0.6
        IPrec@1                         0 1 1 0 1 | 1  = 0
        IPrec@0.3                       1 0 1          = 1
        IPrec@0.05                      1 0 1          = 1
        IPrec@0.6                       1 0 1          = 0.6667
        IPrec(rounding=trec_eval-10)@.6 1 0 1          = 1
        IPrec(rounding=trec_eval-9)@.52 1 0 1          = 1
        IPrec@0                         | 1            = 0
        IPrec@0.5                       0 -            = undefined
    """

    limits = ("0 <= x <= 1",)

    meanings = {"x": "The level of recall to reach, as a share of the relevant documents."}

    x: float

    def score(self, hits: Hits) -> Floats:
        value: Floats = self.at_levels(hits, (self.x,))[0]
        return value


@measure
class IAP(Interpolated):
    """Interpolated precision, averaged over levels of recall: by default over 0, 0.1, ..., 1.

    What was reported before AP; only for comparison with old results. `points` is the number of
    levels, evenly spread; `at` lists them instead.
    """

    formula = r"\frac{1}{11} \sum_{x \in \{0, 0.1, \dots, 1\}} \max_{i : R@i \ge x} P@i"
    user = "Wants more or less of what there is, each level of recall as likely."
    source = _BOOK
    trec_eval = ("11pt_avg",)
    aliases = ("11pt",)
    worked = """
        IAP                 1 0 1            = 0.8485
        IAP(points=3)       1 0 1            = 0.8889
        IAP(at=(0.2,0.8))   1 0 1            = 0.8333
        IAP                 0 1 | 1          = 0.2727
        IAP                 | 1              = 0
        IAP                 0 -              = undefined
    """

    limits = ("2 <= points",)

    meanings = {
        "points": "The number of levels of recall, evenly spread from 0 to 1.",
        "at": "The levels of recall, as in (0.2,0.8), instead of `points`; none means that "
        "`points` holds.",
    }

    points: int = 11
    at: tuple[float, ...] | None = None

    def check(self) -> None:
        super().check()
        for level in self.at or ():
            if not 0 <= level <= 1:
                raise NotationError(f"IAP: {level} is no level of recall, which is from 0 to 1")

    def score(self, hits: Hits) -> Floats:
        # As quotients of whole numbers, since ten times 0.1 added up is not quite 1.
        levels = self.at or tuple(point / (self.points - 1) for point in range(self.points))
        # Added from the last level to the first, as trec_eval does, so that all digits agree.
        total: Floats = np.add.accumulate(self.at_levels(hits, levels)[::-1])[-1]
        return total / len(levels)


@measure
class AUPRC(OverRelevant):
    """Area under the precision-recall curve.

    The curve has a point after each result: recall and precision there. They can be joined in three
    ways. curve=trapezoid draws straight lines between them, from recall 0 and precision 1 on, as
    auc(precision_recall_curve) of scikit-learn does; Davis & Goadrich show that such lines promise
    more than can be reached. curve=step keeps precision at its value after the next relevant
    result: the exact area is AP. curve=monotone takes the largest precision at that recall or any
    above it: the exact area under the interpolated curve. Relevant documents that were not returned
    add nothing, and tied results are taken as they stand.
    """

    formula = r"\frac{1}{R} \sum_{i \le k} r_i\, \frac{P@(i-1) + P@i}{2}, \quad P@0 = 1"
    user = "Wants more or less of what there is, each level of recall as likely."
    source = (
        "Davis & Goadrich 2006, doi:10.1145/1143844.1143874; "
        "Boyd et al. 2013, doi:10.1007/978-3-642-40994-3_55"
    )
    aliases = ("PRAUC", "AUCPR")
    worked = """
        AUPRC                   1 0 1          = 0.7917
        AUPRC                   0 1 1 0 1 | 1  = 0.3458
        AUPRC(curve=step)       0 1 1 0 1 | 1  = 0.4417
        AUPRC(curve=monotone)   0 1 1 0 1 | 1  = 0.4833
        AUPRC@2                 0 1 1 0 1 | 1  = 0.0625
        AUPRC                   | 1            = 0
        AUPRC                   0 -            = undefined
    """

    k: int | None = None
    rel: float = 1
    meanings = {
        "curve": "How points are joined: trapezoid, by straight lines; step, by steps; monotone, "
        "by steps that never rise.",
    }

    curve: Literal["trapezoid", "step", "monotone"] = "trapezoid"

    def score(self, hits: Hits) -> Floats:
        relevant = self.relevant(hits.top(self.k))
        precision = relevant.ordinal / relevant.rank
        if self.curve == "monotone":
            precision = _largest_below(relevant, precision)
        if self.curve == "trapezoid":
            before = (relevant.ordinal - 1) / np.maximum(relevant.rank - 1, 1)
            precision = (precision + np.where(relevant.rank == 1, 1.0, before)) / 2
        return relevant.total(precision) / self.wanted(hits)


@measure
class PrecAtRecall(OverRelevant):
    """Precision at the first rank at which recall reaches x; 0 where it never does.

    Not interpolated: what follows below does not count.
    """

    formula = r"P@\min \{ i : R@i \ge x \}"
    user = "Reads until a share x of what is relevant is found."
    source = _BOOK
    cut = "x"
    worked = """
        PrecAtRecall@0.2   0 1 1 0 1 | 1  = 0.5
        PrecAtRecall@0.5   0 1 1 0 1 | 1  = 0.6667
        PrecAtRecall@1     0 1 1 0 1 | 1  = 0
        PrecAtRecall@1     | 1            = 0
        PrecAtRecall@1     0 -            = undefined
    """

    limits = ("0 < x <= 1",)

    meanings = {"x": "The level of recall to reach, as a share of the relevant documents."}

    x: float
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        relevant, wanted = self.relevant(hits), self.wanted(hits)
        needed = np.maximum(needed_for(self.x, wanted, "exact"), 1)
        reached = relevant.where(relevant.ordinal == needed[relevant.query])
        precision = reached.total(needed[reached.query] / reached.rank)
        return np.where(wanted > 0, precision, np.nan)


@measure
class RprecMult(OverRelevant):
    """Precision at m times R: at a multiple of the rank where everything could have been found.

    Below m = 1 it looks at what a ranking finds first, above at what it still finds late. The
    cut-off is mR + 0.9, cut down to a whole number.
    """

    formula = r"\frac{1}{c} \sum_{i \le c} r_i, \quad c = \lfloor mR + 0.9 \rfloor"
    user = "Knows how many relevant documents there are, and reads m times as many results."
    undefined = "no judged document is relevant, or so few that the cut-off is 0"
    source = "Buckley & Voorhees 2005, TREC, chapter 3"
    trec_eval = ("Rprec_mult_{m}",)
    worked = """
        RprecMult(m=1)      1 0 1     = 0.5
        RprecMult(m=2)      1 0 1     = 0.5
        RprecMult(m=0.5)    1 0 1     = 1
        RprecMult(m=0.6)    1 0 1     = 0.5
        RprecMult(m=1)      | 1       = 0
        RprecMult(m=0.05)   1         = undefined
        RprecMult(m=1)      0         = undefined
    """

    limits = ("0 < m <= 1e6",)

    meanings = {"m": "The cut-off as a multiple of R, the number of relevant documents."}

    m: float
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        read = np.trunc(self.m * self.wanted(hits) + 0.9)
        early = hits.relevant(self.rel) & (hits.rank <= read[hits.query])
        value: Floats = hits.count(early) / read
        return value
