"""The command as scripts run it: a process of its own, with its streams and exit code."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
EXPECTED = Path(__file__).parent / "expected" / "10"
SCRIPT = [
    sys.executable,
    "-c",
    "from cleverdon.trec_eval.cli import trec_eval_main; trec_eval_main()",
]
COMMAND = [str(Path(sys.executable).parent / "cleverdon"), "trec_eval"]


def run(command: list[str], *arguments: str, stdin: bytes = b"") -> tuple[str, str, int]:
    done = subprocess.run([*command, *arguments], cwd=DATA, input=stdin, capture_output=True)
    return done.stdout.decode(), done.stderr.decode(), done.returncode


@pytest.mark.parametrize("command", [SCRIPT, COMMAND], ids=["script", "command"])
def test_both_names(command: list[str]) -> None:
    out, error, code = run(command, "-q", "-m", "all_trec", "qrels.txt", "run.txt")
    assert (f"{out}exit {code}\n", error) == ((EXPECTED / "all.txt").read_text(), "")


def test_standard_input() -> None:
    out, _, code = run(COMMAND, "qrels.txt", "-", stdin=(DATA / "run.txt").read_bytes())
    assert f"{out}exit {code}\n" == (EXPECTED / "official.txt").read_text()


def test_packed_files(tmp_path: Path) -> None:
    packed = []
    for name in ("qrels.txt", "run.txt"):
        packed.append(str(tmp_path / f"{name}.gz"))
        Path(packed[-1]).write_bytes(gzip.compress((DATA / name).read_bytes()))
    out, _, code = run(COMMAND, *packed)
    assert f"{out}exit {code}\n" == (EXPECTED / "official.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-m", "nope", "qrels.txt", "run.txt"], 1),
        (["qrels.txt", "nowhere"], 2),
        (["qrels.txt", "."], 2),
        (["-m", "set_F.nan", "qrels.txt", "run.txt"], 2),
        (["qrels.txt", "short.run"], 4),
        (["-D0.99", "qrels.txt", "run.txt"], 7),
        (["-Z", "nowhere", "qrels.txt", "run.txt"], 255),
    ],
)
def test_exit_codes(arguments: list[str], code: int) -> None:
    out, error, found = run(COMMAND, *arguments)
    assert (out, found) == ("", code)
    assert error.startswith("trec_eval: ")
    assert error.count("\n") == 1


def test_what_was_evaluated_is_printed_before_the_end() -> None:
    out, error, code = run(COMMAND, "-q", "-m", "map", "qrels.txt", "plain.run")
    assert [line.split("\t")[1] for line in out.splitlines()] == ["10", "2"]
    assert "lacks the judged topic '3'" in error
    assert code == 4


def test_help_tells_options_and_measures() -> None:
    out, error, code = run(COMMAND, "-h", "-m", "all_trec", "-m", "prefs_pair_ret", "-R", "prefs")
    assert (error, code) == ("", 0)
    for text in ("--Max_retrieved_per_topic", "all_trec: runid num_q", "Average precision"):
        assert text in out
    assert "prefs_pair_ret: The share of votes" in out
    assert "topic group subgroup document level" in out


def test_whoever_reads_the_output_may_stop() -> None:
    shell = f"{' '.join(COMMAND)} -q qrels.txt run.txt | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], cwd=DATA, capture_output=True, text=True)
    assert done.stdout.splitlines()[1:] == ["0"]
    assert done.stderr == ""


def test_ids_in_any_encoding(tmp_path: Path) -> None:
    # What is not UTF-8 goes through as it is, byte for byte.
    (tmp_path / "qrels").write_bytes(b"\xe9 0 \xff 1\n\xe9 0 b 0\n")
    (tmp_path / "run").write_bytes(b"\xe9 Q0 \xff 1 1 \xfc\n\xe9 Q0 b 1 2 \xfc\n")
    arguments = ["-q", "-m", "map", "-m", "runid", str(tmp_path / "qrels"), str(tmp_path / "run")]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True)
    assert done.stdout == (
        b"map                   \t\xe9\t0.5000\n"
        b"runid                 \tall\t\xfc\n"
        b"map                   \tall\t0.5000\n"
    )


def test_a_run_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("# no results\n\n")
    assert run(COMMAND, "qrels.txt", str(tmp_path / "run"))[2] == 4
    assert run(COMMAND, "--version-of", "9", "qrels.txt", str(tmp_path / "run"))[2] in (2, 7)
    out, _, code = run(COMMAND, "-c", "-m", "map", "qrels.txt", str(tmp_path / "run"))
    assert (out, code) == ("map                   \tall\t0.0000\n", 0)
