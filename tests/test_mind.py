"""What a child does with its commands: positions, moves, percepts, mistakes of the server, and accidents."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest

from ggp.match.mind import Mind
from ggp.match.packets import Packet
from tests.helpers import GAMES, TINY


class EndOfTestError(Exception):
    """No command is left."""


class Script:
    """An inbox with commands that were written before; functions among them are called in their turn."""

    def __init__(self, commands: list[Any]) -> None:
        self.interrupt = threading.Event()
        self._commands = list(commands)

    def take(self) -> Packet:
        while self._commands:
            command = self._commands.pop(0)
            if isinstance(command, dict):
                return command
            command()
        raise EndOfTestError


def load_command(game: str, role: str, **changes: Any) -> Packet:
    rules = game if game.startswith("(") else (GAMES / f"{game}.kif").read_text(encoding="utf-8")
    return {
        "do": "load", "rules": rules, "role": role, "match": "m", "player": "random", "seed": 1, "question_seconds": 30,
        "particles": 20, "ready_by": 0.0, "ponder": False, "fluents": None, "step": -1, **changes,
    }  # fmt: skip


def advance(step: int, seen: list[str] | None, **changes: Any) -> Packet:
    command = {"do": "advance", "step": step, "seen": seen, "percepts": False, "own": None, "decide_by": None}
    return {**command, **changes}


def run(kind: str, *commands: Any) -> list[Packet]:
    """What a child tells when it is given these commands."""
    told: list[Packet] = []
    mind = Mind(kind, Script(list(commands)), told.append)
    with pytest.raises(EndOfTestError):
        mind.run()
    if mind._match is not None:
        if mind._match.player is not None:
            mind._match.player.close()
        mind._match.machine.close()
    return told


def of(told: list[Packet], kind: str) -> list[Packet]:
    return [packet for packet in told if packet["is"] == kind]


def test_the_referee_keeps_the_position_in_the_spelling_of_the_rules() -> None:
    rules = TINY.replace("wait", "WAIT").replace("me", "Me").replace("(on", "(ON")
    told = run("referee", load_command(rules, "ME"), advance(0, None), advance(1, ["wait"]))
    assert [packet["is"] for packet in told] == ["loaded", "position", "ready", "position", "position"]
    assert [(p["step"], p["terminal"], p["fluents"]) for p in of(told, "position")] == [
        (-1, False, ["(on 1)"]), (0, False, ["(on 1)"]), (1, True, ["(on 2)"]),
    ]  # fmt: skip
    assert of(told, "position")[0]["legal"] == ["WAIT"]


def test_a_child_goes_on_from_any_position() -> None:
    told = run("referee", load_command(TINY, "me", fluents=["(on 2)"], step=4), advance(5, None))
    assert [(p["step"], p["terminal"]) for p in of(told, "position")] == [(4, True), (5, True)]


def test_moves_that_cannot_be_are_told_and_survived() -> None:
    told = run(
        "referee", load_command("tic_tac_toe", "x"),
        advance(0, ["(mark 1 1)"]), advance(1, ["noop", "noop"]), advance(2, ["(mark 9 9)", "(fly)"]),
        advance(3, ["(mark 1 1)", "noop"]),
        {"do": "check", "seen": ["(mark 1 1)", "noop"], "number": 0}, {"do": "check", "seen": ["a"], "number": 1},
        {"do": "check", "seen": ["noop", "(mark 3 3)"], "number": 2},
    )  # fmt: skip
    assert [p["kind"] for p in of(told, "event")] == ["moves-unclear", "moves-illegal", "moves-illegal"]
    assert [p["step"] for p in of(told, "position")] == [-1, 0, 1, 2, 3]
    assert [p["legal"] for p in of(told, "checked")][:2] == [False, False]


def test_a_player_that_does_not_search_is_ready_at_once() -> None:
    begun = time.monotonic()
    told = run("mind", load_command("tic_tac_toe", "x", ready_by=begun + 30), advance(0, None, decide_by=begun + 30))
    assert time.monotonic() < begun + 20
    assert of(told, "chosen")[0]["move"] in of(told, "position")[-1]["legal"]


def test_the_start_clock_is_used_until_the_game_is_solved() -> None:
    begun = time.monotonic()
    load = load_command("tic_tac_toe", "x", ready_by=begun + 60, player="ucd:policy=uniform,memory=16")
    told = run("mind", load, advance(0, None, decide_by=begun + 90))
    assert time.monotonic() < begun + 50
    assert "circuit-ready" in [packet["kind"] for packet in of(told, "event")]
    (chosen,) = of(told, "chosen")
    assert chosen["report"]["engine"] == "circuit" and chosen["report"]["proven"] is True


def test_the_start_clock_is_used_to_its_end_otherwise() -> None:
    begun = time.monotonic()
    told = run("mind", load_command("othello", "black", ready_by=begun + 3, player="ucd:memory=16"))
    assert begun + 2.9 < time.monotonic() < begun + 6
    assert {"is": "ready"} in told[-3:]  # events of the machine may follow


def test_percepts_lead_to_a_vote_over_particles() -> None:
    told = run(
        "mind", load_command("monty_hall", "candidate"), advance(0, None, decide_by=time.monotonic() + 9),
        advance(1, [], percepts=True, own="noop", decide_by=time.monotonic() + 9),
        advance(2, [], percepts=True, own="(choose 1)"),
        advance(3, ["(opened 3)"], percepts=True, own="noop", decide_by=time.monotonic() + 30),
    )  # fmt: skip
    assert {p["kind"] for p in of(told, "event")} <= {"circuit-ready", "circuit-better"}
    chosen = of(told, "chosen")
    assert chosen[1]["report"]["positions"] == 20 == chosen[1]["report"]["asked"]
    assert chosen[-1]["move"] in ("stay", "switch") and of(told, "position")[-1]["fluents"] is None


def test_percepts_alone_or_without_explanation_are_told() -> None:
    told = run(
        "referee", load_command("monty_hall", "candidate"), advance(1, [], percepts=True),
        advance(1, ["nonsense"], percepts=True, own="noop"),
    )  # fmt: skip
    assert [p["kind"] for p in of(told, "event")] == ["percepts-alone", "percepts-unexplained"]


def test_nonsense_is_refused() -> None:
    for rules, role, why in ((TINY, "you", "no role 'you'; it has: me"), ("(role me)", "me", "no rule defines goal")):
        told = run("referee", load_command(rules, role), advance(0, None))
        assert [packet["is"] for packet in told] == ["refused"] and why in told[0]["why"]


def test_a_worker_that_was_killed_is_replaced() -> None:
    told: list[Packet] = []

    def kill_the_worker() -> None:
        assert mind._match is not None
        os.kill(mind._match.machine._bridge.pid, signal.SIGKILL)  # type: ignore[attr-defined]

    commands = [load_command("tic_tac_toe", "x"), kill_the_worker, advance(0, ["(mark 1 1)", "noop"])]
    mind = Mind("referee", Script(commands), told.append)
    with pytest.raises(EndOfTestError):
        mind.run()
    assert mind._match is not None
    mind._match.machine.close()
    assert "(mark 1 1)" not in told[-1]["legal"] and "(marked 1 1 x)" in told[-1]["fluents"]
