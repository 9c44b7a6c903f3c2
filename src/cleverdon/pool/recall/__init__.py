"""How many relevant documents are there? Estimates with intervals, and what they rest on.

recall(judgments, runs) -> Recall     all of it at once
draw_sample -> judges -> parts_of_pool -> by_sample     exact, or Horvitz and Thompson's
find -> by_two, by_chao, dependence, saturation         from what systems found
reuse(judgments, runs, measures, depth=...) -> Reuse    would a new system be underrated?
"""

from cleverdon.pool.recall.drawing import Design, draw_sample
from cleverdon.pool.recall.estimating import recall
from cleverdon.pool.recall.parts import (
    check_agreeing,
    compared,
    parts_of_judgments,
    parts_of_pool,
    repeated,
)
from cleverdon.pool.recall.recalled import Recall
from cleverdon.pool.recall.reuse import Reuse, reuse
from cleverdon.pool.recall.samples import by_sample
from cleverdon.pool.recall.sizes import sample_size
from cleverdon.pool.recall.weighted import Part

__all__ = [
    "Design",
    "Part",
    "Recall",
    "Reuse",
    "by_sample",
    "check_agreeing",
    "compared",
    "draw_sample",
    "parts_of_judgments",
    "parts_of_pool",
    "recall",
    "repeated",
    "reuse",
    "sample_size",
]
