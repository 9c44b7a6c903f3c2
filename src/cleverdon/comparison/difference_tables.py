"""Tables of differences between systems, with marks of significance.

Against a baseline, a dagger marks a significant difference. Where every pair was compared, systems
have letters, and a value has the letters of the systems that it is better than. The best value of
a measure is bold and the second underlined. CSV, TSV and JSON have every difference as a record,
with all digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted, printable
from cleverdon.measures.base import worst_value
from cleverdon.score_tables import (
    best_two,
    chosen_settings,
    format_score,
    missing_queries,
    repeats_notes,
    shown_digits,
    sorted_systems,
)
from cleverdon.stats.multiple_comparisons import FAMILY_TESTS
from cleverdon.tables.result import as_json
from cleverdon.tables.table import Mark, TextTable

if TYPE_CHECKING:
    from cleverdon.comparison.differences import Comparison
    from cleverdon.comparison.procedures import Difference
    from cleverdon.measures.base import Measure
    from cleverdon.stats.repeated_runs import VarianceComponents

_DAGGER = "†"
_LETTERS = ascii_lowercase.replace("q", "")  # Unicode has no raised q

_NAMES = {
    "t": "Student's t",
    "bootstrap": "Bootstrap shift",
    "tukey": "Tukey's HSD",
    "randomised-tukey": "Randomised Tukey HSD",
    "dunnett": "Dunnett's",
}
_CORRECTED = {
    "max-t": "step-down max-T",
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "benjamini-hochberg": "Benjamini and Hochberg's correction",
    "none": "no correction",
}


def means_table(comparison: Comparison, *, sort: str, digits: int | None) -> TextTable:
    """Return a row of means for each system, with marks where differences are shown."""
    decimals = shown_digits(comparison.scores, digits)
    samples = {sample.measure: sample for sample in comparison.samples}
    systems = sorted_systems(
        comparison.samples[0].systems,
        sort,
        comparison.scores,
        list(samples),
        lambda name, measure: samples[measure].mean(name),
    )
    names = dict(zip(systems, _letters(len(systems)), strict=True))
    marks: dict[tuple[int, int], Mark] = {}
    rows = [[printable(system)] for system in systems]
    if comparison.baseline is None:
        marks |= {(s, 0): Mark(above=name) for s, name in enumerate(names.values())}
    for column, (measure, sample) in enumerate(samples.items(), start=1):
        means = {system: sample.mean(system) for system in systems}
        shown = {
            system: format_score(measure, mean, digits=decimals) for system, mean in means.items()
        }
        found = best_two(measure, means, shown)
        differences = (one for one in comparison.differences if one.measure == measure)
        apart = [one for one in differences if comparison.shows(one)]
        for s, system in enumerate(systems):
            rows[s].append(shown[system])
            above = _above(comparison, apart, system, names)
            marks[s, column] = Mark(found.get(system), above)
    header = ["system", *map(str, samples)]
    return TextTable(
        header, rows, 1, [], [*_rests_on(comparison), *_comparison_footnotes(comparison)], marks
    )


def _letters(count: int) -> list[str]:
    """Return a letter for each system; numbers where there are not enough."""
    return list(_LETTERS[:count] if count <= len(_LETTERS) else map(str, range(1, count + 1)))


def _above(
    comparison: Comparison, found: Sequence[Difference], system: str, names: dict[str, str]
) -> str:
    """Return the mark of a system's value: a dagger, or the letters of systems that it beats."""
    if comparison.baseline is not None:
        return _DAGGER if any(difference.system == system for difference in found) else ""
    pairs = map(_by_merit, found)
    beaten = {loser for winner, loser in pairs if winner == system}
    between = "" if len(names) <= len(_LETTERS) else ","
    return between.join(name for other, name in names.items() if other in beaten)


def _by_merit(found: Difference) -> tuple[str, str]:
    """Return the better system and the other; the higher one where none is better."""
    higher_wins = (found.difference > 0) != (found.measure.better == "lower")
    pair = found.system, found.baseline
    return pair if higher_wins else pair[::-1]


def _comparison_footnotes(comparison: Comparison) -> list[str]:
    """Return what the marks mean, and what the p-values are of."""
    marked = any(comparison.shows(found) for found in comparison.differences)
    if comparison.baseline is None:
        first = "Letters above a value: the systems that it is significantly better than."
        first = first if marked else "No system is significantly better than another."
    else:
        sides = {"greater": "is significantly higher than", "less": "is significantly lower than"}
        differs = sides.get(comparison.alternative, "differs significantly from")
        meaning = f"{differs} {printable(comparison.baseline)}."
        first = f"{_DAGGER} {meaning}" if marked else f"Nothing {meaning}"
    found = [
        first,
        f"{describe_test(comparison)}, p ≤ {comparison.level:g}, {basis_text(comparison)}.",
    ]
    found += [f"{text}." for text in reach_texts(comparison)]
    found += [_variance_text(measure, of) for measure, of in comparison.variances().items()]
    for doubt in comparison.serious_doubts:
        found.append(f"Doubt: {printable(doubt.sentence)} ({doubt.name}).")
    return found


def _variance_text(measure: Measure, of: VarianceComponents) -> str:
    """Return the shares of variance of queries, systems and runs."""
    if not of.total:
        return f"Values of {measure} do not vary."
    shares = ", ".join(
        f"{name.replace('_', ' ')} {share / of.total:.1%}" for name, share in vars(of).items()
    )
    return f"Variance of {measure}: {shares}."


def describe_test(comparison: Comparison) -> str:
    """Return the test and the families that it is corrected for."""
    sides = "" if comparison.alternative == "two-sided" else ", one-sided"
    name = _NAMES.get(comparison.test, comparison.test.capitalize())
    name = name if comparison.test.endswith("tukey") else f"{name} test"
    if any(one.repeated for one in comparison.differences):
        name += " over queries and repeated runs"
    primary = next(one for one in comparison.differences if comparison.is_primary(one))
    others = next((one for one in comparison.differences if not comparison.is_primary(one)), None)
    family = counted(primary.family, "comparison")
    if comparison.test in FAMILY_TESTS:
        how = "corrected"
    else:
        how = _CORRECTED.get(comparison.correction, f"{comparison.correction} correction")
    if not comparison.is_corrected:
        return f"{name}{sides}, {how}"
    if others is None:
        over = family if primary.family == 1 else f"{how} over {family}"
        return f"{name}{sides}, {over}"
    return (
        f"{name}{sides}, {how} over {family} by {comparison.primary}, which decides, and over "
        f"{counted(others.family, 'comparison')} by the other measures"
    )


def reach_texts(
    comparison: Comparison, differences: Sequence[Difference] | None = None
) -> list[str]:
    """Say how many differences could not be significant, whatever their size; nothing if all could.

    >>> from cleverdon import compare, evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> reach_texts(compare(evaluate({"q1": {"d1": 1}}, runs, "AP")))
    ['The comparison cannot be significant: no p-value on so few differing queries is below 1']
    """
    told = comparison.differences if differences is None else differences
    none = [one for one in told if comparison.out_of_reach(one)]
    if not none:
        return []
    if len(none) < len(told):
        which = f"{len(none)} of {counted(len(told), 'comparison')} cannot"
    elif len(told) == 1:
        which = "The comparison cannot"
    else:
        which = f"None of {counted(len(told), 'comparison')} can"
    few = all(comparison.queries_needed(one) is not None for one in none)
    by = "on so few differing queries" if few else "by so few random draws"
    lowest = min(comparison.lowest_p(one) for one in none)
    return [f"{which} be significant: no p-value {by} is below {lowest:.2g}"]


def basis_text(comparison: Comparison) -> str:
    """Return the number of queries that systems were compared on."""
    return counted(len(comparison.samples[0].queries), "query")


def _rests_on(comparison: Comparison) -> list[str]:
    """Return notes on the values: settings, queries left out, undefined values."""
    about = comparison.scores.about
    choices = "; ".join(chosen_settings(about))
    left = about.queries - len(comparison.samples[0].queries)
    found = [f"{choices[0].upper()}{choices[1:]}."] if choices else []
    found += [f"{lacking}." for lacking in missing_queries(about, comparison.samples[0].systems)]
    systems = comparison.samples[0].systems
    found += [f"{note}." for note in repeats_notes(comparison.scores, systems)]
    if left:
        found.append(f"{counted(left, 'query')} without a value of every system left out.")
    return found + [
        f"{sample.measure} is undefined for {counted(sample.undefined, 'value')} "
        f"(counted as {worst_value(sample.measure):g})."
        for sample in comparison.samples
        if sample.undefined
    ]


def difference_record(found: Difference, comparison: Comparison) -> dict[str, Any]:
    """Return a difference with all its numbers, as JSON can hold them."""
    sizes = asdict(found.sizes)
    relative = comparison.relative_interval(found)
    plain = {
        "system": found.system,
        "baseline": found.baseline,
        "measure": str(found.measure),
        "mean": found.mean,
        "baseline_mean": found.baseline_mean,
        "difference": found.difference,
        "relative": found.relative,
        "relative_low": relative.low,
        "relative_high": relative.high,
        "low": found.interval.low,
        "high": found.interval.high,
        "unadjusted_low": found.unadjusted.low,
        "unadjusted_high": found.unadjusted.high,
        "confidence": found.interval.confidence,
        "ends_at_0": found.stepped,
        "disagrees": comparison.disagrees(found),
        "p": found.p.p,
        "corrected": found.corrected,
        "family": found.family,
        "primary": comparison.is_primary(found),
        "significant": comparison.significant(found),
        **{name: size for name, size in sizes.items() if name not in ("difference", "relative")},
    }
    if any(one.repeated for one in comparison.differences):
        runs = found.repeated.repeats if found.repeated else (1, 1)
        plain |= {"runs": runs[0], "baseline_runs": runs[1]}
        plain["share_of_runs"] = found.repeated.share if found.repeated else 0.0
    record: dict[str, Any] = as_json(plain)
    return record


def differences_table(comparison: Comparison) -> TextTable:
    """Return a row for each difference, with all digits."""
    records = [
        {
            **difference_record(found, comparison),
            "qualified": " ".join(comparison.qualified(found)),
        }
        for found in comparison.differences
    ]
    rows = [["" if value is None else str(value) for value in row.values()] for row in records]
    return TextTable(list(records[0]), rows, 3, [])
