"""Simulations: tests keep their level, and intervals cover, within binomial error.

The fast version of `python -m benchmarks.statistics`, from a seed. `make fuzz` runs all of it, from
the seed in CLEVERDON_FUZZ_SEED. The last tests compare the page with what the program offers.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from inspect import getmembers, isfunction
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from benchmarks.statistics import (
    agreement,
    doubts,
    families,
    margins,
    online,
    others,
    real,
    repeats,
    single,
    slices,
    tuning,
)
from benchmarks.statistics.__main__ import PARTS, main, parts
from benchmarks.statistics.families import DEFAULT, MadeUpFamilies, Procedure
from benchmarks.statistics.populations import (
    MadeUp,
    SignedDifferences,
    balanced,
    equal_systems,
    fewer_draws,
    population,
)
from benchmarks.statistics.tables import (
    LEVEL,
    Row,
    Share,
    Table,
    insert_tables,
    side_by_side,
    summarise,
)
from cleverdon.stats import intervals as interval_functions
from cleverdon.stats import proportions
from cleverdon.stats import tests as test_functions
from cleverdon.stats.intervals import METHODS
from cleverdon.stats.multiple_comparisons import COMPARISON_CORRECTIONS, FAMILY_TESTS
from cleverdon.stats.tests import MARGIN_CLAIMS, TESTS
from tests.fuzz.mutate import SEED
from tests.stats.null import ERRORS

FULL = "CLEVERDON_FUZZ_SECONDS" in os.environ
full = pytest.mark.skipif(not FULL, reason="takes minutes: make fuzz")
PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"


@pytest.fixture(scope="module")
def source() -> MadeUp:
    return MadeUp(population(4000))


@pytest.fixture(scope="module")
def made_up(source: MadeUp) -> MadeUpFamilies:
    return MadeUpFamilies(source.values)


def assert_at_most(share: Share, nominal: float = LEVEL, errors: float = ERRORS) -> None:
    error = errors * sqrt(nominal * (1 - nominal) / share.of)
    assert share.value <= nominal + error, share


def assert_at_least(share: Share, nominal: float = 1 - LEVEL, errors: float = ERRORS) -> None:
    error = errors * sqrt(nominal * (1 - nominal) / share.of)
    assert share.value >= nominal - error, share


def rows_of(table: Table, *names: str) -> list[Share]:
    """Return the shares of the rows that begin with these names."""
    found = [
        share
        for row in table.rows
        if row.names[: len(names)] == names
        for share in row.shares.values()
    ]
    assert found, names
    return found


# One difference


def test_tests_keep_their_level_on_a_symmetric_null(source: MadeUp) -> None:
    table = next(
        single.level_tables(source, repetitions=500, seed=1, sizes=(5, 10, 20), tests=tuple(TESTS))
    )
    for test in TESTS:
        for share in rows_of(table, test):
            assert_at_most(share)


def test_student_covers_where_the_bootstrap_does_not(source: MadeUp) -> None:
    symmetric = next(single.interval_tables(source, repetitions=200, seed=1, sizes=(10,)))
    for name in ("t", single.AS_PRINTED):
        for share in rows_of(symmetric, name):
            assert_at_least(share)
    assert np.mean([share.value for share in rows_of(symmetric, "bca")]) < 0.92


def test_the_interval_as_printed_covers_differences_of_few_values(source: MadeUp) -> None:
    """P@10 of 10 queries: sums of signs have few values, and the last but one was too near."""
    by_precision = MadeUp(source.values[:, 3:4], measures=("P@10",), kinds=("symmetric",))
    table, *_ = single.interval_tables(
        by_precision, repetitions=1200, seed=1, sizes=(10,), methods=(single.AS_PRINTED,)
    )
    assert_at_least(table.rows[0].shares[10], errors=2)


def test_the_mean_of_a_system_is_covered_by_t_and_not_by_percentiles(source: MadeUp) -> None:
    (table,) = single.mean_tables(source, repetitions=240, seed=1, sizes=(8,))
    for share in rows_of(table, "t", "AP") + rows_of(table, "t", "P@10"):
        assert_at_least(share)
    by_t, by_percentiles = (
        np.mean([share.value for share in rows_of(table, name)]) for name in ("t", "percentile")
    )
    assert by_percentiles < by_t - 0.03


def test_fieller_covers(source: MadeUp) -> None:
    (table,) = single.ratio_tables(source, repetitions=150, seed=1, sizes=(20,))
    for share in rows_of(table, "Fieller"):
        assert_at_least(share)


# Families


@pytest.mark.parametrize("primary", [None, "all"])
def test_a_family_keeps_its_level_and_covers_jointly(
    made_up: MadeUpFamilies, primary: str | None
) -> None:
    """Whole families through `compare`, with its defaults; interval and verdict always agree."""
    tally = families.run_family(made_up, DEFAULT, primary=primary, n=12, repetitions=60, seed=2)
    found = families.tally_shares(tally)
    assert_at_most(found["alarms"])
    assert_at_most(found["partial"])
    assert_at_least(found["joint"])
    assert tally.contradictions == 0


def test_without_a_correction_there_are_many_false_alarms(made_up: MadeUpFamilies) -> None:
    plain = Procedure("randomisation", "none")
    tally = families.run_family(made_up, plain, primary=None, n=20, repetitions=40, seed=2)
    assert tally.alarms > 0.2 * tally.families
    assert tally.joint < 0.85 * tally.whole


def test_max_t_shows_more_than_holm(made_up: MadeUpFamilies) -> None:
    shown = [
        families.run_family(made_up, each, primary="all", n=60, repetitions=12, seed=3).shown
        for each in (DEFAULT, Procedure("randomisation", "holm"))
    ]
    assert shown[0] > shown[1]


def test_tukey_over_several_measures_keeps_its_level(made_up: MadeUpFamilies) -> None:
    tukey = Procedure("randomised-tukey", None)
    tally = families.run_family(made_up, tukey, primary="all", n=10, repetitions=25, seed=4)
    assert_at_most(Share(tally.alarms, tally.families))


def test_false_discoveries_are_as_rare_as_is_promised(made_up: MadeUpFamilies) -> None:
    many = Procedure("randomisation", "benjamini-hochberg")
    tally = families.run_family(made_up, many, primary=None, n=100, repetitions=60, seed=5)
    assert tally.shown > 0
    assert_at_most(Share(tally.false_share, tally.families))
    assert_at_most(Share(tally.alarms, tally.families))  # where all are equal, all are false


def test_a_primary_measure_has_the_power_of_one_measure_alone() -> None:
    (table,) = families.primary_tables(repetitions=80, seed=1, sizes=(50,), queries=4000)
    alone, primary, together, holm, bonferroni = (row.shares[50].value for row in table.rows)
    assert primary == alone > together >= holm >= bonferroni
    assert 0.7 < alone < 0.9  # d_z = 0.4


# Slices


def test_one_effect_in_both_slices_is_often_significant_in_one_alone(source: MadeUp) -> None:
    scenario = slices.SCENARIOS[1]
    with fewer_draws(400):
        tally = slices.run_slices(source, scenario, 0, n=30, repetitions=450, seed=1)
    assert 0.3 < tally.one_alone / tally.samples < 0.65
    assert_at_most(Share(tally.differ, tally.samples))
    assert tally.doubted == tally.due > 0


def test_slices_of_other_size_and_spread_are_no_false_alarm(source: MadeUp) -> None:
    with fewer_draws(400):
        tally = slices.run_slices(source, slices.SCENARIOS[2], 3, n=80, repetitions=150, seed=1)
    assert_at_most(Share(tally.differ, tally.samples))


def test_slices_that_differ_are_found(source: MadeUp) -> None:
    with fewer_draws(400):
        tally = slices.run_slices(source, slices.SCENARIOS[4], 0, n=40, repetitions=60, seed=1)
    assert tally.differ > 0.6 * tally.samples


# Repeated runs


def test_repeats_keep_the_level_where_single_runs_do_not(source: MadeUp) -> None:
    designs = {design.runs: design for design in repeats.DESIGNS if not design.best}
    chosen = [designs[1, 1], repeats.DESIGNS[1], designs[2, 2], designs[5, 5], designs[3, 10]]
    level, coverage = repeats.repeat_tables(
        source, repetitions=150, seed=1, sizes=(200,), designs=chosen
    )
    one, best, *several = (rows_of(level, design.name, "large")[0] for design in chosen)
    assert one.value > 0.3
    assert best.value > one.value
    for share in several:
        assert_at_most(share)
    for row in coverage.rows:
        assert_at_least(row.shares[200])


# Tuning


def test_held_out_values_are_tested_as_folds_need_it() -> None:
    values = equal_systems(11, 2000)
    plain, shown, held = tuning.run_case(values, tuning.CASES[5], repetitions=150, seed=1)
    assert plain.value > 0.09
    assert_at_most(shown)
    assert_at_least(held)


def test_a_hold_out_needs_no_correction() -> None:
    values = equal_systems(11, 2000)
    _, shown, held = tuning.run_case(values, tuning.CASES[-1], repetitions=300, seed=1)
    assert shown.value > 0.015  # the correction of folds would leave hardly any
    assert_at_most(shown)
    assert_at_least(held)


# Margins


def test_claims_at_the_margin_are_false_as_rarely_as_is_promised(source: MadeUp) -> None:
    random = np.random.default_rng(1)
    draw = margins.losses(source)["AP"]
    counts = dict.fromkeys(margins.CLAIMS, 0)
    with fewer_draws(500):
        for i in range(200):
            even = SignedDifferences(np.abs(source.differences("symmetric")[0])).draw(50, 0, random)
            for claim, made in margins.count_claims(draw(50, random), even, seed=i).items():
                counts[claim] += made
    for count in counts.values():
        assert_at_most(Share(count, 200))
    assert all(count > 0 for claim, count in counts.items() if claim != "equivalence")


def test_few_differing_queries_make_false_claims_that_are_qualified(source: MadeUp) -> None:
    random = np.random.default_rng(1)
    draw = margins.losses(source)["one query in twenty loses 1"]
    with fewer_draws(500):
        made = [margins.count_claims(draw(20, random), np.zeros(20), seed=i) for i in range(60)]
    false = {claim: sum(one[claim] for one in made) / 60 for claim in margins.CLAIMS}
    assert false["gate: `not significantly worse by 0.05`"] > 0.2
    assert false["gate: `... with 10 differing queries`"] == 0
    draw = margins.losses(source)["two queries in five differ"]
    made = [margins.count_claims(draw(20, random), np.zeros(20), seed=i) for i in range(120)]
    false_claims = sum(one["non-inferiority"] for one in made)
    left = sum(one["non-inferiority, not qualified by `few-differing`"] for one in made)
    assert false_claims > 6
    assert left < false_claims / 2


# Skewed differences


def test_most_false_alarms_of_skewed_differences_are_doubted(source: MadeUp) -> None:
    alarms, costs = doubts.skewed_tables(source, repetitions=80, seed=1, sizes=(25, 50))
    for test in ("randomisation", "t"):
        name = "lognormal, sigma 1.5"
        for share in rows_of(alarms, name, test, "shown"):
            assert share.value > 0.1
        for share in rows_of(alarms, name, test, "shown and not doubted"):
            assert_at_most(share)
    assert all(share.value < 0.25 for row in costs.rows for share in row.shares.values())


def test_a_skewed_null_has_a_mean_of_0_and_its_zeros(source: MadeUp) -> None:
    for row in source.differences("skewed"):
        chance = balanced(row)
        assert chance.sum() == pytest.approx(1)
        assert chance @ row == pytest.approx(0, abs=1e-9)
        assert np.sum(chance * (row == 0)) > 0


def test_signed_differences_have_the_mean_and_the_effect_that_is_asked_for() -> None:
    of = SignedDifferences(np.abs(np.random.default_rng(1).normal(size=5000)))
    drawn = of.draw(200_000, of.mean_for(0.4), np.random.default_rng(2))
    assert drawn.mean() == pytest.approx(of.mean_for(0.4), abs=0.01)
    assert drawn.mean() / drawn.std() == pytest.approx(0.4, abs=0.01)
    with pytest.raises(ValueError, match="no signs"):
        of.draw(5, 2 * float(of.sizes.mean()), np.random.default_rng(1))


# Agreement, counts, shares, logs


def test_agreement_is_covered_better_by_t_than_by_percentiles() -> None:
    (table,) = agreement.agreement_tables(
        repetitions=120, seed=1, sizes=(8,), methods=("t", "percentile"), queries=3000
    )
    by_t, by_percentiles = (
        np.mean([share.value for share in rows_of(table, name)]) for name in ("t", "percentile")
    )
    assert by_t > 0.89
    assert by_percentiles < by_t - 0.02


def test_other_intervals_cover(source: MadeUp) -> None:
    counts, ratios = others.other_tables(source, repetitions=120, seed=1, sizes=(20, 100))
    for name in ("hypergeometric", "gamma", "order statistics"):
        for share in rows_of(counts, name):
            assert_at_least(share)
    for share in rows_of(counts, "Wilson", "a share of 0.5, n judged"):
        assert_at_least(share)
    for name in ("t over users", "percentile, kendall", "percentile, spearman"):
        for share in rows_of(ratios, name):
            assert_at_least(share)


def test_an_always_valid_p_stays_valid_where_a_p_for_one_look_does_not() -> None:
    (table,) = online.online_tables(repetitions=200, seed=1, sizes=(100,))
    (peeking,) = rows_of(table, "Welch's t at 20 looks")
    assert peeking.value > 0.1
    for name in ("Welch's t", "always-valid p", "sample-ratio check", "drift"):
        assert_at_most(rows_of(table, name)[0])


# Real scores


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Files as those of real scores: 12 systems, 20 topics, one of the systems a copy."""
    random = np.random.default_rng(1)
    for measure in ("ap", "rr"):
        values = np.clip(random.normal(0.3, 0.2, size=(20, 12)) + np.arange(12) / 50, 0, 1)
        values[:, 11] = values[:, 10]
        lines = [",".join(f"{cell:.4f}" for cell in row) for row in values]
        header = ",".join(f"run{i}" for i in range(12))
        (tmp_path / f"made_{measure}.csv").write_text("\n".join([header, *lines]) + "\n")
    return tmp_path


def test_real_scores_are_read_without_weak_systems_and_copies(folder: Path) -> None:
    found = real.read_scores([folder])
    assert found.measures == ("AP", "RR")
    (scores,) = found.of(0)
    assert scores.shape == (20, 8)  # of 12, a quarter is weak and one is a copy
    assert list(found.collections) == list(real.read_scores([folder / "made_ap.csv"]).collections)


def test_real_differences_without_an_effect_have_a_mean_of_0(folder: Path) -> None:
    found = real.read_scores([folder])
    for null in found.nulls:
        drawn = found.null(null, 0, (400, 50), (1,))
        assert abs(drawn.mean()) < 4 * drawn.std() / sqrt(drawn.size)
    ours, theirs, truth = found.pairs("real", 0, (400, 200), (1,))
    away = (ours - theirs).mean(axis=1) - truth
    assert abs(away.mean()) < 4 * away.std() / 20


def test_tables_of_real_scores_are_written_into_the_page(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    marks = "\n".join(f"<!-- {part} -->\n<!-- end of {part} -->" for part in ("summary", "real"))
    page.write_text(marks)
    assert main(["--scores", str(folder), "--repetitions", "4", "--write", str(page)]) == 0
    text = page.read_text()
    assert "| randomisation (default) | AP |" in text
    assert "| false alarm, all equal (default) | primary: AP |" in text
    assert "| `randomisation` test, real scores, centred | at most 0.05 |" in text
    assert "real: done" in capsys.readouterr().err


# Tables and the page


def test_what_breaks_its_promise_is_bold() -> None:
    assert str(Share(80, 1000, 0.05)) == "**0.080**"
    assert str(Share(20, 1000, 0.05)) == "*0.020*"
    assert str(Share(60, 1000, 0.05)) == "0.060"
    assert str(Share(920, 1000, 0.95, low_is_bad=True)) == "**0.920**"
    assert str(Share(0, 0, 0.95)) == "-"


def test_the_summary_names_the_range_and_the_exceptions_of_defaults() -> None:
    rows = (
        Row(("a",), {10: Share(80, 1000, 0.05), 20: Share(50, 1000, 0.05)}, default=True),
        Row(("b",), {10: Share(300, 1000, 0.05), 20: Share(50, 1000, 0.05)}),
    )
    table = Table("levels", ("test",), rows, summary="a default")
    line = "| a default | at most 0.05 | 0.050 to 0.080 | 0.014 | n=10: 1 of 1, highest 0.080 |"
    assert table.summary_lines() == [line]
    quiet = replace(table, rows=(replace(rows[0], shares={10: Share(40, 1000, 0.05)}),))
    assert quiet.summary_lines()[0].endswith("| none |")
    both = side_by_side("both", {"A": table, "B": replace(quiet, summary="another")})
    assert list(both.rows[0].shares) == ["A, n=10", "A, n=20", "B, n=10"]
    assert both.summary_lines() == [line, quiet.summary_lines()[0].replace("a default", "another")]
    page = "<!-- summary -->\n<!-- end of summary -->\n<!-- x -->\n<!-- end of x -->"
    summary = summarise(insert_tables(page, "x", str(both))).split("<!-- x -->")[0]
    assert [line in summary for line in both.summary_lines()] == [True, True]


def measured_names() -> str:
    """Return the names of all rows of the page that have measured shares."""
    rows = re.findall(r"^\| (.*?) \| [*]*[01]\.\d{3}[*]* \|", PAGE.read_text("utf-8"), re.MULTILINE)
    return "\n".join(row.replace(" (default)", "") for row in rows)


def test_every_test_and_correction_that_is_offered_has_a_measured_row() -> None:
    rows = measured_names().splitlines()
    cells = {cell.strip() for row in rows for cell in row.split(" | ")}
    offered = {*TESTS, *FAMILY_TESTS, *COMPARISON_CORRECTIONS, *METHODS, *MARGIN_CLAIMS}
    assert offered <= cells, offered - cells


INTERVALS = {
    "interval": "t | AP",
    "intervals": "t | AP",
    "difference_intervals": single.AS_PRINTED,
    "ratio_interval": "Fieller",
    "jackknife_interval": "t | kappa",
    "median_interval": "order statistics | the median",
    "quantile_ranks": "order statistics | the 90th",
    "percentile_intervals": "percentile, kendall",
    "percentile_interval": "percentile, kendall",
    "wilson": "Wilson",
    "hypergeometric_interval": "hypergeometric",
    "population_size_interval": "two systems, exact",
    "gamma_interval": "gamma",
    "jackknife_ratio_interval": "t by jackknife over users",
    "bootstrap_ratio_interval": "bootstrap over users",
}
"""Each function that gives an interval, and the row that measures it."""

OTHER_TESTS = {
    "t_test": "t | AP",
    "sign_test": "sign | AP",
    "interaction_test": "one effect in both",
    "margin_test": "non-inferiority",
    "repeats_test": "`repeats` of 5 and 5 runs",
    "welch_test": "Welch's t",
    "check_test_options": "t | AP",  # no test, but called like one
}


def test_every_interval_and_test_of_the_toolkit_has_a_measured_row() -> None:
    rows = measured_names()

    def functions(module: object, part: str) -> set[str]:
        own = getmembers(
            module,
            lambda one: isfunction(one) and one.__module__ == module.__name__,  # type: ignore[attr-defined]
        )
        return {name for name, _ in own if part in name and not name.startswith("_")}

    found = functions(interval_functions, "interval") | functions(proportions, "interval")
    assert found <= set(INTERVALS), found - set(INTERVALS)
    tests = functions(test_functions, "_test")
    assert tests <= set(OTHER_TESTS), tests - set(OTHER_TESTS)
    for name, row in (INTERVALS | OTHER_TESTS).items():
        assert row in rows, name


def test_the_summary_of_the_page_is_that_of_its_tables() -> None:
    page = PAGE.read_text("utf-8")
    assert summarise(page) == page
    for part in (*PARTS, "real"):
        assert f"<!-- {part} -->" in page, part


EXPECTED = ("system's mean", "agreement", "few queries differ", "other intervals", "over users")
"""The tables whose defaults break their promise in some cells, as the page says; so do the columns
of skewed differences."""


@full
@pytest.mark.parametrize("part", PARTS)
def test_defaults_keep_their_promise_in_full(part: str) -> None:
    """Everything that the page has, but for the exceptions that it names."""
    values = population(20_000, SEED)
    for table in parts(values, 1000, SEED)[part]():
        if not isinstance(table, Table) or any(name in table.title for name in EXPECTED):
            continue
        for row in table.rows:
            for column, share in row.shares.items():
                promised = row.default and share.nominal is not None
                if promised and share.of >= 100 and not str(column).startswith("skewed"):
                    check = assert_at_least if share.low_is_bad else assert_at_most
                    check(share, share.nominal, errors=4.5)  # of hundreds, none is outside
