"""Claims that the differences of a comparison support, and claims that flip with other judgments.

A difference is shown where it is significant, and the test points where the means do. `flips`
compares two comparisons of the same runs by two judgments: the first are what was known (the old
ones, or people's), the second take their place (the new ones, or a model's).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import floor, isfinite, isnan, log10
from typing import Any, Literal

from cleverdon._common.text import counted, printable
from cleverdon.comparison.difference_tables import difference_record
from cleverdon.comparison.differences import Comparison, Difference
from cleverdon.comparison.doubts import Doubt
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.stats.multiple_comparisons import FAMILY_TESTS
from cleverdon.tables.markup import escape_markdown
from cleverdon.tables.numbers import format_p_value
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

ClaimVerdict = Literal["better", "worse", "higher", "lower", "not shown"]
"""A system compared with its baseline; higher and lower, where neither is better."""

_CLAIM_DIGITS = 3

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


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim about one difference; as text, a sentence with its numbers.

    Attributes:
        difference: The difference.
        verdict: "better", "worse", "higher", "lower" or "not shown".
        comparison: The comparison that it is from.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> claim = state_claims(compare(evaluate({"q1": {"a": 1}}, runs, "RR")))[0]
    >>> claim.verdict, claim.shown
    ('not shown', False)
    """

    difference: Difference
    verdict: ClaimVerdict
    comparison: Comparison = field(repr=False)

    @property
    def shown(self) -> bool:
        """True if the difference is significant in the direction of the means."""
        return self.verdict != "not shown"

    def __str__(self) -> str:
        found = self.difference
        digits = _digits(found)
        if self.shown:
            verb = _VERBS[self.verdict]
            size = f" by {format_score(found.measure, abs(found.difference), digits=digits)}"
        else:
            verb = not_shown_sentence(self)
            size = f": {format_score(found.measure, found.difference, digits=digits, signed=True)}"
        names = f"{printable(found.system)} {verb} {printable(found.baseline)}"
        basis = _basis(self, digits)
        return f"{names} on {found.measure}{size} ({basis}).{_cannot_reach_level(self)}"


@dataclass(frozen=True, eq=False)
class Claims(Result):
    """A claim for each difference of a comparison, and doubts about the comparison.

    Attributes:
        claims: The claims.
        doubts: The doubts, printed below them.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> len(state_claims(compare(evaluate({"q1": {"a": 1}}, runs, "RR"))))
    1
    """

    claims: tuple[Claim, ...]
    doubts: tuple[Doubt, ...] = ()

    def __len__(self) -> int:
        return len(self.claims)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __getitem__(self, at: int) -> Claim:
        return self.claims[at]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each claim: its sentence, its verdict, and for programs its numbers."""
        records = self.to_dict()["claims"]
        shown = records[0] if exact else ("text", "verdict")
        rows = [["" if row[name] is None else str(row[name]) for name in shown] for row in records]
        return [Section("claims", TextTable(list(shown), rows, 2, []))]

    def closing(self) -> list[str]:
        """Return the doubts."""
        lines = [doubt_line(doubt).removeprefix("- ") for doubt in self.doubts]
        return ["Before you believe it:", *(f" {line}" for line in lines)] if lines else []

    def to_dict(self) -> dict[str, Any]:
        """Return claims and doubts as plain values."""
        return {
            "claims": [
                {
                    "text": str(claim),
                    "verdict": claim.verdict,
                    **difference_record(claim.difference, claim.comparison),
                }
                for claim in self.claims
            ],
            "doubts": [as_json(doubt) for doubt in self.doubts],
        }

    def render(self, format: str = "text", **view: Any) -> str:
        """Write a sentence for each claim, and the doubts below; or one of the other formats."""
        if format not in ("text", "table", "markdown"):
            return super().render(format, **view)
        escaped, bullet = (escape_markdown, "- ") if format == "markdown" else (str, "")
        lines = [bullet + escaped(str(claim)) for claim in self.claims]
        if self.doubts:
            lines += ["", "Before you believe it:", *([""] if format == "markdown" else [])]
            lines += [doubt_line(doubt, format) for doubt in self.doubts]
        return "\n".join(lines)


def state_claims(comparison: Comparison, *, doubts: Sequence[Doubt] = ()) -> Claims:
    """State which differences of a comparison are shown.

    Args:
        comparison: What `compare` returned.
        doubts: What `doubts` raised about it, to be printed below the claims.

    Returns:
        A claim for each difference; as text, a sentence with its numbers.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> scores = evaluate(qrels, {"poor": poor, "good": good}, "RR")
    >>> print(state_claims(compare(scores, baseline="poor"))[0])
    good beats poor on RR by 0.500 (0.500 to 1.000, +100.0%; 95% CI 0.500 to 0.500; randomisation
    p = 0.031, 1 comparison; 6 queries: 6 up, 0 even, 0 down).
    """
    found = [Claim(one, _verdict(one, comparison), comparison) for one in comparison.differences]
    return Claims(tuple(found), tuple(doubts))


def _verdict(found: Difference, comparison: Comparison) -> ClaimVerdict:
    if not comparison.shows(found):
        return "not shown"
    higher = found.difference > 0
    if found.measure.better == "neither":
        return "higher" if higher else "lower"
    return "better" if higher == (found.measure.better == "higher") else "worse"


def doubt_line(doubt: Doubt, format: str = "text") -> str:
    """Write a doubt as an item of a list."""
    name, sentence = doubt.name, printable(doubt.sentence)
    if format == "markdown":
        name, sentence = f"`{name}`", escape_markdown(sentence)
    return f"- {name}: {sentence}. {doubt.reference}"


def not_shown_sentence(claim: Claim) -> str:
    """Return the verb for a difference that was tested and not shown."""
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
        return format_score(found.measure, value, digits=digits)

    means = f"{shown(found.baseline_mean)} to {shown(found.mean)}"
    if isfinite(found.relative):
        means += f", {found.relative:+.1%}"
    if found.measure.better == "lower":
        means += ", lower is better"
    parts = [means]
    if not isnan(found.interval.low):
        ends = f"{shown(found.interval.low)} to {shown(found.interval.high)}"
        # Explains why an interval without 0 goes with a large p-value.
        apart = not claim.shown and (found.interval.low > 0 or found.interval.high < 0)
        alone = ", not corrected" if apart and found.corrected > found.p.p else ""
        parts.append(f"{found.interval.confidence:.0%} CI {ends}{alone}")
    sizes = found.sizes
    test = _TESTS.get(comparison.test, comparison.test)
    sided = "" if comparison.alternative == "two-sided" else "one-sided "
    if comparison.test in FAMILY_TESTS:
        family = f"over all pairs of {counted(len(comparison.samples[0].systems), 'system')}"
    else:
        family = correction_text(comparison.correction, len(comparison.differences))
    parts += [
        f"{sided}{test} {p_value_text(found, comparison)}, {family}",
        f"{counted(sizes.pairs, 'query')}: {sizes.up} up, {sizes.even} even, {sizes.down} down",
    ]
    return "; ".join(parts)


def _digits(found: Difference) -> int:
    """Return three decimals, or as many as it takes to show two digits of the difference."""
    size = abs(found.difference)
    return _CLAIM_DIGITS if size == 0 else min(max(_CLAIM_DIGITS, 1 - floor(log10(size))), 9)


def p_value_text(found: Difference, comparison: Comparison) -> str:
    """Return the corrected p-value; with `<` where no draw was as extreme as what was seen."""
    drawn = found.p.draws and not found.p.exact
    lowest = bool(drawn and found.p.p <= 1 / (1 + found.p.draws))
    return format_p_value(found.corrected, at_most=lowest, level=comparison.level)


def correction_text(correction: str, count: int) -> str:
    """Write a correction and its family: `Holm over 6 comparisons`."""
    comparisons = counted(count, "comparison")
    if count == 1:
        return comparisons
    how = _CORRECTIONS.get(correction, correction)
    return f"{how} over {comparisons}" if correction != "none" else f"{how}, {comparisons}"


def _cannot_reach_level(claim: Claim) -> str:
    """Say that no number of queries would show a difference, where that is so."""
    difference, alternative = claim.difference.difference, claim.comparison.alternative
    if claim.shown:
        return ""
    if difference == 0:
        return " There is no difference to show."
    if alternative != "two-sided" and (difference > 0) != (alternative == "greater"):
        return " More queries alone would not show it."
    return ""


_FlipKind = Literal["reversed", "lost", "gained", "swapped", "kept", "open"]
FLIP_KINDS: dict[_FlipKind, str] = {
    "reversed": "shown by both, the other way round",
    "lost": "shown by the first only",
    "gained": "shown by the second only",
    "swapped": "shown by neither, the other way round",
    "kept": "shown by both alike",
    "open": "shown by neither",
}
"""The kinds of a flip, the gravest first."""

_FLIPPED: tuple[_FlipKind, ...] = ("reversed", "lost", "gained")
"""The kinds that change a claim."""

_DIGITS = 12
"""Averages that differ in later digits are equal, and were added up in another order."""


@dataclass(frozen=True)
class Flip:
    """The difference of two systems by two judgments."""

    kind: _FlipKind
    before: Difference
    after: Difference

    @property
    def flipped(self) -> bool:
        """True if the claim changed."""
        return self.kind in _FLIPPED


@dataclass(frozen=True, eq=False)
class Flips(RecordList[Flip]):
    """Every difference by two judgments, in the order of the comparisons.

    Attributes:
        items: The flips, of each pair of systems by each measure.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> sides = [compare(evaluate({"q1": {doc: 1}}, runs, "RR")) for doc in "ab"]
    >>> found = flips(*sides)
    >>> [one.kind for one in found], found.shown
    (['swapped'], (0, 0))
    """

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each difference."""
        rows = [
            [
                *map(printable, (one.before.system, one.before.baseline)),
                *(str(one.before.measure), one.kind),
                *(
                    format_score(side.measure, side.difference, signed=not exact, exact=exact)
                    for side in (one.before, one.after)
                ),
            ]
            for one in self
        ]
        header = ["system", "baseline", "measure", "kind", "before", "after"]
        return [Section("flips", TextTable(header, rows, 4, []), titled=False)]

    def of(self, measure: Measure) -> Flips:
        """Return those by one measure."""
        return Flips(tuple(one for one in self if one.before.measure == measure))

    def changed(self, *, swapped: bool = False) -> list[Flip]:
        """Return claims that flipped, the gravest first; with `swapped`, swapped orders as well."""
        told = [one for one in self if one.flipped or (swapped and one.kind == "swapped")]
        grave = list(FLIP_KINDS)
        return sorted(told, key=lambda one: grave.index(one.kind))

    def times(self, kind: _FlipKind) -> int:
        """Return how many are of one kind."""
        return sum(one.kind == kind for one in self)

    @property
    def shown(self) -> tuple[int, int]:
        """The numbers of differences that the first and the second judgments show."""
        both = self.times("kept") + self.times("reversed")
        return both + self.times("lost"), both + self.times("gained")


def flips(before: Comparison, after: Comparison) -> Flips:
    """Find the claims that differ between two comparisons of the same systems and measures.

    Args:
        before: The comparison by the first judgments.
        after: The one by the second, maybe on other queries.

    Returns:
        A flip for each difference.

    Raises:
        OptionError: The comparisons are of other systems or measures.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> found = compare(evaluate({"q1": {"a": 1}}, runs, "RR"))
    >>> [one.kind for one in flips(found, found)]
    ['open']
    """
    sides = [
        [(one.system, one.baseline, one.measure) for one in side.differences]
        for side in (before, after)
    ]
    if sides[0] != sides[1]:
        raise OptionError("both comparisons must have the same systems and measures")
    return Flips(
        tuple(
            Flip(_flip_kind(old, new, shown=(before.shows(old), after.shows(new))), old, new)
            for old, new in zip(before.differences, after.differences, strict=True)
        )
    )


def _flip_kind(old: Difference, new: Difference, *, shown: tuple[bool, bool]) -> _FlipKind:
    turned = round(old.difference, _DIGITS) * round(new.difference, _DIGITS) < 0
    if all(shown):
        return "reversed" if turned else "kept"
    if any(shown):
        return "lost" if shown[0] else "gained"
    return "swapped" if turned else "open"
