"""Links within the built site: every file and every anchor that a page names must be there."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_ADDRESSES = ("href", "src", "data-src", "poster")
_FETCHED = {"script", "img", "link", "iframe", "source", "video", "audio", "object", "embed"}


class _Page(HTMLParser):
    """The anchors of a page, and what it links to, with lines."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[int, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name in _ADDRESSES and value:
                self.links.append((self.getpos()[0], tag, value))


def broken_links(folder: Path) -> list[str]:
    """List links to nothing, and whatever pages would load from elsewhere, with file and line."""
    pages = {
        path.relative_to(folder).as_posix(): _Page(path.read_text("utf-8"))
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.parts and "live" not in path.parts
    }
    return [error for name, page in pages.items() for error in _broken(name, page, pages, folder)]


def _broken(name: str, page: _Page, pages: dict[str, _Page], folder: Path) -> Iterator[str]:
    for line, tag, link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            if tag in _FETCHED and parts.scheme != "data" and not _names_itself(link, tag):
                yield f"{name}:{line}: loads {link}"
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
        if not parts.path:
            target = name
        if not (folder / target).is_file():
            yield f"{name}:{line}: there is no {link}"
        elif target in pages and unquote(parts.fragment) not in {"", *pages[target].ids}:
            yield f"{name}:{line}: {target} has no #{parts.fragment}"


def _names_itself(link: str, tag: str) -> bool:
    """Whether a `link` only says where the page belongs, and loads nothing."""
    return tag == "link" and link.startswith("https:") and link.endswith("/")
