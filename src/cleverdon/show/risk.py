"""Risk against a baseline, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from cleverdon.errors import check_word
from cleverdon.risk import Risk
from cleverdon.show.grid import DIGITS, EXACT, FORMATS, Grid, laid_out, printable
from cleverdon.show.numbers import decimal

COLUMNS = ("mean", "wins", "losses", "urisk", "trisk", "zrisk", "georisk")


def render(risks: Sequence[Risk], format: str = "table", *, digits: int = DIGITS) -> str:
    """Every system's risk by every measure, in one of the formats of scores."""
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps([_record(risk) for risk in risks], indent=1, ensure_ascii=False)
    exact = format in EXACT
    rows = [
        [
            printable(risk.system),
            str(risk.measure),
            *(_cell(getattr(risk, name), exact=exact, digits=digits) for name in COLUMNS),
        ]
        for risk in risks
    ]
    first = risks[0]
    note = (
        f"against {printable(first.baseline)}, a loss counting {1 + first.alpha:g} times; zrisk "
        "and georisk against all systems together"
    )
    return laid_out(Grid(["system", "measure", *COLUMNS], rows, 2, [], [note]), format)


def _cell(value: float, *, exact: bool, digits: int) -> str:
    return str(value) if isinstance(value, int) else decimal(value, exact=exact, digits=digits)


def _record(risk: Risk) -> dict[str, object]:
    plain = {name: None if value != value else value for name, value in asdict(risk).items()}
    return plain | {"measure": str(risk.measure)}
