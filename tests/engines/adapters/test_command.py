from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.command import Command, _parse_results, _query_lines
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.protocol import Engine, Results, SearchFailure
from cleverdon.errors import InputError, OptionError
from tests.engines.service import ROOT

_SEARCHER = """
import sqlite3, sys
from tests.engines.service import found
database = sqlite3.connect(sys.argv[1])
for line in sys.stdin:
    query_id, query = line.rstrip("\\n").split("\\t")
    for rank, (doc, score) in enumerate(found(database, query, int(sys.argv[2])), 1):
        print(query_id, "Q0", doc, rank, score, "mine")
database.close()
"""


def _python(code: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", code, *arguments]


def _opened(engine: Engine, work: Coroutine[Any, Any, Any]) -> Any:
    async def run() -> Any:
        async with engine:
            return await work

    try:
        return asyncio.run(run())
    finally:
        work.close()  # where the engine could not be opened


def _failure(engine: Command, topics: dict[str, str] | None = None) -> SearchFailure:
    with pytest.raises(SearchFailure) as failure:
        _opened(engine, engine.search_all(topics or {"q1": "apple"}, 10))
    return failure.value


@pytest.fixture
def searcher(index_file: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """A real search program."""
    monkeypatch.chdir(ROOT)
    return Command(command=_python(_SEARCHER, str(index_file), "{k}"))


def test_one_process_for_all_and_one_for_each_say_the_same(
    searcher: Command, topics: dict[str, str]
) -> None:
    async def both() -> tuple[dict[str, Results], list[Results]]:
        few = dict(list(topics.items())[:4])
        alone = await asyncio.gather(*(searcher.search(query, 5) for query in few.values()))
        return await searcher.search_all({**few, "none": "zebra"}, 5), alone

    together, alone = _opened(searcher, both())
    assert list(together.values()) == [*alone, []]
    assert list(together) == [*list(topics)[:4], "none"]
    assert [len(results) for results in alone] == [5, 5, 5, 5]


def test_the_command_gets_queries_as_lines_and_k() -> None:
    echo = "import sys; print('q1 Q0', sys.stdin.buffer.read().hex(), 1, sys.argv[1], 'x')"
    engine = Command(command=_python(echo, "{k}"))
    found = _opened(engine, engine.search_all({"q1": " tea\tand\nfigs ", "q2": "é"}, 7))
    assert found == {"q1": [("q1\ttea and figs\nq2\té\n".encode().hex(), 7.0)], "q2": []}


def test_results_are_ordered_by_score_then_falling_id_and_cut() -> None:
    lines = b"1 Q0 a 1 2.5 x\n\n1 Q0 b 2 7 x\n1 Q0 c 3 2.5 x\n1 Q0 d 4 1e-3 x\r\n"
    assert _parse_results(lines, {"1": ""}, 3) == {"1": [("b", 7.0), ("c", 2.5), ("a", 2.5)]}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1 Q0 a 1 2.5 x\n1 Q0 b 2 x\n", "line 2 of its output: expected the 6 fields .* found '1"),
        ("1 Q0 a 1 best x\n", "line 1 of its output: expected a score, found 'best'"),
        ("1 Q0 a 1 nan x\n", "line 1 of its output: the score is nan"),
        ("\n2 Q0 a 1 2 x\n", "line 2 of its output: query '2' was not asked for"),
        ("1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n", "line 2 .* document 'a' is there twice for query '1'"),
        ("1 Q0 a 1 2 x\n1 Q0 \udcff 2 1 x\n", "line 2 of its output: is not UTF-8"),
    ],
)
def test_malformed_lines(lines: str, message: str) -> None:
    code = f"import sys; sys.stdout.buffer.write({os.fsencode(lines)!r})"
    engine = Command(command=_python(code))
    failure = _failure(engine, {"1": "apple"})
    assert failure.kind == "malformed"
    assert not failure.retryable
    with pytest.raises(SearchFailure, match=message):
        raise failure


@given(written=st.binary(max_size=60))
def test_whatever_is_written_is_results_or_a_failure(written: bytes) -> None:
    with suppress(SearchFailure):
        assert set(_parse_results(written, {"1": ""}, 3)) == {"1"}


def test_an_exit_code_is_a_failure_with_the_end_of_its_stderr() -> None:
    code = (
        "import sys; print('1 Q0 a 1 2 x'); sys.stderr.write('!' * 5000 + ' no index'); sys.exit(3)"
    )
    failure = _failure(Command(command=_python(code)))
    assert failure.kind == "server"
    assert "exit code 3: ... !!!" in failure.message
    assert failure.message.endswith("no index")
    assert len(failure.message) < 400
    killed = _failure(Command(command=_python("import os; os.kill(os.getpid(), 9)")))
    assert killed.message == "it was ended by SIGKILL"


def test_a_time_limit_ends_all_that_was_started(tmp_path: Path) -> None:
    child = tmp_path / "child"
    command = ["sh", "-c", 'echo waiting >&2; sleep 300 & echo $! > "$0"; wait', str(child)]
    for limit in (0.25, 2, 60):  # a busy machine may need longer to start it
        failure = _failure(Command(command=command, timeout=limit))
        if _written(child):
            break
    assert (failure.kind, failure.message) == ("timeout", f"not done within {limit:g} s: waiting")
    assert _ends(int(_written(child)))


@pytest.mark.parametrize("shell", [False, True])
@pytest.mark.parametrize("late", [0.0, 0.2])  # whether it is given up while it is being started
def test_one_that_is_given_up_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: bool, late: float
) -> None:
    own = tmp_path / "own"
    text = f"sleep 300 & echo $! > {shlex.quote(str(own))}; wait"
    engine = Command(command=text if shell else ["sh", "-c", text], shell=shell)
    name = "create_subprocess_shell" if shell else "create_subprocess_exec"
    create = getattr(asyncio, name)

    async def slowly(*words: str, **options: Any) -> Any:
        process = await create(*words, **options)
        await asyncio.sleep(late)
        return process

    monkeypatch.setattr(asyncio, name, slowly)

    async def hurried() -> None:
        search = asyncio.create_task(engine.search("x", 3))
        while not _written(own):
            await asyncio.sleep(0.01)
        search.cancel()
        await search

    with pytest.raises(asyncio.CancelledError):
        _opened(engine, hurried())
    assert _ends(int(_written(own)))


def _written(file: Path) -> str:
    return file.read_text().strip() if file.exists() else ""


def _ends(process: int) -> bool:
    for _ in range(100):
        try:
            os.kill(process, 0)
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True  # ended, and not yet waited for
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_no_more_processes_at_a_time_than_told(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, sys, time\n"
        f"folder = pathlib.Path({str(tmp_path)!r}); mine = folder / str(os.getpid())\n"
        "mine.touch(); print('1 Q0', len(list(folder.iterdir())), 1, 1, 'x')\n"
        "time.sleep(0.1); mine.unlink()"
    )
    engine = Command(command=_python(code), processes=2)

    async def many() -> list[Results]:
        return list(await asyncio.gather(*(engine.search("x", 1) for _ in range(6))))

    assert {int(results[0][0]) for results in _opened(engine, many())} <= {1, 2}
    assert (engine.set_concurrency(1), engine.set_concurrency(8)) == (1, 2)


def test_a_command_that_does_not_read() -> None:
    engine = Command(command=_python("print('q1 Q0 a 1 1 x')"))
    found = _opened(engine, engine.search_all({f"q{n}": "long " * 2000 for n in range(50)}, 5))
    assert found["q1"] == [("a", 1.0)]


def test_no_shell_unless_told(tmp_path: Path) -> None:
    file = tmp_path / "made"
    script = "import sys; print('1 Q0', len(sys.argv), 1, 1, 'x')"
    plain = Command(command=f"{sys.executable} -c {shlex.quote(script)} ; touch {file}")
    assert _opened(plain, plain.search("x", 1)) == [("4", 1.0)]
    assert not file.exists()
    shell = Command(command=f"cut -f2 | sed 's/.*/1 Q0 & 1 {{k}} x/'; touch {file}", shell=True)
    assert _opened(shell, shell.search("apple", 8)) == [("apple", 8.0)]
    assert file.exists()
    assert shell.settings == {"kind": "command", "program": "a shell"}


def test_the_short_form() -> None:
    engine = open_engine("command:sed 's/\t.*/ Q0 d1 1 2.5 x/'")
    assert isinstance(engine, Command)
    assert engine.in_batches
    assert not engine.in_process
    assert engine.settings == {"kind": "command", "program": "sed"}
    assert _opened(engine, engine.search("x", 3)) == [("d1", 2.5)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"command": ""}, "expected a program"),
        ({"command": "search 'it"}, "No closing quotation"),
        ({"command": ["a"], "shell": True}, "expected one text for a shell"),
        ({"command": "a", "processes": 0}, "processes=0"),
        ({"command": "a", "timeout": 0}, "timeout=0"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Command(**options)


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    engine = Command(command="no-such-program --k {k}")
    with pytest.raises(OptionError, match="there is no program 'no-such-program' on the path"):
        _opened(engine, engine.search("x", 1))


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("no program")
    program.chmod(0o755)
    failure = _failure(Command(command=str(program)))
    assert failure.kind == "refused"
    assert "cannot be started" in failure.message


def test_blanks_of_unicode_are_part_of_ids() -> None:
    line = "1\u00a0 Q0 a\u2028b 1 1 x\n".encode()
    assert _parse_results(line, {"1\u00a0": ""}, 3) == {"1\u00a0": [("a\u2028b", 1.0)]}


@pytest.mark.parametrize("topic", ["", "a b", " a", "a\n"])
def test_ids_that_no_line_can_say(topic: str) -> None:
    with pytest.raises(InputError, match="is not one word"):
        _query_lines({topic: "apple"})


_FAILING = """
import asyncio, sys
from cleverdon.engines.adapters.command import Command
from cleverdon.engines.protocol import SearchFailure

async def main():
    async with Command(command=[sys.executable, "-c", "raise SystemExit(3)"]) as engine:
        await asyncio.gather(*(engine.search(query, 5) for query in "abcd"))

try:
    asyncio.run(main())
except SearchFailure as failure:
    print(failure.kind)
"""


def test_a_failure_ends_while_other_searches_start() -> None:
    done = subprocess.run(_python(_FAILING), capture_output=True, text=True, timeout=120)
    assert done.stdout == "server\n"
