"""What `cleverdon explain` says of a measure."""

from __future__ import annotations

import re

import pytest

from cleverdon import Measure, measure
from cleverdon.measures.description import LEGEND, describe_measure
from cleverdon.measures.registry import measures


def fact(name: str, what: str) -> str:
    found = re.search(rf"^{what}  +(.*)$", describe_measure(name), flags=re.MULTILINE)
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("INST", "higher"),
        ("INST(quantity=ED)", "neither"),
        ("IntentAware(SetE)", "lower"),
        ("IntentAware(AP)", "higher"),
        ("CAM", "as of the inner measure"),
        ("P", "higher"),
    ],
)
def test_facts_are_those_of_the_measure_as_it_is_written(name: str, better: str) -> None:
    assert fact(name, "Better") == better


def test_what_is_needed_beside_grades() -> None:
    assert "--qrels-format subtopics" in fact("alphanDCG@5", "Needs")
    assert "--qrels-format strata" in fact("infNDCG", "Needs")
    assert "--qrels-format sampled" in fact("statAP", "Needs")
    assert "--second" in fact("CAM(AP)", "Needs")
    assert "--docs" in fact("FPR", "Needs")
    assert "--docs" in fact("Utility(w=(0,0,0,1))", "Needs")
    assert not fact("Utility", "Needs")
    assert not fact("nDCG", "Needs")


def test_ranges_and_averages() -> None:
    assert fact("nDCG@10", "Range") == "0 to 1"
    assert fact("DCG", "Range") == "from 0 on"
    assert fact("MCC", "Range") == "-1 to 1"
    assert fact("GMAP", "Average") == "geometric mean over queries"
    assert fact("RelString", "Average") == "none: it is a text"


def test_examples_come_with_all_that_is_to_be_known_to_read_them() -> None:
    read = {
        "AP": "Grades run down",
        "ExpectedSearchLength": "equal scores",
        "CAM": "credibility",
        "StRecall": "subtopic",
        "infNDCG": "stratum",
        "statAP": "with probability",
        "FPR": "docs= is",
        "RBP": "max= is",
    }
    for name, words in read.items():
        text = " ".join(describe_measure(name).split())
        assert words in text
        assert words in LEGEND
        assert "subtopic a" not in text or name == "StRecall"


def test_every_measure_is_described() -> None:
    for cls in measures():
        assert describe_measure(cls.__name__).startswith(cls.__name__)


def test_a_measure_without_a_text_is_not_given_that_of_its_base() -> None:
    @measure
    class Wordless(Measure):
        pass

    assert "The base of all measures" not in describe_measure("Wordless")
