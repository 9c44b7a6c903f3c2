"""How one judgment was made of several, as tables."""

from __future__ import annotations

from cleverdon.judge.aggregation import TIES, WAYS, Aggregated
from cleverdon.show.grid import Grid, counted, printable
from cleverdon.show.numbers import decimal
from cleverdon.show.sections import Section

_ENOUGH = 10
"""How many judgments there are to be for each number that is estimated from them."""


def aggregated_part(found: Aggregated) -> Section:
    """Which grades came out, and, of Dawid and Skene's, how far each judge is relied on."""
    if found.estimate is not None:
        return _judges(found)
    scale = sorted(set(found.grades.tolist()))
    few = found.way != "mean"
    rows = [[f"{grade:g}", str(int((found.grades == grade).sum()))] for grade in scale if few]
    if not few:
        rows = [["mean grade", decimal(float(found.grades.mean()))]]
    notes = [f"{found.way}: {WAYS[found.way]}; {_sure(found)}"]
    if few:
        times = counted(int(found.tied.sum()), "document")
        notes.append(f"ties, of {times}: {TIES[found.ties]}")
    header = ["grade", "documents"] if few else ["", ""]
    return Section("One judgment of several", Grid(header, rows, 1, [], notes))


def _sure(found: Aggregated) -> str:
    return (
        f"{counted(len(found.items), 'document')}, mean confidence "
        f"{decimal(float(found.confidence.mean()))}"
    )


def _judges(found: Aggregated) -> Section:
    estimate = found.estimate
    assert estimate is not None
    grades = [f"{grade:g}" for grade in found.labels.grades]
    rows = []
    accuracies = estimate.accuracies.tolist()
    for at, judge in enumerate(found.labels.judges):
        for true, given in zip(grades, estimate.tables[at].tolist(), strict=True):
            first = true == grades[0]
            start = [printable(judge), decimal(accuracies[at])] if first else ["", ""]
            rows.append([*start, true, *map(decimal, given)])
    header = ["judge", "accuracy", "true grade", *(f"gives {grade}" for grade in grades)]
    shares = ", ".join(
        f"{grade}: {share:.1%}"
        for grade, share in zip(grades, estimate.shares.tolist(), strict=True)
    )
    settled = "settled" if estimate.converged else "did not settle"
    notes = [
        f"true grades as estimated: {shares}; {_sure(found)}",
        f"the estimate {settled} after {counted(estimate.iterations, 'step')}, log-likelihood "
        f"{decimal(estimate.log_likelihoods[-1], digits=2)}",
        "judges are taken to err independently of each other; those who err alike count too much",
        *cautions(found),
    ]
    return Section("One judgment of several, and judges' errors", Grid(header, rows, 1, [], notes))


def cautions(found: Aggregated) -> list[str]:
    """Why an estimate of judges' errors is not to be trusted; nothing of mere votes."""
    estimate = found.estimate
    if estimate is None:
        return []
    told = []
    if found.judged_by_few:
        told.append(
            "most documents have few judges, and with fewer than three judges the data cannot "
            "tell who is right: it may take one judge's word, or the commoner grade; count votes "
            "instead"
        )
    if not estimate.converged:
        told.append(
            "the estimate was given up before it settled: judges agree too little to be told "
            "apart; count votes instead"
        )
    grades = len(found.labels.grades)
    parameters = len(found.labels.judges) * grades * (grades - 1)
    judgments = int(found.judges.sum())
    if judgments < _ENOUGH * parameters:
        told.append(
            f"{judgments} judgments are few for {counted(parameters, 'share')} to be estimated: do "
            "not trust accuracies and confidences; merge grades, or count votes"
        )
    return told
