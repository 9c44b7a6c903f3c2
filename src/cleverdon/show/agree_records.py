"""Agreement of judges as records, ready for JSON: everything, with all digits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cleverdon.arrays import plain
from cleverdon.judge.aggregation import Aggregated
from cleverdon.judge.agreement import Agreed, Disputed, Estimate
from cleverdon.show.aggregated import cautions
from cleverdon.show.agree_cells import estimated
from cleverdon.show.agree_words import sentences


def agreed_record(
    agreed: Agreed, pairs: Agreed, disputed: Sequence[Disputed], models: Collection[str] = ()
) -> dict[str, Any]:
    """Agreement over all, by pairs and queries, leanings, and documents in dispute."""
    units = agreed.units
    return {
        "judges": list(agreed.labels.judges),
        "documents": agreed.items,
        "grades": agreed.labels.grades.tolist(),
        "bootstrap": {
            "over": units.over,
            "of": units.drawn_from,
            "resamples": units.resamples,
            "confidence": units.confidence,
            "seed": units.seed,
        },
        "overall": _by_name(agreed.overall),
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "documents": pair.items,
                "queries": pair.topics,
                "coefficients": _by_name(pair.estimates),
                "confusion": pair.table.tolist(),
            }
            for pair in pairs.pairs
        ],
        "queries": [
            {
                "query": one.topic,
                "documents": one.items,
                "judges": one.judges,
                "coefficients": _by_name(one.estimates),
            }
            for one in agreed.topics
        ],
        "leanings": [
            {
                "judge": one.judge,
                "documents": one.items,
                "mean": plain(one.mean),
                "others": plain(one.others),
                "difference": estimated(one.difference),
                "above": plain(one.higher),
                "below": plain(one.lower),
            }
            for one in agreed.leanings
        ],
        "disputed": [
            {"query": one.topic, "document": one.doc, "grades": one.grades, "apart": one.apart}
            for one in disputed
        ],
        "notes": sentences(agreed, models),
    }


def aggregated_record(found: Aggregated) -> dict[str, Any]:
    """How one judgment was made of several."""
    record: dict[str, Any] = {
        "way": found.way,
        "documents": len(found.items),
        "ties": found.ties,
        "tied": int(found.tied.sum()),
        "warnings": cautions(found),
    }
    estimate = found.estimate
    if estimate is None:
        return record
    judges = zip(found.labels.judges, estimate.accuracies.tolist(), estimate.tables, strict=True)
    return record | {
        "converged": estimate.converged,
        "iterations": estimate.iterations,
        "log_likelihood": estimate.log_likelihoods[-1],
        "shares": estimate.shares.tolist(),
        "judges": {
            judge: {
                "accuracy": plain(accuracy),
                "table": [[plain(share) for share in row] for row in table.tolist()],
            }
            for judge, accuracy, table in judges
        },
    }


def _by_name(found: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: estimated(one) for name, one in found.items()}
