from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon import evaluate
from cleverdon.cli import cleverdon
from cleverdon.data import Judgments, Run
from cleverdon.errors import CleverdonError
from cleverdon.pooling.files import read_pool
from tests.pooling.made import Grades, collection


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of four runs, in the folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    _, made = collection(queries=3, systems=4, depth=20)
    for name, queries in made.items():
        Run.read(queries, name=name).write(f"{name}.run")
    return [f"{name}.run" for name in made]


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(cleverdon, ["pool", *arguments])


def fill_in(sheet: str, qrels: Grades, into: str) -> None:
    header, *lines = Path(sheet).read_text("utf-8").splitlines()
    filled = [header]
    for line in lines:
        query, doc, _ = line.split("\t")
        filled.append(f"{query}\t{doc}\t{qrels[query][doc]:g}")
    Path(into).write_text("\n".join(filled))


def test_from_runs_to_qrels(runs: list[str]) -> None:
    made = invoked("make", *runs, "-k", "5", "-o", "pool.tsv")
    assert made.exit_code == 0
    assert "documents to judge for 3 queries" in made.output
    assert "pool.sheet.tsv: " in made.stderr
    qrels, _ = collection(queries=3, systems=4, depth=20)
    fill_in("pool.sheet.tsv", qrels, "filled.tsv")
    done = invoked("qrels", "pool.tsv", "filled.tsv", "-o", "qrels.txt")
    assert done.exit_code == 0
    assert "still to judge" not in done.stderr
    judgments = Judgments.read("qrels.txt")
    assert all(grade == qrels[query][doc] for query, doc, grade in judgments.rows())
    # Whatever a run has in its first five is judged.
    scores = evaluate(judgments, runs, "Judged@5")
    assert all(scores.mean(name, "Judged@5") == 1 for name in scores.systems)


def test_the_sheet_is_blind(runs: list[str]) -> None:
    invoked("make", *runs, "-k", "5", "-o", "pool.tsv")
    text = Path("pool.sheet.tsv").read_text("utf-8")
    assert not any(run.removesuffix(".run") in text for run in runs)
    assert {line.count("\t") for line in text.splitlines()} == {2}
    assert all(line.endswith("\t") for line in text.splitlines()[1:])


@pytest.mark.parametrize(
    ("options", "kind", "measure"),
    [
        (["--method", "stratified", "--strata", "3:1,20:0.4"], "strata", "xinfAP"),
        (["--method", "probability", "--budget", "20"], "sampled", "statAP"),
    ],
)
def test_samples_can_be_evaluated(
    runs: list[str], options: list[str], kind: str, measure: str
) -> None:
    assert invoked("make", *runs, *options, "-o", "pool.tsv").exit_code == 0
    qrels, _ = collection(queries=3, systems=4, depth=20)
    fill_in("pool.sheet.tsv", qrels, "filled.tsv")
    done = invoked("qrels", "pool.tsv", "filled.tsv", "--qrels-kind", kind, "-o", "qrels.txt")
    assert done.exit_code == 0
    assert "pooled and not drawn" in done.stderr
    scores = evaluate("qrels.txt", runs, measure, qrels_format=kind)
    assert all(0 < scores.mean(name, measure) < 2 for name in scores.systems)
    refused = invoked("qrels", "pool.tsv", "filled.tsv", "-o", "other.txt")
    assert isinstance(refused.exception, CleverdonError)
    assert "name the kind of judgments" in str(refused.exception)


def test_what_is_judged_is_not_on_the_sheet(runs: list[str]) -> None:
    invoked("make", *runs, "-k", "5", "-o", "pool.tsv")
    lines = Path("pool.sheet.tsv").read_text("utf-8").splitlines()
    query, doc, _ = lines[1].split("\t")
    Path("old.txt").write_text(f"{query} 0 {doc} 1\n{query} 0 {lines[2].split()[1]} -1\n")
    again = invoked("make", *runs, "-k", "5", "-o", "again.tsv", "--judged", "old.txt")
    assert f"{len(lines) - 2:,} documents for judges" in again.stderr
    assert Path("again.sheet.tsv").read_text("utf-8").splitlines() == [lines[0], *lines[2:]]


def test_the_same_seed_gives_the_same_files(runs: list[str]) -> None:
    how = ["--method", "probability", "--budget", "5"]
    invoked("make", *runs, *how, "-o", "one.tsv", "--seed", "3")
    invoked("make", *reversed(runs), *how, "-o", "two.tsv", "--seed", "3")
    invoked("make", *runs, *how, "-o", "three.tsv", "--seed", "4")
    one, two, three = (Path(f"{name}.sheet.tsv").read_text() for name in ("one", "two", "three"))
    assert one == two != three


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "rrf"], "--method rrf needs --budget"),
        (["--method", "stratified", "--budget", "5"], "--strata says how deep"),
        (["--strata", "5:1"], "--strata goes with --method stratified"),
        (["--method", "stratified", "--strata", "5"], "expected DEPTH:SHARE"),
        (["--weight", "rrf"], "--weight goes with --method probability"),
        (["--persistence", "0.5"], "--persistence goes with --method rbp or --weight rbp"),
    ],
)
def test_options_that_do_not_go_together(runs: list[str], options: list[str], message: str) -> None:
    refused = invoked("make", *runs, *options, "-o", "pool.tsv")
    assert refused.exit_code == 2
    assert message in refused.stderr
    assert not Path("pool.tsv").exists()


def test_no_input_is_overwritten(runs: list[str]) -> None:
    refused = invoked("make", *runs, "-o", runs[0])
    assert refused.exit_code == 2
    assert "would be overwritten" in refused.stderr


def test_sheets_that_contradict_each_other(runs: list[str]) -> None:
    invoked("make", *runs, "-k", "5", "-o", "pool.tsv")
    query, doc, _ = Path("pool.sheet.tsv").read_text("utf-8").splitlines()[1].split("\t")
    for name, grade in (("a.tsv", 1), ("b.tsv", 2)):
        Path(name).write_text(f"query_id\tdoc_id\tgrade\n{query}\t{doc}\t{grade}\n")
    refused = invoked("qrels", "pool.tsv", "a.tsv", "b.tsv", "-o", "qrels.txt")
    assert "has the grade 2, and 1 in a.tsv; `cleverdon agree`" in str(refused.exception)


def test_formats_follow_from_names(runs: list[str]) -> None:
    invoked("make", *runs, "-k", "5", "-o", "pool.tsv.gz")
    assert Path("pool.tsv.gz").read_bytes()[:2] == b"\x1f\x8b"
    qrels, _ = collection(queries=3, systems=4, depth=20)
    fill_in("pool.sheet.tsv", qrels, "filled.tsv")
    for name in ("qrels.json", "qrels.csv", "qrels.txt"):
        assert invoked("qrels", "pool.tsv.gz", "filled.tsv", "-o", name).exit_code == 0
    same = [Judgments.read(f"qrels.{ending}").to_dict() for ending in ("json", "csv", "txt")]
    assert same[0] == same[1] == same[2]


def test_a_filled_in_sheet_is_not_overwritten(runs: list[str]) -> None:
    invoked("make", *runs, "-k", "5", "-o", "pool.tsv")
    before = Path("pool.tsv").read_bytes()
    qrels, _ = collection(queries=3, systems=4, depth=20)
    fill_in("pool.sheet.tsv", qrels, "pool.sheet.tsv")
    filled = Path("pool.sheet.tsv").read_bytes()
    again = invoked("make", *runs, "-k", "3", "-o", "pool.tsv")
    assert isinstance(again.exception, CleverdonError)
    assert Path("pool.sheet.tsv").read_bytes() == filled
    assert Path("pool.tsv").read_bytes() == before


def test_a_pool_goes_to_a_file(runs: list[str]) -> None:
    refused = invoked("make", *runs, "-o", "-")
    assert refused.exit_code == 2
    assert "name a file" in refused.stderr


def test_a_budget_reaches_as_deep_as_the_runs(runs: list[str]) -> None:
    whole = invoked("make", *runs, "--budget", "1000", "-o", "whole.tsv")
    deep = invoked("make", *runs, "-k", "1000", "-o", "deep.tsv")
    assert whole.output.splitlines()[-1] == deep.output.splitlines()[-1].replace("deep", "whole")


def test_the_pool_says_how_it_was_made(runs: list[str]) -> None:
    invoked(
        *("make", *runs, "--method", "rrf", "--budget", "5", "-k", "7"),
        *("--order-by", "rank", "-o", "pool.tsv"),
    )
    how = read_pool("pool.tsv").how
    assert how == {"method": "rrf", "budget": 5, "depth": 7, "order_by": "rank", "seed": 0}


def test_runs_that_do_not_belong_together(runs: list[str]) -> None:
    Run.read({"other": {"d1": 1}}, name="x").write("x.run")
    warned = invoked("make", runs[0], "x.run", "-k", "5", "-o", "pool.tsv")
    assert "4 of 4 queries are not in all runs" in warned.stderr
    assert "do they belong together?" in warned.stderr
    assert "warning" not in invoked("make", *runs, "-k", "5", "-o", "fine.tsv").stderr


def test_old_judgments_in_a_sample_are_left_out(runs: list[str]) -> None:
    qrels, _ = collection(queries=3, systems=4, depth=20)
    Judgments.read(qrels).write("old.txt")
    invoked("make", *runs, "--method", "stratified", "--strata", "3:1,20:0.4", "-o", "pool.tsv")
    fill_in("pool.sheet.tsv", qrels, "filled.tsv")
    arguments = ("pool.tsv", "filled.tsv", "old.txt", "--qrels-kind")
    clean = invoked("qrels", "pool.tsv", "filled.tsv", "--qrels-kind", "strata", "-o", "clean.txt")
    mixed = invoked("qrels", *arguments, "strata", "-o", "mixed.txt")
    assert "were not drawn, and are left out" in mixed.stderr
    assert "left out" not in clean.stderr
    assert Path("mixed.txt").read_text() == Path("clean.txt").read_text()
    plain = invoked("qrels", *arguments, "plain", "-o", "plain.txt")
    assert "infAP takes every document to be as likely" in plain.stderr


def test_a_number_that_is_absurd(runs: list[str]) -> None:
    refused = invoked("make", *runs, "-k", "9" * 30, "-o", "pool.tsv")
    assert refused.exit_code == 2
    refused = invoked(
        *("make", *runs, "--method", "stratified", "--strata", "9" * 30 + ":1", "-o", "pool.tsv")
    )
    assert isinstance(refused.exception, CleverdonError)


def test_texts_stand_on_the_sheet_and_do_not_disturb(runs: list[str]) -> None:
    qrels, _ = collection(queries=3, systems=4, depth=20)
    documents = "".join(f'{{"id": "{doc}", "text": "=about {doc}"}}\n' for doc in qrels["t1"])
    Path("corpus.jsonl").write_text(documents)
    Path("topics.tsv").write_text("t1\tfirst\tquery\n")
    texts = ("--queries", "topics.tsv", "--documents", "corpus.jsonl")
    assert invoked("make", *runs, "-k", "3", "-o", "pool.tsv", *texts).exit_code == 0
    header, *lines = Path("pool.sheet.tsv").read_text("utf-8").splitlines()
    assert header == "query_id\tdoc_id\tgrade\tquery_text\tdocument_text"
    for line in lines:
        query, doc, grade, query_text, text = line.split("\t")
        # A cell that begins with = would be computed by a spreadsheet.
        assert (grade, text) == ("", f"'=about {doc}")
        assert query_text == ("first query" if query == "t1" else "")
    graded = [line.replace("\t\t", "\t1\t", 1) for line in lines]
    Path("filled.tsv").write_text("\n".join([header, *graded]))
    assert invoked("qrels", "pool.tsv", "filled.tsv", "-o", "qrels.txt").exit_code == 0
    assert {grade for *_, grade in Judgments.read("qrels.txt").rows()} == {1}
    next_ = invoked("next", "j.jsonl", *runs, "-n", "2", "-o", "next.tsv", *texts)
    assert next_.exit_code == 0
    assert "document_text" in Path("next.tsv").read_text("utf-8")


def test_only_pools_are_replaced_by_pools(runs: list[str]) -> None:
    Path("qrels.txt").write_text("t1 0 d1 1\n")
    refused = invoked("make", *runs, "-k", "5", "-o", "qrels.txt")
    assert "exists, and is not a pool" in str(refused.exception)
    assert Path("qrels.txt").read_text() == "t1 0 d1 1\n"
    assert not Path("qrels.sheet.tsv").exists()
    for _ in range(2):
        assert invoked("make", *runs, "-k", "5", "-o", "pool.tsv").exit_code == 0
