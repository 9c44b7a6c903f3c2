"""Hits of judged subtopics: each subtopic as a query of its own, and the ideal ranking for all.

A subtopic with its own grades is a query like any other. So whatever a measure says of a query it
can say of every subtopic, and what remains is to put the subtopics of a query together again.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints, ranges, summed
from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.judged import Judged, Subtopics


def subtopics_of(judged: Judged) -> Subtopics:
    """The subtopics, which must be there."""
    if judged.subtopics is None:
        raise OptionError("these judgments have no subtopics")
    return judged.subtopics


def split_by_subtopic(hits: Hits) -> Hits:
    """The same results, once for each subtopic, with that subtopic's judgments."""
    judged = hits.judgments
    subtopics = subtopics_of(judged)
    asked = numbered(judged)
    # The pairs of documents and subtopics are sorted by document, so that sorting them by subtopic
    # leaves each subtopic's documents in order.
    order = np.argsort(asked, kind="stable")
    split = replace(
        judged,
        queries=list(chain.from_iterable(subtopics.names)),
        starts=np.searchsorted(asked[order], np.arange(subtopics.starts[-1] + 1)),
        grade=subtopics.grade[order],
        subtopics=None,
        **judged.beside(subtopics.doc[order]),
    )
    hit, pair = _pairs(hits, subtopics)
    by_query = np.argsort(asked[pair], kind="stable")
    hit, pair = hit[by_query], pair[by_query]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Hits(
        query=asked[pair],
        rank=hits.rank[hit],
        grade=subtopics.grade[pair],
        doc=place[pair],
        tied_from=hits.tied_from[hit],
        tied_to=hits.tied_to[hit],
        returned=np.repeat(hits.returned, subtopics.counts),
        judgments=split,
        spent=None if hits.spent is None else hits.spent[hit],
    )


def numbered(judged: Judged) -> Ints:
    """For each pair of a document and a subtopic: the subtopic's number among all queries'."""
    subtopics = subtopics_of(judged)
    return subtopics.starts[judged.query[subtopics.doc]] + subtopics.subtopic


def _pairs(hits: Hits, subtopics: Subtopics) -> tuple[Ints, Ints]:
    """Each row of the hits with each pair that its document stands in."""
    bounds = np.searchsorted(subtopics.doc, np.arange(len(hits.judgments.grade) + 1))
    known = np.flatnonzero(hits.doc >= 0)
    first, last = bounds[hits.doc[known]], bounds[hits.doc[known] + 1]
    return np.repeat(known, last - first), ranges(first, last - first)


def total_over_subtopics(hits: Hits, values: Floats) -> Floats:
    """The sum of each query's values, of which there is one for each subtopic."""
    subtopics = subtopics_of(hits.judgments)
    query = np.repeat(np.arange(len(hits)), subtopics.counts)
    return summed(query, values, len(hits))


def shares(hits: Hits, counted: Bools) -> Floats:
    """How much of its query each subtopic is: of those that are counted, 1 in all, the others 0.

    NaN where a query has none that is counted.
    """
    subtopics = subtopics_of(hits.judgments)
    weight = np.ones(len(counted)) if subtopics.weight is None else subtopics.weight
    weight = np.where(counted, weight, 0)
    whole = total_over_subtopics(hits, weight)
    share: Floats = weight / np.repeat(np.where(whole > 0, whole, np.nan), subtopics.counts)
    return share


def best_covering(
    hits: Hits, relevant: Bools, weight: Floats, *, alpha: float, k: int | None
) -> Hits:
    """The ideal ranking of subtopic measures, by greedy choice, down to rank k.

    Always the document that adds most to those above it: of each subtopic that it is relevant to,
    the weight times (1 - alpha) to the power of how often it was served. Of equals the one with the
    larger id is taken, as in ndeval. `relevant` says it of each pair of a document and a subtopic;
    documents that are relevant to nothing have no place in the ranking.

    What a document adds depends only on the set of its subtopics. So the loop over ranks chooses
    among those sets, of which there are few, rather than among thousands of documents.
    """
    judged = hits.judgments
    subtopics = subtopics_of(judged)
    pair_doc, pair_topic = subtopics.doc[relevant], numbered(judged)[relevant]
    docs, first, size = np.unique(pair_doc, return_index=True, return_counts=True)
    sets = _same_sets(judged.query[docs], first, size, pair_topic)
    # One document stands for each set; the others of the set follow it by falling id.
    line = np.lexsort((-docs, sets))
    bounds = np.searchsorted(sets[line], np.arange(int(sets.max(initial=-1)) + 2))
    sample = line[bounds[:-1]]
    set_query = judged.query[docs[sample]]
    set_of_pair = np.repeat(np.arange(len(sample)), size[sample])
    topic_of_pair = pair_topic[ranges(first[sample], size[sample])]

    following, end = bounds[:-1].copy(), bounds[1:]
    gain, least = weight.copy(), np.zeros(len(hits))
    chosen: list[Ints] = []
    while len(set_query) and (k is None or len(chosen) < k):
        starts = np.flatnonzero(np.diff(set_query, prepend=-1))
        sizes = np.diff(starts, append=len(set_query))
        score = np.bincount(set_of_pair, weights=gain[topic_of_pair], minlength=len(set_query))
        best = np.maximum.reduceat(score, starts)
        # Sums of equal gains, added in another order, may differ in their last digit.
        equal = score >= np.repeat(best * (1 - 1e-12), sizes)
        candidate = np.where(equal, docs[line[following]], -1)
        taken = np.maximum.reduceat(candidate, starts)
        is_taken = candidate == np.repeat(taken, sizes)
        following = following + is_taken
        gain[topic_of_pair[is_taken[set_of_pair]]] *= 1 - alpha
        if not chosen:
            least[set_query[starts]] = best * 1e-20
        chosen.append(taken)
        # Sets of which every document is placed drop out; and so do queries to which all that is
        # left would add less than the last digit.
        kept = (following < end) & np.repeat(best >= least[set_query[starts]], sizes)
        if not kept.all():
            kept_pairs = kept[set_of_pair]
            set_of_pair = (np.cumsum(kept) - 1)[set_of_pair[kept_pairs]]
            topic_of_pair = topic_of_pair[kept_pairs]
            set_query, following, end = set_query[kept], following[kept], end[kept]
    return _ranked(hits, chosen)


def _same_sets(query: Ints, first: Ints, size: Ints, topic: Ints) -> Ints:
    """A number for each document, the same for documents of a query with the same subtopics.

    Compared one subtopic after the other: first all documents' first ones, then the second.
    """
    numbers = query
    base = int(topic.max(initial=0)) + 2
    for place in range(int(size.max(initial=0))):
        nth = np.zeros(len(numbers), dtype=np.int64)
        has_nth = size > place
        nth[has_nth] = topic[first[has_nth] + place] + 1
        # The numbers rise with the query, and so do those that take their place.
        keys = numbers * base + nth
        numbers = np.searchsorted(np.unique(keys), keys)
    return numbers


def _ranked(hits: Hits, chosen: list[Ints]) -> Hits:
    """The Hits of the documents that were chosen for each rank."""
    judged = hits.judgments
    doc = np.concatenate([np.zeros(0, dtype=np.int64), *chosen])
    lengths = np.array([len(docs) for docs in chosen], dtype=np.int64)
    rank = np.repeat(np.arange(1, len(chosen) + 1), lengths)
    query = judged.query[doc]
    order = np.argsort(query, kind="stable")
    rank, doc = rank[order], doc[order]
    return Hits(
        query=query[order],
        rank=rank,
        grade=judged.grade[doc],
        doc=doc,
        tied_from=rank,
        tied_to=rank,
        returned=np.bincount(query, minlength=len(hits)),
        judgments=judged,
    )
