"""A datasheet: every number in it can be counted by hand, and nobody is named unless asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from cleverdon.judging import clock
from cleverdon.judging.adjudication import record_ruling
from cleverdon.judging.candidates import Adaptive, adaptive_candidates
from cleverdon.judging.exports.datasheet import Datasheet, Spread, make_datasheet
from cleverdon.judging.exports.files import ExportRequest, write_export
from cleverdon.judging.exports.reports import _caveats
from cleverdon.judging.imports.importer import ImportSettings, import_file
from cleverdon.judging.people.accounts import COMMAND_LINE, person_named
from cleverdon.judging.project import POOL, Project
from cleverdon.judging.queue import Feeder
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import items
from cleverdon.pooling.adaptive.judging import Limits
from cleverdon.pooling.adaptive.methods import parse_method
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import write_pool
from cleverdon.pooling.pool_methods import _stratified_pool, depth_pool
from tests.judging.judged_projects import give, items_of, judged_project
from tests.judging.projects import made_project

DAY = 1_790_000_000.0
MADE_OF = {
    "queries": "/home/ann/secret/topics.tsv",
    "docs": ["C:\\secret\\a.jsonl", "b.jsonl"],
    "BLAKE3": {"queries": ["f02ad6"], "docs": ["112838", "9f9f9f"]},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("datasheet")
    runs = {
        name: {query: {f"d{n}": float(n) for n in range(1, 11)} for query in ("t1", "t2")}
        for name in ("bm25", "<b>dense</b>")
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now", lambda: DAY)
        made = judged_project(folder / "project", settings={"made_of": MADE_OF})
    with made as opened:
        write_pool(depth_pool(gather(runs), k=10, seed=3), opened.folder / POOL)
        with opened.database.writing() as connection:
            gold = items_of(connection)["t1", "d1"]
            connection.execute(update(items).where(items.c.id == gold).values(gold=2))
        yield opened


@pytest.fixture(scope="module")
def sheet(project: Project) -> Datasheet:
    with project.database.reading() as connection:
        return make_datasheet(project, connection)


def test_numbers_are_those_of_the_grades(sheet: Datasheet) -> None:
    assert (sheet.queries, sheet.documents, sheet.items) == (2, 10, 20)
    assert (sheet.judgments, sheet.judged, sheet.by_several) == (13, 7, 5)
    assert (sheet.disputes, sheet.settled, sheet.rulings, sheet.tied) == (3, 1, 1, 1)
    assert sheet.published == {0: 1, 1: 3, 2: 2, 3: 1}
    assert sheet.relevant_per_query == Spread(1, 3.0, 5)
    assert sheet.without_relevant == 0
    assert (sheet.gold, sheet.gold_right.value, sheet.gold_right.of) == (1, 1.0, 2)
    assert sheet.seconds.value == 4.0
    assert [(one.name, one.judged, one.queries) for one in sheet.assessors] == [
        ("A1", 5, 2),
        ("A2", 5, 1),
        ("A3", 3, 2),
    ]
    assert sheet.pool is not None
    assert [name for name, _ in sheet.pool.systems] == ["bm25", "<b>dense</b>"]
    assert (sheet.pool.how["k"], sheet.pool.how["seed"], sheet.pool.documents) == (10, 3, 20)
    assert clock.iso(sheet.as_of).startswith("2026-09-21")
    assert (sheet.due, sheet.graded, sheet.added, sheet.pool.outside) == (20, 7, 0, 0)
    assert (sheet.agreement, sheet.agreement_gold) == ({}, 1)
    assert sheet.agreement_summary[0].endswith("two have judged, gold left out: 4 so far")


def test_caveats_have_reasons(sheet: Datasheet) -> None:
    said = " ".join(_caveats(sheet))
    assert "13 of 20 documents that were to be judged have no judgment" in said
    assert (
        "2 of 3 documents in dispute have no ruling: the majority stands for 1; for 1 no grade had "
        "most votes, and the lowest of the tied grades was taken." in said
    )
    assert "Only what 2 systems returned could be judged" in said
    assert "Few queries (2)" in said
    assert "No gold documents" not in said


def test_names_are_hidden_unless_asked_for(project: Project, tmp_path: Path) -> None:
    for ending in ("md", "html", "json"):
        texts = []
        for names in (None, True):
            path = tmp_path / f"{names}.{ending}"
            write_export(
                project, ExportRequest("datasheet", names=names), str(path), actor=COMMAND_LINE
            )
            texts.append(path.read_text())
        assert "Cyd X" not in texts[0]
        assert "Cyd X" in texts[1]
        assert "bm25" in texts[0]
        assert "secret" not in texts[0], "nor folders"
        assert all(told in texts[0] for told in ("topics.tsv", "a.jsonl", "f02ad6", "9f9f9f"))
        assert ("<b>dense" in texts[0]) == (ending == "json"), "what was given is text"
        again = tmp_path / f"again.{ending}"
        write_export(project, ExportRequest("datasheet"), str(again), actor=COMMAND_LINE)
        assert again.read_text() == texts[0], "the time of the export is not in it"
    assert json.loads((tmp_path / "None.json").read_text())["judgments"] == 13


def written(project: Project, path: Path) -> tuple[Datasheet, str]:
    """The sheet, and how it reads."""
    write_export(project, ExportRequest("datasheet"), str(path), actor=COMMAND_LINE)
    with project.database.reading() as connection:
        return make_datasheet(project, connection), path.read_text().replace("\\", "")


def test_two_judges_make_no_majority(tmp_path: Path) -> None:
    with made_project(tmp_path / "p", wanted=2) as project:
        give(project, {"ann": {("t1", "d1"): 0, ("t1", "d2"): 1}})
        give(project, {"bob": {("t1", "d1"): 3, ("t1", "d2"): 2}})
        sheet, _ = written(project, tmp_path / "d.md")
    said = " ".join(_caveats(sheet))
    assert "2 of 2 documents in dispute have no ruling: no grade had most votes, and the" in said
    assert "majority stands" not in said


def test_a_ruling_is_a_judgment(tmp_path: Path) -> None:
    with made_project(tmp_path / "p", queries=1) as project:
        give(project, {"ann": {("t1", f"d{number}"): 1 for number in range(1, 6)}})
        with project.database.writing() as connection:
            ann, eve = (person_named(connection, name).id for name in ("ann", "eve"))
            skip = JudgmentEvent("skip-the-last", 6, "skip", text="in Latin")
            record(connection, ann, skip, project.scale)
            record_ruling(
                connection, eve, idempotency_key="ruling-1", item=6, grade=3, scale=project.scale
            )
        sheet, text = written(project, tmp_path / "d.md")
    assert (sheet.judged, sheet.graded, sheet.published[3]) == (5, 6, 1)
    assert "| Judged | 6 of 6 (100.0%) |" in text
    assert "| Judged by a ruling alone | 1 |" in text
    assert "have no judgment" not in text


def test_an_adaptive_method_is_said_to_have_chosen(tmp_path: Path) -> None:
    runs = {"x": {f"t{at}": {f"d{doc}": 7 - doc for doc in range(1, 7)} for at in (1, 2)}}
    method, limits = parse_method("mtf"), Limits(budget=2)
    how = Adaptive(method, limits)
    whole = adaptive_candidates(gather(runs), how).pool
    assert whole is not None
    settings = {"adaptive": how.to_json(0), "pool": dict(whole.how), "judges": 1, "overlap": "0.25"}
    with made_project(tmp_path / "p", settings=settings) as project:
        write_pool(whole, project.folder / POOL)
        with project.database.writing() as connection:
            connection.execute(update(items).values(position=None))
            for query in (1, 2):
                Feeder(project).feed(connection, query)
            given = select(items.c.id).where(items.c.position.is_not(None)).order_by(items.c.id)
            ann = person_named(connection, "ann").id
            for item in list(connection.execute(given).scalars()):
                said = JudgmentEvent(f"request-{item}", item, "grade", grade=1)
                record(connection, ann, said, project.scale)
        sheet, text = written(project, tmp_path / "d.md")
    assert (sheet.items, sheet.due, sheet.judged, sheet.endings) == (12, 4, 4, {"budget": 2})
    assert "| To be judged | 4 pairs" in text
    assert "| Judged | 4 of 4 (100.0%) |" in text
    assert "| Ended, since the budget of documents is used up | 2 queries |" in text
    assert "8 of 12 documents were not given out" in text
    assert "were to be judged have no judgment" not in text
    assert "| Adaptive method | mtf" in text
    assert "| Documents for a query, at most | 2 |" in text
    assert "| People to judge a document | 1, and 2 for 25% of the documents |" in text


def test_what_came_from_elsewhere_is_not_said_to_be_of_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = {"x": {"t1": {f"d{doc}": 7 - doc for doc in range(1, 7)}}}
    found = gather(runs, depth=6)
    with made_project(tmp_path / "p", queries=1, settings={"judges": 1, "overlap": "5"}) as project:
        write_pool(depth_pool(found, k=6), project.folder / POOL)
        give(project, {"ann": {("t1", "d1"): 1}})
        before, _ = written(project, tmp_path / "before.md")
        monkeypatch.setattr(clock, "now", lambda: DAY + 1e6)
        file = tmp_path / "gpt.qrels"
        file.write_text("t1 0 d1 3\nt1 0 new 3\n")
        how = ImportSettings("model", "gpt", add=True)
        import_file(project, str(file), how, actor=COMMAND_LINE)
        sheet, text = written(project, tmp_path / "after.md")
    assert "But for 1 document from elsewhere, only what 1 system returned" in text
    assert "| Added by imports | 1 |" in text
    assert sheet.as_of == before.as_of, "a model moves nothing of what people judged"
    assert "| First results of each system that were pooled | 6 |" in text
    assert "looked at" not in text, "no deeper than that"
    assert "| People to judge a document | 1, and 2 for 5 documents of each query |" in text
    assert "    cleverdon eval qrels.txt my.run -m nDCG@10 --bounds" in text
    assert "DIR" not in text


def test_a_sample_is_evaluated_by_its_own_measures(tmp_path: Path) -> None:
    runs = {"x": {"t1": {f"d{doc}": 9 - doc for doc in range(1, 7)}}}
    with made_project(tmp_path / "p", queries=1) as project:
        pool = _stratified_pool(gather(runs), strata=[(2, 1), (6, 0.25)])
        write_pool(pool, project.folder / POOL)
        give(project, {"ann": {("t1", "d1"): 1}})
        _, text = written(project, tmp_path / "d.md")
    assert "    cleverdon eval qrels.strata --qrels-format strata my.run -m xinfAP" in text
    assert "| Shares that were drawn | 100% down to rank 2, 25% down to rank 6 |" in text
