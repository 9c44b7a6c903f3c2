"""Run every command with the base install: each works, or names the extra to install.

`make test-base` runs it in an environment of its own. With --pretend it runs anywhere, and hides
all modules that the base install does not have. A command that is not in `ARGUMENTS` is an error,
so new commands are checked too.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.metadata import packages_distributions, requires
from pathlib import Path
from typing import Any

QRELS = "".join(f"q{t} 0 d{d} {int(d % 3 == t % 3)}\n" for t in range(1, 9) for d in range(1, 7))
RUNS = {
    f"{name}.run": "".join(
        f"q{t} Q0 d{(d * step + t) % 6 + 1} {d} {10 - d}.5 {name}\n"
        for t in range(1, 9)
        for d in range(1, 7)
    )
    for name, step in (("a", 1), ("b", 5))
}
TOPICS = "".join(f"q{t}\tshoes number {t}\n" for t in range(1, 9))
DOCS = "".join(json.dumps({"id": f"d{d}", "title": f"shoe {d}"}) + "\n" for d in range(1, 7))
LOG = [
    {"query_id": f"s{n}", "user": f"u{n % 5}", "time": 1_772_442_930_000 + n * 60_000}
    | {"text": f"shoes number {n % 8 + 1}", "results": 5, "variant": "AB"[n % 5 % 2]}
    for n in range(40)
]
CLICKS = [
    {"query_id": row["query_id"], "time": row["time"] + 1_000, "action": action}
    | {"doc": "d1", "position": 1}
    for row in LOG
    for action in ("impression", "click")
]
FILES = {
    "qrels.txt": QRELS,
    "second.txt": QRELS.replace("d1 1", "d1 0"),
    **RUNS,
    "topics.tsv": TOPICS,
    "kinds.csv": "id,kind\n" + "".join(f"q{t},{'ab'[t % 2]}\n" for t in range(1, 9)),
    "docs.jsonl": DOCS,
    "docs.txt": "".join(f"d{d}\n" for d in range(1, 60)),
    "graded.tsv": "query_id\tdoc_id\tgrade\nq1\td6\t1\nq1\td4\t0\n",
    "records.jsonl": '{"query_id": "s1", "method": "team-draft", "seed": 7, "version": 1, '
    '"docs": ["d1", "d2"], "team": ["B", "A"]}\n',
    "saved.zip": "",
    "a.parquet": "PAR1",
    "judging/cleverdon-judge.json": "{}",
    "log/queries.jsonl": "".join(json.dumps(row) + "\n" for row in LOG),
    "log/events.jsonl": "".join(json.dumps(row) + "\n" for row in CLICKS),
    "engine.toml": 'kind = "http"\nurl = "http://127.0.0.1:9/?q={query}"\nids = "$.ids[*]"\n',
}

SYSTEMS = ("qrels.txt", "a.run", "b.run")
ARGUMENTS: dict[str, Sequence[str]] = {
    "eval": (*SYSTEMS, "-m", "nDCG@5"),
    "compare": SYSTEMS,
    "claim": (*SYSTEMS, "--baseline", "a"),
    "report": (*SYSTEMS, "-o", "report.html"),
    "spark eval": SYSTEMS,
    "plot": ("precision-recall", *SYSTEMS, "-o", "plot.html"),
    "power": SYSTEMS,
    "flip": SYSTEMS,
    "worst": SYSTEMS,
    "slices": (*SYSTEMS, "--attributes", "kinds.csv", "--by", "kind"),
    "gate": ("qrels.txt", "b.run", "--baseline", "a.run", "--rule", "nDCG@5 >= 0"),
    "correlate": (*SYSTEMS, "-m", "AP", "-m", "RR"),
    "splits": ("qrels.txt", "--folds", "2"),
    "tune": (*SYSTEMS, "-m", "AP", "--folds", "2"),
    "measures": (),
    "explain": ("nDCG",),
    "pool make": ("a.run", "b.run", "--depth", "2", "-o", "pool.tsv"),
    "pool next": ("journal.jsonl", "a.run", "b.run", "-n", "3", "-o", "next.tsv"),
    "pool simulate": SYSTEMS,
    "pool qrels": ("pool.tsv", "graded.tsv", "-o", "pooled.txt"),
    "pool sample": ("docs.txt", "--qrels", "qrels.txt", "-n", "5", "-o", "sample.tsv"),
    "pool votes": ("a.run", "b.run"),
    "pool expand": ("qrels.txt", "--queries", "topics.tsv", "--documents", "docs.jsonl"),
    "judge init": (
        "new",
        "--queries",
        "topics.tsv",
        "--documents",
        "docs.jsonl",
        "--runs",
        "a.run",
    ),
    "judge serve": ("judging",),
    "judge people": ("judging",),
    "judge assign": ("judging",),
    "judge status": ("judging",),
    "judge import": ("judging", "qrels.txt"),
    "judge export": ("judging", "-o", "exported.txt"),
    "judge backup": ("judging", "-o", "backup.zip"),
    "judge restore": ("saved.zip", "restored"),
    "recall": SYSTEMS,
    "agree": ("ann=qrels.txt", "bob=second.txt"),
    "collection stats": SYSTEMS,
    "collection merge": ("qrels.txt", "second.txt", "--on-contradiction", "first"),
    "collection diff": ("qrels.txt", "second.txt"),
    "collection filter": ("qrels.txt", "--min-relevant", "1"),
    "collection subset": ("qrels.txt", "--queries-count", "4"),
    "collection split": ("qrels.txt", "--folds", "2", "-o", "{name}.qrels"),
    "logs check": ("log",),
    "logs metrics": ("log",),
    "logs abtest": ("log",),
    "logs interleave": ("records.jsonl", "log"),
    "logs judge": ("log", "-o", "clicked.txt"),
    "logs bridge": ("log", "--query-texts", "topics.tsv", "--qrels", "qrels.txt"),
    "logs report": ("log", "-o", "logs.html"),
    "logs explain": ("PageCTR",),
    "logs generate": ("made_up", "--events", "500"),
    "search": ("engine.toml", "topics.tsv", "-o", "found.run"),
    "bench": ("engine.toml", "topics.tsv", "--seconds", "1"),
    "index": ("engine.toml", "docs.jsonl"),
    "check": SYSTEMS,
    "audit": ("--list",),
    "convert": ("a.run", "a.json"),
    "trec_eval": ("qrels.txt", "a.run"),
    "demo": ("demo",),
}
"""Small arguments of every command; a command may read files that an earlier one wrote."""

MORE: Sequence[tuple[str, Sequence[str]]] = (
    ("compare", (*SYSTEMS, "--test", "wilcoxon")),
    ("convert", ("a.run", "b.parquet")),
    ("check", ("a.parquet",)),
    ("eval", ("judging", "a.run")),
    ("agree", ("judging",)),
    ("pool expand", ("qrels.txt", "graded.tsv", "--plot", "yield.html")),
    ("index", ("sqlite:index.db", "docs.jsonl")),
    ("bench", ("sqlite:index.db", "topics.tsv", "--seconds", "1")),
    ("bench", ("engine.toml", "--log", "log")),
)
"""Further calls whose options decide which extra is necessary."""

INSTALL = re.compile(r"\Acleverdon: error: [^\n]*pip install 'cleverdon\[(\w+)\]'\n\Z")


class Hidden(MetaPathFinder):
    """Hides every module that the base install does not have."""

    def __init__(self) -> None:
        base = _base()
        self.names = {
            name
            for name, owners in packages_distributions().items()
            if base.isdisjoint(map(_plain, owners))
        }

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _base() -> set[str]:
    """Return the libraries of the base install, with their dependencies."""
    found: set[str] = set()
    wanted = ["cleverdon"]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            lines = [line for line in requires(name) or [] if "extra ==" not in line]
            wanted += [_plain(re.split(r"[^\w.-]", line)[0]) for line in lines if _fits(line)]
    return found


def _fits(line: str) -> bool:
    """Tell whether a requirement applies to this system."""
    marker = line.partition(";")[2]
    return "win32" not in marker and "Windows" not in marker


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def commands(group: Any = None, before: str = "") -> Iterator[str]:
    """Yield every command; subcommands with the name of their group."""
    import click

    from cleverdon.cli import cleverdon

    group = group or cleverdon
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name


def run(words: Sequence[str]) -> tuple[int, str]:
    """Run a command; return its exit code and its standard error."""
    from cleverdon.cli import main as cleverdon

    errors = io.StringIO()
    sys.argv = ["cleverdon", *words]
    # Rust writes to the file descriptor, not to sys.stdout.
    kept = os.dup(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        try:
            with contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(errors):
                cleverdon()
            code = 0
        except SystemExit as exit:
            code = exit.code if isinstance(exit.code, int) else int(bool(exit.code))
        finally:
            os.dup2(kept, 1)
            os.close(kept)
    return code, errors.getvalue()


def check(name: str, words: Sequence[str]) -> tuple[str, str]:
    """Run a command; return its outcome in a word or two, and what is wrong, if anything."""
    code, errors = run([*name.split(), *words])
    wanted = INSTALL.match(errors)
    if code == 0:
        return "works", ""
    if code == 1 and wanted:
        return f"needs {wanted[1]}", ""
    return "", f"exit code {code}: {errors.strip() or 'nothing on standard error'}"


def check_all() -> int:
    """Check every command in a folder of its own; return the exit code."""
    there = list(commands())
    wrong = [f"{name}: has no arguments in {__file__}" for name in there if name not in ARGUMENTS]
    wrong += [f"{name}: there is no such command" for name in ARGUMENTS if name not in there]
    calls = [*ARGUMENTS.items(), *MORE]
    for name, words in calls:
        did, why = check(name, words)
        print(f"{' '.join([name, *words])}: {did or 'FAILED'}", flush=True)
        wrong += [f"{name}: {why}"] if why else []
    print(f"{len(calls)} calls of {len(there)} commands, {len(wrong)} wrong", *wrong, sep="\n")
    return int(bool(wrong))


def main(arguments: Sequence[str]) -> int:
    if "--pretend" in arguments:
        sys.meta_path.insert(0, Hidden())
    os.environ.pop("CLEVERDON_TRACEBACK", None)
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for path, content in FILES.items():
            file = Path(folder, path)
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
        os.chdir(folder)
        try:
            return check_all()
        finally:
            os.chdir(before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
