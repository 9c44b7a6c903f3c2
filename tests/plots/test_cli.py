"""cleverdon plot: every kind as a file, and what is said where it cannot be drawn."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cleverdon import plots as cleverdon_plots
from cleverdon.charts.theme import config
from cleverdon.cli import main
from cleverdon.comparison.differences import compare
from cleverdon.plots import cli, comparisons
from cleverdon.plots.cli import _FOR_SOME, _KEYWORDS, _Plot, plot_command
from cleverdon.plots.kinds import PLOT_KINDS
from tests.commands import Command

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = tuple(str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run"))
NEEDED = {
    "precision-recall": ["--query", "q2"],
    "queries": ["--system", "dense"],
    "trade-off": ["-m", "AP", "-m", "RR"],
    "pareto": ["--costs", str(EXAMPLES / "bm25.bench.json")],
}
"""What some kinds cannot do without."""


@pytest.fixture
def inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """As `cleverdon` in an empty folder, but in this process, which has loaded altair already."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["cleverdon", *words])
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return subprocess.CompletedProcess(words, int(end.value.code or 0), said.out, said.err)

    return run


def called(name: str, *more: str) -> list[str]:
    """The words of a command that draws this."""
    files = () if PLOT_KINDS[name].of == "measures" else FILES
    return ["plot", name, *files, *NEEDED.get(name, []), *more]


def spec(inside: Command, folder: Path, *words: str) -> dict[str, Any]:
    """What a command draws, as a specification."""
    done = inside(*words, "-o", "made.json")
    assert (done.returncode, done.stdout) == (0, "made.json is written\n"), done.stderr
    found: dict[str, Any] = json.loads((folder / "made.json").read_text("utf-8"))
    return found


def title(found: dict[str, Any]) -> str:
    text: str = found["title"]["text"]
    return text


def test_every_plot_is_a_kind_and_listed(inside: Command) -> None:
    assert {name.replace("-", "_") for name in PLOT_KINDS} == set(cleverdon_plots.__all__) - {
        "save"
    }
    for words in (["plot"], ["plot", "--list"]):
        done = inside(*words)
        assert (done.returncode, done.stderr) == (0, "")
        listed = [line.split("  ", 1) for line in done.stdout.splitlines()]
        assert [name for name, _ in listed] == list(PLOT_KINDS)
        assert [about.strip() for _, about in listed] == [
            kind.about for kind in PLOT_KINDS.values()
        ]
        assert max(map(len, done.stdout.splitlines())) <= 100


def plot_of(name: str) -> _Plot:
    return _Plot(name, PLOT_KINDS[name], getattr(cleverdon_plots, name.replace("-", "_")))


@pytest.mark.parametrize("name", PLOT_KINDS)
def test_options_give_every_parameter_that_is_required(name: str) -> None:
    plot = plot_of(name)
    assert set(plot.compared) <= set(inspect.signature(compare).parameters)
    first = 0 if plot.kind.of == "measures" else 1
    required = list(inspect.signature(plot.draw).parameters)[first:]
    assert {word for word in required if plot.is_required(word)} <= set(plot.keywords)
    assert set(plot.kind.defaults) <= plot.options <= {one.name for one in plot_command.params}


def test_the_tables_fit_each_other() -> None:
    plots = [plot_of(name) for name in PLOT_KINDS]
    assert {word for plot in plots for word in plot.keywords} == set(_KEYWORDS)
    assert set().union(*(plot.options for plot in plots)) == _FOR_SOME
    assert cli._SHOWN == comparisons._SHOWN


def test_an_old_name_of_a_kind_works_with_a_note(inside: Command) -> None:
    done = inside("plot", "topics", *called("queries")[2:])
    assert (done.returncode, done.stdout) == (0, "queries.svg is written\n")
    assert done.stderr == (
        "cleverdon: note: the plot topics is called queries now; "
        "the old name works for one more release\n"
    )


@pytest.mark.parametrize("name", PLOT_KINDS)
def test_every_kind_is_drawn(name: str, inside: Command, tmp_path: Path) -> None:
    done = inside(*called(name))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{name}.svg is written\n"
    tree = ElementTree.parse(tmp_path / f"{name}.svg")
    assert any(text.strip() for text in tree.getroot().itertext())


def test_systems_are_chosen(inside: Command, tmp_path: Path) -> None:
    """Every kind that draws systems takes --system; a comparison has its baseline in any case."""
    without = {"attention", "gains", "correlation"}
    assert {name for name in PLOT_KINDS if "systems" not in plot_of(name).options} == without
    forest = spec(
        inside, tmp_path, *called("forest", "--system", "dense", "--baseline", "bm25", "-m", "AP")
    )
    assert [row["system"] for row in forest["datasets"]["differences"]] == ["dense"]
    roc = spec(inside, tmp_path, *called("roc", "--system", "dense"))
    assert {row["system"] for row in roc["datasets"]["corners"]} == {"dense"}


def test_more_systems_than_can_be_told_apart(inside: Command, tmp_path: Path) -> None:
    names = [f"run{n:02}" for n in range(16)]
    runs = [f"{name}={FILES[1]}" for name in names]
    words = ["plot", "eleven-points", FILES[0], *runs]
    drawn = spec(inside, tmp_path, *words, "--baseline", "run15")
    assert {row["system"] for row in drawn["datasets"]["levels"]} == {*names[:14], "run15"}
    assert "cleverdon plot --system" in " ".join(drawn["title"]["subtitle"])
    done = inside(*words, *(word for name in names for word in ("--system", name)))
    assert done.returncode == 1
    assert "choose 15 at most (--system" in done.stderr


def test_endings_and_the_dark(inside: Command, tmp_path: Path) -> None:
    starts = {"made.png": b"\x89PNG", "made.pdf": b"%PDF", "made.html": b"<!DOCTYPE html>"}
    for name, start in starts.items():
        done = inside("plot", "gains", "-m", "DCG", "-o", name)
        assert done.stdout == f"{name} is written\n"
        assert (tmp_path / name).read_bytes()[: len(start)].upper() == start.upper()
    assert spec(inside, tmp_path, "plot", "gains")["config"] == config("light")
    assert spec(inside, tmp_path, "plot", "gains", "--dark")["config"] == config("dark")


def test_options_get_where_they_belong(inside: Command, tmp_path: Path) -> None:
    def made(*words: str) -> dict[str, Any]:
        return spec(inside, tmp_path, *words)

    words = called("queries", "--baseline", "median", "-m", "map")
    assert title(made(*words)) == "AP of dense, less that of the median of all systems, by query"
    assert title(made(*called("heat-map", "--baseline", "bm25", "-m", "RR"))) == (
        "Gains and losses of RR over bm25"
    )
    assert title(made(*called("pairs", "--show", "d", "--test", "t"))) == (
        "Cohen's d_z of all pairs by nDCG@10"
    )
    forest = made(*called("forest", "-m", "AP", "-m", "RR", "--baseline", "bm25"))
    assert title(forest) == "Differences to bm25"
    assert {row["measure"] for row in forest["datasets"]["differences"]} == {"AP", "RR"}
    trade_off = made(*called("trade-off"))
    assert title(trade_off) == "RR against AP"
    attention = made("plot", "attention", "-m", "RBP", "-k", "5")["datasets"]["weights"]
    assert [row["rank"] for row in attention] == [1, 2, 3, 4, 5]
    lines = made(*called("by-cutoff", "-m", "P", "-k", "1", "-k", "3"))
    assert {row["k"] for row in lines["datasets"]["means"]} == {1, 3}
    grades = made(*called("grades-by-rank", "-k", "2", "--system", "dense"))["datasets"]["cells"]
    assert {row["band"] for row in grades} == {"1-2", "not in 1-2"}
    assert {row["system"] for row in grades} == {"dense"}
    counted = made(*called("confusion", "--rel", "2", "-k", "3", "--docs", "30"))
    assert "first 3 results. Relevant: grade 2" in counted["title"]["subtitle"]
    assert "unknown" not in {row["text"] for row in counted["datasets"]["cells"]}


def test_queries_have_texts(inside: Command, tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("q1\tfirst of all\nq2\tnot <b>first</b>\n")
    texts = ("--queries", "queries.tsv")
    drawn = spec(inside, tmp_path, *called("precision-recall", *texts))
    assert drawn["title"]["subtitle"][0] == "Query q2: not <b>first</b>"
    bars = spec(inside, tmp_path, *called("queries", *texts))["datasets"]["queries"]
    assert {row["about"] for row in bars} == {
        "q1: first of all",
        "q2: not <b>first</b>",
        "q3",
        "q4",
    }


def test_settings_and_names_are_those_of_other_commands(inside: Command, tmp_path: Path) -> None:
    qrels, bm25, _ = FILES
    words = ["plot", "spread", qrels, f"mine={bm25}", "-m", "P_5", "--profile", "trec_eval-9"]
    drawn = spec(inside, tmp_path, *words)
    assert [box["system"] for box in drawn["datasets"]["boxes"]] == ["mine"]
    assert title(drawn) == "P@5 by query"


def test_a_run_may_be_standard_input_and_the_only_system(cleverdon: Command) -> None:
    qrels, bm25, _ = FILES
    run = Path(bm25).read_text()
    done = cleverdon("plot", "queries", qrels, "-", "-o", "made.json", stdin=run)
    assert (done.returncode, done.stdout, done.stderr) == (0, "made.json is written\n", "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plot", "rok", *FILES], "there is no plot 'rok'; did you mean 'roc'?"),
        (["plot", FILES[0]], "cleverdon plot --list names all"),
        (["plot", "roc"], "roc needs files: QRELS RUN..."),
        (["plot", "roc", FILES[0]], "roc needs files: QRELS RUN..."),
        (
            called("roc", "--show", "d"),
            "roc does not take --show; it takes --system, --baseline, --query, --queries",
        ),
        (called("spread", "--test", "t"), "spread does not take --test; it takes --measure"),
        (called("pairs", "--baseline", "bm25"), "pairs does not take --baseline"),
        (called("eleven-points", "-m", "AP"), "eleven-points does not take --measure"),
        (called("attention", "--ties", "worst"), "attention does not take --ties"),
        (["plot", "gains", *FILES], "gains is drawn from measures alone, and takes no files"),
        (called("spread", "-m", "AP", "-m", "RR"), "spread takes --measure once"),
        (called("f-lines", "-k", "3", "-k", "5"), "f-lines takes --cutoff once"),
        (["plot", "trade-off", *FILES], "trade-off needs --measure twice"),
        (["plot", "trade-off", *FILES, "-m", "AP"], "trade-off takes --measure twice"),
        (["plot", "queries", *FILES], "queries needs --system once"),
        (["plot", "precision-recall", *FILES], "precision-recall needs --query"),
        (called("roc", "-o", "nowhere/roc.svg"), "there is no folder 'nowhere'"),
        (["plot", "roc", "-", "-"], "only one of QRELS and RUNS can be standard input"),
    ],
)
def test_misuse_is_said_in_one_line(words: list[str], message: str, inside: Command) -> None:
    done = inside(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (called("roc", "-o", "roc.gif"), "roc.gif: a plot cannot be saved as '.gif'"),
        (called("histogram", "-m", "nope"), "there is no measure 'nope'"),
        (called("histogram", "--system", "bm52"), "did you mean 'bm25'?"),
        (called("differences", "--baseline", "bm52"), "did you mean 'bm25'?"),
        (called("roc", "--query", "q9"), "there is no query 'q9'; did you mean"),
        (called("correlation", "-m", "AP"), "there is only one measure"),
        (["plot", "roc", "none.txt", FILES[1]], "none.txt: there is no such file"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_line(
    words: list[str], message: str, inside: Command, tmp_path: Path
) -> None:
    done = inside(*words)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def shown() -> list[list[str]]:
    """Every command that the guide shows."""
    guide = (EXAMPLES.parent / "docs" / "plots.md").read_text("utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", guide, flags=re.DOTALL)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]


def test_the_guide_shows_every_kind() -> None:
    assert {words[1] for words in shown()} == set(PLOT_KINDS)


@pytest.mark.parametrize("words", shown(), ids=" ".join)
def test_commands_of_the_guide(words: list[str], inside: Command, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(EXAMPLES)
    assert spec(inside, tmp_path, *words)["datasets"]


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_library_is_named_before_anything_is_read(package: str, tmp_path: Path) -> None:
    (tmp_path / f"{package}.py").write_text("raise ImportError('as if it were not installed')")
    code = "from cleverdon.cli import main; main()"
    words = ["plot", "spread", "none.txt", FILES[1]]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "pip install 'cleverdon[plots]'" in done.stderr


@pytest.mark.parametrize("given", [["R R R"], [*FILES[:2], "--query", "q2"]])
def test_points_of_precision_and_recall_name_documents(given: list[str], inside: Command) -> None:
    assert inside("plot", "precision-recall", *given, "-o", "p.json").returncode == 0
    sets = json.loads(Path("p.json").read_text())["datasets"].values()
    ranked = [row for rows in sets for row in rows if "rank" in row and "document" in row]
    assert max(row["rank"] for row in ranked) > 1
    assert all(row["document"] for row in ranked)


def test_a_roc_curve_says_that_the_size_of_the_collection_is_ignored(inside: Command) -> None:
    assert inside("plot", "roc", "R N R docs=50", "-o", "p.json").returncode == 0
    assert "Judged documents only; docs=50 is ignored." in Path("p.json").read_text()
