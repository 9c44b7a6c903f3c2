"""Comparisons in words, a sentence each."""

from __future__ import annotations

from collections.abc import Sequence

from cleverdon.compare import Difference

LEVEL = 0.05


def render(differences: Sequence[Difference]) -> str:
    """What was found, a line for each system and measure, with what the p-values are of."""
    if not differences:
        return "There is nothing to compare."
    lines = [sentence(difference) for difference in differences]
    count = len(differences)
    note = f"p of a randomisation test over queries, Holm's correction for {count} comparisons."
    return "\n".join([f"Against {differences[0].baseline}:", *lines, note])


def sentence(found: Difference) -> str:
    """One comparison as a sentence that says no more than the numbers do."""
    if found.p_holm <= LEVEL:
        higher = found.difference > 0
        verdict = ("lower", "higher")[higher]
        if found.measure.better != "neither":
            verdict = ("worse", "better")[higher == (found.measure.better == "higher")]
    else:
        verdict = "not shown to differ"
    queries = f"{found.up} queries up, {found.even} even, {found.down} down"
    p = f"= {found.p_holm:.4f}" if found.p_holm >= 0.0001 else "< 0.0001"
    return (
        f"  {found.system}: {verdict} on {found.measure}, {found.difference:+.4f} "
        f"({found.baseline_mean:.4f} to {found.mean:.4f}; {queries}; p {p})"
    )
