"""Z-scores (`-Z`): how many standard deviations a value lies from the mean that a file gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cleverdon.trec_eval.exits import ZSCORES, Stop
from cleverdon.trec_eval.formats import fields
from cleverdon.trec_eval.kernels import Column
from cleverdon.trec_eval.numbers import decimal

MISSING = -1000000.0
"""What stands where the file has no mean, or no deviation."""

Means = dict[tuple[str, str], tuple[float, float]]
"""Topic and measure to mean and standard deviation."""


def read_means(path: str, encoding: str) -> Means:
    """The file of means: topic, measure, mean, standard deviation."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        raise Stop(ZSCORES, f"{path}: {error.strerror}") from None
    if not text:
        raise Stop(ZSCORES, f"{path}: is empty")
    means: Means = {}
    lines = text.decode(encoding, errors="replace").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        row = fields(line)
        if len(row) != 4:
            raise Stop(ZSCORES, f"{path}:{number}: expected 4 fields, found {len(row)}")
        topic, measure, mean, deviation = row
        means.setdefault((topic, measure), (decimal(mean), decimal(deviation)))
    return means


def as_zscores(columns: Sequence[Column], names: Sequence[str], means: Means) -> list[Column]:
    """The columns with z-scores in place of values."""
    found = []
    for column in columns:
        known = [means.get((name, column.label), (np.nan, np.nan)) for name in names]
        mean, deviation = np.array(known).reshape(-1, 2).T
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = (column.values - mean) / deviation
        scores = np.where(deviation == 0, np.where(column.values == mean, 0, MISSING), scores)
        found.append(replace(column, values=np.where(np.isnan(scores), MISSING, scores)))
    return found
