"""Several tests at once: what remains of the p-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cleverdon.errors import check_word


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the chance of even one false alarm stays below the level. Holm 1979.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for tests_left, i in zip(range(len(p_values), 0, -1), order, strict=True):
        largest = max(largest, min(1.0, tests_left * p_values[i]))
        adjusted[i] = largest
    return adjusted


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "none": list,
}
"""How p-values of a family of comparisons are corrected; the first is the default."""


def corrected(correction: str, p_values: Sequence[float]) -> list[float]:
    """The p-values, corrected for there being several."""
    check_word("correction", correction, CORRECTIONS)
    return CORRECTIONS[correction](p_values)
