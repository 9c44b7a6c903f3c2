from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonpath_ng.ext.parser import parse

from cleverdon.engines.adapters.http_request import compile_path
from cleverdon.engines.protocol import SearchFailure
from cleverdon.errors import OptionError

ANSWER: dict[str, Any] = {
    "hits": [
        {"id": "d1", "kind": "page", "parts": [{"score": 3}, {"score": 1}]},
        {"id": "d2", "kind": "image", "parts": [{"score": 2}]},
    ],
    "by name": {"first": 1, "second": 2},
    "none": [],
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$.hits[*].id", ["d1", "d2"]),
        ("hits[*].id", ["d1", "d2"]),
        ("$['hits'][*]['id']", ["d1", "d2"]),
        ("$.hits[0].id", ["d1"]),
        ("$.hits[-1].id", ["d2"]),
        ("$.hits[*].parts[0].score", [3, 2]),
        ("$.hits[*].parts[*].score", [3, 1, 2]),
        ("$.'by name'.*", [1, 2]),
        ("$.none[*].id", []),
        ("$.hits[0:1].id", ["d1"]),
        ("$.hits[?(@.kind == 'image')].id", ["d2"]),
        ("$.hits[?(@.kind == 'video')].id", []),
        ("$..score", [3, 1, 2]),
        ("$.hits[*]..score", [3, 1, 2]),
        ("$", [ANSWER]),
    ],
)
def test_paths_lead_where_they_should(path: str, expected: list[Any]) -> None:
    assert compile_path("ids", path)(ANSWER) == expected


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("$.results[*].id", "ends at $: no 'results' in an object with 'hits', 'by name', 'none'"),
        ("$.hits[*].name", "ends at $.hits[*]: no 'name' in an object with 'id', 'kind', 'parts'"),
        ("$.hits.hits[*].id", "ends at $.hits: no 'hits' in a list of 2"),
        ("$.hits[5].id", "ends at $.hits: no [5] in a list of 2"),
        ("$.hits[0].id[*]", "ends at $.hits[0].id: expected a list, found 'd1'"),
        ("$.results..id", "ends at $: no 'results'"),
    ],
)
def test_paths_that_lead_nowhere_are_no_empty_answers(path: str, said: str) -> None:
    with pytest.raises(SearchFailure, match="missing") as raised:
        compile_path("ids", path)(ANSWER)
    assert said in str(raised.value)
    assert not raised.value.retryable


def test_one_hit_without_the_field_is_missing_it() -> None:
    with pytest.raises(SearchFailure, match="no 'id' in an empty object"):
        compile_path("ids", "$.hits[*].id")({"hits": [{"id": "d1"}, {}]})


def test_hits_that_are_gone_differ_from_hits_that_are_none() -> None:
    follow = compile_path("ids", "$.hits.hits[*]._id")
    assert follow({"hits": {"hits": []}}) == []
    with pytest.raises(SearchFailure, match="an empty object"):
        follow({"hits": {}})


@pytest.mark.parametrize("path", ["", "$.hits[", "$.a b", "  ", 3, None])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(OptionError, match=r"ids=.*\$\.hits\[\*\]\.id"):
        compile_path("ids", path)


VALUES = st.recursive(
    st.integers() | st.text(max_size=3),
    lambda held: st.lists(held, max_size=3) | st.dictionaries(st.sampled_from("abc"), held),
    max_leaves=12,
)
STEPS = st.lists(st.sampled_from([".a", ".b", "[*]", "[0]", "[-1]", ".*"]), max_size=4)


@given(VALUES, STEPS)
def test_where_a_path_leads_somewhere_the_library_agrees(value: Any, steps: list[str]) -> None:
    path = "$" + "".join(steps)
    expected = [match.value for match in parse(path).find(value)]
    try:
        found = compile_path("ids", path)(value)
    except SearchFailure:
        return  # the library passes over what leads nowhere
    assert found == expected
