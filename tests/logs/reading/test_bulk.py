"""UBI as the bulk interface of OpenSearch takes it: both kinds in one file, with lines between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cleverdon.logs.reading.reader import read_log

START = "2026-03-02T09:00:00Z"


def query(number: int) -> dict[str, Any]:
    return {
        "query_id": f"q{number}",
        "client_id": "ann",
        "user_query": "red shoes",
        "query_attributes": {},
        "timestamp": START,
    }


def event(number: int, action: str, ordinal: int) -> dict[str, Any]:
    return {
        "action_name": action,
        "query_id": f"q{number}",
        "session_id": "s1",
        "client_id": "ann",
        "timestamp": START,
        "user_query": "red shoes",
        "event_attributes": {
            "object": {"object_id": f"d{ordinal}"},
            "position": {"ordinal": ordinal},
        },
    }


def bulk(path: Path, records: list[dict[str, Any]]) -> Path:
    lines = []
    for number, record in enumerate(records):
        index = "ubi_events" if "action_name" in record else "ubi_queries"
        lines += [{"index": {"_index": index, "_id": str(number)}}, record]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def positions(log: Any) -> list[tuple[str, str, int | None]]:
    rows = log.events.order_by("query_id", "doc", "action").to_pyarrow().to_pylist()
    return [(row["action"], row["doc"], row["position"]) for row in rows]


def test_queries_and_events_are_told_apart_line_by_line(tmp_path: Path) -> None:
    shown = [event(1, "impression", ordinal) for ordinal in (0, 1, 2)]
    log = read_log(bulk(tmp_path / "ubi.ndjson", [query(1), *shown, event(1, "click", 1)]))
    assert log.format == "ubi"
    assert log.queries.to_pyarrow()["text"].to_pylist() == ["red shoes"]
    assert log.queries.to_pyarrow()["session"].to_pylist() == ["s1"]
    assert not log.aside
    assert positions(log) == [
        ("impression", "d0", 1),
        ("click", "d1", 2),
        ("impression", "d1", 2),
        ("impression", "d2", 3),
    ]
    assert any("is taken to count from 0" in note for note in log.notes)
    assert any("neither queries nor events: 5" in note for note in log.notes)


def test_a_stray_zero_is_no_sign_of_counting_from_0(tmp_path: Path) -> None:
    shown = [event(n, "impression", ordinal) for n in range(1, 5) for ordinal in (1, 2)]
    records = [*(query(n) for n in range(1, 5)), *shown, event(1, "impression", 0)]
    log = read_log(bulk(tmp_path / "ubi.ndjson", records))
    assert positions(log)[:3] == [("impression", "d0", None), *positions(log)[1:3]]
    assert {place for _, _, place in positions(log)} == {None, 1, 2}
    (odd,) = log.aside
    assert odd.kept
    assert odd.count == 1
