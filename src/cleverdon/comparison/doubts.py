"""Doubts about a comparison: a linter for evaluations.

Each rule is a class with the doubt's name and a reference. It looks at the evidence and returns
nothing, or one sentence with a number: of many cases it names the worst. Rules about runs and
judgments (`doubts_of_data`) come first, then those about the statistics (`doubts_of_tests`); doubts
are listed in this order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cleverdon.comparison import doubts_of_data, doubts_of_tests
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.doubt_rules import DOUBT_RULES, Evidence
from cleverdon.comparison.procedures import Difference
from cleverdon.errors import OptionError, suggest
from cleverdon.scores import Scores

if TYPE_CHECKING:
    from cleverdon.comparison.splits import Splits

_MODULES = [doubts_of_data.__name__, doubts_of_tests.__name__]
"""Where the rules are, in the order in which doubts are listed."""


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt a comparison.

    Attributes:
        name: The name, by which it can be silenced.
        sentence: The reason.
        number: The number in the sentence, with all digits.
        reference: A publication about it.
        serious: Whether verdicts that it concerns are qualified by it.
        about: The pairs of systems that it concerns, with the measure where it is one only; None
            for all.

    >>> print(Doubt("few-queries", "3 queries are few", 3, "Buckley & Voorhees 2000"))
    3 queries are few (few-queries; Buckley & Voorhees 2000)
    """

    name: str
    sentence: str
    number: float
    reference: str
    serious: bool = False
    about: tuple[tuple[str, ...], ...] | None = None

    def __str__(self) -> str:
        return f"{self.sentence} ({self.name}; {self.reference})"

    def qualifies(self, found: Difference) -> bool:
        """Return whether a verdict on this difference is not to be read without the doubt."""
        pair = {found.system, found.baseline}
        if not self.serious or self.about is None:
            return self.serious
        return any(
            pair == set(one[:2]) and one[2:] in ((), (str(found.measure),)) for one in self.about
        )


def find_doubts(
    comparison: Comparison,
    *,
    silence: Iterable[str] = (),
    pooled: Iterable[str] | None = None,
    tuned_on: Iterable[str] | Splits = (),
    tied: tuple[Scores, Scores] | None = None,
    margin: float | None = None,
    serious: bool = False,
) -> list[Doubt]:
    """Find reasons to doubt a comparison.

    Args:
        comparison: What `compare` returned.
        silence: Names of doubts to leave out.
        pooled: The systems whose results were judged.
        tuned_on: Queries that parameters were chosen on, or the splits: of a hold-out, the
            training queries count; of folds, values are taken to be held out in turn.
        tied: The same scores with the worst and with the best order of ties, as
            `evaluate(..., ties="worst")` gives them.
        margin: The margin of claims, where `claim` is given one.
        serious: Find only those that qualify a verdict.

    Returns:
        The doubts, those about runs and judgments first.

    Raises:
        OptionError: There is no such doubt or system.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> runs = {"one": {q: {"a": 1.0} for q in qrels}, "two": {q: {"b": 1.0} for q in qrels}}
    >>> found = find_doubts(compare(evaluate(qrels, runs, "P@1")), silence=["unjudged-differs"])
    >>> [doubt.name for doubt in found]
    ['nothing-judged', 'few-queries', 'no-spread']
    """
    silent = {DOUBT_RULES.find(name) for name in silence}
    known = comparison.scores.systems
    for name in pooled or ():
        if name not in known:
            raise OptionError(f"pooled: there is no system {name!r}{suggest(name, known)}")
    # Loads what reads attributes of queries, which few comparisons need.
    from cleverdon.comparison.splits import Splits

    folds = tuned_on if isinstance(tuned_on, Splits) else None
    if isinstance(tuned_on, Splits):
        tuned_on = tuned_on.folds[0].train if len(tuned_on.folds) == 1 else ()
    evidence = Evidence(
        comparison,
        None if pooled is None else frozenset(pooled),
        frozenset(tuned_on),
        tied,
        folds,
        margin,
    )
    found = []
    rules = DOUBT_RULES.all().values()
    for rule in sorted(rules, key=lambda rule: _MODULES.index(rule.__module__)):
        passed = rule in silent or (serious and not rule.serious)
        raised = None if passed else rule().find(evidence)
        if raised is not None:
            found.append(
                Doubt(
                    rule.name,
                    raised.sentence,
                    float(raised.number),
                    rule.reference,
                    rule.serious,
                    None if raised.about is None else tuple(sorted(raised.about)),
                )
            )
    return found
