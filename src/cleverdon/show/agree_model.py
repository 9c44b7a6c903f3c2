"""A model as a judge: how it stands among people, and what its judgments do to an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from cleverdon.arrays import plain
from cleverdon.judge.labels import Labels
from cleverdon.judge.model import ClaimChange, Effects, Favour, OfGrade, Standing
from cleverdon.show.agree_parts import Part, ends, estimated, with_interval
from cleverdon.show.agreements import record as order_record
from cleverdon.show.grid import Grid, Mark, counted, printable
from cleverdon.show.numbers import decimal, number, p_value

_SIGNIFICANT = "*"
_VERDICTS = {
    "less": "it agrees with people less than they agree with each other",
    "more": "it agrees with people more than they agree with each other",
    "alike": "no difference to how far people agree with each other can be told from chance",
}
_CHANGES = {
    "reversed": "reversed",
    "lost": "shown by people's judgments only",
    "new": "shown by the model's judgments only",
}


def model_parts(
    labels: Labels,
    standings: Sequence[Standing],
    grades: Sequence[OfGrade],
    effects: Effects | None,
) -> list[Part]:
    """Tables about one model."""
    model = printable(standings[0].model)
    parts = [_standings(model, standings), _grades(model, labels, grades)]
    if effects is not None:
        parts += [_favours(model, effects), _orders(model, effects)]
        parts += [_claims(model, effects)] if effects.changed() else []
    return parts


def _standings(model: str, found: Sequence[Standing]) -> Part:
    rows = []
    for one in found:
        span = "-" if isnan(one.lowest) else f"{decimal(one.lowest)} to {decimal(one.highest)}"
        rows.append(
            [
                one.coefficient,
                with_interval(one.with_people),
                "-" if one.among_people is None else with_interval(one.among_people),
                span,
                "-" if one.difference is None else with_interval(one.difference, signed=True),
            ]
        )
    header = ["coefficient", f"{model} with people", "people", "pairs of people", "difference"]
    notes = [_verdict(one) for one in found if one.coefficient in ("kappa", "alpha-ordinal")]
    return Part(f"{model} beside people", Grid(header, rows, 1, [], notes))


def _verdict(one: Standing) -> str:
    if one.verdict == "unknown":
        return f"by {one.coefficient}: no two people judged the same, to compare with"
    return f"by {one.coefficient}, {_VERDICTS[one.verdict]}"


def _grades(model: str, labels: Labels, found: Sequence[OfGrade]) -> Part:
    rows = [
        [
            f"{one.grade:g}",
            str(one.judgments),
            *(f"{share:.1%}" for share in one.shares),
            decimal(one.mean),
            with_interval(one.difference, signed=True),
        ]
        for one in found
    ]
    header = ["people gave", "judgments", *(f"gave {grade:g}" for grade in labels.grades)]
    header += ["mean", "difference"]
    return Part(f"What {model} gave where people gave a grade", Grid(header, rows, 1, []))


def _favours(model: str, effects: Effects) -> Part:
    rows: list[list[str]] = []
    marks = {}
    for one in effects.favours:
        if one.corrected <= effects.level:
            marks[len(rows), 5] = Mark(above=_SIGNIFICANT)
        p = p_value(one.corrected, level=effects.level).removeprefix("p ").removeprefix("= ")
        rows.append(
            [
                printable(one.system),
                str(one.measure),
                number(one.measure, one.people),
                number(one.measure, one.model),
                number(one.measure, one.change, signed=True),
                decimal(one.beyond, signed=True),
                ends(one.interval, signed=True).strip() or "-",
                p,
            ]
        )
    header = ["system", "measure", "people", model, "change", "beyond others", "95% interval"]
    who = "" if effects.way is None else f"; people's judgments are one by {effects.way}"
    notes = [
        f"on {counted(effects.items, 'document')} that people and {model} judged{who}",
        "beyond others: the change in a system's favour, less the mean change of the others; what "
        "one gains, the others lose",
        f"{_SIGNIFICANT} corrected p at most {effects.level:g} (randomisation, Holm, "
        f"{counted(len(effects.favours), 'comparison')}); {_favoured(model, effects)}",
    ]
    grid = Grid([*header, "corrected p"], rows, 2, [], notes, marks)
    return Part(f"Which systems {model} favours", grid)


def _favoured(model: str, effects: Effects) -> str:
    found = effects.favoured()
    if not found:
        return "no favour can be told from chance"
    return "; ".join(_favour(model, one) for one in found)


def _favour(model: str, one: Favour) -> str:
    verb = "favours" if one.beyond > 0 else "is against"
    return f"{model} {verb} {printable(one.system)} by {one.measure}"


def _orders(model: str, effects: Effects) -> Part:
    rows = []
    for at, one in enumerate(effects.orders):
        measure = str(effects.favours[0].measure) if len(effects.orders) == 1 else one.first
        measure = measure.rpartition(", ")[0] or measure
        for who, found in (
            (model, one),
            *((printable(each.person), each.orders[at]) for each in effects.yardsticks),
        ):
            rows.append(
                [
                    measure,
                    who,
                    decimal(found.kendall.value) + ends(found.kendall.interval),
                    decimal(found.tau_ap.value) + ends(found.tau_ap.interval),
                    str(found.topics[0]),
                ]
            )
    header = ["measure", "judge", "tau", "tau-AP", "topics"]
    notes = ["intervals of a bootstrap over topics"]
    if effects.yardsticks:
        notes.append("a person's order is held against that of the other people, as a yardstick")
    if not effects.changed():
        notes.append(f"no claim flips: {_counts(effects)}")
    title = "Orders of systems: by one judge, and by people's judgments"
    return Part(title, Grid(header, rows, 2, [], notes))


def _claims(model: str, effects: Effects) -> Part:
    rows = [
        [
            printable(one.people.difference.system),
            printable(one.people.difference.baseline),
            str(one.people.difference.measure),
            *_side(one, "people", effects.level),
            *_side(one, "model", effects.level),
            _CHANGES[one.kind],
        ]
        for one in effects.changed()
    ]
    header = ["system", "against", "measure", "people", "p", model, "p", "claim"]
    return Part("Claims that flip", Grid(header, rows, 3, [], [_counts(effects)]))


def _counts(effects: Effects) -> str:
    times = {kind: sum(one.kind == kind for one in effects.claims) for kind in (*_CHANGES, "kept")}
    return (
        f"of {counted(len(effects.claims), 'comparison')}: {times['kept']} shown by both alike, "
        f"{times['lost']} by people's judgments only, {times['new']} by the model's only, "
        f"{times['reversed']} reversed"
    )


def _side(one: ClaimChange, side: str, level: float) -> list[str]:
    difference = getattr(one, side).difference
    p = p_value(difference.corrected, level=level).removeprefix("p ").removeprefix("= ")
    return [number(difference.measure, difference.difference, signed=True), p]


def model_record(
    standings: Sequence[Standing], grades: Sequence[OfGrade], effects: Effects | None
) -> dict[str, Any]:
    """All about one model, ready for JSON."""
    return {
        "standing": {
            one.coefficient: {
                "with_each": {name: estimated(found) for name, found in one.with_each.items()},
                "with_people": estimated(one.with_people),
                "among_people": estimated(one.among_people),
                "pairs_of_people": [plain(one.lowest), plain(one.highest)],
                "difference": estimated(one.difference),
                "verdict": one.verdict,
            }
            for one in standings
        },
        "by_grade": [
            {
                "grade": one.grade,
                "judgments": one.judgments,
                "shares": list(one.shares),
                "mean": one.mean,
                "difference": estimated(one.difference),
            }
            for one in grades
        ],
        "effects": None if effects is None else _effects_record(effects),
    }


def _effects_record(effects: Effects) -> dict[str, Any]:
    return {
        "documents": effects.items,
        "people": effects.way,
        "systems": [
            {
                "system": one.system,
                "measure": str(one.measure),
                "people": plain(one.people),
                "model": plain(one.model),
                "change": plain(one.change),
                "beyond": one.beyond,
                "interval": [plain(one.interval.low), plain(one.interval.high)],
                "p": one.p.p,
                "corrected": one.corrected,
            }
            for one in effects.favours
        ],
        "orders": [order_record(one) for one in effects.orders],
        "yardsticks": {
            each.person: [order_record(one) for one in each.orders] for each in effects.yardsticks
        },
        "claims": [
            {
                "system": one.people.difference.system,
                "against": one.people.difference.baseline,
                "measure": str(one.people.difference.measure),
                "people": one.people.verdict,
                "model": one.model.verdict,
                "change": one.kind,
                "p": [one.people.difference.corrected, one.model.difference.corrected],
            }
            for one in effects.claims
        ],
    }
