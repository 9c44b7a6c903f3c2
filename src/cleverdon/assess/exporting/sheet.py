"""A document of a few parts, as Markdown and as one HTML file that asks the network for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from cleverdon.show.grid import Grid
from cleverdon.show.markup import html, markdown, markdown_escaped
from cleverdon.show.sections import Section


@dataclass(frozen=True)
class Part:
    """A heading and what stands below it, in this order; whatever was given is text."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # what, and which
    tables: tuple[Grid, ...] = ()
    points: tuple[str, ...] = ()  # a list
    code: tuple[str, ...] = ()  # lines for a shell


def part_of(section: Section) -> Part:
    """A table of the command line as a part."""
    return Part(section.heading, tables=(section.grid,))


def as_markdown(title: str, parts: Sequence[Part]) -> str:
    """The document for GitHub's Markdown."""
    blocks = [f"# {_line(title)}"]
    for part in parts:
        blocks.append(f"## {_line(part.heading)}")
        blocks += map(_line, part.paragraphs)
        if part.facts:
            blocks.append(markdown(_grid(part)))
        blocks += map(markdown, part.tables)
        if part.points:
            blocks.append("\n".join(f"- {_line(point)}" for point in part.points))
        if part.code:
            blocks.append("\n".join(f"    {line}" for line in part.code))
    return "\n\n".join(blocks) + "\n"


def as_html(title: str, parts: Sequence[Part]) -> str:
    """The document as a page of its own, in light and dark, on paper and on a phone."""
    blocks = []
    for part in parts:
        inside = [f"<h2>{escape(part.heading)}</h2>"]
        inside += [f"<p>{escape(text)}</p>" for text in part.paragraphs]
        if part.facts:
            pairs = "".join(
                f"<dt>{escape(what)}</dt><dd>{escape(which)}</dd>" for what, which in part.facts
            )
            inside.append(f"<dl>{pairs}</dl>")
        inside += [f'<div class="table" tabindex="0">{html(table)}</div>' for table in part.tables]
        if part.points:
            points = "".join(f"<li>{escape(point)}</li>" for point in part.points)
            inside.append(f"<ul>{points}</ul>")
        if part.code:
            inside.append(f"<pre>{escape(chr(10).join(part.code))}</pre>")
        blocks.append(f"<section>\n{chr(10).join(inside)}\n</section>")
    return _PAGE.format(title=escape(title), style=_STYLE, body="\n".join(blocks))


def _grid(part: Part) -> Grid:
    return Grid(["", ""], [[what, which] for what, which in part.facts], 2, [])


def _line(text: str) -> str:
    """A text on one line, which begins neither a heading nor a list."""
    flat = markdown_escaped(" ".join(text.split()))
    return f"\\{flat}" if flat[:1] in ("#", "-", "+", ">") else flat


_STYLE = """
:root { color-scheme: light dark; --line: #d4d4d8; --soft: #52525b; --back: #f4f4f5; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3f3f46; --soft: #a1a1aa; --back: #27272a; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }
h1 { line-height: 1.2; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
dl { display: grid; grid-template-columns: minmax(9rem, 14rem) 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; }
.table { overflow-x: auto; margin: .75rem 0; overflow-wrap: normal; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
[style] { white-space: nowrap; }
.table p { color: var(--soft); font-size: .9rem; }
pre { background: var(--back); padding: .75rem; overflow-x: auto; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
@media print { body { margin: 0; max-width: none; } section { break-inside: avoid; } }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""
