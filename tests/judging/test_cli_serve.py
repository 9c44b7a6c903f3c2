"""The command that serves: a process of its own, and what it refuses."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from cleverdon.errors import CleverdonError, InputError, MissingExtra, OptionError
from cleverdon.judging.cli import require_web
from cleverdon.judging.cli.project import serve_command
from cleverdon.judging.project import DATABASE, Project, served_address, server_lock
from cleverdon.judging.web import server
from cleverdon.judging.web.server import _bind, _is_loopback
from tests.judging.served import ROOT, headers

COMMAND = (sys.executable, "-c", "from cleverdon.cli import main; main()", "judge", "serve")


def test_it_prints_an_address_and_a_link_and_ends_by_a_signal(project: Project) -> None:
    folder = str(project.folder)
    arguments = [*COMMAND, folder, "--port", "0"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address, invitation = server.stdout.readline(), server.stdout.readline()
            found = re.fullmatch(r"Tests: (http://127\.0\.0\.1:(\d+)) \(.*\)\n", address)
            assert found, address
            link = re.fullmatch(r"eve, .* signs in at (\S+)\n", invitation)
            assert link, invitation
            assert link[1].startswith(f"{found[1]}/sign-in/")
            with urlopen(link[1], timeout=30) as page:
                shown = page.read()
                assert "Sign in as eve" in shown.decode()
            with urlopen(Request(link[1], method="HEAD"), timeout=30) as head:
                assert head.headers["content-length"] == str(len(shown))
                assert head.read() == b""
            with pytest.raises(HTTPError, match="401"):
                urlopen(Request(f"{found[1]}/api/me", method="HEAD"), timeout=30)
            with pytest.raises(InputError, match="served already"), server_lock(project):
                pass
            assert served_address(project.folder) == found[1]
            server.send_signal(signal.SIGINT)
            assert server.stdout.read() == "ended; all that was acknowledged is written\n"
            assert server.wait(timeout=30) == 0
        finally:
            server.kill()
    with server_lock(project):
        pass


def test_what_is_not_asked_to_the_end_does_not_spoil_the_end(project: Project) -> None:
    arguments = [*COMMAND, str(project.folder), "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(arguments, **pipes) as server:
        try:
            port = int(re.findall(r"127\.0\.0\.1:(\d+)", server.stdout.readline())[0])
            with socket.create_connection(("127.0.0.1", port)) as asking:
                head = {"host": "localhost", "content-length": "9", "expect": "100-continue"}
                sent = {**head, "content-type": "application/json", **headers(project, "ann")}
                lines = [f"{name}: {value}" for name, value in sent.items()]
                asked = "\r\n".join(["POST /api/judgments HTTP/1.1", *lines, "", ""])
                asking.sendall(asked.encode())
                assert asking.recv(100).startswith(b"HTTP/1.1 100"), "the app waits for the rest"
                server.send_signal(signal.SIGINT)
                said = server.stderr.readline()
                server.send_signal(signal.SIGINT)
                assert server.wait(timeout=30) == 0
            assert said.startswith("cleverdon: finishing requests for at most 10 seconds")
            assert "Traceback" not in server.stderr.read()
        finally:
            server.kill()


def refused(arguments: Sequence[str]) -> CleverdonError:
    result = CliRunner().invoke(serve_command, list(arguments))
    assert isinstance(result.exception, CleverdonError), result.output
    return result.exception


def test_what_cannot_be_served_is_said_in_a_line(project: Project, tmp_path: Path) -> None:
    folder = str(project.folder)
    assert "is not a judging project" in str(refused([str(tmp_path)]))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert f"port {port} of 127.0.0.1 is in use" in str(refused([folder, "--port", port]))
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("no certificate", encoding="utf-8")
    tls = ["--tls-cert", str(wrong), "--tls-key", str(wrong)]
    assert "is not a PEM certificate" in str(refused([folder, *tls]))
    tls[1] = str(tmp_path / "none.pem")
    assert "there is no such file" in str(refused([folder, *tls]))
    for options in (["--tls-cert", "x"], ["--url", "example.org"]):
        assert CliRunner().invoke(serve_command, [folder, *options]).exit_code == 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], (False, False, True)),
        (["--host", "localhost"], (False, False, True)),
        (["--host", "0.0.0.0"], (False, False, False)),
        (["--behind-proxy"], (True, True, False)),
        (["--behind-proxy", "--url", "https://judge.example.org"], (True, True, True)),
    ],
)
def test_how_it_is_reached_decides_what_is_warned_of_and_believed(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    expected: tuple[bool, bool, bool],
) -> None:
    served: list[Any] = []
    monkeypatch.setattr(server, "_run", lambda app, *_, **__: served.append(app.state))
    result = CliRunner().invoke(serve_command, [str(project.folder), "--port", "0", *options])
    assert result.exit_code == 0, result.output
    (state,) = served
    assert (state.behind_tls, state.behind_proxy, state.hosts is not None) == expected
    assert ("warning: 0.0.0.0 can be reached" in result.stderr) is ("0.0.0.0" in options)
    address = result.stdout.split()[1]
    assert state.url == address, "links of the app start with what is printed"
    guessed = socket.gethostname() in address
    assert (f"sign-in links start with {address}: give --url" in result.stderr) is guessed
    if "--url" in options:
        assert "https://judge.example.org/sign-in/" in result.stdout
        assert "judge.example.org" in state.hosts


def test_files_that_others_can_read_are_warned_of(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_run", lambda *_, **__: None)

    def warned() -> bool:
        result = CliRunner().invoke(serve_command, [str(project.folder), "--port", "0"])
        said = f"can read {project.folder / DATABASE}: chmod -R go= {project.folder}"
        return said in result.stderr

    assert not warned()
    project.folder.chmod(0o755)
    assert not warned(), "its files are private"
    (project.folder / DATABASE).chmod(0o644)
    assert warned()
    project.folder.chmod(0o700)
    assert not warned(), "nobody else gets into the folder"


def test_a_socket_knows_whether_others_reach_it() -> None:
    with _bind("127.0.0.1", 0) as local, _bind("0.0.0.0", 0) as open_to_all:
        assert (_is_loopback(local), _is_loopback(open_to_all)) == (True, False)
    with pytest.raises(OptionError, match="is not known here"):
        _bind("no such host", 0)


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "argon2", None)
    with pytest.raises(MissingExtra, match="needs argon2-cffi"):
        require_web()


def test_the_lowest_versions_that_are_tested_are_those_that_are_allowed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = project["optional-dependencies"]["web"]
    allowed = dict(re.findall(r"^([a-z0-9-]+)>=([0-9.]+)", "\n".join(needed), re.MULTILINE))
    tested = (ROOT / "tools" / "web-lowest.txt").read_text(encoding="utf-8")
    lowest = dict(line.split("==") for line in tested.split())
    assert {name: re.sub(r"(\.0)+$", "", version) for name, version in lowest.items()} == allowed
    for name in ("fastapi", "starlette"):
        assert any(re.match(rf"{name}>=[0-9.]+,<[0-9.]+$", one) for one in needed), name
