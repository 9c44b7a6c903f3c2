"""The main job: runs and judgments in, scores out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon import _core
from cleverdon.about import About, AboutRun
from cleverdon.arrays import Floats
from cleverdon.data import Judgments, Rows
from cleverdon.errors import InputError, OptionError
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.profiles import DEFAULT_MEASURES, Profile
from cleverdon.profiles import profile as find_profile
from cleverdon.rank import Ranked, rank
from cleverdon.read import distinct_names
from cleverdon.read.mapping import first_filled, has_lists
from cleverdon.scores import Rankings, Scores
from cleverdon.settings import Settings

__all__ = ["DEFAULT_MEASURES", "evaluate", "score"]

if TYPE_CHECKING:
    from cleverdon.bounding import Bounds

Progress = Callable[[str, int, int], object]
"""Called with the name of a run, how much is done, and of how much."""

Ways = Mapping[Measure, tuple[Settings, bool]]
"""How each measure wants a run to be ranked: settings, and whether it `looks_elsewhere`."""


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    profile: str = "cleverdon",
    ties: str | None = None,
    order_by: str | None = None,
    precision: str | None = None,
    missing: str | None = None,
    undefined: str | None = None,
    duplicates: str | None = None,
    own_document: str | None = None,
    no_relevant: str | None = None,
    docs: int | None = None,
    second: Any = None,
    weights: Any = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    keep: int = 0,
    bounds: bool = False,
    rest: bool = False,
    progress: Progress | None = None,
) -> Scores:
    """Score one run, or several, by measures.

    Judgments and runs are files, dicts of dicts, data frames, rows of tuples, or `Judgments` and
    `Run`; several runs are a list, or a dict from names to runs. The keywords from `ties` to
    `no_relevant` are the choices on which tools disagree (`cleverdon.settings.CHOICES` says what
    each can be); `profile` makes all of them as another tool does, with its defaults of measures'
    parameters and, where no `measures` are named, its measures. `docs` is how many documents the
    collection has, and `second` another file of judgments, as of credibility, for the measures that
    ask for it; `weights` says how much each subtopic of a query counts (query, subtopic, number),
    where they do not all count alike. `keep` retains each query's first results, and the rankings,
    for plots and explanations. `bounds` adds the lowest and highest values that ties and unjudged
    results, and with `rest` the unseen rest of a collection of `docs`, could give. `progress` is
    called with a run's name and how much is done, and of how much: bytes read, then bounds.

    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
    >>> evaluate(qrels, {"q1": {"d1": 0.7, "d2": 0.5}}, ["nDCG@10", "P@1"]).to_dict()
    {'run': {'nDCG@10': 0.7601875334318685, 'P@1': 1.0}}
    """
    given = {
        "ties": ties,
        "order_by": order_by,
        "precision": precision,
        "missing": missing,
        "undefined": undefined,
        "duplicates": duplicates,
        "own_document": own_document,
        "no_relevant": no_relevant,
    }
    tool = find_profile(profile)
    settings = tool.settings.changed(**given)
    if not isinstance(keep, int) or keep < 0:
        raise OptionError(f"keep={keep!r}: the number of results to keep is a whole one from 0 on")
    if rest and not bounds:
        raise OptionError("rest=True goes with bounds=True")
    wanted = tool.parse(tool.measures if measures is None else measures)
    named = [name for name, word in given.items() if word is not None]
    ways = {m: (tool.settings_of(m, settings, named), m.looks_elsewhere) for m in wanted}
    also = [way for way in dict.fromkeys(ways.values()) if way != (settings, False)]
    if isinstance(qrels, (str, os.PathLike)):
        qrels_format = qrels_format or tool.qrels_format
    judgments = Judgments.read(qrels, format=qrels_format, duplicates=settings.duplicates)
    tool.check_grades(judgments.judged.top_grade)
    other = None if second is None else Judgments.read(second, duplicates=settings.duplicates)
    shares = None if weights is None else Judgments.read(weights, weights=True).to_dict()
    judgments = judgments.noting(docs=docs, second=other, weights=shares)
    ranked = []
    for name, run in named_runs(runs, judgments.queries):
        watch = None if progress is None else _watching(progress, name or "run")
        ranked.append(
            rank(
                judgments,
                run,
                settings=settings,
                name=name,
                format=run_format,
                keep=keep,
                also=also,
                listed_only=tool.settings.missing == "skip",
                progress=watch,
            )
        )
    scores = score(judgments, ranked, wanted, settings=settings, profile=profile, ways=ways)
    if keep:
        kept = Rankings(judgments, {run.name: run.hits for run in ranked})
        scores = replace(scores, rankings=kept)
    if bounds:
        found = _bounds(ranked, ways, tool, rest=rest, progress=progress)
        scores = replace(scores, bounds=found)
    return scores


def _bounds(
    ranked: list[Ranked], ways: Ways, tool: Profile, *, rest: bool, progress: Progress | None
) -> dict[str, dict[str, Bounds]]:
    """The bounds of each run by each measure."""
    from cleverdon.bounding import bounds

    found: dict[str, dict[str, Bounds]] = {run.name: {} for run in ranked}
    for r, run in enumerate(ranked):
        for m, (measure, (settings, elsewhere)) in enumerate(ways.items()):
            if progress is not None:
                progress(run.name, r * len(ways) + m, len(ranked) * len(ways))
            hits = run.hits_by(settings, elsewhere=elsewhere)
            ends = bounds(measure, hits, rest=rest)
            absent = tool.value_of_absent(measure)
            if absent is not None:
                lowest, highest = (
                    np.where(run.present, end, absent) for end in (ends.lowest, ends.highest)
                )
                ends = replace(ends, lowest=lowest, highest=highest)
            found[run.name][str(measure)] = ends
    return found


def score(
    judgments: Judgments,
    ranked: list[Ranked],
    measures: tuple[Measure, ...],
    *,
    settings: Settings,
    profile: str = "cleverdon",
    ways: Ways | None = None,
) -> Scores:
    """Score runs that are ranked already, in all `ways` that the measures want."""
    from cleverdon import __version__

    names = [run.name for run in ranked]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"two runs are called {name!r}; give them names: NAME=FILE on the command line, "
                "{'name': run} in Python"
            )
    queries = list(judgments.judged.queries)
    evaluated = np.ones((len(ranked), len(queries)), dtype=bool)
    if settings.missing != "empty":
        evaluated = np.array([run.present for run in ranked])
        if settings.missing == "error" and not evaluated.all():
            system, query = np.argwhere(~evaluated)[0]
            raise InputError(f"{names[system]} lacks the judged query {queries[query]!r}")
    if settings.no_relevant == "skip":
        evaluated &= judgments.judged.count(judgments.judged.grade > 0) > 0
    if ways is None:
        ways = {measure: (settings, measure.looks_elsewhere) for measure in measures}
    scored = [_in_all_ways(measures, run, ways) for run in ranked]
    values = np.array([found for found, _ in scored])
    for m, measure in enumerate(measures):
        absent = find_profile(profile).value_of_absent(measure)
        if absent is not None:
            values[:, m][~np.array([run.present for run in ranked])] = absent
    values[~np.broadcast_to(evaluated[:, None, :], values.shape)] = np.nan
    about = About(
        version=__version__,
        profile=profile,
        settings=settings,
        qrels=judgments.source,
        qrels_digest=judgments.digest,
        queries=len(queries),
        judgments=len(judgments),
        runs={
            run.name: _about(run, queries, measures, values[s], evaluated[s])
            for s, run in enumerate(ranked)
        },
        docs=judgments.judged.docs,
        pooled=int((judgments.judged.grade < 0).sum()),
    )
    top = {run.name: run.top for run in ranked if any(run.top)}
    texts = {
        run.name: {str(m): m.texts(run.hits_by(ways[m][0])) for m in measures if m.text}
        for run in ranked
    }
    parts = {measure: np.array([kept[measure] for _, kept in scored]) for measure in scored[0][1]}
    scores = Scores(
        tuple(names), measures, queries, values, evaluated, about, top, texts=texts, parts=parts
    )
    if settings.undefined == "error":
        _ = scores.means  # which raises the error, now rather than when somebody looks
    return scores


def _in_all_ways(
    measures: tuple[Measure, ...], run: Ranked, ways: Ways
) -> tuple[Floats, dict[Measure, Floats]]:
    """The values and parts of measures that do not all want the same ranking."""
    values = np.empty((len(measures), len(run.hits)))
    parts: dict[Measure, Floats] = {}
    for way in dict.fromkeys(ways.values()):
        rows = [row for row, measure in enumerate(measures) if ways[measure] == way]
        settings, elsewhere = way
        hits = run.hits_by(settings, elsewhere=elsewhere)
        of_these = tuple(measures[row] for row in rows)
        values[rows], found = _scored(of_these, hits, expected=settings.ties == "expected")
        parts |= found
    return values, parts


def _scored(
    measures: tuple[Measure, ...], hits: Hits, *, expected: bool
) -> tuple[Floats, dict[Measure, Floats]]:
    """The values of each measure for each query, and the parts of those that have any."""
    blocks = []
    parts: dict[Measure, list[Floats]] = {}
    # All measures of one block before the next: they share what it has computed.
    for block in hits.blocks():
        values = []
        for measure in measures:
            if expected:
                values.append(measure.over_ties(block))
            elif measure.has_parts:
                found, of_block = measure.with_parts(block)
                values.append(found)
                parts.setdefault(measure, []).append(of_block)
            else:
                values.append(measure(block))
        blocks.append(np.array(values))
    joined = {measure: np.concatenate(found, axis=1) for measure, found in parts.items()}
    return np.concatenate(blocks, axis=1), joined


def named_runs(runs: Any, queries: Iterable[str] | None = None) -> list[tuple[str | None, Any]]:
    """The runs with their names; None where the run's own name is to be taken.

    `queries` are those with judgments, if known: they tell a query without results from the name
    of an empty run.
    """
    if isinstance(runs, Mapping) and runs:
        if _is_one_run(runs, queries):
            return [(None, runs)]
        return [(str(name), run) for name, run in runs.items()]
    one = (str, os.PathLike, Rows, _core.Source)
    if isinstance(runs, one) or hasattr(runs, "__arrow_c_stream__"):
        return [(None, runs)]
    if not isinstance(runs, Iterable):
        raise InputError(f"{type(runs).__name__!r} is neither a run nor several")
    listed = list(runs)
    if not listed:
        raise InputError("there is no run to evaluate")
    if isinstance(listed[0], (tuple, list)) or hasattr(listed[0], "__dataclass_fields__"):
        return [(None, listed)]  # rows of one run
    paths = [os.fspath(run) for run in listed if isinstance(run, (str, os.PathLike))]
    labels = distinct_names(paths)
    named: list[tuple[str | None, Any]] = []
    for number, run in enumerate(listed, start=1):
        if isinstance(run, (str, os.PathLike)):
            named.append((labels[os.fspath(run)], run))
        else:
            named.append((run.name if isinstance(run, Rows) else f"run {number}", run))
    return named


def _is_one_run(runs: Mapping[Any, Any], queries: Iterable[str] | None) -> bool:
    """Whether a dict is one run (query to document to score) rather than runs by name."""
    first = first_filled(runs)
    if isinstance(first, (Mapping, list, tuple)) and not first:  # so are all: only keys can tell
        keys = {
            str(key, "utf-8", "replace") if isinstance(key, bytes) else str(key) for key in runs
        }
        return queries is None or not keys.isdisjoint(queries)
    if not isinstance(first, Mapping):
        return has_lists(runs)
    return not any(isinstance(inner, (Mapping, list, tuple)) for inner in first.values())


def _watching(progress: Progress, name: str) -> Callable[[int, int], object]:
    return lambda done, total: progress(name, done, total)


def _about(
    run: Ranked, queries: list[str], measures: tuple[Measure, ...], values: Any, evaluated: Any
) -> AboutRun:
    hits = run.hits
    judged = hits.grade >= 0

    def judged_in_top(k: int) -> float:
        returned = int(np.minimum(hits.returned, k).sum())
        return int((judged & (hits.rank <= k)).sum()) / max(returned, 1)

    undefined = np.isnan(values[:, evaluated]).sum(axis=1)
    return AboutRun(
        source=run.source,
        digest=run.digest,
        queries=int(run.present.sum()),
        missing=tuple(queries[q] for q in np.flatnonzero(~run.present)),
        empty=tuple(queries[q] for q in np.flatnonzero(run.present & (hits.returned == 0))),
        extra=run.extra,
        extra_names=run.extra_names,
        results=run.results,
        tie_rate=run.tied / max(run.results, 1),
        judged_rate=int(judged.sum()) / max(run.results, 1),
        judged_in_top_10=judged_in_top(10),
        undefined={
            str(measure): int(count)
            for measure, count in zip(measures, undefined, strict=True)
            if count and not measure.text
        },
        judged_at={k: judged_in_top(k) for k in cutoffs(measures)},
        deepest=int(hits.returned.max(initial=0)),
    )


def cutoffs(measures: Iterable[Measure]) -> list[int]:
    """Where measures cut rankings off, from the top down."""
    found = {getattr(measure, "k", None) for measure in measures if measure.cut == "k"}
    return sorted(k for k in found if isinstance(k, int))
