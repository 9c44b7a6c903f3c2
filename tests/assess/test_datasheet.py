"""A datasheet: every number in it can be counted by hand, and nobody is named unless asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from cleverdon.assess import clock
from cleverdon.assess.exporting.caveats import caveats
from cleverdon.assess.exporting.datasheet import Datasheet, Spread, datasheet
from cleverdon.assess.exporting.writing import Wanted, export
from cleverdon.assess.people.auditing import COMMAND_LINE
from cleverdon.assess.project import POOL, Project
from cleverdon.assess.store.schema import items
from cleverdon.pool import depth_pool, gather
from cleverdon.pool.file import write_pool
from tests.assess.judged import items_of, judged_project

DAY = 1_790_000_000.0
MADE_OF = {
    "topics": "/home/ann/secret/topics.tsv",
    "docs": ["C:\\secret\\a.jsonl", "b.jsonl"],
    "BLAKE3": {"topics": ["f02ad6"], "docs": ["112838", "9f9f9f"]},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("datasheet")
    runs = {
        name: {topic: {f"d{n}": float(n) for n in range(1, 11)} for topic in ("t1", "t2")}
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
        return datasheet(project, connection)


def test_numbers_are_those_of_the_grades(sheet: Datasheet) -> None:
    assert (sheet.topics, sheet.documents, sheet.items) == (2, 10, 20)
    assert (sheet.judgments, sheet.judged, sheet.by_several) == (13, 7, 5)
    assert (sheet.disputes, sheet.settled, sheet.rulings, sheet.tied) == (3, 1, 1, 1)
    assert sheet.published == {0: 1, 1: 3, 2: 2, 3: 1}
    assert sheet.relevant_per_topic == Spread(1, 3.0, 5)
    assert sheet.without_relevant == 0
    assert (sheet.gold, sheet.gold_right.value, sheet.gold_right.of) == (1, 1.0, 2)
    assert sheet.seconds.value == 4.0
    assert [(one.name, one.judged, one.topics) for one in sheet.assessors] == [
        ("A1", 5, 2),
        ("A2", 5, 1),
        ("A3", 3, 2),
    ]
    assert sheet.pool is not None
    assert [name for name, _ in sheet.pool.systems] == ["bm25", "<b>dense</b>"]
    assert (sheet.pool.how["k"], sheet.pool.how["seed"], sheet.pool.documents) == (10, 3, 20)
    assert clock.iso(sheet.as_of).startswith("2026-09-21")
    # Of d1 and d3 both agree; on d2 one of three pairs, on d4 and d5 none.
    assert sheet.agreement["agreement"].value == pytest.approx((1 + 1 / 3 + 1 + 0 + 0) / 5)


def test_caveats_have_reasons(sheet: Datasheet) -> None:
    said = " ".join(caveats(sheet))
    assert "13 of 20 documents that were to be judged have no judgment" in said
    assert "2 of 3 documents in dispute have no ruling" in said
    assert "Few topics (2)" in said
    assert "No gold documents" not in said


def test_names_are_hidden_unless_asked_for(project: Project, tmp_path: Path) -> None:
    for ending in ("md", "html", "json"):
        texts = []
        for names in (None, True):
            path = tmp_path / f"{names}.{ending}"
            export(project, Wanted("datasheet", names=names), str(path), actor=COMMAND_LINE)
            texts.append(path.read_text())
        assert "Cyd X" not in texts[0]
        assert "Cyd X" in texts[1]
        assert "bm25" in texts[0]
        assert "secret" not in texts[0], "nor folders"
        assert all(told in texts[0] for told in ("topics.tsv", "a.jsonl", "f02ad6", "9f9f9f"))
        assert ("<b>dense" in texts[0]) == (ending == "json"), "what was given is text"
        again = tmp_path / f"again.{ending}"
        export(project, Wanted("datasheet"), str(again), actor=COMMAND_LINE)
        assert again.read_text() == texts[0], "the time of the export is not in it"
    assert json.loads((tmp_path / "None.json").read_text())["judgments"] == 13
