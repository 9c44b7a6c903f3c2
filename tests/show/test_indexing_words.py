"""What exponents mean, in words."""

from __future__ import annotations

import pytest

from cleverdon.engine.indexing.growth import growth
from cleverdon.show.indexing_words import growth_words, meaning

SIZES = [100, 1000, 10_000, 100_000]


@pytest.mark.parametrize(
    ("exponent", "said"),
    [
        (1.0, "linear, as far as can be told"),
        (1.08, "slightly faster than linear"),
        (1.5, "faster than linear"),
        (0.95, "slightly slower than linear"),
        (0.5, "slower than linear"),
        (0.05, "hardly at all"),
    ],
)
def test_meanings(exponent: float, said: str) -> None:
    wobble = [1.001, 0.999, 0.999, 1.001]
    grown = growth(SIZES, [n**exponent * w for n, w in zip(SIZES, wobble, strict=True)])
    assert grown is not None
    assert meaning(grown) == said


def test_few_sizes_that_stray_tell_nothing() -> None:
    grown = growth(SIZES[:3], [1, 14, 100])
    assert grown is not None
    assert growth_words({"index_time": grown}, {"index_time": "wall time"}) == [
        "wall time grows as n^1.00 (-0.07 to 2.07): linear or not, which these sizes cannot tell",
        "    warning: the exponent changes with size, from 1.15 to 0.85: a fixed part, or another "
        "regime; the largest sizes say most about what comes",
    ]
