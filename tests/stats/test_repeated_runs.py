"""Systems whose runs depend on chance: the test, and the components of variance."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import mixedlm

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError
from cleverdon.stats.repeated_runs import repeats_test, variance_components


class TestRepeats:
    """The test of two systems; the luck of a run is shared by all its queries."""

    @staticmethod
    def drawn(
        random: np.random.Generator, queries: int, runs: int, seed: float, noise: float = 0.05
    ) -> np.ndarray:
        of = random.normal(0, 0.1, queries)
        return of + random.normal(0, seed, (runs, 1)) + random.normal(0, noise, (runs, queries))

    @pytest.mark.parametrize(
        ("queries", "runs", "seed", "query", "rest", "alone", "documented"),
        [
            (50, 3, 0.0, 0.1, 0.05, False, 0.045),
            (50, 2, 0.02, 0.1, 0.05, False, 0.051),
            (50, 3, 0.02, 0.1, 0.05, False, 0.046),
            (50, 5, 0.02, 0.1, 0.05, False, 0.048),
            (200, 3, 0.02, 0.1, 0.05, False, 0.048),
            (20, 10, 0.03, 0.1, 0.05, False, 0.051),
            (50, 3, 0.02, 0.1, 0.05, True, 0.052),
            (50, 2, 0.03, 0.1, 0.05, True, 0.065),  # above the level: two runs are few
            (50, 5, 0.0, 0.0, 0.15, False, 0.017),  # below it: only the rest varies
        ],
    )
    def test_false_alarms_are_those_of_the_guide(
        self,
        queries: int,
        runs: int,
        seed: float,
        query: float,
        rest: float,
        alone: bool,
        documented: float,
    ) -> None:
        """The guide's table, docs/compare.md, is of 6,000 draws, which `make fuzz` repeats."""
        random = np.random.default_rng(0)
        full = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
        draws = 6000 if full else 1000

        def system() -> Floats:
            of = random.normal(0, query, queries)
            luck = random.normal(0, seed, (runs, 1))
            return np.asarray(of + luck + random.normal(0, rest, (runs, queries)))

        wrong = 0
        for _ in range(draws):
            one = system()
            other = random.normal(0, query, (1, queries)) if alone else system()
            wrong += repeats_test(one, other).p_value().p <= 0.05
        error = np.sqrt(documented * (1 - documented) / draws)
        assert wrong / draws == pytest.approx(documented, abs=0.0006 if full else 3 * error)

    def test_one_run_each_does_not_keep_it_and_is_the_t_test(self) -> None:
        random = np.random.default_rng(2)
        wrong = 0
        for _ in range(400):
            one, other = (self.drawn(random, 50, 1, 0.05) for _ in range(2))
            found = repeats_test(one, other).p_value().p
            assert found == pytest.approx(stats.ttest_rel(one[0], other[0]).pvalue)
            wrong += found <= 0.05
        assert wrong / 400 > 0.2

    def test_planted_variances_are_found(self) -> None:
        random = np.random.default_rng(3)
        found = [
            repeats_test(self.drawn(random, 40, 6, 0.03), np.zeros((1, 40))) for _ in range(800)
        ]
        of_seeds = np.mean([one.share * one.error**2 * 6 for one in found])
        assert of_seeds == pytest.approx(0.03**2, rel=0.08)
        true = 0.1**2 / 40 + 0.03**2 / 6 + 0.05**2 / 240
        assert np.mean([one.error**2 for one in found]) == pytest.approx(true, rel=0.05)

    def test_sides(self) -> None:
        random = np.random.default_rng(4)
        found = repeats_test(self.drawn(random, 9, 3, 0.02) + 0.1, self.drawn(random, 9, 3, 0.02))
        both = found.p_value().p
        assert found.p_value("greater").p == pytest.approx(both / 2)
        assert found.p_value("less").p == pytest.approx(1 - both / 2)
        same = repeats_test(np.ones((2, 4)), np.ones((2, 4)))
        assert (same.error, same.p_value().p, same.share) == (0, 1, 0)

    @pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
    def test_it_is_the_mixed_model_of_statsmodels(self) -> None:
        values = self.drawn(np.random.default_rng(5), 25, 5, 0.06)
        rows = [
            {"value": 100 * value, "query": q, "seed": s, "all": 1}
            for s, of in enumerate(values)
            for q, value in enumerate(of)
        ]
        model = mixedlm(
            "value ~ 1",
            pd.DataFrame(rows),
            groups="all",
            re_formula="0",
            vc_formula={"query": "0 + C(query)", "seed": "0 + C(seed)"},
        ).fit(reml=True)
        found = repeats_test(100 * values, np.zeros((1, 25)))
        assert found.error == pytest.approx(model.bse_fe["Intercept"], rel=1e-3)
        variances = dict(zip(model.model.exog_vc.names, model.vcomp, strict=True))
        assert found.share * found.error**2 * 5 == pytest.approx(variances["seed"], rel=1e-2)

    def test_the_error_with_more_queries_and_runs(self) -> None:
        random = np.random.default_rng(6)
        found = repeats_test(self.drawn(random, 40, 4, 0.04), self.drawn(random, 40, 2, 0.04))
        assert found.error_with() == pytest.approx(found.error)
        (first, second), (rest, other) = found.of_runs, found.of_rest
        by_hand = (found.of_queries + rest / 12 + other / 6) / 80 + first / 12 + second / 6
        assert found.error_with(queries=2, runs=3) ** 2 == pytest.approx(by_hand)
        alone = repeats_test(self.drawn(random, 40, 4, 0.04), np.zeros((1, 40)))
        assert alone.of_runs[1] == 0
        assert alone.error_with(runs=1e12) == pytest.approx(np.sqrt(alone.of_queries / 40))


class TestComponents:
    """Variances of queries, of systems and of runs."""

    PLANTED = {"queries": 0.04, "systems": 0.01, "queries_by_systems": 0.02, "runs": 0.005}
    REST = 0.03

    def drawn(self, random: np.random.Generator, runs: tuple[int, ...], units: int) -> list[Floats]:
        def normal(name: str, *shape: int) -> Floats:
            return random.normal(0, self.PLANTED[name] ** 0.5, shape)

        of_units = normal("queries", units)
        return [
            of_units
            + normal("systems", 1)
            + normal("queries_by_systems", units)
            + normal("runs", count, 1)
            + random.normal(0, self.REST**0.5, (count, units))
            for count in runs
        ]

    @pytest.mark.parametrize("runs", [(3, 3, 3, 3), (2, 5, 3, 8)])
    def test_planted_components_are_found(self, runs: tuple[int, ...]) -> None:
        random = np.random.default_rng(0)
        found = [variance_components(self.drawn(random, runs, 30)) for _ in range(400)]
        for name, planted in {**self.PLANTED, "rest": self.REST}.items():
            values = np.array([getattr(one, name) for one in found])
            error = values.std() / np.sqrt(len(values))
            # Estimates below 0 count as 0, which moves the mean of small components up a little.
            assert values.mean() == pytest.approx(planted, abs=3 * error + 0.03 * planted), name
        assert found[0].total == pytest.approx(
            sum(getattr(found[0], name) for name in (*self.PLANTED, "rest"))
        )

    @pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
    @pytest.mark.filterwarnings("ignore:.*singular.*")
    def test_they_are_those_of_the_mixed_model_of_statsmodels(self) -> None:
        systems = self.drawn(np.random.default_rng(1), (3, 3, 3), 12)
        rows = [
            {"value": value, "system": f"s{s}", "run": f"s{s}r{r}", "query": f"q{q}", "all": 1}
            for s, of in enumerate(systems)
            for r, values in enumerate(of)
            for q, value in enumerate(values)
        ]
        frame = pd.DataFrame(rows)
        frame["both"] = frame["system"] + frame["query"]
        model = mixedlm(
            "value ~ 1",
            frame,
            groups="all",
            re_formula="0",
            vc_formula={
                name: f"0 + C({column})"
                for name, column in {
                    "queries": "query",
                    "systems": "system",
                    "queries_by_systems": "both",
                    "runs": "run",
                }.items()
            },
        ).fit(reml=True, method="lbfgs")
        found = variance_components(systems)
        assert min(vars(found).values()) > 0  # where one is 0, REML changes the others
        for name, value in zip(model.model.exog_vc.names, model.vcomp, strict=True):
            assert getattr(found, name) == pytest.approx(value, rel=2e-2), name
        assert found.rest == pytest.approx(model.scale, rel=2e-2)

    def test_a_system_of_one_run_has_no_variance_of_runs(self) -> None:
        systems = self.drawn(np.random.default_rng(2), (3, 1), 20)
        found = variance_components(systems)
        assert found.runs == pytest.approx(repeats_test(systems[0], np.zeros((1, 20))).of_runs[0])

    def test_too_little_is_refused(self) -> None:
        for systems in ([np.ones((2, 5))], [np.ones((2, 1))] * 2, [np.ones((1, 5))] * 2):
            with pytest.raises(OptionError, match="two systems, two queries"):
                variance_components(systems)
