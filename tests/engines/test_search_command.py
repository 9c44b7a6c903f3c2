"""cleverdon search against a real index, in this process and behind a service of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import cleverdon as package
from cleverdon.engines.cli import complete_engine
from cleverdon.engines.configuration import _split_engine_name
from cleverdon.engines.protocol import Document
from tests.commands import Command
from tests.engines.service import Service, serving, write_index

WORDS = ["apple", "bread", "cheese", "date", "egg", "fig"]
TOPICS = "".join(f"q{number}\t{word}\n" for number, word in enumerate(WORDS))
CONFIGURATION = """
kind = "http"
url = "{url}/search?q={{query}}&k={{k}}"
ids = "$.hits[*].id"
scores = "$.hits[*].score"
"""

Start = Callable[..., Service]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an index and queries."""
    texts = [" ".join(WORDS[at % 6 :] + WORDS[: at % 4]) for at in range(20)]
    documents = [Document(f"d{at}", "", f"{text} {'jam ' * at}") for at, text in enumerate(texts)]
    write_index(tmp_path / "index.db", documents)
    (tmp_path / "topics.tsv").write_text(TOPICS)
    (tmp_path / "qrels.txt").write_text("".join(f"q{at} 0 d{at} 1\n" for at in range(6)))
    return tmp_path


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Starts a service that fails as told, and writes engine.toml for it."""
    with ExitStack() as stack:

        def started(*options: str) -> Service:
            service = stack.enter_context(serving(folder / "index.db", *options))
            (folder / "engine.toml").write_text(CONFIGURATION.format(url=service.url))
            return service

        yield started


SEARCH = ("search", "engine.toml", "topics.tsv", "-o", "my.run")


def without_times(said: str) -> list[str]:
    return [line for line in said.splitlines() if not line.startswith("median ")]


def test_a_run_that_is_evaluated_as_any_other(cleverdon: Command, folder: Path) -> None:
    arguments = ("bm25=sqlite:index.db", "topics.tsv", "-o", "bm25.run", "-k", "5")
    done = cleverdon("search", *arguments, "--concurrency", "3")
    assert (done.returncode, done.stdout) == (0, "")
    assert without_times(done.stderr) == [
        "bm25.run: 6 queries, 6 answered, 0 failed, 0 without results; 30 results",
        "next: cleverdon eval QRELS bm25.run",
    ]
    assert "while searching with 3 at a time" in done.stderr
    assert (folder / "bm25.run").read_text().splitlines()[0].split()[::5] == ["q0", "bm25"]
    found = cleverdon("eval", "qrels.txt", "bm25.run", "-m", "R@5", "-f", "json")
    scores = package.evaluate_engines(
        {"bm25": f"sqlite:{folder / 'index.db'}"},
        folder / "topics.tsv",
        folder / "qrels.txt",
        "R@5",
        k=5,
    )
    assert json.loads(found.stdout)["means"] == scores.to_dict()


def test_the_bar_moves_with_each_answer(
    cleverdon: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []

    @contextmanager
    def noted(label: str) -> Iterator[Callable[[str, int, int], None]]:
        assert label == "searching"
        yield lambda step, done, total: told.append((done, total))

    monkeypatch.setattr("cleverdon._common.progress_bar.bar", noted)
    assert cleverdon("search", "sqlite:index.db", "topics.tsv", "-o", "my.run").returncode == 0
    assert told == [(done, 6) for done in range(1, 7)]


def test_standard_output_and_input(cleverdon: Command, folder: Path) -> None:
    arguments = ("search", "sqlite:index.db", "-", "-k", "2", "-o")
    piped = cleverdon(*arguments, "-", stdin=TOPICS)
    cleverdon(*arguments, "my.run", stdin=TOPICS)
    assert piped.stdout == (folder / "my.run").read_text()
    assert piped.stderr.startswith("run: 6 queries, 6 answered")
    assert {file.name for file in folder.glob("-*")} == set()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fail-every", "3", "--status", "503", "--retry-after", "0"), "asked again: overloaded"),
        (("--fail-every", "3", "--status", "500"), "asked again: server"),
        (("--drop-every", "3"), "asked again: connection"),
    ],
)
def test_what_passes_is_asked_again(
    cleverdon: Command,
    folder: Path,
    start: Start,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.setattr("cleverdon.engines.client.random.Random.random", lambda self: -1.0)
    service = start(*options)
    done = cleverdon(*SEARCH, "--concurrency", "2")
    assert (done.returncode, said in done.stderr) == (0, True), done.stderr
    retries = service.requests - 6
    assert retries >= 2  # asked by Cleverdon, and by nobody behind its back
    record = json.loads((folder / "my.run.search.json").read_text())
    assert sum(record["retries"].values()) == retries
    cleverdon("search", "engine=sqlite:index.db", "topics.tsv", "-o", "other.run")
    assert package.Run.read(folder / "my.run").queries == [f"q{at}" for at in range(6)]
    assert (folder / "my.run").read_text() == (folder / "other.run").read_text()


def test_queries_that_fail_and_are_asked_again(
    cleverdon: Command, folder: Path, start: Start
) -> None:
    service = start("--fail-every", "3", "--status", "400")
    first = cleverdon(*SEARCH, "--concurrency", "1")
    assert first.returncode == 1
    assert first.stderr.startswith(
        "cleverdon: error: 2 of 6 queries failed: q2, q5 (refused: 400: "
    )
    assert "run it again to ask only for those" in first.stderr
    assert not (folder / "my.run").exists()
    second = cleverdon(*SEARCH)
    assert (second.returncode, service.requests) == (0, 8)
    assert "4 answers of these from before the last stop" in second.stderr
    cleverdon("search", "engine=sqlite:index.db", "topics.tsv", "-o", "other.run")
    assert (folder / "my.run").read_bytes() == (folder / "other.run").read_bytes()
    assert {file.name for file in folder.glob("my.*")} == {"my.run", "my.run.search.json"}


def test_failed_queries_can_be_allowed(cleverdon: Command, folder: Path, start: Start) -> None:
    start("--malformed-every", "4")
    done = cleverdon(*SEARCH, "--concurrency", "1", "--allow-failed")
    assert done.returncode == 0
    assert "cleverdon: warning: 1 of 6 queries failed: q3 (malformed: " in done.stderr
    assert "6 queries, 5 answered, 1 failed, 0 without results" in done.stderr
    record = json.loads((folder / "my.run.search.json").read_text())
    assert (record["whole"], list(record["failed"])) == (False, ["q3"])
    assert "q3" not in package.Run.read(folder / "my.run")


def test_an_interrupt_and_going_on(cleverdon: Command, folder: Path, start: Start) -> None:
    service = start("--delay", "0.2")
    script = str(Path(sys.executable).parent / "cleverdon")
    process = subprocess.Popen(
        [script, *SEARCH, "--concurrency", "1"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    journal, until = folder / "my.run.journal", time.monotonic() + 30
    while time.monotonic() < until and not (
        journal.exists() and journal.read_bytes().count(b"\n") > 1
    ):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=10)[1]
    assert process.returncode == 130
    assert "of 6 queries asked, and what was answered is kept in my.run.journal; the same" in said
    assert said.splitlines()[-1] == "cleverdon: error: interrupted"
    assert not (folder / "my.run").exists()
    kept, asked = journal.read_bytes().count(b"\n") - 1, service.requests
    assert 1 <= kept < 6
    assert cleverdon(*SEARCH).returncode == 0
    assert service.requests - asked == 6 - kept


def test_a_journal_of_another_search(cleverdon: Command, folder: Path, start: Start) -> None:
    start("--fail-every", "5", "--status", "400")
    cleverdon(*SEARCH, "--concurrency", "1")
    other = cleverdon(*SEARCH, "-k", "7")
    assert other.returncode == 1
    assert other.stderr == (
        "cleverdon: error: my.run.journal: was begun with k 100, and now it is 7; do as before, or "
        "begin anew with --fresh (fresh=True in Python), which drops 5 answers\n"
    )
    anew = cleverdon(*SEARCH, "-k", "7", "--fresh", "--allow-failed")
    assert (anew.returncode, "from before" in anew.stderr) == (0, False)
    assert json.loads((folder / "my.run.search.json").read_text())["settings"]["k"] == 7


def test_the_engines_own_order(cleverdon: Command, folder: Path) -> None:
    cleverdon("search", "sqlite:index.db", "topics.tsv", "-o", "my.run", "--scores", "rank")
    scores = [float(line.split()[4]) for line in (folder / "my.run").read_text().splitlines()]
    assert scores[:3] == [scores[0], scores[0] - 1, scores[0] - 2]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("sqlite:index.db", "topics.tsv", "-o", "no/my.run"), 2, "there is no folder 'no'"),
        (("sqlite:index.db", "topics.tsv", "-o", "topics.tsv"), 2, "would be overwritten"),
        (("sqlit:index.db", "topics.tsv", "-o", "my.run"), 1, "did you mean 'sqlite'"),
        (("sqlite:other.db", "topics.tsv", "-o", "my.run"), 1, "other.db"),
        (("sqlite:index.db", "none.tsv", "-o", "my.run"), 1, "none.tsv"),
        (("sqlite:index.db", "topics.tsv"), 2, "'-o'"),
    ],
)
def test_mistakes(
    cleverdon: Command, folder: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = cleverdon("search", *arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.startswith("cleverdon: error: ")
    assert not (folder / "my.run").exists()


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a.b-c=sqlite:x=y.db", "a.b-c"),
        ("old=engine.toml", "old"),
        ("es=elasticsearch+http://localhost:9200/docs?q=1", "es"),
        ("solr+http://localhost/solr/docs?fq=type:page", ""),
        ("x=y.db", ""),
        ("two words=sqlite:index.db", "two words"),
    ],
)
def test_names_of_engines(given: str, name: str) -> None:
    assert _split_engine_name(given) == (name, given.removeprefix(f"{name}=") if name else given)


def test_a_file_whose_name_has_the_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a=b.toml").touch()
    assert _split_engine_name("a=b.toml") == ("", "a=b.toml")


def test_completion_of_engines() -> None:
    import click

    from cleverdon.engines.cli import search_command

    for start, engine in (("sol", "solr+http://"), ("sqli", "sqlite:")):
        found = complete_engine(click.Context(search_command), search_command.params[0], start)
        assert [(item.value, item.type) for item in found] == [(engine, "plain"), (start, "file")]


ENGINES = """
import sys, time

def search(query, k):
    return [(f"{query}-{rank}", 1 / rank) for rank in (1, 2, 3)][:k]

def slow(query, k):
    time.sleep(60)

if __name__ == "__main__":
    for line in sys.stdin:
        query_id, query = line.rstrip().split("\\t")
        for doc, score in search(query, 3):
            print(query_id, "Q0", doc, 0, score, "me")
"""


def test_functions_and_commands_give_the_same_run(
    cleverdon: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))  # to which the folder is added
    (folder / "engines_of_a_test.py").write_text(ENGINES)
    for engine in (
        "python:engines_of_a_test:search",
        f"command:{sys.executable} engines_of_a_test.py",
    ):
        done = cleverdon("search", f"mine={engine}", "topics.tsv", "-o", f"{engine[:6]}.run")
        assert done.returncode == 0, done.stderr
    assert "all in one call of" in done.stderr
    assert (folder / "python.run").read_bytes() == (folder / "comman.run").read_bytes()


def test_a_function_that_never_returns_does_not_keep_the_command(
    cleverdon: Command, folder: Path
) -> None:
    (folder / "engines_of_a_test.py").write_text(ENGINES)
    arguments = ("python:engines_of_a_test:slow", "topics.tsv", "-o", "my.run")
    done = cleverdon("search", *arguments, "--timeout", "50ms", "--tries", "1", alone=True)
    assert done.returncode == 1
    assert "6 of 6 queries failed: q0, q1, q2, q3, q4 (timeout: no answer within" in done.stderr
    assert "there is nothing to write" in done.stderr
