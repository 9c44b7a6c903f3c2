"""cleverdon bench: loads on functions in this process by a made clock, and what is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest

from cleverdon.costs import read_costs
from cleverdon.engines.cli import Duration
from cleverdon.engines.load.bench import _query_mix
from cleverdon.engines.load.cli import Rates
from cleverdon.engines.load.workload import LoadOptions
from tests.commands import Command
from tests.engines.load.fake_clock import use_made_time

ENGINE = '''
import asyncio, signal

asked = 0

async def search(query, k):
    """Finds what the query says."""
    await asyncio.sleep(0.002)
    return [(word, float(k - at)) for at, word in enumerate(query.split()[:k])]

async def broken(query, k):
    raise ConnectionError("nobody there")

async def breaking(query, k):
    """Answers once, and never again."""
    global asked
    asked += 1
    return [] if asked == 1 else await broken(query, k)

async def interrupted(query, k):
    """Ctrl-C, after a while."""
    global asked
    asked += 1
    if asked == 100:
        signal.raise_signal(signal.SIGINT)
    return await search(query, k)
'''
SHORT = ("--seconds", "4", "--rate", "50")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Queries, judgments, traffic and an engine."""
    (tmp_path / "bench_engine.py").write_text(ENGINE)
    (tmp_path / "topics.tsv").write_text("q1\tsolar power\nq2\twind power\nq3\tcoal\n")
    (tmp_path / "qrels.txt").write_text("q1 0 solar 1\nq2 0 power 1\nq3 0 gas 1\n")
    (tmp_path / "traffic.tsv").write_text("solar power\t90\ncoal\t10\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "bench_engine", raising=False)
    use_made_time(monkeypatch)
    return tmp_path


def test_a_load_with_scores_and_files(cleverdon: Command, folder: Path) -> None:
    done = cleverdon(
        *("bench", "mine=python:bench_engine:search", "topics.tsv", *SHORT),
        *("--qrels", "qrels.txt", "-m", "P@1", "-m", "nDCG@100", "--index-size"),
        *("--json", "out.json", "--hdr", "out.hdr", "--plot", "out.svg"),
    )
    assert done.returncode == 0, done.stderr
    for part in ("mine: 50/s (open loop, Poisson arrivals)", "p99", "P@1", "0.3333", "lag p99"):
        assert part in done.stdout
    assert "10 results were asked for (-k), and a measure looks at 100" in done.stdout
    assert "mine cannot tell the size of its index" in done.stdout
    record = json.loads((folder / "out.json").read_text("utf-8"))
    assert record["kind"] == "cleverdon bench"
    assert record["quality"]["P@1"] == pytest.approx(1 / 3)
    assert record["run"]["q1"] == {"solar": 10.0, "power": 9.0}
    assert record["settings"]["load"]["rate"] == 50
    assert record["settings"]["machine"]["cores"] >= 1
    costs = read_costs(folder / "out.json")
    assert costs.by_name["p50"].value == pytest.approx(0.002, abs=2e-6)
    assert (folder / "out.hdr").read_text().startswith("#[Histogram log")
    assert (folder / "out.svg").read_text().startswith("<svg")


def test_a_closed_loop_and_traffic(cleverdon: Command, folder: Path) -> None:
    done = cleverdon(
        *("bench", "python:bench_engine:search", "topics.tsv", "--traffic", "traffic.tsv"),
        *("--clients", "2", "--seconds", "1", "--warmup", "0", "-f", "markdown"),
    )
    assert done.returncode == 0, done.stderr
    assert "2 clients (closed loop)" in done.stdout
    assert "hides stalls" in done.stdout
    assert "1 of the queries are not in the traffic" in done.stdout


def test_a_sweep(cleverdon: Command, folder: Path) -> None:
    done = cleverdon(
        *("bench", "python:bench_engine:search", "topics.tsv", "--sweep", "20,60"),
        *("--limit-p99", "5s", "--level", "0.01", "-f", "json"),
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert [step["rate"] for step in record["sweep"]["steps"]] == [20, 60]
    assert record["costs"]["knee"]["value"] == 60
    assert record["sweep"]["goal"]["p99"] == 5
    assert record["sweep"]["steps"][0]["response"]["confidence"] == 0.99
    assert record["settings"]["load"]["rates"] == [20, 60]


def test_two_engines_in_turn(cleverdon: Command, folder: Path) -> None:
    done = cleverdon(
        *("bench", "new=python:bench_engine:search", "topics.tsv", "--rate", "50"),
        *("--versus", "old=python:bench_engine:search", "--blocks", "2", "--block", "1"),
        *("--json", "out.json"),
    )
    assert done.returncode == 0, done.stderr
    settings = json.loads((folder / "out.json").read_text("utf-8"))["settings"]
    assert settings["versus"] == {"name": "old", **settings["engine"]}
    assert "versus" not in settings["load"]  # as it was given, it may hold a password
    assert "new against old: 50/s" in done.stdout
    assert "too few to tell a difference from chance" in done.stdout


def test_cold_and_warm(cleverdon: Command, folder: Path) -> None:
    given = ("bench", "python:bench_engine:search", "topics.tsv", "--cold")
    done = cleverdon(*given)
    assert done.returncode == 0, done.stderr
    assert "caches were not emptied" in done.stdout
    done = cleverdon(*given, "--before-cold", "echo emptied > done.txt", "--repetitions", "2")
    assert "after the command that was given had been run" in done.stdout
    assert (folder / "done.txt").exists()
    done = cleverdon(*given, "--before-cold", "echo no such service >&2; exit 4")
    assert done.returncode == 1
    assert "ended with 4: no such service" in done.stderr
    assert "--before-cold" in cleverdon(*given, "--repetitions", "2").stderr


def test_a_soak(cleverdon: Command, folder: Path) -> None:
    done = cleverdon(
        *("bench", "python:bench_engine:search", "topics.tsv", *SHORT, "--soak"),
        *("--window", "500ms"),
    )
    assert done.returncode == 0, done.stderr
    assert "p99: no drift is shown" in done.stdout
    assert "8 windows of 500 ms" in done.stdout


def test_what_is_not_valid_has_an_exit_code(cleverdon: Command, folder: Path) -> None:
    done = cleverdon("bench", "python:bench_engine:breaking", "topics.tsv", *SHORT)
    assert done.returncode == 3
    assert "NOT VALID: no request was answered" in done.stdout
    assert "nobody there" in done.stdout
    done = cleverdon("bench", "python:bench_engine:broken", "topics.tsv", "--cold")
    assert done.returncode == 3
    assert "NOT VALID: no query was answered both times" in done.stdout


@pytest.mark.parametrize("more", [(), ("--sweep", "5,9"), ("--versus", "b=python:bench_engine:b")])
def test_an_engine_that_answers_nothing_gets_no_load(
    cleverdon: Command, folder: Path, more: tuple[str, ...]
) -> None:
    done = cleverdon("bench", "mine=python:bench_engine:broken", "topics.tsv", *more)
    assert (done.returncode, done.stdout) == (1, "")
    if not more or more[0] == "--sweep":
        assert "mine answers no query" in done.stderr
        assert "nobody there" in done.stderr


def test_what_was_measured_is_shown_though_a_file_cannot_be_written(
    cleverdon: Command, folder: Path
) -> None:
    given = ("bench", "python:bench_engine:breaking", "topics.tsv", *SHORT)
    done = cleverdon(*given, "--json", "out.json", "--plot", "out.svg")
    assert done.returncode == 1
    assert "no times to draw" in done.stderr
    assert "NOT VALID" in done.stdout
    assert (folder / "out.json").exists()


def test_ctrl_c_shows_and_writes_what_there_is(cleverdon: Command, folder: Path) -> None:
    done = cleverdon(
        *("bench", "python:bench_engine:interrupted", "topics.tsv", "--rate", "50"),
        *("--warmup", "0", "--qrels", "qrels.txt", "--json", "out.json"),
    )
    assert done.returncode == 130
    assert "Interrupted: this is what was measured until then" in done.stdout
    record = json.loads((folder / "out.json").read_text("utf-8"))
    assert record["interrupted"]
    assert 90 <= record["load"]["answered"] <= 100


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "give QUERIES, --traffic or --log"),
        (("topics.tsv", "--cold", "--soak"), "--cold and --soak do not go together"),
        (("topics.tsv", "--sweep", "1:2", "--clients", "3"), "--clients is a closed loop"),
        (("topics.tsv", "--log", "x"), "a log brings its own queries"),
        (("--traffic", "traffic.tsv", "--qrels", "qrels.txt"), "--qrels goes with QUERIES"),
        (("topics.tsv", "--qrels", "qrels.txt", "--cold"), "--qrels and --cold do not go together"),
        (("topics.tsv", "--before-cold", "true"), "--before-cold goes with --cold"),
        (("topics.tsv", "--pid", "1"), "--pid goes with --soak"),
        (("topics.tsv", "--cold", "--hdr", "x.hdr"), "--cold and --hdr do not go together"),
        (("topics.tsv", "--limit-p99", "1s"), "--limit-p99 goes with --sweep"),
        (("topics.tsv", "--blocks", "5"), "--blocks goes with --versus"),
        (("topics.tsv", "--window", "5"), "--window goes with --soak"),
        (("topics.tsv", "--sweep", "5", "--rate", "9"), "--sweep has its own"),
        (("topics.tsv", "--versus", "x", "--seconds", "9"), "--blocks and --block set the length"),
        (
            ("topics.tsv", "--clients", "2", "--rate", "9"),
            "--clients is a closed loop",
        ),
        (("topics.tsv", "-m", "P@1"), "--measure goes with --qrels"),
        (("topics.tsv", "--rate", "nan"), "'nan' is not a finite number"),
        (("topics.tsv", "--level", "nan"), "'nan' is not a finite number"),
        (("topics.tsv", "--rate", "0.001"), "less than one within 30 s"),
        (("topics.tsv", "--sweep", "5:10:99999999999"), "a sweep is over 1 to 50 rates"),
        (("topics.tsv", "--rate", "1e6"), "more than one sender can send"),
        (
            ("topics.tsv", "--rate", "5000", "--seconds", "10h"),
            "this would be 180,025,000 requests",
        ),
        (("topics.tsv", "--seconds", "10000h"), "more than a week"),
        (("topics.tsv", "--clients", "99999"), "99,999 clients"),
        (("topics.tsv", "--json", "nowhere/x.json"), "no folder"),
        (("topics.tsv", "--json", "topics.tsv"), "would be overwritten"),
        (("topics.tsv", "--seconds", "soon"), "'soon' is not a time"),
        (("topics.tsv", "--sweep", "9:3"), "expected rates as in"),
    ],
)
def test_what_is_refused(
    cleverdon: Command, folder: Path, given: tuple[str, ...], said: str
) -> None:
    done = cleverdon("bench", "python:bench_engine:search", *given)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_help_tells_the_exit_codes(cleverdon: Command) -> None:
    told = " ".join(cleverdon("bench", "--help-all").stdout.split())
    assert "the exit code is 3" in told
    assert "the exit code is 130" in told


def test_values() -> None:
    times = [Duration().convert(text, None, None) for text in ("30", "50ms", "2min", "1h", "850us")]
    assert times == pytest.approx([30, 0.05, 120, 3600, 0.00085])
    with pytest.raises(click.BadParameter, match="not a finite time"):
        Duration().convert("1e999", None, None)
    assert Rates().convert("50:800:5", None, None) == (50, 100, 200, 400, 800)
    assert len(Rates().convert("50:800", None, None)) == 7
    assert Rates().convert("200,50", None, None) == (50, 200)


def test_a_notice_of_what_goes_elsewhere() -> None:
    class Elsewhere:
        def __init__(self, **settings: object) -> None:
            self.settings = settings

    def told(*, clients: int | None = None, **settings: object) -> str:
        load = LoadOptions(rate=10, clients=clients)
        return load.traffic_notice(Elsewhere(**settings))  # type: ignore[arg-type]

    assert told(url="http://search.example.org/find") == (
        "cleverdon: about 350 requests to search.example.org"
    )
    assert told(connection={"host": "db.example.org"}).endswith("to db.example.org")
    for here in ("http://localhost:9200/x", "http://127.0.0.1/x", "http://[::1]:80/"):
        assert told(url=here) == ""
    assert told(connection={"host": "/var/run/postgresql"}) == ""
    assert "4 clients" in told(clients=4, url="http://a.example/")


def test_queries_of_a_log(tmp_path: Path) -> None:
    lines = [
        {"query_id": str(at), "user": f"u{at}", "time": 1700000000000 + at, "text": text}
        for at, text in enumerate(["solar", "solar", "wind", "solar", "coal", "coal"])
    ]
    log = tmp_path / "queries.jsonl"
    log.write_text("\n".join(map(json.dumps, lines)))
    mix = _query_mix(None, logs=(str(log),), top=2)
    assert mix.texts == ("solar", "coal")
    assert mix.shares.tolist() == pytest.approx([0.6, 0.4])
