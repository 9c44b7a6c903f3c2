"""cleverdon eval of judgments that say more than a grade."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.commands import Command


def test_subtopics_and_their_weights(cleverdon: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q a d1 1\nq b d1 2\nq c d2 1\nq c d1 0\n")
    (tmp_path / "one.run").write_text("q Q0 d1 1 2.0 t\nq Q0 d2 2 1.0 t\n")
    (tmp_path / "weights.txt").write_text("q a 1\nq b 2\nq c 1\n")
    measures = ("-m", "IntentAware(P@1)", "-m", "alpha_nDCG@2", "-f", "csv")
    command = ("eval", "qrels.txt", "one.run", *measures, "--qrels-format", "subtopics")
    # Two of three subtopics are served at rank 1: by weight, three quarters of what is wanted.
    for more, share in (((), 2 / 3), (("--weights", "weights.txt"), 3 / 4)):
        done = cleverdon(*command, *more)
        assert done.returncode == 0, done.stderr
        (row,) = csv.DictReader(io.StringIO(done.stdout))
        assert float(row["IntentAware(P@1)"]) == pytest.approx(share)
        assert float(row["alphanDCG@2"]) == 1


def test_subtopics_are_asked_for_where_they_are_missing(cleverdon: Command, files: Path) -> None:
    done = cleverdon("eval", "qrels.txt", "good.run", "-m", "alphanDCG@5")
    assert done.returncode == 1
    assert "qrels_format='subtopics'" in done.stderr
    (files / "subtopics.txt").write_text("1 a a 2\n1 b a 1\n")
    done = cleverdon("eval", "subtopics.txt", "good.run")
    assert done.returncode == 1
    assert "first on line 1; where the second field is a subtopic" in done.stderr


def test_a_second_grade(cleverdon: Command, files: Path) -> None:
    (files / "credible.txt").write_text("1 0 a 0\n1 0 b 3\n2 0 c 1\n3 0 d 1\n")
    measures = ("-m", "CAM(P@1)", "-m", "NLRE", "-f", "csv")
    done = cleverdon("eval", "qrels.txt", "good.run", "--second", "credible.txt", *measures)
    assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert float(row["CAM(P@1)"]) == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert float(row["NLRE"]) == pytest.approx((0.75 + 1 + 1) / 3)


def test_what_belongs_to_other_queries_is_refused(cleverdon: Command, files: Path) -> None:
    (files / "far.txt").write_text("9 0 a 1\n")
    done = cleverdon("eval", "qrels.txt", "good.run", "-m", "CAM(AP)", "--second", "far.txt")
    assert done.returncode == 1
    assert "no query in common with the first: they have '9', the first have '1'" in done.stderr
    subtopics = ("--qrels-format", "subtopics", "--weights", "far.txt")
    done = cleverdon("eval", "qrels.txt", "good.run", "-m", "AP_IA", *subtopics)
    assert done.returncode == 1
    assert "no query of the judgments has weights: they have '1', the weights" in done.stderr
