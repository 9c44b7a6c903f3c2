"""What speaks against believing a comparison: a linter for evaluations.

The reasons are in `reasons_in_tests.py` and `reasons_in_data.py`, a function each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cleverdon.compare import reasons_in_data, reasons_in_tests  # which makes them known
from cleverdon.compare.evidence import RULES, Evidence
from cleverdon.compare.paired import Comparison
from cleverdon.errors import OptionError, suggest
from cleverdon.scores import Scores

__all__ = ["RULES", "Doubt", "doubts", "reasons_in_data", "reasons_in_tests"]


@dataclass(frozen=True)
class Doubt:
    """One thing that speaks against believing a comparison."""

    name: str
    sentence: str
    number: float  # what the sentence is about, with all its digits
    reference: str

    def __str__(self) -> str:
        return f"{self.sentence} ({self.name}; {self.reference})"


def doubts(
    comparison: Comparison,
    *,
    silence: Iterable[str] = (),
    pooled: Iterable[str] | None = None,
    tuned_on: Iterable[str] = (),
    tied: tuple[Scores, Scores] | None = None,
) -> list[Doubt]:
    """What speaks against believing a comparison, a record for each reason.

    `silence` names doubts that are not to be raised. Some need to be told more: `pooled`, the
    systems whose results were judged; `tuned_on`, topics that parameters were chosen on; `tied`,
    the same scores with the worst and with the best order of ties (`evaluate(..., ties="worst")`).

    >>> from cleverdon import evaluate
    >>> from cleverdon.compare import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> runs = {"one": {q: {"a": 1.0} for q in qrels}, "two": {q: {"b": 1.0} for q in qrels}}
    >>> found = doubts(compare(evaluate(qrels, runs, "P@1")), silence=["unjudged-differs"])
    >>> [doubt.name for doubt in found]
    ['nothing-judged', 'few-topics']
    """
    silent = set(silence)
    for name in silent:
        if name not in RULES:
            raise OptionError(f"there is no doubt {name!r} to silence{suggest(name, RULES)}")
    known = comparison.scores.systems
    for name in pooled or ():
        if name not in known:
            raise OptionError(f"pooled: there is no system {name!r}{suggest(name, known)}")
    evidence = Evidence(
        comparison,
        None if pooled is None else frozenset(pooled),
        frozenset(tuned_on),
        tied,
    )
    found = []
    for rule in RULES.values():
        raised = None if rule.name in silent else rule.find(evidence)
        if raised is not None:
            found.append(Doubt(rule.name, raised.sentence, float(raised.number), rule.reference))
    return found
