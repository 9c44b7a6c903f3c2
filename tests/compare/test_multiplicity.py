"""Corrections for several comparisons at once."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from cleverdon.compare.multiplicity import CORRECTIONS, corrected
from cleverdon.errors import OptionError

STATSMODELS = {"holm": "holm", "bonferroni": "bonferroni", "benjamini-hochberg": "fdr_bh"}


@pytest.mark.parametrize("correction", STATSMODELS)
@given(p=st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02, 0.5]), min_size=1, max_size=20))
def test_as_statsmodels_has_them(correction: str, p: list[float]) -> None:
    with mock.patch("gc.collect"):  # which statsmodels calls each time, and waits for
        expected = multipletests(p, method=STATSMODELS[correction])[1]
    assert corrected(correction, p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_one_alone_stays_and_none_is_fine(correction: str) -> None:
    assert corrected(correction, []) == []
    assert corrected(correction, [0.04]) == [0.04]


def test_none_changes_nothing() -> None:
    assert corrected("none", [0.04, 0.01]) == [0.04, 0.01]


def test_what_is_no_p_value_is_refused() -> None:
    for wrong in (np.nan, -0.1, 1.1):
        with pytest.raises(OptionError, match="no p-value"):
            corrected("holm", [0.1, wrong])
    with pytest.raises(OptionError, match="did you mean 'holm'"):
        corrected("holms", [0.1])


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_one_false_alarm_in_a_family_is_as_rare_as_the_level(correction: str) -> None:
    families = np.random.default_rng(1).random((4000, 8))
    alarms = np.mean([min(corrected(correction, list(family))) <= 0.05 for family in families])
    assert alarms <= 0.05 + 3.3 * (0.05 * 0.95 / 4000) ** 0.5
