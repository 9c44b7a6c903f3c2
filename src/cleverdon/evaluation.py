"""The main job: runs and judgments in, scores out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from cleverdon import _core
from cleverdon.data import Judgments, Rows
from cleverdon.errors import InputError, OptionError
from cleverdon.hits import Floats, Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse_all
from cleverdon.profiles import profile as find_profile
from cleverdon.rank import Ranked, rank
from cleverdon.read import distinct_names
from cleverdon.read.mapping import has_lists
from cleverdon.scores import About, AboutRun, Scores
from cleverdon.settings import Settings

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    profile: str = "cleverdon",
    ties: str | None = None,
    order_by: str | None = None,
    precision: str | None = None,
    missing: str | None = None,
    undefined: str | None = None,
    duplicates: str | None = None,
    docs: int | None = None,
    second: Any = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    keep: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
) -> Scores:
    """Score one run, or several, by measures.

    Judgments and runs are files, dicts of dicts, data frames, rows of tuples, or `Judgments` and
    `Run`; several runs are a list, or a dict from names to runs. The keywords from `ties` to
    `duplicates` are the choices on which tools disagree (`cleverdon.settings.CHOICES` says what
    each can be); `profile` sets all of them as another tool does. `docs` is how many documents the
    collection has, and `second` another file of judgments, as of credibility, for the measures that
    ask for it. `keep` retains each query's first
    results for explanations. `progress` is called with a run's name and the bytes done and in all.

    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
    >>> evaluate(qrels, {"q1": {"d1": 0.7, "d2": 0.5}}, ["nDCG@10", "P@1"]).to_dict()
    {'run': {'nDCG@10': 0.7601875334318685, 'P@1': 1.0}}
    """
    settings = find_profile(profile).settings.changed(
        ties=ties,
        order_by=order_by,
        precision=precision,
        missing=missing,
        undefined=undefined,
        duplicates=duplicates,
    )
    if not isinstance(keep, int) or keep < 0:
        raise OptionError(f"keep={keep!r}: the number of results to keep is a whole one from 0 on")
    wanted = parse_all(measures)
    judgments = Judgments.read(qrels, format=qrels_format, duplicates=settings.duplicates)
    other = None if second is None else Judgments.read(second, duplicates=settings.duplicates)
    judgments = judgments.noting(docs=docs, second=other)
    ranked = []
    for name, run in named_runs(runs):
        watch = None if progress is None else _watching(progress, name or "run")
        ranked.append(
            rank(
                judgments,
                run,
                settings=settings,
                name=name,
                format=run_format,
                keep=keep,
                progress=watch,
            )
        )
    return score(judgments, ranked, wanted, settings=settings, profile=profile)


def score(
    judgments: Judgments,
    ranked: list[Ranked],
    measures: tuple[Measure, ...],
    *,
    settings: Settings,
    profile: str = "cleverdon",
) -> Scores:
    """Score runs that are ranked already."""
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
    expected = settings.ties == "expected"
    values = np.array([_values(measures, run.hits, expected=expected) for run in ranked])
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
    )
    top = {run.name: run.top for run in ranked if any(run.top)}
    scores = Scores(tuple(names), measures, queries, values, evaluated, about, top)
    if settings.undefined == "error":
        _ = scores.means  # which raises the error, now rather than when somebody looks
    return scores


def _values(measures: tuple[Measure, ...], hits: Hits, *, expected: bool) -> Floats:
    """The values of each measure for each query."""

    def values(measure: Measure, block: Hits) -> Floats:
        return measure.over_ties(block) if expected else measure(block)

    # All measures of one block before the next: they share what it has computed.
    blocks = [np.array([values(measure, block) for measure in measures]) for block in hits.blocks()]
    return np.concatenate(blocks, axis=1)


def named_runs(runs: Any) -> list[tuple[str | None, Any]]:
    """The runs with their names; None where the run's own name is to be taken."""
    if isinstance(runs, Mapping) and runs:
        if _is_one_run(runs):
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


def _is_one_run(runs: Mapping[Any, Any]) -> bool:
    """Whether a dict is one run (query to document to score) rather than runs by name."""
    # An empty dict may be either; the first that has something in it tells.
    first = next((run for run in runs.values() if not isinstance(run, Mapping) or run), {})
    if not isinstance(first, Mapping):
        return has_lists(runs)
    return not any(isinstance(inner, Mapping) for inner in first.values())


def _watching(
    progress: Callable[[str, int, int], object], name: str
) -> Callable[[int, int], object]:
    return lambda done, total: progress(name, done, total)


def _about(
    run: Ranked, queries: list[str], measures: tuple[Measure, ...], values: Any, evaluated: Any
) -> AboutRun:
    hits = run.hits
    judged = hits.grade >= 0
    shallow = int(np.minimum(hits.returned, 10).sum())
    undefined = np.isnan(values[:, evaluated]).sum(axis=1)
    return AboutRun(
        source=run.source,
        digest=run.digest,
        queries=int(run.present.sum()),
        missing=tuple(queries[q] for q in np.flatnonzero(~run.present)),
        extra=run.extra,
        extra_names=run.extra_names,
        results=run.results,
        tie_rate=run.tied / max(run.results, 1),
        judged_rate=int(judged.sum()) / max(run.results, 1),
        judged_in_top_10=int((judged & (hits.rank <= 10)).sum()) / max(shallow, 1),
        undefined={
            str(measure): int(count)
            for measure, count in zip(measures, undefined, strict=True)
            if count
        },
    )
