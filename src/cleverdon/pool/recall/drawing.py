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
from cleverdon.errors import InputError, OptionError, check_count, check_seed
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
    stratum: Ints | None  # of each document, where a table says it
    names: tuple[str, ...]  # of strata


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
        sizes[topic] = {name: _count(seen, kind) for name, kind in of_strata.items()}
        chosen = list(_drawn(seen, of_strata, sizes[topic], design, random))
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
    # Numbers in the place of ids, which would not fit into memory; equal ones are equal ids.
    if (np.diff(np.sort(np.frombuffer(hashes, dtype=np.int64))) == 0).any():
        raise InputError("the collection lists a document twice; every id is to be there once")
    return _Collection(count, place, np.array(strata) if table is not None else None, names)


@dataclass(frozen=True, eq=False)
class _Stratum:
    """Documents by their places in the collection: those listed, or all of a kind but those."""

    listed: Ints
    all_but: bool
    number: int | None = None  # the kind, by a table


def _strata(seen: _Collection, topic: str, pooled: Set[str], design: Design) -> dict[str, _Stratum]:
    out = _places(seen, pooled)
    if design.returned is not None:
        returned = _places(seen, design.returned.get(topic, frozenset()) - pooled)
        rest = np.union1d(out, returned)
        return {RETURNED: _Stratum(returned, False), REST: _Stratum(rest, True)}
    if seen.stratum is None:
        return {ALL: _Stratum(out, True)}
    return {name: _Stratum(out, True, number) for number, name in enumerate(seen.names)}


def _places(seen: _Collection, ids: Set[str]) -> Ints:
    return np.sort(np.array([seen.place[id] for id in ids if id in seen.place], dtype=np.int64))


def _of_kind(seen: _Collection, stratum: _Stratum) -> Ints | None:
    """The places of the kind; None where it is the whole collection."""
    if stratum.number is None or seen.stratum is None:
        return None
    kind = np.flatnonzero(seen.stratum == stratum.number)
    return np.setdiff1d(kind, stratum.listed, assume_unique=True)


def _count(seen: _Collection, stratum: _Stratum) -> int:
    if not stratum.all_but:
        return len(stratum.listed)
    kind = _of_kind(seen, stratum)
    return seen.size - len(stratum.listed) if kind is None else len(kind)


def _drawn(
    seen: _Collection,
    strata: Mapping[str, _Stratum],
    sizes: Mapping[str, int],
    design: Design,
    random: np.random.Generator,
) -> Iterator[tuple[int, int, float]]:
    """Place, stratum and probability of each document that is drawn."""
    shares = None
    if design.how == "neyman":
        lacking = next((name for name in strata if name not in design.shares), None)
        if lacking is not None:
            raise OptionError(
                f"neyman needs a guess of how much of stratum {lacking!r} is relevant"
            )
        shares = [design.shares[name] for name in strata]
    wanted = allocated(design.size, list(sizes.values()), how=design.how, shares=shares)
    for (name, stratum), count in zip(strata.items(), wanted, strict=True):
        chosen = np.sort(random.choice(sizes[name], count, replace=False, shuffle=False))
        if not stratum.all_but:
            places = stratum.listed[chosen]
        elif (kind := _of_kind(seen, stratum)) is not None:
            places = kind[chosen]
        else:
            places = _skipping(chosen, stratum.listed)
        probability = count / sizes[name] if sizes[name] else 1.0
        for place in places.tolist():
            yield place, seen.names.index(name), probability


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
    rows = [row for of_topic in drawn.values() for row in of_topic]
    counts = [len(of_topic) for of_topic in drawn.values()]
    return Pool(
        topics=tuple(drawn),
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
            "strata": list(names),
            "sizes": {topic: dict(of_topic) for topic, of_topic in sizes.items()},
        },
    )
