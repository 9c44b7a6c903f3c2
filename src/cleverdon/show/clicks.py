"""What came of making judgments from clicks: how well models predict, and what was written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cleverdon.arrays import plain
from cleverdon.errors import check_word
from cleverdon.online.clicks import Fitted, Graded, Prediction, Usage, Written
from cleverdon.online.log import LeftOut
from cleverdon.show.grid import Grid, counted, laid_out
from cleverdon.show.numbers import decimal

FORMATS = ("text", "json")

_WHY_NOT = {
    "without_events": "no impression and no click belongs to the page",
    "without_text": "the text of the query is not known",
    "without_position": "where results stood is not known",
    "without_impressions": "what stood above the clicks is not known",
    "too_deep": "all results are deeper than asked for",
}


def render(
    usage: Usage,
    predictions: Sequence[Prediction],
    graded: Graded,
    written: Written,
    format: str = "text",
    *,
    without_bots: LeftOut | None = None,
) -> str:
    """Which lists were used, how well models predict clicks, and what the grades are."""
    check_word("format", format, FORMATS)
    if format == "json":
        record = _record(usage, predictions, graded, written)
        record["without_bots"] = without_bots and asdict(without_bots)
        return json.dumps(record, indent=1, ensure_ascii=False)
    parts = [lists(usage) if without_bots is None else f"{without_bots}\n{lists(usage)}"]
    if predictions:
        parts.append(table(predictions))
    return "\n\n".join([*parts, fitting(graded.fitted), judging(graded, written)])


def lists(usage: Usage) -> str:
    """How many result pages were used, and why not the others."""
    lines = [f"{usage.used:,} of {counted(usage.pages, 'result page')} can be used"]
    for name, reason in _WHY_NOT.items():
        if number := getattr(usage, name):
            lines.append(f"- {number:,} not: {reason}")
    if usage.with_gaps:
        lines.append(f"- {usage.with_gaps:,} with ranks missing between results: passed over")
    if usage.clicks_lost:
        lines.append(f"- {counted(usage.clicks_lost, 'click')} left out: on what was not shown")
    return "\n".join(lines)


def table(predictions: Sequence[Prediction]) -> str:
    """How well models predict clicks on lists that they were not fitted on, the best first."""
    rows = [
        [
            one.model,
            decimal(one.per_list),
            decimal(one.perplexity),
            *(decimal(_at(one, rank)) for rank in _ranks(predictions)),
            f"{one.impossible:,}",
        ]
        for one in predictions
    ]
    header = ["model", "log-likelihood", "perplexity"]
    header += [f"at rank {rank}" for rank in _ranks(predictions)]
    first = predictions[0]
    notes = [
        f"on {counted(first.lists, 'list')} held out; {first.unseen / first.results:.1%} of their "
        "results are of a query and document not in the others",
        "log-likelihood: of a list, on average",
    ]
    if any(one.impossible for one in predictions):
        notes.append("impossible: results whose clicks the model gave no chance at all")
    if len(predictions) > 1:
        notes.append(f"{first.model} predicts best")
    grid = Grid([*header, "impossible"], rows, 1, [], notes)
    return laid_out(grid, "table")


def fitting(fitted: Fitted) -> str:
    """How estimation ended, in a sentence."""
    how, name = fitted.convergence, fitted.model.name
    if how.iterations == 0:
        return f"{name} is estimated by counting."
    if how.converged:
        return f"{name} converged after {counted(how.iterations, 'iteration')}."
    return (
        f"{name} did not converge in {counted(how.iterations, 'iteration')}: its estimates are "
        "those of the last one."
    )


def judging(graded: Graded, written: Written) -> str:
    """What was written, and what grades mean, in sentences."""
    bounds = ", ".join(f"{bound:.4g}" for bound in graded.bounds)
    origin = f", which are the quantiles {graded.grades}" if graded.grades.quantiles else ""
    numbers = [int((graded.grade == grade).sum()) for grade in range(len(graded.bounds) + 1)]
    told = ", ".join(f"{number:,} of grade {grade}" for grade, number in enumerate(numbers))
    lines = [
        f"Grades are of {graded.fitted.model.value}, with bounds at {bounds}{origin}: {told}.",
        f"A grade is right with probability {graded.confidence.mean():.2f} on average.",
        f"{_more(graded.seldom)} examined too seldom.",
        f"{written.qrels}: {counted(written.rows, 'judgment')} of "
        f"{counted(written.queries, 'topic')}",
        f"{written.evidence}: what each of them rests on",
    ]
    if written.topics:
        lines.append(f"{written.topics}: the topics' texts; --topics keeps these ids next time")
    if written.without_topic:
        why = "too few users asked their query" if written.topics else "no topic has their query"
        lines.append(f"{counted(written.without_topic, 'judgment')} left out: {why}")
    return "\n".join(lines)


def _more(number: int) -> str:
    if number == 1:
        return "1 more document was"
    return f"{number:,} more documents, each for its query, were"


def _ranks(predictions: Sequence[Prediction]) -> list[int]:
    """The ranks whose perplexity is shown: the first, and two further down."""
    ranks = list(predictions[0].perplexity_at)
    return [rank for rank in ranks if rank in (1, 5, 10)]


def _at(prediction: Prediction, rank: int) -> float:
    return prediction.perplexity_at.get(rank, float("nan"))


def _record(
    usage: Usage, predictions: Sequence[Prediction], graded: Graded, written: Written
) -> dict[str, Any]:
    fitted = graded.fitted
    return {
        "lists": asdict(usage),
        "held_out": [asdict(one) | {"per_list": one.per_list} for one in predictions],
        "model": {
            "name": fitted.model.name,
            "iterations": fitted.convergence.iterations,
            "converged": fitted.convergence.converged,
            "continuation": fitted.parameters.continuation,
            "prior": asdict(fitted.prior),
        },
        "grades": {
            "of": fitted.model.value,
            "bounds": [plain(bound) for bound in graded.bounds],
            "quantiles": graded.grades.bounds if graded.grades.quantiles else None,
            "counts": [
                int((graded.grade == grade).sum()) for grade in range(len(graded.bounds) + 1)
            ],
            "mean_confidence": plain(float(graded.confidence.mean())),
            "examined_too_seldom": graded.seldom,
        },
        "written": asdict(written),
    }
