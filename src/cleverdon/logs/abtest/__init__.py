"""A/B tests: effects of the variants of an experiment on the metrics of a log.

abtest(log, control="A")   differences, intervals, p-values, guardrails, power
test.claims()              what may be said of them, in words
test.doubts()              what speaks against believing it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_names

if TYPE_CHECKING:
    from cleverdon.logs.abtest.analysis import abtest
    from cleverdon.logs.abtest.results import ABTest, Effect, Guardrail, SampleRatio, sample_ratio

_HOME = {
    "ABTest": "logs.abtest.results",
    "Effect": "logs.abtest.results",
    "Guardrail": "logs.abtest.results",
    "SampleRatio": "logs.abtest.results",
    "abtest": "logs.abtest.analysis",
    "sample_ratio": "logs.abtest.results",
}

__all__ = [
    "ABTest",
    "Effect",
    "Guardrail",
    "SampleRatio",
    "abtest",
    "sample_ratio",
]

__getattr__ = lazy_names(__name__, _HOME)
