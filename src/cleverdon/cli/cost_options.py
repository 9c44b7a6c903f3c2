"""Files of costs on the command line: what `cleverdon bench --json` and `index --json` wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli.options import Decorator, name_and_file

if TYPE_CHECKING:
    from cleverdon.costs import Costs
    from cleverdon.data import Run
    from cleverdon.scores import Scores


def costs_given(option: str, what: str) -> Decorator[Any]:
    """Files of costs; NAME=FILE gives the system another name."""
    return click.option(option, multiple=True, metavar="FILE", help=f"{what}; again for more.")


@dataclass(frozen=True)
class Measured:
    """What files of costs say."""

    costs: Mapping[str, Costs]  # by system; what two files say of one is put together
    runs: Mapping[str, dict[str, dict[str, float]]]  # by system: what was answered while timed

    def check_asked(self, scores: Scores, given: Mapping[str, Any]) -> None:
        """A judged topic that a bench did not ask has no result, and is not to count as empty."""
        from cleverdon.errors import InputError
        from cleverdon.show.grid import counted

        for system in self.runs.keys() - given.keys():
            missing = [q for q in scores.queries if q not in self.runs[system]]
            if missing:
                raise InputError(
                    f"the bench of {system!r} did not ask {counted(len(missing), 'judged topic')} "
                    f"({', '.join(missing[:3])}{', ...' if len(missing) > 3 else ''}): let it run "
                    "for longer, or give a run: cleverdon search writes one"
                )

    def otherwise(self, files: Mapping[str, str]) -> list[tuple[str, str]]:
        """Systems whose run says something else than what they answered while they were timed."""
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
                    f"while {system} was timed, it answered {other:,} of {len(asked):,} topics "
                    "otherwise than its run has it: the quality that is shown is the run's"
                )
                notes.append((system, text))
        return notes


def _first(run: Run, query: str, many: int | None = None) -> list[str]:
    """The documents of a query, the best first."""
    return [doc for doc, _ in run.ranking(query)[:many]] if query in run else []


def measured(files: tuple[str, ...]) -> Measured:
    """What the files say, by system; NAME=FILE gives a system another name."""
    from cleverdon.costs import merged, read_costs, read_timed_run

    found, runs = [], {}
    for given in files:
        name, file = name_and_file(given)
        costs = read_costs(file)
        costs = replace(costs, system=name) if name else costs
        found.append(costs)
        run = read_timed_run(file)
        if run is not None:
            runs[costs.system] = run
    return Measured(merged(found), runs)


def costs_of_one(files: tuple[str, ...], option: str) -> Costs | None:
    """What the files say of the one system that they are of; None where there are none."""
    found = measured(files).costs
    if len(found) > 1:
        raise click.UsageError(
            f"the files of {option} are of different systems ({', '.join(found)}); if they are "
            "of one, give them its name: NAME=FILE"
        )
    return next(iter(found.values()), None)
