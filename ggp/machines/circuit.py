"""The circuit machine: the same answers as Prolog's, from a compiled circuit.

A position is the bytes of its words (`ggp.circuits.packing`). Questions about one position are answered on one lane of a
bank; counting and playouts use all lanes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise, product
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gdl.grounding import GroundLimits, ground
from gdl.parser import parse_term
from gdl.plain import PlainTerms
from gdl.program import GroundProgram
from gdl.ruleset import Ruleset
from gdl.terms import Term, kif
from ggp.circuits.circuit import Circuit
from ggp.circuits.compile import Compilation, CompileSettings, Report
from ggp.circuits.packing import as_words, from_words
from ggp.circuits.simulate import evaluate, values
from ggp.core.arraytypes import Words
from ggp.core.errors import CircuitError, RulesError
from ggp.core.progress import Tell, silent
from ggp.lanes.bank import Bank, Playouts
from ggp.lanes.engine import Engine
from ggp.machines.machine import JointMove, Level, PlayoutTotals, Settled, Situation, by_text

Position: TypeAlias = bytes
"""The bytes of the words of `ggp.circuits.packing`; see `words_of`."""

Bits: TypeAlias = NDArray[np.bool_]


class Compiled(Protocol):
    """What a search needs of a machine: the circuit's engine, and who plays."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the roles."""
        ...

    @property
    def engine(self) -> Engine:
        """The programs of the circuit."""
        ...

    @property
    def circuit(self) -> Circuit:
        """The circuit."""
        ...


LANES = 1024
_LEAST_PROOFS, _MOST_PROOFS, _PROOFS_A_RULE = 2_000_000, 12_000_000, 30
"""Work for making a circuit smaller by proofs (see `ggp.circuits.work`): more for larger games."""
_EARLY = 32
"""Steps of the first call of `playouts`; later calls last long enough to be timed."""


class CircuitMachine(Settled):
    """Answers from a circuit. GroundingError or CircuitError tell why a ruleset has none.

    `stages` tells the processor seconds of each stage of the compilation.

    One machine serves one thread at a time; machines of one engine share all that never changes.
    """

    def __init__(self, ruleset: Ruleset, program: GroundProgram, engine: Engine) -> None:
        self.stages: dict[str, float] = {}
        self.sizes: dict[str, int] = {}
        """Atoms and rules of the ground program, known wherever the machine was sent."""
        self.ruleset = ruleset
        self.program = program
        """The ground program. It stays with the process that compiled it: a match does not need it."""
        self.engine = engine
        self.circuit = engine.circuit
        self.roles = ruleset.roles
        self.bases = PlainTerms([base.fluent for base in program.bases])
        self.inputs = PlainTerms([pair.move for pair in program.inputs])
        self.percepts = [percept.percept for percept in program.sees]
        self._bank: Bank | None = None

    @classmethod
    def compile(
        cls,
        ruleset: Ruleset,
        limits: GroundLimits | None = None,
        stop: threading.Event | None = None,
        tell: Tell = silent,
    ) -> CircuitMachine:
        """Ground a ruleset within limits and compile it. `tell` is told of each stage; `stop` ends it."""
        (machine,) = cls.tiers(ruleset, limits, stop, tell, quickly=False)
        return machine

    @classmethod
    def tiers(
        cls,
        ruleset: Ruleset,
        limits: GroundLimits | None = None,
        stop: threading.Event | None = None,
        tell: Tell = silent,
        *,
        quickly: bool = True,
    ) -> Iterator[CircuitMachine]:
        """Machines of one ruleset, each better than the one before it, with the same positions and moves.

        `quickly`: begin with one that is there soon. The last is the one that `compile` gives.
        """

        def check() -> None:
            if stop is not None and stop.is_set():
                raise CircuitError("compiling was stopped")

        report = Report(tell=tell, check=check)
        with report.stage("grounding"):
            program = ground(ruleset, limits, stop=stop, report=tell)
        compilation = Compilation(program, cls.settings(program), report)
        machine: CircuitMachine | None = None
        in_two = quickly and not compilation.is_quick_best
        for make in (compilation.quick, compilation.best) if in_two else (compilation.best,):
            circuit = make()
            with report.stage("machine code"):
                engine = Engine(circuit, hasty=in_two and machine is None)
                _ = engine.tick, engine.look
            machine = cls(ruleset, program, engine) if machine is None else machine.with_engine(engine)
            machine.stages = report.seconds
            machine.sizes = {"atoms": len(program.names) - 1, "rules": len(program.rules)}
            yield machine

    @staticmethod
    def settings(program: GroundProgram) -> CompileSettings:
        """How a program is compiled: the larger, the more work goes into proofs."""
        return CompileSettings(work=min(_MOST_PROOFS, _LEAST_PROOFS + _PROOFS_A_RULE * len(program.rules)))

    def __getstate__(self) -> dict[str, object]:
        """What another process needs to play: neither lanes nor rules."""
        return {name: part for name, part in self.__dict__.items() if name != "program"} | {"_bank": None}

    def with_engine(self, engine: Engine) -> CircuitMachine:
        """The machine of another circuit of the same program."""
        other = self.twin()
        other.engine, other.circuit = engine, engine.circuit
        return other

    def compiled(self, seconds: float | None = None, than: CircuitMachine | None = None) -> CircuitMachine | None:  # noqa: ARG002
        """Itself; None if it is `than`."""
        return None if than is self else self

    def twin(self) -> CircuitMachine:
        """A machine of the same engine, for another thread."""
        twin = object.__new__(CircuitMachine)
        twin.__dict__.update(self.__dict__, _bank=None)
        return twin

    @cached_property
    def _inputs_of(self) -> list[PlainTerms]:
        """The moves of each role."""
        return [self.inputs[lo:hi] for lo, hi in pairwise(self.circuit.role_starts.tolist())]

    @cached_property
    def _input_orders(self) -> list[Order]:
        return [Order(own.texts) for own in self._inputs_of]

    @cached_property
    def _base_order(self) -> Order:
        return Order(self.bases.texts)

    @property
    def bank(self) -> Bank:
        """The bank that answers questions; made when first needed."""
        if self._bank is None:
            self._bank = Bank(self.engine, LANES, seed=1)
        return self._bank

    @property
    def lanes_of_a_playout_bank(self) -> int:
        """How many lanes `playouts` runs at once."""
        block = 64 * self.engine.playout[1].words
        return -(-LANES // block) * block

    def initial(self) -> Position:
        """The first position."""
        return packed(self.circuit.initial)

    def situation(self, position: Position) -> Situation:
        """Whether a position is terminal, the legal moves, and the goals. Inputs are in the order of their texts."""
        bank, circuit = self.bank, self.circuit
        bank.load([0], self.bits(position)[None, :])
        bank.look(blocks=1)
        starts, found = circuit.role_starts, bank.legal(0)
        parts = np.split(found, np.searchsorted(found, starts[1:-1]))
        own = zip(self._inputs_of, self._input_orders, parts, starts[:-1], strict=True)
        legal = [tuple([moves[i] for i in order(part - start)]) for moves, order, part, start in own]
        goals: list[set[int]] = [set() for _ in self.roles]
        for number in np.flatnonzero(bank.goal_bits([0])[0]).tolist():
            goals[circuit.goal_roles[number]].add(int(circuit.goal_values[number]))
        return Situation(
            bool(bank.is_ended([0])[0]),
            tuple(legal),
            tuple(tuple(sorted(found)) for found in goals),
        )

    def next(self, position: Position, joint: JointMove) -> Position:
        """The position after a joint move."""
        return packed(values(self._after(position, joint), self.circuit.next)[:, 0] & np.uint64(1) > 0)

    def sees(self, position: Position, joint: JointMove) -> tuple[tuple[Term, ...], ...]:
        """What each role is told after a joint move, sorted by text."""
        seen: list[list[Term]] = [[] for _ in self.roles]
        if len(self.circuit.sees_literals):
            told = values(self._after(position, joint), self.circuit.sees_literals)[:, 0] & np.uint64(1)
            for role, percept, holds in zip(self.circuit.sees_roles, self.percepts, told.tolist(), strict=True):
                if holds:
                    seen[role].append(parse_term(percept))
        return tuple(by_text(terms) for terms in seen)

    def fluents(self, position: Position) -> tuple[Term, ...]:
        """The fluents of a position, sorted by their text."""
        return tuple(self.bases[i] for i in self._base_order(np.flatnonzero(self.bits(position))))

    def position(self, fluents: Iterable[Term]) -> Position:
        """The position that holds just these fluents."""
        bits = np.zeros(self.circuit.bases, np.bool_)
        for fluent in fluents:
            number = self.bases.place(fluent)
            if number is None:
                raise RulesError(f"{kif(fluent)} holds in no position that the rules can reach")
            bits[number] = True
        return packed(bits)

    def perft(self, position: Position, depth: int) -> list[Level]:
        """Count the game tree below a position; each different position of a level is expanded once."""
        level = {position: 1}
        found: list[Level] = []
        for left in range(depth, -1, -1):
            following: dict[Position, int] = {}
            terminals = 0
            keys = list(level)
            for start in range(0, len(keys), self.bank.lanes):
                part = keys[start : start + self.bank.lanes]
                terminals += self._expand(part, level, following if left else None)
            found.append(Level(sum(level.values()), terminals))
            level = following
        return found

    def playouts(
        self,
        position: Position,
        *,
        count: int,
        seconds: float,
        limit: int,
        seed: int,
        clock: Callable[[], float] = time.thread_time,
    ) -> PlayoutTotals:
        """Uniformly random playouts on all lanes of one thread, until `count` have ended or the time is used up.

        Lanes are refilled from the first position, so this starts there only. The playouts that are still under way then
        are played to their end with fewer and fewer lanes; they are charged the time that their steps take with all.
        """
        if position != self.initial():
            raise RulesError("playouts of a circuit start from the first position")
        _ = self.engine.playout  # made now if it was not: machine code takes no playing time
        bank = Bank(self.engine, LANES, seed)
        total: Playouts | None = None
        steps, used = _EARLY, 0.0
        while total is None or (used < seconds and total.over < count):
            start = clock()
            played = bank.play(steps, limit)
            taken = clock() - start
            total, used = played if total is None else total + played, used + taken
            if taken < min(0.1, seconds / 10):
                steps *= 4
        rest = bank.finish(limit)
        waits = round(rest.over * total.waits / max(1, total.over))  # as they would have
        charged = max(used, 1e-9) * (1 + (rest.steps + waits) / total.steps)
        total += rest
        return PlayoutTotals(
            total.over, total.steps - total.waits, total.stuck + total.cut, tuple(total.sums.tolist()), charged,
            total.waits + waits,
        )  # fmt: skip

    def input_number(self, role: int, move: Term) -> int:
        """The number of an input."""
        place = self._inputs_of[role].place(move)
        if place is None:
            raise RulesError(f"{kif(move)} is never legal for {self.roles[role]}")
        return int(self.circuit.role_starts[role]) + place

    def close(self) -> None:
        """Give back the bank."""
        self._bank = None

    def bits(self, position: Position) -> Bits:
        """The bases of a position, bool [bases]."""
        return from_words(np.frombuffer(position, np.uint64), self.circuit.bases)

    def _after(self, position: Position, joint: JointMove) -> NDArray[np.uint64]:
        """All gates after a joint move, in the lowest bit of one word."""
        circuit = self.circuit
        rows = np.zeros((circuit.gates, 1), np.uint64)
        rows[1 : 1 + circuit.bases, 0] = self.bits(position)
        for role, move in enumerate(joint):
            rows[1 + circuit.bases + self.input_number(role, move), 0] = 1
        evaluate(circuit, rows, circuit.first, circuit.gates)
        return rows

    def _expand(self, part: Sequence[Position], level: dict[Position, int], following: dict[Position, int] | None) -> int:
        """Count the terminal positions of a part of a level; the positions after the others go to `following`."""
        bank = self.bank
        lanes = np.arange(len(part))
        bank.load(lanes, np.array([self.bits(key) for key in part]))
        bank.look()
        ended = bank.is_ended(lanes)
        terminals = sum(level[key] for key, over in zip(part, ended, strict=True) if over)
        if following is None:
            return terminals
        legal = bank.legal_bits(lanes)
        starts = self.circuit.role_starts.tolist()
        jobs: list[tuple[int, tuple[int, ...]]] = []
        for lane in np.flatnonzero(~ended).tolist():
            moves = [np.flatnonzero(legal[lane, lo:hi]) + lo for lo, hi in pairwise(starts)]
            jobs.extend((lane, joint) for joint in product(*(m.tolist() for m in moves)))
        for start in range(0, len(jobs), bank.lanes):
            some = jobs[start : start + bank.lanes]
            at = np.arange(len(some))
            origins = np.array([self.bits(part[lane]) for lane, _ in some])
            bank.load(at, origins)
            bank.give(at, np.array([joint for _, joint in some]))
            bank.tick()
            for (lane, _), key in zip(some, all_packed(bank.save(at)), strict=True):
                following[key] = following.get(key, 0) + level[part[lane]]
        return terminals


class Order:
    """Puts numbers of texts into the order of the texts: that of the numbers, unless names were changed."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    @cached_property
    def _rank(self) -> NDArray[np.int64] | None:
        texts = self._texts
        order = sorted(range(len(texts)), key=texts.__getitem__)
        return None if order == list(range(len(texts))) else np.argsort(order)

    def __call__(self, numbers: NDArray[np.int64]) -> list[int]:
        """The numbers (int [n], ascending) in order."""
        rank = self._rank
        ordered: list[int] = (numbers if rank is None else numbers[np.argsort(rank[numbers])]).tolist()
        return ordered


def packed(bits: Bits) -> Position:
    """The position of some bases, bool [bases]."""
    return as_words(bits[None, :]).tobytes()


def words_of(position: Position) -> Words:
    """The words of a position."""
    return np.frombuffer(position, np.uint64).copy()


def all_packed(bits: Bits) -> list[Position]:
    """Positions, bool [n, bases]."""
    return [row.tobytes() for row in as_words(bits)]
