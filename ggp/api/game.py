"""A game, from its name in the library, from a file, or from a text.

>>> import ggp
>>> game = ggp.game("tic_tac_toe")
>>> game.roles, game.initial.to_move
(('x', 'o'), ('x',))
>>> after = game.initial.play("(mark 2 2)").play("(mark 1 1)")
>>> len(after.legal["x"]), after.terminal
(7, False)
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from gdl import Ruleset, Source, Term, load
from ggp.api.match import Match, played, replayed
from ggp.api.position import Position, term
from ggp.core.library import game_file
from ggp.machines import MACHINES, Machine, ground_limits, make_machine
from ggp.machines.bridge import Limits
from ggp.match.record import Record
from ggp.match.verify import rules_of
from ggp.players.player import Player

if TYPE_CHECKING:
    from ggp.batch import Lanes
    from ggp.boards.schema import Schema

Description = str | os.PathLike[str] | Source | Ruleset
"""A game of the library, a file, rules as a text or as gdl has read them."""


class Game:
    """Rules, and the machine that answers for them: made when it is first asked, and then kept."""

    def __init__(self, rules: Ruleset, name: str, engine: str = MACHINES[0]) -> None:
        self.rules = rules
        self.name = name
        self._engine = engine

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of their declaration; that of chance is `random`."""
        return self.rules.roles

    @cached_property
    def machine(self) -> Machine[Any]:
        """What answers: the circuit, or Prolog for a game that has none. To compile a large game takes seconds, once."""
        machine = make_machine(self._engine, self.rules, patience=math.inf)
        circuit = machine.compiled(0)
        if circuit is None or circuit is machine:
            return machine
        machine.close()
        return circuit

    @cached_property
    def initial(self) -> Position:
        """The first position."""
        return Position(self, self.machine.initial())

    def position(self, fluents: Iterable[Term | str]) -> Position:
        """The position that holds just these fluents; RulesError if no position that can be reached does."""
        return Position(self, self.machine.position(map(term, fluents)))

    @cached_property
    def boards(self) -> Schema:
        """How its positions look."""
        from ggp.boards import board  # clingo: only where a board is looked at

        return board(self.rules)

    def match(self, *players: str | Player, seed: int = 1, limit: int = 1000) -> Match:
        """A match without clocks: `game.match("ucd:simulations=500", "random")`, one player for each role but chance.

        Where fewer are named, the others move at random. All of them are asked in this process and know the whole
        position, in games of hidden information too: there, `ggp match --http` plays as a game server would.
        """
        return played(self.initial, players, seed, limit)

    def lanes(self, width: int = 512, seed: int = 1) -> Lanes:
        """Many positions at once; GroundingError or CircuitError say why a game has no circuit to do it with."""
        from ggp.batch import Lanes
        from ggp.machines.kept import compiled

        return Lanes(self.machine.compiled(0) or compiled(self.rules, ground_limits(Limits())), width, seed)

    def close(self) -> None:
        """Give back what the machine holds. Closing twice does no harm; asked again, there is a new machine."""
        machine = self.__dict__.pop("machine", None)
        self.__dict__.pop("initial", None)
        if machine is not None:
            machine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<game {self.name}: {' '.join(self.roles)}>"


def game(description: Description, *, machine: str = MACHINES[0]) -> Game:
    """A game: by its name in the library, from a file, from a text of rules (anything with a parenthesis), from rules.

    DescriptionError tells all that is wrong with rules. `machine` is what answers: `auto` takes the circuit, or Prolog
    for games that have none; `circuit` and `prolog` are one of them.
    """
    if isinstance(description, Ruleset):
        return Game(description, Path(description.source.name).stem, machine)
    if isinstance(description, str) and "(" in description and not os.path.isfile(description):
        description = Source(description)
    rules = load(description if isinstance(description, Source) else game_file(description))
    return Game(rules, Path(rules.source.name).stem, machine)


def replay(record: Record | str | os.PathLike[str]) -> Match:
    """The match of a record, or of the file of one; RecordError tells all that the rules say against it."""
    from ggp.match.record import read_record

    found = record if isinstance(record, Record) else read_record(Path(record))
    name = found.match_id if isinstance(record, Record) else str(record)
    return replayed(Game(load(rules_of(found, name)), found.game).initial, found, name)
