"""Every exported name has a docstring with arguments, result and an example.

The help on a name of `cleverdon` is enough to use it: it lists words, and its example runs.
"""

from __future__ import annotations

import doctest
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import cleverdon
from cleverdon.agreement import estimates
from cleverdon.agreement.aggregation import AGGREGATION_METHODS, TIE_RULES
from cleverdon.agreement.coefficients import known_coefficients
from cleverdon.measures import registry
from cleverdon.pooling.choices import POOL_METHODS, VOTING_METHODS
from cleverdon.profiles import PROFILES
from cleverdon.settings import CHOICES
from cleverdon.stats.intervals import METHODS
from cleverdon.stats.multiple_comparisons import (
    COMPARISON_CORRECTIONS,
    CORRECTIONS,
    FAMILY_TESTS,
)
from cleverdon.stats.power import POWER_METHODS
from cleverdon.stats.tests import ALTERNATIVES, TESTS

SOURCE = Path(__file__).parents[1] / "src" / "cleverdon"
PACKAGES = [
    ".".join(("cleverdon", *path.parent.relative_to(SOURCE).parts))
    for path in sorted(SOURCE.rglob("__init__.py"))
    if "__all__" in path.read_text(encoding="utf-8")
]
EXPORTS = {
    f"{package}.{name}": (package, name)
    for package in PACKAGES
    for name in import_module(package).__all__
    if not name.startswith("__")
}
NO_VERBS = "a an all any both each every how it its no one some that the those what when where"
NO_VERBS = {*NO_VERBS.split(), "whether", "which", "who", "whose"}


def documented(exported: str) -> tuple[Any, str]:
    package, name = EXPORTS[exported]
    value = getattr(import_module(package), name)
    doc = inspect.getdoc(value) if inspect.isclass(value) or callable(value) else ""
    return value, doc or ""


def is_function(value: Any) -> bool:
    return callable(value) and not inspect.isclass(value)


@pytest.mark.parametrize("exported", EXPORTS)
def test_it_has_a_docstring_and_an_example(exported: str) -> None:
    value, doc = documented(exported)
    if not callable(value):
        return  # a constant, documented where it is defined
    assert doc, "has no docstring"
    if not (inspect.isclass(value) and issubclass(value, BaseException)):
        assert ">>>" in doc, "has no example"


@pytest.mark.parametrize("exported", EXPORTS)
def test_a_function_says_what_it_does_takes_and_returns(exported: str) -> None:
    value, doc = documented(exported)
    if not is_function(value):
        return
    first = doc.split()[0]
    assert first.lower() not in NO_VERBS, f"begin with a verb, not with {first!r}"
    assert not first.endswith("s") or first.endswith("ss"), f"write the imperative of {first!r}"
    signature = inspect.signature(value)
    if signature.parameters:
        assert "\nArgs:\n" in doc
    if signature.return_annotation not in (None, "None", signature.empty):
        assert "\nReturns:\n" in doc


@pytest.mark.parametrize("exported", EXPORTS)
def test_a_function_describes_every_parameter(exported: str) -> None:
    value, doc = documented(exported)
    if not is_function(value):
        return
    section = re.split(r"\n\n|\n\w+:\n", doc.partition("\nArgs:\n")[2])[0]
    described = re.findall(r"^    (\w+):", section, flags=re.MULTILINE)
    parameters = [name for name in inspect.signature(value).parameters if name != "args"]
    assert sorted(described) == sorted(parameters)


WORDS = {
    "abtest": {"correction": CORRECTIONS},
    "aggregate_labels": {"method": AGGREGATION_METHODS, "vote_ties": TIE_RULES},
    "agree": {
        "aggregation": AGGREGATION_METHODS,
        "coefficients": list(known_coefficients()),
        "interval": estimates.INTERVALS,
        "vote_ties": TIE_RULES,
    },
    "compare": {
        "alternative": ALTERNATIVES,
        "correction": COMPARISON_CORRECTIONS,
        "interval": METHODS,
        "test": [*TESTS, *FAMILY_TESTS],
    },
    "evaluate": CHOICES | {"profile": sorted(PROFILES.keys() - {"cleverdon"})},
    "gate": {"correction": CORRECTIONS},
    "pool": {"method": POOL_METHODS},
    "power": {"method": POWER_METHODS},
    "slice_by": {"correction": CORRECTIONS, "interval": METHODS, "test": TESTS},
    "vote": {"methods": VOTING_METHODS},
}
"""The words that parameters of `cleverdon`'s functions take."""


@pytest.mark.parametrize("name", WORDS)
def test_help_lists_the_words_that_a_parameter_takes(name: str) -> None:
    doc = inspect.getdoc(getattr(cleverdon, name)) or ""
    for parameter, words in WORDS[name].items():
        text = re.split(r"\n    (?=\w+: )|\n\n", doc.partition(f"\n    {parameter}: ")[2])[0]
        missing = [word for word in words if f'"{word}"' not in text]
        assert not missing, parameter


@pytest.mark.parametrize("name", [name for name in cleverdon.__all__ if name[0] != "_"])
def test_help_is_enough(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    registry._registry.load()  # a measure that an example registers is gone behind the test
    monkeypatch.setattr(registry._registry, "_classes", dict(registry._registry._classes))
    for known in ("_names", "_presets", "_shared", "_trec_eval"):
        monkeypatch.setattr(registry, known, dict(getattr(registry, known)))
    value = getattr(cleverdon, name)
    doc = inspect.getdoc(value) or ""
    assert not re.findall(r"`(?:\w+\.)*[A-Z][A-Z_]+`", doc), "a constant that help does not show"
    if inspect.ismodule(value):
        return
    # A reader has this name, and what the example imports.
    # The module is that of the doctest, since a measure can be registered under its name once.
    scope = {name: value, "cleverdon": cleverdon, "__name__": value.__module__}
    for found in doctest.DocTestFinder(recurse=False).find(value, name, globs=scope):
        said: list[str] = []
        flags = doctest.NORMALIZE_WHITESPACE
        assert not doctest.DocTestRunner(optionflags=flags).run(found, out=said.append).failed, said
