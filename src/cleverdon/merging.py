"""Merging: scores of parts as those of one evaluation.

Any scheduler can split an evaluation by query, by system, or by both. `merge` puts the scores of
the parts together, with the bits that one evaluation of everything gives: a query's values do not
depend on other queries, once the facts of the whole collection are known, and averages are added
in the order of queries.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Ints, ranges
from cleverdon._common.digests import UNKNOWN
from cleverdon.data import Judgments
from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.judgment_arrays import NOT_JUDGED
from cleverdon.measures.base import Measure
from cleverdon.rank import NAMED
from cleverdon.score_files import read_scores, within_query
from cleverdon.scores import Provenance, Rankings, RunProvenance, Scores
from cleverdon.settings import Settings

OWN = "own"
"""In `Provenance.collection`: only the judgments at hand were known, and not those of others."""

_FACTS = {
    "top_grade": "the largest grade",
    "top_second": "the largest second grade",
    "queries": "the number of judged queries",
    "positives": "the number of queries for which each document is relevant",
    "judged_docs": "the documents that are judged for any query",
}
_REMEDY = (
    "evaluate each part with collection=QRELS, all judgments of the collection, or with their "
    "collection_facts"
)
_T = TypeVar("_T")


def merge(parts: Iterable[Scores | str | os.PathLike[str]]) -> Scores:
    """Put scores of parts together: of other queries, of other systems, or of both.

    See `Scores.merge`.
    """
    given = [read_scores(part) if isinstance(part, (str, os.PathLike)) else part for part in parts]
    if not given:
        raise OptionError("there are no scores to merge")
    _check_alike(given)
    of = _parts_of_systems(given)
    queries = _common_queries(given, of)
    _check_facts(given)
    first = given[0]
    systems = tuple(of)
    joins = {system: _Join(system, [given[at] for at in of[system]]) for system in systems}
    repeats = {
        system: join.array(lambda part, system: part.repeats[system])
        for system, join in joins.items()
        if join.all_have("the single runs", [system in part.repeats for part in join.parts])
    }
    bounds = {
        system: join.bounds()
        for system, join in joins.items()
        if join.all_have("bounds", [system in part.bounds for part in join.parts])
    }
    return Scores(
        systems=systems,
        measures=first.measures,
        queries=queries,
        values=np.array([join.of_system(lambda part: part.values) for join in joins.values()]),
        evaluated=np.array(
            [join.of_system(lambda part: part.evaluated) for join in joins.values()]
        ),
        about=_merged_provenance(given, joins, queries, repeated=repeats),
        top={
            system: join.listed(
                lambda part, system: part.top.get(system, [[] for _ in part.queries])
            )
            for system, join in joins.items()
            if any(system in part.top for part in join.parts)
        },
        rankings=_merged_rankings(given, joins),
        texts={system: join.texts() for system, join in joins.items()} if first.texts else {},
        parts={
            measure: np.array([join.parts_of(measure) for join in joins.values()])
            for measure in first.parts
        },
        bounds=bounds,
        repeats=repeats,
    )


class _Join:
    """The parts of one system, and the order of their queries among all."""

    def __init__(self, system: str, parts: list[Scores]) -> None:
        self.system = system
        self.parts = parts
        names = [query for part in parts for query in part.queries]
        # As text is ordered by code points, it is ordered by its bytes in UTF-8.
        self.order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)

    def array(self, get: Callable[[Scores, str], Any]) -> Any:
        """Return the arrays of the parts as one; queries are the last axis."""
        arrays = [get(part, self.system) for part in self.parts]
        return np.concatenate(arrays, axis=-1)[..., self.order]

    def of_system(self, get: Callable[[Scores], Any]) -> Any:
        """Return the same of arrays whose first axis is that of systems."""
        return self.array(lambda part, system: get(part)[part.systems.index(system)])

    def listed(self, get: Callable[[Scores, str], list[_T]]) -> list[_T]:
        """Return the lists of the parts as one."""
        rows = [row for part in self.parts for row in get(part, self.system)]
        return [rows[at] for at in self.order.tolist()]

    def parts_of(self, measure: Measure) -> Any:
        """Return what the micro-average of a measure is made of."""
        return self.of_system(lambda part: part.parts[measure])

    def texts(self) -> dict[str, list[str]]:
        """Return the texts of the parts as one, by measure."""

        def joined(name: str) -> list[str]:
            return self.listed(lambda part, system: part.texts[system][name])

        return {name: joined(name) for name in self.parts[0].texts[self.system]}

    def all_have(self, what: str, having: list[bool]) -> bool:
        """Tell whether all parts have something; raise an OptionError if only some do."""
        if any(having) and not all(having):
            raise OptionError(
                f"a part of {self.system!r} has {what}, and another has not: evaluate all parts "
                "in the same way"
            )
        return all(having)

    def bounds(self) -> dict[str, Any]:
        """Return the bounds of the parts as one, by measure."""
        found = {}
        for name, bounds in self.parts[0].bounds[self.system].items():
            of = [part.bounds[self.system][name] for part in self.parts]
            if len({each.over for each in of}) > 1:
                raise OptionError(f"the bounds of {name} are over other unknowns in another part")
            lowest, highest, undefined = (
                np.concatenate([getattr(each, column) for each in of])[self.order]
                for column in ("lowest", "highest", "undefined")
            )
            names = [query for part in self.parts for query in part.queries]
            queries = [names[at] for at in self.order.tolist()]
            found[name] = replace(
                bounds, lowest=lowest, highest=highest, undefined=undefined, queries=queries
            )
        return found


def _check_alike(parts: list[Scores]) -> None:
    """Raise an OptionError unless all parts were evaluated in the same way."""
    first = parts[0]
    for at, part in enumerate(parts[1:], start=2):
        here, there = first.about, part.about
        for what, one, other in (
            ("version of Cleverdon", here.version, there.version),
            ("profile", here.profile, there.profile),
            ("number of documents, docs=", here.docs, there.docs),
        ):
            if one != other:
                raise OptionError(f"part {at} has another {what} than part 1: {other}, not {one}")
        for setting in fields(Settings):
            one, other = getattr(here.settings, setting.name), getattr(there.settings, setting.name)
            if one != other:
                name = setting.name
                raise OptionError(
                    f"part {at} has another setting: {name}={other}, not {name}={one}"
                )
        if part.measures != first.measures:
            differing = [m for m in part.measures if m not in first.measures]
            differing += [m for m in first.measures if m not in part.measures]
            named = ", ".join(map(str, differing)) or "the same in another order"
            raise OptionError(f"part {at} has other measures than part 1: {named}")
        if part.parts.keys() != first.parts.keys():
            raise OptionError(f"part {at} has other micro-averages than part 1")


def _parts_of_systems(parts: list[Scores]) -> dict[str, list[int]]:
    """Return the parts that each system has; raise an OptionError where their queries overlap."""
    of: dict[str, list[int]] = {}
    seen: dict[str, dict[str, int]] = {}
    for at, part in enumerate(parts):
        for system in part.systems:
            of.setdefault(system, []).append(at)
            known = seen.setdefault(system, {})
            for query in part.queries:
                if query in known:
                    raise OptionError(
                        f"query {query!r} of {system!r} is in part {known[query] + 1} and in part "
                        f"{at + 1}; parts of one system have different queries, and two systems "
                        "have two names"
                    )
                known[query] = at
    return of


def _common_queries(parts: list[Scores], of: Mapping[str, list[int]]) -> list[str]:
    """Return the queries, which all systems have, by the same judgments."""
    by_system = {system: {q for at in of[system] for q in parts[at].queries} for system in of}
    every = set().union(*by_system.values())
    for system, queries in by_system.items():
        if missing := every - queries:
            raise OptionError(
                f"{system!r} lacks query {min(missing)!r}, which another system has, "
                f"{len(missing)} in all; merge its other parts as well"
            )
    same: dict[tuple[str, ...], int] = {}
    for at, part in enumerate(parts):
        other = same.setdefault(tuple(part.queries), at)
        here, there = part.about, parts[other].about
        known = {"", UNKNOWN}.isdisjoint((here.qrels_digest, there.qrels_digest))
        if (known and here.qrels_digest != there.qrels_digest) or (
            (here.judgments, here.pooled) != (there.judgments, there.pooled)
        ):
            raise OptionError(
                f"parts {other + 1} and {at + 1} have the same queries with other judgments: "
                f"{_judgments_text(there)}, and {_judgments_text(here)}"
            )
    return sorted(every)


def _judgments_text(about: Provenance) -> str:
    source = f" of {about.qrels}" if about.qrels else ""
    digest = f" (hash {about.qrels_digest[:12]})" if about.qrels_digest else ""
    return f"{about.judgments:,}{source}{digest}"


def _check_facts(parts: list[Scores]) -> None:
    """Raise an OptionError where parts took different facts of the collection for a measure."""
    one_set = len({tuple(part.queries) for part in parts}) == 1
    of_bounds = {"top_grade"} if parts[0].bounds else set()
    for measure in parts[0].measures:
        for fact in sorted((measure.needs_of_collection | of_bounds) - {"docs"}):
            known = [part.about.collection.get(fact, OWN) for part in parts]
            other = next((at for at, value in enumerate(known) if value != known[0]), None)
            if other is not None:
                raise OptionError(
                    f"{measure} depends on {_FACTS[fact]} of the collection, which is "
                    f"{_fact_text(known[0])} in part 1 and {_fact_text(known[other])} in part "
                    f"{other + 1}; {_REMEDY}"
                )
            if known[0] == OWN and not one_set:
                raise OptionError(
                    f"{measure} depends on {_FACTS[fact]} of the collection, of which each part "
                    f"knows only its own; {_REMEDY}"
                )


def _fact_text(value: float | str) -> str:
    if value == OWN:
        return "that of its own judgments"
    return value[:12] if isinstance(value, str) else f"{value:g}"


def _merged_provenance(
    parts: list[Scores],
    joins: Mapping[str, _Join],
    queries: list[str],
    *,
    repeated: Iterable[str],
) -> Provenance:
    measures, about = parts[0].measures, parts[0].about
    cover = next(iter(joins.values())).parts  # every query once
    repeats = {}
    for system in repeated:
        of = [part.about.repeats.get(system, ()) for part in joins[system].parts]
        if not all(of) or len({len(runs) for runs in of}) > 1:
            raise OptionError(f"{system!r} has other runs in another part")
        repeats[system] = tuple(_merged_run(list(runs), measures) for runs in zip(*of, strict=True))
    runs = {
        system: joined_provenance(list(repeats[system]))
        if system in repeats
        else _merged_run([part.about.runs[system] for part in join.parts], measures)
        for system, join in joins.items()
    }
    grades = [part.about.top_grade for part in cover if part.about.top_grade is not None]
    return replace(
        about,
        qrels=_joined(part.about.qrels for part in cover),
        qrels_digest=_joined(part.about.qrels_digest for part in cover),
        queries=len(queries),
        judgments=sum(part.about.judgments for part in cover),
        pooled=sum(part.about.pooled for part in cover),
        runs=runs,
        repeats=repeats,
        asked_for={name: text for p in reversed(parts) for name, text in p.about.asked_for.items()},
        top_grade=max(grades, default=None),
    )


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(text for text in dict.fromkeys(texts) if text)


def _merged_run(runs: list[RunProvenance], measures: Iterable[Measure]) -> RunProvenance:
    """Return the provenance of a run that was evaluated in parts; shares are made of counts."""
    if len(runs) == 1:
        return runs[0]
    results = sum(run.results for run in runs)

    def share(name: str) -> float:
        counts: Iterable[int] = (round(getattr(run, name) * max(run.results, 1)) for run in runs)
        return sum(counts) / max(results, 1)

    def judged_in_top(k: int) -> float:
        return sum(map(_judged_counts(k), runs)) / max(sum(run.returned_at[k] for run in runs), 1)

    if lacking := next((run for run in runs if 10 not in run.returned_at), None):
        raise OptionError(
            f"scores of {lacking.source or 'a run'} were read from a file without the counts that "
            "merging needs; evaluate them, and keep them with Scores.write"
        )
    extra_names = dict.fromkeys(name for run in runs for name in run.extra_names)
    return replace(
        runs[0],
        source=_joined(run.source for run in runs),
        digest=_joined(run.digest for run in runs),
        queries=sum(run.queries for run in runs),
        missing=tuple(sorted(query for run in runs for query in run.missing)),
        empty=tuple(sorted(query for run in runs for query in run.empty)),
        extra=sum(run.extra for run in runs),
        extra_names=tuple(extra_names)[:NAMED],
        results=results,
        tie_rate=share("tie_rate"),
        judged_rate=share("judged_rate"),
        judged_in_top_10=judged_in_top(10),
        undefined={
            str(measure): count
            for measure in measures
            if (count := sum(run.undefined.get(str(measure), 0) for run in runs))
        },
        judged_at={k: judged_in_top(k) for k in runs[0].judged_at},
        returned_at={k: sum(run.returned_at[k] for run in runs) for k in runs[0].returned_at},
        deepest=max(run.deepest for run in runs),
    )


def _judged_counts(k: int) -> Callable[[RunProvenance], int]:
    """Return what counts the judged results of a run's first k: the share times its divisor."""

    def count(run: RunProvenance) -> int:
        share = run.judged_at.get(k, run.judged_in_top_10)
        return round(share * max(run.returned_at[k], 1))

    return count


def joined_provenance(runs: list[RunProvenance]) -> RunProvenance:
    """Return the provenance of a system of several runs: shares are means, and counts the worst."""
    if len(runs) == 1:
        return runs[0]

    def mean(name: str) -> float:
        return float(np.mean([getattr(run, name) for run in runs]))

    return replace(
        runs[0],
        source=", ".join(run.source for run in runs if run.source),
        digest=", ".join(run.digest for run in runs if run.digest),
        queries=min(run.queries for run in runs),
        missing=tuple(dict.fromkeys(query for run in runs for query in run.missing)),
        empty=tuple(dict.fromkeys(query for run in runs for query in run.empty)),
        extra=max(run.extra for run in runs),
        results=sum(run.results for run in runs),
        undefined={
            name: max(run.undefined.get(name, 0) for run in runs)
            for name in dict.fromkeys(name for run in runs for name in run.undefined)
        },
        judged_at={
            k: float(np.mean([run.judged_at[k] for run in runs])) for k in runs[0].judged_at
        },
        deepest=min(run.deepest for run in runs),
        tie_rate=mean("tie_rate"),
        judged_rate=mean("judged_rate"),
        judged_in_top_10=mean("judged_in_top_10"),
    )


def _merged_rankings(parts: list[Scores], joins: Mapping[str, _Join]) -> Rankings | None:
    """Return the rankings of all parts as those of one evaluation; None if none were kept."""
    kept = [part.rankings for part in parts if part.rankings is not None]
    if not kept:
        return None
    if len(kept) < len(parts):
        raise OptionError(
            "a part has kept its rankings, and another has not: evaluate all parts with the same "
            "keep="
        )
    cover = [part.rankings.judgments for part in next(iter(joins.values())).parts]  # type: ignore[union-attr]
    judgments = cover[0] if len(cover) == 1 else _merged_judgments(cover)
    drop = parts[0].about.settings.unreturned == "drop"
    hits = {}
    for system, join in joins.items():
        rankings = [part.rankings for part in join.parts]
        of = [each.hits[system] for each in rankings if each is not None]
        hits[system] = _merged_hits(of, join.order, judgments, drop=drop)
    return Rankings(judgments, hits)


def _merged_judgments(parts: list[Judgments]) -> Judgments:
    nested: dict[str, dict[str, float]] = {}
    for part in parts:
        nested |= part.to_dict()
    notes = parts[0].notes
    by_query = ("second", "subtopics", "weights", "stratum", "probability")
    merged: dict[str, Any] = {
        name: {query: row for part in parts for query, row in getattr(part.notes, name).items()}
        for name in by_query
        if getattr(notes, name) is not None
    }
    table = _core.Table.from_dict(
        {query: nested[query] for query in sorted(nested)}, Judgments.kind, "unchecked"
    )
    return Judgments(
        table,
        notes=replace(notes, **merged),
        name=parts[0].name,
        source=_joined(part.source for part in parts),
        digest=_joined(part.digest for part in parts),
    )


def _merged_hits(parts: list[Hits], order: Ints, judgments: Judgments, *, drop: bool) -> Hits:
    """Return the hits of the parts with queries in this order, and rows of all judgments."""
    if len(parts) == 1:
        return parts[0]
    judged = judgments.judged
    counts = np.concatenate([np.diff(part.starts) for part in parts])
    starts = np.concatenate(([0], np.cumsum(counts)))
    rows = ranges(starts[order], counts[order])
    local = [within_query(part) for part in parts]
    query = np.repeat(np.arange(len(order)), counts[order])
    doc = np.concatenate(local)[rows]

    def column(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])[rows]

    hits = Hits(
        query=query,
        rank=column("rank"),
        grade=column("grade"),
        doc=np.where(doc >= 0, doc + judged.starts[query], NOT_JUDGED),
        tied_from=column("tied_from"),
        tied_to=column("tied_to"),
        returned=np.concatenate([part.returned for part in parts])[order],
        judgments=judged,
    )
    return hits.without_unreturned() if drop else hits
