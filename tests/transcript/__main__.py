"""Record the transcript again, or show the differences of two recordings.

python -m tests.transcript record [PYTEST ARGUMENTS]
python -m tests.transcript diff [--numbers] OLD [NEW]
"""

from __future__ import annotations

import argparse
import difflib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.transcript.recording import Section, numbers, parse

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
RECORDED = FOLDER / "recorded"


def record(arguments: Sequence[str]) -> int:
    """Run everything, save its output, and delete recordings of removed invocations."""
    from tests.transcript.invocations import all_invocations
    from tests.transcript.pages import REQUESTS

    RECORDED.mkdir(exist_ok=True)
    names = {each.name for each in all_invocations()} | {f"pages/{name}" for name in REQUESTS}
    for path in RECORDED.rglob("*.txt"):
        if path.relative_to(RECORDED).with_suffix("").as_posix() not in names:
            path.unlink()
    (RECORDED / "python.txt").write_text(f"{platform.python_version()}\n", encoding="utf-8")
    return subprocess.call(
        [sys.executable, "-m", "pytest", str(FOLDER), "-q", "-n", "2", *arguments],
        cwd=ROOT,
        env={**os.environ, "CLEVERDON_RECORD": "1"},
    )


def recordings(revision: str | None) -> dict[str, str]:
    """Read all recordings of a revision, or of the working tree."""
    if revision is None:
        return {
            path.relative_to(RECORDED).as_posix(): path.read_bytes().decode()
            for path in sorted(RECORDED.rglob("*.txt"))
        }
    place = RECORDED.relative_to(ROOT).as_posix()
    listed = _git("ls-tree", "-r", "-z", "--name-only", revision, "--", place).decode()
    names = [name for name in listed.split("\0") if name]
    asked = "".join(f"{revision}:{name}\n" for name in names)
    given = subprocess.run(
        ["git", "cat-file", "--batch"], cwd=ROOT, input=asked.encode(), stdout=-1, check=True
    ).stdout
    found, at = {}, 0
    for name in names:
        end = given.index(b"\n", at)
        size = int(given[at:end].split()[2])
        found[name.removeprefix(f"{place}/")] = given[end + 1 : end + 1 + size].decode()
        at = end + size + 2
    return found


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, stdout=-1, check=True).stdout


def differences(old: str, new: str) -> Iterator[str]:
    """Yield the lines that differ."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "old", "new", "", "", 1, "")
    yield from lines


def differences_of_numbers(old: str, new: str) -> Iterator[str]:
    """Yield differences other than words: exit codes, files, and the numbers of each section."""
    before, after = parse(old), parse(new)
    if [_kind(each) for each in before] != [_kind(each) for each in after]:
        yield from differences(
            "\n".join(_kind(each) for each in before), "\n".join(_kind(each) for each in after)
        )
        return
    for one, other in zip(before, after, strict=True):
        if _numbers(one) != _numbers(other):
            yield f"{one.heading}: other numbers"
            yield from differences("\n".join(_numbers(one)), "\n".join(_numbers(other)))


def _kind(section: Section) -> str:
    """Return the heading; the same for all command lines, whose options may be renamed."""
    return re.sub(r", digest$|(?<=^\$).*", "", section.heading)


def _numbers(section: Section) -> list[str]:
    if section.heading.endswith(", digest"):
        return [section.content.splitlines()[1]]
    return numbers(section.content)


def diff(old: str, new: str | None, *, only_numbers: bool) -> int:
    """Print the differences; return 1 if there are any."""
    before, after = recordings(old), recordings(new)
    compare = differences_of_numbers if only_numbers else differences
    different = 0
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            found = ["is new" if name in after else "is gone"]
        else:
            found = [] if before[name] == after[name] else list(compare(before[name], after[name]))
        if found:
            different += 1
            print(f"== {name}", *found, sep="\n")
    words = sum(before.get(name) != after.get(name) for name in {*before, *after}) - different
    print(f"{len(after)} recordings: {different} differ, {words} in words alone")
    return int(bool(different))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.transcript", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("record", help="record anew", add_help=False)
    comparing = commands.add_parser("diff", help="compare two recordings")
    comparing.add_argument("--numbers", action="store_true", help="words may differ")
    comparing.add_argument("old", help="a git revision")
    comparing.add_argument("new", nargs="?", help="another one; without it, the working tree")
    given, rest = parser.parse_known_args()
    if given.command == "record":
        return record(rest)
    return diff(given.old, given.new, only_numbers=given.numbers)


if __name__ == "__main__":
    sys.exit(main())
