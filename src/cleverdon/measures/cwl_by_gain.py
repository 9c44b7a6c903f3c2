"""C/W/L models of users who mind what they have found: each result's gain moves them to stop."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.errors import NotationError
from cleverdon.hits import Hits
from cleverdon.measures.cwl import Model, Stretches
from cleverdon.measures.cwl_by_rank import Goal, Truncated, geometric
from cleverdon.measures.registry import measure

_NERR = "Azzopardi, Mackenzie & Moffat 2021, doi:10.1145/3471158.3472239"


@measure
class INST(Goal):
    """The INST model: whoever has found what she came for is likelier to stop.

    She set out to find T results' worth of gain; T_i is what is still missing at rank i, and may
    fall below 0.
    """

    formula = r"C_i = \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \quad "
    formula += r"T_i = T - \sum_{j \le i} g_j"
    user = "Reads on the likelier the deeper she is, and the less likely the more she has found."
    source = (
        "Moffat et al. 2015, doi:10.1145/2838931.2838938; Moffat et al. 2017, doi:10.1145/3052768"
    )
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        INST                    1           = 0.6079
        INST                    0 1         = 0.2071
        INST                    1 1         = 0.8857
        INST(T=2)               1 0 1       = 0.4254
        INST(max_rel=2)         1           = 0.2377
        INST(quantity=ED)       1           = 1.6449
        INST(quantity=ED)       | 1         = 2.5797
        INST                    0 -         = 0
    """

    def check(self) -> None:
        super().check()
        if self.T < 0.5:
            # A user who finds more than she wants at every rank would read on all the likelier.
            raise NotationError(f"INST(T={self.T}): T is from one half on")

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        return super().seen(stretches, rank - stretches.got)

    def seen_in(self, stretches: Stretches) -> Floats:
        return self.between(stretches.first - stretches.got, stretches.last - stretches.got)

    def carried(self, stretches: Stretches) -> Floats:
        # What was found moves the user back on her way: from here on she is at rank i - got. The
        # weights must meet where she changes over.
        before = stretches.last - stretches.got
        moved = before - stretches.gain
        return super().seen(stretches, before) / super().seen(stretches, moved)


@measure
class BPM(Model):
    """The Bejeweled player model: a user stops once she has gained T, or spent k.

    With dynamic=true each result changes what she expects: by `hb` times its gain above `median`
    for the goal T, by `hc` times that for the budget k. (cwl-eval's dynamic model leaves the budget
    as it is, by a slip; hc=0 gives its numbers.) k counts results, unless results have costs.
    """

    formula = (
        r"C_i = \left[ \sum_{j \le i} g_j < T \right] \cdot \left[ \sum_{j \le i} c_j < k \right]"
    )
    user = "Reads until she has found T results' worth of gain, or has read k results."
    source = "Zhang et al. 2017, doi:10.1145/3077136.3080841"
    promises = frozenset({"in range", "unjudged tail"})
    worked = """
        BPM                      0 1 1                = 0.5
        BPM(T=2)                 0 1 1                = 0.6667
        BPM(T=3)@5               0 1 1                = 0.4
        BPM(quantity=ED)         0 1 1                = 2
        BPM(dynamic=true)        0 0 - 1              = 0
        BPM(T=2,dynamic=true)    1 1 1                = 1
        BPM(T=2,dynamic=true,quantity=ED)@3    1 1 1  = 3
        BPM                      | 1                  = 0
    """

    T: float = 1
    k: int = 10
    dynamic: bool = False
    hb: float = 1
    hc: float = 1
    median: float = 0.5

    def check(self) -> None:
        super().check()
        if not 0 < self.T <= 1e9:
            raise NotationError(f"BPM(T={self.T}): T is above 0")
        if not (0 <= self.hb <= 1e6 and 0 <= self.hc <= 1e6 and 0 <= self.median <= 1):
            raise NotationError(f"{self}: hb and hc are from 0 to a million, median from 0 to 1")

    def horizon(self, hits: Hits) -> Floats:
        endless = np.full(len(hits), np.inf)
        s = Stretches.of(hits, self.gain_of(hits), endless, self.cost)
        hb, hc = (self.hb, self.hc) if self.dynamic else (0.0, 0.0)
        # At rank i, with gain G above it, the goal is T + hb (G - (i-1) median), and the budget
        # likewise. Where nothing is gained both only fall: solve for the rank at which one is met.
        falling = hb * self.median
        missing = self.T + (hb - 1) * s.got
        met = 1 + missing / falling if falling else np.where(missing > 0, np.inf, s.first)
        budget = self.k + hc * (s.got + self.median) - s.paid + s.each * (s.first - 1)
        spent = budget / (s.each + hc * self.median)
        met, spent = (np.maximum(np.ceil(rank - 1e-9), s.first) for rank in (met, spent))
        # The result that ends a stretch adds to the gain, not to the goal. Two thirds and one third
        # are 1, and in binary they may not be.
        reached = s.gain + 1e-9 >= missing - falling * (s.last - 1)
        stop = np.where(met < s.last, met, np.where(reached, s.last, np.inf))
        stop = np.minimum(stop, np.where(spent <= s.last, spent, np.inf))
        np.minimum.at(endless, s.query, stop)
        return endless

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        return np.ones(len(rank))

    def seen_in(self, stretches: Stretches) -> Floats:
        return stretches.length


class Satisfied(Truncated):
    """What NERR8 and NERR9 share: a result stops the user with a probability that is its gain."""

    k: int = 10

    def carried(self, stretches: Stretches) -> Floats:
        return 1 - stretches.gain


@measure
class NERR8(Satisfied):
    """Nearly ERR, the first way: a user reads on unless a result satisfies her, down to rank k.

    ERR itself is no C/W/L measure: it minds at which rank a user stops, and not what she gained on
    the way. These four keep its user, who stops at a result with a probability that is its gain,
    and differ in what else makes her stop.
    """

    formula = r"C_i = (1 - g_i) \cdot [i < k]"
    user = "Stops at a result with a probability that is its gain, and at rank k."
    source = _NERR + ", equation 8"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NERR8@3                0 1 1         = 0.5
        NERR8@3                1 0 1  max=2  = 0.3750
        NERR8(quantity=ED)@3   1 0 1  max=2  = 2
        NERR8                  | 1           = 0
    """

    @staticmethod
    def weight(rank: Floats) -> Floats:
        return np.ones(len(rank))


@measure
class NERR9(Satisfied):
    """Nearly ERR, the second way: the rank discourages too, as 1/i does in ERR.

    See NERR8.
    """

    formula = r"C_i = \frac{i}{i+1} (1 - g_i) \cdot [i < k]"
    user = "Stops at a result with a probability that is its gain, else reads on with i / (i + 1)."
    source = _NERR + ", equation 9"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NERR9@3                0 1 1         = 0.3333
        NERR9@3                1 0 1  max=2  = 0.4118
        NERR9(quantity=ED)@3   | 1           = 1.8333
        NERR9                  | 1           = 0
    """

    @staticmethod
    def weight(rank: Floats) -> Floats:
        return 1 / rank


@measure
class NERR10(Model):
    """Nearly ERR, the third way: a user who is not satisfied reads on with probability p.

    See NERR8; where nothing is gained, RBP's user.
    """

    formula = r"C_i = p\, (1 - g_i)"
    user = "Stops at a result with a probability that is its gain, else reads on with p."
    source = _NERR + ", equation 10"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NERR10(p=0.5)                0 1           = 0.3333
        NERR10(p=0.5)                1 0 1  max=2  = 0.3913
        NERR10(p=0.5,quantity=ED)    | 1           = 2
        NERR10                       | 1           = 0
    """

    p: float = 0.9

    def check(self) -> None:
        super().check()
        if not 0 < self.p < 1:
            raise NotationError(f"NERR10(p={self.p}): p is above 0 and below 1")

    def seen(self, stretches: Stretches, rank: Floats) -> Floats:
        weight: Floats = np.power(self.p, rank - 1)
        return weight

    def seen_in(self, stretches: Stretches) -> Floats:
        rate = np.full(len(stretches.first), -np.log(self.p))
        return self.seen(stretches, stretches.first) * geometric(rate, stretches.length)

    def carried(self, stretches: Stretches) -> Floats:
        return 1 - stretches.gain


@measure
class NERR11(Goal):
    """Nearly ERR, the fourth way: a user who is not satisfied reads on as INSQ's does.

    See NERR8.
    """

    formula = r"C_i = \left( \frac{i + 2T - 1}{i + 2T} \right)^2 (1 - g_i)"
    user = "Stops at a result with a probability that is its gain, else reads on as INSQ's user."
    source = _NERR + ", equation 11"
    promises = frozenset({"in range", "swap", "unjudged tail"})
    worked = """
        NERR11                  0 1           = 0.3077
        NERR11                  1 0 1  max=2  = 0.3586
        NERR11(quantity=ED)     1             = 1
        NERR11                  | 1           = 0
    """

    def carried(self, stretches: Stretches) -> Floats:
        return 1 - stretches.gain
