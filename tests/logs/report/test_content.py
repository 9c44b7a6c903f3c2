"""What a report of a log says."""

from __future__ import annotations

import json

import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import log_of
from cleverdon.logs.report.page import _tested, logs_report
from cleverdon.logs.session_tables import build_session_tables
from tests.logs.report.examples import ODD, SECRET, bare, bare_log, strict, usual, usual_log


def test_the_key_numbers_are_those_of_the_metrics_with_what_they_are_made_of() -> None:
    told = {one["metric"]: one for one in usual().content["numbers"]}
    results = measure_log(usual_log(), ["Success", "Latency", "ClickRank"])
    success = results.value("Success")
    # Eight of 24 users click each day, and stay long enough on two of three days.
    assert (success.numerator, success.denominator) == (16, 72)
    assert told["Success"]["value"] == "22.22%"
    assert told["Success"]["of"] == "16 sessions with a click and a sign of success, of 72 sessions"
    assert told["Success"]["interval"].endswith("%")
    assert told["Success"]["users"] == 24
    assert told["Latency"]["of"] == "over 48 searches whose latency is known"
    assert told["Latency"]["percentiles"]["p50"] == "31.00 ms"
    assert told["Abandonment"]["better"] == "lower"


def test_the_headline_is_in_words() -> None:
    told = usual().content["headline"]
    assert told.startswith("24 users asked 72 queries in 72 sessions, and saw 72 result pages.")
    assert "22.22% of the sessions went well (" in told
    assert "in 66.67% nothing was clicked (" in told


def test_what_it_rests_on() -> None:
    notes = " ".join(usual().content["notes"])
    assert "2026-01-01 to 2026-01-03 (UTC)" in notes
    assert "2 rows were set aside, and are not counted." in notes


def test_lists_have_only_queries_of_enough_users() -> None:
    lists = {one["name"]: one for one in usual().content["lists"]}
    texts = [row[0] for row in lists["TopQueries"]["table"]["rows"]]
    assert texts == [ODD.casefold(), "boots", "shoes"]
    assert lists["TopZeroResults"]["table"]["rows"] == [["boots", "18", "6", "100.00%", "18"]]
    assert "Only queries of at least 3 users are listed." in lists["TopQueries"]["notes"]
    (top,) = [one for one in strict().content["lists"] if one["name"] == "TopQueries"]
    assert top["table"]["rows"] == []
    assert "There is nothing to list." in top["notes"]
    assert "shoes" not in json.dumps(strict().content)


def test_links_are_listed_that_enough_users_saw() -> None:
    (links,) = [one for one in usual().content["lists"] if one["name"] == "LinkCTR"]
    assert links["table"]["rows"] == [["sandals", "24", "8", "33.33%", "17.97%", "53.29%"]]


def test_nobody_is_named() -> None:
    made = usual()
    assert SECRET not in json.dumps(made.content)
    assert SECRET not in made.html
    diagnosis = made.data.diagnosis
    assert diagnosis is not None
    assert diagnosis.findings
    assert SECRET in repr(diagnosis)  # its examples, which stay out


def test_a_value_that_every_row_has_is_not_told() -> None:
    rows = [
        {"query_id": f"q{at}", "user": SECRET, "time": 1_767_225_600_000 + at, "text": SECRET}
        for at in range(120)
    ]
    made = logs_report(log_of(rows, []))
    whats = [one["what"] for one in made.content["doctor"]["findings"]]
    assert "queries.user is always the same" in whats
    assert SECRET not in json.dumps(made.content)


def test_the_doctor_can_be_left_out() -> None:
    assert logs_report(bare_log(), check=False).content["doctor"] is None
    findings = usual().content["doctor"]["findings"]
    assert all(set(one) >= {"severity", "what", "count", "remedy"} for one in findings)
    assert all("examples" not in one for one in findings)


def test_variants_are_compared() -> None:
    test = usual().content["abtest"]
    assert test["control"] == "A"
    assert test["heading"][0].startswith("24 users took part")
    # Nobody asks again in either variant, so that Reformulation is in the table alone.
    headings = [family["heading"] for family in test["families"]]
    assert headings[0].startswith("Primary metric, which decides: Success (the first; ")
    claims = [claim for family in test["families"] for claim in family["claims"]]
    assert (len(claims), len(test["untested"])) == (4, 1)
    assert test["untested"][0]["verdict"] == "not tested"
    assert any(note.startswith("interval: 95% intervals, adj") for note in test["table_notes"])
    assert [row[-1] for row in test["table"]["rows"] if "Reformulation" in row] == ["not tested"]
    assert all(claim["text"] and claim["verdict"] for claim in claims)
    assert usual().content["no_abtest"] == ""


def test_a_control_that_nobody_named() -> None:
    # The test alone, since the whole of a report takes seconds.
    tables = build_session_tables(usual_log(), split=("variant",))
    test, why = _tested(tables, None, {}, lambda _: None)
    assert test is not None
    assert (test.control, why) == ("A", "")
    named, _ = _tested(tables, None, {"primary": "Abandonment"}, lambda _: None)
    assert named is not None
    assert (str(named.primary), named.primary_named) == ("Abandonment", True)
    with pytest.raises(OptionError, match="primary='Dwell' is not among"):
        _tested(tables, None, {"primary": "Dwell"}, lambda _: None)
    with pytest.raises(InputError, match="there is no variant 'C'"):
        _tested(tables, "C", {}, lambda _: None)
    with pytest.raises(InputError, match="an A/B test needs columns that this log does not have"):
        logs_report(usual_log(variants=False), control="A", check=False)


def test_a_log_with_little_in_it() -> None:
    content = bare().content
    assert content["headline"] == "There are 3 result pages."
    assert content["numbers"] == []
    assert content["abtest"] is None
    missing = {one["metric"]: one["columns"] for one in content["missing"]}
    assert missing["Latency"] == [
        "queries.latency_ms (the duration of the search, in milliseconds)"
    ]
    assert [one["axis"] for one in content["daily"]] == ["Pages", "DistinctQueries"]


def test_what_can_be_picked_begins_with_the_key_numbers() -> None:
    picks = [(one["metric"], one["percentile"]) for one in usual().content["daily"]]
    assert picks[:2] == [("Success", None), ("Abandonment", None)]
    assert ("Latency", "p95") in picks
    assert len(set(picks)) == len(picks)


def test_the_method_says_how() -> None:
    method = usual().content["method"]
    assert "A session is given by the log's own ids." in method["paragraph"]
    assert "delta method over users" in method["paragraph"]
    assert method["facts"]["Listed"] == "at most 10 queries a list, of at least 3 users each"
    assert method["facts"]["Engine"] == "duckdb"
    success = next(one for one in method["metrics"] if one["name"] == "Success")
    assert success["mathml"].startswith("<math")
    assert success["numerator"] == "sessions with a click and a sign of success"
    assert {"pages", "sessions", "TopQueries", "funnel", "distribution latency"} <= set(
        method["sql"]
    )
    assert all(
        text.lstrip().startswith(("SELECT", "WITH", "CREATE", "--"))
        for text in method["sql"].values()
    )
    facts = strict().content["method"]["facts"]
    assert facts["Session"] == "is given by the log's own ids"
    assert facts["The same query"] == "texts that are the same in every character"


def test_tables_are_not_called_by_chance() -> None:
    sql = usual().content["method"]["sql"]
    assert "ibis_" not in json.dumps(sql)
    assert 'FROM "pages"' in sql["ratios over pages"]


def test_json_has_all_of_it() -> None:
    assert json.loads(json.dumps(usual().content, allow_nan=False)) == usual().content
