"""One turn of a person: lines are read and obeyed until one is a move."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from gdl.terms import Term
from ggp.core.errors import MachineError
from ggp.human.dialogue import COMMANDS, Ambiguous, Chosen, Command, Intent, Unclear, completions, understand
from ggp.human.hint import think
from ggp.human.host import Host
from ggp.human.memory import Memory
from ggp.human.movelist import MoveList, spoken
from ggp.match.seats import Scene
from ggp.match.takeback import LeftError, ResignedError, TakeBackError

_HINT = 1.0
"""Seconds of a hint, where none are given."""
_LONGEST_HINT = 600.0
_PATIENCE, _TIMED_PATIENCE = 10.0, 1.0
"""Seconds that a hint waits for a circuit; the second where the clock runs."""
_LOADING = 3.0
"""Seconds that a hint may take beyond its own and its patience: kernels are loaded."""


class HumanTurn:
    """Asks somebody for a move."""

    def __init__(
        self, host: Host, memory: Memory, scene: Scene, role: int, seconds: float | None, secret: bool
    ) -> None:  # fmt: skip
        """`seconds` for the whole turn; None for no limit. A `secret` turn shows nothing of what was typed."""
        self._host, self._memory, self._scene, self._role = host, memory, scene, role
        self._name = host.machine.roles[role]
        self._moves = MoveList.of(scene.situation.legal[role])
        self._seconds = seconds
        self._secret = secret
        self._begun = time.monotonic()
        self._obey: Mapping[str, Callable[[str], None]] = {
            "moves": self._list, "board": self._board, "hint": self._hint, "undo": self._undo,
            "history": self._history, "resign": self._resign, "quit": self._quit, "help": self._help,
        }  # fmt: skip

    @property
    def taken(self) -> float:
        """Seconds since the turn began."""
        return time.monotonic() - self._begun

    def ask(self) -> Term:
        """The move; TimeUpError if it does not come in time, LeftError or TakeBackError if none will."""
        self._board("")
        self._announce()
        while True:
            intent = self._understood()
            if isinstance(intent, Chosen):
                return intent.move
            if isinstance(intent, Command):
                self._obey[intent.name](intent.rest)
            elif isinstance(intent, Ambiguous):
                self._say(f"{len(intent.moves)} moves fit that; which one?")
                self._print(self._moves.lines(self._width, intent.moves))
            elif isinstance(intent, Unclear):
                self._say(intent.message)
            else:
                self._say("type a number or a move; `moves` lists them, `help` all else")

    def _understood(self) -> Intent:
        """What the next line means."""
        left = None if self._seconds is None else self._seconds - self.taken
        clock = "" if left is None else f" ({max(0, left):.0f} s)"
        try:
            line = self._host.keyboard.ask(
                f"{self._name}{clock}> ", lambda text: completions(text, self._moves), left, self._secret
            )
        except EOFError:
            raise LeftError(f"end of input: {self._name} leaves") from None
        return understand(line, self._moves)

    def _announce(self) -> None:
        """Say what there is to choose, and the first time how."""
        moves = self._moves.moves
        if len(moves) == 1:
            self._say(f"{self._name} has one move: {spoken(moves[0])}. Enter plays it.")
        else:
            self._print(self._moves.lines(self._width))
        if self._host.first_time():
            self._say("type the number of a move, or a move; `help` says what else can be typed")

    def _list(self, text: str) -> None:
        fitting = self._moves.matching(text)
        if text and text != "all" and not fitting:
            self._say(f"no move fits {text!r}")
            return
        self._print(self._moves.lines(self._width, fitting or None, whole=text == "all" and not fitting))

    def _board(self, _: str) -> None:
        self._host.show_position(self._memory, self._scene.happened)

    def _hint(self, text: str) -> None:
        try:
            seconds = float(text or _HINT)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds <= _LONGEST_HINT:
            self._say(f"`hint {text}`: a number of seconds was expected, like `hint 5`")
            return
        patience = _PATIENCE if self._seconds is None else _TIMED_PATIENCE
        if self._seconds is not None and self._seconds - self.taken < seconds + patience + _LOADING:
            self._say("there is not enough time left for a hint")
            return
        if not (positions := self._memory.known()):
            self._say("no position was found that explains what you saw: there is nothing to search")
            return
        self._say(f"thinking for {seconds:g} s …")
        try:
            thought = think(self._host.machine, positions, self._role, seconds, patience, self._host.seed)
            self._print(thought.lines(self._moves, self._width))
        except (MachineError, MemoryError, OverflowError) as error:
            self._say(
                f"no hint: {error}" if isinstance(error, MachineError) else "no hint: there is no memory for a search"
            )

    def _undo(self, _: str) -> None:
        if self._host.no_undo:
            self._say(self._host.no_undo)
            return
        earlier = self._host.earlier_choice(self._scene.happened.turn)
        if earlier is None:
            self._say("there is no choice yet that could be taken back")
            return
        raise TakeBackError(earlier)

    def _history(self, _: str) -> None:
        self._print(self._memory.tale() or ["nothing has happened yet"])

    def _resign(self, _: str) -> None:
        raise ResignedError(self._name, self._role)

    def _quit(self, _: str) -> None:
        raise LeftError(f"{self._name} leaves")

    def _help(self, _: str) -> None:
        self._say("a move: its number, or its words, or as much of them as no other move has")
        width = max(map(len, COMMANDS))
        self._print([f"  {name:{width}}  {text}" for name, text in COMMANDS.items()])
        self._say("where a game has a move of such a name, write /undo for the command")

    @property
    def _width(self) -> int:
        return self._host.keyboard.width

    def _say(self, text: str) -> None:
        self._host.keyboard.say(text)

    def _print(self, lines: list[str]) -> None:
        self._say("\n".join(lines))
