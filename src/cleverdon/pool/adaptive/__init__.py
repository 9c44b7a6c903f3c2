"""Adaptive pooling: each judgment decides what is judged next.

    judging = Judging(gather(runs), method="mtf")
    for topic, doc in judging:
        judging.judge(topic, doc, grade_of(topic, doc))

`base.py` says what a method is and lists them; then a family of methods a file. `judging.py` goes
through all topics, `journal.py` keeps what happened in a file from which one can go on, and
`simulate.py` plays methods against judgments that are known.
"""

from cleverdon.pool.adaptive.base import Method, methods, parse_method
from cleverdon.pool.adaptive.journal import begin, resume
from cleverdon.pool.adaptive.judging import Judging
from cleverdon.pool.adaptive.limits import Limits
from cleverdon.pool.adaptive.simulate import simulate

__all__ = [
    "Judging",
    "Limits",
    "Method",
    "begin",
    "methods",
    "parse_method",
    "resume",
    "simulate",
]
