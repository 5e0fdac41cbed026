"""Matches that are played, and read from records."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gdl.ruleset import CHANCE
from ggp.api.position import Position
from ggp.core.errors import RecordError, UsageError
from ggp.core.seeds import split_seed
from ggp.machines.machine import JointMove, Situation
from ggp.machines.plays import play
from ggp.match.builtin import make_player
from ggp.match.chronicle import begin, new_identity
from ggp.match.record import Json, Record
from ggp.match.seats import Answer
from ggp.match.verify import Replay
from ggp.players.player import Player, Turn

Report = Mapping[str, Json]


@dataclass(frozen=True)
class Match:
    """A match: who played, and how it went."""

    players: tuple[str, ...]
    """The name of each role's player."""
    final: Position
    """Where it ended; its history is the match."""
    record: Record
    """As servers and `ggp replay` know it; `save` writes it."""

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The positions from the first to the last."""
        return self.final.history

    @property
    def moves(self) -> tuple[JointMove, ...]:
        """The joint moves."""
        return tuple(position.moves for position in self.positions if position.moves is not None)

    @property
    def goals(self) -> dict[str, int]:
        """The goal of each role at the end."""
        return self.final.goals

    def save(self, place: Path | str) -> Path:
        """Write the record, into a file named *.json or under the match's id into a folder; UsageError if it is there."""
        from ggp.match.recorder import RecordFile, record_path

        file = RecordFile(record_path(Path(place), self.record.match_id), _warn)
        file.create(self.record.text())
        return file.close() or file.path

    def __repr__(self) -> str:
        goals = " ".join(f"{role} {value}" for role, value in self.goals.items() if role != CHANCE)
        return f"<match of {self.final.game.name}: {' - '.join(self.players)}, {len(self.moves)} steps, {goals}>"


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=3)


@dataclass(frozen=True)
class _From:
    """A game from a position on: its positions know how they came about."""

    first: Position

    def initial(self) -> Position:
        return self.first

    def situation(self, position: Position) -> Situation:
        return position.situation

    def next(self, position: Position, joint: JointMove) -> Position:
        return position.play(*joint)


def played(first: Position, players: Sequence[str | Player], seed: int, limit: int) -> Match:
    """A match from a position on."""
    game = first.game
    deciding = [role for role in game.roles if role != CHANCE]
    if len(players) > len(deciding):
        raise UsageError(f"{len(players)} players for {len(deciding)} roles ({', '.join(deciding)})")
    given = iter(players)
    wanted = ["random" if role == CHANCE else next(given, "random") for role in game.roles]
    with ExitStack() as stack:
        seats: list[Player] = []
        for number, one in enumerate(wanted):
            if isinstance(one, str):
                one = make_player(one, split_seed(seed, "player", number), game.rules)
                stack.callback(one.close)
            seats.append(one)
        reports: list[list[Report]] = []

        def choose(_: int, position: Position, situation: Situation) -> JointMove:
            history = _moves_to(position)
            turns = [Turn(game.machine, position.at, situation, role, history=history) for role in range(len(seats))]
            joint = tuple([player.choose(turn) for player, turn in zip(seats, turns, strict=True)])
            reports.append([dict(player.report()) for player in seats])
            return joint

        *_, last = play(_From(first), choose, limit)
        names = tuple(player.name for player in seats)
    return Match(names, last.position, _record(last.position, names, reports, seed))


def _moves_to(position: Position) -> tuple[JointMove, ...] | None:
    """The joint moves that led to a position; None where they are not known from the first position on."""
    first, *others = position.history
    if first.at != first.game.machine.initial():
        return None
    return tuple(after.moves for after in others if after.moves is not None)


def _record(final: Position, names: Sequence[str], reports: Sequence[Sequence[Report]], seed: int) -> Record:
    game = final.game
    chronicle = begin(
        new_identity(game.name, seed), game.rules, names, names, start_clock=0, play_clock=0, scrambled=False, place=None,
        warn=_warn,
    )  # fmt: skip
    first, *others = final.history
    chronicle.position(first.fluents)
    for position, told in zip(others, reports, strict=True):
        assert position.moves is not None
        answers = [Answer(move, report=report) for move, report in zip(position.moves, told, strict=True)]
        chronicle.joint(position.moves, answers)
        chronicle.position(position.fluents)
    if final.terminal:
        chronicle.complete([*final.goals.values()])
    return chronicle.record


def replayed(first: Position, record: Record, name: str) -> Match:
    """The match of a record, from the first position of its game."""
    replay = Replay(record, first.game.machine)
    position = first
    for step in replay.steps():
        if step.joint is not None:
            position = position.play(*step.joint)
    if replay.complaints:
        raise RecordError("\n".join(f"{name}: {complaint}" for complaint in replay.complaints))
    return Match(tuple(record.players), position, record)
