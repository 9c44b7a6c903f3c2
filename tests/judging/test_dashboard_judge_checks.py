"""Drift of assessors: found where there is some, and rarely told where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from cleverdon._common.arrays import Floats
from cleverdon.judging.dashboard.judge_checks import Distance, _drift_of, drifts
from cleverdon.judging.dashboard.state import describe_drift
from tests.judging.facts import simulated


def test_drift_is_found_and_said() -> None:
    facts = simulated(stricter=0.8, queries=24, documents=10)
    first, *others = [one for one in drifts(facts) if one.against == "others"]
    assert first.direction == "stricter"
    assert describe_drift(first).startswith("p0 has become stricter: against the others' grades")
    assert first.change.value is not None
    assert first.change.value < -0.3
    assert all(one.change.value is not None for one in others)


def test_drift_is_rarely_told_where_there_is_none() -> None:
    teams = [simulated(queries=8, documents=10, seed=seed) for seed in range(60)]
    told = sum(any(one.direction for one in drifts(team)) for team in teams)
    assert told <= 8, "5% of teams: more than 8 of 60 would be told in 1 of 100 tries"


def distances(values: Floats, *, interleaved: bool = True) -> list[Distance]:
    """Of documents x queries, judged query by query or one of each query at a time."""
    documents, queries = values.shape
    return [
        Distance(
            f"t{query}", at * queries + query if interleaved else query * documents + at, value
        )
        for (at, query), value in np.ndenumerate(values)
    ]


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("shape", [(2, 25), (2, 10), (3, 10), (4, 10), (40, 1)])
def test_few_documents_of_a_query_are_not_taken_for_drift(
    shape: tuple[int, int], *, interleaved: bool
) -> None:
    random = np.random.default_rng(0)

    def told(change: float) -> int:
        """Of 400 people, whose grades change by so much in the second half of each query."""
        found = 0
        for _ in range(400):
            errors = random.choice([-1, 0, 1], p=[0.15, 0.7, 0.15], size=(4, *shape))
            above = errors[0] - errors[1:].mean(axis=0) + random.normal(0, 0.5, shape[1])
            above[shape[0] // 2 :] += change
            rows = distances(above, interleaved=interleaved)
            found += _drift_of("ann", "others", rows).direction != ""
        return found

    assert told(0) <= 32, "5% of 400: more than 32 would be told in 1 of 200 tries"
    if interleaved:
        assert told(1) >= 300


def test_drift_is_measured_by_least_squares() -> None:
    values = np.random.default_rng(0).normal(size=(3, 10))
    # A level for each query, and the change, by the normal equations.
    design = np.hstack([np.tile(np.eye(10), (3, 1)), np.repeat([[0], [1], [1]], 10, axis=0)])
    fitted, (squares,), _, _ = np.linalg.lstsq(design, values.ravel(), rcond=None)
    error = np.sqrt(squares / (30 - 11) * np.linalg.inv(design.T @ design)[10, 10])
    found = _drift_of("ann", "gold", distances(values))
    assert found.change.value == pytest.approx(fitted[10])
    assert found.change.low == pytest.approx(fitted[10] - 2.0930 * error, rel=1e-4)
    assert found.early == pytest.approx(fitted[:10].mean())


def test_drift_needs_queries_with_several_documents() -> None:
    alone = [Distance(f"t{at}", float(at), at % 3) for at in range(30)]
    found = _drift_of("ann", "others", alone)
    assert (found.early, found.direction) == (None, "")
    assert found.change.why == "drift needs 20 documents of queries with two or more: 0 so far"
    # A third lower in every second half: there is no spread to judge it by.
    steady = np.arange(10) - np.array([[0], [1 / 3]])
    found = _drift_of("ann", "others", distances(steady))
    assert found.change.value == pytest.approx(-1 / 3)
    assert (found.direction, found.change.low) == ("", None)


def test_queries_are_not_taken_for_drift() -> None:
    # On the first query somebody is above the others throughout, on the second below.
    rows = [
        Distance(f"t{at // 40}", float(at), (-1) ** (at // 40) + at % 3 / 3) for at in range(80)
    ]
    found = _drift_of("ann", "others", rows)
    assert found.direction == ""
    assert found.change.value == pytest.approx(0, abs=0.1)
    assert _drift_of("ann", "others", rows[:9]).change.why.endswith("9 so far")
