"""Coefficients of agreement: published values, oracles, and what holds of each."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa

from cleverdon._common.arrays import Floats
from cleverdon.agreement.agreement import agree
from cleverdon.agreement.coefficients import (
    AgreementCoefficient,
    Counts,
    Kappa,
    coefficient,
    find_coefficient,
    known_coefficients,
)
from cleverdon.agreement.labels import Labels
from cleverdon.errors import OptionError
from tests.agreement.made import labels_of, labels_of_table, simulated

NAMES = list(known_coefficients())
CORRECTED = [name for name, cls in known_coefficients().items() if cls.corrected]


def values(labels: Labels) -> dict[str, float]:
    found = agree(labels, coefficients=["all"], resamples=1)
    return {name: one.value for name, one in found.overall.items()}


def test_the_textbooks_kappa() -> None:
    """Manning, Raghavan & Schütze 2008, table 8.2: 0.776, with pooled marginals."""
    found = values(labels_of_table([[70, 10], [20, 300]]))
    assert found["agreement"] == 0.925
    assert found["pi"] == pytest.approx(0.776, abs=5e-4)


def test_cohens_own_examples() -> None:
    """Cohen 1960 and 1968: kappa .492; with weights of his own, .348."""
    table = np.array([[[88.0, 14, 18], [10, 40, 10], [2, 6, 12]]])
    counts = Counts.of_two(np.arange(3.0), table)

    class Weighted(Kappa):
        def distance(self, grades: Floats) -> Floats:
            return np.array([[0.0, 1, 3], [1, 0, 6], [3, 6, 0]])

    assert Kappa().of(counts)[0] == pytest.approx(0.492, abs=5e-4)
    assert Weighted().of(counts)[0] == pytest.approx(0.348, abs=5e-4)


FLEISS = """444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444
222333 144444 224445 333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224
111155 224444 133333 555555"""
"""Thirty patients, six psychiatrists each, five diagnoses: Fleiss 1971."""


def test_fleiss_own_example() -> None:
    """Fleiss 1971: kappa .430."""
    patients = [[int(mark) for mark in row] for row in FLEISS.split()]
    found = values(labels_of(list(zip(*patients, strict=True))))
    assert found["fleiss"] == pytest.approx(0.430, abs=5e-4)


ALPHA = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_krippendorffs_own_example() -> None:
    """Krippendorff 2011, Computing Krippendorff's alpha-reliability: .743, .815, .849."""
    found = values(labels_of(ALPHA))
    assert found["alpha-nominal"] == pytest.approx(0.743, abs=5e-4)
    assert found["alpha-ordinal"] == pytest.approx(0.815, abs=5e-4)
    assert found["alpha-interval"] == pytest.approx(0.849, abs=5e-4)
    # The package irrCAC 0.4.4 on the eleven units that two observers judged.
    assert found["fleiss"] == pytest.approx(0.7624831309)
    assert found["AC1"] == pytest.approx(0.7751517087)
    assert found["AC2-linear"] == pytest.approx(0.8576915302)
    assert found["AC2-quadratic"] == pytest.approx(0.9127982316)


def test_gwets_examples() -> None:
    """Gwet 2008 on a paradox of kappa; and a table of the package irrCAC, with its values."""
    skewed = values(labels_of_table([[118, 5], [2, 0]]))
    assert skewed["agreement"] == 0.944
    assert skewed["kappa"] == pytest.approx(-0.0234, abs=5e-5)
    assert skewed["pi"] == pytest.approx(-0.0288, abs=5e-5)
    assert skewed["AC1"] == pytest.approx(0.9408, abs=5e-5)
    three = values(labels_of_table([[13, 0, 0], [0, 20, 7], [0, 4, 56]]))
    assert three["kappa"] == pytest.approx(0.7964094, abs=1e-7)
    assert three["pi"] == pytest.approx(0.7962397, abs=1e-7)
    assert three["AC1"] == pytest.approx(0.8493305, abs=1e-7)
    assert three["alpha-nominal"] == pytest.approx(0.7972585, abs=1e-7)


def test_overlap_is_the_mean_over_topics() -> None:
    ann = {"q1": {"a": 1, "b": 1, "c": 0}, "q2": {"a": 1, "b": 0}, "q3": {"a": 0}}
    bob = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "b": 0}, "q3": {"a": 0}}
    found = agree(Labels.of({"ann": ann, "bob": bob}), coefficients=["overlap"])
    assert found.overall["overlap"].value == pytest.approx((1 / 3 + 1) / 2)
    only_highly = agree(Labels.of({"ann": ann, "bob": bob}), coefficients=["overlap"], rel=2)
    assert only_highly.overall["overlap"].value == 0


grade = st.integers(0, 3)
two_judges = st.lists(st.tuples(grade, grade), min_size=2, max_size=40)
some_judges = (
    st.integers(2, 4)
    .flatmap(
        lambda judges: st.lists(
            st.lists(st.none() | grade, min_size=judges, max_size=judges), min_size=2, max_size=30
        )
    )
    .filter(lambda rows: any(sum(cell is not None for cell in row) > 1 for row in rows))
)


@given(rows=two_judges)
def test_cohens_kappa_is_scikit_learns(rows: list[tuple[int, int]]) -> None:
    first, second = zip(*rows, strict=True)
    if len({*first, *second}) == 1:
        return
    found = values(labels_of([first, second]))
    scale = list(range(4))
    for name, weights in (
        ("kappa", None),
        ("kappa-linear", "linear"),
        ("kappa-quadratic", "quadratic"),
    ):
        theirs = cohen_kappa_score(first, second, labels=scale, weights=weights)
        assert found[name] == pytest.approx(theirs, abs=1e-12)


@given(rows=st.lists(st.lists(grade, min_size=3, max_size=3), min_size=2, max_size=30))
def test_fleiss_kappa_is_statsmodels(rows: list[list[int]]) -> None:
    table = np.array([[row.count(k) for k in range(4)] for row in rows])
    if (table.sum(axis=0) > 0).sum() == 1:
        return
    found = values(labels_of(list(zip(*rows, strict=True))))
    assert found["fleiss"] == pytest.approx(fleiss_kappa(table, method="fleiss"), abs=1e-12)


def columns(rows: list[list[int | None]]) -> list[list[int | None]]:
    return [list(column) for column in zip(*rows, strict=True)]


def built(rows: list[list[int | None]]) -> Labels | None:
    """None where fewer than two judges judged anything."""
    kept = [column for column in columns(rows) if any(cell is not None for cell in column)]
    return labels_of(kept) if len(kept) > 1 else None


@given(rows=some_judges, seed=st.integers(0, 100))
def test_the_order_of_judges_and_documents_does_not_matter(
    rows: list[list[int | None]], seed: int
) -> None:
    labels = built(rows)
    random = np.random.default_rng(seed)
    judges = random.permutation(len(rows[0])).tolist()
    items = random.permutation(len(rows)).tolist()
    other = built([[rows[item][judge] for judge in judges] for item in items])
    assert labels is not None
    assert other is not None
    assert values(labels) == pytest.approx(values(other), nan_ok=True)


@given(rows=some_judges)
def test_names_of_grades_do_not_matter_where_they_are_names(rows: list[list[int | None]]) -> None:
    labels = built(rows)
    renamed = built(
        [[None if cell is None else (cell * 3 + 2) % 4 for cell in row] for row in rows]
    )
    assert labels is not None
    assert renamed is not None
    before, after = values(labels), values(renamed)
    for name in ("agreement", "kappa", "pi", "fleiss", "alpha-nominal", "AC1"):
        assert before[name] == pytest.approx(after[name], nan_ok=True)


@given(rows=some_judges)
def test_bounds(rows: list[list[int | None]]) -> None:
    labels = built(rows)
    assert labels is not None
    for name, value in values(labels).items():
        assert np.isnan(value) or value <= 1 + 1e-12
        if name in ("agreement", "overlap"):
            assert np.isnan(value) or value >= 0
        elif not name.startswith("alpha"):
            assert np.isnan(value) or value >= -1 - 1e-12


@pytest.mark.parametrize("name", NAMES)
@given(column=st.lists(grade, min_size=2, max_size=20))
def test_judges_who_say_the_same_have_1(name: str, column: list[int]) -> None:
    labels = labels_of([column, column, column])
    value = agree(labels, coefficients=[name], resamples=1).overall[name].value
    if name == "overlap" and max(column) == 0:
        assert np.isnan(value)
    else:
        assert value == pytest.approx(1)


def test_alpha_of_two_judges_and_many_documents_is_close_to_pi() -> None:
    random = np.random.default_rng(4)
    truth = random.integers(0, 3, 5000)
    noisy = np.where(random.random(5000) < 0.7, truth, random.integers(0, 3, 5000))
    found = values(labels_of([truth.tolist(), noisy.tolist()]))
    assert found["alpha-nominal"] == pytest.approx(found["pi"], abs=1e-4)
    assert found["alpha-nominal"] > found["pi"]  # by 1 in the number of ratings
    assert found["fleiss"] == pytest.approx(found["pi"])


def test_chance_gives_0() -> None:
    random = np.random.default_rng(6)
    guesses = [random.choice(3, 20_000, p=[1 / 3] * 3).tolist() for _ in range(2)]
    found = values(labels_of(guesses))
    for name in CORRECTED:
        assert found[name] == pytest.approx(0, abs=0.03)


def test_closer_grades_count_for_more_only_where_grades_are_numbers() -> None:
    near = values(labels_of([[0, 1, 2, 3, 0, 3], [1, 1, 2, 2, 0, 3]]))
    far = values(labels_of([[0, 1, 2, 3, 0, 3], [3, 1, 2, 0, 0, 3]]))
    for name, cls in known_coefficients().items():
        if cls.graded:
            assert near[name] > far[name]
    assert near["agreement"] == far["agreement"]


def test_every_coefficient_describes_itself() -> None:
    for name, cls in known_coefficients().items():
        assert cls.name == name
        assert cls.__doc__
        assert cls.title
        assert cls.formula
        assert cls.source
        assert cls.undefined
        assert find_coefficient(name.upper()) is cls


def test_names() -> None:
    with pytest.raises(OptionError, match="did you mean 'kappa'"):
        find_coefficient("kapa")

    class Again(AgreementCoefficient):
        name = "kappa"

    with pytest.raises(OptionError, match="already"):
        coefficient(Again)


@given(rows=some_judges)
def test_alpha_is_that_of_the_package_krippendorff(rows: list[list[int | None]]) -> None:
    if len({cell for row in rows for cell in row if cell is not None}) < 2:
        return
    told = [row for row in rows if sum(cell is not None for cell in row) > 1]
    if len({cell for row in told for cell in row if cell is not None}) < 2:
        return
    found = values(labels_of(list(zip(*rows, strict=True))))
    data = np.array([[np.nan if cell is None else cell for cell in row] for row in rows]).T
    for level in ("nominal", "ordinal", "interval"):
        theirs = krippendorff.alpha(data, level_of_measurement=level, value_domain=range(4))
        assert found[f"alpha-{level}"] == pytest.approx(theirs, abs=1e-10)


@pytest.mark.parametrize("judges", [2, 3])
def test_coefficients_are_those_of_the_package_irrcac(judges: int) -> None:
    """It also has standard errors over documents, which the jackknife comes near to."""
    if find_spec("irrCAC") is None:
        pytest.fail("irrCAC is missing: `make .venv/.oracles` installs it (tools/oracles.txt)")
    raw = import_module("irrCAC.raw")
    labels, _ = simulated(accuracies=[0.8, 0.7, 0.6][:judges], items=300, topics=1)
    found = agree(labels, coefficients=["fleiss", "AC1", "alpha-nominal"]).overall
    theirs = raw.CAC(pd.DataFrame(labels.grade), digits=12)
    for name, method in (("fleiss", "fleiss"), ("AC1", "gwet"), ("alpha-nominal", "krippendorff")):
        est = getattr(theirs, method)()["est"]
        assert found[name].value == pytest.approx(est["coefficient_value"], abs=1e-9), name
        ends = found[name].interval
        wanted = est["confidence_interval"]
        assert (ends.low, ends.high) == pytest.approx(wanted, abs=0.01), name
