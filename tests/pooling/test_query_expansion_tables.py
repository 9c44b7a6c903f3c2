"""Expanded queries and the yield of rounds, in every format."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cleverdon.errors import OptionError
from cleverdon.pooling.choices import QUERY_FORMATS
from cleverdon.pooling.probes import ProbeRound, ProbeRounds, ProbeSimulation
from cleverdon.pooling.query_expansion import ExpandedQueries, ExpandedQuery
from cleverdon.tables.table import FORMATS

ROUNDS = (
    ProbeRound(0, {"q": 1200, "r": 34}, {"q": 1001, "r": 0}),
    ProbeRound(1, {"q": 2}, {"q": 1}),
)
EMPTY = ProbeRound(2, {}, {})
SIMULATED = ProbeSimulation(ROUNDS, known=2004, unjudged=1, without_text=("x\n",))


def notes_of(found: ProbeRounds) -> list[str]:
    return list(found.sections()[0].grid.footnotes)


def test_numbers_have_separators_where_people_read_them() -> None:
    rows = [line.split() for line in ProbeRounds(ROUNDS).render().splitlines()]
    assert rows[2] == ["0", "1,234", "1,001", "0.8112", "1,234", "1,001"]
    assert rows[3] == ["1", "2", "1", "0.5000", "1,236", "1,002"]
    assert (
        ProbeRounds(ROUNDS).render("csv").splitlines()[1]
        == f"0,1234,1001,{1001 / 1234!r},1234,1001"
    )


def test_a_simulation_has_its_recall() -> None:
    assert SIMULATED.render().splitlines()[3].split()[-1] == "0.5000"
    nothing = ProbeSimulation(
        (ProbeRound(0, {"q": 1}, {"q": 0}),), known=0, unjudged=0, without_text=()
    )
    assert nothing.render("tsv").endswith("\t1\t0\t")
    told = notes_of(SIMULATED)
    assert "recall is of the 2,004 relevant documents that are known" in told
    assert any(line.startswith("1 document found that the judgments lack") for line in told)
    assert r"1 judged query without a text (left out), such as x\n" in told


@pytest.mark.parametrize("format", [one for one in FORMATS if one != "json"])
def test_every_format(format: str) -> None:
    text = replace(SIMULATED, rounds=(*ROUNDS, EMPTY)).render(format)
    assert "documents" in text
    assert ("1236" if format in ("csv", "tsv") else "1,236") in text


def test_json_has_queries() -> None:
    found = json.loads(replace(SIMULATED, rounds=(*ROUNDS, EMPTY)).to_json())
    assert found["rounds"][0]["queries"] == {
        "q": {"documents": 1200, "relevant": 1001},
        "r": {"documents": 34, "relevant": 0},
    }
    assert found["rounds"][2]["share"] is None
    assert (found["known"], found["unjudged"], found["without_text"]) == (2004, 1, ["x\n"])
    assert "known" not in json.loads(ProbeRounds(ROUNDS).to_json())


def test_what_follows_from_the_last_round() -> None:
    assert len(notes_of(ProbeRounds(ROUNDS[:1]))) == 1
    assert notes_of(ProbeRounds(ROUNDS))[-1] == (
        "round 1 still brought relevant documents, for 1 query: go on with another"
    )
    assert "round 2 is not judged yet" in notes_of(ProbeRounds((*ROUNDS, EMPTY)))[-1]
    assert (
        "round 2 brought nothing relevant"
        in notes_of(replace(SIMULATED, rounds=(*ROUNDS, EMPTY)))[-1]
    )


def test_expanded_queries() -> None:
    found = ExpandedQueries({"q1": ExpandedQuery({"bees": 0.75, "größe": 0.25}, 2)})
    assert found.render("lucene") == "q1\tbees^0.750000 größe^0.250000"
    assert json.loads(found.render("jsonl")) == {
        "query_id": "q1",
        "terms": {"bees": 0.75, "größe": 0.25},
        "relevant": 2,
    }
    assert QUERY_FORMATS == ("lucene", "jsonl")
    with pytest.raises(OptionError, match="format='xml' is not known"):
        found.render("xml")
    with pytest.raises(OptionError, match="format='xml' is not known"):
        ProbeRounds(ROUNDS).render("xml")
