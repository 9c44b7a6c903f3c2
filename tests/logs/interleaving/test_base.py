"""Records: what is stored of a result page, and what is wrong with a file of them."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError
from cleverdon.logs.interleaving.base import (
    Method,
    Record,
    _parse_record,
    read_records,
    write_records,
)
from cleverdon.logs.interleaving.methods import Balanced, Optimised, Probabilistic, TeamDraft

METHODS = [TeamDraft(seed=1), Balanced(seed=2), Probabilistic(seed=3), Optimised(seed=4)]
GOOD = {
    "query_id": "q1",
    "method": "team-draft",
    "seed": 7,
    "version": 1,
    "docs": ["x", "y"],
    "team": ["A", "B"],
}


@pytest.mark.parametrize("one", METHODS, ids=lambda one: one.name)
@given(
    a=st.lists(st.text(max_size=3), unique=True, max_size=5),
    b=st.lists(st.text(max_size=3), unique=True, max_size=5),
    query_id=st.text(),
)
def test_a_record_is_one_line_and_comes_back(
    one: Method, a: list[str], b: list[str], query_id: str
) -> None:
    record = one.interleave(a, b, query_id=query_id).record
    line = record.line()
    assert "\n" not in line
    assert _parse_record(line) == record
    assert pickle.loads(pickle.dumps(record)) == record


def test_files(tmp_path: Path) -> None:
    records = [
        one.interleave(["x", "ü"], ["z", "x"], query_id=f"q{place}").record
        for place, one in enumerate(METHODS)
    ]
    path = tmp_path / "records.jsonl"
    write_records(path, records)
    assert read_records(path) == records
    packed = tmp_path / "records.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\n" + path.read_bytes() + b"\n\n"))
    assert read_records(packed) == records
    write_records(path, [])
    with pytest.raises(InputError, match=r"records.jsonl: no record of interleaving"):
        read_records(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query_id": None}, "query_id is None; it should be a string"),
        ({"seed": True}, "seed is True; it should be a whole number"),
        ({"version": 2}, "the record has version 2, but this release of Cleverdon reads version 1"),
        ({"method": "teamdraft"}, "there is no interleaving method 'teamdraft'; did you mean"),
        ({"docs": "xy"}, "docs is 'xy'; it should be a list"),
        ({"docs": ["x", 3]}, "docs: number 2 is 3; it should be a string"),
        ({"docs": ["x", "x"]}, "docs: 'x' occurs twice"),
        ({"team": ["A"]}, "team has 1 values, but docs has 2"),
        ({"team": ["A", "C"]}, "team: number 2 is 'C'; it should be 'A' or 'B', or null"),
        (
            {"method": "balanced", "rank_a": [1, 0], "rank_b": [1, 2]},
            "rank_a: number 2 is 0; it should be a rank of at least 1, or null",
        ),
        (
            {"method": "probabilistic", "share_a": [0.5, 1.5]},
            "share_a: number 2 is 1.5; it should be a number from 0 to 1",
        ),
        (
            {"method": "probabilistic", "share_a": [0.5, None]},
            "team and share_a are null at different documents",
        ),
        (
            {"method": "optimised", "credit_a": [1, float("nan")], "credit_b": [1, 2]},
            "credit_a: number 2 is nan; it should be a number",
        ),
    ],
)
def test_what_is_wrong_with_a_record(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(GOOD) + "\n\n" + json.dumps({**GOOD, "query_id": "q2", **change}))
    with pytest.raises(InputError) as raised:
        read_records(path)
    assert str(raised.value).startswith(f"{path}:3: {message}")


def test_what_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    lacking = {name: value for name, value in GOOD.items() if name != "team"}
    for text, message in {
        "{": "1:2: not JSON: Expecting property name",
        "[1]": "1: expected a JSON object on each line, found [1]",
        "{}": "1: not a record of interleaving: it has no 'version', it is empty; a record",
        json.dumps(lacking): "1: not a record of interleaving: it has no 'team', only 'query_id', ",
        json.dumps(dict.fromkeys("abcdefgh")): "1: not a record of interleaving: it has no "
        "'version', only 'a', 'b', 'c', 'd', 'e', 'f', ...; a record has query_id, method, ",
        "\n\n": " no record of interleaving; there should be a line of JSON for every",
    }.items():
        path.write_text(text)
        with pytest.raises(InputError) as raised:
            read_records(path)
        assert str(raised.value).startswith(f"{path}:{message}")
    path.write_text(f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}\n")
    with pytest.raises(InputError, match=r"jsonl:2: query 'q1' already has a record on line 1"):
        read_records(path)
    path.write_bytes(b"\xff\n")
    with pytest.raises(InputError, match=r"jsonl:1"):
        read_records(path)


def test_a_record_is_small() -> None:
    docs = [f"document-{i}" for i in range(10)]
    record = TeamDraft().interleave(docs, docs[::-1], query_id="q", k=10).record
    assert isinstance(record, Record)
    assert len(record.line()) < 350
