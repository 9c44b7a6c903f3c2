"""Every exported name has a docstring with arguments, result and an example."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

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
