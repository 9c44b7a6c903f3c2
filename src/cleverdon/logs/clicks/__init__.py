"""Judgments from clicks: click models, how well they predict, and the grades that follow.

The first result is clicked more often than the second merely because it is first. A click model
separates what users looked at from what they liked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cleverdon._common.lazy import lazy_modules

if TYPE_CHECKING:
    from cleverdon.logs.clicks.base import click_models, find_model
    from cleverdon.logs.clicks.evaluation import compare_held_out
    from cleverdon.logs.clicks.judgments import (
        ClickJudgments,
        GradeBounds,
        clicks_to_judgments,
        grade_documents,
    )
    from cleverdon.logs.clicks.models import CM, COEC, DBN, DCM, PBM, SDBN, UBM
    from cleverdon.logs.clicks.result_lists import ResultLists, read_result_lists

_NAMES = {
    "base": "click_models find_model",
    "evaluation": "compare_held_out",
    "judgments": "ClickJudgments GradeBounds grade_documents clicks_to_judgments",
    "models": "CM COEC DBN DCM PBM SDBN UBM",
    "result_lists": "ResultLists read_result_lists",
}

__all__ = [
    "CM",
    "COEC",
    "DBN",
    "DCM",
    "PBM",
    "SDBN",
    "UBM",
    "ClickJudgments",
    "GradeBounds",
    "ResultLists",
    "click_models",
    "clicks_to_judgments",
    "compare_held_out",
    "find_model",
    "grade_documents",
    "read_result_lists",
]

__getattr__ = lazy_modules(__name__, _NAMES)
