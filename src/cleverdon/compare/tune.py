"""Tuning: choosing a setting on some topics, and scoring the choice on others.

The best setting's score on the topics that it was chosen on flatters it: of many settings that are
equally good, one is lucky. Scored on topics that had no say in the choice, a setting shows what it
is worth on new ones.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cleverdon.aggregate import average
from cleverdon.arrays import Bools
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.splits import Splits, k_fold
from cleverdon.compare.splits_file import read_splits
from cleverdon.errors import OptionError
from cleverdon.evaluation import evaluate
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

TIE_RULE = "of settings that are equally good, the one given first is chosen"
_DIGITS = 12
"""Averages that differ further behind are equal."""


@dataclass(frozen=True)
class Choice:
    """What one fold's training topics chose, and what that was worth on its test topics."""

    repeat: int
    fold: int  # from 1 on in each repeat
    setting: str
    tied: tuple[str, ...]  # settings that were as good
    train: float
    test: float
    train_topics: int
    test_topics: int


@dataclass(frozen=True)
class Tuning:
    """An honest score and an optimistic one, and how they came about."""

    measure: Measure
    settings: tuple[str, ...]
    splits: Splits
    choices: tuple[Choice, ...]
    score: float  # of all test topics, each by the setting that was chosen without it
    repeat_scores: tuple[float, ...]  # the same of each repeat, of which it is the mean
    best: str  # the setting that is best on all test topics
    best_score: float  # on the very topics that it is best on
    held_out: Mapping[str, float]  # each test topic's value, the mean of all repeats

    @property
    def optimism(self) -> float:
        """By how much the best setting's score looks better than the honest one; never below 0.

        For what beats the best one on the training topics cannot beat it on the test topics, or it
        would be the best of all. But for rounding.
        """
        sign = -1 if self.measure.better == "lower" else 1
        return sign * (self.best_score - self.score)

    @property
    def chosen(self) -> dict[str, int]:
        """In how many folds each setting was chosen, the most frequent first."""
        counts = Counter(choice.setting for choice in self.choices)
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    def __str__(self) -> str:
        lines = [f"  {label:12} {text}" for label, text in self.lines()]
        return "\n".join([self.title, *lines])

    @property
    def title(self) -> str:
        """What was tuned, and how."""
        return f"{self.measure}, {len(self.settings)} settings; {self.splits}"

    def lines(self) -> list[tuple[str, str]]:
        """What was found, line by line: a label and what stands beside it."""
        label = "best on test" if self.splits.kind == "hold-out" else "best on all"
        found = [
            (
                "held out",
                f"{self.score:.4f}  each topic by the setting chosen without it"
                + self._between_repeats(),
            ),
            (
                label,
                f"{self.best_score:.4f}  {self.best}, on the topics it was chosen on: "
                f"optimistic by {abs(self.optimism):.4f}",
            ),
            ("chosen", self._spread()),
        ]
        tied = sum(bool(choice.tied) for choice in self.choices)
        return [*found, ("tied", f"in {_folds(tied)}: {TIE_RULE}")] if tied else found

    def _between_repeats(self) -> str:
        if len(self.repeat_scores) == 1:
            return ""
        low, high = min(self.repeat_scores), max(self.repeat_scores)
        return f" ({low:.4f} to {high:.4f} over {len(self.repeat_scores)} repeats)"

    def _spread(self) -> str:
        first, *others = self.chosen.items()
        named = [f"{first[0]} in {first[1]} of {_folds(len(self.choices))}"]
        return ", ".join(named + [f"{setting} in {count}" for setting, count in others])


def tune(
    runs_by_setting: Mapping[str, Any],
    qrels: Any,
    measure: str | Measure,
    folds: int | Splits | str | os.PathLike[str] = 5,
    *,
    repeats: int = 1,
    seed: int = 0,
    **how: Any,
) -> Tuning:
    """Choose the best of several settings by cross-validation, and say what it is worth.

    Each run is evaluated once; `how` are `evaluate`'s keywords. `folds` are so many, dealt out with
    `seed`, or the splits of a file. Of settings that are equally good, the one given first is
    chosen.

    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> print(tune({"b=0.4": poor, "b=0.8": good}, qrels, "RR", folds=3))
    RR, 2 settings; k-fold, 3 folds: 2 of 6 topics for testing (seed 0)
      held out     1.0000  each topic by the setting chosen without it
      best on all  1.0000  b=0.8, on the topics it was chosen on: optimistic by 0.0000
      chosen       b=0.8 in 3 of 3 folds
    """
    named = {str(setting): run for setting, run in runs_by_setting.items()}
    if len(named) < len(runs_by_setting):
        raise OptionError("two settings have the same name, one as a number and one as text")
    scores = evaluate(qrels, named, measure, **how)
    return tune_scores(scores, measure, folds, repeats=repeats, seed=seed)


def tune_scores(
    scores: Scores,
    measure: str | Measure | None = None,
    folds: int | Splits | str | os.PathLike[str] = 5,
    *,
    repeats: int = 1,
    seed: int = 0,
) -> Tuning:
    """The same of settings that are evaluated already, each a system of `scores`.

    Where scores leave topics out for some settings, they are left out for all.
    """
    chosen = scores.measures if measure is None else (scores.measures[_column(scores, measure)],)
    if len(chosen) > 1:
        raise OptionError("settings are chosen by one measure; name it")
    (sample,) = samples(scores, measures=chosen)
    if sample.measure.better == "neither":
        raise OptionError(f"{sample.measure} has no better and worse to choose by")
    if len(sample.systems) < 2:
        raise OptionError(
            f"there is only one setting, {sample.systems[0]!r}, and nothing to choose"
        )
    if isinstance(folds, int):
        return _tuned(sample, k_fold(sample.topics, folds=folds, repeats=repeats, seed=seed))
    splits = folds if isinstance(folds, Splits) else read_splits(folds)
    if repeats != 1:
        raise OptionError("repeats go with a number of folds; splits have their own")
    _check_topics(splits, scores.queries)
    return _tuned(sample, splits)


def _column(scores: Scores, measure: str | Measure) -> int:
    return scores.index_of(scores.systems[0], measure)[1]


def _check_topics(splits: Splits, judged: list[str]) -> None:
    for topic in set(splits.topics).difference(judged):
        raise OptionError(
            f"topic {topic!r} of the splits has no judgments; are they of these qrels?"
        )
    for topic in set(judged).difference(splits.topics):
        raise OptionError(f"topic {topic!r} is in no fold of the splits; are they of these qrels?")


def _tuned(sample: Sample, splits: Splits) -> Tuning:
    train, test = (_members(sample, splits, part) for part in ("train", "test"))
    merits = sample.merits @ train.T / train.sum(axis=1)  # settings x folds
    rounded = np.round(merits, _DIGITS)
    best_of_fold = rounded.argmax(axis=0)  # the first of equal ones
    equal = rounded == rounded.max(axis=0)
    choices = []
    numbers: Counter[int] = Counter()
    for f, fold in enumerate(splits.folds):
        numbers[fold.repeat] += 1
        row = int(best_of_fold[f])
        choices.append(
            Choice(
                repeat=fold.repeat,
                fold=numbers[fold.repeat],
                setting=sample.systems[row],
                tied=tuple(
                    name for s, name in enumerate(sample.systems) if equal[s, f] and s != row
                ),
                train=average(sample.measure, sample.values[row, train[f]]),
                test=average(sample.measure, sample.values[row, test[f]]),
                train_topics=int(train[f].sum()),
                test_topics=int(test[f].sum()),
            )
        )
    held = np.full((splits.repeats, len(sample.topics)), np.nan)
    for f, fold in enumerate(splits.folds):
        held[fold.repeat - 1, test[f]] = sample.values[best_of_fold[f], test[f]]
    tested = test.any(axis=0)
    held = held[:, tested]
    repeat_scores = tuple(average(sample.measure, row) for row in held)
    best = int(np.round(sample.merits[:, tested].mean(axis=1), _DIGITS).argmax())
    names = [sample.topics[t] for t in np.flatnonzero(tested)]
    return Tuning(
        measure=sample.measure,
        settings=sample.systems,
        splits=splits,
        choices=tuple(choices),
        score=float(np.mean(repeat_scores)),
        repeat_scores=repeat_scores,
        best=sample.systems[best],
        best_score=average(sample.measure, sample.values[best, tested]),
        held_out=dict(zip(names, held.mean(axis=0).tolist(), strict=True)),
    )


def _members(sample: Sample, splits: Splits, part: str) -> Bools:
    """Folds x topics: which are for training, or for testing."""
    members = []
    for number, fold in enumerate(splits.folds, start=1):
        wanted = set(fold.train if part == "train" else fold.test)
        members.append(np.array([topic in wanted for topic in sample.topics]))
        if not members[-1].any():
            raise OptionError(
                f"fold {number} of the splits has no topic to {part} on that all settings have"
            )
    return np.array(members)


def _folds(count: int) -> str:
    return "1 fold" if count == 1 else f"{count} folds"
