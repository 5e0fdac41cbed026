"""The machine that starts on Prolog and hands over to the circuit when that is ready, in mid-match if need be.

A position of this machine is the set of its fluents, which both engines understand. What happened is logged and kept in
`history`: nothing is handed over, and nothing fails, in silence.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from gdl.errors import GdlError
from gdl.grounding import GroundLimits
from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.errors import GgpError, PrologMissingError
from ggp.faults import report
from ggp.machines.bridge import Limits
from ggp.machines.circuit import CircuitMachine
from ggp.machines.machine import JointMove, Level, Machine, PlayoutTotals, Situation
from ggp.machines.prolog import PrologMachine
from ggp.progress import Tell, silent

Position: TypeAlias = tuple[Term, ...]

_PATIENCE = 0.5
"""Seconds to wait at the end for a compiler that is in the middle of a pass."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Event:
    """Something that changed which engine answers, or failed to."""

    kind: str
    """`prolog-missing`, `circuit-ready`, `circuit-refused` or `circuit-failed`."""
    message: str


class AutoMachine:
    """Answers from Prolog at once, and from the circuit as soon as it is compiled.

    Where SWI-Prolog is missing, the first question waits for the circuit; where there can be no circuit, Prolog stays.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        limits: Limits | None = None,
        ground_limits: GroundLimits | None = None,
        *,
        patience: float = 0.0,
        tell: Tell = silent,
    ) -> None:
        """`patience`: seconds to wait for the circuit before Prolog is started; `tell` hears of the compiler's stages."""
        self.ruleset = ruleset
        self.roles = ruleset.roles
        self.history: list[Event] = []
        self.stage = ""
        """What the compiler does, or did last."""
        self._engine: Machine[Any] | None = None
        self._circuit: CircuitMachine | None = None
        self._compiled = threading.Event()
        self._stop = threading.Event()
        self._ground_limits, self._tell = ground_limits, tell
        self._thread = threading.Thread(target=self._compile, name="circuit compiler", daemon=True)
        self._thread.start()
        try:
            if self._wait_for_circuit(patience):
                return
            self._engine = PrologMachine(ruleset, limits)
        except PrologMissingError as error:
            self._note("prolog-missing", f"{error} Playing goes on with the circuit alone.")
        except BaseException:
            self._stop.set()
            raise

    def _wait_for_circuit(self, seconds: float) -> bool:
        """Whether the circuit is there within some seconds, which makes Prolog needless."""
        return seconds > 0 and self._compiled.wait(min(seconds, threading.TIMEOUT_MAX)) and self._circuit is not None

    @property
    def engine(self) -> Machine[Any]:
        """What answers now; hands over to the circuit if that has become ready."""
        if self._engine is None:
            self._compiled.wait()
        if self._circuit is not None and self._engine is not self._circuit:
            if self._engine is not None:
                self._engine.close()
            self._engine = self._circuit
            self._note("circuit-ready", f"the circuit answers from now on ({self._circuit.circuit.size:,} gates)")
        if self._engine is None:
            raise PrologMissingError(f"no engine can play this game: {'; '.join(e.message for e in self.history)}")
        return self._engine

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the compiler has ended, one way or the other; false if it has not."""
        return self._compiled.wait(seconds)

    def compiled(self, seconds: float | None = None) -> CircuitMachine | None:
        """The circuit, if there is one by then. It may be asked for from any thread: nothing is handed over by it."""
        return self._circuit if self._compiled.wait(seconds) else None

    def settle(self) -> Machine[Any]:
        """What answers now, and from now on: a circuit that is not ready yet is given up."""
        engine = self.engine
        self._stop.set()
        return engine

    def initial(self) -> Position:
        """The first position."""
        engine = self.engine
        return engine.fluents(engine.initial())

    def situation(self, position: Position) -> Situation:
        """Whether a position is terminal, the legal moves, and the goals."""
        engine = self.engine
        return engine.situation(engine.position(position))

    def next(self, position: Position, joint: JointMove) -> Position:
        """The position after a joint move."""
        engine = self.engine
        return engine.fluents(engine.next(engine.position(position), joint))

    def sees(self, position: Position, joint: JointMove) -> tuple[tuple[Term, ...], ...]:
        """What each role is told after a joint move, sorted by text."""
        engine = self.engine
        return engine.sees(engine.position(position), joint)

    def fluents(self, position: Position) -> tuple[Term, ...]:
        """The fluents of a position, sorted by their text."""
        return position

    def position(self, fluents: Iterable[Term]) -> Position:
        """The position that holds just these fluents."""
        engine = self.engine
        return engine.fluents(engine.position(fluents))

    def perft(self, position: Position, depth: int) -> list[Level]:
        """Count the game tree below a position, level by level. Long work: it waits for the compiler."""
        self.wait()
        engine = self.engine
        return engine.perft(engine.position(position), depth)

    def playouts(self, position: Position, *, count: int, seconds: float, limit: int, seed: int) -> PlayoutTotals:
        """Uniformly random playouts from the first position. Long work: it waits for the compiler."""
        self.wait()
        engine = self.engine
        return engine.playouts(engine.position(position), count=count, seconds=seconds, limit=limit, seed=seed)

    def close(self) -> None:
        """Stop the compiler and end the engines."""
        self._stop.set()
        if self._engine is not None:
            self._engine.close()
        self._thread.join(_PATIENCE)  # a daemon: what it still compiles ends with the process

    def _compile(self) -> None:
        try:
            circuit = CircuitMachine.compile(self.ruleset, self._ground_limits, self._stop, self._hear)
            _ = circuit.engine.tick, circuit.engine.rollout  # machine code that a search needs: nobody waits for it later
            if not self._stop.is_set():
                self._circuit = circuit
        except (GdlError, GgpError) as error:
            if not self._stop.is_set():
                self._note("circuit-refused", f"there is no circuit: {error}")
        except Exception as error:  # the match must go on, whatever the compiler does
            self._note("circuit-failed", f"there is no circuit: {report(error)}")
        finally:
            self._tell("")
            self._compiled.set()

    def _hear(self, stage: str) -> None:
        self.stage = stage
        self._tell(stage)

    def _note(self, kind: str, message: str) -> None:
        _LOG.info("%s: %s", kind, message)
        self.history.append(Event(kind, message))
