"""Tables of scores."""

from __future__ import annotations

import pytest

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.show.table import FORMATS, render

QRELS = {"q1": {"a": 1}, "q2": {"b": 0}}
NASTY = "<b>&_|%$#{}~^\\"


def scores(name: str = "mine"):
    return evaluate(QRELS, {name: {"q1": {"a": 1.0}}}, ["AP", "NumRel"])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("per_query", [False, True])
def test_every_format_renders(format: str, per_query: bool) -> None:
    assert "mine" in render(scores(), format, per_query=per_query)


def test_names_are_escaped() -> None:
    assert "&lt;b&gt;&amp;_|" in render(scores(NASTY), "html")
    assert r"<b>&_\|%" in render(scores(NASTY), "markdown")
    assert r"<b>\&\_|\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}" in render(
        scores(NASTY), "latex"
    )


def test_wide_characters_keep_columns_aligned() -> None:
    lines = render(evaluate(QRELS, {"検索": {"q1": {"a": 1}}, "x": {"q1": {"a": 1}}}, "AP")).split(
        "\n"
    )
    assert lines[2] == "検索    0.5000"
    assert lines[3] == "x       0.5000"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'latex'"):
        render(scores(), "latx")


def test_notebooks_get_html() -> None:
    assert scores()._repr_html_().startswith("<table>")
    assert repr(scores()).startswith("system")
