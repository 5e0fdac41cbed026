"""A match that goes back: the position, the record, and players that are asked about an earlier position again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from gdl import kif, load
from ggp.machines import PrologMachine
from ggp.machines.circuit import CircuitMachine
from ggp.match.builtin import make_player
from ggp.match.chronicle import begin, new_identity
from ggp.match.master import GameMaster, MatchSettings
from ggp.match.record import read_record
from ggp.match.seats import Answer, Clocks, LocalSeat, Scene, Seat
from ggp.match.takeback import TakeBackError
from ggp.match.verify import Replay
from ggp.players.player import Turn
from ggp.players.simple import RandomPlayer
from tests.helpers import GAMES


class Regretful(LocalSeat):
    """Goes back to a step the first time that it comes to another."""

    def __init__(self, role: int, machine: PrologMachine, back: dict[int, int]) -> None:
        super().__init__(role, RandomPlayer(role), machine, Clocks(play=10))
        self.back = back
        self.asked: list[int] = []

    def play(self, scene: Scene) -> Answer:
        self.asked.append(scene.happened.turn)
        if scene.happened.turn in self.back:
            raise TakeBackError(self.back.pop(scene.happened.turn))
        return super().play(scene)


@pytest.mark.parametrize(
    ("back", "asked"),
    [({0: 0}, [0, 0, 1, 2, 3]), ({2: 0}, [0, 1, 2, 0, 1, 2, 3]), ({3: 1, 2: 1}, [0, 1, 2, 1, 2, 3, 1, 2, 3])],
)
def test_the_match_goes_on_from_the_earlier_step_and_the_record_agrees_with_the_rules(
    back: dict[int, int], asked: list[int], tmp_path: Path
) -> None:
    rules = load(GAMES / "roshambo.kif")
    with closing(PrologMachine(rules)) as machine:
        regretful = Regretful(0, machine, dict(back))
        seats: list[Seat] = [regretful, LocalSeat(1, RandomPlayer(7), machine, Clocks(play=10))]
        chronicle = begin(
            new_identity("test", 1, "test"), rules, ["a", "b"], ["a", "b"], start_clock=1, play_clock=1,
            scrambled=False, place=tmp_path / "m.json", warn=print,
        )  # fmt: skip
        with GameMaster(rules, machine, seats, chronicle, MatchSettings(steps=4)) as master:
            numbers = [moment.number for moment in master.moments()]
        assert regretful.asked[: len(asked)] == asked
        assert numbers[0] == 0 and numbers[-1] == 4
        place = chronicle.close()
        assert place is not None
        written = read_record(place)
        assert len(written.moves) == 4 and len(written.states) == len(written.state_times) == 5
        assert len(written.more["x-events"]) == len(back)
        replay = Replay(written, machine)
        list(replay.steps())
        assert [str(complaint) for complaint in replay.complaints] == []


@pytest.mark.parametrize("spec", ["ucd:simulations=3000", "uct:simulations=500"])
def test_a_search_player_that_is_asked_about_an_earlier_position_again_plays_as_well_there(spec: str) -> None:
    rules = load(GAMES / "tic_tac_toe.kif")
    machine = CircuitMachine.compile(rules)
    player = make_player(spec, 1)

    def turn(*joints: tuple[str, str]) -> Turn:
        position = machine.initial()
        for wanted in joints:
            legal = machine.situation(position).legal
            joint = tuple(next(m for m in moves if kif(m) == text) for moves, text in zip(legal, wanted, strict=True))
            position = machine.next(position, joint)
        return Turn(machine, position, machine.situation(position), 0)

    deep = (("(mark 2 2)", "noop"), ("noop", "(mark 1 1)"), ("(mark 1 2)", "noop"), ("noop", "(mark 1 3)"))
    other = (("(mark 1 1)", "noop"), ("noop", "(mark 2 1)"), ("(mark 1 2)", "noop"), ("noop", "(mark 2 2)"))
    assert kif(player.choose(turn(*deep))) == "(mark 3 2)"
    assert player.choose(turn()) in turn().legal
    assert kif(player.choose(turn(*other))) == "(mark 1 3)"
    assert kif(player.choose(turn(*deep))) == "(mark 3 2)"
    player.close()
