"""Comparing systems, topic by topic: from Scores to claims."""

from cleverdon.compare.anova import Anova, anova
from cleverdon.compare.claims import Claim, claims
from cleverdon.compare.design import Design, design
from cleverdon.compare.discrimination import discriminative_power, split_half, swap_rates
from cleverdon.compare.doubts import Doubt, doubts
from cleverdon.compare.gate import Verdict, gate
from cleverdon.compare.intervals import Interval, average_intervals, interval, intervals
from cleverdon.compare.margins import WithinMargin, equivalence, non_inferiority, within_margin
from cleverdon.compare.multiplicity import corrected
from cleverdon.compare.orderings import Agreement, agreements
from cleverdon.compare.paired import Comparison, Difference, compare
from cleverdon.compare.power import Power, power
from cleverdon.compare.pvalue import PValue
from cleverdon.compare.replicate import RankingAgreement, Replication, ranking_agreement, replicate
from cleverdon.compare.results import read_results, write_results
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.sizes import Sizes, sizes
from cleverdon.compare.slices import Slices, slices
from cleverdon.compare.splits import Fold, Splits, difficulty, hold_out, k_fold, quantiles
from cleverdon.compare.splits_file import read_splits, write_splits
from cleverdon.compare.tune import Tuning, tune, tune_scores

__all__ = [
    "Agreement",
    "Anova",
    "Claim",
    "Comparison",
    "Design",
    "Difference",
    "Doubt",
    "Fold",
    "Interval",
    "PValue",
    "Power",
    "RankingAgreement",
    "Replication",
    "Sample",
    "Sizes",
    "Slices",
    "Splits",
    "Tuning",
    "Verdict",
    "WithinMargin",
    "agreements",
    "anova",
    "average_intervals",
    "claims",
    "compare",
    "corrected",
    "design",
    "difficulty",
    "discriminative_power",
    "doubts",
    "equivalence",
    "gate",
    "hold_out",
    "interval",
    "intervals",
    "k_fold",
    "non_inferiority",
    "power",
    "quantiles",
    "ranking_agreement",
    "read_results",
    "read_splits",
    "replicate",
    "samples",
    "sizes",
    "slices",
    "split_half",
    "swap_rates",
    "tune",
    "tune_scores",
    "within_margin",
    "write_results",
    "write_splits",
]
