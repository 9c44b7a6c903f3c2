"""Judgments split into several, each with some of the topics."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from cleverdon.collection.parts import part
from cleverdon.compare.slices import UNKNOWN
from cleverdon.compare.splits import Splits
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError

NAME = "{name}"
"""What stands for the name of a part in the pattern of files."""


@dataclass(frozen=True, eq=False)
class Split:
    """Judgments by the name of their part."""

    parts: dict[str, Judgments]
    left_out: tuple[str, ...]  # topics with judgments that are in no part
    missing: tuple[str, ...]  # topics of parts that have no judgments


def split(judgments: Any, parts: Mapping[str, Collection[str]]) -> Split:
    """The judgments of each part's topics.

    >>> found = split({"q1": {"a": 1}, "q2": {"b": 0}}, {"dev": ["q1"], "test": ["q2", "q9"]})
    >>> {name: made.to_dict() for name, made in found.parts.items()}, found.missing
    ({'dev': {'q1': {'a': 1.0}}, 'test': {'q2': {'b': 0.0}}}, ('q9',))
    """
    given = Judgments.read(judgments)
    if not parts:
        raise OptionError("there is no part to split judgments into")
    made: dict[str, Judgments] = {}
    for name, topics in parts.items():
        wanted = frozenset(topics)
        kept = {query: given[query] for query in given.queries if query in wanted}
        if not kept:
            raise InputError(
                f"no topic of part {name!r} has judgments, such as {min(wanted, default='')!r}; "
                f"the judgments have {given.queries[0]!r}"
            )
        made[name] = part(given, kept, name=name)
    named = dict.fromkeys(topic for topics in parts.values() for topic in topics)
    return Split(
        made,
        tuple(query for query in given.queries if query not in named),
        tuple(topic for topic in named if topic not in given),
    )


def parts_of_splits(splits: Splits, *, train: bool = False) -> dict[str, tuple[str, ...]]:
    """The topics of each part of splits, by a name for it.

    A hold-out has the parts train and test. Folds are parts by their topics for testing, so that
    none is in two of them; with `train`, each fold has its topics for training as a part as well.

    >>> from cleverdon.compare.splits import k_fold
    >>> parts_of_splits(k_fold(["a", "b", "c"], folds=3, seed=1))
    {'fold1': ('a',), 'fold2': ('b',), 'fold3': ('c',)}
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


def parts_by_attribute(
    topics: Collection[str], column: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The topics of each value of an attribute; those that lack it are the part "unknown"."""
    found: dict[str, list[str]] = {}
    for topic in topics:
        found.setdefault(column.get(topic, UNKNOWN), []).append(topic)
    return {value: tuple(of_value) for value, of_value in found.items()}


def file_names(pattern: str, names: Collection[str]) -> dict[str, str]:
    """A file for each part, by a pattern with {name} in it.

    What may not stand in a file's name becomes an underscore.

    >>> file_names("qrels-{name}.txt", ["en", "a/b"])
    {'en': 'qrels-en.txt', 'a/b': 'qrels-a_b.txt'}
    """
    if NAME not in pattern:
        raise OptionError(
            f"the file's name {pattern!r} is to have {NAME} in it, which stands for the part"
        )
    found: dict[str, str] = {}
    for name in names:
        file = pattern.replace(NAME, re.sub(r"[^\w.+-]|^\.", "_", name))
        other = next((known for known, taken in found.items() if taken == file), None)
        if other is not None:
            raise OptionError(f"the parts {other!r} and {name!r} would both be written to {file}")
        found[name] = file
    return found
