"""Tools that are run as commands, in a process of their own: from files to printed numbers.

Each command is the one that the tool's documentation gives.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.generate import Collection
from benchmarks.peers import (
    MEASURES,
    PRINTED,
    RANX,
    RANX_TIES,
    TREC_EVAL,
    TREC_EVAL_PRINTED,
    Peer,
    Values,
    by_measure,
)


@dataclass(frozen=True, kw_only=True)
class Command(Peer):
    """A tool that is started again for every round.

    Most tools keep compiled code on disk. One that does not (`keeps_code`) compiles in every round.
    """

    command: Callable[[Collection], Sequence[str]]
    read: Callable[[str], Values] | None = None
    keeps_code: bool = True

    def missing(self) -> str | None:
        if self is TREC_EVAL_FILE and "TREC_EVAL" not in os.environ:
            return "not given: TREC_EVAL=path of its binary"
        return super().missing()


def _script(name: str) -> str:
    """Find a console script of the environment that runs this benchmark."""
    return str(Path(sys.executable).parent / name)


def _options(names: Sequence[str]) -> list[str]:
    return [word for name in names for word in ("-m", name)]


def _cleverdon(data: Collection) -> Sequence[str]:
    return [_script("cleverdon"), "eval", str(data.qrels), str(data.run), *_options(MEASURES)]


def _all_trec(data: Collection) -> Sequence[str]:
    return [_script("cleverdon"), "trec_eval", "-m", "all_trec", str(data.qrels), str(data.run)]


def _ir_measures(data: Collection) -> Sequence[str]:
    return [_script("ir_measures"), str(data.qrels), str(data.run), *MEASURES]


def _trec_eval(data: Collection) -> Sequence[str]:
    return [os.environ["TREC_EVAL"], *_options(TREC_EVAL), str(data.qrels), str(data.run)]


RANX_PROGRAM = f"""
import json, sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
means = evaluate(qrels, run, {list(RANX)})
print(json.dumps({{name: float(value) for name, value in means.items()}}))
"""


def _ranx(data: Collection) -> Sequence[str]:
    return [sys.executable, "-c", RANX_PROGRAM, str(data.qrels), str(data.run)]


def _ranx_compiling(data: Collection) -> Sequence[str]:
    """Run ranx as if it had just been installed: numba has no compiled code on disk."""
    empty = "import os, tempfile; kept = tempfile.TemporaryDirectory()\n"
    empty += "os.environ['NUMBA_CACHE_DIR'] = kept.name\n"
    return [sys.executable, "-c", empty + RANX_PROGRAM, str(data.qrels), str(data.run)]


def _lines_and_numpy(data: Collection) -> Sequence[str]:
    program = 'wc -l "$1" && exec "$0" -c "import numpy"'
    return ["sh", "-c", program, sys.executable, str(data.run)]


def _numpy(data: Collection) -> Sequence[str]:
    return [sys.executable, "-c", "import numpy"]


def _read_cleverdon(output: str) -> Values:
    """Find the five means in the printed table; measures may be rows or columns."""
    lines = [re.findall(r"[\w@.()=]+", line) for line in output.splitlines()]
    rows = {line[0]: _decimals(line) for line in lines if line and line[0] in MEASURES}
    if set(MEASURES) <= rows.keys():
        return {"mean": by_measure({name: row[0] for name, row in rows.items()}, MEASURES)}
    header = next(i for i, line in enumerate(lines) if set(MEASURES) <= set(line))
    columns = [word for word in lines[header] if word in MEASURES]
    numbers = next(filter(None, map(_decimals, lines[header + 1 :])))
    return {"mean": by_measure(dict(zip(columns, numbers, strict=False)), MEASURES)}


def _decimals(words: Sequence[str]) -> list[float]:
    return [float(word) for word in words if re.fullmatch(r"[01]?\.\d{3,}", word)]


def _read_ir_measures(output: str) -> Values:
    return {"mean": by_measure(_first_and_last(output), MEASURES)}


def _read_trec_eval(output: str) -> Values:
    return {"mean": by_measure(_first_and_last(output), TREC_EVAL_PRINTED)}


def _read_ranx(output: str) -> Values:
    return {"mean": by_measure(json.loads(output), RANX)}


def _first_and_last(output: str) -> dict[str, str]:
    return {line.split()[0]: line.split()[-1] for line in output.splitlines()}


CLEVERDON = Command(name="cleverdon", module="cleverdon", command=_cleverdon, read=_read_cleverdon)
TREC_EVAL_FILE = Command(
    name="trec_eval",
    command=_trec_eval,
    read=_read_trec_eval,
    tolerance=PRINTED,
    slower=12,
)
FILE = (
    replace(CLEVERDON, anonymous=150_000_000),
    Command(
        name="cleverdon trec_eval -m all_trec",
        module="cleverdon",
        command=_all_trec,
        at_most=2,
    ),
    Command(name="wc -l + import numpy", command=_lines_and_numpy, faster=4),
    TREC_EVAL_FILE,
    Command(
        name="ir_measures",
        module="ir_measures",
        command=_ir_measures,
        read=_read_ir_measures,
        tolerance=PRINTED,
        slower=25,
    ),
    Command(
        name="ranx",
        module="ranx",
        command=_ranx,
        read=_read_ranx,
        tolerance=RANX_TIES,
    ),
    # The target applies to a process that has to compile: with compiled code on disk, ranx takes
    # 23 s, and an eightieth of that is little more than the start of Python and numpy.
    Command(
        name="ranx, first run",
        module="ranx",
        command=_ranx_compiling,
        read=_read_ranx,
        tolerance=RANX_TIES,
        keeps_code=False,
        slower=80,
    ),
)
SMALL = (CLEVERDON, Command(name="import numpy", command=_numpy, faster=2))
