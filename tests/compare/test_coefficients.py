"""Coefficients of many orders at once, against those of one pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import correlate
from cleverdon.arrays import Floats
from cleverdon.compare.coefficients import Orders, coefficients


@st.composite
def two_tables(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Scores of the same systems, 8 orders each, with few or many ties."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    systems, grades = draw(st.integers(2, 12)), draw(st.sampled_from([1, 2, 4, 1000]))
    a, b = random.integers(0, grades, size=(2, 8, systems)).astype(float)
    return a, b


@given(two_tables(), st.booleans(), st.sampled_from([0.3, 0.9, 0.98]))
def test_each_is_the_one_of_its_name(
    tables: tuple[Floats, Floats], symmetric: bool, p: float
) -> None:
    one_by_one = {
        "kendall": correlate.kendall,
        "tau_ap": lambda a, b: correlate.tau_ap(a, b, symmetric=symmetric),
        "spearman": correlate.spearman,
        "rbo": lambda a, b: correlate.rbo(a, b, p=p).extrapolated,
    }
    orders = [Orders(table) for table in tables]
    functions = coefficients(symmetric=symmetric, p=p)
    assert functions.keys() == one_by_one.keys()
    for name, function in functions.items():
        wanted = [
            one_by_one[name](dict(enumerate(a.tolist())), dict(enumerate(b.tolist())))
            for a, b in zip(*tables, strict=True)
        ]
        assert function(*orders) == pytest.approx(wanted, abs=1e-12, nan_ok=True), name
