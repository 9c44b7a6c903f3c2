"""Run invocations, and record their output and written files."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest

from cleverdon import __version__
from tests.transcript import entries
from tests.transcript.inputs import ROOT, fill
from tests.transcript.invocations import Invocation
from tests.transcript.recording import NUMBER, Section, digest, shortened

ENVIRONMENT = {
    "COLUMNS": "100",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "TZ": "UTC",
    "USER": "somebody",
    "LOGNAME": "somebody",
    "PYTHONHASHSEED": "0",
}
BEGIN = 1_780_000_000.0
"""The first time of the clock, which stands still while a command runs."""

_STATE = (".db", ".sqlite", ".sqlite3", ".duckdb", ".lock", "-wal", "-shm")
"""Files of databases and locks, whose bytes may differ: only their names are recorded."""
_LIBRARY = 100_000
"""A script with this many characters or more is a library."""
_UNPACK = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
_SCRIPT = re.compile(r"(<script\b[^>]*>)(.*?)(</script>)", re.DOTALL)
_PACKED = re.compile(r'<script type="application/gzip" id="([\w-]+)">([^<]*)</script>')
OUR_VERSION = (re.compile(rf"(?<![\d.]){re.escape(__version__)}(?!\.?\d)"), "0.1.0")
"""Recordings have the first version in place of the current one: no release changes them."""
_KEYS = (
    (re.compile(r"gradient_\d+"), "gradient_N"),
    (re.compile(r"(?<![\w-])cleverdon_[\w-]{43}(?![\w-])"), "{token}"),
    (re.compile(r"(?<=/sign-in/)[\w-]{43}(?![\w-])"), "{key}"),
    (re.compile(r'(?<="written": ")[^"]+'), "{now}"),
    (re.compile(r"(?<=cleverdon-logs-)[0-9a-f]{32}"), "{random}"),
    OUR_VERSION,
)
_MEASURED = (
    (re.compile(r"(?m)^.{0,40}[Oo]ther programs kept .{0,20} cores busy.*\n"), ""),
    (re.compile(r",(\s*\])"), r"\1"),
    (re.compile(r"\[\s+\]"), "[]"),
    (re.compile(r"(?<=median ).{0,80}(?=, while searching)"), "{times}"),
    (re.compile(r"(?<=all in one call of ).*"), "{time}"),
    (
        re.compile(
            r'("(?:seconds|median|p99|cores_busy_with_others|cores|memory)": )(?:null|[\d.e+-]+)'
        ),
        r"\g<1>0",
    ),
    (re.compile(r'("(?:processor|system|python|platform)": )"[^"]*"'), r'\1"#"'),
)
"""Measurements and facts about the machine in the output of engine commands."""


@contextmanager
def steady(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set up an environment that is the same on every machine."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CLEVERDON_TRACEBACK", raising=False)
    time.tzset()
    try:
        yield
    finally:
        monkeypatch.undo()
        time.tzset()


@contextmanager
def streams(stdin: bytes) -> Iterator[Callable[[], tuple[str, str]]]:
    """Replace the three standard streams with files, also for Rust and child processes."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(stdin)
        given.seek(0)
        kept = [os.dup(number) for number in range(3)]
        before = sys.stdin, sys.stdout, sys.stderr
        for number, file in enumerate((given, out, errors)):
            os.dup2(file.fileno(), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(n, "w", closefd=False), "utf-8", write_through=True)
            for n in (1, 2)
        )

        def said() -> tuple[str, str]:
            texts = []
            for file in (out, errors):
                file.seek(0)
                texts.append(file.read().decode("utf-8", "backslashreplace"))
            return texts[0], texts[1]

        try:
            yield said
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            sys.stdin, sys.stdout, sys.stderr = before
            for number, descriptor in enumerate(kept):
                os.dup2(descriptor, number)
                os.close(descriptor)


def run(
    arguments: Sequence[str], folder: Path, *, program: str = "cleverdon", stdin: bytes = b""
) -> tuple[int, str, str]:
    """Run a command in a folder; return its exit code and streams."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", [program, *arguments])
        patch.setattr(sys, "path", [*sys.path])
        for name in [name for name in sys.modules if name.split(".")[0] in _OF_FOLDERS]:
            patch.delitem(sys.modules, name)
        with streams(stdin) as said:
            try:
                entries.entry(entries.PROGRAMS[program])()
                code: Any = 0
            except SystemExit as exit:
                code = exit.code
            sys.stdout.flush()
            sys.stderr.flush()
            told = said()
        for name in [name for name in sys.modules if name.split(".")[0] in _OF_FOLDERS]:
            del sys.modules[name]
    return int(code or 0), *told


def run_alone(
    arguments: Sequence[str], folder: Path, *, program: str = "cleverdon", stdin: bytes = b""
) -> tuple[int, str, str]:
    """Run a command in a process of its own; return its exit code and streams."""
    code = f"from pkgutil import resolve_name as load; load({entries.PROGRAMS[program]!r})()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        input=stdin,
        capture_output=True,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


_OF_FOLDERS = {"examples", "made", "engine_of_words"}
"""Modules that are imported from the folder of an invocation."""


class Shared:
    """Inputs that take long to create and are created once: logs and a project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, name: str, folder: Path) -> None:
        """Copy an input into a folder."""
        if not (self.folder / name).exists():
            making = {"logs": self._make_logs, "judging": self._make_project}
            making[name]()
        shutil.copytree(self.folder / name, folder / name)

    def _make_logs(self) -> None:
        made = self.folder / "logs"
        made.mkdir()
        for name, more in {
            "week": ("--events", "12K", "--days", "8", "--seed", "7"),
            "broken": ("--events", "3K", "--days", "4", "--faults", "0.02", "--mismatch", "0.3"),
            "plain": ("--events", "2K", "--days", "3", "--no-variants", "--seed", "3"),
        }.items():
            code, _, errors = run(("logs", "generate", name, *more), made)
            assert code == 0, errors

    def _make_project(self) -> None:
        from tests.transcript.project import make_project

        with pytest.MonkeyPatch.context() as patch:
            clock = Clock(patch)
            make_project(self.folder, clock)


class Clock:
    """A clock that moves only when it is set."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = BEGIN
        patch.setattr(time, "time", lambda: self.now)

    def move(self, seconds: float = 60) -> None:
        self.now += seconds


def replay(invocation: Invocation, folder: Path, shared: Shared) -> str:
    """Run an invocation in an empty folder; return its recording."""
    words = [word for step in invocation.steps for word in (*step.arguments, step.stdin or "")]
    fill(folder, words)
    for name, named in (("logs", r"(?<![\w/])logs/"), ("judging", r"(?<![\w/])judging(?![\w.])")):
        if re.search(named, " ".join(words)):
            shared.put(name, folder)
    sections: list[Section] = []
    tidied = normaliser(folder, shared.folder)
    with pytest.MonkeyPatch.context() as patch, steady(patch):
        clock = Clock(patch) if invocation.group.startswith("judge") else None
        if clock:
            clock.move(100_000)
        if "@" in invocation.marks:
            entries.entry(entries.USE_MADE_TIME)(patch)
            patch.syspath_prepend(str(folder / "made"))
        _forget_help_options()
        before = _seen(folder)
        for step in invocation.steps:
            stdin = (folder / step.stdin).read_bytes() if step.stdin else b""
            started = run_alone if "%" in invocation.marks else run
            code, out, errors = started(step.arguments, folder, program=step.program, stdin=stdin)
            if clock:
                clock.move()
            after = _seen(folder)
            asked = " ".join((step.program, *step.arguments))
            sections.append(Section(f"$ {asked}" + (f" < {step.stdin}" if step.stdin else "")))
            sections.append(Section(f"exit code {code}"))
            texts = [("stdout", tidied(out)), ("stderr", tidied(errors))]
            texts += _written(folder, before, after, tidied)
            texts = [(heading, settled(text)) for heading, text in texts]
            if step.masked:
                texts = [(heading, masked(heading, text)) for heading, text in texts]
            if invocation.group in ("engine", "demo"):
                texts = [(heading, _replaced(text, _MEASURED)) for heading, text in texts]
            sections += [shortened(heading, text) for heading, text in texts if text]
            before = after
    return "".join(section.text() for section in sections)


def _forget_help_options() -> None:
    """Clear click's cached help options of commands that other tests called without their group."""
    for name, module in list(sys.modules.items()):
        if name.startswith("cleverdon."):
            for value in list(vars(module).values()):
                if isinstance(value, click.Command):
                    value._help_option = None


def normaliser(*folders: Path) -> Callable[[str], str]:
    """Return a function that removes text that depends on the machine or the time."""
    paths = {str(folder.resolve()): "{folder}" for folder in folders}
    paths |= {str(folder): "{folder}" for folder in folders}
    paths |= {sys.executable: "{python}", sys.prefix: "{prefix}", str(ROOT): "{root}"}
    paths[tempfile.gettempdir()] = "{temporary}"
    longest_first = sorted(paths, key=len, reverse=True)

    def tidied(text: str) -> str:
        for path in longest_first:
            text = text.replace(path, paths[path])
        return _replaced(text, _KEYS)

    return tidied


def _replaced(text: str, patterns: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, instead in patterns:
        text = pattern.sub(instead, text)
    return text


def settled(text: str) -> str:
    """Round long numbers: processors and threads add in different orders. Sort sets of columns."""
    text = re.sub(
        r"(?<=EXCLUDE \()[^()]*(?=\))", lambda found: ", ".join(sorted(found[0].split(", "))), text
    )
    return re.sub(r"\d+\.\d{11,}(e-?\d+)?", lambda found: f"{float(found[0]):.9g}", text)


def _seen(folder: Path) -> dict[str, str]:
    """Compute the digest of every file in a folder."""
    return {
        path.relative_to(folder).as_posix(): digest(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _written(
    folder: Path,
    before: Mapping[str, str],
    after: Mapping[str, str],
    tidied: Callable[[str], str],
) -> Iterator[tuple[str, str]]:
    """Yield the files that a command wrote or deleted, as text."""
    for name in sorted({*before, *after}):
        if name not in after:
            yield f"deleted {tidied(name)}", "\n"
        elif before.get(name) != after[name]:
            for part, text in contents(name, (folder / name).read_bytes()):
                yield f"file {tidied(name)}{part}", tidied(text)


def contents(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the parts of a file's content in a form that can be compared."""
    if name.endswith(_STATE):
        yield "", "(not compared)\n"
    elif name.endswith((".parquet", ".arrow")):
        yield "", _table(name, data)
    elif name.endswith(".zip"):
        yield "", _archive(data)
    elif unpack := _UNPACK.get(Path(name).suffix):
        yield from contents(name.rpartition(".")[0], unpack(data))
    elif name.endswith(".png"):
        width, height = struct.unpack(">II", data[16:24])
        yield "", f"a picture of {width} x {height}\n"  # fonts depend on the machine
    elif name.endswith(".pdf"):
        yield "", f"{data[:5]!r}\n"
    else:
        text = data.decode("utf-8", "backslashreplace")
        if name.endswith(".html"):
            yield from _page(text)
        else:
            yield "", text or "(empty)\n"


def _page(text: str) -> Iterator[tuple[str, str]]:
    """Yield a page without its scripts, and each script; only a placeholder for libraries."""
    text = _PACKED.sub(_unpacked, text)
    scripts = [match[2] for match in _SCRIPT.finditer(text) if match[2]]
    yield "", _SCRIPT.sub(r"\1\3", text)
    for number, script in enumerate(scripts, 1):
        try:
            json.loads(script)
            library = False
        except ValueError:
            library = len(script) > _LIBRARY
        yield f", script {number}", "(a library)\n" if library else script


def _unpacked(element: re.Match[str]) -> str:
    """Write a packed text as it is where it is shorter."""
    text = gzip.decompress(base64.b64decode(element[2])).decode()
    kind = "text/plain" if element[1] == "vega" else "application/json"
    return f'<script type="{kind}" id="{element[1]}">{text}</script>'


def _table(name: str, data: bytes) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if name.endswith(".parquet"):
        table = pq.read_table(io.BytesIO(data))
    else:
        table = pa.ipc.open_file(io.BytesIO(data)).read_all()
    rows = "".join(json.dumps(row, default=str) + "\n" for row in table.to_pylist())
    return f"{table.schema.remove_metadata()}\n{rows}"


def _archive(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "".join(f"{name}\n" for name in sorted(archive.namelist()))


def masked(heading: str, text: str) -> str:
    """Mask the numbers of a text, and the widths of columns that depend on them.

    Files other than reports and results are not changed.
    """
    if heading.startswith("file ") and not re.search(r"\.(json|html|hdr|svg)\b", heading):
        return text
    if ".html, script" in heading:
        return "(measured)\n"
    text = re.sub(r"(?m)^(- )?note: .*\n", "", text)  # their number varies
    if text[:1] in "[{":
        try:
            return json.dumps(_outline(json.loads(text)), indent=1, sort_keys=True) + "\n"
        except ValueError:
            pass
    text = re.sub(
        rf"[-+−±]?{NUMBER.pattern}(?:\s?(?:[kMGTmµun]?[BsW]|min|h|%)(?:/s)?\b)?", "#", text
    )
    text = re.sub(r"#(?:,#)+", "#", text)  # one number or several, as in 1e-05,2
    text = re.sub(r"([─━═-])\1+", r"\1\1", re.sub(r"[ \t]+", " ", text))
    return re.sub(
        r"(?m)^(\S+) .{0,80}\(# to #\).*$", r"\1 #", text
    )  # the winner depends on the numbers


def _outline(value: Any) -> Any:
    """Keep the keys of JSON data, and mask its numbers."""
    if isinstance(value, dict):
        return {key: _outline(each) for key, each in value.items()}
    if isinstance(value, list):
        held = [each if isinstance(each, dict | list) else 0 for each in value]
        outlines = {json.dumps(_outline(each), sort_keys=True) for each in held}
        return [json.loads(each) for each in sorted(outlines)]
    return value if isinstance(value, str) and " " not in value else "#"
