"""How intervals of agreement are drawn: by one rule for pages, datasheets and reports.

A bootstrap over two topics is as narrow as these two happen to be alike. Where there are too few
topics, documents are drawn, and the interval speaks of further documents of the same topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np

from cleverdon.judge.agreement import Agreed, Estimate, Pair, agree
from cleverdon.judge.agreement.agreeing import chosen
from cleverdon.judge.labels import Labels

RESAMPLES = 400
"""Of the bootstrap: enough for the ends of an interval, and quick enough for a page."""
TOPICS = 5
"""Topics from which on they are what a bootstrap draws: of k topics, an interval holds the truth in
1 - 2 / 2**k of cases at most."""
MANY = 12
"""Judges up to whom every pair is looked at: of a hundred there would be thousands."""
OF_ALL = ("agreement", "fleiss", "alpha-ordinal")
"""Coefficients that are of all judges at once, and not the mean over pairs."""

Names = Sequence[str] | None
"""Of coefficients; None are those that suit the scale."""


def drawn(
    labels: Labels, coefficients: Names = None, *, per_query: bool = False, seed: int = 0
) -> Agreed:
    """All judges at once; with `per_query`, topic by topic as well.

    What is a mean over topics has no interval where there are too few of them to draw.
    """
    topics = len(np.unique(labels.topic[labels.shared]))
    if not 1 < topics < TOPICS:
        return _agree(labels, coefficients, per_query=per_query, seed=seed)
    alone = replace(labels, topics=("",), topic=np.zeros_like(labels.topic))
    found = replace(_agree(alone, coefficients, seed=seed), labels=labels)
    means = [each.name for each in chosen(labels, coefficients) if each.by_topic]
    if not per_query and not means:
        return found
    over = _agree(labels, coefficients, per_query=per_query, seed=seed)
    return replace(
        found,
        topics=over.topics,
        overall={**found.overall, **{name: _bare(over.overall[name]) for name in means}},
        pairs=tuple(
            replace(
                pair,
                topics=other.topics,
                estimates={
                    **pair.estimates,
                    **{name: _bare(other.estimates[name]) for name in means},
                },
            )
            for pair, other in zip(found.pairs, over.pairs, strict=True)
        ),
    )


def drawn_of_many(labels: Labels, *, per_query: bool = False, seed: int = 0) -> Agreed:
    """The same of a large team: the coefficients that do not ask who gave a grade.

    They come out the same of the first, second, ... judge of each document, whoever that is, while
    there are as many columns as a document has judges, and not as the team has.
    """
    first = np.argsort(~labels.judged, axis=1, kind="stable")
    most = int(labels.judged.sum(axis=1).max())
    level = np.take_along_axis(labels.level, first, axis=1)[:, :most]
    unnamed = replace(labels, judges=tuple(map(str, range(1, most + 1))), level=level)
    return drawn(unnamed, OF_ALL, per_query=per_query, seed=seed)


def pair_drawn(labels: Labels, names: tuple[str, str], coefficients: Names, *, seed: int) -> Pair:
    """Two judges with documents in common: drawn from these, whatever others have judged."""
    own = labels.only(names)
    topics = len(np.unique(own.topic[own.shared]))
    return replace(drawn(own, coefficients, seed=seed).pairs[0], topics=topics)


def report_drawn(labels: Labels, *, seed: int = 0) -> Agreed:
    """All that a report holds, over all, by topic and by pair: the numbers of the dashboard."""
    found = drawn(labels, per_query=True, seed=seed)
    names = [each.name for each in found.coefficients]
    overall = dict(found.overall)
    if len(labels.judges) > MANY:
        of_many = drawn_of_many(labels, seed=seed).overall
        overall |= {name: of_many[name] for name in OF_ALL if name in overall}
    pairs = tuple(
        pair_drawn(labels, (pair.first, pair.second), names, seed=seed) if pair.items else pair
        for pair in found.pairs
    )
    return replace(found, overall=overall, pairs=pairs)


def _bare(estimate: Estimate) -> Estimate:
    """A value without its interval."""
    return replace(estimate, interval=replace(estimate.interval, low=nan, high=nan))


def _agree(
    labels: Labels, coefficients: Names, *, per_query: bool = False, seed: int = 0
) -> Agreed:
    return agree(
        labels, coefficients=coefficients, per_query=per_query, resamples=RESAMPLES, seed=seed
    )
