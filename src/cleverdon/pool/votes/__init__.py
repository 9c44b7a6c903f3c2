"""Ranking systems without judgments: what systems return are their votes on what is relevant.

Such orders go along with judged ones, and are cheap. They rest on agreement alone, and so they
underrate systems that find what others do not: often the best ones. See docs/judging_less.md.
"""

from cleverdon.pool.votes.beside import Beside, Place, beside
from cleverdon.pool.votes.order import Votes
from cleverdon.pool.votes.turnout import Turnout, turnout
from cleverdon.pool.votes.ways import WAYS, Ballot, Way, votes

__all__ = [
    "WAYS",
    "Ballot",
    "Beside",
    "Place",
    "Turnout",
    "Votes",
    "Way",
    "beside",
    "turnout",
    "votes",
]
