"""How far judges agree: over all, pair by pair, and topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.errors import InputError, OptionError
from cleverdon.judge.agreement.base import Coefficient, find, known_coefficients
from cleverdon.judge.agreement.coefficients import Overlap
from cleverdon.judge.agreement.counts import of_pair
from cleverdon.judge.agreement.estimating import Drawn, Estimate, Estimator
from cleverdon.judge.agreement.leaning import Leaning, leanings
from cleverdon.judge.agreement.units import RESAMPLES, Units
from cleverdon.judge.labels import Labels

TOPIC_RESAMPLES = 200
"""Resamples of a single topic's documents, of which there may be thousands of topics: enough to see
how wide an interval is."""

Progress = Callable[[int, int], object]
"""Is told how much is done, and of how much."""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two judges."""

    first: str
    second: str
    items: int  # documents that both judged
    topics: int
    table: Ints  # grades by grades: rows are the first's, columns the second's
    estimates: Mapping[str, Estimate]  # by the coefficients' names


@dataclass(frozen=True, eq=False)
class TopicAgreement:
    """One topic: what all its judges give together."""

    topic: str
    items: int  # documents that two judges at least judged
    judges: int  # how many judged any of them
    estimates: Mapping[str, Estimate]


@dataclass(frozen=True, eq=False)
class Agreed:
    """How far judges agree."""

    labels: Labels
    coefficients: tuple[Coefficient, ...]
    units: Units
    items: int  # documents that two judges at least judged
    overall: Mapping[str, Estimate]
    pairs: tuple[Pair, ...]
    topics: tuple[TopicAgreement, ...]  # the lowest agreement first; empty unless asked for
    leanings: tuple[Leaning, ...]
    one_grade: float | None  # the grade that all judges gave throughout, if there is one
    drawn: tuple[Mapping[str, Drawn], ...]  # the pairs' resamples

    @property
    def of_two(self) -> tuple[Coefficient, ...]:
        """The coefficients without those that, of two judges, are another that is there."""
        names = {each.name for each in self.coefficients}
        return tuple(each for each in self.coefficients if each.same_of_two not in names)

    def pair(self, first: str, second: str) -> Pair:
        """Two of the judges, in either order of their names."""
        for judge in (first, second):
            self.labels.column(judge)
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise OptionError(f"{first!r} is one judge, and agrees with itself")


def chosen(
    labels: Labels, named: Iterable[str | Coefficient] | None = None, *, rel: float = 1
) -> tuple[Coefficient, ...]:
    """Coefficients by their names: `all`, or what suits the scale where none is named."""
    if named is not None:
        wanted = list(named)
        if "all" in wanted:
            wanted = list(known_coefficients())
        return tuple(
            dict.fromkeys(
                one if isinstance(one, Coefficient) else _made(find(one), rel) for one in wanted
            )
        )
    graded = len(labels.grades) > 2
    names = ["agreement", "kappa", *(["kappa-quadratic"] if graded else []), "pi"]
    names += ["fleiss"] if len(labels.judges) > 2 else []
    names += ["alpha-nominal", *(["alpha-ordinal"] if graded else []), "AC1", "overlap"]
    return tuple(_made(find(name), rel) for name in names)


def _made(cls: type[Coefficient], rel: float) -> Coefficient:
    return cls(rel) if issubclass(cls, Overlap) else cls()


def agree(
    labels: Labels,
    *,
    coefficients: Iterable[str | Coefficient] | None = None,
    rel: float = 1,
    per_query: bool = False,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Agreed:
    """How far judges agree, on the documents that two of them at least have judged.

    Intervals are a bootstrap's over topics, or over documents where there is one topic only. With
    `per_query`, there are also the topics one by one, each with intervals over its documents.
    `coefficients` are names (see `known_coefficients`), `rel` is from which grade on a document is
    relevant, for their overlap.

    >>> ann = {"q1": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> bob = {"q1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    >>> found = agree(Labels.of({"ann": ann, "bob": bob}))
    >>> found.overall["agreement"].value, found.overall["kappa"].value
    (0.75, 0.5)
    """
    labels.check_scale()
    if len(labels.judges) < 2:
        raise InputError(f"there is one judge only, {labels.judges[0]!r}, and nobody to agree with")
    if not labels.shared.any():
        raise InputError(
            "no document was judged by two judges: is the query called the same by all of them? "
            f"{_one_of_each(labels)}"
        )
    wanted = chosen(labels, coefficients, rel=rel)
    units = Units.of(labels, confidence=confidence, resamples=resamples, seed=seed)
    estimator = Estimator(labels, units, wanted)
    drawn: list[dict[str, Drawn]] = []
    for done, (first, second) in enumerate(estimator.pairs):
        if progress:
            progress(done, len(estimator.pairs))
        drawn.append(estimator.of_pair(first, second))
    together = estimator.of_all(drawn)
    given = np.unique(labels.level[labels.shared])
    given = given[given >= 0]
    return Agreed(
        labels=labels,
        coefficients=wanted,
        units=units,
        items=int(labels.shared.sum()),
        overall={name: one.estimate(units) for name, one in together.items()},
        pairs=tuple(
            _pair(labels, first, second, of_pair, units)
            for (first, second), of_pair in zip(estimator.pairs, drawn, strict=True)
        ),
        topics=_topics(labels, estimator, progress) if per_query else (),
        leanings=leanings(labels, units),
        one_grade=float(labels.grades[given[0]]) if len(given) == 1 else None,
        drawn=tuple(drawn),
    )


def _pair(
    labels: Labels, first: int, second: int, drawn: Mapping[str, Drawn], units: Units
) -> Pair:
    both = labels.judged[:, first] & labels.judged[:, second]
    whole = of_pair(labels, first, second, np.zeros(len(labels), dtype=np.int64), 1)
    assert whole.ordered is not None
    return Pair(
        labels.judges[first],
        labels.judges[second],
        int(both.sum()),
        len(np.unique(labels.topic[both])),
        whole.ordered[0].astype(np.int64),
        {name: one.estimate(units) for name, one in drawn.items()},
    )


def _topics(
    labels: Labels, estimator: Estimator, progress: Progress | None
) -> tuple[TopicAgreement, ...]:
    """Every topic with shared documents; each with intervals over its documents."""
    found = []
    settings = estimator.units
    shared = np.unique(labels.topic[labels.shared]).tolist()
    starts, ends = (np.searchsorted(labels.topic, shared, side=side) for side in ("left", "right"))
    for done, topic in enumerate(shared):
        if progress:
            progress(done, len(shared))
        own = labels.among(np.arange(starts[done], ends[done]))
        units = Units.of(
            own,
            confidence=settings.confidence,
            resamples=min(settings.resamples, TOPIC_RESAMPLES),
            seed=settings.seed,
        )
        of_topic = Estimator(own, units, estimator.coefficients)
        estimates = {name: one.estimate(units) for name, one in of_topic.at_once().items()}
        judges = int(own.judged[own.shared].any(axis=0).sum())
        items = int(own.shared.sum())
        found.append(TopicAgreement(labels.topics[topic], items, judges, estimates))
    first = estimator.coefficients[0].name

    def lowest(one: TopicAgreement) -> float:
        value = one.estimates[first].value
        return np.inf if np.isnan(value) else value

    return tuple(sorted(found, key=lowest))


def _one_of_each(labels: Labels) -> str:
    """An item of each of two judges, to be looked at."""
    shown = []
    for column, judge in enumerate(labels.judges[:2]):
        item = int(np.argmax(labels.judged[:, column]))
        topic = labels.topics[int(labels.topic[item])]
        shown.append(f"{judge} judged {labels.docs[item]!r} for {topic!r}")
    return ", ".join(shown)
