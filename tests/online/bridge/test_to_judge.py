"""What to judge next."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon.errors import InputError, OptionError
from cleverdon.online.bridge import known_topics, to_judge, traffic, write_topics
from cleverdon.online.bridge.to_judge import made_up_id
from cleverdon.online.settings import Settings
from cleverdon.online.worked import log_of, worked_log
from cleverdon.read.texts import read_texts
from cleverdon.read.topics import read_topics
from tests.online.bridge.made import EVERYTHING, QRELS, TOPICS, small, small_traffic


def test_failing_queries_come_first_and_then_the_rest_by_text() -> None:
    found = to_judge(small_traffic(), known_topics(TOPICS, QRELS))
    assert [(one.text, one.priority) for one in found.candidates] == [
        ("hats", 2.0),
        ("caps", 0.1),
        ("red shoes", 0.1),
    ]
    first = found.candidates[0]
    assert first.topic == "3", "a topic without judgments keeps its id"
    assert (first.asked, first.users, first.failing) == (2, 2, 2)
    assert first.failures == {"zero_results": 2, "abandoned": 0, "reformulated": 1}
    assert first.reasons == ("zero_results", "reformulated")
    assert found.candidates[1].reasons == ()
    assert (found.unjudged_texts, found.unjudged_asked) == (3, 4)


def test_what_going_well_counts_can_be_chosen() -> None:
    log, _ = worked_log(
        """
        ann 0:00 heavy results=3 click@1+60
        bob 0:00 heavy results=3 click@1+60
        eve 0:00 heavy results=3 click@1+60
        joe 0:00 light results=0
        =
        """
    )
    topics = known_topics({"1": "x"}, {"1": {"d": 1}})

    counted = traffic(log, EVERYTHING)

    def order(well: float) -> list[tuple[str, float]]:
        found = to_judge(counted, topics, well=well)
        return [(one.text, one.priority) for one in found.candidates]

    assert order(0.1) == [("light", 1.0), ("heavy", pytest.approx(0.3))]
    assert order(1) == [("heavy", 3.0), ("light", 1.0)]
    assert order(0) == [("light", 1.0), ("heavy", 0.0)]
    with pytest.raises(OptionError, match="well=2"):
        order(2)


def test_queries_of_few_users_are_counted_and_never_listed() -> None:
    found = to_judge(traffic(small(), Settings(least_users=2)), known_topics(TOPICS, QRELS))
    assert [one.text for one in found.candidates] == ["hats"]
    assert (found.rare_texts, found.rare_asked) == (2, 2)


def test_not_more_than_was_asked_for() -> None:
    topics = known_topics(TOPICS, QRELS)
    found = traffic(small(), Settings(least_users=1, top=2))
    assert len(to_judge(found, topics).candidates) == 2
    assert len(to_judge(found, topics, top=1).candidates) == 1
    with pytest.raises(OptionError, match="top=0"):
        to_judge(found, topics, top=0)


def test_where_failures_are_not_known_traffic_decides() -> None:
    texts = ["a", "b", "b"]
    log = log_of(
        [{"query_id": str(n), "user": str(n), "time": n, "text": t} for n, t in enumerate(texts)],
        [],
    )
    found = to_judge(traffic(log, EVERYTHING), known_topics({"1": "x"}, {"1": {"d": 1}}))
    assert [(one.text, one.priority, one.failing) for one in found.candidates] == [
        ("b", 2.0, None),
        ("a", 1.0, None),
    ]
    assert found.candidates[0].reasons == ("frequent",)


def test_ids_are_the_same_each_time_and_never_taken() -> None:
    made = made_up_id("red shoes")
    assert made == made_up_id("red shoes")
    assert made != made_up_id("red hats")
    other = made_up_id("red shoes", {made})
    assert other.startswith("log-")
    assert other != made
    with pytest.raises(InputError, match="is taken"):
        made_up_id("x", type("All", (), {"__contains__": lambda self, one: True})())


@pytest.mark.parametrize("name", ["next.tsv", "next.tsv.gz"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    log, _ = worked_log('ann 0:00 "quoted"_and,_more\nbob 0:00 plain\n=')
    counted = traffic(log, EVERYTHING)
    found = to_judge(counted, known_topics({"1": "x"}, {"1": {"d": 1}}))
    path = tmp_path / name
    assert write_topics(found, path) == 2
    texts = {id: text.line for id, text in read_texts(str(path)).items()}
    assert texts == {one.topic: one.text for one in found.candidates}
    assert set(texts.values()) == {'"quoted" and, more', "plain"}
    if name.endswith(".tsv"):
        assert read_topics(str(path)).column("text")[1] == texts
    again = known_topics(str(path), {found.candidates[0].topic: {"d": 1}})
    left = to_judge(counted, again)
    assert [one.topic for one in left.candidates] == [found.candidates[1].topic]
