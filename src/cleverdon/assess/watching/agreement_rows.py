"""Agreement as rows that pages, calls and the command show alike: who or what, and its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cleverdon.assess.watching.agreement import (
    COEFFICIENTS,
    FEWEST,
    Beside,
    LiveAgreement,
    needs_shared,
)
from cleverdon.assess.watching.measured import Measured, of_estimate, unknown
from cleverdon.judge.agreement import Estimate

_NO_PAIRS = "not looked at in a team of this size: see the pairs"


@dataclass(frozen=True)
class PairRow:
    """Two people."""

    first: str
    second: str
    documents: int  # that both judged
    topics: int
    numbers: Mapping[str, Measured]  # by the coefficients' names


@dataclass(frozen=True)
class TopicRow:
    """A topic: all who judged it together."""

    topic: str
    documents: int  # that two at least have judged
    judges: int
    numbers: Mapping[str, Measured]


@dataclass(frozen=True)
class BesideRow:
    """A model by one coefficient: with people, and people among themselves."""

    coefficient: str
    with_people: Measured
    among_people: Measured
    difference: Measured
    verdict: str  # less, more, not told apart, unknown


@dataclass(frozen=True)
class GivenRow:
    """What a model gave where people gave one grade."""

    grade: float
    judgments: int
    shares: tuple[float, ...]
    difference: Measured


def overall(live: LiveAgreement) -> dict[str, Measured]:
    """Every coefficient over all people, or why there is none."""
    if live.agreed is None:
        return {name: unknown(live.why, of=live.shared) for name in COEFFICIENTS}
    found = live.agreed.overall
    return {
        name: of_estimate(found[name], live.shared)
        if name in found
        else unknown(_NO_PAIRS, of=live.shared)
        for name in COEFFICIENTS
    }


def pair_rows(live: LiveAgreement, *, judge: str | None = None) -> list[PairRow]:
    """Pairs that have documents in common; of one person, where one is named."""
    return [
        PairRow(
            pair.first,
            pair.second,
            pair.items,
            pair.topics,
            _numbers(pair.estimates, pair.items),
        )
        for pair in live.pairs
        if judge is None or judge in (pair.first, pair.second)
    ]


def topic_rows(live: LiveAgreement) -> list[TopicRow]:
    """Topics in which two have judged the same, the lowest agreement first."""
    if live.agreed is None:
        return []
    return [
        TopicRow(one.topic, one.items, one.judges, _numbers(one.estimates, one.items))
        for one in live.agreed.topics
    ]


def _numbers(estimates: Mapping[str, Estimate], documents: int) -> dict[str, Measured]:
    """Numbers with their intervals; of too few documents, none."""
    if documents < FEWEST:
        return {name: unknown(needs_shared(documents), of=documents) for name in estimates}
    return {name: of_estimate(one, documents) for name, one in estimates.items()}


def beside_rows(beside: Beside) -> list[BesideRow]:
    """A model's agreement with people beside people's own."""
    return [
        BesideRow(
            one.coefficient,
            of_estimate(one.with_people, beside.shared),
            _or_none(one.among_people, beside.among),
            _or_none(one.difference, min(beside.shared, beside.among)),
            one.verdict,
        )
        for one in beside.standings
    ]


def given_rows(beside: Beside) -> list[GivenRow]:
    """What a model gave, grade by grade of people's."""
    return [
        GivenRow(one.grade, one.judgments, one.shares, of_estimate(one.difference, one.judgments))
        for one in beside.grades
    ]


def _or_none(estimate: Estimate | None, documents: int) -> Measured:
    if estimate is None:
        return unknown("no two people judged the same documents")
    return of_estimate(estimate, documents)
