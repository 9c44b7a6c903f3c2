"""What holds for every registered measure: its texts, its worked examples, and what it promises."""

from __future__ import annotations

import random
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cleverdon import Measure, evaluate, parse
from cleverdon.errors import NotationError
from cleverdon.measures.base import REQUIRED, Promise, one_line
from cleverdon.measures.registry import FAMILIES, family, measures
from tests.differential.collections import INTEGER_GRADES, SCORES, Collection, Nested, collections
from tests.differential.variants import all_variants, holds_to
from tests.worked_examples import Worked, examples

EVERY = all_variants()

# Of what is tried with every variant at once: an example is hundreds of cases already.
FEWER, FEW = (settings(max_examples=max(settings.default.max_examples // n, 5)) for n in (3, 4))

every_measure = pytest.mark.parametrize("cls", measures(), ids=lambda cls: cls.__name__)
every_example = pytest.mark.parametrize(
    "example",
    [example for cls in measures() for example in examples(cls)],
    ids=lambda example: f"{example.measure} of {example.ranking}",
)


def promising(promise: Promise) -> list[Measure]:
    """The variants of each measure that promises this."""
    return [variant for variant in EVERY if holds_to(variant, promise)]


def values(collection: Collection, *wanted: Measure, **options: Any) -> np.ndarray:
    """Measures x queries."""
    return evaluate(collection.qrels, {"run": collection.run}, wanted, **options).values[0]


def same(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether all digits agree, undefined values included."""
    return np.array_equal(left, right, equal_nan=True)


# Texts


@every_measure
def test_says_all_there_is_to_say(cls: type[Measure]) -> None:
    for text in (cls.formula, cls.user, cls.undefined, cls.source, cls.worked):
        assert text.strip()
    assert one_line(cls).endswith((".", ":")), "a docstring starts with one whole sentence"
    assert vars(cls).get("__doc__") is not None, "a docstring of its own, not inherited"
    assert family(cls) in FAMILIES.values()
    assert cls.range[0] < cls.range[1]
    assert cls.promises <= set(get_args(Promise))


@every_measure
def test_shows_where_it_is_undefined(cls: type[Measure]) -> None:
    shown = any(example.undefined for example in examples(cls))
    assert shown == (not cls.undefined.startswith("never")) or "; with" in cls.undefined


@every_example
def test_worked_example(example: Worked) -> None:
    assert example.agrees(example.found), f"is {example.found}"


# Promises


@given(collections())
def test_values_lie_in_the_range(collection: Collection) -> None:
    wanted = promising("in range")
    for variant, found in zip(wanted, values(collection, *wanted), strict=True):
        lowest, highest = variant.range
        # A sum of rounded shares may pass the whole by its last digit.
        inside = np.isnan(found) | ((found >= lowest) & (found <= highest + 1e-12))
        assert np.all(inside), f"{variant} is {found}"


@given(collections(fewest=2), st.data())
def test_a_better_result_moved_up_is_never_worse(
    collection: Collection, data: st.DataObject
) -> None:
    longest = max(collection.run, key=lambda query: len(collection.run[query]))
    ranking = data.draw(st.permutations(sorted(collection.run[longest])))
    assume(len(ranking) > 1 and longest in collection.qrels)
    upper, lower = sorted(
        data.draw(st.sets(st.integers(0, len(ranking) - 1), min_size=2, max_size=2))
    )
    exchanged = list(ranking)
    exchanged[upper], exchanged[lower] = ranking[lower], ranking[upper]
    wanted = promising("swap")
    before, after = (
        values(Collection(collection.qrels, {longest: _falling_scores(docs)}), *wanted)
        for docs in (ranking, exchanged)
    )
    for variant, gained in zip(wanted, np.nan_to_num(after - before), strict=True):
        grades = [collection.qrels[longest].get(ranking[place]) for place in (upper, lower)]
        high, low = (_worth(variant, grade) for grade in grades)
        sign = -1 if variant.better == "lower" else 1
        if high is not None and low is not None and high != low:
            improved = gained * sign * (1 if low > high else -1)
            # The same shares added in another order may differ in their last digit.
            assert np.all(improved >= -1e-12), f"{variant}: {gained}"


@given(collections(grades=INTEGER_GRADES, fewest=2), st.data())
def test_a_better_grade_is_never_worse(collection: Collection, data: st.DataObject) -> None:
    places = [(q, doc) for q, docs in collection.run.items() for doc in docs]
    query, doc = data.draw(st.sampled_from([(q, d) for q, d in places if q in collection.qrels]))
    top_grade = max(grade for grades in collection.qrels.values() for grade in grades.values())
    assume(top_grade > collection.qrels[query].get(doc, 0))
    raised = {**collection.qrels, query: {**collection.qrels[query], doc: top_grade}}
    wanted = promising("gain")
    before, after = (
        values(Collection(qrels, collection.run), *wanted) for qrels in (collection.qrels, raised)
    )
    for variant, old, new in zip(wanted, before, after, strict=True):
        assert same(np.isnan(old), np.isnan(new)), f"{variant}: {old}, {new}"
        assert np.all(np.nan_to_num(new - old) >= -1e-12), f"{variant}: {old}, {new}"


def _falling_scores(ranking: list[str]) -> dict[str, float]:
    return {doc: float(-rank) for rank, doc in enumerate(ranking)}


def _worth(measure: Measure, grade: float | None) -> float | None:
    """How good a result is in the eyes of a measure; None where it does not look at it."""
    if measure.judged_only and (grade is None or grade < 0):
        return None
    if "gains" in measure.parameters:
        return 0.0 if grade is None else measure.gains.get(grade, max(grade, 0))
    if getattr(measure, "rel", None) is not None:
        return float(grade is not None and grade >= measure.rel)
    return max(grade or 0.0, 0.0)


@FEWER
@given(collections(scores=SCORES), st.integers(1, 3))
def test_unjudged_results_at_the_end_change_nothing(collection: Collection, length: int) -> None:
    longer: Nested = {}
    for query in collection.qrels:
        results = collection.run.get(query, {})
        # Tied with the last result, and of the smallest ids of all, so that they come behind it.
        tail = {f"!{number}": min(results.values(), default=0.0) for number in range(length)}
        longer[query] = {**results, **tail}
    wanted = promising("unjudged tail")
    without, with_tail = (
        values(Collection(collection.qrels, run), *wanted) for run in (collection.run, longer)
    )
    for variant, left, right in zip(wanted, without, with_tail, strict=True):
        assert same(left, right), f"{variant} was {left}, and became {right}"


# What all measures have in common


@given(collections())
def test_a_value_is_what_its_parts_stand_for(collection: Collection) -> None:
    with_parts = [variant for variant in EVERY if variant.has_parts]
    scores = evaluate(collection.qrels, {"run": collection.run}, with_parts, docs=100)
    for m, variant in enumerate(with_parts):
        one_by_one = [variant.micro(query[:, None]) for query in scores.parts[variant][0].T]
        assert same(scores.values[0, m], np.array(one_by_one)), variant
        if len(scores.queries) == 1:
            assert same(np.array([scores.micro("run", variant)]), scores.values[0, m])


@FEW
@given(collections(), st.integers(-8, 8))
def test_scaling_the_scores_by_a_power_of_two_changes_nothing(
    collection: Collection, power: int
) -> None:
    scaled = {
        query: {doc: score * 2.0**power for doc, score in results.items()}
        for query, results in collection.run.items()
    }
    rescored = Collection(collection.qrels, scaled)
    assert same(values(collection, *EVERY), values(rescored, *EVERY))


@FEWER
@given(collections(fewest=3), st.integers(0, 10**6))
def test_the_order_of_the_input_changes_nothing(collection: Collection, seed: int) -> None:
    shuffle = random.Random(seed).sample

    def shuffled(nested: Nested) -> Nested:
        queries = shuffle(sorted(nested), len(nested))
        return {q: dict(shuffle(sorted(nested[q].items()), len(nested[q]))) for q in queries}

    def rows(nested: Nested) -> list[tuple[str, str, float]]:
        listed = [(q, doc, number) for q, docs in nested.items() for doc, number in docs.items()]
        return shuffle(listed, len(listed))

    usual = values(collection, *EVERY)
    reordered = Collection(shuffled(collection.qrels), shuffled(collection.run))
    assert same(usual, values(reordered, *EVERY))
    # As rows, queries may even be interleaved.
    scattered = evaluate(rows(collection.qrels), {"run": rows(collection.run)}, EVERY)
    assert same(usual, scattered.values[0])


@FEWER
@given(collections(grades=INTEGER_GRADES, fewest=3), st.data())
def test_a_query_alone_scores_as_it_does_among_all(
    collection: Collection, data: st.DataObject
) -> None:
    answered = sorted(query for query in collection.qrels if collection.run.get(query))
    query = data.draw(st.sampled_from(answered))
    run = {query: collection.run[query]}
    # The largest grade belongs to the whole collection, so that the query that has it must stay.
    topmost = max(collection.qrels, key=lambda q: max(collection.qrels[q].values()))
    fewer = {kept: collection.qrels[kept] for kept in {query, topmost}}
    among_all, run_alone, judged_alone = (
        evaluate(qrels, {"run": results}, EVERY)
        for qrels, results in (
            (collection.qrels, collection.run),
            (collection.qrels, run),
            (fewer, run),
        )
    )
    wanted = among_all.values[0][:, among_all.queries.index(query)]
    assert same(wanted, run_alone.values[0][:, run_alone.queries.index(query)])
    assert same(wanted, judged_alone.values[0][:, judged_alone.queries.index(query)])


# Notation


@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_what_is_printed_can_be_read_again(measure: Measure) -> None:
    again = parse(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)


@every_measure
@settings(max_examples=FEW.max_examples // 2, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=st.data())
def test_any_parameters_can_be_read_again(cls: type[Measure], data: st.DataObject) -> None:
    hints = get_type_hints(cls)
    required = {name for name, default in cls.defaults.items() if default is REQUIRED}
    # A few at a time: of many, two would mostly not fit each other.
    chosen = data.draw(st.sets(st.sampled_from(sorted(cls.defaults)), max_size=2)) | required
    parameters = {
        name: data.draw(_values(hints[name], cut=name == cls.cut)) for name in sorted(chosen)
    }
    try:
        measure = cls(**parameters)
    except NotationError:
        assume(False)  # such as p=2
    assert parse(str(measure)) == measure


# Most parameters lie between 0 and 1, or above 1.
_numbers = st.floats(0, 1) | st.floats(1, 1e6, exclude_min=True) | st.integers(1, 10)
_grades = st.integers(-10, 10) | st.floats(allow_nan=False, allow_infinity=False)


def _values(hint: Any, *, cut: bool) -> st.SearchStrategy[Any]:
    """Values of a parameter's type."""
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    if type(None) in get_args(hint):
        return st.none() | _values(get_args(hint)[0], cut=cut)
    if get_origin(hint) is tuple:
        first, *others = get_args(hint)
        if Ellipsis in others:
            return st.lists(_values(first, cut=False), min_size=1, max_size=5).map(tuple)
        return st.tuples(*(_values(item, cut=False) for item in (first, *others)))
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.integers(1 if cut else -1000, 1000)
    if hint is float:
        return _numbers
    if hint is Measure:
        return st.sampled_from(EVERY)
    return st.dictionaries(_grades, _numbers, min_size=1, max_size=3)
