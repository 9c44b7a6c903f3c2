"""The order of the site: which page is in which section. A page in no section fails the build."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Section(NamedTuple):
    """A tab of the site: a page that introduces it, and groups of pages by heading.

    Without `about`, the page is one that exists.
    """

    page: str
    title: str
    about: str
    groups: dict[str, tuple[str, ...]]


REPOSITORY = {
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "benchmarks/README.md": "benchmarks",
    "examples/README.md": "examples",
}
"""Pages of the site that are not in docs/."""

SECTIONS = (
    Section(
        "start",
        "Get started",
        "Install Cleverdon, get a first number, and learn the words.",
        {"": ("install", "five_minutes", "glossary", "features", "examples")},
    ),
    Section(
        "guides",
        "Guides",
        "One guide for each kind of user: what you have, what you type, what you get.",
        {
            "": (
                "guide_student",
                "guide_researcher",
                "migration",
                "guide_search_engineer",
                "guide_rag",
                "guide_relevance_team",
            )
        },
    ),
    Section(
        "howto",
        "How-to",
        "One page for each task, with commands and Python calls that are tested.",
        {
            "Files": ("reading", "collection", "tables"),
            "Scores": (
                "homework",
                "averages",
                "explain",
                "bounds",
                "hits",
                "trec_eval",
                "audit",
                "merging",
                "spark",
                "sql",
            ),
            "Comparisons": ("compare", "slices", "correlate", "power", "tuning", "gate"),
            "Plots and reports": ("plots", "report"),
            "Judging": ("pool", "pool_adaptive", "judging_less", "recall", "agree", "judge"),
            "Search logs": (
                "logs",
                "logs_formats",
                "logs_check",
                "logs_report",
                "abtest",
                "interleaving",
                "clicks",
                "bridge",
            ),
            "Engines": ("engines", "search", "bench", "index_costs"),
        },
    ),
    Section(
        "concepts",
        "Concepts",
        "What to know before you believe a number.",
        {"": ("ties", "unjudged", "which_measure", "choices", "statistics")},
    ),
    Section(
        "reference",
        "Reference",
        "Generated from the code: every function, command, measure, metric and check.",
        {"": ("api", "commands", "measures", "metrics", "checks")},
    ),
    # These are pages of docs/, of gallery.py and of notebook_pages.py.
    Section("other_tools", "Comparison", "", {}),
    Section("gallery", "Gallery", "", {}),
    Section("notebooks", "Notebooks", "", {}),
    Section("changelog", "Changelog", "", {}),
    Section(
        "project",
        "Project",
        "How Cleverdon is built, how fast it is, and how to work on it.",
        {
            "": (
                "upgrading",
                "contributing",
                "architecture",
                "performance",
                "benchmarks",
                "releasing",
            )
        },
    ),
)

HOME = "index"


def pages() -> Iterator[str]:
    """Yield the names of all pages that sections list."""
    yield HOME
    for section in SECTIONS:
        for group in section.groups.values():
            yield from group
        if not section.about:
            yield section.page


def section_page(section: Section, titles: dict[str, tuple[str, str]]) -> str:
    """Write the page that introduces a section.

    Args:
        section: The section.
        titles: Title and first sentence of each page.
    """
    parts = [f"# {section.title}", section.about]
    for heading, names in section.groups.items():
        if heading:
            parts.append(f"## {heading}")
        parts.append("\n".join(f"- [{titles[n][0]}]({n}.md): {titles[n][1]}" for n in names))
        parts.append(toctree(names, caption=heading))
    return "\n\n".join(filter(None, parts)) + "\n"


def home_toctree() -> str:
    """Return the hidden list of sections, which the home page ends with."""
    return toctree([f"{section.title} <{section.page}>" for section in SECTIONS])


def toctree(entries: list[str] | tuple[str, ...], *, caption: str = "") -> str:
    """Return a hidden list of pages in Sphinx's notation."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["```{toctree}", *options, "", *entries, "```"])
