"""What the sender itself may have spoilt: whether what was measured is the engine at all.

A response time runs from the intended sending, so that it holds the sender's own lag as well: that
is what `Load.response` has more than `Load.service`. Where the engine works in the same process,
nobody can tell whose lag it is; then it counts as the engine's, and a note says so.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.engine.load.records import Generator, Load, OpenLoop
from cleverdon.engine.protocol import Engine

LAG = 0.025
"""Seconds that 99% of the requests may be sent late at most..."""
LAG_SHARE = 0.1
"""...unless that is less than this share of the response time that 99% stay within."""
OWN_SHARE, OWN_LEAST = 0.5, 0.002
"""From this share on, and this many seconds, the p99 is the sender's rather than the engine's."""
CPU = 0.9
"""The share of a core above which requests and answers are likely to have waited for us."""
QUEUE, GROWTH = 0.05, 1.2
"""From this share of requests on, and where each fifth of them took longer than the one before and
the last so many times as long as the first, what is under way at the end is a queue that grows."""
RATE = 0.98
"""The share of the intended rate that has to be reached: of all requests, sent while it lasted."""

_MOST = 20_000
_SPARE_FILES = 200


def generator_of(
    lag: Floats, *, cpu: float, in_process: bool, cut_off: int, unsent: int
) -> Generator:
    """How well requests were sent."""
    p50, p99 = np.quantile(lag, (0.5, 0.99), method="inverted_cdf") if len(lag) else (0.0, 0.0)
    return Generator(
        lag={"p50": float(p50), "p99": float(p99), "max": float(lag.max(initial=0.0))},
        cpu=cpu,
        in_process=in_process,
        cut_off=cut_off,
        unsent=unsent,
    )


def most_at_once(engine: Engine) -> int:
    """How many requests can be under way: each may need a connection, which is an open file."""
    if engine.in_process:
        return _MOST
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit
    except ImportError:  # not on Windows
        return _MOST
    files = getrlimit(RLIMIT_NOFILE)[0]
    return _MOST if files == RLIM_INFINITY else max(1, min(_MOST, files - _SPARE_FILES))


def problems(load: Load) -> tuple[str, ...]:
    """Why the times of a load are not valid; nothing where they are."""
    generator = load.generator
    found = []
    if not len(load.response):
        found.append("no request was answered, so that there are no times")
    if generator.unsent:
        found.append(
            f"{len(load.intended):,} requests were sent, and {generator.unsent:,} were not: too "
            "many were under way at once; lower the rate, or allow more (most_in_flight, ulimit -n)"
        )
    if generator.cut_off:
        found.append(f"{generator.cut_off:,} requests did not end at their time-out")
    if generator.in_process:
        return tuple(found)
    if isinstance(load.pattern, OpenLoop) and len(load.response):
        found += _late(load)
    if generator.cpu > CPU:
        found.append(
            f"the sender used {generator.cpu:.0%} of a core, and at most {CPU:.0%} is safe: it may "
            "have slowed answers down"
        )
    return tuple(found)


def notes(load: Load) -> tuple[str, ...]:
    """What to know of a load that is valid all the same."""
    found = []
    if left := _queue(load):
        found.append(
            f"the engine did not keep up: {left:,} requests were still under way when the last was "
            "sent, so that the longer the load, the longer the times"
        )
    if load.generator.in_process:
        late = load.generator.lag["max"] * 1000
        found.append(
            "the engine works in the process that sends the requests: they share the processor, "
            f"and what it holds up (requests were sent up to {late:.3g} ms late) counts as the "
            "engine's"
        )
    return tuple(found)


def _queue(load: Load) -> int:
    """How many requests were left over at the end by an engine that gets slower and slower."""
    times = load.done - load.intended
    left = int((load.done > load.seconds).sum())
    if not isinstance(load.pattern, OpenLoop) or len(times) < 50 or left < QUEUE * len(times):
        return 0
    middles = np.array([np.median(fifth) for fifth in np.array_split(times, 5)])
    # All of them: a stall at the end of a load is no queue that grew.
    rising = (np.diff(middles) >= 0).all() and middles[-1] > GROWTH * middles[0]
    return left if rising else 0


def _late(load: Load) -> list[str]:
    late = load.generator.lag["p99"]
    response, service = (
        float(np.quantile(times, 0.99, method="inverted_cdf"))
        for times in (load.response, load.service)
    )
    allowed = max(LAG, LAG_SHARE * response)
    found = []
    if late > allowed:
        found.append(
            f"1% of the requests were sent {late * 1000:.3g} ms late or more, and "
            f"{allowed * 1000:.3g} ms is allowed: the sender did not keep up"
        )
    elif response - service > max(OWN_LEAST, OWN_SHARE * response):
        found.append(
            f"of the p99 of {response * 1000:.3g} ms, {(response - service) * 1000:.3g} ms are the "
            "sender's own lag: the engine is faster than can be measured so"
        )
    within = float((load.sent <= load.intended[-1] + allowed).mean())
    if within < RATE:
        found.append(
            f"requests were sent at {within:.1%} of the intended rate, and {RATE:.0%} is needed: "
            "the sender did not keep up"
        )
    return found
