"""GTP, with a fake program over a real pipe: what it is told, and each way in which it can go wrong."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gdl import kif
from ggp.core.errors import SpecialistError
from ggp.specialists.client import Told, Wanted
from ggp.specialists.gtp import Gtp
from ggp.specialists.pipe import Pipe
from tests.specialists import Joint, fake, log, seated, told, turn

__all__ = ["log"]
SETUP = ["boardsize 6", "komi 5.5", "clear_board"]
LEGAL = ["(place 1 1)", "(place 3 2)", "pass"]
INTRODUCTION = ("protocol_version", "name", "version", "list_commands")


def test_moves_are_told_once_and_from_the_first_one_where_the_match_went_another_way(log: Path) -> None:
    match: list[Joint] = [("(place 1 1)", "noop"), ("noop", "(place 2 6)")]
    with seated(fake("gtp", "good", log, "A1", "c2", "PASS", "a1"), "go_6x6") as player:
        assert kif(player.choose(turn(LEGAL))) == "(place 1 1)"
        assert {**player.report(), "seconds": 0} == {"program": "Fake 1", "said": "A1", "seconds": 0}
        assert kif(player.choose(turn(LEGAL, match))) == "(place 3 2)"
        assert kif(player.choose(turn(LEGAL, [*match, ("pass", "noop"), ("noop", "pass")]))) == "pass"
        assert kif(player.choose(turn(LEGAL, match[:1], role=1))) == "(place 1 1)"
    assert told(log, *INTRODUCTION) == [
        *SETUP, "genmove black", "play white b6", "genmove black",
        *SETUP[2:], "play black a1", "play white b6", "play black pass", "play white pass", "genmove black",
        *SETUP[2:], "play black a1", "genmove white", "quit",
    ]  # fmt: skip


def test_a_single_move_is_made_without_asking(log: Path) -> None:
    with seated(fake("gtp", "good", log), "go_6x6") as player:
        assert kif(player.choose(turn(["noop"]))) == "noop"
        assert player.report() == {}
    assert not log.exists()


def test_a_program_that_gives_up_passes(log: Path) -> None:
    with seated(fake("gtp", "good", log, "resign"), "go_6x6") as player:
        assert kif(player.choose(turn(LEGAL))) == "pass"
        assert player.report()["said"] == "resign"


def test_seconds_are_told(log: Path) -> None:
    with seated(fake("gtp", "good", log, "a1", options=",seconds=2.5"), "go_6x6") as player:
        player.choose(turn(LEGAL))
    assert "time_settings 0 2 1" in told(log)


@pytest.mark.parametrize(
    ("behaviour", "history", "message"),
    [
        ("slow", (), "did not answer in time"),
        ("deaf", (), "did not answer in time"),
        ("dies", (), "has ended with code 3: out of luck"),
        ("garbage", (), r"says '\\x1b\[2J well, well' instead of an answer to command 8, genmove black"),
        ("endless", (), "sends a line without end"),
        ("floods", (), "says 'info depth 1' instead of an answer"),
        ("old", (), "says '1' instead of version 2 of the protocol"),
        ("refuses", [("(place 1 1)", "noop")], "refuses play black a1: illegal move; it is move 1 of the match"),
        ("good", None, "has to be told all moves of the match, and they are not known here"),
    ],
)
def test_what_goes_wrong_is_told_in_time(behaviour: str, history: list[Joint] | None, message: str, log: Path) -> None:
    begun = time.monotonic()
    with (
        seated(fake("gtp", behaviour, log, "a1"), "go_6x6") as player,
        pytest.raises(SpecialistError, match=message),
    ):
        player.choose(turn(LEGAL, history, seconds=0.6))
    assert time.monotonic() - begun < 5  # `slow` and `deaf` sleep for a minute


def test_an_illegal_move_is_told_and_the_next_one_is_asked_of_a_new_program(log: Path) -> None:
    with seated(fake("gtp", "good", log, "f6", "a1"), "go_6x6") as player:
        for _ in range(2):
            with pytest.raises(SpecialistError, match="plays 'f6', which is no legal move here"):
                player.choose(turn(LEGAL))
    assert told(log).count("protocol_version") == 2


def test_a_program_that_refuses_the_board_cannot_play() -> None:
    answers = 'list*) echo "=$n boardsize play genmove clear_board";; board*) echo "?$n unacceptable size";;'
    script = f'while read n c r; do case $c in {answers} *) echo "=$n 2";; esac; echo; done'
    pipe = Pipe("small", ["sh", "-c", script])
    with pytest.raises(SpecialistError, match="small refuses boardsize 90: unacceptable size"):
        Gtp(pipe, ["boardsize 90"], time.monotonic() + 5)
    pipe.close()


def test_who_is_slow_to_hear_of_moves_has_no_more_time_than_the_clock_has() -> None:
    answers = 'protocol*) a=2;; list*) a="clear_board genmove play";; play) sleep 0.2;;'
    pipe = Pipe("slow", ["sh", "-c", f'while read n c r; do a=; case $c in {answers} esac; echo "=$n $a"; echo; done'])
    begun = time.monotonic()
    gtp = Gtp(pipe, [], begun + 5)
    with pytest.raises(SpecialistError, match="slow did not answer in time"):
        gtp.choose([Told("black", "a1")] * 50, "black", Wanted(time.monotonic() + 0.5, None, {}, None))
    gtp.close()
    assert time.monotonic() - begun < 5


def test_a_program_that_lacks_a_command_cannot_play(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.specialists.gtp._NEEDED", ("final_score",))
    with (
        seated(fake("gtp", "good", log), "go_6x6") as player,
        pytest.raises(SpecialistError, match="does not know the command final_score, which this game needs"),
    ):
        player.open()
