"""Evaluation on Spark: the same numbers as on one machine, to the last bit.

Judgments and runs become one table of rows (query, what it is, document, number). Rows of queries
without judgments are dropped, the others are shuffled by a hash of their query, and each partition
goes through the core (`worker`). What measures need of the whole collection is computed before.

A frame comes out, with a row for each query and system. It stays on the cluster: provenance is
summed there, and values are collected when somebody asks for them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sql
from pyspark.storagelevel import StorageLevel

from cleverdon import __version__, _core
from cleverdon._common.progress import Progress
from cleverdon.data import Judgments, Nested, Rows, Run
from cleverdon.errors import InputError, OptionError
from cleverdon.evaluation import RankingVariants, average_repeats, check_repeats, cutoffs
from cleverdon.formats.annotated_qrels import SUBTOPIC
from cleverdon.formats.columns import RANK, choose_columns, column_position
from cleverdon.formats.inputs import (
    SPARK,
    Repeats,
    any_on_spark,
    each_input,
    is_on_spark,
    named_runs,
    one_by_one,
    open_input,
    run_name,
)
from cleverdon.formats.lines import Lines
from cleverdon.measures.base import Measure
from cleverdon.merging import OWN
from cleverdon.profiles import Profile
from cleverdon.rank import nothing_in_common
from cleverdon.scale.worker import (
    ELSEWHERE,
    FIRST_RUN,
    JUDGED,
    POSITIVES,
    SECOND,
    Plan,
    evaluate_batches,
)
from cleverdon.scores import Provenance, RunProvenance, Scores
from cleverdon.settings import Settings

_MOST_BROADCAST = 2_000_000
"""With more judged queries, their hashes are not sent to every executor to filter runs with."""

_ORDER = ("line", "line_number", "row", "row_number")
"""Columns that say which row comes first, where that matters; of runs, so do ranks."""

_NAMED = 5


def evaluate_on_spark(
    qrels: Any,
    runs: Any,
    measures: tuple[Measure, ...],
    *,
    tool: Profile,
    settings: Settings,
    ways: RankingVariants,
    asked_for: Mapping[str, str],
    docs: int | None,
    second: Any,
    weights: Any,
    formats: tuple[str | None, str | None],
    progress: Progress,
) -> Scores:
    """Evaluate runs and judgments of which some are in Spark: see `cleverdon.evaluate`."""
    session = _session(qrels, second, weights, runs)
    opening = _Opening(session, ordered=_needs_order(settings, ways), settings=settings)
    progress("reading judgments on Spark")
    with spark_errors():
        judged = opening.judgments(qrels, format=formats[0], what="judgments")
        others = None if second is None else opening.judgments(second, what="second judgments")
        named = _named(runs)
        repeated = {str(name): len(run.runs) for name, run in named if isinstance(run, Repeats)}
        if repeated:
            check_repeats(measures)
        systems = [
            opening.run(run, name=name, number=number, format=formats[1])
            for number, (name, run) in enumerate(one_by_one(named))
        ]
    names = [system.name for system in systems]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two runs are called {name!r}; give them names: {{'name': run}}")
    with spark_errors():
        plan, rows, whole = _planned(
            judged,
            others,
            systems,
            Plan(
                systems=tuple(names),
                kinds=tuple(system.kind for system in systems),
                measures=measures,
                profile=tool.name,
                settings=settings,
                ways=ways,
                cutoffs=tuple(sorted({10, *cutoffs(measures)})),
                format=judged.format,
                docs=docs if docs is not None else judged.docs,
                second=others is not None,
                weights=_weights(weights, session),
                ordered=opening.ordered,
            ),
            tool,
        )
        values = _evaluated(rows, plan).persist(StorageLevel.MEMORY_AND_DISK)
        progress(f"evaluating {' and '.join(names) if len(names) < 3 else f'{len(names)} runs'}")
        about = _provenance(values, plan, judged, systems, whole, asked_for)
    made = SparkScores.on_cluster(plan, values, about)
    if settings.missing == "error":
        _check_nothing_missing(made)
    if settings.undefined == "error":
        _ = made.means  # which raises the error, now rather than when somebody looks
    return average_repeats(made.collect(), repeated) if repeated else made


# Inputs


def _session(*inputs: Any) -> SparkSession:
    """Return the session of the frames, or the active one."""
    for data in each_input(*inputs):
        if is_on_spark(data) and not isinstance(data, str):
            found: SparkSession = data.sparkSession
            return found
    active = SparkSession.getActiveSession()
    if active is None:
        raise OptionError(
            f"{SPARK} needs a session: SparkSession.builder.getOrCreate() makes one; on the "
            "command line, cleverdon spark eval does"
        )
    return active


def _named(runs: Any) -> list[tuple[str | None, Any]]:
    """Return the runs with their names; None where a run has its own name."""
    if is_on_spark(runs):
        return [(None, runs)]
    if isinstance(runs, Mapping) and any_on_spark(runs):
        return [(str(name), run) for name, run in runs.items()]
    if isinstance(runs, (list, tuple)) and any_on_spark(runs):
        return [
            (f"run {number}" if is_on_spark(run) and not isinstance(run, str) else None, run)
            for number, run in enumerate(runs, start=1)
        ]
    return named_runs(runs)


@dataclass(frozen=True)
class _Judged:
    """Judgments on Spark: columns key, query, doc, value, and name where they are annotated."""

    frame: DataFrame
    format: str | None = None  # of the annotations
    source: str = ""
    digest: str = ""
    docs: int | None = None


@dataclass(frozen=True)
class _System:
    """A run on Spark: columns key, part, query, doc, value, and order where that matters."""

    frame: DataFrame
    name: str
    kind: str  # score or rank
    source: str = ""
    digest: str = ""


@dataclass(frozen=True)
class _Opening:
    """Makes frames of columns with fixed names out of whatever was given."""

    session: SparkSession
    ordered: bool  # whether it matters which row comes first
    settings: Settings

    def judgments(self, data: Any, *, format: str | None = None, what: str) -> _Judged:
        """Open judgments, with subtopics, strata or probabilities if the format says so."""
        twice = self.settings.qrels_duplicates
        if not is_on_spark(data):
            return _local_judgments(
                Judgments.read(data, format=format, duplicates=twice), self.session
            )
        frame, source = self._frame(data)
        columns = _Columns.of(frame, kind="grade", source=source or what)
        picked = columns.picked()
        named: tuple[str, ...] = ()
        if format is not None:
            picked["name"] = columns.annotation(format)
            named = ("name",) if format == "subtopics" else ()
        if twice == "first":
            picked["order"] = columns.order((*_ORDER,), needed_by="duplicates=first")
        chosen = frame.select(*_aliased(picked)).where("doc is not null or value is not null")
        if twice == "first":
            rest = [name for name in ("value", "name") if name in picked and name not in named]
            first = sql.min_by(sql.struct(*rest), "order").alias("first")
            chosen = chosen.groupBy("query", "doc", *named).agg(first)
            chosen = chosen.select("query", "doc", *named, *(f"first.{name}" for name in rest))
        return _Judged(_keyed(chosen), format=format, source=source)

    def run(self, data: Any, *, name: str | None, number: int, format: str | None) -> _System:
        """Open a run; `number` counts the runs from 0 on."""
        source, digest, kind = "", "", "score"
        if is_on_spark(data):
            frame, source = self._frame(data)
            name = name or (run_name(source) if source else "run")
            how = self.settings.order_by
            columns = _Columns.of(frame, kind=how, source=source or name)
            kind, picked = columns.kind, columns.picked()
            if self.ordered:
                needed = "ties=input" if self.settings.duplicates != "first" else "duplicates=first"
                picked["order"] = columns.order((*_ORDER, *RANK), needed_by=needed)
            frame = frame.select(*_aliased(picked))
        else:
            opened = _local_run(data, name=name, format=format, settings=self.settings)
            name, source, digest = opened.name, opened.source, opened.digest
            frame = _from_rows(self.session, opened, ordered=self.ordered)
        frame = _keyed(frame).withColumn("part", sql.lit(FIRST_RUN + number))
        return _System(frame, name, kind, source, digest)

    def _frame(self, data: Any) -> tuple[DataFrame, str]:
        """Return a frame, and the table or path that it was read from."""
        if not isinstance(data, str):
            return data, ""
        name = data.removeprefix(SPARK)
        if "/" in name or name.endswith(".parquet"):
            return self.session.read.parquet(name), name
        return self.session.table(name), name


@dataclass(frozen=True)
class _Columns:
    """The columns of a frame that are query, document and number."""

    frame: DataFrame
    query: str
    doc: str
    value: str
    kind: str
    source: str

    @classmethod
    def of(cls, frame: DataFrame, *, kind: str, source: str) -> _Columns:
        names = list(frame.columns)
        (query, doc, value), kind = choose_columns(names, kind=kind, source=source)
        return cls(frame, names[query], names[doc], names[value], kind, source)

    def picked(self) -> dict[str, Any]:
        """Return the columns as ids and numbers; other types are an error, as in Arrow tables."""
        types = {field.name: field.dataType for field in self.frame.schema.fields}
        whole = ("byte", "short", "integer", "long")
        for name in (self.query, self.doc):
            held = types[name].typeName()
            if held not in ("string", "char", "varchar", *whole):
                raise self._error(
                    f"column {name!r} holds {types[name].simpleString()}, not text or integers; "
                    "convert the ids first"
                )
        held = types[self.value].typeName()
        boolean = ("boolean",) if self.kind == "grade" else ()
        if held not in (*whole, *boolean, "float", "double", "decimal"):
            held = types[self.value].simpleString()
            raise self._error(f"column {self.value!r} holds {held}, which is not a number")
        ids = {"query": self._column(self.query), "doc": self._column(self.doc)}
        picked = {name: column.cast("string") for name, column in ids.items()}
        return picked | {"value": self._column(self.value).cast("double")}

    def annotation(self, format: str) -> Any:
        """Return the text that annotated judgments have beside the grade."""
        if format == "subtopics":
            return self._column(self._named(SUBTOPIC, "subtopics")).cast("string")
        if format == "strata":
            stratum = self._column(self._named(("stratum",), "strata")).cast("double")
            return sql.when(
                stratum == sql.floor(stratum), stratum.cast("long").cast("string")
            ).otherwise(stratum.cast("string"))
        if format == "sampled":
            names = list(self.frame.columns)
            given = self._column(self._named(("probability",), "probabilities")).cast("double")
            at = column_position(names, ("method",))
            method = sql.lit("1") if at is None else self._column(names[at]).cast("string")
            known = given.isNotNull() & ~sql.isnan(given)
            probability = sql.when(known, given.cast("string")).otherwise(sql.lit("NA"))
            return sql.concat_ws(" ", method, probability)
        raise OptionError(
            f"qrels_format={format!r} is for files; of Spark's tables there are subtopics, strata "
            "and sampled"
        )

    def order(self, known: Sequence[str], *, needed_by: str) -> Any:
        """Return the column by which rows are ordered where nothing else decides."""
        names = list(self.frame.columns)
        at = column_position(names, known)
        if at is None:
            raise OptionError(
                f"{self.source}: {needed_by} asks which row comes first, and rows on Spark have no "
                f"order; add a column {known[0]!r} that counts them"
            )
        return self._column(names[at]).cast("double")

    def _named(self, known: Sequence[str], what: str) -> str:
        names = list(self.frame.columns)
        at = column_position(names, known)
        if at is None:
            raise self._error(f"has no column of {what}: it is called {' or '.join(known)}")
        return names[at]

    def _column(self, name: str) -> Any:
        return self.frame[f"`{name.replace('`', '``')}`"]

    def _error(self, message: str) -> InputError:
        return InputError(message, source=self.source)


def _aliased(columns: Mapping[str, Any]) -> list[Any]:
    return [column.alias(name) for name, column in columns.items()]


def _keyed(frame: DataFrame) -> DataFrame:
    """Add the hash by which rows are shuffled and sorted: numbers are sorted far faster than ids.

    Queries with the same hash come into the same block, which tells them apart.
    """
    return frame.withColumn("key", sql.xxhash64("query"))


def _local_run(data: Any, *, name: str | None, format: str | None, settings: Settings) -> Run:
    """Read a run that is not on Spark, with documents that occur twice."""
    how: dict[str, Any] = {"format": format, "name": name, "order_by": settings.order_by}
    opened = open_input(Run, data, duplicates="unchecked", **how)
    if isinstance(opened, Lines):
        table = _core.Table.read(opened.source, opened.layout, "unchecked")
        facts = {"source": opened.source.name, "digest": opened.source.digest()}
        opened = Run(table, name=opened.name, unlisted=opened.unlisted, **facts)
    if name is None:
        return opened
    facts = {"source": opened.source, "digest": opened.digest}
    return Run(opened._table, name=name, unlisted=opened._unlisted, **facts)


def _from_rows(session: SparkSession, rows: Rows, *, ordered: bool = False) -> DataFrame:
    """Send rows of this machine to Spark."""
    table = pa.table(rows)
    columns = dict(zip(("query", "doc", "value"), table.columns, strict=True))
    columns = {name: column.combine_chunks() for name, column in columns.items()}
    columns = {
        name: column.cast(pa.float64() if name == "value" else pa.string())
        for name, column in columns.items()
    }
    if rows.empty and isinstance(rows, Run):
        nothing = len(rows.empty)
        columns = {
            "query": pa.concat_arrays([columns["query"], pa.array(rows.empty, pa.string())]),
            "doc": pa.concat_arrays([columns["doc"], pa.nulls(nothing, pa.string())]),
            "value": pa.concat_arrays([columns["value"], pa.nulls(nothing, pa.float64())]),
        }
    if ordered:
        columns["order"] = pa.array(np.arange(len(columns["query"]), dtype=np.float64))
    return _as_frame(session, columns)


def _as_frame(session: SparkSession, columns: Mapping[str, Any]) -> DataFrame:
    frame: DataFrame = session.createDataFrame(pa.table(dict(columns)))
    return frame


def _local_judgments(judgments: Judgments, session: SparkSession) -> _Judged:
    """Send judgments of this machine to Spark, with their annotations."""
    notes = judgments.notes
    facts: dict[str, Any] = {"source": judgments.source, "digest": judgments.digest}
    facts["docs"] = notes.docs
    if notes.second is not None or notes.weights is not None:
        raise OptionError("on Spark, second grades and weights are given by second= and weights=")
    noted = {
        "subtopics": notes.subtopics,
        "strata": notes.stratum,
        "sampled": notes.probability,
    }
    formats = [format for format, found in noted.items() if found is not None]
    if not formats:
        return _Judged(_keyed(_from_rows(session, judgments)), **facts)
    if len(formats) > 1:
        raise OptionError(f"on Spark, judgments have {' or '.join(formats)}, and not both")
    rows = list(_annotated_rows(judgments, formats[0]))
    columns = dict(
        zip(("query", "doc", "value", "name"), map(pa.array, zip(*rows, strict=True)), strict=True)
    )
    return _Judged(_keyed(_as_frame(session, columns)), format=formats[0], **facts)


def _annotated_rows(judgments: Judgments, format: str) -> Iterator[tuple[str, str, float, str]]:
    notes = judgments.notes
    for query, doc, grade in judgments.rows():
        if notes.subtopics is not None:
            for subtopic, of_subtopic in notes.subtopics[query][doc].items():
                yield query, doc, of_subtopic, subtopic
        elif notes.stratum is not None:
            yield query, doc, grade, str(int(notes.stratum[query][doc]))
        elif notes.probability is not None:
            probability = notes.probability[query][doc]
            yield query, doc, grade, "0 NA" if np.isnan(probability) else f"1 {probability!r}"


def _weights(weights: Any, session: SparkSession) -> Nested | None:
    """Return the weights of subtopics: people made them, so that they fit anywhere."""
    if weights is None:
        return None
    if isinstance(weights, str) and is_on_spark(weights):
        name = weights.removeprefix(SPARK)
        path = "/" in name or name.endswith(".parquet")
        weights = session.read.parquet(name) if path else session.table(name)
    if is_on_spark(weights):
        weights = weights.toArrow()
    return Judgments.read(weights, weights=True).to_dict()


def _needs_order(settings: Settings, ways: RankingVariants) -> bool:
    """Tell whether it matters which of two rows comes first."""
    every = [settings, *(way for way, _ in ways.values())]
    return any(way.ties == "input" or way.duplicates == "first" for way in every)


# The plan


@dataclass(frozen=True)
class _Whole:
    """Facts of the judgments and runs as a whole, for provenance."""

    top_grade: float
    first: str  # query with judgments
    keys: Any  # the hashes of the queries with judgments


def _planned(
    judged: _Judged, second: _Judged | None, systems: list[_System], plan: Plan, tool: Profile
) -> tuple[Plan, DataFrame, _Whole]:
    """Compute what measures need of all queries; return the rows that the workers get."""
    per_query = judged.frame.groupBy("query").agg(
        sql.count("*").alias("rows"), sql.max("value").alias("top")
    )
    facts = per_query.agg(
        sql.count("query").alias("queries"),
        sql.sum("rows").alias("rows"),
        sql.max("top").alias("top"),
        sql.min("query").alias("first"),
    ).first()
    if facts is None or not facts["rows"]:
        raise InputError("has no rows", source=judged.source or "judgments")
    top = float(facts["top"]) if facts["top"] is not None else 0.0
    tool.check_grades(max(top, 0.0))
    plan = replace(plan, top_grade=max(top, 0.0), queries=int(facts["queries"]))
    # The hashes of rows without a query are among them: the worker finds the row, and refuses it.
    nothing = sql.array(sql.xxhash64(sql.lit(None).cast("string")), sql.xxhash64(sql.lit("")))
    without = judged.frame.limit(1).select(sql.explode(nothing).alias("key"))
    keys = judged.frame.select("key").union(without).distinct()
    whole = _Whole(top, str(facts["first"]), keys)
    if plan.queries <= _MOST_BROADCAST:
        keys = sql.broadcast(keys)
        systems = [
            replace(system, frame=system.frame.join(keys, "key", "left_semi")) for system in systems
        ]
    if plan.weights is not None:
        _check_in_common(judged.frame, list(plan.weights), "weights", whole.first)
    parts = [judged.frame.withColumn("part", sql.lit(JUDGED))]
    if second is not None:
        graded = second.frame.join(whole.keys, "key", "left_semi")
        found = graded.agg(sql.max("value").alias("top"), sql.count("*").alias("rows")).first()
        if found is None or not found["rows"]:
            raise InputError(
                "the second judgments have no query in common with the first; the first have "
                f"{whole.first!r}"
            )
        plan = replace(plan, top_second=max(float(found["top"] or 0.0), 0.0))
        parts.append(graded.withColumn("part", sql.lit(SECOND)))
    needs = _needs(plan.measures)
    if "positives" in needs:
        parts.append(_times_relevant(judged.frame).withColumn("part", sql.lit(POSITIVES)))
    parts += [system.frame for system in systems]
    if "judged_docs" in needs:
        plan = replace(plan, elsewhere=True)
        docs = judged.frame.select("doc").distinct()
        parts += [
            system.frame.join(docs, "doc", "left_semi")
            .withColumn("part", sql.lit(ELSEWHERE))
            .where("doc is not null")
            for system in systems
        ]
    columns: dict[str, Any] = {"key": None, "part": None, "query": None, "doc": None, "value": None}
    if plan.format is not None:
        columns["name"] = sql.lit(None).cast("string")
    if plan.ordered:
        columns["order"] = sql.lit(None).cast("double")
    rows = [
        part.select(
            *(
                sql.col(name) if name in part.columns else column.alias(name)
                for name, column in columns.items()
            )
        )
        for part in parts
    ]
    united = rows[0]
    for more in rows[1:]:
        united = united.unionByName(more)
    return plan, united, whole


def _needs(measures: Iterable[Measure]) -> set[str]:
    """Return the facts of the whole collection that the measures need."""
    return {need for measure in measures for need in measure.needs_of_collection}


def _times_relevant(judged: DataFrame) -> DataFrame:
    """Return for each judgment the number of queries for which its document is relevant."""
    once = judged.groupBy("key", "query", "doc").agg(sql.max("value").alias("grade"))
    times = once.where("grade > 0").groupBy("doc").agg(sql.count("*").alias("times"))
    value = sql.coalesce("times", sql.lit(0)).cast("double").alias("value")
    return once.join(times, "doc", "left").select("key", "query", "doc", value)


def _check_in_common(judged: DataFrame, queries: list[str], what: str, first: str) -> None:
    if judged.where(sql.col("query").isin(queries)).limit(1).count() == 0:
        raise InputError(
            f"no query of the judgments has {what}: they have {first!r}, the {what} have "
            f"{queries[0]!r}"
        )


def _evaluated(rows: DataFrame, plan: Plan) -> DataFrame:
    """Shuffle the rows by query, and evaluate each partition."""

    def evaluate(batches: Iterable[Any]) -> Iterable[Any]:
        # A task has one thread: the others are those of the tasks beside it.
        os.environ.setdefault("RAYON_NUM_THREADS", "1")
        return evaluate_batches(batches, plan)

    types = {
        "bool": "boolean",
        "int32": "int",
        "int64": "long",
        "list<item: double>": "array<double>",
    }
    kinds = [(field.name, str(field.type)) for field in plan.schema]
    schema = ", ".join(f"{name} {types.get(kind, kind)}" for name, kind in kinds)
    return rows.repartition("key").sortWithinPartitions("key").mapInArrow(evaluate, schema)


# What comes out


def _provenance(
    values: DataFrame,
    plan: Plan,
    judged: _Judged,
    systems: list[_System],
    whole: _Whole,
    asked_for: Mapping[str, str],
) -> Provenance:
    """Sum up on the cluster what is known of each run; raise the first error of a worker."""
    numbers = [m for m, measure in enumerate(plan.measures) if not measure.text]
    undefined = [
        sql.sum((sql.isnan(f"value{m}") & sql.col("evaluated")).cast("long")).alias(f"undefined{m}")
        for m in numbers
    ]
    found = (
        values.groupBy("system")
        .agg(
            sql.min("error").alias("error"),
            sql.sum(sql.col("present").cast("long")).alias("present"),
            sql.max("returned").alias("deepest"),
            *(sql.sum(name).alias(name) for name in plan.counts),
            *undefined,
        )
        .collect()
    )
    for row in found:
        if row["error"] is not None:
            raise InputError(row["error"])
    of_system = {row["system"]: row for row in found}
    extras = _extras(systems, whole)
    lacking = _lacking(values)
    runs = {}
    for s, system in enumerate(systems):
        row = of_system[s]
        extra, first = extras.get(FIRST_RUN + s, (0, ""))
        if not row["present"]:
            name, source = system.name, system.source
            raise nothing_in_common(whole.first, [first] if extra else [], source=source, name=name)
        at = {k: row[f"judged_at_{k}"] / max(row[f"returned_at_{k}"], 1) for k in plan.cutoffs}
        results = row["returned"]
        runs[system.name] = RunProvenance(
            source=system.source,
            digest=system.digest,
            queries=row["present"],
            missing=tuple(lacking[s, False]) if (s, False) in lacking else (),
            empty=tuple(lacking[s, True]) if (s, True) in lacking else (),
            extra=extra,
            extra_names=(first,) if extra else (),
            results=results,
            tie_rate=row["tied"] / max(results, 1),
            judged_rate=row["judged"] / max(results, 1),
            judged_in_top_10=at[10],
            undefined={
                str(plan.measures[m]): row[f"undefined{m}"] for m in numbers if row[f"undefined{m}"]
            },
            judged_at={k: at[k] for k in cutoffs(plan.measures)},
            returned_at={k: row[f"returned_at_{k}"] for k in plan.cutoffs},
            deepest=row["deepest"],
        )
    known: dict[str, float | str] = {"top_grade": plan.top_grade, "top_second": plan.top_second}
    known["queries"] = plan.queries if "queries" in _needs(plan.measures) else 0
    return Provenance(
        version=__version__,
        profile=plan.profile,
        settings=plan.settings,
        qrels=judged.source,
        qrels_digest=judged.digest,
        queries=plan.queries,
        judgments=of_system[0]["judgments"],
        runs=runs,
        docs=plan.docs,
        pooled=of_system[0]["pooled"],
        asked_for=dict(asked_for),
        collection={
            need: known.get(need, OWN)
            for need in sorted({"top_grade", *_needs(plan.measures)} - {"docs"})
        },
        top_grade=whole.top_grade,
    )


def _extras(systems: list[_System], whole: _Whole) -> dict[int, tuple[int, str]]:
    """Count the queries of each run that have no judgments; return one of them as well."""
    asked = systems[0].frame.select("key", "part", "query")
    for system in systems[1:]:
        asked = asked.union(system.frame.select("key", "part", "query"))
    unjudged = asked.join(sql.broadcast(whole.keys), "key", "left_anti").distinct()
    found = unjudged.groupBy("part").agg(sql.count("*").alias("n"), sql.min("query").alias("first"))
    return {row["part"]: (row["n"], row["first"]) for row in found.collect()}


def _lacking(values: DataFrame) -> dict[tuple[int, bool], list[str]]:
    """Return the judged queries without results, by system and by whether the run has them."""
    table = values.where("returned = 0").select("system", "present", "query").toArrow()
    found: dict[tuple[int, bool], list[str]] = {}
    for row in sorted(table.to_pylist(), key=lambda row: str(row["query"])):
        found.setdefault((row["system"], row["present"]), []).append(row["query"])
    return found


def _check_nothing_missing(scores: Scores) -> None:
    for name in scores.systems:
        missing = scores.about.runs[name].missing
        if missing:
            raise InputError(f"{name} lacks the judged query {missing[0]!r}")


_COLLECTED = ("queries", "values", "evaluated", "texts", "parts")


class SparkScores(Scores):
    """Scores whose values stay on the cluster until somebody asks for them.

    `frame` is what is there. Averages and everything else of `Scores` collect the values, once.
    """

    @classmethod
    def on_cluster(cls, plan: Plan, frame: DataFrame, about: Provenance) -> SparkScores:
        """Make scores of the frame that workers made."""
        made = object.__new__(cls)
        known: dict[str, Any] = {"systems": plan.systems, "measures": plan.measures, "about": about}
        known |= {"top": {}, "rankings": None, "bounds": {}, "repeats": {}}
        vars(made).update(known, _plan=plan, _frame=frame)
        return made

    @property
    def frame(self) -> DataFrame:
        """A frame with a row for each query and system, and a column for each measure.

        Left out are queries that do not count for a system (as with missing="skip"). It is kept in
        memory, or on the executors' disks; `scores.release()` frees that.
        """
        values, plan = self._on_cluster(), vars(self)["_plan"]
        names = sql.array(*(sql.lit(name) for name in plan.systems))
        columns = [
            sql.col(f"text{m}" if measure.text else f"value{m}").alias(str(measure))
            for m, measure in enumerate(plan.measures)
        ]
        system = names[sql.col("system")].alias("system")
        return values.where("evaluated").select(
            sql.col("query").alias("query_id"), system, *columns
        )

    def release(self) -> None:
        """Free what the values take on the cluster; what was collected stays."""
        self._on_cluster().unpersist()

    def collect(self) -> Scores:
        """Return the same scores with all values on this machine."""
        return Scores(**{field.name: getattr(self, field.name) for field in fields(Scores)})

    def _on_cluster(self) -> DataFrame:
        if "_frame" not in vars(self):
            raise OptionError("these scores were changed since they left the cluster")
        frame: DataFrame = vars(self)["_frame"]
        return frame

    def __getattr__(self, name: str) -> Any:
        if name not in _COLLECTED or "_frame" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with spark_errors():
            vars(self).update(_collect(vars(self)["_frame"], vars(self)["_plan"]))
        return vars(self)[name]

    def __reduce__(self) -> tuple[Any, ...]:
        values = [getattr(self, field.name) for field in fields(Scores)]
        return Scores, tuple(values)


def _collect(frame: DataFrame, plan: Plan) -> dict[str, Any]:
    """Fetch the values of all queries, in the order of queries, which averages are added in."""
    parts, texts = plan.with_parts, plan.with_texts
    names = ["query", "system", "evaluated"]
    names += [f"value{m}" for m in range(len(plan.measures))]
    names += [f"parts{m}" for m in parts] + [f"text{m}" for m in texts]
    table = frame.select(*names).toArrow()
    table = table.sort_by([("system", "ascending"), ("query", "ascending")])
    shape = (len(plan.systems), -1)

    def column(name: str) -> Any:
        return table.column(name).to_numpy().reshape(shape)

    per_system = len(table) // len(plan.systems)
    values = np.array([column(f"value{m}") for m in range(len(plan.measures))])
    with_parts = {}
    for m in parts:
        flat = table.column(f"parts{m}").combine_chunks().flatten().to_numpy()
        cube = flat.reshape((len(plan.systems), per_system, -1))
        with_parts[plan.measures[m]] = np.ascontiguousarray(cube.transpose(0, 2, 1))
    return {
        "queries": table.column("query").slice(0, per_system).to_pylist(),
        "values": np.ascontiguousarray(values.transpose(1, 0, 2)),
        "evaluated": column("evaluated").astype(bool),
        "parts": with_parts,
        "texts": {
            system: {str(plan.measures[m]): column(f"text{m}")[s].tolist() for m in texts}
            for s, system in enumerate(plan.systems)
        },
    }


@contextmanager
def spark_errors() -> Iterator[None]:
    """Raise what Spark complains of as an error of one line, with a remedy where one is known."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("pyspark", "py4j"):
            raise
        text = str(error)
        if "No module named 'cleverdon'" in text or "PYTHON_VERSION_MISMATCH" in text:
            raise OptionError(
                "the Python of Spark's executors is not the one with Cleverdon; set "
                f"PYSPARK_PYTHON={sys.executable} (on a cluster, the path there) before the "
                "session starts"
            ) from None
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        named = [line for line in lines if "Error" in line or "Exception" in line]
        raise InputError(f"Spark: {(lines or named or ['failed'])[0]}") from error
