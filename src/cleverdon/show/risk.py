"""Risk against a baseline, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from cleverdon.errors import check_word
from cleverdon.risk import Risk
from cleverdon.show.grid import DIGITS, FORMATS, Grid, laid_out

COLUMNS = ("mean", "wins", "losses", "urisk", "trisk", "zrisk", "georisk")


def render(risks: Sequence[Risk], format: str = "table") -> str:
    """Every system's risk by every measure, in one of the formats of scores."""
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps([_record(risk) for risk in risks], indent=1, ensure_ascii=False)
    exact = format in ("csv", "tsv")
    rows = [
        [
            risk.system,
            str(risk.measure),
            *(_cell(getattr(risk, name), exact=exact) for name in COLUMNS),
        ]
        for risk in risks
    ]
    note = (
        f"against {risks[0].baseline}, a loss counting {1 + risks[0].alpha:g} times; zrisk and "
        "georisk against all systems together"
    )
    return laid_out(Grid(["system", "measure", *COLUMNS], rows, 2, [note]), format)


def _cell(number: float, *, exact: bool) -> str:
    if np.isnan(number):
        return "" if exact else "-"
    return str(number) if exact or isinstance(number, int) else f"{number:.{DIGITS}f}"


def _record(risk: Risk) -> dict[str, object]:
    plain = {name: None if value != value else value for name, value in asdict(risk).items()}
    return plain | {"measure": str(risk.measure)}
