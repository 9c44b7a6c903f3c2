"""Claims and doubts in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, isnan, log10
from typing import Any

from cleverdon.compare.claims import Claim
from cleverdon.compare.doubts import Doubt
from cleverdon.compare.paired import Comparison, Difference
from cleverdon.compare.tests import FAMILY_TESTS
from cleverdon.errors import check_word
from cleverdon.show.comparison import record
from cleverdon.show.grid import counted, printable
from cleverdon.show.markup import markdown_escaped
from cleverdon.show.numbers import number, p_value

FORMATS = ("text", "markdown", "json")
DIGITS = 3

_TESTS = {
    "t": "t test",
    "wilcoxon": "Wilcoxon test",
    "sign": "sign test",
    "bootstrap": "bootstrap shift",
    "tukey": "Tukey's HSD",
    "randomised-tukey": "randomised Tukey HSD",
}
_CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini-Hochberg",
    "none": "uncorrected",
}
_VERBS = {
    "better": "beats",
    "worse": "is worse than",
    "higher": "is higher than",
    "lower": "is lower than",
}


def render(claims: Sequence[Claim], doubts: Sequence[Doubt] = (), format: str = "text") -> str:
    """Claims, a sentence each, and below them what speaks against believing them."""
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps(_to_json(claims, doubts), indent=1, ensure_ascii=False)
    escaped, bullet = (markdown_escaped, "- ") if format == "markdown" else (str, "")
    lines = [bullet + escaped(sentence(claim)) for claim in claims]
    if doubts:
        heading = "Before you believe it:"
        lines += ["", heading, *([""] if format == "markdown" else [])]
        lines += [doubt_line(doubt, format) for doubt in doubts]
    return "\n".join(lines)


def doubt_line(doubt: Doubt, format: str = "text") -> str:
    """One item of the list of what speaks against a claim."""
    name = f"`{doubt.name}`" if format == "markdown" else doubt.name
    said = printable(doubt.sentence)
    said = markdown_escaped(said) if format == "markdown" else said
    return f"- {name}: {said}. {doubt.reference}"


def sentence(claim: Claim) -> str:
    """One claim as a sentence, with what it rests on."""
    found = claim.difference
    digits = _digits(found)
    if claim.shown:
        verb = _VERBS[claim.verdict]
        size = f" by {number(found.measure, abs(found.difference), digits=digits)}"
    else:
        verb = not_shown(claim)
        size = f": {number(found.measure, found.difference, digits=digits, signed=True)}"
    names = f"{printable(found.system)} {verb} {printable(found.baseline)}"
    return f"{names} on {found.measure}{size} ({_basis(claim, digits)}).{_out_of_reach(claim)}"


def not_shown(claim: Claim) -> str:
    """What was asked for, and not found."""
    alternative, better = claim.comparison.alternative, claim.difference.measure.better
    if alternative == "two-sided":
        return "is not shown to differ from"
    if better == "neither":
        return f"is not shown to be {'higher' if alternative == 'greater' else 'lower'} than"
    good = (alternative == "greater") == (better == "higher")
    return f"is not shown to be {'better' if good else 'worse'} than"


def _basis(claim: Claim, digits: int) -> str:
    found, comparison = claim.difference, claim.comparison

    def shown(value: float) -> str:
        return number(found.measure, value, digits=digits)

    means = f"{shown(found.baseline_mean)} to {shown(found.mean)}"
    if isfinite(found.relative):
        means += f", {found.relative:+.1%}"
    if found.measure.better == "lower":
        means += ", lower is better"
    parts = [means]
    if not isnan(found.interval.low):
        ends = f"{shown(found.interval.low)} to {shown(found.interval.high)}"
        # Else one would wonder how an interval without 0 goes with a large p-value.
        apart = not claim.shown and (found.interval.low > 0 or found.interval.high < 0)
        alone = ", not corrected" if apart and found.corrected > found.p.p else ""
        parts.append(f"{found.interval.confidence:.0%} CI {ends}{alone}")
    sizes = found.sizes
    topics = counted(sizes.up + sizes.even + sizes.down, "topic")
    parts += [
        f"{tested(comparison)} {p_of(found, comparison)}, {family(comparison)}",
        f"{topics}: {sizes.up} up, {sizes.even} even, {sizes.down} down",
    ]
    return "; ".join(parts)


def _digits(found: Difference) -> int:
    """Three decimals, or as many as it takes to show two digits of the difference."""
    size = abs(found.difference)
    return DIGITS if size == 0 else min(max(DIGITS, 1 - floor(log10(size))), 9)


def tested(comparison: Comparison) -> str:
    """The test by its name, one-sided where it is."""
    name = _TESTS.get(comparison.test, comparison.test)
    return name if comparison.alternative == "two-sided" else f"one-sided {name}"


def p_of(found: Difference, comparison: Comparison) -> str:
    """The corrected p-value; with `<` where no draw was as extreme as what was seen."""
    drawn = found.p.draws and not found.p.exact
    lowest = bool(drawn and found.p.p <= 1 / (1 + found.p.draws))
    return p_value(found.corrected, at_most=lowest, level=comparison.level)


def family(comparison: Comparison) -> str:
    """What p-values are corrected for."""
    if comparison.test in FAMILY_TESTS:
        return f"over all pairs of {counted(len(comparison.samples[0].systems), 'system')}"
    return corrected_for(comparison.correction, len(comparison.differences))


def corrected_for(correction: str, count: int) -> str:
    """`Holm over 6 comparisons`."""
    comparisons = counted(count, "comparison")
    if count == 1:
        return comparisons
    how = _CORRECTIONS.get(correction, correction)
    return f"{how} over {comparisons}" if correction != "none" else f"{how}, {comparisons}"


def _out_of_reach(claim: Claim) -> str:
    """That no number of topics would show a difference, where that is so."""
    difference, alternative = claim.difference.difference, claim.comparison.alternative
    if claim.shown:
        return ""
    if difference == 0:
        return " There is no difference to show."
    if alternative != "two-sided" and (difference > 0) != (alternative == "greater"):
        return " More topics alone would not show it."
    return ""


def _to_json(claims: Sequence[Claim], doubts: Sequence[Doubt]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "claims": [
            {
                "text": sentence(claim),
                "verdict": claim.verdict,
                **record(claim.difference, claim.comparison),
            }
            for claim in claims
        ],
        "doubts": [asdict(doubt) for doubt in doubts],
    }
