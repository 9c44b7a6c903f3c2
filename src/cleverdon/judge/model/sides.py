"""The same runs, evaluated by one judge's judgments and by those of others.

Both sides judge the same documents, those that the judge and at least one of the others judged: so
only grades differ, and not what was judged. Several others are one by `aggregate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cleverdon.arrays import Floats, Ints
from cleverdon.data import Run
from cleverdon.evaluation import evaluate, named_runs
from cleverdon.judge.aggregation import aggregate
from cleverdon.judge.labels import Labels, made_judgments
from cleverdon.scores import Scores


@dataclass(frozen=True)
class Sides:
    """Scores by two judgments of the same documents."""

    items: int  # how many documents
    others: Scores
    judge: Scores


@dataclass(frozen=True, eq=False)
class Evaluator:
    """What is evaluated, and how: the same for the model and for each person."""

    labels: Labels
    runs: dict[str, Run]
    measures: Any
    way: str
    ties: str
    seed: int
    how: dict[str, Any]
    _known: dict[tuple[str, bytes, bytes], Scores] = field(default_factory=dict)

    def sides(self, judge: str, others: Sequence[str]) -> Sides | None:
        """The scores by a judge and by others; None where they have no document in common."""
        labels, column = self.labels, self.labels.column(judge)
        columns = [labels.column(other) for other in others]
        if not (labels.judged[:, columns].any(axis=1) & labels.judged[:, column]).any():
            return None
        theirs = aggregate(labels.only(others), self.way, ties=self.ties, seed=self.seed)
        both = labels.judged[theirs.items, column]
        items = theirs.items[both]
        name = "people" if len(others) > 1 else others[0]
        return Sides(
            len(items),
            self._scores(name, items, theirs.grades[both]),
            self._scores(judge, items, labels.grade[items, column]),
        )

    def _scores(self, name: str, items: Ints, grades: Floats) -> Scores:
        """Evaluated once, however often the same judgments are asked for."""
        key = (name, items.tobytes(), grades.tobytes())
        if key not in self._known:
            judgments = made_judgments(self.labels, items, grades, name=name)
            # To a judge who finds nothing relevant, all systems are equally bad.
            how = {**self.how, "undefined": self.how.get("undefined") or "always-worst"}
            self._known[key] = evaluate(judgments, self.runs, self.measures, **how)
        return self._known[key]


def read_runs(runs: Any, *, format: str | None, order_by: str) -> dict[str, Run]:
    """Runs by name, read once for all evaluations."""
    found = {}
    for name, given in named_runs(runs):
        read = Run.read(given, format=format, order_by=order_by)
        found[name or read.name] = read
    return found
