"""Scores and comparisons by kinds of queries."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon import Scores, evaluate, slice_by
from cleverdon.comparison.differences import compare
from cleverdon.comparison.slices import Slices, _reversals
from cleverdon.errors import InputError, OptionError
from cleverdon.measures.notation import parse
from cleverdon.stats.multiple_comparisons import holm
from tests.comparison.made import made

QUERIES = [f"q{i}" for i in range(24)]
QRELS = {query: {"a": 1, "b": 0, "c": 1} for query in QUERIES}
LANGUAGE = {query: "en" if i < 14 else "de" for i, query in enumerate(QUERIES) if i < 22}


def ranked(seed: int) -> dict[str, dict[str, float]]:
    """A run in random order."""
    random = np.random.default_rng(seed)
    return {
        query: dict(zip("abcd", random.permutation(4).tolist(), strict=True)) for query in QUERIES
    }


@pytest.fixture(scope="module")
def scores() -> Scores:
    return evaluate(QRELS, {"one": ranked(1), "two": ranked(2), "three": ranked(3)}, "AP RR")


def test_each_slice_is_what_evaluating_it_alone_gives(scores: Scores) -> None:
    found = slice_by(scores, LANGUAGE, baseline="one", primary="all")
    assert [part.name for part in found.slices] == ["en", "de", "unknown"]
    assert [len(part.queries) for part in found.slices] == [14, 8, 2]
    assert [part.few for part in found.slices] == [False, True, True]
    assert found.unknown == 2
    every = []
    for part in found.slices:
        qrels = {query: QRELS[query] for query in part.queries}
        runs = {name: ranked(seed) for seed, name in enumerate(("one", "two", "three"), start=1)}
        alone = evaluate(qrels, runs, "AP RR")
        assert part.averages == pytest.approx(alone.means)
        by_itself = compare(alone, baseline="one", correction="none").differences
        for mine, other in zip(part.differences, by_itself, strict=True):
            assert (mine.system, mine.measure, mine.p) == (other.system, other.measure, other.p)
        every += [difference.p.p for difference in by_itself]
    # Two systems by two measures on three slices.
    assert found.families == (len(every),) == (12,)
    flat = [difference.corrected for part in found.slices for difference in part.differences]
    assert flat == pytest.approx(holm(every))


@pytest.mark.parametrize(("asked", "primary"), [(None, "AP"), ("RR", "RR")])
def test_the_primary_measure_is_a_family_of_its_own(
    scores: Scores, asked: str | None, primary: str
) -> None:
    found = slice_by(scores, LANGUAGE, baseline="one", primary=asked)
    assert (str(found.primary), found.families) == (primary, (6, 6))
    every = [one for part in found.slices for one in part.differences]
    for name in ("AP", "RR"):
        family = [one for one in every if str(one.measure) == name]
        corrected = holm([one.p.p for one in family])
        assert [one.corrected for one in family] == pytest.approx(corrected)
        assert {one.family for one in family} == {6}
        between = [one for one in found.interactions if str(one.measure) == name]
        assert [one.corrected for one in between] == pytest.approx(holm([o.p.p for o in between]))
    one = found["en"].differences[0]
    rows = found["en"].scores.values[1, 0] - found["en"].scores.values[0, 0]
    error = rows.std(ddof=1) / np.sqrt(len(rows))
    reach = stats.t.ppf(1 - 0.05 / 12, len(rows) - 1) * error
    assert one.reach == pytest.approx(reach)
    text = found.render()
    assert f"for 6 comparisons by {primary}, which decides, and for 6 comparisons by the" in text
    with pytest.raises(OptionError, match="primary='P@5' is not among the measures"):
        slice_by(scores, LANGUAGE, primary="P@5")


def test_one_system_has_scores_and_no_comparisons(scores: Scores) -> None:
    found = slice_by(scores, LANGUAGE, systems=["two"], measures="AP")
    assert found.families == ()
    assert found["en"].averages.shape == (1, 1)
    assert "corrected" not in found.render()
    with pytest.raises(KeyError):
        found["fr"]


@given(
    st.lists(st.integers(-5, 40), min_size=3, max_size=24),
    st.integers(1, 6),
)
def test_numbers_are_cut_at_quantiles(numbers: list[int], bins: int) -> None:
    qrels = {query: QRELS[query] for query in QUERIES[: len(numbers)]}
    scored = evaluate(qrels, ranked(1), "RR")
    length = dict(zip(QUERIES, numbers, strict=False))
    found = slice_by(scored, length, bins=bins)
    parts = [[length[query] for query in part.queries] for part in found.slices]
    assert sum(map(len, parts)) == len(numbers)
    # Slices do not overlap, and stand in order: no number is in two of them.
    assert all(max(low) < min(high) for low, high in pairwise(parts))
    distinct = len(set(numbers))
    assert found.cut == (distinct > bins)
    assert len(parts) <= bins if found.cut else len(parts) == distinct
    for part, values in zip(found.slices, parts, strict=True):
        low, high = min(values), max(values)
        assert part.name == (str(low) if low == high else f"{low} to {high}")
    if distinct == len(numbers) and found.cut:
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_numbers_can_be_taken_as_names(scores: Scores) -> None:
    found = slice_by(scores, {query: i % 6 for i, query in enumerate(QUERIES)}, bins=0)
    assert [part.name for part in found.slices] == ["0", "1", "2", "3", "4", "5"]
    mixed = slice_by(scores, {query: "x" if i else 3 for i, query in enumerate(QUERIES)})
    assert not mixed.cut


def test_queries_of_no_use_are_counted_and_no_common_query_is_an_error(scores: Scores) -> None:
    assert slice_by(scores, LANGUAGE | {"q99": "en"}).unused == 1
    with pytest.raises(InputError, match=r"no evaluated query has a 'slice'.*'t1'.*'q0'"):
        slice_by(scores, {"t1": "en"})
    with pytest.raises(InputError, match=r"no evaluated query has a 'slice'$"):
        slice_by(scores, {"q1": None})


def test_options_that_do_not_fit(scores: Scores) -> None:
    with pytest.raises(OptionError, match="corrects within one slice only"):
        slice_by(scores, LANGUAGE, test="tukey")
    with pytest.raises(OptionError, match="bins=-1"):
        slice_by(scores, LANGUAGE, bins=-1)
    with pytest.raises(OptionError, match="no system 'four'"):
        slice_by(scores, LANGUAGE, baseline="four")


def test_a_slice_without_shared_queries_is_scored_and_not_compared() -> None:
    first = {query: run for query, run in ranked(1).items() if query != "q23"}
    second = {query: run for query, run in ranked(2).items() if query != "q22"}
    scored = evaluate(QRELS, {"one": first, "two": second}, "RR", missing="skip")
    found = slice_by(scored, LANGUAGE, baseline="one")
    assert found["unknown"].differences == ()
    assert not np.isnan(found["unknown"].averages).any()
    assert found.families == (2,)


def test_simpsons_paradox_by_the_numbers_of_the_kidney_stones() -> None:
    # Charig et al. 1986: A heals 273 of 350, B 289 of 350, yet A is better on both kinds.
    measure = (parse("R@10"),)
    by_kind = {
        "small": np.array([[81 / 87], [234 / 270]]),
        "large": np.array([[192 / 263], [55 / 80]]),
    }
    overall = np.array([[273 / 350], [289 / 350]])
    (found,) = _reversals(("A", "B"), measure, overall, by_kind)
    assert (found.ahead, found.behind, found.paradox) == ("B", "A", True)
    assert found.reversed == ("small", "large")
    assert "Simpson's paradox" in str(found)


def test_reversal_in_most_slices_is_a_note_and_lower_may_be_better() -> None:
    def one(measure: str, overall: list[float], **by_slice: list[float]) -> Any:
        parts = {name: np.array(pair)[:, None] for name, pair in by_slice.items()}
        return _reversals(("x", "y"), (parse(measure),), np.array(overall)[:, None], parts)

    (found,) = one("AP", [0.5, 0.4], a=[0.1, 0.2], b=[0.1, 0.2], c=[0.9, 0.2])
    assert (found.paradox, found.reversed, found.agreeing) == (False, ("a", "b"), ("c",))
    assert "better in 2 of 3 slices; the lead comes from c" in str(found)
    # Half of the slices are not most; even ones are slices as well.
    assert one("AP", [0.5, 0.4], a=[0.1, 0.2], c=[0.9, 0.2]) == ()
    assert one("AP", [0.5, 0.4], a=[0.1, 0.2], b=[0.3, 0.3], c=[0.9, 0.2]) == ()
    # Better in one, and worse in none, is the paradox; even everywhere is not.
    assert one("AP", [0.5, 0.4], a=[0.1, 0.2], b=[0.3, 0.3 + 1e-12])[0].paradox
    assert one("AP", [0.5, 0.4], a=[0.2, 0.2], b=[0.3, 0.3]) == ()
    assert one("AP", [0.4, 0.4], a=[0.1, 0.2], b=[0.1, 0.2]) == ()
    (lower,) = one("SetE", [0.5, 0.4], a=[0.1, 0.2], b=[0.1, 0.2])
    assert (lower.ahead, lower.paradox) == ("y", True)
    assert one("NumRet", [5, 4], a=[1, 2], b=[1, 2]) == ()
    # A slice without values is passed over.
    assert one("AP", [0.5, 0.4], a=[0.1, 0.2], b=[np.nan, 0.2])[0].reversed == ("a",)


@given(st.integers(0, 10**6))
def test_means_over_the_same_queries_are_never_all_reversed(seed: int) -> None:
    random = np.random.default_rng(seed)
    scored = evaluate(QRELS, {"one": ranked(seed), "two": ranked(seed + 1)}, "AP P@2")
    kinds = random.integers(0, 5, size=len(QUERIES))
    by_kind = {str(kind): scored.values[:, :, kinds == kind].mean(axis=2) for kind in set(kinds)}
    found = _reversals(scored.systems, scored.measures, scored.means, by_kind)
    assert not any(reversal.paradox for reversal in found)


def test_a_paradox_where_systems_have_different_queries() -> None:
    """Each left out what it is bad at, one of them mostly the hard queries."""
    hard = {query: "hard" if i < 12 else "easy" for i, query in enumerate(QUERIES)}
    good, fair, poor = ({"a": 3.0, "b": 2.0}, {"b": 3.0, "a": 2.0}, {"b": 3.0, "d": 2.0, "a": 1.0})
    strong = {query: fair if hard[query] == "hard" else good for query in QUERIES[:18]}
    weak = {query: poor if hard[query] == "hard" else good for query in QUERIES[10:]}
    weak["q23"] = fair
    found = slice_by(evaluate(QRELS, {"strong": strong, "weak": weak}, "RR", missing="skip"), hard)
    assert found.averages[1, 0] > found.averages[0, 0]
    assert [reversal.paradox for reversal in found.reversals] == [True]
    assert "warning: weak beats strong on RR over all queries" in found.render()
    # On the queries that both have, which is what comparisons are of, the strong one is ahead.
    (against,) = found["hard"].differences
    assert (against.system, against.difference < 0) == ("weak", True)


def test_micro_averages_can_be_all_reversed() -> None:
    """The one with many results where precision is high, and few where it is low, wins overall."""
    qrels = {"e": {f"d{i}": 1 for i in range(100)}, "h": {f"d{i}": 1 for i in range(100)}}

    def results(hits: int, misses: int) -> dict[str, float]:
        docs = [f"d{i}" for i in range(hits)] + [f"x{i}" for i in range(misses)]
        return {doc: float(-place) for place, doc in enumerate(docs)}

    runs = {
        "careful": {"e": results(9, 1), "h": results(30, 70)},
        "bold": {"e": results(80, 20), "h": results(2, 8)},
    }
    found = slice_by(evaluate(qrels, runs, "SetP"), {"e": "easy", "h": "hard"}, average="micro")
    assert found.averages[:, 0].tolist() == pytest.approx([39 / 110, 82 / 110])
    (reversal,) = found.reversals
    assert (reversal.ahead, reversal.paradox) == ("bold", True)


def test_what_is_printed(scores: Scores) -> None:
    found = slice_by(scores, LANGUAGE, by="slice", baseline="one", measures="AP")
    text = found.render()
    for part in (
        "24 queries in 3 slices",
        "2 queries without slice (unknown)",
        "few: fewer than 10 queries in de, unknown",
        "corrected (holm) for 6 comparisons",
    ):
        assert part in text
    rows = found.render("csv").splitlines()
    assert len(rows) == 1 + 3 * 4
    assert rows[0].startswith("slice,queries,system,measure,value,baseline")
    held = json.loads(found.render("json"))
    assert held["slices"][0]["averages"]["one"]["AP"] == found["en"].averages[0, 0]
    assert held["slices"][1]["differences"][0]["corrected"] <= 1
    assert held["averages"]["two"]["AP"] == scores.mean("two", "AP")
    for format in ("markdown", "latex", "html"):
        assert "unknown" in found.render(format)


def test_a_slice_that_is_too_small_for_the_test_is_named() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    old = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    scores = evaluate(qrels, {"old": old, "new": old | {"q0": {"a": 1.0}}}, "RR")
    with pytest.raises(OptionError, match="slice 'de': the t test needs at least 2 units"):
        slice_by(scores, {"q0": "de", "q1": "en", "q2": "en", "q3": "en"}, test="t")


def test_a_slice_in_which_a_measure_is_undefined_has_no_value() -> None:
    qrels = {query: {"a": int(i < 14), "b": 0} for i, query in enumerate(QUERIES)}
    scores = evaluate(qrels, {"one": ranked(1), "two": ranked(2)}, "AP RR")
    found = slice_by(scores, LANGUAGE, baseline="one")
    en, de, _ = found.slices
    assert np.isfinite(en.averages).all()
    assert np.isnan(de.averages[:, 0]).all()
    assert np.isfinite(de.averages[:, 1]).all()
    assert [str(difference.measure) for difference in de.differences] == ["RR"]
    assert found.families == (1, 3)
    assert "de: AP: undefined for every query (no judged document is relevant)" in found.render()
    of_de = json.loads(found.render("json"))["slices"][1]
    assert of_de["averages"]["two"] == {"AP": None, "RR": 0.0}
    assert of_de["warnings"] == ["AP: undefined for every query (no judged document is relevant)"]


def sliced(gains: dict[str, tuple[int, float, float]], **options: object) -> Slices:
    """Two systems that differ by a mean and a deviation in each slice of so many queries."""
    random = np.random.default_rng(4)
    kinds, base, other = [], [], []
    for name, (count, mean, deviation) in gains.items():
        noise = random.normal(size=count)
        values = random.uniform(0.3, 0.5, count)
        kinds += [name] * count
        base += list(values)
        other += list(values + mean + deviation * (noise - noise.mean()) / noise.std(ddof=1))
    scores = made({"base": {"AP": base}, "other": {"AP": other}})
    attributes = {f"q{at:04}": kind for at, kind in enumerate(kinds)}
    return slice_by(scores, attributes, baseline="base", **options)  # type: ignore[arg-type]


def test_shown_in_one_slice_and_not_in_the_other_is_a_doubt_unless_the_slices_differ() -> None:
    alike = sliced({"long": (40, 0.05, 0.08), "short": (40, 0.025, 0.09)})
    assert [part.differences[0].corrected <= 0.05 for part in alike.slices] == [True, False]
    assert alike.interactions[0].corrected > 0.05
    (sentence,) = alike.one_sided_slices()
    assert "in long and not in short, yet these slices are not shown to differ" in sentence
    assert f"doubt: {sentence}" in alike.render()
    assert alike.to_dict()["doubts"] == [sentence]
    unlike = sliced({"long": (40, 0.1, 0.08), "short": (40, 0.0, 0.08)})
    assert unlike.interactions[0].corrected < 0.001
    assert unlike.one_sided_slices() == unlike.to_dict()["doubts"] == []
    both = sliced({"long": (40, 0.1, 0.08), "short": (40, 0.1, 0.08)})
    assert both.one_sided_slices() == []


def test_the_test_between_two_slices_is_a_shuffled_welch_test() -> None:
    found = sliced({"long": (12, 0.05, 0.1), "short": (20, 0.0, 0.03)})
    groups = [
        np.array(
            [
                part.scores.per_query("other", "AP")[q] - part.scores.per_query("base", "AP")[q]
                for q in part.queries
            ]
        )
        for part in found.slices
    ]

    def welch(one: np.ndarray, two: np.ndarray, axis: int) -> np.ndarray:
        tested = stats.ttest_ind(one, two, axis=axis, equal_var=False)
        return np.abs(tested.statistic)

    expected = stats.permutation_test(
        groups, welch, vectorized=True, n_resamples=20_000, alternative="greater", rng=1
    )
    assert found.interactions[0].p.p == pytest.approx(expected.pvalue, abs=0.012)


def test_where_interval_and_verdict_of_a_slice_disagree_it_is_said() -> None:
    # Holm's second p-value is multiplied by 1, the interval is adjusted for two.
    found = sliced({"long": (30, 0.2, 0.1), "short": (30, 0.04, 0.1)}, test="t")
    assert found["short"].differences[0].corrected <= 0.05
    assert found["short"].differences[0].interval.low < 0
    assert found.disagreeing == ("other and base on AP in short",)
    assert "by different methods: other and base on AP in short" in found.render()
    assert sliced({"long": (30, 0.2, 0.1), "short": (30, 0.2, 0.1)}, test="t").disagreeing == ()


def test_a_slice_in_which_nothing_can_be_significant_is_named() -> None:
    # 2 / 2**6 is below 0.05, and twice as much is not: with Holm's correction, 30 queries help.
    parts = {"long": (30, 0.2, 0.1), "short": (5, 0.2, 0.1)}
    found = sliced(parts)
    assert found["short"].differences[0].corrected == 2 / 2**5
    assert found.out_of_reach == ("other and base on AP in short",)
    assert "queries is at most 0.05: other and base on AP in short" in found.render()
    assert sliced(parts, test="t").out_of_reach == ()
    six = {"one": (6, 0.2, 0.01), "two": (6, 0.2, 0.01)}
    assert len(sliced(six).out_of_reach) == 2
    assert sliced(six)["one"].differences[0].corrected == 4 / 2**6
    assert sliced(six, correction="none").out_of_reach == ()


def test_a_confidence_that_is_not_of_the_level_is_said() -> None:
    found = sliced({"long": (30, 0.04, 0.1), "short": (30, 0.0, 0.1)}, confidence=0.5)
    assert "since the confidence of 0.5 is not that of the level 0.05: other" in found.render()


def test_verdicts_of_thinly_judged_slices_are_qualified() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(20)}
    good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    strange = {query: {"x": 2.0, "y": 1.0} for query in qrels}
    kinds = {query: "even" if i % 2 else "odd" for i, query in enumerate(qrels)}
    found = slice_by(evaluate(qrels, {"base": strange, "other": good}, "P@1"), kinds)
    names = ["nothing-judged", "unjudged-differs"]
    for part in found.to_dict()["slices"]:
        (compared,) = part["differences"]
        assert (compared["significant"], compared["qualified"]) == (True, names)
    assert found.render("csv").count("nothing-judged unjudged-differs") == 2
    (line,) = (line for line in found.render().split("\n") if "(unjudged-differs" in line)
    assert line.startswith("doubt in odd; 1 other slice is alike: of the first 1 results, 100% of")
    judged = {query: {"a": 1, "b": 0} for query in qrels}
    poor = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    sure = slice_by(evaluate(judged, {"base": poor, "other": good}, "P@1"), kinds)
    assert [part.qualified(part.differences[0]) for part in sure.slices] == [[], []]
    assert "doubt" not in sure.render()


def test_programs_get_both_intervals() -> None:
    lines = sliced({"long": (30, 0.2, 0.1), "short": (30, 0.04, 0.1)}).render("csv").splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
    (short,) = [one for one in rows if one["slice"] == "short" and one["baseline"]]
    assert float(short["low"]) < float(short["unadjusted_low"]) < float(short["difference"])
    assert float(short["high"]) > float(short["unadjusted_high"]) > float(short["difference"])
