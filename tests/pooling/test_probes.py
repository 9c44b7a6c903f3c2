"""Probes: new documents, rounds, simulation."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from cleverdon.errors import InputError
from cleverdon.formats.sheets import merged_sheets
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.probes import (
    NewDocuments,
    Probe,
    _read_rephrasings,
    new_documents,
    simulate_probe,
    yield_by_round,
)


def test_rounds_count_each_document_once() -> None:
    judged = [
        {"q1": {"a": 1.0, "b": 0.0, "p": -1.0}, "q2": {"x": 2.0}},
        {"q1": {"a": 0.0, "c": 3.0, "p": 1.0}},
        {},
    ]
    found = yield_by_round(judged, rel=2).rounds
    assert [(one.number, one.judged, one.found) for one in found] == [
        (0, 3, 1), (1, 2, 1), (2, 0, 0)
    ]  # fmt: skip
    assert found[0].relevant == {"q1": 0, "q2": 1}
    assert math.isnan(found[2].share)


def test_new_documents_of_runs() -> None:
    runs = {
        "rm3": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 1.0}},
        "other": {"q1": {"d": 2.0, "b": 1.0}},
    }
    new = new_documents(gather(runs), {"q1": {"a": 1, "b": -1}, "q2": {"x": 0}}, depth=2)
    assert new.documents == {"q1": ["d"]}


def test_sheets_are_blind() -> None:
    new = {"q2": ["z"], "q1": [f"d{n}" for n in range(20)]}
    rows = list(NewDocuments(new).sheet(seed=1))
    assert sorted(rows[:20]) == sorted(("q1", doc) for doc in new["q1"])
    assert rows[20] == ("q2", "z")
    assert [doc for _, doc in rows[:20]] != new["q1"]
    assert rows == list(NewDocuments({"q1": new["q1"][::-1], "q2": ["z"]}).sheet(seed=1))
    assert rows != list(NewDocuments(new).sheet(seed=2))


# A collection in which some relevant documents share no word with the query, but with others that
# do; and one that shares words with the second kind only.
CHAIN = {
    "r1": "bees pollinate orchards",
    "r2": "pollinate orchards insects",
    "r3": "insects nectar gathering",
    "r4": "apiary hive keeper",
    **{f"n{n}": f"glaciers melting ice number{n}" for n in range(20)},
    "n20": "orchards sold",
}
KNOWN = {"q": {"r1": 1.0, "r2": 1.0, "r3": 2.0, "r4": 1.0, "n1": 0.0}}


def test_expansion_finds_what_the_query_missed() -> None:
    probe = Probe({"q": "bees"}, CHAIN)
    found = simulate_probe(probe, KNOWN, depth=5)
    # The query itself finds r1 only; r1's words find r2 and n20, whose words find r3.
    assert [(one.judged, one.found) for one in found.rounds] == [(1, 1), (2, 1), (1, 1), (0, 0)]
    assert (found.known, found.unjudged, found.without_text) == (4, 1, ())
    assert found.rounds[1].relevant == {"q": 1}


def test_a_round_without_anything_relevant_is_the_last() -> None:
    # n20 shares a word with r1; nothing that is relevant does. Junk expands no query, so that
    # another round would ask the same again.
    known = {"q": {"r1": 1.0, "r4": 1.0}}
    found = simulate_probe(Probe({"q": "bees"}, CHAIN), known, depth=5)
    assert [(one.judged, one.found) for one in found.rounds] == [(1, 1), (2, 0)]


def test_rephrasings_are_probed_as_well() -> None:
    probe = Probe({"q": "bees"}, CHAIN, {"q": ["keeper of a hive", "unheard of"]})
    found = simulate_probe(probe, KNOWN, depth=5)
    assert sum(one.found for one in found.rounds) == 4
    assert found.rounds[0].found == 1  # the first round is the query as it stands
    assert found.rounds[1].judged == 3


def test_simulation_can_start_from_judgments_and_stop() -> None:
    probe = Probe({"q": "bees"}, CHAIN)
    start = {"q": {"r2": 1.0}, "other": {"x": 1.0}}
    found = simulate_probe(probe, KNOWN | {"r": {"r1": 1.0}}, depth=5, rounds=1, start=start)
    assert len(found.rounds) == 2
    assert found.rounds[0].documents == {"q": 1}
    assert found.rounds[1].relevant == {"q": 2}
    assert found.without_text == ("r",)
    with pytest.raises(InputError, match="such as 'z', has a text"):
        simulate_probe(probe, {"z": {"r1": 1.0}}, depth=5)


def test_a_probe_goes_on_from_the_judgments_alone() -> None:
    """Judging by sheets, a process each, finds what the simulation finds."""
    judged = [{"q": {"r1": 1.0}}]

    def known(judged: list[Any]) -> Any:
        return merged_sheets({str(number): grades for number, grades in enumerate(judged)})

    while new := Probe({"q": "bees"}, CHAIN).search(known(judged), depth=5):
        judged.append(
            {q: {d: KNOWN[q].get(d, 0.0) for d in docs} for q, docs in new.documents.items()}
        )
    wanted = simulate_probe(Probe({"q": "bees"}, CHAIN), KNOWN, depth=5).rounds
    assert yield_by_round(judged).rounds == wanted[:-1]


def test_rephrasings_file(tmp_path: Path) -> None:
    file = tmp_path / "phrases.tsv"
    file.write_text('query_id\ttext\nq1\tbee "keeping"\nq1\tapiculture\n\nq1\tapiculture\nq2\tx\n')
    assert _read_rephrasings(file) == {"q1": ['bee "keeping"', "apiculture"], "q2": ["x"]}
    commas = tmp_path / "phrases.csv"
    commas.write_text('query_id,text\nq1,"bees, wasps"\n')
    assert _read_rephrasings(commas) == {"q1": ["bees, wasps"]}
    # What other programs take for the end of a line is a space within a text.
    file.write_text("q1\tbees\u2028wasps\x0bhives\nq1\thoney\n", newline="")
    assert _read_rephrasings(file) == {"q1": ["bees wasps hives", "honey"]}
    file.write_text("q1\tone\nq1 no tab\n")
    with pytest.raises(InputError, match=r"phrases.tsv:2: expected 2 columns by tabs, found 1"):
        _read_rephrasings(file)
    file.write_text("q1\tone\nq1\t \n")
    with pytest.raises(InputError, match=r"phrases.tsv:2: query 'q1' has no text"):
        _read_rephrasings(file)
    file.write_text("query_id\ttext\n")
    with pytest.raises(InputError, match="no rephrasings"):
        _read_rephrasings(file)
    with pytest.raises(InputError, match="no such file"):
        _read_rephrasings(tmp_path / "none.tsv")
