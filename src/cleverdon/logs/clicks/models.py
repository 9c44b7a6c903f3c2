"""Click models: position-based (PBM, UBM, COEC) and cascades (CM, DCM, SDBN, DBN).

Position-based models: a click takes two independent events, the result is examined and it attracts.
Rows of the same query, document and kind of place are counted together, so an iteration costs no
more for a log ten times as long.

Cascades: the user reads down the list. The first result is examined. A result that is examined is
clicked if it attracts; a click may satisfy, which ends the search; an unsatisfied user goes on with
some probability. Everything up to the last click was examined. What was read below it is estimated
by a pass down the lists (the clicks above) and a pass up (no click below), for all lists at once.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from cleverdon._common.arrays import Floats, Ints, summed
from cleverdon.errors import OptionError, check_word
from cleverdon.logs.clicks.base import (
    Belief,
    ClickModel,
    Convergence,
    FittedModel,
    Fitting,
    Parameters,
    Prior,
    State,
    click_model,
    equivalent_trials,
    log_likelihood,
    ratio_or_zero,
)
from cleverdon.logs.clicks.result_lists import Place, ResultLists

_ALPHA = "alpha, for each query and document: the probability of a click if the result is examined"
_ONE_RANK = (
    "if every document is always shown at the same rank: then attractiveness and examination "
    "cannot be separated, and only the prior decides"
)


@click_model
@dataclass(frozen=True, kw_only=True)
class COEC(ClickModel):
    """Clicks over expected clicks: a document's clicks over those of an average one at its ranks.

    1 means as many clicks as documents get on average at the same ranks. It is a ratio, not a
    probability, and may be any number of at least 0. For predictions, it is multiplied by the rate
    of clicks at the rank.

    Attributes:
        smoothing: m, the number of clicks added to those of each document, and to those expected.

    >>> from cleverdon.logs.clicks import ResultLists
    >>> shown = ResultLists.from_lists([("hats", ["d1", "d2"], ["d1"])] * 9)
    >>> round(COEC().fit(shown).attractiveness[("hats", "d1")], 2)
    1.05
    """

    formula = r"\frac{\sum_i c_i + m}{\sum_i \mathrm{ctr}(r_i) + m}"
    source = "Zhang & Jones 2007, Comparing click logs and editorial labels (WWW workshop)"
    undefined = "with smoothing=0, a document that was only shown at ranks where nobody clicked"
    estimates = {
        "attraction": "for each query and document: clicks over expected clicks",
        "examination": "ctr, for each rank: clicks over impressions, smoothed likewise",
    }
    value = "clicks over expected clicks"

    smoothing: float = 1.0

    def __post_init__(self) -> None:
        if not (self.smoothing >= 0 and np.isfinite(self.smoothing)):
            raise OptionError(f"smoothing={self.smoothing}: it is a number of at least 0")

    def usual_prior(self, shown: ResultLists) -> Prior:
        return Prior(1, 0)  # a document never seen gets the expected number of clicks

    def estimate_from(self, given: Fitting) -> FittedModel:
        shown = given.shown
        ranks = int(shown.rank.max()) + 1
        clicks = summed(shown.rank, shown.clicked.astype(float), ranks)
        # Smoothing draws the rate of a rarely shown rank towards that of all ranks.
        every = self.smoothing * shown.clicked.mean()
        times = np.bincount(shown.rank, minlength=ranks).astype(float) + self.smoothing
        rate = ratio_or_zero(clicks + every, times)
        expected = shown.totals(rate[shown.rank])
        with np.errstate(invalid="ignore"):
            ratio = (shown.clicks + self.smoothing) / (expected + self.smoothing)
        return replace(given, prior=self.usual_prior(shown)).fitted(
            Parameters(ratio, examination=rate),
            # An impression at the best rank counts in full.
            examined=ratio_or_zero(expected, np.full(len(expected), rate.max())),
            weight=expected + self.smoothing,
        )

    def belief(self, fitted: FittedModel) -> Belief:
        """Model clicks as Poisson distributed around ratio times expected clicks."""
        # A rate of 0, where no click is expected, would not be a distribution.
        least = np.finfo(float).tiny
        return Belief.gamma(
            np.maximum(fitted.clicks + self.smoothing, least), np.maximum(fitted.weight, least)
        )

    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        rate = parameters.examination
        assert rate is not None
        expected = rate[np.minimum(place.rank, len(rate) - 1)]
        return np.minimum(np.nan_to_num(parameters.attraction[place.pair], nan=1.0) * expected, 1)


@dataclass(frozen=True, kw_only=True)
class PositionModel(ClickModel):
    """A click model in which P(click) is attractiveness times examination.

    Examination depends on the cell of a row: a number from 1 on for its kind of place.
    """

    # Clicks only show the product of attractiveness and examination: if all documents were half as
    # attractive and examined twice as often, clicks would be the same. So the first rank counts as
    # always examined; otherwise the priors decide.
    anchored: bool = True
    depends_on: ClassVar[int]
    """The number of ranks that examination depends on: 1, or 2 with the rank of the last click."""

    @abstractmethod
    def cell(self, rank: Ints, state: State, ranks: int) -> Ints:
        """Return the cell of each row, for lists with this number of ranks."""

    def estimate_from(self, given: Fitting) -> FittedModel:
        shown, prior, others = given.shown, given.prior, given.others
        ranks = int(shown.rank.max())
        counts = self._counted(shown, ranks)
        pairs, cells = len(shown.pairs), (ranks + 1) ** self.depends_on
        anchor = self.cell(np.array([1]), np.zeros(1), ranks)[: 1 if self.anchored else 0]

        def anchored(examination: Floats) -> Floats:
            examination[anchor] = 1.0
            return examination

        def step(here: Parameters) -> tuple[Parameters, float]:
            examined, chance = counts.examined(here)
            assert here.examination is not None
            objective = (
                log_likelihood(chance, counts.clicked)
                + log_likelihood(1 - chance, counts.skipped)
                + prior.log_density(here.attraction)
                + others.log_density(np.delete(here.examination, anchor))
            )
            looks = counts.clicked + counts.skipped * examined
            times = counts.clicked + counts.skipped
            attraction = prior.estimate(
                summed(counts.pair, counts.clicked, pairs), summed(counts.pair, looks, pairs)
            )
            examination = others.estimate(
                summed(counts.cell, looks, cells), summed(counts.cell, times, cells)
            )
            return Parameters(attraction, anchored(examination)), objective

        start = Parameters(np.full(pairs, prior.mode), anchored(np.full(cells, others.mode)))
        found, convergence = given.maximise(start, step)
        examined, _ = counts.examined(found)
        missed = summed(counts.pair, counts.skipped * examined, pairs)
        certain = summed(counts.pair, counts.skipped * examined**2, pairs)
        tried = shown.clicks + missed
        weight = equivalent_trials(found.attraction, tried, missed, certain, prior)
        return given.fitted(found, examined=tried, weight=weight, convergence=convergence)

    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        examination = parameters.examination
        assert examination is not None
        ranks = round(len(examination) ** (1 / self.depends_on)) - 1
        cell = self.cell(place.rank, state, ranks)
        return parameters.attraction[place.pair] * examination[cell]

    def _counted(self, shown: ResultLists, ranks: int) -> _RowCounts:
        """Count how often each pair was clicked or skipped in each cell."""
        cell = np.empty(len(shown.pair), dtype=np.int64)
        nothing = Parameters(np.zeros(0))
        state = self.begin(nothing, shown.lists)
        for place in shown.places:
            here = place.lists
            cell[place.rows] = self.cell(place.rank, state[here], ranks)
            state[here] = self.after(nothing, place, state[here], np.zeros(0))
        cells = (ranks + 1) ** self.depends_on
        kinds, kind = np.unique(shown.pair * cells + cell, return_inverse=True)
        clicked = summed(kind, shown.clicked.astype(float), len(kinds))
        times = np.bincount(kind, minlength=len(kinds))
        return _RowCounts(kinds // cells, kinds % cells, clicked, times - clicked)


@dataclass(frozen=True, eq=False)
class _RowCounts:
    """Counts of rows that are the same to the model."""

    pair: Ints
    cell: Ints
    clicked: Floats
    skipped: Floats

    def examined(self, parameters: Parameters) -> tuple[Floats, Floats]:
        """Return the probability that a skipped result was examined, and that of a click."""
        assert parameters.examination is not None
        attraction = parameters.attraction[self.pair]
        examination = parameters.examination[self.cell]
        chance = attraction * examination
        return ratio_or_zero(examination * (1 - attraction), 1 - chance), chance


@click_model
@dataclass(frozen=True, kw_only=True)
class PBM(PositionModel):
    """Position-based model: a result is clicked if it is examined and attracts.

    Examination depends only on the rank.

    Attributes:
        anchored: Assume that the first rank is always examined; otherwise the priors decide.

    >>> from cleverdon.logs.clicks import ResultLists
    >>> lists = [("hats", ["d1", "d2"], ["d1"]), ("hats", ["d2", "d1"], [])] * 20
    >>> fitted = PBM().fit(ResultLists.from_lists(lists))
    >>> fitted.attractiveness[("hats", "d1")] > fitted.attractiveness[("hats", "d2")]
    True
    """

    formula = r"P(C_r = 1) = \alpha_{q,d}\, \theta_r"
    source = "Richardson, Dominowska & Ragno 2007, doi:10.1145/1242572.1242643"
    undefined = _ONE_RANK
    estimates = {
        "attraction": _ALPHA,
        "examination": "theta, for each rank: the probability that a result there is examined",
    }

    depends_on = 1

    def cell(self, rank: Ints, state: State, ranks: int) -> Ints:
        return np.minimum(rank, ranks)  # deeper ranks count as the last one that was seen


@click_model
@dataclass(frozen=True, kw_only=True)
class UBM(PositionModel):
    """User browsing model: a result is clicked if it is examined and attracts.

    Examination depends on the rank and on the rank of the last click above it.

    Attributes:
        anchored: Assume that the first rank is always examined; otherwise the priors decide.

    >>> from cleverdon.logs.clicks import ResultLists
    >>> lists = [("hats", ["d1", "d2"], ["d1"]), ("hats", ["d2", "d1"], [])] * 20
    >>> fitted = UBM().fit(ResultLists.from_lists(lists))
    >>> fitted.attractiveness[("hats", "d1")] > fitted.attractiveness[("hats", "d2")]
    True
    """

    formula = r"P(C_r = 1 \mid C_{<r}) = \alpha_{q,d}\, \theta_{r,r'}"
    source = "Dupret & Piwowarski 2008, doi:10.1145/1390334.1390392"
    undefined = _ONE_RANK
    estimates = {
        "attraction": _ALPHA,
        "examination": "theta, for each rank r and rank r' of the last click above it (0: none): "
        "the probability that a result there is examined; a square, row by row",
    }

    depends_on = 2

    # The state is the rank of the last click, or 0.
    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        return np.where(place.clicked, place.rank, state)

    def cell(self, rank: Ints, state: State, ranks: int) -> Ints:
        # Deeper ranks count as the last one that was seen; a click above stays above.
        rank = np.minimum(rank, ranks)
        last: Ints = np.minimum(state.astype(np.int64), rank - 1)
        return rank * (ranks + 1) + last

    def marginal(self, parameters: Parameters, shown: ResultLists) -> Floats:
        chances = np.empty(len(shown.pair))
        # The probability of each possible place of the last click; 0 is no click.
        ever = [np.ones(shown.lists)]
        ranks: list[Ints] = [np.zeros(shown.lists, dtype=np.int64)]
        for place in shown.places:
            here = place.lists
            found = np.zeros(len(place.pair))
            for last, rank in zip(ever, ranks, strict=True):
                chance = self.chance(parameters, place, rank[here].astype(float))
                found += last[here] * chance
                last[here] *= 1 - chance
            chances[place.rows] = found
            ever.append(found)
            ranks.append(place.rank)
        return chances


class _TopDown(ClickModel):
    """A click model of a user who reads down the list.

    The state is the probability that the next result is examined, given the clicks above.
    """

    def begin(self, parameters: Parameters, lists: int) -> State:
        return np.ones(lists)

    def chance(self, parameters: Parameters, place: Place, state: State) -> Floats:
        return parameters.attraction[place.pair] * state

    @abstractmethod
    def satisfaction(self, parameters: Parameters, pair: Ints, rank: Ints) -> Floats:
        """Return the probability that a click on each row ends the search."""

    def marginal(self, parameters: Parameters, shown: ResultLists) -> Floats:
        chances = np.empty(len(shown.pair))
        examined = np.ones(shown.lists)
        for place in shown.places:
            attraction = parameters.attraction[place.pair]
            satisfaction = self.satisfaction(parameters, place.pair, place.rank)
            chances[place.rows] = examined[place.lists] * attraction
            examined[place.lists] *= parameters.continuation * (1 - attraction * satisfaction)
        return chances


@click_model
@dataclass(frozen=True, kw_only=True)
class CM(_TopDown):
    """Cascade model: a user reads down the list to the first result that attracts, and clicks it.

    So a list has at most one click, and everything above it was examined. Further clicks are not
    used.

    >>> from cleverdon.logs.clicks import ResultLists
    >>> shown = ResultLists.from_lists([("hats", ["d1", "d2"], ["d2"])] * 30)
    >>> fitted = CM().fit(shown)
    >>> fitted.attractiveness[("hats", "d2")] > 0.9
    True
    """

    formula = r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} (1 - \alpha_{q,d_i})"
    source = "Craswell, Zoeter, Taylor & Ramsey 2008, doi:10.1145/1341531.1341545"
    undefined = "a list with a second click has probability 0"
    estimates = {
        "attraction": f"{_ALPHA}; clicks over impressions, down to the first click of each list"
    }

    def estimate_from(self, given: Fitting) -> FittedModel:
        shown, prior = given.shown, given.prior
        read = ~shown.above
        tried = shown.totals(read.astype(float))
        clicks = shown.totals((read & shown.clicked).astype(float))
        return given.fitted(
            Parameters(prior.estimate(clicks, tried)),
            examined=tried,
            weight=tried + prior.hits + prior.misses,
        )

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        return np.where(place.clicked, 0.0, state)

    def satisfaction(self, parameters: Parameters, pair: Ints, rank: Ints) -> Floats:
        return np.ones(len(pair))


@dataclass(frozen=True, kw_only=True)
class CascadeModel(_TopDown):
    """A click model in which a click may end the search, with an estimated probability."""

    satisfied_by: ClassVar[Literal["pair", "rank"]] = "pair"

    @property
    @abstractmethod
    def going_on(self) -> float | None:
        """The probability of reading on if it is fixed; None if it is estimated."""

    @property
    def by_formula(self) -> bool:
        """True if parameters are counted on the assumption that every last click satisfied."""
        return False

    def after(self, parameters: Parameters, place: Place, state: State, chance: Floats) -> State:
        attraction = parameters.attraction[place.pair]
        satisfaction = self.satisfaction(parameters, place.pair, place.rank)
        unsatisfied = _unsatisfied(place, state, chance, attraction, satisfaction)
        return parameters.continuation * unsatisfied

    def satisfaction(self, parameters: Parameters, pair: Ints, rank: Ints) -> Floats:
        of = parameters.satisfaction
        assert of is not None
        return of[pair] if self.satisfied_by == "pair" else of[np.minimum(rank, len(of) - 1)]

    def belief(self, fitted: FittedModel) -> Belief:
        attracts = super().belief(fitted)
        satisfaction, weight = fitted.parameters.satisfaction, fitted.satisfaction_weight
        if satisfaction is None or weight is None:
            return attracts
        return attracts.times(Belief.beta(satisfaction, weight))

    def estimate_from(self, given: Fitting) -> FittedModel:
        shown, prior, others = given.shown, given.prior, given.others
        by_pair = self.satisfied_by == "pair"
        key = shown.pair if by_pair else shown.rank
        keys = len(shown.pairs) if by_pair else int(shown.rank.max()) + 1
        # A click on the last result of a list does not show whether it satisfied; the formula
        # assumes that it did.
        telling = np.flatnonzero(shown.clicked & (shown.followed | self.by_formula))
        clicked_key = key[telling]
        tried = summed(clicked_key, np.ones(len(telling)), keys)
        # All others stay at the mode of the prior, and add a constant to the objective.
        known = np.flatnonzero(tried)
        clicks = shown.clicks.astype(float)

        def improved(seen: _Seen) -> Parameters:
            going_on = self.going_on
            if going_on is None:
                went = sum(float(seen.examined[p.rows].sum()) for p in shown.places[1:])
                stayed = seen.examined - seen.satisfied
                could = float(np.concatenate([stayed[cut] for cut in shown.followed_cuts]).sum())
                going_on = float(others.estimate(np.array(went), np.array(could)))
            satisfied = summed(clicked_key, seen.satisfied[telling], keys)
            satisfaction = np.full(keys, others.mode)
            satisfaction[known] = others.estimate(satisfied[known], tried[known])
            return Parameters(
                prior.estimate(clicks, shown.totals(seen.examined)),
                satisfaction=satisfaction,
                continuation=going_on,
            )

        def step(here: Parameters) -> tuple[Parameters, float]:
            seen = self._seen(here, shown)
            assert here.satisfaction is not None
            right = 1 - seen.chance
            right[shown.clicked_rows] = seen.chance[shown.clicked_rows]
            objective = (
                log_likelihood(right)
                + prior.log_density(here.attraction)
                + others.log_density(here.satisfaction[known])
            )
            if self.going_on is None:
                objective += others.log_density(np.array(here.continuation))
            return improved(seen), objective

        if self.by_formula:
            # Every last click satisfied, and lists without a click were read to the end.
            read = shown.clicked | shown.below | ~shown.with_click[shown.list]
            last = shown.clicked & ~shown.below
            seen = _Seen(np.zeros(len(shown.pair)), read.astype(float), last.astype(float))
            found, convergence = improved(seen), Convergence()
        else:
            start = Parameters(
                np.full(len(shown.pairs), prior.mode),
                satisfaction=np.full(keys, others.mode),
                continuation=others.mode if self.going_on is None else self.going_on,
            )
            found, convergence = given.maximise(start, step)
            seen = self._seen(found, shown)
        missed = np.where(shown.clicked, 0.0, seen.examined)
        examined = shown.totals(seen.examined)
        misses = (shown.totals(missed), shown.totals(missed**2))
        weight = _satisfaction_weight(found, seen, shown, others) if by_pair else None
        return given.fitted(
            found,
            examined=examined,
            weight=equivalent_trials(found.attraction, examined, *misses, prior),
            satisfaction_weight=weight,
            convergence=convergence,
        )

    def _seen(self, parameters: Parameters, shown: ResultLists) -> _Seen:
        """Return the expected values of the hidden variables, given the clicks."""
        # Looked up once for all rows, because the lookup is slower than the computation. Few rows
        # are clicked: satisfaction is looked up for those alone.
        attraction = parameters.attraction[shown.pair]
        skipped = (1 - parameters.attraction)[shown.pair]
        clicked = shown.clicked_rows
        pleased = self.satisfaction(parameters, shown.pair[clicked], shown.rank[clicked])
        going_on = parameters.continuation
        chance = np.empty(len(shown.pair))
        expected = np.empty(len(shown.pair))
        state = self.begin(parameters, shown.lists)
        for place, at in zip(shown.places, shown.clicked_at, strict=True):
            here, rows = place.lists, place.rows
            expected[rows] = state[here]
            np.multiply(attraction[rows], state[here], out=chance[rows])
            unsatisfied = ratio_or_zero(skipped[rows] * state[here], 1 - chance[rows])
            unsatisfied[clicked[at] - rows.start] = 1 - pleased[at]
            np.multiply(going_on, unsatisfied, out=state[here])

        examined = np.empty(len(shown.pair))
        satisfied = np.zeros(len(shown.pair))
        quiet = np.ones(shown.lists)  # probability of no further click, if the next is examined
        for place, at in zip(reversed(shown.places), reversed(shown.clicked_at), strict=True):
            here, rows = place.lists, place.rows
            ends = 1 - going_on + going_on * quiet[here]  # no click follows, if not satisfied
            np.multiply(skipped[rows], ends, out=quiet[here])
            looked = expected[rows] * quiet[here]
            examined[rows] = ratio_or_zero(looked, looked + 1 - expected[rows])
            ends = ends[clicked[at] - rows.start]
            satisfied[clicked[at]] = ratio_or_zero(
                pleased[at], pleased[at] + (1 - pleased[at]) * ends
            )
        examined[shown.read_rows] = 1.0
        satisfied[clicked[shown.below[clicked]]] = 0.0
        return _Seen(chance, examined, satisfied)


def _unsatisfied(
    place: Place, state: State, chance: Floats, attraction: Floats, satisfaction: Floats
) -> Floats:
    """Return the probability that an unsatisfied user read each list down to this place."""
    unclicked = ratio_or_zero((1 - attraction) * state, 1 - chance)
    return np.where(place.clicked, 1 - satisfaction, unclicked)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Probabilities of each row."""

    chance: Floats  # of a click, given the clicks above
    examined: Floats  # given all clicks
    satisfied: Floats  # given all clicks


def _satisfaction_weight(
    parameters: Parameters, seen: _Seen, shown: ResultLists, prior: Prior
) -> Floats:
    """Return the number of clicks with known outcome that give the same precision."""
    of = parameters.satisfaction
    assert of is not None
    rows = shown.clicked & shown.followed
    pair = shown.pair[rows]
    # A click adds its squared slope to the curvature; times p (1 - p), that is a count of clicks.
    p, yes = of[pair], seen.satisfied[rows]
    slope = ratio_or_zero(yes, p) - ratio_or_zero(1 - yes, 1 - p)
    weight = summed(pair, slope**2 * p * (1 - p), len(of))
    weight += ratio_or_zero(prior.hits * (1 - of), of)
    weight += ratio_or_zero(prior.misses * of, 1 - of)
    return weight


@dataclass(frozen=True, kw_only=True)
class CountedCascade(CascadeModel):
    """A cascade that continues until a click ends it; its authors count instead of fitting."""

    estimate: Literal["em", "formula"] = "em"

    def __post_init__(self) -> None:
        check_word("estimate", self.estimate, ("em", "formula"))

    @property
    def going_on(self) -> float:
        return 1.0

    @property
    def by_formula(self) -> bool:
        return self.estimate == "formula"


@click_model
@dataclass(frozen=True, kw_only=True)
class DBN(CascadeModel):
    """Dynamic Bayesian network model: a cascade that continues until a click satisfies.

    Each document has a probability that its entry in the list is clicked, and one that the click
    satisfies. An unsatisfied user continues with probability gamma. The value of a document is
    attractiveness times satisfaction.

    Attributes:
        continuation: gamma if it is known; None to estimate it.

    >>> from cleverdon.logs.clicks import ResultLists
    >>> lists = [("hats", ["d1", "d2"], ["d1", "d2"]), ("hats", ["d2", "d1"], ["d2"])] * 20
    >>> fitted = DBN(continuation=0.9).fit(ResultLists.from_lists(lists))
    >>> fitted.belief.estimate.round(1).tolist()
    [0.0, 0.9]
    """

    formula = (
        r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} \gamma (1 - \alpha_{q,d_i} \sigma_{q,d_i})"
    )
    source = "Chapelle & Zhang 2009, doi:10.1145/1526709.1526711"
    undefined = (
        "satisfaction with a document that was never clicked above another result: only the prior "
        "decides it"
    )
    estimates = {
        "attraction": _ALPHA,
        "satisfaction": "sigma, for each query and document: the probability that a click on it "
        "ends the search",
        "continuation": "gamma: the probability that an unsatisfied user reads on",
    }
    value = "attractiveness x satisfaction"

    continuation: float | None = None

    def __post_init__(self) -> None:
        if self.continuation is not None and not 0 < self.continuation <= 1:
            raise OptionError(
                f"continuation={self.continuation}: it is a probability above 0, or None to "
                "estimate it"
            )

    @property
    def going_on(self) -> float | None:
        return self.continuation


@click_model
@dataclass(frozen=True, kw_only=True)
class SDBN(CountedCascade):
    """Simplified DBN: like DBN, but an unsatisfied user always reads on.

    Attributes:
        estimate: `em`, or `formula`: count parameters as the authors do, assuming that every last
            click satisfied. That takes one pass but overestimates satisfaction.

    >>> from cleverdon.logs.clicks import ResultLists
    >>> shown = ResultLists.from_lists([("hats", ["d1", "d2"], ["d1"])] * 20)
    >>> SDBN(estimate="formula").fit(shown).convergence.iterations
    0
    """

    formula = r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} (1 - \alpha_{q,d_i} \sigma_{q,d_i})"
    source = DBN.source
    undefined = DBN.undefined
    estimates = {name: DBN.estimates[name] for name in ("attraction", "satisfaction")}
    value = DBN.value


@click_model
@dataclass(frozen=True, kw_only=True)
class DCM(CountedCascade):
    """Dependent click model: a cascade that may continue after a click.

    The probability depends on the rank of the click; after a result that was not clicked, the user
    always reads on.

    Attributes:
        estimate: `em`, which maximises the likelihood; or `formula`: count parameters as the
            authors do, assuming that every last click ended the search. That takes one pass, but
            overestimates attractiveness and underestimates how often users read on.

    >>> from cleverdon.logs.clicks import ResultLists
    >>> shown = ResultLists.from_lists([("hats", ["d1", "d2"], ["d1"])] * 20)
    >>> DCM().fit(shown).parameters.satisfaction[1] > 0.9
    np.True_
    """

    formula = r"P(C_r = 1) = \alpha_{q,d_r} \prod_{i < r} (1 - \alpha_{q,d_i} (1 - \lambda_i))"
    source = "Guo, Liu & Wang 2009, doi:10.1145/1498759.1498818"
    undefined = "satisfaction at the last rank of all, which no result follows"
    estimates = {
        "attraction": _ALPHA,
        "satisfaction": "1 - lambda, for each rank: the probability that a click there ends the "
        "search",
    }
    satisfied_by: ClassVar[Literal["pair", "rank"]] = "rank"
