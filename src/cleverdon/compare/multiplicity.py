"""Several tests at once: what remains of the p-values.

Of twenty comparisons of equal systems, one is expected to be significant at 0.05. A corrected
p-value can be held against the level as if it were the only one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleverdon.errors import OptionError, check_word


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the chance of even one false alarm stays at the level. Holm 1979.

    Never weaker than Bonferroni's, and as general: the tests may depend on each other.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(_ascending(p_values)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Bonferroni's correction: the chance of even one false alarm stays at the level.

    >>> bonferroni([0.01, 0.04, 0.5])
    [0.03, 0.12, 1.0]
    """
    return [min(1.0, len(p_values) * p) for p in p_values]


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's: the share of false alarms among all alarms stays at the level.

    The expected share, that is. It finds more of the true differences than Holm's, and promises
    less. Proven for tests that are independent or lean the same way. Benjamini & Hochberg 1995,
    doi:10.1111/j.2517-6161.1995.tb02031.x.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    adjusted = [0.0] * len(p_values)
    smallest = 1.0
    for rank, i in reversed(list(enumerate(_ascending(p_values), 1))):
        smallest = min(smallest, len(p_values) * p_values[i] / rank)
        adjusted[i] = smallest
    return adjusted


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": list,
}
"""How p-values of a family of comparisons are corrected; the first is the default."""


WHOLE = ("holm", "bonferroni")
"""Those by which even the lowest of all p-values is multiplied by their number."""


def corrected(correction: str, p_values: Sequence[float]) -> list[float]:
    """The p-values, corrected for there being several."""
    check_word("correction", correction, CORRECTIONS)
    wrong = [p for p in p_values if not 0 <= p <= 1]  # unlike `p < 0 or p > 1`, true of NaN
    if wrong:
        raise OptionError(f"{wrong[0]} is no p-value: they lie between 0 and 1")
    return CORRECTIONS[correction](p_values)


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=p_values.__getitem__)
