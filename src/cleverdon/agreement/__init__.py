"""Agreement between judges, aggregation of their labels, and a model as a judge.

labels = read_labels(["ann.qrels", "bob.qrels", "eve.qrels"])
print(agree(labels))
print(judging_noise(labels, runs, "nDCG@10"))
aggregate_labels(labels, "dawid-skene").judgments.write("qrels.txt")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.agreement.aggregation import Aggregation, aggregate_labels, write_aggregation
    from cleverdon.agreement.agreement import Agreement, agree
    from cleverdon.agreement.labels import Labels, read_judges, read_labels
    from cleverdon.agreement.model import ModelAgreement, compare_model, model_effects
    from cleverdon.agreement.noise import (
        JudgedDifference,
        JudgedMean,
        JudgingNoise,
        judging_noise,
    )

__all__ = [
    "Aggregation",
    "Agreement",
    "JudgedDifference",
    "JudgedMean",
    "JudgingNoise",
    "Labels",
    "ModelAgreement",
    "aggregate_labels",
    "agree",
    "compare_model",
    "judging_noise",
    "model_effects",
    "read_judges",
    "read_labels",
    "write_aggregation",
]

_NAMES = {
    "aggregation": "Aggregation aggregate_labels write_aggregation",
    "agreement": "Agreement agree",
    "labels": "Labels read_judges read_labels",
    "model": "ModelAgreement compare_model model_effects",
    "noise": "JudgedDifference JudgedMean JudgingNoise judging_noise",
}

__getattr__ = lazy_modules(__name__, _NAMES)
