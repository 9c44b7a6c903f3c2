"""Check wheels: what is in them, and that they work in a fresh environment without Rust.

    python tools/check_wheel.py dist              # the files in the wheels of this folder
    python tools/check_wheel.py dist --install    # also installs the one that fits this system
    python tools/check_wheel.py dist --sdist      # the files in the source distribution instead

Only the standard library is used. The README and the demo run in an empty folder that has the
examples.
"""

from __future__ import annotations

import argparse
import doctest
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parent.parent
EXTRAS = "engine,plots,stats"
"""What the demo and the README need."""

NEEDED = (
    "cleverdon/__init__.py",
    "cleverdon/py.typed",
    "cleverdon/_core.pyi",
    "cleverdon/judging/web/templates/judge.html",
    "cleverdon/pages/assets/style.css",
)
"""One file of each kind: code, marker and stub for type checkers, template, asset."""

UNWANTED = re.compile(
    r"(^|/)(tests?|benchmarks|tools|docs|rust|__pycache__|\.[^/]+)/|\.(pyc|rs|toml|lock)$|sboms/.*rust"
)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dist", type=Path, help="a wheel, or a folder of wheels")
    parser.add_argument("--install", action="store_true", help="install it and run the README")
    parser.add_argument("--sdist", action="store_true", help="check the source distribution")
    given = parser.parse_args(arguments)
    if given.sdist:
        wrong = [text for path in given.dist.glob("*.tar.gz") for text in source_problems(path)]
        print(f"source distribution opened, {len(wrong)} problem(s)", *wrong, sep="\n")
        return int(bool(wrong))
    wheels = sorted(given.dist.glob("*.whl")) if given.dist.is_dir() else [given.dist]
    if not wheels:
        print(f"there is no wheel in {given.dist}")
        return 1
    wrong = [f"{wheel.name}: {problem}" for wheel in wheels for problem in problems(wheel)]
    print(f"{len(wheels)} wheel(s) opened, {len(wrong)} problem(s)", *wrong, sep="\n", flush=True)
    if given.install and not wrong:
        wrong = list(problems_when_used(wheels))
        print(f"README and demo run, {len(wrong)} problem(s)", *wrong, sep="\n")
    return int(bool(wrong))


def problems(path: Path) -> Iterator[str]:
    """Say what is wrong with the name and the files of a wheel."""
    if not re.fullmatch(r"cleverdon-[\w.]+-cp311-abi3-[\w.]+\.whl", path.name):
        yield "its name is not that of a wheel for Python 3.11 and newer (cp311-abi3)"
    with ZipFile(path) as wheel:
        names = wheel.namelist()
        for name in NEEDED:
            if name not in names:
                yield f"lacks {name}"
        for name in names:
            if UNWANTED.search(name):
                yield f"has {name}"
        about = {name.rpartition("/")[2]: name for name in names if ".dist-info/" in name}
        for name in ("METADATA", "WHEEL", "RECORD", "LICENSE", "entry_points.txt"):
            if name not in about:
                yield f"lacks {name} in its dist-info"
        if not {"METADATA", "WHEEL"} <= about.keys():
            return
        if not any("-abi3-" in tag for tag in _tags(wheel.read(about["WHEEL"]))):
            yield "its tags in WHEEL have no abi3"
        said = message_from_bytes(wheel.read(about["METADATA"]))
        version = re.search(r'__version__ = "(.+)"', wheel.read(NEEDED[0]).decode())
        if not version or said["Version"] != version[1]:
            yield f"is version {said['Version']}, and __version__ is another"
        cores = [name for name in names if re.search(r"/_core[\w.]*\.(so|pyd|dylib)$", name)]
        if len(cores) != 1:
            yield f"has {len(cores)} compiled cores"
        for name in cores:
            if b".symtab" in _sections(wheel.read(name)):
                yield f"{name} is not stripped"


def source_problems(path: Path) -> Iterator[str]:
    """Say what a source distribution lacks to be built, and what it has beside that."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    code = {"pyproject.toml", "README.md", "LICENSE", "rust/Cargo.toml", "rust/build.rs"}
    code |= {file.relative_to(ROOT).as_posix() for file in (ROOT / "rust/src").rglob("*.rs")}
    code |= {f"src/{name}" for name in NEEDED}
    yield from (f"lacks {name}" for name in sorted(code - names))
    made = {"PKG-INFO", "rust/Cargo.lock"}
    others = {name for name in names - code - made if not name.startswith("src/cleverdon/")}
    yield from (f"has {name}" for name in sorted(others))
    yield from (f"has {name}" for name in sorted(names) if re.search(r"\.(so|pyd|pyc)$", name))


def _tags(content: bytes) -> list[str]:
    return message_from_bytes(content).get_all("Tag", [])


def _sections(data: bytes) -> list[bytes]:
    """Return the names of the sections of a 64-bit ELF file; of other files, none."""
    if data[:5] != b"\x7fELF\x02":
        return []
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQ", data, start + i * size) for i in range(count)]
    table = headers[names][4]
    return [data[table + header[0] :].partition(b"\0")[0] for header in headers]


def problems_when_used(wheels: Sequence[Path]) -> Iterator[str]:
    """Install the wheel that fits this system, and say which examples fail."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        scripts = environment / ("Scripts" if os.name == "nt" else "bin")
        python = str(scripts / "python")
        variables = without_rust(dict(os.environ), scripts)
        dist = str(wheels[0].parent.resolve())
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        command = [*pip, "--find-links", dist, "--only-binary", "cleverdon", f"cleverdon[{EXTRAS}]"]
        version = f"=={wheels[0].name.split('-')[1]}"
        subprocess.run([*command[:-1], command[-1] + version], env=variables, check=True)
        work = Path(folder, "work")
        shutil.copytree(ROOT / "examples", work / "examples")
        readme = shutil.copy(ROOT / "README.md", work)

        def run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                words, cwd=work, env=variables, capture_output=True, encoding="utf-8"
            )

        where = run([python, "-I", "-c", "import cleverdon; print(cleverdon.__file__)"])
        if not Path(where.stdout.strip()).is_relative_to(environment.resolve()):
            yield f"another cleverdon was imported: {where.stdout}{where.stderr}"
        print(run([_script(scripts), "--version"]).stdout, flush=True)
        options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        program = (
            "import doctest, sys; "
            f"done = doctest.testfile({str(readme)!r}, False, optionflags={options}, "
            "encoding='utf-8'); print(done); sys.exit(done.failed or not done.attempted)"
        )
        done = run([python, "-I", "-c", program])
        if done.returncode:
            yield f"README.md, Python: {done.stdout}{done.stderr}"
        for command_line, output in shown_commands(Path(readme).read_text("utf-8")):
            program, *words = shlex.split(command_line)
            done = run([_script(scripts, program), *words])
            if (done.stdout + done.stderr).rstrip() != output.rstrip():
                yield f"README.md: {command_line} gives {done.stdout}{done.stderr}"
        done = run([_script(scripts), "demo", "demo"])
        if done.returncode or not (work / "demo" / "report.html").exists():
            yield f"cleverdon demo: {done.stdout}{done.stderr}"


def _script(scripts: Path, name: str = "cleverdon") -> str:
    return str(scripts / (f"{name}.exe" if os.name == "nt" else name))


def without_rust(variables: dict[str, str], scripts: Path) -> dict[str, str]:
    """Return variables with these scripts first on PATH, and no folder in which there is cargo."""
    folders = variables.get("PATH", "").split(os.pathsep)
    kept = [folder for folder in folders if not any(Path(folder).glob("cargo*"))]
    variables |= {"PATH": os.pathsep.join([str(scripts), *kept]), "PYTHONUTF8": "1"}
    return {key: value for key, value in variables.items() if key != "PYTHONPATH"}


def shown_commands(page: str) -> list[tuple[str, str]]:
    """Return the commands in the `console` blocks of a page, each with its output."""
    blocks = re.findall(r"```console\n(.*?)```", page, flags=re.DOTALL)
    shown = [text for block in blocks for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, output) for command, _, output in (text.partition("\n") for text in shown)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
