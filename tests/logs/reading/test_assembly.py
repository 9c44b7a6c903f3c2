"""Requests that share a query id: which of them is the search, and what the others are.

The plain function `by_hand` says it a second time, request by request.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cleverdon.logs.compute import measure_log
from cleverdon.logs.doctor.checks import examine
from cleverdon.logs.log import Log
from cleverdon.logs.reading.assembly import (
    _CHANGED,
    _FACETS,
    _FURTHER,
    _OTHER_TEXT,
    _OTHER_USER,
    _REPEATED,
    _RETRIED,
)
from cleverdon.logs.reading.reader import read_log
from tests.logs.engines import postgres, spark
from tests.logs.reading.rows import AT, rows, written

Request = dict[str, Any]


def body(size: int | None = None, offset: int | None = None) -> str:
    """A request as OpenSearch writes it, with numbers inside that are not the page's."""
    page = {"from": offset, "size": size}
    inner = {"range": {"price": {"from": 7, "to": 9}}}
    facets = {"brand": {"terms": {"field": "brand", "size": 20}}}
    told = {name: number for name, number in page.items() if number is not None}
    return json.dumps({**told, "query": inner, "aggregations": facets})


def request(
    id: str,
    at: int,
    hits: list[str] | None,
    *,
    text: str | None = "toner",
    size: int | None = 2,
    offset: int | None = 0,
    user: str = "ann",
) -> Request:
    """One row of ubi_queries; `at` is in milliseconds after the start."""
    row = {"query_id": id, "client_id": user, "user_query": text, "timestamp": AT + at}
    row |= {"query": body(size, offset), "application": "shop"}
    return row if hits is None else {**row, "query_response_hit_ids": hits}


def facets(id: str, at: int, **more: Any) -> Request:
    return request(id, at, [], **{"size": 0, "offset": None, **more})


SHOP = [
    # Facets first, then the results, as the page of Chorus sends them.
    facets("facets", 0),
    facets("facets", 0),
    request("facets", 10, ["d1", "d2"]),
    # Nothing was found, and facets were asked for as well.
    request("nothing", 100, []),
    facets("nothing", 101),
    # Three pages; the last is beyond the end.
    request("pages", 200, ["d1", "d2"]),
    facets("pages", 201),
    request("pages", 5_200, ["d3", "d4"], offset=2),
    facets("pages", 5_201),
    request("pages", 9_200, [], offset=4),
    # The first answer failed, the second was empty.
    request("retried", 300, None),
    request("retried", 350, []),
    request("retried", 400, ["d1"]),
    # Sent twice; then with a filter.
    request("repeated", 500, ["d1", "d2"]),
    request("repeated", 501, ["d1", "d2"]),
    request("repeated", 900, ["d2"]),
    # An id that is used again.
    request("reused", 600, ["d1"], text="Toner "),
    request("reused", 650, ["d1"], text="toner"),
    request("reused", 700, [], text="printer"),
    facets("reused", 701, text="printer"),
    request("reused", 800, ["d9"], user="bob"),
    # Only facets: nobody knows what would have been found.
    facets("only facets", 900),
    facets("only facets", 901),
    facets("one facet", 950),
    request("one", 990, ["d7"]),
]
SEARCHES = {
    # id: time, page and results
    "facets": (10, 1, 2),
    "nothing": (100, 1, 0),
    "pages": (200, 1, 2),
    "pages#2": (5_200, 2, 4),
    "pages#3": (9_200, 3, None),
    "retried": (400, 1, 1),
    "repeated": (500, 1, 2),
    "reused": (600, 1, 1),
    "only facets": (900, None, None),
    "one facet": (950, None, None),
    "one": (990, 1, 1),
}
MERGED = {_FACETS: 7, _FURTHER: 2, _RETRIED: 2, _REPEATED: 2, _CHANGED: 1}
REUSED = {_OTHER_TEXT: 1, _OTHER_USER: 1}


def check(log: Log) -> None:
    assert all(isinstance(n, int | None) for n in log.queries.results.to_pyarrow().to_pylist())
    found = {
        row["query_id"]: (row["time"] - AT, row.get("page"), row.get("results"))
        for row in rows(log.queries)
    }
    assert found == SEARCHES
    assert {one.reason: one.count for one in log.merged} == MERGED
    assert [one.reason for one in log.merged if one.kept] == [_FURTHER]
    assert {one.reason: one.count for one in log.aside} == REUSED
    assert log.merged_requests == 12
    kept = len(rows(log.queries))
    assert kept + log.set_aside + log.merged_requests == log.rows["queries"] == len(SHOP)


def file_of(folder: Path, requests: list[Request]) -> Path:
    return written(folder / "ubi_queries.jsonl", *map(json.dumps, requests))


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    return read_log(file_of(tmp_path_factory.mktemp("shop"), SHOP))


def test_requests_of_each_kind_are_told_apart(shop):
    check(shop)
    shown = {one.reason: one.examples for one in shop.merged + shop.aside}
    assert "ubi_queries.jsonl:21: " in shown[_OTHER_USER][0]
    assert '"client_id": "bob"' in shown[_OTHER_USER][0]
    assert len(shown[_FACETS]) == 3


def test_results_go_on_where_the_page_before_ended(shop):
    shown = [
        (row["query_id"], row["doc"], row["position"])
        for row in rows(shop.events)
        if row["query_id"].startswith(("pages", "re"))
    ]
    assert sorted(shown) == [
        ("pages", "d1", 1),
        ("pages", "d2", 2),
        ("pages#2", "d3", 3),
        ("pages#2", "d4", 4),
        ("repeated", "d1", 1),
        ("repeated", "d2", 2),
        ("retried", "d1", 1),
        ("reused", "d1", 1),
    ]


def test_metrics_know_pages_and_what_was_found(shop):
    seen = measure_log(shop, ["ZeroResults", "Pages", "Pagination"])
    zero = seen.value("ZeroResults")
    # Of the eleven rows, two ask for facets only and one is a page beyond the last.
    assert (zero.numerator, zero.denominator) == (1, 8)
    assert seen.value("Pages").value == 11
    assert seen.value("Pagination").numerator == 1


def test_what_was_merged_is_told_in_every_format(shop):
    seen = measure_log(shop, ["Pages"])
    told = " ".join(str(seen).split())
    assert "12 requests were merged into the search that has the same query id: 7 facet" in told
    assert "2 further pages under the query id of their search are rows of their own." in told
    records = json.loads(seen.render("json"))["merged"]
    assert {one["reason"]: one["count"] for one in records} == MERGED
    found = examine(shop)
    assert {one.count for one in found.findings if one.name == "merged-requests"} == {7, 2, 1}
    assert {one.count for one in found.findings if one.name == "reused-query-ids"} == {1}
    assert found.find("rows-set-aside") is None


def test_events_belong_to_the_page_that_was_last_asked_for(tmp_path):
    done = [
        {"query_id": id, "action_name": "click", "timestamp": AT + at, "client_id": "ann"}
        for id, at in (("pages", 100), ("pages", 300), ("pages", 6_000), ("one", 6_000), ("x", 1))
    ]
    for row in done:
        row["session_id"] = f"session of {row['query_id']}"
    file_of(tmp_path, SHOP)
    written(tmp_path / "ubi_events.jsonl", *map(json.dumps, done))
    log = read_log(tmp_path)
    clicks = [row for row in rows(log.events) if row["action"] == "click"]
    assert [(row["time"] - AT, row["query_id"]) for row in clicks] == [
        (1, "x"),
        (100, "pages"),  # by a clock that is behind
        (300, "pages"),
        (6_000, "one"),
        (6_000, "pages#2"),
    ]
    # UBI has sessions in events only: a page without any is in the session of its search.
    sessions = {row["query_id"]: row.get("session") for row in rows(log.queries)}
    assert sessions["pages#3"] == sessions["pages"] == "session of pages"
    assert sessions["facets"] is None


def test_pages_asked_for_at_the_same_time(tmp_path):
    both = [request("a", 0, ["d1", "d2"]), request("a", 0, ["d3"], offset=2)]
    log = read_log(file_of(tmp_path, both))
    shown = [(row["query_id"], row["doc"], row["position"]) for row in rows(log.events)]
    assert sorted(shown) == [("a", "d1", 1), ("a", "d2", 2), ("a#2", "d3", 3)]


def test_a_first_page_that_is_not_in_the_log(tmp_path):
    log = read_log(file_of(tmp_path, [request("a", i, ["d"], offset=2 * i) for i in (1, 2)]))
    assert [(row["query_id"], row["page"]) for row in rows(log.queries)] == [("a", 2), ("a#3", 3)]


@pytest.mark.parametrize(
    ("written_as", "page", "results"),
    [
        ('{"query": {"match": {"size": 9}}, "size": 5, "from": 10, "aggs": {}}', 3, 11),
        ('{"from": 20}', 3, 21),  # ten results a page, unless a request says otherwise
        ('{"size": 0, "aggs": {}}', None, None),
        ('{"size": -1}', None, 1),
        ('{"size": "many"}', None, 1),
        ('{"from": 1e400, "size": 5}', 1, 1),
        ("", None, 1),
        ("shoes AND red", None, 1),
        ("[1, 2]", None, 1),
        ('{"size": 5', None, 1),
        (None, None, 1),
    ],
)
def test_bodies_as_they_may_be(tmp_path, written_as, page, results):
    row = request("a", 0, ["d"]) | {"query": written_as}
    (found,) = rows(read_log(file_of(tmp_path, [row])).queries)
    assert (found.get("page"), found.get("results")) == (page, results)


def test_a_body_that_is_no_text(tmp_path):
    shop = [{**row, "query": json.loads(row["query"])} for row in SHOP]
    check(read_log(file_of(tmp_path, shop)))


def typed(folder: Path, requests: list[Request]) -> Path:
    columns = list(dict.fromkeys(name for row in requests for name in row))
    rows = [{name: row.get(name) for name in columns} for row in requests]
    path = folder / "ubi_queries.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_parquet(tmp_path):
    check(read_log(typed(tmp_path, SHOP)))


@pytest.mark.filterwarnings("ignore")
def test_spark(tmp_path):
    path = typed(tmp_path, SHOP)
    with spark() as connection:
        connection.create_view("ubi_queries", connection.read_parquet(str(path)))
        check(read_log(connection=connection))


def test_postgresql(tmp_path):
    table = pq.read_table(typed(tmp_path, SHOP))
    with postgres() as connection:
        connection.create_table("ubi_queries", table)
        check(read_log(connection=connection))


def test_a_mapping_can_name_them(tmp_path):
    lines = ["id,at,q,rows,start,found", *("a,{},x,{},{},{}".format(*row) for row in CSV)]
    mapping = {
        "queries": {
            "query_id": "id",
            "time": {"column": "at", "unit": "ms"},
            "text": "q",
            "results": "found",
            "size": "rows",
            "offset": "start",
        }
    }
    log = read_log(written(tmp_path / "log.csv", *lines), mapping=mapping)
    found = [(row["query_id"], row["page"], row["results"]) for row in rows(log.queries)]
    # A number that the log itself tells is not the number that was returned.
    assert found == [("a", 1, 40), ("a#3", 3, 40)]
    assert {one.reason: one.count for one in log.merged} == {_FACETS: 1, _FURTHER: 1}


CSV = [(AT, 0, 0, 40), (AT + 1, 10, 0, 40), (AT + 2, 10, 20, 40)]


def test_other_formats_tell_repeats_from_ids_that_are_used_again(tmp_path):
    row = {"query_id": "a", "user": "ann", "time": AT, "text": "x", "results": 3}
    asked = [row, row, row | {"time": AT + 5, "page": 2}, row | {"time": AT + 9, "text": "y"}]
    log = read_log(written(tmp_path / "queries.jsonl", *map(json.dumps, asked)))
    assert [row["query_id"] for row in rows(log.queries)] == ["a", "a#2"]
    assert {one.reason: one.count for one in log.merged} == {_REPEATED: 1, _FURTHER: 1}
    assert {one.reason: one.count for one in log.aside} == {_OTHER_TEXT: 1}


def by_hand(requests: list[Request]) -> tuple[dict[str, tuple[int, int | None]], Counter[str]]:
    """The searches, each with its time and results, and how many requests there are of each kind.

    Only for requests of one user, in order of time, with no two at once.
    """
    found: dict[str, tuple[int, int | None]] = {}
    kinds: Counter[str] = Counter()
    for id in dict.fromkeys(row["query_id"] for row in requests):
        own = [row for row in requests if row["query_id"] == id]
        asking = [row for row in own if json.loads(row["query"])["size"]]
        if not asking:
            found[id] = (own[0]["timestamp"], None)
            kinds[_FACETS] += len(own) - 1
            continue
        kinds[_FACETS] += len(own) - len(asking)
        same = [row for row in asking if row["user_query"] == asking[0]["user_query"]]
        kinds[_OTHER_TEXT] += len(asking) - len(same)
        by_offset: dict[int, list[Request]] = {}
        for row in same:
            by_offset.setdefault(json.loads(row["query"])["from"], []).append(row)
        for turn, (offset, alike) in enumerate(sorted(by_offset.items())):
            hits = [row.get("query_response_hit_ids") for row in alike]
            chosen = next(
                (i for wanted in (True, False) for i, h in enumerate(hits) if bool(h) == wanted),
                0,
            )
            if not any(hits):
                chosen = next((i for i, h in enumerate(hits) if h is not None and not offset), 0)
            number = [
                None if h is None else len(h) + offset if h or not offset else None for h in hits
            ]
            name = id if turn == 0 else f"{id}#{offset // 2 + 1}"
            found[name] = (alike[chosen]["timestamp"], number[chosen])
            kinds[_FURTHER] += turn > 0
            for i in range(len(alike)):
                if i < chosen:
                    kinds[_RETRIED] += 1
                elif i > chosen:
                    kinds[_REPEATED if number[i] == number[chosen] else _CHANGED] += 1
    return found, +kinds


def test_any_requests_come_out_as_by_hand(tmp_path):
    draw = Random(5)
    requests = []
    for place in range(4_000):
        size, offset = draw.choice((0, 2, 2, 2)), draw.choice((0, 0, 2, 4))
        hits = draw.choice((None, 0, 1, 2))
        docs = None if hits is None else [f"d{offset + i}" for i in range(hits if size else 0)]
        text = draw.choice("xxxxy")
        id = f"q{draw.randrange(1_000)}"
        requests.append(request(id, 10 * place, docs, size=size, offset=offset, text=text))
    log = read_log(file_of(tmp_path, requests))
    expected, kinds = by_hand(requests)
    found = {row["query_id"]: (row["time"], row.get("results")) for row in rows(log.queries)}
    assert found == expected
    assert Counter({one.reason: one.count for one in log.merged + log.aside}) == kinds
    assert min(kinds.values()) > 50
