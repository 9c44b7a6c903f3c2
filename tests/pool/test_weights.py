from __future__ import annotations

import numpy as np
import pytest

from cleverdon.errors import OptionError
from cleverdon.pool import gather
from cleverdon.pool.weights import weigh

RUNS = {
    "a": {"q1": {"d1": 9, "d2": 5, "d3": 1}, "q2": {"d1": 1}},
    "b": {"q1": {"d2": 0.8, "d4": 0.2}},
}
"""In q1, d1 stands 1st of 3; d2 2nd of 3 and 1st of 2; d3 3rd; d4 2nd of 2. In q2, d1 is alone."""


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("depth", [-1, -1, -3, -2, -1]),
        ("rrf", [1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62, 1 / 61]),
        ("rbp", [0.2, 0.2 * 0.8 + 0.2, 0.2 * 0.64, 0.2 * 0.8, 0.2]),
        # Scaled: d1 1, d2 (5-1)/8 and 1, d3 0, d4 0; a ranking of one score is 1.
        ("combmnz", [1, 2 * 1.5, 0, 0, 1]),
        # (1 + 1/r + ... + 1/n) / 2n.
        (
            "ap",
            [
                (1 + 1 + 1 / 2 + 1 / 3) / 6,
                (1 + 1 / 2 + 1 / 3) / 6 + (1 + 1 + 1 / 2) / 4,
                (1 + 1 / 3) / 6,
                (1 + 1 / 2) / 4,
                (1 + 1) / 2,
            ],
        ),
    ],
)
def test_by_hand(by: str, expected: list[float]) -> None:
    assert weigh(gather(RUNS), by) == pytest.approx(np.array(expected), abs=1e-12)


def test_ranks_of_a_ranking_weigh_1_in_all_by_the_prior_of_ap() -> None:
    run = {"q": {f"d{rank}": -rank for rank in range(1, 51)}}
    assert weigh(gather({"a": run}), "ap").sum() == pytest.approx(1)


def test_rbp_with_another_persistence() -> None:
    weights = weigh(gather(RUNS), "rbp", p=0.5)
    assert weights == pytest.approx(np.array([0.5, 0.75, 0.125, 0.25, 0.5]))


def test_what_cannot_be() -> None:
    with pytest.raises(OptionError, match="did you mean 'rrf'"):
        weigh(gather(RUNS), "rff")
    with pytest.raises(OptionError, match=r"p=1\.5"):
        weigh(gather(RUNS), "rbp", p=1.5)
    infinite = {"a": {"q": {"d1": float("inf"), "d2": 1}}}
    with pytest.raises(OptionError, match="some are infinite"):
        weigh(gather(infinite), "combmnz")
