"""Compare pools with those of trectools, where it is right.

It uses only the rank column, needs numeric topics, and cuts a group of equal weights at an
arbitrary place, so the runs here have no ties and no equal weights at the end of the budget.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from cleverdon import Run
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.pool_methods import _weighted_pool, depth_pool
from cleverdon.pooling.pools import Pool
from tests.pooling.made import collection

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # deprecations in trectools and its libraries
    from trectools import TrecPoolMaker  # type: ignore[import-untyped, unused-ignore]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    _, runs = collection(queries=6, systems=5, depth=40)
    for name, topics in runs.items():
        numbered = {topic.removeprefix("t"): docs for topic, docs in topics.items()}
        Run.read(numbered, name=name).write(folder / f"{name}.run")
    return sorted(map(str, Path(folder).iterdir()))


def documents(pool: Pool) -> set[tuple[int, str]]:
    return {(int(topic), doc) for topic, doc in pool.sheet()}


def of_trectools(files: list[str], **options: object) -> set[tuple[int, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pool = TrecPoolMaker().make_pool_from_files(files, **options).pool
    return {(int(topic), doc) for topic, docs in pool.items() for doc in docs}


@pytest.mark.parametrize("k", [1, 5, 40])
def test_depth(files: list[str], k: int) -> None:
    assert documents(depth_pool(gather(files), k=k)) == of_trectools(files, topX=k)


@pytest.mark.parametrize("budget", [3, 10])
def test_reciprocal_ranks(files: list[str], budget: int) -> None:
    ours = _weighted_pool(gather(files), by="rrf", budget=budget)
    assert documents(ours) == of_trectools(files, strategy="rrf", topX=budget)


@pytest.mark.parametrize(("budget", "p"), [(3, 0.8), (10, 0.95)])
def test_rank_biased_precision(files: list[str], budget: int, p: float) -> None:
    ours = _weighted_pool(gather(files), by="rbp", budget=budget, p=p)
    assert documents(ours) == of_trectools(files, strategy="rbp", topX=budget, rbp_p=p)
