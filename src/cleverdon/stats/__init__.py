"""Statistics: arrays in, numbers out.

Nothing here knows of search. Rows are comparisons or systems; columns are units, such as
queries or users: what is drawn and paired. Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.stats.correlation import (
        RBO,
        footrule,
        kendall,
        kendall_union,
        overlap,
        rbo,
        spearman,
        tau_ap,
    )
    from cleverdon.stats.effect_sizes import EffectSizes
    from cleverdon.stats.intervals import Estimate, Interval, interval, percentile_interval
    from cleverdon.stats.multiple_comparisons import (
        benjamini_hochberg,
        bonferroni,
        correct_p_values,
        family_test,
        holm,
    )
    from cleverdon.stats.power import (
        power_of_test,
        sample_size_for_t_test,
        sample_size_needed,
        sign_test_units,
        smallest_difference,
    )
    from cleverdon.stats.proportions import hypergeometric_interval, wilson
    from cleverdon.stats.resampling import RESAMPLES, resample
    from cleverdon.stats.sampling import sample_size
    from cleverdon.stats.tests import (
        PValue,
        always_valid_p,
        confidence_sequence,
        margin_test,
        p_values,
    )
    from cleverdon.stats.trends import growth

__all__ = [
    "RBO",
    "RESAMPLES",
    "EffectSizes",
    "Estimate",
    "Interval",
    "PValue",
    "always_valid_p",
    "benjamini_hochberg",
    "bonferroni",
    "confidence_sequence",
    "correct_p_values",
    "family_test",
    "footrule",
    "growth",
    "holm",
    "hypergeometric_interval",
    "interval",
    "kendall",
    "kendall_union",
    "margin_test",
    "overlap",
    "p_values",
    "percentile_interval",
    "power_of_test",
    "rbo",
    "resample",
    "sample_size",
    "sample_size_for_t_test",
    "sample_size_needed",
    "sign_test_units",
    "smallest_difference",
    "spearman",
    "tau_ap",
    "wilson",
]

_NAMES = {
    "correlation": "RBO footrule kendall kendall_union overlap rbo spearman tau_ap",
    "effect_sizes": "EffectSizes",
    "intervals": "Estimate Interval interval percentile_interval",
    "multiple_comparisons": "benjamini_hochberg bonferroni correct_p_values family_test holm",
    "power": "power_of_test smallest_difference sample_size_for_t_test sample_size_needed "
    "sign_test_units",
    "proportions": "hypergeometric_interval wilson",
    "resampling": "RESAMPLES resample",
    "sampling": "sample_size",
    "tests": "PValue always_valid_p confidence_sequence margin_test p_values",
    "trends": "growth",
}

__getattr__ = lazy_modules(__name__, _NAMES)
