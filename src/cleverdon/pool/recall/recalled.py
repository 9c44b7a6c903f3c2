"""What judgments, runs and a sample tell of the number of relevant documents, as one record."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from cleverdon.pool.recall.dependence import Dependence
from cleverdon.pool.recall.estimates import Estimates
from cleverdon.pool.recall.parts import Filled
from cleverdon.pool.recall.reuse import Reuse
from cleverdon.pool.recall.saturation import Saturation

SAMPLE = "sample"
"""The method that needs no systems to be independent."""


@dataclass(frozen=True)
class RunRecall:
    """How many relevant documents a run returned, at any rank."""

    system: str
    found: int
    recall: tuple[float, float, float]  # estimate, low and high end; NaN where there is none


@dataclass(frozen=True)
class Counted:
    """What is known of a topic's pool."""

    judged: int
    relevant: int


@dataclass(frozen=True)
class Recall:
    """All that judgments, runs and a sample tell of the number of relevant documents."""

    pool: dict[str, Counted]  # of each topic
    uncaught: int  # relevant documents that no system returned down to the depth of the pool
    unreturned: int  # of these, the ones that no system returned at any rank
    docs: int | None  # of the collection
    depth: int
    depth_known: bool
    least_judged: str  # the system whose results are judged least far down
    alike: tuple[tuple[str, str], ...]  # systems that are the same, as far as judgments can tell
    estimates: tuple[Estimates, ...]  # the one that counts most is first
    runs: tuple[RunRecall, ...]
    saturation: Saturation
    dependence: Dependence | None  # of two systems or more
    reuse: Reuse | None
    precision: float
    target: float
    confidence: float
    needed: int | None  # documents to draw and judge over the topics of `best`, for the precision
    sample_judged: int = 0  # documents of the sample that were judged, over the same topics
    filled: Filled | None = None  # how the sample's sheet fits what was drawn
    rel: float = 1  # from which grade on a document is relevant
    highest: float = 1  # the highest grade in the pool; below 0 where nothing is judged

    @property
    def topics(self) -> tuple[str, ...]:
        """All that have judgments."""
        return tuple(self.pool)

    @property
    def judged(self) -> int:
        """Documents in the pool, over all topics."""
        return sum(each.judged for each in self.pool.values())

    @property
    def relevant(self) -> int:
        """How many of them are relevant."""
        return sum(each.relevant for each in self.pool.values())

    @property
    def best(self) -> Estimates | None:
        """What counts most of all that was estimated, and is not refuted by what is known."""
        return next((each for each in self.estimates if not each.all.refuted), None)

    @property
    def told(self) -> tuple[str, ...]:
        """The topics of which `best` tells something; all where there is none."""
        return tuple(self.best.topics) if self.best else self.topics

    @property
    def partial(self) -> bool:
        """Whether there are topics of which `best` tells nothing."""
        return len(self.told) < len(self.pool)

    @property
    def complete(self) -> bool:
        """Whether every document of the collection is judged for every topic."""
        return self.docs is not None and self.judged == self.docs * len(self.topics)

    @property
    def bounded(self) -> bool:
        """Whether capture-recapture can be taken for a lower bound of R.

        It is one where systems tend to find the same, or are independent. Where they complement
        each other it is too high; and of two systems nobody can say which it is.
        """
        seen = self.dependence
        return seen is not None and seen.direction in ("positive", "none")

    @property
    def decision(self) -> str:
        """stop, go on, or open: whether the recall that is enough is reached, over all topics.

        Where some topics were not sampled it is open, whatever the others say.
        """
        if self.complete:
            return "stop"
        return "open" if self.partial else self.decision_as_told

    @property
    def decision_as_told(self) -> str:
        """The same over the topics of which `best` tells something.

        A sample has an interval on both sides. Capture-recapture gives a lower bound of R at best,
        so the recall by it is an upper one: it can say that more is to be found, where even the
        high end of recall is below the target, and never that enough is found.
        """
        if self.best is None:
            return "open"
        value, low, high = self.best.all.recall()
        if isnan(value):
            return "open"
        by_sample = self.best.method == SAMPLE
        if by_sample and low >= self.target:
            return "stop"
        return "go on" if high < self.target and (by_sample or self.bounded) else "open"
