"""The checklist of reporting."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cleverdon
from cleverdon import evaluate, repeats
from cleverdon.comparison.checklist import reporting_checklist
from cleverdon.comparison.differences import compare
from cleverdon.comparison.splits import Splits, hold_out, k_fold
from cleverdon.errors import OptionError
from tests.comparison.made import made

CHECKED = made(
    {
        "base_line": {"nDCG@10": [0.2 + t / 100 for t in range(12)], "AP": [0.3] * 12},
        "other": {"nDCG@10": [0.3 + t / 90 - (t % 3) / 20 for t in range(12)], "AP": [0.4] * 12},
    }
)


def test_the_checklist_has_what_a_paper_should_report() -> None:
    comparison = compare(CHECKED, baseline="base_line", primary="nDCG@10")
    found = {one.name: one.text for one in reporting_checklist(comparison).items}
    assert found["Queries"] == "2 systems were compared on 12 queries with 120 judgments."
    assert found["Measures"] == "The primary measure is nDCG@10 (named as such), beside AP."
    assert "at the level 0.05: Randomisation test" in found["Test and family"]
    one = comparison.differences[0]
    values = [CHECKED.per_query(name, "nDCG@10") for name in ("other", "base_line")]
    rows = np.array([values[0][query] - values[1][query] for query in values[0]])
    assert found["Effect sizes, intervals, p-values"] == (
        f"Differences: other against base_line on nDCG@10 +{rows.mean():.3f}, "
        f"d_z = {rows.mean() / rows.std(ddof=1):.2f}, 95% CI {one.interval.low:.3f} to "
        f"{one.interval.high:.3f}, p = {one.p.p:.1g}."
    )
    assert "base_line 100.0%, other 100.0%" in found["Judged share"]
    assert found["Ties"].startswith("Tied with another result: base_line 0.0%, other 0.0%; of")
    assert f"Cleverdon {cleverdon.__version__}" in found["Versions"]


def test_the_checklist_says_which_queries_were_tuned_on() -> None:
    comparison = compare(CHECKED, baseline="base_line")

    def tuning(tuned_on: list[str] | Splits | None) -> tuple[str, bool]:
        items = reporting_checklist(comparison, tuned_on=tuned_on).items
        return next((one.text, one.known) for one in items if one.name == "Tuning")

    assert tuning(None)[1] is False
    assert tuning([]) == ("No parameters were chosen on any queries.", True)
    text, known = tuning(["q0001", "x", "y"])
    assert known
    assert "on 3 queries, 1 of which is among the 12 compared" in text
    queries = CHECKED.queries
    text, known = tuning(hold_out(queries, share=0.25))
    assert known
    assert text == ("Parameters were chosen on 9 queries, 9 of which are among the 12 compared.")
    assert tuning(k_fold(queries, folds=3)) == (
        "Parameters were chosen by cross-validation (k-fold, 3 folds: 4 of 12 queries for testing "
        "(seed 0)), and each query's value is of a choice made without it; such values depend on "
        "each other.",
        True,
    )
    with pytest.raises(OptionError, match="compare"):
        reporting_checklist(CHECKED)  # type: ignore[arg-type]


def test_the_checklist_is_a_paragraph_for_latex() -> None:
    low = made({"new_one": {"AP": [0.1, 0.2, 0.4]}, "b": {"AP": [0.1, 0.1, 0.1]}})
    found = reporting_checklist(compare(low, baseline="new_one"))
    *comments, paragraph = found.to_latex().split("\n")
    assert [line.split(":")[0] for line in comments] == ["% Repeated runs", "% Tuning"]
    assert "Say which" not in paragraph
    assert r"b against new\_one on AP $-$0.133, $d_z$ = $-$0.87" in paragraph
    assert r"95\% CI $-$" in paragraph
    assert found.to_text().splitlines()[0].startswith("[x] Queries: 2 systems")
    assert found.to_dict()["items"][0]["known"] is True


def test_a_long_checklist_gives_ranges() -> None:
    many = made({f"s{i}": {"AP": [0.1 * i, 0.2, 0.3 + 0.01 * i]} for i in range(7)})
    found = {one.name: one.text for one in reporting_checklist(compare(many)).items}
    assert found["Effect sizes, intervals, p-values"].startswith(
        "0 of 21 differences were shown, d"
    )


def test_the_checklist_names_every_run_of_a_system(tmp_path: Path) -> None:
    for name in ("dense-1", "dense-2", "bm25"):
        lines = (f"q{i} Q0 d{(i + len(name)) % 3} 1 1.0 {name}\n" for i in range(6))
        (tmp_path / name).write_text("".join(lines))
    first, second, single = (str(tmp_path / name) for name in ("dense-1", "dense-2", "bm25"))
    qrels = {f"q{i}": {"d0": 1, "d1": 0} for i in range(6)}
    runs = {"dense": repeats(first, second), "bm25": single}
    scores = evaluate(qrels, runs, "P@1")
    found = {one.name: one for one in reporting_checklist(compare(scores)).items}
    of = [scores.about.runs[name].digest for name in ("dense", "bm25")]
    digests = [digest[:12] for digest in of[0].split(", ")]
    assert len(set(digests)) == 2
    assert f"dense {' '.join(digests)}, bm25 {of[1][:12]}." in found["Versions"].text
    assert found["Repeated runs"].text == (
        "Runs of each system, whose means were compared: dense 2, bm25 1."
    )
    assert found["Repeated runs"].known
