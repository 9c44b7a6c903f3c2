"""A bench: one load test of an engine in one call, and its result with costs and settings.

JSON has seconds and bytes as plain numbers with all digits, and nothing secret. `cleverdon report`
and `gate` read its costs. Tools for HdrHistogram logs read the histogram log.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cleverdon._common.arrays import json_number
from cleverdon._common.progress import Progress, as_callback, ignore_progress, shows_progress
from cleverdon.costs import VERSION, Cost, Costs
from cleverdon.data import Judgments
from cleverdon.engines.client import Answer, Patience, ask, ask_all, run_async
from cleverdon.engines.configuration import open_engine
from cleverdon.engines.load.cold_cache import run_cold
from cleverdon.engines.load.results import HDR_LOG_HEADER, Histogram, Load, LoadTest, latencies
from cleverdon.engines.load.sender import run_load
from cleverdon.engines.load.soak import Soak, run_soak
from cleverdon.engines.load.sweep import Sweep, run_sweep
from cleverdon.engines.load.versus import run_versus
from cleverdon.engines.load.workload import (
    ColdOptions,
    LoadOptions,
    Mix,
    Mode,
    OpenLoop,
    SoakOptions,
    SweepOptions,
    VersusOptions,
)
from cleverdon.engines.protocol import Engine, Results
from cleverdon.engines.resources import OtherPrograms, disturbance_text, machine_facts
from cleverdon.engines.retrieval import rank_results, read_queries
from cleverdon.errors import InputError, OptionError
from cleverdon.evaluation import evaluate
from cleverdon.measures.notation import parse
from cleverdon.tables.numbers import format_bytes, format_decimal
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.charts.base import Chart

_TRIED_QUERIES = 3  # queries of which one has to be answered before there is any load
_TIMER_TOLERANCE = 0.1
"""Seconds by which a load may be short of its length without having been interrupted."""
_CACHE_COMMAND_TIMEOUT = 600.0  # seconds that a command that empties caches may take
_CLOSED_LOOP_NOTE = (
    "A closed loop hides stalls: while an answer is late, its client sends nothing, and the "
    "requests that users would have sent meanwhile are not counted. Percentiles of an open loop "
    "(--rate) have them."
)


@dataclass(frozen=True, eq=False)
class Bench(Result):
    """The result of a load test with its engine, settings, quality of answers and index size.

    >>> async def search(query, k):
    ...     return [("d1", 1.0)]
    >>> found = bench(search, {"q1": "solar power"}, rate=500, seconds=0.1, warmup=0)
    >>> sorted(found.costs().by_name)[:3], found.heading()[:14]
    (['errors', 'p50', 'p90'], 'search: 500/s ')
    """

    system: str
    found: LoadTest
    engine: Mapping[str, Any] = field(default_factory=dict)  # its settings, without secrets
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the load, and of the machine
    index_size: int | None = None  # bytes
    quality: Mapping[str, float] = field(default_factory=dict)  # by measure
    quality_notes: tuple[str, ...] = ()
    answers: Mapping[str, Results] = field(default_factory=dict)  # of queries, as they were timed
    interrupted: bool = False  # by Ctrl-C
    remarks: tuple[str, ...] = ()

    @property
    def not_valid(self) -> tuple[str, ...]:
        return self.found.not_valid

    def heading(self) -> str:
        return self.found.describe(self.system)

    def alerts(self) -> Sequence[str]:
        return [f"NOT VALID: {reason}" for reason in self.not_valid]

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        tables = list(self.found.sections(exact=exact))
        rows = [
            [measure, format_decimal(value, exact=exact)] for measure, value in self.quality.items()
        ]
        if self.index_size is not None:
            size = str(self.index_size) if exact else format_bytes(self.index_size)
            rows.append(["index size", size])
        if rows:
            heading = "quality and size" if self.quality else "size"
            grid = TextTable([heading, "value"], rows, 1, [], list(self.quality_notes))
            tables.append(Section(heading, grid))
        return tables

    def closing(self) -> Sequence[str]:
        lines = list(self.found.closing())
        loads = self.found.loads
        if any(not isinstance(load.pattern, OpenLoop) for load in loads):
            lines.append(_CLOSED_LOOP_NOTE)
        for load in loads[:1]:
            lines += [note[0].upper() + note[1:] + "." for note in load.notes()]
        if self.interrupted:
            lines.append("Interrupted: this is what was measured until then.")
        return [*lines, *self.remarks]

    def to_dict(self) -> dict[str, Any]:
        mode = self.found.mode
        record: dict[str, Any] = {
            "kind": "cleverdon bench",
            "version": VERSION,
            "system": self.system,
            "mode": mode,
            "settings": {"engine": dict(self.engine), **self.settings},
            "costs": self.costs().to_json(),
            "not_valid": list(self.not_valid),
            "interrupted": self.interrupted,
            mode: self.found.to_dict(),
        }
        if self.quality:
            record["quality"] = {name: json_number(value) for name, value in self.quality.items()}
            record["quality_notes"] = list(self.quality_notes)
        if self.answers:
            record["run"] = {query: dict(rows) for query, rows in self.answers.items()}
        return record

    def costs(self) -> Costs:
        """Return the costs: of a sweep at the knee, of a comparison those of the first engine."""
        found: dict[str, Cost] = {}
        if loads := self.found.costed_loads:
            times = np.concatenate([load.response for load in loads])
            if len(times):
                percentiles = latencies(times, confidence=loads[0].confidence).percentiles
                found = {one.name: Cost(one.value, one.low, one.high) for one in percentiles}
            found["throughput"] = Cost(float(np.mean([load.throughput for load in loads])))
            found["errors"] = Cost(float(np.mean([load.share_failed for load in loads])))
            if isinstance(self.found, Sweep) and self.found.knee.rate is not None:
                knee = self.found.knee
                found["knee"] = Cost(self.found.knee.rate, knee.low, knee.high)
        if self.index_size is not None:
            found["index_size"] = Cost(float(self.index_size))
        return Costs(system=self.system, by_name=found, not_valid=self.not_valid)

    def histogram_log(self) -> str:
        """Return an HdrHistogram log: response times and service times of each load."""
        lines = [HDR_LOG_HEADER]
        start = 0.0
        for name, load in self.found.tagged_loads:
            for kind, times in (("response", load.response), ("service", load.service)):
                tag = f"{name}-{kind}" if name else kind
                lines.append(
                    Histogram.of(times).log_line(start=start, seconds=load.seconds, tag=tag)
                )
            start += load.seconds
        return "".join(lines)

    def plot(self) -> Chart:
        """Draw percentiles, a sweep's curve, differences, or a soak over time."""
        from cleverdon.engines.plots import plot_bench  # altair takes a while to load

        return plot_bench(self)


@shows_progress("measuring")
def bench(
    engine: Any,
    queries: Any = None,
    *,
    mode: Mode | None = None,
    field: str = "title",
    traffic: Any = None,
    logs: Sequence[str] = (),
    top: int = 1000,
    rate: float = 30.0,
    arrivals: Literal["poisson", "constant"] = "poisson",
    clients: int | None = None,
    seconds: float = 30.0,
    warmup: float = 5.0,
    k: int = 10,
    timeout: float = 10.0,
    seed: int = 0,
    level: float = 0.05,
    confidence: float | None = None,
    qrels: Any = None,
    measures: Sequence[str] = ("nDCG@10",),
    index_size: bool = False,
    progress: Progress | bool | None = None,
    notify: Callable[[str], object] | None = None,
) -> Bench:
    """Put load on a search engine and measure its response times.

    Requests are sent at their times, whether or not earlier ones are answered (open loop), unless
    `clients` is given. Nothing is asked twice: a failure counts.

    Args:
        engine: A function `search(query, k)`, or an engine by its name, as "sqlite:index.db".
        queries: Queries to send: a file (TREC topics, JSONL, TSV), or a dict of ids and texts.
        mode: A sweep over rates, a comparison with another engine, cold and warm caches, or a soak
            test; by default one load.
        field: The part of a query that is sent: title, text or both.
        traffic: How often each query is asked: a file, or a dict of counts by query.
        logs: Files of a search log whose most frequent queries are sent instead.
        top: How many queries of the log are asked.
        rate: Requests a second.
        arrivals: Whether requests arrive at random, as users do, or evenly.
        clients: Clients of a closed loop, each of which waits for its answer.
        seconds: Length of the load.
        warmup: Seconds of load before it that do not count.
        k: Results to ask for.
        timeout: Seconds to wait for an answer.
        seed: Seed of arrivals and queries.
        level: Level of significance.
        confidence: Confidence of intervals; by default 1 - level.
        qrels: Judgments, to score the answers that were timed.
        measures: Measures of these scores.
        index_size: Whether to ask the engine for the size of its index.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.
        notify: Called with a line about requests to other machines, before they are sent.

    Returns:
        The times, with everything that is needed to judge them.

    Raises:
        UsageError: The load is too large, too long, or has no request.
        InputError: The engine answers no query, or there is none to ask.

    >>> async def search(query, k):
    ...     return [("d1", 1.0)]
    >>> found = bench(search, {"q1": "solar power"}, rate=500, seconds=0.1, warmup=0)
    >>> found.system, found.interrupted
    ('search', False)
    """
    progress = as_callback(progress)
    load = LoadOptions(
        mode=mode,
        rate=rate,
        arrivals=arrivals,
        clients=clients,
        seconds=seconds,
        warmup=warmup,
        k=k,
        timeout=timeout,
        seed=seed,
        level=level,
        confidence=1 - level if confidence is None else confidence,
    )
    load.check()
    system = open_engine(engine)
    other = open_engine(mode.engine) if isinstance(mode, VersusOptions) else None
    texts = None if queries is None else read_queries(queries, field=field)
    mix = _query_mix(texts, traffic=traffic, logs=logs, top=top)
    judgments = None if qrels is None else Judgments.read(qrels)
    size = system.size() if index_size else None
    for one in (system, other):
        if notify is not None and one is not None and (line := load.traffic_notice(one)):
            notify(line)
    others = OtherPrograms()
    report = _overall_progress(progress or ignore_progress, parts=len(load.rates))
    found = run_async(_run_mode(system, other, mix, load, report))
    busy = others.cores(0.0)
    remarks = []
    if system.in_process and disturbance_text(busy):  # else the engine may be one of them
        remarks.append(f"{disturbance_text(busy).capitalize()}.")
    if mix.left_out:
        remarks.append(f"{mix.left_out:,} of the queries are not in the traffic, and not asked.")
    if index_size and size is None:
        remarks.append(f"{system.name} cannot tell the size of its index.")
    against = {} if other is None else {"versus": {"name": other.name, **other.settings}}
    result = Bench(
        system=system.name,
        found=found,
        engine=system.settings,
        settings={
            **against,
            "load": load.to_dict(),
            "queries": {
                "count": len(mix.texts),
                "file": _path(queries),
                "traffic": _path(traffic) or list(logs) or None,
            },
            "machine": machine_facts() | {"cores_busy_with_others": busy},
        },
        index_size=size,
        interrupted=_was_interrupted(found, seconds),
        remarks=tuple(remarks),
    )
    if judgments is None or texts is None or result.interrupted:
        return result
    try:
        return _score_answers(result, system, texts, judgments, measures, load, progress)
    except KeyboardInterrupt:  # the times are there, whatever becomes of the scores
        return replace(result, interrupted=True)


def _path(given: Any) -> str | None:
    return os.fspath(given) if isinstance(given, (str, os.PathLike)) else None


def _query_mix(
    queries: Mapping[str, str] | None,
    *,
    traffic: Any = None,
    logs: Sequence[str] = (),
    top: int = 1000,
) -> Mix:
    """Return the queries to ask and their shares: of queries, traffic, or a search log."""
    if logs:
        return Mix.of_traffic(_log_queries(logs, top))
    if queries is not None:
        return Mix.of(queries, traffic=traffic)
    if traffic is None:
        raise OptionError("there is nothing to ask: give queries, traffic or logs")
    return Mix.of_traffic(traffic)


def _log_queries(files: Sequence[str], top: int) -> dict[str, int]:
    import ibis  # an optional dependency, as are the logs that need it

    from cleverdon.logs.bridge.traffic import count_traffic
    from cleverdon.logs.reading.reader import read_log

    lines = count_traffic(read_log(*files)).lines
    most = lines.order_by(ibis.desc("asked"), "text").limit(top).select("text", "asked")
    found = {row["text"]: int(row["asked"]) for row in most.to_pyarrow().to_pylist()}
    if not found:
        raise InputError("the log has no query with a text", source=files[0])
    return found


def _overall_progress(progress: Progress, *, parts: int) -> Progress:
    seen: set[str] = set()

    def report(step: str, done: float = 0, total: float = 1) -> None:
        seen.add(step)
        share = done / total
        whole = share if parts == 1 else (len(seen) - 1 + share) / max(parts, len(seen))
        progress(step, whole, 1)

    return report


async def _run_mode(
    engine: Engine, other: Engine | None, mix: Mix, load: LoadOptions, progress: Progress
) -> LoadTest:
    mode = load.mode
    for one in (engine, other):
        if load.clients and one is not None:
            one.set_concurrency(load.clients)
    if isinstance(mode, ColdOptions):
        empty = _cache_command(mode.before_cold) if mode.before_cold else None
        return await run_cold(
            engine, mix.texts, load, empty=empty, repetitions=mode.repetitions, progress=progress
        )
    if isinstance(mode, VersusOptions) and other is not None:
        async with engine, other:
            await _check_answers(engine, mix, load)
            await _check_answers(other, mix, load)
            return await run_versus((engine, other), mix, load, mode, progress)
    async with engine:
        await _check_answers(engine, mix, load)
        if isinstance(mode, SweepOptions):
            return await run_sweep(engine, mix, load, mode, progress)
        if isinstance(mode, SoakOptions):
            return await run_soak(engine, mix, load, mode, progress)
        return await run_load(
            engine, mix, load.pattern, partial=True, progress=progress, **load.length
        )


async def _check_answers(engine: Engine, mix: Mix, load: LoadOptions) -> None:
    """Raise an error if an engine answers nothing at all, rather than after minutes of load."""
    patience = Patience(timeout=load.timeout, tries=2)
    for text in mix.texts[:_TRIED_QUERIES]:
        answer = await ask(engine, text, load.k, patience=patience, chance=random.Random())
        if answer.failure is None:
            return
    raise InputError(
        f"{engine.name} answers no query, so that there is nothing to measure: {answer.failure}"
    )


def _was_interrupted(found: LoadTest, wanted: float) -> bool:
    if isinstance(found, (Load, Soak)):
        (load,) = found.loads
        return not load.generator.unsent and load.seconds < wanted - _TIMER_TOLERANCE
    return found.interrupted


def _cache_command(command: str) -> Callable[[], None]:

    def empty() -> None:
        try:
            done = subprocess.run(
                command, shell=True, capture_output=True, text=True, timeout=_CACHE_COMMAND_TIMEOUT
            )
        except subprocess.TimeoutExpired:
            raise OptionError(
                f"--before-cold {command!r} did not end within {_CACHE_COMMAND_TIMEOUT:g} s"
            ) from None
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            what = f": {said[-1]}" if said else ""
            raise OptionError(f"--before-cold {command!r} ended with {done.returncode}{what}")

    return empty


def _score_answers(
    bench: Bench,
    engine: Engine,
    queries: Mapping[str, str],
    judgments: Judgments,
    measures: Sequence[str],
    load: LoadOptions,
    progress: Progress | None,
) -> Bench:
    """Score the answers; judged queries that the load did not come to are asked now."""
    found: dict[str, Results] = {}
    for one in bench.found.loads:
        ids = one.query_ids or ()
        for place, results in one.answers.items():
            found.setdefault(ids[place], results)
    judged = set(judgments.queries)
    missing = {id: text for id, text in queries.items() if id in judged and id not in found}
    later = _ask_missing(engine, missing, load, progress)
    rows, order = rank_results({**found, **later}, "engine")
    scores = evaluate(judgments, {bench.system: rows}, list(measures))
    notes = [_sources_note(len(found.keys() & judged), len(later), len(missing))]
    notes += [text for text in (order.repeated_text, order.rising_text) if text]
    deepest = max((getattr(parse(name), "k", None) or 0 for name in measures), default=0)
    if deepest > load.k:
        notes.append(f"{load.k} results were asked for (-k), and a measure looks at {deepest}")
    return replace(
        bench,
        quality=scores.to_dict()[bench.system],
        quality_notes=tuple(notes),
        answers={query: [*rows[query].items()] for query in queries if query in rows},
    )


def _ask_missing(
    engine: Engine, missing: Mapping[str, str], load: LoadOptions, progress: Progress | None
) -> dict[str, Results]:
    found: dict[str, Results] = {}
    asked = 0

    def on_answer(query: str, answer: Answer) -> None:
        nonlocal asked
        asked += 1
        if progress is not None:
            progress("other queries", asked, len(missing))
        if answer.results is not None:
            found[query] = answer.results

    if missing:
        patience = Patience(timeout=load.timeout)
        run_async(
            ask_all(engine, missing, load.k, concurrency=4, patience=patience, on_answer=on_answer)
        )
    return found


def _sources_note(timed: int, later: int, missing: int) -> str:
    note = f"scores are of the answers to {timed:,} queries that were timed"
    if missing:
        note += f", and to {later:,} that the load did not come to, and that were asked after it"
    if later < missing:
        note += f"; {missing - later:,} had no answer"
    return note
