"""Any table by a mapping file, and what is said of one that is wrong."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.logs.reading.reader import read_log
from tests.logs.reading.rows import AT, rows, written

RECORDS = [
    {"kind": "search", "id": "a", "who": "u", "visit": "v", "ts": 1772442930, "meta": {"q": "x"}},
    {"kind": "open", "who": "u", "visit": "v", "ts": 1772442935, "item": "d", "rank": 0},
    {"kind": "show", "id": "a", "who": "u", "visit": "v", "ts": 1772442931, "item": "d", "rank": 0},
    {"kind": "search", "id": "b", "who": "u", "visit": "v", "ts": 1772442936, "meta": {"q": "y"}},
    {"kind": "open", "who": "u", "visit": "v", "ts": 1772442936, "item": "e", "rank": 4},
    {"kind": "login", "who": "u", "visit": "v", "ts": 1772442937},
]
YAML = """
queries:
  where: {kind: search}
  query_id: id
  user: who
  session: visit
  time: ts
  text: meta.q
  segments: {site: {is: shop}}
events:
  where: {kind: {is: [open, show]}}
  query_id: id
  user: who
  session: visit
  time: ts
  action: kind
  doc: item
  position: {column: rank, from: 0}
  actions: {open: click, show: impression}
  attach: last search
"""
TOML = """
[queries]
where = {kind = "search"}
query_id = "id"
user = "who"
session = "visit"
time = {column = "ts", unit = "s"}
text = "meta.q"
segments = {site = {is = "shop"}}
[events]
where = {kind = {not = ["search", "login"]}}
query_id = "id"
user = "who"
session = "visit"
time = {column = "ts", unit = "s"}
action = "kind"
doc = "item"
position = {column = "rank", from = 0}
actions = {open = "click", show = "impression"}
attach = "last search"
"""


def check(log):
    own = {"user": "u", "session": "v"}
    assert rows(log.queries) == [
        {"query_id": "a", **own, "time": 1772442930000, "text": "x", "site": "shop"},
        {"query_id": "b", **own, "time": 1772442936000, "text": "y", "site": "shop"},
    ]
    shown = {"doc": "d", "position": 1}
    assert rows(log.events) == [
        {"query_id": "a", **own, "time": 1772442931000, "action": "impression", **shown},
        {"query_id": "a", **own, "time": 1772442935000, "action": "click", **shown},
        {
            "query_id": "b",
            **own,
            "time": 1772442936000,
            "action": "click",
            "doc": "e",
            "position": 5,
        },
    ]
    assert any("neither queries nor events: 1" in note for note in log.notes)


@pytest.mark.parametrize(("name", "text"), [("map.yaml", YAML), ("map.toml", TOML)])
def test_one_table_for_both(tmp_path, name, text):
    file = written(tmp_path / "log.jsonl", *map(json.dumps, RECORDS))
    log = read_log(file, mapping=written(tmp_path / name, text))
    check(log)
    assert log.format == name


def test_the_same_of_a_typed_table(tmp_path):
    names = dict.fromkeys(name for record in RECORDS for name in record)
    full = [{name: record.get(name) for name in names} for record in RECORDS]
    pq.write_table(pa.Table.from_pylist(full), tmp_path / "log.parquet")
    check(read_log(tmp_path / "log.parquet", mapping=written(tmp_path / "map.yml", YAML)))


def test_json_in_the_columns_of_a_csv(tmp_path):
    lines = ["id,at,more", '1,2026-01-01T00:00:00Z,"{""q"": ""a, b"", ""n"": 7}"']
    mapping = {
        "queries": {"query_id": "id", "time": "at", "text": "more.q", "results": "more.n"},
    }
    log = read_log(written(tmp_path / "log.csv", *lines), mapping=mapping)
    assert rows(log.queries) == [
        {"query_id": "1", "time": 1767225600000, "text": "a, b", "results": 7}
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_lists(tmp_path, packed):
    records = [
        {"id": "a", "t": AT, "shown": ["x", "y"], "at": [1, 4], "tags": ["one", "two"]},
        {"id": "b", "t": AT + 1, "shown": [], "at": [], "tags": []},
    ]
    mapping = {
        "queries": {
            "query_id": "id",
            "time": {"column": "t", "unit": "ms"},
            "text": {"column": "tags", "words": True},
            "results": {"column": "shown", "count": True},
        },
        "events": {
            "each": ["shown", "at"],
            "query_id": "id",
            "doc": "shown",
            "position": "at",
            "time": {"column": "t", "unit": "ms"},
            "action": {"is": "impression"},
            "event_id": {"join": ["id", "#"], "with": "/"},
        },
    }
    file = tmp_path / "log.parquet"
    if packed:
        pq.write_table(pa.Table.from_pylist(records), file)
    else:
        file = written(tmp_path / "log.jsonl", *map(json.dumps, records))
    log = read_log(file, mapping=mapping)
    own = {"query_id": "a", "time": AT, "action": "impression"}
    first, second = rows(log.queries)
    assert first == {"query_id": "a", "time": AT, "text": "one two", "results": 2}
    assert (second["query_id"], second["results"]) == ("b", 0)
    assert rows(log.events) == [
        {"event_id": "a/1", **own, "doc": "x", "position": 1},
        {"event_id": "a/2", **own, "doc": "y", "position": 4},
    ]


def test_pages_that_share_an_id(tmp_path):
    asked = [
        {"id": "a", "t": AT + 10, "p": 0},
        {"id": "a", "t": AT + 20, "p": 1},
        {"id": "b", "t": AT + 5},
    ]
    done = [
        {"id": "a", "t": AT + 15, "do": "click"},
        {"id": "a", "t": AT + 25, "do": "click"},
        {"id": "a", "t": AT + 26, "do": "click", "p": 0},
        {"id": "b", "t": AT + 30, "do": "click"},
        {"id": "z", "t": AT + 31, "do": "click"},
    ]
    written(tmp_path / "queries.jsonl", *map(json.dumps, asked))
    written(tmp_path / "events.jsonl", *map(json.dumps, done))
    common = {"query_id": "id", "time": {"column": "t", "unit": "ms"}}
    paged = {**common, "page": {"column": "p", "from": 0}}
    mapping = {"pages_share_id": True, "queries": paged, "events": {**paged, "action": "do"}}
    log = read_log(tmp_path, mapping=mapping)
    assert rows(log.queries) == [
        {"query_id": "b", "time": AT + 5},
        {"query_id": "a", "time": AT + 10, "page": 1},
        {"query_id": "a#2", "time": AT + 20, "page": 2},
    ]
    assert [(row["time"] - AT, row["query_id"]) for row in rows(log.events)] == [
        (15, "a"),
        (25, "a#2"),
        (26, "a"),
        (30, "b"),
        (31, "z"),
    ]


def test_lines_of_text_by_patterns(tmp_path):
    lines = ("[1772442930] GET /s?q=blue+wh%C3%A4le", "[1772442931] GET /s?q=x&p=2")
    file = written(tmp_path / "access.log", *lines)
    mapping = {
        "queries": {
            "query_id": {"number": True},
            "time": {"column": "line", "pattern": r"^\[(\d+)\]"},
            "text": {"column": "line", "pattern": "q=([^&]*)", "decode": "url"},
            "page": {"column": "line", "pattern": r"p=(\d+)"},
        }
    }
    log = read_log(file, mapping=mapping)
    assert rows(log.queries) == [
        {"query_id": "1", "time": AT, "text": "blue whäle"},
        {"query_id": "2", "time": AT + 1000, "text": "x", "page": 2},
    ]


QUERIES = "queries:\n  query_id: id\n  time: ts\n"
WRONG = {
    "querys: {}": r"map.yaml:1: a mapping has no 'querys'; did you mean 'queries'\?",
    "events: {}": "map.yaml: a mapping needs a section 'queries'",
    "queries: 3": "map.yaml: queries is not a table",
    "queries:\n  query_id: id": "map.yaml:1: section 'queries' does not say which column is 'time'",
    QUERIES + "  txt: q": r"map.yaml:4: section 'queries' has no 'txt'; did you mean 'text'\?",
    QUERIES + "  text: 5": "map.yaml:4: queries.text is a column's name",
    QUERIES + "  page: {column: p, form: 0}": r"map.yaml:4: queries.page has no 'form'.*'from'",
    QUERIES + "  page: {column: p, from: 2}": "from is 0 or 1, not 2",
    QUERIES + "  text: {column: p, from: 0}": "queries.text has no 'from'",
    QUERIES + "  text: {}": "needs one of 'column', 'is', 'join' and 'number'",
    QUERIES + "  text: {column: q, pattern: '(a)(b)'}": "needs one group",
    QUERIES + "  text: {column: q, pattern: '('}": "not a regular expression",
    QUERIES + "  segments: [text]": "a segment cannot be called 'text'",
    QUERIES + "  pages_share_id: 'yes'": "pages_share_id is true or false",
    QUERIES + "  where: {kind: {isnt: x}}": "map.yaml:4: where kind has no 'isnt'",
    QUERIES + "  latency_ms: {column: ms, unit: min}": "unit has no 'min'; it can be 's', 'ms'",
    QUERIES + "  text: kinds": r"map.yaml:4: .*log.jsonl has no column 'kinds'.*'kind'\?",
    QUERIES + "  text: meta.qq": r"map.yaml:4: .*has no column 'meta.qq'; did you mean 'meta.q'\?",
    QUERIES + "  - x": "map.yaml:4: this is not YAML",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_with_a_mapping(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "log.jsonl", *map(json.dumps, RECORDS))
    written(tmp_path / "map.yaml", text)
    with pytest.raises(InputError, match=WRONG[text]):
        read_log("log.jsonl", mapping="map.yaml")


def test_what_is_wrong_with_toml(tmp_path):
    file = written(tmp_path / "log.jsonl", *map(json.dumps, RECORDS))
    with pytest.raises(InputError, match=r"map.toml:2: this is not TOML"):
        read_log(file, mapping=written(tmp_path / "map.toml", "[queries]", "query_id"))
    with pytest.raises(InputError, match="there is no such mapping file"):
        read_log(file, mapping=tmp_path / "none.yaml")


def test_a_column_that_only_later_rows_have_is_there(tmp_path):
    lines = [json.dumps({"id": str(i), "ts": AT + i}) for i in range(1, 3000)]
    late = json.dumps({"id": "0", "ts": AT, "late": "yes"})
    file = written(tmp_path / "log.jsonl", *lines, late)
    log = read_log(file, mapping={"queries": {"query_id": "id", "time": "ts", "text": "late"}})
    assert [row for row in rows(log.queries) if "text" in row] == [
        {"query_id": "0", "time": AT, "text": "yes"}
    ]


def test_a_format_and_a_mapping(tmp_path):
    with pytest.raises(OptionError, match="give one of them"):
        read_log(tmp_path, format="ubi", mapping={})
