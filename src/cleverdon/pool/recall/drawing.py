"""Drawing a sample of the documents that no pool holds, out of a collection of any size.

The ids of the collection are read twice, and never held: once to count them and to see where those
stand that are in a pool, then to pick up those whose places were drawn. What is drawn is a
`Pool`, so that it is written, judged and read as every pool is; of the documents that were not
drawn it says only how many there are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.errors import InputError, OptionError, check_count, check_seed, suggest
from cleverdon.pool.pooled import Pool
from cleverdon.pool.recall.sizes import allocated

METHOD = "unpooled"
"""What the pool file calls this way of choosing documents."""
ALL = "all"
"""The stratum of a sample without strata."""
RETURNED, REST = "returned", "rest"
"""The strata by runs: what some system returned below the pool, and what none did."""

Ids = Callable[[], Iterable[str]]
"""Gives the ids of the collection, the same and in the same order whenever it is called."""


@dataclass(frozen=True, eq=False)
class Design:
    """From what to draw, and how many."""

    size: int  # documents a topic
    how: str = "proportional"  # divided among strata
    shares: Mapping[str, float] = field(default_factory=dict)  # guesses, for neyman
    stratum_of: Mapping[str, str] | None = None  # of documents; those it lacks are in "rest"
    returned: Mapping[str, Set[str]] | None = None  # what systems returned, of each topic


@dataclass(frozen=True, eq=False)
class _Collection:
    """What was seen of the collection on the first reading."""

    size: int
    place: dict[str, int]  # of the ids that are in a pool, or were returned
    names: tuple[str, ...]  # of strata
    stratum: Ints | None = None  # of each document, where a table says it
    kinds: tuple[Ints, ...] = ()  # the places of each stratum's documents, where a table says it


def draw_sample(
    ids: Ids,
    pooled: Mapping[str, Set[str]],
    design: Design,
    *,
    seed: int = 0,
) -> Pool:
    """A random sample of each topic's documents that are not in its pool.

    `pooled` has the topics, and the documents that are out of question for each.

    >>> ids = lambda: (f"d{n}" for n in range(1000))
    >>> pool = draw_sample(ids, {"q1": {"d1", "d2"}, "q2": set()}, Design(size=5))
    >>> len(pool.docs), pool.how["sizes"], round(float(pool.probability[0]), 6)
    (10, {'q1': {'all': 998}, 'q2': {'all': 1000}}, 0.00501)
    """
    check_count("size", design.size)
    check_seed(seed)
    if design.stratum_of is not None and design.returned is not None:
        raise OptionError("strata are by a table or by runs, and not by both")
    seen = _look_through(ids, pooled, design)
    drawn: dict[str, list[tuple[int, int, float]]] = {}
    sizes: dict[str, dict[str, int]] = {}
    for topic in pooled:
        # By its name, so that a topic's sample is the same whichever others are drawn with it.
        random = np.random.default_rng([seed, *topic.encode()])
        of_strata = _strata(seen, topic, pooled[topic], design)
        sizes[topic] = {name: stratum.size for name, stratum in of_strata.items()}
        _check_size(topic, sizes[topic], design)
        chosen = list(_drawn(of_strata, design, random))
        drawn[topic] = [chosen[at] for at in random.permutation(len(chosen))]
    if not any(drawn.values()):
        raise InputError("every document of the collection is in the pool: there is none to draw")
    return _pool(_picked(ids, drawn), drawn, sizes, seen.names, seed=seed, size=seen.size)


def _look_through(ids: Ids, pooled: Mapping[str, Set[str]], design: Design) -> _Collection:
    wanted = set().union(*pooled.values())
    if design.returned is not None:
        wanted |= set().union(*design.returned.values())
    names: tuple[str, ...] = (ALL,)
    if design.returned is not None:
        names = (RETURNED, REST)
    elif design.stratum_of is not None:
        names = (*sorted(set(design.stratum_of.values()) - {REST}), REST)
    _check_shares(names, design)
    number = {name: at for at, name in enumerate(names)}
    table = design.stratum_of
    place: dict[str, int] = {}
    strata, hashes = array("i"), array("q")
    count = 0
    for count, id in enumerate(ids(), start=1):
        hashes.append(hash(id))
        if id in wanted:
            place.setdefault(id, count - 1)
        if table is not None:
            strata.append(number[table.get(id, REST)])
    if not count:
        raise InputError("the collection has no documents")
    if wanted and not place:
        raise InputError(
            f"the collection has none of the documents that are pooled, such as {min(wanted)!r}: "
            "are its ids the same?"
        )
    _check_distinct(ids, np.frombuffer(hashes, dtype=np.int64))
    if table is None:
        return _Collection(count, place, names)
    of_doc = np.array(strata)
    kinds = tuple(np.flatnonzero(of_doc == at) for at in range(len(names)))
    return _Collection(count, place, names, of_doc, kinds)


def _check_distinct(ids: Ids, hashes: Ints) -> None:
    """Every id is there once.

    Seen by numbers in the place of ids, which would not fit into memory. Two ids may have the same
    number, so those that seem to be twice are looked at again.
    """
    ordered = np.sort(hashes)
    twice = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
    seen: set[str] = set()
    for id in ids() if twice else ():
        if hash(id) in twice:
            if id in seen:
                raise InputError(
                    f"the collection lists the document {id!r} twice; every id is to be there once"
                )
            seen.add(id)


def _check_shares(names: Sequence[str], design: Design) -> None:
    """Guesses are of strata that there are, and of all of them where they are needed."""
    unknown = next((name for name in design.shares if name not in names), None)
    if unknown is not None:
        raise OptionError(f"there is no stratum {unknown!r} to guess of{suggest(unknown, names)}")
    lacking = next((name for name in names if name not in design.shares), None)
    if design.how == "neyman" and lacking is not None:
        raise OptionError(f"neyman needs a guess of how much of stratum {lacking!r} is relevant")


def _check_size(topic: str, sizes: Mapping[str, int], design: Design) -> None:
    """A stratum from which nothing is drawn would tell nothing, and so would the whole sample."""
    there = [name for name, size in sizes.items() if size]
    if design.size < len(there):
        raise OptionError(
            f"size={design.size}: topic {topic!r} has {len(there)} strata ({', '.join(there)}), "
            "and at least one document is to be drawn from each; draw more"
        )


@dataclass(frozen=True, eq=False)
class _Stratum:
    """Documents by their places in the collection, some of them out of question."""

    number: int  # from 0
    total: int
    out: Ints  # which of them are out of question, sorted
    places: Ints | None = None  # of all of them; None: it is the whole collection

    @property
    def size(self) -> int:
        return self.total - len(self.out)

    def at(self, chosen: Ints) -> Ints:
        """The places of those that have these numbers among the ones that are not out."""
        which = _skipping(chosen, self.out)
        return which if self.places is None else self.places[which]


def _strata(seen: _Collection, topic: str, pooled: Set[str], design: Design) -> dict[str, _Stratum]:
    out = _places(seen, pooled)
    if design.returned is not None:
        returned = _places(seen, design.returned.get(topic, frozenset()) - pooled)
        none = np.zeros(0, dtype=np.int64)
        return {
            RETURNED: _Stratum(0, len(returned), none, returned),
            REST: _Stratum(1, seen.size, np.union1d(out, returned)),
        }
    if seen.stratum is None:
        return {ALL: _Stratum(0, seen.size, out)}
    stratum_of_out = seen.stratum[out]
    strata = {}
    for number, (name, kind) in enumerate(zip(seen.names, seen.kinds, strict=True)):
        within = np.searchsorted(kind, out[stratum_of_out == number])
        strata[name] = _Stratum(number, len(kind), within, kind)
    return strata


def _places(seen: _Collection, ids: Set[str]) -> Ints:
    return np.sort(np.array([seen.place[id] for id in ids if id in seen.place], dtype=np.int64))


def _drawn(
    strata: Mapping[str, _Stratum], design: Design, random: np.random.Generator
) -> Iterator[tuple[int, int, float]]:
    """Place, stratum (from 1) and probability of each document that is drawn."""
    shares = [design.shares[name] for name in strata] if design.how == "neyman" else None
    sizes = [stratum.size for stratum in strata.values()]
    wanted = allocated(design.size, sizes, how=design.how, shares=shares)
    for stratum, count in zip(strata.values(), wanted, strict=True):
        chosen = np.sort(random.choice(stratum.size, count, replace=False, shuffle=False))
        probability = count / stratum.size if stratum.size else 1.0
        for place in stratum.at(chosen).tolist():
            yield place, stratum.number + 1, probability


def _skipping(chosen: Ints, out: Ints) -> Ints:
    """The n-th places that are not among those that are out, for each n.

    >>> _skipping(np.array([0, 1, 2]), np.array([0, 2])).tolist()
    [1, 3, 4]
    """
    # Before the i-th that is out, so many places are in.
    before = out - np.arange(len(out))
    return chosen + np.searchsorted(before, chosen, side="right")


def _picked(ids: Ids, drawn: Mapping[str, Sequence[tuple[int, int, float]]]) -> dict[int, str]:
    """The ids that stand at the places that were drawn."""
    wanted = sorted({place for rows in drawn.values() for place, _, _ in rows})
    found: dict[int, str] = {}
    places = iter(wanted)
    following = next(places, None)
    for at, id in enumerate(ids()):
        if following is None:
            break
        if at == following:
            found[at] = id
            following = next(places, None)
    if len(found) < len(wanted):
        raise InputError("the collection has fewer documents on a second reading than on the first")
    return found


def _pool(
    id_at: Mapping[int, str],
    drawn: Mapping[str, list[tuple[int, int, float]]],
    sizes: Mapping[str, Mapping[str, int]],
    names: Sequence[str],
    *,
    seed: int,
    size: int,
) -> Pool:
    # A topic of which everything is pooled has a size, and no documents to judge.
    kept = {topic: of_topic for topic, of_topic in drawn.items() if of_topic}
    rows = [row for of_topic in kept.values() for row in of_topic]
    counts = [len(of_topic) for of_topic in kept.values()]
    return Pool(
        topics=tuple(kept),
        starts=np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
        docs=[id_at[place] for place, _, _ in rows],
        drawn=np.ones(len(rows), dtype=bool),
        row_starts=np.zeros(len(rows) + 1, dtype=np.int64),
        stratum=np.array([stratum for _, stratum, _ in rows], dtype=np.int64),
        probability=np.array([probability for _, _, probability in rows], dtype=np.float64),
        how={
            "method": METHOD,
            "seed": seed,
            "docs": size,
            "stratum_names": list(names),  # the first has the number 1
            "sizes": {topic: dict(of_topic) for topic, of_topic in sizes.items()},
        },
    )
