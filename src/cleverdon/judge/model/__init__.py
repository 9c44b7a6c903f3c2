"""A model's judgments beside people's: agreement, bias by grade and by system, orders, claims."""

from cleverdon.judge.model.by_grade import OfGrade, by_grade
from cleverdon.judge.model.by_system import Effects, effects
from cleverdon.judge.model.favours import Favour, Line
from cleverdon.judge.model.ordering import JudgeOrder
from cleverdon.judge.model.standing import Standing, standings

__all__ = [
    "Effects",
    "Favour",
    "JudgeOrder",
    "Line",
    "OfGrade",
    "Standing",
    "by_grade",
    "effects",
    "standings",
]
