"""Comparisons in words, a sentence each."""

from __future__ import annotations

from cleverdon.compare import Comparison, Difference


def render(comparison: Comparison) -> str:
    """What was found, a line for each system and measure, with what the p-values are of."""
    lines = [sentence(found, comparison) for found in comparison.differences]
    count = len(lines)
    note = f"p of a randomisation test over queries, Holm's correction for {count} comparisons."
    return "\n".join([f"Against {comparison.baseline}:", *lines, note])


def sentence(found: Difference, comparison: Comparison) -> str:
    """One comparison as a sentence that says no more than the numbers do."""
    if comparison.significant(found):
        higher = found.difference > 0
        verdict = ("lower", "higher")[higher]
        if found.measure.better != "neither":
            verdict = ("worse", "better")[higher == (found.measure.better == "higher")]
    else:
        verdict = "not shown to differ"
    sizes = found.sizes
    queries = f"{sizes.up} queries up, {sizes.even} even, {sizes.down} down"
    p = f"= {found.corrected:.4f}" if found.corrected >= 0.0001 else "< 0.0001"
    return (
        f"  {found.system}: {verdict} on {found.measure}, {found.difference:+.4f} "
        f"({found.baseline_mean:.4f} to {found.mean:.4f}; {queries}; p {p})"
    )
