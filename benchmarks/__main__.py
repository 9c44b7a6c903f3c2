"""The command: runs the requested tasks and prints the tables."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.columns import TITLE as COLUMNS
from benchmarks.columns import run_columns
from benchmarks.comparisons import TITLE as COMPARISONS
from benchmarks.comparisons import run_comparisons
from benchmarks.engine import TITLE as ENGINE
from benchmarks.engine import Sent, run_engine
from benchmarks.first_number import TITLE as FIRST_NUMBER
from benchmarks.first_number import run_first_number
from benchmarks.growth import TITLE as GROWTH
from benchmarks.growth import Grown, growth_lines, run_growth
from benchmarks.judge import TITLE as JUDGE
from benchmarks.judge import run_judge
from benchmarks.kernels import Kernel, run_kernels
from benchmarks.logs import run_logs
from benchmarks.machine import facts
from benchmarks.pool import run_pool
from benchmarks.progress import say
from benchmarks.report import TITLE as REPORT
from benchmarks.report import Fact, run_report
from benchmarks.rows import Row
from benchmarks.run_lines import TITLE as LINES
from benchmarks.run_lines import run_lines
from benchmarks.scaling import Step, run_scaling
from benchmarks.table import engine_table, kernels_table, peers_table, report_table, scaling_table
from benchmarks.tasks import FULL, QUICK, TITLES, run_task

TASKS = (
    *TITLES,
    "first-number",
    "compare",
    "pool",
    "logs",
    "csv",
    "lines",
    "report",
    "engine",
    "judge",
    "kernels",
    "scaling",
    "growth",
)

NOTES = """\
Medians of the rounds; files are read from the cache, not the disk. CPU s: all cores together.
Beside Cleverdon: the tool's seconds divided by Cleverdon's. Peak MB is all resident memory,
including mapped files; anonymous MB is without them. A plus marks the memory that the call added to
a process that already held its inputs. Values: the means of all five measures (for dicts, the
values of every query; for a log, every number) equal Cleverdon's; p-values may differ by the error
of their draws."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status is 1 when a tool failed or values differ."""
    options = _parser().parse_args(arguments)
    size = QUICK if options.quick else FULL
    wanted = options.only or TASKS
    machine = facts()
    print("\n".join(f"{name}: {fact}" for name, fact in machine.items()), end="\n\n", flush=True)
    rows = [
        row
        for name in TITLES
        if name in wanted
        for row in run_task(name, size=size, rounds=options.rounds)
    ]
    rows += run_pool(*size.pool, rounds=options.rounds) if "pool" in wanted else []
    rows += run_logs(size.events, rounds=options.rounds) if "logs" in wanted else []
    if rows:
        print(peers_table(rows), NOTES, sep="\n\n", end="\n\n", flush=True)
    first = run_first_number(rounds=min(options.rounds, 3)) if "first-number" in wanted else []
    if first:
        print(f"{FIRST_NUMBER}\n\n{report_table(first)}\n", flush=True)
    compared = run_comparisons(rounds=options.rounds) if "compare" in wanted else []
    if compared:
        print(f"{COMPARISONS}\n\n{report_table(compared)}\n", flush=True)
    columns = run_columns(size.csv, rounds=options.rounds) if "csv" in wanted else []
    if columns:
        print(f"{COLUMNS}\n\n{report_table(columns)}\n", flush=True)
    lines = run_lines(rounds=options.rounds) if "lines" in wanted else []
    if lines:
        print(f"{LINES}\n\n{report_table(lines)}\n", flush=True)
    reported = run_report(rounds=options.rounds) if "report" in wanted else []
    if reported:
        print(f"{REPORT}\n\n{report_table(reported)}\n", flush=True)
    sent = run_engine(seconds=size.load, rounds=options.rounds) if "engine" in wanted else []
    if sent:
        print(f"{ENGINE}\n\n{engine_table(sent)}\n", flush=True)
    judged = run_judge(seconds=size.judging) if "judge" in wanted else []
    if judged:
        print(f"{JUDGE}\n\n{report_table(judged)}\n", flush=True)
    kernels = run_kernels(size.run, rounds=options.rounds) if "kernels" in wanted else []
    if kernels:
        title = f"Each measure by itself, {size.run.queries:,} x {size.run.depth:,}"
        print(f"{title}\n\n{kernels_table(kernels)}\n", flush=True)
    steps = run_scaling(size.scaling, rounds=options.rounds) if "scaling" in wanted else []
    if steps:
        print(f"Cleverdon, queries x 100\n\n{scaling_table(steps)}\n", flush=True)
    grown = []
    if "growth" in wanted:
        grown = run_growth(rounds=min(options.rounds, 3), quick=options.quick)
        print(f"{GROWTH}\n\n{growth_lines(grown)}\n", flush=True)
    if options.quick:
        print("Quick sizes: the targets apply to the full sizes.\n")
    if options.json:
        options.json.write_text(
            _json(
                machine,
                rows,
                first,
                compared,
                columns,
                lines,
                reported,
                sent,
                judged,
                kernels,
                steps,
                grown,
            )
        )
        say(f"wrote {options.json}")
    failures = [f"{row.task}, {row.tool}: {row.note}" for row in rows if row.wrong]
    failures += [f"first-number, {fact.what}: {fact.note}" for fact in first if fact.wrong]
    failures += [f"csv, {fact.what}: {fact.note}" for fact in columns if fact.wrong]
    failures += [f"lines, {fact.what}: {fact.note}" for fact in lines if fact.wrong]
    failures += [f"report, {fact.what}: {fact.note}" for fact in reported if fact.wrong]
    failures += [f"engine, {one.tool} at {one.rate}/s: {one.note}" for one in sent if one.wrong]
    failures += [f"judge, {fact.what}: {fact.note}" for fact in judged if fact.wrong]
    failures += [f"{kernel.measure}: {kernel.note}" for kernel in kernels if kernel.wrong]
    failures += [f"scaling, {step.queries:,} queries: {step.note}" for step in steps if step.wrong]
    failures += [f"growth, {one.task}: {one.note}" for one in grown if one.wrong]
    for failure in failures:
        print(f"FAILURE: {failure}")
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data or less")
    parser.add_argument(
        "--rounds", type=int, default=5, help="the least number of rounds (default: 5)"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=TASKS,
        help="run only this task; can be repeated",
    )
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    return parser


def _json(
    machine: dict[str, str],
    rows: Sequence[Row],
    first: Sequence[Fact],
    compared: Sequence[Fact],
    columns: Sequence[Fact],
    lines: Sequence[Fact],
    report: Sequence[Fact],
    sent: Sequence[Sent],
    judged: Sequence[Fact],
    kernels: Sequence[Kernel],
    steps: Sequence[Step],
    grown: Sequence[Grown],
) -> str:
    content = {
        "machine": machine,
        "tasks": [asdict(row) for row in rows],
        "first-number": [asdict(fact) for fact in first],
        "compare": [asdict(fact) for fact in compared],
        "csv": [asdict(fact) for fact in columns],
        "lines": [asdict(fact) for fact in lines],
        "report": [asdict(fact) for fact in report],
        "engine": [asdict(one) for one in sent],
        "judge": [asdict(fact) for fact in judged],
        "kernels": [asdict(kernel) for kernel in kernels],
        "scaling": [asdict(step) for step in steps],
        "growth": [asdict(one) for one in grown],
    }
    return json.dumps(content, indent=2) + "\n"


if __name__ == "__main__":
    sys.exit(main())
