"""What leaves a project is what people said, made one as was asked, and the same each time."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import numpy as np
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from sqlalchemy import Table, select, update

from cleverdon import _core, aggregate_labels, evaluate
from cleverdon.agreement.labels import read_label_rows, read_labels
from cleverdon.cli import cleverdon
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.judging.cli import files
from cleverdon.judging.dashboard.agreement import live_agreement, overall_agreement, pair_rows
from cleverdon.judging.dashboard.facts import read_facts
from cleverdon.judging.errors import NotFound
from cleverdon.judging.exports import EXPORT_KINDS, ONE_GRADE_KINDS
from cleverdon.judging.exports.datasheet import make_datasheet
from cleverdon.judging.exports.files import ExportRequest, _without_formulas, write_export
from cleverdon.judging.exports.reports import agreement_report
from cleverdon.judging.imports.importer import ImportSettings, import_file
from cleverdon.judging.people import administration
from cleverdon.judging.people.accounts import COMMAND_LINE, person_named
from cleverdon.judging.project import POOL, Project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import audit, documents, items, queries
from cleverdon.judging.web.app import make_app
from cleverdon.judging.web.routes.exports import _TYPES, _Way
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import write_pool
from cleverdon.pooling.pool_methods import _stratified_pool
from tests.judging.judged_projects import GRADES, give, items_of, judged_project
from tests.judging.projects import browser, made_project

MAJORITY = """\
t1 0 d1 2
t1 0 d2 1
t1 0 d3 1
t1 0 d4 0
t1 0 d5 1
t2 0 d10 3
t2 0 d9 0
"""
PUBLISHED = MAJORITY.replace("d4 0", "d4 2")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("exporting")
    (folder / "gpt.qrels").write_text("".join(f"t1 0 d{n} 3\n" for n in range(1, 6)))
    with judged_project(folder / "project") as made:
        path = str(folder / "gpt.qrels")
        import_file(made, path, ImportSettings("model", "gpt"), actor=COMMAND_LINE)
        yield made


def exported(project: Project, path: Path, wanted: ExportRequest) -> tuple[str, list[str]]:
    told = write_export(project, wanted, str(path), actor=COMMAND_LINE)
    text = path.is_file() and path.suffix != ".parquet"
    return path.read_text() if text else "", told


def test_the_majority_with_ties_to_the_lower(project: Project, tmp_path: Path) -> None:
    text, told = exported(project, tmp_path / "qrels.txt", ExportRequest("majority"))
    assert text == MAJORITY
    assert told[0] == "7 judgments for 2 queries"
    assert told[2] == "1 ruling is not in it; published takes rulings"
    assert told[-1] == "ties, of 2 documents: the lowest of the tied grades"
    higher, _ = exported(project, tmp_path / "higher.txt", ExportRequest("majority", ties="higher"))
    assert higher == MAJORITY.replace("d4 0", "d4 3").replace("d5 1", "d5 2")


def test_rulings_and_what_all_agree_on(project: Project, tmp_path: Path) -> None:
    text, told = exported(project, tmp_path / "qrels.txt", ExportRequest("adjudicated"))
    assert text == "t1 0 d1 2\nt1 0 d3 1\nt1 0 d4 2\nt2 0 d10 3\nt2 0 d9 0\n"
    assert told[-1].endswith("2 documents in dispute and without a ruling, left out: t1 d2, t1 d5")
    published, told = exported(project, tmp_path / "published.txt", ExportRequest())
    assert published == PUBLISHED
    assert "1 document as ruled" in told
    assert not any("not in it" in line for line in told)


def test_published_is_the_default_everywhere(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "qrels.txt"
    arguments = ["judge", "export", str(project.folder), "-o", str(file)]
    result = CliRunner().invoke(cleverdon, arguments)
    assert result.exit_code == 0, result.output
    vic = browser(make_app(project), "vic")
    answers = [vic.get(f"{prefix}/qrels").text for prefix in ("/exports", "/api/exports")]
    assert [file.read_text(), *answers] == [PUBLISHED] * 3
    page = vic.get("/exports").text
    ways = re.findall(r'<option value="([^"]+)">\1: ([^<]*)', page)
    assert ways[0][0] == "published", "what is chosen where nobody chooses"
    without = {way for way, meaning in ways if "(1 ruling is not in it)" in meaning}
    assert without == {"majority", "median", "mean", "dawid-skene"}
    result = CliRunner().invoke(cleverdon, [*arguments, "--combine", "mean"])
    assert "1 ruling is not in it" in result.output


def test_the_seed_decides_ties_by_chance(project: Project, tmp_path: Path) -> None:
    def chosen(seed: int) -> str:
        wanted = ExportRequest(ties="random", seed=seed)
        text, told = exported(project, tmp_path / "random.txt", wanted)
        assert told[-1].endswith(f"by chance (see the seed); the seed is {seed}")
        return text

    by_seed = {seed: chosen(seed) for seed in range(5)}
    assert len(set(by_seed.values())) > 1
    assert by_seed == {seed: chosen(seed) for seed in by_seed}
    other = next(seed for seed, text in by_seed.items() if text != by_seed[0])
    vic = browser(make_app(project), "vic")
    assert 'name="seed"' in vic.get("/exports").text
    for prefix in ("/exports", "/api/exports"):
        answer = vic.get(f"{prefix}/qrels?ties=random&seed={other}")
        assert answer.text == by_seed[other]
    folder, file = str(project.folder), tmp_path / "by-command.txt"
    arguments = ["judge", "export", folder, "-o", str(file), "--seed", str(other)]
    result = CliRunner().invoke(cleverdon, [*arguments, "--vote-ties", "random"])
    assert result.exit_code == 0, result.output
    assert file.read_text() == by_seed[other]
    refused = CliRunner().invoke(cleverdon, arguments)
    assert refused.exit_code == 2
    assert "--seed goes with --vote-ties random" in refused.output


def test_models_count_only_where_they_are_named(project: Project, tmp_path: Path) -> None:
    text, _ = exported(project, tmp_path / "qrels.txt", ExportRequest("majority", others=("gpt",)))
    assert text == MAJORITY.replace("d4 0", "d4 3"), "one more vote for the 3"
    with pytest.raises(NotFound, match="did you mean 'gpt'"):
        exported(project, tmp_path / "no.txt", ExportRequest("majority", others=("gtp",)))
    with pytest.raises(OptionError, match="cannot count other judges"):
        ExportRequest("datasheet", others=("gpt",))


def test_a_project_without_models_says_so(tmp_path: Path) -> None:
    with made_project(tmp_path / "p") as project:
        give(project, {"ann": {("t1", "d1"): 1}})
        with pytest.raises(NotFound, match="'gpt'; the project has no models or earlier"):
            exported(project, tmp_path / "no.txt", ExportRequest("majority", others=("gpt",)))


def test_one_assessor_all_in_one_file_and_a_file_each(project: Project, tmp_path: Path) -> None:
    own, _ = exported(project, tmp_path / "c.txt", ExportRequest("assessor", assessors=("Cyd X",)))
    assert own == "t1 0 d2 1\nt1 0 d5 2\nt2 0 d9 0\n"
    together = tmp_path / "all.txt"
    text, _ = exported(project, together, ExportRequest("assessor"))
    assert "t1 Cyd_X d2 1\nt1 ann d2 0\nt1 bob d2 1\n" in text
    labels = read_labels([str(together)], judge_column=True)
    assert sorted(labels.judges) == ["Cyd_X", "ann", "bob"]
    assert int(labels.judged.sum()) == sum(map(len, GRADES.values()))
    hidden, _ = exported(project, together, ExportRequest("assessor", names=False))
    assert "t1 A3 d2 1\n" in hidden
    assert "ann" not in hidden
    exported(project, tmp_path / "each.{}.txt", ExportRequest("assessor"))
    assert (tmp_path / "each.Cyd_X.txt").read_text() == own


@pytest.mark.parametrize(
    "names",
    [("a b", "a_b", "a_b-2"), ("x?", "x*"), ("a b", "A_b", "a_B-2")],
    ids=["blanks", "signs", "case"],
)
def test_no_file_is_written_over_anothers(tmp_path: Path, names: tuple[str, ...]) -> None:
    people = dict.fromkeys(names, "assessor")
    with made_project(tmp_path / "p", people=people) as project:
        give(project, {name: {("t1", "d1"): grade} for grade, name in enumerate(names)})
        told = write_export(
            project, ExportRequest("assessor"), f"{tmp_path}/x.{{}}.txt", actor=COMMAND_LINE
        )
    said = {}
    for line in told:
        file, _, rest = line.partition(": ")
        said[rest.removesuffix(", 1 judgment for 1 query")] = Path(file)
    assert {name: file.read_text() for name, file in said.items()} == {
        name: f"t1 0 d1 {grade}\n" for grade, name in enumerate(names)
    }
    assert len({file.name.casefold() for file in said.values()}) == len(names)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "csv.gz"])
def test_all_assessors_in_a_table(project: Project, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"all.{ending}"
    told = write_export(project, ExportRequest("assessor"), str(file), actor=COMMAND_LINE)
    assert told == ["13 judgments, the column 'judge' is who judged"]
    judged = [
        (judge, query, doc, grade)
        for judge, grades in GRADES.items()
        for (query, doc), grade in grades.items()
    ]
    assert sorted(read_label_rows({"nobody": str(file)})) == sorted(judged)
    result = CliRunner().invoke(cleverdon, ["agree", str(file), "-f", "json"])
    assert result.exit_code == 0, result.output
    assert sorted(json.loads(result.stdout)["judges"]) == sorted(GRADES)
    with made_project(tmp_path / "p", documents=10, people={"eve": "administrator"}) as other:
        found = import_file(other, str(file), ImportSettings("earlier"), actor=COMMAND_LINE)
    assert (found.recorded, sorted(found.judges)) == (13, sorted(GRADES))


def test_what_holds_no_judges_is_refused(project: Project, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"\.csv or \.parquet.*'qrels\.\{\}\.json'"):
        write_export(
            project, ExportRequest("assessor"), str(tmp_path / "all.json"), actor=COMMAND_LINE
        )
    assert not (tmp_path / "all.json").exists()
    own = tmp_path / "own.json"
    write_export(
        project, ExportRequest("assessor", assessors=("ann",)), str(own), actor=COMMAND_LINE
    )
    assert Judgments.read(own).to_dict()["t2"] == {"d10": 3}
    vic = browser(make_app(project), "vic")
    answer = vic.get("/api/exports/qrels?as=assessor&format=json")
    assert answer.status_code == 400
    assert "no place for who judged" in answer.text
    table = vic.get("/api/exports/qrels?as=assessor&format=csv")
    assert table.headers["content-type"] == _TYPES["csv"]
    assert table.text.startswith("judge,query_id,doc_id,relevance\nann,t1,d1,2\n")


def test_a_model_that_is_called_as_a_pseudonym_is_no_person(tmp_path: Path) -> None:
    (tmp_path / "model.qrels").write_text("t1 0 d1 3\n")
    with made_project(tmp_path / "p") as project:
        give(project, {"ann": {("t1", "d1"): 1}})
        path = str(tmp_path / "model.qrels")
        import_file(project, path, ImportSettings("model", "A1"), actor=COMMAND_LINE)
        both = ExportRequest("assessor", assessors=("ann", "A1"), names=False)
        for name in ("all.txt", "all.csv"):
            with pytest.raises(InputError, match="name of a pseudonym"):
                exported(project, tmp_path / name, both)


@pytest.mark.parametrize("way", [*ONE_GRADE_KINDS, "history", "assessor"])
def test_the_same_state_gives_the_same_bytes(project: Project, tmp_path: Path, way: str) -> None:
    ending = "jsonl" if way == "history" else "parquet" if way == "mean" else "txt"
    files = [tmp_path / f"{number}.{ending}" for number in range(2)]
    for file in files:
        write_export(project, ExportRequest(way), str(file), actor=COMMAND_LINE)
    assert files[0].read_bytes() == files[1].read_bytes()
    if way in ("median", "dawid-skene"):
        assert len(Judgments.read(files[0])) == 7


def test_the_history_has_every_word(project: Project, tmp_path: Path) -> None:
    text, _ = exported(project, tmp_path / "h.jsonl", ExportRequest("history"))
    rows = [json.loads(line) for line in text.splitlines()]
    assert len(rows) == 13 + 1 + 5
    first = rows[0]
    assert (first["judge"], first["query"], first["document"], first["grade"]) == (
        "ann",
        "t1",
        "d1",
        2,
    )
    assert first["made_at"].endswith("Z")
    assert first["seconds"] == 4
    assert [row["kind"] for row in rows].count("ruling") == 1
    write_export(project, ExportRequest("history"), str(tmp_path / "h.parquet"), actor=COMMAND_LINE)
    assert pyarrow.parquet.read_table(tmp_path / "h.parquet").to_pylist() == rows
    hidden, _ = exported(project, tmp_path / "x.jsonl", ExportRequest("history", names=False))
    assert {json.loads(line)["judge"] for line in hidden.splitlines()} == {
        "A1",
        "A2",
        "A3",
        "A4",
        "gpt",
    }


def test_the_report_of_agreement_is_that_of_people(project: Project, tmp_path: Path) -> None:
    text, _ = exported(project, tmp_path / "a.json", ExportRequest("agreement"))
    found = json.loads(text)
    assert found["judges"] == ["ann", "bob", "Cyd X"]
    assert found["documents"] == 5
    beside, _ = exported(project, tmp_path / "b.json", ExportRequest("agreement", others=("gpt",)))
    assert json.loads(beside)["overall"] == found["overall"], "a model changes nothing of people's"
    for ending, mark in (("html", "<table>"), ("md", "| ann |"), ("txt", "ann"), ("csv", "pair,")):
        said, _ = exported(project, tmp_path / f"a.{ending}", ExportRequest("agreement"))
        assert mark in said
    with pytest.raises(OptionError, match=r"for agreement, the file's name ends in one of .txt"):
        exported(project, tmp_path / "a.pdf", ExportRequest("agreement"))


@pytest.mark.parametrize(
    ("queries", "judges"), [(1, 3), (2, 3), (6, 3), (2, 14)], ids=lambda number: str(number)
)
def test_report_dashboard_and_datasheet_have_the_same_numbers(
    tmp_path: Path, queries: int, judges: int
) -> None:
    people = {f"p{number}": "assessor" for number in range(judges)}
    random = np.random.default_rng(queries)
    made = made_project(tmp_path / "p", queries=queries, documents=12, people=people, wanted=judges)
    with made as project:
        given = {
            name: {
                (f"t{query}", f"d{doc}"): int(random.integers(4))
                for query in range(1, queries + 1)
                for doc in range(1, 13)
                if doc <= 2 or random.random() < 0.8
            }
            for name in people
        }
        give(project, given)
        with project.database.writing() as connection:
            gold = update(items).where(items.c.document_id <= 2).values(gold=1)
            connection.execute(gold)
        with project.database.reading() as connection:
            facts = read_facts(connection, project.scale)
            report = json.loads(agreement_report(connection, "json", title="Tests"))
            told = make_datasheet(project, connection).agreement
        live = live_agreement(facts.human)
        assert report["documents"] == live.shared
        assert report["gold_left_out"] == 2 * queries == live.gold
        shown = {
            name: one for name, one in overall_agreement(live).items() if one.value is not None
        }
        assert set(shown) >= {"agreement", "fleiss", "alpha-ordinal"}
        for name, one in shown.items():
            assert told[name] == one
            assert report["overall"][name] == {"value": one.value, "interval": [one.low, one.high]}
        pairs = {(one["first"], one["second"]): one for one in report["pairs"]}
        for pair in pair_rows(live):
            same = pairs[pair.first, pair.second]
            assert (same["documents"], same["queries"]) == (pair.documents, pair.queries)
            kappa = pair.numbers["kappa"]
            expected = {"value": kappa.value, "interval": [kappa.low, kappa.high]}
            assert same["coefficients"]["kappa"] == expected
        # A mean over queries stays one: where there are few, it has no interval.
        result = CliRunner().invoke(cleverdon, ["agree", str(project.folder), "-f", "json"])
        assert f"somebody chose them: {2 * queries} gold documents" in result.stderr
        by_command = json.loads(result.stdout)["overall"]
        for name, one in report["overall"].items():
            assert one["value"] == pytest.approx(by_command[name]["value"])
        assert (report["overall"]["overlap"]["interval"] == [None, None]) == (queries == 2)


def test_what_is_made_of_a_folders_judges_has_the_gold_documents(tmp_path: Path) -> None:
    with made_project(tmp_path / "p", queries=1, wanted=2) as project:
        keys = [("t1", f"d{number}") for number in range(1, 7)]
        give(project, {"ann": dict.fromkeys(keys, 1), "bob": dict.fromkeys(keys, 2)})
        with project.database.writing() as connection:
            connection.execute(update(items).where(items.c.id == 1).values(gold=1))
        file = tmp_path / "votes.txt"
        votes = ["--aggregate", "majority", "-o", str(file), "-f", "json"]
        result = CliRunner().invoke(cleverdon, ["agree", str(project.folder), *votes])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["documents"] == 5
        assert len(file.read_text().splitlines()) == 6
        for ending, mark in (("md", "gold"), ("html", "<td>gold</td>"), ("txt", "gold")):
            said, _ = exported(project, tmp_path / f"a.{ending}", ExportRequest("agreement"))
            assert mark in said
        with project.database.writing() as connection:
            connection.execute(update(items).values(gold=1))
        result = CliRunner().invoke(cleverdon, ["agree", str(project.folder)])
        assert "all that is judged is gold" in str(result.exception)
        with pytest.raises(InputError, match="and 0 did, gold documents left out"):
            exported(project, tmp_path / "a.txt", ExportRequest("agreement"))


def test_strata_of_a_sampled_pool_come_along(tmp_path: Path) -> None:
    runs = {"a": {"t1": {f"d{n}": 20.0 - n for n in range(1, 13)}}}
    pool = _stratified_pool(gather(runs), strata=[(4, 1.0), (12, 0.5)], seed=1)
    drawn = [pool.docs[at] for at in range(len(pool)) if pool.drawn[at]]
    with made_project(tmp_path / "p", queries=1, documents=12) as project:
        write_pool(pool, project.folder / POOL)
        give(project, {"ann": {("t1", doc): 1 for doc in drawn}})
        text, told = exported(project, tmp_path / "q", ExportRequest("published", kind="strata"))
        assert f"{12 - len(drawn)} documents of the pool were not drawn" in told
        assert len(text.splitlines()) == 12
        found = Judgments.read(str(project.folder), format="strata")
    again = Judgments.read(tmp_path / "q", format="strata")
    assert found.to_dict() == again.to_dict()
    assert (found.notes.stratum, found.digest) == (again.notes.stratum, again.digest)
    assert (
        evaluate(found, runs["a"], "xinfAP").to_dict()
        == evaluate(again, runs["a"], "xinfAP").to_dict()
    )


def test_dawid_skene_is_that_of_agree(project: Project, tmp_path: Path) -> None:
    text, _ = exported(project, tmp_path / "ds.txt", ExportRequest("dawid-skene"))
    exported(project, tmp_path / "all.txt", ExportRequest("assessor"))
    labels = read_labels([str(tmp_path / "all.txt")], judge_column=True)
    found = {
        (query, doc): grade
        for query, doc, grade, *_ in aggregate_labels(labels, "dawid-skene").rows()
    }
    rows = [line.split() for line in text.splitlines()]
    assert {(query, doc): float(grade) for query, _, doc, grade in rows} == found


def test_what_stands_is_what_counts(tmp_path: Path) -> None:
    with made_project(tmp_path / "p") as project:
        give(project, {"ann": {("t1", "d1"): 3, ("t1", "d2"): 1}, "bob": {("t1", "d2"): 2}})
        with project.database.writing() as connection:
            ann, at = person_named(connection, "ann"), items_of(connection)
            for number, said in enumerate(
                (
                    JudgmentEvent("undo-the-first", at["t1", "d1"], "undo"),
                    JudgmentEvent("skip-another-1", at["t1", "d3"], "skip", text="in Latin"),
                )
            ):
                assert record(connection, ann.id, said, project.scale).event == 4 + number
            administration.set_active(connection, COMMAND_LINE, ann.id, active=False)
        text, _ = exported(project, tmp_path / "q", ExportRequest("mean"))
        assert text == "t1 0 d2 1.5\n", "undone and skipped is no grade; who left has judged"
        history, _ = exported(project, tmp_path / "h.jsonl", ExportRequest("history"))
        kinds = [json.loads(line)["kind"] for line in history.splitlines()]
        assert kinds == ["grade", "grade", "grade", "undo", "skip"], "all of it is in the history"
        with project.database.writing() as connection:
            renamed = update(documents).where(documents.c.name == "d2").values(name="a page.html")
            connection.execute(renamed)
        for what in ("majority", "assessor"):
            with pytest.raises(InputError, match=r"'a page.html'.*json"):
                exported(project, tmp_path / f"no-{what}", ExportRequest(what))
            assert not (tmp_path / f"no-{what}").exists()
        table, _ = exported(project, tmp_path / "table.csv", ExportRequest("assessor"))
        assert "ann,t1,a page.html,1" in table
        exported(project, tmp_path / "q.json", ExportRequest("majority"))
        assert Judgments.read(tmp_path / "q.json").to_dict() == {"t1": {"a page.html": 1}}


FORMULAS = ["=1+1", "=cmd|' /C calc'!A0", "@SUM(1)", "+1*2", "-2+3+cmd|x!A1", "=x"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_spreadsheet_computes_what_is_exported(tmp_path: Path, formula: str) -> None:
    odd = ["-x_1", "+4.5-a", "@ann", 'a"b', '"q", r']
    with made_project(tmp_path / "p", documents=len(odd) + 1) as project:
        graded = {("t1", f"d{number}"): number % 4 for number in range(1, len(odd) + 1)}
        give(project, {"ann": graded, "bob": graded})
        rename(project, documents, {f"d{at}": name for at, name in enumerate(odd, start=1)})
        path = tmp_path / "table.csv"
        for ending in ("csv", "tsv"):
            exported(project, tmp_path / f"table.{ending}", ExportRequest("assessor"))
            with (tmp_path / f"table.{ending}").open(newline="", encoding="utf-8") as file:
                rows = [*csv.reader(file, delimiter="," if ending == "csv" else "\t")]
            assert sorted({row[2] for row in rows[1:]}) == sorted(odd), "as they are"
        assert {doc for _, _, doc, _ in read_label_rows({"x": str(path)})} == set(odd), "read back"
        rename(project, queries, {"t1": formula})
        for number, wanted in enumerate(
            (
                ExportRequest("assessor"),
                ExportRequest("majority"),
                ExportRequest("assessor", assessors=("ann",)),
            )
        ):
            for ending in ("csv", "tsv", "csv.gz"):
                file = tmp_path / f"{number}.{ending}"
                with pytest.raises(InputError, match=r"is a formula to spreadsheets: write \.txt"):
                    exported(project, file, wanted)
                assert not file.exists()
            exported(project, tmp_path / f"{number}.parquet", wanted)
        text, _ = exported(project, tmp_path / "agreement.csv", ExportRequest("agreement"))
        cells = {cell for row in csv.reader(text.splitlines()) for cell in row}
        assert f"'{formula}" in cells
        assert formula not in cells
    numbers = "-0.5,-1e-05,+3,-inf,1\n"
    assert _without_formulas(numbers) == numbers


def rename(project: Project, table: Table, names: dict[str, str]) -> None:
    with project.database.writing() as connection:
        for old, new in names.items():
            connection.execute(update(table).where(table.c.name == old).values(name=new))


def test_nothing_judged_is_said(tmp_path: Path) -> None:
    with made_project(tmp_path / "p") as project:
        for what in (*ONE_GRADE_KINDS, "assessor", "datasheet"):
            with pytest.raises(InputError, match="nothing is judged yet"):
                exported(project, tmp_path / "q.md", ExportRequest(what))
        with pytest.raises(InputError, match="two people"):
            exported(project, tmp_path / "q.txt", ExportRequest("agreement"))
        give(project, {"ann": {("t1", "d1"): 1}})
        with pytest.raises(InputError, match=f"no {POOL}"):
            exported(project, tmp_path / "q.txt", ExportRequest("majority", kind="strata"))


def test_downloads_have_types_names_and_a_line_in_the_log(project: Project) -> None:
    app = make_app(project)
    vic = browser(app, "vic")
    for path, ending in (
        ("qrels?as=majority", "txt"),
        ("history?format=parquet", "parquet"),
        ("agreement?format=html", "html"),
        ("datasheet?format=md", "md"),
    ):
        for prefix in ("/api/exports/", "/exports/"):
            answer = vic.get(prefix + path)
            assert answer.status_code == 200, answer.text
            assert answer.headers["content-type"] == _TYPES[ending]
            name = f"tests-{path.partition('?')[0].replace('qrels', 'majority')}.{ending}"
            assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert vic.get("/exports/qrels?as=majority").text == MAJORITY
    page = vic.get("/exports")
    assert 'value="gpt"' in page.text
    assert vic.get("/api/exports/qrels?with=nobody").status_code == 404
    ann = browser(app, "ann")
    assert ann.get("/exports").status_code == 403
    with project.database.reading() as connection:
        noted = connection.execute(
            select(audit.c.about).where(audit.c.actor == "vic", audit.c.action == "exported")
        ).scalars()
        assert "history tests-history.parquet" in list(noted)


def test_every_kind_can_be_asked_for() -> None:
    assert {*get_args(_Way), "history", "agreement", "datasheet"} == set(EXPORT_KINDS)
    what = next(each for each in files.export_command.params if each.name == "combine")
    assert isinstance(what.type, click.Choice)
    assert list(what.type.choices) == list(EXPORT_KINDS)


def test_the_command_starts_without_a_database() -> None:
    loaded = "import sys, cleverdon.judging.cli.files as _; print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=True)
    assert done.stdout == b"False\n"


def test_the_digest_of_a_folder_is_that_of_the_published_file(
    project: Project, tmp_path: Path
) -> None:
    exported(project, tmp_path / "q.txt", ExportRequest("published"))
    found = Judgments.read(project.folder)
    assert found.digest == _core.Source(str(tmp_path / "q.txt")).digest()
    assert (found.name, found.source) == ("project", str(project.folder))
