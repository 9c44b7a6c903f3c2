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
    assert (
        r"\textless{}b\textgreater{}\&\_\textbar{}\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
        in render(scores(NASTY), "latex")
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


def test_a_table_too_wide_for_a_screen_is_turned() -> None:
    wide = evaluate(QRELS, {"mine": {"q1": {"a": 1.0}}}, [f"P@{k}" for k in range(1, 31)])
    lines = render(wide).split("\n")
    assert lines[0].split() == ["measure", "mine"]
    assert lines[2].split() == ["P@1", "0.5000"]
    assert render(wide, "csv").startswith("system,P@1,P@2,")
    many = evaluate(QRELS, {f"run{n}": {"q1": {"a": 1.0}} for n in range(30)}, "AP RR")
    assert render(many).startswith("system")


def test_measures_undefined_alike_share_a_line() -> None:
    lines = render(evaluate(QRELS, {"q1": {"a": 1.0}}, "AP nDCG SearchLength")).split("\n")
    assert "AP, nDCG are undefined for 1 query (counted as 0)" in lines
    assert lines[-1] == (
        "SearchLength is undefined for 1 query (counted as inf; undefined=skip leaves it out)"
    )


def test_texts_are_said_to_be_elsewhere() -> None:
    found = evaluate(QRELS, {"q1": {"a": 1.0}}, "RelString")
    assert render(found).endswith("which --per-query or Scores.texts shows")
    assert "Scores.texts" not in render(found, per_query=True)
    with pytest.raises(OptionError, match="yields texts: see Scores"):
        found.per_query("run", "RelString")
