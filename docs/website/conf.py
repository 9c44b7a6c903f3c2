"""Sphinx's settings, and what the site adds: formulas as MathML, diagrams as HTML.

Sphinx and docutils are imported when a site is built, since other tests read this module without.
"""

from __future__ import annotations

from typing import Any, ClassVar

from cleverdon import __version__
from docs.website.diagrams import DiagramError, flowchart

project = "Cleverdon"
copyright = "the authors of Cleverdon; Apache-2.0"
version = release = __version__
extensions = ["myst_parser"]
root_doc = "index"
suppress_warnings = ["misc.highlighting_failure"]  # output shown as toml or json may be cut short
primary_domain = None
highlight_language = "text"
maximum_signature_line_length = 70
toc_object_entries_show_parents = "hide"

myst_enable_extensions = ["dollarmath", "deflist", "fieldlist"]
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]
myst_links_external_new_tab = False

html_theme = "pydata_sphinx_theme"
html_title = "Cleverdon"
html_static_path = ["static"]
html_css_files = ["site.css"]
# First after Sphinx's own options, which it changes.
html_js_files = [("site.js", {"priority": 250}), ("catalogue.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = True
html_sidebars = {"other_tools": [], "search": [], "genindex": []}  # no section to navigate
html_context = {"default_mode": "auto"}
html_theme_options: dict[str, Any] = {
    "logo": {"text": "Cleverdon"},
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "show_nav_level": 1,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "search_as_you_type": True,
    "search_bar_text": "Search",
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


html_math_renderer = "mathml"


def setup(app: Any) -> None:
    """Register formulas and diagrams."""
    app.add_html_math_renderer("mathml", (_mathml("inline"), None), (_mathml("block"), None))
    app.add_directive("mermaid", _mermaid())


def _mathml(display: str) -> Any:
    from docutils.nodes import SkipNode
    from latex2mathml.converter import convert

    def visit(self: Any, node: Any) -> None:
        formula = convert(node.astext(), display=display)
        if display == "block":
            formula = f'<div class="formula" tabindex="0">{formula}</div>'
        self.body.append(formula)
        raise SkipNode

    return visit


def _mermaid() -> Any:
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Mermaid(Directive):
        has_content: ClassVar[bool] = True

        def run(self) -> list[Any]:
            try:
                drawn = flowchart("\n".join(self.content))
            except DiagramError as error:
                text = f"line {error.line + 1} of the diagram: {error}"
                raise self.directive_error(3, text) from None
            return [nodes.raw("", drawn, format="html")]

    return Mermaid
