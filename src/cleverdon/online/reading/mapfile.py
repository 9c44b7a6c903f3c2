"""Mapping files: YAML or TOML, with the lines on which they name things."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cleverdon.errors import InputError, MissingExtra
from cleverdon.online.reading.parse import layout
from cleverdon.online.reading.spec import Layout


def load(mapping: str | Path | Mapping[str, Any]) -> Layout:
    """The layout that a mapping file, or a dictionary like one, says."""
    if isinstance(mapping, Mapping):
        return layout(mapping, name="mapping")
    path = Path(mapping)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("there is no such mapping file", source=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the mapping file cannot be read: {error}", source=str(path)) from None
    written = _toml(text, path) if path.suffix.lower() == ".toml" else _yaml(text, path)
    return layout(written, name=path.name, source=str(path), lines=_lines(text))


def _toml(text: str, path: Path) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        line = int(at[1]) if at else None
        raise InputError(f"this is not TOML: {error}", source=str(path), line=line) from None


def _yaml(text: str, path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtra("reading mapping files", package="pyyaml", extra="logs") from None
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        told = getattr(error, "problem", None) or " ".join(str(error).split())
        line = mark.line + 1 if mark else None
        raise InputError(f"this is not YAML: {told}", source=str(path), line=line) from None


def _lines(text: str) -> dict[str, int]:
    """On which line each word of the file stands first, for messages."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for word in re.findall(r"[^\s:,=\[\]{}'\"]+", line.partition(" #")[0]):
            found.setdefault(word, number)
    return found
