"""Generate runs and graded judgments of any size: the same settings give the same bytes.

Generated data needs no network and no licence. It resembles a BM25 run over MS MARCO passages:
seven-digit ids, decreasing scores, few ties, judged documents at every depth and some that the run
did not find.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.progress import Sometimes, say

Ints = NDArray[np.int64]

DATA = Path(__file__).parent / "data"

FORMAT = 1
"""Increase this when the generator changes, so that older files are not reused."""

ROWS_A_BLOCK = 500_000
"""Results generated at a time: about 100 MB of arrays, for a run of any size."""

FIRST_DOCUMENT = 1_000_000
DOCUMENTS = 7_841_807
"""The number of ids, all of seven digits. It is a prime p, and p - 1 is no multiple of 3, so
strides and cubes modulo p never give the same id twice."""

LARGEST_QUERY = 1_102_400

SCORE_UNIT = 64
"""Scores are multiples of 1/64. float32 represents them exactly, so tools that compare in single
precision (pytrec_eval, trec_eval 9) and in double precision see the same ties."""

STEPS_DOWN = np.array([0, *np.repeat(np.arange(1, 8), 9)], dtype=np.int64)
"""The differences between neighbouring scores, in units: one of 64 is 0, a tie."""

FEWEST_JUDGED, MOST_JUDGED = 5, 50
NEVER_FOUND = 0.15
ANYWHERE = 0.25

RUN_LINE = np.dtype(
    [
        ("query", "S7"),
        ("q0", "S4"),
        ("doc_high", "S4"),
        ("doc_low", "S3"),
        ("rank", "S9"),
        ("whole", "S3"),
        ("fraction", "S7"),
        ("tag", "S6"),
    ]
)
QRELS_LINE = np.dtype(
    [("query", "S7"), ("zero", "S3"), ("doc_high", "S4"), ("doc_low", "S3"), ("grade", "S3")]
)


@dataclass(frozen=True)
class Shape:
    """The size and the seed of a collection, which determine its bytes."""

    queries: int
    depth: int
    seed: int = 1967

    @property
    def rows(self) -> int:
        return self.queries * self.depth

    @property
    def name(self) -> str:
        return f"q{self.queries}-d{self.depth}-s{self.seed}-v{FORMAT}"

    @property
    def bytes_needed(self) -> int:
        """Return an upper bound of the size of both files."""
        return self.rows * 38 + self.queries * 400


@dataclass(frozen=True)
class Collection:
    """A run and its judgments on disk."""

    shape: Shape
    qrels: Path
    run: Path

    @property
    def megabytes(self) -> float:
        return self.run.stat().st_size / 1e6


def collection(shape: Shape) -> Collection:
    """Find the files of `shape` under `data/`, or write them.

    They are written into a temporary directory that is renamed at the end, so an interrupted run
    leaves no incomplete collection.
    """
    home = DATA / shape.name
    if not home.exists():
        DATA.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="unfinished-", dir=DATA) as unfinished:
            draft = Path(unfinished) / "draft"
            draft.mkdir()
            _write(shape, draft)
            draft.rename(home)
    return Collection(shape=shape, qrels=home / "qrels.txt", run=home / "run.txt")


def discard(shape: Shape) -> None:
    """Delete the files of `shape`."""
    shutil.rmtree(DATA / shape.name, ignore_errors=True)


def _write(shape: Shape, home: Path) -> None:
    what = f"generating {shape.queries:,} queries x {shape.depth:,} results"
    say(what)
    progress = Sometimes(every=2.0)
    done = 0
    with (home / "run.txt").open("wb") as run, (home / "qrels.txt").open("wb") as qrels:
        for queries, docs, units, judged, grades in _blocks(shape):
            run.write(_run_text(queries, docs, units))
            qrels.write(_qrels_text(queries, judged, grades))
            done += len(queries)
            progress.say(f"{what}: {done / shape.queries:.0%}")
        for file in (run, qrels):  # else the disk is still busy while tools are timed
            file.flush()
            os.fsync(file.fileno())


def _blocks(shape: Shape) -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints]]:
    """Yield (query ids, documents by rank, score units, judged documents, their grades).

    All but the first have one row per query. A judged document of -1 is padding.
    """
    random = np.random.default_rng(shape.seed)
    # Query ids are in random order, as in MS MARCO: no tool may rely on sorted ids.
    ids = random.permutation(max(LARGEST_QUERY, shape.queries))[: shape.queries] + 1
    size = max(1, ROWS_A_BLOCK // shape.depth)
    for start in range(0, shape.queries, size):
        queries = ids[start : start + size]
        first = random.integers(0, DOCUMENTS, (len(queries), 1))
        stride = random.integers(1, DOCUMENTS, (len(queries), 1))
        docs, units = _ranked(_documents(first, stride, np.arange(shape.depth)), random)
        judged_places, grades = _judged(len(queries), shape.depth, random)
        judged = _documents(first, stride, judged_places)
        yield queries, docs, units, np.where(judged_places < 0, -1, judged), grades


def _documents(first: Ints, stride: Ints, places: Ints) -> Ints:
    """Return the document at each place; those beyond the run's depth are never retrieved.

    The cubes of an arithmetic progression modulo a prime look random and are all different, so no
    sampling without replacement is necessary for each query.
    """
    root = (first + stride * places) % DOCUMENTS
    documents: Ints = FIRST_DOCUMENT + root * root % DOCUMENTS * root % DOCUMENTS
    return documents


def _ranked(docs: Ints, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Give `docs` decreasing scores; documents with equal scores are sorted by id, descending."""
    steps = STEPS_DOWN[random.integers(0, len(STEPS_DOWN), docs.shape)]
    lowest = random.integers(5 * SCORE_UNIT, 20 * SCORE_UNIT, (len(docs), 1))
    units = lowest + np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]
    # Ties are in trec_eval's order, so that the rank column agrees with it. Score and id share one
    # integer, because one sort is faster than a sort by two keys.
    bits = 24
    keys = -np.sort(-((units << bits) | docs), axis=1)
    return keys & ((1 << bits) - 1), keys >> bits


def _judged(queries: int, depth: int, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw the places of judged documents (-1 is padding) and their grades.

    Most places are drawn log-uniformly, as if pooled from the top; grades are higher near the top.
    """
    size = (queries, MOST_JUDGED)
    wanted = FEWEST_JUDGED * (MOST_JUDGED / FEWEST_JUDGED) ** random.random((queries, 1))
    kind = random.random(size)
    near_top = np.floor(depth ** random.random(size)).astype(np.int64) - 1
    anywhere = random.integers(0, depth, size)
    never = depth + random.integers(0, 1000, size)
    drawn = np.where(kind < ANYWHERE, anywhere, near_top)
    drawn = np.where(kind > 1 - NEVER_FOUND, never, drawn)
    drawn = np.where(np.arange(MOST_JUDGED) < wanted, drawn, -1)
    places = np.sort(drawn, axis=1)
    places[:, 1:][places[:, 1:] == places[:, :-1]] = -1
    depth_share = np.minimum(1, np.log1p(np.maximum(places, 0)) / np.log1p(depth))
    grades = np.floor(4 * random.random(size) ** (1 + 2 * depth_share)).astype(np.int64)
    return places, grades


def _texts(texts: Iterator[str], dtype: str) -> NDArray[np.bytes_]:
    return np.array([text.encode() for text in texts], dtype=dtype)


FOUR_DIGITS = _texts((f"{i:04}" for i in range(10_000)), "S4")
THREE_DIGITS = _texts((f"{i:03}" for i in range(1_000)), "S3")
WHOLES = _texts((str(i) for i in range(1_000)), "S3")
FRACTIONS = _texts((f"{i / SCORE_UNIT:.6f}"[1:] for i in range(SCORE_UNIT)), "S7")
GRADES = _texts((f" {i}\n" for i in range(4)), "S3")


def _run_text(queries: Ints, docs: Ints, units: Ints) -> bytes:
    depth = docs.shape[1]
    ranks = _texts((f" {i} " for i in range(1, depth + 1)), "S9")
    lines = np.zeros(docs.shape, dtype=RUN_LINE)
    lines["query"] = queries.astype("S7")[:, None]
    lines["q0"] = b" Q0 "
    lines["doc_high"] = FOUR_DIGITS[docs // 1000]
    lines["doc_low"] = THREE_DIGITS[docs % 1000]
    lines["rank"] = ranks
    lines["whole"] = WHOLES[units // SCORE_UNIT]
    lines["fraction"] = FRACTIONS[units % SCORE_UNIT]
    lines["tag"] = b" bm25\n"
    return _packed(lines)


def _qrels_text(queries: Ints, judged: Ints, grades: Ints) -> bytes:
    there = judged >= 0
    docs = judged[there]
    lines = np.zeros(docs.shape, dtype=QRELS_LINE)
    lines["query"] = np.repeat(queries.astype("S7"), there.sum(axis=1))
    lines["zero"] = b" 0 "
    lines["doc_high"] = FOUR_DIGITS[docs // 1000]
    lines["doc_low"] = THREE_DIGITS[docs % 1000]
    lines["grade"] = GRADES[grades[there]]
    return _packed(lines)


def _packed(lines: NDArray[Any]) -> bytes:
    """Remove the zero bytes that pad the fields: eight times faster than formatting each line."""
    return lines.tobytes().translate(None, b"\0")
