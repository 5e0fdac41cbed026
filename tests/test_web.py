"""The server of the page: matches, what each may see, records, analysis, rules, and what is not let in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import requests

pytest.importorskip("starlette", reason="the page needs `pip install 'ggp[web]'`")
pytest.importorskip("uvicorn", reason="the page needs `pip install 'ggp[web]'`")

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from gdl import Source, load
from ggp import cli
from ggp.core.errors import UsageError
from ggp.machines import PrologMachine
from ggp.machines.plays import random_play
from ggp.match.chronicle import begin as begin_record
from ggp.match.chronicle import new_identity
from ggp.match.record import Record
from ggp.match.seats import Answer
from ggp.web import playing
from ggp.web.analyst import Analyst
from ggp.web.app import PAGE, Services, make_app
from ggp.web.archive import Archive
from ggp.web.drawing import Drawing
from ggp.web.entry import COOKIE, EntryRules, local_names
from ggp.web.fields import Fields
from ggp.web.frames import Sight
from ggp.web.live import ENDED
from ggp.web.places import Places
from ggp.web.reading import Reading, may_grow_until
from ggp.web.room import Room
from ggp.web.rooms import RoomLimits, Rooms
from ggp.web.seat import only_waits
from ggp.web.serving import listening
from ggp.web.setup import read_setup, shifted
from ggp.web.shelf import Shelf
from ggp.web.standings import Outcome, standings
from ggp.web.studio import diagnose
from tests.helpers import GAMES, started
from tests.web_site import Site, heard, site

NIM = (GAMES / "nim.kif").read_text(encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def _uncompiled() -> Iterator[None]:
    """Matches are played on Prolog: compilers would take most of the time. The tests in a browser have them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(playing, "make_machine", lambda _, ruleset, limits, **__: PrologMachine(ruleset, limits))
        yield


def begin(served: Site, game: str, *players: str, **more: object) -> tuple[str, list[str]]:
    """The id of a new match, and the keys of its people."""
    made = served.post("/api/matches", game=game, players=list(players), playclock=1, seed=1, **more)
    return made["id"], list(made["keys"].values())


def play_out(served: Site, match: str, key: str) -> dict[str, object]:
    """Play the first move each time, to the end; the last news."""
    with served.watch(match, [key]) as socket:
        board = None
        while not (news := heard(socket))["status"]["over"]:
            board = news["board"] or board
            status = news["status"]
            if board and status["asked"] and set(status["asked"]) & set(status["mine"]):
                step = news["from"] + len(news["steps"]) - 1
                move = board["legal"][status["asked"][0]][0]["move"]
                served.post(f"/api/matches/{match}/move", key=key, step=step, move=move)
                board = None
        return dict(news["status"])


def test_a_match_is_played_taken_back_recorded_and_played_again(served: Site) -> None:
    match, (key,) = begin(served, "tic_tac_toe", "human", "legal", names=["<img src=x>"])
    path = f"/api/matches/{match}"
    with served.watch(match, [key]) as socket, served.watch(match) as other:
        news = heard(socket, "asked")
        assert news["status"]["mine"] == [0] and len(news["board"]["legal"][0]) == 9
        assert heard(other)["status"]["mine"] == []
        assert served.refused(f"{path}/move", key="guessed", step=0, move="(mark 1 1)")[0] == 400
        assert served.refused(f"{path}/move", key=key, step=0, move="(mark 9 9)")[0] == 400
        assert "step 0" in served.refused(f"{path}/move", key=key, step=3, move="(mark 1 1)")[1]
        assert served.refused(f"{path}/undo", key=key) == (400, "there is no choice yet that could be taken back")
        served.post(f"{path}/move", key=key, step=0, move="mark 2 2")  # as people type it
        while (news := heard(socket))["from"] + len(news["steps"]) < 3 or not news["status"]["asked"]:
            pass
        served.post(f"{path}/undo", key=key)
        while (news := heard(socket))["from"] + len(news["steps"]) != 1:
            pass
        board = served.post(f"{path}/board", keys=[], step=0)
        assert not any(item["owner"] for cell in board["grids"][0]["cells"] for item in cell["items"])
    assert served.refused(f"{path}/rematch", key=key) == (400, "the match is not over yet")
    status = play_out(served, match, key)
    assert status["ending"] == "the game is over" and sum(status["goals"]) == 100  # type: ignore[call-overload]
    again = served.post(f"{path}/rematch", key=key)
    assert served.post(f"{path}/rematch", key=key) == again
    header = served.get(f"/api/matches/{again['id']}")
    assert header["specs"] == ["legal", "human"] and header["names"][1] == "<img src=x>"
    assert served.services.rooms.find(again["id"]).role_of(again["key"]) == 1
    for _ in range(100):
        if record := served.services.rooms.find(match).news([], []).partition('"record":"')[2].partition('"')[0]:
            break
        time.sleep(0.05)
    found = served.get(f"/api/records/{record}")
    assert found["complaints"] == [] and found["names"][0] == "<img src=x>" and found["ending"] == "completed"
    assert record in [row["file"] for row in served.get("/api/records")["records"]]
    last = len(found["steps"]) - 1
    assert served.get(f"/api/records/{record}/board/{last}")["last"]
    branch = {"record": record, "step": 2}
    made = served.post("/api/matches", branch=branch, players=["human", "human"], playclock=1)
    with served.watch(made["id"], list(made["keys"].values())) as socket:
        while (news := heard(socket))["from"] + len(news["steps"]) < 3:
            pass
    assert served.refused(f"/api/matches/{made['id']}/undo", key=made["keys"]["0"])[0] == 400  # nobody chose that here
    served.post(f"/api/matches/{made['id']}/resign", key=made["keys"]["0"])


def test_who_resigns_has_lost(served: Site) -> None:
    match, keys = begin(served, "tic_tac_toe", "human", "human", names=["Ada", "Bob"])
    with served.watch(match) as socket:
        heard(socket, "asked")
        served.post(f"/api/matches/{match}/move", key=keys[0], step=0, move="mark 2 2")
        served.post(f"/api/matches/{match}/resign", key=keys[1])
        status = heard(socket, "over")["status"]
        assert status["ending"] == "o resigns" and status["goals"] == [100, 0]
        assert served.refused(f"/api/matches/{match}/resign", key=keys[0]) == (400, "the match is over")
        record = status["record"]
    while served.services.rooms.find(match).writing:
        time.sleep(0.05)
    found = served.get(f"/api/records/{record}")
    assert (found["ending"], found["reason"], found["goals"]) == ("resigned", "o resigns", [100, 0])
    assert found["complaints"] == []
    (row,) = [row for row in served.get("/api/records")["records"] if row["file"] == record]
    assert row["ending"] == "resigned" and row["goals"] == [100, 0]
    lines = {line["player"]: line for line in served.get("/api/standings")["players"]}
    assert lines["Ada"]["won"] == 1 and lines["Bob"]["lost"] == 1


def test_a_move_that_names_no_cell_is_bound_to_where_it_acts(served: Site) -> None:
    match, (key,) = begin(served, "connect_four", "human", "legal")
    with served.watch(match, [key]) as socket:
        legal = heard(socket, "asked")["board"]["legal"][0]
    assert [action["target"] for action in legal] == [f"{column} 1" for column in range(1, 8)]
    served.post(f"/api/matches/{match}/resign", key=key)


def test_nobody_sees_what_others_chose_or_what_their_role_does_not_know(served: Site) -> None:
    match, keys = begin(served, "roshambo", "human", "human")
    with served.watch(match, [keys[1]]) as socket:
        heard(socket, "asked")
        served.post(f"/api/matches/{match}/move", key=keys[0], step=0, move="(show rock)")
        news = heard(socket, "chosen")
        assert (
            news["status"]["chosen"] == [0] and news["status"]["asked"] == [1] and "rock" not in json.dumps(news["steps"])
        )
        served.post(f"/api/matches/{match}/move", key=keys[1], step=0, move="(show paper)")
        while not (news := heard(socket))["steps"]:
            pass
        assert news["steps"][0]["moves"] == ["show rock", "show paper"]
    served.post(f"/api/matches/{match}/resign", key=keys[0])
    match, keys = begin(served, "kriegspiel_tic_tac_toe", "human", "human")
    path = f"/api/matches/{match}"
    with served.watch(match, [keys[1]]) as socket, served.watch(match) as other:
        heard(socket, "asked")
        served.post(f"{path}/move", key=keys[0], step=0, move="(try 2 2)")
        while not (news := heard(socket))["steps"] or news["steps"][-1]["number"] == 0:
            pass
        assert news["steps"][-1]["moves"][0] is None and "2 2" not in json.dumps(news["steps"])
        assert not any("2 2" in json.dumps(cell["items"]) for cell in news["board"]["grids"][0]["cells"])
        while not (news := heard(other))["steps"] or news["steps"][-1]["number"] == 0:
            pass
        assert news["board"] is None and news["steps"][-1]["moves"] == [None, None]
        assert served.refused("/api/why", match=match, step=1, keys=[keys[1]], atom="terminal")[0] == 400
        record = served.services.rooms.find(match).writing  # it would tell
        assert served.refused("/api/why", record=record, step=1, atom="terminal")[0] == 400
        assert record not in [row["file"] for row in served.get("/api/matches")["elsewhere"]]
        served.post(f"{path}/resign", key=keys[1])
        news = heard(socket, "over")
        assert news["steps"][1]["moves"][0] == "try 2 2"  # now that it is over


@pytest.mark.slow
def test_positions_are_searched(served: Site) -> None:
    with served.live("/api/analysis/live", game="connect_four", seconds=0.8) as socket:
        found = [json.loads(message) for message in socket]
    assert found[-1]["done"] and found[-1]["tables"][0]["role"] == 0 and found[-1]["simulations"] > 0
    assert len(found) >= 2 and found[0]["tables"][0]["moves"][0]["low"] <= found[0]["tables"][0]["moves"][0]["high"]


def test_matches_that_others_play_are_watched_while_they_are_written(served: Site) -> None:
    folder = served.services.archive.place
    ruleset = load(Source(NIM, "nim.kif"))
    machine = PrologMachine(ruleset)
    chronicle = begin_record(
        new_identity("nim", 1), ruleset, ["<b>a</b>", "b"], ["random", "random"], start_clock=1, play_clock=1,
        scrambled=False, place=folder, warn=print,
    )  # fmt: skip
    steps = list(random_play(machine, 3, 60))
    chronicle.position(machine.fluents(steps[0].position))
    assert chronicle.place is not None
    name = chronicle.place.name
    (row,) = [row for row in served.get("/api/matches")["elsewhere"] if row["file"] == name]
    assert row["game"] == "nim" and row["players"] == ["<b>a</b>", "b"]
    with served.live(f"/api/records/{name}/live", keys=[]) as socket:
        news = heard(socket)
        assert not news["status"]["over"] and len(news["steps"]) == 1
        for before, step in pairwise(steps[:3]):
            assert before.joint is not None
            chronicle.joint(before.joint, [Answer(move, None, 0.5) for move in before.joint])
            chronicle.position(machine.fluents(step.position))
        while (news := heard(socket))["from"] + len(news["steps"]) < 3:
            pass
        assert news["board"] and news["steps"][-1]["seconds"] == [0.5, 0.5]
        chronicle.take_back(1)
        while (news := heard(socket))["from"] != 2:
            pass
        assert news["steps"] == []
        chronicle.abort("enough")
        assert heard(socket, "over")["status"]["ending"] == "aborted"
    machine.close()
    assert served.get(f"/api/records/{name}")["complaints"] == []
    assert name not in [row["file"] for row in served.get("/api/matches")["elsewhere"]]
    reading = Reading(folder / name, served.services.shelf)
    opened = reading.opened()
    assert reading.opened() is opened and may_grow_until(opened.record, 1.0) == 0  # it is over: nothing is read again
    assert [frame.number for frame in opened.frames] == [0, 1] and len(opened.script(1)) == 1
    with pytest.raises(ConnectionClosed) as closed, served.live("/api/records/none.json/live", keys=[]) as socket:
        socket.recv(timeout=10)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == ENDED


def test_what_players_are_worth() -> None:
    roles: dict[str, Any] = {
        "x-roles": ["a", "random", "b", "c"],
        "x-players": ["ucd:c=2", "random", "http://[::1]:80", "human"],
    }
    record = Record("m", 1, "t", 1, 1, "url", errors=[["", "IL", "TO", ""]], more=roles, is_completed=True)
    assert Outcome.of(record) is None  # it has no goals
    record.players, record.goals = ["ucd", "random", "Max", "<i>"], [100, 0, 50, 0]
    assert Outcome.of(record) == Outcome(("ucd:c=2", "Max ([::1]:80)", "<i>"), (100, 50, 0), (0, 1, 0))
    outcomes = [
        Outcome(("a", "b"), (100, 0), (0, 2)),
        Outcome(("b", "a"), (100, 0), (0, 0)),
        Outcome(("a", "b"), (50, 50), (0, 0)),
    ]
    outcomes += [
        Outcome(("a", "b"), (100, 0), (0, 0)),
        Outcome(("c",), (60,), (1,)),
        Outcome(("a", "a"), (100, 0), (0, 0)),
    ]
    first, *others = standings(outcomes)
    assert first["player"] == "a" and (first["won"], first["even"], first["lost"], first["matches"]) == (2, 1, 1, 6)
    assert first["elo"] > 0 and [row["player"] for row in others] == ["c", "b"]
    assert [(row["elo"] is None, row["faults"], row["goal"]) for row in others] == [(True, 1, 60), (False, 2, 37.5)]
    apart = standings([Outcome(("a", "b"), (100, 0), (0, 0)), Outcome(("c", "d"), (100, 0), (0, 0))])
    assert all(row["elo"] is None for row in apart) and standings([]) == []


def test_positions_are_explained(served: Site) -> None:
    with served.live("/api/analysis/live", game="no_such", seconds=1) as socket:
        assert "no game" in json.loads(socket.recv(timeout=10))["error"]
    assert "does not hold" in served.post("/api/why", game="nim", atom="terminal")["text"]
    assert served.refused("/api/why", game="nim", atom="(legal ?x")[0] == 400


def test_rules_are_checked_laid_out_played_and_saved(served: Site) -> None:
    wrong = served.post("/api/studio/check", text=NIM + "\n(<= (next (heap ?x ?y)) (true (heap ?x ?z)))")
    problem = next(p for p in wrong["problems"] if p["law"] == 5)
    assert "nothing in the body binds ?y" in problem["message"] and problem["column"] > 1 and "^" in problem["excerpt"]
    assert "board" not in wrong
    right = served.post("/api/studio/check", text=NIM)
    assert right["problems"] == [] and right["board"]["groups"]
    assert ("terminal", 0) in [(one["name"], one.get("arity")) for one in right["outline"]]
    assert served.post("/api/studio/format", text="(role   a)")["text"] == "(role a)\n"
    steps = served.post("/api/studio/walk", text=NIM, seed=3)["steps"]
    assert steps[-1]["ending"] == "the game is over" and steps[0]["board"]["last"] == []
    assert served.post("/api/games/my_nim", text=NIM, replace=False) == {"file": "my_nim.kif"}
    assert "there already" in served.refused("/api/games/my_nim", text=NIM, replace=False)[1]
    assert served.get("/api/games")["games"][0]["name"] == "my_nim"
    assert served.get("/api/games/my_nim/board")["groups"]


def test_what_comes_from_elsewhere_is_not_let_in(served: Site) -> None:
    url, headers = served.url, {"Content-Type": "application/json"}
    page = requests.get(url, timeout=10)
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert requests.get(url, headers={"Host": "evil.example"}, timeout=10).status_code == 421
    for origin in ("http://evil.example", "null", url.replace("127.0.0.1", "127.0.0.1.evil.example")):
        answer = requests.post(url + "/api/matches", data="{}", headers={**headers, "Origin": origin}, timeout=10)
        assert answer.status_code == 403 and "Access-Control-Allow-Origin" not in answer.headers
        with pytest.raises(InvalidStatus):
            connect(url.replace("http", "ws") + "/api/analysis/live", origin=Origin(origin)).close()
    cross = requests.get(url + "/api/matches", headers={"Sec-Fetch-Site": "cross-site"}, timeout=10)
    assert cross.status_code == 403
    assert requests.post(url + "/api/matches", data="{}", timeout=10).status_code == 415  # a form could send it
    assert requests.post(url + "/api/seats", data=b"[" * 900_000, headers=headers, timeout=10).status_code == 413
    assert served.refused("/api/seats", text=3) == (400, "text: a text was expected")
    assert served.refused("/api/matches", game="nim", players=["ucd:seconds=no"])[0] == 400
    assert requests.post(url + "/api/games/..%2Fnim", json={"text": "x"}, timeout=10).status_code in (400, 404, 405)
    for path in ("/api/games/..%2f..%2fetc", "/api/records/..%2fmy_nim.kif", "/..%2fapp.py", "/%2e%2e/app.py"):
        assert requests.get(url + path, timeout=10).status_code in (400, 404)
    with pytest.raises(ConnectionClosed) as closed, served.watch("no-such-match") as socket:
        socket.recv(timeout=10)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == ENDED


def test_a_token_is_asked_for_and_floods_are_stopped(tmp_path: Path) -> None:
    with site(tmp_path, EntryRules(local_names(), "secret123", rate=1, burst=12)) as guarded:
        assert requests.get(guarded.url, timeout=10).status_code == 401
        with pytest.raises(InvalidStatus):
            connect(guarded.url.replace("http", "ws") + "/api/analysis/live").close()
        assert requests.get(guarded.url + "/?token=wrong", timeout=10).status_code == 401
        session = requests.Session()
        assert session.get(guarded.url + "/?token=secret123", timeout=10).status_code == 200
        assert session.cookies.get(COOKIE) == "secret123" and "token" not in session.get(guarded.url, timeout=10).url
        bearer = {"Authorization": "Bearer secret123"}
        assert requests.get(guarded.url + "/api/matches", headers=bearer, timeout=10).status_code == 200
        codes = {session.get(guarded.url + "/api/matches", timeout=10).status_code for _ in range(12)}
        assert codes == {200, 429}


def test_only_so_many_matches_are_played_at_once(tmp_path: Path) -> None:
    rooms = Rooms(None, RoomLimits(running=1))
    title = Shelf(tmp_path).title(Fields({"game": "nim"}))
    made = rooms.open(title, Fields({"players": ["human"]}))
    with pytest.raises(UsageError, match="1 matches are being played"):
        rooms.open(title, Fields({"players": ["human"]}))
    rooms.close(10)
    room: Room = rooms.find(made["id"])
    assert room.is_over and room.summary()["ending"] == "the server is stopping"


def test_symbolic_links_and_other_folders_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.kif").write_text("(role a)", encoding="utf-8")
    (tmp_path / "inside" / "link.kif").symlink_to(tmp_path / "secret.kif")
    (tmp_path / "inside" / "link.json").symlink_to(tmp_path / "secret.kif")
    shelf = Shelf(tmp_path / "inside")
    for name in ("link", "../secret", ".."):
        with pytest.raises(UsageError, match="no game"):
            shelf.text(name)
    archive = Archive(tmp_path / "inside", shelf)
    for name in ("link.json", "../secret.kif", "/etc/passwd"):
        with pytest.raises(UsageError, match="no record"):
            archive.open(name)
    with pytest.raises(UsageError, match="no such match"):
        Places(shelf, Rooms(None), archive).find(Fields({"match": "x", "step": 0}))


def test_small_parts() -> None:
    title = Shelf(Path()).of_source("nim", Source(NIM, "nim"))
    drawn = Drawing(title.ruleset).position([], None)
    assert drawn["roles"] == list(title.ruleset.roles) and Sight(None).roles is None
    assert only_waits(["a", "b"]) is False
    assert diagnose(Fields({"text": "(role"}))["problems"]
    with listening("127.0.0.1", 0) as taken, pytest.raises(UsageError, match="in use"):
        listening("127.0.0.1", taken.getsockname()[1])
    assert sum(path.stat().st_size for path in PAGE.iterdir()) < 200_000
    services = Services.of(Path(), None)
    assert callable(make_app(services, EntryRules(local_names()))) and isinstance(services.analyst, Analyst)


def test_a_match_that_cannot_be_played_says_why(tmp_path: Path) -> None:
    text = "(role a) (init p) (<= (legal a go) (true p)) (<= terminal (true q)) (goal a 100) (<= (next p) (true p))"
    title = Shelf(tmp_path).title(Fields({"text": text}))
    setup = read_setup(title, Fields({"players": ["http://127.0.0.1:1"]}))
    moved, shift = shifted(setup)
    assert moved.specs == setup.specs and shift == {0: 0} and moved.seed != setup.seed
    room = Room(setup, None)
    playing.play(room, None, threading.Event())
    assert room.is_over and "cannot be reached" in str(room.summary()["ending"])


def test_the_command_says_where_to_look_and_ends_on_ctrl_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["web", str(tmp_path / "none")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
    assert cli.main(["web", str(tmp_path), "--token", "short"]) == 2
    assert cli.main(["web", str(tmp_path), "--port", "99999"]) == 2
    assert "cannot listen" in capsys.readouterr().err
    command = [sys.executable, "-m", "ggp.cli", "web", str(tmp_path), "--port", "0", "--bind", "0.0.0.0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(command, **pipes, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "?token=" in line
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in errors, output + errors
