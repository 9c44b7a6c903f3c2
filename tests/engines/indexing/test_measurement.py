"""Engines that index in a process of their own; repetitions, sizes, and what is said of them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from cleverdon.costs import read_costs
from cleverdon.engines.indexing.builds import IndexingFailure, WatchOptions
from cleverdon.engines.indexing.measurement import index
from cleverdon.errors import CleverdonError, InputError, MissingExtra, OptionError

MODULE = """
import os, threading, time

class Engine:
    place = "made.index"

    def search(self, query, k):
        return []

    def index(self, documents):
        with open(self.place, "w") as file:
            for document in documents:
                print("said on standard output")
                file.write(document.text)

class Lazy(Engine):
    def index(self, documents):
        next(iter(documents))

class Beside(Engine):
    def index(self, documents):
        def work():
            while time.thread_time() < 0.05:
                pass
        working = threading.Thread(target=work)
        working.start()
        list(documents)
        working.join()

class Broken(Engine):
    def index(self, documents):
        with open(self.place, "w") as file:
            file.write("half")
        raise OSError(28, "No space left on device")

class Killed(Engine):
    def index(self, documents):
        os.kill(os.getpid(), 9)

def function(query, k):
    return []
"""


COPY = "cp {input} {output}"
"""Its index has 51 bytes a document."""


@pytest.fixture
def here(tmp_path: Path, collection: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_engine_builds_its_index_anew_each_time(here: Path) -> None:
    found = index("sqlite:index.db", "corpus.tsv", repeat=2, name="mine")
    assert found.system == "mine"
    assert found.not_valid == ()
    for build in found.largest.builds:
        assert (build.taken, build.documents, build.bytes) == (10, 10, 130)
        assert build.amounts["index_size"].value == (here / "index.db").stat().st_size
        assert build.amounts["index_overhead"].value == 0
        # Python itself was there before, and is no part of the time.
        assert build.amounts["memory_before"].value <= build.amounts["index_memory"].value
        assert 0 <= build.amounts["index_cpu"].value < 5
        assert set(build.amounts) >= {"index_time", "reading", "documents_rate", "index_ratio"}
    assert found.costs().by_name["index_size"].value == (here / "index.db").stat().st_size


def test_an_object_of_ones_own(here: Path) -> None:
    found = index("python:mine:Engine", ["corpus.tsv"], repeat=1)
    assert (here / "made.index").read_text().startswith("text number 0text")
    (build,) = found.largest.builds
    assert build.amounts["index_size"].value == 130
    assert build.amounts["index_ratio"].value == 1.0


def test_work_beside_reading_is_not_taken_away(here: Path) -> None:
    (build,) = index("python:mine:Beside", "corpus.tsv", repeat=1).largest.builds
    time, reading = build.amounts["index_time"], build.amounts["reading"].value
    assert min(reading, 0.05) <= build.overlap <= reading  # it worked for 0.05 s
    assert build.overlap < time.less


def test_growth_is_fitted_from_three_sizes_on(here: Path) -> None:
    found = index(
        None, "corpus.tsv", command=COPY, repeat=2, sizes=[None, 1, 3], at=[1000], output="copy"
    )
    assert [size.documents for size in found.sizes] == [1, 3, 10]
    assert [len(size.builds) for size in found.sizes] == [2, 2, 2]
    assert found.growth["index_size"].exponent == pytest.approx(1)
    assert "index_overhead" not in found.growth  # it is 0
    text = str(found)
    assert "index size grows as n^1.00: the sizes are on one line" in text
    assert "1,000 documents, extrapolated, if growth goes on as it was:" in text
    assert "index size: 51 kB\n" in text
    # The last of all is the largest.
    assert len((here / "copy").read_text().splitlines()) == 10


def test_the_file_of_results_can_be_read_as_costs(here: Path) -> None:
    found = index(None, "corpus.tsv", command=COPY, repeat=6, sizes=[2, None])
    path = here / "costs.json"
    path.write_text(found.to_json())
    costs = read_costs(path)
    assert costs.system == "cp"
    size = costs.by_name["index_size"]
    assert (size.value, size.low, size.high) == (510, None, None)  # all builds have the same size
    time = costs.by_name["index_time"]
    assert time.low is not None  # six are enough for an interval
    assert time.high is not None
    assert time.low < time.high
    read = json.loads(path.read_text())
    assert read["settings"]["sizes"] == [2, 10]
    assert len(read["sizes"][1]["builds"]) == 6
    assert read["machine"]["cores"] >= 1
    for format in ("csv", "tsv", "markdown", "json"):
        assert re.search("index.size", found.render(format))


def test_an_engine_that_takes_only_some_documents_is_not_believed(here: Path) -> None:
    found = index("python:mine:Lazy", "corpus.tsv", repeat=1)
    assert found.not_valid == ("the engine took 1 of 10 documents",)
    assert "not valid: the engine took 1 of 10 documents" in str(found)


def test_failures_leave_nothing_and_say_what_happened(here: Path) -> None:
    with pytest.raises(IndexingFailure, match=r"OSError: .* No space left on device"):
        index("python:mine:Broken", "corpus.tsv")
    assert not (here / "made.index").exists()
    with pytest.raises(IndexingFailure, match="the process that indexes was ended by SIGKILL"):
        index("python:mine:Killed", "corpus.tsv")
    with pytest.raises(CleverdonError, match="cannot index"):
        index("python:mine:function", "corpus.tsv")
    (here / "index.db").write_text("something else")
    with pytest.raises(IndexingFailure, match=r"indexing failed: index\.db"):
        index("sqlite:index.db", "corpus.tsv")
    assert (here / "index.db").read_text() == "something else"


def test_what_is_missing_for_growth_is_said_before_anything_is_built(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingExtra, match="needs scipy"):
        index(None, "corpus.tsv", command="touch built", sizes=[1, 2, 3])
    assert not (here / "built").exists()


def test_what_is_not_seen_is_said(here: Path) -> None:
    found = index(None, "corpus.tsv", command="true {input}", repeat=1)
    assert "index_size" not in found.largest.builds[0].amounts
    assert any(note.startswith("where the index lies is not known") for note in found.notes)
    assert any("after a few looks" in note for note in found.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [1, 1]}, "no two alike"),
        ({"sizes": [10, None]}, "two sizes are alike: the collection has 10"),
        ({"sizes": [11]}, "11 documents were asked for"),
        ({"sizes": [0]}, "sizes=0"),
        ({"repeat": 0}, "repeat=0"),
        ({"sampling": "last"}, "sampling='last' is not known"),
        ({"watching": WatchOptions(servers=(2**22 + 1,))}, "there is no process 4194305 to watch"),
        ({"watching": WatchOptions(servers=(10**20,))}, "there is no process 1000"),
        (
            {"watching": WatchOptions(interval=float("nan"))},
            "interval=nan: expected a number between",
        ),
        (
            {"watching": WatchOptions(folders=("nowhere",))},
            "nowhere: there is no such file or folder",
        ),
        ({"output": "corpus.tsv"}, "corpus.tsv: exists already"),
        ({"output": "no/index"}, "no/index: there is no folder"),
    ],
)
def test_options_are_checked(here: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises((OptionError, InputError), match=message):
        index(None, "corpus.tsv", command=COPY, **options)


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("cp {files} {output}", {"sizes": [2]}, "{files} is the whole collection"),
        ("no_such_program_here {input}", {}, "there is no program 'no_such_program_here'"),
        ("cp 'x", {}, "cannot be read: No closing quotation"),
        ("", {}, "the command is empty"),
        ("true {input}", {"output": "index"}, "output is for a command with {output}"),
    ],
)
def test_commands_are_checked(
    here: Path, command: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        index(None, "corpus.tsv", command=command, **options)


def test_an_engine_must_have_a_name(here: Path) -> None:
    with pytest.raises(OptionError, match="give the engine by its name"):
        index(lambda query, k: [], "corpus.tsv")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="there is no collection"):
        index("sqlite:index.db", [])
