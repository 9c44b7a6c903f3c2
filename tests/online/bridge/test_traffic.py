"""How often queries are asked and fail, and which of them judged topics are."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from cleverdon.errors import InputError
from cleverdon.online.bridge import coverage, known_topics, traffic
from cleverdon.online.settings import Settings
from cleverdon.online.worked import log_of, worked_log
from tests.online.bridge.made import QRELS, TOPICS, small, small_traffic
from tests.online.made import logs
from tests.online.reference import Reference


def rows(found: Any) -> dict[str, dict[str, Any]]:
    return {row.pop("text"): row for row in found.lines.to_pyarrow().to_pylist()}


def test_queries_and_failures_are_counted_by_text() -> None:
    found = small_traffic()
    names = ("asked", "users", "failing", "zero_results", "abandoned", "reformulated", "frequent")
    counted = {text: tuple(row[name] for name in names) for text, row in rows(found).items()}
    assert counted == {
        "shoes": (3, 3, 2, 0, 1, 1, 1),
        "hats": (2, 2, 2, 2, 0, 1, 0),
        "caps": (1, 1, 0, 0, 0, 0, 0),
        "red shoes": (1, 1, 0, 0, 0, 0, 0),
    }
    assert (found.totals.asked, found.totals.texts, found.totals.failing) == (7, 4, 4)
    assert found.totals.failures == {"zero_results": 2, "abandoned": 1, "reformulated": 2}


def test_what_counts_as_success_can_be_chosen() -> None:
    # Bob looked at what he clicked for five seconds, which now suffices.
    found = traffic(small(), Settings(success=("dwell",), dwell_seconds=4))
    assert rows(found)["shoes"]["reformulated"] == 0


def test_stages_can_be_given() -> None:
    stages = small_traffic().stages
    assert traffic(stages).stages is stages


def test_what_the_log_cannot_tell_is_not_counted() -> None:
    log = log_of([{"query_id": "q", "user": "ann", "time": 0, "text": "shoes"}], [])
    found = traffic(log)
    assert found.kinds == []
    assert found.unknown == {
        "zero_results": ("queries.results",),
        "abandoned": ("events.action",),
        "reformulated": ("events.action",),
    }
    assert found.totals.failing is None
    assert rows(found) == {"shoes": {"asked": 1, "users": 1, "frequent": 1}}


def test_without_persons_every_page_is_a_query() -> None:
    log = log_of(
        [{"query_id": f"q{n}", "time": n, "text": "shoes", "results": n} for n in range(3)],
        [{"query_id": "q1", "time": 5, "action": "click"}],
    )
    found = traffic(log)
    assert found.unknown == {"reformulated": ("queries.user",)}
    assert rows(found)["shoes"] | {"frequent": 1} == {
        "asked": 3,
        "users": 3,
        "failing": 2,
        "zero_results": 1,
        "abandoned": 1,
        "frequent": 1,
    }


def test_a_log_without_texts() -> None:
    log = log_of([{"query_id": "q", "user": "ann", "time": 0}], [])
    with pytest.raises(InputError, match=r"which queries were asked needs .*queries\.text"):
        traffic(log)


@settings(max_examples=8)
@given(made=logs())
def test_traffic_agrees_with_plain_python(made: Any) -> None:
    found = traffic(replace(log_of(*made), lacks=frozenset()))
    asked, failing, users = Counter[str](), Counter[str](), defaultdict(set)
    reference = Reference(*made)
    for session in reference.sessions:
        for query in session:
            text = query[0]["text"]
            if not text:
                continue
            counts = [page["results"] for page in query if page["results"] is not None]
            done = sum(len(page["clicks"]) + page["copy"] + page["conversion"] for page in query)
            signs = sum(page[signal] for page in query for signal in reference.signals)
            nothing = bool(counts) and max(counts) == 0
            abandoned = not nothing and not done
            asked[text] += 1
            users[text].add(query[0]["cluster"])
            failing[text] += nothing or abandoned or (not signs and query is not session[-1])
    of_log = {
        text: (row["asked"], row["users"], row["failing"]) for text, row in rows(found).items()
    }
    assert of_log == {text: (asked[text], len(users[text]), failing[text]) for text in asked}
    assert found.totals.without_text == len(reference.queries) - asked.total()


def test_coverage_of_judged_topics() -> None:
    found = coverage(small_traffic(), known_topics(TOPICS, QRELS))
    first, second = found.topics
    assert (first.topic, first.text, first.asked, first.users, first.failing) == (
        "1",
        "shoes",
        3,
        3,
        2,
    )
    assert (second.topic, second.asked, second.failing) == ("2", 0, 0)
    assert found.asked == (first,)
    assert found.never_asked == (second,)
    assert (found.covered, found.share) == (3, 3 / 7)
    assert found.weights == {"1": 3, "2": 0}


def test_topics_with_the_same_text_share_its_traffic() -> None:
    topics = known_topics({"1": "shoes", "2": "SHOES", "3": "hats"}, {id: {"d": 1} for id in "123"})
    found = coverage(small_traffic(), topics)
    assert found.weights == {"1": 1.5, "2": 1.5, "3": 2}
    assert [one.topic for one in found.topics] == ["3", "1", "2"]
    assert found.covered == 5
    assert found.shared == (("1", "2"),)


def test_judged_topics_without_a_text_have_no_traffic() -> None:
    topics = known_topics({"1": "shoes"}, {"1": {"d": 1}, "9": {"d": 1}})
    found = coverage(small_traffic(), topics)
    assert found.without_text == ("9",)
    assert found.never_asked == ()
    with pytest.raises(InputError, match="none of the judged topics, such as '1', has a text"):
        coverage(small_traffic(), known_topics({"1": " ", "2": "x"}, QRELS | {"2": {"d": -1}}))


def test_queries_without_a_text_are_told() -> None:
    log, _ = worked_log("ann 0:00 shoes\nbob 0:00 _\n=")
    found = coverage(traffic(log), known_topics({"1": "shoes"}, {"1": {"d": 1}}))
    assert (found.totals.asked, found.totals.without_text, found.share) == (1, 1, 1)
