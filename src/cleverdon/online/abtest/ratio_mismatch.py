"""Sample-ratio mismatch: are there as many users in each variant as there should be?

Where there are not, users went missing for a reason, and the reason is likely to have changed the
metrics as well. So this is looked at first, and nothing is claimed of an experiment that fails it.
Fabijan et al. 2019, doi:10.1145/3292500.3330722.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from cleverdon.compare.needs import scipy_stats
from cleverdon.errors import OptionError

LEVEL = 0.001
"""Below which p-value users are taken to have gone missing: experiments are many, and this check is
to cry wolf in one of a thousand."""
DOUBTFUL = 0.05
"""Below which p-value a split is unusual, though not enough so to distrust the experiment."""
TOLERANCE = 1e-6
"""How far the sum of expected shares may be from 1: three thirds of six digits are 0.999999."""


@dataclass(frozen=True)
class SampleRatio:
    """How many users each variant has, how many it should have, and what chance has to do with it.

    With two variants p is exact, by the binomial distribution; with more it is that of the
    chi-square test.
    """

    users: Mapping[str, int]
    expected: Mapping[str, float]
    """How many users of this sum each should have."""
    p: float
    test: str

    @property
    def mismatch(self) -> bool:
        return self.verdict == "mismatch"

    @property
    def verdict(self) -> Literal["as expected", "doubtful", "mismatch"]:
        """A mismatch below `LEVEL`; doubtful from there to `DOUBTFUL`."""
        if self.p < LEVEL:
            return "mismatch"
        return "doubtful" if self.p < DOUBTFUL else "as expected"


def sample_ratio(
    users: Mapping[str, int], shares: Mapping[str, float] | None = None
) -> SampleRatio:
    """Whether users are split as they should be: evenly, or by `shares`, which sum to 1.

    >>> found = sample_ratio({"A": 5120, "B": 4610})
    >>> found.expected["A"], found.mismatch
    (4865.0, True)
    >>> sample_ratio({"A": 900, "B": 98}, {"A": 0.9, "B": 0.1}).verdict
    'as expected'
    >>> sample_ratio({"A": 5140, "B": 4860}).verdict
    'doubtful'
    """
    if shares is None:
        shares = dict.fromkeys(users, 1.0)
    else:
        check_shares(shares)
    for name in users:
        if name not in shares:
            raise OptionError(
                f"no share of users is expected for the variant {name!r}, only for "
                f"{', '.join(map(repr, shares))}; name one for every variant (--expected)"
            )
    counts = {name: users.get(name, 0) for name in shares}
    total, whole = sum(counts.values()), sum(shares.values())
    if not total:
        raise OptionError("there is no user in any variant")
    expected = {name: total * share / whole for name, share in shares.items()}
    stats = scipy_stats("a sample-ratio check")
    if len(counts) == 2:
        first, _ = counts
        p = stats.binomtest(counts[first], total, shares[first] / whole).pvalue
        return SampleRatio(counts, expected, float(p), "exact binomial test")
    p = stats.chisquare(list(counts.values()), list(expected.values())).pvalue
    return SampleRatio(counts, expected, float(p), "chi-square test")


def check_shares(shares: Mapping[str, float]) -> None:
    """An error unless the shares that variants should have are shares of one whole."""
    for name, share in shares.items():
        if not (isfinite(share) and share > 0):
            raise OptionError(
                f"the expected share of {name} is {share:g}: it must be above 0 (--expected)"
            )
    whole = sum(shares.values())
    # Rounded, since the tolerance itself is no number that floating point has.
    if round(abs(whole - 1), 9) > TOLERANCE:
        given = ", ".join(f"{name}={share:g}" for name, share in shares.items())
        instead = ", ".join(f"{name}={share / whole:.6g}" for name, share in shares.items())
        raise OptionError(
            f"the expected shares of users sum to {whole:.7g} ({given}), and should sum to 1 over "
            f"all variants; in the same proportions they are {instead} (--expected)"
        )
