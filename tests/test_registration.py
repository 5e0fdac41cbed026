"""Registering with game servers, against small ones that behave like the real ones."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from ggp.cli import main
from ggp.core.errors import RegistrationError, UsageError
from ggp.match.client import Address
from ggp.match.registration import Dresden, DresdenPlayer, Tiltyard, add_to_base_list, announce

MINE = Address("10.1.2.3", 9147)


@dataclass
class Visit:
    """A request to a fake site."""

    path: str
    form: dict[str, str]
    body: str
    session: str | None
    """The session cookie, if one was sent."""


@dataclass
class Page:
    """What a fake site answers."""

    text: str = ""
    status: int = 200
    to: str | None = None
    """Where a redirection points to."""


@dataclass
class Site:
    """A web site on a port of its own."""

    url: str = ""
    visits: list[Visit] = field(default_factory=list)


@contextmanager
def site(answer: Callable[[Visit], Page]) -> Iterator[Site]:
    made = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            form = {name: values[0] for name, values in parse_qs(body, keep_blank_values=True).items()}
            cookies = dict(
                part.strip().split("=", 1) for part in self.headers.get("Cookie", "").split(";") if "=" in part
            )
            visit = Visit(self.path, form, body, cookies.get("session"))
            made.visits.append(visit)
            page = answer(visit)
            self.send_response(302 if page.to else page.status)
            if page.to:
                self.send_header("Location", page.to)
            if visit.session is None:
                self.send_header("Set-Cookie", "session=s1; Path=/")
            self.send_header("Content-Length", str(len(page.text.encode())))
            self.end_headers()
            self.wfile.write(page.text.encode())

        do_POST = do_GET  # noqa: N815 (named by the library)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# ---- the list of the GGP base server ----------------------------------------------------------------------------


def test_the_base_list_is_made_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    assert add_to_base_list(path, MINE)
    assert json.loads(path.read_text()) == {"hostports": ["10.1.2.3:9147"]}
    before = path.stat()
    assert not add_to_base_list(path, MINE)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert add_to_base_list(path, Address("other", 9148))
    assert json.loads(path.read_text())["hostports"] == ["10.1.2.3:9147", "other:9148"]
    assert os.listdir(tmp_path) == ["list.json"]


def test_what_else_a_base_list_holds_stays(tmp_path: Path) -> None:
    path, link = tmp_path / "list.json", tmp_path / "link.json"
    path.write_text('{"x": [1], "hostports": ["a:1"]}')
    path.chmod(0o640)
    link.symlink_to(path)
    assert add_to_base_list(link, MINE)
    assert link.is_symlink()
    assert json.loads(path.read_text()) == {"x": [1], "hostports": ["a:1", "10.1.2.3:9147"]}
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("text", ["", "{", "[]", '{"hostports": "a:1"}', '{"hostports": [1]}'])
def test_a_base_list_that_is_none_is_not_touched(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"list\.json"):
        add_to_base_list(path, MINE)
    assert main(["register", "base", "localhost:9147", "--file", str(path)]) == 2
    assert path.read_text() == text
    assert os.listdir(tmp_path) == ["list.json"]


def test_the_command_for_the_base_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "list.json"
    command = ["register", "base", "localhost:9147", "--file", str(path)]
    assert main(command) == main(command) == 0
    printed = capsys.readouterr().out
    assert "localhost:9147 entered" in printed
    assert "localhost:9147 was there already" in printed
    assert main(["register", "base", "localhost:9147", "--file", str(tmp_path / "none" / "list.json")]) == 2


# ---- Dresden ----------------------------------------------------------------------------------------------------

LOGIN = '<form action="j_security_check"><input name="j_username"><input name="j_password"></form>'


def dresden(visit: Visit) -> Page:
    """As the pages of the server behave: what is accepted leads on, what is not comes back as a form."""
    form = visit.form
    logged_in = visit.session is not None
    match visit.path:
        case "/register/process.jsp":
            good = form["userName"] != "taken" and form["password1"] == form["password2"]
            return Page(to="/login.jsp") if good else Page("<p>user name is already taken</p>")
        case "/members/":
            return Page(LOGIN)
        case "/members/j_security_check" | "/j_security_check":
            return Page(to="/members/profile.jsp") if logged_in and form["j_password"] == "right" else Page(LOGIN)
        case "/members/process_player.jsp":
            return Page(to="/members/edit.jsp") if form["playerName"] != "old" else Page("<p>player exists already</p>")
        case "/members/process_edit_player.jsp":
            if form["playerName"] == "yours":
                return Page(status=403)
            return Page(to="/members/profile.jsp") if form["host"] else Page("<b>host must not be empty</b>")
        case _:
            return Page("<html>fine</html>")


def test_dresden_from_the_account_to_the_player() -> None:
    with site(dresden) as server:
        client = Dresden(server.url)
        client.new_account("me", "me@example.org", "right")
        client.log_in("me", "right")
        client.enter(DresdenPlayer("mine", MINE, gdl_version="v2"))
        sent = {visit.path: visit.form for visit in server.visits if visit.form}
    assert sent["/register/process.jsp"] == {
        "userName": "me", "emailAddress": "me@example.org", "password1": "right", "password2": "right"
    }  # fmt: skip
    assert sent["/members/process_edit_player.jsp"] == {
        "playerName": "mine", "host": "10.1.2.3", "port": "9147", "status": "active", "gdlVersion": "v2",
        "availableForRoundRobinMatches": "true", "availableForManualMatches": "true",
    }  # fmt: skip
    assert {visit.session for visit in server.visits[1:]} == {"s1"}


def test_a_player_that_exists_in_dresden_is_changed() -> None:
    with site(dresden) as server:
        client = Dresden(server.url)
        client.log_in("me", "right")
        client.enter(DresdenPlayer("old", MINE, active=False))
        assert server.visits[-2].form["status"] == "inactive"


def test_what_dresden_refuses() -> None:
    with site(dresden) as server:
        client = Dresden(server.url)
        with pytest.raises(RegistrationError, match="the account was refused: user name is already taken"):
            client.new_account("taken", "me@example.org", "right")
        with pytest.raises(RegistrationError, match="the log-in of 'me' was refused"):
            client.log_in("me", "wrong")
        client.log_in("me", "right")
        with pytest.raises(RegistrationError, match="'mine' was refused: host must not be empty"):
            client.enter(DresdenPlayer("mine", Address("", 1)))
        with pytest.raises(RegistrationError, match=r"process_edit_player\.jsp: 403 Forbidden"):
            client.enter(DresdenPlayer("yours", MINE))


def test_the_command_for_dresden(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with site(dresden) as server:
        command = ["register", "dresden", "10.1.2.3:9147", "--url", server.url, "--user", "me"]
        monkeypatch.setenv("GGP_PASSWORD", "right")
        assert main(command) == 2
        assert main([*command, "--name", "mine"]) == 0
        monkeypatch.setenv("GGP_PASSWORD", "wrong")
        assert main([*command, "--name", "mine"]) == 1
    printed = capsys.readouterr()
    assert "mine plays at http://10.1.2.3:9147" in printed.out
    assert "right" not in printed.out + printed.err
    assert "dresden needs --name and --user" in printed.err
    assert "was refused" in printed.err


# ---- Tiltyard ---------------------------------------------------------------------------------------------------


def tiltyard(visit: Visit) -> Page:
    if visit.path == "/data/players/My%20Player":
        return Page('{"name": "My Player", "pingStatus": "available"}')
    if visit.path == "/scheduling/start_match":
        return Page("match 17")
    return Page("not found", 404)


def test_tiltyard(capsys: pytest.CaptureFixture[str]) -> None:
    with site(tiltyard) as server:
        client = Tiltyard(server.url)
        assert client.player("My Player")["pingStatus"] == "available"
        with pytest.raises(RegistrationError, match="404 Not Found: not found"):
            client.player("nobody")
        now = time.time() * 1000
        assert client.start_match([str(MINE), "random"], "http://games.example/g/v0/", (-1, 60, 15), 100) == "match 17"
        request = json.loads(server.visits[-1].body)
        assert now + 99_000 < request.pop("deadline") < now + 160_000
        assert request == {
            "playerCodes": ["http://10.1.2.3:9147", "random"], "gameURL": "http://games.example/g/v0/",
            "previewClock": -1, "startClock": 60, "playClock": 15,
        }  # fmt: skip
        command = ["register", "tiltyard", "10.1.2.3:9147", "--url", server.url]
        assert main([*command, "--name", "My Player"]) == 0
        assert main([*command, "--game-url", "http://x/v0/", "--against", "random", "--playclock", "9"]) == 0
        assert json.loads(server.visits[-1].body)["playClock"] == 9
        assert main([*command, "--name", "nobody"]) == 1
        assert main(command) == 2
    assert '"pingStatus": "available"' in capsys.readouterr().out


# ---- servers that are not there, or talk nonsense ---------------------------------------------------------------


def always(page: Page) -> Callable[[Visit], Page]:
    return lambda visit: page


def test_servers_that_do_not_answer_as_they_should() -> None:
    for page, message in [
        (Page("<html>hello</html>"), "no JSON object came back, but '<html>hello</html>'"),
        (Page('{"error": "we are full"}', 409), "409 Conflict: we are full"),
    ]:
        with site(always(page)) as server, pytest.raises(RegistrationError, match=message):
            announce(server.url, MINE)
    with pytest.raises(RegistrationError, match="cannot be reached: Connection refused"):
        announce("http://127.0.0.1:1", MINE)
    with pytest.raises(UsageError, match="'ftp://here' is no address of a server"):
        announce("ftp://here", MINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say where to register which player"),
        (["master"], "say where to register which player"),
        (["master", "here:9147", "--check", "here:9147"], "--check stands alone"),
        (["master", "here:port"], "is no address of a player"),
        (["--check", "http://"], "is no address of a player"),
    ],
)
def test_command_lines_that_make_no_sense(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["register", *arguments]) == 2
    assert message in capsys.readouterr().err
