"""Tables and sentences about agreement between judges and about a model as a judge.

Words such as 'substantial' are left to the reader: which kappa is good enough depends on the
purpose of the judgments. So a sentence says what share of the disagreement expected by chance was
avoided, and when to read a coefficient with care.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from inspect import cleandoc
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from cleverdon._common.text import counted, printable
from cleverdon.agreement.coefficients import (
    AgreementCoefficient,
    find_coefficient,
    known_coefficients,
)
from cleverdon.score_tables import format_score
from cleverdon.stats.intervals import Estimate, Interval
from cleverdon.tables.numbers import format_decimal, format_p_value
from cleverdon.tables.sections import Section
from cleverdon.tables.table import Mark, TextTable

if TYPE_CHECKING:
    from cleverdon.agreement.agreement import Agreement, PairAgreement
    from cleverdon.agreement.estimates import ResamplingUnits
    from cleverdon.agreement.model import ModelAgreement, ModelEffects


def judge_name(judge: str, models: Collection[str]) -> str:
    """Return a judge's name, marked if it is a model."""
    return f"{printable(judge)} (model)" if judge in models else printable(judge)


def _with_interval(found: Estimate | None, *, signed: bool = False) -> str:
    """Return a value with its interval in brackets, in one cell."""
    if found is None or isnan(found.value):
        return "-"
    value = format_decimal(found.value, signed=signed)
    return f"{value}{_interval_text(found.interval, signed=signed)}"


def _interval_text(interval: Interval, *, signed: bool = False) -> str:
    """Return an interval in brackets, to follow a value; nothing where it is unknown."""
    if isnan(interval.low):
        return ""
    # Rounded first, so that 0 has no sign if only the last digits differ.
    rounded = (round(end, 12) + 0.0 for end in (interval.low, interval.high))
    low, high = (format_decimal(end, signed=signed) for end in rounded)
    return f" [{low}, {high}]"


_FEW = 10  # queries, or documents, below which intervals cover too rarely in simulations
_SKEWED = 0.8  # share of one grade from which on kappa is low by itself


def agreement_sentences(agreed: Agreement) -> list[str]:
    """Return sentences on the basis of the numbers, their meaning, and reasons for care."""
    return [*_basis(agreed), *_main_sentence(agreed), *_skewed(agreed)]


def interval_note(units: ResamplingUnits) -> str:
    """Return the meaning of the brackets."""
    what = counted(units.drawn_from, "query" if units.over == "queries" else "document")
    only = ", since there are too few queries" if units.over == "documents" else ""
    how = "by Student's t" if units.method == "t" else "of a bootstrap"
    return f"in brackets: {100 * units.confidence:.4g}% intervals {how} over {what}{only}"


def _basis(agreed: Agreement) -> Iterator[str]:
    if any(not isnan(one.interval.low) for one in agreed.overall.values()):
        yield interval_note(agreed.units)
    alone = len(agreed.labels) - agreed.documents
    if alone:
        yield f"left out, since fewer than two judges judged them: {counted(alone, 'document')}"
    means = [each.name for each in agreed.coefficients if each.two_only]
    if means and len(agreed.judges) > 2:
        yield f"over all, the mean over pairs of judges: {', '.join(means)}"
    if among := _models_among(agreed, agreed.judges):
        yield f"one person is nobody to agree with: all this is of them and {among}"


def _models_among(agreed: Agreement, judges: Collection[str]) -> str:
    return " and ".join(printable(judge) for judge in judges if judge in agreed.models)


def _main_sentence(agreed: Agreement) -> Iterator[str]:
    if agreed.one_grade is not None:
        yield (
            f"all judges gave grade {agreed.one_grade:g} throughout: agreement by chance is 1 as "
            "well, so that kappa and alpha are 1 and tell nothing"
        )
        return
    share = agreed.overall.get("agreement")
    name = next((one for one in ("fleiss", "kappa", "pi") if one in agreed.overall), None)
    if share is None or name is None or isnan(agreed.overall[name].value):
        return
    kappa = agreed.overall[name].value
    several = " (the mean over documents)" if len(agreed.judges) > 2 else ""
    chance = (
        f"judges of the same habits would agree more often by chance ({name})"
        if kappa < 0
        else f"they avoid {kappa:.0%} of the disagreement that chance would give ({name})"
    )
    yield (
        f"two judges of a document give it the same grade in {share.value:.1%} of cases{several}; "
        f"{chance}"
    )


def _skewed(agreed: Agreement) -> Iterator[str]:
    units = agreed.units
    if 1 < units.drawn_from < _FEW:
        yield f"so few {units.over} tell little of their spread: intervals may be too narrow"
    labels = agreed.labels
    level = labels.level[labels.shared]
    times = np.bincount(level[level >= 0], minlength=len(labels.grades))
    share = times.max() / times.sum()
    if agreed.one_grade is None and share >= _SKEWED:
        grade = labels.grades[int(times.argmax())]
        yield (
            f"{share:.0%} of the judgments are grade {grade:g}: percent agreement is high by "
            "itself then, and kappa and alpha are low by themselves; see overlap and AC1 as well"
        )


def agreement_sections(agreed: Agreement, *, confusion: bool = False) -> list[Section]:
    """Return all tables of an agreement; with `confusion`, the grades of each pair as well."""
    parts = [_overall_section(agreed), _pairs_section(agreed)]
    parts += [_queries_section(agreed)] if agreed.queries else []
    parts.append(_leanings_section(agreed))
    parts += [_confusion_section(pair, agreed) for pair in agreed.pairs] if confusion else []
    parts += [_disputed_section(agreed)] if agreed.disputed else []
    for model in agreed.model_agreements.values():
        parts += model.sections()
    return [*parts, *(agreed.aggregation.sections() if agreed.aggregation else [])]


def _overall_section(agreed: Agreement) -> Section:
    among = _models_among(agreed, agreed.judges)
    grades = [f"{grade:g}" for grade in agreed.labels.grades]
    scale = ", ".join(grades) if len(grades) <= 8 else f"{grades[0]} to {grades[-1]}"
    title = (
        f"{counted(len(agreed.judges), 'judge')}{f' ({among}: a model)' if among else ''}, "
        f"{counted(agreed.documents, 'document')} that two of them at least have judged, grades "
        f"{scale}"
    )
    rows = [
        [each.name, each.title, _with_interval(agreed.overall[each.name])]
        for each in agreed.coefficients
    ]
    notes = agreement_sentences(agreed)
    return Section(title, TextTable(["coefficient", "", "over all"], rows, 2, [], notes))


def _pairs_section(agreed: Agreement) -> Section:
    names = [each.name for each in agreed.pair_coefficients]
    rows = [
        [*_pair_names(pair, agreed), str(pair.documents)]
        + [_with_interval(pair.coefficients[name]) for name in names]
        for pair in agreed.pairs
    ]
    return Section(
        "Pairs of judges", TextTable(["judge", "with", "documents", *names], rows, 2, [])
    )


def _pair_names(pair: PairAgreement, agreed: Agreement) -> tuple[str, str]:
    return judge_name(pair.first, agreed.models), judge_name(pair.second, agreed.models)


def _queries_section(agreed: Agreement) -> Section:
    names = [each.name for each in agreed.coefficients]
    rows = [
        [printable(one.query), str(one.judges), str(one.documents)]
        + [_with_interval(one.coefficients[name]) for name in names]
        for one in agreed.queries
    ]
    note = f"by rising {names[0]}; intervals over documents"
    header = ["query", "judges", "documents", *names]
    return Section("Queries, the worst first", TextTable(header, rows, 1, [], [note]))


def _leanings_section(agreed: Agreement) -> Section:
    rows = [
        [
            judge_name(one.judge, agreed.models),
            str(one.documents),
            format_decimal(one.mean),
            format_decimal(one.others),
            _with_interval(one.difference, signed=True),
            *("-" if isnan(share) else f"{share:.1%}" for share in (one.above, one.below)),
        ]
        for one in agreed.leanings
    ]
    header = ["judge", "documents", "mean grade", "the others'", "difference", "above", "below"]
    heading = "How judges lean, on documents that others judged too"
    return Section(heading, TextTable(header, rows, 1, []))


def _confusion_section(pair: PairAgreement, agreed: Agreement) -> Section:
    grades = [f"{grade:g}" for grade in agreed.all_labels.grades]
    totals = pair.confusion.sum(axis=0)
    rows = [
        [name, *map(str, times.tolist()), str(times.sum())]
        for name, times in zip([*grades, "all"], [*pair.confusion, totals], strict=True)
    ]
    first, second = _pair_names(pair, agreed)
    title = f"Grades of {first} (rows) by those of {second}"
    return Section(title, TextTable(["", *grades, "all"], rows, 1, []))


def _disputed_section(agreed: Agreement) -> Section:
    judges = agreed.all_labels.judges
    rows = []
    for one in agreed.disputed:
        given = (one.grades.get(judge) for judge in judges)
        cells = ["-" if grade is None else f"{grade:g}" for grade in given]
        distance = format_decimal(one.distance, digits=2)
        rows.append([printable(one.query), printable(one.document), *cells, distance])
    header = ["query", "document", *(judge_name(judge, agreed.models) for judge in judges), "apart"]
    among = _models_among(agreed, judges)
    note = "apart: the mean difference of two of a document's grades"
    notes = [f"{note}; {among} included" if among else note]
    return Section("Documents in dispute", TextTable(header, rows, 2, [], notes))


def coefficient_table(agreed: Agreement) -> TextTable:
    """Return every coefficient with all digits, a row each: overall, of pairs, of queries."""
    header = ["part", "query", "first", "second", "documents", "coefficient"]
    header += ["value", "low", "high"]
    rows = _exact_rows(["overall", "", "", ""], agreed.documents, agreed.overall)
    for pair in agreed.pairs:
        start = ["pair", "", pair.first, pair.second]
        rows += _exact_rows(start, pair.documents, pair.coefficients)
    for one in agreed.queries:
        rows += _exact_rows(["query", one.query, "", ""], one.documents, one.coefficients)
    return TextTable(header, rows, 6, [])


def _exact_rows(start: list[str], documents: int, found: Mapping[str, Estimate]) -> list[list[str]]:
    return [
        [*start, str(documents), name]
        + [format_decimal(n, exact=True) for n in (one.value, one.interval.low, one.interval.high)]
        for name, one in found.items()
    ]


def coefficients_text() -> str:
    """List every coefficient in a line."""
    known = known_coefficients()
    width = max(map(len, known))
    lines = [f"{name:<{width}}  {_first_line(cls)}" for name, cls in known.items()]
    return "\n".join([*lines, "", "cleverdon agree --explain NAME tells more of one."])


def coefficient_text(name: str) -> str:
    """Describe a coefficient by what its class declares."""
    cls = find_coefficient(name)
    facts = {
        "Name": cls.name,
        "Formula": cls.formula,
        "Undefined": cls.undefined,
        "One grade only": "1, and so is agreement by chance" if cls.corrected else "",
        "Several judges": "the mean over all pairs of them" if cls.two_only else "all at once",
        "Several queries": "the mean over them" if cls.by_query else "all documents count alike",
        "Source": cls.source,
    }
    width = max(map(len, facts))
    lines = [f"{fact:<{width}}  {text}" for fact, text in facts.items() if text]
    heading = f"{cls.title}\n{'=' * len(cls.title)}"
    return "\n\n".join([heading, cleandoc(cls.__doc__ or ""), "\n".join(lines)])


def _first_line(cls: type[AgreementCoefficient]) -> str:
    return cleandoc(cls.__doc__ or "").partition("\n")[0]


_SIGNIFICANT = "*"
_EXPERIMENTAL = (
    "experimental: this test is Cleverdon's own, not a published one; it was checked by simulation "
    "only"
)
_VERDICTS = {
    "less": ", it agrees with people less than they agree with each other",
    "more": ", it agrees with people more than they agree with each other",
    "not told apart": ", no difference to how far people agree with each other can be told from "
    "chance",
    "unknown": ": no two people judged the same, to compare with",
}
_FLIPS = {
    "reversed": "reversed",
    "lost": "shown by people's judgments only",
    "gained": "shown by the model's judgments only",
}


def model_sections(found: ModelAgreement) -> list[Section]:
    """Return the tables about one model."""
    model, effects = printable(found.model), found.effects
    parts = [_agreement_section(model, found), _grades_section(model, found)]
    if effects is not None:
        parts += [_bias_section(model, effects), _orderings_section(effects)]
        parts += [_claims_section(model, effects)] if effects.claims.changed() else []
    return parts


def _agreement_section(model: str, found: ModelAgreement) -> Section:
    rows = []
    for name, one in found.coefficients.items():
        low, high = one.pairs_of_people
        span = "-" if isnan(low) else f"{format_decimal(low)} to {format_decimal(high)}"
        with_people, among = _with_interval(one.with_people), _with_interval(one.among_people)
        rows.append([name, with_people, among, span, _with_interval(one.difference, signed=True)])
    header = ["coefficient", f"{model} with people", "people", "pairs of people", "difference"]
    main = ("kappa", "alpha-ordinal")
    notes = [
        f"by {name}{_VERDICTS[one.verdict]}"
        for name, one in found.coefficients.items()
        if name in main
    ]
    return Section(f"{model} beside people", TextTable(header, rows, 1, [], notes))


def _grades_section(model: str, found: ModelAgreement) -> Section:
    rows = [
        [
            f"{one.grade:g}",
            str(one.judgments),
            *(f"{share:.1%}" for share in one.shares),
            format_decimal(one.mean),
            _with_interval(one.difference, signed=True),
        ]
        for one in found.grades
    ]
    header = ["people gave", "judgments", *(f"gave {grade:g}" for grade in found.scale)]
    header += ["mean", "difference"]
    known = any(not isnan(one.difference.interval.low) for one in found.grades)
    notes = [interval_note(found.units)] if known else []
    heading = f"What {model} gave where people gave a grade"
    return Section(heading, TextTable(header, rows, 1, [], notes))


def _bias_section(model: str, effects: ModelEffects) -> Section:
    rows: list[list[str]] = []
    marks = {}
    for one in effects.systems:
        if one.corrected <= effects.level:
            marks[len(rows), 5] = Mark(above=_SIGNIFICANT)
        rows.append(
            [
                printable(one.system),
                str(one.measure),
                format_score(one.measure, one.people),
                format_score(one.measure, one.model),
                format_score(one.measure, one.change, signed=True),
                format_decimal(one.excess, signed=True),
                _interval_text(one.interval, signed=True).strip() or "-",
                _p_text(one.corrected, effects.level),
            ]
        )
    header = ["system", "measure", "a person", model, "change", "beyond"]
    header += [f"{100 * effects.confidence:.4g}% interval", "corrected p"]
    grid = TextTable(header, rows, 2, [], _bias_notes(model, effects), marks)
    return Section(f"Which systems {model} favours", grid)


def _p_text(p: float, level: float) -> str:
    return "-" if isnan(p) else format_p_value(p, level=level).removeprefix("p ").removeprefix("= ")


def _bias_notes(model: str, effects: ModelEffects) -> list[str]:
    two = len(effects.scores[0].systems) == 2
    count = len(effects.systems) // (2 if two else 1)
    notes = [
        "a person: the score by one person's judgments, the mean over people; on documents that "
        f"they and {model} both judged",
        f"{_SIGNIFICANT} corrected p at most {effects.level:g} (randomisation, Holm, "
        f"{counted(count, 'comparison')})",
    ]
    if not isnan(effects.systems[0].interval.low):
        alone = ", not adjusted for several comparisons" if count > 1 else ""
        notes.append(f"intervals by Student's t over queries{alone}")
    if effects.lines[0].fitted:
        notes.append(
            f"beyond: what {model} gives beyond the line of its scores by people's, through the "
            "other systems that are not favoured"
        )
        notes += [
            f"by {line.measure}, differences between systems are "
            f"{format_decimal(line.slope, digits=2)} "
            f"[{format_decimal(line.interval.low, digits=2)}, "
            f"{format_decimal(line.interval.high, digits=2)}] times those by a person's judgments"
            for line in effects.lines
            if line.significant
        ]
    else:
        notes.append(
            "beyond: the change less the mean change of the others. With fewer than four systems, "
            "a favour cannot be told from a judge who errs more or less often than a person, which "
            "shrinks or stretches all differences"
        )
    if any(isnan(one.corrected) for one in effects.systems):
        why = "it loses what the other gains" if two else "too few others are left to compare with"
        notes.append(f"-: {why}")
    return [*notes, _EXPERIMENTAL, _bias_summary(model, effects)]


def _bias_summary(model: str, effects: ModelEffects) -> str:
    fitted, told = effects.lines[0].fitted, []
    for one in effects.favoured():
        name, more = printable(one.system), one.excess > 0
        if fitted:
            verb = f"{'favours' if more else 'is against'} {name}"
        else:
            verb = f"gives {name} {'more' if more else 'less'} than people do"
        told.append(f"{model} {verb} by {one.measure}")
    return "; ".join(told) or "no favour can be told from chance"


def _orderings_section(effects: ModelEffects) -> Section:
    rows = [
        [
            str(one.measure),
            judge_name(one.judge, [one.judge] if one.is_model else []),
            _with_interval(one.kendall),
            _with_interval(one.tau_ap),
            str(one.queries),
        ]
        for one in effects.orders
    ]
    header = ["measure", "judge", "tau", "tau-AP", "queries"]
    notes = []
    if any(not isnan(one.kendall.interval.low) for one in effects.orders):
        share = f"{100 * effects.confidence:.4g}%"
        notes.append(f"in brackets: {share} intervals of a bootstrap over queries")
    panels = max(one.panels for one in effects.orders)
    if panels > 1:
        notes.append(
            f"a person is held against the other people, one by {effects.method}; the model "
            "against as many: the mean over people without each of them"
        )
    if not effects.claims.changed():
        notes.append(f"no claim flips: {_claim_counts(effects)}")
    heading = "Orders of systems: by one judge, and by people's judgments"
    return Section(heading, TextTable(header, rows, 2, [], notes))


def _claims_section(model: str, effects: ModelEffects) -> Section:
    rows = [
        [
            printable(one.before.system),
            printable(one.before.baseline),
            str(one.before.measure),
            *(
                cell
                for side in (one.before, one.after)
                for cell in (
                    format_score(side.measure, side.difference, signed=True),
                    _p_text(side.corrected, effects.level),
                )
            ),
            _FLIPS[one.kind],
        ]
        for one in effects.claims.changed()
    ]
    header = ["system", "baseline", "measure", "people", "p", model, "p", "claim"]
    return Section("Claims that flip", TextTable(header, rows, 3, [], [_claim_counts(effects)]))


def _claim_counts(effects: ModelEffects) -> str:
    times = effects.claims.times
    method = "" if effects.method is None else f", people's judgments made one by {effects.method}"
    return (
        f"of {counted(len(effects.claims), 'comparison')} on "
        f"{counted(effects.documents, 'document')} that both judged{method}: {times('kept')} shown "
        f"by both alike, {times('lost')} by people's judgments only, {times('gained')} by the "
        f"model's only, {times('reversed')} reversed"
    )
