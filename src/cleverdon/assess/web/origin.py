"""Where a request comes from: the address, the site, and for which host it is meant."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request

from cleverdon.assess.refusals import NotAllowed


def address_of(request: Request) -> str:
    """The client's address; what a proxy says of it counts only where there is to be one.

    The last entry is the one that our proxy added: those before it were sent by the client.
    """
    direct = request.client.host if request.client else ""
    if not request.app.state.behind_proxy:
        return direct
    said = request.headers.getlist("x-forwarded-for")
    last = said[-1].rpartition(",")[2].strip() if said else ""
    try:
        return str(ip_address(_without_port(last)))
    except ValueError:
        return direct


def _without_port(address: str) -> str:
    """An address alone: some proxies add the client's port.

    >>> [_without_port(each) for each in ("192.0.2.7:51234", "[2001:db8::1]:443", "2001:db8::1")]
    ['192.0.2.7', '2001:db8::1', '2001:db8::1']
    """
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


def check_origin(request: Request) -> None:
    """Refuse what a page of another site had the browser send.

    Browsers say so themselves; old ones, and those that speak plain HTTP, only name the site.
    """
    fetched = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if fetched is not None:
        ours = fetched in ("same-origin", "none")
    else:
        ours = origin is None or urlsplit(origin).netloc.casefold() == host_of(request).casefold()
    if not ours:
        raise NotAllowed(
            f"the request comes from a page of another site ({origin or fetched}): "
            "open the app itself"
        )


def check_host(request: Request, hosts: Collection[str] | None) -> None:
    """Refuse a name that is not ours, where names are known.

    A page from elsewhere can give its own host name our loopback address, and would then count as
    the same site; but its name stays in the Host header.
    """
    if hosts is None:
        return
    host = host_of(request)
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    if name.casefold().strip("[]") not in hosts:
        raise NotAllowed(
            f"this app is not called {name!r}: use the address that `cleverdon judge serve` "
            "printed, or tell it the name by --url"
        )


def host_of(request: Request) -> str:
    """The host and port that the browser asked for."""
    if request.app.state.behind_proxy and (said := request.headers.get("x-forwarded-host")):
        return said.rpartition(",")[2].strip()
    return request.headers.get("host", "")


def link_of(request: Request, key: str) -> str:
    """The whole address of a sign-in link.

    No header of the request has a part in it: a link that leads to another host gives its key away.
    """
    return sign_in_link(request.app.state.url, key)


def sign_in_link(url: str, key: str) -> str:
    """The address of a sign-in link of the app at `url`.

    >>> sign_in_link("https://judge.example.org/", "abc")
    'https://judge.example.org/sign-in/abc'
    """
    return f"{url.rstrip('/')}/sign-in/{key}"
