"""A/B tests on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cleverdon.errors import OptionError
from cleverdon.logs.abtest.cli import abtest_command
from cleverdon.logs.generator.writer import generate_log


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made_up")
    generate_log(folder, events=20_000, seed=1, effect=0.25, bots=0.0)
    return folder


def run(*arguments: object) -> Result:
    return CliRunner().invoke(
        abtest_command, [str(one) for one in arguments], catch_exceptions=False
    )


def test_text_and_json(log: Path) -> None:
    done = run(log, "-m", "ImpressionCTR", "--guardrail", "Latency=0.3")
    assert done.exit_code == 0
    assert " users took part (A " in done.output
    assert "Guardrail Latency: " in done.output
    assert "users for 5%" in done.output
    found = json.loads(run(log, "-m", "Success", "--guardrail", "none", "-f", "json").output)
    assert found["guardrails"] == []
    assert [one["metric"] for one in found["effects"]] == ["Success"]


def test_the_exit_code_says_that_users_are_missing(log: Path) -> None:
    done = run(log, "-m", "Success", "--expected", "A=0.9", "--expected", "B=0.1")
    assert done.exit_code == 3
    assert "NOT TO BE TRUSTED" in done.output


def test_a_doubtful_split_is_told_beside_csv_and_is_no_error(log: Path) -> None:
    users = json.loads(run(log, "-m", "Success", "-f", "json").output)["participants"]["users"]
    total = sum(users.values())
    # Two and a half standard deviations off what is found.
    share = users["A"] / total + 1.25 / total**0.5
    expected = ["--expected", f"A={share:.4f}", "--expected", f"B={1 - share:.4f}"]
    done = run(log, "-m", "Success", *expected, "-f", "csv")
    assert done.exit_code == 0
    assert done.stderr.startswith("cleverdon: DOUBTFUL: their split is unusual. There are A ")
    assert "DOUBTFUL" not in done.stdout
    assert "DOUBTFUL" in run(log, "-m", "Success", *expected).stdout


def test_options_reach_the_test(log: Path) -> None:
    how = ["-m", "Success", "-m", "QueryCTR", "--control", "B", "--sequential", "--no-cuped"]
    how += ["--level", "0.1", "--correction", "benjamini-hochberg", "--wanted", "0.1"]
    how += ["--primary", "QueryCTR", "--confidence", "0.99"]
    found = json.loads(run(log, *how, "-f", "json").output)
    assert (found["control"], found["sequential"], found["cuped"]) == ("B", True, False)
    assert (found["level"], found["correction"], found["wanted"]) == (
        0.1,
        "benjamini-hochberg",
        0.1,
    )
    assert (found["primary"], found["primary_named"], found["confidence"]) == (
        "QueryCTR",
        True,
        0.99,
    )
    whole = json.loads(run(log, *how[:4], "--primary", "all", "-f", "json").output)
    assert (whole["primary"], whole["confidence"]) == (None, 0.95)
    assert [one["family"] for one in whole["effects"]] == [2, 2]


def test_the_queries_can_be_printed(log: Path) -> None:
    done = run(log, "-m", "Success", "--sql")
    assert "-- sums of each user\n" in done.output
    assert "took part (" not in done.output


def test_wrong_arguments(log: Path) -> None:
    done = CliRunner().invoke(abtest_command, [str(log), "--expected", "A"])
    assert done.exit_code == 2
    assert "A: write NAME=SHARE" in done.output
    twice = CliRunner().invoke(
        abtest_command, [str(log), "--expected", "A=0.4", "--expected", "A=0.6"]
    )
    assert twice.exit_code == 2
    assert "A=0.6: A has a share already" in twice.output
    with pytest.raises(OptionError, match=r"sum to 1.8 .*\(--expected\)"):
        run(log, "--expected", "A=0.9", "--expected", "B=0.9")
    with pytest.raises(OptionError, match="'soon' is not a time"):
        run(log, "--start", "soon")
