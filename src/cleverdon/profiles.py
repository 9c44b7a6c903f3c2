"""Profiles: named bundles of settings that reproduce another tool's numbers.

All that a profile fixes stands in its entry here, so that `cleverdon explain --profiles` and
the guide can tell where profiles differ. What is written out wins over a profile: a setting
that is given by name, and a parameter that stands in a measure's brackets. The command line
imports this module at its start: measures are imported within functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from cleverdon.errors import InputError, NotationError, OptionError, suggest
from cleverdon.settings import Settings
from cleverdon.tables.table import TextTable, render_table

if TYPE_CHECKING:
    from cleverdon.measures.base import Measure


_DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


@dataclass(frozen=True)
class Profile:
    """The conventions of another tool."""

    name: str
    about: str
    settings: Settings = Settings()  # noqa: RUF009 (frozen)
    measures: tuple[str, ...] = _DEFAULT_MEASURES
    """The measures that are computed where none is named."""
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The tool's defaults, by measure."""
    special: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Settings of their own that measures have: see `_fits` for how measures are written."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """The tool's names that mean another measure of Cleverdon's."""
    words: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    """Names that only the tool has, or that others use otherwise: the measure, and parameters."""
    absent: Mapping[str, float] = field(default_factory=dict)
    """The value for a query that the run lacks, if not that of an empty result; by measure."""
    where_undefined: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The values where a measure is undefined: with results, and without any; by measure."""
    beta_squared: bool = False  # the beta of SetF is the square of the textbooks' beta
    top_grade: float | None = None  # the largest grade that the tool takes
    qrels_format: str | None = None  # the format in which the tool reads a file of judgments
    decimals: int = 4

    def parse(self, measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
        """Return the measures as the tool understands them; `Measure`s stay as they are."""
        return tuple(self.parse_asked(measures))

    def parse_one(self, measure: str) -> Measure:
        """Return the measure of a text; raise NotationError if it names several."""
        found = self.parse(measure)
        if len(found) != 1:
            raise NotationError(f"one measure is expected here; {measure!r} are {len(found)}")
        return found[0]

    def parse_asked(self, measures: str | Measure | Iterable[str | Measure]) -> dict[Measure, str]:
        """Return the measures, each with its text if that is not its canonical name."""
        from cleverdon.measures.notation import parse_asked  # commands start without measures

        return parse_asked(measures, meaning=self._meaning, naming=self.named)

    def named(self, name: str) -> tuple[type[Measure], Mapping[str, Any]]:
        """Return the class that the tool means by a name, and the parameters that the name sets."""
        from cleverdon.measures.registry import find, named  # commands start without measures

        for word, (meant, parameters) in self.words.items():
            if word.casefold() == name.casefold():
                return find(meant), parameters
        return named(name)

    def _meaning(
        self, cls: type[Measure], parameters: dict[str, Any]
    ) -> tuple[type[Measure], dict[str, Any]]:
        from cleverdon.measures.registry import find  # commands start without measures

        if cls.__name__ in self.instead:
            cls = find(self.instead[cls.__name__])
        if self.beta_squared and cls.__name__ == "SetF" and parameters.get("beta", 1) != 1:
            # Said by alpha, so that what is printed can be read in one way only.
            beta = parameters["beta"]
            others = {name: value for name, value in parameters.items() if name != "beta"}
            parameters = {**others, "alpha": 1 / (1 + beta)}
        return cls, {**self.parameters.get(cls.__name__, {}), **parameters}

    def settings_of(self, measure: Measure, settings: Settings, given: Iterable[str]) -> Settings:
        """Return the settings for one measure; those that were given by name hold for all."""
        changes: dict[str, str] = {}
        for pattern, special in self.special.items():
            if _fits(pattern, measure):
                changes |= special
        return settings.changed(**{name: changes[name] for name in changes.keys() - set(given)})

    def value_of_absent(self, measure: Measure) -> float | None:
        """Return the value for a query that the run lacks; None for that of an empty result."""
        found = (value for pattern, value in self.absent.items() if _fits(pattern, measure))
        return next(found, None)

    def value_where_undefined(self, measure: Measure) -> tuple[float, float] | None:
        """A measure's values where it is undefined, with results and without; None: undefined."""
        found = (pair for pattern, pair in self.where_undefined.items() if _fits(pattern, measure))
        return next(found, None)

    def check_grades(self, top_grade: float) -> None:
        """Raise an InputError where the judgments have a grade that the tool does not take."""
        if self.top_grade is not None and top_grade > self.top_grade:
            raise InputError(
                f"there is a grade of {top_grade:g}, and {self.name} takes grades up to "
                f"{self.top_grade:g}"
            )


def _fits(pattern: str, measure: Measure) -> bool:
    """Tell whether a name means a measure: `RR@` (with a cut-off), `R(cap=true)` (set so)."""
    from cleverdon.measures.registry import as_text  # commands start without measures

    name, parameter, value, cut = re.fullmatch(
        r"(\w+)(?:\((\w+)=([\w.]+)\))?(@?)", pattern
    ).groups()  # type: ignore[union-attr]
    return (
        type(measure).__name__ == name
        and (parameter is None or as_text(getattr(measure, parameter)) == value)
        and (not cut or getattr(measure, measure.cut) is not None)
    )


def _each(names: str, **settings: str) -> dict[str, dict[str, str]]:
    return dict.fromkeys(names.split(), settings)


_OFFICIAL = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11))),
    *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
)
"""The measures that trec_eval prints where nothing is asked for."""


def _trec_eval(version: int) -> dict[str, dict[str, Any]]:
    rounding = {"rounding": f"trec_eval-{version}"}
    return {
        "RBP": {"p": 0.9, "gain": "query"},
        "RBPResidual": {"p": 0.9},
        "IPrec": rounding,
        "IAP": rounding,
    }


_CWL = "INST INSQ BPM SDCG NERR8 NERR9 NERR10 NERR11"
"""The measures that ir_measures has from cwl-eval, which reads 1000 ranks."""

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile("cleverdon", "Cleverdon's own choices"),
        Profile(
            "trec_eval-9",
            "trec_eval 9 and pytrec_eval: scores as float32, only queries that the run has",
            Settings(precision="single", missing="skip", undefined="always-worst"),
            measures=_OFFICIAL,
            parameters=_trec_eval(9),
            beta_squared=True,
        ),
        Profile(
            "trec_eval-10",
            "trec_eval 10 with -c: scores as float64, every judged query",
            Settings(undefined="always-worst"),
            measures=_OFFICIAL,
            parameters=_trec_eval(10),
            absent={"RBPResidual(p=0.9)": 0.0},
            beta_squared=True,
        ),
        Profile(
            "ir_measures",
            "ir_measures: each measure in the order of the library that provides it",
            Settings(precision="single", undefined="always-worst"),
            parameters={
                "ERR": {"max": 4},
                "IPrec": {"rounding": "trec_eval-9"},
                **{name: {"depth": 1000} for name in _CWL.split()},
            },
            special={
                **_each("Judged RR@ Compat", ties="ascending", precision="double"),
                **_each(
                    "alphaDCG alphanDCG ERR_IA nERR_IA AP_IA P_IA StRecall NRBP nNRBP",
                    ties="ascending",
                    precision="double",
                ),
                **_each(f"RankAccuracy RBP {_CWL}", ties="input", precision="double"),
                **_each("ERR nDCG(gain=exponential)", precision="double"),
            },
            words={"Accuracy": ("RankAccuracy", {})},
            absent={"NumQ": 0.0, "NumRel": 0.0},
            beta_squared=True,
        ),
        Profile(
            "gdeval",
            "gdeval.pl of the TREC web tracks: grades up to 4, only queries that can be answered",
            Settings(missing="skip", undefined="always-worst", no_relevant="skip"),
            measures=("nDCG", "ERR"),
            parameters={"nDCG": {"gain": "exponential", "k": 20}, "ERR": {"max": 4, "k": 20}},
            top_grade=4,
            decimals=5,
        ),
        Profile(
            "ndeval",
            "ndeval of the TREC web tracks: by the rank column, judgments of subtopics",
            Settings(order_by="rank", missing="skip", undefined="always-worst"),
            measures=(
                *(f"{name}@{k}" for name in ("ERR_IA", "nERR_IA") for k in (5, 10, 20)),
                *(f"{name}@{k}" for name in ("alphaDCG", "alphanDCG") for k in (5, 10, 20)),
                *("NRBP", "nNRBP", "AP_IA"),
                *(f"{name}@{k}" for name in ("P_IA", "StRecall") for k in (5, 10, 20)),
            ),
            qrels_format="subtopics",
            decimals=6,
        ),
        Profile(
            "beir",
            "BEIR: as pytrec_eval, without the query's own document; recall capped",
            Settings(
                precision="single", missing="skip", undefined="always-worst", own_document="drop"
            ),
            measures=(
                *("nDCG@10", "AP@10", "R(cap=false)@10", "P@10"),
                *("R(cap=true)@10", "RR@10", "Hole@10"),
            ),
            parameters={"R": {"cap": True}},
            special=_each("R(cap=true) RR Success Hole", ties="input", precision="double"),
            words={
                "Accuracy": ("Success", {}),
                "Recall": ("R", {"cap": False}),
                "R_cap": ("R", {"cap": True}),
            },
            decimals=5,
        ),
        Profile(
            "msmarco",
            "MS MARCO's scripts: ordered by the rank column",
            Settings(order_by="rank", undefined="always-worst"),
            measures=("RR",),
            parameters={"RR": {"k": 10}},
        ),
        Profile(
            "sklearn",
            "scikit-learn: tied results are averaged over, or counted at the end of their group",
            Settings(undefined="always-worst"),
            measures=("nDCG", "AP", "AUC"),
            special=_each("DCG nDCG", ties="expected"),
            instead={"AP": "LRAP"},
        ),
        Profile(
            "torchmetrics",
            "torchmetrics' retrieval metrics: only what was returned exists, AP over what is found",
            Settings(
                ties="input",
                precision="single",
                missing="skip",
                undefined="always-worst",
                unreturned="drop",
            ),
            measures=("AP", "RR", "nDCG@10", "P@10", "R@10", "Success@10", "Rprec"),
            parameters={"AP": {"norm": "hits"}},
            special=_each("DCG nDCG", ties="expected"),
            words={
                "RetrievalMAP": ("AP", {"norm": "hits"}),
                "RetrievalMRR": ("RR", {}),
                "RetrievalNormalizedDCG": ("nDCG", {}),
                "RetrievalPrecision": ("P", {}),
                "RetrievalRecall": ("R", {}),
                "RetrievalHitRate": ("Success", {}),
                "RetrievalRPrecision": ("Rprec", {}),
            },
        ),
        Profile(
            "ragas",
            "Ragas: context precision is AP over the retrieved labels; ids are compared as sets",
            Settings(ties="input", undefined="skip", duplicates="keep"),
            measures=("AP", "SetP", "SetR"),
            parameters={"AP": {"norm": "hits"}},
            special=_each("SetP SetR", duplicates="first"),
            words={
                "context_precision": ("AP", {"norm": "hits"}),
                "context_utilization": ("AP", {"norm": "hits"}),
                "id_based_context_precision": ("SetP", {}),
                "id_based_context_recall": ("SetR", {}),
            },
            where_undefined={"AP": (0.0, 0.0)},
        ),
        Profile(
            "pyspark",
            "Spark's RankingMetrics: grades are ignored, a document counts as often as it returns",
            Settings(ties="input", undefined="always-worst", duplicates="keep"),
            measures=("AP", "AP@10", "P@10", "nDCG@10", "R@10"),
            parameters={"AP": {"norm": "min"}, "nDCG": {"gain": "binary"}},
            words={
                "meanAveragePrecision": ("AP", {"norm": "min"}),
                "meanAveragePrecisionAt": ("AP", {"norm": "min"}),
                "precisionAt": ("P", {}),
                "ndcgAt": ("nDCG", {"gain": "binary"}),
                "recallAt": ("R", {}),
            },
        ),
        Profile(
            "mlflow",
            "MLflow's retrieval metrics: precision and ideals over as many as were returned",
            Settings(ties="input", undefined="always-worst", duplicates="keep"),
            measures=("P@3", "R@3", "nDCG@3"),
            parameters={
                "P": {"norm": "returned"},
                "nDCG": {"gain": "binary", "ideal": "short"},
            },
            special=_each("R", duplicates="once"),
            where_undefined={"R": (0.0, 1.0), "nDCG": (0.0, 1.0)},
        ),
        Profile(
            "sentence-transformers",
            "sentence-transformers' InformationRetrievalEvaluator: only queries with an answer",
            Settings(
                ties="ascending",
                precision="single",
                undefined="always-worst",
                no_relevant="skip",
            ),
            measures=(
                *(f"Success@{k}" for k in (1, 3, 5, 10)),
                *(f"P@{k}" for k in (1, 3, 5, 10)),
                *(f"R@{k}" for k in (1, 3, 5, 10)),
                *("RR@10", "nDCG@10", "AP@100"),
            ),
            parameters={"AP": {"norm": "min"}, "nDCG": {"gain": "binary"}},
            words={"Accuracy": ("Success", {})},
        ),
        Profile(
            "lightgbm",
            "LightGBM's ndcg and map: only what was returned exists, 1 where nothing is relevant",
            Settings(ties="input", missing="skip", undefined="always-worst", unreturned="drop"),
            measures=tuple(f"{name}@{k}" for name in ("nDCG", "AP") for k in range(1, 6)),
            parameters={"nDCG": {"gain": "exponential"}, "AP": {"norm": "min"}},
            where_undefined={"nDCG": (1.0, 1.0), "AP": (1.0, 1.0)},
            top_grade=30,
        ),
        Profile(
            "polars-ds",
            "polars-ds: as scikit-learn's DCG and nDCG, of what was returned",
            Settings(missing="skip", undefined="always-worst", unreturned="drop"),
            measures=("nDCG", "DCG"),
            special=_each("DCG nDCG", ties="expected"),
        ),
    )
}


def find_profile(name: str) -> Profile:
    """Return the profile of that name."""
    if not isinstance(name, str) or name not in PROFILES:
        raise OptionError(f"there is no profile {name!r}{suggest(str(name), PROFILES)}")
    return PROFILES[name]


_SAME = "·"


def profile_differences(format: str = "table") -> str:
    """Write two tables: the settings of profiles, and what they change for some measures.

    What is as in the first profile, Cleverdon's own, is not shown.
    """
    about = TextTable(
        ["profile", "what it is for"], [[p.name, p.about] for p in PROFILES.values()], 2, []
    )
    tables = (about, _settings_table(), _measures_table())
    return "\n\n".join(render_table(table, format).rstrip() for table in tables)


def _settings_table() -> TextTable:
    own, *others = PROFILES.values()
    columns = [
        column
        for column in (*(setting.name for setting in fields(Settings)), "decimals")
        if any(_word(other, column) != _word(own, column) for other in others)
    ]
    rows = [[own.name, *(_word(own, column) for column in columns)]]
    for other in others:
        words = [(_word(other, column), _word(own, column)) for column in columns]
        rows.append([other.name, *(_SAME if word == usual else word for word, usual in words)])
    return TextTable(["profile", *columns], rows, len(columns) + 1, [])


def _word(profile: Profile, column: str) -> str:
    return str(profile.decimals if column == "decimals" else getattr(profile.settings, column))


def _measures_table() -> TextTable:
    rows = [[p.name, *row] for p in PROFILES.values() for row in _peculiarities(p)]
    return TextTable(["profile", "what it does otherwise", "for"], rows, 3, [])


def _peculiarities(profile: Profile) -> Iterator[list[str]]:
    """Yield what a profile does differently, and for which measures."""
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
    given: dict[tuple[float, float], list[str]] = {}
    for name, values in profile.where_undefined.items():
        given.setdefault(values, []).append(name)
    for (found, empty), names in given.items():
        otherwise = "" if found == empty else f", {empty:g} if nothing was returned"
        yield [f"is {found:g} where it is undefined{otherwise}", " ".join(names)]
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
    from cleverdon.measures.registry import as_text  # commands start without measures

    return ",".join(f"{name}={as_text(value)}" for name, value in values.items())
