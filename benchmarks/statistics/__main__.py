"""The command: prints the tables, or writes them into the page."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import benchmarks.statistics
from benchmarks.progress import say
from benchmarks.statistics.agreement import agreement_tables
from benchmarks.statistics.doubts import skewed_tables
from benchmarks.statistics.families import MadeUpFamilies, family_tables, primary_tables
from benchmarks.statistics.judging_noise import noise_tables
from benchmarks.statistics.margins import margin_tables
from benchmarks.statistics.online import online_tables
from benchmarks.statistics.others import capture_tables, other_tables
from benchmarks.statistics.populations import MadeUp, facts_table, population
from benchmarks.statistics.real import read_scores, real_tables
from benchmarks.statistics.repeats import repeat_tables
from benchmarks.statistics.single import interval_tables, level_tables, mean_tables, ratio_tables
from benchmarks.statistics.slices import slice_tables
from benchmarks.statistics.tables import Table, insert_tables, side_by_side, summarise
from benchmarks.statistics.tuning import tuning_tables
from cleverdon._common.arrays import Floats

REPETITIONS = 2000


def parts(values: Floats, repetitions: int, seed: int) -> dict[str, Callable[[], Iterator[Any]]]:
    """Return what makes the tables of each part."""
    source, families = MadeUp(values), MadeUpFamilies(values)
    many: dict[str, Any] = {"repetitions": repetitions, "seed": seed}
    half: dict[str, Any] = {**many, "repetitions": max(1, repetitions // 2)}
    return {
        "facts": lambda: iter([facts_table(source)]),
        "tests": lambda: _both("False alarms at the level 0.05", level_tables(source, **many)),
        "intervals": lambda: _both(
            "Coverage of intervals of one difference", interval_tables(source, **many)
        ),
        "means": lambda: mean_tables(source, **many),
        "ratios": lambda: ratio_tables(source, **many),
        "families": lambda: family_tables(families, **many),
        "primary": lambda: primary_tables(**half),
        "slices": lambda: slice_tables(source, **half),
        "repeats": lambda: repeat_tables(source, **half),
        "tuning": lambda: tuning_tables(**half),
        "margins": lambda: margin_tables(source, **half),
        "skewed": lambda: skewed_tables(source, **half),
        "agreement": lambda: agreement_tables(**half),
        "noise": lambda: noise_tables(repetitions=max(1, repetitions * 3 // 20), seed=seed),
        "counts": lambda: capture_tables(**half),
        "others": lambda: other_tables(source, **half),
        "online": lambda: online_tables(**half),
    }


def _both(title: str, tables: Iterator[Table]) -> Iterator[Table]:
    """Put the tables of symmetric and of skewed differences side by side."""
    yield side_by_side(title, dict(zip(("symmetric", "skewed"), tables, strict=True)))


PARTS = tuple(parts(population(10), 1, 1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.statistics",
        description=benchmarks.statistics.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--part", action="append", choices=PARTS, help="one part; repeatable")
    parser.add_argument(
        "--repetitions",
        type=int,
        default=REPETITIONS,
        help="of each cell; slow parts have half as many (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the tables into a page")
    parser.add_argument(
        "--scores",
        type=Path,
        nargs="+",
        metavar="PLACE",
        help="measure on these scores of real systems instead: files COLLECTION_MEASURE.csv of one "
        "column a system and one row a topic, or folders of such files",
    )
    options = parser.parse_args(arguments)
    if options.repetitions < 1:
        parser.error(f"--repetitions {options.repetitions}: expected at least 1")
    if options.scores:
        if options.part:
            parser.error("--scores has one part of its own, and goes with no --part")
        source = read_scores(options.scores)
        half = max(1, options.repetitions // 2)
        tables = real_tables(source, repetitions=half, seed=options.seed)
        _give(options.write, "real", tables)
        return 0
    made = parts(population(), options.repetitions, options.seed)
    for part in options.part or PARTS:
        _give(options.write, part, made[part]())
    return 0


def _give(page: Path | None, part: str, tables: Iterator[Any]) -> None:
    """Print the tables of a part, or write them into the page."""
    text = "\n\n".join(map(str, tables))
    say(f"{part}: done, after {time.process_time():,.0f} s of processor time")
    if page is None:
        print(text, end="\n\n", flush=True)
    else:
        page.write_text(summarise(insert_tables(page.read_text("utf-8"), part, text)), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
