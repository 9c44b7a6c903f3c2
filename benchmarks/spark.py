"""Spark: five measures beside one of RankingMetrics on the same frame, and weak scaling.

`python -m benchmarks.spark [ROWS]`, by default 20 million rows. Each line is a process of its own,
so that memory and caches are fresh. CPU seconds are of the JVM and all Python workers: on a machine
that does other work as well, they say more than the time on the clock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

DEPTH = 1000  # results of a query
JUDGED = 50
MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@100"]


def main(rows: int) -> None:
    """Write the data, and measure each way of evaluating it."""
    with tempfile.TemporaryDirectory() as folder:
        queries = rows // DEPTH
        measured("data", folder, queries, cores=2)
        half = measured("cleverdon", folder, queries // 2, cores=1)
        whole = measured("cleverdon", folder, queries, cores=2)
        theirs = measured("RankingMetrics", folder, queries, cores=2)
        clock, cpu = (theirs[name] / whole[name] for name in ("seconds", "cpu"))
        print(f"RankingMetrics takes {clock:.1f} times as long, {cpu:.1f} times the CPU seconds,")
        print(f"for one measure of {len(MEASURES)}")
        growth = whole["seconds"] / half["seconds"]
        print(f"twice the rows on twice the cores take {growth:.2f} times as long")


def measured(task: str, folder: str, queries: int, *, cores: int) -> dict[str, Any]:
    """Run one task in a process of its own, and print what it took."""
    load = os.getloadavg()[0]
    words = [sys.executable, "-m", "benchmarks.spark", task, folder, str(queries), str(cores)]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    shown = ", ".join(f"{name} {value}" for name, value in found.items())
    print(f"{task}, {queries * DEPTH:,} rows, {cores} cores (load {load:.0f}): {shown}", flush=True)
    return found


def run(task: str, folder: str, queries: int, cores: int) -> None:
    """Do one task, and print as JSON what it took; starting Spark is not counted."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    builder = builder.master(f"local[{cores}]").config("spark.driver.memory", "1g")
    for name, value in (
        ("spark.ui.enabled", "false"),
        ("spark.ui.showConsoleProgress", "false"),
        ("spark.driver.host", "127.0.0.1"),
        ("spark.driver.bindAddress", "127.0.0.1"),
        ("spark.log.level", "ERROR"),
        ("spark.sql.shuffle.partitions", "8"),
    ):
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.range(1).selectExpr("id + 1").collect()  # the classes that any query loads
    watch = Watch()
    started = time.perf_counter()
    result = {"data": write, "cleverdon": cleverdon_on, "RankingMetrics": ranking_metrics}[task](
        session, folder, queries
    )
    found = {"seconds": round(time.perf_counter() - started, 1)} | watch.stop() | result
    session.stop()
    print(json.dumps(found))


class Watch:
    """Adds up what this process, the JVM and the Python workers use."""

    def __init__(self) -> None:
        self.peaks: dict[str, float] = {}
        self.used: dict[int, float] = {}
        self.before: dict[int, float] = {}
        self.look()
        self.before = dict(self.used)
        self.peaks.clear()
        self.running = True
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self) -> None:
        """Look ten times a second."""
        while self.running:
            self.look()
            time.sleep(0.1)

    def look(self) -> None:
        """Note CPU seconds and memory of every process."""
        me = psutil.Process()
        workers = 0.0
        for process in [me, *me.children(recursive=True)]:
            try:
                times, memory = process.cpu_times(), process.memory_info().rss / 1e6
                name = process.name()
            except psutil.Error:
                continue
            self.used[process.pid] = times.user + times.system
            if name.startswith("java"):
                self.peaks["jvm_mb"] = max(self.peaks.get("jvm_mb", 0), memory)
            elif process.pid != me.pid:
                workers = max(workers, memory)
        self.peaks["worker_mb"] = max(self.peaks.get("worker_mb", 0), workers)

    def stop(self) -> dict[str, float]:
        """Return CPU seconds and peaks since the start."""
        self.running = False
        self.thread.join()
        self.look()
        cpu = sum(used - self.before.get(pid, 0) for pid, used in self.used.items())
        return {"cpu": round(cpu, 1)} | {name: round(mb) for name, mb in self.peaks.items()}


def write(session: Any, folder: str, queries: int) -> dict[str, Any]:
    """Write a run and judgments as Parquet: rows of a query together, as systems write them."""
    results = session.range(queries * DEPTH).selectExpr(
        f"concat('q', cast(id div {DEPTH} as string)) as query_id",
        "concat('D', cast(pmod(xxhash64(id), 10000000) as string)) as doc_id",
        f"30.0 - 0.01 * (id % {DEPTH}) + 0.000001 * pmod(hash(id), 1000) as score",
        "id",
    )
    results = results.dropDuplicates(["query_id", "doc_id"])
    results.drop("id").write.parquet(f"{folder}/run")
    found = results.where(f"pmod(hash(id, 7), {DEPTH}) < {JUDGED * 3 // 5}")
    judged = found.selectExpr("query_id", "doc_id", "pmod(hash(id, 8), 4) as relevance")
    others = session.range(queries * JUDGED * 2 // 5).selectExpr(
        f"concat('q', cast(id div {JUDGED * 2 // 5} as string)) as query_id",
        "concat('E', cast(id as string)) as doc_id",
        "pmod(hash(id), 4) as relevance",
    )
    judged.union(others).write.parquet(f"{folder}/qrels")
    size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
    return {"parquet_mb": round(size / 1e6)}


def frames(session: Any, folder: str, queries: int) -> tuple[Any, Any]:
    """Return the first queries of the judgments and the run."""
    first = f"cast(substring(query_id, 2) as int) < {queries}"
    return tuple(session.read.parquet(f"{folder}/{name}").where(first) for name in ("qrels", "run"))


def cleverdon_on(session: Any, folder: str, queries: int) -> dict[str, Any]:
    """Evaluate by five measures, and collect the values of all queries."""
    import cleverdon

    qrels, run = frames(session, folder, queries)
    scores = cleverdon.evaluate(qrels, {"run": run}, MEASURES)
    means = scores.to_dict()["run"]
    return {"nDCG@10": round(means["nDCG@10"], 6)} | shuffled(session)


def shuffled(session: Any) -> dict[str, Any]:
    """Sum the bytes that all stages wrote for others, as Spark's status store has them."""
    context = session.sparkContext
    nothing = context._gateway.new_array(context._jvm.double, 0)
    store, none = context._jsc.sc().statusStore(), context._jvm.java.util.ArrayList()
    stages = store.stageList(None, False, False, nothing, none)
    written = sum(stages.apply(i).shuffleWriteBytes() for i in range(stages.size()))
    return {"shuffle_mb": round(written / 1e6)}


def ranking_metrics(session: Any, folder: str, queries: int) -> dict[str, Any]:
    """Compute nDCG@10 as RankingMetrics does, from lists of documents."""
    from pyspark.mllib.evaluation import RankingMetrics

    qrels, run = frames(session, folder, queries)
    ranked = run.groupBy("query_id").agg(
        _expression("sort_array(collect_list(struct(score, doc_id)), false).doc_id as found")
    )
    relevant = (
        qrels.where("relevance > 0")
        .groupBy("query_id")
        .agg(_expression("collect_list(doc_id) as relevant"))
    )
    pairs = ranked.join(relevant, "query_id").select("found", "relevant").rdd.map(tuple)
    return {"nDCG@10": round(RankingMetrics(pairs).ndcgAt(10), 6)} | shuffled(session)


def _expression(text: str) -> Any:
    from pyspark.sql import functions

    return functions.expr(text)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        run(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000)
