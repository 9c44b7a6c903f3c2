"""Tables of scores."""

from __future__ import annotations

import pytest

from cleverdon import evaluate
from cleverdon.errors import OptionError
from cleverdon.tables.table import FORMATS
from tests.comparison.made import made

QRELS = {"q1": {"a": 1}, "q2": {"b": 0}}
NASTY = "<b>&_|%$#{}~^\\"


def scores(name: str = "mine"):
    return evaluate(QRELS, {name: {"q1": {"a": 1.0}}}, ["AP", "NumRel"])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("per_query", [False, True])
def test_every_format_renders(format: str, per_query: bool) -> None:
    assert "mine" in scores().render(format, per_query=per_query)


def test_names_are_escaped() -> None:
    assert "&lt;b&gt;&amp;_|" in scores(NASTY).render("html")
    assert r"| &lt;b>&\_\|%\$#{}\~^\\ |" in scores(NASTY).render("markdown")
    assert (
        r"\textless{}b\textgreater{}\&\_\textbar{}\%\$\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
        in scores(NASTY).render("latex")
    )


def test_wide_characters_keep_columns_aligned() -> None:
    lines = (
        evaluate(QRELS, {"検索": {"q1": {"a": 1}}, "x": {"q1": {"a": 1}}}, "AP")
        .render()
        .split("\n")
    )
    assert lines[2] == "検索    0.5000"
    assert lines[3] == "x       0.5000"


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'latex'"):
        scores().render("latx")


def test_notebooks_get_html() -> None:
    assert scores()._repr_html_().startswith("<table>")
    assert repr(scores()).startswith("system")


def test_notebooks_get_warnings_too() -> None:
    shown = evaluate({"q1": {"a#1": 1}}, {"a&b": {"q1": {"a": 1.0}}}, "RR")._repr_html_()
    warning = "a&amp;b returned no judged document at all; are its document ids the same?"
    assert shown.endswith(f"<p><strong>{warning}</strong></p>")


def test_a_table_too_wide_for_a_screen_is_turned() -> None:
    wide = evaluate(QRELS, {"mine": {"q1": {"a": 1.0}}}, [f"P@{k}" for k in range(1, 31)])
    lines = wide.render().split("\n")
    assert lines[0].split() == ["measure", "mine"]
    assert lines[2].split() == ["P@1", "0.5000"]
    assert wide.render("csv").startswith("system,P@1,P@2,")
    many = evaluate(QRELS, {f"run{n}": {"q1": {"a": 1.0}} for n in range(30)}, "AP RR")
    assert many.render().startswith("system")


def test_measures_undefined_alike_share_a_line() -> None:
    lines = evaluate(QRELS, {"q1": {"a": 1.0}}, "AP nDCG SearchLength").render().split("\n")
    assert "AP, nDCG are undefined for 1 query (counted as 0)" in lines
    assert lines[-1] == (
        "SearchLength is undefined for 1 query (counted as inf; undefined=skip leaves it out)"
    )


def test_texts_are_said_to_be_elsewhere() -> None:
    found = evaluate(QRELS, {"q1": {"a": 1.0}}, "RelString")
    assert found.render().endswith("which --per-query or Scores.texts shows")
    assert "Scores.texts" not in found.render(per_query=True)
    with pytest.raises(OptionError, match="yields texts: see Scores"):
        found.per_query("run", "RelString")


THREE = made(
    {
        "b": {"AP": [0.2, 0.4], "FPR": [0.5, 0.1], "Judged@10": [1.0, 0.5], "NumRet": [3, 4]},
        "c": {"AP": [0.6, 0.8], "FPR": [0.1, 0.3], "Judged@10": [0.5, 0.5], "NumRet": [3, 4]},
        "a": {"AP": [0.4, 0.2], "FPR": [0.9, 0.7], "Judged@10": [0.0, 0.5], "NumRet": [1, 1]},
    }
)


def names(text: str) -> list[str]:
    return [line.split()[0] for line in text.split("\n")[2:5]]


def test_the_best_and_the_second_stand_out() -> None:
    assert THREE.render("markdown").split("\n") == [
        "| system | AP | FPR | Judged@10 | NumRet |",
        "| :--- | ---: | ---: | ---: | ---: |",
        # Equal values have equal marks; lower FPR is better.
        "| b | <ins>0.3000</ins> | <ins>0.3000</ins> | 0.7500 | 7 |",
        "| c | **0.7000** | **0.2000** | 0.5000 | 7 |",
        "| a | <ins>0.3000</ins> | 0.8000 | 0.2500 | 2 |",
        "",
        "2 queries, 20 judgments  ",
        "FPR is undefined for 2 queries (counted as 1)",
    ]
    assert THREE.render("latex").split("\n")[5] == (
        r"c & \textbf{0.7000} & \textbf{0.2000} & 0.5000 & 7 \\"
    )
    assert "<b>0.7000</b>" in THREE.render("html")
    assert "c       \033[1m0.7000\033[0m  \033[1m0.2000\033[0m" in THREE.render(styled=True)
    assert "\033" not in THREE.render()


def test_systems_as_columns() -> None:
    assert THREE.render(systems="columns").split("\n") == [
        "measure         b       c       a",
        "─────────  ──────  ──────  ──────",
        "AP         0.3000  0.7000  0.3000",
        "FPR        0.3000  0.2000  0.8000",
        "Judged@10  0.7500  0.5000  0.2500",
        "NumRet          7       7       2",
        "",
        "2 queries, 20 judgments",
        "FPR is undefined for 2 queries (counted as 1)",
    ]
    assert THREE.render("markdown", systems="columns").split("\n")[2] == (
        "| AP | <ins>0.3000</ins> | **0.7000** | <ins>0.3000</ins> |"
    )
    lines = THREE.render("csv", systems="columns", sort="name").split("\n")
    assert lines[0] == "measure,a,b,c"
    assert lines[4] == "NumRet,2,7,7"


@pytest.mark.parametrize("width", [None, 40, 200])
def test_systems_as_rows_are_never_turned(width: int | None) -> None:
    wide = evaluate(QRELS, {"mine": {"q1": {"a": 1.0}}}, [f"P@{k}" for k in range(1, 31)])
    assert wide.render(systems="rows", width=width).startswith("system ")
    assert wide.render(systems="rows").split("\n")[0].count("P@") == 30


def test_the_width_of_a_terminal_counts() -> None:
    assert THREE.render(width=41).startswith("system")
    # Transposed, it is 8 characters narrower; in 20 neither fits.
    assert THREE.render(width=40).startswith("measure ")
    assert THREE.render(width=20).split("\n")[:4] == [
        "measure         b",
        "─────────  ──────",
        "AP         0.3000",
        "FPR        0.3000",
    ]
    assert all(len(line) <= 20 for line in THREE.render(width=20).split("\n")[:18])


def test_sorting() -> None:
    assert names(THREE.render()) == ["b", "c", "a"]
    assert names(THREE.render(sort="name")) == ["a", "b", "c"]
    assert names(THREE.render(sort="AP")) == ["c", "b", "a"]  # b and a are equal
    assert names(THREE.render(sort="FPR")) == ["c", "b", "a"]  # lower is better
    assert names(THREE.render(sort="Judged@10")) == ["b", "c", "a"]  # highest first
    assert names(THREE.render(average="max", sort="FPR")) == ["c", "b", "a"]
    assert names(THREE.render(average="min", sort="AP")) == ["c", "b", "a"]
    assert THREE.render("csv", sort="AP").split("\n")[1].startswith("c,")
    rows = THREE.render("csv", sort="AP", per_query=True).split("\n")
    assert [row[:7] for row in rows[1:]] == [f"{s},q000{q}" for s in "cba" for q in range(2)]


FIVE = {
    "x": {"AP": [0.5, 0.1, float("nan"), 0.9, 0.3], "FPR": [0.5, 0.1, 0.2, 0.9, 0.3]},
    "y": {"AP": [0.6, 0.6, float("nan"), 0.1, 0.4], "FPR": [0.5, 0.1, 0.2, 0.9, 0.3]},
    "z": {"AP": [0.5, 0.2, float("nan"), float("nan"), 0.3], "FPR": [0.4, 0.3, 0.2, 0.1, 0.0]},
}
"""Systems on five queries, one of them without any value of AP."""


@pytest.mark.parametrize(
    ("systems", "sort", "baseline", "expected"),
    [
        ("x", "AP", None, "14032"),
        ("x", "FPR", None, "30421"),  # lower is better, and the highest is the worst
        ("xyz", "AP", None, "14302"),  # means 0.3, 0.33, 0.5 without that of z, 0.53
        ("xy", "AP", "x", "30412"),  # -0.8, +0.1, +0.1, +0.5: equals as they were given
        ("xy", "AP", "y", "10432"),
        ("xyz", "AP", "x", "30412"),
        ("xz", "FPR", "x", "12043"),
        ("xy", "FPR", "x", "01234"),
    ],
)
def test_queries_are_sorted(systems: str, sort: str, baseline: str | None, expected: str) -> None:
    some = made({name: FIVE[name] for name in systems})
    for layout in ("rows", "columns"):
        how = {"sort": sort, "baseline": baseline, "systems": layout}
        rows = some.render("csv", per_query=True, **how).split("\n")[1:]
        at = 1 if layout == "rows" else 0
        order = [row.split(",")[at][-1] for row in rows]
        if layout == "columns":
            order = order[::2]  # a row for each measure
        assert order == list(expected) * (len(systems) if layout == "rows" else 1)


def test_differences_to_a_baseline_have_a_column() -> None:
    some = made({name: FIVE[name] for name in "xy"})
    lines = some.render(per_query=True, sort="AP", baseline="x").split("\n")
    assert lines[0].split() == ["system", "query", "AP", "FPR", "AP", "-", "x"]
    of_y = [line.split() for line in lines if line.startswith("y ")]
    assert of_y[0] == ["y", "q0003", "0.1000", "0.9000", "-0.8000"]
    assert of_y[-1] == ["y", "q0002", "-", "0.2000", "-"]
    assert ["x", "q0003", "0.9000", "0.9000"] in [line.split() for line in lines]
    for wrong in ({"sort": "AP"}, {"per_query": True}, {"per_query": True, "sort": "name"}):
        with pytest.raises(OptionError, match="goes with per_query=True, and a measure to sort by"):
            some.render(baseline="x", **wrong)
    with pytest.raises(OptionError, match="there is no system 'xx'"):
        some.render(per_query=True, sort="AP", baseline="xx")
    with pytest.raises(OptionError, match="no system beside the baseline 'x'"):
        made({"x": FIVE["x"]}).render(per_query=True, sort="AP", baseline="x")


def test_undefined_averages_are_last() -> None:
    nan = float("nan")
    some = made(
        {"x": {"AP": [nan]}, "y": {"AP": [0.1]}, "z": {"AP": [nan]}, "w": {"AP": [0.2]}},
        undefined="skip",
    )
    assert some.render("csv", sort="AP").split() == [
        "system,AP",
        "w,0.2",
        "y,0.1",
        "x,",
        "z,",
    ]
    assert "| w | **0.2000** |" in some.render("markdown")
    assert "| x | - |" in some.render("markdown")


def test_aliases_sort_as_well() -> None:
    assert names(THREE.render(sort="map")) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sort": "RR"}, "it can be 'given', 'name', 'AP', 'FPR', 'Judged@10', 'NumRet'"),
        ({"sort": "nmae"}, "sort='nmae' is no measure of this table; did you mean 'name'?"),
        ({"sort": "Judged@1"}, "did you mean 'Judged@10'?"),
        ({"systems": "cols"}, "systems='cols' is not known; did you mean 'columns'?"),
        ({"digits": -1}, "digits=-1: it can be 0 to 15"),
        ({"digits": 3, "format": "csv"}, "digits=3 is for tables that people read; csv has them"),
        ({"sort": "AP", "format": "json"}, "sort='AP' is for tables of systems; json has none"),
        ({"systems": "rows", "format": "json"}, "systems='rows' is for tables of systems"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        THREE.render(**options)  # type: ignore[arg-type]
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_texts_are_nothing_to_sort_by() -> None:
    with pytest.raises(OptionError, match="sort='RelString' is no measure of this table"):
        evaluate(QRELS, {"q1": {"a": 1.0}}, "AP RelString").render(sort="RelString")


def test_digits() -> None:
    third = made({"x": {"AP": [1 / 3], "NumRet": [3]}})
    assert third.render(digits=2).split("\n")[2].split() == ["x", "0.33", "3"]
    assert third.render(digits=0).split("\n")[2].split() == ["x", "0", "3"]
    assert third.render().split("\n")[2].split() == ["x", "0.3333", "3"]
    gdeval = evaluate({"q1": {"a": 1, "b": 1, "c": 1}}, {"q1": {"a": 1}}, "P@3", profile="gdeval")
    assert "0.33333" in gdeval.render()
    assert "0.3333\n" in gdeval.render(digits=4)
    assert third.render("csv", per_query=True).endswith("x,q0000,0.3333333333333333,3")


def test_what_prints_alike_is_marked_alike() -> None:
    near = made({"x": {"AP": [0.12344]}, "y": {"AP": [0.12336]}, "z": {"AP": [0.1]}})
    assert [line for line in near.render("markdown").split("\n") if line.startswith("| ")][2:] == [
        "| x | **0.1234** |",
        "| y | **0.1234** |",
        "| z | <ins>0.1000</ins> |",
    ]
    assert near.render("markdown", digits=5).split("\n")[2:5] == [
        "| x | **0.12344** |",
        "| y | <ins>0.12336</ins> |",
        "| z | 0.10000 |",
    ]
    # The order is that of exact values, not of printed ones.
    assert names(near.render(digits=0, sort="AP")) == ["x", "y", "z"]


def test_one_system_is_not_the_best_of_one() -> None:
    assert "**" not in scores().render("markdown")


def test_spread_has_no_best() -> None:
    assert "**" not in THREE.render("markdown", average="std")
    assert names(THREE.render(average="std", sort="FPR"))[0] == "b"


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "latex-siunitx", "html"])
def test_what_numbers_rest_on_goes_where_they_go(format: str) -> None:
    text = evaluate(QRELS, {"mine": {"q1": {"a": 1.0}}}, "AP", ties="best").render(format)
    assert "2 queries, 2 judgments; ties=best" in text
    assert "mine: 1 judged query missing (evaluated as empty results)" in text
    assert "AP is undefined for 1 query (counted as 0)" in text


def test_hints_are_for_screens() -> None:
    found = evaluate(QRELS, {"q1": {"a": 1.0}}, "AP RelString")
    assert "Scores.texts" not in found.render("latex") + found.render("markdown")


def test_values_of_a_query_side_by_side() -> None:
    runs = {"x": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, "y": {"q2": {"c": 1.0}}}
    found = evaluate(QRELS, runs, "RR RelString", missing="skip")
    assert found.render("csv", per_query=True, systems="columns").split("\n") == [
        "query,measure,x,y",
        "q1,RR,1.0,",
        "q1,RelString,1,",
        "q2,RR,0.0,0.0",
        "q2,RelString,0,-",
    ]
    assert found.render("csv", per_query=True).split("\n") == [
        "system,query,RR,RelString",
        "x,q1,1.0,1",
        "x,q2,0.0,0",
        "y,q2,0.0,-",
    ]


def test_bounds_are_rows_where_systems_are_columns() -> None:
    found = evaluate(QRELS, {"mine": {"q1": {"x": 2.0, "a": 1.0}}}, "P@1", bounds=True)
    assert found.render("csv", systems="columns").split("\n") == [
        "measure,mine",
        "P@1,0.0",
        "P@1 lowest,0.0",
        "P@1 highest,0.5",
    ]
    assert found.render("csv", systems="columns", per_query=True).split("\n")[:4] == [
        "query,measure,mine",
        "q1,P@1,0.0",
        "q1,P@1 lowest,0.0",
        "q1,P@1 highest,1.0",
    ]
    assert "| P@1 | 0.0000 [0.0000, 0.5000] |" in found.render("markdown", systems="columns")
