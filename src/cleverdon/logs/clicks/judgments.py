"""Judgments from clicks: grades with their confidence, written as qrels.

A qrels file identifies queries by ids, and a log by their texts, which may contain blanks. So a
table of ids and texts is needed: one that was given, or one that is written next to the qrels.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from math import nan
from pathlib import PurePath
from typing import Any, Self

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.files import write_file
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon._common.text import counted
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_within
from cleverdon.formats.attributes import read_attributes
from cleverdon.formats.texts import read_texts
from cleverdon.logs.clicks.base import ClickModel, FitLimits, FittedModel, Prior
from cleverdon.logs.clicks.evaluation import Prediction, compare_held_out
from cleverdon.logs.clicks.models import DBN
from cleverdon.logs.clicks.result_lists import Usage, read_result_lists
from cleverdon.logs.log import ExcludedBots, LogSource
from cleverdon.logs.reading.reader import as_log
from cleverdon.logs.settings import fold_text
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable, render_table


@dataclass(frozen=True)
class GradeBounds:
    """The bounds between grades: a document has grade g if its value is above g of the bounds.

    Bounds may be quantiles of the values: with q0.5,q0.8 the better half of the documents gets at
    least grade 1, and the best fifth grade 2.

    >>> GradeBounds.parse("q0.5,q0.8")
    GradeBounds(bounds=(0.5, 0.8), quantiles=True)
    >>> GradeBounds.parse("0.1,0.3,0.6").of(np.array([0.05, 0.1, 0.31]))
    (array([0, 0, 2]), (0.1, 0.3, 0.6))
    """

    bounds: tuple[float, ...] = (0.5, 0.8, 0.95)
    quantiles: bool = True

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip(self.bounds[:-1], self.bounds[1:], strict=True))
        low, high = (0.0, 1.0) if self.quantiles else (0.0, np.inf)
        if not (self.bounds and rising and low <= self.bounds[0] and self.bounds[-1] < high):
            allowed = "from 0 to below 1" if self.quantiles else "of at least 0"
            raise OptionError(f"grades={self}: bounds are increasing numbers {allowed}")

    def __str__(self) -> str:
        mark = "q" if self.quantiles else ""
        return ",".join(f"{mark}{bound:g}" for bound in self.bounds)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse bounds, as in `0.1,0.3,0.6`, or quantiles, as in `q0.5,q0.8`."""
        parts = [part.strip() for part in text.split(",")]
        marked = [part.startswith("q") for part in parts]
        try:
            bounds = tuple(float(part.removeprefix("q")) for part in parts)
        except ValueError:
            bounds = ()
        if not bounds or any(marked) != all(marked):
            raise OptionError(
                f"grades={text!r}: write bounds, as in 0.1,0.3,0.6, or quantiles, as in "
                "q0.5,q0.8,q0.95"
            )
        return cls(bounds, quantiles=all(marked))

    def of(self, values: Floats) -> tuple[Ints, tuple[float, ...]]:
        """Return the grade of each value, and the bounds between grades."""
        bounds = np.quantile(values, self.bounds) if self.quantiles else np.array(self.bounds)
        return np.searchsorted(bounds, values, side="left"), tuple(bounds.tolist())


@dataclass(frozen=True, eq=False)
class GradedDocuments:
    """Documents with grades and their evidence: a row for each query and document.

    Rows are sorted by query, the one with the most impressions first, then by decreasing value.
    """

    queries: tuple[str, ...]
    docs: tuple[str, ...]
    grade: Ints
    value: Floats
    low: Floats  # the ends of the interval of the value
    high: Floats
    confidence: Floats  # the probability that the true value lies between the bounds of the grade
    impressions: Ints
    examined: Floats  # the expected number of examined impressions
    clicks: Ints
    fitted: FittedModel
    grades: GradeBounds
    bounds: tuple[float, ...]
    interval_confidence: float
    seldom: int  # pairs that were examined too rarely to be graded

    def __len__(self) -> int:
        return len(self.queries)

    def part(self, wanted: Bools) -> GradedDocuments:
        changed: dict[str, Any] = {name: getattr(self, name)[wanted] for name in _COLUMNS}
        return replace(
            self,
            queries=tuple(compress(self.queries, wanted)),
            docs=tuple(compress(self.docs, wanted)),
            **changed,
        )


_COLUMNS = ("grade", "value", "low", "high", "confidence", "impressions", "examined", "clicks")
"""The arrays of `GradedDocuments`, in the order of the table of evidence."""


def grade_documents(
    fitted: FittedModel,
    *,
    grades: GradeBounds = GradeBounds(),
    min_impressions: float = 10,
    confidence: float = 0.95,
) -> GradedDocuments:
    """Grade every query and document that was examined often enough.

    Only examined impressions count: a document that was shown a hundred times at a rank where one
    user in twenty looks was examined five times.

    Args:
        fitted: The click model, fitted to result lists.
        grades: The bounds between grades.
        min_impressions: The number of examined impressions below which a document gets no grade,
            because the prior would decide it.
        confidence: The confidence of the intervals of values.

    Returns:
        The grades, each with its confidence.

    Raises:
        InputError: No document was examined often enough.
        OptionError: `confidence` or `min_impressions` has a value that is not allowed.

    >>> from cleverdon.logs.clicks.models import CM
    >>> from cleverdon.logs.clicks.result_lists import ResultLists
    >>> lists = [("jazz", ["d1", "d2"], ["d2"])] * 30
    >>> fitted = CM().fit(ResultLists.from_lists(lists))
    >>> found = grade_documents(fitted, grades=GradeBounds.parse("0.5"))
    >>> list(zip(found.docs, found.grade.tolist(), found.confidence.round(3).tolist()))
    [('d2', 1, 1.0), ('d1', 0, 1.0)]
    """
    check_within("confidence", confidence, 0, 1)
    if not min_impressions >= 0:
        raise OptionError(
            f"min_impressions={min_impressions} (--min-impressions): it is a number of at least 0"
        )
    shown = fitted.impressions > 0
    wanted = shown & (fitted.examined >= min_impressions) & np.isfinite(fitted.belief.estimate)
    if not wanted.any():
        raise InputError(
            f"none of the {int(shown.sum()):,} documents shown was examined {min_impressions:g} "
            "times or more: use more of the log, or require fewer impressions (--min-impressions)"
        )
    rows = _ordered(fitted, np.flatnonzero(wanted))
    belief = fitted.belief.part(rows)
    value = belief.estimate
    grade, bounds = grades.of(value)
    below = [np.zeros(len(rows)), *(belief.below(bound) for bound in bounds), np.ones(len(rows))]
    chances = np.diff(np.array(below), axis=0)
    pairs = fitted.pairs
    queries = tuple(pairs.queries[at] for at in pairs.query[rows].tolist())
    docs = tuple(pairs.docs[at] for at in pairs.doc[rows].tolist())
    low, high = belief.interval(confidence)
    columns: dict[str, Any] = {
        name: getattr(fitted, name)[rows] for name in ("impressions", "examined", "clicks")
    }
    columns |= {"grade": grade, "value": value, "low": low, "high": high}
    columns["confidence"] = chances[grade, np.arange(len(rows))]
    seldom = int(np.sum(shown & ~wanted))
    about: dict[str, Any] = {"fitted": fitted, "grades": grades, "bounds": bounds}
    about["interval_confidence"] = confidence
    return GradedDocuments(queries, docs, **columns, **about, seldom=seldom)


def _ordered(fitted: FittedModel, rows: Ints) -> Ints:
    """Sort by query, the one with the most impressions first, then by decreasing value, by name."""
    pairs = fitted.pairs
    traffic = np.bincount(pairs.query, weights=fitted.impressions, minlength=len(pairs.queries))

    def key(row: int) -> tuple[float, str, float, str]:
        query = int(pairs.query[row])
        name = pairs.docs[int(pairs.doc[row])]
        return -traffic[query], pairs.queries[query], -fitted.belief.estimate[row], name

    return np.array(sorted(rows.tolist(), key=key), dtype=np.int64)


@dataclass(frozen=True)
class QueryIds:
    """The ids of queries by their texts."""

    ids: Mapping[str, str]
    made_up: bool  # rather than read from a table


def query_ids(
    graded: GradedDocuments,
    query_texts: Any = None,
    *,
    column: str | None = None,
    normalise: Callable[[str], str] = fold_text,
    among: Container[str] | None = None,
) -> QueryIds:
    """Return ids for the queries: from a table, or q1, q2, ... by decreasing traffic.

    `query_texts` is anything that `read_texts` reads, or a table with the texts in a `column`. They
    are normalised like those of the log. Ids are made up only for queries in `among`.
    """
    if query_texts is None:
        texts = dict.fromkeys(text for text in graded.queries if among is None or text in among)
        if not texts:
            raise InputError("no query has enough users to be written: lower --least-users")
        return QueryIds({text: f"q{at}" for at, text in enumerate(texts, start=1)}, True)
    texts_of, source = _texts_by_id(query_texts, column)
    ids: dict[str, str] = {}
    for query, text in texts_of.items():
        text = normalise(text)
        if text in ids:
            raise InputError(
                f"queries {ids[text]!r} and {query!r} have the same text, {text!r}: the log does "
                "not say which of them was asked",
                source=source,
            )
        ids[text] = query
    if ids.keys().isdisjoint(graded.queries):
        raise InputError(
            f"none of these texts, such as {next(iter(ids))!r}, was asked in the log, which has "
            f"{graded.queries[0]!r}",
            source=source,
        )
    return QueryIds(ids, False)


def _texts_by_id(query_texts: Any, column: str | None) -> tuple[Mapping[str, str], str]:
    """The texts of queries, and the name of their file."""
    source = os.fspath(query_texts) if isinstance(query_texts, (str, os.PathLike)) else ""
    unread: InputError | None = None
    if column is None:
        try:
            found = read_texts(query_texts, kind="queries")
            return {query: text.line for query, text in found.items()}, source
        except FileNotFoundError:
            raise InputError("there is no such file", source=source) from None
        except InputError as error:
            unread = error  # unless it is a table of two columns, the second of any name
    try:
        table = read_attributes(query_texts)
    except InputError as error:
        raise unread or error from None
    return table.column(column)[1], table.source


@dataclass(frozen=True)
class WrittenQrels:
    """The files that were written."""

    qrels: str
    evidence: str
    texts: str | None  # the file of ids and texts; None if ids were given
    rows: int
    queries: int
    without_id: int  # graded documents that were left out because their query has no id


def as_judgments(graded: GradedDocuments, ids: QueryIds) -> Judgments:
    """Return the grades without their evidence, as `cleverdon.evaluate` takes them."""
    nested: dict[str, dict[str, int]] = {}
    for query, doc, grade in zip(graded.queries, graded.docs, graded.grade.tolist(), strict=True):
        if query in ids.ids:
            nested.setdefault(ids.ids[query], {})[doc] = grade
    found: Judgments = Judgments.read(nested, name="clicks")
    return found


def _write_qrels(
    graded: GradedDocuments, ids: QueryIds, output: str | os.PathLike[str]
) -> WrittenQrels:
    path = os.fspath(output)
    if path == "-":
        raise OptionError("qrels from clicks need a file, because others are written next to it")
    known = graded.part(np.array([query in ids.ids for query in graded.queries], dtype=bool))
    as_judgments(known, ids).write(path)
    texts = None
    if ids.made_up:
        rows = [(query, text) for text, query in ids.ids.items()]
        texts = _write_table(path, "topics", ("id", "text"), rows)
    columns = [
        [ids.ids[query] for query in known.queries],
        known.queries,
        known.docs,
        *(getattr(known, name).tolist() for name in _COLUMNS),
    ]
    header = ("query", "text", "doc", *_COLUMNS)
    evidence = _write_table(path, "evidence", header, zip(*columns, strict=True))
    counts = (len(known), len(set(known.queries)), len(graded) - len(known))
    return WrittenQrels(path, evidence, texts, *counts)


def _write_table(
    qrels: str, content: str, header: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> str:
    """Write a table with all digits next to the qrels, as `clicks.topics.tsv`; return its path."""
    name = PurePath(qrels)
    if name.suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.with_suffix("")
    path = str(name.with_suffix(f".{content}.tsv"))
    cells = [[str(cell) for cell in row] for row in rows]
    text = render_table(TextTable([*header], cells, len(header), []), "tsv")
    write_file(path, f"{text}\n".encode())
    return path


@dataclass(frozen=True)
class FitSummary:
    """The click model, and how its estimation ended."""

    name: str
    iterations: int  # 0 if the model is estimated by counting
    converged: bool
    continuation: float
    prior: Prior


@dataclass(frozen=True)
class GradeSummary:
    """The grades that were given."""

    of: str  # the value that is graded
    bounds: tuple[float, ...]
    quantiles: tuple[float, ...] | None  # of the bounds; None if bounds were given as numbers
    counts: tuple[int, ...]  # of documents of grade 0, 1 and so on
    mean_confidence: float
    examined_too_seldom: int


def _summarise_grades(graded: GradedDocuments) -> GradeSummary:
    return GradeSummary(
        graded.fitted.model.value,
        graded.bounds,
        graded.grades.bounds if graded.grades.quantiles else None,
        tuple(np.bincount(graded.grade, minlength=len(graded.bounds) + 1).tolist()),
        float(graded.confidence.mean()),
        graded.seldom,
    )


@dataclass(frozen=True, eq=False)
class ClickJudgments(Result):
    """Judgments from clicks: the lists used, how well models predict, the grades written.

    >>> from tempfile import mkdtemp
    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log("\\n".join([f"user{i} 0:00 hats shown@1" for i in range(20)] + ["="]))
    >>> found = clicks_to_judgments(log, f"{mkdtemp()}/clicks.qrels", held_out=0)
    >>> found.lists.used, found.model.name
    (20, 'DBN')
    """

    lists: Usage  # the result pages that were used, and the reasons against the others
    held_out: tuple[Prediction, ...]  # the best model first; empty if nothing was held out
    model: FitSummary
    grades: GradeSummary
    written: WrittenQrels | None  # None where no file was named
    without_bots: ExcludedBots | None
    graded: GradedDocuments = field(metadata=in_json(None))
    judgments: Judgments = field(metadata=in_json(None))

    def opening(self) -> str:
        bots = "" if self.without_bots is None else f"{self.without_bots}\n"
        return f"{bots}{_usage_text(self.lists)}"

    def sections(self, *, exact: bool = False) -> list[Section]:
        table = _prediction_table(self.held_out, exact=exact)
        return [Section("prediction", table, titled=False)]

    def closing(self) -> str:
        return "\n\n".join([_fit_sentence(self.model), "\n".join(_grade_lines(self))])


@shows_progress("reading the log")
def clicks_to_judgments(
    log: LogSource,
    output: str | os.PathLike[str] | None = None,
    *,
    models: Sequence[ClickModel] = (DBN(),),
    query_texts: Any = None,
    text_column: str | None = None,
    grades: GradeBounds = GradeBounds(),
    min_impressions: float = 10,
    held_out: float = 0.2,
    depth: int | None = None,
    iterations: int = 500,
    least_users: int = 5,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> ClickJudgments:
    """Judge documents by the clicks in a log, and write qrels where a file is named.

    Args:
        log: The log, or files of it.
        output: The file of qrels, None for none. The evidence, and ids that were made up, are
            written to files of similar names.
        models: The click models to try; the one that predicts clicks best is used.
        query_texts: The ids and texts of queries, as `read_texts` takes them: only these
            queries are judged. By default ids are made up.
        text_column: The column of `query_texts` with the texts.
        grades: The bounds between grades.
        min_impressions: The number of examined impressions below which a document gets no grade.
        held_out: The share of users, or lists, to test predictions on; 0 for no test.
        depth: The lowest rank that is used.
        iterations: The largest number of iterations of a fit.
        least_users: Without `query_texts`, the number of users below which a query is not judged,
            because a rare query may identify a user.
        confidence: The confidence of the intervals of values, in the evidence.
        seed: The seed of the split.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The judgments, the lists that were used, the predictions of the models, and the files that
        were written.

    Raises:
        OptionError: Several models are given, but no lists are held out to compare them on.
        InputError: Nothing in the log, or none of the queries, can be judged.

    >>> from tempfile import mkdtemp
    >>> from cleverdon.logs.log import worked_log
    >>> pages = [f"user{i} 0:00 hats shown@1 click@1" for i in range(20)]
    >>> log, _ = worked_log("\\n".join([*pages, "="]))
    >>> clicks_to_judgments(log, f"{mkdtemp()}/clicks.qrels", held_out=0).written.rows
    1
    """
    progress = as_callback(progress)
    check_within("confidence", confidence, 0, 1)
    if len(models) > 1 and not held_out:
        raise OptionError("several models need lists to test on: held_out=0.2 (--held-out 0.2)")
    report = progress or ignore_progress
    limits = FitLimits(iterations=iterations)
    log = as_log(log)
    shown, usage = read_result_lists(log, depth=depth)
    predictions: tuple[Prediction, ...] = ()
    if held_out:
        report("testing on held-out lists")
        predictions = compare_held_out(
            models, shown, share=held_out, seed=seed, limits=limits, progress=progress
        )
    best = models[0]
    if len(models) > 1:
        best = next(model for model in models if model.name == predictions[0].model)
    report(f"fitting {best.name}")
    fitted = best.fit(shown, limits=limits, progress=progress)
    report("grading")
    graded = grade_documents(
        fitted, grades=grades, min_impressions=min_impressions, confidence=confidence
    )
    ids = query_ids(graded, query_texts, column=text_column, among=shown.of_users(least_users))
    return ClickJudgments(
        lists=usage,
        held_out=predictions,
        model=FitSummary(
            best.name,
            fitted.convergence.iterations,
            fitted.convergence.converged,
            fitted.parameters.continuation,
            fitted.prior,
        ),
        grades=_summarise_grades(graded),
        judgments=as_judgments(graded, ids),
        written=None if output is None else _write_qrels(graded, ids, output),
        without_bots=log.without_bots,
        graded=graded,
    )


_WHY_NOT = {
    "without_events": "they have no impression and no click",
    "without_text": "the text of the query is unknown",
    "without_position": "the ranks of results are unknown",
    "without_impressions": "the results above the clicks are unknown",
    "too_deep": "all results are below --depth",
}
"""The reasons why pages are not used."""


def _usage_text(usage: Usage) -> str:
    lines = [f"{usage.used:,} of {counted(usage.pages, 'result page')} can be used"]
    for name, reason in _WHY_NOT.items():
        if number := getattr(usage, name):
            lines.append(f"- {number:,} cannot: {reason}")
    if usage.with_gaps:
        lines.append(f"- {usage.with_gaps:,} lack ranks between results, which are skipped")
    if usage.clicks_lost:
        lines.append(f"- left out: {counted(usage.clicks_lost, 'click')} on results not shown")
    return "\n".join(lines)


def _prediction_table(predictions: Sequence[Prediction], *, exact: bool = False) -> TextTable:
    if not predictions:
        return TextTable(["model"], [], 1, [])
    ranks = [rank for rank in predictions[0].perplexity_at if exact or rank in (1, 5, 10)]
    number = str if exact else format_decimal
    count = count_format(exact=exact)
    rows = [
        [
            one.model,
            number(one.per_list),
            number(one.perplexity),
            *(number(one.perplexity_at.get(rank, nan)) for rank in ranks),
            count(one.impossible),
        ]
        for one in predictions
    ]
    header = ["model", "log-likelihood", "perplexity", *(f"at rank {rank}" for rank in ranks)]
    first = predictions[0]
    notes = [
        f"on {counted(first.lists, 'list')} held out; {first.unseen / first.results:.1%} of their "
        "results have a query and document that the other lists do not have",
        "log-likelihood: the mean over lists",
    ]
    if any(one.impossible for one in predictions):
        notes.append("impossible: results whose clicks the model excludes")
    if len(predictions) > 1:
        notes.append(f"{first.model} predicts best")
    return TextTable([*header, "impossible"], rows, 1, [], notes)


def _fit_sentence(fit: FitSummary) -> str:
    if fit.iterations == 0:
        return f"{fit.name} is estimated by counting."
    if fit.converged:
        return f"{fit.name} converged after {counted(fit.iterations, 'iteration')}."
    return (
        f"{fit.name} did not converge in {counted(fit.iterations, 'iteration')}; the estimates of "
        "the last one are used."
    )


def _grade_lines(found: ClickJudgments) -> list[str]:
    grades = found.grades
    bounds = ", ".join(f"{bound:.4g}" for bound in grades.bounds)
    origin = f" (the quantiles {found.graded.grades})" if grades.quantiles else ""
    counts = ", ".join(f"{number:,} of grade {grade}" for grade, number in enumerate(grades.counts))
    were = "was" if grades.examined_too_seldom == 1 else "were"
    return [
        f"Grades follow {grades.of}, with bounds at {bounds}{origin}: {counts}.",
        f"A grade is right with probability {grades.mean_confidence:.2f} on average.",
        f"{counted(grades.examined_too_seldom, 'pair')} of query and document {were} examined too "
        "rarely to be graded.",
        *([] if found.written is None else _written_lines(found.written)),
    ]


def _written_lines(written: WrittenQrels) -> list[str]:
    lines = [
        f"{written.qrels}: {counted(written.rows, 'judgment')} of "
        f"{counted(written.queries, 'query')}",
        f"{written.evidence}: the evidence for each judgment",
    ]
    if written.texts:
        lines.append(f"{written.texts}: the ids and texts of queries; keep them with --query-texts")
    if written.without_id:
        why = "too few users asked the query" if written.texts else "the query is not listed"
        lines.append(f"{counted(written.without_id, 'judgment')} left out: {why}")
    return lines
