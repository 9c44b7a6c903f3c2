"""`cleverdon logs interleave`, and what it says."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from cleverdon.logs.interleaving.base import Record, write_records
from cleverdon.logs.interleaving.credit import Credits, QueryCredit, credit_clicks
from cleverdon.logs.interleaving.methods import Optimised, TeamDraft
from cleverdon.logs.interleaving.preference import (
    Preference,
    _power_sentence,
    _preference_doubts,
    _preference_power,
    _preference_sentence,
    measure_preference,
)
from cleverdon.logs.interleaving.simulation import CLICKERS, make_queries, simulate
from tests.commands import run_here

START = 1_772_409_600_000


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """A folder with 300 result pages of 60 users, A being the better ranking."""
    queries = list(make_queries(0.6, 0.1, queries=20, seed=1))
    records, clicks = simulate(TeamDraft(seed=1), queries, CLICKERS["perfect"], impressions=300)
    write_records(tmp_path / "records.jsonl", records)
    queries = [
        {"query_id": record.query_id, "user": f"u{place % 60}", "time": START + place}
        for place, record in enumerate(records)
    ]
    events = [
        {"query_id": query, "time": START + 1000 + place, "action": "click", "doc": doc}
        for place, (query, doc) in enumerate(clicks)
    ]
    (tmp_path / "log").mkdir()
    for name, rows in (("queries", queries), ("events", events)):
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / "log" / f"{name}.jsonl").write_text(text)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_here(["logs", "interleave", "records.jsonl", "log", *arguments], folder)


def test_text(experiment: Path) -> None:
    done = run(experiment, "--a", "new", "--b", "old")
    assert (done.returncode, done.stderr) == (0, "")
    claim, _, header, _, queries, users, *rest = done.stdout.splitlines()
    assert claim.startswith("new beats old on queries won by 0.")
    assert "sign test p = " in claim
    assert "; 60 users with clicks: " in claim
    assert header.split() == ["for", "new", "for", "old", "even", "no", "click"]
    assert queries.split()[0] == "queries"
    assert users.split()[0] == "users"
    assert sum(map(int, queries.split()[1:])) == 300
    assert any("These users show a preference of" in line for line in rest)
    assert "Before you believe it:" not in done.stdout


def test_json_says_what_did_not_fit(experiment: Path) -> None:
    records = (experiment / "records.jsonl").read_text().splitlines(keepends=True)
    changed = records[0].replace('"q1"', '"q0"')
    (experiment / "records.jsonl").write_text("".join([changed, *records[2:]]))
    done = run(experiment, "-f", "json", "--unit", "query", "--difference", "0.05")
    found = json.loads(done.stdout)
    assert (found["verdict"], found["unit"], found["test"]) == ("better", "query", "sign")
    assert found["delta"] > 0.2
    assert found["queries"]["a"] > found["queries"]["b"]
    assert found["power"]["size"] == 0.05
    assert found["methods"] == {"team-draft": 299}
    assert found["clicks"]["queries_without_record"] == 2
    doubts = " ".join(found["doubts"])
    assert "60 users are known" in doubts
    assert " of 2 queries without a record." in doubts
    assert "1 record of queries that are not in the log" in doubts


def test_errors_name_the_line(experiment: Path) -> None:
    (experiment / "records.jsonl").write_text("{}\n")
    done = run(experiment)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "cleverdon: error: records.jsonl:1: not a record of interleaving: it has no 'version', it "
        "is empty; a record has query_id, "
    )


def test_no_record_at_all_is_an_error(experiment: Path) -> None:
    (experiment / "records.jsonl").write_text("\n")
    done = run(experiment)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cleverdon: error: records.jsonl: no record of interleaving")


def test_one_is_one() -> None:
    first, *rest = votes(3, 1, user="ann").queries
    credits = votes(0, 0)
    alone = replace(credits, queries=(first._replace(user=None), *rest))
    assert ("1 query with clicks has no user, and counts as a user of its own.") in list(
        _preference_doubts(measure_preference(alone))
    )
    single = replace(credits, queries=tuple(rest))
    told = " ".join(_preference_doubts(measure_preference(single, unit="query")))
    assert "(1 user is known)" in told


def votes(a: int, b: int, even: int = 0, *, user: str | None = None) -> Credits:
    gains = [(1.0, 0.0)] * a + [(0.0, 1.0)] * b + [(1.0, 1.0)] * even
    queries = [QueryCredit(f"q{place}", user, *gain, 1) for place, gain in enumerate(gains)]
    return Credits(tuple(queries), {"team-draft": len(queries)}, counted=len(queries))


def said(found: Preference) -> str:
    return _preference_sentence(found)


def test_claims_in_words() -> None:
    assert said(measure_preference(votes(20, 4), a="bm25", b="dense")) == (
        "bm25 beats dense on queries won by 0.333 (95% CI 0.173 to 0.494; sign test p = 0.002; "
        "24 queries with clicks: 20 for, 0 even, 4 against)."
    )
    assert said(measure_preference(votes(4, 20))).startswith(
        "A is worse than B on queries won by 0.333 ("
    )
    assert said(measure_preference(votes(6, 4, 2))).endswith(
        "12 queries with clicks: 6 for, 2 even, 4 against)."
    )
    assert said(measure_preference(votes(6, 4, 2))).startswith(
        "A is not shown to differ from B on queries won: +0.083 ("
    )
    assert said(measure_preference(votes(5, 5))).endswith(" There is no preference to show.")
    assert said(measure_preference(votes(0, 0))) == (
        "A is not shown to differ from B: no result page has a click that counts."
    )


def test_power_in_words() -> None:
    found = measure_preference(votes(60, 40))
    assert _power_sentence(_preference_power(found)) == (
        "These queries show a preference of 0.145 on queries won with a power of 80%."
    )
    assert _power_sentence(_preference_power(found, size=0.1)) == (
        "These queries show a preference of 0.145 on queries won with a power of 80%; one of 0.100 "
        "has a power of 46%, and needs 210 queries with clicks for 80%, or about 210 result pages."
    )
    assert _power_sentence(
        _preference_power(measure_preference(votes(3, 1)), size=0.25)
    ).startswith("These are too few queries to show any preference; one of 0.250")
    tied = measure_preference(votes(30, 30, 60))
    assert _power_sentence(_preference_power(tied, size=0.4)).endswith(
        "with so many ties, one of 0.400 is impossible."
    )
    assert _power_sentence(_preference_power(measure_preference(votes(0, 0)))) == (
        "These are too few queries to show any preference."
    )


def test_doubts_about_methods() -> None:
    balanced = Record("q1", "balanced", 0, ("x",), {"rank_a": (1,), "rank_b": (2,)})
    docs = [f"d{i}" for i in range(3)]
    optimised = Optimised().interleave(docs, docs[::-1], query_id="q2").record
    credits = credit_clicks([balanced, optimised], [("q1", "x"), ("q2", "d0")])
    raised = " ".join(_preference_doubts(measure_preference(credits, test="sign")))
    assert "balanced interleaving can prefer one of two rankings although users click" in raised
    assert "records of several methods are combined: balanced 1, optimised 1." in raised
    assert "the mean credit is fair" in raised
    assert "no user is known" in raised
    assert "the mean credit is fair" not in " ".join(
        _preference_doubts(measure_preference(credits))
    )


def test_json_has_no_nan() -> None:
    written = json.loads(measure_preference(votes(0, 0)).to_json())
    assert written["delta"] is None
    assert written["interval"]["low"] is None
    assert written["power"]["power"] is None
