"""What the children of the front do: the referee keeps the position and its legal moves, the mind chooses moves as well.

Commands (`do`): `load` a match, `advance` to the next step (and decide, if there is a deadline), `check` whether a joint
move would be legal, `rest`. Replies (`is`): `loaded` or `refused`, `position`, `ready`, `chosen`, `checked`, `event`.
Moves travel as text, in the spelling of the rules.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gdl.errors import GdlError
from gdl.loader import load
from gdl.parser import parse_term
from gdl.ruleset import Ruleset
from gdl.source import Source
from gdl.terms import Term, kif
from ggp.core.errors import GgpError, PrologMissingError, WorkerDiedError
from ggp.core.seeds import split_seed
from ggp.core.tiny import TINY
from ggp.machines import Limits, make_machine
from ggp.machines.machine import JointMove, Machine, Situation, goal
from ggp.match.belief import Belief
from ggp.match.builtin import make_player
from ggp.match.messages import joint_move
from ggp.match.packets import Packet
from ggp.players.player import Player, Turn
from ggp.players.specs import SEARCHING, is_specialist, join_spec, split_spec

_VOTERS = 8
"""Positions that the player is asked about where several may be the true one."""
_SAMPLING_SHARE = 0.3
"""The part of the time for a move that sampling positions may take."""
_REFEREE_PARTICLES = 10
"""Enough to know the legal moves."""
_REFEREE_SECONDS = 2.0
"""The longest time that the referee samples."""
_RETRIES = 3
"""How often a question is asked again after its worker died."""
_LOOK_EVERY = 0.05
"""Seconds between looks at whether a command has come."""
_REPORTED_WARNINGS = 5
_WARM_SECONDS = 0.2
"""How long the player thinks about the tiny game: once is enough to load its kernels."""


class Commands(Protocol):
    """Where commands come from: `ggp.match.child.Inbox`."""

    interrupt: threading.Event

    def take(self) -> Packet:
        """The next command; waits for one."""
        ...


@dataclass
class _Match:
    """The match that a child was given."""

    ruleset: Ruleset
    machine: Machine[Any]
    role: int
    belief: Belief
    player: Player | None
    seed: int
    step: int
    told: int = field(default=0)
    """Events of the machine that were passed on."""
    history: list[JointMove] | None = field(default_factory=list)
    """The joint moves so far; None where they are not known: after a restart, or where percepts are told."""


class Mind:
    """Obeys the commands of the front, one after the other."""

    def __init__(self, kind: str, inbox: Commands, tell: Callable[[Packet], None]) -> None:
        self._kind = kind
        self._inbox = inbox
        self._tell = tell
        self._match: _Match | None = None
        self._resting = False

    def run(self) -> None:
        """Obey, and think about the position while no command waits."""
        obey: dict[str, Callable[[Packet], None]] = {
            "load": self._load, "advance": self._advance, "check": self._check, "rest": self._rest,
        }  # fmt: skip
        while True:
            self._ponder()
            packet = self._inbox.take()
            obey[packet["do"]](packet)
            self._tell_events()

    def _load(self, packet: Packet) -> None:
        try:
            match = self._open(packet)
        except (GdlError, GgpError) as error:
            self._tell({"is": "refused", "why": str(error), "missing": isinstance(error, PrologMissingError)})
            return
        self._match, self._resting = match, not packet["ponder"]
        problems = match.ruleset.problems
        self._tell({
            "is": "loaded", "roles": list(match.ruleset.roles), "language": match.ruleset.language,
            "warnings": [problem.render() for problem in problems[:_REPORTED_WARNINGS]], "problems": len(problems),
        })  # fmt: skip
        if packet["fluents"] is not None:
            match.belief.place(map(parse_term, packet["fluents"]))
            match.history = None
        self._tell_position(match)
        self._think(match, packet["ready_by"])
        self._tell({"is": "ready"})

    def _open(self, packet: Packet) -> _Match:
        ruleset = load(Source(packet["rules"], "<START>"))
        name = packet["role"].lower()
        if name not in ruleset.roles:
            raise GgpError(f"the game has no role {packet['role']!r}; it has: {', '.join(ruleset.roles)}")
        role, seed = ruleset.roles.index(name), split_seed(packet["seed"], packet["match"], name)
        is_mind = self._kind == "mind"
        player = make_player(packet["player"], seed, ruleset) if is_mind else None
        limits = Limits(seconds=packet["question_seconds"])
        machine = make_machine("auto" if is_mind else "prolog", ruleset, limits, scrambled=True)
        size = packet["particles"] if is_mind else min(packet["particles"], _REFEREE_PARTICLES)
        belief = Belief(machine, role, split_seed(seed, "belief"), size)
        return _Match(ruleset, machine, role, belief, player, seed, packet["step"])

    def _advance(self, packet: Packet) -> None:
        match = self._match
        if match is None:  # the rules were refused
            return
        arrived, decide_by = time.monotonic(), packet["decide_by"]
        if packet["seen"] is not None:
            told = tuple(map(parse_term, packet["seen"]))
            if packet["percepts"]:
                self._see(match, packet["own"], told, arrived, decide_by)
            else:
                self._move(match, told)
        match.step = packet["step"]
        situation = self._tell_position(match)
        if decide_by is None or match.player is None or situation.terminal:
            return
        move, report = self._decide(match, match.player, decide_by)
        text = None if move is None else kif(match.ruleset.spelled(move))
        self._tell({"is": "chosen", "step": match.step, "move": text, "report": dict(report)})

    def _see(self, match: _Match, own: str | None, percepts: JointMove, now: float, decide_by: float | None) -> None:
        match.history = None
        if own is None:
            self._event("percepts-alone", f"step {match.step}: percepts came without a move of ours; they are left out")
            return
        longest = _REFEREE_SECONDS if decide_by is None else max(0.0, decide_by - now) * _SAMPLING_SHARE
        until = now + (longest if match.player is not None else min(longest, _REFEREE_SECONDS))
        move = parse_term(own)
        if not _ask(lambda: match.belief.apply_percepts(move, percepts, until)):
            self._event("percepts-unexplained", f"step {match.step}: no position was found that agrees with the percepts")

    def _move(self, match: _Match, told: JointMove) -> None:
        try:
            joint = joint_move(told, len(match.ruleset.roles))
        except ValueError as error:
            self._event("moves-unclear", f"step {match.step}: {error}; the position is kept as it was")
            return
        if not self._is_legal(match, joint):
            self._event(
                "moves-illegal", f"step {match.step}: not all legal: {' '.join(map(kif, joint))}; played all the same"
            )
        _ask(lambda: match.belief.apply_moves(joint))
        if match.history is not None:
            match.history.append(joint)

    def _is_legal(self, match: _Match, joint: JointMove) -> bool:
        legal = _ask(match.belief.situation).legal
        return all(move in moves for move, moves in zip(joint, legal, strict=True))

    def _check(self, packet: Packet) -> None:
        match = self._match
        if match is not None:
            try:
                legal = self._is_legal(
                    match, joint_move(tuple(map(parse_term, packet["seen"])), len(match.ruleset.roles))
                )
            except ValueError:
                legal = False
            self._tell({"is": "checked", "number": packet["number"], "legal": legal})

    def _rest(self, packet: Packet) -> None:
        self._resting = bool(packet["rest"])

    def _tell_position(self, match: _Match) -> Situation:
        situation: Situation = _ask(match.belief.situation)
        known = match.belief.common()
        self._tell({
            "is": "position", "step": match.step, "terminal": situation.terminal,
            "legal": [kif(match.ruleset.spelled(move)) for move in situation.legal[match.role]],
            "goals": [goal(values) for values in situation.goals],
            "fluents": [kif(fluent) for fluent in match.machine.fluents(known[0][0])] if len(known) == 1 else None,
        })  # fmt: skip
        return situation

    def _decide(self, match: _Match, player: Player, decide_by: float) -> tuple[Term | None, Mapping[str, object]]:
        """Our move and what stands behind it; None if the player failed."""
        self._tell_events()
        for _ in range(_RETRIES):
            try:
                return self._vote(match, player, decide_by)
            except WorkerDiedError as error:
                self._event("worker-died", f"step {match.step}: {error}; asking again")
            except GgpError as error:
                self._event("player-failed", f"step {match.step}: {error}")
                break
        return None, {}

    def _vote(self, match: _Match, player: Player, decide_by: float) -> tuple[Term, Mapping[str, object]]:
        """The player's move; where several positions are possible, the move that it chooses in most of them."""
        known = match.belief.common()[:_VOTERS]
        votes: Counter[Term] = Counter()
        for number, (position, count) in enumerate(known):
            now = time.monotonic()
            deadline = now + (decide_by - now) / (len(known) - number)
            situation = match.machine.situation(position)
            turn = self._turn(match, position, situation, deadline)
            votes[player.choose(turn)] += count
            if self._inbox.interrupt.is_set() or time.monotonic() > decide_by:
                break
        report = dict(player.report())
        if len(known) > 1:
            report |= {"positions": len(match.belief.positions), "asked": sum(votes.values())}
        return votes.most_common(1)[0][0], report

    def _ponder(self) -> None:
        match = self._match
        if match is None or match.player is None or self._resting or self._inbox.interrupt.is_set():
            return
        if len(set(match.belief.positions)) > 1:
            return  # where the position is in doubt, the time of the others is not used
        self._think(match, None)
        self._tell_events()

    def _think(self, match: _Match, until: float | None) -> None:
        """Think about the position without choosing, while there is something to gain; the first time, get ready to."""
        if match.player is None:
            return
        position = match.belief.positions[0]
        try:
            situation = _ask(lambda: match.machine.situation(position))
            if not situation.terminal:
                match.player.ponder(self._turn(match, position, situation, until))
        except GgpError as error:
            self._event("ponder-failed", f"step {match.step}: {error}")

    def _turn(self, match: _Match, position: Any, situation: Situation, deadline: float | None) -> Turn:
        history = None if match.history is None else tuple(match.history)
        return Turn(match.machine, position, situation, match.role, deadline, self._inbox.interrupt, history)

    def _tell_events(self) -> None:
        match = self._match
        if match is not None:
            history = match.machine.history
            for event in history[match.told :]:
                self._event(event.kind, event.message)
            match.told = len(history)

    def _event(self, kind: str, message: str) -> None:
        self._tell({"is": "event", "kind": kind, "message": message})


def _ask(question: Callable[[], Any]) -> Any:
    """The answer of a machine, whose worker may have been killed: the next question starts a fresh one."""
    for _ in range(_RETRIES - 1):
        try:
            return question()
        except WorkerDiedError:
            pass
    return question()


def warm(kind: str, spec: str, interrupt: threading.Event) -> None:
    """Load what a match will need, by way of a tiny game; stop where a command waits."""
    ruleset = load(Source(TINY, "<warm>"))
    try:
        machine = make_machine("auto" if kind == "mind" else "prolog", ruleset)
    except PrologMissingError:
        return
    while not interrupt.is_set() and not machine.wait(_LOOK_EVERY):
        pass
    if kind == "mind" and not interrupt.is_set() and not is_specialist(spec):
        name, options = split_spec(spec)
        quick = {**options, "policy": "uniform", "cluster": "no"}
        player = make_player(join_spec(name, quick) if name in SEARCHING else spec, 1)
        position = machine.initial()
        until = time.monotonic() + _WARM_SECONDS
        player.choose(Turn(machine, position, machine.situation(position), 0, until, interrupt))
        player.close()
    machine.close()
    if kind == "mind":
        from ggp.machines import compiler  # only minds have circuits

        compiler.keep_spare()
