"""How often queries are asked and fail, and which of them judged queries are."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from cleverdon.errors import InputError, OptionError
from cleverdon.formats.attributes import read_attributes
from cleverdon.formats.texts import read_texts
from cleverdon.logs.bridge.traffic import (
    _make_query_id,
    count_traffic,
    judging_candidates,
    match_queries,
    measure_coverage,
    write_queries,
)
from cleverdon.logs.log import log_of, worked_log
from cleverdon.logs.settings import Settings
from tests.logs.bridge.made import EVERYTHING, QRELS, QUERIES, small, small_traffic
from tests.logs.made import logs
from tests.logs.reference import Reference


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
    found = count_traffic(small(), Settings(success=("dwell",), dwell_seconds=4))
    assert rows(found)["shoes"]["reformulated"] == 0


def test_session_tables_can_be_given() -> None:
    tables = small_traffic().tables
    assert count_traffic(tables).tables is tables


def test_what_the_log_cannot_tell_is_not_counted() -> None:
    log = log_of([{"query_id": "q", "user": "ann", "time": 0, "text": "shoes"}], [])
    found = count_traffic(log)
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
    found = count_traffic(log)
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
        count_traffic(log)


@settings(max_examples=8)
@given(made=logs())
def test_traffic_agrees_with_plain_python(made: Any) -> None:
    found = count_traffic(replace(log_of(*made), lacks=frozenset()))
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


def test_coverage_of_judged_queries() -> None:
    found = measure_coverage(small_traffic(), match_queries(QUERIES, QRELS))
    first, second = found.queries
    assert (first.query, first.text, first.asked, first.users, first.failing) == (
        "1",
        "shoes",
        3,
        3,
        2,
    )
    assert (second.query, second.asked, second.failing) == ("2", 0, 0)
    assert found.asked == (first,)
    assert found.never_asked == (second,)
    assert (found.covered, found.share) == (3, 3 / 7)
    assert found.weights == {"1": 3, "2": 0}


def test_queries_with_the_same_text_share_its_traffic() -> None:
    queries = match_queries(
        {"1": "shoes", "2": "SHOES", "3": "hats"}, {id: {"d": 1} for id in "123"}
    )
    found = measure_coverage(small_traffic(), queries)
    assert found.weights == {"1": 1.5, "2": 1.5, "3": 2}
    assert [one.query for one in found.queries] == ["3", "1", "2"]
    assert found.covered == 5
    assert found.shared == (("1", "2"),)


def test_judged_queries_without_a_text_have_no_traffic() -> None:
    queries = match_queries({"1": "shoes"}, {"1": {"d": 1}, "9": {"d": 1}})
    found = measure_coverage(small_traffic(), queries)
    assert found.without_text == ("9",)
    assert found.never_asked == ()
    with pytest.raises(InputError, match="none of the judged queries, such as '1', has a text"):
        measure_coverage(
            small_traffic(), match_queries({"1": " ", "2": "x"}, QRELS | {"2": {"d": -1}})
        )


def test_queries_without_a_text_are_told() -> None:
    log, _ = worked_log("ann 0:00 shoes\nbob 0:00 _\n=")
    found = measure_coverage(count_traffic(log), match_queries({"1": "shoes"}, {"1": {"d": 1}}))
    assert (found.totals.asked, found.totals.without_text, found.share) == (1, 1, 1)


def test_queries_are_known_by_the_texts_that_logs_have() -> None:
    found = match_queries({"1": " Red\tSHOES ", "2": "ﬁsh", "3": "hats"}, {"1": {"d": 1}})
    assert found.judged == ("1",)
    assert found.judged_forms == {"red shoes": ("1",)}
    assert found.unjudged == {"fish": "2", "hats": "3"}
    assert found.texts["1"] == "Red SHOES"


def test_texts_are_compared_as_the_settings_say() -> None:
    both = {"1": "Running", "2": "runs"}, {"1": {"d": 1}, "2": {"d": 1}}
    assert match_queries(*both).shared == ()
    assert match_queries(*both, settings=Settings(stem="english")).shared == (("1", "2"),)
    assert match_queries(*both, settings=Settings(fold=False)).judged_forms.keys() == {
        "Running",
        "runs",
    }


def test_queries_with_the_same_text_are_told() -> None:
    found = match_queries({"1": "a", "2": "A", "3": "b"}, {id: {"d": 1} for id in "123"})
    assert found.judged_forms == {"a": ("1", "2"), "b": ("3",)}
    assert found.shared == (("1", "2"),)


def test_pooled_and_not_judged_is_no_judgment() -> None:
    found = match_queries({"1": "a", "2": "b"}, {"1": {"d": -1}, "2": {"d": 0, "e": -1}})
    assert found.judged == ("2",)
    assert found.unjudged == {"a": "1"}


def test_judged_queries_without_a_text_are_told() -> None:
    found = match_queries({"1": "a", "2": "  "}, {id: {"d": 1} for id in "123"})
    assert found.without_text == ("2", "3")


def test_a_title_is_what_was_searched_for(tmp_path: Path) -> None:
    file = tmp_path / "topics.txt"
    file.write_text("<top>\n<num> Number: 1\n<title> red shoes\n<desc> Shoes, red.\n</top>\n")
    assert match_queries(str(file), {"1": {"d": 1}}).judged_forms == {"red shoes": ("1",)}


def test_ids_that_judgments_do_not_have() -> None:
    with pytest.raises(
        InputError, match=r"no query id in common .* text of 'q1', and there are judgments of '1'"
    ):
        match_queries({"q1": "shoes"}, QRELS)


def test_judgments_of_nothing() -> None:
    with pytest.raises(InputError, match="no document of any query is judged"):
        match_queries(QUERIES, {"1": {"d1": -1}})


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"topics\.tsv: there is no such file"):
        match_queries(tmp_path / "topics.tsv", QRELS)


def test_failing_queries_come_first_and_then_the_rest_by_text() -> None:
    found = judging_candidates(small_traffic(), match_queries(QUERIES, QRELS))
    assert [(one.text, one.priority) for one in found.candidates] == [
        ("hats", 2.0),
        ("caps", 0.1),
        ("red shoes", 0.1),
    ]
    first = found.candidates[0]
    assert first.query == "3", "a query without judgments keeps its id"
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
    queries = match_queries({"1": "x"}, {"1": {"d": 1}})

    counted = count_traffic(log, EVERYTHING)

    def order(well: float) -> list[tuple[str, float]]:
        found = judging_candidates(counted, queries, well=well)
        return [(one.text, one.priority) for one in found.candidates]

    assert order(0.1) == [("light", 1.0), ("heavy", pytest.approx(0.3))]
    assert order(1) == [("heavy", 3.0), ("light", 1.0)]
    assert order(0) == [("light", 1.0), ("heavy", 0.0)]
    with pytest.raises(OptionError, match="well=2"):
        order(2)


def test_queries_of_few_users_are_counted_and_never_listed() -> None:
    found = judging_candidates(
        count_traffic(small(), Settings(least_users=2)), match_queries(QUERIES, QRELS)
    )
    assert [one.text for one in found.candidates] == ["hats"]
    assert (found.rare_texts, found.rare_asked) == (2, 2)


def test_not_more_than_was_asked_for() -> None:
    queries = match_queries(QUERIES, QRELS)
    found = count_traffic(small(), Settings(least_users=1, top=2))
    assert len(judging_candidates(found, queries).candidates) == 2
    assert len(judging_candidates(found, queries, top=1).candidates) == 1
    with pytest.raises(OptionError, match="top=0"):
        judging_candidates(found, queries, top=0)


def test_where_failures_are_not_known_traffic_decides() -> None:
    texts = ["a", "b", "b"]
    log = log_of(
        [{"query_id": str(n), "user": str(n), "time": n, "text": t} for n, t in enumerate(texts)],
        [],
    )
    found = judging_candidates(
        count_traffic(log, EVERYTHING), match_queries({"1": "x"}, {"1": {"d": 1}})
    )
    assert [(one.text, one.priority, one.failing) for one in found.candidates] == [
        ("b", 2.0, None),
        ("a", 1.0, None),
    ]
    assert found.candidates[0].reasons == ("frequent",)


def test_ids_are_the_same_each_time_and_never_taken() -> None:
    made = _make_query_id("red shoes")
    assert made == _make_query_id("red shoes") == "log-c1dd76c7"
    assert made != _make_query_id("red hats")
    other = _make_query_id("red shoes", {made})
    assert other.startswith("log-")
    assert other != made
    with pytest.raises(InputError, match="is taken"):
        _make_query_id("x", type("All", (), {"__contains__": lambda self, one: True})())


@pytest.mark.parametrize("name", ["next.tsv", "next.tsv.gz"])
def test_what_is_written_is_read_back(tmp_path: Path, name: str) -> None:
    log, _ = worked_log('ann 0:00 "quoted"_and,_more\nbob 0:00 plain\n=')
    counted = count_traffic(log, EVERYTHING)
    found = judging_candidates(counted, match_queries({"1": "x"}, {"1": {"d": 1}}))
    path = tmp_path / name
    assert write_queries(found, path) == 2
    texts = {id: text.line for id, text in read_texts(str(path)).items()}
    assert texts == {one.query: one.text for one in found.candidates}
    assert set(texts.values()) == {'"quoted" and, more', "plain"}
    if name.endswith(".tsv"):
        assert read_attributes(str(path)).column("text")[1] == texts
    again = match_queries(str(path), {found.candidates[0].query: {"d": 1}})
    left = judging_candidates(counted, again)
    assert [one.query for one in left.candidates] == [found.candidates[1].query]
