"""Columns of every type that ids and numbers can have, through Arrow's PyCapsule interface."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cleverdon import Judgments, Run
from cleverdon.errors import InputError

IDS = {
    "int8": pa.int8(),
    "uint64": pa.uint64(),
    "int64": pa.int64(),
}
TEXTS = {
    "string": pa.string(),
    "large": pa.large_string(),
    "view": pa.string_view(),
    "category": pa.dictionary(pa.int8(), pa.string()),
    "category of large": pa.dictionary(pa.uint32(), pa.large_string()),
}
NUMBERS = {
    "float64": pa.float64(),
    "float32": pa.float32(),
    "float16": pa.float16(),
    "int16": pa.int16(),
    "uint64": pa.uint64(),
    "decimal32": pa.decimal32(5, 2),
    "decimal128": pa.decimal128(20, 3),
    "decimal256": pa.decimal256(40, 1),
}


def table(query: Any, doc: Any, value: Any) -> pa.Table:
    return pa.table({"query": query, "doc": doc, "score": value})


@pytest.mark.parametrize("kind", IDS.values(), ids=IDS)
def test_whole_numbers_are_ids(kind: pa.DataType) -> None:
    largest = {pa.int8(): 127, pa.uint64(): 2**64 - 1, pa.int64(): -(2**63)}[kind]
    run = Run.read(table(pa.array([1, largest], kind), ["a", "b"], [1.0, 2.0]))
    assert run.to_dict() == {"1": {"a": 1.0}, str(largest): {"b": 2.0}}


@pytest.mark.parametrize("kind", TEXTS.values(), ids=TEXTS)
def test_texts_are_ids(kind: pa.DataType) -> None:
    queries = pa.array(["q1", "q2", "q1"]).cast(kind)
    run = Run.read(table(queries, ["a", "a", "ü"], [1.0, 2.0, 3.0]))
    assert run.to_dict() == {"q1": {"a": 1.0, "ü": 3.0}, "q2": {"a": 2.0}}


@pytest.mark.parametrize("kind", NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_scores(kind: pa.DataType) -> None:
    values = [Decimal(4), Decimal(2)] if pa.types.is_decimal(kind) else [4, 2]
    made = pa.array([np.float16(x) for x in values] if kind == pa.float16() else values, kind)
    assert Run.read(table(["q", "q"], ["a", "b"], made)).to_dict() == {"q": {"a": 4.0, "b": 2.0}}


def test_decimals_are_rounded_once() -> None:
    values = pa.array([Decimal("0.1"), Decimal("-12345678901234567.8")], pa.decimal128(30, 1))
    run = Run.read(table(["q", "q"], ["a", "b"], values))
    assert run.to_dict() == {"q": {"a": 0.1, "b": -12345678901234567.8}}


def test_true_is_a_grade_and_no_score() -> None:
    columns = {"query": ["q", "q"], "doc": ["a", "b"]}
    read = Judgments.read(pa.table({**columns, "grade": [True, False]}))
    assert read.to_dict() == {"q": {"a": 1.0, "b": 0.0}}
    with pytest.raises(InputError, match="not a number"):
        Run.read(pa.table({**columns, "score": [True, False]}))


@pytest.mark.parametrize(
    "queries",
    [
        pa.array(["q", None]),
        pa.array([1, None]),
        pa.array(["q", None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["q", None])),
        pa.array([None, None]).cast(pa.dictionary(pa.int8(), pa.string())),
    ],
    ids=["text", "number", "category", "value of a category", "no category"],
)
def test_nothing_is_no_id(queries: pa.Array) -> None:
    row = 0 if queries[0].as_py() is None else 1
    with pytest.raises(InputError, match=rf'"query" is empty \(null\) in row {row}'):
        Run.read(table(queries, ["a", "b"], [1.0, 2.0]))


def test_rows_are_counted_through_all_batches() -> None:
    parts = [table(["q"], [doc], [value]) for doc, value in (("a", 1.0), ("b", None))]
    parts[1] = parts[1].cast(parts[0].schema)
    with pytest.raises(InputError, match=r"\(null\) in row 1"):
        Run.read(pa.concat_tables(parts))


def test_slices_of_columns_are_read_as_slices() -> None:
    whole = table(pa.array(["p", "q", "r"]).dictionary_encode(), [7, 8, 9], [1.0, 2.0, 3.0])
    assert Run.read(whole.slice(1, 1)).to_dict() == {"q": {"8": 2.0}}


def test_dates_and_fractions_are_no_ids() -> None:
    for wrong in (pa.array([1.5, 2.0]), pa.array([0, 1], pa.date32())):
        with pytest.raises(InputError, match="not text or integers"):
            Run.read(table(wrong, ["a", "b"], [1.0, 2.0]))


class Stream:
    """A table whose stream is what a test says."""

    def __init__(self, offered: Any) -> None:
        self.offered = offered
        self.columns = ["query", "doc", "score"]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.offered


def test_a_stream_is_taken_once() -> None:
    run = Run.read({"q": {"a": 1.0}})
    offered = run.__arrow_c_stream__()
    assert pa.table(Stream(offered)).num_rows == 1
    with pytest.raises((InputError, ValueError, pa.ArrowInvalid)):
        Run.read(Stream(offered))


def test_what_is_no_stream_is_refused() -> None:
    schema = pa.schema([("query", pa.string())]).__arrow_c_schema__()  # a capsule of another name
    for offered in (None, 3, schema):
        with pytest.raises((InputError, ValueError, TypeError)):
            Run.read(Stream(offered))


def test_an_unread_stream_is_freed() -> None:
    for _ in range(3):
        Run.read({"q": {"a": 1.0}}).__arrow_c_stream__()
    assert pa.table(Run.read({"q": {"a": 1.0}})).to_pylist()[0]["score"] == 1.0
