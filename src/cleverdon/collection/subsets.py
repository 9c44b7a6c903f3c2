"""Subsets of judgments: random samples, what another pool would have judged, splits by query.

What is drawn for a query depends on the seed, the query's name and its documents alone: not on
the order of a file, nor on the other queries.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cleverdon._common.arrays import Ints
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted
from cleverdon.collection.filters import Regrade, count_ids, is_sample, select_judgments
from cleverdon.comparison.slice_tables import UNKNOWN
from cleverdon.comparison.splits import Splits, k_fold, read_splits
from cleverdon.comparison.splits import hold_out as hold_out_queries
from cleverdon.data import POOLED, Judgments
from cleverdon.errors import InputError, OptionError, check_count, check_seed, check_within, suggest
from cleverdon.formats.attributes import read_attributes
from cleverdon.pooling.contributions import gather

_SAMPLE = (
    "these judgments are a sample already: the strata or probabilities that were kept are those of "
    "the whole sample, not of this part"
)


@dataclass(frozen=True, eq=False)
class Subset:
    """A part of judgments, and how much of them it is.

    >>> found = sample_queries({"q1": {"a": 1}, "q2": {"a": 1}}, count=1)
    >>> found.before, len(found.judgments)
    (2, 1)
    """

    judgments: Judgments
    before: int
    queries_before: int
    judged: int  # documents of the subset that keep their grade
    marked: int = 0  # documents that were not drawn, and are kept as not judged
    raised: int = 0  # queries that gave one judgment, where their share of them is none
    asked: int | None = None  # how many queries were asked for, where there are not so many
    lost: tuple[str, ...] = ()  # queries of which a pool has no judgment
    not_judged: int | None = None  # of the documents of a pool, those that judgments do not mention
    warnings: tuple[str, ...] = ()


def sample_queries(
    judgments: Any, *, share: float | None = None, count: int | None = None, seed: int = 0
) -> Subset:
    """Draw queries at random, with all their judgments.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        share: The share of queries to draw.
        count: The number of queries to draw, instead of a share.
        seed: The seed: the same one draws the same queries.

    Returns:
        The subset.

    >>> qrels = {f"q{i}": {"a": 1} for i in range(10)}
    >>> sample_queries(qrels, count=3, seed=1).judgments.queries
    ['q3', 'q4', 'q7']
    """
    given = Judgments.read(judgments)
    queries = sorted(given.queries, key=str.encode)
    wanted = _number(share, count, of=len(queries), what="queries")
    drawn = _random(seed, "").choice(len(queries), size=wanted, replace=False)
    chosen = {queries[at] for at in drawn}
    made = _subset(given, {query: given[query] for query in given.queries if query in chosen})
    return replace(made, asked=count if count is not None and count > wanted else None)


def sample_judgments(
    judgments: Any,
    *,
    share: float | None = None,
    count: int | None = None,
    seed: int = 0,
    by_grade: bool = False,
    mark: bool = False,
) -> Subset:
    """Draw judgments of each query at random, one of each at least.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        share: The share of each query's judgments to draw.
        count: The number of judgments of each query to draw, instead of a share.
        seed: The seed: the same one draws the same judgments.
        by_grade: Draw the share from each grade, give or take one judgment.
        mark: Keep the others with grade -1, pooled and not judged, as infAP needs them. Without it,
            documents that have such a grade already are dropped.

    Returns:
        The subset.

    >>> sample_judgments({"q1": {"a": 1, "b": 0}}, count=1).judgments.to_dict()
    {'q1': {'a': 1.0}}
    """
    given = Judgments.read(judgments)
    _number(share, count, of=1, what="judgments")  # whether they make sense, before any is drawn
    kept: dict[str, dict[str, float]] = {}
    marked: dict[str, set[str]] = {}
    raised = 0
    for query in given.queries:
        grades = given[query]
        judged = sorted((doc for doc, grade in grades.items() if grade >= 0), key=str.encode)
        random = _random(seed, query)
        size = _number(share, count, of=len(judged), what="judgments") if judged else 0
        raised += share is not None and bool(judged) and round(share * len(judged)) < size
        rows = _drawn([grades[doc] for doc in judged], size, random, by_grade=by_grade)
        chosen = {judged[row] for row in rows}
        marked[query] = grades.keys() - chosen
        kept[query] = {doc: grade for doc, grade in grades.items() if mark or doc in chosen}
    if not mark:
        return replace(_subset(given, kept), raised=raised, warnings=_warnings(given))
    others = sum(map(len, marked.values()))

    def regrade(query: str, doc: str, grade: float) -> float:
        return min(grade, POOLED) if doc in marked[query] else grade

    made = replace(_subset(given, kept, regrade), judged=len(given) - others, marked=others)
    return replace(made, raised=raised, warnings=_warnings(given))


@shows_progress("pooling")
def simulate_pool(
    judgments: Any,
    runs: Any,
    *,
    depth: int | None = None,
    systems: Collection[str] | None = None,
    leave_out: Collection[str] = (),
    progress: Progress | bool | None = None,
    **reading: Any,
) -> Subset:
    """Keep the judgments that a pool of the first results of runs would have had.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        runs: The runs by name, or files.
        depth: How many results of each run are pooled; by default all.
        systems: The runs that contribute; by default all.
        leave_out: Runs that do not contribute.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        reading: How runs are read: `format`, `order_by`.

    Returns:
        The subset.

    >>> run = {"q1": {"a": 3, "b": 2, "c": 1}}
    >>> simulate_pool({"q1": {"a": 1, "c": 1}}, run, depth=2).judgments.to_dict()
    {'q1': {'a': 1.0}}
    """
    progress = as_callback(progress)
    given = Judgments.read(judgments)
    found = gather(runs, depth=depth, progress=progress, **reading)
    named = found.systems if systems is None else tuple(systems)
    for name in (*named, *leave_out):
        if name not in found.systems:
            raise OptionError(f"there is no system {name!r}{suggest(name, found.systems)}")
    wanted = [
        at for at, name in enumerate(found.systems) if name in named and name not in leave_out
    ]
    if not wanted:
        raise OptionError("no system is left to make a pool of")
    kept: dict[str, dict[str, float]] = {}
    known = frozenset(found.queries)
    lacking = 0
    for query in given.queries:
        grades = given[query]
        pool: set[str] = set()
        if query in known:
            of = found.of(query)
            pool = {of.docs[doc] for doc in np.unique(of.doc[np.isin(of.system, wanted)])}
        lacking += len(pool - grades.keys())
        kept[query] = {doc: grade for doc, grade in grades.items() if doc in pool}
    lost = tuple(query for query in kept if not kept[query])
    made = replace(_subset(given, kept), not_judged=lacking, lost=lost)
    return replace(made, warnings=_warnings(given))


@shows_progress("drawing")
def take_subset(
    judgments: Any,
    runs: Any = None,
    *,
    depth: int | None = None,
    leave_out: Collection[str] = (),
    queries_share: float | None = None,
    queries_count: int | None = None,
    share: float | None = None,
    judgments_per_query: int | None = None,
    by_grade: bool = False,
    mark: bool = False,
    seed: int = 0,
    run_format: str | None = None,
    order_by: str = "score",
    progress: Progress | bool | None = None,
) -> list[Subset]:
    """Take a part of judgments in up to three steps: a pool, then queries, then judgments.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        runs: Runs by name, or files, to keep what their pool has: see `simulate_pool`.
        depth: How many results of each run are pooled; by default all.
        leave_out: Runs that do not contribute to the pool.
        queries_share: The share of queries to draw: see `sample_queries`.
        queries_count: The number of queries to draw, instead of a share.
        share: The share of each query's judgments to draw: see `sample_judgments`.
        judgments_per_query: The number of judgments of each query to draw, instead of a share.
        by_grade: Draw the share from each grade, give or take one judgment.
        mark: Keep judgments that are not drawn with grade -1, pooled and not judged.
        seed: The seed: the same one draws the same subset.
        run_format: The format of the runs, if it should not be guessed.
        order_by: "score", or "rank" to order runs by their rank column.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The subset after each step; the last is the result.

    Raises:
        OptionError: No step is asked for.

    >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 1}}
    >>> steps = take_subset(qrels, queries_count=1, judgments_per_query=1)
    >>> [len(step.judgments) for step in steps]
    [2, 1]
    """
    progress = as_callback(progress)
    steps: list[Subset] = []
    left = Judgments.read(judgments)
    if runs is not None:
        how: dict[str, Any] = {"format": run_format, "order_by": order_by, "progress": progress}
        steps.append(simulate_pool(left, runs, depth=depth, leave_out=leave_out, **how))
        left = steps[-1].judgments
    if queries_share is not None or queries_count is not None:
        steps.append(sample_queries(left, share=queries_share, count=queries_count, seed=seed))
        left = steps[-1].judgments
    if share is not None or judgments_per_query is not None:
        drawn: dict[str, Any] = {"share": share, "count": judgments_per_query, "seed": seed}
        steps.append(sample_judgments(left, **drawn, by_grade=by_grade, mark=mark))
    if not steps:
        raise OptionError("name a part: runs, a share or number of queries, or of judgments")
    return steps


def _subset(
    given: Judgments, kept: dict[str, dict[str, float]], regrade: Regrade | None = None
) -> Subset:
    made = select_judgments(given, kept, regrade=regrade)
    return Subset(made, len(given), len(given.queries), judged=len(made))


def _warnings(given: Judgments) -> tuple[str, ...]:
    return (_SAMPLE,) if is_sample(given) else ()


def _number(share: float | None, count: int | None, *, of: int, what: str) -> int:
    """Return the number to draw."""
    if (share is None) == (count is None):
        raise OptionError(f"how many {what} to keep is either a share or a count")
    if share is not None:
        check_within("share", share, 0, 1)
        return max(round(share * of), 1)
    return min(check_count("count", count), of)


def _random(seed: int, query: str) -> np.random.Generator:
    return np.random.default_rng([check_seed(seed), *query.encode()])


def _drawn(grades: list[float], size: int, random: np.random.Generator, *, by_grade: bool) -> Ints:
    order = random.permutation(len(grades))
    if not by_grade or size == 0:
        return order[:size]
    within = order[np.argsort(np.array(grades)[order], kind="stable")]
    # Evenly spaced, so that every grade gives its share, give or take one.
    spaced = ((np.arange(size) + random.random()) * len(grades) / size).astype(np.int64)
    return np.asarray(within[spaced])


_NAME_PLACEHOLDER = "{name}"
"""The placeholder for the name of a part in the pattern of files."""


@dataclass(frozen=True, eq=False)
class Split:
    """Judgments by the name of their part.

    >>> split_judgments({"q1": {"a": 1}}, {"dev": ["q1"]}).parts["dev"].queries
    ['q1']
    """

    parts: dict[str, Judgments]
    left_out: tuple[str, ...]  # queries with judgments that are in no part
    missing: tuple[str, ...]  # queries of parts that have no judgments
    files: Mapping[str, str] = field(default_factory=dict)  # of each part, where they were named
    hold_out: float | None = None  # the share of queries that was asked for as test


def split_judgments(judgments: Any, parts: Mapping[str, Collection[str]]) -> Split:
    """Split judgments by query.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        parts: The queries of each part.

    Returns:
        The judgments of each part, the queries in no part, and those without judgments.

    >>> parts = {"dev": ["q1"], "test": ["q2", "q9"]}
    >>> found = split_judgments({"q1": {"a": 1}, "q2": {"b": 0}}, parts)
    >>> {name: made.to_dict() for name, made in found.parts.items()}, found.missing
    ({'dev': {'q1': {'a': 1.0}}, 'test': {'q2': {'b': 0.0}}}, ('q9',))
    """
    given = Judgments.read(judgments)
    if not parts:
        raise OptionError("there is no part to split judgments into")
    made: dict[str, Judgments] = {}
    for name, queries in parts.items():
        wanted = frozenset(queries)
        kept = {query: given[query] for query in given.queries if query in wanted}
        if not kept:
            raise InputError(
                f"no query of part {name!r} has judgments, such as {min(wanted, default='')!r}; "
                f"the judgments have {given.queries[0]!r}"
            )
        made[name] = select_judgments(given, kept, name=name)
    named = dict.fromkeys(query for queries in parts.values() for query in queries)
    return Split(
        made,
        tuple(query for query in given.queries if query not in named),
        tuple(query for query in named if query not in given),
    )


def split_into_files(
    judgments: Any,
    pattern: str,
    *,
    hold_out: float | None = None,
    folds: int | None = None,
    splits: str | None = None,
    attributes: Any = None,
    by: str | None = None,
    train: bool = False,
    seed: int = 0,
) -> Split:
    """Split judgments by query in one of four ways, and name a file for each part.

    Nothing is written.

    Args:
        judgments: The judgments: a file, a dict or a data frame.
        pattern: The names of files, with {name} for the part.
        hold_out: The share of queries that is test; all others are train.
        folds: The number of parts, called fold1, fold2 and so on.
        splits: A file that `cleverdon splits` wrote.
        attributes: Attributes of queries, with a part for each value (see
            `cleverdon.formats.attributes`).
        by: The attribute; by default the only one.
        train: Make parts of each fold's training queries as well.
        seed: The seed: the same one draws the same parts.

    Returns:
        The judgments and the file of each part.

    Raises:
        OptionError: None of the four ways is given, or several.

    >>> found = split_into_files({"q1": {"a": 1}, "q2": {"a": 0}}, "{name}.txt", folds=2)
    >>> found.files
    {'fold1': 'fold1.txt', 'fold2': 'fold2.txt'}
    """
    given = Judgments.read(judgments)
    if sum(way is not None for way in (hold_out, folds, splits, attributes)) != 1:
        raise OptionError("give one of hold_out, folds, splits and attributes")
    if attributes is not None:
        parts = _parts_by_attribute(given.queries, read_attributes(attributes).column(by)[1])
    elif splits is not None:
        parts = _parts_of_splits(read_splits(splits), train=train)
    elif folds is not None:
        parts = _parts_of_splits(k_fold(given.queries, folds=folds, seed=seed), train=train)
    else:
        assert hold_out is not None
        parts = _parts_of_splits(hold_out_queries(given.queries, share=hold_out, seed=seed))
    files = _file_names(pattern, list(parts))
    return replace(split_judgments(given, parts), files=files, hold_out=hold_out)


def _parts_of_splits(splits: Splits, *, train: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the queries of each part of splits, by name.

    A hold-out has the parts train and test. Folds are parts by their test queries; with `train`,
    the training queries of each fold are a part as well.
    """
    if splits.kind == "hold-out":
        (fold,) = splits.folds
        return {"train": fold.train, "test": fold.test}
    found: dict[str, tuple[str, ...]] = {}
    folds = len(splits.folds) // splits.repeats
    for at, fold in enumerate(splits.folds):
        name = f"fold{at % folds + 1}"
        if splits.repeats > 1:
            name = f"repeat{fold.repeat}-{name}"
        if train:
            found |= {f"{name}-train": fold.train, f"{name}-test": fold.test}
        else:
            found[name] = fold.test
    return found


def _parts_by_attribute(
    queries: Collection[str], column: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the queries of each value of an attribute; those without it are "unknown"."""
    found: dict[str, list[str]] = {}
    for query in queries:
        found.setdefault(column.get(query, UNKNOWN), []).append(query)
    return {value: tuple(of_value) for value, of_value in found.items()}


def _file_names(pattern: str, names: Collection[str]) -> dict[str, str]:
    """Return a file name for each part; characters that file names lack become underscores."""
    if _NAME_PLACEHOLDER not in pattern:
        raise OptionError(
            f"the file's name {pattern!r} is to have {_NAME_PLACEHOLDER} in it, which stands for "
            "the part"
        )
    found: dict[str, str] = {}
    for name in names:
        file = pattern.replace(_NAME_PLACEHOLDER, re.sub(r"[^\w.+-]|^\.", "_", name))
        other = next((known for known, taken in found.items() if taken == file), None)
        if other is not None:
            raise OptionError(f"the parts {other!r} and {name!r} would both be written to {file}")
        found[name] = file
    return found


def subset_notes(found: Subset) -> Iterator[str]:
    """Write how much of the judgments a subset is."""
    queries = len(found.judgments.queries)
    kept = f"{found.judged:,} of {counted(found.before, 'judgment')} kept"
    if found.marked:
        kept = (
            f"{found.judged:,} of {counted(found.before, 'judgment')} drawn, the other "
            f"{found.marked:,} kept as not judged"
        )
    yield f"{kept}; {queries:,} of {counted(found.queries_before, 'query')}"
    if found.lost:
        yield count_ids(found.lost, "query", "lost")
    if found.asked:
        yield f"all queries are kept: {found.asked:,} were asked for, of {found.queries_before:,}"
    if found.raised:
        yield (
            f"{counted(found.raised, 'query')} with so few judgments that the share of them is "
            "none: one of each was taken"
        )
    if found.not_judged:
        yield f"{counted(found.not_judged, 'document')} of the pool in no judgment"
    yield from (f"warning: {warning}" for warning in found.warnings)


def _hold_out_notes(share: float, train: int, test: int) -> Iterator[str]:
    """Note where another share is held out than was asked for, since no part may be empty."""
    queries = train + test
    if round(share * queries) != test and min(train, test) == 1:
        part = "test" if test == 1 else "train"
        yield (
            f"{test:,} of {counted(queries, 'query')} held out, which is {test / queries:.1%} and "
            f"not {100 * share:.4g}%: {part} has one query at least"
        )


def split_notes(found: Split) -> Iterator[str]:
    """Name queries that do not fit, and say where another share is held out than was asked for."""
    if found.left_out:
        yield f"warning: {count_ids(found.left_out, 'judged query', 'in no part')}"
    if found.missing:
        yield f"warning: {count_ids(found.missing, 'query', 'of parts without judgments')}"
    if found.hold_out is not None:
        sizes = (len(found.parts[part].queries) for part in ("train", "test"))
        yield from _hold_out_notes(found.hold_out, *sizes)
