"""Options for files of costs, which `cleverdon bench --json` and `cleverdon index --json` write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli.declarations import option
from cleverdon.cli.options import name_and_file

if TYPE_CHECKING:
    from cleverdon.costs import Costs
    from cleverdon.data import Run
    from cleverdon.scores import Scores


def costs_files(what: str) -> Any:
    """Offer files of costs; NAME=FILE gives the system another name."""
    return option("FILE", f"{what}; again for more.", multiple=True)


@dataclass(frozen=True)
class MeasuredCosts:
    """The content of files of costs."""

    costs: Mapping[str, Costs]  # by system; what two files say of one is put together
    runs: Mapping[str, dict[str, dict[str, float]]]  # by system: what was answered while timed

    def check_asked(self, scores: Scores, given: Mapping[str, Any]) -> None:
        """Refuse a bench that did not send all judged queries: they would count as empty."""
        from cleverdon._common.text import counted
        from cleverdon.errors import InputError

        for system in self.runs.keys() - given.keys():
            missing = [q for q in scores.queries if q not in self.runs[system]]
            if missing:
                raise InputError(
                    f"the bench of {system!r} did not ask {counted(len(missing), 'judged query')} "
                    f"({', '.join(missing[:3])}{', ...' if len(missing) > 3 else ''}): let it run "
                    "for longer, or give a run: cleverdon search writes one"
                )

    def otherwise(self, files: Mapping[str, str]) -> list[tuple[str, str]]:
        """Return systems whose run differs from their answers while they were timed."""
        from cleverdon.data import Run

        notes = []
        for system in [name for name in self.runs if files.get(name, "-") != "-"]:
            asked = self.runs[system]
            timed = Run.read(asked)
            run = Run.read(files[system])
            other = sum(
                _first(run, query, len(asked[query])) != _first(timed, query) for query in asked
            )
            if other:
                text = (
                    f"while {system} was timed, it answered {other:,} of {len(asked):,} queries "
                    "otherwise than its run has it: the quality that is shown is the run's"
                )
                notes.append((system, text))
        return notes


def _first(run: Run, query: str, many: int | None = None) -> list[str]:
    return [doc for doc, _ in run.ranking(query)[:many]] if query in run else []


def read_measured_costs(files: tuple[str, ...]) -> MeasuredCosts:
    """Read files of costs by system; NAME=FILE gives a system another name."""
    from cleverdon.costs import merge_costs, read_costs, read_timed_run

    found, runs = [], {}
    for given in files:
        name, file = name_and_file(given)
        costs = read_costs(file)
        costs = replace(costs, system=name) if name else costs
        found.append(costs)
        run = read_timed_run(file)
        if run is not None:
            runs[costs.system] = run
    return MeasuredCosts(merge_costs(found), runs)


def read_costs_of_one(files: tuple[str, ...], flag: str) -> Costs | None:
    """Read the costs of one system; None without files."""
    found = read_measured_costs(files).costs
    if len(found) > 1:
        raise click.UsageError(
            f"the files of {flag} are of different systems ({', '.join(found)}); if they are "
            "of one, give them its name: NAME=FILE"
        )
    return next(iter(found.values()), None)
