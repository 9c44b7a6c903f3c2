"""What agreement tells, in plain sentences; words such as 'substantial' are left to the reader.

What kappa is good enough depends on what the judgments are for. So a sentence says what share of
the disagreement that chance would give was avoided, and when a coefficient is to be read with care.
"""

from __future__ import annotations

from collections.abc import Collection
from math import isnan

import numpy as np

from cleverdon.judge.agreement import Agreed
from cleverdon.judge.agreement.units import Units
from cleverdon.show.grid import counted, printable

_FEW = 10
"""Below how many topics, or documents, a bootstrap's intervals are too narrow."""
_SKEWED = 0.8
"""From which share of one grade on kappa is low by itself."""


def sentences(agreed: Agreed, models: Collection[str] = ()) -> list[str]:
    """What the numbers rest on, and what they say."""
    return [*_basis(agreed), *_not_people(agreed, models), *_said(agreed), *_cautions(agreed)]


def intervals_named(units: Units) -> str:
    """What the brackets hold."""
    what = counted(units.drawn_from, units.over.removesuffix("s"))
    only = ", since there are too few topics" if units.over == "documents" else ""
    return f"in brackets: {100 * units.confidence:.4g}% intervals of a bootstrap over {what}{only}"


def _basis(agreed: Agreed) -> list[str]:
    known = any(not isnan(one.interval.low) for one in agreed.overall.values())
    told = [intervals_named(agreed.units)] if known else []
    alone = len(agreed.labels) - agreed.items
    if alone:
        told.append(
            f"left out, since fewer than two judges judged them: {counted(alone, 'document')}"
        )
    means = [each.name for each in agreed.coefficients if each.two_only]
    if means and len(agreed.labels.judges) > 2:
        told.append(f"over all, the mean over pairs of judges: {', '.join(means)}")
    return told


def _not_people(agreed: Agreed, models: Collection[str]) -> list[str]:
    among = [printable(judge) for judge in agreed.labels.judges if judge in models]
    if not among:
        return []
    return [f"one person is nobody to agree with: all this is of them and {' and '.join(among)}"]


def _said(agreed: Agreed) -> list[str]:
    if agreed.one_grade is not None:
        return [
            f"all judges gave grade {agreed.one_grade:g} throughout: agreement by chance is 1 as "
            "well, so that kappa and alpha are 1 and tell nothing"
        ]
    share = agreed.overall.get("agreement")
    name = next((one for one in ("fleiss", "kappa", "pi") if one in agreed.overall), None)
    if share is None or name is None or isnan(agreed.overall[name].value):
        return []
    kappa = agreed.overall[name].value
    several = " (the mean over documents)" if len(agreed.labels.judges) > 2 else ""
    told = (
        f"two judges of a document give it the same grade in {share.value:.1%} of cases{several}; "
    )
    if kappa < 0:
        return [f"{told}judges of the same habits would agree more often by chance ({name})"]
    avoided = f"{kappa:.0%} of the disagreement that chance would give ({name})"
    return [f"{told}they avoid {avoided}"]


def _cautions(agreed: Agreed) -> list[str]:
    units = agreed.units
    few = []
    if 1 < units.drawn_from < _FEW:
        few = [f"so few {units.over} tell little of their spread: the intervals are too narrow"]
    return [*few, *_skewed(agreed)]


def _skewed(agreed: Agreed) -> list[str]:
    level = agreed.labels.level[agreed.labels.shared]
    times = np.bincount(level[level >= 0], minlength=len(agreed.labels.grades))
    share = times.max() / times.sum()
    if agreed.one_grade is not None or share < _SKEWED:
        return []
    grade = agreed.labels.grades[int(times.argmax())]
    return [
        f"{share:.0%} of the judgments are grade {grade:g}: percent agreement is high by itself "
        "then, and kappa and alpha are low by themselves; see overlap and AC1 as well"
    ]
