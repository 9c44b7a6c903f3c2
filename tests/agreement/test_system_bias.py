"""Which systems a model favours: no innocent one is accused, and favours are found."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from cleverdon.agreement.labels import Labels
from cleverdon.agreement.model import ModelEffects, model_effects
from cleverdon.agreement.system_bias import BiasLine, PairedScores, SystemBias, system_biases
from cleverdon.scores import Scores
from tests.comparison.made import made


@cache
def blank(systems: int, topics: int) -> Scores:
    return made({f"s{s}": {"AP": [0.0] * topics} for s in range(systems)})


def told(
    seed: int,
    *,
    systems: int = 6,
    topics: int = 16,
    people: int = 3,
    slope: float = 1.0,
    noise: float = 0.06,
    extra: dict[int, float] | None = None,
) -> tuple[tuple[SystemBias, ...], tuple[BiasLine, ...]]:
    """Scores by people and by a model who err; the model shrinks all differences to `slope`."""
    random = np.random.default_rng(seed)
    truth = 0.5 + 0.05 * np.arange(systems)[:, None] + random.normal(0, 0.1, (1, topics))

    def scores(values: np.ndarray) -> Scores:
        return replace(blank(systems, topics), values=values[:, None])

    def erring() -> np.ndarray:
        return random.normal(0, noise, (systems, topics))

    model = 0.2 + slope * truth + erring()
    for system, more in (extra or {}).items():
        model[system] += more
    sides = [PairedScores(9, scores(truth + erring()), scores(model)) for _ in range(people)]
    return system_biases(sides)


def accused(found: tuple[SystemBias, ...]) -> list[str]:
    return [one.system for one in found if one.corrected <= 0.05]


@pytest.mark.parametrize("slope", [1.0, 0.5])
def test_nobody_is_accused_whatever_the_models_noise_does_to_differences(slope: float) -> None:
    """Of 40 fair models 2 are accused by chance; more than 6 would come once in 300 times."""
    assert sum(bool(accused(told(seed, slope=slope)[0])) for seed in range(40)) <= 6


@pytest.mark.parametrize("favoured", [0, 3])
def test_a_favour_is_found_and_is_its_only_one(favoured: int) -> None:
    found = [told(seed, slope=0.6, extra={favoured: 0.15})[0] for seed in range(12)]
    names = [accused(one) for one in found]
    assert sum(f"s{favoured}" in one for one in names) >= 10
    assert sum(len(one) > 1 for one in names) <= 3  # the others do not lose by it
    beyond = [one[favoured].excess for one in found]
    assert np.mean(beyond) == pytest.approx(0.15, abs=0.03)


def test_two_favours_of_eight() -> None:
    found, (line,) = told(3, systems=8, slope=0.8, extra={1: 0.2, 6: -0.2}, noise=0.03)
    assert accused(found) == ["s1", "s6"]
    assert (found[1].excess > 0, found[6].excess > 0) == (True, False)
    assert line.slope == pytest.approx(0.8, abs=0.15)
    assert line.systems == ("s0", "s2", "s3", "s4", "s5", "s7")


def test_with_four_systems_the_rest_is_not_judged_by_what_is_left() -> None:
    found, (line,) = told(1, systems=4, extra={0: 0.5})
    assert accused(found) == ["s0"]
    assert [one.p for one in found[1:]] == [None] * 3
    assert np.isnan([one.corrected for one in found[1:]]).all()
    assert line.fitted
    assert np.isnan(line.interval.low)
    assert not line.significant  # three systems are left in the line


def test_a_slope_is_told_where_it_can_be_told_from_1() -> None:
    lines = [told(seed, slope=0.5)[1][0] for seed in range(5)]
    assert all(line.significant and line.interval.low < 0.5 < line.interval.high for line in lines)
    assert sum(told(seed)[1][0].significant for seed in range(20)) <= 4


def test_of_two_systems_the_one_that_gains_is_told() -> None:
    """What one gains the other loses: it is one fact, and is told once."""
    found, (line,) = told(1, systems=2, extra={0: 0.3})
    assert accused(found) == ["s0"]
    assert found[1].p is None
    assert found[0].excess == pytest.approx(-found[1].excess)
    assert (line.fitted, line.slope) == (False, 1)


def test_equal_scores_make_no_line() -> None:
    same = replace(blank(5, 4), values=np.full((5, 1, 4), 0.5))
    found, (line,) = system_biases([PairedScores(9, same, same)])
    assert [one.excess for one in found] == [0] * 5
    assert accused(found) == []
    assert line.slope == 1


def test_people_who_judged_other_topics_count_where_they_judged() -> None:
    values = np.random.default_rng(0).random((3, 1, 4))
    whole = replace(blank(3, 4), values=values)
    half = replace(whole, evaluated=np.array([[True, True, False, False]] * 3))
    model = replace(whole, values=values + 0.1)
    half_model = replace(half, values=values + 0.1)
    found, _ = system_biases([PairedScores(9, whole, model), PairedScores(9, half, half_model)])
    assert [one.people for one in found] == pytest.approx(values.mean(axis=2)[:, 0].tolist())
    assert [one.change for one in found] == pytest.approx([0.1] * 3)


def of_judges(
    seed: int, *, accuracy: float = 0.8, systems: int = 6, topics: int = 16
) -> ModelEffects:
    """Three people of accuracy 0.8, and a model of the one given; none looks at systems."""
    random = np.random.default_rng(seed)
    runs: dict[str, dict[str, dict[str, float]]] = {f"s{s}": {} for s in range(systems)}
    judged: dict[str, dict[str, dict[str, float]]] = {name: {} for name in ("a", "b", "c", "m")}
    for t in range(topics):
        relevant = random.random(40) < 0.25
        scores = (
            random.normal(size=(systems, 40)) + relevant * np.linspace(0.4, 1.6, systems)[:, None]
        )
        for run, row in zip(runs.values(), scores, strict=True):
            run[f"q{t}"] = {f"d{d}": float(row[d]) for d in np.argsort(-row)[:15]}
        for name, grades in judged.items():
            right = random.random(40) < (accuracy if name == "m" else 0.8)
            grades[f"q{t}"] = {f"d{d}": int(g) for d, g in enumerate(relevant == right)}
    labels = Labels.of(judged)
    return model_effects(labels, "m", ["a", "b", "c"], runs, "AP", resamples=10)


def test_one_judge_is_not_held_against_a_majority() -> None:
    """Held against the majority of three, half of such models seemed to favour weak systems."""
    found = [of_judges(seed, accuracy=accuracy) for accuracy in (0.8, 0.7) for seed in range(6)]
    assert sum(bool(one.favoured()) for one in found) <= 2
    model = np.mean([one.orders[0].kendall.value for one in found[:6]])
    people = np.mean([[own.kendall.value for own in one.orders[1:]] for one in found[:6]])
    assert model == pytest.approx(people, abs=0.1)  # they err alike, and are held against two
