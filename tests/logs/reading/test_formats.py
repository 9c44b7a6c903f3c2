"""Each format from a sample in its real shape, to the canonical rows in full."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.logs.log import EVENTS, QUERIES
from cleverdon.logs.reading.assembly import _CHANGED, _REPEATED
from cleverdon.logs.reading.formats import formats
from cleverdon.logs.reading.mapping import REQUEST
from cleverdon.logs.reading.parsing import zoneless
from cleverdon.logs.reading.reader import read_log
from tests.logs.reading.rows import SAMPLES, rows, written

GUIDE = Path(__file__).parents[3] / "docs" / "logs_formats.md"


def test_ubi():
    log = read_log(SAMPLES / "ubi")
    a = {"query_id": "q-1", "user": "client-a", "session": "s-1"}
    assert log.format == "ubi"
    assert log.segments == ("application",)
    assert rows(log.queries) == [
        {
            **a,
            "time": 1772442930250,
            "text": "toner",
            "page": 1,
            "results": 3,
            "latency_ms": 12.5,
            "variant": "B",
            "application": "shop",
        },
        {
            "query_id": "q-2",
            "user": "client-b",
            "time": 1772445600000,
            "text": "tonr",
            "results": 0,
            "application": "shop",
        },
    ]
    assert rows(log.events) == [
        {**a, "time": 1772442930900, "action": "impression", "doc": "p9", "position": 1},
        {**a, "time": 1772442931000, "action": "impression", "doc": "p4", "position": 2},
        {**a, "time": 1772442936000, "action": "click", "doc": "p4", "position": 2},
        {**a, "time": 1772442962000, "action": "conversion", "doc": "p4"},
        {
            "user": "client-b",
            "session": "s-2",
            "time": 1772445604000,
            "action": "product_hover",
        },
    ]
    clients = {"queries.client", "events.client"}
    assert log.lacks == {"events.event_id", "events.dwell_ms"} | clients
    assert log.aside == ()


def test_ubi_without_impressions_takes_them_from_what_was_returned(tmp_path):
    queries = (SAMPLES / "ubi" / "ubi_queries.jsonl").read_text().splitlines()
    events = (SAMPLES / "ubi" / "ubi_events.jsonl").read_text().splitlines()
    written(tmp_path / "queries.jsonl", *queries)
    written(tmp_path / "events.jsonl", *(line for line in events if '"click"' in line))
    log = read_log(tmp_path)
    a = {"query_id": "q-1", "user": "client-a", "time": 1772442930250, "action": "impression"}
    assert rows(log.events) == [
        {**a, "doc": "p4", "position": 2},
        {**a, "doc": "p7", "position": 3},
        {**a, "doc": "p9", "position": 1},
        {
            "query_id": "q-1",
            "user": "client-a",
            "session": "s-1",
            "time": 1772442936000,
            "action": "click",
            "doc": "p4",
            "position": 2,
        },
    ]
    assert any("no event has the action impression" in note for note in log.notes)


def test_ubi_without_events_counts_only_rows_that_were_written(tmp_path):
    query = {"query_id": "q", "user_query": "x", "timestamp": "2026-03-02T09:00:00Z"}
    lines = [
        json.dumps(query | {"query_response_hit_ids": ["d1", "d2"]}),
        json.dumps(query | {"query_response_hit_ids": ["d1", "d2"]}),
        json.dumps(query | {"timestamp": "2026-03-02T09:01:00Z", "query_response_hit_ids": ["d3"]}),
        json.dumps(query | {"timestamp": "not a time", "query_response_hit_ids": ["d4"]}),
        "garbage",
    ]
    log = read_log(written(tmp_path / "ubi_queries.jsonl", *lines))
    assert [(row["doc"], row["position"]) for row in rows(log.events)] == [("d1", 1), ("d2", 2)]
    assert {one.table for one in log.aside} == {"queries"}
    assert {one.reason: one.count for one in log.merged} == {_REPEATED: 1, _CHANGED: 1}
    assert (log.set_aside, log.merged_requests, sum(log.rows.values())) == (2, 2, 5)


def test_ubi_as_hits_of_opensearch(tmp_path):
    lines = (SAMPLES / "ubi" / "ubi_queries.jsonl").read_text().splitlines()
    wrapped = [{"_index": "ubi_queries", "_id": "1", "_source": json.loads(line)} for line in lines]
    file = written(tmp_path / "dump.jsonl", *(json.dumps(hit) for hit in wrapped))
    assert rows(read_log(file).queries)[0]["text"] == "toner"


def test_algolia():
    log = read_log(SAMPLES / "algolia")
    a = {"query_id": "43b15df305339e827f0ac0bdc5ebcaa7", "user": "user-1"}
    assert log.format == "algolia"
    assert rows(log.queries) == [
        {
            **a,
            "time": 1772442930000,
            "text": 'café "au lait"',
            "page": 2,
            "results": 41,
            "latency_ms": 3.0,
            "index": "drinks",
        },
        {
            "query_id": "bbb222",
            "time": 1772442960000,
            "text": "green tea leaf",
            "page": 1,
            "results": 0,
            "latency_ms": 1.0,
            "index": "drinks",
        },
    ]
    assert rows(log.events) == [
        {**a, "time": 1772442935500, "action": "click", "doc": "a", "position": 21},
        {**a, "time": 1772442935500, "action": "click", "doc": "b", "position": 24},
        {"user": "user-2", "time": 1772442961000, "action": "impression", "doc": "c"},
        {"user": "user-2", "time": 1772442962000, "action": "click on a filter"},
        {**a, "time": 1772443000000, "action": "conversion", "doc": "a"},
    ]
    assert log.notes[-1].endswith(
        "logs.json that are neither queries nor events: 1"
    )  # the one that changed the index


def test_matomo():
    log = read_log(SAMPLES / "matomo.json")
    visit = {"user": "c0ffee0000000001", "session": "901"}
    place = {"device": "Desktop", "country": "France"}
    assert log.format == "matomo"
    assert rows(log.queries) == [
        {
            "query_id": "5002",
            **visit,
            "time": 1772442930000,
            "text": "toner",
            "results": 12,
            **place,
        },
        {
            "query_id": "5004",
            **visit,
            "time": 1772443001000,
            "text": "tonr",
            "results": 0,
            "category": "all",
            **place,
        },
    ]
    assert rows(log.events) == [
        {
            "event_id": "5003",
            "query_id": "5002",
            **visit,
            "time": 1772442936000,
            "action": "click",
            "doc": "https://example.org/p/9",
            "dwell_ms": 65000,
        },
        {
            "event_id": "5005",
            "query_id": "5004",
            **visit,
            "time": 1772443010000,
            "action": "click",
            "doc": "https://example.net/",
        },
        {
            "query_id": "5004",
            **visit,
            "time": 1772443020000,
            "action": "conversion",
            "doc": "Newsletter",
        },
    ]
    assert log.notes[-1].endswith("before any search of their session: 2")


def test_snowplow():
    log = read_log(SAMPLES / "snowplow.jsonl")
    assert log.format == "snowplow"
    assert rows(log.queries) == [
        {
            "query_id": "e-2",
            "user": "d-1",
            "session": "s-1",
            "time": 1772442930000,
            "text": 'unified lög "x"',
            "results": 14,
            "device": "Computer",
            "country": "FR",
            "app": "shop",
        }
    ]
    assert rows(log.events) == [
        {
            "event_id": "e-4",
            "query_id": "e-2",
            "user": "d-1",
            "session": "s-1",
            "time": 1772442942000,
            "action": "click",
            "doc": "https://example.org/b/1",
        }
    ]
    assert zoneless(log) == ()  # enriched events are in UTC
    assert any("neither queries nor events: 1" in note for note in log.notes)


def test_slow_log_of_lines():
    log = read_log(SAMPLES / "slowlog.log")
    assert log.format == "slowlog"
    assert rows(log.queries) == [
        {
            "query_id": "1",
            "user": "tomcat-123",
            "time": 1772442930250,
            "text": 'blue "whale"',
            "results": 3,
            "latency_ms": 5.0,
            "index": "books",
            "phase": "query",
        },
        {
            "query_id": "2",
            "time": 1772442930251,
            "text": "whales",
            "results": 10000,
            "latency_ms": 1903.0,
            "index": "books",
            "phase": "fetch",
        },
        {
            "query_id": "4",
            "time": 1772442931000,
            "latency_ms": 0.0,
            "index": "books",
            "phase": "query",
        },
    ]
    assert rows(log.events) == []
    assert log.lacks >= {f"events.{name}" for name in EVENTS}
    assert zoneless(log) == ("queries.time",)
    (aside,) = log.aside
    assert (aside.count, aside.reason) == (1, "no time")
    assert aside.examples == (
        f"{SAMPLES / 'slowlog.log'}:3: java.lang.IllegalStateException: not a line of the slow log",
    )


def test_slow_log_of_json():
    log = read_log(SAMPLES / "slowlog.jsonl")
    assert rows(log.queries) == [
        {
            "query_id": "1",
            "user": "tomcat-123",
            "time": 1772442930250,
            "text": "blue whale",
            "results": 3,
            "latency_ms": 5.0,
            "index": "books",
            "phase": "query",
        },
        {
            "query_id": "2",
            "time": 1772442931000,
            "text": "whales",
            "latency_ms": 1903.0,
            "index": "books",
            "phase": "query",
        },
    ]


@pytest.mark.parametrize("name", formats())
def test_every_format_describes_itself(name):
    cls = formats()[name]
    assert cls.__doc__
    assert f"| `{name}` |" in GUIDE.read_text("utf-8")
    for part in cls.layout().rows:
        assert part.known_by  # else it could not be told from others
        known = {*QUERIES} if part.kind == "queries" else {*EVENTS, "page"}
        assert set(part.columns) <= known | {*REQUEST}


def test_what_is_of_no_format_is_told_with_a_mapping_to_start_from(tmp_path):
    file = written(tmp_path / "x.csv", "when,what", "2026-01-01,hello")
    with pytest.raises(InputError, match="columns: what, when") as error:
        read_log(file)
    assert all(name in str(error.value) for name in formats())
    assert "query_id: COLUMN" in str(error.value)
    assert "format='ubi', on the command line --log-format ubi" in str(error.value)


def test_a_format_that_does_not_exist():
    told = r"format='matmo' \(--log-format\) is not known; did you mean 'matomo'"
    with pytest.raises(OptionError, match=told):
        read_log(SAMPLES / "matomo.json", format="matmo")


def test_a_log_of_another_format_than_was_said():
    with pytest.raises(InputError, match="no table has queries of the format 'snowplow'"):
        read_log(SAMPLES / "matomo.json", format="snowplow")


def test_columns_that_a_format_must_not_have_are_not_asked_for():
    with pytest.raises(InputError, match=r"the columns query_id, timestamp, user_query$"):
        read_log(SAMPLES / "matomo.json", format="ubi")
