"""Where profiles differ, as tables made from the profiles themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from cleverdon.measures.registry import as_text
from cleverdon.profiles import PROFILES, Profile
from cleverdon.settings import Settings
from cleverdon.show.grid import Grid, laid_out

SAME = "·"


def differences(format: str = "table") -> str:
    """Two tables: the settings of each profile, and what it does otherwise for some measures.

    What is as in the first profile, Cleverdon's own, is not shown.
    """
    about = Grid(
        ["profile", "what it is for"], [[p.name, p.about] for p in PROFILES.values()], 2, []
    )
    parts = [laid_out(grid, format).rstrip() for grid in (about, _settings(), _measures())]
    return "\n\n".join(parts)


def _settings() -> Grid:
    own, *others = PROFILES.values()
    columns = [
        column
        for column in (*(setting.name for setting in fields(Settings)), "decimals")
        if any(_word(other, column) != _word(own, column) for other in others)
    ]
    rows = [[own.name, *(_word(own, column) for column in columns)]]
    for other in others:
        words = [(_word(other, column), _word(own, column)) for column in columns]
        rows.append([other.name, *(SAME if word == usual else word for word, usual in words)])
    return Grid(["profile", *columns], rows, len(columns) + 1, [])


def _word(profile: Profile, column: str) -> str:
    return str(profile.decimals if column == "decimals" else getattr(profile.settings, column))


def _measures() -> Grid:
    rows = [[p.name, *row] for p in PROFILES.values() for row in _of(p)]
    return Grid(["profile", "what it does otherwise", "for"], rows, 3, [])


def _of(profile: Profile) -> Iterator[list[str]]:
    """What a profile does otherwise, and for which measures."""
    defaults: dict[str, list[str]] = {}
    for name, parameters in profile.parameters.items():
        defaults.setdefault(_listed(parameters), []).append(name)
    for shown, names in defaults.items():
        yield [f"by default {shown}", " ".join(names)]
    for word, (meant, parameters) in profile.words.items():
        yield [f"is {meant}" + (f"({_listed(parameters)})" if parameters else ""), word]
    for name, meant in profile.instead.items():
        yield [f"is {meant}", name]
    for name, value in profile.absent.items():
        yield [f"is {value:g} for a query that the run lacks", name]
    if profile.beta_squared:
        yield ["beta stands for its square", "SetF"]
    alike: dict[str, list[str]] = {}
    for name, settings in profile.special.items():
        alike.setdefault(_listed(settings), []).append(name.replace("@", "@k"))
    for shown, names in alike.items():
        yield [f"ranked with {shown}", " ".join(names)]
    if profile.top_grade is not None:
        yield [f"a grade above {profile.top_grade:g} is an error", "all"]
    if profile.qrels_format is not None:
        yield [f"files of judgments are read as {profile.qrels_format}", "all"]


def _listed(values: Mapping[str, object]) -> str:
    return ",".join(f"{name}={as_text(value)}" for name, value in values.items())
