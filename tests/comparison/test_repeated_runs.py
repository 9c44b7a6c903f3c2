"""Comparisons of systems that have several runs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import cleverdon
from cleverdon import power, slice_by
from cleverdon.comparison.differences import compare
from cleverdon.comparison.gates import gate
from cleverdon.comparison.margins import within_margin
from cleverdon.comparison.reliability import anova, discriminative_power
from cleverdon.comparison.samples import average_intervals, part_of
from cleverdon.comparison.tuning import tune_scores
from cleverdon.errors import OptionError
from cleverdon.scores import Scores
from cleverdon.stats.repeated_runs import repeats_test, variance_components
from tests.comparison.made import made


def several(values: dict[str, np.ndarray]) -> Scores:
    """Scores of systems that have runs x queries as values of AP; one row is one run."""
    scores = made({name: {"AP": list(of.mean(axis=0))} for name, of in values.items()})
    return replace(
        scores, repeats={name: of[:, None] for name, of in values.items() if len(of) > 1}
    )


def seeded(random: np.random.Generator, runs: int, seed: float = 0.05) -> np.ndarray:
    of = random.normal(0.4, 0.1, 30)
    return of + random.normal(0, seed, (runs, 1)) + random.normal(0, 0.03, (runs, 30))


def test_equal_methods_are_rarely_shown_to_differ_where_seeds_vary() -> None:
    random = np.random.default_rng(1)
    times = 300
    pairs = [{"a": seeded(random, 3), "b": seeded(random, 3)} for _ in range(times)]
    with_runs = [compare(several(pair)).differences[0].corrected for pair in pairs]
    ones = [{name: of[:1] for name, of in pair.items()} for pair in pairs]
    with_one = [compare(several(pair), test="t").differences[0].corrected for pair in ones]
    best = [
        {"a": pair["a"][[pair["a"].mean(axis=1).argmax()]], "b": pair["b"][:1]} for pair in pairs
    ]
    with_best = [compare(several(pair), test="t").differences[0].corrected for pair in best]
    assert np.mean(np.array(with_runs) <= 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / times)
    assert np.mean(np.array(with_one) <= 0.05) > 0.2
    assert np.mean(np.array(with_best) <= 0.05) > 0.25


def test_a_comparison_of_several_runs_is_one_procedure() -> None:
    random = np.random.default_rng(2)
    values = {"a": seeded(random, 3), "b": seeded(random, 3), "c": seeded(random, 1)}
    found = compare(several(values), baseline="c")
    assert (found.test, found.correction) == ("t", "holm")
    one = found.differences[0]
    tested = repeats_test(values["a"], values["c"])
    assert one.repeated is not None
    assert one.repeated.repeats == (3, 1)
    assert one.repeated.error == pytest.approx(tested.error)
    assert one.repeated.freedom == pytest.approx(tested.freedom)
    assert one.p.p == pytest.approx(tested.p_value().p)
    reach = stats.t.ppf(1 - 0.05 / 4, tested.freedom) * tested.error
    assert one.interval.low == pytest.approx(one.difference - reach)
    assert one.unadjusted.high == pytest.approx(
        one.difference + stats.t.ppf(0.975, tested.freedom) * tested.error
    )
    assert "over queries and 3 against 1 run p" in str(cleverdon.claim(found)[0])
    assert "over queries and repeated runs" in found.to_text()
    assert "a: mean of 3 runs." in found.to_text()
    again = compare(several(values)).against("c")
    assert [d.corrected for d in again.differences] == [d.corrected for d in found.differences]
    only = compare(part_of(several(values), systems=["a", "c"]), baseline="c")
    assert only.differences[0].p.p == pytest.approx(one.p.p)


def test_variances_are_separated_where_systems_have_several_runs() -> None:
    random = np.random.default_rng(5)
    values = {"a": seeded(random, 3), "b": seeded(random, 5)}
    found = compare(several(values))
    (of,) = found.variances().values()
    assert vars(of) == pytest.approx(vars(variance_components(list(values.values()))))
    assert found.to_dict()["variances"]["AP"]["runs"] == of.runs
    shares = re.search(r"Variance of AP: queries [\d.]+%, systems .*rest [\d.]+%\.", str(found))
    assert shares is not None
    alone = compare(several({name: of[:1] for name, of in values.items()}))
    assert not alone.variances()
    assert "variances" not in alone.to_dict()


def test_a_margin_counts_how_much_runs_differ() -> None:
    random = np.random.default_rng(6)
    values = {"a": seeded(random, 4), "b": seeded(random, 4)}
    claim = cleverdon.claim(compare(several(values)), margin=0.1)[0]
    tested = repeats_test(values["b"], values["a"])
    assert claim.within is not None
    assert claim.within.interval.high == pytest.approx(
        tested.difference + stats.t.ppf(0.95, tested.freedom) * tested.error
    )


def test_the_text_says_whether_queries_or_runs_help_more() -> None:
    random = np.random.default_rng(3)
    advice = {}
    for seed in (0.2, 0.0):
        found = compare(several({"a": seeded(random, 4, seed), "b": seeded(random, 4, seed)}))
        advice[seed] = str(cleverdon.claim(found)[0])
    for seed, more in ((0.2, "runs"), (0.0, "queries")):
        found = re.search(
            r"twice the queries would lower the standard error by (\d+)%, twice the runs by "
            r"(\d+)%: more (\w+) help more\.",
            advice[seed],
        )
        assert found is not None
        assert found[3] == more
        assert (int(found[2]) > int(found[1])) == (more == "runs")


def test_what_does_not_know_of_several_runs_says_so() -> None:
    random = np.random.default_rng(4)
    runs = {"a": seeded(random, 3), "b": seeded(random, 3)}
    scores = several(runs)
    for how in ({"test": "sign"}, {"correction": "max-t"}, {"interval": "bca"}):
        with pytest.raises(OptionError, match="does not know of several runs"):
            compare(scores, **how)
    with pytest.raises(OptionError, match="several runs"):
        within_margin(scores, baseline="a", margin=0.1)
    for tested in (
        lambda: gate(scores, "AP not significantly worse", system="a", baseline="b"),
        lambda: gate(scores, "AP not significantly worse by 0.1", system="a", baseline="b"),
        lambda: tune_scores(several({**runs, "c": runs["b"][:1]}), baseline="a"),
        lambda: anova(scores),
        lambda: discriminative_power(scores),
    ):
        with pytest.raises(OptionError, match="does not know of several runs of a system, as '"):
            tested()
    # What tests nothing takes the means.
    assert gate(scores, "AP >= baseline - 0.5", system="a", baseline="b").passed
    assert tune_scores(scores, folds=3).versus is None
    with pytest.raises(OptionError, match="several runs"):
        power(compare(scores))
    with pytest.raises(OptionError, match="several runs"):
        average_intervals(scores, method="bca")
    own = average_intervals(scores)["a", scores.measures[0]]
    tested = repeats_test(scores.repeats["a"][:, 0], np.zeros((1, 30)))
    assert own.high == pytest.approx(
        tested.difference + stats.t.ppf(0.975, tested.freedom) * tested.error
    )


def test_slices_count_how_much_runs_differ() -> None:
    random = np.random.default_rng(7)
    scores = several({"a": seeded(random, 3), "b": seeded(random, 3)})
    kinds = {query: "early" if at < 12 else "late" for at, query in enumerate(scores.queries)}
    found = slice_by(scores, kinds, baseline="a")
    for part, chosen in zip(found.slices, (slice(0, 12), slice(12, 30)), strict=True):
        tested = repeats_test(scores.repeats["b"][:, 0, chosen], scores.repeats["a"][:, 0, chosen])
        (one,) = part.differences
        reach = stats.t.ppf(1 - 0.05 / 4, tested.freedom) * tested.error
        assert one.p.p == pytest.approx(tested.p_value().p)
        assert one.interval.high - one.difference == pytest.approx(reach)
