"""What is said of judging, and of methods that were played."""

from __future__ import annotations

import json

import pytest

from cleverdon.errors import InputError
from cleverdon.pool.adaptive import simulate
from cleverdon.pool.adaptive.judging import Tally
from cleverdon.pool.contributions import gather
from cleverdon.show.adaptive import changed_text, over_text, render, tally_text
from tests.pool.adaptive.made_up import systems

RUNS, GRADES = systems(count=3, topics=2, docs=20, depth=6)
PLAYED = simulate(gather(RUNS), GRADES, ["depth", "mtf"], budgets=[2, 4])


def test_how_far_judging_has_come() -> None:
    tally = Tally(
        pooled=1200, given=30, judged=24, relevant=6, waiting=6, elsewhere=0, topics=3, ended={}
    )
    assert tally_text(tally) == (
        "24 of 1,200 documents judged; 6 relevant (25%); 6 given and not judged yet"
    )
    ended = {"patience": 2, "all given": 1}
    tally = Tally(
        pooled=9, given=0, judged=0, relevant=0, waiting=0, elsewhere=4, topics=3, ended=ended
    )
    assert tally_text(tally) == (
        "0 of 9 documents judged; 0 relevant; 0 given and not judged yet; 4 judged that no run "
        "returned; 3 of 3 topics over (nothing relevant for too long: 2, all documents given: 1)"
    )


def test_why_nothing_is_given_names_the_limit() -> None:
    def ended(total: int | None = None, **reasons: int) -> str:
        counts = {reason.replace("_", " "): count for reason, count in reasons.items()}
        return over_text(Tally(9, 3, 3, 0, 0, 0, topics=2, ended=counts, total=total))

    assert ended(all_given=2).startswith("there is nothing more to judge")
    assert ended(total=1200) == (
        "nothing more is given, by --total 1,200: to go on, give a larger number"
    )
    assert "by --budget and --patience:" in ended(budget=1, patience=1)
    assert "by --target:" in ended(all_given=1, target=1)
    reached = Tally(9, 3, 3, 0, 0, 0, topics=2, ended={}, total=1200)
    assert tally_text(reached).endswith("; 1,200 given in all, the limit")


def test_grades_that_changed() -> None:
    assert changed_text(1) == "1 grade changed since it was judged before"
    assert changed_text(1200) == "1,200 grades changed since they were judged before"


def test_thousands_are_set_apart_for_people_alone() -> None:
    runs, grades = systems(count=3, topics=60, docs=40, depth=20)
    found = simulate(gather(runs), grades, ["depth"], budgets=[20])
    assert found.played[0].stops[0].judged == 1200
    assert " 1,200 " in render(found)
    assert ",1200," in render(found, "csv")


def test_a_row_for_each_method_and_budget() -> None:
    lines = render(PLAYED, "csv").splitlines()
    assert lines[0] == "method,budget,judged,relevant,recall,precision,unknown,tau,tau-AP"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        [method, str(budget), str(2 * budget)] for budget in (2, 4) for method in ("depth", "mtf")
    ]
    stop = PLAYED.played[1].stops[1]
    cells = lines[4].split(",")
    assert [int(cells[3]), float(cells[4]), float(cells[5])] == [
        stop.relevant,
        stop.relevant / PLAYED.relevant,
        stop.relevant / 8,
    ]


def test_all_formats() -> None:
    assert "budget: documents judged of each of 2 topics" in render(PLAYED)
    assert render(PLAYED, "markdown").startswith("| method")
    whole = json.loads(render(PLAYED, "json"))
    assert whole["methods"][0]["found"] == PLAYED.played[0].found.tolist()
    assert whole["methods"][1]["stops"][0]["budget"] == 2


def test_one_system_or_nothing_relevant_is_refused() -> None:
    alone, two = {"a": {"q": {"d": 1}}}, {"a": {"q": {"d": 1}}, "b": {"q": {"d": 1}}}
    with pytest.raises(InputError, match="there is one run only"):
        simulate(gather(alone), {"q": {"d": 1}}, ["mtf"])
    with pytest.raises(InputError, match="no run returned a relevant document"):
        simulate(gather(two), {"q": {"d": 0}}, ["mtf"])
