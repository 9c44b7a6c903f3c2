"""How far judges agree."""

from cleverdon.judge.agreement.agreeing import Agreed, Pair, TopicAgreement, agree
from cleverdon.judge.agreement.base import Coefficient, find, known_coefficients
from cleverdon.judge.agreement.disputes import Disputed, disputed_documents
from cleverdon.judge.agreement.estimating import Estimate
from cleverdon.judge.agreement.leaning import Leaning

__all__ = [
    "Agreed",
    "Coefficient",
    "Disputed",
    "Estimate",
    "Leaning",
    "Pair",
    "TopicAgreement",
    "agree",
    "disputed_documents",
    "find",
    "known_coefficients",
]
