"""A model as one more judge: does it agree with people as they agree with each other?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cleverdon.errors import OptionError
from cleverdon.judge.agreement.agreeing import Agreed
from cleverdon.judge.agreement.estimating import Drawn, Estimate, mean


@dataclass(frozen=True)
class Standing:
    """A model's agreement with people, beside theirs with each other, by one coefficient."""

    model: str
    coefficient: str
    with_each: Mapping[str, Estimate]  # by person
    with_people: Estimate  # the mean of these
    among_people: Estimate | None  # the mean over pairs of people; None where there is one person
    lowest: float  # of the pairs of people; NaN where there is no pair
    highest: float
    difference: Estimate | None  # with people, minus among people

    @property
    def verdict(self) -> str:
        """Whether it agrees with people less than they do with each other, more, or neither."""
        if self.difference is None or np.isnan(self.difference.interval.low):
            return "unknown"
        if self.difference.interval.high < 0:
            return "less"
        return "more" if self.difference.interval.low > 0 else "not told apart"


def standings(agreed: Agreed, model: str, people: Sequence[str]) -> tuple[Standing, ...]:
    """How a model stands among people, by each coefficient.

    The difference and its interval are of the same resamples: what is hard to judge is so for all.
    """
    labels = agreed.labels
    labels.column(model)
    if not people:
        raise OptionError(f"there is nobody to hold {model!r} against: all judges are models")
    drawn: dict[frozenset[str], Mapping[str, Drawn]] = {
        frozenset((pair.first, pair.second)): of_pair
        for pair, of_pair in zip(agreed.pairs, agreed.drawn, strict=True)
    }
    found = []
    for coefficient in agreed.of_two:
        name = coefficient.name
        with_each = {person: drawn[frozenset((model, person))][name] for person in people}
        among = [
            drawn[frozenset((one, other))][name]
            for at, one in enumerate(people)
            for other in people[at + 1 :]
        ]
        found.append(_standing(agreed, model, name, with_each, among))
    return tuple(found)


def _standing(
    agreed: Agreed, model: str, name: str, with_each: Mapping[str, Drawn], among: Sequence[Drawn]
) -> Standing:
    units = agreed.units
    own = mean(list(with_each.values()))
    values = [one.value for one in among if not np.isnan(one.value)]
    theirs = mean(among) if values else None
    difference = None
    if theirs is not None:
        behind = min(own.behind, theirs.behind)
        apart = Drawn(own.value - theirs.value, own.resampled - theirs.resampled, behind)
        difference = apart.estimate(units)
    return Standing(
        model=model,
        coefficient=name,
        with_each={person: one.estimate(units) for person, one in with_each.items()},
        with_people=own.estimate(units),
        among_people=None if theirs is None else theirs.estimate(units),
        lowest=min(values, default=np.nan),
        highest=max(values, default=np.nan),
        difference=difference,
    )
