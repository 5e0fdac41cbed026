"""Plays the match of a room, on a thread of its own."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gdl.terms import Term
from ggp.core.faults import explain
from ggp.human.memory import Memory
from ggp.machines import Machine, make_machine
from ggp.match.chronicle import Identity, begin, new_identity
from ggp.match.master import GameMaster, MatchSettings, MatchStoppedError, Moment
from ggp.match.seats import Scene, Seat
from ggp.match.table import greet, make_seats
from ggp.match.takeback import LeftError
from ggp.match.telling import Happened
from ggp.players.specs import HUMAN
from ggp.web.frames import Frame, Known
from ggp.web.seat import PersonSeat, ScriptedSeat
from ggp.web.shelf import LIMITS

if TYPE_CHECKING:
    from ggp.web.room import Room

_PATIENCE = 2.0
"""Seconds that the circuit is waited for before Prolog is started."""
_HELLO = 3.0
"""Seconds that players over HTTP have to say who they are."""


def play(room: Room, records: Path | None, stop: threading.Event) -> None:
    """Play a room's match to its end; one that fails is told to whoever looks on, and the server goes on."""
    try:
        machine = make_machine("auto", room.setup.title.ruleset, LIMITS, patience=_PATIENCE)
        try:
            machine.situation(machine.initial())  # a game that cannot be played is told before anybody is asked
            _play(room, machine, records, stop)
        finally:
            machine.close()
    except Exception as error:
        room.end("failed", explain(error)[1].removeprefix("ggp: "))


def _play(room: Room, machine: Machine[Any], records: Path | None, stop: threading.Event) -> None:
    setup, ruleset = room.setup, room.setup.title.ruleset
    identity = new_identity(setup.title.name, setup.seed)
    seats = _seats(room, machine, identity)
    names = [seat.name for seat in seats]
    room.seat(names)
    chronicle = begin(
        identity, ruleset, names, setup.specs, start_clock=setup.clocks.start, play_clock=setup.clocks.play,
        scrambled=False, place=records, warn=lambda _: None,
    )  # fmt: skip
    room.file(chronicle.place.name if chronicle.place is not None else "")
    settings = MatchSettings(setup.clocks, setup.seed)
    try:
        with GameMaster(ruleset, machine, seats, chronicle, settings, stop) as master:
            _follow(room, machine, master)
    finally:
        place = chronicle.close()
        room.file(place.name if place is not None else "")


def _seats(room: Room, machine: Machine[Any], identity: Identity) -> list[Seat]:
    setup = room.setup
    seats = make_seats(
        setup.title.ruleset, machine, setup.specs, identity.match_id, setup.clocks, setup.seed,
        human=lambda role: PersonSeat(role, setup.names.get(role, HUMAN), room),
    )  # fmt: skip
    greet(seats, _HELLO, lambda _: None)
    return [ScriptedSeat(role, seat, setup.script, room) for role, seat in enumerate(seats)]


def _follow(room: Room, machine: Machine[Any], master: GameMaster) -> None:
    """Tell the room of every position, and how it ends."""
    serials = itertools.count(1)
    people = room.setup.people if room.hidden else []
    memories = {role: Memory(machine, role, room.setup.seed) for role in people}
    try:
        for moment in master.moments():
            room.reach(_frame(room, machine, moment, next(serials), memories))
            if moment.ending is not None:
                room.end("over", moment.ending.value, moment.goals)
    except LeftError as left:
        room.end("over", str(left), master.leave(left) or ())
    except MatchStoppedError as stopped:
        master.abort(str(stopped))
        room.end("over", str(stopped))


def _frame(
    room: Room, machine: Machine[Any], moment: Moment, serial: int, memories: Mapping[int, Memory]
) -> Frame:  # fmt: skip
    over, before = moment.ending is not None, room.before(moment.number)
    drawing, situation = room.setup.title.drawing, moment.situation
    fluents_before = None if before is None else before.fluents
    return Frame(
        serial=serial, number=moment.number, fluents=machine.fluents(moment.position), situation=situation,
        joint=moment.last, answers=moment.answers, faults=moment.faults, before=fluents_before, over=over,
        effects={} if over or room.hidden else drawing.effects(machine, moment.position, situation),
        known=_knowledge(machine, moment, fluents_before, memories) if memories else {},
    )  # fmt: skip


def _knowledge(
    machine: Machine[Any], moment: Moment, before: tuple[Term, ...] | None, memories: Mapping[int, Memory]
) -> dict[int, Known]:  # fmt: skip
    """What the people's roles know of a position."""
    percepts: tuple[tuple[Term, ...], ...] = ((),) * len(machine.roles)
    if moment.last is not None and before is not None:
        percepts = machine.sees(machine.position(before), moment.last)
    scene = Scene(moment.position, moment.situation, Happened(moment.number, moment.last, percepts))
    found = {}
    for role, memory in memories.items():
        memory.note(scene)
        fluents, count = memory.certain()
        positions = [(machine.fluents(position), weight) for position, weight in memory.known()]
        found[role] = Known(fluents, count, positions, percepts[role])
    return found
