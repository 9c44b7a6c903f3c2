"""How many relevant documents there are, and how many were found: all methods at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

from cleverdon.annotations import collection_size
from cleverdon.arrays import Ints
from cleverdon.data import Judgments
from cleverdon.errors import InputError, MissingExtra, OptionError
from cleverdon.measures.base import Measure
from cleverdon.pool.recall.capture import by_chao, by_two
from cleverdon.pool.recall.dependence import Dependence, dependence
from cleverdon.pool.recall.estimates import Estimate, Estimates
from cleverdon.pool.recall.found import Found, find, ranked_runs
from cleverdon.pool.recall.reuse import Reuse, reuse_of
from cleverdon.pool.recall.samples import by_sample
from cleverdon.pool.recall.saturation import Saturation, saturation
from cleverdon.pool.recall.sizes import sample_size
from cleverdon.pool.recall.weighted import Part

PRECISION, TARGET = 0.1, 0.9
"""To what recall is to be known, and how much of it is enough, where nothing else is asked for."""


@dataclass(frozen=True)
class RunRecall:
    """How many relevant documents a run returned, at any rank."""

    system: str
    found: int
    recall: tuple[float, float, float]  # estimate, low and high end; NaN where there is none


@dataclass(frozen=True)
class Recall:
    """All that judgments, runs and a sample tell of the number of relevant documents."""

    topics: tuple[str, ...]
    judged: int  # documents in the pool, over all topics
    relevant: int
    docs: int | None  # of the collection
    depth: int
    depth_known: bool
    least_judged: str  # the system whose results are judged least far down
    estimates: tuple[Estimates, ...]  # the one that counts most is first
    runs: tuple[RunRecall, ...]
    saturation: Saturation
    dependence: Dependence | None  # of two systems or more
    reuse: Reuse | None
    precision: float
    target: float
    confidence: float
    needed: int | None  # documents to draw and judge over all topics, for the precision

    @property
    def best(self) -> Estimates | None:
        """What counts most of all that was estimated."""
        return self.estimates[0] if self.estimates else None

    @property
    def complete(self) -> bool:
        """Whether every document of the collection is judged for every topic."""
        return self.docs is not None and self.judged == self.docs * len(self.topics)

    @property
    def decision(self) -> str:
        """stop, go on, or open: whether the recall that is enough is reached, as far as is known.

        A sample has an interval on both sides. Capture-recapture gives a lower bound of R, so the
        recall by it is an upper one: it can say that more is to be found, and never that enough is.
        """
        if self.complete:
            return "stop"
        if self.best is None:
            return "open"
        value, low, high = self.best.all.recall()
        if isnan(value):
            return "open"
        if self.best.method == "sample":
            return "stop" if low >= self.target else "go on" if high < self.target else "open"
        return "go on" if value < self.target else "open"


def recall(
    judgments: Any,
    runs: Any,
    *,
    sample: Sequence[Part] | None = None,
    sampled: Mapping[str, Iterable[str]] | None = None,
    docs: int | None = None,
    depth: int | None = None,
    rel: float = 1,
    groups: Mapping[str, str] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    reusing: bool = True,
    precision: float = PRECISION,
    target: float = TARGET,
    confidence: float = 0.95,
    run_format: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Recall:
    """Estimate the number of relevant documents, and the recall of the pool and of each run.

    `sample` are the judged parts of a sample of what is not in the pool (`parts_of_pool`,
    `parts_of_judgments`), and `sampled` its documents: where they are among the judgments too, they
    do not count as pooled. `docs` is the size of the collection and `depth` that of the pool.
    `groups` puts systems of a kind together (system to group). `precision` is to what recall is to
    be known, half the width of its interval, and `target` how much of it is enough.

    >>> qrels = {"q1": {"a": 1, "b": 1, "c": 1, "d": 0}}
    >>> runs = {"x": {"q1": {"a": 2.0, "b": 1.0}}, "y": {"q1": {"c": 2.0, "a": 1.0}}}
    >>> found = recall(qrels, runs)
    >>> [(each.method, each.all.value) for each in found.estimates], found.decision
    ([('lincoln-petersen', 3.5), ('chao', 3.25)], 'go on')
    """
    for name, value in (("precision", precision), ("target", target), ("confidence", confidence)):
        if not 0 < value < 1:
            raise OptionError(f"{name}={value}: it lies between 0 and 1")
    docs = None if docs is None else collection_size(docs)
    read = Judgments.read(judgments).noting(docs=docs)
    pool = _without(read, sampled or {})
    ranked = ranked_runs(pool, runs, run_format=run_format)
    found = find(pool, ranked, rel=rel, depth=depth)
    grouped = found.grouped(groups or {})
    known = found.per_topic(found.relevant)
    judged = found.per_topic(found.judged.grade >= 0)
    _check_size(found, judged, docs)
    estimates = _estimates(grouped, known, sample, confidence)
    return Recall(
        topics=tuple(found.judged.queries),
        judged=int(judged.sum()),
        relevant=int(known.sum()),
        docs=docs,
        depth=found.depth,
        depth_known=found.known,
        least_judged=found.systems[int(found.depths.argmin())],
        estimates=estimates,
        runs=_of_runs(found, estimates),
        saturation=saturation(grouped),
        dependence=dependence(grouped, confidence=confidence) if len(grouped.systems) > 1 else None,
        reuse=(
            reuse_of(ranked, found, measures, groups=groups, progress=progress)
            if reusing and len(grouped.systems) > 1
            else None
        ),
        precision=precision,
        target=target,
        confidence=confidence,
        needed=_needed(estimates, judged, known, docs, precision, confidence),
    )


def _without(judgments: Judgments, sampled: Mapping[str, Iterable[str]]) -> Judgments:
    """The judgments of the pool alone."""
    if not any(topic in judgments for topic in sampled):
        return judgments
    kept = {
        topic: {doc: grade for doc, grade in judgments[topic].items() if doc not in drawn}
        for topic in judgments.queries
        for drawn in [set(sampled.get(topic, ()))]
    }
    kept = {topic: grades for topic, grades in kept.items() if grades}
    if not kept:
        raise InputError("all judgments are of the sample, and none is of a pool")
    return Judgments.read(kept, name=judgments.name).noting(docs=judgments.notes.docs)


def _check_size(found: Found, judged: Ints, docs: int | None) -> None:
    if docs is None or not len(judged) or int(judged.max()) <= docs:
        return
    at = int(judged.argmax())
    raise OptionError(
        f"docs={docs}: topic {found.judged.queries[at]!r} alone has {int(judged[at]):,} judged "
        "documents, and the collection cannot be smaller"
    )


def _estimates(
    found: Found, known: Ints, sample: Sequence[Part] | None, confidence: float
) -> tuple[Estimates, ...]:
    estimates = []
    counts = dict(zip(found.judged.queries, known.tolist(), strict=True))
    if sample is not None:
        estimates.append(by_sample(counts, sample, confidence=confidence))
    if len(found.systems) == 2:
        estimates.append(_at_least(by_two(found, confidence=confidence), counts))
    if len(found.systems) > 1:
        estimates.append(_at_least(by_chao(found, confidence=confidence), counts))
    return tuple(estimates)


def _at_least(given: Estimates, known: Mapping[str, int]) -> Estimates:
    """The same where judgments know of relevant documents that none of these systems found."""

    def raised(one: Estimate, count: int) -> Estimate:
        return replace(
            one,
            found=count,
            value=max(one.value, count),
            low=max(one.low, count),
            high=max(one.high, count),
        )

    topics = {topic: raised(one, known[topic]) for topic, one in given.topics.items()}
    return replace(given, all=raised(given.all, sum(known.values())), topics=topics)


def _of_runs(found: Found, estimates: tuple[Estimates, ...]) -> tuple[RunRecall, ...]:
    """Of the topics that the estimate is of, how much each run returned."""
    runs = []
    best = estimates[0] if estimates else None
    counted = [best is None or topic in best.topics for topic in found.judged.queries]
    for number, system in enumerate(found.systems):
        rows = found.doc[found.system == number]
        rows = rows[found.relevant[rows]]
        topic = found.judged.query[rows]
        count = sum(counted[at] for at in topic.tolist())
        ends = best.all.recall(count) if best else (float("nan"),) * 3
        runs.append(RunRecall(system, count, ends))
    return tuple(runs)


def _needed(
    estimates: tuple[Estimates, ...],
    judged: Ints,
    known: Ints,
    docs: int | None,
    precision: float,
    confidence: float,
) -> int | None:
    """The sample that would settle it, if as much is missing as is estimated."""
    found = int(known.sum())
    if docs is None or not estimates or not found:
        return None
    sizes = (docs - judged).tolist()
    whole = sum(sizes)
    if not whole:
        return 0
    missing = estimates[0].all.missing
    share = min(missing / whole, 1.0)
    try:
        return sample_size(
            sizes,
            [share] * len(sizes),
            half_width=precision,
            found=found,
            how="equal",
            confidence=confidence,
        )
    except MissingExtra:  # a figure that one can do without
        return None
