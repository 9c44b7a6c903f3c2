"""cleverdon report: files to a page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cleverdon import evaluate
from cleverdon.comparison import claims
from cleverdon.comparison.differences import compare
from tests.commands import Command
from tests.reports.examples import Outline, without_vega


@pytest.fixture(autouse=True)
def plain_pages() -> Iterator[None]:
    """Without the plotting library, except where a command has a process of its own."""
    with without_vega():
        yield


@pytest.fixture
def runs(files: Path) -> Path:
    """Files of which nothing can be said to be wrong, on eight queries."""
    queries = range(1, 9)
    (files / "qrels.txt").write_text("".join(f"{t} 0 a 2\n{t} 0 b 0\n{t} 0 c 1\n" for t in queries))
    for name, order in (("one", "abc"), ("two", "bca")):
        (files / f"{name}.run").write_text(
            "".join(
                f"{t} Q0 {doc} {rank} {4 - rank}.{t} {name}\n"
                for t in queries
                for rank, doc in enumerate(order, start=1)
            )
        )
    return files


def content(path: Path) -> dict[str, Any]:
    """What the page in a file says."""
    outline = Outline(path.read_text("utf-8"))
    assert outline.open == []
    found: dict[str, Any] = json.loads(outline.text["content"])
    return found | {"rankings": json.loads(outline.text["ranking-data"])}


def test_a_page_and_its_data(cleverdon: Command, runs: Path) -> None:
    done = cleverdon(
        *("report", "qrels.txt", "one.run", "two.run", "-m", "RR", "-m", "AP", "--data"),
        *("--baseline", "two", "-o", "out.html", "--title", "Ours & theirs"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("out.html is written: ")
    assert done.stdout.endswith("out.json has the data\n")
    assert not (runs / "report.html").exists()
    found = content(runs / "out.html")
    assert found["title"] == "Ours & theirs"
    scores = evaluate(
        str(runs / "qrels.txt"), [str(runs / "one.run"), str(runs / "two.run")], "RR AP", keep=20
    )
    assert found["means"] == [[scores.mean(s, m) for s in ("one", "two")] for m in ("RR", "AP")]
    first = found["comparisons"][0]
    wanted = claims.claim(compare(scores, baseline="two"))
    assert [claim["text"] for claim in first["claims"]] == [str(claim) for claim in wanted]
    written = json.loads((runs / "out.json").read_text("utf-8"))
    assert {key: found[key] for key in written} == written
    digests = [file["digest"] for file in found["method"]["files"]]
    assert len(set(digests)) == 3
    assert all(len(digest) == 64 for digest in digests)


def test_texts(cleverdon: Command, runs: Path) -> None:
    (runs / "topics.tsv").write_text("1\twhat is it?\n2\tanother\n")
    (runs / "documents.jsonl").write_text('{"id": "a", "title": "All about it", "text": "Much."}\n')
    texts = ("--queries", "topics.tsv", "--documents", "documents.jsonl")
    done = cleverdon("report", "qrels.txt", "one.run", *texts, "--depth", "2", "-m", "RR")
    assert (done.returncode, done.stderr) == (0, "")
    found = content(runs / "report.html")
    assert found["queries"][0] == {"id": "1", "text": "what is it?"}
    assert found["queries"][2] == {"id": "3"}
    rankings = found["rankings"]
    assert rankings["texts"] == {
        str(rankings["documents"].index("a")): ["All about it", "Much."],
    }
    assert found["comparisons"] == []  # there is one run only
    rows = rankings["queries"][0]["systems"][0]["rows"]
    assert [row[0] for row in rows] == [1, 2, 3]  # the third for its grade


def test_findings_of_a_faulty_file_are_shown(cleverdon: Command, runs: Path) -> None:
    faulty = runs / "two.run"
    faulty.write_text(faulty.read_text().replace("1 Q0 b 1 ", "1 Q0 b 7 "))
    asked = ("report", "qrels.txt", "one.run", "two.run", "-m", "RR")
    done = cleverdon(*asked)
    assert (done.returncode, done.stderr) == (0, "")
    findings = content(runs / "report.html")["findings"]
    (rank,) = [finding for finding in findings if "rank" in finding["message"]]
    assert rank["file"].startswith("two.run")
    assert rank["severity"] in ("warning", "note", "error")
    done = cleverdon(*asked, "--no-check")
    assert done.returncode == 0
    assert content(runs / "report.html")["findings"] == []


def test_standard_input(cleverdon: Command, runs: Path) -> None:
    run = (runs / "two.run").read_text()
    done = cleverdon("report", "qrels.txt", "one.run", "piped=-", "-m", "RR", stdin=run)
    assert (done.returncode, done.stderr) == (0, "")
    assert content(runs / "report.html")["systems"] == ["one", "piped"]


def test_what_was_there_is_replaced_or_stays(cleverdon: Command, runs: Path) -> None:
    (runs / "report.html").write_text("before")
    done = cleverdon("report", "qrels.txt", "none.run", "-m", "RR")
    assert done.returncode != 0
    assert (runs / "report.html").read_text() == "before"
    assert cleverdon("report", "qrels.txt", "one.run", "-m", "RR").returncode == 0
    assert (runs / "report.html").read_text("utf-8").startswith("<!doctype html>")
    assert not [file for file in runs.iterdir() if "report" in file.name and file.suffix != ".html"]


def test_settings_and_tests_are_handed_on(cleverdon: Command, runs: Path) -> None:
    done = cleverdon(
        *("report", "-", "one.run", "two.run", "-m", "RR", "--test", "t"),
        *("--ties", "ascending", "--level", "0.01", "--silence", "few-queries"),
        stdin=(runs / "qrels.txt").read_text(),  # which may be the judgments as well
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = content(runs / "report.html")
    assert found["method"]["files"][0]["rows"] == 24
    assert found["method"]["facts"]["Test"].startswith("Student's t test")
    assert found["method"]["facts"]["Level"] == "0.01"
    assert found["method"]["facts"]["Ties"].startswith("ascending")
    assert "few-queries" not in {doubt["name"] for doubt in found["doubts"]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "nowhere/report.html"], "there is no folder 'nowhere'"),
        (["--baseline", "onr"], "no system 'onr'; did you mean 'one'"),
        (["-o", "out.json"], "a report is a page: out.html, not out.json"),
        (["--depth", "0"], "--depth"),
        (["--queries", "none.tsv"], "none.tsv: there is no such file"),
        (["-m", "RelString"], "a measure that gives numbers"),
        (["--silence", "nonsense"], "no doubt 'nonsense'"),
    ],
)
def test_what_does_not_fit_is_said(
    cleverdon: Command, runs: Path, arguments: list[str], message: str
) -> None:
    done = cleverdon("report", "qrels.txt", "one.run", "two.run", *arguments)
    assert done.returncode != 0
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not [file for file in runs.iterdir() if file.suffix in (".html", ".json")]


def test_one_run_has_no_baseline(cleverdon: Command, runs: Path) -> None:
    done = cleverdon("report", "qrels.txt", "one.run", "--baseline", "one")
    assert done.returncode != 0
    assert "there is only one system" in done.stderr


def test_without_the_plotting_library(
    cleverdon: Command, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (runs / "hidden").mkdir()
    (runs / "hidden" / "vl_convert.py").write_text("raise ImportError\n")
    monkeypatch.setenv("PYTHONPATH", str(runs / "hidden"))
    done = cleverdon("report", "qrels.txt", "one.run", "-m", "RR", alone=True)
    assert done.returncode != 0
    assert "cleverdon[plots]" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (runs / "report.html").exists()


def test_what_is_read_is_not_overwritten(cleverdon: Command, runs: Path) -> None:
    (runs / "qrels.html").write_bytes((runs / "qrels.txt").read_bytes())
    before = (runs / "qrels.html").read_bytes()
    done = cleverdon("report", "qrels.html", "one.run", "-o", "./qrels.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert "qrels.html is read, and would be overwritten" in done.stderr
    assert (runs / "qrels.html").read_bytes() == before


def bench(runs: Path, name: str, order: str = "", queries: int = 8, **more: Any) -> str:
    """A file as `cleverdon bench --json` writes it, with what was answered while it was timed."""
    held = {
        "kind": "cleverdon bench",
        "version": 1,
        "system": name,
        "settings": {},
        "costs": {"p99": {"value": 0.05, "low": 0.04, "high": 0.06}},
        "not_valid": [],
    }
    if order:
        ranked = {doc: 9.0 - rank for rank, doc in enumerate(order)}
        held["run"] = {f"{query}": ranked for query in range(1, queries + 1)}
    (runs / f"{name}.json").write_text(json.dumps(held | more))
    return f"{name}.json"


def test_costs_stand_beside_quality(cleverdon: Command, runs: Path) -> None:
    # `two` answers otherwise while it is timed than it did for its run; `three` has no other run.
    files = (bench(runs, "two", "acb"), bench(runs, "three", "ab", not_valid=["it lagged"]))
    given = [option for file in files for option in ("--costs", file)]
    done = cleverdon("report", "qrels.txt", "one.run", "two.run", *given, "-m", "RR")
    assert (done.returncode, done.stderr) == (0, "")
    found = content(runs / "report.html")
    assert sorted(found["systems"]) == ["one", "three", "two"]
    (by_measure,) = found["costs"]
    places = {row["system"]: row["front"] for row in by_measure["systems"]}
    assert places == {"one": None, "two": True, "three": None}
    assert "three: not valid, it lagged" in by_measure["table"]
    assert {"id": "pareto", "place": "cost-figures"}.items() <= found["figures"][0].items()
    said = [finding["message"] for finding in found["findings"]]
    assert [text for text in said if "timed" in text] == [
        "while two was timed, it answered 8 of 8 queries otherwise than its run has it: the "
        "quality that is shown is the run's"
    ]


def test_a_bench_can_stand_in_for_a_run(cleverdon: Command, runs: Path) -> None:
    done = cleverdon("report", "qrels.txt", "--costs", f"mine={bench(runs, 'x', 'ab')}", "-m", "RR")
    assert (done.returncode, done.stderr) == (0, "")
    found = content(runs / "report.html")
    assert (found["systems"], found["means"]) == (["mine"], [[1.0]])


def test_costs_that_do_not_fit_are_said(cleverdon: Command, runs: Path) -> None:
    for arguments, message in (
        (("--costs", bench(runs, "mine")), "there is no run to report on"),
        (("one.run", "--costs", bench(runs, "oen")), "costs of 'oen', and no run of that name"),
        (("--costs", bench(runs, "few", "ab", queries=6)), "did not ask 2 judged queries (7, 8)"),
        (("one.run", "--costs", "qrels.txt"), "qrels.txt: cannot be read as what 'cleverdon bench"),
    ):
        done = cleverdon("report", "qrels.txt", *arguments, "-m", "RR")
        assert done.returncode != 0
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert not (runs / "report.html").exists()
