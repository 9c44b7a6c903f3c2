"""Metrics that rest on rows with an error say so, in every format."""

from __future__ import annotations

import json
from dataclasses import replace

from cleverdon.logs.abtest.analysis import abtest
from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import UnusableRows, log_of
from tests.logs.doctor.rows import START


def test_errors_of_the_log_are_told_beside_the_numbers_that_they_spoil():
    pages = [
        {"query_id": f"q{n}", "user": f"u{n}", "time": START + n, "text": "x", "results": n % 2}
        for n in range(4)
    ]
    shown = [
        {"query_id": f"q{n}", "time": START + n, "action": action, "doc": "d", "position": 1}
        for n in range(4)
        for action in ("impression", "click")
    ]
    log = log_of(pages, shown)
    found = measure_log(log, ["ZeroResults", "PageCTR", "TopZeroResults"], check=True)
    told = (
        "The log has an error: impressions or clicks on pages without results: "
        "4 of 8 events, 50.0% (events-on-empty-pages); see cleverdon logs check."
    )
    assert found.value("ZeroResults").notes == (told,)
    assert found.value("PageCTR").notes == ()
    assert found.list("TopZeroResults").notes[-1] == told
    table = str(found)
    assert "50.00%!" in table
    assert f"! ZeroResults: {told}" in table
    assert told in found.render("csv").splitlines()[1]
    assert json.loads(found.render("json"))["metric_notes"]["ZeroResults"] == [told]
    assert measure_log(log, ["ZeroResults"]).value("ZeroResults").notes == ()


def test_rows_set_aside_spoil_every_metric_or_those_of_events():
    page = {"query_id": "q", "user": "u", "time": START, "text": "x", "results": 1}
    click = {"query_id": "q", "time": START, "action": "click"}
    log = replace(log_of([page], [click]), aside=(UnusableRows("events", "no time", 3),))
    found = measure_log(log, ["ZeroResults", "PageCTR"], check=True)
    assert found.value("ZeroResults").notes == ()
    assert "events set aside: no time: 3 of 4 rows" in found.value("PageCTR").notes[0]
    both = replace(log, aside=(UnusableRows("queries", "no time", 1),))
    found = measure_log(both, ["ZeroResults", "PageCTR"], check=True)
    assert "queries set aside: no time: 1 of 2 rows" in found.value("ZeroResults").notes[0]


def test_an_ab_test_says_which_of_its_metrics_rest_on_errors():
    pages = [
        {"query_id": f"q{n}", "user": f"u{n}", "time": START + n, "text": "x", "results": n % 3}
        | {"variant": "AB"[n % 2]}
        for n in range(40)
    ]
    clicks = [
        {"query_id": f"q{n}", "time": START + n, "action": "click", "doc": "d", "position": 1}
        for n in range(0, 40, 3)
    ]
    log = log_of(pages, clicks)
    test = abtest(log, ["PageCTR"], guardrails=["ZeroResults"], check=True)
    (told,) = [note for note in test.notes if "error" in note]
    assert told.startswith("ZeroResults: The log has an error: impressions or clicks on pages")
    assert told in test.render("text")
    assert told in json.loads(test.render("json"))["notes"]
    assert not any("error" in note for note in abtest(log, ["PageCTR"]).notes)
