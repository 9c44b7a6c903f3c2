"""Comparisons as tables: systems by measures, significance marked as papers do.

Against a baseline, a dagger marks what differs. Where every pair was compared, systems have
letters, and a value has the letters of the systems that it is better than. The best value of a
measure is bold and the second underlined. CSV, TSV and JSON have every difference as a record,
with all digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isfinite
from string import ascii_lowercase
from typing import Any

from cleverdon.aggregate import worst_value
from cleverdon.compare.claims import told_apart
from cleverdon.compare.paired import Comparison, Difference
from cleverdon.compare.tests import FAMILY_TESTS
from cleverdon.show.grid import EXACT, Grid, Mark, counted, laid_out, printable
from cleverdon.show.layout import arranged, check_layout, decimals, places, sorted_systems
from cleverdon.show.notes import chosen, missing
from cleverdon.show.numbers import number

DAGGER = "†"
LETTERS = ascii_lowercase.replace("q", "")  # Unicode has no raised q

NAMES = {
    "t": "Student's t",
    "bootstrap": "Bootstrap shift",
    "tukey": "Tukey's HSD",
    "randomised-tukey": "Randomised Tukey HSD",
}
CORRECTED = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "benjamini-hochberg": "Benjamini and Hochberg's correction",
    "none": "no correction",
}


def render(
    comparison: Comparison,
    format: str = "table",
    *,
    systems: str = "auto",
    sort: str = "given",
    digits: int | None = None,
    styled: bool = False,
    width: int | None = None,
) -> str:
    """The comparison in one of the formats of tables.

    The keywords are those of `cleverdon.show.table.render`. Letters are given to systems in the
    order in which they are shown.
    """
    check_layout(format, systems=systems, sort=sort, digits=digits, records=True)
    if format == "json":
        import json

        return json.dumps(to_json(comparison), indent=1, ensure_ascii=False)
    if format in EXACT:
        return laid_out(_differences(comparison), format)
    grid = _grid(comparison, sort, decimals(comparison.scores, digits))
    grid = arranged(grid, format, systems, width)
    return laid_out(grid, format, styled=styled, width=width)


def _grid(comparison: Comparison, sort: str, digits: int) -> Grid:
    samples = {sample.measure: sample for sample in comparison.samples}
    systems = sorted_systems(
        comparison.samples[0].systems,
        sort,
        comparison.scores,
        list(samples),
        lambda name, measure: samples[measure].mean(name),
    )
    names = dict(zip(systems, letters(len(systems)), strict=True))
    marks: dict[tuple[int, int], Mark] = {}
    rows = [[printable(system)] for system in systems]
    if comparison.baseline is None:
        marks |= {(s, 0): Mark(above=name) for s, name in enumerate(names.values())}
    for column, (measure, sample) in enumerate(samples.items(), start=1):
        means = {system: sample.mean(system) for system in systems}
        shown = {system: number(measure, mean, digits=digits) for system, mean in means.items()}
        found = places(measure, means, shown)
        differences = (one for one in comparison.differences if one.measure == measure)
        apart = [one for one in differences if told_apart(one, comparison)]
        for s, system in enumerate(systems):
            rows[s].append(shown[system])
            above = _above(comparison, apart, system, names)
            marks[s, column] = Mark(found.get(system), above)
    header = ["system", *map(str, samples)]
    return Grid(header, rows, 1, [], [*_rests_on(comparison), *footnotes(comparison)], marks)


def letters(count: int) -> list[str]:
    """A letter for each system; numbers where there are not enough."""
    return list(LETTERS[:count] if count <= len(LETTERS) else map(str, range(1, count + 1)))


def _above(
    comparison: Comparison, found: Sequence[Difference], system: str, names: dict[str, str]
) -> str:
    """What is set above a system's value: a dagger, or the letters of whom it is better than."""
    if comparison.baseline is not None:
        return DAGGER if any(difference.system == system for difference in found) else ""
    beaten = {_loser(difference) for difference in found if _winner(difference) == system}
    between = "" if len(names) <= len(LETTERS) else ","
    return between.join(name for other, name in names.items() if other in beaten)


def _winner(found: Difference) -> str:
    """The system with the better value, or with the higher one where none is better."""
    higher = found.difference > 0
    return found.system if higher != (found.measure.better == "lower") else found.baseline


def _loser(found: Difference) -> str:
    return found.baseline if _winner(found) == found.system else found.system


def footnotes(comparison: Comparison) -> list[str]:
    """What the marks mean, and what the p-values are of."""
    marked = any(told_apart(found, comparison) for found in comparison.differences)
    if comparison.baseline is None:
        first = "Letters above a value: the systems that it is significantly better than."
        first = first if marked else "No system is significantly better than another."
    else:
        meaning = f"{_meaning(comparison)} {printable(comparison.baseline)}."
        first = f"{DAGGER} {meaning}" if marked else f"Nothing {meaning}"
    return [first, f"{tested(comparison)}, p ≤ {comparison.level:g}, {basis(comparison)}."]


def _meaning(comparison: Comparison) -> str:
    side = {"greater": "is significantly higher than", "less": "is significantly lower than"}
    return side.get(comparison.alternative, "differs significantly from")


def tested(comparison: Comparison) -> str:
    """The test and the family that it is corrected for."""
    sides = "" if comparison.alternative == "two-sided" else ", one-sided"
    family = counted(len(comparison.differences), "comparison")
    if comparison.test in FAMILY_TESTS:
        systems = counted(len(comparison.samples[0].systems), "system")
        return f"{NAMES[comparison.test]} over all pairs of {systems}, for each measure by itself"
    how = CORRECTED.get(comparison.correction, f"{comparison.correction} correction")
    name = NAMES.get(comparison.test, comparison.test.capitalize())
    return f"{name} test{sides}, {how} over {family}"


def basis(comparison: Comparison) -> str:
    """On how many topics systems were compared."""
    return counted(len(comparison.samples[0].topics), "topic")


def _rests_on(comparison: Comparison) -> list[str]:
    """What is to be known of the values: how they were made, left out, or undefined."""
    about = comparison.scores.about
    choices = "; ".join(chosen(about))
    left = about.queries - len(comparison.samples[0].topics)
    found = [f"{choices[0].upper()}{choices[1:]}."] if choices else []
    found += [f"{lacking}." for lacking in missing(about, comparison.samples[0].systems)]
    if left:
        found.append(f"{counted(left, 'query')} without a value of every system left out.")
    return found + [
        f"{sample.measure} is undefined for {counted(sample.undefined, 'value')} "
        f"(counted as {worst_value(sample.measure):g})."
        for sample in comparison.samples
        if sample.undefined
    ]


def record(found: Difference, comparison: Comparison) -> dict[str, Any]:
    """A difference with all that is known of it, ready for `json.dumps`."""
    sizes = asdict(found.sizes)
    plain = {
        "system": found.system,
        "baseline": found.baseline,
        "measure": str(found.measure),
        "mean": found.mean,
        "baseline_mean": found.baseline_mean,
        "difference": found.difference,
        "relative": found.relative,
        "low": found.interval.low,
        "high": found.interval.high,
        "confidence": found.interval.confidence,
        "p": found.p.p,
        "corrected": found.corrected,
        "significant": comparison.significant(found),
        **{name: size for name, size in sizes.items() if name not in ("difference", "relative")},
    }
    return {
        key: None if isinstance(value, float) and not isfinite(value) else value
        for key, value in plain.items()
    }


def to_json(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison, ready for `json.dumps`."""
    return {
        "baseline": comparison.baseline,
        "test": comparison.test,
        "alternative": comparison.alternative,
        "correction": comparison.correction,
        "family": len(comparison.differences),
        "level": comparison.level,
        "topics": list(comparison.samples[0].topics),
        "means": {
            system: {str(s.measure): s.mean(system) for s in comparison.samples}
            for system in comparison.samples[0].systems
        },
        "differences": [record(found, comparison) for found in comparison.differences],
    }


def _differences(comparison: Comparison) -> Grid:
    """Every difference in a row, for programs."""
    records = [record(found, comparison) for found in comparison.differences]
    rows = [["" if value is None else str(value) for value in row.values()] for row in records]
    return Grid(list(records[0]), rows, 3, [])
