"""How good the answers were that a bench has timed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cleverdon.data import Judgments
    from cleverdon.engine.asking import Answer
    from cleverdon.engine.protocol import Engine, Results
    from cleverdon.show.bench import Bench


def scored(
    bench: Bench,
    engine: Engine,
    queries: Mapping[str, str],
    judgments: Judgments,
    given: Mapping[str, Any],
) -> Bench:
    """The bench with scores of its answers; judged topics that were not asked are asked now."""
    from cleverdon.engine.ordering import ordered
    from cleverdon.evaluation import evaluate
    from cleverdon.measures.notation import parse
    from cleverdon.show.bench.about import loads

    found: dict[str, Results] = {}
    for load in loads(bench.found):
        ids = load.topics or ()
        for place, results in load.answers.items():
            found.setdefault(ids[place], results)
    judged = set(judgments.queries)
    missing = {id: text for id, text in queries.items() if id in judged and id not in found}
    later = _asked(engine, missing, given)
    rows, order = ordered({**found, **later}, "engine")
    scores = evaluate(judgments, {bench.system: rows}, list(given["measures"]))
    notes = [_sources(len(found.keys() & judged), len(later), len(missing))]
    notes += [text for text in (order.repeated_text, order.rising_text) if text]
    deepest = max((getattr(parse(name), "k", None) or 0 for name in given["measures"]), default=0)
    if deepest > given["k"]:
        notes.append(f"{given['k']} results were asked for (-k), and a measure looks at {deepest}")
    return replace(
        bench,
        quality=scores.to_dict()[bench.system],
        quality_notes=tuple(notes),
        answers={topic: [*rows[topic].items()] for topic in queries if topic in rows},
    )


def _asked(
    engine: Engine, missing: Mapping[str, str], given: Mapping[str, Any]
) -> dict[str, Results]:
    from cleverdon.cli.progress import bar
    from cleverdon.engine.asking import Patience
    from cleverdon.engine.asking_all import ask_all
    from cleverdon.engine.looping import run_async

    found: dict[str, Results] = {}
    asked = 0

    def took(topic: str, answer: Answer) -> None:
        nonlocal asked
        asked += 1
        update(asked, len(missing))
        if answer.results is not None:
            found[topic] = answer.results

    if missing:
        patience = Patience(timeout=given["timeout"])
        with bar("other topics") as update:
            run_async(
                ask_all(engine, missing, given["k"], concurrency=4, patience=patience, took=took)
            )
    return found


def _sources(timed: int, later: int, missing: int) -> str:
    """Which answers scores rest on."""
    said = f"scores are of the answers to {timed:,} topics that were timed"
    if missing:
        said += f", and to {later:,} that the load did not come to, and that were asked after it"
    if later < missing:
        said += f"; {missing - later:,} had no answer"
    return said
