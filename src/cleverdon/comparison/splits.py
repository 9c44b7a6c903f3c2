"""Splits of queries into some for training and some for testing.

A split depends on the set of queries, the seed and the strata alone, not on the order in which
queries come. Write it to a file all the same, and publish that: another version of numpy may draw
other numbers from the same seed. Files are JSON that people can read, and are checked when they
are read.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from cleverdon._common.arrays import Ints
from cleverdon.errors import InputError, OptionError, check_seed, check_word
from cleverdon.formats.attributes import read_attributes
from cleverdon.measures.base import Measure, worst_value
from cleverdon.scores import Scores
from cleverdon.tables.result import in_json

_SPLIT_KINDS = {
    "hold-out": "some queries are for testing, all others for training",
    "k-fold": "queries are dealt out to folds, each of which is the test set once",
    "repeated k-fold": "the same again and again, dealt out anew each time",
}
"""How queries can be split."""


@dataclass(frozen=True)
class Fold:
    """One way to part the queries."""

    train: tuple[str, ...]
    test: tuple[str, ...]
    repeat: int = 1  # which dealing out of queries it belongs to


@dataclass(frozen=True)
class Splits:
    """Queries for training and for testing, fold by fold.

    Attributes:
        kind: One of `_SPLIT_KINDS`.
        seed: The seed of the draw.
        folds: The folds.
        by: The name of the strata, where queries are stratified.

    >>> len(k_fold(["q1", "q2", "q3", "q4"], folds=2).folds)
    2
    """

    kind: str
    seed: int
    folds: tuple[Fold, ...] = field(metadata=in_json(None))
    by: str | None = None

    @property
    def queries(self) -> tuple[str, ...]:
        """All queries: every fold has them, in one of its two parts."""
        first = self.folds[0]
        return (*first.train, *first.test)

    @property
    def repeats(self) -> int:
        return self.folds[-1].repeat

    def __str__(self) -> str:
        sizes = sorted({len(fold.test) for fold in self.folds})
        size = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        count = len(self.folds) // self.repeats
        folds = "" if self.kind == "hold-out" else f", {count} folds"
        times = f", {self.repeats} times" if self.repeats > 1 else ""
        by = f", stratified by {self.by}" if self.by else ""
        return (
            f"{self.kind}{folds}{times}: {size} of {len(self.queries)} queries for testing "
            f"(seed {self.seed}{by})"
        )

    __repr__ = __str__


def hold_out(
    queries: Iterable[str],
    *,
    share: float = 0.2,
    seed: int = 0,
    by: Mapping[str, Any] | None = None,
    by_name: str | None = None,
) -> Splits:
    """Split queries into some for testing, all others for training; at least one of each.

    Args:
        queries: The ids of queries.
        share: The share of queries for testing, of each stratum.
        seed: The seed of the draw.
        by: The stratum of each query.
        by_name: The name of the strata.

    Returns:
        Splits with one fold.

    >>> hold_out(["a", "b", "c", "d", "e"], share=0.4, seed=1).folds[0].test
    ('b', 'd')
    """
    named = _checked(queries)
    if not 0 < share < 1:
        raise OptionError(f"share={share}: the share of queries to test on is above 0 and below 1")
    if len(named) < 2:
        raise OptionError("there is only one query, and none to hold out")
    random = np.random.default_rng(check_seed(seed))
    dealt = _deal_strata(named, by, by_name, random)
    count = min(max(round(share * len(named)), 1), len(named) - 1)
    # Evenly spaced, so that every stratum gives its share, give or take one query.
    chosen = ((np.arange(count) + random.random()) * len(named) / count).astype(np.int64)
    in_test = np.zeros(len(named), dtype=np.int64)
    in_test[dealt[chosen]] = 1
    return Splits(
        "hold-out",
        seed,
        (_fold(named, in_test, 1, 1),),
        None if by is None else by_name or "strata",
    )


def k_fold(
    queries: Iterable[str],
    *,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    by: Mapping[str, Any] | None = None,
    by_name: str | None = None,
) -> Splits:
    """Deal queries out to folds whose sizes differ by one at most, each the test set once.

    Args:
        queries: The ids of queries.
        folds: The number of folds.
        repeats: How often queries are dealt out.
        seed: The seed of the draw.
        by: The stratum of each query; each stratum is spread over the folds evenly.
        by_name: The name of the strata.

    Returns:
        Splits with the folds of all repeats.

    >>> found = k_fold(["a", "b", "c", "d"], folds=2, by={"a": 1, "b": 1, "c": 2, "d": 2})
    >>> [fold.test for fold in found.folds]
    [('a', 'c'), ('b', 'd')]
    """
    named = _checked(queries)
    if len(named) < 2:
        raise OptionError("there is only one query, and nothing to split")
    if not 2 <= folds <= len(named):
        raise OptionError(
            f"folds={folds}: of {len(named)} queries, from 2 to {len(named)} folds can be made"
        )
    if repeats < 1:
        raise OptionError(f"repeats={repeats}: expected at least 1")
    random = np.random.default_rng(check_seed(seed))
    made = []
    for repeat in range(1, repeats + 1):
        number = np.empty(len(named), dtype=np.int64)
        # As cards are dealt: neighbours of one stratum go to different folds.
        number[_deal_strata(named, by, by_name, random)] = np.arange(len(named)) % folds
        made += [_fold(named, number, fold, repeat) for fold in range(folds)]
    kind = "k-fold" if repeats == 1 else "repeated k-fold"
    return Splits(kind, seed, tuple(made), None if by is None else by_name or "strata")


def split(
    queries: Iterable[str],
    *,
    share: float | None = None,
    folds: int = 5,
    repeats: int = 1,
    seed: int = 0,
    attributes: Any = None,
    by: str | None = None,
    scores: Scores | None = None,
    bins: int = 4,
) -> Splits:
    """Split queries, stratified by an attribute or by their difficulty where one is given.

    Args:
        queries: The ids of queries.
        share: The share of queries for testing; without it, queries are dealt out to folds.
        folds: The number of folds.
        repeats: How often queries are dealt out.
        seed: The seed of the draw.
        attributes: A file (see `cleverdon.formats.attributes`), or a dict from queries to dicts of
            attributes or to values.
        by: The attribute; by default the only one.
        scores: Scores of systems: their first measure says how hard queries are.
        bins: Difficulty, or an attribute of more different numbers than this, is cut at its
            quantiles into so many strata.

    Returns:
        The hold-out, or the folds of all repeats.

    >>> print(split(["a", "b", "c", "d"], folds=2, attributes=dict(a=1, b=1, c=2, d=2)))
    k-fold, 2 folds: 2 of 4 queries for testing (seed 0, stratified by slice)
    """
    strata: dict[str, Any] = {}
    if attributes is not None:
        strata = _attribute_strata(attributes, by, bins)
    elif scores is not None:
        measure = scores.measures[0]
        name = f"difficulty by {measure}, {bins} quantiles"
        strata = {"by": _difficulty(scores, measure, bins=bins), "by_name": name}
    if share is not None:
        return hold_out(queries, share=share, seed=seed, **strata)
    return k_fold(queries, folds=folds, repeats=repeats, seed=seed, **strata)


def _attribute_strata(attributes: Any, by: str | None, bins: int) -> dict[str, Any]:
    name, column = read_attributes(attributes).column(by)
    try:
        numbers = {query: float(value) for query, value in column.items()}
    except ValueError:
        return {"by": column, "by_name": name}
    if len(set(numbers.values())) <= bins:
        return {"by": column, "by_name": name}
    return {"by": _quantiles(numbers, bins=bins), "by_name": f"{name}, {bins} quantiles"}


def _quantiles(values: Mapping[str, float], *, bins: int = 4) -> dict[str, int]:
    """Return the quantile of each query's number, from 1 on; equal numbers are in the same one."""
    if bins < 1:
        raise OptionError(f"bins={bins}: expected at least 1")
    numbers = np.array(list(values.values()), dtype=np.float64)
    for query, number in values.items():
        if not np.isfinite(number):
            raise InputError(f"query {query!r} has {number}, which is in no quantile")
    # How many are smaller: the same for equal numbers, and spread out where there are few.
    below = np.searchsorted(np.sort(numbers), numbers)
    bin_of = below * bins // max(len(numbers), 1) + 1
    return dict(zip(values, bin_of.tolist(), strict=True))


def _difficulty(scores: Scores, measure: str | Measure, *, bins: int = 4) -> dict[str, int]:
    """Return the quantile of each query's mean score over all systems, 1 the hardest."""
    _, m = scores.index_of(scores.systems[0], measure)
    chosen = scores.measures[m]
    if chosen.text or chosen.better == "neither":
        raise OptionError(f"{chosen} does not say which queries are hard")
    scores.check_known(chosen)
    undefined = np.isnan(scores.values[:, m])
    values = np.where(undefined, worst_value(chosen), scores.values[:, m])
    count = scores.evaluated.sum(axis=0)
    sums = np.where(scores.evaluated, values, 0).sum(axis=0)
    sign = -1 if chosen.better == "lower" else 1
    means = {
        query: round(sign * float(sums[q] / count[q]), 12)  # equal, be they added otherwise
        for q, query in enumerate(scores.queries)
        if count[q]
    }
    return _quantiles(means, bins=bins)


def _checked(queries: Iterable[str]) -> list[str]:
    if isinstance(queries, str):
        raise OptionError(f"queries are a list of ids; found the text {queries!r}")
    named = [str(query) for query in queries]
    if not named:
        raise OptionError("there are no queries to split")
    twice = _find_repeated(named)
    if twice is not None:
        raise OptionError(f"query {twice!r} occurs twice")
    return named


def _find_repeated(queries: Iterable[str]) -> str | None:
    """Return the first query that occurs again, if any does."""
    return next((query for query, times in Counter(queries).items() if times > 1), None)


def _deal_strata(
    queries: list[str],
    by: Mapping[str, Any] | None,
    by_name: str | None,
    random: np.random.Generator,
) -> Ints:
    """Return the rows of the queries, stratum by stratum, all in random order."""
    order = sorted(range(len(queries)), key=lambda row: queries[row].encode())
    strata: dict[Any, list[int]] = {}
    for row in order:
        if by is not None and queries[row] not in by:
            what = by_name or "stratum"
            raise OptionError(
                f"query {queries[row]!r} has no {what}; splits by it need one of each"
            )
        strata.setdefault(None if by is None else by[queries[row]], []).append(row)
    groups = list(strata.values())
    shuffled = [random.permutation(groups[at]) for at in random.permutation(len(groups))]
    return np.concatenate(shuffled).astype(np.int64)


def _fold(queries: list[str], number: Ints, chosen: int, repeat: int) -> Fold:
    """Return the fold that tests on the queries of one number, in their order."""
    in_test = (number == chosen).tolist()
    train, test = (
        tuple(query for query, out in zip(queries, in_test, strict=True) if out == wanted)
        for wanted in (False, True)
    )
    return Fold(train, test, repeat)


_FORMAT = "cleverdon splits 1"


def write_splits(splits: Splits, path: str | os.PathLike[str]) -> None:
    """Write splits to a file of JSON.

    Args:
        splits: The splits.
        path: The file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_splits(hold_out(["q1", "q2"]), f"{folder}/splits.json")
    ...     len(read_splits(f"{folder}/splits.json").folds)
    1
    """
    try:
        Path(path).write_text(splits_text(splits) + "\n", encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be written: {reason}", source=os.fspath(path)) from None


def splits_text(splits: Splits) -> str:
    """Return the splits as JSON, with a line for each list of queries."""
    head = {"format": _FORMAT, "kind": splits.kind, "seed": splits.seed, "by": splits.by}
    lines = [f" {_json(key)}: {_json(value)}," for key, value in head.items()]
    folds = [
        f'  {{"repeat": {fold.repeat},\n'
        f'   "train": {_json(fold.train)},\n'
        f'   "test": {_json(fold.test)}}}'
        for fold in splits.folds
    ]
    return "\n".join(["{", *lines, ' "folds": [', ",\n".join(folds), " ]", "}"])


def read_splits(path: str | os.PathLike[str]) -> Splits:
    """Read splits from a file that `write_splits` wrote, or a person.

    Args:
        path: The file.

    Returns:
        The splits.

    Raises:
        InputError: The file is no file of splits, or folds do not fit each other.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_splits(k_fold(["q1", "q2", "q3"], folds=3), f"{folder}/splits.json")
    ...     read_splits(f"{folder}/splits.json").kind
    'k-fold'
    """
    source = os.fspath(path)
    try:
        found = json.loads(_read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(
            f"is not JSON: {error.msg}", source=source, line=error.lineno, column=error.colno
        ) from None
    try:
        return _from_json(found)
    except OptionError as error:
        raise InputError(str(error), source=source) from None
    except InputError as error:
        raise InputError(error.message, source=source) from None


def read_training_queries(path: str | os.PathLike[str]) -> tuple[str, ...] | Splits:
    """Read the queries of a file with an id a line, or splits."""
    text = _read_text(path)
    if not text.lstrip().startswith("{"):
        return tuple(line.strip() for line in text.splitlines() if line.strip())
    return read_splits(path)


def _read_text(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_text("utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=os.fspath(path)) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=os.fspath(path)) from None


def _from_json(found: Any) -> Splits:
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise InputError(f'has no splits: expected an object with "format": "{_FORMAT}"')
    check_word("kind", found.get("kind"), _SPLIT_KINDS)
    seed, by = found.get("seed"), found.get("by")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise InputError(f'"seed" is a whole number; found {seed!r}')
    if by is not None and not isinstance(by, str):
        raise InputError(f'"by" is a text or null; found {by!r}')
    if not isinstance(found.get("folds"), list) or not found["folds"]:
        raise InputError('"folds" is a list of at least one fold')
    folds = [_fold_from_json(fold, at) for at, fold in enumerate(found["folds"], start=1)]
    splits = Splits(found["kind"], seed, tuple(folds), by)
    _check_whole(splits)
    return splits


def _fold_from_json(fold: Any, number: int) -> Fold:
    if not isinstance(fold, dict):
        raise InputError(f"fold {number} is not an object")
    repeat = fold.get("repeat", 1)
    if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 1:
        raise InputError(f'fold {number}: "repeat" is a whole number from 1 on; found {repeat!r}')
    parts = []
    for part in ("train", "test"):
        queries = fold.get(part)
        if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
            raise InputError(f'fold {number}: "{part}" is a list of queries, each a text')
        if not queries:
            raise InputError(f"fold {number}: there is no query to {part} on")
        parts.append(tuple(queries))
    train, test = parts
    twice = _find_repeated((*train, *test))
    if twice is not None:
        where = "in both parts" if twice in train and twice in test else "twice"
        raise InputError(f"fold {number}: query {twice!r} occurs {where}")
    return Fold(train, test, repeat)


def _check_whole(splits: Splits) -> None:
    """Raise an InputError unless the folds fit each other and the kind of splits."""
    every = set(splits.queries)
    for number, fold in enumerate(splits.folds, start=1):
        for query in every.symmetric_difference((*fold.train, *fold.test)):
            raise InputError(f"fold {number}: query {query!r} is in some folds only")
    repeats = [fold.repeat for fold in splits.folds]
    if repeats != sorted(repeats) or set(repeats) != set(range(1, repeats[-1] + 1)):
        raise InputError('the folds\' "repeat" must count 1, 2, 3 and so on')
    if splits.kind == "hold-out":
        if len(splits.folds) > 1:
            raise InputError(f"a hold-out has one fold; found {len(splits.folds)}")
        return
    if (splits.kind == "k-fold") != (repeats[-1] == 1):
        raise InputError(
            f"the queries were dealt out {repeats[-1]} times, which is no {splits.kind}"
        )
    for repeat, group in groupby(splits.folds, key=lambda fold: fold.repeat):
        tested = [query for fold in group for query in fold.test]
        twice = _find_repeated(tested)
        if twice is not None:
            raise InputError(f"query {twice!r} is tested on in two folds of repeat {repeat}")
        for query in every.difference(tested):
            raise InputError(f"query {query!r} is tested on in no fold of repeat {repeat}")


_json = partial(json.dumps, ensure_ascii=False)
