"""Click models against plain Python, by hand, and on clicks whose model is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from cleverdon.errors import OptionError
from cleverdon.logs.clicks.base import (
    Belief,
    ClickModel,
    FitLimits,
    Parameters,
    Prior,
    click_model,
    click_models,
    find_model,
)
from cleverdon.logs.clicks.evaluation import simulate_clicks
from cleverdon.logs.clicks.models import CM, COEC, DBN, DCM, PBM, SDBN, UBM
from cleverdon.logs.clicks.result_lists import ResultLists
from tests.logs.clicks.made import (
    BY_EM,
    MODELS,
    as_shown,
    by_list,
    lists,
    longest_first,
    pages,
    truth,
)
from tests.logs.clicks.plain import Browsing, Going, List

FLAT = Prior(0, 0)
STEPS = 4


def plain_of(name: str, found: list[List]) -> Going | Browsing:
    if name == "PBM":
        return Browsing(found, by_last=False, anchored=True)
    if name == "UBM":
        return Browsing(found, by_last=True, anchored=True)
    return Going(
        found,
        by="rank" if name == "DCM" else "pair",
        going_on=None if name == "DBN" else 1.0,
    )


@pytest.mark.parametrize("name", BY_EM)
def test_em_is_that_of_plain_python(name: str) -> None:
    @settings(max_examples=25)
    @given(lists(most=6))
    def agree(found: list[List]) -> None:
        shown, prior = as_shown(found), Prior(0.6, 1.4)
        fitted = find_model(name).fit(
            shown, prior=prior, limits=FitLimits(iterations=STEPS, tolerance=0.0)
        )
        how = fitted.convergence
        plain = plain_of(name, found)
        plain.start(prior.mode)
        for _ in range(how.iterations - how.converged):  # the last step only saw no gain
            plain.step((prior.hits, prior.misses), (1.0, 1.0))
        for pair, value in fitted.attractiveness.items():
            assert value == pytest.approx(plain.attraction[pair], abs=1e-12)
        if isinstance(plain, Going):
            assert fitted.parameters.continuation == pytest.approx(plain.going_on, abs=1e-12)
        rows = longest_first(found)
        chances = by_list(shown, fitted.conditional(shown))
        logs = [
            np.log(p if click else 1 - p)
            for one, of_list in zip(rows, chances, strict=True)
            for p, click in zip(of_list, one[2], strict=True)
        ]
        assert sum(logs) == pytest.approx(plain.log_likelihood(), abs=1e-10)
        for one, of_list in zip(
            rows, by_list(shown, fitted.click_probabilities(shown)), strict=True
        ):
            assert of_list == pytest.approx(plain.marginal(one), abs=1e-12)

    agree()


@pytest.mark.parametrize("name", BY_EM)
def test_em_never_loses(name: str) -> None:
    @settings(max_examples=25)
    @given(lists(most=12))
    def climbs(found: list[List]) -> None:
        for prior, others in ((Prior(0.3, 1.7), Prior()), (FLAT, FLAT)):
            fitted = find_model(name).fit(
                as_shown(found), prior=prior, others=others, limits=FitLimits(60, 1e-12)
            )
            gains = np.diff(fitted.convergence.objective)
            assert (gains >= -1e-9).all()  # what rounding may take away

    climbs()


@pytest.mark.parametrize("name", BY_EM)
def test_parameters_are_found_again(name: str) -> None:
    """Estimates lie within five standard errors of what the clicks were drawn with.

    Of some 40 to 80 parameters, one is further away than that in 20,000 such tests; the standard
    error is about sqrt(p (1 - p) / weight), the weight being what the model says of itself.
    """
    model, true = truth(name)
    shown = simulate_clicks(model, true, pages(6000), seed=3)
    fitted = model.fit(shown)
    assert fitted.convergence.converged
    found = fitted.parameters
    a = true.attraction
    error = np.sqrt(a * (1 - a) / fitted.weight)
    assert (np.abs(found.attraction - a) < 5 * error + 0.005).all()
    assert fitted.weight.min() > 100  # so the standard errors are at most 0.05
    if name in ("DBN", "SDBN"):
        assert true.satisfaction is not None
        assert found.satisfaction is not None
        assert fitted.satisfaction_weight is not None
        s = true.satisfaction
        error = np.sqrt(s * (1 - s) / fitted.satisfaction_weight)
        assert (np.abs(found.satisfaction - s) < 5 * error + 0.02).all()
    if name == "DBN":
        # Some 20,000 times somebody went on or not: a standard error of about 0.005.
        assert found.continuation == pytest.approx(0.85, abs=0.025)
    if name == "DCM":
        assert true.satisfaction is not None
        assert found.satisfaction is not None
        # At least 300 clicks a rank; below the last rank nothing can be seen.
        assert found.satisfaction[1:-1] == pytest.approx(true.satisfaction[1:-1], abs=0.12)
    if name == "PBM":
        assert found.examination is not None
        assert found.examination[1:] == pytest.approx(true.examination[1:], abs=0.05)  # type: ignore[index]


@pytest.mark.parametrize("name", BY_EM)
def test_intervals_hold_what_they_promise(name: str) -> None:
    """95 % of the 95 % intervals hold the true value: of 5 x 40, all but 10, give or take 9."""
    model, true = truth(name)
    inside = []
    for seed in range(5):
        shown = simulate_clicks(model, true, pages(1500, seed=seed), seed=seed + 50)
        fitted = model.fit(shown)
        low, high = Belief.beta(fitted.parameters.attraction, fitted.weight).interval(0.95)
        inside.append((low <= true.attraction) & (true.attraction <= high))
    assert 0.9 < np.mean(inside) < 0.99


def test_the_true_model_predicts_best() -> None:
    from cleverdon.logs.clicks.evaluation import compare_held_out

    for name in ("UBM", "DBN"):
        model, true = truth(name)
        shown = simulate_clicks(model, true, pages(6000), seed=8)
        best = compare_held_out([find_model(other) for other in MODELS], shown, share=0.3, seed=1)[
            0
        ]
        assert best.model == name


def test_the_cascade_by_hand() -> None:
    shown = ResultLists.from_lists(
        [("q", ["a", "b"], ["a"]), ("q", ["a", "b"], ["b"]), ("q", ["a", "b"], ["a", "b"])]
    )
    # a was examined three times and clicked twice; b examined once, since clicks of a end it.
    fitted = CM().fit(shown, prior=FLAT)
    assert fitted.attractiveness == {("q", "a"): pytest.approx(2 / 3), ("q", "b"): 1.0}
    assert fitted.examined.tolist() == [3, 1]
    assert CM().fit(shown, prior=Prior(1, 1)).parameters.attraction.tolist() == [3 / 5, 2 / 3]
    assert by_list(shown, fitted.click_probabilities(shown))[0] == pytest.approx([2 / 3, 1 / 3])
    assert by_list(shown, fitted.conditional(shown))[1] == pytest.approx([2 / 3, 1.0])


def test_dependent_clicks_by_hand() -> None:
    shown = ResultLists.from_lists(
        [
            ("q", ["a", "b", "c"], ["a", "b"]),
            ("q", ["a", "b", "c"], ["b"]),
            ("q", ["a", "b", "c"], ["a"]),
            ("q", ["a", "b", "c"], []),
        ]
    )
    # As if every last click had satisfied: c was examined only where nothing was clicked.
    fitted = DCM(estimate="formula").fit(shown, prior=FLAT, others=FLAT)
    assert fitted.attractiveness == {
        ("q", "a"): pytest.approx(2 / 4),
        ("q", "b"): pytest.approx(2 / 3),
        ("q", "c"): 0.0,
    }
    assert fitted.parameters.satisfaction is not None
    # Of two clicks at rank 1 one was the last, and of two at rank 2 both.
    assert fitted.parameters.satisfaction[1:].tolist() == [0.5, 1.0, 0.5]
    assert fitted.convergence.iterations == 0


def test_the_simplified_network_by_hand() -> None:
    shown = ResultLists.from_lists([("q", ["a", "b"], ["a", "b"]), ("q", ["b", "a"], ["b"])])
    fitted = SDBN(estimate="formula").fit(shown, prior=FLAT, others=FLAT)
    assert fitted.parameters.attraction.tolist() == [1.0, 1.0]
    assert fitted.parameters.satisfaction is not None
    assert fitted.parameters.satisfaction.tolist() == [0.0, 1.0]  # b was last, both times


def test_em_is_likelier_than_the_formula() -> None:
    """Counting as if every last click had satisfied overrates satisfaction."""
    model, true = truth("DCM")
    shown = simulate_clicks(model, true, pages(3000), seed=4)
    by_em = DCM().fit(shown).parameters.satisfaction
    counted = DCM(estimate="formula").fit(shown).parameters.satisfaction
    assert by_em is not None
    assert counted is not None
    assert true.satisfaction is not None
    assert (counted[1:-1] > true.satisfaction[1:-1]).all()
    assert (
        counted[-2] > true.satisfaction[-2] + 0.3
    )  # hardly anything below could have been clicked
    assert np.abs(by_em - true.satisfaction)[1:-1].max() < 0.15


def test_a_known_continuation_is_kept() -> None:
    model, true = truth("DBN")
    shown = simulate_clicks(model, true, pages(500), seed=4)
    assert DBN(continuation=0.7).fit(shown).parameters.continuation == 0.7
    one = DBN(continuation=1.0).fit(shown)
    same = SDBN().fit(shown)
    assert one.parameters.attraction == pytest.approx(same.parameters.attraction, abs=1e-12)


def test_clicks_over_expected_clicks_by_hand() -> None:
    shown = ResultLists.from_lists([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], ["b"])] * 2)
    # Rank 1 is always clicked and rank 2 never: each has its 2 clicks, and 2 are expected.
    assert COEC(smoothing=0).fit(shown).parameters.attraction.tolist() == [1.0, 1.0]
    shown = ResultLists.from_lists([("q", ["a", "b"], ["a"]), ("q", ["b", "a"], [])])
    assert COEC(smoothing=0).fit(shown).parameters.attraction.tolist() == [2.0, 0.0]
    rates = COEC(smoothing=0).fit(shown).parameters.examination
    assert rates is not None
    assert rates[1:].tolist() == [0.5, 0.0]
    # Smoothed by one click: the log's rate is a quarter, so ranks have 1.25 / 3 and 0.25 / 3.
    smoothed = COEC().fit(shown).parameters.attraction
    assert smoothed == pytest.approx([2 / 1.5, 1 / 1.5])


def test_clicks_over_expected_clicks_are_undefined_where_none_is_expected() -> None:
    shown = ResultLists.from_lists([("q", ["a", "b"], ["a"])])
    ratio = COEC(smoothing=0).fit(shown).parameters.attraction
    assert ratio[0] == 1.0
    assert np.isnan(ratio[1])


ODD = {
    "no clicks": [("q", ["a", "b"], [])] * 5,
    "all clicked": [("q", ["a", "b"], ["a", "b"])] * 5,
    "one list": [("q", ["a", "b", "c"], ["b"])],
    "one result": [("q", ["a"], [])],
    "one result, clicked": [("q", ["a"], ["a"])],
    "lists of all lengths": [("q", list("abcdefgh")[:n], ["a"]) for n in range(1, 9)],
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("odd", ODD)
def test_odd_lists(name: str, odd: str) -> None:
    shown = ResultLists.from_lists(ODD[odd])
    for options in ({}, {"prior": FLAT, "others": FLAT}):
        fitted = find_model(name).fit(shown, **options)  # type: ignore[arg-type]
        for values in (
            fitted.conditional(shown),
            fitted.click_probabilities(shown),
            fitted.weight,
            fitted.examined,
        ):
            assert np.isfinite(values).all()
        assert (fitted.click_probabilities(shown) <= 1).all()
        assert (fitted.click_probabilities(shown) >= 0).all()
        assert (fitted.examined <= fitted.impressions + 1e-9).all()


@pytest.mark.parametrize("name", MODELS)
def test_missing_ranks_are_passed_over(name: str) -> None:
    shown = ResultLists.from_lists([("q", ["a", "b", "c"], ["b"]), ("q", ["c", "a"], [])] * 3)
    gaps = replace(shown, rank=shown.rank * 3 - 2)
    fitted = find_model(name).fit(gaps)
    assert np.isfinite(fitted.conditional(gaps)).all()
    if name in ("CM", "SDBN", "DBN"):  # which know no ranks, only what comes next
        same = find_model(name).fit(shown)
        assert fitted.parameters.attraction.tolist() == same.parameters.attraction.tolist()


@pytest.mark.parametrize("name", MODELS)
def test_lists_it_was_not_fitted_on(name: str) -> None:
    fitted = find_model(name).fit(as_shown([("q", ["a", "b"], [True, False])] * 4))
    other = ResultLists.from_lists([("q", ["b", "new", "a", "x", "y"], []), ("r", ["a"], [])])
    chances = fitted.conditional(other)
    assert np.isfinite(chances).all()
    assert fitted.knows(other).tolist() == [True, False, False, True, False, False]
    # A pair that is known has the same chance, however pairs are numbered.
    again = ResultLists.from_lists([("r", ["a"], []), ("q", ["b", "a"], [])])
    assert sorted(fitted.conditional(again))[0] <= max(chances)


def test_first_rank_is_examined_unless_priors_are_to_decide() -> None:
    model, true = truth("PBM")
    shown = simulate_clicks(model, true, pages(300), seed=4)
    for cls, first in ((PBM, 1), (UBM, 9)):
        for anchored in (True, False):
            found = cls(anchored=anchored).fit(shown).parameters.examination
            assert found is not None
            assert bool(found[first] == 1.0) is anchored


def test_simulation_draws_what_the_model_says() -> None:
    for name in BY_EM:
        model, true = truth(name)
        shown = simulate_clicks(model, true, pages(20_000), seed=6)
        expected = model.marginal(true, shown)
        for place in shown.places:
            # 20,000 draws: the standard error of a rate is at most 0.0036.
            mean = expected[place.rows].mean()
            assert place.clicked.mean() == pytest.approx(mean, abs=0.018)
    again = simulate_clicks(model, true, pages(50), seed=6)
    assert (
        again.clicked.tolist() == simulate_clicks(model, true, pages(50), seed=6).clicked.tolist()
    )


@pytest.mark.parametrize("cls", click_models(), ids=lambda cls: cls.__name__)
def test_every_model_says_what_it_is(cls: type[ClickModel]) -> None:
    assert cls.__doc__
    assert cls.formula
    assert cls.undefined
    assert "doi:10." in cls.source or cls is COEC
    assert "attraction" in cls.estimates
    found = cls().fit(as_shown([("q", ["a", "b"], [True, False])])).parameters
    for name in cls.estimates:
        assert getattr(found, name) is not None
    given = {name for name in ("examination", "satisfaction") if getattr(found, name) is not None}
    assert given <= set(cls.estimates)


def test_models_by_name() -> None:
    assert {cls.__name__ for cls in click_models()} == set(MODELS)
    assert find_model("ubm") == UBM()
    with pytest.raises(OptionError, match="there is no click model 'DBM'; did you mean"):
        find_model("DBM")
    with pytest.raises(OptionError, match="PBM has no option 'anchor'; did you mean 'anchored'"):
        find_model("PBM", anchor=False)
    with pytest.raises(OptionError, match="estimate='mle' is not known"):
        DCM(estimate="mle")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"continuation=1\.5"):
        DBN(continuation=1.5)
    with pytest.raises(OptionError, match="smoothing=-1"):
        COEC(smoothing=-1)


def test_a_taken_name_is_refused() -> None:
    class pbm(PBM):
        pass

    with pytest.raises(OptionError, match="there is a click model 'PBM' already"):
        click_model(pbm)
    assert click_model(PBM) is PBM


def test_priors_and_limits_are_checked() -> None:
    with pytest.raises(OptionError, match="hits and misses are numbers of at least 0"):
        Prior(-1, 2)
    with pytest.raises(OptionError, match="iterations=0"):
        FitLimits(iterations=0)
    with pytest.raises(OptionError, match="tolerance=nan"):
        FitLimits(tolerance=float("nan"))
    assert FLAT.mode == 0.5
    assert Parameters(np.zeros(1)).continuation == 1.0


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    shown = as_shown([("q", ["a", "b"], [True, False]), ("q", ["b", "a"], [False, False])])
    fitted = PBM().fit(
        shown,
        limits=FitLimits(iterations=7, tolerance=0),
        progress=lambda step, *at: told.append(at),
    )
    assert told[-1] == (fitted.convergence.iterations, 7)
