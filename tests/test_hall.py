"""The game server: players come over the desk, matches are played and recorded, nobody's faults stop it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from ggp.cli import main
from ggp.core.errors import UsageError
from ggp.match.client import Address
from ggp.match.desk import Desk
from ggp.match.hall import Hall, HallSettings
from ggp.match.record import Record, read_record
from ggp.match.roster import RosterSettings
from ggp.match.seats import Clocks
from tests.fakes import Behaviour, answering, serve
from tests.helpers import TINY, ruleset, started
from tests.test_master import PAIR, player

QUICK = HallSettings(
    clocks=Clocks(1, 1, 0.2), machine="prolog", refresh=0.2,
    roster=RosterSettings(info_seconds=0.5, missed=2, bad_matches=2),
)  # fmt: skip
LOOPS = TINY + "(<= (count z) (true (on 1)))\n(<= (count (s ?n)) (count ?n))\n(<= (legal me ?n) (count ?n))"


class Running:
    """A hall that runs in a thread, with its desk."""

    def __init__(self, hall: Hall, url: str, told: list[str]) -> None:
        self.hall = hall
        self.url = url
        self.told = told

    def register(self, url: str) -> requests.Response:
        address = Address.parse(url)
        return requests.post(f"{self.url}/register", json={"host": address.host, "port": address.port}, timeout=5)

    def status(self) -> dict[str, Any]:
        status: dict[str, Any] = requests.get(f"{self.url}/status", timeout=5).json()
        return status

    def wait(self, done: Callable[[dict[str, Any]], bool], seconds: float = 15) -> dict[str, Any]:
        """The status as soon as something is so."""
        until = time.monotonic() + seconds
        while not done(status := self.status()):
            assert time.monotonic() < until, (status, self.told)
            time.sleep(0.05)
        return status


@contextmanager
def running(place: Path, games: dict[str, str], **changes: Any) -> Iterator[Running]:
    told: list[str] = []
    settings = HallSettings(**{**vars(QUICK), "records": place, **changes})
    hall = Hall({name: ruleset(text) for name, text in games.items()}, settings, told.append)
    desk = Desk("127.0.0.1", 0, hall.roster, hall.status, told.append)
    end = threading.Event()
    threads = [threading.Thread(target=hall.run, args=(end,)), threading.Thread(target=desk.serve_forever, args=(0.05,))]
    for thread in threads:
        thread.start()
    try:
        yield Running(hall, f"http://127.0.0.1:{desk.port}", told)
    finally:
        end.set()
        hall.close()
        desk.shutdown()
        desk.server_close()
        for thread in threads:
            thread.join()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def records(place: Path) -> list[Record]:
    return [read_record(path) for path in sorted(place.glob("*.json"))]


def fakes(stack: ExitStack, *behaviours: Behaviour) -> Sequence[str]:
    return [stack.enter_context(serve(behaviour)).url for behaviour in behaviours]


def test_players_that_register_play_and_swap_roles(stack: ExitStack, tmp_path: Path) -> None:
    hall = stack.enter_context(running(tmp_path, {"pair": PAIR, "solo": TINY}, matches=4))
    for url in fakes(stack, player(name="ann"), player(name="bob")):
        answer = hall.register(url)
        assert (answer.status_code, answer.json()["registered"]) == (200, True)
    status = hall.wait(lambda status: status["finished"] == 4)
    assert sorted((guest["name"], guest["status"]) for guest in status["players"]) == [
        ("ann", "available"), ("bob", "available")
    ]  # fmt: skip
    played = [record for record in records(tmp_path) if record.game == "pair"]
    assert sorted(record.players for record in played) == [["ann", "bob"], ["bob", "ann"]]
    assert all(record.is_completed and not record.faults for record in played)
    assert {each["ending"] for each in status["recent"]} == {"completed"}


def test_a_faulty_player_is_dropped_and_the_others_play_on(stack: ExitStack, tmp_path: Path) -> None:
    hall = stack.enter_context(running(tmp_path, {"pair": PAIR}, fill="legal"))
    bad, good = fakes(stack, player("nonsense", "bad"), player(name="good"))
    hall.register(bad)
    hall.wait(lambda status: not status["players"])
    assert any("bad" in text and "makes no good moves and is dropped" in text for text in hall.told)
    assert [record.faults for record in records(tmp_path)] == [3, 3]
    hall.register(good)
    hall.wait(lambda status: status["finished"] >= 4)
    assert records(tmp_path)[-1].players == ["good", "legal"] or records(tmp_path)[-1].faults == 0


def test_a_player_that_vanishes_is_dropped(stack: ExitStack, tmp_path: Path) -> None:
    hall = stack.enter_context(running(tmp_path, {"pair": PAIR}))
    with serve(player(name="brief")) as fake:
        hall.register(fake.url)
        assert len(hall.status()["players"]) == 1
    hall.wait(lambda status: not status["players"])
    assert any("brief" in text and "does not answer any more" in text for text in hall.told)


def test_a_busy_player_is_not_asked_to_play(stack: ExitStack, tmp_path: Path) -> None:
    hall = stack.enter_context(running(tmp_path, {"solo": TINY}))
    (busy,) = fakes(stack, answering(lambda body: "( ( name B ) ( status busy ) )"))
    assert hall.register(busy).json()["status"] == "busy"
    time.sleep(0.6)
    assert hall.status()["begun"] == 0


def test_a_game_that_cannot_be_played_is_left_out(stack: ExitStack, tmp_path: Path) -> None:
    from ggp.machines import Limits

    hall = stack.enter_context(running(tmp_path, {"loops": LOOPS, "solo": TINY}, limits=Limits(seconds=0.5)))
    hall.register(fakes(stack, player("wait"))[0])
    status = hall.wait(lambda status: any(each["ending"] == "completed" for each in status["recent"]))
    assert status["games"] == ["solo"]
    assert "loops is left out from now on" in hall.told


def test_closing_aborts_what_is_played(stack: ExitStack, tmp_path: Path) -> None:
    with serve(slow) as fake:
        with running(tmp_path, {"solo": TINY}, clocks=Clocks(30, 30, 1)) as hall:
            hall.register(fake.url)
            hall.wait(lambda status: bool(status["playing"]) and "PLAY" in fake.commands())
            started = time.monotonic()
        assert time.monotonic() - started < 5
        assert fake.commands()[-1] == "ABORT"
    (record,) = records(tmp_path)
    assert record.is_aborted and record.moves == []


def test_built_in_players_with_options_fill_places(stack: ExitStack, tmp_path: Path) -> None:
    hall = stack.enter_context(running(tmp_path, {"pair": PAIR}, fill="ucd:simulations=2", matches=1))
    hall.register(fakes(stack, player(name="ann"))[0])
    hall.wait(lambda status: status["finished"] == 1)
    (record,) = records(tmp_path)
    assert sorted(record.players) == ["ann", "ucd:simulations=2"] and record.is_completed


def test_a_hall_may_be_closed_at_any_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it runs, twice, and after a match could not be begun."""
    hall = Hall({"solo": ruleset(TINY)}, QUICK, lambda text: None)
    hall.close()
    hall.close()

    def refuses(*_: object) -> None:
        raise UsageError("no")

    hall = Hall({"solo": ruleset(TINY)}, QUICK, lambda text: None)
    with serve(player("wait")) as fake:
        hall.roster.add(Address.parse(fake.url))
        monkeypatch.setattr(hall.roster, "begin", refuses)
        with pytest.raises(UsageError):
            hall.run(threading.Event())
        hall.close()
        assert hall.status()["playing"] == [] and hall.status()["begun"] == 0


def slow(connection: Any, body: str) -> None:
    if body.startswith("( PLAY"):
        time.sleep(3)
    player("wait")(connection, body)


BAD_REQUESTS: list[tuple[bytes, int, str]] = [
    (b"", 400, "the request is no JSON"),
    (b"[1]", 400, "the request is no object"),
    (b'{"port": "9147"}', 400, "`port` must be a whole number"),
    (b'{"port": true}', 400, "`port` must be a whole number"),
    (b'{"port": 0}', 400, "is no address of a player"),
    (b'{"port": 99999}', 400, "is no address of a player"),
    (b'{"host": "a/../b", "port": 1}', 400, "is no address of a player"),
    (b'{"port": 1}', 409, "does not answer INFO: connection refused"),
    (b"[" * 60_000, 400, "the request is no JSON"),
    (b"x" * 70_000, 400, "a Content-Length up to 65536 is needed"),
]


def test_requests_that_make_no_sense(stack: ExitStack, tmp_path: Path) -> None:
    hall = stack.enter_context(running(tmp_path, {"solo": TINY}))
    for body, status, message in BAD_REQUESTS:
        answer = requests.post(f"{hall.url}/register", data=body, timeout=5)
        assert answer.status_code == status
        assert message in answer.json()["error"]
    assert next(text for text in hall.told if "was refused" in text) == "127.0.0.1 was refused: the request is no JSON"
    assert sum("was refused" in text for text in hall.told) == len(BAD_REQUESTS)
    assert requests.post(f"{hall.url}/unregister", json={"port": 5}, timeout=5).status_code == 404
    assert requests.post(f"{hall.url}/nowhere", json={}, timeout=5).status_code == 404
    assert requests.get(f"{hall.url}/nowhere", timeout=5).status_code == 404
    assert requests.get(hall.url, timeout=5).json()["players"] == []


def test_a_player_registers_twice_and_leaves(
    stack: ExitStack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hall = stack.enter_context(running(tmp_path, {"pair": PAIR}))
    (url,) = fakes(stack, player(name="ann"))
    command = ["register", "master", url, "--url", hall.url]
    assert main(command) == main(command) == 0
    assert len(hall.status()["players"]) == 1
    assert main([*command, "--leave"]) == 0
    assert hall.status()["players"] == []
    assert main([*command, "--leave"]) == 1
    printed = capsys.readouterr()
    assert f"{url} is registered as ann" in printed.out
    assert "is not registered" in printed.err


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_command_serves_until_a_signal_comes(sent: signal.Signals, code: int, tmp_path: Path) -> None:
    game = tmp_path / "solo.kif"
    game.write_text(TINY)
    command = [sys.executable, "-m", "ggp.cli", "master", str(game), "--port", "0", "--records", str(tmp_path / "r"),
               "--machine", "prolog", "--playclock", "1", "--startclock", "1", "--web", "0"]  # fmt: skip
    with (
        serve(player("wait")) as fake,
        started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
    ):
        assert process.stdout is not None and process.stderr is not None
        url = process.stdout.readline().split(" at ")[1].split(";")[0]
        page = process.stdout.readline().split("open ")[1].split(" in a browser")[0]
        assert main(["register", "master", fake.url, "--url", url]) == 0
        for line in process.stdout:
            if "completed, goals 100" in line:
                break
        hall = requests.get(f"{page}api/matches", timeout=20).json()["hall"]
        assert hall["finished"] >= 1 and [guest["address"] for guest in hall["players"]] == [fake.url]
        (line,) = requests.get(f"{page}api/standings", timeout=20).json()["players"]
        assert line["goal"] == 100 and line["elo"] is None
        os.kill(process.pid, sent)
        assert process.wait(10) == code
        assert "Traceback" not in process.stderr.read()
    assert any(record.is_completed for record in records(tmp_path / "r"))


def test_command_lines_that_make_no_sense(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, empty = tmp_path / "a.kif", tmp_path / "empty"
    game.write_text(TINY)
    empty.mkdir()
    taken = tmp_path / "file"
    taken.write_text("")
    for arguments, message in [
        ([str(empty)], "there is no game to play"),
        ([str(game), str(game)], "there is another game of this name"),
        ([str(tmp_path / "none.kif")], "No such file"),
        ([str(game), "--fill", "clever"], "there is no player 'clever'"),
        ([str(game), "--fill", "ucd:second=1"], "there is no option 'second'"),
        ([str(game), "--fill", "localhost:9147"], "is an address; name a built-in player"),
        (["tic_tac_tow"], "did you mean tic_tac_toe?"),
        ([str(game), "--records", str(taken)], "no records can be written here"),
        ([str(game), "--bind", "203.0.113.1", "--records", str(tmp_path)], "cannot listen on 203.0.113.1"),
    ]:
        assert main(["master", *arguments]) == 2
        assert message in capsys.readouterr().err
