"""What a gate found: as tables, for programs, and as a JUnit report."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree

from cleverdon.arrays import plain
from cleverdon.compare.cost_rulings import CostRuling
from cleverdon.compare.gate import Ruling, Verdict
from cleverdon.compare.rules import LossLimit, NotWorse, Threshold
from cleverdon.errors import check_word
from cleverdon.show.gate_costs import cost_cells, cost_record, cost_sentence
from cleverdon.show.grid import DIGITS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import number, p_value

FORMATS = ("table", "markdown", "json")


def render(verdict: Verdict, format: str = "table") -> str:
    """The rules with what was found, the queries that lost most, and the verdict."""
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps(as_json(verdict), indent=1, ensure_ascii=False)
    parts = [laid_out(_rules(verdict), format)]
    if verdict.worst:
        parts.append(laid_out(_worst(verdict), format))
    tables = "\n\n".join(part.rstrip("\n") for part in parts)
    return f"{tables}\n\n{summary(verdict)}"


def summary(verdict: Verdict) -> str:
    """The verdict in a line."""
    failed = sum(not ruling.passed for ruling in verdict.rulings)
    rules = counted(len(verdict.rulings), "rule")
    topics = counted(verdict.topics, "topic")
    if failed:
        return f"FAILED: {failed} of {rules} broken, over {topics}"
    return f"PASSED: {rules} kept, over {topics}"


def _rules(verdict: Verdict) -> Grid:
    rows = [
        [
            printable(ruling.rule.text),
            *(cost_cells(ruling) if isinstance(ruling, CostRuling) else _cells(ruling)),
            "pass" if ruling.passed else "FAIL",
        ]
        for ruling in verdict.rulings
    ]
    notes = []
    if any(isinstance(ruling.rule, NotWorse) for ruling in verdict.rulings):
        notes.append(_of_tests(verdict))
    return Grid(["rule", "baseline", "run", "found", "limit", "verdict"], rows, 1, [], notes)


def _cells(ruling: Ruling) -> list[str]:
    found, limit = _found(ruling), _limit(ruling)
    return [_number(ruling, ruling.baseline), _number(ruling, ruling.average), found, limit]


def _of_tests(verdict: Verdict) -> str:
    text = "p of one-sided randomisation tests over queries"
    if verdict.family > 1:
        text += f"; of being worse, corrected for {verdict.family} tests ({verdict.correction})"
    return text


def _worst(verdict: Verdict) -> Grid:
    rows = [
        [
            str(lost.measure),
            printable(lost.query),
            number(lost.measure, lost.baseline),
            number(lost.measure, lost.value),
            number(lost.measure, lost.loss),
        ]
        for lost in verdict.worst
    ]
    return Grid(["measure", "worst queries", "baseline", "run", "loss"], rows, 2, [])


def _number(ruling: Ruling, value: float | None) -> str:
    """A value of the rule's measure: with so many digits that one sees why the rule is broken."""
    digits = DIGITS
    apart = ruling.value - ruling.limit
    while not isinstance(ruling.rule, NotWorse) and 1e-9 < abs(apart) < 10**-digits:
        digits += 1
    return "-" if value is None else number(ruling.rule.measure, value, digits=digits)


def _found(ruling: Ruling) -> str:
    if isinstance(ruling.rule, NotWorse):
        return p_value(ruling.value, level=ruling.limit)
    where = f" ({printable(ruling.query)})" if ruling.query else ""
    return _number(ruling, ruling.value) + where


def _limit(ruling: Ruling) -> str:
    rule = ruling.rule
    if isinstance(rule, NotWorse):
        return f"p {'>' if rule.margin is None else '<='} {ruling.limit:g}"
    if isinstance(rule, LossLimit):
        return f"<= {ruling.limit:g}"
    return f"{rule.comparison} {_number(ruling, ruling.limit)}"


def sentence(ruling: Ruling | CostRuling) -> str:
    """Why a rule holds or does not, in words."""
    if isinstance(ruling, CostRuling):
        return cost_sentence(ruling)
    rule = ruling.rule
    before = "" if ruling.baseline is None else f", the baseline {_number(ruling, ruling.baseline)}"
    averages = f"the run has {rule.measure} {_number(ruling, ruling.average)}{before}"
    if isinstance(rule, Threshold):
        return f"{averages}; wanted {_limit(ruling)}"
    if isinstance(rule, LossLimit):
        lost = f"{printable(ruling.query)} loses {_number(ruling, ruling.value)}"
        return f"{lost if ruling.query else 'no query loses'}; wanted {_limit(ruling)}"
    if rule.margin is None:
        shown = "no evidence of being worse" if ruling.passed else "significantly worse"
    else:
        shown = f"{'' if ruling.passed else 'not '}shown to be worse by less than {rule.margin:g}"
    return f"{shown} ({_found(ruling)}, wanted {_limit(ruling)}); {averages}"


def as_json(verdict: Verdict) -> dict[str, Any]:
    """The verdict, ready for `json.dumps`."""
    baseline = verdict.baseline
    before = None
    if baseline is not None:
        about, run = baseline.about, baseline.about.runs[baseline.systems[0]]
        before = {
            "source": run.source,
            "digest": run.digest,
            "qrels_digest": about.qrels_digest,
            "version": about.version,
        }
    return {
        "passed": verdict.passed,
        "topics": verdict.topics,
        "level": verdict.level,
        "correction": verdict.correction,
        "family": verdict.family,
        "rules": [
            cost_record(ruling) if isinstance(ruling, CostRuling) else _record(ruling)
            for ruling in verdict.rulings
        ],
        "worst": [{**asdict(lost), "measure": str(lost.measure)} for lost in verdict.worst],
        "baseline": before,
        "notes": list(verdict.notes),
    }


def _record(ruling: Ruling) -> dict[str, Any]:
    return {
        "rule": ruling.rule.text,
        "measure": str(ruling.rule.measure),
        "passed": ruling.passed,
        "value": plain(ruling.value),
        "limit": plain(ruling.limit),
        "average": plain(ruling.average),
        "baseline": plain(ruling.baseline),
    }


def junit(verdict: Verdict) -> str:
    """The verdict as a JUnit report: a test case for each rule."""
    name = "cleverdon gate"
    failures = sum(not ruling.passed for ruling in verdict.rulings)
    # Judging takes no time to speak of, but readers of such reports want to be told.
    counts = {
        "tests": str(len(verdict.rulings)),
        "failures": str(failures),
        "errors": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", {"name": name, **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, "skipped": "0", **counts})
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in _facts(verdict).items():
        ElementTree.SubElement(properties, "property", name=key, value=_for_xml(value))
    for ruling in verdict.rulings:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            name=_for_xml(ruling.rule.text),
            classname=f"cleverdon.gate.{_subject(ruling)}",
            time="0",
        )
        if not ruling.passed:
            message = _for_xml(sentence(ruling))
            failure = ElementTree.SubElement(case, "failure", message=message, type="rule")
            failure.text = _for_xml("\n".join([sentence(ruling), *_losses(verdict, ruling)]))
    if verdict.notes:
        ElementTree.SubElement(suite, "system-out").text = _for_xml("\n".join(verdict.notes))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _subject(ruling: Ruling | CostRuling) -> str:
    if isinstance(ruling, CostRuling):
        return ruling.rule.cost
    return type(ruling.rule.measure).__name__


def _facts(verdict: Verdict) -> dict[str, str]:
    about = verdict.scores.about
    run = about.runs[verdict.scores.systems[0]]
    facts = {
        "cleverdon": about.version,
        "qrels": about.qrels,
        "qrels_digest": about.qrels_digest,
        "run": run.source,
        "run_digest": run.digest,
        "topics": str(verdict.topics),
    }
    if verdict.baseline is not None:
        before = verdict.baseline.about.runs[verdict.baseline.systems[0]]
        facts |= {"baseline": before.source, "baseline_digest": before.digest}
    return facts


def _losses(verdict: Verdict, ruling: Ruling | CostRuling) -> list[str]:
    """The queries that lost most by the rule's measure, a line each."""
    if isinstance(ruling, CostRuling):
        return []
    return [
        f"{printable(lost.query)}: {number(lost.measure, lost.baseline)} to "
        f"{number(lost.measure, lost.value)}"
        for lost in verdict.worst
        if lost.measure == ruling.rule.measure
    ]


def _for_xml(text: str) -> str:
    """The text; characters that XML cannot hold, whichever way they are written, as escapes."""

    def allowed(char: str) -> bool:
        code = ord(char)
        return (
            char in "\t\n\r"
            or 0x20 <= code <= 0xD7FF
            or 0xE000 <= code <= 0xFFFD
            or code >= 0x10000
        )

    return "".join(char if allowed(char) else repr(char)[1:-1] for char in text)
