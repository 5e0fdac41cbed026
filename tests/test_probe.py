"""What servers would find about a player: ours passes, and each fault of others is found."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from ggp.cli import main
from ggp.match.client import Address
from ggp.match.exchange import exchange, post
from ggp.match.ownplayers import OwnPlayer, own_players
from ggp.match.probe import Finding, Probe, ProbeSettings
from tests.fakes import Behaviour, http, serve

CORS = "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\n"
INFO = "( ( name Ann ) ( status available ) )"


@pytest.fixture(scope="module")
def ours() -> Iterator[OwnPlayer]:
    with own_players([["--player", "random"]]) as (player,):
        player.url()
        yield player


@pytest.mark.slow
def test_our_player_passes_every_check(ours: OwnPlayer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["register", "--check", ours.url()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "a server would find nothing wrong"
    assert len(lines) > 25
    assert all(line.startswith("ok  ") for line in lines[:-1])


def test_a_player_that_is_playing_is_left_in_peace(ours: OwnPlayer) -> None:
    address = Address.parse(ours.url())
    start = "( START other.1 me ((role me) (init a) (legal me x) (goal me 1) (<= terminal (true b))) 9 9 )"
    assert exchange(address, post(start), 9).text == "ready"
    try:
        found = list(Probe(address, ProbeSettings()).findings())
        assert [finding.name for finding in found if not finding.good] == ["is available"]
        assert not any("match" in finding.name and "know" not in finding.name for finding in found)
    finally:
        assert exchange(address, post("( ABORT other.1 )"), 9).text == "aborted"


def answer(connection: socket.socket, body: str) -> None:
    connection.sendall(http(INFO, more=CORS))


def findings(behaviour: Behaviour) -> dict[str, Finding]:
    with serve(behaviour) as fake:
        probe = Probe(Address.parse(fake.url), ProbeSettings(1, 1, 0.2, quick=0.3, megabytes=1))
        return {finding.name: finding for finding in probe.findings()}


def keeps_open(connection: socket.socket, body: str) -> None:
    answer(connection, body)
    time.sleep(2.5)


def without_length(connection: socket.socket, body: str) -> None:
    connection.sendall(f"HTTP/1.0 200 OK\r\n{CORS}\r\n{INFO}".encode())


BAD: dict[str, tuple[Behaviour, str, str]] = {
    "an error page": (lambda c, body: c.sendall(http("no", "400 Bad Request")), "answers INFO", "HTTP status 400: no"),
    "no reply": (lambda c, body: None, "answers INFO", "HTTP"),
    "no length": (without_length, "tells the length of its reply", "Content-Length missing"),
    "no preflight": (lambda c, body: c.sendall(http(INFO)), "answers a preflight", "without access-control-allow-origin"),
    "no CORS": (lambda c, body: c.sendall(http(INFO)), "allows pages to read its replies", "no Access-Control"),
    "accepts any match": (answer, "answers `busy` to a match it does not know", "get ( ( name Ann )"),
    "does not accept": (answer, "accepts a match", "( ( name Ann )"),
    "makes no move": (answer, "makes a legal move", "( ( name Ann )"),
    "is always free": (answer, "answers INFO in a match", "available in"),
    "a large START": (answer, "accepts a START of 1 MB", "( ( name Ann )"),
}  # fmt: skip


@pytest.fixture(scope="module")
def found() -> Callable[[Behaviour], dict[str, Finding]]:
    """Findings of each behaviour, looked for once."""
    known: dict[Behaviour, dict[str, Finding]] = {}

    def find(behaviour: Behaviour) -> dict[str, Finding]:
        if behaviour not in known:
            known[behaviour] = findings(behaviour)
        return known[behaviour]

    return find


@pytest.mark.parametrize("name", BAD)
def test_each_fault_is_found(name: str, found: Callable[[Behaviour], dict[str, Finding]]) -> None:
    behaviour, check, detail = BAD[name]
    finding = found(behaviour)[check]
    assert not finding.good and finding.essential
    assert detail in finding.detail


def test_a_connection_that_stays_open_is_found() -> None:
    with serve(keeps_open) as fake:
        probe = Probe(Address.parse(fake.url), ProbeSettings())
        got = exchange(probe.address, post("( INFO )"), 3)
    assert (got.closed, got.text, got.length_is_right) == (False, INFO, True)
    assert got.seconds < 1


def test_what_few_servers_need_is_no_failure() -> None:
    def no_get(connection: socket.socket, body: str) -> None:
        if body:
            answer(connection, body)

    for name, finding in findings(no_get).items():
        assert finding.essential == (name not in ("takes an empty body for INFO", "answers a GET", "answers PREVIEW",
                                                  "replies in the spelling of START"))  # fmt: skip


def test_nobody_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["register", "--check", "127.0.0.1:1"]) == 1
    assert capsys.readouterr().out == "FAIL  answers INFO: connection refused\n1 of 1 would fail\n"
    assert main(["register", "--check", "127.0.0.1:1", "--json"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["name"], finding["good"]) == ("answers INFO", False)


def test_an_exchange_that_stalls_comes_to_an_end() -> None:
    gone = threading.Event()

    def stall(connection: socket.socket, body: str) -> None:
        gone.wait(20)

    with serve(stall) as fake:
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            exchange(Address.parse(fake.url), post("( INFO )"), 0.3)
        assert time.monotonic() - started < 10
        gone.set()
