"""The gate on the command line: what continuous integration sees of it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cleverdon import __version__
from tests.commands import Command

EXAMPLES = Path(__file__).parent.parent.parent.parent / "examples"
QRELS, BM25, DENSE = (str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))


def test_it_passes_or_fails_by_its_exit_code(cleverdon: Command) -> None:
    arguments = ("gate", QRELS, DENSE, "--baseline", BM25, "--rule", "AP >= baseline")
    done = cleverdon(*arguments)
    assert done.returncode == 0
    assert "PASSED: 1 rule kept, over 4 queries; qualified by unjudged-differs" in done.stdout
    assert "60% of run's are judged and 52% of baseline's" in done.stderr
    done = cleverdon(*arguments, "--rule", "no query loses more than 0.1 on RR")
    assert done.returncode == 1
    assert "FAILED: 1 of 2 rules broken, over 4 queries" in done.stdout
    assert "0.8000 (q1)" in done.stdout


def test_what_it_wrote_can_be_the_next_baseline(cleverdon: Command, tmp_path: Path) -> None:
    rules = ("--rule", "nDCG@10 >= 0.1", "--rule", "AP >= 0.1")
    assert cleverdon("gate", QRELS, BM25, *rules, "--json", "base.json").returncode == 0
    held = json.loads((tmp_path / "base.json").read_text())
    about = held["about"]
    assert (held["kind"], held["version"]) == ("cleverdon results", 1)
    assert about["version"] == __version__
    assert len(about["qrels_digest"]) == len(about["runs"]["run"]["digest"]) == 64
    assert set(held["values"]["run"]) == {"nDCG@10", "AP"}
    assert held["gate"]["passed"] is True

    rules = ("--rule", "nDCG@10 >= baseline - 0.01", "--rule", "AP > baseline + 50%")
    by_file, by_run = (
        cleverdon("gate", QRELS, DENSE, "--baseline", baseline, *rules, "--format", "json")
        for baseline in ("base.json", BM25)
    )
    assert by_file.returncode == by_run.returncode == 1
    assert by_file.stdout == by_run.stdout
    # What is the same as the baseline keeps every rule.
    assert (
        cleverdon(
            "gate", QRELS, BM25, "--baseline", "base.json", "--rule", "AP == baseline"
        ).returncode
        == 0
    )


def test_other_judgments_are_refused_unless_allowed(cleverdon: Command, tmp_path: Path) -> None:
    cleverdon("gate", QRELS, BM25, "--rule", "AP >= 0", "--json", "base.json")
    lines = Path(QRELS).read_text().splitlines()
    (tmp_path / "fewer.txt").write_text("\n".join(lines[:-1]) + "\n")
    arguments = ("gate", "fewer.txt", BM25, "--baseline", "base.json", "--rule", "AP >= baseline")
    done = cleverdon(*arguments)
    assert done.returncode == 2
    assert "made with other judgments (hash " in done.stderr
    done = cleverdon(*arguments, "--allow-different-qrels")
    assert done.returncode in (0, 1)
    assert "warning: the baseline was made with other judgments" in done.stderr

    one = [line for line in lines if not line.startswith("q1 ")]
    (tmp_path / "fewer.txt").write_text("\n".join(one) + "\n")
    done = cleverdon(*arguments, "--allow-different-qrels")
    assert done.returncode == 2
    assert "1 only of the baseline (q1); --allow-different-queries" in done.stderr
    done = cleverdon(*arguments, "--allow-different-qrels", "--allow-different-queries")
    assert done.returncode == 0
    assert "PASSED: 1 rule kept, over 3 queries" in done.stdout


def test_the_junit_report_says_what_the_exit_code_says(cleverdon: Command, tmp_path: Path) -> None:
    rules = ("--rule", "AP >= 0.9", "--rule", "RR >= 0.1")
    done = cleverdon("gate", QRELS, BM25, *rules, "--junit", "gate.xml")
    assert done.returncode == 1
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failed = [case.get("name") for case in suite.iter("testcase") if len(case)]
    assert failed == ["AP >= 0.9"]
    facts = {found.get("name"): found.get("value") for found in suite.iter("property")}
    assert (facts["qrels"], facts["run"]) == (QRELS, BM25)


def test_a_profile_reads_the_rules_in_its_words(cleverdon: Command) -> None:
    arguments = ("gate", QRELS, BM25, "--profile", "trec_eval-10", "--rule", "ndcg_cut_10 >= 0.7")
    assert cleverdon(*arguments).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rule", "AP => 0.1"), "at character 4: expected >=, >, <=, <, == or"),
        (("--rule", "AP >= baseline"), "rule 'AP >= baseline' needs a --baseline"),
        ((), "--rule"),
        (("--rule", "AP >= 0", "--baseline", "none.json"), "none.json"),
        (("--rule", "AP >= 0", "--baseline", "-"), "cannot be standard input"),
        (("--rule", "AP >= 0", "--baseline", DENSE, "--correction", "hom"), "did you mean 'holm'?"),
        (("--rule", "AP >= 0", "--json", "no/folder.json"), "there is no folder 'no'"),
        (
            ("--rule", "AP >= 0", "--baseline", "x.json", "--json", "./x.json"),
            "overwrite the --baseline",
        ),
        (
            ("--rule", "AP >= 0", "--second", "x", "--json", "x.json"),
            "--json and --second do not go together",
        ),
        (("--rule", "AP >= 0", "--seed", "-1"), "-1 is not in the range 0<=x"),
    ],
)
def test_what_cannot_be_judged_exits_with_2(
    cleverdon: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = cleverdon("gate", QRELS, BM25, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_damaged_baseline_is_named(cleverdon: Command, tmp_path: Path) -> None:
    cleverdon("gate", QRELS, BM25, "--rule", "AP >= 0", "--json", "base.json")
    text = (tmp_path / "base.json").read_text()
    (tmp_path / "base.json").write_text(text[: len(text) // 2])
    done = cleverdon("gate", QRELS, BM25, "--rule", "AP >= baseline", "--baseline", "base.json")
    assert done.returncode == 2
    assert "base.json: is a damaged results file" in done.stderr


def costs(tmp_path: Path, name: str, *, not_valid: tuple[str, ...] = (), **values: float) -> str:
    """A file as `cleverdon bench --json` writes it, with this and much else."""
    held = {
        "kind": "cleverdon bench",
        "version": 1,
        "system": name.partition("-")[0],
        "settings": {},
        "costs": {
            cost: {"value": value, "low": None, "high": None} for cost, value in values.items()
        },
        "not_valid": not_valid,
        "more": [],
    }
    (tmp_path / f"{name}.json").write_text(json.dumps(held))
    return f"{name}.json"


def test_costs_are_judged_beside_quality(cleverdon: Command, tmp_path: Path) -> None:
    bench = costs(tmp_path, "mine-bench", p99=0.048, throughput=410)
    index = costs(tmp_path, "mine-index", index_size=2e8)
    given = ("--costs", bench, "--costs", index)
    rules = ("--rule", "p99 <= 50 ms", "--rule", "index size <= 200 MB", "--rule", "AP >= 0.1")
    done = cleverdon("gate", QRELS, BM25, *given, *rules, "--json", "base.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "PASSED: 3 rules kept" in done.stdout

    # What was written is a baseline for costs as well, unless others are given.
    slower = ("--costs", costs(tmp_path, "new-bench", p99=0.06))
    rule = ("--rule", "p99 <= baseline + 10%")
    done = cleverdon("gate", QRELS, DENSE, *slower, "--baseline", "base.json", *rule)
    assert done.returncode == 1
    assert "<= 52.8 ms" in done.stdout
    old = ("--baseline-costs", costs(tmp_path, "old-bench", p99=0.07))
    assert cleverdon("gate", QRELS, DENSE, *slower, *old, *rule).returncode == 0


def test_costs_that_cannot_be_judged_exit_with_2(cleverdon: Command, tmp_path: Path) -> None:
    cleverdon("gate", QRELS, BM25, "--rule", "AP >= 0", "--json", "base.json")
    bench = costs(tmp_path, "a-bench", p99=0.048)
    other = costs(tmp_path, "b-bench", index_size=1.0)
    late = costs(tmp_path, "a-late", p99=0.049, not_valid=("the sender lagged",))
    for given, message in (
        ((), "needs the p99, which was not measured"),
        (("--costs", late), "is not valid (the sender lagged)"),
        (("--costs", bench, "--costs", other), "different systems (a, b)"),
        (("--costs", bench, "--costs", late), "two files say p99 of 'a'"),
        (("--costs", "none.json"), "none.json: there is no such file of results"),
        (("--costs", "base.json"), "is not what 'cleverdon bench --json'"),
    ):
        done = cleverdon("gate", QRELS, BM25, *given, "--rule", "p99 <= 1 s")
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
    # A results file that has none, as older ones, is a baseline for all but costs.
    against = ("--costs", bench, "--baseline", "base.json")
    assert cleverdon("gate", QRELS, BM25, *against, "--rule", "AP >= baseline").returncode == 0
    done = cleverdon("gate", QRELS, BM25, *against, "--rule", "p99 <= baseline")
    assert done.returncode == 2
    assert "needs the baseline's p99, which was not measured" in done.stderr
    named = ("--costs", bench, "--costs", f"a={other}")
    assert cleverdon("gate", QRELS, BM25, *named, "--rule", "p99 <= 1 s").returncode == 0
