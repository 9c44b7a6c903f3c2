"""cleverdon judge serve: a project's web app, on this machine or for a team."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from cleverdon.cli import judge_options, options

if TYPE_CHECKING:
    from cleverdon.assess.project import Project

_FILE = click.Path(dir_okay=False)
_ANY_HOST = ("0.0.0.0", "::", "")


@click.command()
@judge_options.folder
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; by default nobody but this machine gets in.",
)
@click.option(
    "--port",
    type=options.Count(0, 65535),
    default=8000,
    show_default=True,
    help="0 is any that is free.",
)
@click.option("--tls-cert", type=_FILE, metavar="FILE", help="A certificate, to serve by HTTPS.")
@click.option("--tls-key", type=_FILE, metavar="FILE", help="The certificate's key.")
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy with TLS stands before it: cookies go over HTTPS alone, and what it says of "
    "clients (X-Forwarded-For) is believed.",
)
@click.option(
    "--url",
    type=judge_options.URL,
    help="The address that people use, where it is another one: for links, and other names are "
    "refused.",
)
@click.option(
    "--administrator",
    metavar="NAME",
    help="The first administrator's name.  [default: this system's user]",
)
def command(
    folder: str,
    host: str,
    port: int,
    tls_cert: str | None,
    tls_key: str | None,
    behind_proxy: bool,
    url: str | None,
    administrator: str | None,
) -> None:
    """Serve the web app of the project in DIR, until Ctrl-C.

    Prints the address and, until an administrator has signed in, the first one's sign-in link.
    Where others are to get in, give --host with a certificate, or put a proxy before it.

    \b
    Examples:
      cleverdon judge serve judging
      cleverdon judge serve judging --port 0
      cleverdon judge serve judging --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
      cleverdon judge serve judging --behind-proxy --url https://judge.example.org
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    tls = (tls_cert, tls_key) if tls_cert and tls_key else None
    judge_options.needs_web()

    import logging

    from cleverdon.assess.lock import only_server
    from cleverdon.assess.web import serving
    from cleverdon.assess.web.app import make_app

    logging.basicConfig(level=logging.WARNING, format="cleverdon: %(message)s")
    if tls:
        serving.check_tls(tls)
    with (
        judge_options.opened(folder) as project,
        only_server(project) as remember,
        serving.bound(host, port) as listening,
    ):
        local = serving.is_loopback(listening)
        if not local and not tls and not behind_proxy:
            click.echo(
                f"cleverdon: warning: {host} can be reached from other machines, and without TLS "
                "passwords, sign-in links and judgments can be read on their way: give --tls-cert "
                "and --tls-key, or --behind-proxy where a proxy with TLS stands before it",
                err=True,
            )
        if (readable := _readable_by_others(project)) is not None:
            click.echo(
                f"cleverdon: warning: other users of this machine can read {readable}: "
                f"chmod -R go= {project.folder}",
                err=True,
            )
        secure = bool(tls) or behind_proxy
        address = url or _address(host, listening, secure=secure, behind_proxy=behind_proxy)
        if not url and (behind_proxy or host in _ANY_HOST):
            click.echo(
                f"cleverdon: warning: sign-in links start with {address}: give --url if people use "
                "another address",
                err=True,
            )
        known = {*serving.LOOPBACK, host.casefold(), urlsplit(address).hostname or ""}
        app = make_app(
            project,
            behind_tls=secure or address.startswith("https:"),
            behind_proxy=behind_proxy,
            # Names are known where one was given, or where nobody else gets in.
            hosts=known if url or (local and not behind_proxy) else None,
            url=address,
        )
        remember(address)
        invitation = _invitation(project, administrator, address)
        click.echo(f"{project.title}: {address} (Ctrl-C ends it)\n{invitation}")
        serving.run(app, listening, tls=tls)
    click.echo("ended; all that was acknowledged is written")


def _address(host: str, listening: socket.socket, *, secure: bool, behind_proxy: bool) -> str:
    """Where the app is found, as far as can be known from here."""
    if behind_proxy:
        return f"https://{socket.gethostname()}"
    name = socket.gethostname() if host in _ANY_HOST else host
    name = f"[{name}]" if ":" in name else name
    return f"{'https' if secure else 'http'}://{name}:{listening.getsockname()[1]}"


def _readable_by_others(project: Project) -> Path | None:
    """A file that other users of the machine can read, if the project's folder lets them in."""
    from cleverdon.assess.project import DATABASE, MARK, POOL

    if os.name != "posix" or not project.folder.stat().st_mode & 0o077:
        return None
    files = (project.folder / name for name in (DATABASE, MARK, POOL))
    return next((file for file in files if file.exists() and file.stat().st_mode & 0o044), None)


def _invitation(project: Project, name: str | None, address: str) -> str:
    from cleverdon.assess.people.first import first_administrator
    from cleverdon.assess.web.origin import sign_in_link

    with project.database.writing() as connection:
        invited = first_administrator(connection, name)
    if invited is None:
        ignored = "" if name is None else "an administrator has signed in already; "
        makes = f"`cleverdon judge people {project.folder} --link NAME` makes new sign-in links"
        return ignored + makes
    person, key = invited
    return f"{person.name}, the administrator, signs in at {sign_in_link(address, key)}"
