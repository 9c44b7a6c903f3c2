"""Two-way analysis of variance, beside statsmodels'."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel
from statsmodels.formula.api import ols
from statsmodels.stats.anova import AnovaRM, anova_lm

from cleverdon import evaluate
from cleverdon.compare import anova
from cleverdon.compare.anova import two_way
from cleverdon.errors import OptionError
from tests.compare.made import made
from tests.compare.null import assert_level


@pytest.mark.parametrize(("systems", "topics"), [(2, 5), (4, 12), (7, 3)])
def test_as_statsmodels_has_it(systems: int, topics: int) -> None:
    random = np.random.default_rng(systems)
    values = random.normal(size=(systems, topics)) + random.normal(size=topics)
    rows = [(s, t, value) for s, row in enumerate(values) for t, value in enumerate(row.tolist())]
    frame = pd.DataFrame(rows, columns=["system", "topic", "value"])
    table = anova_lm(ols("value ~ C(system) + C(topic)", frame).fit())
    repeated = AnovaRM(frame, "value", "topic", within=["system"]).fit().anova_table
    found = two_way(values)
    for effect, name in (
        (found.systems, "C(system)"),
        (found.topics, "C(topic)"),
        (found.residual, "Residual"),
    ):
        assert effect.freedom == table["df"][name]
        assert effect.squares == pytest.approx(table["sum_sq"][name])
        assert effect.mean_square == pytest.approx(table["mean_sq"][name])
    assert found.p(found.topics) == pytest.approx(table["PR(>F)"]["C(topic)"])
    assert found.p(found.systems) == pytest.approx(table["PR(>F)"]["C(system)"])
    assert found.f(found.systems) == pytest.approx(repeated["F Value"]["system"])
    assert found.p(found.systems) == pytest.approx(repeated["Pr > F"]["system"])
    # The other way to write it: Olejnik & Algina 2003.
    more = found.systems.freedom * (found.f(found.systems) - 1)
    assert found.strength(found.systems) == pytest.approx(more / (more + values.size))


def test_from_scores() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    poor = good | {"q1": {"a": 1.0, "b": 2.0}, "q2": {"b": 1.0}}
    scores = evaluate(qrels, {"good": good, "poor": poor}, ["RR", "P@1"])
    found = anova(scores)
    assert [str(one.measure) for one in found] == ["RR", "P@1"]
    # With two systems it is the t test.
    from scipy.stats import ttest_rel

    expected = ttest_rel(*np.nan_to_num(scores.values[:, 0])).pvalue
    assert found[0].p_systems == pytest.approx(expected)
    assert [str(one.measure) for one in anova(scores, measures="P@1")] == ["P@1"]


def test_without_error_or_without_anything() -> None:
    same = two_way(np.full((3, 4), 0.1))
    assert (same.p(same.systems), same.p(same.topics)) == (1, 1)
    assert np.isnan(same.f(same.systems))
    assert np.isnan(same.strength(same.systems))
    shifted = two_way(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]]))
    assert shifted.residual.squares == 0
    assert shifted.p(shifted.systems) == 0
    assert shifted.strength(shifted.systems) == 1


def test_too_little_is_refused() -> None:
    with pytest.raises(OptionError, match="at least 2 topics"):
        two_way(np.zeros((3, 1)))
    with pytest.raises(OptionError, match="at least 2 systems"):
        two_way(np.zeros((1, 3)))


def test_under_the_null_p_is_small_as_often_as_it_says() -> None:
    random = np.random.default_rng(31)
    p = []
    for _ in range(2000):
        found = two_way(random.normal(size=(4, 10)) + random.normal(size=10))
        p.append(found.p(found.systems))
    assert_level(p, never_below=True)


def test_geometric_means_are_analysed_by_logarithms() -> None:
    values = {"one": [0.1, 0.5, 0.2, 0.9], "two": [0.2, 0.6, 0.1, 0.95]}
    found = anova(made({name: {"GMAP": of} for name, of in values.items()}))[0]
    one, two = (np.log(of) for of in values.values())
    assert found.p_systems == pytest.approx(ttest_rel(one, two).pvalue)
