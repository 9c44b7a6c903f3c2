"""How much is found while people judge, and whether to stop: by hand, and against the command."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from cleverdon.judging.dashboard.facts import SkipOrFlag, read_facts
from cleverdon.judging.dashboard.progress import progress_of
from cleverdon.judging.dashboard.recall import LiveRecall, PooledSystems, item_grades, live_recall
from cleverdon.judging.dashboard.state import chosen_left_out
from cleverdon.judging.dashboard.worker import DashboardCache
from cleverdon.judging.imports.importer import ImportSettings, import_file
from cleverdon.judging.people.accounts import COMMAND_LINE
from cleverdon.judging.project import POOL
from cleverdon.judging.web.app import make_app
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import write_pool
from cleverdon.pooling.pool_methods import depth_pool
from cleverdon.pooling.recall.recall import estimate_recall
from cleverdon.stats.proportions import hypergeometric_interval
from tests.judging.facts import made_facts
from tests.judging.judged_projects import give
from tests.judging.projects import browser, made_project


def test_recall_within_a_shuffled_pool_is_hypergeometric() -> None:
    graded = {item: int(item <= 6) for item in range(1, 21)}
    facts = made_facts({"ann": graded}, documents=50)
    found = live_recall(facts, item_grades(facts))
    low, high = hypergeometric_interval(50, 20, 6)
    assert found.way == "order"
    assert (found.all.judged, found.all.relevant) == (20, 6)
    assert found.all.estimate.value == pytest.approx(15)
    assert (found.all.estimate.low, found.all.estimate.high) == (low, high)
    assert found.all.recall.value == pytest.approx(0.4)
    assert found.all.decision == "go on"
    whole = made_facts({"ann": dict.fromkeys(range(1, 51), 1)}, documents=50)
    assert live_recall(whole, item_grades(whole)).all.decision == "stop"


def test_queries_that_nobody_began_are_not_passed_over() -> None:
    facts = made_facts({"ann": {item: item % 2 for item in range(1, 11)}}, queries=3)
    found = live_recall(facts, item_grades(facts))
    assert found.queries["t1"].decision == "stop"
    assert found.without == ("t2", "t3")
    assert found.all.decision == "open"
    assert found.all.advice.startswith("Not decided: nothing can be told yet of 2 queries; of the")
    gold = replace(facts, items=tuple(item._replace(gold=0) for item in facts.items))
    assert live_recall(gold, item_grades(gold)).all.documents == 0, "gold is no part of the pool"


def test_what_was_imported_is_no_sample_of_the_pool(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=1, documents=100, wanted=2) as project:
        own, others = tmp_path / "own.qrels", tmp_path / "others.qrels"
        own.write_text("".join(f"t1 0 d{n} 1\n" for n in range(1, 11)) + "t1 0 new 1\n")
        import_as = partial(import_file, project, actor=COMMAND_LINE)
        import_as(str(own), ImportSettings(kind="person", name="ann", add=True))

        def told() -> LiveRecall:
            with project.database.reading() as connection:
                facts = read_facts(connection, project.scale)
            return live_recall(facts, item_grades(facts))

        advice = "Not decided: nothing is judged yet, but what was imported."
        assert told().all.advice == advice
        # Bob comes upon two of them, and finds two more in the 18 others.
        give(project, {"bob": {("t1", f"d{n}"): int(n <= 12) for n in range(9, 29)}})
        found = told().all
        assert (found.documents, found.judged, found.relevant) == (90, 18, 2)
        assert found.estimate.value == pytest.approx(90 / 9)
        # What came up by itself stays in the sample, if somebody's grade of it is imported later.
        others.write_text("t1 0 d11 2\n")
        import_as(str(others), ImportSettings(kind="person", name="ann"))
        assert told().all == found
        give(project, {"bob": {("t1", f"d{n}"): 0 for n in range(29, 101)}})
        whole = told().all
        assert (whole.documents, whole.relevant, whole.decision) == (100, 12, "stop")
        assert whole.left_out == 1, "the one that is not from the pool"


@pytest.mark.parametrize("kind", ["earlier", "model", "person"])
def test_what_an_import_adds_is_no_part_of_the_pool(tmp_path: Path, kind: str) -> None:
    with made_project(tmp_path / "project", queries=1, documents=100) as project:
        give(project, {"bob": {("t1", f"d{n}"): int(n <= 3) for n in range(1, 19)}})

        def told() -> LiveRecall:
            with project.database.reading() as connection:
                facts = read_facts(connection, project.scale)
            return live_recall(facts, item_grades(facts))

        before = told().all
        assert before.recall.value == pytest.approx(0.18)
        file = tmp_path / "more.qrels"
        file.write_text("".join(f"t1 0 new{n} 2\n" for n in range(20)))
        how = ImportSettings(kind=kind, name="ann" if kind == "person" else "x", add=True)
        import_file(project, str(file), how, actor=COMMAND_LINE)
        assert told().all == replace(before, left_out=20)
        give(project, {"bob": {("t1", f"new{n}"): 2 for n in range(20)}})
        assert told().all == replace(before, left_out=20), "whoever judges it"
        page = browser(make_app(project), "vic").get("/dashboard").text
        assert "Of 18 that are judged, out of 100 of the pool. 20 documents that somebody" in page
        found = DashboardCache(project).now()
        assert chosen_left_out(found.recall.all) == (
            "20 documents that somebody chose, as gold or by an import, are left out of recall."
        )
        assert (found.progress.done, found.progress.wanted) == (38, 120)


def test_recall_of_a_sampled_pool_weighs_by_probability() -> None:
    drawn = {item: 1.0 if item <= 4 else 0.25 for item in range(1, 13)}
    graded = {item: int(item in (1, 2, 5)) for item in range(1, 13)}
    facts = made_facts({"ann": graded}, documents=12, drawn=drawn)
    found = live_recall(facts, item_grades(facts))
    assert found.way == "sample"
    assert found.all.estimate.value == pytest.approx(2 + 1 / 0.25)
    assert found.all.recall.value == pytest.approx(3 / 6)
    assert found.all.recall.low is not None
    assert found.all.recall.low < 0.5


def test_an_adaptive_pool_is_told_by_its_yield() -> None:
    graded = {item: int(item <= 10) for item in range(1, 31)}
    facts = made_facts({"ann": graded}, documents=60, adaptive=True)
    found = live_recall(facts, item_grades(facts))
    assert found.queries["t1"].last.value == 0
    assert "none of the last 20" in found.queries["t1"].advice
    assert found.all.decision == "stop"
    assert found.all.recall.value is None
    two = made_facts({"ann": graded}, queries=2, documents=60, adaptive=True)
    assert live_recall(two, item_grades(two)).all.advice == (
        "Not decided: of 2 queries, 1 may stop, 0 should go on, and of 1 it cannot be told yet."
    )
    assert "adaptive" in found.all.recall.why
    few = made_facts({"ann": {1: 1}}, documents=60, adaptive=True)
    assert live_recall(few, item_grades(few)).queries["t1"].advice == (
        "Not decided: the yield is that of 20 judged documents, and there are 1."
    )
    early = made_facts({"ann": dict.fromkeys(range(1, 26), 1)}, documents=60, adaptive=True)
    assert live_recall(early, item_grades(early)).queries["t1"].decision == "go on"


@pytest.mark.parametrize(
    ("judged", "advice"),
    [
        (10, "Stop: all that was given out is judged."),
        (9, "Go on until it is done: 1 document is still to be judged, and no more will come."),
        (
            30,
            "Stop: all that was given out is judged. 20 of the last 20 documents were relevant, so "
            "the pool may well hold more.",
        ),
    ],
)
def test_a_query_that_ended_is_not_waited_for(judged: int, advice: str) -> None:
    given = dict.fromkeys(range(1, judged + 1), 1)
    facts = made_facts({"ann": given}, documents=60, adaptive=True, endings={"t1": "budget"})
    out = max(judged, 10)
    facts = replace(
        facts, items=tuple(item._replace(given_out=item.id <= out) for item in facts.items)
    )
    found = live_recall(facts, item_grades(facts))
    assert found.queries["t1"].advice == advice
    assert found.queries["t1"].decision == advice.partition(":")[0].partition(" until")[0].lower()
    assert found.all.decision == found.queries["t1"].decision
    progress, _ = progress_of(facts)
    assert (progress.not_given_out, progress.never_given_out) == (0, 60 - out)
    going, _ = progress_of(replace(facts, endings={}))
    assert (going.not_given_out, going.never_given_out) == (60 - out, 0)


def test_a_query_that_ended_waits_for_all_that_somebody_still_gets() -> None:
    facts = made_facts({"ann": dict.fromkeys(range(1, 10), 1)}, documents=10, adaptive=True)
    facts = replace(facts, endings={"t1": "budget"})
    last = facts.items[-1]

    def advice(**changed: object) -> str:
        changing = replace(facts, **changed)  # type: ignore[arg-type]
        return live_recall(changing, item_grades(changing)).queries["t1"].decision

    gold = (*facts.items[:-1], last._replace(gold=1))
    added = (*facts.items[:-1], last._replace(added=True))
    assert [advice(), advice(items=gold), advice(items=added)] == ["go on"] * 3
    assert advice(skips_and_flags=(SkipOrFlag("ann", last.id, False, True, False),)) == "stop", (
        "nobody gets it again"
    )


def test_rulings_come_before_votes() -> None:
    facts = made_facts({"a": {1: 3, 2: 1}, "b": {1: 3, 2: 0}}, rulings={1: 0})
    assert item_grades(facts) == {1: 0, 2: 0}


def test_what_the_pool_missed_is_told_as_by_the_command(tmp_path: Path) -> None:
    runs = {
        name: {"t1": {f"d{doc}": 1 / (place + 1) for place, doc in enumerate(docs)}}
        for name, docs in {"x": [1, 2, 3, 4], "y": [2, 1, 5, 6], "z": [1, 3, 7, 8]}.items()
    }
    write_pool(depth_pool(gather(runs), k=4), tmp_path / POOL)
    graded = {doc: int(doc != 8) for doc in range(1, 9)}
    facts = made_facts({"ann": graded}, documents=8)
    found = PooledSystems(tmp_path).coverage(facts, item_grades(facts))
    judged = {"t1": {f"d{doc}": grade for doc, grade in graded.items()}}
    best = estimate_recall(judged, runs, depth=4, reusing=False).best
    assert best is not None
    value, low, high = best.all.recall()
    assert (found.recall.value, found.recall.low, found.recall.high) == (value, low, high)
    assert found.sentences[0].startswith("By what systems found in common")
    part = made_facts({"ann": graded}, documents=80)
    said = PooledSystems(tmp_path).coverage(part, item_grades(part)).sentences[0]
    assert "8 of the pool's 80 documents are judged" in said
    few = PooledSystems(tmp_path).coverage(facts, {1: 1})
    assert few.recall.why == "it needs 5 relevant documents: 1 so far"
    assert "which systems" in PooledSystems(tmp_path / "no").coverage(facts, {}).recall.why
