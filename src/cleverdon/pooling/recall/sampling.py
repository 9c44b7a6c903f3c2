"""Samples of the documents that no pool holds: their design and drawing.

The ids of the collection are read twice, and never held: once to count them and to find the
positions of pooled documents, then to pick up those whose positions were drawn. The sample is a
`Pool`, so that it is written, judged and read as every pool is; of the documents that were not
drawn it says only how many there are.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Ints
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_count, check_seed, suggest
from cleverdon.formats.attributes import read_pairs
from cleverdon.formats.texts import read_ids
from cleverdon.pooling.choices import SAMPLE_SIZE, UNPOOLED
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import read_pool
from cleverdon.pooling.pools import Pool
from cleverdon.stats.sampling import allocate_sample

_ALL_DOCUMENTS = "all"
"""The stratum of a sample without strata."""
RETURNED, REST = "returned", "rest"
"""The strata by runs: what some system returned below the pool, and what none did."""

_Ids = Callable[[], Iterable[str]]
"""Gives the ids of the collection, the same and in the same order whenever it is called."""


@dataclass(frozen=True, eq=False)
class SampleDesign:
    """The strata to draw from, and the number of documents."""

    size: int  # documents a query
    how: str = "proportional"  # divided among strata
    shares: Mapping[str, float] = field(default_factory=dict)  # guesses, for neyman
    stratum_of: Mapping[str, str] | None = None  # of documents; those it lacks are in "rest"
    returned: Mapping[str, Set[str]] | None = None  # what systems returned, of each query


@dataclass(frozen=True, eq=False)
class _Collection:
    """Facts from the first reading of the collection."""

    size: int
    place: dict[str, int]  # of the ids that are in a pool, or were returned
    names: tuple[str, ...]  # of strata
    stratum: Ints | None = None  # of each document, where a table says it


def draw_sample(
    ids: _Ids, pooled: Mapping[str, Set[str]], design: SampleDesign, *, seed: int = 0
) -> Pool:
    """Draw a random sample of each query's documents that are not in its pool.

    >>> ids = lambda: (f"d{n}" for n in range(1000))
    >>> pool = draw_sample(ids, {"q1": {"d1", "d2"}, "q2": set()}, SampleDesign(size=5))
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
    for query in pooled:
        # By its name, so that a query's sample is the same whichever others are drawn with it.
        random = np.random.default_rng([seed, *query.encode()])
        of_strata = _strata(seen, query, pooled[query], design)
        sizes[query] = {name: len(places) for name, places in of_strata.items()}
        _check_size(query, sizes[query], design)
        chosen = list(_draw_documents(of_strata, design, random))
        drawn[query] = [chosen[at] for at in random.permutation(len(chosen))]
    if not any(drawn.values()):
        raise InputError("every document of the collection is in the pool: there is none to draw")
    return _sample_pool(_pick_ids(ids, drawn), drawn, sizes, seen.names, seed=seed, size=seen.size)


@shows_progress("sampling")
def sample_collection(
    docs: str | os.PathLike[str],
    *,
    qrels: Any = None,
    pool: str | os.PathLike[str] | Pool | None = None,
    queries: Sequence[str] = (),
    size: int = SAMPLE_SIZE,
    strata: str | os.PathLike[str] | Mapping[str, str] | None = None,
    runs: Any = None,
    allocation: str | None = None,
    stratum_shares: Mapping[str, float] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> Pool:
    """Draw documents of a collection that no pool holds, to estimate what the pool missed.

    Args:
        docs: A file of the ids of all documents, or of the documents; it is read several times.
        qrels: Judgments: judged documents are not drawn. One of `qrels` and `pool` is needed.
        pool: A pool, or its file: documents that are to be judged are not drawn.
        queries: The queries to draw for; by default all of the judgments and the pool.
        size: The number of documents to draw for each query.
        strata: The stratum of each document, or a file of documents and strata.
        runs: Draw from two strata: what some run returned, and the rest.
        allocation: One of `ALLOCATIONS`; by default equal with runs, else proportional.
        stratum_shares: The share of each stratum that is guessed to be relevant, for neyman.
        qrels_format: The format of the judgments, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` or by `rank`.
        seed: The seed of draws.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The sample, which `write_pool` writes.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "docs.txt"
    >>> _ = file.write_text("d1\\nd2\\nd3\\n")
    >>> sample_collection(file, qrels={"q1": {"d1": 1, "d2": 0}}).docs
    ['d3']
    """
    progress = as_callback(progress)
    if qrels is None and pool is None:
        raise OptionError("give qrels or a pool: what is judged, or is to be, is not drawn")
    pooled = _pooled_documents(qrels, qrels_format, pool, queries)
    if strata is not None and not isinstance(strata, Mapping):
        headings = ("doc_id", "docid", "id")
        strata = read_pairs(strata, ("document", "stratum"), headings=headings, progress=progress)
    returned = None
    if runs is not None:
        found = gather(runs, format=run_format, order_by=order_by, progress=progress)
        returned = {each.query: frozenset(each.docs) for each in found.each()}
    design = SampleDesign(
        size,
        how=allocation or ("equal" if runs is not None else "proportional"),
        shares=stratum_shares or {},
        stratum_of=strata,
        returned=returned,
    )
    return draw_sample(lambda: read_ids(docs, progress=progress), pooled, design, seed=seed)


def _pooled_documents(
    qrels: Any,
    qrels_format: str | None,
    pool: str | os.PathLike[str] | Pool | None,
    queries: Sequence[str],
) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    if qrels is not None:
        judged = Judgments.read(qrels, format=qrels_format)
        # What is pooled and not judged may be relevant, and is drawn with the others.
        for query in judged.queries:
            found[query] = {doc for doc, grade in judged[query].items() if grade >= 0}
    if pool is not None:
        # For the same reason, of a sampled pool only what was drawn is left out.
        read = pool if isinstance(pool, Pool) else read_pool(pool)
        for query in read.queries:
            found.setdefault(query, set())
        for query, doc in read.sheet():
            found[query].add(doc)
    unknown = next((query for query in queries if query not in found), None)
    if unknown is not None:
        files = [str(each) for each in (qrels, pool) if isinstance(each, (str, os.PathLike))]
        where = " or ".join(files) or "the judgments"
        raise InputError(f"there is no query {unknown!r} in {where}{suggest(unknown, found)}")
    return {query: found[query] for query in queries or found}


def _look_through(ids: _Ids, pooled: Mapping[str, Set[str]], design: SampleDesign) -> _Collection:
    wanted = set().union(*pooled.values())
    if design.returned is not None:
        wanted |= set().union(*design.returned.values())
    names: tuple[str, ...] = (_ALL_DOCUMENTS,)
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
    return _Collection(count, place, names, None if table is None else np.array(strata))


def _check_distinct(ids: _Ids, hashes: Ints) -> None:
    """Refuse an id that is there twice; hashes stand for ids, which would not fit into memory."""
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


def _check_shares(names: Sequence[str], design: SampleDesign) -> None:
    unknown = next((name for name in design.shares if name not in names), None)
    if unknown is not None:
        raise OptionError(f"there is no stratum {unknown!r} to guess of{suggest(unknown, names)}")
    lacking = next((name for name in names if name not in design.shares), None)
    if design.how == "neyman" and lacking is not None:
        raise OptionError(f"neyman needs a guess of how much of stratum {lacking!r} is relevant")


def _check_size(query: str, sizes: Mapping[str, int], design: SampleDesign) -> None:
    """Require a document of each stratum: without one, the whole sample tells nothing."""
    there = [name for name, size in sizes.items() if size]
    if design.size < len(there):
        raise OptionError(
            f"size={design.size}: query {query!r} has {len(there)} strata ({', '.join(there)}), "
            "and at least one document is to be drawn from each; draw more"
        )


def _strata(
    seen: _Collection, query: str, pooled: Set[str], design: SampleDesign
) -> dict[str, Ints]:
    """Return the places of the documents of each stratum that may be drawn."""
    free = ~_mask(seen, pooled)
    if design.returned is not None:
        returned = _mask(seen, design.returned.get(query, frozenset()))
        return {RETURNED: np.flatnonzero(free & returned), REST: np.flatnonzero(free & ~returned)}
    if seen.stratum is None:
        return {_ALL_DOCUMENTS: np.flatnonzero(free)}
    return {
        name: np.flatnonzero(free & (seen.stratum == number))
        for number, name in enumerate(seen.names)
    }


def _mask(seen: _Collection, ids: Set[str]) -> Bools:
    mask = np.zeros(seen.size, dtype=bool)
    mask[[seen.place[id] for id in ids if id in seen.place]] = True
    return mask


def _draw_documents(
    strata: Mapping[str, Ints], design: SampleDesign, random: np.random.Generator
) -> Iterator[tuple[int, int, float]]:
    """Yield place, stratum (from 1) and probability of each document that is drawn."""
    shares = [design.shares[name] for name in strata] if design.how == "neyman" else None
    sizes = [len(places) for places in strata.values()]
    wanted = allocate_sample(design.size, sizes, how=design.how, shares=shares)
    for number, (places, count) in enumerate(zip(strata.values(), wanted, strict=True), start=1):
        chosen = np.sort(random.choice(len(places), count, replace=False, shuffle=False))
        for place in places[chosen].tolist():
            yield place, number, count / len(places)


def _pick_ids(ids: _Ids, drawn: Mapping[str, Sequence[tuple[int, int, float]]]) -> dict[int, str]:
    """Return the ids at the places that were drawn."""
    wanted = {place for rows in drawn.values() for place, _, _ in rows}
    read = islice(enumerate(ids()), max(wanted) + 1)
    found = {at: id for at, id in read if at in wanted}
    if len(found) < len(wanted):
        raise InputError("the collection has fewer documents on a second reading than on the first")
    return found


def _sample_pool(
    id_at: Mapping[int, str],
    drawn: Mapping[str, list[tuple[int, int, float]]],
    sizes: Mapping[str, Mapping[str, int]],
    names: Sequence[str],
    *,
    seed: int,
    size: int,
) -> Pool:
    # A query of which everything is pooled has a size, and no documents to judge.
    kept = {query: of_query for query, of_query in drawn.items() if of_query}
    rows = [row for of_query in kept.values() for row in of_query]
    counts = [len(of_query) for of_query in kept.values()]
    return Pool(
        queries=tuple(kept),
        starts=np.concatenate(([0], np.cumsum(counts, dtype=np.int64))),
        docs=[id_at[place] for place, _, _ in rows],
        drawn=np.ones(len(rows), dtype=bool),
        row_starts=np.zeros(len(rows) + 1, dtype=np.int64),
        stratum=np.array([stratum for _, stratum, _ in rows], dtype=np.int64),
        probability=np.array([probability for _, _, probability in rows], dtype=np.float64),
        how={
            "method": UNPOOLED,
            "seed": seed,
            "docs": size,
            "stratum_names": list(names),  # the first has the number 1
            "sizes": {query: dict(of_query) for query, of_query in sizes.items()},
        },
    )
