"""Clicks to judgments: click models, how well they predict, and the grades that follow from them.

A click says less than it seems: the first result is clicked more often than the second merely
because it is first. A click model separates what users looked at from what they liked.
"""

from __future__ import annotations

from cleverdon.online.clicks.belief import Belief
from cleverdon.online.clicks.cascade import CM
from cleverdon.online.clicks.coec import COEC
from cleverdon.online.clicks.dbn import DBN, SDBN
from cleverdon.online.clicks.dependent_click import DCM
from cleverdon.online.clicks.fitting import Convergence, Limits, Prior
from cleverdon.online.clicks.from_log import Usage, lists_of
from cleverdon.online.clicks.grades import Graded, Grades, graded
from cleverdon.online.clicks.held_out import Prediction, held_out, predicted, split
from cleverdon.online.clicks.lists import Pairs, Shown
from cleverdon.online.clicks.model import (
    ClickModel,
    Fitted,
    Parameters,
    click_model,
    click_models,
    find_model,
)
from cleverdon.online.clicks.position_based import PBM
from cleverdon.online.clicks.qrels import TopicIds, Written, judgments, topic_ids, write
from cleverdon.online.clicks.simulate import result_lists, simulated
from cleverdon.online.clicks.user_browsing import UBM

__all__ = [
    "CM",
    "COEC",
    "DBN",
    "DCM",
    "PBM",
    "SDBN",
    "UBM",
    "Belief",
    "ClickModel",
    "Convergence",
    "Fitted",
    "Graded",
    "Grades",
    "Limits",
    "Pairs",
    "Parameters",
    "Prediction",
    "Prior",
    "Shown",
    "TopicIds",
    "Usage",
    "Written",
    "click_model",
    "click_models",
    "find_model",
    "graded",
    "held_out",
    "judgments",
    "lists_of",
    "predicted",
    "result_lists",
    "simulated",
    "split",
    "topic_ids",
    "write",
]
