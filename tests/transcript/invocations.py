"""Read the lists of invocations.

A line is an id, a colon and a command line, without the name of the program unless it is another
one than `cleverdon`. A line that begins with `+` continues in the same folder. `{a,b}` in an id
makes one invocation of each, and the same braces in the command are replaced by it. `< FILE` gives
a file as standard input. After the id or `+`, `~` masks all numbers, for output that is measured.
After the id, `@` gives loads a simulated clock; `!` marks output that depends on the release of
Python, and `%` runs the command in a process of its own, because its output depends on imports.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("commands")
_LINE = re.compile(r"(?P<id>[\w.{},@-]+?)(?P<marks>[~@!%]*): (?P<command>.+)")


@dataclass(frozen=True)
class Step:
    program: str
    arguments: tuple[str, ...]
    stdin: str | None  # a file
    masked: bool


@dataclass(frozen=True)
class Invocation:
    """Commands that run one after the other in a folder of their own."""

    group: str
    id: str
    marks: str
    steps: tuple[Step, ...]

    @property
    def name(self) -> str:
        return f"{self.group}/{self.id}"


def all_invocations() -> list[Invocation]:
    return [each for path in sorted(FOLDER.glob("*.txt")) for each in _read(path)]


def _read(path: Path) -> list[Invocation]:
    lines: list[tuple[str, str, list[str]]] = []
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("+"):
            lines[-1][2].append(line[1:])
            continue
        found = _LINE.fullmatch(line)
        assert found, f"{path.name}: {line}"
        lines.append((found["id"], found["marks"], [_mark(found["marks"], found["command"])]))
    return [
        Invocation(path.stem, id, marks, tuple(map(_step, commands)))
        for given, marks, several in lines
        for id, commands in _expanded(given, several)
    ]


def _expanded(id: str, commands: list[str]) -> list[tuple[str, list[str]]]:
    braces = re.search(r"\{([^}]*,[^}]*)\}", id)
    if not braces:
        return [(id, commands)]
    return [
        (id.replace(braces[0], each), [line.replace(braces[0], each) for line in commands])
        for each in braces[1].split(",")
    ]


def _mark(marks: str, command: str) -> str:
    return f"~{command}" if "~" in marks else command


def _step(command: str) -> Step:
    masked = command.startswith("~")
    words = shlex.split(command.removeprefix("~"))
    stdin = None
    if len(words) > 2 and words[-2] == "<":
        stdin = words[-1]
        del words[-2:]
    program = words.pop(0) if words[0] == "cleverdon-trec_eval" else "cleverdon"
    return Step(program, tuple(words), stdin, masked)
