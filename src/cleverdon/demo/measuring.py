"""What the demo's systems cost: making their indexes, and a short load on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cleverdon.demo.systems import DEPTH, System
from cleverdon.demo.topics import Topic

if TYPE_CHECKING:
    from cleverdon.costs import Costs
    from cleverdon.data import Run

RATE = 60.0
"""Requests a second: many for one user, and few enough that none waits for another for long.

A request takes three of the systems some 4 ms of a processor. Nearly all of that is SQLite's: the
queries are sentences, nine of ten documents have a "the" or an "of" in them, and all that match get
a score. At 100 a second, a machine that has other work as well falls behind, and what is timed is
the queue.
"""
_WARMUP = 0.2


def measure_index(system: System, folder: Path, collection: Path) -> Costs:
    """Index a file of documents, in a process that is watched."""
    from cleverdon.engine.indexing.measuring import measure_engine

    engine = system.engine(folder)
    return measure_engine(engine, collection, name=system.name, repeat=1).costs()


def measure_load(system: System, folder: Path, topics: Sequence[Topic], run: Run) -> Costs:
    """Ask for every topic once, at random moments, whether or not others are answered.

    What is timed are the answers that the run has; should they differ, nothing of it is valid.
    """
    from cleverdon.engine.configured import open_engine
    from cleverdon.engine.load.mix import Mix
    from cleverdon.engine.load.records import OpenLoop
    from cleverdon.engine.load.running import load
    from cleverdon.show.bench import Bench
    from cleverdon.show.bench.records import costs_of

    mix = Mix.of({topic.id: topic.text for topic in topics})
    found = load(
        open_engine(system.engine(folder)),
        mix,
        OpenLoop(RATE),
        order=mix.each_once(seed=0),
        k=DEPTH,
        warmup=_WARMUP,
    )
    costs = replace(
        costs_of(Bench(system.name, found)),
        settings={"load": {"loop": "open", "rate": RATE, "k": DEPTH}},
    )
    other = sum(
        results != (run.ranking(topics[place].id) if topics[place].id in run else [])
        for place, results in found.answers.items()
    )
    if not other:
        return costs
    reason = f"{other} topics were answered otherwise than in the run"
    return replace(costs, not_valid=(*costs.not_valid, reason))
