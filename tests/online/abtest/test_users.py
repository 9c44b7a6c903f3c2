"""Who takes part, and what each user adds."""

from __future__ import annotations

import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.online.abtest.users import moment, per_user, taking_part
from cleverdon.online.metrics.registry import find
from cleverdon.online.stages import staged
from tests.online.abtest.made import HOUR, START, log_with, search


def stages_of(*searches, **settings):  # type: ignore[no-untyped-def]
    return staged(log_with(list(searches)), split=["variant"], **settings)


def test_who_takes_part() -> None:
    stages = stages_of(
        search("ann", None, -5),
        search("ann", "A", 0),
        search("bob", "B", 1),
        search("bob", None, 26),  # all that they do from the start on, with a variant or without
        search("eve", "A", 2),
        search("eve", "B", 30),
        search("joe", None, 3),
        search(None, "A", 4),
        search("sue", "B", 50),
    )
    members, found, _ = taking_part(stages)
    rows = {row["cluster"]: row["variant"] for row in members.to_pyarrow().to_pylist()}
    assert rows == {"u:ann": "A", "u:bob": "B", "u:sue": "B"}
    assert found.users == {"A": 1, "B": 2}
    assert (found.contaminated, found.unassigned, found.anonymous) == (1, 1, 1)
    assert (found.start, found.end) == (START, START + 50 * HOUR + 1)
    assert found.arrivals == (2, 0, 1)
    assert found.unit == "user"


def test_a_window_decides_what_counts() -> None:
    stages = stages_of(
        search("ann", "A", 0),
        search("eve", "A", 2),
        search("eve", "B", 30),
        search("sue", "B", 50),
    )
    _, found, _ = taking_part(stages, start=START + 24 * HOUR, end=START + 50 * HOUR)
    assert found.users == {"B": 1}
    assert found.contaminated == 0
    _, found, _ = taking_part(stages, start=START - 99 * HOUR, end=START + 999 * HOUR)
    assert (found.start, found.end) == (START, START + 50 * HOUR + 1)
    with pytest.raises(OptionError, match=r"ends .* before it starts"):
        taking_part(stages, start=START, end=START)


def test_what_each_user_adds() -> None:
    stages = stages_of(
        search("ann", None, -50, clicks=1, latency_ms=10),
        search("ann", None, -40, latency_ms=30),
        # One session, which began before and saw a variant: neither before nor during.
        search("ann", None, -0.1, clicks=1),
        search("ann", "A", 0, clicks=2, latency_ms=100),
        search("ann", "A", 10, latency_ms=50),
        search("bob", "B", 1, clicks=1),
        search("eve", "A", 2),
        search("eve", "B", 3),
    )
    members, found, _ = taking_part(stages)
    ratios = [find("Abandonment"), find("Latency")]
    table = per_user(stages, members, ratios, start=found.start, end=found.end)  # type: ignore[arg-type]
    rows = {row["cluster"]: row for row in table.to_pyarrow().to_pylist()}
    assert set(rows) == {"u:ann", "u:bob"}
    ann, bob = rows["u:ann"], rows["u:bob"]
    assert (ann["n0"], ann["d0"], ann["before_n0"], ann["before_d0"]) == (1, 1, 1, 2)
    scale = ratios[1].scale  # type: ignore[attr-defined]
    assert (ann["n1"], ann["d1"], ann["before_n1"], ann["before_d1"]) == (
        150 * scale,
        2,
        40 * scale,
        2,
    )
    assert (bob["n0"], bob["d0"], bob["before_n0"], bob["before_d0"]) == (0, 1, 0, 0)
    assert (bob["n1"], bob["d1"]) == (0, 0)
    assert (ann["before0"], bob["before0"], ann["heaviest1"]) == (1, 0, 2)


def test_sessions_stand_for_users_where_these_are_not_known() -> None:
    searches = [
        {**search(None, variant, hour), "session": session}
        for variant, hour, session in (("A", 0, "s1"), ("A", 1, "s1"), ("B", 2, "s2"))
    ]
    for one in searches:
        del one["user"]
    _, found, _ = taking_part(staged(log_with(searches), split=["variant"]))
    assert found.unit == "session"
    assert found.users == {"A": 1, "B": 1}


def test_clients_stand_for_users_where_nothing_else_is_known() -> None:
    searches = [
        {"variant": variant, "client": client, "time": START + number}
        for number, (variant, client) in enumerate((("A", "c1"), ("A", "c1"), ("B", None)))
    ]
    _, found, _ = taking_part(staged(log_with(searches), split=["variant"]))
    assert (found.unit, found.users, found.anonymous) == ("client", {"A": 1}, 1)


def test_sessions_without_a_user_are_not_taken_for_users() -> None:
    """A session that stands for a user elsewhere is no part of a test by user, whatever its id."""
    stages = stages_of(
        search("7", "A", 0, session="s1", latency_ms=10),
        search("8", "B", 1, session="s2", latency_ms=20),
        search(None, "A", 2, session="7", latency_ms=500),
        search(None, "B", 3, session="8", latency_ms=900),
    )
    members, found, _ = taking_part(stages)
    assert (found.unit, found.users, found.anonymous) == ("user", {"A": 1, "B": 1}, 2)
    ratio = find("Latency")
    table = per_user(stages, members, [ratio], start=found.start, end=found.end)  # type: ignore[list-item]
    sums = {row["cluster"]: row["n0"] for row in table.to_pyarrow().to_pylist()}
    assert sums == {"u:7": 10_000, "u:8": 20_000}


def test_searches_before_a_log_in_are_of_the_user_of_their_session() -> None:
    stages = stages_of(
        search(None, "A", 0, session="s1"),
        search("ann", "A", 0.1, session="s1"),
        search(None, "B", 0, session="s2"),
        search("bob", "A", 0.1, session="s2"),  # so that Bob saw both
        search("eve", "B", 0.1, session="s3"),
    )
    _, found, _ = taking_part(stages)
    assert (found.users, found.contaminated, found.anonymous) == ({"A": 1, "B": 1}, 1, 0)


def test_nobody_known_and_no_variant() -> None:
    nobody = [search(None, "A", 0), search(None, "B", 1)]
    for one in nobody:
        del one["user"]
    with pytest.raises(InputError, match=r"needs what this log does not have \(queries.user"):
        taking_part(staged(log_with(nobody), split=["variant"]))
    with pytest.raises(InputError, match="no search says which variant"):
        taking_part(stages_of(search("ann", None, 0), search("bob", None, 1)))


def test_moments() -> None:
    assert moment(None, "UTC") is None
    assert moment(5, "UTC") == 5
    assert moment("2026-03-02", "UTC") == START
    assert moment("2026-03-02", "Europe/Berlin") == START - HOUR
    assert moment("2026-03-02T01:00:00+01:00", "UTC") == START
    with pytest.raises(OptionError, match="'yesterday' is no time"):
        moment("yesterday", "UTC")
