"""cleverdon judge init, serve, people, assign and status: a project, its people, its progress."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cleverdon._common import progress_bar
from cleverdon.cli import options
from cleverdon.cli.declarations import (
    Options,
    argument,
    command,
    excludes,
    flag,
    needs_one,
    option,
    requires,
    together,
)
from cleverdon.judging import cli as judging_cli
from cleverdon.judging.people import ROLE_PERMISSIONS

if TYPE_CHECKING:
    from cleverdon.judging.assignment import By, Part
    from cleverdon.judging.dashboard.state import ProjectStatus
    from cleverdon.judging.people.administration import AccountList
    from cleverdon.judging.project import Project
    from cleverdon.judging.workload import Workload

_FILE = click.Path(dir_okay=False)
_DEPTH = 20
_URL = "http://127.0.0.1:8000"
"""The default address of `judge serve`."""


_ASSIGN_BY = options.RenamedChoice(
    ["query", "document"], {"topic": "query"}, "value of --assign-by"
)


class InitOptions(Options):
    folder: str = judging_cli.folder
    run: tuple[str, ...] = argument(options.FILE, nargs=-1, metavar="")
    queries: str = option(
        options.FILE,
        "The queries: TREC topics, JSONL, CSV or TSV. With titles, descriptions, narratives; or "
        "the queries that `cleverdon logs bridge` writes.",
        flags="--queries",
        required=True,
    )
    docs: tuple[str, ...] = option(
        options.FILE,
        "The documents: JSONL, TREC, TSV, Parquet, a folder; again for more. Only those that are "
        "to be judged are kept. HTML is shown as text.",
        flags="--documents",
        required=True,
        multiple=True,
    )
    pool: str | None = option(
        click.Path(),
        "What to judge: a pool of `cleverdon pool make`. Or a sheet, qrels in any format, a table "
        "or lines of query and document.",
        metavar="FILE",
    )
    runs: tuple[str, ...] = option(
        options.FILE, "Or pool these runs, down to --depth.", metavar="RUN...", multiple=True
    )
    depth: int | None = option(
        options.COUNT,
        "With --runs: the first K results of each run and query.  "
        f"[default: {_DEPTH}; with --adaptive all]",
        short="-k",
        metavar="K",
    )
    adaptive: str | None = option(
        "METHOD",
        "With --runs: choose documents by the judgments so far. The method is mtf, max-mean, "
        "thompson, ...; `cleverdon pool next --methods` lists them.",
    )
    budget: int | None = option(options.COUNT, "End a query after N documents.", metavar="N")
    target_relevant: int | None = option(
        options.COUNT, "End it after N relevant ones.", metavar="N"
    )
    patience: int | None = option(
        options.COUNT, "End it after N in a row that are not relevant.", metavar="N"
    )
    run_format: str | None = options.run_format
    order_by: str = options.order_by
    scale: str = option(
        "SCALE",
        "The grades, as 0-3, or a TOML file. The file has names, colours and guidelines.",
        default="0..3",
    )
    guidelines: Path | None = option(
        options.OUTPUT, "A text for all assessors, shown beside the documents."
    )
    gold: str | None = option(
        click.Path(),
        "Documents with known grades. Everybody judges them, which shows who judges with care.",
        metavar="QRELS",
    )
    overlap: str | None = option(
        "SHARE|N", "Let two people judge a share, as 0.1, or N of each query."
    )
    judges: int = option(
        options.Count(1, 20), "Let N people judge every document.", metavar="N", default=1
    )
    assessors: tuple[str, ...] = option(
        "NAME,...",
        "Create accounts for these people; distribute queries.",
        callback=lambda context, parameter, value: _split_names(value or ""),
    )
    assign_by: By = option(
        _ASSIGN_BY,
        "Give a query to one person, or let all share it. With --assessors.",
        default="query",
    )
    title: str | None = option("TEXT", "The title of the project.  [default: the name of DIR]")
    database: str | None = option(
        "URL", "PostgreSQL, as postgresql://USER:PASSWORD@HOST/NAME.  [default: a file in DIR]"
    )
    seed: int = options.seed("order of documents and overlap")
    columns: str | None = options.columns


def _split_names(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(str.strip, names.split(",")))))


@command(InitOptions)
@requires("RUN", "--runs", because="write --runs before the first one")
@needs_one("--pool", "--runs", what="nothing to judge")
@requires("--depth", "--runs")
@requires("--adaptive", "--runs")
@requires("--run-format", "--runs")
@requires("--order-by", "--runs")
@requires("--budget", "--adaptive")
@requires("--target-relevant", "--adaptive")
@requires("--patience", "--adaptive")
@requires("--assign-by", "--assessors")
def init_command(given: InitOptions) -> str:
    """Create a project in DIR from queries, documents, what to judge, and a scale.

    The documents of a query are shuffled, and assessors do not see which run returned them. If
    anything fails, nothing is left behind.

    \b
    Examples:
      cleverdon judge init judging --queries topics.tsv --pool pool.tsv --documents docs.jsonl
      cleverdon judge init judging --queries topics.txt --documents corpus/ --runs *.run --depth 20
      cleverdon judge init judging --queries topics.tsv --documents docs.jsonl --runs *.run \\
          --adaptive mtf --patience 30
      cleverdon judge init judging --queries topics.tsv --pool pool.tsv --documents docs.jsonl \\
          --scale grades.toml --overlap 0.1 --gold gold.qrels --assessors ann,bob
    """
    judging_cli.require_web()

    from cleverdon.formats.inputs import distinct_names
    from cleverdon.judging.creation import create_project

    runs = options.named_files((*given.runs, *given.run), what="runs", naming=distinct_names)
    settings = judging_cli.keywords(given.changed(runs=runs), "run")
    with progress_bar.bar("reading the pool") as update:
        made = create_project(**settings, progress=update)
    for note in made.notes:
        progress_bar.say(f"cleverdon: {note}")
    return str(made)


class ServeOptions(Options):
    folder: str = judging_cli.folder
    host: str = option(
        "TEXT",
        "The address to listen on; by default only this machine has access.",
        default="127.0.0.1",
    )
    port: int = option(options.Count(0, 65535), "The port; 0 is any free one.", default=8000)
    tls_cert: str | None = option(_FILE, "A certificate, to serve by HTTPS.", metavar="FILE")
    tls_key: str | None = option(_FILE, "The certificate's key.", metavar="FILE")
    behind_proxy: bool = flag(
        "A proxy with TLS forwards the requests. Cookies go over HTTPS only, and its header "
        "X-Forwarded-For is trusted."
    )
    url: str | None = option(
        judging_cli.URL,
        "The address that people use, if it is another one: for links; other host names are "
        "refused.",
    )
    administrator: str | None = option(
        "NAME", "The first administrator's name.  [default: this system's user]"
    )


@command(ServeOptions)
@together("--tls-cert", "--tls-key")
def serve_command(given: ServeOptions) -> str:
    """Serve the web app of the project in DIR, until Ctrl-C.

    Prints the address and, until an administrator has signed in, the first one's sign-in link.
    To give others access, use --host with a certificate, or a proxy with TLS.

    \b
    Examples:
      cleverdon judge serve judging
      cleverdon judge serve judging --port 0
      cleverdon judge serve judging --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
      cleverdon judge serve judging --behind-proxy --url https://judge.example.org
    """
    judging_cli.require_web()

    import logging

    from cleverdon.judging.web.server import serve_project

    logging.basicConfig(level=logging.WARNING, format="cleverdon: %(message)s")
    serve_project(
        **judging_cli.keywords(given, "tls_cert", "tls_key"),
        tls=(given.tls_cert, given.tls_key) if given.tls_cert and given.tls_key else None,
        say=click.echo,
        warn=lambda text: click.echo(f"cleverdon: warning: {text}", err=True),
    )
    return "ended; all that was acknowledged is written"


def _names(help: str) -> Any:
    return option("NAME", f"{help}; again for more.", multiple=True)


class PeopleOptions(Options):
    folder: str = judging_cli.folder
    add: tuple[str, ...] = _names("Create an account and a sign-in link")
    change: tuple[str, ...] = _names("Give a person the role of --role")
    role: str | None = option(
        click.Choice(list(ROLE_PERMISSIONS)),
        "With --add or --change: the role.  [default: assessor]",
    )
    link: tuple[str, ...] = _names("Make a new sign-in link; the one before it ends")
    deactivate: tuple[str, ...] = _names("Close a person's account; the judgments stay")
    reactivate: tuple[str, ...] = _names("Open a person's account again")
    password: str | None = option(
        "NAME", "Set a person's password; it is asked for, or read from standard input."
    )
    token: str | None = option("NAME", "Create a token with which a program acts as this person.")
    valid_days: int = option(
        options.Count(1, 3650), "With --token: how long it lasts.  [default: 365]", default=365
    )
    url: str | None = option(
        judging_cli.URL,
        f"The address of the app, for links.  [default: that of the last server of DIR, or {_URL}]",
    )
    format_: str = options.formats("How to print it.", ("table", "json"))


@command(PeopleOptions)
@requires("--role", "--add", "--change")
@requires("--change", "--role", because="it is the new role")
@requires("--valid-days", "--token")
def people_command(given: PeopleOptions) -> AccountList:
    """List and change the accounts of the project in DIR. A server may run meanwhile.

    Sign-in links and tokens are printed only once: a digest of them is stored.

    \b
    Examples:
      cleverdon judge people judging
      cleverdon judge people judging --add Ann --add Bob --url https://judge.example.org
      cleverdon judge people judging --change Ann --role administrator
      cleverdon judge people judging --link Bob
      cleverdon judge people judging --token Ann --valid-days 30 -f json
    """
    with judging_cli.open_folder(given.folder) as project:
        from cleverdon.judging.people.administration import manage_people

        passwords = {}
        if given.password:
            passwords[given.password] = _ask_password(project, given.password)
        changes = judging_cli.keywords(given, "folder", "password", "format_")
        return manage_people(project, **changes, passwords=passwords)


def _ask_password(project: Project, name: str) -> str:
    """Ask at a terminal, else read a line; before anything is written, as it takes a while."""
    from cleverdon.judging.people.accounts import person_named

    with project.database.reading() as connection:
        person = person_named(connection, name)
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    asked = f"New password of {person.name}"
    return str(click.prompt(asked, hide_input=True, confirmation_prompt=True))


class AssignOptions(Options):
    folder: str = judging_cli.folder
    people: tuple[str, ...] = option(
        "NAME",
        "Assign to this person; again for more.  [default: all assessors]",
        flags="--person",
        multiple=True,
    )
    assign_by: By = option(
        _ASSIGN_BY,
        "Each query goes to one person, or all share its documents.",
        default="query",
    )
    queries: tuple[str, ...] = option(
        "ID",
        "Assign only this query, to everybody of --person; again for more.",
        flags="--query",
        multiple=True,
    )
    part: Part = option(
        click.Choice(["all", "overlap"]),
        "With --query: all of it, or only what several people judge.",
        default="all",
    )
    remove: bool = flag("With --query: take it away from the people of --person.")
    rebalance: bool = flag(
        "Distribute queries again that nobody has begun. As when people come or go."
    )
    overlap: str | None = option(
        "SHARE|N",
        "First let two people judge a share, as 0.1, or N of each query.",
    )
    list_: bool = flag("Change nothing; print who judges what.")
    format_: str = options.formats("How to print it.", ("table", "json"))


@command(AssignOptions)
@requires("--part", "--query")
@requires("--remove", "--query")
@requires("--query", "--person", because="these people get it")
@excludes("--query", "--assign-by", "--rebalance", "--overlap")
@excludes("--list", "--query", "--person", "--assign-by", "--rebalance", "--overlap")
def assign_command(given: AssignOptions) -> Workload:
    """Assign queries to people in the project in DIR. A server may run meanwhile.

    Queries that nobody has go to whoever has least to do, the largest first. A query that somebody
    has begun stays theirs.

    \b
    Examples:
      cleverdon judge assign judging
      cleverdon judge assign judging --assign-by document
      cleverdon judge assign judging --overlap 0.1
      cleverdon judge assign judging --query 301 --query 302 --person ann
      cleverdon judge assign judging --query 301 --person ann --remove
      cleverdon judge assign judging --rebalance
      cleverdon judge assign judging --list
    """
    with judging_cli.open_folder(given.folder) as project:
        from cleverdon.judging.assignment import assign_queries, project_workload

        if given.list_:
            return project_workload(project)
        settings = judging_cli.keywords(given, "folder", "list_", "format_")
        return assign_queries(project, **settings)


class StatusOptions(Options):
    folder: str = judging_cli.folder
    per_query: bool = flag("List the queries one by one.")
    pairs: bool = flag("List the agreement of each two judges.")
    format_: str = options.formats(
        "How to print. json has all digits, as the API call /api/watching.", ("table", "json")
    )


@command(StatusOptions)
def status_command(given: StatusOptions) -> ProjectStatus:
    """Print progress, agreement, estimated recall, and advice whether to go on.

    Overall: judgments done and wanted, agreement, the estimated recall within the pool, advice,
    and warnings. By person: work done and left, speed, gold documents. With --per-query the same
    query by query. Models are compared with people and never counted among them. The project may
    be in use meanwhile.

    \b
    Examples:
      cleverdon judge status judging
      cleverdon judge status judging --per-query
      cleverdon judge status judging -f json
    """
    with judging_cli.open_folder(given.folder) as project, progress_bar.bar("counting"):
        from cleverdon.judging.dashboard.state import project_status

        return project_status(project, per_query=given.per_query, pairs=given.pairs)
