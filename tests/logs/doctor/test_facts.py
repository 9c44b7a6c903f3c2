"""Which metrics a log supports, and what is missing for the others."""

from __future__ import annotations

from cleverdon.logs.doctor.checks import examine
from cleverdon.logs.doctor.diagnosis import Support, _column_meaning, _mapping_hint
from cleverdon.logs.doctor.facts import LogFacts, metric_support
from cleverdon.logs.log import COLUMN_MEANINGS, EVENTS, QUERIES, Log, log_of
from cleverdon.logs.metrics.base import metrics
from cleverdon.logs.session_tables import build_session_tables
from tests.logs.doctor.rows import LIMITS, click, healthy, page, shown, with_rows


def supports(log: Log) -> dict[str, Support]:
    facts = LogFacts(log, LIMITS)
    return {cls.__name__: metric_support(cls(), facts) for cls in metrics()}


def test_a_healthy_log_supports_everything() -> None:
    found = supports(with_rows())
    assert list(found) == [cls.__name__ for cls in metrics()]
    assert {one.verdict for one in found.values()} == {"yes"}


def test_what_a_bare_log_lacks_is_named() -> None:
    log = log_of([{"query_id": "q", "time": 0}], [])
    found = supports(log)
    assert found["Pages"] == Support(metric="Pages", verdict="yes")
    assert found["Latency"].missing == ("queries.latency_ms",)
    assert found["Reformulation"].missing == ("queries.text", "queries.user")
    assert found["PageCTR"].missing == ("events.action",)
    assert {one.verdict for one in found.values()} == {"yes", "no"}


def test_null_is_not_zero() -> None:
    pages = [page(1), page(2, latency_ms=None), page(3, None, results=None), page(4, results=None)]
    found = supports(log_of(pages, []))
    assert (found["Latency"].verdict, found["Latency"].nulls) == (
        "partly",
        {"queries.latency_ms": 0.25},
    )
    assert found["ZeroResults"].nulls == {"queries.results": 0.5}
    assert found["Reformulation"].nulls == {"queries.user": 0.25}
    assert found["Users"].nulls == {"queries.user": 0.25}
    nothing = supports(log_of([page(1, results=None)], []))
    assert (nothing["ZeroResults"].verdict, nothing["ZeroResults"].missing) == (
        "no",
        ("queries.results",),
    )


def test_a_session_stands_for_its_user() -> None:
    pages = [page(n, session="s") for n in range(2)]
    for row in pages:
        del row["user"]
    found = supports(log_of(pages, []))
    assert found["Sessions"].verdict == "yes"
    assert found["Users"].missing == ("queries.user",)


def test_what_stands_for_users_is_told_and_what_names_nobody_is_left_out() -> None:
    pages = [
        page(1, "ann"),
        page(2, None, session="s"),
        page(3, None, client="c"),
        page(4, None, latency_ms=None),
    ]
    found = supports(log_of(pages, []))
    for name in ("Sessions", "Reformulation", "TopQueries", "HeadTorsoTail"):
        assert found[name].verdict == "partly"
        assert found[name].nulls == {"queries.user/session/client": 0.25}
        assert found[name].stand_ins == {"session": 0.25, "client": 0.25}
    assert found["Users"].nulls == {"queries.user": 0.75}
    assert found["Pages"] == Support(metric="Pages", verdict="yes")
    everyone = supports(log_of(pages[:3], []))["Sessions"]
    assert (everyone.verdict, everyone.nulls) == ("yes", {})
    told = str(examine(log_of(pages[:3], [])))
    assert "If no user is named, the session of 33.3% of the searches and the client of" in told


def test_unknown_dwell_times_are_told() -> None:
    pages, _ = healthy()
    clicks = [click(pages[0], 1), click(pages[0], 2, dwell_ms=None)]
    dwell = supports(log_of(pages, clicks))["Dwell"]
    assert (dwell.verdict, dwell.nulls) == ("partly", {"events.dwell_ms": 0.5})


def test_clicks_and_impressions_must_have_been_made() -> None:
    pages, _ = healthy()
    found = supports(log_of(pages, shown(pages[0], 1)))
    assert found["PageCTR"].lacks_actions == ("click",)
    found = supports(log_of(pages, [click(pages[0], 1)]))
    assert found["PageCTR"].verdict == "yes"
    assert (found["ImpressionCTR"].verdict, found["ImpressionCTR"].lacks_actions) == (
        "no",
        ("impression",),
    )


def test_it_agrees_with_what_is_counted() -> None:
    pages, events = healthy()
    for row in pages:
        for name in ("user", "session", "results"):
            del row[name]
    log = log_of(pages, events)
    tables = build_session_tables(log)
    missing = {cls.__name__: cls().missing(tables) for cls in metrics()}
    assert {name: list(one.missing) for name, one in supports(log).items()} == missing


def test_every_column_can_be_explained() -> None:
    for table, columns in (("queries", QUERIES), ("events", EVENTS)):
        for name in columns:
            assert _column_meaning(f"{table}.{name}") == COLUMN_MEANINGS[name]
    assert _column_meaning("queries.device") == "a segment of the log's own"
    assert _mapping_hint("queries.text") == "in a mapping file, below queries: `text: COLUMN`"
