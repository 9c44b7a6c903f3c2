"""How costs of indexing grow, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cleverdon.engine.indexing.growth import Growth
from cleverdon.show.grid import counted

_SLIGHT = 0.15
"""An exponent that differs by less is called slightly faster or slower than linear."""
_HARDLY = 0.2
"""An exponent that is certainly below this one: ten times the documents take 1.6 times as much."""


def growth_words(found: Mapping[str, Growth], labels: Mapping[str, str]) -> list[str]:
    """A sentence for each quantity: its exponent, the interval, what that means; and warnings."""
    told = []
    for name, grown in found.items():
        low, high = exponent(grown.low), exponent(grown.high)
        told.append(
            f"{labels[name]} grows as n^{exponent(grown.exponent)} ({low} to {high}): "
            f"{meaning(grown)}"
        )
        told += [f"    warning: {warning}" for warning in grown.warnings]
    return told


def exponent(value: float) -> str:
    """An exponent with two decimals, and no sign before 0."""
    return f"{round(value, 2) + 0.0:.2f}"


def meaning(grown: Growth) -> str:
    """What the exponent says, as far as its interval allows.

    >>> from cleverdon.engine.indexing.growth import growth
    >>> meaning(growth([10, 100, 1000], [1.0, 12.0, 150.0]))
    'slightly faster than linear'
    """
    if grown.low > 1:
        return _slightly(grown.exponent - 1) + "faster than linear"
    if grown.high < _HARDLY:
        return "hardly at all"
    if grown.high < 1:
        return _slightly(1 - grown.exponent) + "slower than linear"
    if grown.high - grown.low > 2 * _SLIGHT:
        return "linear or not, which these sizes cannot tell"
    return "linear, as far as can be told"


def prediction_words(
    found: Mapping[str, Growth],
    documents: int,
    labels: Mapping[str, str],
    written: Callable[[str, float], str],
) -> list[str]:
    """What another size would take, with a word on how sure that is."""
    said = {name: grown.predict(documents) for name, grown in found.items()}
    outside = any(prediction.extrapolated for prediction in said.values())
    how = "extrapolated, if growth goes on as it was" if outside else "by the fitted lines"
    told = [f"{counted(documents, 'document')}, {how}:"]
    for name, one in said.items():
        low, high = written(name, one.low), written(name, one.high)
        told.append(f"    {labels[name]}: {written(name, one.value)}, from {low} to {high}")
    return told


def _slightly(differs: float) -> str:
    return "slightly " if differs < _SLIGHT else ""
