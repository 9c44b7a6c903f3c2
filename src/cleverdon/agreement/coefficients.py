"""Coefficients of agreement between judges.

Coefficients that correct for chance have one form: 1 minus the observed disagreement divided by the
disagreement expected by chance. They differ in the model of chance and in the weight of a
disagreement. Where all judges gave the same grade throughout, both are 0; the value is then 1,
although chance would give no less.

All coefficients are computed from counts of grades by grades, summed over items. Such sums can be
added over queries, so the bootstrap does not look at items again: it adds the sums of the queries
that it drew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.registry import Registry
from cleverdon.agreement.labels import Labels


@dataclass(frozen=True, eq=False)
class Counts:
    """Grades by grades, summed over items that two judges at least have judged.

    Every array ends in two axes, grades by grades; those before are what was summed apart, such as
    queries or resamples.
    """

    grades: Floats
    by_item: Floats  # symmetrical: an item adds 1, spread evenly over all its pairs of judges
    by_rating: Floats  # symmetrical: an item adds as many as it has ratings (coincidences)
    ordered: Floats | None = None  # of two judges: the first's grades by the second's

    @classmethod
    def of_two(cls, grades: Floats, ordered: Floats) -> Counts:
        """Make counts of how often the first of two judges gave one grade, the second another."""
        both = ordered + np.swapaxes(ordered, -1, -2)
        return cls(grades, both / 2, both, ordered)

    @cached_property
    def items(self) -> Floats:
        """The number of items."""
        return _table_sums(self.by_item)

    def drawn(self, times: Floats) -> Counts:
        """Return the sums of resamples that have each unit (the first axis) so many `times`."""
        if self.ordered is not None:
            return Counts.of_two(self.grades, _weighted_sums(times, self.ordered))
        return Counts(
            self.grades, _weighted_sums(times, self.by_item), _weighted_sums(times, self.by_rating)
        )

    @property
    def total(self) -> Counts:
        """The sums over all units."""
        return self.drawn(np.ones((1, len(self.by_item))))


def _table_sums(tables: Floats) -> Floats:
    """Return the sum of each table; as a product, since tables are many and small."""
    cells = tables.shape[-1] * tables.shape[-2]
    return np.asarray(tables.reshape(*tables.shape[:-2], cells) @ np.ones(cells))


def _weighted_sums(times: Floats, tables: Floats) -> Floats:
    flat = tables.reshape(len(tables), -1)
    return np.asarray((times @ flat).reshape(len(times), *tables.shape[1:]))


def count_pair(labels: Labels, first: int, second: int, unit: Ints, units: int) -> Counts:
    """Count the grades of two judges (by their columns), summed by each item's unit."""
    size = len(labels.grades)
    one, other = labels.level[:, first], labels.level[:, second]
    both = np.flatnonzero((one >= 0) & (other >= 0) & (unit >= 0))
    cells = (unit[both] * size + one[both]) * size + other[both]
    table = np.bincount(cells, minlength=units * size * size).astype(float)
    return Counts.of_two(labels.grades, table.reshape(units, size, size))


def count_all(labels: Labels, unit: Ints, units: int) -> Counts:
    """Count the grades of all judges, summed by each item's unit."""
    rows = np.flatnonzero(labels.shared & (unit >= 0))
    size = len(labels.grades)
    times = np.stack([(labels.level[rows] == grade).sum(axis=1) for grade in range(size)], axis=1)
    ratings = times.sum(axis=1)
    by_item = np.zeros((units, size, size))
    by_rating = np.zeros((units, size, size))
    for k in range(size):
        for l in range(k, size):  # noqa: E741 (a grade and another, as in the literature)
            pairs = times[:, k] * (times[:, l] - (k == l)) / (ratings - 1)
            for table, weights in ((by_item, pairs / ratings), (by_rating, pairs)):
                table[:, k, l] = table[:, l, k] = np.bincount(
                    unit[rows], weights=weights, minlength=units
                )
    return Counts(labels.grades, by_item, by_rating)


_NOTHING_SHARED = "no document was judged by two of the judges"


class AgreementCoefficient(ABC):
    """The base of all coefficients: a subclass computes, and describes itself."""

    name: ClassVar[str]  # on the command line and in files
    title: ClassVar[str]  # for people
    formula: ClassVar[str]  # in LaTeX
    source: ClassVar[str]
    undefined: ClassVar[str] = _NOTHING_SHARED
    two_only: ClassVar[bool] = False  # for more than two judges, it is the mean over all pairs
    same_of_two: ClassVar[str] = ""  # the coefficient that it equals for two judges
    by_query: ClassVar[bool] = False  # over several queries, it is the mean of their values
    corrected: ClassVar[bool] = True  # for chance agreement
    graded: ClassVar[bool] = False  # it depends on the distance between two grades

    def of(self, counts: Counts) -> Floats:
        """Return the value of each table; NaN where it is undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = self.value(counts)
            return np.where(counts.items > 0, value, np.nan)

    @abstractmethod
    def value(self, counts: Counts) -> Floats:
        """Return the value of each table; 0/0 is let through."""

    def __str__(self) -> str:
        return self.name


_COEFFICIENTS: Registry[AgreementCoefficient] = Registry(
    "coefficient", key=lambda cls: cls.name, hint="; cleverdon agree --list shows them"
)
coefficient = _COEFFICIENTS.register


def known_coefficients() -> dict[str, type[AgreementCoefficient]]:
    """Return every coefficient by its name, in the order of listings."""
    return _COEFFICIENTS.all()


def find_coefficient(name: str) -> type[AgreementCoefficient]:
    """Return the coefficient of that name; letter case does not matter."""
    return _COEFFICIENTS.find(name)


@coefficient
class PercentAgreement(AgreementCoefficient):
    """The share of pairs of judgments that are the same; every document counts the same.

    Also called raw, observed or percent agreement. It is high by itself where most documents have
    one grade, as most have that are not relevant.
    """

    name = "agreement"
    title = "Percent agreement"
    formula = r"P_o = \frac{1}{N} \sum_i \sum_k \frac{n_{ik} (n_{ik} - 1)}{m_i (m_i - 1)}"
    source = "of two judges, the share of documents with the same grade"
    corrected = False

    def value(self, counts: Counts) -> Floats:
        return np.asarray(np.trace(counts.by_item, axis1=-2, axis2=-1) / counts.items)


class _Weighted(AgreementCoefficient):
    """A coefficient that weights each pair of different grades by a distance."""

    power: ClassVar[int] = 0  # of the distance; 0: all disagreements count the same

    def distance(self, places: Floats) -> Floats:
        """Return the distances of grades from grades, given their places on the scale."""
        apart: Floats = np.abs(places[..., :, None] - places[..., None, :])
        return apart**self.power if self.power else np.sign(apart)


class _Kappa(_Weighted):
    """Cohen's kappa, in all its weightings."""

    two_only = True

    def value(self, counts: Counts) -> Floats:
        assert counts.ordered is not None
        table = counts.ordered / counts.items[..., None, None]
        by_chance = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
        return _beyond_chance(table, by_chance, self.distance(counts.grades))


@coefficient
class Kappa(_Kappa):
    """Cohen's kappa: agreement beyond what two judges of such habits would reach by chance.

    Each judge's own shares of grades are their habits. Of more than two judges, it is the mean
    over all pairs (Light 1971, doi:10.1037/h0031643).
    """

    name = "kappa"
    title = "Cohen's kappa"
    formula = r"\frac{P_o - P_e}{1 - P_e}, \quad P_e = \sum_k p_k q_k"
    source = "Cohen 1960, doi:10.1177/001316446002000104"


@coefficient
class KappaLinear(_Kappa):
    """Cohen's kappa where a disagreement counts as much as the grades are apart.

    Grades count as numbers, so that 0 and 3 are three times as far apart as 0 and 1.
    """

    name = "kappa-linear"
    title = "Cohen's kappa, linear weights"
    formula = r"1 - \frac{\sum_{kl} |g_k - g_l|\, p_{kl}}{\sum_{kl} |g_k - g_l|\, p_k q_l}"
    source = "Cohen 1968, doi:10.1037/h0026256"
    graded = True
    power = 1


@coefficient
class KappaQuadratic(_Kappa):
    """Cohen's kappa where a disagreement counts as the square of how far the grades are apart."""

    name = "kappa-quadratic"
    title = "Cohen's kappa, quadratic weights"
    formula = r"1 - \frac{\sum_{kl} (g_k - g_l)^2 p_{kl}}{\sum_{kl} (g_k - g_l)^2 p_k q_l}"
    source = "Cohen 1968, doi:10.1037/h0026256"
    graded = True
    power = 2


class _Pooled(_Weighted):
    """A coefficient whose chance agreement follows from all judges' grades together."""

    def value(self, counts: Counts) -> Floats:
        table = counts.by_item / counts.items[..., None, None]
        shares = table.sum(axis=-1)
        by_chance = shares[..., :, None] * shares[..., None, :]
        return _beyond_chance(table, by_chance, self.distance(counts.grades))


@coefficient
class Pi(_Pooled):
    """The kappa of the textbooks on retrieval: chance by the shares of grades of both judges.

    Scott's pi. Manning, Raghavan and Schütze's Introduction to Information Retrieval calls it kappa
    (section 8.5, with pooled marginals). Of more than two judges, it is the mean over all pairs.
    """

    name = "pi"
    title = "Scott's pi"
    formula = r"\frac{P_o - P_e}{1 - P_e}, \quad P_e = \sum_k \Big(\frac{p_k + q_k}{2}\Big)^2"
    source = "Scott 1955, doi:10.1086/266577"
    two_only = True


@coefficient
class Fleiss(_Pooled):
    """Fleiss' kappa: agreement of any number of judges beyond that of their shares of grades.

    Documents may have been judged by different judges, and by different numbers of them: each
    counts the same, in what was seen and in the shares. Of two judges it is Scott's pi.
    """

    name = "fleiss"
    title = "Fleiss' kappa"
    formula = r"\frac{P_o - P_e}{1 - P_e}, \quad P_e = \sum_k " + (
        r"\Big(\frac{1}{N} \sum_i \frac{n_{ik}}{m_i}\Big)^2"
    )
    source = "Fleiss 1971, doi:10.1037/h0031619"
    same_of_two = "pi"


class _Alpha(_Weighted):
    """Krippendorff's alpha, in all its metrics."""

    def value(self, counts: Counts) -> Floats:
        pairs = counts.by_rating
        times = pairs.sum(axis=-1)
        n = times.sum(axis=-1)[..., None, None]
        by_chance = times[..., :, None] * times[..., None, :] / (n * (n - 1))
        places = self.places(counts.grades, times)
        return _beyond_chance(pairs / n, by_chance, self.distance(places))

    def places(self, grades: Floats, times: Floats) -> Floats:
        """Return the positions of grades on the scale; `times` are how often each was given."""
        return grades


_ALPHA = r"1 - \frac{D_o}{D_e}, \quad D_o = \frac{1}{n} \sum_{kl} o_{kl} \delta^2_{kl}, \quad " + (
    r"D_e = \frac{1}{n (n - 1)} \sum_{kl} n_k n_l \delta^2_{kl}, \quad "
)
_KRIPPENDORFF = (
    "Krippendorff 1970, doi:10.1177/001316447003000105; Hayes & Krippendorff 2007, "
    "doi:10.1080/19312450709336664"
)


@coefficient
class AlphaNominal(_Alpha):
    """Krippendorff's alpha of names: of any number of judges, with missing judgments.

    A document weighs as much as it has judgments. With many documents that two judges have judged,
    it is close to Scott's pi.
    """

    name = "alpha-nominal"
    title = "Krippendorff's alpha, nominal"
    formula = _ALPHA + r"\delta_{kl} = [k \ne l]"
    source = _KRIPPENDORFF


@coefficient
class AlphaOrdinal(_Alpha):
    """Krippendorff's alpha of an order: grades are as far apart as judgments lie between them."""

    name = "alpha-ordinal"
    title = "Krippendorff's alpha, ordinal"
    formula = _ALPHA + r"\delta_{kl} = \sum_{g=k}^{l} n_g - \frac{n_k + n_l}{2}"
    source = _KRIPPENDORFF
    graded = True
    power = 2

    def places(self, grades: Floats, times: Floats) -> Floats:
        # The sum in the formula is the difference of the grades' mean ranks.
        return np.asarray(np.cumsum(times, axis=-1) - times / 2)


@coefficient
class AlphaInterval(_Alpha):
    """Krippendorff's alpha of numbers: grades are as far apart as they are as numbers."""

    name = "alpha-interval"
    title = "Krippendorff's alpha, interval"
    formula = _ALPHA + r"\delta_{kl} = g_k - g_l"
    source = _KRIPPENDORFF
    graded = True
    power = 2


class _AC(_Weighted):
    """Gwet's coefficients, in all their weightings."""

    def value(self, counts: Counts) -> Floats:
        size = len(counts.grades)
        if size == 1:
            return np.ones(counts.items.shape)
        distance = self.distance(counts.grades)
        weights = 1 - distance / distance.max()  # how far two grades count as agreement
        table = counts.by_item / counts.items[..., None, None]
        shares = table.sum(axis=-1)
        seen = _table_sums(weights * table)
        doubt = (shares * (1 - shares)).sum(axis=-1) / (size * (size - 1))
        by_chance = weights.sum() * doubt
        return np.asarray((seen - by_chance) / (1 - by_chance))


@coefficient
class AC1(_AC):
    """Gwet's AC1: chance is that of judges who guess where a document is in doubt.

    Made for skewed shares of grades, where kappa is low although judges nearly always agree. q is
    the number of grades on the scale: all that occur anywhere in the labels.
    """

    name = "AC1"
    title = "Gwet's AC1"
    formula = r"\frac{P_o - P_e}{1 - P_e}, \quad P_e = \frac{1}{q - 1} \sum_k \pi_k (1 - \pi_k)"
    source = "Gwet 2008, doi:10.1348/000711006X126600"


@coefficient
class AC2Linear(_AC):
    """Gwet's AC2: AC1 where grades that are closer count as partly the same."""

    name = "AC2-linear"
    title = "Gwet's AC2, linear weights"
    formula = r"\frac{P_o - P_e}{1 - P_e}, \quad P_e = \frac{\sum_{kl} w_{kl}}{q (q - 1)} " + (
        r"\sum_k \pi_k (1 - \pi_k), \quad w_{kl} = 1 - \frac{|g_k - g_l|}{g_q - g_1}"
    )
    source = "Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition"
    graded = True
    power = 1


@coefficient
class AC2Quadratic(_AC):
    """Gwet's AC2, where a disagreement counts as the square of how far the grades are apart."""

    name = "AC2-quadratic"
    title = "Gwet's AC2, quadratic weights"
    formula = AC2Linear.formula.replace(
        r"\frac{|g_k - g_l|}{g_q - g_1}", r"\frac{(g_k - g_l)^2}{(g_q - g_1)^2}"
    )
    source = AC2Linear.source
    graded = True
    power = 2


@coefficient
class Overlap(AgreementCoefficient):
    """The share of documents found relevant by both judges among those found so by either.

    Jaccard's coefficient of the two sets of relevant documents, as Voorhees reports it. Unlike the
    others it does not count the many documents that nobody finds relevant. Of more than two judges,
    it is the mean over all pairs; of several queries, the mean over them.
    """

    name = "overlap"
    title = "Overlap of the relevant"
    formula = r"\frac{|A \cap B|}{|A \cup B|}"
    source = "Voorhees 2000, doi:10.1016/S0306-4573(00)00010-8"
    undefined = f"{_NOTHING_SHARED}, or neither of two judges found anything relevant"
    two_only = True
    by_query = True
    corrected = False

    def __init__(self, rel: float = 1) -> None:
        self.rel = rel  # the lowest relevant grade

    def value(self, counts: Counts) -> Floats:
        assert counts.ordered is not None
        low = int(np.searchsorted(counts.grades, self.rel))
        both = _table_sums(counts.ordered[..., low:, low:])
        neither = _table_sums(counts.ordered[..., :low, :low])
        return np.asarray(both / (counts.items - neither))


def _beyond_chance(seen: Floats, by_chance: Floats, distance: Floats) -> Floats:
    """Return 1 minus the observed disagreement, as a share of that expected by chance."""
    expected = _table_sums(by_chance * distance)
    share = _table_sums(seen * distance) / expected
    # Without any disagreement to expect, there is one grade only, and none was seen.
    return np.where(expected > 0, 1 - share, 1.0)
