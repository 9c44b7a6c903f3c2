"""Claims that flip with other judgments."""

from __future__ import annotations

import pytest

from cleverdon import correlate
from cleverdon.comparison.claim_flips import _FLIPPED, FLIP_KINDS, Flips, flips
from cleverdon.comparison.differences import compare
from cleverdon.errors import OptionError
from tests.comparison.made import made, pair


def between(before: float, after: float) -> Flips:
    """Of two systems whose difference is this by one judgment, and that by the other."""
    sides = [compare(pair(30, difference), baseline="base") for difference in (before, after)]
    return flips(*sides)


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (0.1, 0.2, "kept"),
        (0.1, -0.1, "reversed"),
        (0.1, 0.01, "lost"),
        (0.1, -0.01, "lost"),
        (-0.01, 0.1, "gained"),
        (0.01, -0.01, "swapped"),
        (0.01, 0.02, "open"),
        (0.0, 0.01, "open"),
    ],
)
def test_kinds(before: float, after: float, kind: str) -> None:
    found = between(before, after)
    (one,) = found
    assert one.kind == kind
    assert one.flipped == (kind in _FLIPPED)
    assert [len(found.changed()), len(found.changed(swapped=True))] == [
        kind in _FLIPPED,
        kind in (*_FLIPPED, "swapped"),
    ]
    assert {name: found.times(name) for name in FLIP_KINDS} == {
        name: name == kind for name in FLIP_KINDS
    }
    assert found.shown == (abs(before) == 0.1, abs(after) >= 0.1)


def test_the_gravest_first_by_each_measure() -> None:
    values = [0.1 + 0.01 * at for at in range(20)]
    high = [value + 0.3 + 0.001 * at for at, value in enumerate(values)]
    first = made({"a": {"AP": high, "RR": high}, "b": {"AP": values, "RR": values}})
    second = made({"a": {"AP": values, "RR": values}, "b": {"AP": values, "RR": high}})
    found = flips(compare(first), compare(second))
    assert [one.kind for one in found.changed()] == ["reversed", "lost"]
    assert [one.kind for one in found.of(first.measures[0])] == ["lost"]


def test_what_is_not_of_the_same_systems() -> None:
    one = compare(pair(10, 0.1), baseline="base")
    with pytest.raises(OptionError, match="the same systems"):
        flips(one, compare(pair(10, 0.1), baseline="other"))


def test_the_first_order_is_the_truth() -> None:
    names = "abcd"
    first = made({name: {"AP": [0.9 - 0.1 * at, 0.8 - 0.1 * at]} for at, name in enumerate(names)})
    second = made(
        {
            name: {"AP": [value, value]}
            for name, value in zip(names, (0.1, 0.9, 0.8, 0.5), strict=True)
        }
    )
    (found,) = correlate(first, other=second, symmetric=False, resamples=20)
    (both,) = correlate(first, other=second, resamples=20)
    assert found.kendall == both.kendall
    assert found.tau_ap.value == pytest.approx(2 / 3 * (1 + 1 + 0) - 1)  # by hand: b c d a
    assert found.tau_ap.value != pytest.approx(both.tau_ap.value)
