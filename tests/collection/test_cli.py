"""cleverdon collection, as people call it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon import Judgments
from cleverdon.collection.cli import collection_command
from cleverdon.errors import CleverdonError
from tests.collection.examples import everything, write_collection

RUNS = ("one.run", "two.run", "odd.run")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_collection(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(collection_command, arguments)


def done(*arguments: str) -> Result:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result


def refused(*arguments: str) -> str:
    """What is said where something is wrong: always in words."""
    result = run(*arguments)
    assert result.exit_code != 0
    if isinstance(result.exception, SystemExit):
        return result.stderr
    assert isinstance(result.exception, CleverdonError), result.exception
    return str(result.exception)


def test_stats() -> None:
    alone = done("stats", "qrels.txt").stdout
    assert "relevant per query, median" in alone
    assert "systems" not in alone
    everything = done("stats", "qrels.txt", *RUNS, "--attributes", "topics.csv", "--by", "language")
    assert "cleverdon pool make odd.run -k 10 --judged qrels.txt -o pool.tsv" in everything.stdout
    whole = json.loads(done("stats", "qrels.txt", *RUNS, "-k", "3", "-f", "json").stdout)
    assert whole["coverage"]["ks"] == [3]
    holes = done("stats", "qrels.txt", *RUNS, "--holes", "7", "-f", "csv").stdout
    assert next(csv.DictReader(io.StringIO(holes))) == {
        "query": "t00",
        "one": "0",
        "two": "0",
        "odd": "7",
    }
    assert "spread" in done("stats", "qrels.txt", *RUNS, "--per-query").stdout
    Path("queries.tsv").write_text("t00\twhat is it\n")
    shown = done("stats", "qrels.txt", "--queries", "queries.tsv", "--per-query").stdout
    assert "what is it" in shown


def test_standard_input() -> None:
    script = Path(sys.executable).parent / "cleverdon"
    piped = subprocess.run(
        [script, "collection", "stats", "-"],
        input=Path("qrels.txt").read_text().partition("t02")[0],
        capture_output=True,
        text=True,
    )
    assert piped.returncode == 0
    assert "cleverdon power QRELS RUNS" in piped.stdout


def test_stats_refuses() -> None:
    assert "there is no such file" in refused("stats", "qrels.txt", "--queries", "nowhere.tsv")
    assert "--by goes with --attributes" in refused("stats", "qrels.txt", "--by", "x")
    assert "goes with RUNS" in refused("stats", "qrels.txt", "--holes", "5")
    both = refused("stats", "qrels.txt", *RUNS, "--holes", "5", "--per-query")
    assert "do not go together" in both
    assert "no attribute 'langage'" in refused(
        "stats", "qrels.txt", "--attributes", "topics.csv", "--by", "langage"
    )


def test_merge() -> None:
    text = refused("merge", "qrels.txt", "new.txt", "-o", "all.txt")
    assert "in qrels.txt:" in text
    assert "in new.txt:" in text
    assert not Path("all.txt").exists()
    result = done(
        "merge", "qrels.txt", "new.txt", "-o", "all.txt", "--contradictions", "c.csv",
        "--on-contradiction", "max",
    )  # fmt: skip
    # Grades were only lowered.
    assert Judgments.read("all.txt").to_dict() == Judgments.read("qrels.txt").to_dict()
    assert "settled by max" in result.stderr
    rows = list(csv.DictReader(io.StringIO(Path("c.csv").read_text())))
    assert all(float(row["qrels.txt"]) > float(row["new.txt"]) for row in rows)
    assert f"{len(rows)} contradictions" in result.stderr
    assert "given twice" in refused("merge", "qrels.txt", "qrels.txt")
    assert "would be overwritten" in refused(
        "merge", "qrels.txt", "new.txt", "-o", "new.txt", "--on-contradiction", "max"
    )


def test_grades_that_trec_eval_would_truncate_are_warned_of() -> None:
    for name, grade in (("a", 2), ("b", 1), ("c", 1)):
        Path(f"{name}.txt").write_text(f"t1 0 d1 {grade}\nt1 0 d2 1\n")
    how = ("merge", "a.txt", "b.txt", "c.txt", "--on-contradiction")
    told = done(*how, "mean", "-o", "all.txt").stderr
    assert "cleverdon: warning: 1 of 2 grades are not whole numbers, such as 1.333" in told
    assert "trec_eval reads that as 1" in told
    assert Judgments.read("all.txt").to_dict() == {"t1": {"d1": 4 / 3, "d2": 1}}
    assert "warning" not in done(*how, "mean", "-o", "all.csv").stderr
    assert "warning" not in done(*how, "max", "-o", "all.txt").stderr


def test_contradictions_are_listed_where_they_stop_the_merge() -> None:
    text = refused("merge", "qrels.txt", "new.txt", "-o", "all.txt", "--contradictions", "c.csv")
    assert text.endswith("c.csv lists all")
    assert len(text) < 400
    rows = list(csv.DictReader(io.StringIO(Path("c.csv").read_text())))
    before, after = (Judgments.read(file).to_dict() for file in ("qrels.txt", "new.txt"))
    assert len(rows) == sum(
        grade != after[query][doc] for query, docs in before.items() for doc, grade in docs.items()
    )
    assert {row["taken"] for row in rows} == {""}
    assert not Path("all.txt").exists()


def test_warnings_are_beside_a_table_for_programs() -> None:
    told = done("stats", "qrels.txt", "--rel", "7", "-f", "csv")
    assert "cleverdon: warning: no judgment has a grade of 7 or more" in told.stderr
    assert "warning" not in told.stdout


def test_what_left_nothing() -> None:
    for arguments, told in (
        (("--lowest", "7"), "no grade is 7 or more; the lowest is"),
        (("--min-relevant", "900"), "no query has 900 relevant documents, of grade 1 or more"),
        (("--doc", "none"), "no document that is judged for these queries"),
        (("--queries-like", "none"), "no query with judgments is one of those"),
        (("--map", "1=0", "--binary"), "--map and --binary do not go together: both say"),
    ):
        assert told in refused("filter", "qrels.txt", *arguments)


def test_a_share_too_small_to_hold_out_is_told() -> None:
    told = done("split", "qrels.txt", "--hold-out", "0.01", "-o", "{name}.txt").stderr
    assert "1 of 30 queries held out, which is 3.3% and not 1%" in told


def test_two_outputs_are_two_files() -> None:
    how = ("merge", "qrels.txt", "new.txt", "--on-contradiction", "last")
    for other in ("c.csv", "./c.csv"):
        assert "written twice" in refused(*how, "--contradictions", "c.csv", "-o", other)
    assert not Path("c.csv").exists()


def test_an_output_takes_the_place_of_a_file() -> None:
    Path("all.txt").write_text("t00 0 d00 3\n")
    done("merge", "qrels.txt", "new.txt", "--on-contradiction", "first", "-o", "all.txt")
    assert Judgments.read("all.txt").to_dict() == Judgments.read("qrels.txt").to_dict()


def test_help_says_what_the_library_offers() -> None:
    from cleverdon.collection.description import DEPTH, KS
    from cleverdon.settings import CONTRADICTIONS

    told = " ".join(done("merge", "--help-all").stdout.split())
    assert all(f"{word}: {meaning}" in told for word, meaning in CONTRADICTIONS.items())
    told = " ".join(done("stats", "--help-all").stdout.split())
    assert f"[default: {', '.join(map(str, KS))}]" in told
    assert f"[default: {DEPTH};" in told


def test_options_that_would_change_nothing_are_refused() -> None:
    for arguments, told in (
        (("diff", "qrels.txt", "new.txt", "--baseline", "one"), "--baseline goes with RUNS"),
        (("diff", "qrels.txt", "new.txt", "--order-by", "rank"), "--order-by goes with RUNS"),
        (("filter", "qrels.txt", "--exclude"), "--exclude goes with --query"),
        (("filter", "qrels.txt", "--rel", "2"), "--rel goes with --binary"),
        (("stats", "qrels.txt", "--depth", "5"), "--depth goes with RUNS"),
        (("stats", "qrels.txt", "--no-reuse"), "goes with RUNS"),
        (("subset", "qrels.txt", "--share", "0.5", "--run-format", "trec"), "goes with RUNS"),
        (("subset", "qrels.txt", "one.run", "--all", "--seed", "1"), "--seed goes with --queries-"),
        (("split", "qrels.txt", "--attributes", "topics.csv", "-o", "{name}", "--seed", "1"),
         "--seed goes with --hold-out or --folds"),
    ):  # fmt: skip
        assert told in refused(*arguments), arguments


def test_absurd_numbers_are_refused() -> None:
    huge = str(10**20)
    for arguments in (
        ("stats", "qrels.txt", "one.run", "-k", huge),
        ("stats", "qrels.txt", "one.run", "--depth", huge),
        ("stats", "qrels.txt", "one.run", "--holes", huge),
        ("subset", "qrels.txt", "--judgments-per-query", huge),
        ("subset", "qrels.txt", "one.run", "--depth", huge),
        ("split", "qrels.txt", "--folds", huge, "-o", "{name}"),
    ):
        assert "is not in the range" in refused(*arguments)


def test_runs_ordered_by_rank() -> None:
    Path("up.run").write_text("t00 Q0 d00 1 1.0 up\nt00 Q0 d01 2 2.0 up\n")
    done("subset", "qrels.txt", "up.run", "--depth", "1", "--order-by", "rank", "-o", "top.txt")
    assert list(Judgments.read("top.txt")["t00"]) == ["d00"]
    done("subset", "qrels.txt", "up.run", "--depth", "1", "-o", "top.txt")
    assert list(Judgments.read("top.txt")["t00"]) == ["d01"]


def test_diff_is_on_the_queries_of_both() -> None:
    lines = Path("new.txt").read_text().splitlines(keepends=True)
    Path("part.txt").write_text("".join(line for line in lines if line < "t20"))
    how = (*RUNS, "-m", "AP")
    text = done("diff", "qrels.txt", "part.txt", *how).stdout
    assert "tests are on 20 queries of both; left out: 10 only in qrels.txt" in text
    Path("same.txt").write_text(
        "".join(
            line for line in Path("qrels.txt").read_text().splitlines(keepends=True) if line < "t20"
        )
    )
    (effect,) = json.loads(done("diff", "qrels.txt", "same.txt", *how, "-f", "json").stdout)[
        "effects"
    ]
    assert all(system["before"] == system["after"] for system in effect["systems"])
    assert effect["left_out"] == {"only_before": 10, "only_after": 0, "not_evaluated": 0}
    assert effect["flips"] == []
    rel = json.loads(done("diff", "qrels.txt", "new.txt", *RUNS, "--rel", "2", "-f", "json").stdout)
    assert [each["measure"] for each in rel["effects"]] == ["nDCG@10", "AP(rel=2)"]


def test_diff() -> None:
    text = done("diff", "qrels.txt", "new.txt", *RUNS, "-m", "nDCG@10").stdout
    assert "nDCG@10: tau " in text
    whole = json.loads(done("diff", "qrels.txt", "new.txt", "-f", "json").stdout)
    changes = done("diff", "qrels.txt", "new.txt", "--changes", "-f", "csv").stdout
    assert whole["changed"] == len(list(csv.DictReader(io.StringIO(changes)))) > 0
    queries = done("diff", "qrels.txt", "new.txt", "--per-query", "-f", "tsv").stdout
    assert len(queries.splitlines()) == 31
    nothing = done("diff", "qrels.txt", "qrels.txt", *RUNS, "-m", "RR").stdout
    assert "tau 1.0000" in nothing
    assert "there is no system 'bm25'" in refused(
        "diff", "qrels.txt", "new.txt", *RUNS, "--baseline", "bm25"
    )
    assert "goes with RUNS" in refused("diff", "qrels.txt", "new.txt", "-m", "RR")


def test_filter() -> None:
    Path("ids.txt").write_text("t01\nt02\nt77\nt01\n")
    result = done("filter", "qrels.txt", "--queries-in", "ids.txt", "-o", "some.txt")
    assert Judgments.read("some.txt").queries == ["t01", "t02"]
    assert "cleverdon: warning: 1 query named without judgments: t77" in result.stderr
    Path("texts.tsv").write_text("t03\twhat is it\n")
    printed = done("filter", "qrels.txt", "--queries-in", "texts.tsv").stdout
    assert {line.split()[0] for line in printed.splitlines()} == {"t03"}
    assert "nowhere.txt" in refused("filter", "qrels.txt", "--docs-in", "nowhere.txt")
    done("filter", "qrels.txt", "--attributes", "topics.csv", "--value", "de", "-o", "de.txt")
    assert len(Judgments.read("de.txt").queries) == 10
    done("filter", "qrels.txt", "--map", "1=0,2=1", "--doc", "d00", "--exclude", "-o", "b.json")
    assert {grade for _, _, grade in Judgments.read("b.json").rows()} == {0, 1}
    printed = done("filter", "qrels.txt", "--query", "t03", "--doc", "d00").stdout
    assert printed.startswith("t03 0 d00 ")
    assert "no query that is named has judgments, such as 'nope'" in refused(
        "filter", "qrels.txt", "--query", "nope"
    )
    told = done("filter", "qrels.txt", "--map", "2=1,9=1", "-o", "m.txt").stderr
    assert "no judgment that is kept has grade 9" in told
    told = done("filter", "qrels.txt", "--binary", "-o", "m.txt").stderr
    twos = sum(grade == 2 for _, _, grade in Judgments.read("qrels.txt").rows())
    assert f"no judgment was dropped\n{twos} grades became another\n" in told
    assert "no query has language 'fr'" in refused(
        "filter", "qrels.txt", "--attributes", "topics.csv", "--value", "fr"
    )
    assert "--attributes goes with --value" in refused(
        "filter", "qrels.txt", "--attributes", "topics.csv"
    )
    assert "would be overwritten" in refused("filter", "qrels.txt", "-o", "qrels.txt")


def test_new_grades() -> None:
    done("filter", "qrels.txt", "--map", "1=0,2=1", "-o", "a.txt")
    done("filter", "qrels.txt", "--map", "1=0", "--map", "2=1", "-o", "b.txt")
    assert Path("a.txt").read_text() == Path("b.txt").read_text()
    assert {grade for _, _, grade in Judgments.read("a.txt").rows()} == {0, 1}
    assert "--map: expected grades such as" in refused("filter", "qrels.txt", "--map", "1:0")


def test_subset() -> None:
    done("subset", "qrels.txt", *RUNS, "--depth", "2", "-o", "two.txt")
    assert max(len(Judgments.read("two.txt")[q]) for q in Judgments.read("two.txt")) <= 4
    result = done("subset", "qrels.txt", *RUNS, "--all", "--leave-out", "odd", "-o", "a.txt")
    assert "kept; 30 of 30 queries" in result.stderr
    for name in ("b.txt", "c.txt"):
        done("subset", "qrels.txt", "--share", "0.5", "--queries-count", "3", "-o", name)
    assert Path("b.txt").read_text() == Path("c.txt").read_text()
    assert len(Judgments.read("b.txt")) == 30
    for arguments, told in (
        ((), "which part is to be kept?"),
        (
            ("--share", "0.1", "--judgments-per-query", "2"),
            "--share and --judgments-per-query do not go together",
        ),
        (("--mark",), "goes with --share"),
        (("--depth", "2"), "goes with"),
        (("one.run",), "goes with"),
        (("one.run", "--depth", "2", "--all"), "--depth and --all do not go together"),
    ):
        assert told in refused("subset", "qrels.txt", *arguments)


def test_split_and_merge_again() -> None:
    done("split", "qrels.txt", "--folds", "3", "-o", "{name}.txt")
    done("merge", "fold1.txt", "fold2.txt", "fold3.txt", "-o", "again.txt")
    assert Judgments.read("again.txt").to_dict() == Judgments.read("qrels.txt").to_dict()
    assert "--overwrite writes over it" in refused(
        "split", "qrels.txt", "--folds", "3", "-o", "{name}.txt"
    )
    done("split", "qrels.txt", "--folds", "3", "-o", "{name}.txt", "--overwrite")
    done("split", "qrels.txt", "--attributes", "topics.csv", "-o", "by-{name}.json")
    assert len(Judgments.read("by-de.json").queries) == 10
    done("split", "qrels.txt", "--hold-out", "0.2", "-o", "{name}.txt")
    assert len(Judgments.read("test.txt").queries) == 6
    assert "name one way" in refused("split", "qrels.txt", "-o", "{name}.txt")
    assert "is to have {name}" in refused("split", "qrels.txt", "--folds", "2", "-o", "x.txt")
    Judgments.read("qrels.txt").write("test.gz")
    how = ("--hold-out", "0.2", "-o", "{name}.gz", "--overwrite")
    assert "would be overwritten" in refused("split", "test.gz", *how)
    assert not Path("train.gz").exists()


def test_splits_of_a_file() -> None:
    from cleverdon.comparison.splits import k_fold, write_splits

    queries = [*Judgments.read("qrels.txt").queries[1:], "t99"]
    write_splits(k_fold(queries, folds=2, seed=1), "splits.json")
    result = done("split", "qrels.txt", "--splits", "splits.json", "--train", "-o", "{name}.txt")
    assert "1 judged query in no part: t00" in result.stderr
    assert "1 query of parts without judgments: t99" in result.stderr
    assert sorted(path.name for path in Path().glob("fold*")) == [
        "fold1-test.txt",
        "fold1-train.txt",
        "fold2-test.txt",
        "fold2-train.txt",
    ]


@pytest.mark.parametrize("format", ["subtopics", "strata", "sampled"])
def test_what_stands_beside_grades_is_kept(format: str) -> None:
    rows = {
        "subtopics": [("q1", "s", "a", 1), ("q1", "t", "a", 2), ("q2", "s", "b", 0)],
        "strata": [("q1", 0, "a", 1, 2), ("q1", 0, "b", 2, -1), ("q2", 0, "b", 1, 0)],
        "sampled": [("q1", "a", 2, 1, 0.5), ("q1", "b", 1, 1, 0.25), ("q2", "b", 0, 1, 1)],
    }
    Judgments.read(rows[format], format=format).write("in.txt", format=format)
    how = ("--qrels-format", format)
    result = done("filter", "in.txt", *how, "--query", "q1", "-o", "q1.txt")
    assert f"of 1 query, as {format}" in result.stderr
    done("split", "in.txt", *how, "--folds", "2", "-o", "{name}.gz")
    done("merge", "fold1.gz", "fold2.gz", *how, "-o", "again.txt")
    again, given = (Judgments.read(file, format=format) for file in ("again.txt", "in.txt"))
    assert everything(again) == everything(given)
    printed = done("subset", "in.txt", *how, "--queries-count", "2").stdout
    assert sorted(printed.split("\n")) == sorted(Path("in.txt").read_text().split("\n"))
    assert "has no place for what these judgments say" in refused(
        "filter", "in.txt", *how, "-o", "out.json"
    )
    assert "has no place for" in refused(
        "split", "in.txt", *how, "--folds", "2", "-o", "{name}.csv"
    )
    assert not list(Path().glob("fold*.csv"))
    assert "queries" in done("stats", "in.txt", *how).stdout
