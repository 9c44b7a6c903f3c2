"""Options of all commands: absurd numbers, options given twice, and options without an effect."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cleverdon.cli import cleverdon
from cleverdon.cli.options import Count, Number, _split_pairs, parse_grade_map
from cleverdon.errors import LARGEST_COUNT, OptionError
from tests.commands import run_here


def commands(
    command: click.Command = cleverdon, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its words, as `pool make`."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, (*path, name))


OPTIONS = [
    (path, option)
    for path, command in commands()
    for option in command.params
    if isinstance(option, click.Option) and not option.is_flag
]
NUMBERS = [
    (path, option)
    for path, option in OPTIONS
    if isinstance(option.type, (Count, Number, click.IntRange, click.FloatRange))
    or option.type.name in ("integer", "float")
]


def named(case: object) -> str:
    return " ".join(case) if isinstance(case, tuple) else getattr(case, "opts", ["?"])[-1]


def test_all_numbers_are_bounded() -> None:
    """No option takes a number of a type that lets NaN or counts without an end through."""
    assert len(NUMBERS) > 150
    for path, option in NUMBERS:
        assert isinstance(option.type, (Count, Number)), (path, option.opts)
        if isinstance(option.type, Count):
            assert option.type.max is not None
            assert option.type.max <= LARGEST_COUNT


@pytest.mark.parametrize(
    "value", ["nan", "inf", "-inf", "1e400", f"{LARGEST_COUNT}0", "1" + 30 * "0"]
)
def test_absurd_numbers(value: str, tmp_path: Path) -> None:
    for path, option in NUMBERS:
        if isinstance(option.type, Number) and float(value) < 1e300:
            continue  # a large number, and a finite one
        done = run_here([*path, f"{option.opts[-1]}={value}"], tmp_path)
        if not option.opts[-1].startswith("--"):
            done = run_here([*path, option.opts[-1], value], tmp_path)
        assert done.returncode == 2, (path, option.opts, done.stderr)
        assert "Invalid value for" in done.stderr, (path, option.opts, done.stderr)


def test_one_value_cannot_be_two(tmp_path: Path) -> None:
    """click takes the last of several values, and says nothing of the others."""
    for path, option in OPTIONS:
        given = [option.opts[-1], *["1"] * option.nargs] * 2
        done = run_here([*path, *given], tmp_path)
        told = f"{option.opts[-1]} takes one value, and is given 2"
        assert (told in done.stderr) == (not option.multiple), (path, option.opts, done.stderr)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    queries = [f"q{number}" for number in range(1, 7)]
    docs = [f"d{number}" for number in range(8)]
    qrels = [
        f"{q} 0 {d} {(n + m) % 3}\n" for n, q in enumerate(queries) for m, d in enumerate(docs)
    ]
    (tmp_path / "qrels.txt").write_text("".join(qrels))
    for name, step in (("a", 3), ("b", 5)):
        run = {
            query: {doc: (n * step + m * 7) % 11 + 0.5 for m, doc in enumerate(docs)}
            for n, query in enumerate(queries)
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    return tmp_path


MOST = str(LARGEST_COUNT)


@pytest.mark.parametrize(
    "command",
    [
        f"correlate --runs a.json b.json -k {MOST}",
        f"plot confusion qrels.txt a.json -k {MOST} -o plot.json",
        f"splits qrels.txt a.json b.json --difficulty AP --bins {MOST}",
        f"power --difference 0.1 --deviation 0.2 --system-count {MOST}",
        "power --difference 1e-300 --deviation 1e300",
        f"explain qrels.txt a.json --query q1 --depth {MOST}",
        f"flip qrels.txt a.json b.json -m AP --depth {MOST}",
        f"collection stats qrels.txt a.json b.json -k {MOST} --depth {MOST} --holes {MOST}",
        f"collection subset qrels.txt --judgments-per-query {MOST} -o out.txt",
        f"pool make a.json b.json -k {MOST} -o pool.tsv",
        f"pool next journal.jsonl a.json b.json -n {MOST} -o sheet.tsv --budget {MOST}",
        f"pool simulate qrels.txt a.json b.json --budget {MOST} --method mtf --seed {MOST}",
        f"gate qrels.txt a.json --baseline b.json --rule AP>=0 --worst {MOST}",
        f"check a.json --limit {MOST}",
        f"eval qrels.txt a.json --docs {MOST} --risk 1e300 --baseline a",
        "compare qrels.txt a.json b.json --level 1e-12",
        "claim qrels.txt a.json b.json --level 1e-12",
        "claim qrels.txt a.json b.json --level 0.999999999999",
    ],
)
def test_the_largest_and_smallest_numbers(command: str, folder: Path) -> None:
    done = run_here(command.split(), folder)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "defect" not in done.stderr
    assert "nan" not in done.stdout


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tune qrels.txt a.json b.json -m AP -m RR", "--measure takes one value, and is given 2"),
        ("tune qrels.txt a.json b.json --folds s.json --seed 1", "--seed goes with a number of"),
        ("tune qrels.txt a.json b.json --folds s.json --repeats 2", "--repeats goes with a number"),
        ("power --difference 0.1 --deviation 0.2 -m AP", "--measure goes with QRELS and RUNS"),
        ("power --difference 0.1 --deviation 0.2 --test t", "--test goes with QRELS and RUNS"),
        ("power --difference 0.1 --deviation 0.2 --seed 1", "--seed goes with QRELS and RUNS"),
        ("power --difference 0.1 --deviation 0.2 --ties best", "--ties goes with QRELS and RUNS"),
        ("correlate --runs a.json b.json --seed 1", "--seed goes with QRELS and RUNS"),
        ("correlate --runs a.json b.json --by kind", "--by goes with --attributes"),
        ("correlate --runs a.json b.json --profile beir", "--profile goes with QRELS and RUNS"),
        ("correlate --runs a.json b.json --how kendall -p 0.5", "--persistence goes with --how"),
        (
            "correlate qrels.txt a.json b.json --matrix kendall --seed 1",
            "a matrix has no intervals",
        ),
        (
            "correlate qrels.txt a.json b.json --matrix kendall -p 0.5",
            "-p and --matrix kendall do not go together",
        ),
        ("splits qrels.txt --bins 3", "--bins goes with --attributes or --difficulty"),
        ("splits qrels.txt --run-format trec", "--run-format goes with RUNS"),
        ("gate qrels.txt a.json --rule AP>=0 --level 0.1", "--level goes with --baseline"),
        ("gate qrels.txt a.json --rule AP>=0 --worst 3", "--worst goes with --baseline"),
        ("agree qrels.txt a=qrels.txt -m AP", "--measure goes with --runs"),
        ("agree qrels.txt a=qrels.txt --level 0.1", "--level goes with --runs"),
        ("pool votes a.json b.json --method references --trials 9", "--trials goes with --method"),
        ("pool votes a.json b.json --resamples 9", "--resamples goes with --qrels"),
        ("pool sample d.txt --qrels qrels.txt -o p.tsv --order-by rank", "--order-by goes with"),
        ("check a.json --qrels-format trec", "--qrels-format goes with --qrels"),
    ],
)
def test_options_without_an_effect(command: str, message: str, folder: Path) -> None:
    (folder / "s.json").write_text("{}")
    done = run_here(command.split(), folder)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr


def test_two_runs_are_read_as_was_asked(folder: Path) -> None:
    (folder / "a.run").write_text("q Q0 x 1 1 t\nq Q0 y 2 2 t\nq Q0 z 3 3 t\n")
    (folder / "b.run").write_text("q Q0 x 1 3 t\nq Q0 y 2 2 t\nq Q0 z 3 1 t\n")
    command = ["correlate", "--runs", "a.run", "b.run", "--how", "kendall", "-f", "csv"]
    by_score, by_rank = (
        run_here([*command, "--order-by", how], folder).stdout for how in ("score", "rank")
    )
    assert ",-1" in by_score
    assert ",1" in by_rank


@pytest.mark.parametrize(
    "command",
    [
        "gate {} a.json --rule AP>=0 --json {}",
        "gate {} a.json --rule AP>=0 --junit {}",
        "splits {} -o {}",
        "convert {} {}",
        "report {} a.json --second extra.txt -o {}",
        "report qrels.txt a.json --weights {} -o {}",
        "plot spread {} a.json -o {}",
        "pool simulate {} a.json b.json --plot {}",
        "pool make a.json b.json -k 3 --queries {} -o {}",
        "pool next journal.jsonl a.json b.json --documents {} -o {}",
        "collection filter {} -o {}",
        "collection merge {} extra.txt -o {}",
        "recall {} a.json b.json --plot {}",
        "agree {} b=qrels.txt --plot {}",
    ],
)
def test_no_input_is_overwritten(command: str, folder: Path) -> None:
    (folder / "extra.txt").write_text((folder / "qrels.txt").read_text())
    content = (folder / "qrels.txt").read_bytes()
    (folder / "in.svg").write_bytes(content)
    (folder / "in.html").write_bytes(content)
    name = "in.html" if command.startswith("report") else "in.svg"
    (folder / f"link-{name}").symlink_to(name)
    for output in (name, f"./{name}", f"link-{name}"):
        done = run_here(command.format(name, output).split(), folder)
        assert done.returncode == 2, done.stderr
        assert "is read, and would be overwritten: name another" in done.stderr
        assert (folder / name).read_bytes() == content


def test_new_grades_are_a_list_or_repeated() -> None:
    assert _split_pairs(["1=0,2=1", "3=1"]) == _split_pairs(["1=0", "2=1, 3=1"])
    assert _split_pairs(["Yes, very=3,No=0"]) == ("Yes, very=3", "No=0")
    assert _split_pairs([]) == _split_pairs([""]) == ()
    assert parse_grade_map(["1=0", "2.5=1", "1=0"]) == {1: 0, 2.5: 1}


@pytest.mark.parametrize("wrong", ["1", "1=x", "=1", "1=0,1=2", "1=0,", "1=0,,2=1", "1,2=0"])
def test_new_grades_that_are_no_pairs(wrong: str) -> None:
    with pytest.raises(OptionError, match="--map"):
        parse_grade_map(_split_pairs([wrong]))
