"""The Markdown of the repository as sources of the site: copied line by line, with other links.

A link in the repository names a file; on the site, the page that was made of it. Lines stay where
they are, so that a message about a line of a copy is right for the original.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_LINK = re.compile(r"(\]\(|^\s*\[[^\]]+\]:\s*)([^\s)#]*)(#[^\s)]*)?(?=[\s)]|$)")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_EXTERNAL = re.compile(r"[a-z]+:|//")


class BrokenLink(Exception):
    """A link to nothing, with the file and line that has it."""


Moved = Callable[[str, str], str | None]
"""Finds the page of the site for a file of the repository and an anchor in it; or none."""


def rewritten(text: str, *, origin: str, page: str, moved: Moved, files: Path) -> str:
    """Replace links to files of the repository by links to pages of the site.

    Args:
        text: The Markdown.
        origin: Its file, from the root of the repository.
        page: The page that is made of it, without an ending.
        moved: Finds the page for a file and an anchor.
        files: The folder of the site's sources, for files that are not pages.
    """
    lines = text.split("\n")
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip() == fence):
            fence = "" if fence else mark[1]
        elif not fence and "]" in line:
            place = f"{origin}:{number + 1}"
            lines[number] = _LINK.sub(
                lambda found, place=place: _moved(found, place, origin, page, moved, files), line
            )
    return "\n".join(lines)


def _moved(
    found: re.Match[str], place: str, origin: str, page: str, moved: Moved, files: Path
) -> str:
    before, target, anchor = found[1], found[2], found[3] or ""
    if not target or _EXTERNAL.match(target):
        return found[0]
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
    new = moved(path, anchor)
    if new is None:
        if not (ROOT / path).is_file():
            raise BrokenLink(f"{place}: there is no file {target}")
        new = path.removeprefix("docs/") + anchor
        copied = files / path.removeprefix("docs/")
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copied)
    return before + posixpath.relpath(new, posixpath.dirname(page) or ".")


def title_and_summary(text: str) -> tuple[str, str]:
    """Return the title of a page of Markdown, and its first sentence without links.

    >>> title_and_summary("# Ties\\n\\nA tie is [two](x.md) equal scores. It matters.")
    ('Ties', 'A tie is two equal scores.')
    """
    title = next((line[2:] for line in text.splitlines() if line.startswith("# ")), "")
    for block in re.split(r"\n\s*\n", text):
        if re.match(r"[A-Za-z`*\[\"]", block):
            words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split()))
            return title, re.split(r"(?<=[.!?:])\s", words)[0].removesuffix(":").rstrip(".") + "."
    return title, ""


def anchors(pages: Mapping[str, str]) -> dict[str, str]:
    """Find the page that has a heading, by the heading's anchor on GitHub.

    >>> anchors({"measures/graded": "# Ranked, graded\\n\\n## nDCG"})
    {'#ranked-graded': 'measures/graded', '#ndcg': 'measures/graded'}
    """
    return {
        f"#{slug(heading)}": page
        for page, text in pages.items()
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it.

    >>> slug("Sets: the whole result, in no order")
    'sets-the-whole-result-in-no-order'
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
