"""What `cleverdon bench` does once all is checked: ask, score, and write."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cleverdon.cli import bench_checks, engine_options

if TYPE_CHECKING:
    from cleverdon.engine.load.mix import Mix
    from cleverdon.engine.load.records import Pattern
    from cleverdon.engine.protocol import Engine
    from cleverdon.show.bench import Bench
    from cleverdon.show.bench.about import Found

Told = Callable[[str, float], object]
"""Told what is being done, and which share of it is over."""

_TRIED = 3
"""Queries of which one has to be answered before there is any load."""
_TIMERS = 0.1
"""Seconds that a load may be shorter than it was to be, without anybody having ended it."""
_EMPTYING = 600.0
"""Seconds that a command that empties caches may take."""


def benched(named: str, topics: str | None, given: Mapping[str, Any]) -> Bench:
    """Everything that was asked for, with a progress bar."""
    from cleverdon.cli.bench_quality import scored
    from cleverdon.cli.bench_settings import settings
    from cleverdon.cli.progress import bar, say
    from cleverdon.engine.looping import run_async
    from cleverdon.engine.machine import Others, disturbed
    from cleverdon.engine.queries import read_queries
    from cleverdon.show.bench import Bench

    with bar("reading queries"):
        engine = engine_options.engine_named(named)
        other = engine_options.engine_named(given["versus"]) if given["versus"] else None
        queries = None if topics is None else read_queries(topics, field=given["field"])
        mix = mixed(queries, given)
        judgments = None
        if given["qrels"]:
            from cleverdon.data import Judgments

            judgments = Judgments.read(given["qrels"])
        size = engine.size() if given["index_size"] else None
    for one in (engine, other):
        if one is not None and (line := bench_checks.notice(one, given)):
            say(line)
    with bar("load") as update:
        told = _overall(update, parts=len(given["rates"] or ()) or 1)
        others = Others()
        found = run_async(_run(engine, other, mix, given, told))
        busy = others.cores(0.0)
    remarks = []
    if engine.in_process and disturbed(busy):  # else the engine may be one of them
        remarks.append(f"{disturbed(busy).capitalize()}.")
    if mix.left_out:
        remarks.append(f"{mix.left_out:,} of the queries are not in the traffic, and not asked.")
    if given["index_size"] and size is None:
        remarks.append(f"{engine.name} cannot tell the size of its index.")
    bench = Bench(
        system=engine.name,
        found=found,
        engine=engine.settings,
        settings=settings(topics, mix, other, given, busy=busy),
        index_size=size,
        confidence=1 - given["level"],
        interrupted=_interrupted(found, given["seconds"]),
        remarks=tuple(remarks),
    )
    if judgments is None or queries is None or bench.interrupted:
        return bench
    try:
        return scored(bench, engine, queries, judgments, given)
    except KeyboardInterrupt:  # the times are there, whatever becomes of the scores
        return replace(bench, interrupted=True)


def _interrupted(found: Found, wanted: float) -> bool:
    """Whether Ctrl-C ended it before its time."""
    from cleverdon.engine.load.records import Load
    from cleverdon.engine.load.soak import Soak

    load = found.load if isinstance(found, Soak) else found
    if isinstance(load, Load):
        return not load.generator.unsent and load.seconds < wanted - _TIMERS
    return bool(getattr(found, "interrupted", False))


def mixed(queries: Mapping[str, str] | None, given: Mapping[str, Any]) -> Mix:
    """What is asked, and how often: topics, traffic, or what a log has."""
    from cleverdon.engine.load.mix import Mix

    if given["logs"]:
        return Mix.of_traffic(_logged(given["logs"], given["top"]))
    if queries is None:
        return Mix.of_traffic(given["traffic"])
    return Mix.of(queries, traffic=given["traffic"])


def _logged(files: tuple[str, ...], top: int) -> dict[str, int]:
    """The most frequent queries of a log, and how often each was asked."""
    import ibis

    from cleverdon.errors import InputError
    from cleverdon.online.bridge.traffic import traffic
    from cleverdon.online.reading import read_log

    lines = traffic(read_log(*files)).lines
    most = lines.order_by(ibis.desc("asked"), "text").limit(top).select("text", "asked")
    found = {row["text"]: int(row["asked"]) for row in most.to_pyarrow().to_pylist()}
    if not found:
        raise InputError("the log has no query with a text", source=files[0])
    return found


def _overall(update: Callable[[int, int], None], *, parts: int) -> Told:
    """A bar over all parts, of which each tells its own share."""
    seen: dict[str, None] = {}

    def told(label: str, share: float) -> None:
        seen[label] = None
        done = share if parts == 1 else (len(seen) - 1 + share) / max(parts, len(seen))
        update(round(1000 * done), 1000)

    return told


async def _run(
    engine: Engine, other: Engine | None, mix: Mix, given: Mapping[str, Any], told: Told
) -> Found:
    from cleverdon.engine.load.records import ClosedLoop, OpenLoop

    how = {"k": given["k"], "timeout": given["timeout"]}
    pattern: Pattern = OpenLoop(given["rate"], given["arrivals"], given["seed"])
    if given["clients"]:
        pattern = ClosedLoop(given["clients"], given["seed"])
        for one in (engine, other):
            if one is not None:
                one.make_room(given["clients"])
    if given["cold"]:
        from cleverdon.engine.load.cold import run_cold

        return await run_cold(
            engine,
            mix.texts,
            empty=_emptying(given["before_cold"]) if given["before_cold"] else None,
            repetitions=given["repetitions"],
            confidence=1 - given["level"],
            seed=given["seed"],
            progress=told,
            **how,
        )
    if other is not None:
        from cleverdon.engine.load.interleaved import interleaved

        async with engine, other:
            await _answering(engine, mix, given)
            await _answering(other, mix, given)
            return await interleaved(
                (engine, other),
                mix,
                pattern,
                pairs=given["pairs"],
                block=given["block"],
                warmup=given["warmup"],
                level=given["level"],
                progress=told,
                **how,
            )
    async with engine:
        await _answering(engine, mix, given)
        return await _loaded(engine, mix, pattern, given, told, how)


async def _answering(engine: Engine, mix: Mix, given: Mapping[str, Any]) -> None:
    """Raise an error where an engine answers nothing at all, rather than after minutes of load."""
    import random

    from cleverdon.engine.asking import Patience, ask
    from cleverdon.errors import InputError

    patience = Patience(timeout=given["timeout"], tries=2)
    for text in mix.texts[:_TRIED]:
        answer = await ask(engine, text, given["k"], patience=patience, chance=random.Random())
        if answer.failure is None:
            return
    raise InputError(
        f"{engine.name} answers no query, so that there is nothing to measure: {answer.failure}"
    )


async def _loaded(
    engine: Engine,
    mix: Mix,
    pattern: Pattern,
    given: Mapping[str, Any],
    told: Told,
    how: Mapping[str, Any],
) -> Found:
    """One load, several at rising rates, or one that is looked at in windows."""
    from cleverdon.engine.load.records import OpenLoop

    lasting = {"seconds": given["seconds"], "warmup": given["warmup"], **how}
    if given["rates"]:
        from cleverdon.engine.load.knee import Goal
        from cleverdon.engine.load.sweep import sweep

        assert isinstance(pattern, OpenLoop)
        goal = Goal(given["limit_p99"], errors=given["limit_errors"], confidence=1 - given["level"])
        return await sweep(
            engine,
            mix,
            given["rates"],
            goal,
            pattern=pattern,
            precision=given["precision"],
            progress=told,
            **lasting,
        )
    if given["soak"]:
        from cleverdon.engine.load.soak import run_soak

        return await run_soak(
            engine,
            mix,
            pattern,
            window=given["window"] or given["seconds"] / 30,
            pid=given["pid"],
            level=given["level"],
            progress=lambda share: told("soak", share),
            **lasting,
        )
    from cleverdon.engine.load.running import run_load

    return await run_load(
        engine, mix, pattern, partial=True, progress=lambda share: told("load", share), **lasting
    )


def _emptying(command: str) -> Callable[[], None]:
    """What runs the command, and says so where it fails."""
    from cleverdon.errors import OptionError

    def empty() -> None:
        try:
            done = subprocess.run(
                command, shell=True, capture_output=True, text=True, timeout=_EMPTYING
            )
        except subprocess.TimeoutExpired:
            raise OptionError(
                f"--before-cold {command!r} did not end within {_EMPTYING:g} s"
            ) from None
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()
            what = f": {said[-1]}" if said else ""
            raise OptionError(f"--before-cold {command!r} ended with {done.returncode}{what}")

    return empty


def written(bench: Bench, given: Mapping[str, Any]) -> None:
    """The files that were asked for."""
    import json

    from cleverdon.cli.progress import bar
    from cleverdon.read.write import write_file

    if given["json_file"] is not None:
        from cleverdon.show.bench import as_json

        text = json.dumps(as_json(bench), indent=1, ensure_ascii=False) + "\n"
        write_file(str(given["json_file"]), text.encode())
    if given["hdr"] is not None:
        from cleverdon.show.bench.hdr import histogram_log

        write_file(str(given["hdr"]), histogram_log(bench.found).encode())
    if given["plot"] is not None:
        with bar("drawing"):
            from cleverdon.show.plot.engine.benches import plotted
            from cleverdon.show.plot.save import save

            save(plotted(bench), given["plot"])
