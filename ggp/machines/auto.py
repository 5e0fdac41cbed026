"""The machine that starts on Prolog and hands over to the circuit when that is ready, in mid-match if need be.

The first circuit is made quickly; a better one of the same rules takes its place when it is ready. A position of this
machine is the set of its fluents, which all engines understand. What happened is logged and kept in `history`: nothing
is handed over, and nothing fails, in silence.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from gdl.grounding import GroundLimits
from gdl.ruleset import Ruleset
from gdl.terms import Term
from ggp.core.errors import PrologMissingError
from ggp.core.faults import report
from ggp.core.progress import Tell, silent
from ggp.lanes.engine import Engine
from ggp.machines import compiler
from ggp.machines.bridge import Limits
from ggp.machines.circuit import CircuitMachine
from ggp.machines.compiler import Compiler, CompilerError, Message, Refused, Stage
from ggp.machines.kept import find
from ggp.machines.machine import Event, JointMove, Level, Machine, PlayoutTotals, Situation
from ggp.machines.prolog import PrologMachine

Position: TypeAlias = tuple[Term, ...]

_KEEPING, _PATIENCE = 30.0, 0.5
"""Seconds that a compiler may take to keep what it has made; and those of them that closing waits for."""
_LOG = logging.getLogger(__name__)


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
        scrambled: bool = False,
    ) -> None:
        """`patience`: seconds to wait for the best circuit before Prolog is started, or a lesser one is made do with;
        `tell` hears of the compiler's stages; `scrambled`: names mean nothing, so that a circuit that was compiled under
        others will do, although equal seeds choose other moves on it.
        """
        self.ruleset = ruleset
        self.roles = ruleset.roles
        self.history: list[Event] = []
        self.stage = ""
        """What the compiler does, or did last."""
        self._engine: Machine[Any] | None = None
        self._circuit: CircuitMachine | None = None
        """The best one that there is."""
        self._changed = threading.Condition()
        """Of the circuit, and of whether a better one is on its way."""
        self._ended = self._given_up = self._steps_back = False
        self._compiler: Compiler | None = None
        self._ground_limits, self._tell, self._scrambled = ground_limits, tell, scrambled
        self._thread = threading.Thread(target=self._compile, name="circuit compiler", daemon=True)
        self._thread.start()
        try:
            self.wait(patience)
            if self._circuit is None:
                self._engine = PrologMachine(ruleset, limits)
        except PrologMissingError as error:
            self._note("prolog-missing", f"{error} Playing goes on with the circuit alone.")
        except BaseException:
            self._give_up()
            raise

    @property
    def current(self) -> Machine[Any]:
        """The machine that answers now; hands over to the circuit if that has become ready, and to a better one."""
        if self._engine is None:
            self.compiled()
        circuit = self._circuit
        if circuit is not None and self._engine is not circuit:
            is_first = not isinstance(self._engine, CircuitMachine)
            if self._engine is not None:
                self._engine.close()
            self._engine = circuit
            if is_first:
                self._note("circuit-ready", f"the circuit answers from now on ({circuit.circuit.size:,} gates)")
            else:
                self._note("circuit-better", f"a better circuit answers from now on ({circuit.circuit.size:,} gates)")
        if self._engine is None:
            raise PrologMissingError(f"no engine can play this game: {'; '.join(e.message for e in self.history)}")
        return self._engine

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the compiler has ended, one way or the other; false if it has not."""
        return self._wait_for(lambda: self._ended, seconds)

    def compiled(self, seconds: float | None = None, than: CircuitMachine | None = None) -> CircuitMachine | None:
        """The best circuit that there is by then, if there is one, and a better one `than` that.

        It may be asked for from any thread: nothing is handed over by it.
        """
        self._wait_for(lambda: self._ended or self._circuit is not than, seconds)
        circuit = self._circuit
        return None if circuit is than else circuit

    def step_back(self) -> None:
        """From now on, once there is a circuit, better ones are made in processor time that nobody else wants."""
        with self._changed:
            self._steps_back = True
            self._yield_if_it_can()

    def settle(self) -> Machine[Any]:
        """What answers now, and from now on: a circuit that is not ready yet is given up."""
        engine = self.current
        self._give_up()
        return engine

    def initial(self) -> Position:
        """The first position."""
        engine = self.current
        return engine.fluents(engine.initial())

    def situation(self, position: Position) -> Situation:
        """Whether a position is terminal, the legal moves, and the goals."""
        engine = self.current
        return engine.situation(engine.position(position))

    def next(self, position: Position, joint: JointMove) -> Position:
        """The position after a joint move."""
        engine = self.current
        return engine.fluents(engine.next(engine.position(position), joint))

    def sees(self, position: Position, joint: JointMove) -> tuple[tuple[Term, ...], ...]:
        """What each role is told after a joint move, sorted by text."""
        engine = self.current
        return engine.sees(engine.position(position), joint)

    def fluents(self, position: Position) -> tuple[Term, ...]:
        """The fluents of a position, sorted by their text."""
        return position

    def position(self, fluents: Iterable[Term]) -> Position:
        """The position that holds just these fluents."""
        engine = self.current
        return engine.fluents(engine.position(fluents))

    def perft(self, position: Position, depth: int) -> list[Level]:
        """Count the game tree below a position, level by level. Long work: it waits for the compiler."""
        self.wait()
        engine = self.current
        return engine.perft(engine.position(position), depth)

    def playouts(self, position: Position, *, count: int, seconds: float, limit: int, seed: int) -> PlayoutTotals:
        """Uniformly random playouts, on a circuit from the first position only. Long work: it waits for the compiler."""
        self.wait()
        engine = self.current
        return engine.playouts(engine.position(position), count=count, seconds=seconds, limit=limit, seed=seed)

    def close(self) -> None:
        """Stop the compiler and end the engines."""
        if self._ended:
            self._thread.join(_PATIENCE)
        self._give_up(for_good=True)
        if self._engine is not None:
            self._engine.close()
        self._thread.join()

    def _wait_for(self, what: Callable[[], bool], seconds: float | None) -> bool:
        with self._changed:
            return self._changed.wait_for(what, None if seconds is None else min(seconds, threading.TIMEOUT_MAX))

    def _give_up(self, *, for_good: bool = False) -> None:
        """Have no more circuits; what was made may still be kept for other matches, if this is not `for_good`."""
        with self._changed:
            self._given_up = True
            if self._compiler is not None and (for_good or not self._ended):
                self._compiler.kill()

    def _compile(self) -> None:
        process: Compiler | None = None
        try:
            kept = find(self.ruleset, exact=not self._scrambled)
            if kept is not None:
                self._make_known(kept)
                return
            self._hear(Stage("starting the compiler"))
            process = compiler.take()
            with self._changed:
                self._compiler = process
                if self._given_up:
                    return
            process.order(self.ruleset, self._ground_limits)
            for message in process.messages():
                self._hear(message)
        except CompilerError as error:
            if not self._given_up:
                self._note("circuit-failed", f"there is no {'better ' if self._circuit else ''}circuit: {error}")
        except Exception as error:  # the match must go on, whatever the compiler does
            self._note("circuit-failed", f"there is no circuit: {report(error)}")
        finally:
            self._tell("")
            with self._changed:
                self._ended = True
                self._changed.notify_all()
            if process is not None:
                process.wait(_KEEPING)
                with self._changed:
                    self._compiler = None
                process.close()

    def _hear(self, message: Message) -> None:
        match message:
            case Stage(text):
                self.stage = text
                self._tell(text)
            case Refused(why, is_fault):
                kind = "circuit-failed" if is_fault else "circuit-refused"
                self._note(kind, f"there is no {'better ' if self._circuit else ''}circuit: {why}")
            case CircuitMachine():
                self._make_known(message)
            case Engine():
                assert self._circuit is not None
                self._make_known(self._circuit.with_engine(message))

    def _make_known(self, circuit: CircuitMachine) -> None:
        with self._changed:
            if not self._given_up:
                self._circuit = circuit
                self._yield_if_it_can()
                self._changed.notify_all()

    def _yield_if_it_can(self) -> None:
        if self._steps_back and self._circuit is not None and self._compiler is not None:
            self._compiler.step_back()

    def _note(self, kind: str, message: str) -> None:
        _LOG.info("%s: %s", kind, message)
        self.history.append(Event(kind, message))
