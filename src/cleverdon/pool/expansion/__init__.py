"""Query expansion as a recall probe: what else is relevant, that the queries as asked did not find?

    judged relevant texts -> expanded query -> search -> documents not judged yet -> judges -> again

The search may be the user's own engine (`lucene` gives the query as text), or the small one here.
All state is in the judgments, so a probe can stop anywhere and go on from there. See
docs/judging_less.md.
"""

from cleverdon.pool.expansion.probe import Probe, new_documents
from cleverdon.pool.expansion.rm3 import Expanded, expanded
from cleverdon.pool.expansion.rounds import Round, rounds
from cleverdon.pool.expansion.search import Index
from cleverdon.pool.expansion.simulate import Simulated, simulate

__all__ = [
    "Expanded",
    "Index",
    "Probe",
    "Round",
    "Simulated",
    "expanded",
    "new_documents",
    "rounds",
    "simulate",
]
