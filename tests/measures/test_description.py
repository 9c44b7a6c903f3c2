"""What `cleverdon explain` says of a measure."""

from __future__ import annotations

import re
from inspect import getdoc
from typing import get_args, get_type_hints

import pytest

from cleverdon import Measure, measure
from cleverdon.measures.description import LEGEND, describe_measure, describe_parameters
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


def block(name: str, heading: str) -> str:
    """Return a part of a description, with line breaks as blanks."""
    found = re.search(rf"^{heading}\n((?:  .*\n?)+)", describe_measure(name), flags=re.MULTILINE)
    assert found is not None
    return " ".join(found[1].split())


@pytest.mark.parametrize("cls", measures(), ids=lambda cls: cls.__name__)
def test_every_parameter_says_what_it_does_and_which_values_it_takes(cls: type[Measure]) -> None:
    explained, docstring = block(cls.__name__, "Parameters"), cls.__doc__ or ""
    for row, hint in zip(
        describe_parameters(cls), (get_type_hints(cls)[name] for name in cls.defaults), strict=True
    ):
        assert re.fullmatch(r"\S.{10,}\.", row.meaning), f"meanings of {cls.__name__}: {row.name}"
        assert "\n" not in row.meaning
        words = [word for word in get_args(hint) if isinstance(word, str)]
        assert all(re.search(rf"\b{word}\b", row.meaning) for word in words), row.name
        assert row.values or words
        if type(None) in get_args(hint) and row.name != cls.cut:
            assert row.name == "gains" or re.search(r"\bnone\b", row.meaning), row.name
        assert f"{row.written} {row.text}" in explained
        assert f"    {row.name}: {row.text}\n" in docstring


def test_no_class_describes_a_parameter_that_it_does_not_have() -> None:
    for cls in measures():
        for base in cls.__mro__:
            if base is not Measure:
                assert vars(base).get("meanings", {}).keys() <= cls.defaults.keys()


def test_words_of_parameters_are_explained() -> None:
    ndcg = block("nDCG", "Parameters")
    assert "jk, log(i), but 1 down to rank `base`. (default log)" in ndcg
    assert "base The base of the logarithm in `discount`. (1 < base; default 2)" in ndcg
    assert "short, as many judged documents as were returned. (default judged)" in ndcg
    assert "min, k of them at most; hits, those among the first k." in block("AP", "Parameters")


@pytest.mark.parametrize("name", ["BPM", "NERR8", "NERR9", "RelString"])
def test_cutoffs_by_default_are_shown(name: str) -> None:
    assert re.search(r"@k [^@]*?\([^)]*; default 10\)", block(name, "Parameters"))


def test_a_docstring_has_the_first_line_and_the_parameters() -> None:
    from cleverdon.measures.ranked import P

    assert getdoc(P(k=5)) == getdoc(P)
    assert (getdoc(P) or "").startswith("Precision at k: the share")
    assert "rel: The lowest grade that is relevant. (number; default 1)" in (getdoc(P) or "")


def test_a_parameter_of_a_user_without_a_text() -> None:
    @measure
    class Undescribed(Measure):
        """A user's own."""

        depth: int = 3

    assert "depth (whole number; default 3)" in block("Undescribed", "Parameters")
