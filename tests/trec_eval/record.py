"""Record what trec_eval itself prints.

    TREC_EVAL=/path/to/10 TREC_EVAL_9=/path/to/9 python -m tests.trec_eval.record

Of commands.txt, into expected/; of random cases that are short and add something, into
random.jsonl. The inputs are this project's own; what is recorded are facts about the tool: its
output and its exit code. What docs/trec_eval.md says is mended does not belong here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.trec_eval.cases import Case, case

HERE = Path(__file__).parent
TOOLS = {10: "TREC_EVAL", 9: "TREC_EVAL_9"}
RANDOM = HERE / "random.jsonl"
_HOW_MANY, _LONGEST = 80, 1200


def commands() -> dict[str, list[str]]:
    """The recorded commands: names, and arguments."""
    lines = (HERE / "commands.txt").read_text().splitlines()
    words = [line.split() for line in lines if not line.startswith("#")]
    return {name: arguments for name, *arguments in words}


def _printed(version: int, arguments: list[str], folder: Path) -> str:
    command = [os.environ[TOOLS[version]], *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True)
    return f"{done.stdout.decode()}exit {done.returncode}\n"


def _record_commands() -> None:
    for version in TOOLS:
        folder = HERE / "expected" / str(version)
        folder.mkdir(parents=True, exist_ok=True)
        for name, arguments in commands().items():
            text = _printed(version, arguments, HERE / "data")
            (folder / f"{name}.txt").write_text(text)


def _record_random() -> None:
    lines: list[str] = []
    seen: Counter[tuple[int, str]] = Counter()
    for seed in range(100_000):
        made = case(seed)
        with TemporaryDirectory() as folder:
            made.write(Path(folder))
            printed = _printed(made.version, made.arguments, Path(folder))
        mended = any(word in printed for word in ("rbp", "nan", "inf", "exit -", "Z"))
        if len(printed) <= _LONGEST and "exit 0" in printed and not mended and _adds(made, seen):
            lines.append(json.dumps({**vars(made), "printed": printed}, ensure_ascii=False))
        if len(lines) == _HOW_MANY:
            break
    RANDOM.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _adds(made: Case, seen: Counter[tuple[int, str]]) -> bool:
    """Whether a case has an option or a measure, with or without parameters, that few have."""
    words = {(made.version, re.sub(r"\..*", ".", word)) for word in made.arguments}
    rare = any(seen[word] < 3 for word in words)
    if rare:
        seen.update(words)
    return rare


if __name__ == "__main__":
    _record_commands()
    _record_random()
