"""How many relevant documents there are, and how many were found: all methods at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cleverdon.data import Judgments
from cleverdon.errors import InputError, MissingExtra, OptionError, check_count, check_within
from cleverdon.measures.base import Measure
from cleverdon.pool.recall.capture import by_chao, by_two
from cleverdon.pool.recall.catches import Catches, find, ranked_runs
from cleverdon.pool.recall.dependence import dependence
from cleverdon.pool.recall.estimates import Estimates
from cleverdon.pool.recall.parts import Filled
from cleverdon.pool.recall.recalled import Counted, Recall, RunRecall
from cleverdon.pool.recall.reuse import reuse_of
from cleverdon.pool.recall.samples import by_sample
from cleverdon.pool.recall.saturation import saturation
from cleverdon.pool.recall.sizes import sample_size
from cleverdon.pool.recall.weighted import Part
from cleverdon.rank import Ranked

PRECISION, TARGET = 0.1, 0.9
"""To what recall is to be known, and how much of it is enough, where nothing else is asked for."""


def recall(
    judgments: Any,
    runs: Any,
    *,
    sample: Sequence[Part] | None = None,
    sampled: Mapping[str, Iterable[str]] | None = None,
    filled: Filled | None = None,
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
    order_by: str = "score",
    progress: Callable[[int, int], object] | None = None,
) -> Recall:
    """Estimate the number of relevant documents, and the recall of the pool and of each run.

    `sample` are the judged parts of a sample of what is not in the pool (`parts_of_pool`,
    `parts_of_judgments`), and `sampled` its documents: where they are among the judgments too, they
    do not count as pooled. `filled` says how its sheet fits what was drawn (`compared`). `docs` is
    the size of the collection and `depth` that of the pool. `groups` puts systems of a kind
    together (system to group). `precision` is to what recall is to be known, half the width of its
    interval, and `target` how much of it is enough.

    >>> qrels = {"q1": {"a": 1, "b": 1, "c": 1, "d": 0}}
    >>> runs = {"x": {"q1": {"a": 2.0, "b": 1.0}}, "y": {"q1": {"c": 2.0, "a": 1.0}}}
    >>> found = recall(qrels, runs)
    >>> [(each.method, each.all.value) for each in found.estimates], found.decision
    ([('lincoln-petersen', 3.5), ('chao', 3.25)], 'open')
    """
    for name, value in (("precision", precision), ("target", target), ("confidence", confidence)):
        check_within(name, value, 0, 1)
    docs = None if docs is None else check_count("docs", docs)
    read = Judgments.read(judgments).noting(docs=docs)
    pool = _without(read, sampled or {})
    ranked = ranked_runs(pool, runs, run_format=run_format, order_by=order_by)
    found = find(pool, ranked, rel=rel, depth=depth)
    grouped = found.grouped(groups or {})
    counted = _counted(found)
    if docs is not None:
        _check_docs(docs, counted, read, sampled or {}, ranked)
    several = len(grouped.systems) > 1
    estimates = _estimates(grouped, counted, sample, docs, confidence)
    best = next((each for each in estimates if not each.all.refuted), None)
    told = best.topics if best else ()
    return Recall(
        pool=counted,
        uncaught=int((found.relevant & (found.times == 0)).sum()),
        unreturned=int((found.relevant & (found.best_rank == 0)).sum()),
        docs=docs,
        depth=found.depth,
        depth_known=found.known,
        least_judged=found.systems[int(found.depths.argmin())],
        alike=grouped.alike,
        estimates=estimates,
        runs=_of_runs(found, best),
        saturation=saturation(grouped),
        dependence=dependence(grouped, confidence=confidence) if several else None,
        reuse=(
            reuse_of(ranked, found, measures, groups=groups, progress=progress)
            if reusing and several
            else None
        ),
        precision=precision,
        target=target,
        confidence=confidence,
        needed=_needed(best, counted, docs, precision, confidence) if best else None,
        sample_judged=sum(part.drawn for part in sample or () if part.topic in told),
        filled=filled,
        rel=rel,
        highest=float(found.judged.grade.max(initial=-1)),
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


def _counted(found: Catches) -> dict[str, Counted]:
    """What each topic's pool holds."""
    judged = found.per_topic(found.judged.grade >= 0).tolist()
    relevant = found.per_topic(found.relevant).tolist()
    topics = found.judged.queries
    return {topic: Counted(*both) for topic, *both in zip(topics, judged, relevant, strict=True)}


def _check_docs(
    docs: int,
    counted: Mapping[str, Counted],
    judgments: Judgments,
    sampled: Mapping[str, Iterable[str]],
    ranked: Sequence[Ranked],
) -> None:
    """Raise an OptionError where more documents are known than the collection is said to have."""
    smaller = "and the collection cannot be smaller"
    largest = max(counted, key=lambda topic: counted[topic].judged, default="")
    if largest and counted[largest].judged > docs:
        raise OptionError(
            f"docs={docs}: topic {largest!r} alone has {counted[largest].judged:,} judged "
            f"documents, {smaller}"
        )
    known = {doc for topic in judgments.queries for doc in judgments[topic]}
    known.update(*sampled.values())
    if len(known) > docs:
        raise OptionError(
            f"docs={docs}: the judgments have {len(known):,} different documents, {smaller}"
        )
    for run in ranked:
        longest = int(run.hits.returned.max(initial=0))
        if longest > docs:
            raise OptionError(
                f"docs={docs}: run {run.name!r} returned {longest:,} documents for a topic, "
                f"{smaller}"
            )


def _estimates(
    found: Catches,
    counted: Mapping[str, Counted],
    sample: Sequence[Part] | None,
    docs: int | None,
    confidence: float,
) -> tuple[Estimates, ...]:
    estimates = []
    known = {topic: each.relevant for topic, each in counted.items()}
    if sample is not None:
        estimates.append(by_sample(known, sample, confidence=confidence))
    if len(found.systems) == 2:
        estimates.append(by_two(found, confidence=confidence).knowing(known))
    if len(found.systems) > 1:
        estimates.append(by_chao(found, confidence=confidence).knowing(known))
    if docs is None:
        return tuple(estimates)
    most = {topic: each.relevant + docs - each.judged for topic, each in counted.items()}
    return tuple(each.at_most(most) for each in estimates)


def _of_runs(found: Catches, best: Estimates | None) -> tuple[RunRecall, ...]:
    """Of the topics that the estimate is of, how much each run returned."""
    runs = []
    counts = [best is None or topic in best.topics for topic in found.judged.queries]
    for number, system in enumerate(found.systems):
        rows = found.doc[found.system == number]
        rows = rows[found.relevant[rows]]
        topic = found.judged.query[rows]
        count = sum(counts[at] for at in topic.tolist())
        ends = best.all.recall(count) if best else (float("nan"),) * 3
        runs.append(RunRecall(system, count, ends))
    return tuple(runs)


def _needed(
    best: Estimates,
    counted: Mapping[str, Counted],
    docs: int | None,
    precision: float,
    confidence: float,
) -> int | None:
    """The sample that would settle it, if as much is missing as is estimated."""
    pools = [counted[topic] for topic in best.topics]
    found = sum(each.relevant for each in pools)
    if docs is None or not found:
        return None
    sizes = [docs - each.judged for each in pools]
    whole = sum(sizes)
    if not whole:
        return 0
    share = min(best.all.missing / whole, 1.0)
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
