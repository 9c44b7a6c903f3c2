"""The inputs of in-memory tasks, built from the files of a collection.

Ids are strings and scores are floats, as after reading a file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

QRELS_COLUMNS = ("query_id", "iteration", "doc_id", "relevance")
RUN_COLUMNS = ("query_id", "q0", "doc_id", "rank", "score", "tag")
TEST_MEASURES, TEST_TOPICS = 10, 250


def dicts(qrels: str, run: str) -> tuple[Any, Any]:
    """Read `{query: {document: grade}}` and `{query: {document: score}}`."""
    judged: dict[str, dict[str, int]] = {}
    with Path(qrels).open() as lines:
        for line in lines:
            query, _, doc, grade = line.split()
            judged.setdefault(query, {})[doc] = int(grade)
    ranked: dict[str, dict[str, float]] = {}
    with Path(run).open() as lines:
        for line in lines:
            query, _, doc, _, score, _ = line.split()
            ranked.setdefault(query, {})[doc] = float(score)
    return judged, ranked


def polars_frames(qrels: str, run: str) -> tuple[Any, Any]:
    import polars as pl

    def read(path: str, names: tuple[str, ...], value: str, kind: Any) -> Any:
        types = dict.fromkeys(names, pl.String) | {value: kind}
        frame = pl.read_csv(path, separator=" ", has_header=False, schema=types)
        return frame.select("query_id", "doc_id", value)

    return (
        read(qrels, QRELS_COLUMNS, "relevance", pl.Int64),
        read(run, RUN_COLUMNS, "score", pl.Float64),
    )


def pandas_frames(qrels: str, run: str) -> tuple[Any, Any]:
    """Read ids as pandas' own type for text: `str` since version 3."""
    return _pandas(qrels, run, str)


def pandas_object_frames(qrels: str, run: str) -> tuple[Any, Any]:
    """Read ids as Python objects, the type of text before pandas 3."""
    return _pandas(qrels, run, object)


def _pandas(qrels: str, run: str, text: type) -> tuple[Any, Any]:
    import pandas as pd

    def read(path: str, names: tuple[str, ...], value: str, kind: type) -> Any:
        columns = ["query_id", "doc_id", value]
        types = {"query_id": text, "doc_id": text, value: kind}
        return pd.read_csv(path, sep=" ", header=None, names=names, usecols=columns, dtype=types)

    return read(qrels, QRELS_COLUMNS, "relevance", int), read(run, RUN_COLUMNS, "score", float)


def matrices(rows: str, columns: str) -> tuple[Any, Any]:
    """Draw relevance and scores; each row has distinct scores and a relevant document."""
    random = np.random.default_rng(1967)
    size = (int(rows), int(columns))
    relevance = np.minimum(random.geometric(0.6, size) - 1, 3)
    relevance[:, 0] = 1
    scores = random.permuted(np.tile(np.arange(int(columns)) / 64, (int(rows), 1)), axis=1)
    return relevance, scores


def scores_and_draws(systems: str, draws: str) -> tuple[Any, Any]:
    """Draw scores (systems x measures x topics, topics of different difficulty); parse `draws`."""
    random = np.random.default_rng(1967)
    topics = random.normal(0.4, 0.2, (TEST_MEASURES, TEST_TOPICS))
    noise = random.normal(0, 0.1, (int(systems), TEST_MEASURES, TEST_TOPICS))
    return np.clip(topics + noise, 0, 1), int(draws)


Source = tuple[str, str]
"""Two arguments: the paths of qrels and run, or two numbers such as rows and columns."""

INPUTS: dict[str, Callable[[str, str], tuple[Any, Any]]] = {
    "dicts": dicts,
    "polars": polars_frames,
    "pandas": pandas_frames,
    "pandas-object": pandas_object_frames,
    "matrix": matrices,
    "randomisation": scores_and_draws,
}
