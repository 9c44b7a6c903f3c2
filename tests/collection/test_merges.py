"""One of several judgments; splits, of which the whole can be made again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Judgments
from cleverdon.collection.merges import _RULES, CONTRADICTIONS, ContradictionError, merge
from cleverdon.collection.subsets import (
    _file_names,
    _parts_by_attribute,
    _parts_of_splits,
    split_judgments,
)
from cleverdon.comparison.splits import hold_out, k_fold
from cleverdon.errors import InputError, OptionError
from tests.collection.examples import everything, judgments

THREE = {
    "ann": {"q1": {"a": 2, "b": 0}},
    "bob": {"q1": {"a": 1, "c": -1}},
    "eve": {"q1": {"a": 1, "c": 3}, "q2": {"a": 0}},
}


@pytest.mark.parametrize(
    ("policy", "grade"),
    [("first", 2), ("last", 1), ("max", 2), ("min", 1), ("mean", 4 / 3), ("majority", 1)],
)
def test_by_hand(policy: str, grade: float) -> None:
    found = merge(THREE, policy=policy)
    assert found.judgments.to_dict() == {"q1": {"a": grade, "b": 0, "c": 3}, "q2": {"a": 0}}
    # That bob did not judge c contradicts nobody.
    (contradiction,) = found.contradictions
    assert (contradiction.query, contradiction.doc, contradiction.taken) == ("q1", "a", grade)
    assert dict(contradiction.grades) == {"ann": 2, "bob": 1, "eve": 1}
    assert [(each.name, each.new) for each in found.inputs] == [("ann", 2), ("bob", 1), ("eve", 1)]
    assert found.repeated == 2


def test_contradictions_are_told_with_files_and_lines(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.csv"
    one.write_text("q1 0 b 0\nq1 0 a 2\n")
    two.write_text("query_id,doc_id,relevance\nq1,a,1\n")
    with pytest.raises(InputError) as caught:
        merge([one, two])
    assert f"has grade 2 in {one}:2 and 1 in {two}:2" in str(caught.value)
    assert "majority" in str(caught.value)
    # One that has changed since has no such lines any more.
    read = [Judgments.read(one), Judgments.read(two)]
    one.write_text("q1 0 a 2\n")
    with pytest.raises(InputError) as caught:
        merge(read)
    assert f"has grade 2 in {one} and 1 in {two}:2" in str(caught.value)


def test_only_so_many_are_told() -> None:
    ones = {"q": dict.fromkeys("abcdefgh", 1.0)}
    twos = {"q": dict.fromkeys("abcdefgh", 2.0)}
    with pytest.raises(ContradictionError, match="and 6 more contradictions; say which") as caught:
        merge({"x": ones, "y": twos})
    assert len(str(caught.value)) < 300
    assert [each.doc for each in caught.value.contradictions] == list("abcdefgh")


def test_the_line_of_a_subtopic(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("q1 s 2 1\nq1 t 2 2\n")
    two.write_text("q1 u 1 2\nq1 t 1 2\nq1 t 2 1\n")
    with pytest.raises(InputError) as caught:
        merge([Judgments.read(file, format="subtopics") for file in (one, two)])
    told = f"document '2' of subtopic 't' of query 'q1' has grade 2 in {one}:2 and 1 in {two}:3"
    assert told in str(caught.value)


def test_a_grade_is_not_taken_for_a_document(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.tsv"
    one.write_text("q1 0 7 1\nq1 0 1 2\n")
    two.write_text("query_id\tdoc_id\trelevance\nq1\t7\t1\nq1\t1\t0\n")
    with pytest.raises(InputError) as caught:
        merge([one, two])
    assert f"document '1' of query 'q1' has grade 2 in {one}:2 and 0 in {two}:3" in str(
        caught.value
    )


def test_of_a_tied_majority_the_lowest_is_taken() -> None:
    two = {"ann": {"q1": {"a": 2, "b": 0}}, "bob": {"q1": {"a": 1, "b": 3}}}
    assert merge(two, policy="majority").judgments.to_dict() == {"q1": {"a": 1, "b": 0}}
    three = two | {"eve": {"q1": {"a": 2, "b": 2}}}
    assert merge(three, policy="majority").judgments.to_dict() == {"q1": {"a": 2, "b": 0}}


def test_progress_counts_queries() -> None:
    told: list[tuple[int, int]] = []
    merge(THREE, policy="max", progress=lambda step, done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_subtopics_are_merged_one_by_one() -> None:
    one = Judgments.read([("q1", "s", "a", 1), ("q1", "t", "a", 2)], format="subtopics")
    two = Judgments.read([("q1", "t", "a", 1), ("q1", "u", "a", 0)], format="subtopics")
    found = merge({"one": one, "two": two}, policy="min")
    assert found.judgments.to_dict() == {"q1": {"a": 1}}
    assert found.judgments.notes.subtopics == {"q1": {"a": {"s": 1, "t": 1, "u": 0}}}
    assert [each.subtopic for each in found.contradictions] == ["t"]


def test_strata_have_to_agree() -> None:
    one = Judgments.read([("q1", 0, "a", 1, 1)], format="strata")
    two = Judgments.read([("q1", 0, "a", 2, 1)], format="strata")
    with pytest.raises(InputError, match="has stratum 2 in two, and 1"):
        merge({"one": one, "two": two}, policy="max")
    with pytest.raises(InputError, match="has a stratum beside each grade, and plain has none"):
        merge({"one": one, "plain": {"q1": {"a": 1}}})
    drawn = Judgments.read([("q1", "a", 1, 0, "NA")], format="sampled")
    assert merge({"x": drawn, "y": drawn}).judgments.to_dict() == {"q1": {"a": 1}}


@given(judgments.filter(lambda of: len(of.queries) > 1), st.integers(0, 9))
def test_merged_parts_are_the_whole(of: Judgments, seed: int) -> None:
    for splits in (hold_out(of.queries, share=0.5, seed=seed), k_fold(of.queries, folds=2)):
        found = split_judgments(of, _parts_of_splits(splits))
        assert not found.left_out
        assert not found.missing
        again = merge(found.parts)
        assert not again.repeated
        assert everything(again.judgments) == everything(of)


@given(judgments, st.sampled_from(list(CONTRADICTIONS)))
def test_merging_with_itself_changes_nothing(of: Judgments, policy: str) -> None:
    found = merge({"x": of, "y": of}, policy=policy)
    assert everything(found.judgments) == everything(of)
    assert not found.contradictions
    assert found.repeated == len(of)


def test_every_policy_has_a_rule() -> None:
    assert set(CONTRADICTIONS) == {"error", *_RULES}


def test_parts_by_attribute_and_folds() -> None:
    column = {"q1": "en", "q2": "de", "q3": "en"}
    parts = _parts_by_attribute(["q1", "q2", "q3", "q4"], column)
    assert parts == {"en": ("q1", "q3"), "de": ("q2",), "unknown": ("q4",)}
    repeated = _parts_of_splits(k_fold(["a", "b", "c"], folds=3, repeats=2), train=True)
    assert len(repeated) == 12
    assert set(repeated["repeat2-fold3-train"]) | set(repeated["repeat2-fold3-test"]) == set("abc")


def test_queries_that_do_not_fit() -> None:
    found = split_judgments({"q1": {"a": 1}, "q2": {"a": 1}}, {"x": ["q1", "q9"]})
    assert (found.left_out, found.missing) == (("q2",), ("q9",))
    with pytest.raises(InputError, match="no query of part 'x' has judgments"):
        split_judgments({"q1": {"a": 1}}, {"x": ["q9"]})
    with pytest.raises(OptionError, match="there is no part"):
        split_judgments({"q1": {"a": 1}}, {})


def test_names_of_files() -> None:
    assert _file_names("{name}.txt", ["../x", ".hidden"]) == {
        "../x": "_._x.txt",
        ".hidden": "_hidden.txt",
    }
    with pytest.raises(OptionError, match=r"would both be written to a_b\.txt"):
        _file_names("{name}.txt", ["a b", "a/b"])
    with pytest.raises(OptionError, match=r"is to have \{name\} in it"):
        _file_names("part.txt", ["x"])


def test_mistakes() -> None:
    with pytest.raises(OptionError, match="two judgments at least"):
        merge([{"q": {"a": 1}}])
    with pytest.raises(OptionError, match="did you mean 'majority'"):
        merge(THREE, policy="majorty")
