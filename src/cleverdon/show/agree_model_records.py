"""A model as a judge, as records ready for JSON: everything, with all digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.arrays import plain
from cleverdon.judge.model import Effects, OfGrade, Standing
from cleverdon.show.agree_cells import estimated


def model_record(
    standings: Sequence[Standing], grades: Sequence[OfGrade], effects: Effects | None
) -> dict[str, Any]:
    """All about one model."""
    return {
        "standing": {
            one.coefficient: {
                "with_each": {name: estimated(found) for name, found in one.with_each.items()},
                "with_people": estimated(one.with_people),
                "among_people": estimated(one.among_people),
                "pairs_of_people": [plain(one.lowest), plain(one.highest)],
                "difference": estimated(one.difference),
                "verdict": one.verdict,
            }
            for one in standings
        },
        "by_grade": [
            {
                "grade": one.grade,
                "judgments": one.judgments,
                "shares": list(one.shares),
                "mean": one.mean,
                "difference": estimated(one.difference),
            }
            for one in grades
        ],
        "effects": None if effects is None else _effects_record(effects),
    }


def _effects_record(effects: Effects) -> dict[str, Any]:
    return {
        "documents": effects.items,
        "people": effects.way,
        "level": effects.level,
        "confidence": effects.confidence,
        "systems": [
            {
                "system": one.system,
                "measure": str(one.measure),
                "people": plain(one.people),
                "model": plain(one.model),
                "change": plain(one.change),
                "beyond": one.beyond,
                "interval": [plain(one.interval.low), plain(one.interval.high)],
                "p": None if one.p is None else one.p.p,
                "corrected": plain(one.corrected),
            }
            for one in effects.favours
        ],
        "lines": [
            {
                "measure": str(one.measure),
                "fitted": one.fitted,
                "slope": one.slope,
                "interval": [plain(one.interval.low), plain(one.interval.high)],
                "systems": list(one.systems),
            }
            for one in effects.lines
        ],
        "orders": [
            {
                "measure": str(one.measure),
                "judge": one.judge,
                "model": one.judge == effects.model,
                "panels": one.panels,
                "queries": one.topics,
                "kendall": estimated(one.kendall),
                "tau_ap": estimated(one.tau_ap),
            }
            for one in effects.orders
        ],
        "claims": [
            {
                "system": one.before.system,
                "against": one.before.baseline,
                "measure": str(one.before.measure),
                "people": one.before.difference,
                "model": one.after.difference,
                "change": one.kind,
                "p": [one.before.corrected, one.after.corrected],
            }
            for one in effects.claims
        ],
    }
