"""The dependent click model: how far down a click is decides whether the user reads on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from cleverdon.online.clicks.cascading import Counted
from cleverdon.online.clicks.model import click_model


@click_model
@dataclass(frozen=True, kw_only=True)
class DCM(Counted):
    """Dependent click model: a cascade that may go on after a click.

    Whether it does depends on the rank of the click; after a result that was not clicked it always
    does. With `estimate="formula"` parameters are counted as the authors do it, as if every last
    click had ended the search: one pass, but what attracts is overrated, and how often users read
    on is underrated. By EM the likelihood itself is made as large as it gets.
    """

    formula = r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} (1 - \alpha_{q,d_i} (1 - \lambda_i))"
    source = "Guo, Liu & Wang 2009, doi:10.1145/1498759.1498818"
    undefined = "satisfaction at the last rank of all, below which nothing could be seen"
    estimates = {
        "attraction": "alpha, for each query and document: the probability of a click once the "
        "result is examined",
        "satisfaction": "1 - lambda, for each rank: the probability that a click there ends the "
        "search",
    }
    satisfied_by: ClassVar[Literal["pair", "rank"]] = "rank"
