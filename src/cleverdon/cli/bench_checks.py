"""What `cleverdon bench` refuses before anything is sent, and what it says of it before."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from cleverdon.cli import options

if TYPE_CHECKING:
    from cleverdon.engine.protocol import Engine

MOST_REQUESTS = 20_000_000
FASTEST = 100_000
"""Requests a second that no sender of this kind comes near."""
LONGEST = 7 * 24 * 3600.0
MOST_CLIENTS = 10_000

_MODES = {"rates": "--sweep", "versus": "--versus", "cold": "--cold", "soak": "--soak"}

OF_MODES = {
    "rates": ("limit_p99", "limit_errors", "precision"),
    "versus": ("pairs", "block"),
    "cold": ("before_cold", "repetitions"),
    "soak": ("window", "pid"),
}
"""Options that change nothing in other modes."""


def check(topics: str | None, given: Mapping[str, Any]) -> None:
    """Raise an error of usage where options do not go together, or ask for what is absurd."""
    chosen = [option for name, option in _MODES.items() if given[name]]
    if len(chosen) > 1:
        raise click.UsageError(f"{chosen[0]} and {chosen[1]} cannot be had at once")
    if topics is None and given["traffic"] is None and not given["logs"]:
        raise click.UsageError("it takes TOPICS, --traffic or --log: there is nothing to ask")
    if given["logs"] and (topics is not None or given["traffic"] is not None):
        raise click.UsageError("--log brings its own queries; leave out TOPICS and --traffic")
    if given["qrels"] and topics is None:
        raise click.UsageError("--qrels needs TOPICS, whose ids judgments are of")
    if given["qrels"] and (given["cold"] or given["versus"]):
        raise click.UsageError(
            "--qrels goes with a load, --sweep or --soak; to compare two engines' quality, use "
            "cleverdon search and cleverdon compare"
        )
    if given["clients"] and given["rates"]:
        raise click.UsageError("--clients is a closed loop, which --sweep is not")
    _check_use(given)
    _check_size(given)
    _check_outputs(given, topics)


def _check_use(given: Mapping[str, Any]) -> None:
    """Nobody should believe in an option that changed nothing."""
    for mode, option in _MODES.items():
        options.check_of_use(given[mode], OF_MODES[mode], option)
    options.check_of_use(given["qrels"], ("measures",), "--qrels")
    options.check_of_use(given["logs"], ("top",), "--log")
    options.check_of_use(not given["rates"], ("rate",), "one rate, and --sweep has its own")
    options.check_of_use(
        not given["versus"], ("seconds",), "one engine; of two, --pairs and --block say how long"
    )
    options.check_of_use(
        not given["cold"],
        ("rate", "arrivals", "clients", "seconds", "warmup", "hdr"),
        "a load, and --cold asks one query at a time",
    )
    options.check_of_use(
        not given["clients"], ("rate", "arrivals"), "an open loop, and --clients is a closed one"
    )


def _check_size(given: Mapping[str, Any]) -> None:
    fastest = max(given["rates"] or (given["rate"],))
    if fastest > FASTEST:
        raise click.UsageError(
            f"{fastest:,.0f} requests a second are more than one sender can send; {FASTEST:,} is "
            "the most that is tried"
        )
    if (given["clients"] or 0) > MOST_CLIENTS:
        raise click.UsageError(f"{given['clients']:,} clients; {MOST_CLIENTS:,} at most")
    for name in ("seconds", "warmup", "block", "timeout"):
        if given[name] > LONGEST:
            raise click.UsageError(f"--{name} {given[name]:g} is more than a week")
    slowest = min(given["rates"] or (given["rate"],))
    lasting = given["block"] if given["versus"] else given["seconds"]
    if not given["cold"] and not given["clients"] and slowest * lasting < 1:
        raise click.UsageError(
            f"{slowest:g} requests a second are less than one within {lasting:g} s: raise the "
            "rate, or make the load longer"
        )
    many = requests(given)
    if many is not None and many > MOST_REQUESTS:
        raise click.UsageError(
            f"that would be {many:,} requests; {MOST_REQUESTS:,} at most: lower the rate, or "
            "shorten the load"
        )


def _check_outputs(given: Mapping[str, Any], topics: str | None) -> None:
    for file in (given["json_file"], given["hdr"], given["plot"]):
        if file is not None:
            options.check_output(file, topics, given["traffic"], given["qrels"])
    if given["plot"] is not None:
        from cleverdon.show.plot.save import check_savable

        check_savable(given["plot"])


def requests(given: Mapping[str, Any]) -> int | None:
    """About how many requests will be sent; None where nobody knows before."""
    if given["cold"] or given["clients"]:
        return None
    lasting: float = given["seconds"] + given["warmup"]
    if given["rates"]:
        return round(float(sum(given["rates"])) * lasting)
    if given["versus"]:
        lasting = 2 * (given["pairs"] * (given["block"] + 0.5) + given["warmup"])
    return round(float(given["rate"]) * lasting)


def notice(engine: Engine, given: Mapping[str, Any]) -> str:
    """One line on what will be sent where; empty where nothing leaves this machine."""
    hosts = sorted({host for host in _hosts(engine.settings) if not _here(host)})
    if not hosts:
        return ""
    many = requests(given)
    if many is not None:
        what = f"about {many:,} requests"
    elif given["clients"]:
        what = f"requests of {given['clients']} clients for {given['seconds']:g} s"
    else:
        what = "each query twice"
    return f"cleverdon: {what} to {', '.join(hosts)}"


def _hosts(value: Any) -> Iterator[str]:
    """Hosts that an engine's settings name, wherever they stand."""
    if isinstance(value, Mapping):
        for name, held in value.items():
            if name in ("host", "hostaddr") and isinstance(held, str) and held[:1] != "/":
                yield held
            else:
                yield from _hosts(held)
    elif isinstance(value, str) and "://" in value:
        try:
            host = urlsplit(value).hostname
        except ValueError:
            return
        if host:
            yield host


def _here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
