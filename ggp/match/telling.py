"""What one player is told and says: the game's own terms here, its messages there, renamed if the match is scrambled."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gdl.parser import parse_term
from gdl.ruleset import Ruleset
from gdl.scramble import Scrambled, scramble
from gdl.terms import Symbol, Term
from ggp.core.errors import UsageError
from ggp.machines.machine import JointMove
from ggp.match.faults import printable
from ggp.match.messages import Play, Start, Stop

GDL2_FORMS = ("turns", "percepts")
"""How games with hidden information are told: `(PLAY ID TURN LASTMOVE (percepts))`, or `(PLAY ID (percepts))`."""

_NAME = re.compile(r"\(\s*name\s+([^()]*?)\s*\)", re.IGNORECASE)
_STATUS = re.compile(r"\(\s*status\s+([^()]*?)\s*\)", re.IGNORECASE)


@dataclass(frozen=True)
class Happened:
    """What led to a position."""

    turn: int
    """How many joint moves were made."""
    joint: JointMove | None
    """The last one; None at the first position."""
    percepts: tuple[tuple[Term, ...], ...] | None
    """What each role saw of it; None in games without hidden information, where everybody is told the joint move."""


class Telling:
    """The messages for one role of one match."""

    def __init__(self, ruleset: Ruleset, match: str, role: int, form: str, scramble_seed: int | None = None) -> None:
        if form not in GDL2_FORMS:
            raise UsageError(f"there is no form {form!r} of messages; known are: {', '.join(GDL2_FORMS)}")
        self._ruleset = ruleset
        self.match = match
        self.role = role
        self.role_name = ruleset.roles[role]
        self._form = form
        self._names: Scrambled | None = None if scramble_seed is None else scramble(ruleset.rules, scramble_seed)

    def start(self, start_clock: float, play_clock: float) -> str:
        """The message that starts the match."""
        role = self._out(Symbol(self.role_name))
        return Start(self.match, str(role), self.rules, start_clock, play_clock).text()

    @property
    def rules(self) -> str:
        """The rules in the player's names."""
        return " ".join(map(str, self._ruleset.rules if self._names is None else self._names.rules))

    def play(self, happened: Happened) -> str:
        """The message that asks for a move."""
        return Play(self.match, self._seen(happened), *self._turn(happened)).text()

    def stop(self, happened: Happened) -> str:
        """The message that ends the match."""
        return Stop(self.match, self._seen(happened), *self._turn(happened)).text()

    def read_move(self, text: str, legal: tuple[Term, ...]) -> Term | None:
        """The legal move that an answer means, if it means one. Case makes no difference."""
        try:
            said = parse_term(text)
        except ValueError:
            return None
        if self._names is None:
            return said if said in legal else None
        return {self._out(move): move for move in legal}.get(said)

    def _seen(self, happened: Happened) -> tuple[Term, ...] | None:
        if happened.joint is None:
            return None
        told = happened.joint if happened.percepts is None else happened.percepts[self.role]
        return tuple(map(self._out, told))

    def _turn(self, happened: Happened) -> tuple[int | None, Term | None]:
        if happened.percepts is None or self._form != "turns":
            return None, None
        return happened.turn, None if happened.joint is None else self._out(happened.joint[self.role])

    def _out(self, term: Term) -> Term:
        return term if self._names is None else self._names.scramble(term)


@dataclass(frozen=True)
class PlayerInfo:
    """What a player says of itself."""

    name: str
    """Empty if it has none."""
    status: str
    """`available` and `busy` are what servers understand."""

    @classmethod
    def read(cls, reply: str) -> PlayerInfo:
        """From the reply to INFO: a list of pairs, or in the old form the status alone.

        >>> PlayerInfo.read("( ( name Ann ) ( status available ) )")
        PlayerInfo(name='Ann', status='available')
        >>> PlayerInfo.read("busy").status
        'busy'
        """
        name, status = _NAME.search(reply), _STATUS.search(reply)
        bare = reply.strip() if "(" not in reply else ""
        return cls(printable(name[1], 40) if name else "", printable(status[1] if status else bare, 40).lower())

    @property
    def is_available(self) -> bool:
        """True if it can be asked to play."""
        return self.status == "available"
