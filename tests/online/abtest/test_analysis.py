"""The whole of an A/B test, from a log on."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import tea_tasting

from cleverdon.compare.multiplicity import benjamini_hochberg, holm
from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.online.abtest import ABTest, abtest, claims, doubts
from cleverdon.online.generating import generated
from cleverdon.online.log import EVENTS, QUERIES, Log, conformed
from cleverdon.online.stages import Stages, staged
from tests.online.abtest.made import log_with, search


def made_up(**recipe: Any) -> Log:
    """A generated log, in memory."""
    import ibis

    connection = ibis.duckdb.connect()
    tables = []
    for name, table, columns in zip(
        ("queries", "events"), generated(**recipe)[:2], (QUERIES, EVENTS), strict=True
    ):
        at = table.column_names.index("time")
        time = pc.cast(pc.cast(table["time"], pa.timestamp("ms", "UTC")), pa.int64())
        raw = connection.create_table(name, table.set_column(at, "time", time))
        tables.append(conformed(raw, columns))
    return Log(*tables, source="made up")


@pytest.fixture(scope="module")
def stages() -> Stages:
    """An experiment in which B's results are clicked a quarter more often; no programs search."""
    return staged(made_up(events=60_000, seed=5, effect=0.25, bots=0.0), split=["variant"])


@pytest.fixture(scope="module")
def test(stages: Stages) -> ABTest:
    return abtest(stages)


def test_the_known_effect_is_found(stages: Stages) -> None:
    found = abtest(
        stages, ["ImpressionCTR", "Abandonment", "TimeToClick"], guardrails=["Latency=0.2"]
    )
    clicks, abandoned, waited = found.effects
    assert clicks.relative_low is not None
    assert clicks.relative_high is not None
    assert clicks.relative_low < 0.25 < clicks.relative_high
    assert [claim.verdict for claim in claims(found)][::2] == ["better", "not shown"]
    assert abandoned.difference is not None
    assert abandoned.difference < 0
    assert waited.corrected is not None
    assert found.guardrails[0].verdict == "kept"
    assert found.trusted


def test_as_tea_tasting_does_on_users_that_were_added_up_elsewhere(stages: Stages) -> None:
    """Sessions, a loop in Python over them, and tea-tasting's own experiment."""
    start = stages.pages.time.min(where=stages.pages.variant.notnull()).to_pyarrow().as_py()
    users: dict[str, dict[str, Any]] = {}
    for row in stages.sessions.to_pyarrow().to_pylist():
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
        found = abtest(stages, ["Abandonment"], guardrails=(), cuped=cuped).effects[0]
        rival = rivals[name]
        assert found.p == pytest.approx(rival.pvalue)
        assert found.difference == pytest.approx(rival.effect_size)
        assert (found.low, found.high) == pytest.approx(
            (rival.effect_size_ci_lower, rival.effect_size_ci_upper)
        )


def test_corrections_are_those_of_offline_comparisons(stages: Stages, test: ABTest) -> None:
    p_values = [one.p for one in test.effects if one.p is not None]
    assert len(p_values) == test.family == 5
    assert [one.corrected for one in test.effects] == pytest.approx(holm(p_values))
    other = abtest(stages, correction="benjamini-hochberg")
    assert [one.corrected for one in other.effects] == pytest.approx(benjamini_hochberg(p_values))


def test_guardrails_stand_apart(stages: Stages, test: ABTest) -> None:
    assert [str(one.effect.metric) for one in test.guardrails] == ["ZeroResults", "Latency"]
    assert all(one.effect.corrected is None for one in test.guardrails)
    without = abtest(stages, ["Success"], guardrails=())
    assert without.guardrails == ()
    assert without.effects[0].p == pytest.approx(test.effects[0].p)
    assert without.effects[0].corrected == without.effects[0].p


def test_cuped_is_used_where_there_is_a_past(stages: Stages, test: ABTest) -> None:
    assert test.cuped
    assert all(one.adjustment is not None for one in test.effects)
    assert not abtest(stages, ["Success"], guardrails=(), cuped=False).cuped
    short = log_with([search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)])
    assert not abtest(short, ["Success"]).cuped
    with pytest.raises(OptionError, match="CUPED needs what users did before"):
        abtest(short, ["Success"], cuped=True)


def test_missing_users_take_away_all_claims() -> None:
    found = abtest(made_up(events=20_000, seed=5, mismatch=0.5, bots=0.0), ["Success"])
    assert found.ratio.mismatch
    assert not found.trusted
    assert claims(found) == []
    users = found.participants.users
    shares = {name: count / sum(users.values()) for name, count in users.items()}
    as_it_is = abtest(found.stages, ["Success"], guardrails=(), expected=shares)
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
    assert found.family == 4
    assert found.effect("success", "C").variant == "C"
    with pytest.raises(OptionError, match="'Latency' was not compared"):
        found.effect("Latency")


def test_what_the_log_lacks_is_told_or_is_an_error() -> None:
    log = log_with([search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)])
    assert abtest(log).missing == {
        "ZeroResults": ("queries.results",),
        "Latency": ("queries.latency_ms",),
    }
    with pytest.raises(InputError, match="Latency needs what this log does not have"):
        abtest(log, guardrails=["Latency"])
    with pytest.raises(InputError, match="Latency needs what this log does not have"):
        abtest(log, ["Latency"])


def test_a_log_without_events() -> None:
    log = log_with([search(f"u{at}", "AB"[at % 2], at) for at in range(12)])
    found = abtest(log)
    assert [str(one.metric) for one in found.effects] == ["Reformulation"]
    assert (found.effects[0].p, found.effects[0].corrected) == (None, None)
    assert found.effects[0].untested.startswith("neither variant has any queries that another")
    assert (found.family, claims(found)) == (0, [])
    assert set(found.missing) > {"Success", "QueryCTR"}
    silent = [{**search(f"u{at}", "AB"[at % 2], at), "text": None} for at in range(4)]
    with pytest.raises(InputError, match="Success needs what this log does not have"):
        abtest(log_with(silent), ["Success"])


def test_wrong_experiments() -> None:
    def rows(*variants: str | None) -> Log:
        return log_with([search(f"u{at}", one, at) for at, one in enumerate(variants)])

    with pytest.raises(InputError, match="all users have the variant 'A'; it takes two"):
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
    with pytest.raises(InputError, match="no search says which variant"):
        abtest(rows(None, None))
    lacking = [search("u", None, 0)]
    del lacking[0]["variant"]
    with pytest.raises(InputError, match=r"an A/B test needs .*queries.variant"):
        abtest(log_with(lacking))


def test_wrong_options() -> None:
    log = log_with([search("u", "A", 0), search("v", "B", 0)])
    with pytest.raises(OptionError, match="Users cannot be compared: it is no ratio"):
        abtest(log, ["Users"])
    with pytest.raises(NotationError, match="no metric 'Sucess'"):
        abtest(log, ["Sucess"])
    with pytest.raises(OptionError, match="level=2: it lies between 0 and 1"):
        abtest(log, level=2)
    with pytest.raises(OptionError, match=r"sum to 1.8 \(A=0.9, B=0.9\), and should sum to 1 "):
        abtest(log, expected={"A": 0.9, "B": 0.9})
    with pytest.raises(OptionError, match="correction='hulm'"):
        abtest(log, correction="hulm")


def test_tables_without_variants_are_made_anew(stages: Stages) -> None:
    log = log_with([search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)])
    assert abtest(staged(log), ["Success"]).effects[0].p == abtest(log, ["Success"]).effects[0].p


def test_doubts() -> None:
    searches = [search(f"u{at}", "AB"[at % 2], at, clicks=at % 3) for at in range(12)]
    searches += [search("both", "A", 1), search("both", "B", 2)]
    searches += [search("busy", "A", 3 + 0.1 * at) for at in range(9)]
    test = abtest(log_with(searches), ["Success", "QueryCTR"])
    found = doubts(test)
    # Of so few users one always has a large share.
    assert [doubt.name for doubt in found] == ["contaminated", "part-of-a-week", "few-users"]
    assert "B has 6 users, so few that" in found[2].sentence
    less = doubts(test, silence=["few-users"])
    assert "few-users" not in [doubt.name for doubt in less]
    with pytest.raises(OptionError, match="no doubt 'few' to silence"):
        doubts(test, silence=["few"])


def test_one_of_many_users_may_be_a_program() -> None:
    searches = [search(f"u{at}", "AB"[at % 2], 0.1 * at, clicks=at % 3) for at in range(200)]
    searches += [search("busy", "A", 3 + 0.1 * at) for at in range(99)]
    *_, few, heavy = doubts(abtest(log_with(searches), ["QueryCTR"]))
    assert (few.name, heavy.name) == ("few-users", "heavy-user")
    assert "cut off" not in few.sentence
    assert heavy.sentence.startswith("one user of A has 50% of the queries behind QueryCTR")


def test_intervals_that_were_cut_off_are_told_of() -> None:
    searches = [search("a", "A", 0), search("b", "B", 0, clicks=1), search("c", "A", 0)]
    searches += [search("d", "B", 1), search("e", "A", 1)]
    test = abtest(log_with(searches), ["QueryCTR"])
    assert test.effects[0].low == -1
    assert doubts(test)[-1].sentence == (
        "B has 2 users, so few that intervals and p-values are rough where users differ a lot; "
        "intervals of shares are cut off at 100 points, beyond which nothing is possible"
    )


def test_the_queries_that_ran_can_be_seen(test: ABTest) -> None:
    assert list(test.sql)[-2:] == ["who took part", "sums of each user"]
    assert "SELECT" in test.sql["sums of each user"]
