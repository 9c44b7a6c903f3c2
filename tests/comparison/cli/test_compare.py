"""cleverdon compare and cleverdon claim."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Command

QUERIES = range(30)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A folder with judgments of 30 queries, a poor run, a good one, and one with ties."""
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 a 1\n{q} 0 b 0\n" for q in QUERIES))

    def write(name: str, first: str, second: str, scores: tuple[int, int]) -> None:
        rows = "".join(
            f"{q} Q0 {doc} {rank} {score} t\n"
            for q in QUERIES
            for rank, (doc, score) in enumerate(zip((first, second), scores, strict=True), start=1)
        )
        (tmp_path / name).write_text(rows)

    write("poor.run", "b", "a", (2, 1))
    write("good.run", "a", "b", (2, 1))
    write("level.run", "a", "b", (1, 1))
    return tmp_path


def test_compare_marks_what_differs(cleverdon: Command, collection: Path) -> None:
    runs = ("qrels.txt", "poor.run", "good.run", "-m", "P@1")
    done = cleverdon("compare", *runs, "--baseline", "poor")
    assert done.returncode == 0, done.stderr
    assert "good    1.0000†" in done.stdout
    assert "† differs significantly from poor." in done.stdout
    assert "30 queries" in done.stdout
    assert "\033" not in done.stdout
    assert "goodᵇ   1.0000ᵃ" in cleverdon("compare", *runs).stdout


def test_compare_takes_tests_corrections_and_levels(cleverdon: Command, collection: Path) -> None:
    runs = ("qrels.txt", "poor.run", "good.run", "level.run", "-m", "P@1", "-m", "AP")
    common = ("--baseline", "poor", "--level", "0.01", "--format", "json")
    done = cleverdon(
        "compare", *runs, *common, "--test", "sign", "--alternative", "greater",
        "--correction", "bonferroni",
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert [found[key] for key in ("test", "alternative", "correction", "level", "family")] == [
        "sign", "greater", "bonferroni", 0.01, 2,
    ]  # fmt: skip
    assert found["differences"][0]["corrected"] == pytest.approx(2 / 2**30)
    done = cleverdon("compare", *runs, "--test", "randomised-tukey", "--correction", "holm")
    assert (done.returncode, done.stderr.count("\n")) == (1, done.stderr.count("warning") + 1)
    assert "second one" in done.stderr


def test_evaluation_settings_are_those_of_eval(cleverdon: Command, collection: Path) -> None:
    runs = ("qrels.txt", "poor.run", "level.run", "-m", "P@1", "--format", "json")
    best = json.loads(cleverdon("compare", *runs, "--ties", "best").stdout)
    worst = json.loads(cleverdon("compare", *runs, "--ties", "worst").stdout)
    assert (best["means"]["level"]["P@1"], worst["means"]["level"]["P@1"]) == (1, 0)


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        ("compare", ("poor.run", "--baseline", "poor"), "only one system"),
        ("claim", ("poor.run", "good.run", "--baseline", "god"), "did you mean 'good'?"),
        ("compare", ("poor.run", "good.run", "--test", "tt"), "'tt' is not one of"),
        ("claim", ("poor.run", "good.run", "-m", "nDGC"), "did you mean 'nDCG'?"),
        ("compare", ("poor.run", "x/../poor.run"), "two runs are called 'poor'"),
    ],
)
def test_errors_are_one_line(
    cleverdon: Command, collection: Path, command: str, arguments: tuple[str, ...], message: str
) -> None:
    done = cleverdon(command, "qrels.txt", *arguments)
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1, done.stderr
    assert message in done.stderr


def test_claim_says_it_in_words(cleverdon: Command, collection: Path) -> None:
    runs = ("qrels.txt", "poor.run", "good.run", "--baseline", "poor", "-m", "P@1", "-m", "RR")
    done = cleverdon("claim", *runs)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith(
        "Primary measure, which decides: P@1 (the first; --primary names another):\n"
        "good beats poor on P@1 by 1.000 (0.000 to 1.000; randomisation p < 1e-05, 1 comparison; "
        "30 queries: 30 up, 0 even, 0 down).\n\n"
        "Other measures, corrected as a family of their own:\n"
    )
    alone = cleverdon("claim", *runs, "--primary", "RR").stdout
    assert alone.startswith("Primary measure, which decides: RR (as asked):\ngood beats poor on RR")
    assert not cleverdon("claim", *runs, "--primary", "all").stdout.startswith("Primary")
    wrong = cleverdon("claim", *runs, "--primary", "AP")
    assert "primary='AP' is not among the measures that are compared: P@1, RR" in wrong.stderr
    assert "\n- mean-rr: means of RR are compared" in done.stdout
    silent = cleverdon("claim", *runs, "--silence", "mean-rr", "--silence", "no-spread")
    assert "Before you believe it" not in silent.stdout
    renamed = cleverdon("claim", *runs, "--silence", "few-topics")
    assert renamed.stdout == done.stdout
    assert renamed.stderr == (
        "cleverdon: note: the doubt few-topics is called few-queries now; "
        "the old name works for one more release\n"
    )
    wrong = cleverdon("claim", *runs, "--silence", "mean-r")
    assert "no doubt 'mean-r'; did you mean 'mean-rr'?" in wrong.stderr
    assert wrong.returncode == 1


def test_claim_tries_the_orders_of_ties(cleverdon: Command, collection: Path) -> None:
    good, poor = ((collection / name).read_text().splitlines() for name in ("good.run", "poor.run"))
    (collection / "half.run").write_text("\n".join(good[:30] + poor[30:]) + "\n")
    level = (collection / "level.run").read_text()
    # Descending ids put b first, which is the worst for level; its best is better than half.
    done = cleverdon("claim", "qrels.txt", "half.run", "level=-", "-m", "P@1", stdin=level)
    assert "level is worse than half on P@1" in done.stdout, done.stderr
    assert "- ties: another order of tied results could reverse level and half" in done.stdout
    # Nothing is above good, whatever the order.
    assert (
        "ties" not in cleverdon("claim", "qrels.txt", "good.run", "level.run", "-m", "P@1").stdout
    )


def test_claim_is_told_of_pools_tuning_and_bounds(cleverdon: Command, collection: Path) -> None:
    runs = ("qrels.txt", "poor.run", "good.run", "-m", "P@1", "--format", "json")
    (collection / "topics.txt").write_text("3\n7\n\n99\n")
    done = cleverdon("claim", *runs, "--pooled", "good", "--tuned-on", "topics.txt", "--bounds")
    found = {doubt["name"]: doubt["number"] for doubt in json.loads(done.stdout)["doubts"]}
    assert found == {"pool-bias": 1, "no-spread": 1, "tuned-on-test": 2}
    missing = cleverdon("claim", *runs, "--tuned-on", "nowhere.txt")
    assert (
        missing.stderr
        == "cleverdon: error: nowhere.txt: cannot be read: No such file or directory\n"
    )


def test_claim_reads_the_training_queries_of_a_hold_out(
    cleverdon: Command, collection: Path
) -> None:
    from cleverdon.comparison.splits import hold_out, k_fold, write_splits

    queries = [str(q) for q in QUERIES]
    write_splits(hold_out(queries, share=0.2), collection / "splits.json")
    write_splits(k_fold(queries, folds=3), collection / "folds.json")
    runs = ("qrels.txt", "poor.run", "good.run", "-m", "P@1", "--format", "json")
    done = cleverdon("claim", *runs, "--tuned-on", "splits.json")
    found = json.loads(done.stdout)
    assert [doubt["number"] for doubt in found["doubts"]] == [24, 1]
    assert (found["claims"][0]["verdict"], found["claims"][0]["qualified"]) == (
        "better",
        ["tuned-on-test"],
    )
    found = json.loads(cleverdon("claim", *runs, "--tuned-on", "folds.json").stdout)
    assert found["claims"][0]["qualified"] == ["cross-validated"]


def test_claim_takes_a_margin(cleverdon: Command, collection: Path) -> None:
    runs = ("claim", "qrels.txt", "poor.run", "good.run", "-m", "P@1")
    found = json.loads(cleverdon(*runs, "--margin", "0.01", "--format", "json").stdout)
    assert found["claims"][0]["margin"] == 0.01
    assert isinstance(found["claims"][0]["equivalent"], bool)
    for wrong in ("0", "-1", "x", "nan"):
        done = cleverdon(*runs, "--margin", wrong)
        assert done.returncode != 0
        assert "--margin" in done.stderr
        assert done.stderr.count("\n") == 1


def test_claim_fills_in_the_checklist(cleverdon: Command, collection: Path) -> None:
    runs = ("claim", "qrels.txt", "poor.run", "good.run", "-m", "P@1", "--checklist")
    done = cleverdon(*runs)
    assert done.returncode == 0, done.stderr
    assert "[x] Queries: 2 systems were compared on 30 queries with 60 judgments." in done.stdout
    assert "[ ] Tuning" in done.stdout
    (collection / "tuned.txt").write_text("3\n99\n")
    done = cleverdon(*runs, "--tuned-on", "tuned.txt", "--format", "latex")
    assert "chosen on 2 queries, 1 of which is among the 30 compared" in done.stdout
    comment, paragraph = done.stdout.splitlines()
    assert comment.startswith("% Repeated runs: Say whether")
    assert paragraph.startswith("2 systems were compared")
    done = cleverdon(*runs[:-1], "--format", "latex")
    assert (done.returncode, "--checklist" in done.stderr) == (2, True)
    for folds, text in (("5", "by cross-validation (k-fold, 5 folds"), ("hold-out", "15 queries")):
        how = ("--hold-out", "0.5") if folds == "hold-out" else ("--folds", folds)
        cleverdon("splits", "qrels.txt", *how, "-o", "splits.json")
        done = cleverdon(*runs, "--tuned-on", "splits.json")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"[x] Tuning: Parameters were chosen {'on ' * (folds != '5')}{text}" in done.stdout
    done = cleverdon(*runs, "--margin", "0.01")
    assert (done.returncode, "--margin" in done.stderr) == (2, True)


def test_repeats_are_one_system(cleverdon: Command, collection: Path) -> None:
    for number, run in enumerate(("good", "good", "poor"), start=1):
        (collection / f"dense-{number}.run").write_text((collection / f"{run}.run").read_text())
    given = ("--repeats", "dense=dense-*.run", "-m", "RR")
    done = cleverdon("eval", "qrels.txt", "poor.run", *given)
    assert done.returncode == 0, done.stderr
    assert "dense   0.8333" in done.stdout
    done = cleverdon("compare", "qrels.txt", "poor.run", *given, "--baseline", "poor")
    assert "over queries and repeated runs" in done.stdout
    done = cleverdon("claim", "qrels.txt", "poor.run", "good.run", *given, "-f", "json")
    found = json.loads(done.stdout)
    qualified = {(c["system"], c["baseline"]): c["qualified"] for c in found["claims"]}
    assert "best-of-repeats" in qualified["good", "poor"]
    assert "best-of-repeats" not in qualified["dense", "poor"]
    doubts = {doubt["name"]: doubt["sentence"] for doubt in found["doubts"]}
    assert doubts["few-repeats"].startswith("poor has 1 run: it counts as one that does not")
    for command, other in (("eval", "--down"), ("eval", "--bounds"), ("claim", "--bounds")):
        done = cleverdon(command, "qrels.txt", "poor.run", *given, other)
        assert f"--repeats and {other} do not go together" in done.stderr
    for wrong in ("dense", "x=none-*.run", "x=dense-1.run", "poor=dense-*.run"):
        done = cleverdon("eval", "qrels.txt", "poor.run", "--repeats", wrong)
        assert done.returncode in (1, 2)
        assert done.stderr.count("\n") == 1, done.stderr
