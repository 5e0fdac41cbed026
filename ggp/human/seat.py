"""A person's seat at the table: what is said before and after a choice is made; `HumanTurn` asks for it."""

from __future__ import annotations

from gdl.terms import Symbol
from ggp.human.host import Host
from ggp.human.keyboard import TimeUpError
from ggp.human.memory import Memory
from ggp.human.movelist import spoken
from ggp.human.turn import HumanTurn
from ggp.match.faults import Fault, FaultKind
from ggp.match.seats import Answer, Scene
from ggp.match.takeback import LeftError
from ggp.players.specs import HUMAN


class HumanSeat:
    """One role, played by somebody at the terminal."""

    name = HUMAN
    is_remote = False

    def __init__(self, role: int, host: Host, seconds: float | None) -> None:
        """`seconds` for a move; None for as long as it takes."""
        self._role = role
        self._host = host
        self._seconds = seconds
        self._memory = Memory(host.machine, role, host.seed)
        self._told = 0
        """Steps of a match with hidden information that the person was told of."""

    def preview(self, _: int) -> None:
        """People read the rules elsewhere."""

    def start(self, _: Scene) -> Fault | None:
        """People are always ready."""
        return None

    def stop(self, _: Scene) -> Fault | None:
        """The host says how it ended."""
        return None

    def abort(self) -> Fault | None:
        """The host says how it ended."""
        return None

    def play(self, scene: Scene) -> Answer:
        """Ask for a move; what leaves no choice and concerns somebody else is played with a word."""
        self._memory.note(scene)
        self._told = min(self._told, len(self._memory.tale()))
        if self._only_waits(scene):
            self._pass(scene)
            return Answer(scene.situation.legal[self._role][0])
        secret = self._host.has_secret(scene.situation.legal)
        try:
            self._host.sit_down(self._role, scene, secret)
        except EOFError:
            raise LeftError(f"end of input: {self._role_name} leaves") from None
        self._tell_seen()
        turn = HumanTurn(self._host, self._memory, scene, self._role, self._seconds, secret)
        try:
            move = turn.ask()
        except TimeUpError:
            self._host.keyboard.forget_typing()
            self._host.stand_up(secret)
            return Answer(None, Fault(FaultKind.LATE, f"no move within {self._seconds:g} s"), turn.taken)
        self._host.stand_up(secret)
        return Answer(move, None, turn.taken)

    @property
    def _role_name(self) -> str:
        return self._host.machine.roles[self._role]

    def _only_waits(self, scene: Scene) -> bool:
        """Whether the only move is a bare name, and it is somebody else who moves."""
        legal = scene.situation.legal
        (move, *others) = legal[self._role]
        if others or not isinstance(move, Symbol):
            return False
        return move.name == "noop" or (not self._host.hidden and any(len(moves) > 1 for moves in legal))

    def _pass(self, scene: Scene) -> None:
        """Say that there is nothing to choose, unless somebody else at the terminal should not see it."""
        if self._host.hidden and len(self._host.people) > 1:
            return
        self._tell_seen()
        if len(self._host.people) == 1:
            (move,) = scene.situation.legal[self._role]
            self._host.keyboard.say(f"{self._role_name} can only wait: {spoken(move)}")

    def _tell_seen(self) -> None:
        """In a game of hidden information: what happened since the person looked last, as far as it may be known."""
        tale = self._memory.tale()
        if self._host.hidden:
            for line in tale[self._told :]:
                self._host.keyboard.say(line)
        self._told = len(tale)
