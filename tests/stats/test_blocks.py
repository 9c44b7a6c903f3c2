"""Quantiles and differences of blocks of observations."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon.stats.blocks import block_difference, block_quantiles


def test_quantiles_are_those_of_all_observations_that_were_drawn() -> None:
    blocks = [np.array([3.0, 1.0]), np.array([10.0, 20.0, 30.0])]
    times = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 1.0]])
    found = block_quantiles(blocks, times, [0.5, 0.99])
    assert found.tolist() == [[10.0, 30.0], [1.0, 3.0], [20.0, 30.0]]


def test_fewer_blocks_give_wider_intervals() -> None:
    draws = np.random.default_rng(1).normal(1.0, 0.5, 4000)
    widths = []
    for blocks in (4, 10, 100):
        found = block_difference(1.0, draws, blocks=blocks, level=0.05)
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == pytest.approx(2 * 1.96 * 0.5, rel=0.05)


def test_draws_without_a_spread_give_no_interval() -> None:
    found = block_difference(0.0, np.zeros(99), blocks=10, level=0.05)
    assert np.isnan([found.low, found.high]).all()
    assert found.p == 1


def test_a_difference_on_one_side_of_all_draws_has_a_small_p_value() -> None:
    one_side = np.random.default_rng(1).normal(5.0, 0.1, 1000)
    assert block_difference(5.0, one_side, blocks=20, level=0.05).p < 1e-6
    around = np.random.default_rng(1).normal(0.0, 1.0, 1000)
    assert block_difference(0.0, around, blocks=20, level=0.05).p > 0.9
