"""The version of a release: where it is written, and what the change log says about it.

    python tools/release.py check v0.2.0      # is this the version everywhere?
    python tools/release.py notes v0.2.0      # print its part of CHANGELOG.md
    python tools/release.py bump 0.3.0        # write the next version everywhere, and its heading

Only the standard library is used.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent

PLACES = {
    "pyproject.toml": r'^version = "(.+)"$',
    "rust/Cargo.toml": r'^version = "(.+)"$',
    "src/cleverdon/__init__.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "recipe/recipe.yaml": r'^  version: "(.+)"$',
}
"""The files that have the version, each with the pattern of its line."""

UNRELEASED = "unreleased"
"""Stands in the change log where the day of a release will stand."""

_VERSION = re.compile(r"\d+\.\d+\.\d+")  # Cargo writes candidates otherwise than Python


class WrongRelease(Exception):
    """The tag, the version and the change log do not agree."""


def versions(root: Path = ROOT) -> dict[str, str]:
    """Return the version that each file has."""
    found = {}
    for name, pattern in PLACES.items():
        lines = re.findall(pattern, (root / name).read_text("utf-8"), flags=re.MULTILINE)
        if not lines:
            raise WrongRelease(f"{name} has no version")
        found[name] = lines[0]
    return found


def check(tag: str, root: Path = ROOT) -> None:
    """Raise an error unless the tag is the version in every file, and the change log has it."""
    for name, version in versions(root).items():
        if f"v{version}" != tag:
            raise WrongRelease(f"{name} has version {version}, and the tag is {tag}")
    notes(tag, root)


def notes(tag: str, root: Path = ROOT) -> str:
    """Return what the change log says about a version that has a day, without its heading."""
    version = tag.removeprefix("v")
    day, said = next((rest for name, *rest in parts(root) if name == version), ("", ""))
    if day == UNRELEASED:
        raise WrongRelease(f"CHANGELOG.md: write the day into '## {version} - {UNRELEASED}'")
    if not said:
        raise WrongRelease(f"CHANGELOG.md has nothing below '## {version} - YYYY-MM-DD'")
    return said + "\n"


def parts(root: Path = ROOT) -> list[tuple[str, str, str]]:
    """Return the parts of the change log: version, day (or `unreleased`), and text."""
    _, *found = re.split(r"^## ", (root / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    result = []
    for part in found:
        heading, _, text = part.partition("\n")
        version, _, day = heading.partition(" - ")
        try:
            right = day == UNRELEASED or str(date.fromisoformat(day)) == day
        except ValueError:
            right = False
        if not (right and _VERSION.fullmatch(version)):
            raise WrongRelease(f"CHANGELOG.md has '## {heading}', not '## 0.3.0 - 2027-01-31'")
        result.append((version, day, text.strip()))
    return result


def bump(version: str, root: Path = ROOT) -> None:
    """Write a version into every file, and begin its part of the change log."""
    if not _VERSION.fullmatch(version):
        raise WrongRelease(f"{version} is not a version such as 0.3.0")
    if version not in [name for name, *_ in parts(root)]:
        path = root / "CHANGELOG.md"
        begin, second, rest = path.read_text("utf-8").partition("\n## ")
        path.write_text(f"{begin}\n## {version} - {UNRELEASED}\n{second}{rest}", "utf-8")
    for name, before in versions(root).items():
        path = root / name
        text = path.read_text("utf-8")
        line = re.search(PLACES[name], text, flags=re.MULTILINE)
        assert line is not None
        new = line[0].replace(before, version)
        path.write_text(text[: line.start()] + new + text[line.end() :], "utf-8")


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in ("check", "notes", "bump"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        told = {"check": check, "notes": notes, "bump": bump}[arguments[0]](arguments[1])
    except WrongRelease as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(told or "ok", end="" if told else "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
