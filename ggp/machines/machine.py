"""The machine interface: whatever answers questions about a game.

A machine answers for one ruleset. Positions are values of the machine's own (hashable, equal if and only if they hold the
same fluents); `fluents` and `position` translate, so that a position can be carried from one machine to another. Moves
and fluents are GDL terms, always sorted by their text, so that the same seed gives the same play on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

from gdl.terms import Term, kif

if TYPE_CHECKING:
    from ggp.machines.circuit import CircuitMachine  # numba takes a second

JointMove: TypeAlias = tuple[Term, ...]
"""One move for each role, in the order of the roles."""

Position = TypeVar("Position")


@dataclass(frozen=True)
class Situation:
    """All that can be asked of a position at once."""

    terminal: bool
    legal: tuple[tuple[Term, ...], ...]
    """The legal moves of each role, sorted by their text."""
    goals: tuple[tuple[int, ...], ...]
    """The goal values of each role, ascending. The rules should give one; real rulesheets sometimes give none or more."""


@dataclass(frozen=True)
class Level:
    """A level of a game tree: positions counted once for each sequence of joint moves that leads there."""

    nodes: int
    terminals: int


@dataclass(frozen=True)
class PlayoutTotals:
    """What a number of random playouts added up to.

    All that were begun are counted, however long they are: those that were under way when the time was up are played to
    their end. So the means are those of the game, and not of its short plays.
    """

    playouts: int
    steps: int
    unfinished: int
    """Playouts that met the limit of steps, or a position where a role has no legal move."""
    goal_sums: tuple[int, ...]
    """Of each role the goals of the playouts that are not unfinished."""
    seconds: float
    """Processor time."""
    waits: int = 0
    """Steps that lanes of a circuit waited for the next playout."""


@dataclass(frozen=True)
class Try:
    """A random playout after a move that was to be tried."""

    steps: int
    """That move included."""
    goals: tuple[int, ...] | None
    """Of each role; None if it met the limit of steps, or a position where a role has no legal move."""


@dataclass(frozen=True)
class Event:
    """Something that changed which engine answers, or failed to."""

    kind: str
    """`prolog-missing`, `circuit-ready`, `circuit-better`, `circuit-refused` or `circuit-failed`."""
    message: str

    @property
    def is_trouble(self) -> bool:
        """Whether something is less than it should be."""
        return self.kind not in ("circuit-ready", "circuit-better")


class Machine(Protocol[Position]):
    """Answers questions about one game. What it does that with may become better while it is asked."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of their declaration."""
        ...

    def initial(self) -> Position:
        """The first position."""
        ...

    def situation(self, position: Position) -> Situation:
        """Whether a position is terminal, the legal moves, and the goals."""
        ...

    def next(self, position: Position, joint: JointMove) -> Position:
        """The position after a joint move."""
        ...

    def sees(self, position: Position, joint: JointMove) -> tuple[tuple[Term, ...], ...]:
        """What each role is told after a joint move in GDL-II, sorted by text."""
        ...

    def fluents(self, position: Position) -> tuple[Term, ...]:
        """The fluents of a position, sorted by their text."""
        ...

    def position(self, fluents: Iterable[Term]) -> Position:
        """The position that holds just these fluents."""
        ...

    def perft(self, position: Position, depth: int) -> list[Level]:
        """Count the game tree below a position, level by level down to `depth`."""
        ...

    def playouts(self, position: Position, *, count: int, seconds: float, limit: int, seed: int) -> PlayoutTotals:
        """Uniformly random playouts: `count` of them, or as many as end within `seconds` of processor time.

        A circuit begins them in the first position only, and refuses any other.
        """
        ...

    @property
    def current(self) -> Machine[Any]:
        """The machine that answers now: itself, or the one that it hands all questions to."""
        ...

    @property
    def history(self) -> Sequence[Event]:
        """What changed which engine answers, so far."""
        ...

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is as good as it will ever be; false if it is not after some seconds."""
        ...

    def compiled(self, seconds: float | None = None, than: CircuitMachine | None = None) -> CircuitMachine | None:
        """The best circuit of the game that there is within some seconds, if there is one, and a better one `than` that.

        It may be asked for from any thread.
        """
        ...

    def step_back(self) -> None:
        """From now on, become better in processor time that nobody else wants."""
        ...

    def close(self) -> None:
        """Give back all resources. Closing twice does no harm."""
        ...


class Settled:
    """What a machine says of itself that is from the start as good as it will ever be."""

    history: Sequence[Event] = ()

    @property
    def current(self) -> Self:
        """Itself."""
        return self

    def wait(self, seconds: float | None = None) -> bool:  # noqa: ARG002 (there is nothing to wait for)
        """True."""
        return True

    def compiled(self, seconds: float | None = None, than: CircuitMachine | None = None) -> CircuitMachine | None:  # noqa: ARG002
        """None: there is no circuit."""
        return None

    def step_back(self) -> None:
        """Nothing goes on beside it."""


def by_text(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Terms sorted by their text, each once."""
    return tuple(sorted(set(terms), key=kif))


def goal(values: Sequence[int]) -> int:
    """The goal value that counts: the only one; 0 where the rules give none, the largest where they give several."""
    return max(values, default=0)
