"""What a load on an engine came to: tables, sentences and JSON.

Bench -> render -> text       a Bench is what was asked of which engine, and what came of it
      -> as_json -> a file    with all digits, in seconds and bytes
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from cleverdon.engine.load.cold import ColdWarm
from cleverdon.engine.load.records import Load
from cleverdon.engine.load.soak import Soak
from cleverdon.engine.load.sweep import Sweep
from cleverdon.engine.load.versus import Versus
from cleverdon.errors import check_word
from cleverdon.show.bench import cold, load, soak, sweep, versus
from cleverdon.show.bench.about import Bench, heading, quality_sections, remarks
from cleverdon.show.bench.records import as_json
from cleverdon.show.markup import markdown_escaped
from cleverdon.show.sections import Section, sections

__all__ = ["FORMATS", "Bench", "as_json", "render"]

FORMATS = ("table", "markdown", "json")

Parts = tuple[list[Section], list[str]]
"""Tables, and what is to be said below them."""

_PARTS: dict[type[Any], Callable[..., Parts]] = {
    Load: load.parts,
    Sweep: sweep.parts,
    Versus: versus.parts,
    ColdWarm: cold.parts,
    Soak: soak.parts,
}


def render(bench: Bench, format: str = "table", **terminal: Any) -> str:
    """All of it in one of `FORMATS`; what is not valid says so before anything else."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(bench), indent=1, ensure_ascii=False)
    of_load = {"confidence": bench.confidence} if isinstance(bench.found, Load) else {}
    tables, below = _PARTS[type(bench.found)](bench.found, **of_load)
    title = heading(bench)
    above = [f"NOT VALID: {reason}" for reason in bench.not_valid]
    body = sections(
        [*tables, *quality_sections(bench)], format, below=[*below, *remarks(bench)], **terminal
    )
    return "\n\n".join([*_above(title, above, format), body])


def _above(title: str, reasons: Sequence[str], format: str) -> list[str]:
    if format == "markdown":
        bold = [f"**{markdown_escaped(reason)}**" for reason in reasons]
        return [f"# {markdown_escaped(title)}", *bold]
    return [title, *(["\n".join(reasons)] if reasons else [])]
