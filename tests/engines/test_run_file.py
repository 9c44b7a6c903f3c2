"""Run files that appear when they are whole, and searches that go on after any stop."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import cleverdon
from cleverdon._common.files import Journal, open_journal
from cleverdon.checks.linter import check
from cleverdon.engines.retrieval import SearchesFailed, SearchResult
from cleverdon.engines.run_file import _journal_path, search_to_file
from cleverdon.errors import InputError
from cleverdon.formats.inputs import search_record_path
from tests.engines.counting_engine import QUICK, TOPICS, Counting


@pytest.fixture
def engine(tmp_path: Path) -> Counting:
    return Counting(tmp_path / "asked")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my.run"


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    """The run, searched without a stop, one query at a time."""
    aside = tmp_path / "aside"
    aside.mkdir()
    search_to_file(Counting(aside / "asked"), TOPICS, aside / "my.run", concurrency=1)
    return (aside / "my.run").read_bytes()


def put(engine: Any, path: Path, **how: Any) -> SearchResult:
    return search_to_file(engine, TOPICS, path, **{"patience": QUICK, **how})


def answered(path: Path) -> set[str]:
    """The words whose answers are on the disk."""
    lines = Path(_journal_path(str(path))).read_bytes().split(b"\n")[1:-1]
    entries = [json.loads(line) for line in lines]
    return {TOPICS[entry["query"]] for entry in entries if entry["results"] is not None}


def beside(path: Path) -> set[str]:
    return {found.name for found in path.parent.glob("*my.run*")}


@pytest.mark.parametrize("concurrency", [1, 16])
def test_the_same_bytes_whatever_the_concurrency(
    engine: Counting, path: Path, whole: bytes, concurrency: int
) -> None:
    found = put(engine, path, concurrency=concurrency)
    assert path.read_bytes() == whole
    assert cleverdon.Run.read(path).to_dict() == found.run.to_dict()
    assert sorted(engine.asked) == sorted(TOPICS.values())
    assert beside(path) == {"my.run", "my.run.search.json"}


def test_the_record_beside_the_run(engine: Counting, path: Path) -> None:
    put(engine, path, k=2)
    record = json.loads(Path(search_record_path(str(path))).read_text())
    assert (record["kind"], record["version"], record["system"]) == (
        "cleverdon search",
        1,
        "counting",
    )
    assert record["settings"]["engine"] == {"name": "counting", "depth": 3}
    assert record["settings"]["k"] == 2
    assert record["run"]["digest"] == cleverdon.Run.read(path).digest
    assert (record["whole"], record["failed"], record["empty"]) == (True, {}, [])
    assert list(record["queries"]) == list(TOPICS)
    assert all(query["tries"] == 1 for query in record["queries"].values())


def started(folder: Path) -> subprocess.Popen[bytes]:
    """A process that searches slowly."""
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engines.counting_engine", folder], cwd=root
    )


def wait_for(path: Path, answers: int) -> None:
    """Until so many answers are on the disk."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if os.path.exists(_journal_path(str(path))) and len(answered(path)) >= answers:
            return
        time.sleep(0.005)
    raise AssertionError("no answers")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_at_several_points_and_gone_on(engine: Counting, path: Path, whole: bytes) -> None:
    for answers in (1, 25):
        before = len(engine.asked)
        kept = answered(path) if before else set()
        process = started(path.parent)
        wait_for(path, answers)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not path.exists()
        assert not kept & set(engine.asked[before:])
    kept, asked = answered(path), len(engine.asked)
    assert len(kept) >= 25
    found = put(engine, path, concurrency=5)
    assert path.read_bytes() == whole
    assert set(engine.asked[asked:]) == set(TOPICS.values()) - kept
    assert found.kept == len(kept)
    assert beside(path) == {"my.run", "my.run.search.json"}


def stopped(engine: Counting, path: Path) -> bytes:
    """What the journal holds when all but the last query is answered."""
    with pytest.raises(SearchesFailed):
        put(Counting(engine.log, fails={"word59"}), path, concurrency=1)
    engine.log.unlink()
    return Path(_journal_path(str(path))).read_bytes()


@pytest.mark.parametrize("cut", [1, 40])
def test_a_torn_last_line_is_cut(engine: Counting, path: Path, whole: bytes, cut: int) -> None:
    *lines, _ = stopped(engine, path).split(b"\n")
    journal = Path(_journal_path(str(path)))
    journal.write_bytes(b"\n".join(lines[:31])[:-cut])
    found = put(engine, path)
    assert path.read_bytes() == whole
    assert sorted(engine.asked) == sorted(list(TOPICS.values())[29:])
    assert "the last line was cut short" in found.notes[0]


@pytest.mark.parametrize("left", [0, 1, 30])
def test_a_first_line_that_is_torn_is_no_journal_yet(
    engine: Counting, path: Path, whole: bytes, left: int
) -> None:
    content = stopped(engine, path)
    Path(_journal_path(str(path))).write_bytes(content[:left])
    put(engine, path)
    assert path.read_bytes() == whole
    assert len(engine.asked) == 60


def test_failed_queries_leave_no_file_and_are_asked_again(
    engine: Counting, path: Path, whole: bytes
) -> None:
    path.write_text("an older run\n")
    with pytest.raises(SearchesFailed) as raised:
        put(Counting(engine.log, fails={"word3", "word9"}), path)
    assert str(raised.value) == (
        "2 of 60 queries failed: q3, q9 (server: told so); nothing is written "
        "yet; run it again to ask only for those; failed='leave out' (--allow-failed) writes a "
        "run without them"
    )
    assert path.read_text() == "an older run\n"
    asked = len(engine.asked)
    put(engine, path)
    assert sorted(engine.asked[asked:]) == ["word3", "word9"]
    assert path.read_bytes() == whole


def test_failed_queries_left_out_are_in_the_record(engine: Counting, path: Path) -> None:
    engine.fails = {"word3"}
    found = put(engine, path, failed="leave out")
    assert "1 of 60 queries failed: q3 (server: told so)" in found.warnings
    assert "q3" not in cleverdon.Run.read(path)
    record = json.loads(Path(search_record_path(str(path))).read_text())
    assert (record["whole"], record["failed"]) == (False, {"q3": "server: told so"})
    assert not os.path.exists(_journal_path(str(path)))


def test_nothing_is_left_where_nothing_is_answered(engine: Counting, path: Path) -> None:
    engine.fails = set(TOPICS.values())
    with pytest.raises(
        SearchesFailed, match="there is nothing to write; fix that, and run it again"
    ):
        put(engine, path, failed="leave out")
    assert beside(path) == set()


def test_an_engine_that_cannot_be_opened_leaves_nothing(path: Path) -> None:
    with pytest.raises(InputError, match="there is no such index"):
        put(f"sqlite:{path.with_name('none.db')}", path)
    assert beside(path) == set()


def test_a_journal_without_answers_stands_in_nobodys_way(
    engine: Counting, path: Path, whole: bytes
) -> None:
    first, *lines = stopped(engine, path).split(b"\n")
    failed = [line for line in lines if b'"results": null' in line]
    assert len(failed) == 1
    journal = Path(_journal_path(str(path)))
    for content in ([first, b""], [first, *failed, b""], [first, *failed, lines[0][:30]]):
        journal.write_bytes(b"\n".join(content))
        found = put(Counting(engine.log, depth=5), path)  # another engine than that of the journal
        assert path.read_bytes() == whole
        assert (found.kept, found.notes, found.retries) == (0, (), {})


def test_what_failed_before_a_stop_is_counted(engine: Counting, path: Path) -> None:
    for _ in range(2):
        with pytest.raises(SearchesFailed):
            put(Counting(engine.log, fails={"word3", "word9"}), path)
    found = put(Counting(engine.log, fails={"word9"}), path, failed="leave out")
    record = json.loads(Path(search_record_path(str(path))).read_text())
    assert found.retries == record["retries"] == {"server": 4}
    for query, tries in (("q1", 1), ("q3", 3), ("q9", 3)):
        failures = [] if query == "q1" else ["server: told so"] * (3 if query == "q9" else 2)
        assert record["queries"][query]["tries"] == tries
        assert record["queries"][query]["failures"] == failures
    assert len(engine.asked) == 60 + 2 + 2
    assert record["failed"] == found.failed == {"q9": "server: told so"}
    assert (record["whole"], record["last_process"]["answered_before"]) == (False, 58)
    assert record["last_process"]["at_once"] == 2


def test_what_was_not_asked_again_failed_as_before(
    engine: Counting, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = {"word3", "word9"}
    with pytest.raises(SearchesFailed):
        put(Counting(engine.log, fails=fails), path)
    monkeypatch.setattr("cleverdon.engines.client._GIVE_UP", 1)
    found = put(Counting(engine.log, fails=fails), path, concurrency=1, failed="leave out")
    assert found.not_asked == ()
    assert found.failed == dict.fromkeys(("q3", "q9"), "server: told so")
    assert [found.answers[query].tries for query in ("q3", "q9")] == [2, 1]


def test_two_commands_are_told_apart_by_what_they_do_not_say(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = path.with_name("program.py")
    program.write_text(
        "import sys\nfor line in sys.stdin: print(line.split()[0], 'Q0 d 1 1.0 t')\n"
    )
    one, other = (
        {"kind": "command", "command": [sys.executable, str(program), "--key", key]}
        for key in ("secret-a", "secret-b")
    )

    def full(*given: Any, **how: Any) -> None:
        raise InputError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("cleverdon.engines.run_file.write_rows", full)
        with pytest.raises(InputError, match="No space left"):
            put(one, path)
    assert b"secret" not in Path(_journal_path(str(path))).read_bytes()
    with pytest.raises(InputError, match="was begun with other arguments of the engine; do as"):
        put(other, path)
    assert put(one, path).kept == 60
    assert "secret" not in Path(search_record_path(str(path))).read_text()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes with names")
def test_a_pipe_gets_a_run_and_nothing_beside_it(
    engine: Counting, path: Path, whole: bytes
) -> None:
    os.mkfifo(path)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(path.read_bytes)
        put(engine, path)
        assert read.result() == whole
    assert beside(path) == {"my.run"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"k": 7}, "was begun with k 100, and now it is 7"),
        ({"field": "both"}, "was begun with field 'title', and now it is 'both'"),
        ({"depth": 5}, "was begun with engine.depth 3, and now it is 5"),
        ({"topics": {"q1": "word1"}}, "is for other queries"),
    ],
)
def test_a_journal_of_something_else_is_refused(
    engine: Counting, path: Path, change: dict[str, Any], said: str
) -> None:
    content = stopped(engine, path)
    topics = change.pop("topics", TOPICS)
    other = Counting(engine.log, depth=change.pop("depth", 3))
    with pytest.raises(InputError) as raised:
        search_to_file(other, topics, path, **change)
    assert f"{said}; do as before, or begin anew with --fresh" in str(raised.value)
    assert "which drops 59 answers" in str(raised.value)
    assert Path(_journal_path(str(path))).read_bytes() == content
    assert not engine.asked
    search_to_file(other, topics, path, **change, fresh=True)
    assert len(engine.asked) == len(topics)


def test_a_damaged_journal_is_refused(engine: Counting, path: Path) -> None:
    lines = stopped(engine, path).split(b"\n")
    journal = Path(_journal_path(str(path)))
    for damage in (b"{}", b"not JSON", lines[5].replace(b'"d', b'"e').replace(b"1.0", b"NaN")):
        journal.write_bytes(b"\n".join([*lines[:5], damage, *lines[6:]]))
        with pytest.raises(InputError, match=r"journal:6: the journal is damaged here; begin anew"):
            put(engine, path)


def test_a_file_that_is_no_journal_is_never_written_over(engine: Counting, path: Path) -> None:
    journal = Path(_journal_path(str(path)))
    journal.write_text("dear diary\n")
    for fresh in (False, True):
        with pytest.raises(InputError, match="exists, and is not a journal"):
            put(engine, path, fresh=fresh)
    assert journal.read_text() == "dear diary\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has other locks than fcntl's")
def test_two_processes_at_once_are_refused(
    engine: Counting, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = "another process is at work with this file"
    with open_journal(_journal_path(str(path)), "a+"), pytest.raises(InputError, match=busy):
        put(engine, path)
    # One that ends, and removes its file, just when another has opened it.
    journal = Path(_journal_path(str(path)))
    monkeypatch.setattr("cleverdon._common.files._lock", lambda file, path: journal.unlink())
    with pytest.raises(InputError, match=busy):
        put(engine, path)
    assert not engine.asked


def test_a_full_disk_ends_the_search(
    engine: Counting, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Journal.add

    def full(journal: Journal, entries: list[dict[str, Any]]) -> None:
        if "query" in entries[0]:
            raise InputError("cannot be written: No space left on device", source=journal.path)
        add(journal, entries)

    monkeypatch.setattr(Journal, "add", full)
    engine.delay = 0.005
    with pytest.raises(InputError, match="No space left on device"):
        put(engine, path, concurrency=1)
    assert len(engine.asked) < 60
    assert not path.exists()


def test_ids_that_the_format_cannot_hold_are_seen_at_once(engine: Counting, path: Path) -> None:
    asked: list[str] = []

    def broken(query: str, k: int) -> list[tuple[str, float]]:
        asked.append(query)
        return [("a\ntitle", 1.0)]

    tabbed = path.with_name("my.tsv")
    with pytest.raises(InputError, match=r"the id 'a.+title' holds white space"):
        put(broken, tabbed, concurrency=1)
    assert len(asked) == 1
    put(broken, path.with_name("my.json"))
    with pytest.raises(InputError, match=r"the id 'q.+1' holds white space"):
        search_to_file(engine, {"q\n1": "word1"}, tabbed)
    assert not engine.asked


def test_ids_with_blanks_are_kept_under_any_name(path: Path) -> None:
    found = put(lambda query, k: [("a title", 1.0), ('a\n"b"', 0.5)], path)
    assert found.notes[-1].endswith("the run is written as CSV")
    assert cleverdon.Run.read(path).to_dict() == found.run.to_dict()


def test_other_formats_and_packed_files(engine: Counting, path: Path) -> None:
    found = put(engine, path)
    for name in ("my.run.gz", "my.json", "my.csv"):
        search_to_file(engine, TOPICS, path.with_name(name))
        assert cleverdon.Run.read(path.with_name(name)).to_dict() == found.run.to_dict()


# Queries that found nothing


class Sparse(Counting):
    """Finds nothing for the first queries."""

    nothing = 2

    async def search(self, query: str, k: int) -> Any:
        if int(query.removeprefix("word")) < self.nothing:
            return []
        return await super().search(query, k)


@pytest.mark.parametrize("name", ["my.run", "my.run.gz", "my.csv", "my.parquet", "my.json"])
@pytest.mark.parametrize("nothing", [2, len(TOPICS)])
def test_queries_that_found_nothing_stay_known(name: str, nothing: int, tmp_path: Path) -> None:
    engine, path = Sparse(tmp_path / "asked"), tmp_path / name
    engine.nothing = nothing
    found = put(engine, path)
    empty = [f"q{number}" for number in range(nothing)]
    run = cleverdon.Run.read(path)
    assert sorted(run.queries) == sorted(TOPICS)
    assert sorted(run.empty) == sorted(empty)
    assert run.to_dict() == found.run.to_dict()
    assert pickle.loads(pickle.dumps(run)).to_dict() == run.to_dict()
    qrels = {query: {"d0-1": 1} for query in ("q0", "q3", "elsewhere")}
    about = cleverdon.evaluate(qrels, path, "AP").about.runs["my"]
    assert about.missing == ("elsewhere",)
    assert about.empty == (("q0",) if nothing == 2 else ("q0", "q3"))
    assert about.extra == len(TOPICS) - 2
    report = check(path, kind="run", qrels=qrels, limit=None)
    missing = [one.message for one in report.findings if one.name == "query-missing"]
    assert missing == ["query 'elsewhere' has judgments and is not in it"]
    assert report.queries == len(TOPICS)
    assert (report.errors, any(one.name == "no-results" for one in report.findings)) == (0, True)


def test_a_record_of_another_file_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "my.run"
    put(Sparse(tmp_path / "asked"), path)
    path.write_bytes(path.read_bytes() + b"q99 Q0 d 1 1.0 t\n")
    assert "q0" not in cleverdon.Run.read(path)
    Path(search_record_path(str(path))).write_text('{"kind": "something else", "empty": ["q0"]}')
    assert "q0" not in cleverdon.Run.read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"kind": "cleverdon search", "empty": 7, "run": {}}', "is damaged; remove it"),
        ('{"kind": "cleverdon search", "empty": [1], "run": {}}', "is damaged; remove it"),
        ('{"kind": "cleverdon search", "empty": ["\\ud800"], "run": {}}', "is damaged; remove it"),
        ('{"kind": "cleverdon search", "emp', "Unterminated string"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_damaged_record(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "my.run"
    path.write_text("q0 Q0 d 1 1.0 t\n")
    Path(search_record_path(str(path))).write_text(text)
    with pytest.raises(InputError, match=f"my.run.search.json.*{message}"):
        cleverdon.Run.read(path)
    assert [one.name for one in check(path).findings] == ["unreadable"]


def test_profiles_of_tools_read_the_file_alone(tmp_path: Path) -> None:
    """trec_eval leaves out what the file lacks, and knows of no record beside it."""
    path = tmp_path / "my.run"
    put(Sparse(tmp_path / "asked"), path)
    qrels = {query: {"d3-1": 1} for query in ("q0", "q3")}
    means = {
        profile: cleverdon.evaluate(qrels, path, "AP", profile=profile).mean("my", "AP")
        for profile in ("cleverdon", "trec_eval-9")
    }
    assert means == {"cleverdon": 0.5, "trec_eval-9": 1.0}
    skipping = cleverdon.evaluate(qrels, path, "AP", missing="skip")
    assert skipping.mean("my", "AP") == 0.5  # the query is in the run, and found nothing
