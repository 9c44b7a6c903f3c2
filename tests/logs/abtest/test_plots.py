"""The forest plot of an A/B test."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from cleverdon.logs.abtest.analysis import abtest
from cleverdon.logs.abtest.plots import effects
from cleverdon.logs.abtest.results import ABTest
from cleverdon.logs.log import log_of
from tests.plots.made import datasets, subtitle


@cache
def example() -> ABTest:
    """A hundred users of each variant; more of B's click, and none of A's waits long."""
    pages: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for user in range(200):
        variant = "AB"[user % 2]
        pages.append(
            {
                "query_id": f"q{user}",
                "user": f"u{user}",
                "time": user,
                "text": "shoes",
                "results": 5,
                "latency_ms": 50.0 + user % 10,
                "variant": variant,
            }
        )
        if user % 20 < (14 if variant == "B" else 5):
            events.append(
                {
                    "query_id": f"q{user}",
                    "time": user + 1,
                    "action": "click",
                    "position": 1 + user % 3,
                    "dwell_ms": 60_000,
                }
            )
    return abtest(log_of(pages, events), control="A")


def test_a_row_for_each_metric_and_guardrail() -> None:
    test = example()
    rows = {row["metric"]: row for row in datasets(effects(test))["differences"]}
    for one in test.effects:
        if one.relative is None:
            assert str(one.metric) not in rows
            continue
        row = rows[str(one.metric)]
        assert row["difference"] == one.relative
        assert (row["low"], row["high"]) == (one.relative_low, one.relative_high)
        inner = (one.unadjusted_relative_low, one.unadjusted_relative_high)
        assert (row["inner_low"], row["inner_high"]) == (inner if one.family > 1 else (None, None))
        assert row["significant"] == (one.corrected is not None and one.corrected <= test.level)
        assert row["panel"] == "B against A"
    assert rows["Success"]["significant"]
    assert rows["Success"]["estimate"].startswith("+")
    assert rows["Success"]["chance"].startswith("p ")
    assert rows["Abandonment"]["label"] == "Abandonment (lower is better)"
    assert rows["Latency"]["kind"] == "guardrail"
    assert not rows["Latency"]["significant"]
    guard = next(one for one in test.guardrails if str(one.effect.metric) == "Latency")
    assert (rows["Latency"]["chance"], rows["Latency"]["p"]) == (guard.verdict, guard.p)
    assert "ZeroResults" not in rows  # the control has none, and nothing is a share of that


def test_what_is_not_to_be_trusted_is_not_filled() -> None:
    test = example()
    broken = replace(test, ratio=replace(test.ratio, p=1e-9))
    assert not any(row["significant"] for row in datasets(effects(broken))["differences"])
    assert "Do not trust them" in subtitle(effects(broken))


def test_whom_it_rests_on() -> None:
    assert example().plot().to_dict() == effects(example()).to_dict()
    first, second = effects(example()).to_dict()["title"]["subtitle"]
    assert first == (
        "200 users. Lines: thin, 95% intervals adjusted as the p-values are; thick, not adjusted."
    )
    assert second == "Guardrails: 90%, not adjusted. Success decides. Filled: corrected p ≤ 0.05."
    first, *rest = example().effects
    wide = replace(first, low=-1.0)
    odd = effects(replace(example(), effects=(wide, *rest))).to_dict()["title"]["subtitle"][1]
    assert odd.endswith("Filled: corrected p ≤ 0.05. Interval and verdict disagree: Success.")
    alone = replace(example(), correction="none")
    assert effects(alone).to_dict()["title"]["subtitle"][0] == (
        "200 users. Lines: 95% intervals, not adjusted."
    )
    assert effects(example()).to_dict()["title"]["text"] == "Relative differences to A"
