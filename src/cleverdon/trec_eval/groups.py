"""Several groups of assessors (`-R qrels_jg`): a measure of each group's judgments, averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.hits import Hits
from cleverdon.judged import Judged
from cleverdon.trec_eval.kernels import Column, computed, kernel
from cleverdon.trec_eval.names import Wanted
from cleverdon.trec_eval.options import Options
from cleverdon.trec_eval.topics import Topics


def group_columns(wanted: Sequence[Wanted], topics: Topics, options: Options) -> list[Column]:
    """The mean over a topic's groups of each measure."""
    hits, topic = _by_group(topics)
    if options.judged_only:
        hits = hits.condensed()
    values = iter(computed([kernel(one, options) for one in wanted], hits))
    count = np.bincount(topic, minlength=len(topics.hits))
    found = []
    for one in wanted:
        for label in one.labels:
            # bincount adds in the order of groups, as trec_eval does.
            total = np.bincount(topic, weights=next(values), minlength=len(count))
            found.append(Column(one.name, label, (total / count)[topics.rows]))
    return found


def _by_group(topics: Topics) -> tuple[Hits, Ints]:
    """Hits in which every group of a topic is a query of its own, and the topics of these."""
    hits, judged = topics.hits, topics.hits.judgments
    names = {name: number for number, name in enumerate(judged.queries)}
    rows = sorted((names[o.topic], o.group, o.doc, o.level) for o in topics.qrels.opinions)
    pairs = sorted({(topic, group) for topic, group, _, _ in rows})
    number = {pair: i for i, pair in enumerate(pairs)}
    query = np.array([number[topic, group] for topic, group, _, _ in rows])
    grade = np.array([level for _, _, _, level in rows])
    by_group = Judged(
        queries=[f"{judged.queries[topic]} {group}" for topic, group in pairs],
        starts=np.searchsorted(query, np.arange(len(pairs) + 1)),
        grade=grade,
        top_grade=float(grade.max(initial=0)),
    )
    topic_of = np.array([topic for topic, _ in pairs])
    ids = topics.doc_ids
    returned_docs = (
        (query, ids[doc]) for query, doc in zip(hits.query.tolist(), hits.doc.tolist(), strict=True)
    )
    rank_of = dict(zip(returned_docs, hits.rank.tolist(), strict=True))
    rank = np.array([rank_of.get((topic, doc), 0) for topic, _, doc, _ in rows])
    returned = np.flatnonzero(rank)
    order = returned[np.lexsort((rank[returned], query[returned]))]
    return (
        Hits(
            query=query[order],
            rank=rank[order],
            grade=grade[order],
            doc=order,
            tied_from=rank[order],
            tied_to=rank[order],
            returned=hits.returned[topic_of],
            judgments=by_group,
        ),
        topic_of,
    )
