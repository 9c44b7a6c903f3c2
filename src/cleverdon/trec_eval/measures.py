"""The values of trec_eval's measures: Cleverdon's own, or variants for trec_eval alone.

The variants are not registered: they compute something else than Cleverdon's measures, or accept
parameters that those refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cleverdon._common.arrays import Floats, Ints, ranges
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import NOT_JUDGED, JudgmentArrays
from cleverdon.measures.base import Measure
from cleverdon.measures.graded import RBPResidual
from cleverdon.measures.notation import parse
from cleverdon.measures.recall_levels import Interpolated, Rounding, RprecMult, needed_for
from cleverdon.measures.trec import G, Gained, RelString, Rndcg, ndcg_rel
from cleverdon.trec_eval.arguments import (
    CALCULATION,
    MeasureName,
    Options,
    Stop,
    WantedMeasure,
    parse_whole,
)
from cleverdon.trec_eval.files import Topics

NOT_POOLED, POOLED = -1, -2
"""The grades that trec_eval itself gives: to results that the judgments do not mention, and to
those that they mention with a grade below 0. A table of gains may list them."""


def _every_rank(hits: Hits) -> Hits:
    """Return a row for each result, judged or not, in trec_eval's grades."""
    query = np.repeat(np.arange(len(hits)), hits.returned)
    rank = ranges(1, hits.returned)
    row = (np.cumsum(hits.returned) - hits.returned)[hits.query] + hits.rank - 1
    grade = np.full(len(query), float(NOT_POOLED))
    grade[row] = np.where(hits.grade < 0, POOLED, hits.grade)
    doc = np.full(len(query), NOT_JUDGED)
    doc[row] = hits.doc
    # Nothing that was not judged is part of the ideal ranking, even if a gain is listed for it.
    judged = hits.judgments
    judged = replace(judged, grade=np.where(judged.grade < 0, -np.inf, judged.grade))
    return hits.with_rows(query, rank, grade, doc, judgments=judged)


class SignedDCG(Gained):
    """Discounted cumulative gain, where a listed gain may lie below 0."""

    def score(self, hits: Hits) -> Floats:
        return hits.total(self.discounted(hits))


class IdealDCG(Gained):
    """The discounted cumulative gain of the ideal ranking."""

    def score(self, hits: Hits) -> Floats:
        best = hits.best_by(self.gain_of)
        return best.total(self.discounted(best))


class SignedNDCG(IdealDCG):
    """nDCG, where a listed gain may lie below 0: it counts against the run, not in the ideal."""

    def score(self, hits: Hits) -> Floats:
        ideal = super().score(hits)
        found = hits.total(self.discounted(hits))
        return np.where(ideal > 0, found / np.where(ideal > 0, ideal, 1), np.nan)


class ListedRBP(Gained):
    """Rank-biased precision with any persistence and a table of gains.

    Where a gain is above 1 or below 0, all are scaled to lie between: those of the grades up to
    the topic's largest, and those listed.
    """

    p: float = 0.9

    def score(self, hits: Hits) -> Floats:
        lowest, highest = self._bounds(hits)
        scaled = (lowest < 0) | (highest > 1)
        shift = np.where(scaled, lowest, 0)[hits.query]
        width = np.where(scaled, highest - lowest, 1)[hits.query]
        known = (hits.grade >= 0) | np.isin(hits.grade, list(self.gains or {}))
        gain = np.where(known, (self.gain_of(hits) - shift) / width, 0)
        weight = np.power(self.p, hits.rank - 1.0)
        return (1 - self.p) * hits.total(gain * weight)

    def _bounds(self, hits: Hits) -> tuple[Floats, Floats]:
        """Return the smallest and largest gain of each topic, 0 included."""
        listed: Mapping[float, float] = self.gains or {}
        judged = hits.judgments
        largest = np.full(len(hits), -1.0)
        np.maximum.at(largest, judged.query, judged.grade)
        for grade in sorted(listed, reverse=True):
            largest[largest == grade] -= 1  # it has another gain, so the next lower one counts
        gains = [0.0, *listed.values()]
        return np.full(len(hits), min(gains)), np.maximum(largest, max(gains))


class AnyResidual(RBPResidual):
    """The residual of rank-biased precision with any persistence."""

    p: float = 0.9

    def check(self) -> None:
        """Accept any number, as trec_eval does."""

    def score(self, hits: Hits) -> Floats:
        residual = super().score(hits)
        # The last digit of 1 - 1 may lie below 0.
        return np.where(np.abs(residual) < 1e-12, 0, residual)


class AnyMultiple(RprecMult):
    """Precision at any multiple of R; 0 where that is no rank."""

    def check(self) -> None:
        """Accept any number, as trec_eval does."""

    def score(self, hits: Hits) -> Floats:
        return super().score(hits) if self.m > 0 else np.zeros(len(hits))


class AnyUtility(Measure):
    """The worth of a result, with a price for each of the four kinds of document.

    Where the size of the collection is not given, it counts as 0: the number of documents neither
    returned nor relevant then lies below 0.
    """

    w: tuple[float, ...] = (1, -1, 0, 0)
    rel: float = 1
    docs: float = 0

    def score(self, hits: Hits) -> Floats:
        found = hits.count(hits.relevant(self.rel))
        wanted = hits.judgments.relevant(self.rel)
        rest = self.docs + found - hits.returned - wanted
        p1, p2, p3, p4 = self.w
        worth: Floats = p1 * found + p2 * (hits.returned - found) + p3 * (wanted - found)
        return worth + p4 * rest


class SquaredSetF(Measure):
    """F of the whole result, with `x` the square of what is called beta elsewhere."""

    x: float = 1
    rel: float = 1

    def score(self, hits: Hits) -> Floats:
        found = hits.count(hits.relevant(self.rel))
        precision, recall = found / hits.returned, found / hits.judgments.relevant(self.rel)
        return (self.x + 1) * precision * recall / (self.x * precision + recall)


class ElevenPoint(Interpolated):
    """Interpolated precision, averaged over the levels of recall that are listed.

    They are gone through from the last to the first, and only downwards: from the first that lies
    above the one before it, all count as level 0.
    """

    at: tuple[float, ...] = (0.0,)

    def score(self, hits: Hits) -> Floats:
        values = self.at_levels(hits, (*self.at, 0.0))
        wanted = hits.judgments.relevant(self.rel)
        found = hits.count(hits.relevant(self.rel))
        lowest, stuck = found, np.zeros(len(hits), dtype=bool)
        started = np.zeros(len(hits), dtype=bool)
        total = np.zeros(len(hits))
        for level, value in zip(reversed(self.at), values[-2::-1], strict=True):
            needed = needed_for(level, wanted, self.rounding)
            started |= needed <= found
            stuck |= started & (needed > lowest)
            lowest = np.where(started, np.minimum(lowest, needed), lowest)
            total += np.where(stuck, values[-1], value)
        return total / len(self.at)


_Kernel = Callable[[Hits], Sequence[Floats]]
"""Computes the values of one measure, or of several, from the hits of some topics."""


@dataclass(frozen=True, eq=False)
class Column:
    """The values or texts that are printed under one name, one for each evaluated topic."""

    name: MeasureName
    label: str
    values: Floats
    texts: list[str] | None = None


_DEEPEST = 2**31  # no ranking is deeper, and a share of so many places is 0.0000

_GAINED: dict[str, type[Gained]] = {
    "G": G,
    "dcg": SignedDCG,
    "ideal_dcg": IdealDCG,
    "ndcg": SignedNDCG,
    "ndcg_rel": ndcg_rel,
}


def _kernel(wanted: WantedMeasure, options: Options) -> _Kernel:
    """Return the function that computes a measure from ranks and grades."""
    name, values = wanted.name.name.removesuffix("_avgjg"), wanted.values
    rel = max(options.level, 0)
    rounding: Rounding = "trec_eval-9" if options.version == 9 else "trec_eval-10"
    if name == "iprec_at_recall":  # all levels at once: they share the costly part
        interpolated = Interpolated(rel=rel, rounding=rounding)
        return lambda hits: list(interpolated.at_levels(hits, values))
    if wanted.name.kind == "pairs":
        return _paired(wanted, options)
    row: list[Measure]
    if name == "Rprec_mult":
        row = [AnyMultiple(m=value, rel=rel) for value in values]
    elif wanted.name.kind == "cutoffs":
        row = [_known_measure(f"{name}_{min(value, _DEEPEST):.0f}", rel) for value in values]
    elif name == "utility":
        row = [AnyUtility(w=values, rel=rel, docs=options.docs)]
    elif name == "set_F":
        row = [SquaredSetF(x=values[0], rel=rel)]
    elif name == "11pt_avg":
        row = [ElevenPoint(at=values, rel=rel, rounding=rounding)]
    else:
        row = [_known_measure(name, rel)]
    return lambda hits: [measure(hits) for measure in row]


def _known_measure(name: str, rel: float) -> Measure:
    """Return the measure of a trec_eval name, with documents relevant from this grade on."""
    measure = parse(name)
    if measure.defaults.get("rel") == 1:
        return type(measure)(**(measure.parameters | {"rel": rel}))
    return measure


def _paired(wanted: WantedMeasure, options: Options) -> _Kernel:
    """Return the measure with a table of gains, or with a persistence."""
    name, rel = wanted.name.name, max(options.level, 0)
    gains: dict[float, float] = {}
    for key, gain in reversed(wanted.pairs):  # of two gains for a grade, the first is taken
        if options.version == 9 or re.fullmatch("[+-]?[0-9]+", key):
            gains[parse_whole(key)] = gain
    p = dict(wanted.pairs).get("p", 0.9)
    measure: Measure
    if name == "rbp_resid":
        measure = AnyResidual(p=p)
    elif name == "rbp" and wanted.suffix:
        measure = ListedRBP(gains=gains or None, p=p)
    elif name == "Rndcg":
        measure = Rndcg(gains=gains or None, rel=rel)
    elif name in _GAINED and (gains or name in ("dcg", "ideal_dcg")):
        measure = _GAINED[name](gains=gains or None)
    else:
        measure = _known_measure(name, rel)
    if min(gains, default=0) < 0:
        return lambda hits: [measure(_every_rank(hits))]
    return lambda hits: [measure(hits)]


def _computed(kernels: Sequence[_Kernel], hits: Hits) -> list[Floats]:
    """Return the values of all kernels, in their order; what is undefined counts as 0."""
    if not kernels:
        return []
    with np.errstate(divide="ignore", invalid="ignore"):
        # All measures of one block before the next: they share what it has computed.
        blocks = [
            np.array([values for kernel in kernels for values in kernel(block)], dtype=np.float64)
            for block in hits.blocks()
        ]
    every = np.concatenate(blocks, axis=1)
    return list(np.where(np.isnan(every), 0.0, every))


def columns(
    wanted: Sequence[WantedMeasure], topics: Topics, options: Options
) -> tuple[Topics, list[Column]]:
    """Return the columns of the wanted measures, and the topics that could be evaluated."""
    if len(topics.rows) == 0:
        return topics, []
    family = "prefs" if options.qrels_format.endswith("prefs") else options.qrels_format
    for one in wanted:
        if one.name.format not in ("any", family):
            raise Stop(CALCULATION, f"{one.name.name} is not for judgments in {family} format")
        if one.name.name == "utility" and len(one.values) != 4:
            raise Stop(CALCULATION, f"utility takes four numbers, found {len(one.values)}")
    own = [one for one in wanted if one.name.format != "any"]
    if family == "prefs" and own:
        # Only for preferences.
        from cleverdon.trec_eval.preferences import prefs_columns, with_preferences

        topics, preferences = with_preferences(topics)
        found = prefs_columns(own, preferences)
    elif family == "qrels_jg" and own:
        found = _group_columns(own, topics, options)
    else:
        found = _ranked(own, topics, options)
    # What needs no results: num_q, and runid, whose text is known elsewhere.
    ones = np.ones(len(topics.rows))
    general = [Column(one.name, one.name.name, ones) for one in wanted if one not in own]
    return topics, general + found


def _ranked(wanted: Sequence[WantedMeasure], topics: Topics, options: Options) -> list[Column]:
    hits = topics.hits.condensed() if options.judged_only else topics.hits
    kernels = [_kernel(one, options) for one in wanted if one.name.printed != "text"]
    values = iter(_computed(kernels, hits))
    found = []
    for one in wanted:
        for label in one.labels:
            if one.name.printed == "text":
                texts = _relstrings(one, hits, topics) if options.per_topic else []
                found.append(Column(one.name, label, np.zeros(len(topics.rows)), texts))
            else:
                column = next(values)[topics.rows]
                found.append(Column(one.name, label, _reset(label, column, topics)))
    return found


def _reset(label: str, values: Floats, topics: Topics) -> Floats:
    """Set the values of a missing topic, which has one unjudged result, to 0 for some measures."""
    # By their exact names, with parameters: `utility_1,-1,0,0` does show that result.
    if label in ("num_ret", "utility", "rbp_resid") or label.startswith("unj"):
        return np.where(topics.missing, 0.0, values)
    return values


def _relstrings(wanted: WantedMeasure, hits: Hits, topics: Topics) -> list[str]:
    length = min(int(wanted.values[0]), 2**31) if np.isfinite(wanted.values[0]) else 2**31
    if length < 1:
        return [""] * len(topics.rows)
    texts = RelString(k=length).texts(hits)
    hidden = topics.missing.tolist() if not wanted.suffix else [False] * len(topics.rows)
    return ["" if h else texts[row] for h, row in zip(hidden, topics.rows.tolist(), strict=True)]


def _group_columns(
    wanted: Sequence[WantedMeasure], topics: Topics, options: Options
) -> list[Column]:
    """Return the mean over a topic's groups of each measure."""
    hits, topic = _by_group(topics)
    if options.judged_only:
        hits = hits.condensed()
    values = iter(_computed([_kernel(one, options) for one in wanted], hits))
    count = np.bincount(topic, minlength=len(topics.hits))
    found = []
    for one in wanted:
        for label in one.labels:
            # bincount adds in the order of groups, as trec_eval does.
            total = np.bincount(topic, weights=next(values), minlength=len(count))
            found.append(Column(one.name, label, (total / count)[topics.rows]))
    return found


def _by_group(topics: Topics) -> tuple[Hits, Ints]:
    """Make every group of a topic a query of its own; return the topics of these as well."""
    hits, judged = topics.hits, topics.hits.judgments
    names = {name: number for number, name in enumerate(judged.queries)}
    rows = sorted((names[o.topic], o.group, o.doc, o.level) for o in topics.qrels.opinions)
    pairs = sorted({(topic, group) for topic, group, _, _ in rows})
    number = {pair: i for i, pair in enumerate(pairs)}
    query = np.array([number[topic, group] for topic, group, _, _ in rows])
    grade = np.array([level for _, _, _, level in rows])
    by_group = JudgmentArrays(
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
    changes = {"returned": hits.returned[topic_of], "judgments": by_group}
    return hits.with_rows(query[order], rank[order], grade[order], order, **changes), topic_of
