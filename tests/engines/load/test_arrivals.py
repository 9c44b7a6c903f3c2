"""The times of an open loop: those of the process that was asked for, and the same every time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon.engines.load.workload import _MOST_ARRIVALS, OpenLoop, intended_times
from cleverdon.errors import OptionError

RATES = st.floats(0.5, 5000)
SEEDS = st.integers(0, 2**32)


def test_the_gaps_of_a_poisson_process_are_exponential_and_independent():
    times = intended_times(OpenLoop(200, seed=5), requests=20_000)
    gaps = np.diff(times, prepend=0.0)
    assert stats.kstest(gaps, "expon", args=(0, 1 / 200)).pvalue > 0.01
    assert abs(np.corrcoef(gaps[1:], gaps[:-1])[0, 1]) < 3 / np.sqrt(len(gaps))


def test_the_counts_of_a_poisson_process_vary_as_much_as_they_are_large():
    times = intended_times(OpenLoop(50, seed=6), seconds=400)
    counts = np.bincount(times.astype(int), minlength=400)
    assert counts.mean() == pytest.approx(50, rel=0.03)
    assert counts.var() / counts.mean() == pytest.approx(1, abs=0.25)


@given(RATES, SEEDS, st.sampled_from(["poisson", "constant"]))
def test_a_longer_load_begins_with_the_times_of_a_shorter_one(rate, seed, arrivals):
    pattern = OpenLoop(rate, arrivals, seed)
    few, many = (intended_times(pattern, requests=n) for n in (10, 70_000))
    assert len(many) == 70_000
    assert (many[:10] == few).all()
    seconds = float(many[5])
    assert (intended_times(pattern, seconds=seconds) == many[many < seconds]).all()


@given(SEEDS)
def test_seeds_differ_and_rates_only_stretch(seed):
    times = intended_times(OpenLoop(100, seed=seed), requests=50)
    assert (times != intended_times(OpenLoop(100, seed=seed + 1), requests=50)).all()
    assert intended_times(OpenLoop(50, seed=seed), requests=50) == pytest.approx(2 * times)


@given(RATES, st.floats(0.1, 5))
def test_constant_arrivals_are_equally_far_apart(rate, seconds):
    times = intended_times(OpenLoop(rate, "constant"), seconds=seconds)
    assert times[0] == 0
    assert np.diff(times) == pytest.approx(1 / rate)
    assert times[-1] < seconds <= times[-1] + 1 / rate + 1e-9


def test_whichever_end_comes_first_counts():
    pattern = OpenLoop(10, "constant")
    assert len(intended_times(pattern, seconds=1, requests=1000)) == 10
    assert len(intended_times(pattern, seconds=100, requests=7)) == 7


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "needs an end"),
        ({"seconds": 0}, "seconds=0: expected seconds, above 0"),
        ({"seconds": float("nan")}, "seconds=nan"),
        ({"requests": 0}, "requests=0: expected a whole number"),
        ({"requests": _MOST_ARRIVALS + 1}, "one load can hold"),
    ],
)
def test_a_load_without_an_end_is_refused(options, said):
    with pytest.raises(OptionError, match=said):
        intended_times(OpenLoop(1000), **options)
