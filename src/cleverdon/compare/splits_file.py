"""Files of topic splits: JSON that people can read, and that is checked when it is read."""

from __future__ import annotations

import json
import os
from itertools import groupby
from pathlib import Path
from typing import Any

from cleverdon.compare.splits import KINDS, Fold, Splits, repeated
from cleverdon.errors import InputError, OptionError, check_word

_FORMAT = "cleverdon splits 1"


def write_splits(splits: Splits, path: str | os.PathLike[str]) -> None:
    """Write a file that people can read, and `read_splits` reads again."""
    try:
        Path(path).write_text(splits_text(splits) + "\n", encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be written: {reason}", source=os.fspath(path)) from None


def splits_text(splits: Splits) -> str:
    """What is written: JSON, with a line for each list of topics."""
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
    """Read a file that `write_splits` wrote, or a person; what does not add up is an error."""
    source = os.fspath(path)
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=source) from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", source=source) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"is no JSON: {error.msg}", source=source, line=error.lineno, column=error.colno
        ) from None
    try:
        return _from_json(found)
    except OptionError as error:
        raise InputError(str(error), source=source) from None
    except InputError as error:
        raise InputError(error.message, source=source) from None


def _from_json(found: Any) -> Splits:
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise InputError(f'holds no splits: expected an object with "format": "{_FORMAT}"')
    check_word("kind", found.get("kind"), KINDS)
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
        raise InputError(f"fold {number} is no object")
    repeat = fold.get("repeat", 1)
    if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 1:
        raise InputError(f'fold {number}: "repeat" is a whole number from 1 on; found {repeat!r}')
    parts = []
    for part in ("train", "test"):
        topics = fold.get(part)
        if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
            raise InputError(f'fold {number}: "{part}" is a list of topics, each a text')
        if not topics:
            raise InputError(f"fold {number}: there is no topic to {part} on")
        parts.append(tuple(topics))
    train, test = parts
    twice = repeated((*train, *test))
    if twice is not None:
        where = "to train on and to test on" if twice in train and twice in test else "twice"
        raise InputError(f"fold {number}: topic {twice!r} is there {where}")
    return Fold(train, test, repeat)


def _check_whole(splits: Splits) -> None:
    """Whether the folds fit each other, and what they are called."""
    every = set(splits.topics)
    for number, fold in enumerate(splits.folds, start=1):
        for topic in every.symmetric_difference((*fold.train, *fold.test)):
            raise InputError(f"fold {number}: topic {topic!r} is in some folds only")
    repeats = [fold.repeat for fold in splits.folds]
    if repeats != sorted(repeats) or set(repeats) != set(range(1, repeats[-1] + 1)):
        raise InputError('the folds\' "repeat" is to count 1, 2, 3 and on')
    if splits.kind == "hold-out":
        if len(splits.folds) > 1:
            raise InputError(f"a hold-out has one fold; found {len(splits.folds)}")
        return
    if (splits.kind == "k-fold") != (repeats[-1] == 1):
        raise InputError(
            f"the topics were dealt out {repeats[-1]} times, which is no {splits.kind}"
        )
    for repeat, group in groupby(splits.folds, key=lambda fold: fold.repeat):
        tested = [topic for fold in group for topic in fold.test]
        twice = repeated(tested)
        if twice is not None:
            raise InputError(f"topic {twice!r} is tested on in two folds of repeat {repeat}")
        for topic in every.difference(tested):
            raise InputError(f"topic {topic!r} is tested on in no fold of repeat {repeat}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
