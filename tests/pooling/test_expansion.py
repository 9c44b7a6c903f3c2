"""Expansion of queries: each way to use it, through the one function of the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cleverdon.errors import OptionError
from cleverdon.pooling import expand

DOCUMENTS = {"d1": "bees and honey", "d2": "honey", "d3": "ice"}
QRELS = {"q1": {"d1": 1.0}}
QUERIES = {"q1": "bees"}


def test_expanded_queries_are_shown() -> None:
    found = expand(QRELS, queries=QUERIES, documents=DOCUMENTS)
    assert found.new is None
    assert found.render() == "q1\tbees^0.750000 honey^0.250000"
    assert found.render("jsonl").startswith('{"query_id": "q1"')


def test_a_search_finds_what_is_not_judged() -> None:
    found = expand(QRELS, queries=QUERIES, documents=DOCUMENTS, search=True)
    assert found.new is not None
    assert found.new.documents == {"q1": ["d2"]}
    assert found.shown is found.rounds


def test_runs_stand_for_a_search() -> None:
    runs = {"probe": {"q1": {"d1": 3, "d2": 2, "d3": 1}}}
    found = expand(QRELS, runs=runs, depth=2)
    assert found.new is not None
    assert found.new.documents == {"q1": ["d2"]}


def test_sheets_are_rounds(tmp_path: Path) -> None:
    sheet = tmp_path / "round1.tsv"
    sheet.write_text("query_id\tdoc_id\tgrade\nq1\td2\t1\n")
    found = expand(QRELS, [sheet])
    assert [one.found for one in found.rounds.rounds] == [1, 1]
    assert found.to_dict() == found.rounds.to_dict()


def test_a_simulation_judges_by_the_judgments() -> None:
    known = {"q1": {"d1": 1.0, "d2": 1.0}}
    found = expand(known, queries=QUERIES, documents=DOCUMENTS, simulate=True, depth=1)
    assert [one.found for one in found.rounds.rounds] == [1, 0]


@pytest.mark.parametrize("options", [{"queries": QUERIES}, {"search": True}, {"simulate": True}])
def test_missing_texts_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="texts of"):
        expand(QRELS, **options)
