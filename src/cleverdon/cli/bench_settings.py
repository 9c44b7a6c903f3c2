"""How a bench was measured, as its JSON has it: so that it can be measured so again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cleverdon.cli.bench_checks import OF_MODES
from cleverdon.engine.machine import facts

if TYPE_CHECKING:
    from cleverdon.engine.load.mix import Mix
    from cleverdon.engine.protocol import Engine

_UNSAID = ("before_cold", "pid")
"""What is not in the result: there may be a password in a command, and a number says nothing later.
"""


def settings(
    topics: str | None, mix: Mix, other: Engine | None, given: Mapping[str, Any], *, busy: float
) -> dict[str, Any]:
    """The load, what was asked, and the machine; `busy` are cores that other programs took."""
    kept = ["k", "timeout", "seed", "level"]
    if not given["cold"]:
        kept += ["warmup"] if given["versus"] else ["warmup", "seconds"]
        rate = "rates" if given["rates"] else "rate"
        kept += ["clients"] if given["clients"] else ["arrivals", rate]
    for mode, names in OF_MODES.items():
        kept += [name for name in names if given[mode] and name not in _UNSAID]
    load = {name: given[name] for name in kept if given[name] is not None}
    against = {} if other is None else {"versus": {"name": other.name, **other.settings}}
    return {
        **against,
        "load": {"loop": "closed" if given["clients"] or given["cold"] else "open", **load},
        "queries": {
            "count": len(mix.texts),
            "topics": topics,
            "traffic": given["traffic"] or list(given["logs"]) or None,
        },
        "machine": facts() | {"cores_busy_with_others": busy},
    }
