"""Optional dependencies: importing one, and which extra of Cleverdon installs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from cleverdon.errors import MissingExtra

_LIBRARIES = {
    "argon2": "argon2-cffi",
    "hdrh": "hdrhistogram",
    "ibis": "ibis-framework",
    "multipart": "python-multipart",
    "pydantic": "fastapi",
    "python_calamine": "python-calamine",
    "starlette": "fastapi",
    "vl_convert": "vl-convert-python",
    "yaml": "pyyaml",
}
"""Modules that are not called as the library that has to be installed for them."""


def extras_with(library: str) -> list[str]:
    """Return the extras for users that install a library, the smallest first."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("cleverdon") or []
    except PackageNotFoundError:
        return []
    contents: dict[str, set[str]] = {}
    for line in lines:
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
        if extra and extra[1] not in ("bench", "dev", "portable", "site"):
            nested = re.match(r"cleverdon\[(.*?)\]", line)
            names = nested[1].split(",") if nested else re.findall(r"^[\w.-]+", line.lower())
            contents.setdefault(extra[1], set()).update(names)

    def libraries(extra: str) -> set[str]:
        own = contents[extra]
        nested = [libraries(one) for one in own & contents.keys()]
        return (own - contents.keys()).union(*nested)

    found = {extra: libraries(extra) for extra in contents}
    having = [extra for extra, names in found.items() if library.lower() in names]
    return sorted(having, key=lambda extra: len(found[extra]))


def missing_library(error: ImportError) -> str | None:
    """Return the library whose import failed; None where that is unknown, or one of our modules."""
    module = (error.name or "").partition(".")[0]
    return None if module in ("", "cleverdon") else _library(module)


def _library(module: str) -> str:
    return _LIBRARIES.get(module, module.replace("_", "-"))


@contextmanager
def importing(purpose: str, *, package: str = "", extra: str | None = None) -> Iterator[None]:
    """Say how to install a library that the block imports, where it is missing.

    For what `require` cannot do: several names of a library, or libraries that import others.

    Args:
        purpose: What needs it, as the first words of the message: "a plot".
        package: What to install; by default the library whose import fails.
        extra: The extra of Cleverdon that brings it.

    Raises:
        MissingExtra: The library is not installed; the message says how to install it.
    """
    try:
        yield
    except MissingExtra:
        raise
    except ImportError as error:
        library = package or missing_library(error)
        if library is None:
            raise
        raise MissingExtra(purpose, package=library, extra=extra) from None


def check_installed(modules: Iterable[str], purpose: str, *, extra: str) -> None:
    """Raise MissingExtra for the first module that is not installed; import none of them."""
    from importlib.util import find_spec

    for module in modules:
        found = None
        with suppress(ImportError, ValueError):  # something keeps it from being imported
            found = find_spec(module)
        if found is None:
            raise MissingExtra(purpose, package=_library(module), extra=extra)


def require(module: str, purpose: str, *, package: str = "", extra: str | None = None) -> Any:
    """Import a library that is needed only for some purpose.

    Args:
        module: The module to import, such as "scipy.stats".
        purpose: What needs it, as the first words of the message: "a t test".
        package: What to install, where it is not called as the module.
        extra: The extra of Cleverdon that brings it.

    Raises:
        MissingExtra: The library is not installed; the message says how to install it.

    >>> require("math", "rounding").floor(2.5)
    2
    """
    root = module.partition(".")[0]
    try:
        import_module(root)
        return import_module(module)
    except ImportError as error:
        if error.name is not None and error.name.partition(".")[0] != root:
            raise  # the library is there, and lacks something itself
        raise MissingExtra(purpose, package=package or root, extra=extra) from None


def scipy_stats(purpose: str) -> Any:
    """Return scipy's distributions, which only some of the tests need."""
    return require("scipy.stats", purpose, extra="stats")


def scipy_special(purpose: str, *, extra: str = "stats") -> Any:
    """Return scipy's special functions, which load in a tenth of the time of its distributions."""
    return require("scipy.special", purpose, extra=extra)
