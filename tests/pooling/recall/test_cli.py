"""cleverdon recall and cleverdon pool sample, from the draw to the estimate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Command

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = (str(EXAMPLES / "qrels.txt"), str(EXAMPLES / "bm25.run"), str(EXAMPLES / "dense.run"))


@pytest.fixture
def docs(tmp_path: Path) -> str:
    """A collection: what the runs and judgments have, and 300 others."""
    known = {line.split()[2] for file in FILES for line in Path(file).read_text().splitlines()}
    path = tmp_path / "docs.txt"
    path.write_text("".join(f"{id}\n" for id in [*sorted(known), *(f"x{n}" for n in range(300))]))
    return str(path)


def judge(tmp_path: Path, relevant: str) -> None:
    """Fill in the sheet: documents that begin so are relevant."""
    header, *rows = (tmp_path / "sample.sheet.tsv").read_text().splitlines()
    filled = [f"{row.rstrip()}\t{int(row.split(chr(9))[1].startswith(relevant))}" for row in rows]
    (tmp_path / "filled.tsv").write_text("\n".join([header, *filled]) + "\n")


def test_from_the_draw_to_the_estimate(cleverdon: Command, docs: str, tmp_path: Path) -> None:
    done = cleverdon("pool", "sample", docs, "--qrels", FILES[0], "-n", "60", "-o", "sample.tsv")
    assert done.returncode == 0, done.stderr
    assert "sample.sheet.tsv: for judges to grade" in done.stderr
    judge(tmp_path, "x1")
    done = cleverdon(
        "recall", *FILES, "--drawn", "sample.tsv", "--sample", "filled.tsv", "-f", "json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    truth = 24 + 4 * sum(f"x{n}".startswith("x1") for n in range(300))
    by_sample = found["estimates"]["sample"]["all"]
    assert by_sample["low"] <= truth <= by_sample["high"]
    assert found["decision"] == "go on"


def test_strata_by_runs(cleverdon: Command, docs: str, tmp_path: Path) -> None:
    done = cleverdon(
        *("pool", "sample", docs, "--qrels", FILES[0], "-n", "20", "-o", "sample.tsv"),
        *("--runs", FILES[1], "--runs", FILES[2], "--query", "q1", "--query", "q3"),
    )
    assert done.returncode == 0, done.stderr
    head, _, *rows = (tmp_path / "sample.tsv").read_text().splitlines()
    about = json.loads(head.removeprefix("# cleverdon pool "))
    assert about["stratum_names"] == ["returned", "rest"]
    assert {row.split("\t")[3] for row in rows} == {"1", "2"}
    assert set(about["sizes"]) == {"q1", "q3"}
    assert len(rows) == 40
    judge(tmp_path, "none")
    done = cleverdon("recall", *FILES, "--drawn", "sample.tsv", "--sample", "filled.tsv")
    assert "without 2 queries" in done.stdout


def test_a_pool_instead_of_judgments(cleverdon: Command, docs: str, tmp_path: Path) -> None:
    cleverdon("pool", "make", *FILES[1:], "-k", "5", "-o", "pool.tsv")
    done = cleverdon("pool", "sample", docs, "--pool", "pool.tsv", "-n", "9", "-o", "sample.tsv")
    assert done.returncode == 0, done.stderr
    pooled = {
        tuple(r.split("\t")[:2]) for r in (tmp_path / "pool.tsv").read_text().splitlines()[2:]
    }
    drawn = {
        tuple(r.split("\t")[:2]) for r in (tmp_path / "sample.tsv").read_text().splitlines()[2:]
    }
    assert len(drawn) == 36
    assert not pooled & drawn


def test_what_a_sampled_pool_did_not_draw_may_be_relevant(
    cleverdon: Command, docs: str, tmp_path: Path
) -> None:
    """It is neither judged nor out of question: else nobody would ever look at it."""
    strata = ("--method", "stratified", "--strata", "2:1,12:0.3")
    cleverdon("pool", "make", *FILES[1:], *strata, "-o", "pool.tsv")
    rows = [row.split("\t") for row in (tmp_path / "pool.tsv").read_text().splitlines()[2:]]
    drawn = {(row[0], row[1]) for row in rows if row[2] == "yes"}
    left = {(row[0], row[1]) for row in rows if row[2] == "no"}
    assert left
    done = cleverdon("pool", "sample", docs, "--pool", "pool.tsv", "-n", "400", "-o", "all.tsv")
    assert done.returncode == 0, done.stderr
    sampled = {
        tuple(row.split("\t")[:2]) for row in (tmp_path / "all.tsv").read_text().splitlines()[2:]
    }
    assert left <= sampled
    assert not drawn & sampled
    size = len(Path(docs).read_text().splitlines())
    assert len(sampled) == size * 4 - len(drawn)


def test_judgments_and_a_pool_together(cleverdon: Command, docs: str, tmp_path: Path) -> None:
    (tmp_path / "judged.txt").write_text("q1 0 x1 0\nq9 0 x2 1\n")
    cleverdon("pool", "make", *FILES[1:], "-k", "5", "-o", "pool.tsv")
    both = ("--pool", "pool.tsv", "--qrels", "judged.txt")
    done = cleverdon("pool", "sample", docs, *both, "-n", "900", "-o", "all.tsv")
    assert done.returncode == 0, done.stderr
    sampled = {
        tuple(row.split("\t")[:2]) for row in (tmp_path / "all.tsv").read_text().splitlines()[2:]
    }
    pooled = {
        tuple(row.split("\t")[:2]) for row in (tmp_path / "pool.tsv").read_text().splitlines()[2:]
    }
    assert not sampled & (pooled | {("q1", "x1"), ("q9", "x2")})
    assert {("q1", "x2"), ("q9", "x1")} <= sampled


def test_a_sheet_with_grades_is_not_drawn_over(
    cleverdon: Command, docs: str, tmp_path: Path
) -> None:
    sample = ("pool", "sample", docs, "--qrels", FILES[0], "-n", "5", "-o", "sample.tsv")
    assert cleverdon(*sample).returncode == 0
    judge(tmp_path, "x1")
    (tmp_path / "filled.tsv").rename(tmp_path / "sample.sheet.tsv")
    before = [(tmp_path / name).read_bytes() for name in ("sample.tsv", "sample.sheet.tsv")]
    done = cleverdon(*sample, "--seed", "8")
    assert done.returncode == 1
    assert "has 20 grades, which a new sheet would overwrite" in done.stderr
    after = [(tmp_path / name).read_bytes() for name in ("sample.tsv", "sample.sheet.tsv")]
    assert after == before


def test_the_sheet_is_held_against_the_draw(cleverdon: Command, docs: str, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        sample = ("pool", "sample", docs, "--qrels", FILES[0], "-n", "20", "--seed", seed)
        assert cleverdon(*sample, "-o", "sample.tsv").returncode == 0
        (tmp_path / "sample.tsv").rename(tmp_path / f"{seed}.tsv")
        judge(tmp_path, "x1")
        (tmp_path / "filled.tsv").rename(tmp_path / f"{seed}.filled.tsv")
    done = cleverdon("recall", *FILES, "--drawn", "1.tsv", "--sample", "2.filled.tsv")
    assert done.returncode == 1
    assert "error: 2.filled.tsv: " in done.stderr
    assert "of 80 judged documents were not drawn: is it the right sheet?" in done.stderr
    lines = (tmp_path / "1.filled.tsv").read_text().splitlines()
    (tmp_path / "part.tsv").write_text("\n".join(lines[:66]) + "\n")
    done = cleverdon("recall", *FILES, "--drawn", "1.tsv", "--sample", "part.tsv", "--no-reuse")
    assert "65 of 80 drawn documents are judged; the rest is taken to be missing" in done.stdout
    # The sample says how large the collection is.
    assert "With --docs" not in done.stdout
    drawn = ("--drawn", "1.tsv", "--sample", "1.filled.tsv")
    done = cleverdon("recall", *FILES, *drawn, "--docs", "1000")
    assert "1.tsv was drawn from a collection of" in done.stderr
    size = str(len(Path(docs).read_text().splitlines()))
    assert cleverdon("recall", *FILES, *drawn, "--docs", size).returncode == 0


def test_the_grade_that_is_relevant_reaches_the_measures(cleverdon: Command) -> None:
    done = cleverdon("recall", *FILES, "--rel", "2")
    assert "bm25, AP(rel=2)" in done.stdout


def test_strata_by_a_table(cleverdon: Command, docs: str, tmp_path: Path) -> None:
    (tmp_path / "kinds.tsv").write_text(
        "doc_id\tkind\n" + "".join(f"x{n}\tnew\n" for n in range(300))
    )
    done = cleverdon(
        *("pool", "sample", docs, "--qrels", FILES[0], "-n", "30", "-o", "sample.tsv"),
        *("--strata-file", "kinds.tsv", "--allocation", "neyman"),
        *("--stratum-share", "new=0.01", "--stratum-share", "rest=0.3"),
    )
    assert done.returncode == 0, done.stderr
    new, rest = (line.split() for line in done.stdout.splitlines()[2:4])
    assert new[:2] == ["new", "1,200"]
    assert int(new[2]) + int(rest[2]) == 120


def test_plain_and_sampled_judgments(cleverdon: Command, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("q1 0 x1 1\nq1 0 x2 0\nq2 0 x1 0\nq3 0 x1 0\nq4 0 x1 0\n")
    done = cleverdon("recall", *FILES, "--sample", "plain.txt", "--docs", "300", "-f", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["estimates"]["sample"]["queries"]["q1"]["R"] == 4 + 291 / 2
    (tmp_path / "drawn.txt").write_text("q1 x1 1 1 0.1\nq1 x2 0 1 0.1\nq1 x3 1 1 0.5\n")
    arguments = ("--sample", "drawn.txt", "--sample-format", "sampled", "-f", "json")
    done = cleverdon("recall", *FILES, *arguments)
    assert json.loads(done.stdout)["estimates"]["sample"]["queries"]["q1"]["R"] == 4 + 10 + 2


def test_what_the_sample_and_the_pool_have_in_common_is_told(
    cleverdon: Command, tmp_path: Path
) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 s1 1\nq2 0 s1 0\n")
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 x\nq2 Q0 c 1 1 x\n")
    (tmp_path / "s.tsv").write_text(
        "query_id\tdoc_id\tgrade\nq1\ts1\t1\nq1\ts2\t0\nq2\ts1\t0\nq2\ts2\t0\n"
    )
    arguments = ("recall", "qrels.txt", "x.run", "--docs", "50", "--sample")
    done = cleverdon(*arguments, "s.tsv")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        "cleverdon: warning: s.tsv: 2 documents of the sample are judged in qrels.txt too, and "
        "taken out of the pool; 1 query is left without judgments"
    ]
    # More than half of it: that is the pool, and no sample of the rest.
    (tmp_path / "half.txt").write_text("q1 0 s1 1\nq1 0 b 0\nq1 0 s2 0\n")
    done = cleverdon(*arguments, "half.txt")
    assert done.returncode == 1
    assert "error: half.txt: 2 of 3 judgments of the sample" in done.stderr
    assert "is it the right sheet?" in done.stderr
    (tmp_path / "none.txt").write_text("q1 0 s2 0\nq1 0 s3 0\n")
    assert cleverdon(*arguments, "none.txt").stderr == ""


def test_a_sample_that_contradicts_the_pool_is_refused(
    cleverdon: Command, docs: str, tmp_path: Path
) -> None:
    pool = Path(FILES[0]).read_text()
    (tmp_path / "merged.txt").write_text(pool + "q1 0 x1 0\n")
    (tmp_path / "s.txt").write_text("q1 0 x1 1\nq1 0 x2 0\n")
    done = cleverdon("recall", "merged.txt", *FILES[1:], "--sample", "s.txt", "--docs", "300")
    assert done.returncode == 1
    message = "document 'x1' of query 'q1' has the grade 1, and 0 in merged.txt"
    assert f"error: s.txt: {message}" in done.stderr
    # And so it is where the file of the draw is given.
    cleverdon("pool", "sample", docs, "--qrels", FILES[0], "-n", "400", "-o", "sample.tsv")
    judge(tmp_path, "x1")
    arguments = ("--drawn", "sample.tsv", "--sample", "filled.tsv")
    done = cleverdon("recall", "merged.txt", *FILES[1:], *arguments)
    assert f"error: filled.tsv: {message}" in done.stderr
    (tmp_path / "merged.txt").write_text(pool + "q1 0 x1 1\n")
    done = cleverdon("recall", "merged.txt", *FILES[1:], *arguments)
    assert done.returncode == 0, done.stderr


def test_a_grade_that_no_judgment_has(cleverdon: Command) -> None:
    done = cleverdon("recall", *FILES, "--rel", "9", "--no-reuse")
    assert "No judgment has the grade 9 or a higher one (--rel): the highest is " in done.stdout
    assert "No judgment" not in cleverdon("recall", *FILES, "--rel", "2", "--no-reuse").stdout


def test_groups_and_a_plot(cleverdon: Command, tmp_path: Path) -> None:
    (tmp_path / "teams").write_text("bm25 ours\ndense ours\n")
    done = cleverdon("recall", *FILES, "--groups", "teams", "--plot", "curves.svg")
    assert done.returncode == 0, done.stderr
    assert "nothing can be said of what was missed" in done.stdout
    assert (tmp_path / "curves.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recall", *FILES, "--drawn", "x"), "--drawn goes with --sample"),
        (("recall", *FILES, "--sample-format", "strata"), "--sample-format goes with --sample"),
        (("recall", *FILES, "--docs", "3"), "query 'q1' alone has 9 judged documents"),
        (("recall", *FILES, "--docs", "13"), "have 19 different documents"),
        (("recall", *FILES, "--sample", FILES[0]), "is it the right sheet?"),
        (("recall", *FILES, "--drawn", FILES[0], "--sample", FILES[0]), "is not a pool"),
        (("recall", *FILES, "--plot", "curves.xls"), "curves.xls"),
        (("recall", *FILES, "--target-recall", "2"), "--target-recall"),
        (
            ("recall", *FILES, "--no-reuse", "-m", "AP"),
            "--measure and --no-reuse do not go together",
        ),
        (("recall", *FILES, "--docs", "1" + "0" * 20), "--docs"),
        (("recall", *FILES, "--depth", "1" + "0" * 20), "--depth"),
        (("pool", "sample", "none.txt", "--qrels", FILES[0], "-o", "s.tsv"), "no such file"),
        (("pool", "sample", FILES[0], "--qrels", FILES[0], "-o", "-"), "--output"),
        (("pool", "sample", FILES[0], "-o", "s.tsv"), "--qrels or --pool"),
        (("pool", "sample", "-", "--qrels", FILES[0], "-o", "s.tsv"), "is read twice"),
        (
            ("pool", "sample", FILES[0], "--qrels", FILES[0], "-o", "s.tsv", "--query", "q9"),
            "there is no query 'q9'",
        ),
        (
            (
                *("pool", "sample", FILES[0], "--qrels", FILES[0], "-o", "s.tsv"),
                *("--stratum-share", "a=.1"),
            ),
            "--allocation neyman",
        ),
    ],
)
def test_errors_are_one_line(cleverdon: Command, arguments: tuple[str, ...], message: str) -> None:
    done = cleverdon(*arguments)
    assert done.returncode in (1, 2)
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr


def test_a_collection_with_other_ids(cleverdon: Command, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("y1\ny2\n")
    done = cleverdon("pool", "sample", "other.txt", "--qrels", FILES[0], "-o", "s.tsv")
    assert "none of the documents that are pooled" in done.stderr
    assert not (tmp_path / "s.tsv").exists()
