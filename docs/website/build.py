"""Build the site: python -m docs.website.build [FOLDER]

Sources are gathered in FOLDER/source: the repository's Markdown with links that fit the site, and
the pages that are generated. Sphinx makes FOLDER/html of them. A broken link or a missing page is
an error with file and line; nothing is taken from the network.
"""

from __future__ import annotations

import re
import shutil
import sys
from html import unescape
from io import StringIO
from pathlib import Path

from docs.website import catalogue, gallery, notebook_pages, reference
from docs.website.links import broken_links
from docs.website.navigation import (
    HOME,
    REPOSITORY,
    SECTIONS,
    home_toctree,
    pages,
    section_page,
)
from docs.website.sources import ROOT, BrokenLink, anchors, rewritten, title_and_summary

DOCS = ROOT / "docs"
GENERATED = {"measures", "metrics", "cli"}
"""Pages of docs/ that the site has in another form, or generates itself."""
_LONG = 32  # letters of a line that fit into a block of code on a phone


class BuildError(Exception):
    """What is wrong, a line for each error."""


def gather(folder: Path) -> None:
    """Write all sources of the site into an empty folder."""
    written = {f"docs/{path.name}": path.stem for path in sorted(DOCS.glob("*.md"))} | REPOSITORY
    _check_navigation(set(written.values()))  # before the slow parts
    made = {
        **reference.api_pages(),
        **reference.command_pages(),
        **reference.measure_pages(),
        "measures": catalogue.page(),
        "metrics": reference.metrics_page(),
        "checks": reference.checks_page(),
        **gallery.pages(folder),
        **notebook_pages.pages(),
    }
    texts = {page: (ROOT / origin).read_text("utf-8") for origin, page in written.items()}
    places = anchors({page: text for page, text in made.items() if page.startswith("measures")})

    def moved(path: str, anchor: str) -> str | None:
        if path == "docs/cli.md":
            return f"commands/{anchor[1:]}.md" if anchor else "commands.md"
        if path == "docs/measures.md":
            return f"{places.get(anchor, 'measures')}.md{anchor}"
        if path == "README.md":
            return f"{HOME}.md"
        if path in written:
            return f"{written[path]}.md{anchor}"
        if path.startswith("examples/notebooks/") and path.endswith(".ipynb"):
            return f"notebooks/{Path(path).stem}.md{anchor}"
        return None

    executed = {
        f"examples/notebooks/{Path(page).name}.ipynb": page
        for page in made
        if page.startswith("notebooks/")
    }
    texts |= {page: made[page] for page in executed.values()}
    errors = []
    for origin, page in (written | executed).items():
        if page in GENERATED:
            continue
        try:
            made[page] = rewritten(texts[page], origin=origin, page=page, moved=moved, files=folder)
        except BrokenLink as error:
            errors.append(str(error))
    if errors:
        raise BuildError("\n".join(errors))
    titles = {page: title_and_summary(text) for page, text in made.items()}
    made[HOME] += f"\n\n{home_toctree()}\n"
    for section in SECTIONS:
        if section.about:
            made[section.page] = section_page(section, titles)
    for page, text in made.items():
        path = folder / f"{page}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in ("pictures", "images"):
        shutil.copytree(DOCS / name, folder / name, dirs_exist_ok=True)


def _check_navigation(written: set[str]) -> None:
    found = written | {"api", "commands", "checks", "gallery", "notebooks"}
    listed = list(pages())
    here = "docs/website/navigation.py"
    errors = [f"{here}: there is no page {name}" for name in listed if name not in found]
    own = {path.stem for path in DOCS.glob("*.md")} - {"cli"}
    errors += [f"{here}: docs/{name}.md is in no section" for name in sorted(own - set(listed))]
    if errors:
        raise BuildError("\n".join(errors))


def build(folder: Path) -> None:
    """Build the site in a folder."""
    from sphinx.application import Sphinx

    source, html = folder / "source", folder / "html"
    for old in (source, html):
        shutil.rmtree(old, ignore_errors=True)
    source.mkdir(parents=True)
    gather(source)
    said = StringIO()
    app = Sphinx(
        srcdir=source,
        confdir=Path(__file__).parent,
        outdir=html,
        doctreedir=folder / "doctrees",
        buildername="html",
        status=None,
        warning=said,
        freshenv=True,
    )
    app.build()
    gallery.add_scripts(html)
    for path in html.rglob("*.html"):
        page = path.read_text("utf-8")
        if (wrapped := wrap_long_lines(page)) != page:
            path.write_text(wrapped, encoding="utf-8")
    warnings = re.sub(r"\x1b\[[0-9;]*m", "", said.getvalue()).strip()
    errors = [_original(line, source) for line in warnings.splitlines() if line]
    errors = errors or broken_links(html)
    if errors:
        raise BuildError("\n".join(errors))


def wrap_long_lines(page: str) -> str:
    """Mark the commands and sentences in blocks of code that site.css wraps; tables scroll."""
    blocks = r'<div class="highlight-(console|python|sh) .*?</pre>'
    return re.sub(blocks, _wrap_block, page, flags=re.DOTALL)


def _wrap_block(block: re.Match[str]) -> str:
    lines = block[0].removesuffix("</pre>").split("\n")
    for at, line in enumerate(lines):
        start, opened, rest = line.rpartition("<pre><span></span>")
        said = rest.startswith('<span class="go">')
        text = unescape(re.sub("<[^>]*>", "", rest))
        if len(text) > _LONG and "  " not in text.strip() and (said or block[1] != "python"):
            lines[at] = f'{start}{opened}<span class="wrapped">{rest}</span>'
    return "\n".join(lines) + "</pre>"


def _original(warning: str, source: Path) -> str:
    """Name the file of the repository in a message about its copy."""
    text = warning.replace(f"{source}/", "")
    for origin, page in {
        **REPOSITORY,
        **{f"docs/{p.name}": p.stem for p in DOCS.glob("*.md")},
    }.items():
        text = re.sub(rf"^{re.escape(page)}\.md(?=:)", origin, text)
    return text


def main() -> int:
    """Build, and say where the site is or what is wrong."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()
    try:
        build(folder)
    except BuildError as error:
        print(error, file=sys.stderr)
        print(f"the site has {len(str(error).splitlines())} errors", file=sys.stderr)
        return 1
    print(f"open {folder / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
