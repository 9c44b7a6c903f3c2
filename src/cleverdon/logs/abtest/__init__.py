"""A/B tests: effects of the variants of an experiment on the metrics of a log.

abtest(log, control="A")   differences, intervals, p-values, guardrails, power
test.claims()              the conclusions that the test supports, in words
test.doubts()              reasons to doubt them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.logs.abtest.analysis import abtest
    from cleverdon.logs.abtest.results import ABTest, Effect, Guardrail, SampleRatio, sample_ratio

_NAMES = {
    "analysis": "abtest",
    "results": "ABTest Effect Guardrail SampleRatio sample_ratio",
}

__all__ = [
    "ABTest",
    "Effect",
    "Guardrail",
    "SampleRatio",
    "abtest",
    "sample_ratio",
]

__getattr__ = lazy_modules(__name__, _NAMES)
