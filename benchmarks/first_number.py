"""Time to the first number: from `pip install` of a wheel to a table, and what that takes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median, median_low

from benchmarks.measure import ROOT
from benchmarks.progress import say
from benchmarks.report import Fact

TITLE = "From a wheel to the first number, in a fresh environment"
BEFORE = "f34e85f"
"""The commit that the instructions are compared with: the last before version 0.2."""

_IMPORT = "import time; t = time.perf_counter(); import cleverdon; print(time.perf_counter() - t)"
_COUNTED = re.compile(r"Collected : (\d+)")


def run_first_number(*, rounds: int) -> list[Fact]:
    """Install a wheel that is built now, and measure; see the README for each number."""
    say("task first-number")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        say("  building an optimised wheel")
        try:
            wheel = _built(ROOT, place / "wheel")
        except (StopIteration, subprocess.CalledProcessError) as error:
            return [Fact(what="an optimised wheel", unit="", note=f"FAILED: {error}")]
        return [*_installed(wheel, place, rounds=rounds), *_instructions(place)]


def _built(source: Path, target: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    words = [*pip, "--no-deps", "--wheel-dir", str(target), str(source)]
    subprocess.run(words, check=True, capture_output=True, text=True)
    return next(target.glob("*.whl"))


def _installed(wheel: Path, place: Path, *, rounds: int) -> Iterator[Fact]:
    seconds, imports = [], []
    for turn in range(rounds):
        say(f"  installing: round {turn + 1} of {rounds}")
        environment = place / "environment"
        shutil.rmtree(environment, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        began = time.perf_counter()
        scripts = _install(wheel, environment)
        _run(scripts, "eval", "examples/qrels.txt", "examples/bm25.run", "examples/dense.run")
        seconds.append(time.perf_counter() - began)
        python = str(scripts / "python")
        for _ in range(5):
            done = subprocess.run([python, "-I", "-c", _IMPORT], capture_output=True, check=True)
            imports.append(float(done.stdout))
    yield Fact(
        what="pip install to a table", value=median(seconds), unit="s", rounds=rounds, most=20
    )
    yield Fact(what="import cleverdon", value=1000 * median(imports), unit="ms", most=30)
    yield Fact(what="the wheel", value=wheel.stat().st_size / 1e6, unit="MB")
    packages = sorted(environment.glob("[Ll]ib/**/site-packages"))[0]
    sizes = {path.name: _size(path) for path in packages.iterdir()}
    ours = sum(size for name, size in sizes.items() if not re.match("numpy|pip|setuptools", name))
    yield Fact(what="installed, beyond numpy", value=ours / 1e6, unit="MB", most=25)
    core = max(packages.glob("cleverdon/_core*"), key=lambda path: path.stat().st_size)
    yield Fact(what="of which the core", value=core.stat().st_size / 1e6, unit="MB")


def _install(wheel: Path, environment: Path) -> Path:
    """Install the wheel; return the folder of its scripts."""
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(scripts / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", str(wheel)], check=True)
    return scripts


def _run(scripts: Path, *words: str) -> None:
    subprocess.run(
        [str(scripts / "cleverdon"), *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL
    )


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _instructions(place: Path) -> Iterator[Fact]:
    """Count the instructions of a small `eval`, beside those of the commit before this version."""
    what = f"instructions of a small eval, beside {BEFORE}"
    known = subprocess.run(["git", "cat-file", "-e", BEFORE], cwd=ROOT, capture_output=True)
    if shutil.which("valgrind") is None or known.returncode:
        yield Fact(what=what, unit="x", note="skipped: it needs valgrind, and the history of git")
        return
    say(f"  building {BEFORE}")
    source = place / "before"
    source.mkdir()
    words = ["git", "archive", BEFORE, "pyproject.toml", "README.md", "LICENSE", "rust", "src"]
    archive = subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "x", "-C", str(source)], input=archive, check=True)
    environment = place / "environment-before"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    _install(_built(source, place / "wheel-before"), environment)
    say("  counting instructions")
    now, before = (count(place / name) for name in ("environment", "environment-before"))
    yield Fact(what="instructions of a small eval", value=now / 1e6, unit="million")
    yield Fact(what=what, value=now / before, unit="x", most=1.1)


def count(environment: Path) -> int:
    """Count the instructions of `eval` of the example, by callgrind."""
    python = str(environment / "bin" / "python")
    files = [str(ROOT / "examples" / name) for name in ("qrels.txt", "bm25.run")]
    words = [python, "-I", "-m", "cleverdon", "eval", *files]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # bytecode is there from now on
    return median_low([_valgrind(words) for _ in range(3)])


def _valgrind(words: Sequence[str]) -> int:
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    variables = {**os.environ, "PYTHONHASHSEED": "0", "RAYON_NUM_THREADS": "1"}
    done = subprocess.run(
        [*tool, *words], check=True, capture_output=True, text=True, env=variables
    )
    counted = _COUNTED.search(done.stderr)
    assert counted is not None, done.stderr
    return int(counted[1])
