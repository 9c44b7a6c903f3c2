"""Orders by votes, alone and beside the judged one, in every format."""

from __future__ import annotations

import json

import pytest

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.pooling.vote_results import VoteOrders
from cleverdon.pooling.votes import Turnout, _compare_votes, _count_votes
from cleverdon.tables.table import FORMATS

# Three systems return the same; the fourth alone finds what is relevant.
ALIKE = {f"q{n}": {"x": 3.0, "y": 2.0, "r": 1.0} for n in range(4)}
RUNS = {
    **dict.fromkeys(("one", "two", "three"), ALIKE),
    "b|st": {f"q{n}": {"r": 3.0, "s": 2.0, "t": 1.0} for n in range(4)},
}
QRELS = {f"q{n}": {"r": 1, "s": 1, "t": 1, "x": 0} for n in range(3)}
REFERENCES = _count_votes(RUNS, "references", depth=3)
DRAWN = _count_votes(RUNS, "soboroff", depth=3, relevant_share=0.5, trials=2)
BESIDE = _compare_votes([REFERENCES, DRAWN], evaluate(QRELS, RUNS, "AP"), resamples=20)


def test_one_way_has_values_and_several_have_ranks() -> None:
    lines = [line.split() for line in VoteOrders((REFERENCES,)).render().splitlines()]
    assert lines[0] == ["system", "votes", "rank", "by", "votes"]
    # Each of the three shares three documents with two others, and r with the fourth: 7 of 9.
    assert lines[2] == ["one", "0.7778", "2"]
    assert lines[5] == ["b|st", "0.3333", "4"]
    several = [
        line.split()
        for line in VoteOrders(
            (
                REFERENCES,
                DRAWN,
            )
        )
        .render()
        .splitlines()
    ]
    assert several[0] == ["system", "references", "soboroff"]
    assert several[2][:2] == ["one", "2"]
    assert VoteOrders((REFERENCES, DRAWN)).sections()[0].grid.footnotes[0] == (
        "4 systems, 4 queries; below the name of each method: ranks by it"
    )
    assert VoteOrders((DRAWN,)).sections()[0].grid.footnotes[1].endswith("(2 trials)")


@pytest.mark.parametrize("format", [one for one in FORMATS if one != "json"])
def test_every_format(format: str) -> None:
    alone, judged = (
        VoteOrders((REFERENCES,)).render(format),
        VoteOrders(tuple(BESIDE)).render(format),
    )
    assert "three" in alone
    assert "AP" in judged or "judged" in judged
    if format in ("csv", "tsv"):
        assert len(judged.splitlines()) == 1 + 2 * len(RUNS)


def csv_rows(found: VoteOrders) -> list[list[str]]:
    return [line.split(",") for line in found.to_csv().splitlines()]


def test_rows_for_programs() -> None:
    header, *rows = (
        line.split(",") for line in VoteOrders(tuple(BESIDE)).render("csv").splitlines()
    )
    assert header == ["method", "system", "votes", "rank", "deviation", "judged", "judged rank"]
    assert rows[3] == ["references", "b|st", repr(round(1 / 3, 12)), "4", "", "1.0", "1"]
    header, first, *_ = (
        line.split(",") for line in VoteOrders((DRAWN,)).render("csv").splitlines()
    )
    assert header == ["method", "system", "votes", "rank", "deviation"]
    assert DRAWN.deviations is not None
    assert float(first[4]) == DRAWN.deviations[first[1]]


def test_json_has_the_value_of_every_query() -> None:
    (found,) = json.loads(VoteOrders((REFERENCES,)).render("json"))
    assert found["trials"] is None
    assert found["systems"]["b|st"]["rank"] == 4
    assert list(found["systems"]["b|st"]["queries"]) == ["q0", "q1", "q2", "q3"]
    first, _ = json.loads(VoteOrders(tuple(BESIDE)).render("json"))
    assert first["judged"]["b|st"] == {"value": 1.0, "rank": 1}
    assert first["misplaced"][0] == {"system": "b|st", "judged": 1, "voted": 4}
    assert first["left_out"] == 1
    assert first["agreement"]["kendall"]["value"] == -1


def test_remarks_name_what_is_misplaced() -> None:
    told = VoteOrders(tuple(BESIDE[:1])).closing()
    assert told[0].startswith("references misplaces most: b|st (judged 1, voted 4)")
    assert told[1] == "1 query without judgments (left out)"
    assert told[2].startswith("note: b|st is best by AP, and not near the top by references")


def test_what_is_to_be_known_before_votes_are_read() -> None:
    assert Turnout(systems=3, queries=50, of_all=50, of_one=0).notes == []
    (warning,) = Turnout(systems=3, queries=1200, of_all=1000, of_one=7).notes
    assert warning.startswith(
        "warning: 1,000 of 1,200 queries with results of all 3 systems, 7 of one alone"
    )
    (note,) = Turnout(systems=2, queries=1, of_all=1, of_one=0).notes
    assert "always a tie" in note


def test_words_that_are_not_known() -> None:
    with pytest.raises(OptionError, match="format='xml' is not known"):
        VoteOrders((REFERENCES,)).render("xml")
    with pytest.raises(OptionError, match="format='xml' is not known"):
        VoteOrders(tuple(BESIDE)).render("xml")
