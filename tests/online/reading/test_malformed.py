"""Rows that cannot be used: each kind is counted, shown with its file and line, and set aside."""

from __future__ import annotations

import gzip

import pytest

from cleverdon.errors import InputError
from cleverdon.online.reading import read_log
from tests.online.reading.rows import rows, written

GOOD = '{"query_id": "good", "time": 1000}'

QUERIES = {
    "not json": "not a JSON object",
    '{"query_id": "a", "time": 1': "not a JSON object",
    "[1, 2]": "not a JSON object",
    '{"time": 1}': "no query_id",
    '{"query_id": null, "time": 1}': "no query_id",
    '{"query_id": "", "time": 1}': "no query_id",
    '{"query_id": "a"}': "no time",
    '{"query_id": "a", "time": ""}': "no time",
    '{"query_id": "a", "time": "yesterday"}': "a time that cannot be read",
    '{"query_id": "a", "time": "2026-13-01"}': "a time that cannot be read",
    '{"query_id": "a", "time": 1, "results": -1}': "results below 0",
    '{"query_id": "a", "time": 1, "results": "many"}': "results is not a number",
    '{"query_id": "a", "time": 1, "latency_ms": -0.5}': "latency_ms below 0",
    '{"query_id": "a", "time": 1, "latency_ms": "NaN"}': "latency_ms is not a number",
    '{"query_id": "a", "time": 1, "page": 0}': "page below 1",
    '{"query_id": "good", "time": 2000}': "a query_id that an earlier row has",
}
EVENTS = {
    "{}": "no time",
    '{"time": 1}': "no action",
    '{"time": "x", "action": "click"}': "a time that cannot be read",
    '{"time": 1, "action": "click", "position": 0}': "position below 1",
    '{"time": 1, "action": "click", "position": "top"}': "position is not a number",
    '{"time": 1, "action": "click", "dwell_ms": -3}': "dwell_ms below 0",
}


def test_every_kind_of_malformed_query(tmp_path):
    file = written(tmp_path / "queries.jsonl", GOOD, "", *QUERIES)
    log = read_log(file)
    assert rows(log.queries) == [{"query_id": "good", "time": 1000}]
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
    file = written(
        tmp_path / "events.jsonl", '{"time": 5, "action": "click", "query_id": null}', *EVENTS
    )
    log = read_log(tmp_path)
    assert rows(log.events) == [{"time": 5, "action": "click"}]
    assert {one.reason: one.examples for one in log.aside} == {
        reason: (f"{file}:{number}: {line}",)
        for number, (line, reason) in enumerate(EVENTS.items(), 2)
    }


def test_lines_of_a_packed_file_are_found(tmp_path):
    file = tmp_path / "queries.jsonl.gz"
    with gzip.open(file, "wt") as out:
        out.write(GOOD + "\nnope\n")
    log = read_log(file)
    assert rows(log.queries) == [{"query_id": "good", "time": 1000}]
    assert log.aside[0].examples == (f"{file}:2: nope",)


def test_csv_with_too_many_and_too_few_fields(tmp_path):
    file = written(
        tmp_path / "queries.csv",
        "query_id,time,text",
        'a,1,"x, y"',
        "b,2",
        "c,3,z,more",
        'd,4,"two',
        'lines"',
        "e,soon,w",
        ",6,v",
    )
    log = read_log(file)
    assert rows(log.queries) == [
        {"query_id": "a", "time": 1, "text": "x, y"},
        {"query_id": "d", "time": 4, "text": "two\nlines"},
    ]
    assert {one.reason: (one.count, one.examples) for one in log.aside} == {
        "a number of fields that is not the header's": (
            2,
            (f"{file}:3: b,2", f"{file}:4: c,3,z,more"),
        ),
        "a time that cannot be read": (1, (f"{file}:7: e,soon,w",)),
        "no query_id": (1, (f"{file}:8: ,6,v",)),
    }


def test_typed_tables_too(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "query_id": ["a", None, "b", "a", "c"],
            "time": pa.array([5, 6, None, 4, 7]),
            "latency_ms": [1.0, 2.0, 3.0, float("nan"), -1.0],
        }
    )
    file = tmp_path / "queries.parquet"
    pq.write_table(table, file)
    log = read_log(file)
    assert rows(log.queries) == [{"query_id": "a", "time": 4}]
    assert {one.reason: one.count for one in log.aside} == {
        "no query_id": 1,
        "no time": 1,
        "latency_ms below 0": 1,
        "a query_id that an earlier row has": 1,
    }
    shown = {one.reason: one.examples for one in log.aside}
    assert shown["no time"] == (f'{file}: {{"query_id": "b", "latency_ms": 3.0}}',)


def test_no_row_is_lost(tmp_path):
    lines = [GOOD, *QUERIES, *(f'{{"query_id": "q{i}", "time": {i}}}' for i in range(1, 500))]
    log = read_log(written(tmp_path / "queries.jsonl", *lines))
    kept = log.queries.count().to_pyarrow().as_py()
    assert kept + sum(one.count for one in log.aside) == len(lines)


def test_examples_are_few_and_short(tmp_path):
    lines = [f'{{"time": {i}, "text": "{"long " * 200}"}}' for i in range(10)]
    (aside,) = read_log(written(tmp_path / "queries.jsonl", GOOD, *lines)).aside
    assert aside.count == 10
    assert len(aside.examples) == 3
    assert all(len(example) < 300 for example in aside.examples)


LINE = GOOD.encode() + b"\n"
ODD = {
    "not UTF-8": ("queries.jsonl", LINE + b'{"query_id": "\xff", "time": 1}\n', 2),
    "not a JSON object": ("queries.jsonl", b"\xef\xbb\xbf" + LINE + b"nope\r\n", 2),
    "a quote that is not closed": ("queries.csv", b'query_id,time\ngood,1000\n"b,3\n', 3),
    "a time that cannot be read": ("queries.csv", b"query_id,time\r\ngood,1000\r\nb,1e99\r\n", 3),
}


@pytest.mark.parametrize("reason", ODD)
def test_bytes_that_are_no_text_and_files_of_other_systems(tmp_path, reason):
    name, content, line = ODD[reason]
    (tmp_path / name).write_bytes(content)
    log = read_log(tmp_path / name)
    assert rows(log.queries) == [{"query_id": "good", "time": 1000}]
    (aside,) = log.aside
    assert (aside.reason, aside.count) == (reason, 1)
    assert aside.examples[0].startswith(f"{tmp_path / name}:{line}: ")


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
    lines = [GOOD] if name.endswith("jsonl") else ["query_id,time", "good,1000"]
    assert read_log(written(tmp_path / name, *lines)).aside == ()
