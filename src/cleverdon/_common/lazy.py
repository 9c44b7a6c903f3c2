"""Names of a package that are imported when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from cleverdon._common.extras import extras_with, missing_library
from cleverdon.errors import MissingExtra


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's `__getattr__`, so that importing the package loads nothing.

    Args:
        package: The package's `__name__`.
        homes: The module of each name, below `cleverdon`.

    >>> get = lazy_names("cleverdon.checks", {"check": "checks.linter"})
    >>> get("check").__module__
    'cleverdon.checks.linter'
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(f"cleverdon.{homes[name]}"), name)
        except ModuleNotFoundError as error:
            library = missing_library(error)
            if library is None:
                raise
            extra = next(iter(extras_with(library)), None)
            raise MissingExtra(f"{package}.{name}", package=library, extra=extra) from None

    return load


def lazy_modules(
    package: str, names: Mapping[str, str], *, others: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """Return a package's `__getattr__`, given the names of each of its modules.

    Args:
        package: The package's `__name__`.
        names: By module, the names that it has, separated by blanks.
        others: The same, for modules outside the package.
    """
    below = package.removeprefix("cleverdon.")
    modules = {f"{below}.{module}": all_ for module, all_ in names.items()} | dict(others or {})
    homes = {name: module for module, all_ in modules.items() for name in all_.split()}
    return lazy_names(package, homes)
