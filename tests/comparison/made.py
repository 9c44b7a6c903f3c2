"""Scores with values of one's choice, as if evaluation had given them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cleverdon import evaluate
from cleverdon.scores import Scores

Values = Mapping[str, Mapping[str, Sequence[float]]]


def made(values: Values, **settings: str) -> Scores:
    """Scores of systems by measures, with a value a query: `{"one": {"AP": [0.5, 0.25]}}`.

    Every system returned one judged document for every query, so that there is nothing to doubt
    but the values.
    """
    first = next(iter(values.values()))
    measures = list(first)
    queries = len(first[measures[0]])
    qrels = {f"q{i:04}": {f"d{k}": 1 for k in range(10)} for i in range(queries)}
    run = {query: {f"d{k}": 10.0 - k for k in range(10)} for query in qrels}
    scores = evaluate(qrels, dict.fromkeys(values, run), measures, **settings)  # type: ignore[arg-type]
    array = np.array([[of[measure] for measure in measures] for of in values.values()])
    return replace(scores, values=array)


def pair(
    queries: int, difference: float, *, measure: str = "nDCG@10", spread: float = 0.1, seed: int = 1
) -> Scores:
    """Two systems, `base` and `other`, whose differences have this mean and deviation."""
    random = np.random.default_rng(seed)
    base = random.uniform(0.2, 0.5, queries)
    noise = random.normal(size=queries)
    noise = (noise - noise.mean()) / noise.std(ddof=1) if queries > 1 else np.zeros(queries)
    other = base + difference + spread * noise
    return made({"base": {measure: list(base)}, "other": {measure: list(other)}})
