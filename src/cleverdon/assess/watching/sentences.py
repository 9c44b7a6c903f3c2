"""What is worth a sentence: topics without people, drift, lack of attention, models' standing."""

from __future__ import annotations

from collections.abc import Sequence

from cleverdon.assess.watching.agreement import Beside
from cleverdon.assess.watching.attention import LIMIT, Attention
from cleverdon.assess.watching.drift import Drift
from cleverdon.assess.watching.measured import Measured
from cleverdon.assess.watching.recall import Found
from cleverdon.assess.watching.watched import Watched
from cleverdon.show.grid import counted, printable
from cleverdon.show.numbers import decimal

_VERDICTS = {
    "less": "agrees with people less than they agree with each other",
    "more": "agrees with people more than they agree with each other",
    "not told apart": "agrees with people about as far as they agree with each other, as far as "
    "can be told",
}
ENDED = {
    "all given": "everything was given out",
    "budget": "the budget of documents is used up",
    "target": "as many relevant documents as wanted were found",
    "patience": "too many documents in a row were not relevant",
}
"""Why topics of an adaptive pool end."""
_NAMED = 10
"""Topics that a sentence names, of however many there are."""


def warnings(found: Watched) -> list[str]:
    """All that an administrator should look into."""
    told = []
    if found.uncovered:
        told.append(f"Nobody has {_topics(found.uncovered)}; assign them to somebody.")
    if found.short:
        told.append(f"Too few people for what several are to judge: {_topics(found.short)}.")
    told += [drifted(one) for one in found.drifts if one.told]
    told += [inattentive(one) for one in found.attention if one.low]
    if found.disputed:
        verb = "was" if found.disputed == 1 else "were"
        told.append(
            f"{counted(found.disputed, 'document')} {verb} given different grades, and "
            f"{'waits' if found.disputed == 1 else 'wait'} to be settled."
        )
    if found.progress.given_up:
        verb = "was" if found.progress.given_up == 1 else "were"
        told.append(
            f"{counted(found.progress.given_up, 'document')} {verb} skipped, and judged by nobody."
        )
    return told


def gold_left_out(documents: int) -> str:
    """That gold has no part in agreement, where there is some."""
    if not documents:
        return ""
    are, them = ("is", "it") if documents == 1 else ("are", "them")
    gold = counted(documents, "gold document")
    return f"{gold} {are} left out of agreement, since somebody chose {them}."


def left_out(found: Found) -> str:
    """That what somebody chose has no part in an estimate, where there is something."""
    if not found.left_out:
        return ""
    are = "is" if found.left_out == 1 else "are"
    return (
        f"{counted(found.left_out, 'document')} that somebody chose, as gold or by an import, "
        f"{are} left out of recall."
    )


def ended(why: str) -> str:
    """Why a topic of an adaptive pool ended."""
    return f"Nothing more is given out: {ENDED[why]}."


def endings(found: Watched) -> list[str]:
    """Which topics of an adaptive pool have ended, by the reason."""
    names: dict[str, list[str]] = {}
    for one in found.topics:
        if one.ended:
            names.setdefault(one.ended, []).append(one.topic)
    return [
        f"{counted(len(own), 'topic')} ended, since {ENDED[why]}: {_some(own)}."
        for why, own in names.items()
    ]


def drifted(drift: Drift) -> str:
    """A drift that chance does not account for."""
    name = printable(drift.judge)
    way = "below" if drift.told == "stricter" else "above"
    reference = "the known grades" if drift.against == "gold" else "the others' grades"
    told = (
        f"{name} has become {drift.told}: against {reference} of the same documents, the second "
        f"half of {name}'s grades lies {_by(drift.change)} {way} the first."
    )
    if drift.alone and drift.against == "others":
        told += " With two judges, it may as well be the other who changed; gold would tell."
    return told


def inattentive(one: Attention) -> str:
    """Somebody who misses too many gold documents."""
    right = one.right
    gold = counted(one.documents, "gold document")
    return (
        f"{printable(one.judge)} gave {right.value or 0:.0%} of {gold} the known grade, and "
        f"would {right.high or 0:.0%} at most in the long run; {LIMIT:.0%} is the least to ask for."
    )


def stands(beside: Beside, coefficient: str = "kappa") -> str:
    """How a model stands beside people; nothing where that cannot be told."""
    for one in beside.standings:
        if one.coefficient == coefficient and one.verdict in _VERDICTS:
            return f"By {coefficient}, {printable(beside.name)} {_VERDICTS[one.verdict]}."
    return ""


def _by(change: Measured) -> str:
    ends = sorted(abs(end) for end in (change.low, change.high) if end is not None)
    low, high = (decimal(end, digits=2) for end in ends)
    return f"{decimal(abs(change.value or 0), digits=2)} [{low}, {high}]"


def _topics(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'topic')}, {_some(names)}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    shown = ", ".join(map(printable, names[:_NAMED]))
    return f"{shown} and {counted(more, 'other')}" if more > 0 else shown
