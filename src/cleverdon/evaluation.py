"""Evaluation: runs, judgments and measures in, scores out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon import __version__
from cleverdon._common.arrays import Floats
from cleverdon._common.digests import pending
from cleverdon._common.extras import importing
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.data import CollectionFacts, Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.columns import naming_columns, take_list_column
from cleverdon.formats.inputs import (
    Repeats,
    any_in_sql,
    any_on_spark,
    is_engine_table,
    named_runs,
    one_by_one,
)
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.merging import OWN, joined_provenance
from cleverdon.profiles import Profile, find_profile
from cleverdon.rank import RankedRun, rank
from cleverdon.scores import Provenance, Rankings, RunProvenance, Scores
from cleverdon.settings import Settings

if TYPE_CHECKING:
    from cleverdon.unknowns.bounds import Bounds


RankingVariants = Mapping[Measure, tuple[Settings, bool]]
"""The ranking that each measure needs: settings, and whether it `uses_other_queries`."""


@shows_progress("evaluating")
def evaluate(
    qrels: Any,
    runs: Any = None,
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
    unreturned: str | None = None,
    docs: int | None = None,
    second: Any = None,
    weights: Any = None,
    collection: Any = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: Mapping[str, Any] | str | None = None,
    keep: int = 0,
    bounds: bool = False,
    rest: bool = False,
    unjudged: str | float | None = None,
    progress: Progress | bool | None = None,
) -> Scores:
    """Score one run, or several, by measures.

    Args:
        qrels: The judgments: a file, a dict of dicts, a data frame, rows of tuples or `Judgments`;
            a table of Ibis, or its address, such as "duckdb:///x.db#qrels".
            Or rankings that hold their judgments, as text: "R N R | R", or several by name.
        runs: A run, in any of these forms or as `Run`; several as a list, or as a dict by name,
            with `repeats(run1, run2)` for a system of several runs.
            None if the rankings are typed.
        measures: The measures, as "nDCG@10" or `nDCG @ 10`; by default those of the profile.
        profile: Another tool, whose choices, parameters and default measures are taken:
            "trec_eval-9", "trec_eval-10", "ir_measures", "gdeval", "ndeval", "beir", "msmarco",
            "sklearn", "torchmetrics", "ragas", "pyspark", "mlflow", "sentence-transformers",
            "lightgbm" or "polars-ds".
        ties: The order of equal scores: "descending" by document id (the default), "ascending",
            "input", "best" or "worst" for the system; or "expected", the mean over all orders.
            This and the keywords up to `unreturned` are choices on which tools disagree.
        order_by: What decides the order: the "score" (the default), or the "rank" column.
        precision: The precision of scores: "double" (the default), or "single".
        missing: A query that a run lacks counts as "empty" (the default); or "skip" it, or raise an
            "error".
        undefined: In averages, an undefined value counts as the "worst" (the default); or
            "always-worst", also where it is undefined for every query; or "skip" it, or raise an
            "error".
        duplicates: A document twice for one query is an "error" (the default); or take the "first"
            or the "best" of both; or "keep" both; or let both take up a rank but count "once".
        own_document: "keep" a document with the id of the query (the default), or "drop" it.
        no_relevant: "keep" queries without a relevant document (the default), or "skip" them.
        unreturned: "keep" judged documents that a run does not return, as missed (the default), or
            "drop" them.
        docs: The number of documents in the collection, for measures that need it.
        second: Other judgments, as of credibility, for measures of two grades.
        weights: How much each subtopic of a query counts: query, subtopic, number.
        collection: All judgments of a collection, or their `collection_facts`, if `qrels` are those
            of a part of its queries: the values are then those that the queries have among all.
        qrels_format: The format of the judgments, if not to be guessed: "trec", "csv", "tsv",
            "json", "jsonl", "xlsx", "parquet", "subtopics" or another of the guide to reading.
        run_format: The format of the runs, likewise.
        columns: The columns of tables, if not to be found by their names: `{"query": "Query Text",
            "doc": "sku", "grade": "Rating"}`. A table that lacks one is read by the usual names.
            "gold" and "retrieved" name the documents of judgments and of runs in one table.
        keep: How many results of each query to keep, with the rankings, for plots and
            explanations.
        bounds: Whether to add the lowest and highest values that ties and unjudged results could
            give.
        rest: Whether the bounds include the unseen rest of a collection of `docs` documents.
        unjudged: What the bounds let unjudged results be: `any` grade, `not-relevant`, or the
            largest grade. By default any; in typed rankings, not relevant.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        A value for each system, measure and query.

    Raises:
        InputError: A file cannot be read, or runs and judgments have nothing in common.
        OptionError: A choice is unknown.

    >>> qrels = {"q1": {"d1": 2, "d2": 0, "d3": 1}}
    >>> evaluate(qrels, {"q1": {"d1": 0.7, "d2": 0.5}}, ["nDCG@10", "P@1"]).to_dict()
    {'run': {'nDCG@10': 0.7601875334318685, 'P@1': 1.0}}
    >>> evaluate("R N R | R", measures=["P@3", "AP"]).to_dict()
    {'run': {'P@3': 0.6666666666666666, 'AP': 0.5555555555555555}}
    """
    progress = as_callback(progress)
    typed = None
    if runs is None:
        from cleverdon.formats.typed import are_typed, read_typed  # only where there are no files

        if not are_typed(qrels):
            raise InputError("there is no run to evaluate")
        typed = read_typed(qrels)
        runs = typed.runs
    elif isinstance(qrels, str):
        typed = getattr(qrels, "rankings", None)  # of a `TypedRanking`
    if typed is not None:
        qrels, ties = typed.judgments, ties or typed.ties
    given = {
        "ties": ties,
        "order_by": order_by,
        "precision": precision,
        "missing": missing,
        "undefined": undefined,
        "duplicates": duplicates,
        "own_document": own_document,
        "no_relevant": no_relevant,
        "unreturned": unreturned,
    }
    in_engine = any_in_sql(qrels, runs)
    if columns is not None or in_engine:
        files = {"qrels_format": qrels_format, "run_format": run_format}
        more = {"docs": docs, "second": second, "weights": weights, "keep": keep}
        how: dict[str, Any] = {"bounds": bounds, "rest": rest, "unjudged": unjudged}
        how |= {"collection": collection, "profile": profile, "progress": progress}
        how |= given | files | more
        if in_engine:
            with importing("evaluation in an SQL engine", extra="logs"):
                from cleverdon.scale.sql import opened_tables  # only for tables of engines
            with opened_tables(qrels, runs) as (tables, of_runs):
                return evaluate(tables, of_runs, measures, columns=columns, **how)
        with naming_columns(columns or {}) as names:
            scores = evaluate(qrels, runs, measures, **how)
        if unused := names.unused():
            raise OptionError(f"columns: no table has a column for {', '.join(unused)}")
        return scores
    tool = find_profile(profile)
    settings = tool.settings.changed(**given)
    if not isinstance(keep, int) or keep < 0:
        raise OptionError(f"keep={keep!r}: expected a whole number from 0 on")
    if rest and not bounds:
        raise OptionError("rest=True goes with bounds=True")
    if unjudged is not None and not bounds:
        raise OptionError(f"unjudged={unjudged!r} goes with bounds=True")
    varied = _varied_grades(unjudged, otherwise=typed is None)
    asked = tool.parse_asked(tool.measures if measures is None else measures)
    wanted = tuple(asked)
    named = [name for name, word in given.items() if word is not None]
    ways = {m: (tool.settings_of(m, settings, named), m.uses_other_queries) for m in wanted}
    also = [way for way in dict.fromkeys(ways.values()) if way != (settings, False)]
    renamed = {str(measure): text for measure, text in asked.items() if text}
    if any_on_spark(qrels, runs, second, weights):
        with importing("evaluation on Spark", extra="spark"):
            from cleverdon.scale.spark import evaluate_on_spark  # only where Spark is used

        if keep or bounds:
            what = "keep=" if keep else "bounds=True"
            raise OptionError(f"{what} needs the rankings, and these stay on the cluster")
        if collection is not None:
            raise OptionError("collection= is not for Spark, where qrels are all judgments")
        return evaluate_on_spark(
            qrels,
            runs,
            wanted,
            tool=tool,
            settings=settings,
            ways=ways,
            asked_for=renamed if measures is not None else {},
            docs=docs,
            second=second,
            weights=weights,
            formats=(qrels_format, run_format),
            progress=progress,
        )
    if isinstance(qrels, (str, os.PathLike)):
        qrels_format = qrels_format or tool.qrels_format
    twice = settings.qrels_duplicates
    take_list_column()  # of what was read before
    if is_engine_table(qrels):
        judgments = qrels.read_judgments(duplicates=twice)
    else:
        judgments = Judgments.read(qrels, format=qrels_format, duplicates=twice)
    gold = take_list_column()
    tool.check_grades(judgments.judged.top_grade)
    other = None if second is None else Judgments.read(second, duplicates=twice)
    shares = None if weights is None else Judgments.read(weights, weights=True).to_dict()
    positives = any(measure.needs == "positives" for measure in wanted)
    judgments = judgments.noting(docs=docs, second=other, weights=shares, positives=positives)
    if collection is not None:
        whole = _facts_of(collection, wanted, docs=docs, second=other, format=qrels_format)
        judgments = judgments.noting(collection=whole)
    ranked = []
    named_all = named_runs(runs, judgments.queries)
    repeated = {str(name): len(run.runs) for name, run in named_all if isinstance(run, Repeats)}
    if repeated:
        check_repeats(wanted, keep=keep, bounds=bounds)
    for name, run in one_by_one(named_all):
        part = collection is not None
        if is_engine_table(run):
            how = {"keep": keep, "also": also, "part": part, "progress": progress}
            ranked.append(run.rank(judgments, settings=settings, name=name, **how))
            continue
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
                part=part,
                progress=progress,
            )
        )
        if gold is not None and gold == take_list_column():
            paths = [os.path.realpath(file) for file in (judgments.source, ranked[-1].source)]
            same_file = judgments.source not in ("", "-") and paths[0] == paths[1]
            if same_file or qrels is runs or qrels is run:
                raise _refuse_one_column(gold, judgments.source)
    scores = score(judgments, ranked, wanted, settings=settings, profile=profile, ways=ways)
    if repeated:
        scores = average_repeats(scores, repeated)
    if measures is not None:
        scores = replace(scores, about=scores.about.replace(asked_for=renamed))
    if keep:
        hits = {run.name: run.hits for run in ranked}
        scores = replace(scores, rankings=Rankings(judgments, hits))
    if bounds:
        found = _bounds_of_runs(ranked, ways, tool, rest=rest, unjudged=varied, progress=progress)
        scores = replace(scores, bounds=found)
    return scores


def collection_facts(
    qrels: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    profile: str = "cleverdon",
    docs: int | None = None,
    second: Any = None,
    qrels_format: str | None = None,
) -> CollectionFacts:
    """Collect what measures need to know of all judgments, to evaluate some of the queries.

    ERR and RBP need the largest grade, Hole@k the documents that are judged for any query. The
    record is small where the measures need little, and can be sent to other machines.

    Args:
        qrels: All judgments of the collection, in any form that `evaluate` takes.
        measures: The measures that will be evaluated.
        profile: The profile by which they will be.
        docs: The number of documents in the collection, for measures that need it.
        second: Other judgments, as of credibility, for measures of two grades.
        qrels_format: The format of the judgments, if not to be guessed.

    Returns:
        The facts, which `evaluate` takes as `collection`.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"d1": 3}, "q2": {"d1": 1}}
    >>> facts = collection_facts(qrels, "ERR nDCG@10")
    >>> part = evaluate({"q2": {"d1": 1}}, {"q2": {"d1": 1.0}}, "ERR", collection=facts)
    >>> part.to_dict()
    {'run': {'ERR': 0.125}}
    """
    tool = find_profile(profile)
    if isinstance(qrels, (str, os.PathLike)):
        qrels_format = qrels_format or tool.qrels_format
    twice = tool.settings.qrels_duplicates
    other = None if second is None else Judgments.read(second, duplicates=twice)
    wanted = tool.parse(measures)
    return _facts_of(qrels, wanted, docs=docs, second=other, format=qrels_format)


def _facts_of(
    collection: Any,
    measures: Iterable[Measure],
    *,
    docs: int | None,
    second: Judgments | None,
    format: str | None,
) -> CollectionFacts:
    if isinstance(collection, CollectionFacts):
        return collection
    judgments = Judgments.read(collection, format=None if _in_memory(collection) else format)
    needs = {need for measure in measures for need in measure.needs_of_collection}
    numbers = {"top_grade", "top_second", "docs", "queries"}  # small, and bounds need the first
    return judgments.noting(docs=docs, second=second).facts(needs | numbers)


def _in_memory(data: Any) -> bool:
    return not isinstance(data, (str, os.PathLike))


def _refuse_one_column(column: str, source: str) -> InputError:
    return InputError(
        f"judgments and run would both be the column {column!r}; name one for each: --columns "
        "gold=NAME,retrieved=NAME, in Python columns={'gold': 'NAME', 'retrieved': 'NAME'}",
        source=source,
    )


def check_repeats(measures: tuple[Measure, ...], *, keep: int = 0, bounds: bool = False) -> None:
    if keep or bounds:
        what = "keep=" if keep else "bounds=True"
        raise OptionError(f"{what} is of single runs, and a system has several (repeats)")
    for measure in measures:
        if measure.text:
            raise OptionError(f"{measure} gives texts, which have no mean over several runs")


def average_repeats(scores: Scores, repeated: Mapping[str, int]) -> Scores:
    """Make one system of the runs of each, whose values are the means; keep them as well."""
    at, rows, systems = 0, [], []
    while at < len(scores.systems):
        name, _, number = scores.systems[at].rpartition("#")
        count = repeated[name] if number == "1" and name in repeated else 1
        systems.append(name if count > 1 else scores.systems[at])
        rows.append(slice(at, at + count))
        at += count
    if len(set(systems)) < len(systems):
        raise InputError(f"two runs are called {max(systems, key=systems.count)!r}")
    runs = [[scores.about.runs[name] for name in scores.systems[part]] for part in rows]
    return replace(
        scores,
        systems=tuple(systems),
        values=np.array([scores.values[part].mean(axis=0) for part in rows]),
        evaluated=np.array([scores.evaluated[part].all(axis=0) for part in rows]),
        about=scores.about.replace(
            runs=dict(zip(systems, map(joined_provenance, runs), strict=True)),
            repeats={
                name: tuple(of) for name, of in zip(systems, runs, strict=True) if name in repeated
            },
        ),
        parts={
            measure: np.array([found[part].mean(axis=0) for part in rows])
            for measure, found in scores.parts.items()
        },
        repeats={
            name: scores.values[part]
            for name, part in zip(systems, rows, strict=True)
            if name in repeated
        },
    )


def _varied_grades(unjudged: str | float | None, *, otherwise: bool) -> bool | float:
    """Return the grades of unjudged results as `bounds` takes them; `otherwise` is the default."""
    words = {None: otherwise, "any": True, "not-relevant": False}
    if unjudged is None or isinstance(unjudged, str):
        if unjudged not in words:
            raise OptionError(f"unjudged={unjudged!r}: expected any, not-relevant or a grade")
        return words[unjudged]
    return unjudged


def _bounds_of_runs(
    ranked: list[RankedRun],
    ways: RankingVariants,
    tool: Profile,
    *,
    rest: bool,
    unjudged: bool | float,
    progress: Progress | None,
) -> dict[str, dict[str, Bounds]]:
    from cleverdon.unknowns.bounds import bounds  # only where they are asked for

    found: dict[str, dict[str, Bounds]] = {run.name: {} for run in ranked}
    for r, run in enumerate(ranked):
        for m, (measure, (settings, elsewhere)) in enumerate(ways.items()):
            if progress is not None:
                progress(f"bounds of {run.name}", r * len(ways) + m, len(ranked) * len(ways))
            hits = run.hits_by(settings, elsewhere=elsewhere)
            ends = bounds(measure, hits, rest=rest, unjudged=unjudged)
            absent = tool.value_of_absent(measure)
            if absent is not None:
                lowest, highest = (
                    np.where(run.present, end, absent) for end in (ends.lowest, ends.highest)
                )
                ends = replace(ends, lowest=lowest, highest=highest)
            if tool.value_where_undefined(measure) is not None:
                lowest, highest = (
                    _where_defined(tool, measure, end, hits) for end in (ends.lowest, ends.highest)
                )
                ends = replace(ends, lowest=lowest, highest=highest)
            found[run.name][str(measure)] = ends
    return found


def _where_defined(tool: Profile, measure: Measure, values: Floats, hits: Hits) -> Floats:
    """Return the values, with those that the tool gives to what is undefined."""
    given = tool.value_where_undefined(measure)
    if given is None:
        return values
    return np.where(np.isnan(values), np.where(hits.returned > 0, *given), values)


def score(
    judgments: Judgments,
    ranked: list[RankedRun],
    measures: tuple[Measure, ...],
    *,
    settings: Settings,
    profile: str = "cleverdon",
    ways: RankingVariants | None = None,
) -> Scores:
    """Score runs that are ranked already, in all `ways` that the measures want."""
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
        ways = {measure: (settings, measure.uses_other_queries) for measure in measures}
    scored = [score_run(run, measures, ways, find_profile(profile)) for run in ranked]
    values = np.array([found for found, _ in scored])
    values[~np.broadcast_to(evaluated[:, None, :], values.shape)] = np.nan
    about = Provenance(
        version=__version__,
        profile=profile,
        settings=settings,
        qrels=judgments.source,
        qrels_digest=pending(judgments),
        queries=len(queries),
        judgments=len(judgments),
        runs={
            run.name: _run_provenance(run, queries, measures, values[s], evaluated[s])
            for s, run in enumerate(ranked)
        },
        docs=judgments.judged.docs,
        pooled=int((judgments.judged.grade < 0).sum()),
        top_grade=float(np.max(judgments.judged.grade, initial=-np.inf)),
        collection=_facts_used(judgments, measures),
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


def score_run(
    run: RankedRun, measures: tuple[Measure, ...], ways: RankingVariants, tool: Profile
) -> tuple[Floats, dict[Measure, Floats]]:
    """Return a run's values (measures x queries) by measures that need different rankings, and the
    parts of measures that have any; both also for queries that are not to be evaluated.
    """
    values = np.empty((len(measures), len(run.hits)))
    parts: dict[Measure, Floats] = {}
    for way in dict.fromkeys(ways.values()):
        rows = [row for row, measure in enumerate(measures) if ways[measure] == way]
        settings, elsewhere = way
        hits = run.hits_by(settings, elsewhere=elsewhere)
        of_these = tuple(measures[row] for row in rows)
        values[rows], found = _score_measures(of_these, hits, expected=settings.ties == "expected")
        parts |= found
    for row, measure in enumerate(measures):
        absent = tool.value_of_absent(measure)
        if absent is not None:
            values[row, ~run.present] = absent
        values[row] = _where_defined(tool, measure, values[row], run.hits)
    return values, parts


def _score_measures(
    measures: tuple[Measure, ...], hits: Hits, *, expected: bool
) -> tuple[Floats, dict[Measure, Floats]]:
    """Return the values of each measure for each query, and the parts of those that have any."""
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


def _facts_used(judgments: Judgments, measures: Iterable[Measure]) -> dict[str, float | str]:
    """Return the facts of the whole collection on which the values of each query depend."""
    facts, judged = judgments.notes.collection or CollectionFacts(), judgments.judged
    numbers = {"top_grade": judged.top_grade, "top_second": judged.top_second}
    numbers["queries"] = judged.all_queries
    needs = {need for measure in measures for need in measure.needs_of_collection} - {"docs"}
    needs.add("top_grade")  # for bounds
    return {
        need: numbers[need]
        if need in numbers
        else (facts.digest(need) if getattr(facts, need) is not None else OWN)
        for need in sorted(needs)
    }


def _run_provenance(
    run: RankedRun, queries: list[str], measures: tuple[Measure, ...], values: Any, evaluated: Any
) -> RunProvenance:
    hits = run.hits
    judged = hits.grade >= 0
    cuts = cutoffs(measures)
    returned_at = {k: int(np.minimum(hits.returned, k).sum()) for k in sorted({10, *cuts})}

    def judged_in_top(k: int) -> float:
        return int((judged & (hits.rank <= k)).sum()) / max(returned_at[k], 1)

    undefined = np.isnan(values[:, evaluated]).sum(axis=1)
    return RunProvenance(
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
        judged_at={k: judged_in_top(k) for k in cuts},
        returned_at=returned_at,
        deepest=int(hits.returned.max(initial=0)),
    )


def cutoffs(measures: Iterable[Measure]) -> list[int]:
    """Return the ranks at which measures cut rankings off, in ascending order."""
    found = {getattr(measure, "k", None) for measure in measures if measure.cut == "k"}
    return sorted(k for k in found if isinstance(k, int))
