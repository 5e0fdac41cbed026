"""UCI, with a fake program over a real pipe."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from gdl import kif
from ggp.core.errors import SpecialistError, UsageError
from ggp.specialists.uci import Option
from tests.specialists import Joint, fake, log, seated, told, turn

__all__ = ["log"]
LEGAL = ["(move e 2 e 4)", "(promote a 7 b 8 knight)"]


def test_what_a_program_is_told(log: Path) -> None:
    history: list[Joint] = [("(move e 2 e 4)", "noop"), ("noop", "(move e 7 e 5)")]
    spec = fake("uci", "good", log, "e2e4", "a7b8n", options=",skill level=3,depth=4")
    with seated(spec, "chess") as player:
        assert kif(player.choose(turn(LEGAL, seconds=None))) == "(move e 2 e 4)"
        assert kif(player.choose(turn(LEGAL, history, seconds=3))) == "(promote a 7 b 8 knight)"
        said = {"program": "Fake 1", "said": "a7b8n", "depth": 7, "nodes": 1234, "centipawns": -35}
        assert {**player.report(), "seconds": 0} == {**said, "seconds": 0}
    lines = told(log, "isready")
    assert lines[:4] == ["uci", "setoption name Skill Level value 3", "ucinewgame", "position startpos"]
    assert lines[5] == "position startpos moves e2e4 e7e5"
    times = [int(line.split()[2]) for line in (lines[4], lines[6])]
    assert [line.split(maxsplit=3)[3] for line in (lines[4], lines[6])] == ["depth 4", "depth 4"]
    assert times[0] > 50_000 and 2_000 < times[1] <= 2_900


def test_the_time_is_what_was_asked_for_and_no_more_than_there_is(log: Path) -> None:
    with seated(fake("uci", "good", log, "e2e4", "e2e4", options=",seconds=0.5"), "chess") as player:
        player.choose(turn(LEGAL, seconds=3))
        player.choose(turn(LEGAL, seconds=0.4))
    first, second = (int(line.split()[-1]) for line in told(log) if line.startswith("go"))
    assert first == 500 and second < 400


def test_a_variant_is_an_option_that_the_program_must_have(log: Path) -> None:
    legal = ["(move 1 2 1 3)", "(move 8 2 7 3)"]
    with seated(fake("uci", "good", log, "h2g3"), "breakthrough") as player:
        assert kif(player.choose(turn(legal))) == "(move 8 2 7 3)"
    assert "setoption name UCI_Variant value breakthrough" in told(log)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("skil=3", "no option 'skil'; known are: Skill Level, Ponder, UCI_Variant"),
        ("skill level=21", "Skill Level cannot be 21, but -20 to 20"),
        ("skill level=much", "Skill Level cannot be much, but -20 to 20"),
        ("ponder=yes", "Ponder cannot be yes, but true or false"),
        ("uci_variant=go", "UCI_Variant cannot be go, but chess or breakthrough"),
    ],
)
def test_wrong_options_are_told_before_a_match(option: str, message: str, log: Path) -> None:
    with (
        seated(fake("uci", "good", log, options=f",{option}"), "chess") as player,
        pytest.raises(UsageError, match=message),
    ):
        player.open()


def test_kinds_of_options() -> None:
    assert Option("string", ()).accepts("anything")
    assert Option("spin", ()).accepts("-3")
    assert not Option("spin", (), -1, 0).accepts("1")


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ("slow", "did not answer in time"),
        ("floods", "did not answer in time"),
        ("dies", "has ended with code 3: out of luck"),
        ("good", "plays '0000', which is no legal move here"),
    ],
)
def test_what_goes_wrong_is_told_in_time(behaviour: str, message: str, log: Path) -> None:
    begun = time.monotonic()
    with (
        seated(fake("uci", behaviour, log, "0000"), "chess") as player,
        pytest.raises(SpecialistError, match=message),
    ):
        player.choose(turn(LEGAL, seconds=0.6))
    assert time.monotonic() - begun < 5


def test_who_is_asked_to_stop_stops(log: Path) -> None:
    asked = turn(LEGAL, seconds=30)
    stop = threading.Event()
    stop.set()
    with (
        seated(fake("uci", "slow", log, "e2e4"), "chess") as player,
        pytest.raises(SpecialistError, match="was asked to stop"),
    ):
        player.choose(type(asked)(asked.machine, None, asked.situation, 0, asked.deadline, stop, ()))
