"""What a search of a position found, as data, as text, and as the table that a notebook shows."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from gdl import Term, kif
from ggp.analysis.looking import Budget, Look, look
from ggp.analysis.outcomes import chance_of
from ggp.analysis.rows import Row
from ggp.analysis.searched import as_data, text
from ggp.core.errors import UsageError
from ggp.core.suggest import unknown
from ggp.players.specs import SEARCHING, split_spec
from ggp.search.inside import joint_text
from ggp.search.presets import search_options
from ggp.search.settings import USUAL_SECONDS

if TYPE_CHECKING:
    from ggp.api.position import Position

_TOP = 20
"""Moves of a table."""
_HEAD = ("", "move", "visits", "mean", "95 % interval", "proven")


@dataclass(frozen=True)
class Found:
    """What a search found in a position."""

    position: Position
    look: Look
    """All of it, as the analysis has it."""

    @property
    def rows(self) -> dict[str, list[Row]]:
        """The moves of each role that was asked for, the most visited first."""
        return {self.position.game.roles[role]: rows for role, rows in self.look.tables.items()}

    @property
    def best(self) -> dict[str, Term]:
        """The move to play, of each role that was asked for."""
        return {role: row.move for role, rows in self.rows.items() for row in rows if row.chosen}

    @property
    def expected(self) -> dict[str, float]:
        """The goals that are expected; empty where nothing was tried."""
        roles = self.position.game.roles
        return {} if self.look.expected is None else dict(zip(roles, self.look.expected, strict=True))

    @property
    def line(self) -> list[tuple[Term, ...]]:
        """The joint moves that are expected."""
        return self.look.line

    def to_json(self) -> dict[str, Any]:
        """All that was found, as plain JSON values."""
        return as_data(self.position.game.rules, self.look, self._engine)

    def __str__(self) -> str:
        return text(self.position.game.rules, self.look, self._engine, _TOP).rstrip()

    def _repr_html_(self) -> str:
        """The tables that a notebook shows."""
        tables = [f"<h4>{escape(role)}</h4>{_table(rows[:_TOP])}" for role, rows in self.rows.items()]
        line = escape("  ".join(map(joint_text, self.look.line)))
        return f"{''.join(tables)}<p>line: {line}<br>{self.look.simulations:,} simulations, {self.look.nodes:,} nodes</p>"

    @property
    def _engine(self) -> str:
        """What answered."""
        circuit = self.position.game.machine.compiled(0)
        return "Prolog, by the plain reference" if circuit is None else f"the circuit, {circuit.circuit.size:,} gates"


def _table(rows: list[Row]) -> str:
    cells = [
        (
            "*" if row.chosen else "", kif(row.move), f"{row.visits:,}", f"{row.mean:.2f}",
            f"{row.low:.1f} – {row.high:.1f}", "" if row.proven is None else f"{row.proven:g}",
        )
        for row in rows
    ]  # fmt: skip
    head = "".join(f"<th>{name}</th>" for name in _HEAD)
    body = "".join(f"<tr>{''.join(f'<td>{escape(value)}</td>' for value in row)}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def search(
    position: Position, player: str, seconds: float | None, simulations: int | None, role: str | None, threads: int,
    seed: int,
) -> Found:  # fmt: skip
    """Search a position; see `Position.search`."""
    name, options = split_spec(player)
    if name not in SEARCHING:
        raise UsageError(unknown("searching player", name, SEARCHING))
    if simulations is not None:
        options["simulations"] = str(simulations)
    settings, thinking = search_options(name, options)
    limit = None if settings.simulations and seconds is None else seconds or thinking.seconds or USUAL_SECONDS
    budget = Budget(limit, settings.simulations, thinking.memory, threads if threads > 1 else thinking.threads)
    if position.terminal:
        raise UsageError("the game is over in this position")
    game = position.game
    found = look(game.machine, position.at, position.situation, _roles(position, role), settings, budget, seed)
    return Found(position, found)


def _roles(position: Position, role: str | None) -> list[int]:
    """Whose moves are told."""
    roles = position.game.roles
    chance = chance_of(roles, position.situation)
    if role is not None:
        if role not in roles:
            raise UsageError(unknown("role", role, roles))
        return [] if roles.index(role) == chance else [roles.index(role)]
    choosing = [number for number, legal in enumerate(position.situation.legal) if len(legal) > 1 and number != chance]
    return choosing if choosing or chance is not None else [0]
