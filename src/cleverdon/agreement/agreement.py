"""Agreement between judges: overall, by pair and by query.

The result also has each judge's leaning (higher or lower grades than the others give to the same
documents), the documents on which judges disagree most, and, if asked for, a model compared with
people and one grade for each document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon.agreement.aggregation import Aggregation, aggregate_labels
from cleverdon.agreement.coefficients import (
    AgreementCoefficient,
    Overlap,
    count_pair,
    find_coefficient,
    known_coefficients,
)
from cleverdon.agreement.estimates import Estimator, ResampledValue, ResamplingUnits, mean_estimate
from cleverdon.agreement.labels import Labels, as_labels
from cleverdon.agreement.tables import agreement_sections, agreement_sentences, coefficient_table
from cleverdon.errors import InputError, OptionError
from cleverdon.measures.base import Measure
from cleverdon.stats.intervals import Estimate
from cleverdon.stats.resampling import FEWER_RESAMPLES, GROUP_RESAMPLES
from cleverdon.tables.result import Result, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.agreement.model import ModelAgreement
    from cleverdon.charts.base import Chart


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Agreement of two judges."""

    first: str
    second: str
    documents: int  # that both judged
    queries: int
    coefficients: Mapping[str, Estimate]
    confusion: Ints  # grades x grades: rows are the first judge's, columns the second's


@dataclass(frozen=True, eq=False)
class QueryAgreement:
    """Agreement of all judges of one query."""

    query: str
    documents: int  # that at least two judges judged
    judges: int  # who judged any of them
    coefficients: Mapping[str, Estimate]


@dataclass(frozen=True)
class Leaning:
    """One judge's grades against the mean of the others', on documents that both judged."""

    judge: str
    documents: int
    mean: float
    others: float
    difference: Estimate
    above: float  # share of the documents that the judge graded above the others' mean
    below: float


@dataclass(frozen=True)
class DisputedDocument:
    """A document that judges gave different grades."""

    query: str
    document: str
    grades: dict[str, float]  # by judge
    distance: float = field(metadata=in_json("apart"))  # mean difference of two of its grades
    agreement: float = field(metadata=in_json(None))  # share of pairs of judges with equal grades


@dataclass(frozen=True, eq=False)
class Agreement(Result):
    """Agreement between judges.

    `overall`, `queries` and `leanings` are about `judges`: the people, or all where there is one
    person only. `pairs` and `disputed` are about models as well.

    >>> labels = Labels.of({"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"a": 1, "b": 1}}})
    >>> found = agree(labels, coefficients=["agreement"])
    >>> found.documents, found.pair("bob", "ann").coefficients["agreement"].value
    (2, 0.5)
    """

    judges: tuple[str, ...]
    documents: int  # that at least two of the judges judged
    labels: Labels = field(metadata=in_json("grades", lambda labels: labels.grades))
    units: ResamplingUnits = field(metadata=in_json("intervals"))
    overall: Mapping[str, Estimate]
    pairs: tuple[PairAgreement, ...]
    queries: tuple[QueryAgreement, ...]  # the lowest agreement first; empty unless asked for
    leanings: tuple[Leaning, ...]
    disputed: tuple[DisputedDocument, ...]  # the worst first; empty unless asked for
    coefficients: tuple[AgreementCoefficient, ...] = field(metadata=in_json(None))
    one_grade: float | None = field(metadata=in_json(None))  # that all judges gave throughout
    resampled: tuple[Mapping[str, ResampledValue], ...] = field(metadata=in_json(None))  # of pairs
    models: tuple[str, ...] = field(default=(), metadata=in_json(None))
    labels_with_models: Labels | None = field(default=None, metadata=in_json(None))
    excluded: int = field(default=0, metadata=in_json(None))
    model_agreements: Mapping[str, ModelAgreement] = field(
        default_factory=dict, metadata=in_json("models")
    )
    aggregation: Aggregation | None = field(default=None, metadata=in_json("aggregated"))

    @property
    def all_labels(self) -> Labels:
        """Return the labels of people and models, which `pairs` and `disputed` are about."""
        return self.labels_with_models or self.labels

    @property
    def pair_coefficients(self) -> tuple[AgreementCoefficient, ...]:
        """The coefficients without those that equal another one if there are two judges."""
        names = {each.name for each in self.coefficients}
        return tuple(each for each in self.coefficients if each.same_of_two not in names)

    def pair(self, first: str, second: str) -> PairAgreement:
        """Return the agreement of two judges, named in any order."""
        for judge in (first, second):
            self.all_labels.column(judge)
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise OptionError(f"{first!r} is one judge, and agrees with itself")

    def sections(self, *, exact: bool = False, confusion: bool = False) -> list[Section]:
        """Return tables: overall, pairs, queries, leanings, disputed documents, models.

        Args:
            exact: Ignored: programs read `table()`.
            confusion: Add the grades of each pair of judges.
        """
        return agreement_sections(self, confusion=confusion)

    def table(self, section: str | None = None, **view: Any) -> TextTable:
        """Return every coefficient with all digits, a row each; or one of the sections."""
        return coefficient_table(self) if section is None else super().table(section, **view)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as JSON can hold them."""
        record = super().to_dict()
        optional = {key: record.pop(key) for key in ("models", "aggregated")}
        record["notes"] = agreement_sentences(self)
        return record | {key: value for key, value in optional.items() if value}

    def plot(self) -> Chart:
        """Return a chart of the grades of each pair of judges."""
        from cleverdon.agreement.plots import grades_of_judges  # altair is optional, and slow

        return grades_of_judges(self)


@shows_progress("comparing judges")
def agree(
    labels: Any,
    *,
    models: Sequence[str] = (),
    exclude: Collection[tuple[str, str]] = (),
    coefficients: Iterable[str | AgreementCoefficient] | None = None,
    rel: float = 1,
    per_query: bool = False,
    disputed: int = 0,
    runs: Any = None,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    aggregation: str | None = None,
    vote_ties: str = "lower",
    smoothing: float = 0.0,
    interval: str = "t",
    confidence: float = 0.95,
    resamples: int = FEWER_RESAMPLES,
    seed: int = 0,
    progress: Progress | bool | None = None,
    **effects: Any,
) -> Agreement:
    """Measure agreement on the documents that at least two judges judged.

    Intervals are over queries, or over documents where there is one query only.

    Args:
        labels: The labels of several judges: files, a dict of judgments by judge, or a table with
            columns judge, query, doc and grade.
        models: Judges that are models. Each is compared with the people, and has no part in the
            people's own agreement, unless there is one person only.
        exclude: Queries and documents that are left out of agreement, such as gold documents.
        coefficients: "agreement", "kappa", "kappa-linear", "kappa-quadratic", "pi", "fleiss",
            "alpha-nominal", "alpha-ordinal", "alpha-interval", "AC1", "AC2-linear", "AC2-quadratic"
            or "overlap"; several; or "all". By default those that suit the scale.
        rel: The lowest relevant grade, for the overlap.
        per_query: Compare judges on each query as well, with intervals over its documents.
        disputed: The number of documents to list on which grades differ most.
        runs: Systems that are evaluated by the people's judgments and by each model's.
        measures: The measures of that evaluation.
        aggregation: Make one grade for each document out of people's: by "majority", "median",
            "mean" or "dawid-skene".
        vote_ties: Which of the tied grades a document gets if no grade has most votes: "lower",
            "higher", "median" or "random".
        smoothing: Added to each judge's table of errors, for aggregation by "dawid-skene".
        interval: "t", by leaving out one query at a time, or "percentile", a bootstrap, which
            covers too rarely with few queries.
        confidence: Of all intervals.
        resamples: The number of bootstrap resamples.
        seed: The seed of everything random.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        effects: With runs, other keywords of `model_effects`: run_format, order_by, and those of
            `compare`.

    Returns:
        Coefficients overall, by pair and by query, with everything else that was asked for.

    Raises:
        InputError: There is one judge only, or no document was judged by two.
        OptionError: A coefficient, a judge or an option does not exist.

    >>> ann = {"q1": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> bob = {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> found = agree({"ann": ann, "bob": bob})
    >>> found.overall["agreement"].value, found.overall["kappa"].value
    (0.75, 0.5)
    """
    progress = as_callback(progress)
    labels = as_labels(labels)
    # The comparison of systems is loaded with it, and most calls are without a model.
    from cleverdon.agreement.model import compare_model

    progress = progress or ignore_progress
    people = [judge for judge in labels.judges if judge not in models]
    compared = _without(labels, exclude)
    among_people = bool(models) and len(people) > 1

    def measure(some: Labels, *, queries: bool) -> Agreement:
        wanted = choose_coefficients(some, coefficients, rel=rel)
        units = ResamplingUnits.of(
            some, confidence=confidence, resamples=resamples, seed=seed, method=interval
        )
        return _measure_agreement(some, Estimator(some, units, wanted), queries, progress)

    found = measure(_checked(compared), queries=per_query and not among_people)
    every = found
    if among_people:
        own = measure(_checked(compared.only(people)), queries=per_query)
        found = replace(
            own, labels_with_models=compared, pairs=every.pairs, resampled=every.resampled
        )
    return replace(
        found,
        models=tuple(models),
        excluded=len(labels) - len(compared),
        disputed=tuple(disputed_documents(compared, disputed)),
        model_agreements={
            model: compare_model(
                every,
                model,
                people,
                labels=labels,
                runs=runs,
                measures=measures,
                vote_ties=vote_ties,
                progress=progress,
                **effects,
            )
            for model in models
        },
        aggregation=None
        if aggregation is None
        else aggregate_labels(
            labels.only(people),
            aggregation,
            vote_ties=vote_ties,
            smoothing=smoothing,
            seed=seed,
            progress=progress,
        ),
    )


def choose_coefficients(
    labels: Labels, named: Iterable[str | AgreementCoefficient] | None = None, *, rel: float = 1
) -> tuple[AgreementCoefficient, ...]:
    """Return coefficients by name; `all` of them, or by default those that suit the scale."""
    wanted = named
    if wanted is None:
        graded, several = len(labels.grades) > 2, len(labels.judges) > 2
        wanted = ["agreement", "kappa", *(["kappa-quadratic"] if graded else []), "pi"]
        wanted += ["fleiss"] if several else []
        wanted += ["alpha-nominal", *(["alpha-ordinal"] if graded else []), "AC1", "overlap"]
    wanted = list(wanted)
    if "all" in wanted:
        wanted = list(known_coefficients())

    def make(one: str | AgreementCoefficient) -> AgreementCoefficient:
        if isinstance(one, AgreementCoefficient):
            return one
        cls = find_coefficient(one)
        return cls(rel) if issubclass(cls, Overlap) else cls()

    return tuple(dict.fromkeys(map(make, wanted)))


def _judge_leanings(labels: Labels, units: ResamplingUnits) -> tuple[Leaning, ...]:
    """Return every judge's leaning; NaN for one who judged nothing that others judged."""
    known = labels.judged
    grade = np.where(known, labels.grade, 0.0)
    total, count = grade.sum(axis=1), known.sum(axis=1)
    found = []
    for column, judge in enumerate(labels.judges):
        rows = np.flatnonzero(known[:, column] & labels.shared & (units.unit >= 0))
        if len(rows) == 0:
            nothing = mean_estimate(np.array([]), rows, units)
            found.append(Leaning(judge, 0, np.nan, np.nan, nothing, np.nan, np.nan))
            continue
        own = grade[rows, column]
        others = (total[rows] - own) / (count[rows] - 1)
        found.append(
            Leaning(
                judge,
                len(own),
                float(own.mean()),
                float(others.mean()),
                mean_estimate(own - others, units.unit[rows], units),
                float((own > others).mean()),
                float((own < others).mean()),
            )
        )
    return tuple(found)


def disputed_documents(labels: Labels, most: int) -> list[DisputedDocument]:
    """Return the documents whose grades differ most, the worst first."""
    rows = np.flatnonzero(labels.shared)
    distance, agreement = _grade_distances(labels, rows)
    # At equal distance, more judges in dispute come first; then the order of the input.
    order = np.lexsort((np.arange(len(rows)), agreement, -distance))
    found = []
    for at in order[:most].tolist():
        if distance[at] <= 0:
            break
        item = int(rows[at])
        grades = {
            judge: float(grade)
            for judge, grade in zip(labels.judges, labels.grade[item], strict=True)
            if not np.isnan(grade)
        }
        query = labels.queries[int(labels.query[item])]
        numbers = float(distance[at]), float(agreement[at])
        found.append(DisputedDocument(query, labels.docs[item], grades, *numbers))
    return found


def _without(labels: Labels, exclude: Collection[tuple[str, str]]) -> Labels:
    if not exclude:
        return labels
    queries = [labels.queries[at] for at in labels.query.tolist()]
    keys = zip(queries, labels.docs.tolist(), strict=True)
    kept = np.array([key not in exclude for key in keys])
    if not kept.any():
        raise InputError("all that is judged is gold, and agreement is not of what somebody chose")
    return labels.among(kept)


def _checked(labels: Labels) -> Labels:
    labels.check_scale()
    if len(labels.judges) < 2:
        raise InputError(f"there is one judge only, {labels.judges[0]!r}, and nobody to agree with")
    if not labels.shared.any():
        shown = []
        for column, judge in enumerate(labels.judges[:2]):
            item = int(np.argmax(labels.judged[:, column]))
            query = labels.queries[int(labels.query[item])]
            shown.append(f"{judge} judged {labels.docs[item]!r} for {query!r}")
        raise InputError(
            "no document was judged by two judges: is the query called the same by all of them? "
            f"{', '.join(shown)}"
        )
    return labels


def _measure_agreement(
    labels: Labels, estimator: Estimator, per_query: bool, progress: Progress
) -> Agreement:
    units = estimator.units
    resampled: list[dict[str, ResampledValue]] = []
    for done, (first, second) in enumerate(estimator.pairs):
        progress("comparing judges", done, len(estimator.pairs))
        resampled.append(estimator.of_pair(first, second))
    overall = estimator.of_all(resampled)
    given = np.unique(labels.level[labels.shared])
    given = given[given >= 0]
    return Agreement(
        judges=labels.judges,
        documents=int(labels.shared.sum()),
        labels=labels,
        units=units,
        overall={name: one.estimate(units) for name, one in overall.items()},
        pairs=tuple(
            _pair_agreement(labels, first, second, of_pair, units)
            for (first, second), of_pair in zip(estimator.pairs, resampled, strict=True)
        ),
        queries=_query_agreements(labels, estimator, progress) if per_query else (),
        leanings=_judge_leanings(labels, units),
        disputed=(),
        coefficients=estimator.coefficients,
        one_grade=float(labels.grades[given[0]]) if len(given) == 1 else None,
        resampled=tuple(resampled),
    )


def _pair_agreement(
    labels: Labels,
    first: int,
    second: int,
    resampled: Mapping[str, ResampledValue],
    units: ResamplingUnits,
) -> PairAgreement:
    both = labels.judged[:, first] & labels.judged[:, second]
    whole = count_pair(labels, first, second, np.zeros(len(labels), dtype=np.int64), 1)
    assert whole.ordered is not None
    return PairAgreement(
        labels.judges[first],
        labels.judges[second],
        int(both.sum()),
        len(np.unique(labels.query[both])),
        {name: one.estimate(units) for name, one in resampled.items()},
        whole.ordered[0].astype(np.int64),
    )


def _query_agreements(
    labels: Labels, estimator: Estimator, progress: Progress
) -> tuple[QueryAgreement, ...]:
    found = []
    settings = estimator.units
    shared = np.unique(labels.query[labels.shared]).tolist()
    starts, ends = (np.searchsorted(labels.query, shared, side=side) for side in ("left", "right"))
    for done, query in enumerate(shared):
        progress("comparing queries", done, len(shared))
        own = labels.among(np.arange(starts[done], ends[done]))
        units = ResamplingUnits.of(
            own,
            confidence=settings.confidence,
            resamples=min(settings.resamples, GROUP_RESAMPLES),
            seed=settings.seed,
            method=settings.method,
        )
        of_query = Estimator(own, units, estimator.coefficients)
        estimates = {name: one.estimate(units) for name, one in of_query.at_once().items()}
        judges = int(own.judged[own.shared].any(axis=0).sum())
        found.append(
            QueryAgreement(labels.queries[query], int(own.shared.sum()), judges, estimates)
        )
    first = estimator.coefficients[0].name

    def lowest(one: QueryAgreement) -> float:
        value = one.coefficients[first].value
        return np.inf if np.isnan(value) else value

    return tuple(sorted(found, key=lowest))


def _grade_distances(labels: Labels, rows: Ints) -> tuple[Floats, Floats]:
    """Return each item's mean difference over pairs of grades, and its share of equal pairs."""
    times = np.stack([(labels.level[rows] == k).sum(axis=1) for k in range(len(labels.grades))])
    ratings = times.sum(axis=0)
    pairs = ratings * (ratings - 1)
    differences = np.abs(labels.grades[:, None] - labels.grades[None, :])
    differing = np.einsum("ki,kl,li->i", times, differences, times, optimize=True)
    equal = (times * (times - 1)).sum(axis=0)
    return differing / pairs, equal / pairs
