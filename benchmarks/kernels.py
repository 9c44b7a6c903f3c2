"""The third table: the time of each measure on the hits of the large run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from benchmarks.generate import Shape, collection
from benchmarks.progress import say
from cleverdon import Hits, Judgments, Measure
from cleverdon.errors import CleverdonError
from cleverdon.judgment_arrays import Subtopics
from cleverdon.measures.base import REQUIRED
from cleverdon.measures.registry import family, measures
from cleverdon.rank import rank

COLLECTION = 8_841_823
"""The number of MS MARCO passages."""

LONG = 1.0
"""A measure that takes this many seconds or more gets one round."""


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """The time of one measure for all queries."""

    family: str
    measure: str
    seconds: float | None = None
    rounds: int = 0
    note: str = ""

    @property
    def wrong(self) -> bool:
        return self.note.startswith("FAILED")


def run_kernels(shape: Shape, *, rounds: int) -> list[Kernel]:
    """Time every registered measure."""
    say("task kernels")
    data = collection(shape)
    say("  ranking the run")
    hits = _annotated(rank(Judgments.read(str(data.qrels)), str(data.run)).hits)
    return [_timed(cls, hits, rounds=rounds) for cls in measures()]


def _timed(cls: type[Measure], hits: Hits, *, rounds: int) -> Kernel:
    say(f"  {cls.__name__}")
    measure = plain(cls)
    try:
        seconds = [_once(measure, hits)]
        while seconds[0] < LONG and len(seconds) < rounds:
            seconds.append(_once(measure, hits))
    except CleverdonError as error:
        return Kernel(family=family(cls), measure=str(measure), note=f"FAILED: {error}")
    return Kernel(
        family=family(cls), measure=str(measure), seconds=median(seconds), rounds=len(seconds)
    )


def _once(measure: Measure, hits: Hits) -> float:
    fresh = replace(hits)  # without the cached values of an earlier round
    start = time.perf_counter()
    measure(fresh)
    return time.perf_counter() - start


def plain(cls: type[Measure]) -> Measure:
    """Create a measure with usual parameters; a required cut-off is 10."""
    wanted = {"k": 10, "x": 0.5, "m": 0.5, "measure": "AP"}
    missing = [name for name, default in cls.defaults.items() if default is REQUIRED]
    return cls(**{name: wanted[name] for name in missing})


def _annotated(hits: Hits) -> Hits:
    """Add the optional columns that some measures need."""
    judged = hits.judgments
    generator = np.random.default_rng(1967)
    rows = len(judged.grade)
    covered = np.flatnonzero(np.repeat(judged.grade > 0, 5) & (generator.random(rows * 5) < 0.5))
    subtopics = Subtopics(
        doc=covered // 5,
        subtopic=covered % 5,
        grade=np.ones(len(covered)),
        names=[list("abcde")] * len(judged.queries),
    )
    notes = replace(
        judged,
        docs=COLLECTION,
        second=generator.integers(0, 4, rows).astype(float),
        subtopics=subtopics,
        stratum=generator.integers(1, 4, rows),
        probability=generator.choice([0.1, 0.5, 1.0], rows),
    )
    return replace(hits, judgments=notes)


def slowest_first(kernels: Sequence[Kernel]) -> list[Kernel]:
    return sorted(kernels, key=lambda kernel: -(kernel.seconds or 0))
