"""Coefficients between rankings, against scipy, the definitions, and all orders of tied items."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon import Run, evaluate
from cleverdon._common.arrays import Floats
from cleverdon.comparison.orderings import RUN_COEFFICIENTS, correlate_runs
from cleverdon.errors import InputError, OptionError
from cleverdon.stats import correlation as rank_correlation
from cleverdon.stats.correlation import (
    RBO,
    Orders,
    coefficient_functions,
    footrule,
    kendall,
    overlap,
    rbo,
    spearman,
    tau_ap,
)

Scores = dict[str, float]
Groups = list[list[str]]

FEWER = settings(max_examples=settings.default.max_examples // 2)
scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12)


def two(pairs: list[tuple[int, int]]) -> tuple[Scores, Scores]:
    """Two orderings of the same systems, with many ties."""
    return tuple({f"s{i}": float(pair[at]) for i, pair in enumerate(pairs)} for at in (0, 1))  # type: ignore[return-value]


def same(found: float, wanted: float) -> bool:
    return math.isclose(found, wanted, abs_tol=1e-12) or (math.isnan(found) and math.isnan(wanted))


# Orders of the same items


@given(scores)
def test_kendall(pairs: list[tuple[int, int]]) -> None:
    a, b = two(pairs)
    x, y = list(a.values()), list(b.values())
    with np.errstate(invalid="ignore", divide="ignore"):
        wanted = scipy.stats.kendalltau(x, y, variant="b").statistic
    assert same(kendall(a, b), wanted)
    signs = [
        np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
        for i, j in itertools.combinations(range(len(x)), 2)
    ]
    assert same(kendall(a, b, variant="a"), float(np.mean(signs)))


@given(scores)
def test_spearman_and_footrule(pairs: list[tuple[int, int]]) -> None:
    a, b = two(pairs)
    x, y = (scipy.stats.rankdata([-v for v in side.values()]) for side in (a, b))
    constant = len(set(x)) == 1 or len(set(y)) == 1
    wanted = math.nan if constant else scipy.stats.spearmanr(x, y).statistic
    assert same(spearman(a, b), wanted)
    apart = float(np.abs(x - y).sum())
    assert same(footrule(a, b, normalised=False), apart)
    assert same(footrule(a, b), apart / (len(x) ** 2 // 2))


def plain_tau_ap(estimate: Sequence[str], truth: Sequence[str]) -> float:
    """As Yilmaz, Aslam and Robertson define it."""
    total = 0.0
    for i in range(1, len(estimate)):
        above = estimate[:i]
        right = sum(truth.index(item) < truth.index(estimate[i]) for item in above)
        total += right / i
    return 2 * total / (len(estimate) - 1) - 1


def groups_of(given: Scores) -> Groups:
    levels = sorted(set(given.values()), reverse=True)
    return [[item for item, score in given.items() if score == level] for level in levels]


def orders(groups: Groups) -> Iterator[list[str]]:
    """Every order that the tied groups leave open."""
    for arranged in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield list(itertools.chain.from_iterable(arranged))


few = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=5)


@FEWER
@given(few)
def test_tau_ap_is_the_mean_over_all_orders_of_tied_items(pairs: list[tuple[int, int]]) -> None:
    a, b = two(pairs)
    every = [
        plain_tau_ap(one, other) for one in orders(groups_of(a)) for other in orders(groups_of(b))
    ]
    assert same(tau_ap(a, b), float(np.mean(every)))


@given(st.permutations(list("abcdefgh")), st.permutations(list("abcdefgh")))
def test_tau_ap_without_ties(one: list[str], other: list[str]) -> None:
    there, back = plain_tau_ap(one, other), plain_tau_ap(other, one)
    for variant in ("a", "b"):
        assert same(tau_ap(one, other, variant=variant), there)
        assert same(tau_ap(other, one, variant=variant), back)
        assert same(tau_ap(one, other, variant=variant, symmetric=True), (there + back) / 2)


@given(scores)
def test_tau_ap_b_by_its_definition(pairs: list[tuple[int, int]]) -> None:
    a, b = two(pairs)
    shares = []
    for i in a:
        above = [j for j in a if a[j] > a[i]]
        if above:
            shares.append(sum(b[j] > b[i] for j in above) / len(above))
    wanted = 2 * float(np.mean(shares)) - 1 if shares else math.nan
    assert same(tau_ap(a, b, variant="b"), wanted)


# The values that the R package ircor (by the authors of tau-AP with ties) is tested with, to four
# digits: true scores, estimated scores, both with one digit only, and what is expected of them.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        {"plain": 0.8519, "a": 0.7454, "b": 0.7321},
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        {"plain": 0.2504, "a": 0.2692, "b": 0.297},
    ),
]


@pytest.mark.parametrize(("truth", "estimate", "wanted"), IRCOR)
def test_tau_ap_as_published(
    truth: list[float], estimate: list[float], wanted: dict[str, float]
) -> None:
    exact, rough = (dict(enumerate(values)) for values in (truth, estimate))
    exact_1, rough_1 = ({i: round(v, 1) for i, v in side.items()} for side in (exact, rough))
    assert tau_ap(rough, exact) == pytest.approx(wanted["plain"], abs=5e-5)
    assert tau_ap(rough_1, exact) == pytest.approx(wanted["a"], abs=5e-5)
    found = tau_ap(rough_1, exact_1, variant="b", symmetric=True)
    assert found == pytest.approx(wanted["b"], abs=5e-5)


def test_many_items() -> None:
    # Half a billion pairs: none of them is looked at.
    shuffled = random.Random(7)
    a = {str(i): shuffled.random() for i in range(30_000)}
    b = {item: score + shuffled.random() for item, score in a.items()}
    wanted = scipy.stats.kendalltau(list(a.values()), list(b.values())).statistic
    assert same(kendall(a, b), wanted)
    assert 0 < tau_ap(a, b) < 1


def test_nothing_to_compare() -> None:
    for function in (kendall, tau_ap, spearman, footrule):
        assert math.isnan(function(["a"], ["a"]))
        assert math.isnan(function([], {}))
    assert math.isnan(tau_ap([["a", "b"]], ["a", "b"], variant="b"))
    assert tau_ap([["a", "b"]], ["a", "b"]) == 0


# Overlap


def agreement(one: list[str], other: list[str], depth: int) -> float:
    return len(set(one[:depth]) & set(other[:depth])) / depth


def plain_rbo(one: list[str], other: list[str], p: float) -> RBO:
    """Of two rankings without ties, by summing over depths until the rest is below 1e-10."""

    def summed(a: list[str], b: list[str]) -> float:
        total, common = 0.0, 0
        for d in range(1, 230):
            if d <= len(a) or d <= len(b):
                common = len(set(a[:d]) & set(b[:d]))
            total += (1 - p) * p ** (d - 1) * common / d
        return total

    short, long = sorted((one, other), key=len)
    s, n = len(short), len(long)
    # At best both go on with what the other has had, then with the same.
    only_long = [item for item in long if item not in short]
    only_short = [item for item in short if item not in long]
    # From there on all is common, to infinity.
    best_short, best_long = short + only_long, long + only_short
    m = len(best_long)
    best = sum((1 - p) * p ** (d - 1) * agreement(best_short, best_long, d) for d in range(1, m))
    best += p ** (m - 1)
    # Webber, Moffat and Zobel's equation 32.
    x = [0.0] + [d * agreement(short, long, d) for d in range(1, n + 1)]
    series = sum(x[d] / d * p**d for d in range(1, n + 1))
    series += sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, n + 1))
    extrapolated = (1 - p) / p * series + ((x[n] - x[s]) / n + x[s] / s) * p**n
    return RBO(summed(short, long), extrapolated, best)


ITEMS = list("abcdef")
few_groups = st.lists(st.integers(0, 3), min_size=1, max_size=4)


@st.composite
def rankings(draw: st.DrawFn) -> Groups:
    items = draw(st.permutations(ITEMS))
    levels = draw(few_groups)
    return groups_of({item: float(level) for item, level in zip(items, levels, strict=False)})


def agree(found: RBO, wanted: RBO) -> bool:
    values = ("minimum", "extrapolated", "maximum")
    return all(
        math.isclose(getattr(found, name), getattr(wanted, name), abs_tol=1e-9) for name in values
    )


@FEWER
@given(rankings(), rankings(), st.sampled_from((0.5, 0.9)))
def test_rbo_is_the_mean_over_all_orders_of_tied_items(a: Groups, b: Groups, p: float) -> None:
    cases = [plain_rbo(x, y, p) for x in orders(a) for y in orders(b)]
    wanted = RBO(
        *(
            float(np.mean([getattr(case, name) for case in cases]))
            for name in ("minimum", "extrapolated", "maximum")
        )
    )
    found = rbo(a, b, p=p)
    assert agree(found, wanted)
    assert agree(rbo(b, a, p=p), found)
    assert found.minimum <= found.extrapolated + 1e-12 <= found.maximum + 2e-12


@given(rankings(), rankings(), st.integers(1, 8))
def test_overlap_is_the_mean_over_all_orders_of_tied_items(a: Groups, b: Groups, k: int) -> None:
    every = [agreement(x, y, k) for x in orders(a) for y in orders(b)]
    assert same(overlap(a, b, k=k), float(np.mean(every)))


# Made with the implementation that Corsi and Urbano published with their paper (variant w, and
# where the rankings are of one length variant a), p = 0.9: minimum, extrapolated, maximum.
PUBLISHED: list[tuple[Any, Any, str, tuple[float, float, float]]] = [
    (
        ["b", ["i", "g", "f"], "a", "c", ["h", "e"]],
        ["i"],
        "equal",
        (0.136479510968, 0.161204349643, 0.854885631429),
    ),
    (
        [["c", "d"]],
        ["c", "j", ["g", "h"], ["b", "e"], "f"],
        "equal",
        (0.217459402829, 0.507898679654, 0.833400230303),
    ),
    (
        [["b", "i", "g"], ["j", "f", "d"], ["c", "a"]],
        [["c", "h"], ["a", "f", "j"], "g", "e", "b"],
        "equal",
        (0.325694815676, 0.474043847727, 0.576877681227),
    ),
    (
        [["b", "i", "g"], ["j", "f", "d"], ["c", "a"]],
        [["c", "h"], ["a", "f", "j"], "g", "e", "b"],
        "average",
        (0.295862200091, 0.444211232143, 0.547045065643),
    ),
    (
        ["c", "a", ["i", "d", "g"], "j", ["f", "h"]],
        [["a", "d"], "i", ["j", "h"], "f", "b", "g"],
        "equal",
        (0.516173196773, 0.689247067500, 0.743055468750),
    ),
    (
        ["c", "a", ["i", "d", "g"], "j", ["f", "h"]],
        [["a", "d"], "i", ["j", "h"], "f", "b", "g"],
        "average",
        (0.494652988202, 0.667726858929, 0.721535260179),
    ),
    (
        [["d", "h", "b"], "e", "f", "c"],
        [["a", "f"], "d", ["h", "g"], "j"],
        "equal",
        (0.256253364331, 0.394011000000, 0.638568760179),
    ),
    (
        [["d", "h", "b"], "e", "f", "c"],
        [["a", "f"], "d", ["h", "g"], "j"],
        "average",
        (0.251190864331, 0.388948500000, 0.633506260179),
    ),
    (
        ["d", ["e", "h"], "j"],
        [["e", "c"], ["b", "d"]],
        "equal",
        (0.249971290507, 0.446785714286, 0.761713714286),
    ),
    (
        ["d", ["e", "h"], "j"],
        [["e", "c"], ["b", "d"]],
        "average",
        (0.230685576221, 0.427500000000, 0.742428000000),
    ),
    (
        [["b", "d"], "c", ["i", "f", "h"], ["g", "e"]],
        [["h", "i"], ["d", "c"], ["g", "f"], "a", "b"],
        "equal",
        (0.496439411059, 0.669513281786, 0.723321683036),
    ),
    (
        [["b", "d"], "c", ["i", "f", "h"], ["g", "e"]],
        [["h", "i"], ["d", "c"], ["g", "f"], "a", "b"],
        "average",
        (0.460113495345, 0.633187366071, 0.686995767321),
    ),
]


@pytest.mark.parametrize(("a", "b", "ties", "wanted"), PUBLISHED)
def test_rbo_as_published(a: Any, b: Any, ties: Any, wanted: tuple[float, float, float]) -> None:
    assert agree(rbo(a, b, p=0.9, ties=ties), RBO(*wanted))


def test_rbo_of_a_ranking_with_itself() -> None:
    items = [str(i) for i in range(1000)]
    found = rbo(items, items)
    assert found.minimum == pytest.approx(1)
    assert found.extrapolated == pytest.approx(1)
    assert found.maximum == pytest.approx(1)
    tied = [["a", "b"], "c"]
    assert rbo(tied, tied, ties="equal").extrapolated == pytest.approx(1)
    assert rbo(tied, tied).extrapolated < 1  # the order of a and b is not known


def test_rbo_of_nothing() -> None:
    nothing = rbo([], [])
    assert (nothing.minimum, nothing.maximum, nothing.residual) == (0, 1, 1)
    assert math.isnan(nothing.extrapolated)
    half = rbo([], ["a", "b"])
    assert half.minimum == 0
    assert half.maximum == pytest.approx(1)
    assert math.isnan(half.extrapolated)


# Runs


RUN_A = {"q1": {"d1": 3, "d2": 2, "d3": 1, "d4": 0}, "q2": {"d1": 1}, "only a": {"d1": 1}}
RUN_B = {"q1": {"d2": 9, "d1": 8, "d9": 7, "d3": 7}, "q2": {"d2": 1}, "only b": {"d1": 1}}


@pytest.mark.parametrize("how", RUN_COEFFICIENTS)
def test_runs(how: str) -> None:
    found = correlate_runs(RUN_A, Run.read(RUN_B), how=how)
    assert list(found) == ["q1", "q2"]
    a, b = RUN_A["q1"], RUN_B["q1"]
    if how not in ("rbo", "overlap", "kendall_union"):
        a, b = ({doc: side[doc] for doc in ("d1", "d2", "d3")} for side in (a, b))
        assert math.isnan(found["q2"])
    assert found["q1"] == RUN_COEFFICIENTS[how](a, b)


def test_runs_down_to_k() -> None:
    assert correlate_runs(RUN_A, RUN_B, how="overlap", k=2) == {"q1": 1.0, "q2": 0.0}
    assert correlate_runs(RUN_A, RUN_B, how="kendall", k=2)["q1"] == -1
    assert correlate_runs(RUN_A, RUN_B, k=1, p=0.5) == {"q1": 0.0, "q2": 0.0}


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n")
    assert correlate_runs(path, path, how="spearman") == {"q1": pytest.approx(1)}


def test_systems_by_two_measures() -> None:
    qrels = {"q1": {"d1": 1, "d3": 2}}
    evaluated = evaluate(qrels, {"a": {"q1": {"d1": 1}}, "b": {"q1": {"d3": 1}}}, "RR nDCG")
    by = {m: {s: evaluated.mean(s, m) for s in evaluated.systems} for m in ("RR", "nDCG")}
    assert kendall(by["RR"], by["nDCG"], variant="a") == 0
    assert math.isnan(kendall(by["RR"], by["nDCG"]))  # RR ties them


# Mistakes


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: kendall(["a"], ["b"]), InputError, "is in one ranking only"),
        (lambda: kendall(["a", "a"], ["a"]), InputError, "'a' occurs twice in one ranking"),
        (lambda: kendall("ab", ["a"]), InputError, "a ranking is a list of ids"),
        (lambda: spearman({"a": math.nan}, ["a"]), InputError, "the score of 'a' is no number"),
        (lambda: rbo(["a"], ["a"], p=1), OptionError, "p=1: the persistence is above 0"),
        (lambda: rbo(["a"], ["a"], ties="b"), OptionError, "ties='b' is not known"),
        (lambda: kendall(["a"], ["a"], variant="c"), OptionError, "variant='c' is not known"),
        (lambda: overlap(["a"], ["a"], k=0), OptionError, "k=0: a cut-off is a whole number"),
        (lambda: correlate_runs(RUN_A, RUN_B, how="tau"), OptionError, "how='tau' is not known"),
        (
            lambda: correlate_runs({"q1": {"d": 1}}, {"q2": {"d": 1}}),
            InputError,
            "the runs have no query in common: one has 'q1', the other 'q2'",
        ),
    ],
)
def test_mistakes(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)


@st.composite
def two_tables(draw: st.DrawFn) -> tuple[Floats, Floats]:
    """Scores of the same systems, 8 orders each, with few or many ties."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    systems, grades = draw(st.integers(2, 12)), draw(st.sampled_from([1, 2, 4, 1000]))
    a, b = random.integers(0, grades, size=(2, 8, systems)).astype(float)
    return a, b


@given(two_tables(), st.booleans(), st.sampled_from([0.3, 0.9, 0.98]))
def test_each_is_the_one_of_its_name(
    tables: tuple[Floats, Floats], symmetric: bool, p: float
) -> None:
    one_by_one = {
        "kendall": rank_correlation.kendall,
        "tau_ap": lambda a, b: rank_correlation.tau_ap(a, b, symmetric=symmetric),
        "spearman": rank_correlation.spearman,
        "rbo": lambda a, b: rank_correlation.rbo(a, b, p=p).extrapolated,
    }
    orders = [Orders(table) for table in tables]
    functions = coefficient_functions(symmetric=symmetric, p=p)
    assert functions.keys() == one_by_one.keys()
    for name, function in functions.items():
        wanted = [
            one_by_one[name](dict(enumerate(a.tolist())), dict(enumerate(b.tolist())))
            for a, b in zip(*tables, strict=True)
        ]
        assert function(*orders) == pytest.approx(wanted, abs=1e-12, nan_ok=True), name
