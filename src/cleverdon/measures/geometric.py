"""Geometric means: the measures of queries that go badly."""

from __future__ import annotations

from cleverdon.measures.ranked import AP, Bpref
from cleverdon.measures.registry import measure

_SOURCE = "Robertson 2006, doi:10.1145/1183614.1183630"


@measure
class GMAP(AP):
    """Average precision, averaged over queries by the geometric mean.

    From 0.01 to 0.02 counts as much as from 0.4 to 0.8, so that it tells how a system fares on
    its worst queries. Values below 0.00001 count as that: one query without anything found would
    make the mean 0.
    """

    formula = r"\exp \frac{1}{|Q|} \sum_q \ln \max(\mathrm{AP}_q, 10^{-5})"
    source = _SOURCE
    average = "geometric"
    trec_eval = ("gm_map",)
    aliases = ()
    worked = """
        GMAP     1 0 1 1 1 1 0 0 0 1  = 0.7750
        GMAP@2   1 0 1 | 1            = 0.3333
        GMAP     0 -                  = undefined
    """


@measure
class GBpref(Bpref):
    """Binary preference, averaged over queries by the geometric mean.

    Values below 0.00001 count as that: one query on which nothing is in order would make the mean
    0.
    """

    formula = r"\exp \frac{1}{|Q|} \sum_q \ln \max(\mathrm{Bpref}_q, 10^{-5})"
    source = _SOURCE
    average = "geometric"
    trec_eval = ("gm_bpref",)
    aliases = ()
    worked = """
        GBpref   1 0 1       = 0.5
        GBpref   0 0 1 1 | 1 = 0
        GBpref   0           = undefined
    """
