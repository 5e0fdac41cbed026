"""`ggp play` as a process with its real children: matches, accidents to every process, signals, and no orphans."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gdl import Ruleset, load, parse_term
from ggp.cli import main
from ggp.core.seeds import split_seed
from ggp.machines import PrologMachine
from ggp.machines.machine import JointMove
from ggp.match.messages import Play, Start, Stop
from tests.helpers import GAMES, ROOT, started
from tests.player_fakes import background, log_lines, mutations, post, talk, until


@dataclass
class Running:
    """A player process."""

    process: subprocess.Popen[str]
    port: int
    log: Path
    machines: list[PrologMachine] = field(default_factory=list)
    """What the tests opened, to be closed whatever happens."""

    def say(self, message: str, **headers: str) -> str:
        return talk(self.port, post(message, **headers), timeout=60).body.decode()

    def events(self, *names: str) -> list[dict[str, Any]]:
        return [line for line in log_lines(self.log) if line["event"] in names]

    def child(self, kind: str) -> int:
        """The newest child of a kind in the newest match."""
        pid = [line["pid"] for line in self.events("child") if line["kind"] == kind][-1]
        assert isinstance(pid, int)
        return pid


@pytest.fixture
def player(running: Running) -> Iterator[Running]:
    """The player that all tests share; a match that a test left behind ends with it."""
    yield running
    for line in running.events("start"):
        running.say(f"( ABORT {line['match']} )")
    while running.machines:
        running.machines.pop().close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    log = tmp_path_factory.mktemp("player") / "log.jsonl"
    with launch("--log", str(log), "--player", "random") as process:
        yield Running(process, port_of(process), log)
        below = descendants(process.pid)
        process.terminate()
        assert process.wait(10) == 0
    until(lambda: not any(map(is_alive, below)))
    faults = [line for line in log_lines(log) if line["event"] in ("fault", "child-failed", "illegal", "disagreement")]
    assert [line for line in faults if line["match"] != "Worker.1"] == []


def launch(*arguments: str, **variables: str) -> AbstractContextManager[subprocess.Popen[str]]:
    command = [sys.executable, ROOT / "player.py", "--port", "0", *arguments]
    return started(command, stderr=subprocess.PIPE, cwd=ROOT, env={**os.environ, **variables})


def port_of(process: subprocess.Popen[str]) -> int:
    assert process.stderr is not None
    found = re.search(r"http://127\.0\.0\.1:(\d+)", process.stderr.readline())
    assert found is not None
    return int(found[1])


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    below: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if state != "Z":
                below.setdefault(int(parent), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        children = below.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Master:
    """Plays a match against a player: the others move at random, and every answer is checked."""

    def __init__(self, player: Running, game: str, match: str, *, clock: int = 2, role: int = 0, seed: int = 1) -> None:
        self.player, self.match, self.clock, self.role = player, match, clock, role
        self.ruleset: Ruleset = load(GAMES / f"{game}.kif")
        self.machine = PrologMachine(self.ruleset)
        player.machines.append(self.machine)
        self.generator = random.Random(split_seed(seed, game, role))
        self.position = self.machine.initial()
        self.joint: JointMove | None = None
        self.steps = 0
        self.goals: list[int] = []

    def start(self, start_clock: int = 20) -> None:
        rules = self.ruleset.source.text
        assert (
            self.player.say(Start(self.match, self.ruleset.roles[self.role], rules, start_clock, self.clock).text())
            == "ready"
        )

    def step(self) -> bool:
        """One step; false at the end."""
        situation = self.machine.situation(self.position)
        if situation.terminal:
            self.goals = [max(values) for values in situation.goals]
            return False
        before = time.monotonic()
        answer = self.player.say(Play(self.match, self.joint).text())
        assert time.monotonic() - before < self.clock
        move = parse_term(answer)
        assert move in situation.legal[self.role], answer
        self.joint = tuple(
            move if role == self.role else self.generator.choice(moves) for role, moves in enumerate(situation.legal)
        )
        self.position = self.machine.next(self.position, self.joint)
        self.steps += 1
        return True

    def finish(self) -> None:
        while self.step():
            pass
        self.stop()

    def stop(self) -> None:
        assert self.player.say(Stop(self.match, self.joint).text()) == "done"

    def answers(self) -> list[str]:
        """Where the answers came from."""
        return [line["how"] for line in self.player.events("answer") if line["match"] == self.match]


def test_a_match_is_played_to_its_end(player: Running) -> None:
    master = Master(player, "bidding_tic_tac_toe", "Whole.1", role=1)
    master.start()
    master.finish()
    assert master.answers() == ["mind"] * master.steps
    until(lambda: player.events("finished"))
    finished = player.events("finished")[-1]
    goals = master.goals
    assert (finished["steps"], finished["terminal"], finished["goals"]) == (master.steps, True, goals)


def test_killed_children_cost_neither_time_nor_moves(player: Running) -> None:
    master = Master(player, "connect_four", "Killed.1", clock=3)
    master.start()
    for victims in (["mind"], ["mind", "referee"]):
        assert master.step()
        pids = [player.child(kind) for kind in victims]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        assert master.step()
        assert not any(is_alive(pid) for pid in pids)
    for _ in range(40):  # until the new mind has come to its feet: standby moves do until then
        master.step()
        if master.answers()[-1] == "mind":
            break
    assert master.answers()[-1] == "mind"
    assert len(player.events("child-died")) == 3
    master.stop()


def test_killed_prolog_workers_cost_neither_time_nor_moves(player: Running) -> None:
    def workers() -> list[int]:
        return [pid for kind in ("mind", "referee") for pid in descendants(player.child(kind))]

    master = Master(player, "connect_four", "Worker.1", role=1, clock=3)
    master.start()
    for _ in range(3):
        until(workers)  # a referee under load may still be starting one anew
        for pid in workers():
            os.kill(pid, signal.SIGKILL)
        assert master.step()
    master.stop()


def test_a_mind_that_is_stopped_is_replaced(player: Running) -> None:
    master = Master(player, "connect_four", "Stopped.1", clock=2)
    master.start()
    assert master.step()
    stopped = player.child("mind")
    os.kill(stopped, signal.SIGSTOP)
    assert master.step()
    assert master.answers()[-1] == "standby"
    assert master.step()
    until(lambda: not is_alive(stopped))
    until(lambda: player.child("mind") != stopped)
    assert [line["kind"] for line in player.events("silent")] == ["mind"]
    master.stop()


def test_children_that_are_stopped_are_replaced_and_no_move_is_illegal(player: Running) -> None:
    """`Master.step` looks at each answer: it came in time, and it is legal."""
    master = Master(player, "connect_four", "Frozen.1", clock=2)
    master.start()
    assert master.step() and master.step()
    stopped = [player.child(kind) for kind in ("mind", "referee")]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    for _ in range(6):
        assert master.step()
    until(lambda: not any(map(is_alive, stopped)))
    until(lambda: player.child("mind") not in stopped)
    for _ in range(20):
        if not master.step() or master.answers()[-1] == "mind":
            break
    assert master.answers()[-1] == "mind"
    master.stop()


def test_abort_at_many_moments_leaves_nothing_behind(player: Running) -> None:
    rules = (GAMES / "chess.kif").read_text(encoding="utf-8")
    message = Start("Aborted.1", "white", rules, 30, 10).text()
    for pause in (0.0, 0.1, 0.6):
        waiting = background(lambda: player.say(message))
        time.sleep(pause)
        until(lambda: player.say("( ABORT Aborted.1 )") == "aborted")
        assert waiting() in ("ready", "busy")
        assert "available" in player.say("( INFO )")
    until(lambda: len(descendants(player.process.pid)) <= 4, 20)  # two spare children, and a worker where one warms up


def test_strangers_while_real_children_play(player: Running) -> None:
    master = Master(player, "tic_tac_toe", "Strange.1")
    master.start()
    valid = [post("( INFO )"), post(Start("x", "x", "(role x)", 1, 1).text()), post("( PLAY Strange (a b) )")]
    with ThreadPoolExecutor(4) as pool:
        done = pool.map(lambda request: _send(player.port, request), mutations(3, 200, valid))
        master.finish()
        assert not any(b"Traceback" in answer for answer in done)
    assert "illegal" not in [line["event"] for line in player.events("illegal")]


def _send(port: int, request: bytes) -> bytes:
    try:
        return talk(port, request, half_close=True).raw
    except ConnectionError:
        return b""


def test_nonsense_is_refused_with_its_reason(player: Running) -> None:
    until(lambda: "available" in player.say("( INFO )"))
    assert player.say(Start("Bad.1", "me", "(role me) (<= (legal me ?x) (not (p ?x)))", 30, 5).text()) == "busy"
    assert player.say(Start("Bad.2", "you", (GAMES / "nim.kif").read_text(encoding="utf-8"), 30, 5).text()) == "busy"
    assert "[law 2]" in player.events("refused")[-3]["why"]
    assert "the game has no role 'you'" in player.events("refused")[-1]["why"]
    assert "available" in player.say("( INFO )")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_signals_end_a_match_with_an_answer(number: signal.Signals, code: int, tmp_path: Path) -> None:
    with launch("--log", str(tmp_path / "log"), "--player", "random") as process:
        running = Running(process, port_of(process), tmp_path / "log")
        rules = (GAMES / "nim.kif").read_text(encoding="utf-8")
        role = load(GAMES / "nim.kif").roles[0]
        assert running.say(Start("m", role, rules, 20, 60).text()) == "ready"
        os.kill(running.child("mind"), signal.SIGSTOP)
        waiting = background(lambda: running.say("( PLAY m NIL )"))
        time.sleep(0.5)
        below = descendants(process.pid)
        assert len(below) >= 2
        process.send_signal(number)
        assert process.wait(10) == code
        assert parse_term(waiting()) is not None and waiting() != "busy"
        until(lambda: not any(map(is_alive, below)))
        assert running.events("answer")[-1]["how"] == "standby"


def test_children_end_with_a_player_that_is_killed() -> None:
    with launch("--player", "random") as process:
        port = port_of(process)
        rules = (GAMES / "chess.kif").read_text(encoding="utf-8")
        assert talk(port, post(Start("m", "white", rules, 3, 60).text())).body == b"ready"
        below = descendants(process.pid)
        assert len(below) >= 3
        process.kill()
        process.wait(5)
        until(lambda: not any(map(is_alive, below)))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--player", "nobody"], "there is no player 'nobody'"),
        (["--bind", "no.such.host.invalid"], "no.such.host.invalid:9147: this address is not known"),
        (["--log", "/nowhere/at/all"], "/nowhere/at/all: the log cannot be written: No such file"),
        (["--name", "a b"], "'a b' is no GDL word"),
        (["--name", "\u00e4"], "is no GDL word"),
        (["--port", "70000"], "70000 is no port"),
        (["--margin", "nan"], "nan is no number of seconds"),
    ],
)
def test_mistakes_on_the_command_line(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main(["play", *arguments])
    except SystemExit as error:
        code = int(str(error.code))
    told = capsys.readouterr().err
    assert code == 2 and complaint in told and "Traceback" not in told


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["play", "--port", port]) == 2
    told = capsys.readouterr().err
    assert told == f"ggp: 127.0.0.1:{port}: the port is taken; choose another one, or 0 for any free one\n"


def test_a_match_with_hidden_information(player: Running) -> None:
    ruleset = load(GAMES / "kriegspiel_tic_tac_toe.kif")
    machine = PrologMachine(ruleset)
    player.machines.append(machine)
    generator = random.Random(1)
    assert player.say(Start("Hidden.1", ruleset.roles[0], ruleset.source.text, 20, 3).text()) == "ready"
    position = machine.initial()
    message = Play("Hidden.1", None, 0, None)
    for turn in range(1, 100):
        situation = machine.situation(position)
        if situation.terminal:
            break
        move = parse_term(player.say(message.text()))
        assert move in situation.legal[0]
        joint = (move, *(generator.choice(moves) for moves in situation.legal[1:]))
        message = Play("Hidden.1", machine.sees(position, joint)[0], turn, move)
        position = machine.next(position, joint)
    assert machine.situation(position).terminal
    assert player.say(Stop("Hidden.1", message.seen, message.turn, message.last).text()) == "done"
    sources = [line["how"] for line in player.events("answer") if line["match"] == "Hidden.1"]
    assert set(sources) == {"mind"}
    assert player.events("percepts-unexplained", "percepts-alone") == []


def test_without_prolog_the_circuit_plays(tmp_path: Path) -> None:
    (tmp_path / "pyswip").mkdir()
    (tmp_path / "pyswip" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'pyswip'\")")
    around = {"PYTHONPATH": str(tmp_path), "GGP_CACHE": "off"}
    with launch("--player", "random", "--log", str(tmp_path / "log"), **around) as process:
        running = Running(process, port_of(process), tmp_path / "log")
        master = Master(running, "tic_tac_toe", "m", clock=3)
        with closing(master.machine):
            master.start()
            master.finish()
        assert set(master.answers()) == {"mind"}
        assert {"refused", "prolog-missing"} <= {line["event"] for line in log_lines(running.log)}
