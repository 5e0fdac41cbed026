"""Machines from the cache: the same answers, whoever asks and under whatever names."""

from __future__ import annotations

import logging
import os
import random
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from gdl import Ruleset, Source, load
from gdl.program import GroundProgram
from gdl.scramble import scramble
from ggp.core.cache import cache
from ggp.lanes import VARIABLE
from ggp.lanes.bank import Bank
from ggp.lanes.engine import Engine
from ggp.lanes.ways import preferred, usable
from ggp.machines import kept
from ggp.machines.circuit import CircuitMachine
from ggp.machines.kept import compiled, find, find_part, keep, keep_part
from tests.helpers import GAMES, ROOT, TINY

GAME = ["tic_tac_toe", "connect_four", "kriegspiel_tic_tac_toe", "dice_race", "eight_puzzle", "nim"]
"""With turns, alone, with hidden information, with chance, with goals between 0 and 100."""


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GGP_CACHE", str(tmp_path / "kept"))


def of(game: str) -> Ruleset:
    return load(GAMES / f"{game}.kif")


def renamed(ruleset: Ruleset, seed: int = 1) -> Ruleset:
    return load(Source(scramble(ruleset.rules, seed, permute=True).text))


def goals(machine: CircuitMachine) -> list[int]:
    """Of playouts with the same random numbers."""
    sums: list[int] = Bank(machine.engine, 512, seed=3).play(200).sums.tolist()
    return sums


def assert_plays_the_same(one: CircuitMachine, other: CircuitMachine, plays: int = 3) -> None:
    """In random plays, positions and what can be asked about them are equal."""
    assert one.roles == other.roles
    generator = random.Random(1)
    for _ in range(plays):
        here, there = one.initial(), other.initial()
        for _ in range(60):
            assert one.fluents(here) == other.fluents(there)
            assert other.position(one.fluents(here)) == there
            situation = one.situation(here)
            assert situation == other.situation(there)
            if situation.terminal:
                break
            joint = tuple(generator.choice(moves) for moves in situation.legal)
            assert one.sees(here, joint) == other.sees(there, joint)
            here, there = one.next(here, joint), other.next(there, joint)


@pytest.mark.parametrize("game", GAME)
def test_a_machine_is_found_by_its_words_and_by_what_they_say(game: str) -> None:
    ruleset = of(game)
    made = CircuitMachine.compile(ruleset)
    assert find(ruleset) is None
    keep(made)
    again = find(ruleset, exact=True)
    assert again is not None
    for field in fields(GroundProgram):
        assert getattr(again.program, field.name) == getattr(made.program, field.name), field.name
    assert again.circuit.digest_bytes() == made.circuit.digest_bytes()
    assert (again.bases, again.inputs) == (made.bases, made.inputs)
    assert goals(again) == goals(made)

    scrambled = renamed(ruleset)
    assert find(scrambled, exact=True) is None
    found = find(scrambled)
    assert found is not None
    fresh = CircuitMachine.compile(scrambled)
    assert_plays_the_same(fresh, found)

    assert sorted(pair.move for pair in found.program.inputs) == sorted(i.move for i in fresh.program.inputs)


def test_names_of_ground_atoms_are_renamed_too() -> None:
    ruleset = load(Source(TINY))
    keep(CircuitMachine.compile(ruleset))
    other = load(Source(TINY.replace("wait", "pause").replace("on", "off")))
    found = find(other)
    assert found is not None
    assert "(true (off 1))" in found.program.names
    assert found.program.rules == CircuitMachine.compile(other).program.rules


def test_layout_and_comments_are_no_words() -> None:
    ruleset = load(Source(TINY))
    keep(CircuitMachine.compile(ruleset))
    found = find(load(Source("; a note\n" + TINY.replace("\n", "   "))), exact=True)
    assert found is not None
    assert find(load(Source(TINY.replace("100", "99")))) is None


def test_a_machine_of_the_same_words_goes_before_one_of_other_words() -> None:
    ruleset, other = load(Source(TINY)), load(Source(TINY.replace("wait", "pause")))
    keep(CircuitMachine.compile(ruleset))
    assert find(other) is not None and find(other, exact=True) is None
    keep(CircuitMachine.compile(other))
    own = find(other, exact=True)
    assert own is not None and own.program.inputs == CircuitMachine.compile(other).program.inputs


def test_a_machine_is_found_by_what_runs_its_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load(Source(TINY))
    for way in usable():
        monkeypatch.setenv(VARIABLE, way.value)
        assert find(ruleset) is None
        assert compiled(ruleset).engine.way is way
        found = find(ruleset)
        assert found is not None and found.engine.way is way


def test_a_machine_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset, told = load(Source(TINY)), list[str]()
    made = compiled(ruleset, tell=told.append)
    assert told and {"tick", "look", "playout"} <= set(vars(made.engine)) and made.engine.is_ready("uniform")
    monkeypatch.setattr(CircuitMachine, "compile", None)
    assert goals(compiled(ruleset)) == goals(made)


def test_without_a_cache_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load(Source(TINY))
    made = CircuitMachine.compile(ruleset)
    keep(made)
    monkeypatch.setenv("GGP_CACHE", "off")
    keep(made)
    keep_part(made.engine, "part", 1)
    assert find(ruleset) is None and find_part(made.engine, "part") is None


def test_names_whose_machine_has_gone_find_nothing() -> None:
    ruleset = load(Source(TINY))
    keep(CircuitMachine.compile(ruleset))
    folder = cache().folder
    assert folder is not None
    max(folder.iterdir(), key=lambda file: file.stat().st_size).unlink()
    assert find(load(Source(TINY.replace("wait", "pause")))) is None
    assert find(ruleset) is None


def test_what_cannot_be_unpickled_is_made_anew(caplog: pytest.LogCaptureFixture) -> None:
    ruleset = load(Source(TINY))
    cache().put(kept._key(kept._digest(ruleset), preferred()), [b"\x80\x05cgone\nGone\n."])
    with caplog.at_level(logging.WARNING):
        assert find(ruleset) is None
    assert ["cannot be read" in record.getMessage() for record in caplog.records] == [True]


def test_parts_belong_to_a_circuit_and_not_to_names() -> None:
    one = CircuitMachine.compile(of("nim"))
    other = CircuitMachine.compile(of("tic_tac_toe"))
    keep_part(one.engine, "part", {"a": np.arange(3)})
    twin = CircuitMachine(one.ruleset, one.program, Engine(one.circuit))
    assert find_part(twin.engine, "part")["a"].tolist() == [0, 1, 2]
    assert find_part(one.engine, "other") is None
    assert find_part(other.engine, "part") is None


def test_another_process_finds_it_whatever_its_hashes() -> None:
    made = CircuitMachine.compile(of("connect_four"))
    _ = made.engine.rollout()
    keep(made)
    code = """
from gdl import load, kif
from ggp.lanes.bank import Bank
from ggp.machines.kept import compiled, find, find_part, keep, keep_part
from ggp.machines import circuit
circuit.ground = None  # nothing is compiled here
machine = find(load("games/connect_four.kif"), exact=True)
assert {"tick", "look"} <= set(vars(machine.engine)) and machine.engine.is_ready("uniform")
start = machine.initial()
drop = machine.situation(start).legal
print(kif(drop[0][2]), machine.position(machine.fluents(start)) == start)
print(Bank(machine.engine, 512, seed=3).play(200).sums.tolist())
"""
    wanted = f"{made.situation(made.initial()).legal[0][2]} True\n{goals(made)}\n"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert (done.stdout, done.stderr) == (wanted, "")


def test_the_key_of_scrambled_rules_is_the_same_in_every_process() -> None:
    code = "from gdl import load; from gdl.canonical import canonical; print(canonical(load('games/quarto.kif')))"
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
