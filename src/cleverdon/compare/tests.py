"""Significance tests, paired by topic: could differences as large as these be chance?"""

from __future__ import annotations

from collections.abc import Callable

from cleverdon.compare.randomisation import PValue, randomisation_test
from cleverdon.errors import check_word
from cleverdon.hits import Floats

ALTERNATIVES = {
    "two-sided": "the systems differ",
    "greater": "the system's values are higher than the baseline's",
    "less": "the system's values are lower than the baseline's",
}
"""What a small p-value speaks for."""

TESTS: dict[str, Callable[..., list[PValue]]] = {}
"""The tests by name: each takes differences (comparisons x topics) and gives a p-value for each."""


def p_values(
    test: str, differences: Floats, *, alternative: str = "two-sided", seed: int = 0
) -> list[PValue]:
    """The p-value of each comparison; `differences` are comparisons x topics."""
    check_word("test", test, TESTS)
    check_word("alternative", alternative, ALTERNATIVES)
    return TESTS[test](differences, alternative=alternative, seed=seed)


def _randomisation(differences: Floats, *, alternative: str, seed: int) -> list[PValue]:
    return [randomisation_test(row, seed=seed) for row in differences]


TESTS["randomisation"] = _randomisation
