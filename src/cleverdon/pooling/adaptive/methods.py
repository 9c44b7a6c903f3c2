"""The adaptive methods: fixed orders, move-to-front, bandits, Hedge, minimal test collections.

A method is a small frozen record of its parameters. For each query it begins a `MethodState`, which
is asked for the next document and gets the judgment of it. Documents and systems are numbers here.
Ties go to the lower number; `AdaptiveJudging` assigns numbers at random, so that they favour
nobody. Fixed orders, which no judgment changes, are what adaptive methods have to beat.

Bandits take systems as arms: each judgment is a reward of the system that was played (Losada,
Parapar & Barreiro 2016, "Feeling lucky?", SAC, and 2017, doi:10.1016/j.ipm.2017.04.005). The belief
about a system's next document is a Beta distribution: uniform at first, then Beta(1 + hits, 1 +
misses). With a `memory` below 1, earlier judgments fade: at each new judgment of a system, its
counts are multiplied by it before the judgment is added. With memory 1 nothing fades (the
stationary kind); with memory 0 the last judgment counts alone. Among systems that promise the same,
the one is played that has been read least far.

`credit` says which judgments teach a bandit about a system: `giver`, those of documents that were
taken from its ranking; `all`, those of all documents that it returned. A document that was judged
and never given, as by old judgments that are handed over, was taken from no ranking: with `giver`,
the system that ranks it best has the credit, or each of them where several do. Documents that are
given and not judged yet count as misses until they are, so that the documents of a batch come from
several systems.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from math import lgamma, log
from typing import Any, ClassVar

import numpy as np

from cleverdon._common.arrays import Floats, Ints, ranges, summed
from cleverdon._common.registry import Registry
from cleverdon.errors import OptionError, check_word, suggest
from cleverdon.pooling.contributions import RRF_CONSTANT, QueryContributions, reciprocal_ranks


class MethodState(ABC):
    """The progress of a method with one query."""

    def __init__(self, of: QueryContributions) -> None:
        self.of = of
        self.seen = bytearray(len(of.docs))  # given, or judged without that
        self.left = len(of.docs)
        self.relevant: dict[int, bool] = {}

    def next(self) -> int | None:
        """Return the document to judge next; None where all have been seen."""
        if not self.left:
            return None
        doc = self._choose()
        self._see(doc)
        return doc

    def judge(self, doc: int, relevant: bool) -> None:
        """Take a judgment, also of a document that was not given or was judged before."""
        before = self.relevant.get(doc)
        if not self.seen[doc]:
            self._see(doc)
        if before is not relevant:
            self.relevant[doc] = relevant
            self._learn(doc, relevant, before)

    def _see(self, doc: int) -> None:
        self.seen[doc] = True
        self.left -= 1

    @abstractmethod
    def _choose(self) -> int:
        """Return a document that has not been seen; there is one."""

    @abstractmethod
    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        """Use a judgment; `before` is the earlier judgment of the document, if any."""


@dataclass(frozen=True)
class Method(ABC):
    """A way to choose what to judge next; its fields are its parameters."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """What it does, for lists of methods."""

    @abstractmethod
    def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
        pass

    def __str__(self) -> str:
        """Write the name, and the parameters that differ from their defaults."""
        changed = [
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    def _check(self, parameter: str, low: float, high: float, *, open: bool = False) -> None:
        value = getattr(self, parameter)
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits or not (low < value < high if open else low <= value <= high):
            ends = f"between {low:g} and {high:g}" if open else f"from {low:g} to {high:g}"
            raise OptionError(f"{self.name}({parameter}={value!r}): expected a number {ends}")


_METHODS: Registry[Method] = Registry(
    "method", package="cleverdon.pooling.adaptive", modules=("methods",), key=lambda cls: cls.name
)
method = _METHODS.register


def known_methods() -> dict[str, type[Method]]:
    return _METHODS.all()


def parse_method(given: str | Method) -> Method:
    """Parse a method, with parameters in brackets.

    >>> parse_method("hedge(beta=0.2)")
    Hedge(beta=0.2)
    """
    if isinstance(given, Method):
        return given
    found = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", given)
    if not found:
        raise OptionError(f"{given!r} is not a method: write NAME or NAME(parameter=value, ...)")
    parameters: dict[str, Any] = {}
    for pair in (found[2] or "").split(","):
        key, _, value = (part.strip() for part in pair.partition("="))
        if key in parameters:
            raise OptionError(f"{given!r}: the parameter {key!r} is given twice")
        if pair.strip():
            parameters[key] = _parsed_value(value)
    return make_method(found[1], parameters)


def make_method(name: str, parameters: dict[str, Any]) -> Method:
    cls = _METHODS.find(name)
    allowed = [field.name for field in fields(cls)]
    for parameter in parameters:
        if parameter not in allowed:
            hint = suggest(parameter, allowed) if allowed else "; it has none"
            raise OptionError(f"{name} has no parameter {parameter!r}{hint}")
    return cls(**parameters)


def _parsed_value(text: str) -> Any:
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        return text


def methods_text() -> str:
    known = known_methods()
    width = max(map(len, known))
    return "\n".join(f"{name:{width}}  {found.summary}" for name, found in known.items())


class _Holders:
    """The systems that returned each document, and its places in their rankings, from 0."""

    def __init__(self, of: QueryContributions) -> None:
        order = np.argsort(of.doc, kind="stable")
        self._system, self._place = of.system[order], of.rank[order] - 1
        bounds = np.searchsorted(of.doc[order], np.arange(len(of.docs) + 1))
        self._bounds: list[int] = bounds.tolist()

    def of(self, doc: int) -> tuple[Ints, Ints]:
        rows = slice(self._bounds[doc], self._bounds[doc + 1])
        return self._system[rows], self._place[rows]


class _InOrder(MethodState):
    def __init__(self, of: QueryContributions, order: Ints) -> None:
        super().__init__(of)
        docs: list[int] = order.tolist()
        self._rest = iter(docs)

    def _choose(self) -> int:
        return next(doc for doc in self._rest if not self.seen[doc])

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        pass


@method
@dataclass(frozen=True)
class Depth(Method):
    """By the best rank, as pools of growing depth; of equal ranks, what more systems returned."""

    name: ClassVar[str] = "depth"
    summary: ClassVar[str] = "by the best rank that any system gave it: pools of growing depth"

    def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
        systems = np.bincount(of.doc, minlength=len(of.docs))
        return _InOrder(of, np.lexsort((-systems, of.best_rank)))


@method
@dataclass(frozen=True)
class ReciprocalRanks(Method):
    """By reciprocal rank fusion: the sum of 1 / (k + rank) over the systems that returned it."""

    name: ClassVar[str] = "rrf"
    summary: ClassVar[str] = "by reciprocal rank fusion of all systems"

    k: float = RRF_CONSTANT

    def __post_init__(self) -> None:
        self._check("k", 0, 1e9)

    def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
        fused = reciprocal_ranks(of.doc, of.rank, len(of.docs), constant=self.k)
        return _InOrder(of, np.argsort(-fused, kind="stable"))


_EXHAUSTED = np.iinfo(np.int64).min
_STEP = 1 << 40
"""What a place in the queue is worth, above any number of judgments."""


@method
@dataclass(frozen=True)
class MoveToFront(Method):
    """The next document of the system that has most recently returned a relevant one.

    Local move-to-front of Cormack, Palmer & Clarke 1998, doi:10.1145/290941.291009: each system
    shows its documents in the order of its ranking, and has a priority, which is set to the maximum
    by a relevant document and lowered by one by any other. A document that another system has
    already brought counts as well when a system comes to it, and costs nothing. The system of the
    highest priority is next; among equals, the one whose last relevant document is the most recent.
    A document that is not judged yet counts as not relevant until it is, so that the documents of
    a batch come from several systems.
    """

    name: ClassVar[str] = "mtf"
    summary: ClassVar[str] = "from the system that most recently returned a relevant document"

    def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
        return _Queue(of)


class _Queue(MethodState):
    """The number of documents that each system has shown since its last relevant one."""

    def __init__(self, of: QueryContributions) -> None:
        super().__init__(of)
        self._rankings: list[list[int]] = [ranking.tolist() for ranking in of.rankings]
        self._holders = _Holders(of)
        self._shown = [0] * of.systems
        self._last = [-1] * of.systems  # where the last relevant document stood
        self._time = 0
        self._moved = [0] * of.systems  # when it was seen
        self._priority = np.zeros(of.systems, dtype=np.int64)
        for system in range(of.systems):
            self._place(system)

    def _place(self, system: int) -> None:
        shown = self._shown[system]
        if shown == len(self._rankings[system]):
            self._priority[system] = _EXHAUSTED
            return
        fruitless = shown - 1 - self._last[system]
        self._priority[system] = self._moved[system] - fruitless * _STEP

    def _choose(self) -> int:
        while True:
            system = int(self._priority.argmax())
            place = self._shown[system]
            doc = self._rankings[system][place]
            self._shown[system] += 1
            if self.relevant.get(doc):
                self._move(system, place)
            self._place(system)
            if not self.seen[doc]:
                return doc

    def _move(self, system: int, place: int) -> None:
        self._time += 1
        self._last[system], self._moved[system] = place, self._time

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        for system, place in zip(*map(np.ndarray.tolist, self._holders.of(doc)), strict=True):
            if place >= self._shown[system]:
                continue  # counts when the system comes to it
            if relevant and place > self._last[system]:
                self._move(system, place)
            elif before and place == self._last[system]:
                earlier = self._rankings[system][:place]
                hits = [at for at, doc in enumerate(earlier) if self.relevant.get(doc)]
                self._last[system] = hits[-1] if hits else -1
            self._place(system)


_CREDITS = ("giver", "all")

_ROUNDING = 1e-12


@dataclass(frozen=True)
class _Bandit(Method):
    """The parameters of all bandits: how fast they forget, and whom a judgment teaches about."""

    memory: float = 1.0
    credit: str = "giver"

    def __post_init__(self) -> None:
        self._check("memory", 0, 1)
        check_word("credit", self.credit, _CREDITS)

    def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
        return _Arms(of, self, random)

    @abstractmethod
    def values(self, hits: Floats, misses: Floats, random: np.random.Generator) -> Floats:
        """Return the value of each system's next document."""


@method
@dataclass(frozen=True)
class MaxMean(_Bandit):
    """Play the system with the highest mean."""

    name: ClassVar[str] = "max-mean"
    summary: ClassVar[str] = "a bandit: from the system with the largest share of relevant so far"

    def values(self, hits: Floats, misses: Floats, random: np.random.Generator) -> Floats:
        means: Floats = (1 + hits) / (2 + hits + misses)
        return means


@method
@dataclass(frozen=True)
class MaxMeanFading(MaxMean):
    """The same; the last judgment counts most, since systems run dry further down."""

    name: ClassVar[str] = "max-mean-ns"
    summary: ClassVar[str] = "the same, non-stationary: earlier judgments fade"

    memory: float = 0.0


@method
@dataclass(frozen=True)
class Thompson(_Bandit):
    """Draw from each system's distribution, and play the highest. Non-stationary by default."""

    name: ClassVar[str] = "thompson"
    summary: ClassVar[str] = "a bandit: Thompson sampling, non-stationary, drawn by the seed"

    memory: float = 0.9

    def values(self, hits: Floats, misses: Floats, random: np.random.Generator) -> Floats:
        return random.beta(1 + hits, 1 + misses)


class _Arms(MethodState):
    """The counts of each system."""

    def __init__(self, of: QueryContributions, how: _Bandit, random: np.random.Generator) -> None:
        super().__init__(of)
        self._how, self._random = how, random
        self._rankings: list[list[int]] = [ranking.tolist() for ranking in of.rankings]
        self._holders = _Holders(of)
        self._shown = np.zeros(of.systems, dtype=np.int64)
        self._dry = np.array([not ranking for ranking in self._rankings])
        self._hits = np.zeros(of.systems)
        self._misses = np.zeros(of.systems)
        self._waiting = np.zeros(of.systems)
        self._judged = np.zeros(of.systems, dtype=np.int64)
        self._giver: dict[int, int] = {}
        self._taught: dict[int, tuple[Ints, Ints]] = {}  # systems, and their `_judged` then

    def _choose(self) -> int:
        misses = self._misses + self._waiting
        values = self._how.values(self._hits, misses, self._random)
        values[self._dry] = -1
        while True:
            equals = (values >= values.max() - _ROUNDING).nonzero()[0]
            system = int(equals[self._shown[equals].argmin()])
            ranking, place = self._rankings[system], int(self._shown[system])
            while place < len(ranking) and self.seen[ranking[place]]:
                place += 1
            self._shown[system] = place
            if place < len(ranking):
                self._giver[ranking[place]] = system
                self._waiting[system] += 1
                return ranking[place]
            self._dry[system] = True
            values[system] = -1

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        if before is not None:
            self._correct(doc, relevant)
            return
        giver = self._giver.get(doc)
        if giver is not None:
            self._waiting[giver] -= 1
        systems = self._credited(doc, giver)
        self._hits[systems] = self._how.memory * self._hits[systems] + relevant
        self._misses[systems] = self._how.memory * self._misses[systems] + (not relevant)
        self._judged[systems] += 1
        self._taught[doc] = systems, self._judged[systems]

    def _credited(self, doc: int, giver: int | None) -> Ints:
        if self._how.credit == "giver" and giver is not None:
            return np.array([giver], dtype=np.int64)
        systems, places = self._holders.of(doc)
        return systems if self._how.credit == "all" else systems[places == places.min()]

    def _correct(self, doc: int, relevant: bool) -> None:
        """Turn a hit into a miss or a miss into a hit, as far as it has not faded."""
        systems, then = self._taught[doc]
        change = self._how.memory ** (self._judged[systems] - then).astype(float)
        change *= 1 if relevant else -1
        self._hits[systems] += change
        self._misses[systems] -= change


_NEGLIGIBLE = 40.0
"""A weight smaller than another by this factor, as a logarithm, is lost in rounding."""


@method
@dataclass(frozen=True)
class Hedge(Method):
    """The document with the highest weighted vote of the systems.

    Aslam, Pavlu & Savell 2003, doi:10.1145/956863.956953. A document at rank r of a system is
    worth g = ln(Z / r) / 2, where Z is how many documents all systems returned for the query; one
    that it did not return, the mean of that over the ranks from its last one to Z. A system loses g
    by a document that is not relevant, and wins g by a relevant one; its weight is multiplied by
    beta to the power of its loss. The document with the largest sum of weights times g is
    next.
    """

    name: ClassVar[str] = "hedge"
    summary: ClassVar[str] = "by a fusion of all systems whose weights follow their losses"

    beta: float = 0.1

    def __post_init__(self) -> None:
        self._check("beta", 0, 1, open=True)

    def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
        return _Experts(of, log(self.beta))


class _Experts(MethodState):
    """The systems' weights, as logarithms, and their values of each document."""

    def __init__(self, of: QueryContributions, log_beta: float) -> None:
        super().__init__(of)
        self._log_beta = log_beta
        self._holders = _Holders(of)
        size = len(of.docs)
        counts = np.bincount(of.system, minlength=of.systems)
        self._unseen = counts.copy()
        self._tail = np.array([_mean_below(n, size) for n in counts.tolist()])
        self._gain = _gain(of.rank, size)
        # What a system says of a document beyond what it says of all that it did not return.
        self._beyond = self._gain - self._tail[of.system]
        self._counts, self._starts = counts, np.cumsum(counts) - counts
        self._active = np.zeros(0, dtype=np.int64)
        self._rows = of.doc[:0], self._beyond[:0]  # those of the active systems
        self._closed = np.zeros(size)  # minus infinity for what has been seen
        self._weight = np.zeros(of.systems)
        self._scores: Floats | None = None

    def _see(self, doc: int) -> None:
        super()._see(doc)
        self._unseen[self._holders.of(doc)[0]] -= 1
        self._closed[doc] = -np.inf
        if self._scores is not None:
            self._scores[doc] = -np.inf

    def _choose(self) -> int:
        if self._scores is None:
            self._scores = self._summed()
        return int(self._scores.argmax())

    def _summed(self) -> Floats:
        """Sum the systems' values of each document; only systems with unseen documents count."""
        best = self._weight[self._unseen > 0].max()
        active = ((self._unseen > 0) & (self._weight > best - _NEGLIGIBLE)).nonzero()[0]
        if not np.array_equal(active, self._active):  # most often the same as last time
            self._active = active
            rows = ranges(self._starts[active], self._counts[active])
            self._rows = self.of.doc[rows], self._beyond[rows]
        docs, beyond = self._rows
        weights = np.exp(self._weight[active] - best)
        said = np.repeat(weights, self._counts[active]) * beyond
        return np.bincount(docs, weights=said, minlength=len(self.seen)) + self._closed

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        systems, places = self._holders.of(doc)
        gain = self._tail.copy()
        gain[systems] = _gain(places + 1, len(self.of.docs))
        # Relevant: the loss is -gain. Where that was said otherwise before, that is undone as well.
        times = 1 if before is None else 2
        self._weight += self._log_beta * times * (-gain if relevant else gain)
        self._scores = None


def _gain(rank: Ints, size: int) -> Floats:
    return 0.5 * np.log(size / rank)


def _mean_below(n: int, size: int) -> float:
    """Return the mean of ln(size / r) / 2 over the ranks r below n, down to size."""
    if n == size:
        return 0.0
    return 0.5 * (log(size) - (lgamma(size + 1) - lgamma(n + 1)) / (size - n))


@method
@dataclass(frozen=True)
class MinimalCollections(Method):
    """The document whose relevance changes the differences of average precision most.

    Carterette, Allan & Sitaraman 2006, doi:10.1145/1148170.1148219. With x = 1 for relevant
    documents, average precision times R is the sum over pairs of documents i <= j of
    x_i x_j / max(rank i, rank j). So a document i, were it relevant, adds to it

        1 / rank i  +  sum over the others j of x_j / max(rank i, rank j),

    and the difference of that between two systems is the weight of the document for them. A
    document that is not judged yet stands in the sum with its `chance` to be relevant. Over all
    pairs of systems, the squares of the weights are summed.
    """

    name: ClassVar[str] = "mtc"
    summary: ClassVar[str] = "the document that most separates the systems now, by AP"

    chance: float = 0.5

    def __post_init__(self) -> None:
        self._check("chance", 0, 1)

    def begin(self, of: QueryContributions, random: np.random.Generator) -> MethodState:
        if of.systems < 2:
            raise OptionError("mtc separates systems, and there is one only; give more runs")
        return _Separating(of, self.chance)


class _Separating(MethodState):
    """The amount that each document would add to each system's average precision."""

    def __init__(self, of: QueryContributions, chance: float) -> None:
        super().__init__(of)
        self._chance = chance
        self._holders = _Holders(of)
        counts = np.bincount(of.system, minlength=of.systems)
        self._starts = np.concatenate(([0], np.cumsum(counts))).tolist()
        self._inverse = 1 / np.arange(1, counts.max() + 1)
        harmonic = np.cumsum(self._inverse)
        above = (of.rank - 1) / of.rank
        below = harmonic[counts[of.system] - 1] - harmonic[of.rank - 1]
        self._added = 1 / of.rank + chance * (above + below)
        self._weights: Floats | None = None

    def _see(self, doc: int) -> None:
        super()._see(doc)
        if self._weights is not None:
            self._weights[doc] = -1

    def _choose(self) -> int:
        if self._weights is None:
            self._weights = self._separation()
        return int(self._weights.argmax())

    def _separation(self) -> Floats:
        """Sum the squared weights of each document over all pairs of systems."""
        doc, size = self.of.doc, len(self.seen)
        total = summed(doc, self._added, size)
        squares = summed(doc, self._added * self._added, size)
        weights = self.of.systems * squares - total * total
        # Rounding must not make a difference where there is none.
        weights[weights < 1e-12 * squares] = 0
        weights[np.frombuffer(self.seen, dtype=np.uint8) > 0] = -1
        return weights

    def _learn(self, doc: int, relevant: bool, before: bool | None) -> None:
        change = relevant - (self._chance if before is None else float(before))
        for system, place in zip(*map(np.ndarray.tolist, self._holders.of(doc)), strict=True):
            start, stop = self._starts[system : system + 2]
            added = self._added[start:stop]
            added[:place] += change * self._inverse[place]
            added[place + 1 :] += change * self._inverse[place + 1 : stop - start]
        self._weights = None
