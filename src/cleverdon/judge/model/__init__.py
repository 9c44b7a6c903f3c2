"""A model's judgments beside people's: agreement, bias by grade and by system, orders, claims."""

from cleverdon.judge.model.by_grade import OfGrade, by_grade
from cleverdon.judge.model.by_system import ClaimChange, Effects, Favour, Yardstick, effects
from cleverdon.judge.model.standing import Standing, standings

__all__ = [
    "ClaimChange",
    "Effects",
    "Favour",
    "OfGrade",
    "Standing",
    "Yardstick",
    "by_grade",
    "effects",
    "standings",
]
