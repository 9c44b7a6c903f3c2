"""Splits of queries: folds and hold-outs, in memory and in files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import evaluate
from cleverdon.comparison.splits import (
    Splits,
    _difficulty,
    _quantiles,
    hold_out,
    k_fold,
    read_splits,
    splits_text,
    write_splits,
)
from cleverdon.errors import InputError, OptionError

queries = st.lists(st.text(min_size=1, max_size=4), min_size=2, max_size=40, unique=True)


@given(queries, st.integers(2, 8), st.integers(1, 3), st.integers(0, 99), st.data())
def test_folds_part_the_queries_evenly(
    named: list[str], folds: int, repeats: int, seed: int, data: st.DataObject
) -> None:
    folds = min(folds, len(named))
    kinds = data.draw(st.none() | st.lists(st.integers(0, 3), min_size=40, max_size=40))
    by = None if kinds is None else dict(zip(named, kinds[: len(named)], strict=True))
    found = k_fold(named, folds=folds, repeats=repeats, seed=seed, by=by, by_name="kind")
    assert len(found.folds) == folds * repeats
    assert set(found.queries) == set(named)
    for repeat in range(1, repeats + 1):
        tests = [fold.test for fold in found.folds if fold.repeat == repeat]
        assert sorted(query for test in tests for query in test) == sorted(named)
        assert max(map(len, tests)) - min(map(len, tests)) <= 1
        for kind in set((by or {}).values()):
            counts = [sum((by or {})[query] == kind for query in test) for test in tests]
            assert max(counts) - min(counts) <= 1
    for fold in found.folds:
        assert sorted((*fold.train, *fold.test)) == sorted(named)
    backwards = k_fold(named[::-1], folds=folds, repeats=repeats, seed=seed, by=by)
    assert [set(fold.test) for fold in backwards.folds] == [set(f.test) for f in found.folds]


@given(queries, st.floats(0.01, 0.99), st.integers(0, 99), st.lists(st.integers(0, 3), min_size=40))
def test_held_out_are_as_many_as_asked_for(
    named: list[str], share: float, seed: int, kinds: list[int]
) -> None:
    by = dict(zip(named, kinds, strict=False))
    (fold,) = hold_out(named, share=share, seed=seed, by=by).folds
    assert sorted((*fold.train, *fold.test)) == sorted(named)
    assert len(fold.test) == min(max(round(share * len(named)), 1), len(named) - 1)
    of_test, of_all = (Counter(by[t] for t in part) for part in (fold.test, named))
    for kind, count in of_all.items():
        assert abs(of_test[kind] - count * len(fold.test) / len(named)) < 1 + 1e-9


def test_chance_favours_no_query() -> None:
    named = [f"q{i}" for i in range(10)]
    held = Counter(t for s in range(2000) for t in hold_out(named, seed=s).folds[0].test)
    together = sum(
        "q0" in fold.test and "q1" in fold.test
        for s in range(2000)
        for fold in k_fold(named, folds=2, seed=s).folds
    )
    # 2000 seeds: 400 each, 4 standard errors are 72; two of ten are together in 4 of 9.
    assert all(abs(count - 400) < 72 for count in held.values())
    assert abs(together - 2000 * 4 / 9) < 4 * (2000 * 4 / 9 * 5 / 9) ** 0.5


def test_repeats_and_seeds_deal_out_anew() -> None:
    named = [f"q{i}" for i in range(30)]
    found = k_fold(named, folds=3, repeats=2, seed=1)
    assert found.kind == "repeated k-fold"
    assert {f.test for f in found.folds[:3]} != {f.test for f in found.folds[3:]}
    assert found == k_fold(named, folds=3, repeats=2, seed=1)
    assert found != k_fold(named, folds=3, repeats=2, seed=2)
    # Strata of one query each hold nothing in place.
    alone = {query: query for query in named}
    assert k_fold(named, seed=1, by=alone).folds != k_fold(named, seed=2, by=alone).folds


def test_quantiles_keep_equal_numbers_together() -> None:
    values = {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0, "e": 2.0, "f": 3.0}
    assert _quantiles(values, bins=2) == {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 2}
    assert set(_quantiles(values, bins=3).values()) == {1, 2, 3}
    assert _quantiles(values, bins=1) == dict.fromkeys(values, 1)
    with pytest.raises(InputError, match="query 'b' has nan"):
        _quantiles({"a": 1.0, "b": float("nan")})
    with pytest.raises(OptionError, match="bins=0"):
        _quantiles(values, bins=0)


def test_difficulty_is_the_mean_over_systems() -> None:
    qrels: dict[str, dict[str, int]] = {"hard": {"a": 1}, "mid": {"a": 1}, "easy": {"a": 1}}
    right, wrong = {"a": 1.0}, {"b": 1.0}
    first = {"hard": wrong, "mid": right, "easy": right}
    second = {"hard": wrong, "mid": wrong, "easy": right}
    scores = evaluate(qrels, {"x": first, "y": second}, "P@1 FDR")
    assert _difficulty(scores, "P@1", bins=3) == {"hard": 1, "mid": 2, "easy": 3}
    assert _difficulty(scores, "FDR", bins=3) == {"hard": 1, "mid": 2, "easy": 3}
    partly = evaluate(qrels, {"x": {"mid": right}, "y": second}, "P@1", missing="skip")
    assert _difficulty(partly, "P@1", bins=3) == {"hard": 1, "mid": 2, "easy": 3}
    with pytest.raises(OptionError, match="does not say which queries are hard"):
        _difficulty(evaluate(qrels, first, "NumRet"), "NumRet")


@given(queries, st.integers(0, 99), st.booleans())
def test_what_is_written_is_read(named: list[str], seed: int, stratified: bool) -> None:
    import tempfile

    by = dict.fromkeys(named, "x") if stratified else None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "splits.json"
        for found in (
            k_fold(named, folds=2, seed=seed, by=by, by_name="kind"),
            k_fold(named, folds=2, repeats=3, seed=seed, by=by),
            hold_out(named, seed=seed, by=by),
        ):
            write_splits(found, path)
            assert read_splits(path) == found


def test_the_file_is_readable() -> None:
    found = k_fold(["q1", "q2", "qä"], folds=3, seed=5)
    assert splits_text(found).count("\n") < 20
    assert json.loads(splits_text(found))["folds"][0]["test"] == list(found.folds[0].test)
    assert str(found) == "k-fold, 3 folds: 1 of 3 queries for testing (seed 5)"
    many = k_fold(list("abcde"), folds=2, repeats=2, by=dict.fromkeys("abcde", 1), by_name="type")
    assert str(many) == (
        "repeated k-fold, 2 folds, 2 times: 2 to 3 of 5 queries for testing "
        "(seed 0, stratified by type)"
    )
    assert str(hold_out(list("abcde"))) == "hold-out: 1 of 5 queries for testing (seed 0)"


def fold(train: list[Any], test: list[Any], **more: Any) -> dict[str, Any]:
    return {"train": train, "test": test, **more}


TWO = [fold(["a"], ["b"]), fold(["b"], ["a"])]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "has no splits"),
        ({"kind": "k-folds"}, "did you mean 'k-fold'"),
        ({"seed": "1"}, '"seed" is a whole number'),
        ({"by": 3}, '"by" is a text or null'),
        ({"folds": []}, "at least one fold"),
        ({"folds": ["a"]}, "fold 1 is not an object"),
        ({"folds": [fold(["a"], [1])]}, 'fold 1: "test" is a list of queries, each a text'),
        ({"folds": [fold([], ["a"])]}, "fold 1: there is no query to train on"),
        ({"folds": [fold(["a", "b"], ["b"])]}, "query 'b' occurs in both parts"),
        ({"folds": [fold(["a", "a"], ["b"])]}, "query 'a' occurs twice"),
        ({"folds": [fold(["a"], ["b"], repeat=0)]}, '"repeat" is a whole number'),
        ({"folds": [*TWO, fold(["c"], ["a"])]}, "is in some folds only"),
        ({"folds": [TWO[0], TWO[0]]}, "query 'b' is tested on in two folds of repeat 1"),
        ({"folds": [TWO[0]]}, "query 'a' is tested on in no fold of repeat 1"),
        ({"folds": TWO, "kind": "hold-out"}, "a hold-out has one fold; found 2"),
        ({"folds": TWO, "kind": "repeated k-fold"}, "dealt out 1 times"),
        ({"folds": [TWO[0], fold(["b"], ["a"], repeat=3)]}, "must count 1, 2, 3"),
    ],
)
def test_a_file_that_does_not_add_up(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = tmp_path / "splits.json"
    whole = {"format": "cleverdon splits 1", "kind": "k-fold", "seed": 1, "by": None, "folds": TWO}
    path.write_text(json.dumps(whole))
    assert read_splits(path).kind == "k-fold"
    path.write_text(json.dumps(whole | changes))
    with pytest.raises(InputError) as raised:
        read_splits(path)
    assert message in str(raised.value)
    assert str(raised.value).startswith(str(path))


def test_a_file_that_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "splits.json"
    with pytest.raises(InputError, match="cannot be read"):
        read_splits(path)
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_splits(path)
    path.write_text('{"format":\n oops}')
    with pytest.raises(InputError, match=r"splits\.json:2:2: is not JSON"):
        read_splits(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_fold([]), "there are no queries"),
        (lambda: k_fold("abc"), "found the text 'abc'"),
        (lambda: k_fold(["a", "b", "a"]), "query 'a' occurs twice"),
        (lambda: k_fold(["a", "b"], folds=3), "from 2 to 2 folds can be made"),
        (lambda: k_fold(["a", "b"], folds=1), "folds=1"),
        (lambda: k_fold(["a"]), "there is only one query"),
        (lambda: k_fold(["a", "b"], folds=2, repeats=0), "repeats=0"),
        (lambda: k_fold(["a", "b"], folds=2, seed=-1), "seed=-1"),
        (lambda: k_fold(["a", "b"], folds=2, by={"a": 1}, by_name="type"), "'b' has no type"),
        (lambda: hold_out(["a"]), "none to hold out"),
        (lambda: hold_out(["a", "b"], share=1), "share=1"),
    ],
)
def test_what_cannot_be_split(call: Any, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        call()
    assert message in str(raised.value)


def test_splits_are_records() -> None:
    found = hold_out(["a", "b"])
    assert isinstance(found, Splits)
    with pytest.raises(AttributeError):
        found.seed = 3  # type: ignore[misc]
