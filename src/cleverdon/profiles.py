"""Profiles: named bundles of settings that reproduce another tool's numbers."""

from __future__ import annotations

from dataclasses import dataclass

from cleverdon.errors import OptionError, suggest
from cleverdon.settings import Settings


@dataclass(frozen=True)
class Profile:
    """A bundle of settings, and what it is for."""

    name: str
    about: str
    settings: Settings


PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("cleverdon", "Cleverdon's own choices", Settings()),
        Profile(
            "trec_eval-9",
            "trec_eval 9 and pytrec_eval: scores as float32, only queries that the run has",
            Settings(precision="single", missing="skip"),
        ),
        Profile(
            "trec_eval-10",
            "trec_eval 10 with -c: scores as float64, every judged query",
            Settings(),
        ),
        Profile(
            "msmarco", "MS MARCO's scripts: ordered by the rank column", Settings(order_by="rank")
        ),
    )
}


def profile(name: str) -> Profile:
    """The profile of that name."""
    if not isinstance(name, str) or name not in PROFILES:
        raise OptionError(f"there is no profile {name!r}{suggest(str(name), PROFILES)}")
    return PROFILES[name]
