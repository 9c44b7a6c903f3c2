"""Expanded queries and the yield of rounds, in every format."""

from __future__ import annotations

import json

import pytest

from cleverdon.errors import OptionError
from cleverdon.pool.expansion import Expanded, Round, Simulated
from cleverdon.show.expansion import QUERIES, notes, render, render_queries
from cleverdon.show.grid import FORMATS

ROUNDS = [Round(0, {"q": 1200, "r": 34}, {"q": 1001, "r": 0}), Round(1, {"q": 2}, {"q": 1})]
EMPTY = Round(2, {}, {})
SIMULATED = Simulated(ROUNDS, known=2004, unjudged=1, without_text=("x\n",))


def test_numbers_have_separators_where_people_read_them() -> None:
    rows = [line.split() for line in render(ROUNDS).splitlines()]
    assert rows[2] == ["0", "1,234", "1,001", "0.8112", "1,234", "1,001"]
    assert rows[3] == ["1", "2", "1", "0.5000", "1,236", "1,002"]
    assert render(ROUNDS, "csv").splitlines()[1] == f"0,1234,1001,{1001 / 1234!r},1234,1001"


def test_a_simulation_has_its_recall() -> None:
    assert render(ROUNDS, simulated=SIMULATED).splitlines()[3].split()[-1] == "0.5000"
    nothing = Simulated([Round(0, {"q": 1}, {"q": 0})], known=0, unjudged=0, without_text=())
    assert render(nothing.rounds, "tsv", simulated=nothing).endswith("\t1\t0\t")
    told = notes(ROUNDS, SIMULATED)
    assert "recall is of the 2,004 relevant documents that are known" in told
    assert any(line.startswith("1 document found that the judgments lack") for line in told)
    assert r"1 judged query without a text (left out), such as x\n" in told


@pytest.mark.parametrize("format", [one for one in FORMATS if one != "json"])
def test_every_format(format: str) -> None:
    text = render([*ROUNDS, EMPTY], format, simulated=SIMULATED)
    assert "documents" in text
    assert ("1,236" if format == "table" else "1236") in text


def test_json_has_queries() -> None:
    found = json.loads(render([*ROUNDS, EMPTY], "json", simulated=SIMULATED))
    assert found["rounds"][0]["queries"] == {
        "q": {"documents": 1200, "relevant": 1001},
        "r": {"documents": 34, "relevant": 0},
    }
    assert found["rounds"][2]["share"] is None
    assert (found["known"], found["unjudged"], found["without_text"]) == (2004, 1, ["x\n"])
    assert "known" not in json.loads(render(ROUNDS, "json"))


def test_what_follows_from_the_last_round() -> None:
    assert len(notes(ROUNDS[:1])) == 1
    assert notes(ROUNDS)[-1] == (
        "round 1 still brought relevant documents, for 1 query: go on with another"
    )
    assert "round 2 is not judged yet" in notes([*ROUNDS, EMPTY])[-1]
    assert "round 2 brought nothing relevant" in notes([*ROUNDS, EMPTY], SIMULATED)[-1]


def test_expanded_queries() -> None:
    found = {"q1": Expanded({"bees": 0.75, "größe": 0.25}, 2)}
    assert render_queries(found) == "q1\tbees^0.750000 größe^0.250000"
    assert json.loads(render_queries(found, "jsonl")) == {
        "query_id": "q1",
        "terms": {"bees": 0.75, "größe": 0.25},
        "relevant": 2,
    }
    assert QUERIES == ("lucene", "jsonl")
    with pytest.raises(OptionError, match="format='xml' is not known"):
        render_queries(found, "xml")
    with pytest.raises(OptionError, match="format='xml' is not known"):
        render(ROUNDS, "xml")
