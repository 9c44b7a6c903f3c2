"""A/B tests: what the variants of an experiment did to the metrics of a log.

abtest(log, control="A")        differences, intervals, p-values, guardrails, power
claims(tested)                  what may be said of them, in words
doubts(tested)                  what speaks against believing it
"""

from cleverdon.online.abtest.analysis import abtest
from cleverdon.online.abtest.claims import Claim, claims
from cleverdon.online.abtest.doubts import doubts
from cleverdon.online.abtest.ratio_mismatch import SampleRatio, sample_ratio
from cleverdon.online.abtest.results import ABTest, Adjustment, Effect, Guardrail, Planning
from cleverdon.online.abtest.sequential import always_valid_p, confidence_sequence

__all__ = [
    "ABTest",
    "Adjustment",
    "Claim",
    "Effect",
    "Guardrail",
    "Planning",
    "SampleRatio",
    "abtest",
    "always_valid_p",
    "claims",
    "confidence_sequence",
    "doubts",
    "sample_ratio",
]
