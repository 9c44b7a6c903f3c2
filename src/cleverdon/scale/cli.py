"""The commands `cleverdon spark ...`: evaluation on a cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import Commands, options
from cleverdon.cli.declarations import argument, command, excludes, flag, option, writes
from cleverdon.formats import PARQUET
from cleverdon.formats.inputs import SPARK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SPARK_COMMANDS = {"eval": ("scale.cli", "Score runs on a cluster, as `cleverdon eval` does.")}


@click.command(cls=Commands, commands=_SPARK_COMMANDS)
def spark_command() -> None:
    """Evaluate on Spark: tables, and Parquet on any store that Spark reads.

    \b
    Example:
      cleverdon spark eval qrels.parquet runs/bm25.parquet -m nDCG@10 --master local[4]
    """


class SparkEvalOptions(options.LayoutOptions, options.EvaluationOptions):
    qrels: str = argument(str)
    runs: tuple[str, ...] = argument(str, nargs=-1, metavar="RUNS...", required=True)
    measures: tuple[str, ...] = options.measures
    second: str | None = option(
        "QRELS", "Judgments of another kind, as of credibility, for measures of two grades."
    )
    master: str | None = option(
        "URL",
        "The master of the cluster: local[4], yarn, spark://HOST:7077.  [default: that of "
        "spark-submit, else local[*]]",
    )
    remote: str | None = option("URL", "The address of a Spark Connect server: sc://HOST.")
    conf: tuple[str, ...] = option(
        "NAME=VALUE", "A setting of Spark's. Repeat for more.", multiple=True
    )
    per_query: bool = flag("Show the value for each query.", short="-q")
    values: str | None = option(
        "PATH", "Write the values as Parquet. Spark writes them, a row for each query and run."
    )
    format_: str = options.formats("How to print. csv, tsv and json have all digits.")
    output_file: Path | None = options.output_file


@command(SparkEvalOptions)
@excludes("--master", "--remote")
@writes("--output")
def eval_command(given: SparkEvalOptions) -> str:
    """Score RUNS against the judgments in QRELS, on Spark.

    Each of them is a table, or a path of Parquet that Spark reads (s3a://, hdfs://, a folder), or a
    file of this machine in any format of `cleverdon eval`. A run is named after it, or as you say:
    NAME=TABLE. The executors need Cleverdon, and PYSPARK_PYTHON the path of their Python.

    \b
    Examples:
      cleverdon spark eval qrels.parquet runs/bm25.parquet -m nDCG@10 --master local[4]
      cleverdon spark eval search.qrels bm25=search.run_1 dense=search.run_2 --master yarn
      cleverdon spark eval qrels.txt s3a://bucket/run/ --values s3a://bucket/values/
      cleverdon spark eval search.qrels search.run --remote sc://cluster.example -f json
    """
    from cleverdon.score_tables import check_layout

    check_layout(given.format_, **given.layout)  # before anything takes long
    names = [options.name_and_file(run) for run in given.runs]
    how = given.evaluation | {"second": _on_spark(given.second)}
    with _session(given):
        from cleverdon.scale.spark import spark_errors

        runs: Any = {name: _on_spark(table) for name, table in names}
        scores: Any = options.evaluated(str(_on_spark(given.qrels)), runs, given.measures, **how)
        if given.values is not None:
            with spark_errors():
                scores.frame.write.parquet(given.values)
        on_screen = options.terminal() if given.output_file is None else {}
        return str(
            scores.render(given.format_, per_query=given.per_query, **given.layout, **on_screen)
        )


def _on_spark(given: str | None) -> str | None:
    """Mark what Spark is to read: all but files of this machine that are no Parquet."""
    if given is None or given.startswith(SPARK):
        return given
    path = Path(given)
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(PARQUET)) != PARQUET:
                return given
        return f"{SPARK}{path.resolve()}"
    return SPARK + (str(path.resolve()) if path.exists() else given)


@contextmanager
def _session(given: SparkEvalOptions) -> Iterator[SparkSession]:
    """Start a session, or join the one of spark-submit; stop it at the end."""
    from cleverdon._common.extras import importing

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with importing("cleverdon spark", extra="spark"):
        from pyspark.sql import SparkSession  # for this command alone

        from cleverdon.scale.spark import spark_errors
    builder: Any = SparkSession.builder
    builder = builder.appName("cleverdon").config("spark.ui.showConsoleProgress", "false")
    for setting in given.conf:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.UsageError(f"--conf: expected NAME=VALUE, found {setting!r}")
        builder = builder.config(name.strip(), value.strip())
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if given.remote is not None:
        builder = builder.remote(given.remote)
    elif given.master is not None or not submitted:
        builder = builder.master(given.master or "local[*]")
    with spark_errors():
        session = builder.getOrCreate()
    try:
        if given.remote is None:
            session.sparkContext.setLogLevel("ERROR")
        yield session
    finally:
        session.stop()
