"""What to be careful with, as far as it follows from the numbers of a datasheet."""

from __future__ import annotations

from cleverdon.assess.exporting.datasheet import Datasheet
from cleverdon.show.grid import counted

_FEW_TOPICS = 25
"""Below it, few differences between systems can be told from chance."""
_MOSTLY = 0.5


def caveats(sheet: Datasheet) -> tuple[str, ...]:
    """Sentences, each for a reason that is there."""
    return (
        *_of_pool(sheet),
        *_of_judges(sheet),
        *_of_imports(sheet),
        *_of_topics(sheet),
        *_of_gold(sheet),
    )


def _of_pool(sheet: Datasheet) -> tuple[str, ...]:
    told = []
    left = sheet.due - sheet.graded
    if left:
        told.append(
            f"{left:,} of {sheet.due:,} documents that were to be judged have no judgment: to most "
            "measures they count as not relevant."
        )
    if sheet.is_adaptive and sheet.due < sheet.items:
        told.append(
            "A method chose what was judged, by what had been judged before: "
            f"{sheet.items - sheet.due:,} of {sheet.items:,} documents were not given out, and to "
            "most measures count as not relevant. What was judged is no sample of them."
        )
    if sheet.pool is None:
        told.append(
            "No pool is kept: whether systems were treated alike when the documents were chosen "
            "cannot be told."
        )
        return tuple(told)
    if sheet.pool.is_sample:
        told.append(
            f"The pool is a sample, {sheet.pool.drawn:,} of {sheet.pool.documents:,}: use measures "
            "that are made for one (infAP, xinfAP, statAP); others are biased."
        )
    outside = sheet.pool.outside
    but = f"But for {counted(outside, 'document')} from elsewhere, only" if outside else "Only"
    told.append(
        f"{but} what {counted(len(sheet.pool.systems), 'system')} returned could be judged: a new "
        "system may return relevant documents that nobody has seen. Look at its share of judged "
        "results, and at bounds (cleverdon eval --bounds)."
    )
    return tuple(told)


def _of_judges(sheet: Datasheet) -> tuple[str, ...]:
    told = []
    alone = sheet.judged - sheet.by_several
    if sheet.judged and alone / sheet.judged > _MOSTLY:
        told.append(
            f"{alone / sheet.judged:.0%} of the judged documents were judged by one person alone: "
            "their grades are that person's view."
        )
    if not sheet.agreement:
        told.append("How far assessors agree is not known.")
    unsettled = sheet.disputes - sheet.settled
    if unsettled:
        has = "has" if unsettled == 1 else "have"
        told.append(
            f"{unsettled:,} of {counted(sheet.disputes, 'document')} in dispute {has} no ruling: "
            f"{_stands(sheet, unsettled)}."
        )
    return tuple(told)


def _stands(sheet: Datasheet, unsettled: int) -> str:
    """What decides where no ruling does; a tie is always in dispute."""
    lowest = "no grade had most votes, and the lowest of the tied grades was taken"
    if not sheet.tied:
        return "the majority stands"
    if sheet.tied == unsettled:
        return lowest
    return f"the majority stands for {unsettled - sheet.tied:,}; for {sheet.tied:,} {lowest}"


def _of_topics(sheet: Datasheet) -> tuple[str, ...]:
    told = []
    if sheet.topics < _FEW_TOPICS:
        told.append(
            f"Few topics ({sheet.topics:,}): only large differences between systems can be told "
            "from chance."
        )
    if sheet.without_relevant:
        told.append(
            f"{counted(sheet.without_relevant, 'topic')} without a relevant document: most "
            "measures are undefined there, and say nothing of a system."
        )
    return tuple(told)


def _of_imports(sheet: Datasheet) -> tuple[str, ...]:
    if not sheet.imported:
        return ()
    return (
        f"{counted(sheet.imported, 'grade')} of {sheet.sayings:,} that people gave were made "
        "elsewhere and imported: what the assessors saw there is not known.",
    )


def _of_gold(sheet: Datasheet) -> tuple[str, ...]:
    if not sheet.gold:
        return ("No gold documents checked the assessors' attention.",)
    return ()
