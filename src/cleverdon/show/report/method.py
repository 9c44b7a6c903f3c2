"""How the numbers came about: what the method section of a paper has to say."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from inspect import cleandoc
from typing import Any

from cleverdon.compare.intervals import METHODS
from cleverdon.compare.paired import Comparison
from cleverdon.compare.randomisation import DRAWS
from cleverdon.compare.resampling import RESAMPLES
from cleverdon.measures.base import Measure
from cleverdon.measures.registry import as_text
from cleverdon.scores import Scores
from cleverdon.settings import CHOICES
from cleverdon.show.comparison import tested
from cleverdon.show.explain import better
from cleverdon.show.grid import counted
from cleverdon.show.page.formula import mathml
from cleverdon.show.page.versions import versions
from cleverdon.show.table import notes

_LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python")


@dataclass(frozen=True)
class Method:
    """What one must know to get the same numbers again."""

    paragraph: str
    """For a paper, to be changed at will."""
    facts: dict[str, str]
    measures: list[dict[str, str]]
    files: list[dict[str, Any]]
    versions: dict[str, str]


def method(scores: Scores, comparison: Comparison | None) -> Method:
    """How these scores were made, and how they were compared."""
    return Method(
        paragraph=paragraph(scores, comparison),
        facts=facts(scores, comparison),
        measures=[_measure(measure) for measure in scores.measures if not measure.text],
        files=_files(scores),
        versions=versions(scores.about.version, _LIBRARIES),
    )


def paragraph(scores: Scores, comparison: Comparison | None) -> str:
    """What a paper says of it."""
    about = scores.about
    names = [str(measure) for measure in scores.measures if not measure.text]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    sentences = [
        f"We report {listed} over {counted(about.queries, 'topic')} with "
        f"{counted(about.judgments, 'judgment')}, computed with Cleverdon {about.version}"
        + (f" as {about.profile} does." if about.profile != "cleverdon" else ".")
    ]
    if comparison is not None:
        interval = comparison.differences[0].interval
        sentences.append(
            f"Systems were compared topic by topic: {_lowered(tested(comparison))}, "
            f"significance level {comparison.level:g}. Intervals of differences have "
            f"{interval.confidence:.0%} confidence ({METHODS[interval.method]})."
        )
    # Each begins with a name, which is written as it is.
    sentences += [f"{note}." for note in rests_on(scores)[1:]]
    return " ".join(sentences)


def rests_on(scores: Scores) -> list[str]:
    """The notes below a table of the scores, but for that on bounds: reports draw them."""
    return notes(replace(scores, bounds={}))


def _lowered(text: str) -> str:
    """Within a sentence; names keep their capital."""
    return (
        text if text.startswith(("Student", "Wilcoxon", "Tukey")) else text[:1].lower() + text[1:]
    )


def facts(scores: Scores, comparison: Comparison | None) -> dict[str, str]:
    """Every choice that the numbers depend on."""
    about = scores.about
    found = {
        "Topics": f"{about.queries:,}",
        "Judgments": f"{about.judgments:,}",
        "Profile": about.profile,
    }
    if about.docs is not None:
        found["Documents"] = f"{about.docs:,}"
    for name, word in asdict(about.settings).items():
        found[_named(name)] = f"{word}: {CHOICES[name][word]}"
    if comparison is not None:
        interval = comparison.differences[0].interval
        resampled = "" if interval.method == "t" else f", {RESAMPLES:,} resamples"
        found |= {
            "Test": tested(comparison),
            "Draws": _draws(comparison),
            "Level": f"{comparison.level:g}",
            "Intervals": f"{interval.confidence:.0%}, {METHODS[interval.method]}{resampled}",
            "Seed": str(comparison.seed),
        }
    return {name: text for name, text in found.items() if text}


def _named(setting: str) -> str:
    return setting.replace("_", " ").capitalize()


def _draws(comparison: Comparison) -> str:
    """How many draws the p-values rest on, where they do."""
    drawn = [found.p for found in comparison.differences if not found.p.exact and found.p.draws]
    if not drawn:
        return ""
    exact = len(comparison.differences) - len(drawn)
    some = f"; {counted(exact, 'p-value')} exact" if exact else ""
    return f"{comparison.options.get('draws', DRAWS):,}{some}"


def _measure(measure: Measure) -> dict[str, str]:
    cls = type(measure)
    facts = {
        "name": str(measure),
        "about": cleandoc(cls.__doc__ or ""),
        "formula": cls.formula,
        "mathml": mathml(cls.formula),
        "parameters": ", ".join(
            f"{name}={as_text(value)}"
            for name, value in vars(measure).items()
            if name in cls.defaults and value is not None
        ),
        "user": cls.user,
        "undefined": cls.undefined,
        "better": better(measure),
        "source": cls.source,
    }
    return {name: text for name, text in facts.items() if text}


def _files(scores: Scores) -> list[dict[str, Any]]:
    """The judgments and the runs, each with what identifies it."""
    about = scores.about
    files: list[dict[str, Any]] = [
        {
            "name": "judgments",
            "file": about.qrels,
            "digest": about.qrels_digest,
            "rows": about.judgments,
            "queries": about.queries,
        }
    ]
    for name, run in about.runs.items():
        files.append(
            {
                "name": name,
                "file": run.source,
                "digest": run.digest,
                "rows": run.results,
                "queries": run.queries,
                "tied": run.tie_rate,
                "judged": run.judged_in_top_10,
            }
        )
    return files
