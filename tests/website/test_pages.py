"""The parts that the site is made of, without building it; tests/browser/test_site.py opens it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import click
import pytest

import cleverdon
from cleverdon.checks.findings import rules
from cleverdon.cli import COMMANDS
from cleverdon.cli import cleverdon as program
from cleverdon.measures.registry import FAMILIES, family, measures
from cleverdon.plots.kinds import PLOT_KINDS
from docs import generate
from docs.website import catalogue, gallery, navigation, reference
from docs.website.build import wrap_long_lines
from docs.website.diagrams import DiagramError, flowchart
from docs.website.links import broken_links
from docs.website.sources import ROOT, BrokenLink, rewritten, title_and_summary

DOCS = ROOT / "docs"


# Navigation


def test_every_page_of_docs_is_in_one_section() -> None:
    listed = list(navigation.pages())
    assert len(listed) == len(set(listed))
    # The site has a page for each command in place of cli.md.
    assert {path.stem for path in DOCS.glob("*.md")} - {"cli"} <= set(listed)


def test_pages_that_sections_list_exist() -> None:
    made = {"api", "commands", "checks", "gallery", "notebooks"}  # when the site is built
    elsewhere = set(navigation.REPOSITORY.values())
    there = {path.stem for path in DOCS.glob("*.md")}
    assert set(navigation.pages()) <= there | made | elsewhere
    assert all((ROOT / path).is_file() for path in navigation.REPOSITORY)


def test_a_section_lists_its_pages() -> None:
    section = navigation.Section("s", "Some", "About some.", {"Group": ("a", "b")})
    text = navigation.section_page(section, {"a": ("A page", "It is a."), "b": ("B", "It is b.")})
    assert "- [A page](a.md): It is a." in text
    assert ":caption: Group\n\na\nb\n```" in text


# Links


def moved(path: str, anchor: str) -> str | None:
    return {"docs/a.md": "a.md", "docs/cli.md": f"commands/{anchor[1:]}.md"}.get(path)


def test_links_lead_to_pages_of_the_site(tmp_path: Path) -> None:
    text = (
        "[`a`](a.md) and [b](../docs/cli.md#cleverdon-eval)\n\n"
        "```text\n[c](no.md)\n```\n`[e](no.md)` [d](#e)"
    )
    found = rewritten(text, origin="docs/x.md", page="sub/x", moved=moved, files=tmp_path)
    assert found == (
        "[`a`](../a.md) and [b](../commands/cleverdon-eval.md)\n\n"
        "```text\n[c](no.md)\n```\n`[e](no.md)` [d](#e)"
    )


def test_files_that_are_no_pages_are_copied(tmp_path: Path) -> None:
    text = "[licence](../LICENSE)"
    found = rewritten(text, origin="docs/x.md", page="x", moved=moved, files=tmp_path)
    assert found == "[licence](LICENSE)"
    assert (tmp_path / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_a_broken_link_is_an_error_with_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(BrokenLink, match=r"^docs/x\.md:3: there is no file no\.md$"):
        rewritten("# X\n\n[a](no.md)", origin="docs/x.md", page="x", moved=moved, files=tmp_path)


@pytest.mark.parametrize(
    ("html", "error"),
    [
        ('<a href="b.html">', "a.html:2: there is no b.html"),
        ('<a href="#no">', "a.html:2: a.html has no #no"),
        ('<a href="a.html#here">', None),
        ('<a href="https://example.org/">', None),
        ('<script src="https://example.org/x.js">', "a.html:2: loads https://example.org/x.js"),
        ('<img src="//example.org/x.png">', "a.html:2: loads //example.org/x.png"),
    ],
)
def test_links_of_built_pages_are_checked(tmp_path: Path, html: str, error: str | None) -> None:
    (tmp_path / "a.html").write_text(f'<p id="here">\n{html}')
    assert broken_links(tmp_path) == ([error] if error else [])


def test_title_and_summary() -> None:
    assert title_and_summary("# T\n\n![x](y.png)\n\nOne [two](z.md): three.") == ("T", "One two.")
    assert title_and_summary("# T") == ("T", "")


def test_commands_and_sentences_are_wrapped_and_tables_and_code_are_not() -> None:
    long, row, opened = "word " * 20, "a   b " * 20, 'notranslate"><pre><span></span>'

    def block(language: str, *lines: str) -> str:
        return f'<div class="highlight-{language} {opened}' + "\n".join(lines) + "\n</pre></div>"

    said = [f'<span class="go">{text}</span>' for text in (long, row, "short &lt;")]
    command = f'<span class="gp">$ </span>{long}'
    assert wrap_long_lines(block("console", command, *said)) == block(
        "console",
        f'<span class="wrapped">{command}</span>',
        f'<span class="wrapped">{said[0]}</span>',
        *said[1:],
    )
    code = f'<span class="gp">&gt;&gt;&gt; </span>{long}'
    assert wrap_long_lines(block("python", code, *said)) == block(
        "python", code, f'<span class="wrapped">{said[0]}</span>', *said[1:]
    )
    assert wrap_long_lines(block("text", long)) == block("text", long)


# Diagrams


def test_the_diagram_of_the_architecture_can_be_drawn() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    drawn = flowchart(text.partition("```mermaid\n")[2].partition("```")[0])
    assert drawn.count('class="diagram-group"') == 3
    assert drawn.index("toolkits") < drawn.index("pipeline") < drawn.index("features")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("pie", 0),
        ("flowchart TB\na --> b\nc --> d", 2),  # not in one row with the first
        ("flowchart TB\na & b --> c\na --> d", 2),
        ("flowchart TB\na((circle))", 1),
    ],
)
def test_a_diagram_that_rows_cannot_show_is_an_error(text: str, line: int) -> None:
    with pytest.raises(DiagramError) as caught:
        flowchart(text)
    assert caught.value.line == line


# Catalogue


@pytest.mark.parametrize(
    ("name", "grades", "order", "user", "trec_eval"),
    [
        ("SetP", "binary", "set", "takes the result as a whole", True),
        ("P", "binary", "ranked", "reads to a fixed depth", True),
        ("AP", "binary", "ranked", "stops when satisfied", True),
        ("nDCG", "graded", "ranked", "reads to a fixed depth", True),
        ("RBP", "graded", "ranked", "may stop at any rank", True),
        ("ERR", "graded", "ranked", "may stop at any rank", False),
        ("alphaDCG", "binary", "ranked", "reads to a fixed depth", False),
        ("NumRel", "binary", "set", "no user: it describes data", True),
        ("NGRE", "graded", "ranked", "may stop at any rank", False),
        ("infAP", "binary", "ranked", "the user of another measure", True),
    ],
)
def test_facts_of_measures(name: str, grades: str, order: str, user: str, trec_eval: bool) -> None:
    cls = next(cls for cls in measures() if cls.__name__ == name)
    found = catalogue.facts(cls)
    assert (found.grades, found.order, found.kind_of_user) == (grades, order, user)
    assert bool(found.trec_eval) is trec_eval


def test_facts_agree_with_families() -> None:
    for cls in measures():
        if family(cls) not in FAMILIES.values():
            continue  # of another test
        found, heading = catalogue.facts(cls), family(cls)
        if heading.startswith("Sets"):
            assert (found.grades, found.order) == ("binary", "set"), cls.__name__
        elif heading.startswith("Ranked, binary"):
            assert (found.grades, found.order) == ("binary", "ranked"), cls.__name__
        elif heading.startswith("Ranked, graded") and cls.__name__ != "RBPResidual":
            assert (found.grades, found.order) == ("graded", "ranked"), cls.__name__


def test_the_catalogue_has_every_measure() -> None:
    text = catalogue.page()
    for cls in measures():
        if family(cls) in FAMILIES.values():
            assert f">{cls.__name__}</a></td>" in text
    pages = reference.measure_pages()
    assert sum(page.count("\n## ") for page in pages.values()) == text.count("<tr data-grades")


# Reference


def test_every_public_name_has_a_page() -> None:
    pages = reference.api_pages()
    for name in cleverdon.__all__:
        if not name.startswith("__"):
            assert f"](api/{name}.md)" in pages["api"]
            assert pages[f"api/{name}"].startswith("# ")
    text = pages["api/evaluate"]
    assert "{py:function} cleverdon.evaluate(" in text
    for parameter in inspect.signature(cleverdon.evaluate).parameters:
        assert f":param {parameter}: " in text
    assert ":raises InputError: " in text


def test_docstrings_become_markdown() -> None:
    text = reference.docstring(
        "Do *it* by `a_b`.\n\n    shown as is\n\n"
        "Args:\n    a_b: One\n        more.\n    c: Two.\n\n"
        "Returns:\n    Some\n    text.\n\nRaises:\n    ValueError: Never.\n\n>>> 1\n1"
    )
    assert text == (
        "Do \\*it\\* by `a_b`.\n\n```text\nshown as is\n```\n\n"
        ":param a_b: One more.\n:param c: Two.\n\n:returns: Some text.\n\n"
        ":raises ValueError: Never.\n\n```python\n>>> 1\n1\n```"
    )


def test_every_command_and_option_has_its_place() -> None:
    pages = reference.command_pages()
    with click.Context(program, info_name="cleverdon") as ctx:
        for name in COMMANDS:
            command = program.get_command(ctx, name)
            assert command is not None
            text = pages[f"commands/cleverdon-{name}"]
            assert text.startswith(f"# cleverdon {name}\n")
            for option in command.get_params(ctx):
                if isinstance(option, click.Option):
                    assert all(f"{spelled}" in text for spelled in option.opts), option.opts
            if isinstance(command, click.Group):
                for sub in command.list_commands(ctx):
                    assert f"commands/cleverdon-{name}-{sub}" in pages
                    assert f"(cleverdon-{name}-{sub}.md)" in text


def test_no_block_of_code_is_empty() -> None:
    for page, text in (reference.api_pages() | reference.command_pages()).items():
        assert not re.search(r"^```\w+\n\s*^```", text, flags=re.MULTILINE), page


def test_pages_of_commands_have_the_anchors_of_cli_md() -> None:
    pages = reference.command_pages()
    for line in generate.cli_page().splitlines():
        if line.startswith(("## cleverdon ", "### cleverdon ")):
            assert f"commands/{line.lstrip('# ').replace(' ', '-')}" in pages


def test_every_check_is_listed() -> None:
    text = reference.checks_page()
    assert all(f"| `{name}` | {rule.severity} |" in text for name, rule in rules().items())


def test_the_gallery_runs_every_plot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[str] = []
    monkeypatch.setattr(gallery, "_plot", lambda kind, _: (ran.append(kind) or kind, {}, "command"))
    monkeypatch.setattr(gallery, "_pictures", lambda *_: None)
    monkeypatch.setattr(gallery, "CALLS", {})
    monkeypatch.setattr(gallery, "REPORTS", {})
    pages = gallery.pages(tmp_path / "source")
    assert ran == list(PLOT_KINDS)
    assert all(f'href="gallery/{kind}.html"' in pages["gallery"] for kind in PLOT_KINDS)
