"""A pool out of many runs: beside reading the same files, and beside trectools.

Each in a process of its own, from its start to its exit. The runs are made up, and differ as
those of TREC's tracks do: of 100 runs, the pool of depth 100 has some 3,000 documents a topic.

    python -m benchmarks.pool TOOL FOLDER
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from benchmarks.generate import DATA
from benchmarks.logs import once
from benchmarks.measure import ToolError, in_turn
from benchmarks.peers import Peer, Values
from benchmarks.progress import Sometimes, say
from benchmarks.rows import Found, Row, rows_of

FORMAT = 1
"""Raise this when the runs are made in another way, so that older ones are not reused."""
DEPTH = 100
CANDIDATES = 20_000
"""Documents of a topic that any system might return."""

PEERS = (
    Peer(name="cleverdon"),
    Peer(name="cleverdon, reading only", faster=3.0),
    Peer(name="trectools", module="trectools", slower=10.0, share=0.1),
)
"""trectools is given a tenth of the runs."""


def run_pool(runs: int, topics: int, depth: int, *, rounds: int) -> list[Row]:
    """Measure the tools on so many runs of so many topics and results."""
    say("task pool")
    folder = _made(runs, topics, depth)
    found: dict[str, Found | str] = {p.name: why for p in PEERS if (why := p.missing())}
    present = [peer.name for peer in PEERS if peer.name not in found]
    command = [sys.executable, "-m", "benchmarks.pool"]
    tools = {name: once([*command, name, str(folder)]) for name in present}
    for name, timing in in_turn(tools, rounds=rounds).items():
        if isinstance(timing, ToolError):
            found[name] = f"FAILED: {timing}"
        else:
            found[name] = Found(timing=timing, values=json.loads(timing.first.output) or None)
    title = f"depth-{DEPTH} pool of {runs} runs, {topics:,} x {depth:,}"
    return rows_of(title, list(PEERS), found)


def _made(runs: int, topics: int, depth: int) -> Path:
    """Find the runs under `data/`, or write them; whatever is interrupted leaves nothing behind."""
    home = DATA / f"pool-{runs}-{topics}-{depth}-v{FORMAT}"
    if not home.exists():
        DATA.mkdir(exist_ok=True)
        progress = Sometimes()
        with tempfile.TemporaryDirectory(prefix="unfinished-", dir=DATA) as unfinished:
            draft = Path(unfinished) / "draft"
            draft.mkdir()
            random = np.random.default_rng(1967)
            for number in range(runs):
                (draft / f"s{number:03d}.run").write_text(_run(random, number, topics, depth))
                progress.say(f"  made {number + 1} of {runs} runs")
            draft.rename(home)
    return home


def _run(random: np.random.Generator, number: int, topics: int, depth: int) -> str:
    """Every system ranks a topic's documents by what all systems see in them, and noise."""
    ranks = [f"{rank + 1} {1000 - rank * 0.5:.6f}" for rank in range(depth)]
    seen = np.linspace(0, -20, CANDIDATES)
    lines = []
    for topic in range(301, 301 + topics):
        docs = np.argsort(-(seen + random.normal(scale=3, size=CANDIDATES)))[:depth]
        lines += [
            f"{topic} Q0 DOC-{topic * CANDIDATES + doc:08d} {rank} s{number:03d}\n"
            for doc, rank in zip(docs.tolist(), ranks, strict=True)
        ]
    return "".join(lines)


def _of_cleverdon(files: list[str]) -> Values:
    from cleverdon.pooling.contributions import gather
    from cleverdon.pooling.files import write_pool
    from cleverdon.pooling.pool_methods import depth_pool

    pool = depth_pool(gather(files, depth=DEPTH), k=DEPTH)
    with tempfile.TemporaryDirectory() as scratch:
        write_pool(pool, f"{scratch}/pool.tsv")
    return {}


def _of_reading(files: list[str]) -> Values:
    from cleverdon import Run

    for file in files:
        Run.read(file)
    return {}


def _of_trectools(files: list[str]) -> Values:
    warnings.simplefilter("ignore")
    from trectools import TrecPoolMaker  # type: ignore[import-untyped, unused-ignore]

    TrecPoolMaker().make_pool_from_files(files[: max(1, len(files) // 10)], topX=DEPTH)
    return {}


_TOOLS = {
    "cleverdon": _of_cleverdon,
    "cleverdon, reading only": _of_reading,
    "trectools": _of_trectools,
}

if __name__ == "__main__":
    tool, folder = sys.argv[1:]
    print(json.dumps(_TOOLS[tool](sorted(map(str, Path(folder).glob("*.run"))))))
