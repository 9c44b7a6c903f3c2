"""Result lists as arrays, and out of logs."""

from __future__ import annotations

from typing import Any

import ibis
import pytest
from hypothesis import given

from cleverdon.errors import InputError, OptionError
from cleverdon.logs.clicks.result_lists import ResultLists, Usage, read_result_lists
from cleverdon.logs.log import EVENTS, QUERIES, Log, conform
from tests.logs.clicks.made import as_shown, by_list, lists, longest_first
from tests.logs.clicks.plain import List


def log_of(
    queries: list[tuple[str, str | None, str | None]],
    events: list[tuple[str | None, str, str | None, int | None]],
    lacks: frozenset[str] = frozenset(),
) -> Log:
    """Queries as (id, user, text), events as (query id, action, document, position)."""
    text = {"query_id": "string", "user": "string", "text": "string"}
    happened = {"query_id": "string", "action": "string", "doc": "string", "position": "int64"}
    tables = [
        conform(ibis.memtable(rows, schema=schema), columns)
        for rows, schema, columns in ((queries, text, QUERIES), (events, happened, EVENTS))
    ]
    return Log(tables[0], tables[1], lacks=lacks, source="made up")


def rows_of(shown: ResultLists) -> list[list[tuple[str, str, int, bool]]]:
    """Every list as (query, document, rank, clicked)."""
    names = list(shown.pairs)
    found: list[list[tuple[str, str, int, bool]]] = [[] for _ in range(shown.lists)]
    columns: list[list[Any]] = [
        column.tolist() for column in (shown.list, shown.pair, shown.rank, shown.clicked)
    ]
    for at, pair, rank, clicked in zip(*columns, strict=True):
        found[at].append((*names[pair], rank, clicked))
    return found


@given(lists())
def test_lists_come_back_as_they_were(found: list[List]) -> None:
    shown = as_shown(found)
    expected = [
        [
            (query, doc, at, click)
            for at, doc, click in zip(range(1, 5), docs, clicked, strict=False)
        ]
        for query, docs, clicked in longest_first(found)
    ]
    assert rows_of(shown) == expected
    for one, above, below, followed in zip(
        longest_first(found),
        by_list(shown, shown.above),
        by_list(shown, shown.below),
        by_list(shown, shown.followed),
        strict=True,
    ):
        clicked = one[2]
        assert above == [any(clicked[:at]) for at in range(len(clicked))]
        assert below == [any(clicked[at + 1 :]) for at in range(len(clicked))]
        assert followed == [at + 1 < len(clicked) for at in range(len(clicked))]
    assert shown.with_click.tolist() == [any(one[2]) for one in longest_first(found)]
    assert shown.clicks.sum() == sum(sum(one[2]) for one in found)


@given(lists())
def test_parts_keep_their_lists(found: list[List]) -> None:
    shown = as_shown(found)
    wanted = shown.with_click
    if wanted.any():
        part = shown.part(wanted)
        assert rows_of(part) == [
            rows for rows, keep in zip(rows_of(shown), wanted, strict=True) if keep
        ]
        assert part.pairs is shown.pairs


def test_lists_that_cannot_be() -> None:
    with pytest.raises(InputError, match=r"list 1 .'q'. has a document twice"):
        ResultLists.from_lists([("q", ["a", "a"], [])])
    with pytest.raises(InputError, match=r"list 2 .'q'. has a click on 'b', which is not in it"):
        ResultLists.from_lists([("q", ["a"], []), ("q", ["a"], ["b"])])
    with pytest.raises(InputError, match="there is no result list"):
        ResultLists.from_lists([])
    with pytest.raises(InputError, match="there are 1 lists, but 2 users"):
        ResultLists.from_lists([("q", ["a"], [])], users=["u", "v"])


def test_out_of_a_log() -> None:
    log = log_of(
        [
            ("1", "u", "Jazz "),
            ("2", "v", "jazz"),
            ("3", None, "jazz"),  # clicks alone, of all down to the last
            ("4", "u", "jazz"),  # clicks alone, with something unknown above
            ("5", "u", None),
            ("6", "u", "blues"),
            ("7", "u", "empty"),
        ],
        [
            ("1", "impression", "a", 1),
            ("1", "impression", "b", 2),
            ("1", "click", None, 2),  # the position says which
            ("2", "impression", "b", 1),
            ("2", "impression", "a", 3),  # a gap
            ("2", "click", "a", None),
            ("2", "click", "a", 3),  # twice is once
            ("2", "click", "c", 4),  # never shown, but it was there
            ("2", "click", "z", None),  # nobody knows where
            ("3", "click", "b", 2),
            ("3", "click", "a", 1),
            ("4", "click", "b", 2),
            ("5", "impression", "a", 1),
            ("6", "impression", "a", None),
            ("8", "click", "a", 1),
            (None, "click", "a", 1),
            ("1", "copy", "a", 1),
        ],
    )
    shown, usage = read_result_lists(log)
    assert rows_of(shown) == [
        [("jazz", "b", 1, False), ("jazz", "a", 3, True), ("jazz", "c", 4, True)],
        [("jazz", "a", 1, False), ("jazz", "b", 2, True)],
        [("jazz", "a", 1, True), ("jazz", "b", 2, True)],
    ]
    assert shown.user is not None
    assert len(set(shown.user.tolist())) == 3
    assert shown.user[2] == -1
    assert usage == Usage(
        pages=7,
        used=3,
        without_events=1,
        without_text=1,
        without_position=1,
        without_impressions=1,
        too_deep=0,
        with_gaps=1,
        clicks_lost=1,
    )
    assert usage.pages == usage.used + 4


def test_depth_and_normalisation_of_a_log() -> None:
    log = log_of(
        [("1", None, "Jazz"), ("2", None, "jazz")],
        [("1", "impression", "a", 1), ("1", "impression", "b", 9), ("2", "impression", "b", 9)],
    )
    shown, usage = read_result_lists(log, depth=5, normalise=str)
    assert rows_of(shown) == [[("Jazz", "a", 1, False)]]
    assert (usage.used, usage.too_deep) == (1, 1)
    assert shown.user is None
    with pytest.raises(OptionError, match="depth=0"):
        read_result_lists(log, depth=0)


def test_a_position_that_cannot_be_does_not_overflow() -> None:
    pages = "12345"
    log = log_of(
        [(page, None, "jazz") for page in pages],
        [(page, "click", "a", 1) for page in pages] + [("5", "click", "b", 2**62)],
    )
    shown, usage = read_result_lists(log)
    assert rows_of(shown) == [[("jazz", "a", 1, True)]] * 4
    assert (usage.used, usage.without_impressions) == (4, 1)


def test_logs_of_no_use() -> None:
    nothing = log_of([("1", None, "jazz")], [("1", "copy", "a", 1)])
    with pytest.raises(InputError, match="made up: no impression and no click"):
        read_result_lists(nothing)
    nowhere = log_of([("1", None, "jazz")], [("1", "impression", "a", None)])
    with pytest.raises(InputError, match=r"no result page can be used: .*1 without positions"):
        read_result_lists(nowhere)
    lacking = log_of(
        [("1", None, "jazz")],
        [("1", "impression", "a", None)],
        lacks=frozenset({"events.position"}),
    )
    with pytest.raises(InputError, match="a click model needs columns that this log does not have"):
        read_result_lists(lacking)
