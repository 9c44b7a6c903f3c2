"""Compare systems query by query: from scores to claims.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.comparison.checklist import Checklist, reporting_checklist
    from cleverdon.comparison.claim_flips import Flips, flips
    from cleverdon.comparison.claims import Claim, Claims, claim
    from cleverdon.comparison.differences import Comparison, compare
    from cleverdon.comparison.doubts import Doubt, find_doubts
    from cleverdon.comparison.gates import GateResult, gate
    from cleverdon.comparison.margins import within_margin
    from cleverdon.comparison.orderings import (
        OrderAgreements,
        RunCorrelations,
        compare_runs,
        correlate,
        correlate_runs,
    )
    from cleverdon.comparison.power_analysis import (
        PowerAnalysis,
        QueryPlan,
        design_query_set,
        plan_queries,
        power,
    )
    from cleverdon.comparison.procedures import Difference
    from cleverdon.comparison.reliability import (
        anova,
        discriminative_power,
        ranking_agreement,
        replicate,
        split_half,
        swap_rates,
    )
    from cleverdon.comparison.results import read_results, write_results
    from cleverdon.comparison.samples import average_intervals
    from cleverdon.comparison.slices import Slices, slice_by
    from cleverdon.comparison.splits import (
        Splits,
        hold_out,
        k_fold,
        read_splits,
        split,
        write_splits,
    )
    from cleverdon.comparison.tradeoffs import Tradeoffs, find_tradeoffs
    from cleverdon.comparison.tuning import Tuning, tune
    from cleverdon.comparison.worst_queries import WorstQueries, worst
    from cleverdon.risk import RiskAnalysis, measure_risk

__all__ = [
    "Checklist",
    "Claim",
    "Claims",
    "Comparison",
    "Difference",
    "Doubt",
    "Flips",
    "GateResult",
    "OrderAgreements",
    "PowerAnalysis",
    "QueryPlan",
    "RiskAnalysis",
    "RunCorrelations",
    "Slices",
    "Splits",
    "Tradeoffs",
    "Tuning",
    "WorstQueries",
    "anova",
    "average_intervals",
    "claim",
    "compare",
    "compare_runs",
    "correlate",
    "correlate_runs",
    "design_query_set",
    "discriminative_power",
    "find_doubts",
    "find_tradeoffs",
    "flips",
    "gate",
    "hold_out",
    "k_fold",
    "measure_risk",
    "plan_queries",
    "power",
    "ranking_agreement",
    "read_results",
    "read_splits",
    "replicate",
    "reporting_checklist",
    "slice_by",
    "split",
    "split_half",
    "swap_rates",
    "tune",
    "within_margin",
    "worst",
    "write_results",
    "write_splits",
]

_NAMES = {
    "checklist": "Checklist reporting_checklist",
    "claim_flips": "Flips flips",
    "claims": "Claim Claims claim",
    "differences": "Comparison compare",
    "doubts": "Doubt find_doubts",
    "gates": "GateResult gate",
    "orderings": "OrderAgreements RunCorrelations compare_runs correlate_runs correlate",
    "margins": "within_margin",
    "power_analysis": "PowerAnalysis QueryPlan design_query_set power plan_queries",
    "procedures": "Difference",
    "reliability": "anova discriminative_power ranking_agreement replicate split_half swap_rates",
    "results": "read_results write_results",
    "samples": "average_intervals",
    "slices": "Slices slice_by",
    "splits": "Splits hold_out k_fold read_splits split write_splits",
    "tradeoffs": "Tradeoffs find_tradeoffs",
    "tuning": "Tuning tune",
    "worst_queries": "WorstQueries worst",
}

__getattr__ = lazy_modules(__name__, _NAMES, others={"risk": "RiskAnalysis measure_risk"})
