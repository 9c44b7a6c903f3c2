"""Significance tests, paired by topic: could differences as large as these be chance?"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.pvalue import PValue
from cleverdon.compare.randomisation import randomisation
from cleverdon.compare.shift import shift
from cleverdon.compare.signs import sign
from cleverdon.compare.student import student
from cleverdon.compare.tukey import randomised_tukey, tukey
from cleverdon.compare.wilcoxon import wilcoxon
from cleverdon.errors import OptionError, check_seed, check_word, suggest

ALTERNATIVES = {
    "two-sided": "the systems differ",
    "greater": "the system's values are higher than the baseline's",
    "less": "the system's values are lower than the baseline's",
}
"""What a small p-value speaks for."""

TESTS: dict[str, Callable[..., list[PValue]]] = {
    "randomisation": randomisation,
    "t": student,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "bootstrap": shift,
}
"""The tests by name: each takes differences (comparisons x topics) and gives a p-value for each."""

FAMILY_TESTS: dict[str, Callable[..., list[list[PValue]]]] = {
    "tukey": tukey,
    "randomised-tukey": randomised_tukey,
}
"""Tests of all pairs at once: each takes values (systems x topics) and gives systems x systems."""

DECIMALS = 12
"""Differences that agree so far count as equal: 0.3 - 0.2 is 0.2 - 0.1, and 1e-17 is nothing."""


def p_values(
    test: str,
    differences: Floats,
    *,
    alternative: str = "two-sided",
    seed: int = 0,
    **options: Any,
) -> list[PValue]:
    """The p-value of each comparison; `differences` are comparisons x topics.

    Differences that are all 0 have p = 1 by every test and on both sides: they speak for nothing.
    `options` are the test's own, such as `draws`.

    >>> [p.p for p in p_values("sign", np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]]))]
    [0.25, 1.0]
    """
    check_word("test", test, TESTS)
    check_word("alternative", alternative, ALTERNATIVES)
    _check_options(test, TESTS[test], options)
    check_seed(seed)
    rows = settled(_checked(differences, "differences"))
    found = [PValue(1.0, exact=True, draws=0)] * len(rows)
    some = np.flatnonzero(rows.any(axis=1)).tolist()
    if some:
        tested = TESTS[test](rows[some], alternative=alternative, seed=seed, **options)
        for i, p in zip(some, tested, strict=True):
            found[i] = p
    return found


def family_p_values(
    test: str, values: Floats, *, alternative: str = "two-sided", seed: int = 0, **options: Any
) -> list[list[PValue]]:
    """The p-value of every pair of systems, already corrected; `values` are systems x topics."""
    check_word("test", test, FAMILY_TESTS)
    if alternative != "two-sided":
        raise OptionError(f"test={test!r} looks at the distance of systems, and is two-sided only")
    _check_options(test, FAMILY_TESTS[test], options)
    check_seed(seed)
    return FAMILY_TESTS[test](_checked(values, "values"), seed=seed, **options)


def _checked(rows: Floats, what: str) -> Floats:
    if rows.ndim != 2:
        raise OptionError(
            f"{what} have a row each, of a number a topic: not {rows.ndim} dimensions"
        )
    if rows.shape[1] == 0:
        raise OptionError("there is no topic to compare on")
    if not np.isfinite(rows).all():
        raise OptionError(f"{what} must be finite numbers: there are NaN or infinite ones")
    return rows


def settled(differences: Floats) -> Floats:
    """Without what only the rounding of sums put there."""
    scale = np.maximum(1.0, np.abs(differences).max(axis=1, initial=0, keepdims=True))
    found: Floats = np.round(differences / scale, DECIMALS) * scale
    return found


def _check_options(test: str, function: Callable[..., Any], options: dict[str, Any]) -> None:
    fixed = {"differences", "values", "alternative", "seed"}
    known = [name for name in signature(function).parameters if name not in fixed]
    for name in options:
        if name not in known:
            hint = suggest(name, known) if known else ": it has none"
            raise OptionError(f"test={test!r} has no option {name!r}{hint}")
