"""Tables of comparisons."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

import pytest

from cleverdon import evaluate
from cleverdon.comparison.difference_tables import _LETTERS, _letters
from cleverdon.comparison.differences import compare
from cleverdon.errors import OptionError
from cleverdon.tables.table import FORMATS, Mark, TextTable, render_table
from tests.comparison.made import made

LOW = [0.1, 0.2, 0.3, 0.2, 0.1, 0.3, 0.2, 0.1, 0.2, 0.3]
EVEN = [0.3, 0.1, 0.2, 0.3, 0.2, 0.1, 0.1, 0.3, 0.2, 0.1]
HIGH = [value + 0.5 for value in LOW]
TOP = [value + 0.6 for value in LOW]
SCORES = made(
    {
        "low": {"nDCG@10": LOW, "FPR": HIGH, "Judged@10": LOW},
        "even": {"nDCG@10": EVEN, "FPR": TOP, "Judged@10": EVEN},
        "high": {"nDCG@10": HIGH, "FPR": LOW, "Judged@10": HIGH},
        "top": {"nDCG@10": TOP, "FPR": EVEN, "Judged@10": TOP},
    }
)
AGAINST = compare(SCORES, baseline="low")
PAIRS = compare(SCORES)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("comparison", [AGAINST, PAIRS], ids=["baseline", "pairs"])
def test_every_format_names_systems_and_measures(format: str, comparison) -> None:
    text = comparison.render(format)
    for name in ("low", "even", "high", "top", "nDCG@10"):
        assert name in text


def test_a_dagger_marks_what_differs_from_the_baseline() -> None:
    lines = AGAINST.render().split("\n")
    assert lines[0].split() == ["system", "nDCG@10", "FPR", "Judged@10"]
    assert lines[2].split() == ["low", "0.2000", "0.7000", "0.2000"]
    assert lines[3].split() == ["even", "0.1900", "0.8000†", "0.1900"]
    assert lines[4].split() == ["high", "0.7000†", "0.2000†", "0.7000†"]
    assert lines[-2:] == [
        "† differs significantly from low.",
        "Randomisation test, step-down max-T over 3 comparisons by nDCG@10, which decides, and "
        "over 6 comparisons by the other measures, p ≤ 0.05, 10 queries.",
    ]


def test_letters_name_the_systems_that_a_value_is_better_than() -> None:
    lines = PAIRS.render().split("\n")
    assert lines[2].split() == ["lowᵃ", "0.2000", "0.7000ᵇ", "0.2000"]
    assert lines[3].split() == ["evenᵇ", "0.1900", "0.8000", "0.1900"]
    # Where lower is better, those with higher values are the ones it is better than.
    assert lines[4].split() == ["highᶜ", "0.7000ᵃᵇ", "0.2000ᵃᵇ", "0.7000ᵃᵇ"]
    assert lines[5].split() == ["topᵈ", "0.8000ᵃᵇᶜ", "0.1900ᵃᵇ", "0.8000ᵃᵇᶜ"]
    assert "the systems that it is significantly better than" in lines[-2]


def test_digits_stay_below_digits() -> None:
    lines = PAIRS.render().split("\n")[2:6]
    for column in ("0.2000", "0.1900", "0.7000ᵃᵇ", "0.8000ᵃᵇᶜ"):
        assert any(column in line for line in lines)
    assert len({line.index("0.") for line in lines}) == 1


def test_one_sided_tests_say_what_the_dagger_means() -> None:
    text = compare(SCORES, baseline="low", alternative="greater").render()
    assert "† is significantly higher than low." in text
    assert "Randomisation test, one-sided, step-down max-T" in text


def test_without_a_mark_the_footnote_explains_none() -> None:
    scores = made({"one": {"AP": LOW}, "two": {"AP": EVEN}})
    assert "Nothing differs significantly from one." in compare(scores, baseline="one").render()
    text = compare(scores).render()
    assert "No system is significantly better than another." in text
    assert "oneᵃ" in text


def test_tukeys_family_is_named() -> None:
    text = compare(SCORES, test="randomised-tukey").render()
    assert "Randomised Tukey HSD, corrected over 6 comparisons by nDCG@10, which decides" in text


def test_a_test_that_points_against_the_means_marks_nothing() -> None:
    odd = made({"one": {"AP": [0.5] * 40}, "two": {"AP": [0.51] * 36 + [0.0] * 4}})
    found = compare(odd, baseline="one", test="sign")
    assert found.significant(found.differences[0])
    assert "Nothing differs significantly from one." in found.render()


def test_counts_are_whole_numbers() -> None:
    counts = {name: {"NumRelRet": list(range(n, n + 9))} for n, name in enumerate(["one", "two"])}
    assert "twoᵇ          45ᵃ" in compare(made(counts)).render()


def test_the_best_is_bold_and_the_second_underlined() -> None:
    latex = AGAINST.render("latex")
    assert r"\textbf{0.8000}$^{\dagger}$ & " in latex
    assert r"high & \underline{0.7000}$^{\dagger}$ & \underline{0.2000}$^{\dagger}$" in latex
    assert r"\textbf{0.1900}$^{\dagger}$ & 0.8000$^{\dagger}$" in latex  # FPR: lower is better
    assert latex.count(r"\textbf") == 2  # Judged@10 has no better
    html = AGAINST.render("html")
    assert "<b>0.8000</b><sup>†</sup>" in html
    assert "<u>0.7000</u><sup>†</sup>" in html
    assert "**0.8000**<sup>†</sup>" in AGAINST.render("markdown")
    assert "<ins>0.7000</ins><sup>†</sup>" in AGAINST.render("markdown")


def test_equals_are_all_best() -> None:
    latex = compare(made({"one": {"AP": LOW}, "two": {"AP": LOW}})).render("latex")
    assert latex.count(r"\textbf") == 2
    assert r"\underline" not in latex


def test_terminals_get_bold_and_the_same_columns() -> None:
    plain, bold = AGAINST.render(), AGAINST.render(styled=True)
    assert "\033[1m0.8000\033[0m†" in bold
    assert "\033[4m0.7000\033[0m†" in bold
    assert "\033" not in plain
    assert re.sub(r"\033\[\d+m", "", bold) == plain


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html"])
def test_the_footnote_says_what_the_p_values_are_of(format: str) -> None:
    text = AGAINST.render(format).replace("&#x27;", "'").replace(r"$\le$", "≤")
    families = "over 3 comparisons by nDCG@10, which decides, and over 6 comparisons by the other"
    assert f"Randomisation test, step-down max-T {families} measures, p ≤ 0.05, 10 queries." in text


def test_latex_has_nothing_that_prints_as_something_else() -> None:
    latex = PAIRS.render("latex")
    assert not set("<>†≤") & set(latex)
    assert r"\phantom{$^{ab}$}" in latex


def test_programs_get_every_difference_with_all_digits() -> None:
    rows = list(csv.DictReader(StringIO(AGAINST.render("csv"))))
    assert len(rows) == 9
    records = json.loads(AGAINST.render("json"))
    for row, record, found in zip(rows, records["differences"], AGAINST.differences, strict=True):
        assert row["system"] == record["system"] == found.system
        assert float(row["difference"]) == record["difference"] == found.difference
        assert float(row["corrected"]) == record["corrected"] == found.corrected
        assert row["significant"] == str(record["significant"])
        assert int(row["up"]) == record["up"] == found.sizes.up
    assert records["family"] == 3
    assert records["means"]["top"]["nDCG@10"] == pytest.approx(0.8)


def test_what_is_undefined_is_empty_for_programs() -> None:
    found = compare(made({"none": {"AP": [0.0] * 3}, "some": {"AP": [0.5] * 3}}), baseline="none")
    assert json.loads(found.render("json"))["differences"][0]["relative"] is None
    (row,) = csv.DictReader(StringIO(found.render("csv")))
    assert row["relative"] == ""


def test_numbers_serve_where_letters_do_not() -> None:
    assert _letters(3) == ["a", "b", "c"]
    assert "q" not in _LETTERS
    many = made({f"s{n}": {"AP": [n / 30 + value for value in LOW]} for n in range(26)})
    lines = compare(many, correction="none").render().split("\n")
    assert lines[2].startswith("s0¹ ")
    assert lines[4].split()[1].endswith("¹,²")


def test_undefined_values_are_told() -> None:
    nan = float("nan")
    found = compare(made({"one": {"AP": [nan, 0.5]}, "two": {"AP": [nan, 0.25]}}))
    assert "AP is undefined for 2 values (counted as 0)." in found.render()


def test_names_are_escaped() -> None:
    found = compare(made({"a<b>_|": {"AP": LOW}, "two\n": {"AP": HIGH}}))
    assert "a&lt;b&gt;_|<sup>a</sup>" in found.render("html")
    assert r"| a&lt;b>\_\|<sup>a</sup> |" in found.render("markdown")
    assert r"a\textless{}b\textgreater{}\_\textbar{}$^{a}$" in found.render("latex")
    assert r"two\nᵇ" in found.render()


def test_latex_takes_no_name_for_an_argument_of_the_line_before() -> None:
    found = compare(made({"[2pt]": {"AP": LOW}, "*": {"AP": HIGH}}))
    lines = found.render("latex").splitlines()
    assert lines[4].startswith("{[}2pt]$^{a}$ & ")
    assert lines[5].startswith("{*}$^{b}$ & ")


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(OptionError, match="did you mean 'latex'"):
        AGAINST.render("latx")


def test_marks_of_wide_names_keep_columns_aligned() -> None:
    grid = TextTable(["s", "m"], [["検索", "1"], ["x", "2"]], 1, [], [], {(0, 0): Mark(above="a")})
    assert render_table(grid, "table").split("\n")[2:4] == ["検索ᵃ  1", "x      2"]


def test_systems_as_columns() -> None:
    assert PAIRS.render(systems="columns").split("\n")[:5] == [
        "measure       lowᵃ   evenᵇ     highᶜ       topᵈ",
        "─────────  ───────  ──────  ────────  ─────────",
        "nDCG@10    0.2000   0.1900  0.7000ᵃᵇ  0.8000ᵃᵇᶜ",
        "FPR        0.7000ᵇ  0.8000  0.2000ᵃᵇ  0.1900ᵃᵇ",
        "Judged@10  0.2000   0.1900  0.7000ᵃᵇ  0.8000ᵃᵇᶜ",
    ]
    assert AGAINST.render("markdown", systems="columns").split("\n")[:4] == [
        "| measure | low | even | high | top |",
        "| :--- | ---: | ---: | ---: | ---: |",
        "| nDCG@10 | 0.2000 | 0.1900 | <ins>0.7000</ins><sup>†</sup> | **0.8000**<sup>†</sup> |",
        "| FPR | 0.7000 | 0.8000<sup>†</sup> | <ins>0.2000</ins><sup>†</sup> "
        "| **0.1900**<sup>†</sup> |",
    ]
    html = PAIRS.render("html", systems="columns")
    assert "<th style='text-align:right'>low<sup>a</sup></th>" in html
    assert "<td style='text-align:right'><b>0.8000</b><sup>abc</sup></td>" in html
    assert AGAINST.render("latex", systems="columns").split("\n")[:5] == [
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"measure & low & even & high & top \\",
        r"\midrule",
        r"nDCG@10 & 0.2000 & 0.1900\phantom{$^{\dagger}$} & \underline{0.7000}$^{\dagger}$ "
        r"& \textbf{0.8000}$^{\dagger}$ \\",
    ]


def test_siunitx_has_room_for_daggers() -> None:
    lines = AGAINST.render("latex-siunitx", sort="nDCG@10").split("\n")
    dagger = r"S[table-format=1.4{$^{\dagger}$}]"
    assert rf"\begin{{tabular}}{{l{dagger}{dagger}{dagger}}}" in lines
    assert r"system & {nDCG@10} & {FPR} & {Judged@10} \\" in lines
    assert (
        r"top & \best 0.8000{$^{\dagger}$} & \best 0.1900{$^{\dagger}$} & 0.8000{$^{\dagger}$} \\"
        in lines
    )
    assert (
        r"high & 0.7000\secondbest{0.7000}{$^{\dagger}$} & "
        r"0.2000\secondbest{0.2000}{$^{\dagger}$} & 0.7000{$^{\dagger}$} \\" in lines
    )


def test_wide_tables_are_turned_as_those_of_scores_are() -> None:
    assert AGAINST.render(width=38).startswith("system")
    assert AGAINST.render(width=30, systems="rows").startswith("system")
    many = {name: {f"P@{k}": LOW for k in range(1, 21)} for name in ("one", "two")}
    assert compare(made(many)).render().startswith("measure")


def test_letters_follow_the_order_that_is_shown() -> None:
    lines = PAIRS.render(sort="nDCG@10").split("\n")
    assert lines[2].split() == ["topᵃ", "0.8000ᵇᶜᵈ", "0.1900ᶜᵈ", "0.8000ᵇᶜᵈ"]
    assert lines[3].split() == ["highᵇ", "0.7000ᶜᵈ", "0.2000ᶜᵈ", "0.7000ᶜᵈ"]
    assert lines[4].split() == ["lowᶜ", "0.2000", "0.7000ᵈ", "0.2000"]
    assert lines[5].split() == ["evenᵈ", "0.1900", "0.8000", "0.1900"]


def test_sorting() -> None:
    def names(sort: str) -> list[str]:
        return [line.split()[0] for line in AGAINST.render(sort=sort).split("\n")[2:6]]

    assert names("given") == ["low", "even", "high", "top"]
    assert names("name") == ["even", "high", "low", "top"]
    assert names("FPR") == ["top", "high", "low", "even"]
    with pytest.raises(OptionError, match="did you mean 'nDCG@10'"):
        names("nDCG@5")


def test_only_measures_that_were_compared_sort() -> None:
    found = compare(SCORES, baseline="low", measures="nDCG@10")
    with pytest.raises(OptionError, match="sort='FPR' is no measure of this table"):
        found.render(sort="FPR")


def test_digits() -> None:
    assert AGAINST.render(digits=1).split("\n")[3].split() == [
        "even",
        "0.2",
        "0.8†",
        "0.2",
    ]
    # 0.20 and 0.19 print alike, and are marked alike.
    worse = compare(made({"x": {"AP": LOW}, "y": {"AP": EVEN}})).render("latex", digits=1)
    assert worse.count(r"\textbf{0.2}") == 2


@pytest.mark.parametrize("format", ["csv", "tsv", "json"])
@pytest.mark.parametrize("option", [{"systems": "columns"}, {"sort": "FPR"}, {"digits": 2}])
def test_records_have_no_layout(format: str, option: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=f"for tables .*; {format} has"):
        AGAINST.render(format, **option)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html"])
def test_what_numbers_rest_on_goes_where_they_go(format: str) -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(4)}
    runs = {
        "one": {f"q{n}": {"a": 1.0} for n in range(3)},
        "two": {f"q{n}": {"b": 1.0} for n in range(1, 5)},
    }
    text = compare(evaluate(qrels, runs, "P@1", missing="skip", ties="best")).render(format)
    text = text.replace("&#x27;", "'").replace(r"$\le$", "≤")
    for sentence in (
        "Ties=best; missing=skip.",
        "one: 1 judged query missing (left out).",
        "two: 1 judged query missing (left out), 1 extra query without judgments (ignored).",
        "2 queries without a value of every system left out.",
        "p ≤ 0.05, 2 queries.",
    ):
        assert sentence in text


def test_the_profile_is_named() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {name: {query: {name: 1.0} for query in qrels} for name in "ab"}
    text = compare(evaluate(qrels, runs, "P@5", profile="gdeval")).render()
    assert "Profile gdeval." in text
    assert "0.20000" in text


def test_a_note_says_what_could_not_be_significant() -> None:
    values = {"a": [0.1, 0.2, 0.3, 0.4, 0.5, 0.2], "b": [0.3, 0.5, 0.5, 0.7, 0.9, 0.2]}
    values |= {"c": [0.4, 0.9, 0.6, 0.8, 0.7, 0.3]}
    some = compare(made({name: {"AP": of} for name, of in values.items()})).render()
    none = compare(made({name: {"AP": of[:5]} for name, of in values.items()})).render()
    one = compare(made({name: {"AP": values[name]} for name in ("a", "b")})).render()
    few = "be significant: no p-value on so few differing queries is below 0.062."
    assert f"1 of 3 comparisons cannot {few}" in some
    assert f"None of 3 comparisons can {few}" in none
    assert f"The comparison cannot {few}" in one
    drawn = compare(SCORES, options={"draws": 10}, test="bootstrap").render()
    assert "by so few random draws is below" in drawn
    assert "be significant" not in PAIRS.render()
