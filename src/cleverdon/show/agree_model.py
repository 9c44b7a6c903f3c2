"""A model as a judge: how it stands among people, and what its judgments do to an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from cleverdon.compare.flips import Flip
from cleverdon.judge.agreement.units import Units
from cleverdon.judge.labels import Labels
from cleverdon.judge.model import Effects, Favour, OfGrade, Standing
from cleverdon.show.agree_cells import ends, named, with_interval
from cleverdon.show.agree_words import intervals_named
from cleverdon.show.grid import Grid, Mark, counted, printable
from cleverdon.show.numbers import decimal, number, p_value
from cleverdon.show.sections import Section

_SIGNIFICANT = "*"
_VERDICTS = {
    "less": "it agrees with people less than they agree with each other",
    "more": "it agrees with people more than they agree with each other",
    "not told apart": "no difference to how far people agree with each other can be told from "
    "chance",
}
_FLIPS = {
    "reversed": "reversed",
    "lost": "shown by people's judgments only",
    "gained": "shown by the model's judgments only",
}


def model_sections(
    labels: Labels,
    standings: Sequence[Standing],
    grades: Sequence[OfGrade],
    effects: Effects | None,
    units: Units,
) -> list[Section]:
    """Tables about one model; `units` are what the intervals are drawn from."""
    model = printable(standings[0].model)
    parts = [_standings(model, standings), _grades(model, labels, grades, units)]
    if effects is not None:
        parts += [_favours(model, effects), _orders(effects)]
        parts += [_claims(model, effects)] if effects.claims.changed() else []
    return parts


def _standings(model: str, found: Sequence[Standing]) -> Section:
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
    return Section(f"{model} beside people", Grid(header, rows, 1, [], notes))


def _verdict(one: Standing) -> str:
    if one.verdict == "unknown":
        return f"by {one.coefficient}: no two people judged the same, to compare with"
    return f"by {one.coefficient}, {_VERDICTS[one.verdict]}"


def _grades(model: str, labels: Labels, found: Sequence[OfGrade], units: Units) -> Section:
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
    known = any(not isnan(one.difference.interval.low) for one in found)
    notes = [intervals_named(units)] if known else []
    heading = f"What {model} gave where people gave a grade"
    return Section(heading, Grid(header, rows, 1, [], notes))


def _favours(model: str, effects: Effects) -> Section:
    rows: list[list[str]] = []
    marks = {}
    for one in effects.favours:
        if one.corrected <= effects.level:
            marks[len(rows), 5] = Mark(above=_SIGNIFICANT)
        rows.append(
            [
                printable(one.system),
                str(one.measure),
                number(one.measure, one.people),
                number(one.measure, one.model),
                number(one.measure, one.change, signed=True),
                decimal(one.beyond, signed=True),
                ends(one.interval, signed=True).strip() or "-",
                _p(one.corrected, effects.level),
            ]
        )
    header = ["system", "measure", "a person", model, "change", "beyond"]
    header += [f"{100 * effects.confidence:.4g}% interval", "corrected p"]
    grid = Grid(header, rows, 2, [], _favour_notes(model, effects), marks)
    return Section(f"Which systems {model} favours", grid)


def _p(p: float, level: float) -> str:
    return "-" if isnan(p) else p_value(p, level=level).removeprefix("p ").removeprefix("= ")


def _favour_notes(model: str, effects: Effects) -> list[str]:
    two = len(effects.scores[0].systems) == 2
    notes = [
        "a person: the score by one person's judgments, the mean over people; on documents that "
        f"they and {model} both judged",
        f"{_SIGNIFICANT} corrected p at most {effects.level:g} (randomisation, Holm, "
        f"{counted(len(effects.favours) // (2 if two else 1), 'comparison')})",
    ]
    if not isnan(effects.favours[0].interval.low):
        notes.append("intervals of a bootstrap over topics")
    if effects.lines[0].fitted:
        notes.append(
            f"beyond: what {model} gives beyond the line of its scores by people's, through the "
            "other systems that are not favoured"
        )
        notes += [
            f"by {line.measure}, differences between systems are {decimal(line.slope, digits=2)} "
            f"[{decimal(line.interval.low, digits=2)}, {decimal(line.interval.high, digits=2)}] "
            "times those by a person's judgments"
            for line in effects.lines
            if line.told
        ]
    else:
        notes.append(
            "beyond: the change less the mean change of the others. With fewer than four systems, "
            "a favour cannot be told from a judge who errs more or less often than a person, which "
            "shrinks or stretches all differences"
        )
    if any(isnan(one.corrected) for one in effects.favours):
        why = "it loses what the other gains" if two else "too few others are left to compare with"
        notes.append(f"-: {why}")
    return [*notes, _favoured(model, effects)]


def _favoured(model: str, effects: Effects) -> str:
    found = effects.favoured()
    if not found:
        return "no favour can be told from chance"
    fitted = effects.lines[0].fitted
    return "; ".join(_favour(model, one, fitted=fitted) for one in found)


def _favour(model: str, one: Favour, *, fitted: bool) -> str:
    if fitted:
        verb = "favours" if one.beyond > 0 else "is against"
        return f"{model} {verb} {printable(one.system)} by {one.measure}"
    more = "more" if one.beyond > 0 else "less"
    return f"{model} gives {printable(one.system)} {more} than people do by {one.measure}"


def _orders(effects: Effects) -> Section:
    rows = [
        [
            str(one.measure),
            named(one.judge, [effects.model]),
            with_interval(one.kendall),
            with_interval(one.tau_ap),
            str(one.topics),
        ]
        for one in effects.orders
    ]
    header = ["measure", "judge", "tau", "tau-AP", "topics"]
    notes = []
    if any(not isnan(one.kendall.interval.low) for one in effects.orders):
        share = f"{100 * effects.confidence:.4g}%"
        notes.append(f"in brackets: {share} intervals of a bootstrap over topics")
    panels = max(one.panels for one in effects.orders)
    if panels > 1:
        notes.append(
            f"a person is held against the other people, one by {effects.way}; the model against "
            "as many: the mean over people without each of them"
        )
    if not effects.claims.changed():
        notes.append(f"no claim flips: {_counts(effects)}")
    heading = "Orders of systems: by one judge, and by people's judgments"
    return Section(heading, Grid(header, rows, 2, [], notes))


def _claims(model: str, effects: Effects) -> Section:
    rows = [
        [
            printable(one.before.system),
            printable(one.before.baseline),
            str(one.before.measure),
            *_sides(one, effects.level),
            _FLIPS[one.kind],
        ]
        for one in effects.claims.changed()
    ]
    header = ["system", "against", "measure", "people", "p", model, "p", "claim"]
    return Section("Claims that flip", Grid(header, rows, 3, [], [_counts(effects)]))


def _counts(effects: Effects) -> str:
    times = effects.claims.times
    way = "" if effects.way is None else f", people's judgments made one by {effects.way}"
    return (
        f"of {counted(len(effects.claims), 'comparison')} on {counted(effects.items, 'document')} "
        f"that both judged{way}: {times('kept')} shown by both alike, {times('lost')} by people's "
        f"judgments only, {times('gained')} by the model's only, {times('reversed')} reversed"
    )


def _sides(one: Flip, level: float) -> list[str]:
    cells = []
    for side in (one.before, one.after):
        difference = number(side.measure, side.difference, signed=True)
        cells += [difference, _p(side.corrected, level)]
    return cells
