"""Agreement of judges, on the command line."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cleverdon import aggregate_labels
from cleverdon.agreement.agreement import agree
from cleverdon.agreement.labels import read_labels
from cleverdon.cli import main
from cleverdon.data import Judgments
from tests.agreement.collection import collection
from tests.commands import Command

PEOPLE = ("ann.qrels", "bob.qrels", "eve.qrels")


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def agreed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Runs `cleverdon agree` within this process, in an empty folder: many runs take no time."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["cleverdon", "agree", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capfd.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Three people's judgments, a model's, and runs."""
    made = collection(topics=8, docs=10)
    for name, grades in {**made.people, "llm": made.unfair}.items():
        Judgments.read(grades).write(tmp_path / f"{name}.qrels", format="trec")
    for name, run in made.runs.items():
        lines = (f"{q} Q0 {d} 0 {s} {name}\n" for q, docs in run.items() for d, s in docs.items())
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def test_tables(agreed: Callable[..., Done], judged: Path) -> None:
    wanted = agree(read_labels([str(judged / name) for name in PEOPLE]))
    text = agreed(*PEOPLE).stdout
    assert "3 judges" in text
    assert f"{wanted.overall['fleiss'].value:.4f}" in text
    assert "95% intervals by Student's t over 8 queries" in text
    assert "they avoid" in text
    rows = list(csv.DictReader(io.StringIO(agreed(*PEOPLE, "-f", "csv").stdout)))
    of_pair = [row for row in rows if (row["first"], row["second"]) == ("ann", "eve")]
    assert {row["coefficient"] for row in of_pair} == set(wanted.overall)
    kappa = next(row for row in of_pair if row["coefficient"] == "kappa")
    assert float(kappa["value"]) == wanted.pair("ann", "eve").coefficients["kappa"].value
    markdown = agreed(*PEOPLE, "-f", "markdown").stdout
    assert "\n## Pairs of judges" in markdown
    assert "| ann | bob |" in markdown


def test_json_has_everything(agreed: Callable[..., Done], judged: Path) -> None:
    options = ("--per-query", "--disagreements", "3", "-c", "all", "-f", "json")
    found = json.loads(agreed(*PEOPLE, *options).stdout)
    assert found["judges"] == ["ann", "bob", "eve"]
    assert len(found["queries"]) == 8
    assert len(found["disputed"]) == 3
    assert len(found["pairs"][0]["confusion"]) == 3
    assert found["intervals"]["over"] == "queries"
    assert {"AC2-linear", "alpha-interval"} <= found["overall"].keys()
    values = [one["coefficients"]["agreement"]["value"] for one in found["queries"]]
    assert values == sorted(values)


def test_parts_that_are_asked_for(agreed: Callable[..., Done], judged: Path) -> None:
    options = ("--confusion", "--per-query", "--disagreements", "2")
    text = agreed(*PEOPLE, *options).stdout
    assert "Grades of ann (rows) by those of bob" in text
    assert "Queries, the worst first" in text
    assert "Documents in dispute" in text
    assert "Documents in dispute" not in agreed(*PEOPLE).stdout


def test_other_scales(agreed: Callable[..., Done], judged: Path) -> None:
    binary = json.loads(agreed(*PEOPLE, "--rel", "1", "-f", "json").stdout)
    assert binary["grades"] == [0, 1]
    for given in (("2=1",), ("1=2,2=1", "--rel", "1"), ("1=2", "--map", "2=1", "--rel", "1")):
        mapped = json.loads(agreed(*PEOPLE, "--map", *given, "-f", "json").stdout)
        assert mapped["overall"] == binary["overall"]


def test_one_judgment_of_several(agreed: Callable[..., Done], judged: Path) -> None:
    done = agreed(*PEOPLE, "--aggregate", "dawid-skene", "-o", "out.txt")
    assert "settled after" in done.stdout
    assert "wrote out.txt and out.confidence.tsv" in done.stderr
    wanted = aggregate_labels(read_labels([str(judged / name) for name in PEOPLE]), "dawid-skene")
    assert Judgments.read(str(judged / "out.txt")).to_dict() == wanted.judgments.to_dict()
    assert (judged / "out.confidence.tsv").exists()
    votes = ("--aggregate", "majority", "--vote-ties", "higher", "-o", "votes.csv", "-f", "json")
    record = json.loads(agreed(*PEOPLE, *votes).stdout)["aggregated"]
    assert record["ties"] == "higher"
    assert record["tied"] > 0
    assert (judged / "votes.csv").read_text().startswith("query_id,doc_id,relevance")
    mean = agreed(*PEOPLE, "--aggregate", "mean", "-o", "mean.txt").stdout
    assert "mean grade" in mean


def test_a_model(agreed: Callable[..., Done], judged: Path) -> None:
    arguments = (*PEOPLE, "--model", "llm=llm.qrels", "--runs", "s*.run", "-m", "nDCG@10")
    text = agreed(*arguments, "--aggregate", "majority", "-o", "out.txt").stdout
    for heading in (
        "llm beside people",
        "What llm gave where people gave a grade",
        "Which systems llm favours",
        "Orders of systems",
        "no claim flips",  # on eight queries, nothing is significant
    ):
        assert heading in text
    assert text.startswith("3 judges")  # the model is none of the people
    found = json.loads(agreed(*arguments, "-f", "json").stdout)
    model = found["models"]["llm"]
    assert found["judges"] == ["ann", "bob", "eve"]
    assert len(found["pairs"]) == 6
    assert model["standing"]["kappa"]["verdict"] in ("less", "not told apart", "more")
    assert [row["system"] for row in model["effects"]["systems"]] == [f"s{k}" for k in range(5)]
    orders = model["effects"]["orders"]
    assert [(one["judge"], one["model"], one["panels"]) for one in orders] == [
        ("llm", True, 3),
        ("ann", False, 1),
        ("bob", False, 1),
        ("eve", False, 1),
    ]
    assert model["effects"]["lines"][0]["fitted"]
    assert len(model["effects"]["claims"]) == 10
    # People's judgments alone make the one judgment.
    wanted = aggregate_labels(read_labels([str(judged / name) for name in PEOPLE]))
    assert Judgments.read(str(judged / "out.txt")).to_dict() == wanted.judgments.to_dict()


def test_a_model_and_one_person(agreed: Callable[..., Done], judged: Path) -> None:
    options = ("--model", "llm.qrels", "--runs", "s0.run", "--runs", "s1.run", "--per-query")
    text = agreed("ann.qrels", *options).stdout
    assert "no two people judged the same" in text
    assert "Queries, the worst first" in text
    assert "without each of them" not in text
    assert "2 judges (llm: a model)" in text
    assert "all this is of them and llm" in text
    assert "With fewer than four systems" in text


def test_models_are_marked_and_shown_in_dispute(agreed: Callable[..., Done], judged: Path) -> None:
    text = agreed(*PEOPLE, "--model", "llm.qrels", "--disagreements", "3", "--confusion").stdout
    assert "ann    llm (model)" in text
    disputed = text[text.index("Documents in dispute") :].splitlines()
    assert disputed[2].split("  ")[0] == "query"
    assert "llm (model)" in disputed[2]
    assert "two of a document's grades; llm included" in text
    assert "Grades of ann (rows) by those of llm (model)" in text
    lean = text[text.index("How judges lean") : text.index("Grades of ann")]
    assert "llm" not in lean  # it is of people only


def test_the_confidence_that_is_asked_for(agreed: Callable[..., Done], judged: Path) -> None:
    model = ("--model", "llm=llm.qrels", "--runs", "s*.run", "-m", "P@5")
    options = ("--confidence", "0.8", "--resamples", "50", "-c", "kappa")
    text = agreed(*PEOPLE, *model, *options).stdout
    assert "95%" not in text
    assert "in brackets: 80% intervals by Student's t over 8 queries" in text
    assert "80% interval " in text
    found = json.loads(agreed(*PEOPLE, *options, "-f", "json").stdout)
    wanted = agree(
        read_labels([str(judged / name) for name in PEOPLE]),
        coefficients=["kappa"],
        confidence=0.8,
        resamples=50,
    ).overall["kappa"]
    assert found["overall"]["kappa"]["interval"] == [wanted.interval.low, wanted.interval.high]


def test_runs_without_a_model_are_compared_with_judging_noise(
    agreed: Callable[..., Done], judged: Path
) -> None:
    from cleverdon.agreement.noise import judging_noise

    arguments = (*PEOPLE, "--runs", "s0.run", "--runs", "s3.run", "-m", "nDCG@10", "-m", "AP")
    how = ("--baseline", "s0.run", "--primary", "AP", "--correction", "holm", "--level", "0.1")
    more = ("--aggregate", "median", "--vote-ties", "higher", "--seed", "3", "--resamples", "50")
    done = agreed(*arguments, *how, *more, "--tolerance", "0.3", "-f", "json")
    assert (done.returncode, done.stderr) == (0, "")
    expected = judging_noise(
        read_labels([str(judged / name) for name in PEOPLE]),
        [str(judged / "s0.run"), str(judged / "s3.run")],
        ["nDCG@10", "AP"],
        baseline="s0",
        primary="AP",
        correction="holm",
        level=0.1,
        aggregation="median",
        vote_ties="higher",
        tolerance=0.3,
        seed=3,
        resamples=50,
    )
    assert json.loads(done.stdout) == json.loads(expected.to_json())
    assert json.loads(done.stdout)["confidence"] == pytest.approx(0.9)
    rows = list(csv.DictReader(io.StringIO(agreed(*arguments, "-f", "csv").stdout)))
    assert [row["measure"] for row in rows] == ["nDCG@10", "AP"]
    for format in ("table", "markdown", "latex", "html"):
        assert "with judging noise" in agreed(*arguments, "-f", format).stdout


def test_runs_by_their_ranks(agreed: Callable[..., Done], judged: Path) -> None:
    """The rank column says the opposite of the scores."""
    (judged / "up.run").write_text("q00 Q0 d00 2 9 x\nq00 Q0 d01 1 1 x\n")
    (judged / "down.run").write_text("q00 Q0 d00 1 1 x\nq00 Q0 d01 2 9 x\n")
    (judged / "p.qrels").write_text("q00 0 d00 1\nq00 0 d01 0\n")
    (judged / "m.qrels").write_text("q00 0 d00 1\nq00 0 d01 0\n")
    options = ("--model", "m=m.qrels", "--runs", "up.run", "--runs", "down.run", "-m", "P@1")
    scores = {}
    for order in ("score", "rank"):
        found = json.loads(
            agreed("p.qrels", *options, "--order-by", order, "-f", "json", "-c", "kappa").stdout
        )
        systems = found["models"]["m"]["effects"]["systems"]
        scores[order] = [row["people"] for row in systems]
    assert scores == {"score": [1, 0], "rank": [0, 1]}


def test_no_input_is_overwritten(agreed: Callable[..., Done], judged: Path) -> None:
    (judged / "one.confidence.tsv").write_text((judged / "eve.qrels").read_text())
    done = agreed("ann.qrels", "one.confidence.tsv", "--aggregate", "mean", "-o", "one.txt")
    assert "would be overwritten" in done.stderr
    model = ("--model", "llm.qrels", "--runs", "s0.run", "--runs", "s1.run")
    done = agreed(*PEOPLE, *model, "--aggregate", "mean", "-o", "s0.run")
    assert "would be overwritten" in done.stderr


def test_two_judges_are_warned_of_dawid_and_skene(
    agreed: Callable[..., Done], judged: Path
) -> None:
    options = ("--aggregate", "dawid-skene", "-o", "out.txt")
    warning = "with fewer than three judges the data cannot tell"
    assert warning in agreed("ann.qrels", "bob.qrels", *options).stdout
    assert warning not in agreed(*PEOPLE, *options).stdout
    record = json.loads(agreed("ann.qrels", "bob.qrels", *options, "-f", "json").stdout)
    assert warning in record["aggregated"]["warnings"][0]
    smooth = json.loads(agreed(*PEOPLE, *options, "--smoothing", "1", "-f", "json").stdout)
    tables = [one["table"] for one in smooth["aggregated"]["judges"].values()]
    assert all(share > 0 for table in tables for row in table for share in row)


def test_a_grade_that_nobody_gave(agreed: Callable[..., Done], judged: Path) -> None:
    done = agreed(*PEOPLE, "--rel", "5")
    assert "--rel 5: every grade that was given is below 5" in done.stderr
    assert "all judges gave grade 0 throughout" in done.stdout
    assert (
        "--rel 0: every grade that was given is at least 0" in agreed(*PEOPLE, "--rel", "0").stderr
    )


def test_scales_of_many_grades(agreed: Callable[..., Done], judged: Path) -> None:
    """They can be made two, as the message says."""
    for name in ("x", "y"):
        lines = [f"q 0 d{grade} {grade}\n" for grade in range(150)]
        (judged / f"{name}.qrels").write_text("".join(lines))
    assert "150 different grades" in agreed("x.qrels", "y.qrels").stderr
    found = json.loads(agreed("x.qrels", "y.qrels", "--rel", "90", "-f", "json").stdout)
    assert found["overall"]["kappa"]["value"] == 1


def test_no_interval_is_promised_where_there_is_none(
    agreed: Callable[..., Done], judged: Path
) -> None:
    (judged / "x.qrels").write_text("q 0 d 1\n")
    (judged / "y.qrels").write_text("q 0 d 0\n")
    text = agreed("x.qrels", "y.qrels").stdout
    assert "in brackets" not in text
    assert "[" not in text


def test_assessors_and_tables(cleverdon: Command, tmp_path: Path) -> None:
    (tmp_path / "both.txt").write_text("q ann a 1\nq bob a 1\nq ann b 0\nq bob b 1\n")
    found = json.loads(cleverdon("agree", "both.txt", "--judge-column", "-f", "json").stdout)
    assert found["judges"] == ["ann", "bob"]
    assert found["overall"]["agreement"]["value"] == 0.5
    table = "judge,query_id,doc_id,grade\nann,q,a,0\nbob,q,a,0\n"
    text = cleverdon("agree", "-", stdin=table).stdout
    assert "all judges gave grade 0 throughout: agreement by chance is 1 as well" in text


def test_a_plot(agreed: Callable[..., Done], judged: Path) -> None:
    agreed(*PEOPLE, "--plot", "grades.json")
    spec = json.loads((judged / "grades.json").read_text())
    cells = spec["datasets"]["cells"]
    assert len(cells) == 3 * 9
    labels = read_labels([str(judged / name) for name in PEOPLE])
    table = agree(labels).pairs[0].confusion
    of_pair = [cell["count"] for cell in cells if cell["pair"] == "ann by bob"]
    assert of_pair == table.ravel().tolist()


def test_what_coefficients_are(agreed: Callable[..., Done]) -> None:
    listed = agreed("--list").stdout
    assert "alpha-ordinal" in listed
    told = agreed("--explain", "AC1").stdout
    assert "doi:10.1348/000711006X126600" in told
    assert "Undefined" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ann.qrels",), "there is one judge only, 'ann'"),
        (("ann.qrels", "none.qrels"), "none.qrels"),
        ((*PEOPLE, "--aggregate", "mean"), "go together"),
        ((*PEOPLE, "-o", "out.txt"), "go together"),
        ((*PEOPLE, "--aggregate", "mean", "-o", "ann.qrels"), "would be overwritten"),
        ((*PEOPLE, "--runs", "s0.run"), "give another run"),
        (("ann.qrels", "--runs", "s*.run"), "has one judge only"),
        ((*PEOPLE, "--runs", "s*.run", "--aggregate", "dawid-skene"), "take majority, median or"),
        ((*PEOPLE, "--runs", "s*.run", "-c", "kappa"), "--runs and --coefficient do not go"),
        ((*PEOPLE, "--runs", "s*.run", "--plot", "x.svg"), "--runs and --plot do not go"),
        ((*PEOPLE, "--runs", "s*.run", "--baseline", "s9"), "there is no system 's9'"),
        ((*PEOPLE, "--runs", "s*.run", "--resamples", "3"), "resamples=3"),
        ((*PEOPLE, "--runs", "s*.run", "--primary", "AP"), "primary='AP' is not among"),
        ((*PEOPLE, "--tolerance", "0.1"), "--tolerance goes with --runs"),
        (
            (*PEOPLE, "--model", "llm.qrels", "--runs", "s*.run", "--primary", "AP"),
            "--model and --primary do not go together",
        ),
        (
            (*PEOPLE, "--model", "llm.qrels", "--runs", "s*.run", "--aggregate", "mean"),
            "--aggregate and --model do not go together: it needs --output",
        ),
        ((*PEOPLE, "--model", "llm.qrels", "--runs", "s0.run"), "from two runs on"),
        ((*PEOPLE, "--model", "ann=llm.qrels"), "'ann' is a model and a judge"),
        (("a=ann.qrels", "a=bob.qrels"), "two judges are called 'a'"),
        ((*PEOPLE, "--vote-ties", "higher"), "--vote-ties goes with --aggregate"),
        (
            (*PEOPLE, "--aggregate", "mean", "-o", "o.txt", "--vote-ties", "higher"),
            "--vote-ties goes with",
        ),
        ((*PEOPLE, "--smoothing", "1"), "--smoothing goes with --aggregate dawid-skene"),
        ((*PEOPLE, "--resamples", "100000000000000000000"), "is not in the range"),
        ((*PEOPLE, "--disagreements", "100000000000000000000"), "is not in the range"),
        ((*PEOPLE, "--disagreements", "3", "-f", "csv"), "--disagreements goes with -f table"),
        ((*PEOPLE, "--map", "x"), "--map: expected grades such as"),
        ((*PEOPLE, "--qrels-format", "subtopics"), "judged subtopics"),
        ((*PEOPLE, "--map", "7=1"), "no judge gave the grade 7"),
        ((*PEOPLE, "-c", "kapa"), "did you mean 'kappa'"),
        ((*PEOPLE, "--plot", "x.gif"), "cannot be saved as '.gif'"),
        (("--explain", "nothing"), "there is no coefficient 'nothing'"),
        ((*PEOPLE, "--judge-column", "--qrels-format", "csv"), "the column of judges is of TREC's"),
    ],
)
def test_what_does_not_fit(
    agreed: Callable[..., Done], judged: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = agreed(*arguments)
    assert done.returncode != 0
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
