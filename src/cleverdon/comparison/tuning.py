"""Tuning: choose a setting on some queries, and score the choice on others.

The best setting's score on the queries that it was chosen on flatters it: of many settings that
are equally good, one is lucky. Scored on queries that had no say in the choice, a setting shows
its value for new ones.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isnan, nan, sqrt
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.comparison.samples import Sample, check_single_runs, samples
from cleverdon.comparison.splits import Splits, k_fold, read_splits
from cleverdon.errors import OptionError, check_within, suggest
from cleverdon.evaluation import evaluate
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.scores import Scores, average
from cleverdon.stats.intervals import Interval, t_outside, t_quantile
from cleverdon.tables.numbers import format_p_value
from cleverdon.tables.result import Result, as_json, in_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_TIE_RULE = "of settings that are equally good, the one given first is chosen"
_MOST_FOLDS = 10
"""With more folds, nearly all training queries are shared, and the test finds too much."""
_METHODS = {
    "t": "t test on queries that chose nothing",
    "corrected t": "t test corrected for shared training queries",
}
_DIGITS = 12
"""Averages that differ further behind are equal."""


@dataclass(frozen=True)
class Choice:
    """The setting that one fold's training queries chose, and its score on the test queries."""

    repeat: int
    fold: int  # from 1 on in each repeat
    setting: str
    tied: tuple[str, ...]  # settings that were as good
    train: float
    test: float
    train_queries: int
    test_queries: int


@dataclass(frozen=True)
class TunedDifference:
    """The difference between tuning, scored on held-out queries, and a baseline.

    Attributes:
        baseline: The baseline.
        mean: Its score on the test queries.
        difference: By how much the held-out score is above it.
        interval: The interval of the difference; without ends where there is no spread.
        p: The p-value, two-sided.
        method: "t" of a hold-out, whose test queries chose nothing; "corrected t" of folds, whose
            choices depend on each other's test queries.
        queries: The number of test queries.
    """

    baseline: str
    mean: float
    difference: float
    interval: Interval
    p: float
    method: str
    queries: int


@dataclass(frozen=True)
class Tuning(Result):
    """The held-out score of a choice among settings, and the optimistic score of the best.

    Attributes:
        measure: The measure of the choice.
        settings: The settings.
        splits: The splits.
        score: The score of all test queries, each by the setting that was chosen without it.
        repeat_scores: The same of each repeat, of which `score` is the mean.
        best: The setting that is best on all test queries.
        best_score: Its score on these queries.
        choices: The choice of each fold.
        held_out: The value of each test query, the mean of all repeats.
        versus: The difference from a baseline, where one was named.

    >>> qrels = {f"q{i}": {"a": 1} for i in range(4)}
    >>> runs = {name: {query: {name: 1.0} for query in qrels} for name in "ab"}
    >>> found = tune(runs, qrels, "RR", folds=2)
    >>> found.best, found.chosen
    ('a', {'a': 2})
    """

    _drawn = ("test", "repeat", "fold", "chosen")

    measure: Measure
    settings: tuple[str, ...]
    splits: Splits
    score: float = field(metadata=in_json("held_out"))
    repeat_scores: tuple[float, ...] = field(metadata=in_json("held_out_by_repeat"))
    best: str
    best_score: float = field(metadata=in_json("best_on_all"))
    choices: tuple[Choice, ...] = field(metadata=in_json("folds"))
    held_out: Mapping[str, float] = field(metadata=in_json("values"))
    versus: TunedDifference | None = None

    @property
    def optimism(self) -> float:
        """The difference between the best setting's score and the held-out one, never below 0."""
        sign = -1 if self.measure.better == "lower" else 1
        return sign * (self.best_score - self.score)

    @property
    def chosen(self) -> dict[str, int]:
        """The number of folds that chose each setting, the most frequent first."""
        counts = Counter(choice.setting for choice in self.choices)
        return dict(sorted(counts.items(), key=lambda item: -item[1]))

    def sections(self, *, exact: bool = False, screen: bool = True) -> list[Section]:
        """Return a row for each fold; the scores below, in lines on a screen, else in sentences."""
        header = ["repeat", "fold", "chosen", "train", "test", "train queries", "test queries"]
        rows = []
        for one in self.choices:
            scores = (one.train, one.test)
            cells = [
                repr(score) if exact else format_score(self.measure, score) for score in scores
            ]
            start = [str(one.repeat), str(one.fold), printable(one.setting)]
            rows.append([*start, *cells, str(one.train_queries), str(one.test_queries)])
        notes = str(self).split("\n") if screen else []
        sentences = [f"{label}: {' '.join(text.split())}." for label, text in self.lines()]
        below = [] if screen else [f"{self.title}.", *sentences]
        return [Section("folds", TextTable(header, rows, 3, notes, below), titled=False)]

    def render(self, format: str = "table", **view: Any) -> str:
        """Write the choice of each fold, and what it was worth."""
        return super().render(format, screen=format == "table", **view)

    def to_dict(self) -> dict[str, Any]:
        """Return scores and choices as plain values."""
        record = super().to_dict()
        ends = {key: record.pop(key) for key in ("folds", "values")}
        found = {"optimism": as_json(self.optimism), "chosen": self.chosen}
        return record | found | ends

    def __str__(self) -> str:
        lines = [f"  {label:12} {text}" for label, text in self.lines()]
        return "\n".join([self.title, *lines])

    @property
    def title(self) -> str:
        """The measure, the number of settings and the splits."""
        return f"{self.measure}, {len(self.settings)} settings; {self.splits}"

    def lines(self) -> list[tuple[str, str]]:
        """Return the findings as pairs of a label and a text."""
        held_out = f"{self.score:.4f}  each query by the setting chosen without it"
        if len(self.repeat_scores) > 1:
            low, high = min(self.repeat_scores), max(self.repeat_scores)
            held_out += f" ({low:.4f} to {high:.4f} over {len(self.repeat_scores)} repeats)"
        best = (
            f"{self.best_score:.4f}  {self.best}, on the queries it was chosen on: "
            f"optimistic by {abs(self.optimism):.4f}"
        )
        (first, times), *others = self.chosen.items()
        chosen = [f"{first} in {times} of {counted(len(self.choices), 'fold')}"]
        chosen += [f"{setting} in {count}" for setting, count in others]
        label = "best on test" if self.splits.kind == "hold-out" else "best on all"
        found = [("held out", held_out), (label, best), ("chosen", ", ".join(chosen))]
        tied = sum(bool(choice.tied) for choice in self.choices)
        if tied:
            found.append(("tied", f"in {counted(tied, 'fold')}: {_TIE_RULE}"))
        if self.versus is not None:
            found.append(("baseline", self._versus_text(self.versus)))
        return found

    def _versus_text(self, versus: TunedDifference) -> str:
        interval = versus.interval
        ends = ""
        if not isnan(interval.low):
            ends = f"{interval.confidence:.0%} CI {interval.low:.4f} to {interval.high:.4f}, "
        test = _METHODS[versus.method]
        return (
            f"{versus.mean:.4f}  {printable(versus.baseline)}: held out is {versus.difference:+.4f}"
            f" ({ends}{format_p_value(versus.p)}, {test})"
        )


@shows_progress("tuning")
def tune(
    runs_by_setting: Mapping[str, Any],
    qrels: Any,
    measure: str | Measure,
    folds: int | Splits | str | os.PathLike[str] = 5,
    *,
    baseline: Any = None,
    confidence: float = 0.95,
    repeats: int = 1,
    seed: int = 0,
    progress: Progress | bool | None = None,
    **how: Any,
) -> Tuning:
    """Choose the best of several settings by cross-validation, and score that choice.

    Of settings that are equally good, the one given first is chosen.

    Args:
        runs_by_setting: A run for each setting; each is evaluated once.
        qrels: The judgments.
        measure: The measure to choose and to score by.
        folds: The number of folds, splits, or a file of splits.
        baseline: The name of a setting, or another run, to compare held-out values with.
        confidence: The confidence of the interval of that difference.
        repeats: How often queries are dealt out to folds.
        seed: The seed of the folds.
        how: Keywords of `evaluate`.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The held-out score, the optimistic score of the best setting, and the choice of each fold.

    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> print(tune({"b=0.4": poor, "b=0.8": good}, qrels, "RR", folds=3))
    RR, 2 settings; k-fold, 3 folds: 2 of 6 queries for testing (seed 0)
      held out     1.0000  each query by the setting chosen without it
      best on all  1.0000  b=0.8, on the queries it was chosen on: optimistic by 0.0000
      chosen       b=0.8 in 3 of 3 folds
    """
    progress = as_callback(progress)
    progress("tuning")
    named = {str(setting): run for setting, run in runs_by_setting.items()}
    if len(named) < len(runs_by_setting):
        raise OptionError("two settings have the same name, one as a number and one as text")
    settings, other = tuple(named), baseline
    if baseline is not None and baseline not in settings:
        other = "baseline"
        if other in named:
            raise OptionError("a setting is called 'baseline': name the baseline by a setting")
        named[other] = baseline
    scores = evaluate(qrels, named, measure, **how)
    return tune_scores(
        scores,
        measure,
        folds,
        settings=settings,
        baseline=other,
        confidence=confidence,
        repeats=repeats,
        seed=seed,
    )


def tune_scores(
    scores: Scores,
    measure: str | Measure | None = None,
    folds: int | Splits | str | os.PathLike[str] = 5,
    *,
    settings: Iterable[str] | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
    repeats: int = 1,
    seed: int = 0,
) -> Tuning:
    """Tune settings that are evaluated already, each a system of `scores`.

    With a baseline, another system or one of the settings, held-out values are tested against it.
    """
    check_within("confidence", confidence, 0, 1)
    chosen = scores.measures
    if measure is not None:
        chosen = (scores.measures[scores.index_of(scores.systems[0], measure)[1]],)
    if len(chosen) > 1:
        raise OptionError("settings are chosen by one measure; name it")
    names = scores.systems if settings is None else tuple(settings)
    if baseline is not None:
        if baseline not in scores.systems:
            raise OptionError(f"there is no system {baseline!r}{suggest(baseline, scores.systems)}")
        if settings is None:
            names = tuple(name for name in names if name != baseline)
        check_single_runs(
            scores,
            [*names, baseline],
            what="a comparison with a baseline",
            instead="tune one run of each",
        )
        if chosen[0].average != "mean":
            raise OptionError(f"{chosen[0]} is no mean over queries, and has no test by folds")
    everything = dict.fromkeys([*names, *([] if baseline is None else [baseline])])
    (whole,) = samples(scores, measures=chosen, systems=everything)
    rows = [whole.systems.index(name) for name in names]
    sample = replace(whole, systems=names, values=whole.values[rows])
    theirs = None if baseline is None else (baseline, whole.of(baseline))
    if sample.measure.better == "neither":
        raise OptionError(f"{sample.measure} has no better and worse to choose by")
    if len(sample.systems) < 2:
        raise OptionError(
            f"there is only one setting, {sample.systems[0]!r}, and nothing to choose"
        )
    if isinstance(folds, int):
        splits = k_fold(sample.queries, folds=folds, repeats=repeats, seed=seed)
        return _tuned(sample, splits, theirs, confidence)
    splits = folds if isinstance(folds, Splits) else read_splits(folds)
    if repeats != 1:
        raise OptionError("repeats go with a number of folds; splits have their own")
    which = "are they of these qrels?"
    for query in set(splits.queries).difference(scores.queries):
        raise OptionError(f"query {query!r} of the splits has no judgments; {which}")
    for query in set(scores.queries).difference(splits.queries):
        raise OptionError(f"query {query!r} is in no fold of the splits; {which}")
    return _tuned(sample, splits, theirs, confidence)


def _versus(
    held: Floats,
    tested: Floats,
    baseline: str,
    splits: Splits,
    *,
    train: float,
    confidence: float,
) -> TunedDifference:
    """Test held-out values, repeats x queries, against a baseline's.

    The choices of folds share training queries, so that the variance of the mean is not that of
    independent queries, s²/n: it is corrected to s² (1/n + 1/n'), n' the number of training
    queries. Nadeau & Bengio 2003, doi:10.1023/A:1024068626366.
    """
    differences = held - tested
    n = differences.shape[1]
    if n < 2:
        raise OptionError("one test query cannot be compared with a baseline; hold out more")
    single = len(splits.folds) == 1
    if len(splits.folds) // splits.repeats > _MOST_FOLDS:
        raise OptionError(
            f"a comparison with a baseline takes {_MOST_FOLDS} folds at most: with more, nearly "
            "all training queries are shared, and the test would find too much"
        )
    middle = float(differences.mean())
    variance = float(differences.var(axis=1, ddof=1).mean())
    error = sqrt(variance * (1 / n + (0 if single else 1 / train)))
    if error <= 1e-12:
        p, interval = float(abs(middle) <= 1e-12), Interval(nan, nan, confidence)
    else:
        reach = t_quantile(confidence, n - 1) * error
        p = t_outside(abs(middle) / error, n - 1)
        interval = Interval(middle - reach, middle + reach, confidence)
    method = "t" if single else "corrected t"
    return TunedDifference(baseline, float(tested.mean()), middle, interval, p, method, n)


def _tuned(
    sample: Sample, splits: Splits, theirs: tuple[str, Floats] | None, confidence: float
) -> Tuning:
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
                train_queries=int(train[f].sum()),
                test_queries=int(test[f].sum()),
            )
        )
    held = np.full((splits.repeats, len(sample.queries)), np.nan)
    for f, fold in enumerate(splits.folds):
        held[fold.repeat - 1, test[f]] = sample.values[best_of_fold[f], test[f]]
    tested = test.any(axis=0)
    held = held[:, tested]
    repeat_scores = tuple(average(sample.measure, row) for row in held)
    best = int(np.round(sample.merits[:, tested].mean(axis=1), _DIGITS).argmax())
    names = [sample.queries[t] for t in np.flatnonzero(tested)]
    versus = None
    if theirs is not None:
        size = float(train.sum(axis=1).mean())
        versus = _versus(
            held, theirs[1][tested], theirs[0], splits, train=size, confidence=confidence
        )
    return Tuning(
        measure=sample.measure,
        settings=sample.systems,
        splits=splits,
        score=float(np.mean(repeat_scores)),
        repeat_scores=repeat_scores,
        best=sample.systems[best],
        best_score=average(sample.measure, sample.values[best, tested]),
        choices=tuple(choices),
        held_out=dict(zip(names, held.mean(axis=0).tolist(), strict=True)),
        versus=versus,
    )


def _members(sample: Sample, splits: Splits, part: str) -> Bools:
    """Folds x queries: which are for training, or for testing."""
    members = []
    for number, fold in enumerate(splits.folds, start=1):
        wanted = set(fold.train if part == "train" else fold.test)
        members.append(np.array([query in wanted for query in sample.queries]))
        if not members[-1].any():
            raise OptionError(
                f"fold {number} of the splits has no query to {part} on that all settings have"
            )
    return np.array(members)
