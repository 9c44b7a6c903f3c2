"""The whole of an A/B test, from a log on."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import tea_tasting
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import tt_ind_solve_power

from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.logs.abtest.analysis import (
    Growth,
    _find_participants,
    _fit_growth,
    _parse_moment,
    _plan_test,
    _user_sums,
    abtest,
)
from cleverdon.logs.abtest.effects import EffectOptions, _build_arms
from cleverdon.logs.abtest.results import ABTest, Participants
from cleverdon.logs.generator.writer import _generate_tables
from cleverdon.logs.log import EVENTS, QUERIES, Log, conform
from cleverdon.logs.metrics.base import find_metric
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.stats.multiple_comparisons import benjamini_hochberg, holm
from tests.logs.abtest.made import COLUMNS, HOUR, START, aggregates, log_with, search, simulated


def made_up(**recipe: Any) -> Log:
    """A generated log, in memory."""
    import ibis

    connection = ibis.duckdb.connect()
    tables = []
    for name, table, columns in zip(
        ("queries", "events"), _generate_tables(**recipe)[:2], (QUERIES, EVENTS), strict=True
    ):
        at = table.column_names.index("time")
        time = pc.cast(pc.cast(table["time"], pa.timestamp("ms", "UTC")), pa.int64())
        raw = connection.create_table(name, table.set_column(at, "time", time))
        tables.append(conform(raw, columns))
    return Log(*tables, source="made up")


@pytest.fixture(scope="module")
def tables() -> SessionTables:
    """An experiment in which B's results are clicked a quarter more often; no programs search."""
    return build_session_tables(
        made_up(events=60_000, seed=5, effect=0.25, bots=0.0), split=["variant"]
    )


@pytest.fixture(scope="module")
def test(tables: SessionTables) -> ABTest:
    return abtest(tables)


def test_the_known_effect_is_found(tables: SessionTables) -> None:
    found = abtest(
        tables, ["ImpressionCTR", "Abandonment", "TimeToClick"], guardrails=["Latency=0.2"]
    )
    clicks, abandoned, waited = found.effects
    assert clicks.relative_low is not None
    assert clicks.relative_high is not None
    assert clicks.relative_low < 0.25 < clicks.relative_high
    assert [claim.verdict for claim in found.claims()][::2] == ["better", "not shown"]
    assert abandoned.difference is not None
    assert abandoned.difference < 0
    assert waited.corrected is not None
    assert found.guardrails[0].verdict == "kept"
    assert found.trusted


def test_as_tea_tasting_does_on_users_that_were_added_up_elsewhere(tables: SessionTables) -> None:
    """Sessions, a loop in Python over them, and tea-tasting's own experiment."""
    start = tables.pages.time.min(where=tables.pages.variant.notnull()).to_pyarrow().as_py()
    users: dict[str, dict[str, Any]] = {}
    for row in tables.sessions.to_pyarrow().to_pylist():
        user = users.setdefault(
            row["cluster"], {"variant": None, "n": 0, "d": 0, "before_n": 0, "before_d": 0}
        )
        during = row["time"] >= start
        user["variant"] = user["variant"] or row["variant"]
        user["n" if during else "before_n"] += row["clicks"] == 0
        user["d" if during else "before_d"] += 1
    table = pa.Table.from_pylist([user for user in users.values() if user["variant"]])
    rivals = tea_tasting.Experiment(
        plain=tea_tasting.RatioOfMeans("n", "d"),
        cuped=tea_tasting.RatioOfMeans("n", "d", "before_n", "before_d"),
    ).analyze(table, control="A")
    for name, cuped in (("plain", False), ("cuped", True)):
        found = abtest(tables, ["Abandonment"], guardrails=(), cuped=cuped).effects[0]
        rival = rivals[name]
        assert found.p == pytest.approx(rival.pvalue)
        assert found.difference == pytest.approx(rival.effect_size)
        assert (found.low, found.high) == pytest.approx(
            (rival.effect_size_ci_lower, rival.effect_size_ci_upper)
        )


def test_corrections_are_those_of_offline_comparisons(tables: SessionTables, test: ABTest) -> None:
    p_values = [one.p for one in test.effects if one.p is not None]
    assert len(p_values) == test.comparisons == 5
    primary, *others = test.effects
    assert (primary.corrected, primary.family, primary.primary) == (primary.p, 1, True)
    assert [one.corrected for one in others] == pytest.approx(holm(p_values[1:]))
    assert {(one.family, one.primary) for one in others} == {(4, False)}
    other = abtest(tables, primary="all", correction="benjamini-hochberg")
    assert [one.corrected for one in other.effects] == pytest.approx(benjamini_hochberg(p_values))
    assert {(one.family, one.primary) for one in other.effects} == {(5, True)}


def test_the_primary_metric_decides(tables: SessionTables, test: ABTest) -> None:
    assert (str(test.primary), test.primary_named) == ("Success", False)
    named = abtest(tables, ["Success", "Abandonment"], primary="abandonment", guardrails=())
    assert (str(named.primary), named.primary_named) == ("Abandonment", True)
    assert [one.primary for one in named.effects] == [False, True]
    assert [str(claim.effect.metric) for claim in named.claims()] == ["Abandonment", "Success"]
    assert [len(family) for family in named.families] == [1, 1]
    whole = abtest(tables, ["Success", "Abandonment"], primary="all", guardrails=())
    assert (whole.primary, len(whole.families)) == (None, 1)
    with pytest.raises(OptionError, match=r"primary='QueryCTR' is not among the metrics .*Success"):
        abtest(tables, ["Success"], primary="QueryCTR")
    with pytest.raises(NotationError, match="no metric 'Sucess'"):
        abtest(tables, primary="Sucess")


def test_intervals_are_adjusted_as_p_values_are(tables: SessionTables) -> None:
    """Against quantiles of Welch's t, whose degrees of freedom these intervals imply.

    DuckDB sums on all threads, so two runs of a query can differ in the last bits.
    """
    wanted = ["Success", "Abandonment", "QueryCTR"]
    every = {"guardrails": (), "primary": "all"}
    alone = abtest(tables, wanted, correction="none", **every)  # type: ignore[arg-type]
    found = abtest(tables, wanted, **every)  # type: ignore[arg-type]
    for one, plain in zip(found.effects, alone.effects, strict=True):
        assert (one.unadjusted_low, one.unadjusted_high) == pytest.approx((plain.low, plain.high))
        assert (plain.low, plain.high) == (plain.unadjusted_low, plain.unadjusted_high)
        users = found.participants.total
        wider = stats.t.ppf(1 - 0.05 / 3 / 2, users) / stats.t.ppf(0.975, users)
        assert one.low is not None
        assert one.high is not None
        assert plain.low is not None
        assert plain.high is not None
        assert (one.high - one.low) / (plain.high - plain.low) == pytest.approx(wider, rel=1e-4)
        assert (one.high + one.low) == pytest.approx(plain.high + plain.low)
        assert one.relative_low < plain.relative_low < plain.relative_high < one.relative_high  # type: ignore[operator]
    by_bh = abtest(tables, wanted, correction="benjamini-hochberg", **every)  # type: ignore[arg-type]
    shown = sum(one.corrected <= 0.05 for one in by_bh.effects if one.corrected is not None)
    assert shown == 3
    assert [one.low for one in by_bh.effects] == pytest.approx([one.low for one in alone.effects])
    always = abtest(tables, wanted, sequential=True, **every)  # type: ignore[arg-type]
    for one in always.effects:
        assert one.low is not None
        assert one.unadjusted_low is not None
        assert one.low < one.unadjusted_low
    wide = abtest(tables, wanted, confidence=0.99, **every)  # type: ignore[arg-type]
    assert wide.confidence == 0.99
    assert wide.effects[0].low < found.effects[0].low  # type: ignore[operator]
    with pytest.raises(OptionError, match="confidence=95: expected a number between 0 and 1"):
        abtest(tables, confidence=95)


def test_guardrails_stand_apart(tables: SessionTables, test: ABTest) -> None:
    assert [str(one.effect.metric) for one in test.guardrails] == ["ZeroResults", "Latency"]
    assert all(one.effect.corrected is None for one in test.guardrails)
    without = abtest(tables, ["Success"], guardrails=())
    assert without.guardrails == ()
    assert without.effects[0].p == pytest.approx(test.effects[0].p)
    assert without.effects[0].corrected == without.effects[0].p


def test_cuped_is_used_where_there_is_a_past(tables: SessionTables, test: ABTest) -> None:
    assert test.cuped
    assert all(one.adjustment is not None for one in test.effects)
    assert not abtest(tables, ["Success"], guardrails=(), cuped=False).cuped
    short = log_with([search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)])
    assert not abtest(short, ["Success"]).cuped
    with pytest.raises(OptionError, match="CUPED needs data on users from before"):
        abtest(short, ["Success"], cuped=True)


def test_missing_users_take_away_all_claims() -> None:
    found = abtest(made_up(events=20_000, seed=5, mismatch=0.5, bots=0.0), ["Success"])
    assert found.ratio.mismatch
    assert not found.trusted
    assert found.claims() == []
    users = found.participants.users
    shares = {name: count / sum(users.values()) for name, count in users.items()}
    as_it_is = abtest(found.tables, ["Success"], guardrails=(), expected=shares)
    assert as_it_is.trusted


def test_several_variants() -> None:
    searches = [
        search(f"u{at}", "ABC"[at % 3], at, clicks=int(at % 5 > at % 3)) for at in range(90)
    ]
    found = abtest(log_with(searches), ["Success", "Abandonment"])
    assert [(one.control, one.variant, str(one.metric)) for one in found.effects] == [
        ("A", "B", "Success"),
        ("A", "B", "Abandonment"),
        ("A", "C", "Success"),
        ("A", "C", "Abandonment"),
    ]
    assert found.variants == ["B", "C"]
    assert found.comparisons == 4
    assert [one.family for one in found.effects] == [2, 2, 2, 2]
    assert [one.primary for one in found.effects] == [True, False, True, False]
    assert found.effect("success", "C").variant == "C"
    with pytest.raises(OptionError, match="'Latency' was not compared"):
        found.effect("Latency")


def test_what_the_log_lacks_is_told_or_is_an_error() -> None:
    log = log_with([search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)])
    assert abtest(log).missing == {
        "ZeroResults": ("queries.results",),
        "Latency": ("queries.latency_ms",),
    }
    with pytest.raises(InputError, match="Latency needs columns that this log does not have"):
        abtest(log, guardrails=["Latency"])
    with pytest.raises(InputError, match="Latency needs columns that this log does not have"):
        abtest(log, ["Latency"])


def test_a_log_without_events() -> None:
    log = log_with([search(f"u{at}", "AB"[at % 2], at) for at in range(12)])
    found = abtest(log)
    assert [str(one.metric) for one in found.effects] == ["Reformulation"]
    assert (found.effects[0].p, found.effects[0].corrected) == (None, None)
    assert found.effects[0].untested.startswith("neither variant has any queries that another")
    assert (found.comparisons, found.claims()) == (0, [])
    assert set(found.missing) > {"Success", "QueryCTR"}
    silent = [{**search(f"u{at}", "AB"[at % 2], at), "text": None} for at in range(4)]
    with pytest.raises(InputError, match="Success needs columns that this log does not have"):
        abtest(log_with(silent), ["Success"])


def test_wrong_experiments() -> None:
    def rows(*variants: str | None) -> Log:
        return log_with([search(f"u{at}", one, at) for at, one in enumerate(variants)])

    with pytest.raises(InputError, match="all users have the variant 'A'; a comparison needs two"):
        abtest(rows("A", "A"))
    with pytest.raises(InputError, match="there is no variant 'a'; did you mean 'A'"):
        abtest(rows("A", "B"), control="a")
    with pytest.raises(OptionError, match=r"which variant is the control.*'new', 'old'"):
        abtest(rows("new", "old"))
    with pytest.raises(InputError, match="no user has a variant"):
        abtest(rows("A", "B"), start="2027-01-01", end="2027-01-02")
    both = [search("u", "A", 0), search("u", "B", 1)]
    with pytest.raises(InputError, match=r"one variant only: 1 user saw several, and was left out"):
        abtest(log_with(both))
    with pytest.raises(InputError, match=r"have the variant 'A' \(1 user saw several, left out\)"):
        abtest(log_with([*both, search("v", "A", 1), search("w", "A", 2)]))
    with pytest.raises(InputError, match="no search names a variant"):
        abtest(rows(None, None))
    lacking = [search("u", None, 0)]
    del lacking[0]["variant"]
    with pytest.raises(InputError, match=r"an A/B test needs .*queries.variant"):
        abtest(log_with(lacking))


def test_wrong_options() -> None:
    log = log_with([search("u", "A", 0), search("v", "B", 0)])
    with pytest.raises(OptionError, match="Users cannot be compared: it is a count or a list"):
        abtest(log, ["Users"])
    with pytest.raises(NotationError, match="no metric 'Sucess'"):
        abtest(log, ["Sucess"])
    with pytest.raises(OptionError, match="level=2: expected a number between 0 and 1"):
        abtest(log, level=2)
    with pytest.raises(OptionError, match=r"sum to 1.8 \(A=0.9, B=0.9\), but should sum to 1 "):
        abtest(log, expected={"A": 0.9, "B": 0.9})
    with pytest.raises(OptionError, match="correction='hulm'"):
        abtest(log, correction="hulm")


def test_tables_without_variants_are_made_anew(tables: SessionTables) -> None:
    log = log_with([search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)])
    assert (
        abtest(build_session_tables(log), ["Success"]).effects[0].p
        == abtest(log, ["Success"]).effects[0].p
    )


def test_doubts() -> None:
    searches = [search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)]
    searches += [search("both", "A", 1), search("both", "B", 2)]
    searches += [search("busy", "A", 3 + 0.1 * at) for at in range(9)]
    test = abtest(log_with(searches), ["Success", "QueryCTR"])
    found = test.doubts()
    # Of so few users one always has a large share.
    names = ["contaminated", "part-of-a-week", "near-zero-baseline", "few-users"]
    assert [doubt.name for doubt in found] == names
    assert "B has only 6 users: intervals" in found[3].sentence
    less = test.doubts(silence=["few-users"])
    assert "few-users" not in [doubt.name for doubt in less]
    with pytest.raises(OptionError, match="no doubt 'few' to silence"):
        test.doubts(silence=["few"])


def test_one_of_many_users_may_be_a_program() -> None:
    searches = [search(f"u{at}", "AB"[at % 2], 0.1 * at, clicks=at % 3) for at in range(200)]
    searches += [search("busy", "A", 3 + 0.1 * at) for at in range(99)]
    *_, few, heavy = abtest(log_with(searches), ["QueryCTR"]).doubts()
    assert (few.name, heavy.name) == ("few-users", "heavy-user")
    assert "cut off" not in few.sentence
    assert heavy.sentence.startswith("one user of A has 50% of the queries behind QueryCTR")


def test_per_cent_of_a_control_near_zero_are_not_printed() -> None:
    # One of 30 users of A clicked, and every other user of B.
    users = [search(f"a{at}", "A", 0.1 * at, clicks=at == 0) for at in range(30)]
    users += [search(f"b{at}", "B", 0.1 * at, clicks=at % 2) for at in range(30)]
    test = abtest(log_with(users), ["QueryCTR"])
    (effect,) = test.effects
    assert effect.relative == pytest.approx(14)
    assert effect.relative_low is None
    assert "1400" not in test.render()
    assert "1400" not in test.render("markdown")
    (found,) = (doubt for doubt in test.doubts() if doubt.name == "near-zero-baseline")
    assert found.sentence.startswith("A's QueryCTR cannot be told from 0")
    assert found.number == pytest.approx(1 / 30)
    more = [search(f"c{at}", "A", 0.1 * at, clicks=at % 3 == 0) for at in range(30)]
    test = abtest(log_with([*users[30:], *more]), ["QueryCTR"])
    assert test.effects[0].relative_low is not None
    assert "+50.0%" in test.render()
    assert "near-zero-baseline" not in [doubt.name for doubt in test.doubts()]


def test_intervals_that_were_cut_off_are_told_of() -> None:
    searches = [search("a", "A", 0), search("b", "B", 0, clicks=1), search("c", "A", 0)]
    searches += [search("d", "B", 1), search("e", "A", 1)]
    test = abtest(log_with(searches), ["QueryCTR"])
    assert test.effects[0].low == -1
    assert test.doubts()[-1].sentence == (
        "B has only 2 users: intervals and p-values are rough if users differ a lot; "
        "intervals of shares end at 100 points, the largest possible difference"
    )


def test_the_queries_that_ran_can_be_seen(test: ABTest) -> None:
    assert list(test.sql)[-2:] == ["who took part", "sums of each user"]
    assert "SELECT" in test.sql["sums of each user"]


HOW = EffectOptions(level=0.05, cuped=False, sequential=False, wanted=0.05, confidence=0.95)


def participants(users: dict[str, int], arrivals: tuple[int, ...]) -> Participants:
    days = len(arrivals)
    return Participants("user", 0, days * 86_400_000, users, 0, 0, 0, arrivals)


def test_planning_agrees_with_other_tools() -> None:
    random = np.random.default_rng(1)
    sides = [aggregates(*simulated(random, 4000)) for _ in range(2)]
    found = _build_arms(COLUMNS, *sides, cuped=False)
    assert found is not None
    who = participants({"A": 4000, "B": 4000}, (2000,) * 4)
    plan = _plan_test(found, who, HOW, level=0.05, power=0.8)
    # Both assume that the variants vary as much; here that is true.
    rival = tea_tasting.RatioOfMeans("n0", "d0", rel_effect_size=0.05, n_obs=8000)
    smallest = tea_tasting.RatioOfMeans("n0", "d0", n_obs=8000).solve_power(sides[0])
    assert plan.smallest == pytest.approx(smallest[0].rel_effect_size, rel=0.03)
    needed = rival.solve_power(sides[0], "n_obs")[0].n_obs
    assert plan.users_needed == pytest.approx(needed, rel=0.05)
    size = 0.05 * found.control.value / found.control.variance**0.5
    each = tt_ind_solve_power(effect_size=size, alpha=0.05, power=0.8)
    assert plan.users_needed == pytest.approx(2 * each, rel=0.05)
    assert plan.days_needed == pytest.approx(4 * plan.users_needed / 8000)


def test_other_variants_need_their_users_as_well() -> None:
    random = np.random.default_rng(1)
    found = _build_arms(
        COLUMNS, *(aggregates(*simulated(random, 500)) for _ in range(2)), cuped=False
    )
    assert found is not None
    two = _plan_test(found, participants({"A": 500, "B": 500}, (1000,)), HOW, level=0.05, power=0.8)
    three = _plan_test(
        found, participants({"A": 500, "B": 500, "C": 500}, (1500,)), HOW, level=0.05, power=0.8
    )
    assert three.users_needed == pytest.approx(1.5 * two.users_needed)  # type: ignore[operator]
    often = _plan_test(
        found,
        participants({"A": 500, "B": 500}, (1000,)),
        replace(HOW, sequential=True),
        level=0.05,
        power=0.8,
    )
    assert often.users_needed > two.users_needed  # type: ignore[operator]
    assert often.smallest > two.smallest  # type: ignore[operator]


@given(st.floats(0.1, 1), st.integers(4, 60))
def test_growth_is_found_again(exponent: float, days: int) -> None:
    so_far = [1_000_000 * day**exponent for day in range(days + 1)]
    arrivals = [round(after - before) for before, after in pairwise(so_far)]
    found = _fit_growth(arrivals, days)
    assert found.exponent == pytest.approx(exponent, abs=1e-3)
    assert found.days_until(found.users) == pytest.approx(days)
    twice = found.days_until(found.users * 2**exponent)
    assert twice == pytest.approx(2 * days, rel=0.01)


def test_growth_of_too_few_days() -> None:
    assert _fit_growth([100, 10], 2).exponent == 1
    assert _fit_growth([100], 0.5).days_until(200) == 1
    assert _fit_growth([100, 0, 0, 0, 0, 0], 6).exponent == 0.05  # nobody new: it takes for ever
    assert Growth(100, 6, 0.05).days_until(1e30) == inf
    assert Growth(100, 6, 0.5).days_until(inf) == inf


def stages_of(*searches, **settings):  # type: ignore[no-untyped-def]
    return build_session_tables(log_with(list(searches)), split=["variant"], **settings)


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
    members, found, _ = _find_participants(stages)
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
    _, found, _ = _find_participants(stages, start=START + 24 * HOUR, end=START + 50 * HOUR)
    assert found.users == {"B": 1}
    assert found.contaminated == 0
    _, found, _ = _find_participants(stages, start=START - 99 * HOUR, end=START + 999 * HOUR)
    assert (found.start, found.end) == (START, START + 50 * HOUR + 1)
    with pytest.raises(OptionError, match=r"ends .* before it starts"):
        _find_participants(stages, start=START, end=START)


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
    members, found, _ = _find_participants(stages)
    ratios = [find_metric("Abandonment"), find_metric("Latency")]
    table = _user_sums(stages, members, ratios, start=found.start, end=found.end)  # type: ignore[arg-type]
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
    _, found, _ = _find_participants(build_session_tables(log_with(searches), split=["variant"]))
    assert found.unit == "session"
    assert found.users == {"A": 1, "B": 1}


def test_clients_stand_for_users_where_nothing_else_is_known() -> None:
    searches = [
        {"variant": variant, "client": client, "time": START + number}
        for number, (variant, client) in enumerate((("A", "c1"), ("A", "c1"), ("B", None)))
    ]
    _, found, _ = _find_participants(build_session_tables(log_with(searches), split=["variant"]))
    assert (found.unit, found.users, found.anonymous) == ("client", {"A": 1}, 1)


def test_sessions_without_a_user_are_not_taken_for_users() -> None:
    """A session that stands for a user elsewhere is no part of a test by user, whatever its id."""
    stages = stages_of(
        search("7", "A", 0, session="s1", latency_ms=10),
        search("8", "B", 1, session="s2", latency_ms=20),
        search(None, "A", 2, session="7", latency_ms=500),
        search(None, "B", 3, session="8", latency_ms=900),
    )
    members, found, _ = _find_participants(stages)
    assert (found.unit, found.users, found.anonymous) == ("user", {"A": 1, "B": 1}, 2)
    ratio = find_metric("Latency")
    table = _user_sums(stages, members, [ratio], start=found.start, end=found.end)  # type: ignore[list-item]
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
    _, found, _ = _find_participants(stages)
    assert (found.users, found.contaminated, found.anonymous) == ({"A": 1, "B": 1}, 1, 0)


def test_nobody_known_and_no_variant() -> None:
    nobody = [search(None, "A", 0), search(None, "B", 1)]
    for one in nobody:
        del one["user"]
    with pytest.raises(
        InputError, match=r"needs columns that this log does not have \(queries.user"
    ):
        _find_participants(build_session_tables(log_with(nobody), split=["variant"]))
    with pytest.raises(InputError, match="no search names a variant"):
        _find_participants(stages_of(search("ann", None, 0), search("bob", None, 1)))


def test_moments() -> None:
    assert _parse_moment(None, "UTC") is None
    assert _parse_moment(5, "UTC") == 5
    assert _parse_moment("2026-03-02", "UTC") == START
    assert _parse_moment("2026-03-02", "Europe/Berlin") == START - HOUR
    assert _parse_moment("2026-03-02T01:00:00+01:00", "UTC") == START
    with pytest.raises(OptionError, match="'yesterday' is not a time"):
        _parse_moment("yesterday", "UTC")
