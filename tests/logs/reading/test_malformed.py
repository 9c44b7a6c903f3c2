"""Rows that cannot be used: each kind is counted, shown with its file and line, and set aside."""

from __future__ import annotations

import gzip
import json

import pytest

from cleverdon.errors import InputError
from cleverdon.logs.reading.assembly import _REPEATED
from cleverdon.logs.reading.reader import read_log
from tests.logs.reading.rows import AT, rows, written

GOOD = f'{{"query_id": "good", "time": {AT}}}'
FOUND = {"query_id": "good", "time": AT}

QUERIES = {
    "not json": "not a JSON object",
    '{"query_id": "a", "time": 1': "not a JSON object",
    "[1, 2]": "not a JSON object",
    '{"time": 1772442930000}': "no query_id",
    '{"query_id": null, "time": 1772442930000}': "no query_id",
    '{"query_id": "", "time": 1772442930000}': "no query_id",
    '{"query_id": "a"}': "no time",
    '{"query_id": "a", "time": ""}': "no time",
    '{"query_id": "a", "time": "yesterday"}': "a time that cannot be read",
    '{"query_id": "a", "time": "2026-13-01"}': "a time that cannot be read",
    '{"query_id": "a", "time": 99999999999999999999}': "a time that cannot be read",
    '{"query_id": "a", "time": 5}': "an impossible time",
    '{"query_id": "a", "time": 1772442930000000}': "an impossible time",
    '{"query_id": "a", "time": "9999-12-31T00:00:00Z"}': "an impossible time",
}
EVENTS = {
    "{}": "no time",
    '{"time": 1772442930000}': "no action",
    '{"time": "x", "action": "click"}': "a time that cannot be read",
    '{"time": "1989-12-31T23:59:59Z", "action": "click"}': "an impossible time",
}
UNKNOWN = {
    '"results": -1': "results below 0",
    '"results": "many"': "results is not a number",
    '"latency_ms": -0.5': "latency_ms below 0",
    '"latency_ms": "NaN"': "latency_ms is not a number",
    '"page": 0': "page below 1",
    '"latency_ms": 1e300': "latency_ms above 10,000,000,000",
    '"results": 10000000001': "results above 10,000,000,000",
}
"""Values without which a row can still be used."""


def test_every_kind_of_malformed_query(tmp_path):
    file = written(tmp_path / "queries.jsonl", GOOD, "", *QUERIES)
    log = read_log(file)
    assert rows(log.queries) == [FOUND]
    expected: dict[str, list[str]] = {}
    for number, (line, reason) in enumerate(QUERIES.items(), 3):
        expected.setdefault(reason, []).append(f"{file}:{number}: {line}")
    assert {one.reason: sorted(one.examples) for one in log.aside} == {
        reason: sorted(lines) for reason, lines in expected.items()
    }
    assert {one.reason: one.count for one in log.aside} == {
        reason: len(lines) for reason, lines in expected.items()
    }
    assert {one.table for one in log.aside} == {"queries"}


def test_every_kind_of_malformed_event(tmp_path):
    written(tmp_path / "queries.jsonl", GOOD)
    good = f'{{"time": {AT}, "action": "click", "query_id": null}}'
    file = written(tmp_path / "events.jsonl", good, *EVENTS)
    log = read_log(tmp_path)
    assert rows(log.events) == [{"time": AT, "action": "click"}]
    assert {one.reason: one.examples for one in log.aside} == {
        reason: (f"{file}:{number}: {line}",)
        for number, (line, reason) in enumerate(EVENTS.items(), 2)
    }


def test_a_value_that_cannot_be_right_is_unknown_and_its_row_stays(tmp_path):
    lines = [
        f'{{"query_id": "{i}", "time": {AT + i}, "text": "x", {value}}}'
        for i, value in enumerate(UNKNOWN)
    ]
    file = written(tmp_path / "queries.jsonl", *lines)
    written(tmp_path / "events.jsonl", json.dumps({"time": AT, "action": "click", "query_id": "0"}))
    log = read_log(tmp_path)
    assert rows(log.queries) == [
        {"query_id": str(i), "time": AT + i, "text": "x"} for i in range(len(UNKNOWN))
    ]
    assert {one.reason: (one.kept, one.count, one.examples) for one in log.aside} == {
        f"{reason}: read as unknown": (True, 1, (f"{file}:{number}: {line}",))
        for number, (line, reason) in enumerate(zip(lines, UNKNOWN.values(), strict=True), 1)
    }
    assert (log.set_aside, log.unknown) == (0, len(UNKNOWN))
    assert log.rows == {"queries": len(UNKNOWN), "events": 1}


def test_what_is_wrong_with_an_event_leaves_it_an_event(tmp_path):
    written(tmp_path / "queries.jsonl", GOOD)
    click = {"time": AT, "action": "click", "query_id": "good"}
    odd = [{"position": 0, "dwell_ms": -3}, {"position": "top", "dwell_ms": 4}, {"position": -7}]
    written(tmp_path / "events.jsonl", *(json.dumps(click | values) for values in odd))
    log = read_log(tmp_path)
    assert rows(log.events) == [click | {"dwell_ms": 4}, click, click]
    assert {one.reason: one.count for one in log.aside if one.kept} == {
        "position below 1: read as unknown": 2,
        "position is not a number: read as unknown": 1,
        "dwell_ms below 0: read as unknown": 1,
    }


def test_lines_of_a_packed_file_are_found(tmp_path):
    file = tmp_path / "queries.jsonl.gz"
    with gzip.open(file, "wt") as out:
        out.write(GOOD + "\nnope\n")
    log = read_log(file)
    assert rows(log.queries) == [FOUND]
    assert log.aside[0].examples == (f"{file}:2: nope",)


def test_csv_with_too_many_and_too_few_fields(tmp_path):
    file = written(
        tmp_path / "queries.csv",
        "query_id,time,text",
        f'a,{AT},"x, y"',
        "b,2",
        "c,3,z,more",
        f'd,{AT + 4},"two',
        'lines"',
        "e,soon,w",
        f",{AT},v",
    )
    log = read_log(file)
    assert rows(log.queries) == [
        {"query_id": "a", "time": AT, "text": "x, y"},
        {"query_id": "d", "time": AT + 4, "text": "two\nlines"},
    ]
    assert {one.reason: (one.count, one.examples) for one in log.aside} == {
        "a number of fields that is not the header's": (
            2,
            (f"{file}:3: b,2", f"{file}:4: c,3,z,more"),
        ),
        "a time that cannot be read": (1, (f"{file}:7: e,soon,w",)),
        "no query_id": (1, (f"{file}:8: ,{AT},v",)),
    }


def test_typed_tables_too(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "query_id": ["a", None, "b", "a", "c"],
            "time": pa.array([AT + 5, AT + 6, None, AT + 4, AT + 7]),
            "latency_ms": [1.0, 2.0, 3.0, float("nan"), -1.0],
        }
    )
    file = tmp_path / "queries.parquet"
    pq.write_table(table, file)
    log = read_log(file)
    assert rows(log.queries) == [
        {"query_id": "a", "time": AT + 4},
        {"query_id": "c", "time": AT + 7},
    ]
    assert {one.reason: one.count for one in log.aside} == {
        "no query_id": 1,
        "no time": 1,
        "latency_ms below 0: read as unknown": 1,
    }
    assert {one.reason: one.count for one in log.merged} == {_REPEATED: 1}
    shown = {one.reason: one.examples for one in log.aside}
    assert shown["no time"] == (f'{file}: {{"query_id": "b", "latency_ms": 3.0}}',)
    assert shown["latency_ms below 0: read as unknown"] == (
        f'{file}: {{"query_id": "c", "time": {AT + 7}, "latency_ms": -1.0}}',
    )


def test_no_row_is_lost(tmp_path):
    lines = [GOOD, *QUERIES, *(f'{{"query_id": "q{i}", "time": {AT + i}}}' for i in range(1, 500))]
    log = read_log(written(tmp_path / "queries.jsonl", *lines))
    kept = log.queries.count().to_pyarrow().as_py()
    assert kept == 500
    assert kept + log.set_aside == log.rows["queries"] == len(lines)


def test_examples_are_few_and_short(tmp_path):
    lines = [f'{{"time": {AT + i}, "text": "{"long " * 200}"}}' for i in range(10)]
    (aside,) = read_log(written(tmp_path / "queries.jsonl", GOOD, *lines)).aside
    assert aside.count == 10
    assert len(aside.examples) == 3
    assert all(len(example) < 300 for example in aside.examples)


LINE = GOOD.encode() + b"\n"
ODD = {
    "not UTF-8": ("queries.jsonl", LINE + b'{"query_id": "\xff", "time": 1772442930000}\n', 2),
    "not a JSON object": ("queries.jsonl", b"\xef\xbb\xbf" + LINE + b"nope\r\n", 2),
    "a quote that is not closed": ("queries.csv", b'query_id,time\ngood,1772442930000\n"b,3\n', 3),
    "a time that cannot be read": (
        "queries.csv",
        b"query_id,time\r\ngood,1772442930000\r\nb,1e99\r\n",
        3,
    ),
}


@pytest.mark.parametrize("reason", ODD)
def test_bytes_that_are_no_text_and_files_of_other_systems(tmp_path, reason):
    name, content, line = ODD[reason]
    (tmp_path / name).write_bytes(content)
    log = read_log(tmp_path / name)
    assert rows(log.queries) == [FOUND]
    (aside,) = log.aside
    assert (aside.reason, aside.count) == (reason, 1)
    assert aside.examples[0].startswith(f"{tmp_path / name}:{line}: ")


RANDOM = bytes(range(256)) * 40
NO_LOGS = {
    "q.csv": (b"", "the file is empty"),
    "q.jsonl": (b" \n\n", "the file is empty"),
    "q.jsonl.gz": (gzip.compress(b""), "the file is empty"),
    "q.parquet": (b"", "the file is empty"),
    "p.parquet": (RANDOM, "this is not a Parquet file"),
    "p.duckdb": (RANDOM, "this is not a DuckDB file"),
    "p.csv": (RANDOM, "this is neither text in UTF-8 nor Parquet nor a DuckDB file"),
    "p.jsonl": (RANDOM, "this is neither text in UTF-8 nor Parquet nor a DuckDB file"),
    "wide.csv": ("query_id,time\n".encode("utf-16"), "this is neither text in UTF-8"),
    "old.csv": (b"query_id,time\rgood,1\r", "the header cannot be parsed"),
    "text.jsonl": (b"hello\nworld\n", "none of its first lines is a JSON object"),
    "text.log": (b"hello\nworld\n", "lines of plain text"),
}


@pytest.mark.parametrize("name", NO_LOGS)
def test_files_that_are_no_logs_at_all(tmp_path, name):
    content, told = NO_LOGS[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        read_log(tmp_path / name)
    assert str(error.value).startswith(str(tmp_path / name))
    assert told in str(error.value)


def test_an_empty_part_of_a_log_is_no_harm_and_one_of_no_json_is_counted(tmp_path):
    (tmp_path / "queries-1.jsonl").write_bytes(LINE)
    (tmp_path / "queries-2.jsonl").write_bytes(b"")
    (tmp_path / "queries-3.jsonl").write_bytes(b"hello\n")
    (tmp_path / "events.csv").write_bytes(b"")
    log = read_log(tmp_path)
    assert rows(log.queries) == [FOUND]
    assert [(one.reason, one.count) for one in log.aside] == [("not a JSON object", 1)]


def test_a_row_that_only_duckdb_can_take_apart(tmp_path):
    long = "x" * 140_000  # Python's reader gives up on it
    lines = ("query_id,time,text", f"a,{AT},{long}", f"b,{AT + 1},y", f",{AT},z")
    log = read_log(written(tmp_path / "q.csv", *lines))
    assert [row["text"] for row in rows(log.queries)] == [long, "y"]
    assert log.aside[0].examples == (f"{tmp_path / 'q.csv'}:4: ,{AT},z",)


def test_line_ends_of_two_kinds_are_one_line(tmp_path):
    (tmp_path / "q.csv").write_bytes(f"query_id,time,text\na,{AT},x\rb,{AT},y\n".encode())
    with pytest.raises(InputError, match=r"q.csv: the log cannot be read: [^\n]*$"):
        read_log(tmp_path / "q.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [("q.jsonl.gz", gzip.compress(LINE * 1000)[:-30]), ("q.parquet", b"PAR1 and no more")],
)
def test_files_that_are_broken_as_a_whole(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}: the log cannot be read: "):
        read_log(tmp_path / name)


@pytest.mark.parametrize("name", ["queries.jsonl", "queries.csv"])
def test_a_clean_log_sets_nothing_aside(tmp_path, name):
    lines = [GOOD] if name.endswith("jsonl") else ["query_id,time", f"good,{AT}"]
    assert read_log(written(tmp_path / name, *lines)).aside == ()
