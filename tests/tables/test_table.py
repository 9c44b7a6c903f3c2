"""Tables of text in every format, to the letter."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from cleverdon.tables.markup import escape_latex, escape_markdown
from cleverdon.tables.table import FORMATS, Mark, TextTable, render_table

GRID = TextTable(
    ["system", "AP", "hits"],
    [["one", "0.5000", "7"], ["two_2", "0.7500", "12"], ["three", "-", "-3"]],
    1,
    ["--more shows more"],
    ["4 queries", "† differs <a>"],
    {
        (0, 0): Mark(above="a"),
        (1, 0): Mark(above="b"),
        (2, 0): Mark(above="c"),
        (0, 1): Mark("second"),
        (1, 1): Mark("best", "ac"),
        (0, 2): Mark("second", "c"),
        (1, 2): Mark("best"),
    },
)
SIUNITX = r"""
% Needs \usepackage{booktabs,siunitx}, siunitx from version 3 on. The settings of series let
% numbers be bold (version 2 called that detect-weight); a model in bold has room for them.
\begingroup
\sisetup{reset-text-series=false, text-series-to-math=true, table-model-setup=\bfseries,
  table-align-text-after=false, group-digits=none, retain-explicit-plus=true}
\protected\def\best{\bfseries}
\protected\def\secondbest#1{\llap{\underline{\phantom{$#1$}}}}
""".lstrip()


def test_text() -> None:
    assert render_table(GRID, "table").split("\n") == [
        "system        AP  hits",
        "──────  ────────  ────",
        "oneᵃ    0.5000      7ᶜ",
        "two_2ᵇ  0.7500ᵃᶜ   12",
        "threeᶜ       -     -3",
        "",
        "4 queries",
        "† differs <a>",
        "--more shows more",
    ]


def test_turned_text() -> None:
    assert render_table(GRID.turned("measure"), "table").split("\n")[:4] == [
        "measure     oneᵃ    two_2ᵇ  threeᶜ",
        "───────  ───────  ────────  ──────",
        "AP       0.5000   0.7500ᵃᶜ       -",
        "hits          7ᶜ      12        -3",
    ]


def test_turning_twice_changes_nothing() -> None:
    assert GRID.turned("measure").turned("system") == GRID


def test_terminals_get_bold_and_underlined() -> None:
    lines = render_table(GRID, "table", styled=True).split("\n")
    assert lines[2] == "oneᵃ    \033[4m0.5000\033[0m      \033[4m7\033[0mᶜ"
    assert lines[3] == "two_2ᵇ  \033[1m0.7500\033[0mᵃᶜ   \033[1m12\033[0m"


def test_what_is_wider_than_the_terminal_is_written_in_parts() -> None:
    wide = render_table(GRID, "table", width=22)
    assert wide == render_table(GRID, "table")
    assert render_table(GRID, "table", width=21).split("\n") == [
        "system        AP",
        "──────  ────────",
        "oneᵃ    0.5000",
        "two_2ᵇ  0.7500ᵃᶜ",
        "threeᶜ       -",
        "",
        "system  hits",
        "──────  ────",
        "oneᵃ      7ᶜ",
        "two_2ᵇ   12",
        "threeᶜ   -3",
        "",
        "4 queries",
        "† differs <a>",
        "--more shows more",
    ]
    # A column that fits nowhere stands alone.
    assert render_table(GRID, "table", width=3).count("system") == 2


def test_markdown() -> None:
    assert render_table(GRID, "markdown").split("\n") == [
        "| system | AP | hits |",
        "| :--- | ---: | ---: |",
        "| one<sup>a</sup> | <ins>0.5000</ins> | <ins>7</ins><sup>c</sup> |",
        "| two_2<sup>b</sup> | **0.7500**<sup>ac</sup> | **12** |",
        "| three<sup>c</sup> | - | -3 |",
        "",
        "4 queries  ",
        "† differs &lt;a>",
    ]


def test_turned_markdown() -> None:
    assert render_table(GRID.turned("measure"), "markdown").split("\n")[:4] == [
        "| measure | one<sup>a</sup> | two_2<sup>b</sup> | three<sup>c</sup> |",
        "| :--- | ---: | ---: | ---: |",
        "| AP | <ins>0.5000</ins> | **0.7500**<sup>ac</sup> | - |",
        "| hits | <ins>7</ins><sup>c</sup> | **12** | -3 |",
    ]


def test_latex() -> None:
    assert render_table(GRID, "latex").split("\n") == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"system & AP & hits \\",
        r"\midrule",
        r"one$^{a}$ & \underline{0.5000}\phantom{$^{ac}$} & \underline{7}$^{c}$ \\",
        r"two\_2$^{b}$ & \textbf{0.7500}$^{ac}$ & \textbf{12}\phantom{$^{c}$} \\",
        r"three$^{c}$ & -\phantom{$^{ac}$} & -3\phantom{$^{c}$} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip{\footnotesize 4 queries. $^{\dagger}$ differs \textless{}a\textgreater{}."
        r"\par}",
    ]


def test_turned_latex() -> None:
    assert render_table(GRID.turned("measure"), "latex").split("\n")[:6] == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"measure & one$^{a}$ & two\_2$^{b}$ & three$^{c}$ \\",
        r"\midrule",
        r"AP & \underline{0.5000}\phantom{$^{c}$} & \textbf{0.7500}$^{ac}$ & - \\",
        r"hits & \underline{7}$^{c}$ & \textbf{12}\phantom{$^{ac}$} & -3 \\",
    ]


def test_siunitx() -> None:
    text = render_table(GRID, "latex-siunitx")
    assert text.startswith(SIUNITX)
    assert text.removeprefix(SIUNITX).split("\n") == [
        r"\begin{tabular}{lS[table-format=1.4{$^{ac}$}]S[table-format=-2{$^{c}$}]}",
        r"\toprule",
        r"system & {AP} & {hits} \\",
        r"\midrule",
        r"one$^{a}$ & 0.5000\secondbest{0.5000} & 7\secondbest{7}{$^{c}$} \\",
        r"two\_2$^{b}$ & \best 0.7500{$^{ac}$} & \best 12 \\",
        r"three$^{c}$ & {-} & -3 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\endgroup",
        r"\par\smallskip{\footnotesize 4 queries. $^{\dagger}$ differs \textless{}a\textgreater{}."
        r"\par}",
    ]


def test_turned_siunitx() -> None:
    assert render_table(GRID.turned("measure"), "latex-siunitx").removeprefix(SIUNITX).split("\n")[
        :6
    ] == [
        r"\begin{tabular}{lS[table-format=1.4{$^{c}$}]S[table-format=2.4{$^{ac}$}]"
        r"S[table-format=-1]}",
        r"\toprule",
        r"measure & {one$^{a}$} & {two\_2$^{b}$} & {three$^{c}$} \\",
        r"\midrule",
        r"AP & 0.5000\secondbest{0.5000} & \best 0.7500{$^{ac}$} & {-} \\",
        r"hits & 7\secondbest{7}{$^{c}$} & \best 12 & -3 \\",
    ]


def test_siunitx_aligns_nothing_but_numbers() -> None:
    # With a comma, siunitx would read 1,234 as a bit more than one.
    rows = [["x", "0.5 [0.4, 0.6]", "+0.5", "1,234"], ["y", "inf", "-12.25", "10"]]
    marks = {(0, 1): Mark("best", "a"), (1, 1): Mark("second"), (0, 3): Mark("best")}
    grid = TextTable(["s", "ends", "gain", "n_1"], rows, 1, [], [], marks)
    text = render_table(grid, "latex-siunitx")
    assert text.removeprefix(SIUNITX).split("\n") == [
        r"\begin{tabular}{lrS[table-format=-2.2]S[table-format=2]}",
        r"\toprule",
        r"s & ends & {gain} & {n\_1} \\",
        r"\midrule",
        r"x & \textbf{0.5 [0.4, 0.6]}$^{a}$ & +0.5 & {\textbf{1,234}} \\",
        r"y & \underline{inf} & -12.25 & 10 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\endgroup",
    ]


def test_html() -> None:
    right = " style='text-align:right'"
    assert render_table(GRID, "html") == (
        f"<table><thead><tr><th>system</th><th{right}>AP</th><th{right}>hits</th></tr></thead>"
        f"<tbody><tr><td>one<sup>a</sup></td><td{right}><u>0.5000</u></td>"
        f"<td{right}><u>7</u><sup>c</sup></td></tr>"
        f"<tr><td>two_2<sup>b</sup></td><td{right}><b>0.7500</b><sup>ac</sup></td>"
        f"<td{right}><b>12</b></td></tr>"
        f"<tr><td>three<sup>c</sup></td><td{right}>-</td><td{right}>-3</td></tr></tbody></table>"
        "<p>4 queries<br>† differs &lt;a&gt;<br>--more shows more</p>"
    )
    assert render_table(GRID.turned("m"), "html").startswith(
        f"<table><thead><tr><th>m</th><th{right}>one<sup>a</sup></th>"
    )
    assert render_table(TextTable(["a"], [["b"]], 1, []), "html").endswith("</table>")


def test_csv_and_tsv_have_neither_marks_nor_notes() -> None:
    assert render_table(GRID, "csv") == "system,AP,hits\none,0.5000,7\ntwo_2,0.7500,12\nthree,-,-3"
    assert render_table(GRID, "tsv").startswith("system\tAP\thits\none\t0.5000\t7\n")


def test_programs_get_names_as_they_are() -> None:
    names = ["=1+1", "@x", 'a"b', "c,d"]
    text = render_table(TextTable(["s"], [[name] for name in names], 1, []), "csv")
    assert [row[0] for row in csv.reader(StringIO(text))] == ["s", *names]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("bm25_rm3_x", "bm25_rm3_x"),
        ("_x_ *y* `z` ~a~", r"\_x\_ \*y\* \`z\` \~a\~"),
        ("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"),
        ("<!-- --> <? p < 0.05 <= 1", "&lt;!-- --> &lt;? p < 0.05 <= 1"),
        ("&lt; &#60; A&B", "&amp;lt; &amp;#60; A&B"),
        ("a|b", r"a\|b"),
        ("[a](b) [c][d] 0.5 [0.4, 0.6]", r"[a\](b) [c\][d] 0.5 [0.4, 0.6]"),
        ("$x$", r"\$x\$"),
        ("back\\slash", "back\\\\slash"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown


def test_latex_shows_text_as_it_is() -> None:
    assert escape_latex("a_b & 100% $x$ #1 {y} ~ ^ \\") == (
        r"a\_b \& 100\% \$x\$ \#1 \{y\} \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )
    assert escape_latex("<a|b>") == r"\textless{}a\textbar{}b\textgreater{}"
    assert (escape_latex("[x]"), escape_latex("*"), escape_latex("a[*")) == (
        "{[}x]",
        "{*}",
        "a[*",
    )


@pytest.mark.parametrize("format", [format for format in FORMATS if format != "json"])
def test_a_table_without_rows(format: str) -> None:
    assert "AP" in render_table(TextTable(["system", "AP"], [], 1, []), format)
