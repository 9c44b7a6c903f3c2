"""A collection as JSON: everything, with all digits."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from cleverdon.arrays import plain, plain_record
from cleverdon.collection.coverage import Coverage
from cleverdon.collection.stats import Stats
from cleverdon.pool.recall.reuse import Reuse


def as_json(found: Stats) -> dict[str, Any]:
    """Everything, ready for `json.dumps`."""
    of = found.described
    scored = {}
    if found.difficulty is not None:
        scored = {topic.topic: asdict(topic) for topic in found.difficulty.topics}
    return {
        "name": found.name,
        "rel": of.rel,
        "judged": of.judged,
        "relevant": of.relevant,
        "unjudged": of.unjudged,
        "documents": of.documents,
        "shared": of.shared,
        "relevant_documents": of.relevant_documents,
        "relevant_to_several": of.relevant_to_several,
        "most_shared": dict(of.most_shared),
        "grades": _grades(of.grades),
        "queries_without_relevant": list(of.without_relevant),
        "queries_not_judged": list(found.not_judged),
        "queries_not_described": list(found.not_described),
        "attribute": found.attribute,
        "kinds": [
            {
                "value": kind.value,
                "queries": kind.topics,
                "judged": kind.judged,
                "relevant": kind.relevant,
            }
            for kind in found.kinds
        ],
        "measure": None if found.difficulty is None else str(found.difficulty.measure),
        "queries": [
            {
                "query": topic.topic,
                "judged": topic.judged,
                "relevant": topic.relevant,
                "unjudged": topic.unjudged,
                "grades": _grades(topic.grades),
                "text": found.texts.get(topic.topic),
                "scores": _scores(scored.get(topic.topic)),
            }
            for topic in of.topics
        ],
        "coverage": None if found.coverage is None else _coverage(found.coverage),
        "reuse": None if found.reuse is None else _reuse(found.reuse),
        "concerns": [asdict(concern) for concern in found.concerns],
    }


def _grades(counts: dict[float, int]) -> dict[str, int]:
    return {f"{grade:g}": count for grade, count in counts.items()}


def _scores(topic: dict[str, Any] | None) -> dict[str, Any] | None:
    if topic is None:
        return None
    return plain_record({name: value for name, value in topic.items() if name != "topic"})


def _coverage(cover: Coverage) -> dict[str, Any]:
    return {
        "ks": list(cover.ks),
        "looked": cover.looked,
        "depth": cover.depth,
        "unfound": cover.unfound,
        "queries_in_no_run": list(cover.in_no_run),
        "queries_not_judged": cover.not_judged,
        "systems": [
            {
                "system": each.system,
                "queries_missing": list(each.missing),
                "queries_without_results": list(each.empty),
                "holes": list(each.holes),
                "returned": list(each.returned),
                "shares": [each.share(at) for at in range(len(cover.ks))],
                "depth": each.depth,
                "median_depth": each.median_depth,
                "relevant": each.relevant,
                "unique": each.unique,
            }
            for each in cover.systems
        ],
    }


def _reuse(found: Reuse) -> dict[str, Any]:
    return {
        "depth": found.depth,
        "known": found.known,
        "systems": [
            {
                **asdict(one),
                "measure": str(one.measure),
                "pooled": plain(one.pooled),
                "unpooled": plain(one.unpooled),
                "relative": plain(one.relative),
                "ranks_lost": one.ranks_lost,
            }
            for one in found.systems
        ],
    }
