"""Aggregation of several judges' labels into one grade per document.

By counting or ordering the grades (majority, median, mean), or by Dawid and Skene's estimate of
true grades and judges' errors (1979, doi:10.2307/2346806). There a judge is a table: of the
documents with this true grade, what share gets that grade? Starting with the shares of votes,
grades and tables are estimated from each other in turn (expectation and maximisation) until the
likelihood stops rising. The errors of judges are assumed to be independent given the true grade:
judges who err alike, as models of one family may, count for more than they should.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.files import write_file
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.agreement.labels import Labels, as_labels, judgments_of_items, row_keys
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_count, check_seed, check_word
from cleverdon.formats.inputs import run_name
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_TieRule = Literal["lower", "higher", "median", "random"]
TIE_RULES: dict[str, str] = {
    "lower": "the lowest of the tied grades",
    "higher": "the highest of them",
    "median": "that of them which is nearest to the median of all grades, else the lower",
    "random": "any of them, by chance (see the seed)",
}
"""Choices of a grade where none has most votes."""

_Levels = NDArray[np.int64]


def _count_votes(labels: Labels, items: Ints) -> Ints:
    """Return how many judges gave each item each grade: items x grades."""
    level = labels.level[items]
    return np.stack([(level == k).sum(axis=1) for k in range(len(labels.grades))], axis=1)


def _majority_grades(
    votes: Ints, ties: _TieRule, *, seed: int = 0
) -> tuple[_Levels, Floats, Bools]:
    """Return the place of the grade with most votes, its share of judges, and whether it tied."""
    best = votes == votes.max(axis=1, keepdims=True)
    tied: Bools = best.sum(axis=1) > 1
    places = np.arange(votes.shape[1])
    if ties == "higher":
        preferred: NDArray[np.float64] = -places.astype(float)[None, :]
    elif ties == "median":
        preferred = (
            np.abs(places[None, :] - _median_level(votes, higher=False)[:, None]) + places / 1e6
        )
    elif ties == "random":
        preferred = np.random.default_rng(seed).random(votes.shape)
    else:
        preferred = places.astype(float)[None, :]
    level = np.argmin(np.where(best, preferred, np.inf), axis=1)
    share = votes.max(axis=1) / votes.sum(axis=1)
    return level, share, tied


def _median_grades(votes: Ints, ties: _TieRule, *, seed: int = 0) -> tuple[_Levels, Floats, Bools]:
    """Return the place of the middle grade, its share of judges, and whether there are two."""
    low, high = _median_level(votes, higher=False), _median_level(votes, higher=True)
    take_high = np.full(len(votes), ties == "higher")
    if ties == "random":
        take_high = np.random.default_rng(seed).random(len(votes)) < 0.5
    level = np.where(take_high, high, low)
    share = votes[np.arange(len(votes)), level] / votes.sum(axis=1)
    return level, share, low != high


def _mean_grades(votes: Ints, grades: Floats) -> tuple[Floats, Floats]:
    """Return the mean grade, and the share of judges within half a grade of it."""
    total = votes.sum(axis=1)
    means: Floats = votes @ grades / total
    near = np.abs(grades[None, :] - means[:, None]) <= 0.5
    return means, (votes * near).sum(axis=1) / total


def grades_of_votes(
    votes: Ints, grades: Floats, method: str, *, ties: str = "lower", seed: int = 0
) -> Floats:
    """Return the grade of each item by majority, median or mean of its votes: items x grades."""
    if method == "mean":
        return _mean_grades(votes, grades)[0]
    choose = _majority_grades if method == "majority" else _median_grades
    return np.asarray(grades[choose(votes, cast(_TieRule, ties), seed=seed)[0]])


def _median_level(votes: Ints, *, higher: bool) -> _Levels:
    total = votes.sum(axis=1)
    before = total // 2 if higher else (total - 1) // 2
    return np.asarray((np.cumsum(votes, axis=1) <= before[:, None]).sum(axis=1))


_ITERATIONS = 1000
"""Steps after which it gives up: an estimate that still changes is not reliable."""
_TOLERANCE = 1e-9  # relative change of the log-likelihood below which the estimate has converged
_LEAST = 1e-300  # replaces a probability of 0, so that its logarithm is finite


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """True grades and judges' errors, as estimated."""

    probability: Floats  # items x grades: of each to be the item's true grade
    shares: Floats  # of each grade among all items
    tables: Floats  # judges x true grades x given grades: the share; NaN where it is unknown
    log_likelihoods: tuple[float, ...]  # after each step
    converged: bool

    @property
    def iterations(self) -> int:
        """Return the number of steps."""
        return len(self.log_likelihoods)

    @property
    def accuracies(self) -> Floats:
        """Return the estimated share of documents that each judge grades correctly."""
        right = np.diagonal(self.tables, axis1=1, axis2=2)
        known = ~np.isnan(right)
        weights = self.shares * known
        with np.errstate(invalid="ignore"):
            return np.asarray(
                (np.where(known, right, 0) * weights).sum(axis=1) / weights.sum(axis=1)
            )


def _dawid_skene(
    labels: Labels,
    *,
    smoothing: float = 0.0,
    iterations: int = _ITERATIONS,
    progress: Progress | None = None,
) -> DawidSkene:
    """Estimate true grades and judges' errors; every item has at least one judgment."""
    judges, size = len(labels.judges), len(labels.grades)
    # Items with the same grades by the same judges are computed once, and weighted.
    _, first, which, times = np.unique(
        row_keys(labels.level), return_index=True, return_inverse=True, return_counts=True
    )
    level = labels.level[first]
    given = np.zeros((len(level), judges, size))
    items, columns = np.nonzero(level >= 0)
    given[items, columns, level[items, columns]] = 1
    found = _dawid_skene_of_counts(
        given,
        times=times.astype(float),
        smoothing=smoothing,
        iterations=iterations,
        progress=progress,
    )
    return replace(found, probability=found.probability[which.ravel()])


def _dawid_skene_of_counts(
    given: Floats,
    *,
    times: Floats | None = None,
    smoothing: float = 0.0,
    iterations: int = _ITERATIONS,
    progress: Progress | None = None,
) -> DawidSkene:
    """Estimate true grades and judges' errors from counts (items x judges x grades)."""
    if not smoothing >= 0:
        raise OptionError(f"smoothing={smoothing}: it is 0 or above")
    check_count("iterations", iterations)
    items, judges, size = given.shape
    times = np.ones(items) if times is None else times
    flat = given.reshape(items, judges * size)
    votes = given.sum(axis=1)
    probability = votes / votes.sum(axis=1, keepdims=True)
    likelihoods: list[float] = []
    converged = False
    while not converged and len(likelihoods) < iterations:
        if progress:
            progress("estimating", len(likelihoods), iterations)
        weighted = probability * times[:, None]
        shares = weighted.sum(axis=0) / times.sum()
        seen = (weighted.T @ flat).reshape(size, judges, size) + smoothing
        whole = seen.sum(axis=2, keepdims=True)
        tables = seen / np.where(whole > 0, whole, 1)
        evidence = flat @ np.log(np.maximum(tables, _LEAST)).reshape(size, judges * size).T
        evidence += np.log(np.maximum(shares, _LEAST))
        top = evidence.max(axis=1, keepdims=True)
        weights = np.exp(evidence - top)
        total = weights.sum(axis=1, keepdims=True)
        probability = weights / total
        likelihoods.append(float(times @ (np.log(total) + top)[:, 0]))
        if len(likelihoods) > 1:
            rise = likelihoods[-1] - likelihoods[-2]
            converged = abs(rise) <= _TOLERANCE * max(1.0, abs(likelihoods[-1]))
    known = np.broadcast_to(whole > 0, tables.shape)
    by_judge = np.where(known, tables, np.nan).transpose(1, 0, 2)
    return DawidSkene(probability, shares, by_judge, tuple(likelihoods), converged)


AGGREGATION_METHODS: dict[str, str] = {
    "majority": "the grade that most judges gave",
    "median": "the grade in the middle",
    "mean": "the mean of the grades, which need not be one of them",
    "dawid-skene": "the likeliest true grade, where judges err as estimated (EM)",
}
"""Ways to make one grade out of several."""

_ENOUGH = 10
"""Judgments that there should be for each number that is estimated from them."""


@dataclass(frozen=True, eq=False)
class Aggregation(Result):
    """One grade for each document that any judge judged.

    >>> labels = Labels.of({"a": {"q": {"x": 1}}, "b": {"q": {"x": 1}}, "c": {"q": {"x": 0}}})
    >>> found = aggregate_labels(labels, "median")
    >>> found.grades.tolist(), found.judges.tolist()
    ([1.0], [3])
    """

    labels: Labels
    method: str
    items: Ints  # by their place in the labels
    grades: Floats
    confidence: Floats
    """The share of judges who gave the grade; for the mean, of those within half a grade of it; for
    Dawid and Skene's, the probability that the grade is the true one."""
    judges: Ints  # number of judges of each item
    tied: Bools  # the rule for ties decided
    ties: str
    estimate: DawidSkene | None = None

    @property
    def judgments(self) -> Judgments:
        """Return the grades as judgments that runs can be evaluated by."""
        return judgments_of_items(self.labels, self.items, self.grades, name=self.method)

    def rows(self) -> list[tuple[str, str, float, float, int]]:
        """Return query, document, grade, confidence and number of judges of each document."""
        queries = [self.labels.queries[at] for at in self.labels.query[self.items].tolist()]
        docs = self.labels.docs[self.items].tolist()
        numbers = (self.grades.tolist(), self.confidence.tolist(), self.judges.tolist())
        return list(zip(queries, docs, *numbers, strict=True))

    def warnings(self) -> list[str]:
        """Return reasons not to trust an estimate of judges' errors; none for mere votes."""
        estimate = self.estimate
        if estimate is None:
            return []
        found = []
        if (self.judges < 3).mean() > 0.5:
            found.append(
                "most documents have few judges, and with fewer than three judges the data cannot "
                "tell who is right: it may take one judge's word, or the commoner grade; count "
                "votes instead"
            )
        if not estimate.converged:
            found.append(
                "the estimate was given up before it settled: judges agree too little to be told "
                "apart; count votes instead"
            )
        grades = len(self.labels.grades)
        parameters = len(self.labels.judges) * grades * (grades - 1)
        judgments = int(self.judges.sum())
        if judgments < _ENOUGH * parameters:
            found.append(
                f"{judgments} judgments are few for {counted(parameters, 'share')} to be "
                "estimated: do not trust accuracies and confidences; merge grades, or count votes"
            )
        return found

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the numbers of documents by grade; for Dawid and Skene's, judges' errors."""
        return [_votes_section(self) if self.estimate is None else _errors_section(self)]

    def to_dict(self) -> dict[str, Any]:
        """Return counts, warnings, and for Dawid and Skene's the estimate; not each document."""
        record = {"way": self.method, "documents": len(self.items), "ties": self.ties}
        record |= {"tied": int(self.tied.sum()), "warnings": self.warnings()}
        if (found := self.estimate) is not None:
            judges = zip(self.labels.judges, found.accuracies, found.tables, strict=True)
            record |= {name: getattr(found, name) for name in ("converged", "iterations")}
            record |= {"log_likelihood": found.log_likelihoods[-1], "shares": found.shares}
            record["judges"] = {
                judge: {"accuracy": accuracy, "table": table} for judge, accuracy, table in judges
            }
        return {key: as_json(value) for key, value in record.items()}


@shows_progress("combining labels")
def aggregate_labels(
    labels: Any,
    method: str = "majority",
    *,
    vote_ties: str = "lower",
    smoothing: float = 0.0,
    iterations: int = _ITERATIONS,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> Aggregation:
    """Make one grade for each document out of several judges' grades.

    Args:
        labels: The labels of several judges: files, a dict of judgments by judge, or a table with
            columns judge, query, doc and grade.
        method: "majority", "median", "mean", or "dawid-skene", the likeliest true grade where
            judges err as estimated.
        vote_ties: Which of the tied grades a document gets if no grade has most votes: "lower",
            "higher", "median" or "random".
        smoothing: For Dawid and Skene's, documents that are added to each cell of a judge's table,
            so that an empty cell rules nothing out.
        iterations: For Dawid and Skene's, the most steps.
        seed: The seed of ties that are broken at random.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The grades with their confidence. The same input gives the same grades.

    Raises:
        InputError: The judges judged nothing, or there are too many different grades.
        OptionError: The method or another option does not exist.

    >>> labels = {"a": {"q": {"x": 1}}, "b": {"q": {"x": 1}}, "c": {"q": {"x": 0}}}
    >>> aggregate_labels(labels).rows()
    [('q', 'x', 1.0, 0.6666666666666666, 3)]
    """
    progress = as_callback(progress)
    labels = as_labels(labels)
    check_word("method", method, AGGREGATION_METHODS)
    check_word("vote_ties", vote_ties, TIE_RULES)
    check_seed(seed)
    labels.check_scale()
    items = np.flatnonzero(labels.judged.any(axis=1))
    if len(items) == 0:
        raise InputError("none of these judges judged anything")
    votes = _count_votes(labels, items)
    estimate = None
    tied = np.zeros(len(items), dtype=bool)
    if method == "mean":
        grades, confidence = _mean_grades(votes, labels.grades)
    elif method == "dawid-skene":
        judged = labels.among(items)
        estimate = _dawid_skene(
            judged, smoothing=smoothing, iterations=iterations, progress=progress
        )
        level = estimate.probability.argmax(axis=1)
        grades, confidence = labels.grades[level], estimate.probability.max(axis=1)
    else:
        choose = _majority_grades if method == "majority" else _median_grades
        level, confidence, tied = choose(votes, cast(_TieRule, vote_ties), seed=seed)
        grades = labels.grades[level]
    return Aggregation(
        labels, method, items, grades, confidence, votes.sum(axis=1), tied, vote_ties, estimate
    )


def _votes_section(found: Aggregation) -> Section:
    notes = [f"{found.method}: {AGGREGATION_METHODS[found.method]}; {_confidence_text(found)}"]
    if found.method == "mean":
        header, rows = ["", ""], [["mean grade", format_decimal(float(found.grades.mean()))]]
    else:
        grades, times = np.unique(found.grades, return_counts=True)
        header = ["grade", "documents"]
        rows = [[f"{grade:g}", str(count)] for grade, count in zip(grades, times, strict=True)]
        tied = counted(int(found.tied.sum()), "document")
        notes.append(f"ties, of {tied}: {TIE_RULES[found.ties]}")
    return Section("One judgment of several", TextTable(header, rows, 1, [], notes))


def _confidence_text(found: Aggregation) -> str:
    return (
        f"{counted(len(found.items), 'document')}, mean confidence "
        f"{format_decimal(float(found.confidence.mean()))}"
    )


def _errors_section(found: Aggregation) -> Section:
    estimate = found.estimate
    assert estimate is not None
    grades = [f"{grade:g}" for grade in found.labels.grades]
    rows = []
    accuracies = estimate.accuracies.tolist()
    for at, judge in enumerate(found.labels.judges):
        for true, given in zip(grades, estimate.tables[at].tolist(), strict=True):
            first = true == grades[0]
            start = [printable(judge), format_decimal(accuracies[at])] if first else ["", ""]
            rows.append([*start, true, *map(format_decimal, given)])
    header = ["judge", "accuracy", "true grade", *(f"gives {grade}" for grade in grades)]
    shares = ", ".join(
        f"{grade}: {share:.1%}"
        for grade, share in zip(grades, estimate.shares.tolist(), strict=True)
    )
    settled = "settled" if estimate.converged else "did not settle"
    notes = [
        f"true grades as estimated: {shares}; {_confidence_text(found)}",
        f"the estimate {settled} after {counted(estimate.iterations, 'step')}, log-likelihood "
        f"{format_decimal(estimate.log_likelihoods[-1], digits=2)}",
        "judges are taken to err independently of each other; those who err alike count too much",
        *found.warnings(),
    ]
    heading = "One judgment of several, and judges' errors"
    return Section(heading, TextTable(header, rows, 1, [], notes))


def confidence_file(path: str | os.PathLike[str]) -> Path:
    """Return the name of the file of confidences that belongs to a file of judgments."""
    given = Path(path)
    return given.with_name(f"{run_name(given.name)}.confidence.tsv")


def write_aggregation(found: Aggregation, path: str | os.PathLike[str]) -> Path:
    """Write the grades as judgments, and a second file with confidences.

    Args:
        found: The aggregation.
        path: The file of judgments; its ending gives the format.

    Returns:
        The name of the second file. It is a table: query, document, grade, confidence, number of
        judges and, for Dawid and Skene's, the probability of each grade.

    >>> from tempfile import mkdtemp
    >>> found = aggregate_labels(Labels.of({"ann": {"q": {"a": 1}}, "bob": {"q": {"a": 1}}}))
    >>> write_aggregation(found, f"{mkdtemp()}/qrels.txt").name
    'qrels.confidence.tsv'
    """
    found.judgments.write(path)
    estimate, scale = found.estimate, [f"{grade:g}" for grade in found.labels.grades]
    header = ["query_id", "doc_id", "grade", "confidence", "judges"]
    header += [f"p({grade})" for grade in scale] if estimate else []
    lines = ["\t".join(header)]
    for at, (query, doc, grade, confidence, judges) in enumerate(found.rows()):
        cells = [query, doc, f"{grade:.10g}", f"{confidence:.6f}", str(judges)]
        if estimate:
            cells += [f"{share:.6f}" for share in estimate.probability[at].tolist()]
        lines.append("\t".join(cells))
    other = confidence_file(path)
    write_file(os.fspath(other), ("\n".join(lines) + "\n").encode())
    return other
