"""Probes with expanded queries on the command line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon.cli import cleverdon
from cleverdon.errors import CleverdonError
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import write_pool
from cleverdon.pooling.pool_methods import depth_pool
from tests.pooling.test_probes import CHAIN, KNOWN

TEXTS = ("--queries", "queries.tsv", "--documents", "corpus.jsonl")

Command = Callable[..., Result]


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    lines = [json.dumps({"id": doc, "text": text}) for doc, text in CHAIN.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "queries.tsv").write_text("q\tbees\n")
    (tmp_path / "first.txt").write_text("q 0 r1 1\n")
    rows = [f"q 0 {doc} {grade:g}" for doc, grade in KNOWN["q"].items()]
    (tmp_path / "known.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "rephrased.tsv").write_text("q\tkeeper of a hive\n")
    return tmp_path


@pytest.fixture
def run(collection: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Calls the command in the collection's folder."""
    monkeypatch.chdir(collection)
    return lambda *arguments: CliRunner().invoke(cleverdon, ["pool", "expand", *arguments])


def filled(sheet: Path) -> None:
    """What a judge makes of a sheet, who knows what is relevant."""
    rows = list(csv.DictReader(io.StringIO(sheet.read_text()), delimiter="\t"))
    assert all(row["grade"] == "" for row in rows)
    lines = [f"{row['query_id']}\t{row['doc_id']}\t{KNOWN['q'].get(row['doc_id'], 0):g}"
             for row in rows]  # fmt: skip
    sheet.write_text("\n".join(["query_id\tdoc_id\tgrade", *lines]) + "\n")


def test_expanded_queries_are_printed(run: Command, collection: Path) -> None:
    done = run("first.txt", *TEXTS, "--terms", "2")
    # r1 is "bees pollinate orchards": of three words as likely, the first two by name.
    assert done.stdout == "q\tbees^0.750000 orchards^0.250000\n"
    as_json = run("first.txt", *TEXTS, "--terms", "2", "-f", "jsonl")
    assert json.loads(as_json.stdout) == {
        "query_id": "q",
        "terms": {"bees": 0.75, "orchards": 0.25},
        "relevant": 1,
    }


def test_rounds_by_sheets_until_nothing_is_new(run: Command, collection: Path) -> None:
    sheets: list[str] = []
    for number in range(1, 5):
        sheet = f"round{number}.tsv"
        done = run("first.txt", *sheets, *TEXTS, "-k", "5", "-o", sheet)
        assert done.exit_code == 0, done.stderr
        if not (collection / sheet).exists():
            assert "nothing new was found" in done.stderr
            break
        filled(collection / sheet)
        sheets.append(sheet)
    assert len(sheets) == 2
    found = json.loads(run("first.txt", *sheets, "-f", "json").stdout)
    counts = [(one["documents"], one["relevant"]) for one in found["rounds"]]
    assert counts == [(1, 1), (2, 1), (1, 1)]
    assert found["rounds"][2]["all_relevant"] == 3
    (collection / "empty.tsv").write_text("query_id\tdoc_id\tgrade\nq\tr9\t\n")
    assert "round 1 is not judged yet" in run("first.txt", "empty.tsv").stdout


def test_what_an_engine_found(run: Command, collection: Path) -> None:
    (collection / "probe.run").write_text("q Q0 r1 1 3 t\nq Q0 r9 2 2 t\nq Q0 r8 3 1 t\n")
    done = run("first.txt", "--runs", "probe.run", "-k", "2", "-o", "s.tsv")
    assert "s.tsv: 1 document to judge for 1 query" in done.stderr
    assert (collection / "s.tsv").read_text() == "query_id\tdoc_id\tgrade\nq\tr9\t\n"


def test_what_runs_have_of_other_queries_is_told(run: Command, collection: Path) -> None:
    (collection / "probe.run").write_text("q Q0 r9 1 2 t\nz Q0 r8 1 2 t\nz Q0 r9 2 1 t\n")
    done = run("first.txt", "--runs", "probe.run", "-o", "s.tsv")
    assert (
        "warning: 1 query of the runs without any judgment, such as 'z' (2 documents, on the sheet "
        "too)" in done.stderr
    )
    assert "s.tsv: 3 documents to judge for 2 queries" in done.stderr


def test_a_run_with_other_ids_is_told(run: Command, collection: Path) -> None:
    (collection / "near.run").write_text("q Q0 r1 1 3 t\nq Q0 r9 2 2 t\n")
    (collection / "far.run").write_text("q Q0 doc-r1 1 3 t\nq Q0 doc-r9 2 2 t\n")
    (collection / "apart.run").write_text("z Q0 r1 1 3 t\n")  # another warning's business
    runs = [part for name in ("near", "far", "apart") for part in ("--runs", f"{name}.run")]
    done = run("first.txt", *runs, "-o", "s.tsv")
    warning = "far returned no document that the judgments have; are its ids the same?"
    assert f"cleverdon: warning: {warning}\n" in done.stderr
    assert done.stderr.count("returned no document") == 1


def test_grades_are_not_written_over(run: Command, collection: Path) -> None:
    (collection / "done.tsv").write_text("query_id\tdoc_id\tgrade\nq\tr9\t1\n")
    (collection / "probe.run").write_text("q Q0 r8 1 1 t\n")
    done = run("first.txt", "--runs", "probe.run", "-o", "done.tsv")
    assert "done.tsv: has 1 grade" in str(done.exception)
    done = run("first.txt", "--runs", "mine=probe.run", "-o", "probe.run")
    assert "would be overwritten" in done.stderr


def test_runs_can_be_read_by_their_ranks(run: Command, collection: Path) -> None:
    (collection / "probe.run").write_text("q Q0 r8 1 1 t\nq Q0 r9 2 2 t\n")
    arguments = ("first.txt", "--runs", "probe.run", "-k", "1")
    run(*arguments, "-o", "scores.tsv")
    run(*arguments, "-o", "ranks.tsv", "--order-by", "rank")
    assert "r9" in (collection / "scores.tsv").read_text()
    assert "r8" in (collection / "ranks.tsv").read_text()


def test_how_judgments_are_read(run: Command, collection: Path) -> None:
    (collection / "two.txt").write_text("q a r1 1\nq b r1 1\nq a r2 0\n")
    done = run("two.txt", "--qrels-format", "subtopics", "-f", "csv")
    assert done.stdout.splitlines()[1] == "0,2,1,0.5,2,1"
    assert run("two.txt").exit_code == 1


def test_a_later_round_changes_no_grade(run: Command, collection: Path) -> None:
    (collection / "second.tsv").write_text("query_id\tdoc_id\tgrade\nq\tr1\t0\n")
    for arguments in ([], ["--queries", "queries.tsv", "--documents", "corpus.jsonl"]):
        done = run("first.txt", "second.tsv", *arguments)
        assert done.exit_code == 1
        assert str(done.exception).startswith(
            "second.tsv: document 'r1' of query 'q' has the grade 0, and 1 in first.txt"
        )
    # What is pooled and not judged may be judged later, and a grade be said again.
    (collection / "first.txt").write_text("q 0 r1 -1\nq 0 r2 1\n")
    (collection / "third.tsv").write_text("query_id\tdoc_id\tgrade\nq\tr2\t1\nq\tr3\t0\n")
    done = run("first.txt", "second.tsv", "third.tsv", "-f", "csv")
    assert [line[:5] for line in done.stdout.splitlines()[1:]] == ["0,1,1", "1,1,0", "2,1,0"]


def test_rephrasings_of_other_queries_are_told(run: Command, collection: Path) -> None:
    (collection / "rephrased.tsv").write_text("q\tkeeper of a hive\nz\tice\ny\tice\n")
    done = run("first.txt", *TEXTS, "-o", "s.tsv", "--rephrasings", "rephrased.tsv")
    assert "warning: rephrased.tsv: 2 queries not probed, such as 'z' (left out)" in done.stderr


def test_what_is_in_a_pool_is_not_new(run: Command, collection: Path) -> None:
    (collection / "probe.run").write_text("q Q0 r1 1 3 t\nq Q0 r9 2 2 t\nq Q0 r8 3 1 t\n")
    write_pool(depth_pool(gather({"a": {"q": {"r9": 1.0}}}), k=1), collection / "pool.tsv")
    done = run("first.txt", "--runs", "probe.run", "--pool", "pool.tsv", "-o", "s.tsv")
    assert done.exit_code == 0, done.stderr
    assert (collection / "s.tsv").read_text() == "query_id\tdoc_id\tgrade\nq\tr8\t\n"


def test_simulation_and_its_plot(run: Command, collection: Path) -> None:
    arguments = ("known.txt", *TEXTS, "--simulate", "-k", "5")
    done = run(*arguments, "--plot", "yield.json", "--rephrasings", "rephrased.tsv")
    assert done.exit_code == 0, done.stderr
    assert done.stderr == "yield.json: the yield of the rounds\n"
    last = done.stdout.splitlines()[5].split()
    assert last[-1] == "1.0000"
    assert "probes of this kind find no more" in done.stdout
    assert "1 document found that the judgments lack" in done.stdout
    chart = json.loads((collection / "yield.json").read_text())
    assert [row["relevant"] for row in chart["datasets"]["rounds"]] == [1, 3, 4, 4]
    assert chart["datasets"]["known"] == [{"relevant": 4}]
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "-f", "csv").stdout)))
    assert [float(row["recall"]) for row in rows] == [0.25, 0.5, 0.75, 0.75]
    short = run(*arguments, "--rounds", "1").stdout
    assert "go on with another" in short


def test_stop_words_and_common_words(run: Command, collection: Path) -> None:
    (collection / "stop.txt").write_text("Bees\npollinate")
    done = run("first.txt", *TEXTS, "--stop-words", "stop.txt")
    # The query has no other word than one to be ignored, and keeps it.
    assert done.stdout == "q\tbees^0.500000 orchards^0.500000\n"
    arguments = ("known.txt", *TEXTS, "--simulate", "-k", "5", "-f", "csv")
    assert run(*arguments, "--common", "0.01").stdout.splitlines()[2].startswith("1,0,0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["first.txt", "-o", "s.tsv"], "--output goes with --queries or --runs"),
        (["first.txt", "--queries", "queries.tsv"], "--queries goes with --documents"),
        (["first.txt", "--runs", "probe.run"], "--runs goes with --output"),
        (["first.txt", "--pool", "pool.tsv"], "--pool goes with --output"),
        (
            ["first.txt", "first.txt", *TEXTS, "--simulate"],
            "--simulate and SHEETS do not go together",
        ),
        (["first.txt", "-f", "lucene"], "-f lucene needs --queries"),
        (["first.txt", *TEXTS, "--plot", "p.html"], "--plot goes with --output, --simulate or no"),
        (["first.txt", *TEXTS, "--common", "0.1"], "--common goes with --output or --simulate"),
        (
            ["first.txt", *TEXTS, "--rephrasings", "rephrased.tsv"],
            "--rephrasings goes with --output or --simulate",
        ),
        (["first.txt", "--queries", "none.tsv", "--documents", "corpus.jsonl"], "no such file"),
        (["none.txt"], "none.txt"),
        (["first.txt", "-k", str(10**20)], "not in the range"),
        (["first.txt", "--rounds", str(10**20)], "not in the range"),
        (["first.txt", "--terms", str(10**20)], "not in the range"),
        (["first.txt", "--plot", "p.doc"], "p.doc"),
        (["first.txt", *TEXTS, "-o", "corpus.jsonl"], "would be overwritten"),
        (["first.txt", *TEXTS, "--stop-words", "gone.txt"], "File 'gone.txt' does not exist"),
    ],
)
def test_errors(run: Command, collection: Path, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.exit_code in (1, 2)
    assert isinstance(done.exception, (CleverdonError, SystemExit)), done.exception
    assert message in f"{done.stderr} {done.exception}"


def test_texts_that_are_missing_are_told(run: Command, collection: Path) -> None:
    (collection / "first.txt").write_text("q 0 r1 1\nq 0 gone 1\nother 0 r2 1\n")
    done = run("first.txt", *TEXTS)
    assert "queries.tsv: 1 judged query without a text" in done.stderr
    assert "corpus.jsonl: 1 relevant document without a text" in done.stderr
    (collection / "queries.tsv").write_text("z\tbees\n")
    assert "has no judged query, such as 'q'" in str(run("first.txt", *TEXTS).exception)
