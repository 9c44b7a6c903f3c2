"""Expected values over ties: the mean over all orders in which equal scores could be listed.

Within a group of tied results every order is as likely as any other. So a row is as likely at
each rank of its group, and what stands above the group is certain: closed forms follow, and no
order is ever drawn. A group's unjudged members are no rows; the group's first and last rank
count them.

McSherry & Najork 2008, doi:10.1007/978-3-540-78646-7_38.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cleverdon._common.arrays import Floats, Ints, ranges
from cleverdon.hits import Hits

_DEEPEST = np.iinfo(np.int64).max


def _ranks_read(hits: Hits, k: int | None) -> Ints:
    """Return the number of ranks of each row's group that are among the first k."""
    last = np.minimum(hits.tied_to, k or _DEEPEST)
    return np.maximum(last - hits.tied_from + 1, 0)


def _group_size(hits: Hits) -> Ints:
    """Return the size of each row's group."""
    return hits.tied_to - hits.tied_from + 1


def chance_in_top(hits: Hits, k: int | None) -> Floats:
    """Return the probability that each row is among the first k."""
    return _ranks_read(hits, k) / _group_size(hits)


def expected_weight(hits: Hits, weight: Callable[[Ints], Floats], k: int | None) -> Floats:
    """Return the mean weight of the ranks that each row may have; those below k weigh nothing."""
    mean = np.where(hits.rank <= (k or _DEEPEST), weight(hits.rank), 0.0)
    tied = np.flatnonzero(hits.tied_to > hits.tied_from)
    if len(tied) == 0:
        return mean
    groups = hits.where(tied)
    deepest = min(int(groups.tied_to.max()), k or _DEEPEST)
    down_to = np.concatenate(([0.0], np.cumsum(weight(np.arange(1, deepest + 1)))))
    first, last = np.minimum((groups.tied_from - 1, groups.tied_to), deepest)
    mean[tied] = (down_to[last] - down_to[first]) / _group_size(groups)
    return mean


def chance_of_any_in_top(relevant: Hits, k: int) -> Floats:
    """Return the probability that any of these rows is among the first k."""
    before, _ = _counts(relevant)
    size, read = _group_size(relevant), _ranks_read(relevant, k)
    # The rows of a group take their places in turn, each among those that are left below rank k.
    placed = relevant.ordinal - before - 1
    below = np.maximum((size - read - placed) / (size - placed), 0)
    none = np.ones(len(relevant))
    has_rows = np.flatnonzero(np.diff(relevant.starts))
    last = relevant.starts[has_rows + 1] - 1
    none[has_rows] = relevant.running(below, np.multiply)[last]
    return 1 - none


def expected_reciprocal_rank(relevant: Hits, k: int | None) -> Floats:
    """Return the expected reciprocal of the first of these rows' rank; 0 below rank k."""
    _, within = _counts(relevant)
    heads = np.flatnonzero(relevant.ordinal == 1)
    ranks, of = _opened(relevant.where(heads), k)
    size, found = _group_size(ranks), within[heads][of]
    passed = ranks.rank - ranks.tied_from  # ranks of the group above this one
    earlier = np.where(passed > 0, (size - found - passed + 1) / (size - passed + 1), 1)
    none_yet = ranks.running(np.maximum(earlier, 0), np.multiply)
    return ranks.total(none_yet * found / (size - passed) / ranks.rank)


def expected_precision_sum(relevant: Hits, k: int | None) -> Floats:
    """Return the expected sum of the precisions at those of these rows among the first k."""
    before, within = _counts(relevant)
    heads = np.flatnonzero(relevant.ordinal == before + 1)
    ranks, of = _opened(relevant.where(heads), k)
    size, found, above = _group_size(ranks), within[heads][of], before[heads][of]
    passed = ranks.rank - ranks.tied_from
    # Given that a row stands here, the others of its group are spread evenly over the other ranks.
    others = passed * (found - 1) / np.maximum(size - 1, 1)
    return ranks.total(found / size * (above + 1 + others) / ranks.rank)


def expected_mean_precision(relevant: Hits, k: int | None) -> Floats:
    """Return the expected mean of the precisions at those of these rows that are among the first k.

    How many those are is itself a matter of chance where k cuts through a group.
    """
    cut_off = k or _DEEPEST
    sure = relevant.where(relevant.tied_to <= cut_off)
    above, precisions = np.diff(sure.starts), expected_precision_sum(sure, None)
    mean = precisions / np.maximum(above, 1)
    group = relevant.where((relevant.tied_from <= cut_off) & (relevant.tied_to > cut_off))
    found = np.diff(group.starts)
    heads, _ = _opened(group.where(group.ordinal == 1), k)
    inverse = heads.total(1 / heads.rank)
    passed = heads.total((heads.rank - heads.tied_from) / heads.rank)
    first = group.where(group.ordinal == 1)
    query, size, read = first.query, _group_size(first), _ranks_read(first, k)
    log_factorial = np.concatenate(
        ([0.0], np.cumsum(np.log(np.arange(1, size.max(initial=0) + 1))))
    )

    def ways(of: Ints, taken: Ints) -> Floats:  # the logarithm of how many there are
        logarithm: Floats = log_factorial[of] - log_factorial[taken] - log_factorial[of - taken]
        return logarithm

    expected = np.zeros(len(query))
    for x in range(int(found.max(initial=0)) + 1):  # x rows of the group are among the first k
        some = np.flatnonzero(
            (x <= np.minimum(found[query], read)) & (read - x <= size - found[query])
        )
        q, n, t, taken = query[some], size[some], read[some], np.full(len(some), x)
        likely = np.exp(ways(found[q], taken) + ways(n - found[q], t - taken) - ways(n, t))
        others = (x - 1) / np.maximum(t - 1, 1) * passed[q]
        among = x / t * ((above[q] + 1) * inverse[q] + others)
        expected[some] += likely * (precisions[q] + among) / np.maximum(above[q] + x, 1)
    mean[query] = expected
    return mean


def expected_stopping(hits: Hits, satisfied: Floats, k: int | None) -> Floats:
    """Return the expected reciprocal rank of the row at which a person stops.

    The mean of a product over j members of a group, over all choices of them, is an elementary
    symmetric polynomial over the number of choices. As such means they are built up member by
    member, which never leaves the range from 0 to 1.
    """
    some = np.flatnonzero(satisfied > 0)
    rows, goes_on = hits.where(some), 1 - satisfied[some]
    before, within = _counts(rows)
    down_to = np.concatenate(([1.0], rows.running(goes_on, np.multiply)))
    reached = np.where(before > 0, down_to[rows.starts[rows.query] + before], 1.0)
    heads = np.flatnonzero(rows.ordinal == before + 1)
    ranks, of = _opened(rows.where(heads), k)
    size, members, head = _group_size(ranks), within[heads][of], heads[of]
    place = ranks.rank - ranks.tied_from + 1
    # The mean product over as many members as the place says: 1 as long as nobody could stop.
    mean = np.ones(len(place))
    active = np.arange(len(place))
    for member in range(1, int(members.max(initial=0)) + 1):
        active = active[members[active] >= member]
        j, among = place[active], (size - members)[active] + member
        one_less = np.where(j > 1, mean[active - 1], 1.0)
        share = np.minimum(j / among, 1)
        mean[active] = (1 - share) * mean[active] + share * goes_on[head[active] + member - 1] * (
            one_less
        )
    above = np.where(place > 1, np.concatenate(([1.0], mean[:-1])), 1.0)[: len(place)]
    return ranks.total(reached[head] * (above - mean) / ranks.rank)


def _counts(hits: Hits) -> tuple[Ints, Ints]:
    """Count for each row the rows of its query above its tied group, and those within it."""
    before = hits.rows_up_to(hits.tied_from - 1)
    return before, hits.rows_up_to(hits.tied_to) - before


def _opened(heads: Hits, k: int | None) -> tuple[Hits, Ints]:
    """Return a row for each of the first k ranks of each group, and the group's number."""
    read = _ranks_read(heads, k)
    of = np.repeat(np.arange(len(read)), read)
    opened = heads.where(of)
    return replace(opened, rank=ranges(heads.tied_from, read)), of
