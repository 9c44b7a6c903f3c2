"""Formulas as browsers draw them."""

from __future__ import annotations


def mathml(formula: str) -> str:
    """A formula as browsers draw it; nothing where the library for that is not there."""
    try:
        from latex2mathml.converter import convert
    except ImportError:
        return ""
    found: str = convert(formula, display="block") if formula else ""
    return found
