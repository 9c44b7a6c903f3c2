"""Result lists to test with: by hypothesis, and large ones with clicks of a known model."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from cleverdon.logs.clicks.base import ClickModel, Parameters, find_model
from cleverdon.logs.clicks.evaluation import random_result_lists
from cleverdon.logs.clicks.result_lists import ResultLists
from tests.logs.clicks.plain import List

MODELS = ("PBM", "UBM", "CM", "DCM", "SDBN", "DBN", "COEC")
BY_EM = ("PBM", "UBM", "DCM", "SDBN", "DBN")

QUERIES, DOCS, DEPTH = 4, 10, 8


@st.composite
def lists(draw: st.DrawFn, most: int = 8, clicks: int | None = None) -> list[List]:
    """Up to so many lists of up to four results, with up to so many clicks."""
    found: list[List] = []
    for _ in range(draw(st.integers(1, most))):
        docs = draw(st.permutations(["a", "b", "c", "d"]))[: draw(st.integers(1, 4))]
        clicked = [draw(st.booleans()) for _ in docs]
        if clicks is not None:
            so_far = np.cumsum(clicked)
            clicked = [bool(c and n <= clicks) for c, n in zip(clicked, so_far, strict=True)]
        found.append((draw(st.sampled_from(["q", "r"])), docs, clicked))
    return found


def as_shown(found: list[List]) -> ResultLists:
    return ResultLists.from_lists(
        (query, docs, [doc for doc, click in zip(docs, clicked, strict=True) if click])
        for query, docs, clicked in found
    )


def by_list(shown: ResultLists, values: Any) -> list[list[float]]:
    """The rows' values list by list, the longest list first; of equal length, in order."""
    found: list[list[float]] = [[] for _ in range(shown.lists)]
    for at, value in zip(shown.list.tolist(), np.asarray(values).tolist(), strict=True):
        found[at].append(value)
    return found


def longest_first(found: list[List]) -> list[List]:
    return sorted(found, key=lambda one: -len(one[1]))


def truth(name: str, seed: int = 1) -> tuple[ClickModel, Parameters]:
    """A model, and parameters as real ones might be."""
    random = np.random.default_rng(seed)
    attraction = random.uniform(0.1, 0.7, QUERIES * DOCS)
    satisfaction = random.uniform(0.2, 0.8, QUERIES * DOCS)
    rank, last = np.mgrid[0 : DEPTH + 1, 0 : DEPTH + 1]
    distance = np.maximum(rank - last, 1)
    others: dict[str, Any] = {
        "PBM": {"examination": np.maximum(np.arange(DEPTH + 1), 1) ** -0.6},
        "UBM": {"examination": np.where(rank <= 1, 1.0, 0.95 * distance**-0.5).ravel()},
        "DCM": {"satisfaction": np.linspace(0.7, 0.3, DEPTH + 1)},
        "SDBN": {"satisfaction": satisfaction},
        "DBN": {"satisfaction": satisfaction, "continuation": 0.85},
    }
    return find_model(name), Parameters(attraction, **others.get(name, {}))


def pages(lists: int, seed: int = 2) -> ResultLists:
    return random_result_lists(lists, queries=QUERIES, docs=DOCS, depth=DEPTH, seed=seed)
