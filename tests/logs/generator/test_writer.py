"""The generator of logs: the same seed gives the same log, and its truth is that of its rows."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from dataclasses import asdict, fields
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from cleverdon.errors import MissingExtra, OptionError
from cleverdon.logs.generator.users import Counts
from cleverdon.logs.generator.world import Recipe, World, texts
from cleverdon.logs.generator.writer import (
    _EVENTS_SCHEMA,
    _QUERIES_SCHEMA,
    _USERS,
    Truth,
    _generate_tables,
    _make_block,
    generate_log,
)
from cleverdon.logs.log import EVENTS as LOG_EVENTS
from cleverdon.logs.log import QUERIES as LOG_QUERIES
from cleverdon.logs.settings import fold_text

IDLE = 30 * 60_000
Rows = list[dict[str, Any]]


@cache
def large() -> tuple[Any, Any, Truth]:
    return _generate_tables(events=600_000, seed=11)


@cache
def small(**recipe: Any) -> tuple[Rows, Rows, Truth]:
    """A log of some users as plain rows, times in milliseconds."""
    queries, events, truth = _generate_tables(
        **{"events": 40_000, "seed": 5, "bots": 0.01, **recipe}
    )
    return rows(queries), rows(events), truth


def rows(table: Any) -> Rows:
    at = table.schema.get_field_index("time")
    table = table.set_column(at, "time", table["time"].cast(pa.int64()))
    found: Rows = table.to_pylist()
    return found


def counted(queries: Rows, events: Rows) -> dict[str, int]:
    """What `Counts` says, by plain Python over the rows."""
    page_of = {query["query_id"]: query for query in queries}
    by_action: dict[str, Rows] = defaultdict(list)
    for event in events:
        if event["query_id"] in page_of:
            by_action[event["action"]].append(event)
    clicks = by_action["click"]
    dwells = [click["dwell_ms"] for click in clicks if click["dwell_ms"] is not None]
    successes = [
        *(click for click in clicks if (click["dwell_ms"] or 0) >= 30_000),
        *by_action["copy"],
        *by_action["conversion"],
    ]
    return {
        "users": len({query["user"] for query in queries}),
        "sessions": len({query["session"] for query in queries}),
        "pages": len(queries),
        "keystrokes": 0,
        "zero_result_pages": sum(query["results"] == 0 for query in queries),
        "later_pages": sum(query["page"] > 1 for query in queries),
        "latencies": sum(query["latency_ms"] is not None for query in queries),
        "impressions": len(by_action["impression"]),
        "clicks": len(clicks),
        "click_positions": sum(click["position"] for click in clicks),
        "dwells": len(dwells),
        "dwell_ms": sum(dwells),
        "copies": len(by_action["copy"]),
        "conversions": len(by_action["conversion"]),
        "pages_with_click": len({click["query_id"] for click in clicks}),
        "sessions_with_click": len({click["session"] for click in clicks}),
        "successful_sessions": len({event["session"] for event in successes}),
    }


def exact(counts: Counts) -> dict[str, int]:
    return {name: n for name, n in asdict(counts).items() if name != "expected_clicks"}


def test_the_same_seed_gives_the_same_log_and_another_another() -> None:
    one, other, different = (_generate_tables(events=3000, seed=seed) for seed in (4, 4, 5))
    assert one[0].equals(other[0])
    assert one[1].equals(other[1])
    assert one[2] == other[2]
    assert not one[0].equals(different[0])


def test_files_hold_the_same_rows_whatever_the_number_of_threads(tmp_path: Path) -> None:
    recipe: dict[str, Any] = {"events": 450_000, "seed": 2, "keystrokes": True, "faults": 0.01}
    queries, events, truth = _generate_tables(**recipe)
    assert truth.total.users > 2 * _USERS, "several blocks"
    for threads in (1, 3):
        assert generate_log(tmp_path / str(threads), threads=threads, **recipe) == truth
        assert pq.read_table(tmp_path / str(threads) / "queries.parquet").equals(queries)
        assert pq.read_table(tmp_path / str(threads) / "events.parquet").equals(events)


def test_a_block_is_the_same_in_a_log_of_any_size() -> None:
    one, other = (_make_block(World(Recipe(events=n, seed=8)), 1) for n in (400_000, 4_000_000))
    assert one.queries.equals(other.queries)
    assert one.events.equals(other.events)
    assert one.queries["user"][0].as_py() == f"u{_USERS:012}"


def test_files_have_the_columns_that_are_documented(tmp_path: Path) -> None:
    truth = generate_log(tmp_path, events=5000)
    for name, schema, of_log in (
        ("queries", _QUERIES_SCHEMA, LOG_QUERIES),
        ("events", _EVENTS_SCHEMA, LOG_EVENTS),
    ):
        file = pq.ParquetFile(tmp_path / f"{name}.parquet")
        assert file.schema_arrow.equals(schema)
        # Made-up users have an account or a session; no other id stands for them.
        columns = {column: kind for column, kind in of_log.items() if column != "client"}
        assert schema.names[: len(columns)] == list(columns)
        for column, kind in columns.items():
            own = str(schema.field(column).type)
            assert own == {"float64": "double"}.get(kind, kind) or column == "time"
    assert _QUERIES_SCHEMA.names[-2:] == ["device", "country"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "events.parquet",
        "queries.parquet",
        "truth.json",
    ]
    written = json.loads((tmp_path / "truth.json").read_text())
    assert written["rows"] == truth.rows
    assert written["total"] == asdict(truth.total)
    assert written["recipe"]["events"] == 5000


def test_about_as_many_rows_as_were_asked_for() -> None:
    queries, events, truth = large()
    assert (queries.num_rows, events.num_rows) == (truth.query_rows, truth.event_rows)
    assert truth.rows == pytest.approx(600_000, rel=0.05)


def test_the_truth_is_that_of_the_rows() -> None:
    queries, events, truth = small()
    assert exact(truth.total) == counted(queries, events)
    assert truth.bots.users > 0
    clicking = {event["user"] for event in events}
    of_bots = [query for query in queries if query["user"] not in clicking]
    many = Counter(query["user"] for query in of_bots)
    of_bots = [query for query in of_bots if many[query["user"]] >= 100]
    assert exact(truth.bots) == counted(of_bots, events)
    for name, counts in truth.variants.items():
        pages = [query for query in queries if query["variant"] == name]
        assert exact(counts) == counted(pages, events)


def test_the_truth_knows_the_most_frequent_queries() -> None:
    queries, _, truth = small()
    asked = Counter(fold_text(query["text"]) for query in queries)
    assert len(asked) == truth.distinct_queries
    assert truth.distinct_queries < len({query["text"] for query in queries}), "spelled differently"
    best = sorted(asked.items(), key=lambda one: (-one[1], one[0]))
    assert truth.top_queries == tuple(best[: len(truth.top_queries)])


def test_ids_are_unique_and_events_belong_to_pages() -> None:
    queries, events, _ = small()
    pages = {query["query_id"]: query for query in queries}
    assert len(pages) == len(queries)
    assert len({event["event_id"] for event in events}) == len(events)
    for event in events:
        page = pages[event["query_id"]]
        assert (event["user"], event["session"]) == (page["user"], page["session"])
        assert event["time"] >= page["time"]
        assert 0 < event["position"] - 10 * (page["page"] - 1) <= 10
        assert event["position"] <= page["results"]
        assert (event["dwell_ms"] is None) or event["action"] == "click"


def test_impressions_come_once_a_rank_and_before_what_is_clicked() -> None:
    _, events, _ = small()
    shown = {}
    for event in events:
        if event["action"] == "impression":
            assert (event["query_id"], event["doc"]) not in shown
            shown[event["query_id"], event["doc"]] = event
    for event in events:
        impression = shown[event["query_id"], event["doc"]]
        assert impression["position"] == event["position"]
        assert impression["time"] <= event["time"]


@pytest.mark.parametrize("keystrokes", [False, True])
def test_sessions_are_those_of_half_an_hour_of_idleness(keystrokes: bool) -> None:
    queries, events, truth = small(keystrokes=keystrokes)
    acts = sorted((row["user"], row["time"], row["session"]) for row in (*queries, *events))
    sessions = 0
    before: tuple[str, int, str] | None = None
    for act in acts:
        starts = before is None or act[0] != before[0] or act[1] - before[1] > IDLE
        assert starts == (before is None or act[2] != before[2])
        sessions += starts
        before = act
    assert sessions == truth.total.sessions


def test_variants_are_seen_from_the_experiment_on_by_user() -> None:
    queries, _, truth = small()
    assert truth.experiment_start is not None
    began: dict[str, int] = {}
    seen = defaultdict(set)
    for query in queries:  # those of a session in order of time
        start = began.setdefault(query["session"], query["time"])
        assert (query["variant"] is None) == (start < truth.experiment_start)
        seen[query["user"]].add(query["variant"])
    assert all(len(variants - {None}) <= 1 for variants in seen.values())


def test_without_an_experiment_no_variant_is_seen() -> None:
    queries, _, truth = small(variants=False)
    assert {query["variant"] for query in queries} == {None}
    assert truth.variants == {}
    assert truth.experiment_start is None


def test_first_queries_of_sessions_follow_zipf() -> None:
    queries, _, truth = large()
    firsts = queries.to_pandas().drop_duplicates("session")
    asked = firsts.text.map(fold_text).value_counts()
    first_hundred = texts(np.arange(100)).to_pylist()
    counts = np.array([asked.get(text, 0) for text in first_hundred])
    assert counts.min() > 0
    slope = np.polyfit(np.log(np.arange(1, 101)), np.log(counts), 1, w=np.sqrt(counts))[0]
    assert -slope == pytest.approx(truth.zipf, abs=0.05)


def test_clicks_by_rank_fall_as_users_look() -> None:
    queries, events, truth = large()
    # Of frequent queries the attractiveness of single results shows; of many rare ones only ranks.
    text = [fold_text(text) for text in queries["text"].to_pylist()]
    frequent = set(texts(np.arange(500)).to_pylist())
    rare = queries["query_id"].filter(pa.array([one not in frequent for one in text]))
    table = events.filter(pc.is_in(events["query_id"], pa.chunked_array(rare))).to_pandas()
    rank = (table.position - 1) % 10
    clicks = np.bincount(rank[table.action == "click"], minlength=10)
    shown = np.bincount(rank[table.action == "impression"], minlength=10)
    rates = clicks / shown
    noise = 4 * np.sqrt(1 / clicks + 1 / clicks[0])  # four standard deviations
    assert noise.max() < 0.25
    assert np.all(np.abs(rates / rates[0] / truth.examination - 1) < noise)
    assert truth.total.clicks == pytest.approx(truth.total.expected_clicks, rel=0.02)


def test_the_effect_is_that_of_the_recipe() -> None:
    truths = [_generate_tables(events=600_000, seed=3, effect=effect)[2] for effect in (0.0, 0.2)]
    without, with_effect = (truth.variants for truth in truths)
    assert with_effect["A"].clicks == without["A"].clicks
    assert with_effect["B"].impressions == without["B"].impressions
    raised = with_effect["B"].expected_clicks / without["B"].expected_clicks
    assert raised == pytest.approx(1.2, rel=1e-12)
    for truth, ratio in zip(truths, (1.0, 1.2), strict=True):
        rates = {name: one.clicks / one.impressions for name, one in truth.variants.items()}
        # Users differ, so that the rates of two halves of them do, too.
        assert rates["B"] / rates["A"] == pytest.approx(ratio, abs=0.08)


def test_variants_have_as_many_users_unless_some_are_missing() -> None:
    for mismatch, share in ((0.0, 0.5), (0.2, 0.8 / 1.8)):
        _, _, truth = _generate_tables(events=600_000, seed=3, mismatch=mismatch)
        users = {name: one.users for name, one in truth.variants.items()}
        spread = 4 * np.sqrt(0.25 / sum(users.values()))
        assert users["B"] / sum(users.values()) == pytest.approx(share, abs=spread)


def test_latency_grows_with_load_and_jumps_in_the_incident() -> None:
    queries, _, truth = large()
    table = queries.to_pandas()
    at = queries["time"].cast(pa.int64()).to_numpy()
    begin, end = truth.incident
    slow = (at >= begin) & (at < end)
    median = table.latency_ms.groupby(table.time.dt.hour).median()
    assert median[20] > 1.4 * median[3]
    assert table.latency_ms[slow].median() > 6 * median.max()
    assert table.latency_ms.isna().mean() == pytest.approx(0.01, abs=0.003)
    by_hour = table.groupby(table.time.dt.hour).size()
    assert by_hour[20] > 5 * by_hour[3]
    by_weekday = table.groupby(table.time.dt.day_of_week).size()
    assert by_weekday[5] < 0.8 * by_weekday[1]


def test_some_users_have_no_id() -> None:
    queries, events, truth = small(anonymous=0.3)
    named = {query["user"] for query in queries} - {None}
    assert 0.6 < len(named) / truth.total.users < 0.8
    users = {query["session"]: query["user"] for query in queries}
    assert None in users.values()
    assert all(event["user"] == users[event["session"]] for event in events)


def test_keystrokes_come_before_the_query_that_they_become() -> None:
    queries, events, truth = small(keystrokes=True)
    assert truth.total.keystrokes + truth.total.pages == len(queries)
    pages = {event["query_id"] for event in events}
    found = 0
    for query, following in pairwise(queries):
        typed = following["text"].startswith(query["text"]) and query["text"] != following["text"]
        if typed and query["session"] == following["session"]:
            assert 0 < following["time"] - query["time"] <= 2000
            assert query["query_id"] not in pages
            found += 1
    assert found == pytest.approx(truth.total.keystrokes, rel=0.01)


def test_faults_are_as_many_as_the_truth_says() -> None:
    queries, events, truth = small(faults=0.05)
    clean_queries, clean_events, clean = small()
    assert queries == clean_queries
    assert exact(truth.total) == exact(clean.total)
    faults = truth.faults
    assert len(events) == len(clean_events) + faults.duplicates - faults.lost_impressions
    assert len({event["event_id"] for event in events}) == len(events) - faults.duplicates
    times = {query["query_id"]: query["time"] for query in queries}
    assert sum(event["time"] < times[event["query_id"]] for event in events) == faults.skewed
    once = {event["event_id"]: event for event in events}.values()
    shown = {(one["query_id"], one["doc"]) for one in once if one["action"] == "impression"}
    unseen = [one for one in once if one["action"] == "click"]
    unseen = [one for one in unseen if (one["query_id"], one["doc"]) not in shown]
    assert len(unseen) == faults.clicks_without_impression
    assert min(asdict(faults).values()) > 0


def test_a_log_of_one_user_is_a_log() -> None:
    queries, _, truth = _generate_tables(events=1)
    assert truth.total.users == 1
    assert queries.num_rows == truth.query_rows > 0


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"events": 0}, r"events=0: it can be from 1 to 1,000,000,000"),
        ({"effect": 0.5}, r"effect=0.5: it can be from -1 to 0.25"),
        ({"bots": -0.1}, r"bots=-0.1: it can be from 0 to 0.5"),
        ({"seed": -1}, r"seed=-1: a seed is a whole number of at least 0"),
    ],
)
def test_what_cannot_be_is_refused(recipe: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Recipe(**recipe)


def test_nothing_is_left_behind_where_writing_fails(tmp_path: Path) -> None:
    def give_up(step: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_log(tmp_path, events=2000, progress=give_up)
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_and_does_not_overwrite_unasked(tmp_path: Path) -> None:
    from cleverdon.logs.cli import generate_command

    folder = tmp_path / "log"
    run = CliRunner().invoke
    done = run(generate_command, [str(folder), "--events", "2K", "--seed", "3"])
    assert done.exit_code == 0
    written = json.loads((folder / "truth.json").read_text())
    assert written["recipe"]["events"] == 2000
    assert f"{written['query_rows']:,} queries" in done.output
    refused = run(generate_command, [str(folder), "--events", "3K"])
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert run(generate_command, [str(folder), "--events", "3K", "--force"]).exit_code == 0
    assert json.loads((folder / "truth.json").read_text())["recipe"]["events"] == 3000
    assert "10M" in run(generate_command, [str(tmp_path / "x"), "--events", "many"]).output


def test_the_command_leaves_other_logs_alone(tmp_path: Path) -> None:
    from cleverdon.logs.cli import generate_command

    run = CliRunner().invoke
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    refused = run(generate_command, [str(tmp_path), "--events", "2K"])
    assert refused.exit_code == 2
    assert "notes.txt is there already" in refused.output
    assert run(generate_command, [str(tmp_path), "--events", "2K", "--force"]).exit_code == 0
    assert notes.read_text() == "mine"
    foreign = tmp_path / "queries.jsonl"
    foreign.write_text("{}\n")
    for more in ([], ["--force"]):
        failed = run(generate_command, [str(tmp_path), "--events", "3K", *more])
        assert isinstance(failed.exception, OptionError)
        assert "queries.jsonl is a log that was not generated here" in str(failed.exception)
    assert json.loads((tmp_path / "truth.json").read_text())["recipe"]["events"] == 2000


def test_a_log_without_its_truth_may_be_somebodys_only_one(tmp_path: Path) -> None:
    generate_log(tmp_path, events=500)
    generate_log(tmp_path, events=600)
    (tmp_path / "truth.json").unlink()
    with pytest.raises(OptionError, match=r"events.parquet is a log that was not generated here"):
        generate_log(tmp_path, events=700)


def test_the_commands_defaults_are_those_of_the_recipe() -> None:
    from cleverdon.logs.cli import generate_command

    context = click.Context(generate_command)
    offered = {option.name: option.get_default(context) for option in generate_command.params}
    for field in fields(Recipe):
        if field.name != "events":
            assert offered[field.name] == field.default


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cleverdon.logs.cli import generate_command

    for name in [name for name in sys.modules if name.startswith("cleverdon.logs.generator")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    failed = CliRunner().invoke(generate_command, [str(tmp_path / "log")])
    assert isinstance(failed.exception, MissingExtra)
    assert "pip install 'cleverdon[logs]'" in str(failed.exception)
