"""The programs of one circuit, each made when it is first used, and what they run on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from ggp.circuits.circuit import Circuit
from ggp.core.arraytypes import Words
from ggp.lanes.foresight import TooWideError
from ggp.lanes.interpreter import interpret
from ggp.lanes.lap import Lap, joined, playout_lap
from ggp.lanes.memory import Rows, rows_of
from ggp.lanes.native import compile_program
from ggp.lanes.phases import PERIODS, UNKNOWN, Phases, find_phases
from ggp.lanes.policies import POLICIES, Evidence
from ggp.lanes.program import Program
from ggp.lanes.searchlaps import deciders, look, rollout, stride, tick
from ggp.lanes.ways import Way, preferred


class Runner(Protocol):
    """A program made ready to run, and the geometry of the memory it runs on."""

    @property
    def rows(self) -> int:
        """Rows of memory that the program needs."""
        ...

    @property
    def words(self) -> int:
        """Words of a row."""
        ...

    def run(self, memory: Words, laps: int) -> None:
        """Run the program a number of times over every block of a memory."""
        ...


@dataclass(frozen=True)
class Strides:
    """The steps of a lap, each a program of its own; together they run as one."""

    steps: tuple[Runner, ...]

    @property
    def rows(self) -> int:
        """Rows of memory that all of them need."""
        return max(step.rows for step in self.steps)

    @property
    def words(self) -> int:
        """Words of a row."""
        return self.steps[0].words

    def run(self, memory: Words, laps: int) -> None:
        """Run all steps a number of times over every block of a memory."""
        for _ in range(laps):
            for step in self.steps:
                step.run(memory, 1)


def prepare(program: Program, way: Way) -> Runner:
    """The program as machine code, or for the interpreter."""
    return interpret(program) if way is Way.INTERPRETER else compile_program(program, way)


class Engine:
    """The programs of one circuit, each compiled when it is first used. Immutable otherwise: share it
    freely.
    """

    def __init__(
        self,
        circuit: Circuit,
        *,
        way: Way | None = None,
        phases: Phases | None = None,
        eager: bool | None = None,
        hasty: bool = False,
    ) -> None:
        """`way`: what runs its programs, where None is what the environment asks for or this machine is fastest with;
        `eager`: see `playout_lap`; `hasty`: the programs of large circuits are made sooner and run slower, see `cover`.

        `phases`: instead of those found, those of another engine of the same ground program. They say what is so in
        its reachable positions, whatever circuit that was proved with; and a search graph, whose nodes know their
        phase, may go on with another engine where both have the same.
        """
        self.circuit = circuit
        self.way = preferred() if way is None else way
        self.eager, self.hasty = eager, hasty
        periods = PERIODS if circuit.roles > 1 else (1,)  # nobody takes turns, and a trace tells one move a lap
        self.phases = find_phases(circuit, periods) if phases is None else phases
        start = self.phases.known[0]
        assert ((start == UNKNOWN) | (start == circuit.initial)).all(), "these phases are not of this game"
        self.rows: Rows = rows_of(circuit, self.phases)
        self._rollouts: dict[tuple[str, Evidence], tuple[Lap, Runner]] = {}
        self._offers: dict[str, bool] = {}

    @property
    def words(self) -> int:
        """Words of a row."""
        return self.way.words

    @cached_property
    def playout(self) -> tuple[Lap, Runner]:
        """The program of random playouts."""
        return self._ready(playout_lap(self.circuit, self.phases, self.eager, hasty=self.hasty))

    @cached_property
    def tick(self) -> tuple[Lap, Runner]:
        """The program of one step with given or random moves."""
        return self._ready(tick(self.circuit, self.phases, hasty=self.hasty))

    def rollout(self, policy: str = "uniform", evidence: Evidence = Evidence.NONE) -> tuple[Lap, Runner]:
        """The program of play from loaded positions, by a policy that is offered and with some evidence."""
        key = policy, evidence
        if key not in self._rollouts:
            self._rollouts[key] = self._rollout(policy, evidence)
        return self._rollouts[key]

    def _rollout(self, policy: str, evidence: Evidence) -> tuple[Lap, Runner]:
        circuit, phases = self.circuit, self.phases
        made = POLICIES[policy](circuit, phases)
        if not made.is_stepwise:
            return self._ready(rollout(circuit, phases, made, evidence, hasty=self.hasty))
        if circuit.roles == 1 or any(len(roles) > 1 for roles in deciders(circuit, phases)):
            raise TooWideError
        laps = [stride(circuit, phases, t, evidence, hasty=self.hasty) for t in range(phases.period)]
        return joined(laps), Strides(tuple(prepare(lap.program, self.way) for lap in laps))

    def offers(self, policy: str) -> bool:
        """Whether a policy is worth having in this game, or can be had at all. To find out may make its program."""
        if policy not in self._offers:
            self._offers[policy] = self._is_worth(policy)
        return self._offers[policy]

    def _is_worth(self, policy: str) -> bool:
        uniform = self.rollout()[0].operations
        if policy == "uniform":
            return True
        with suppress(TooWideError):
            made = POLICIES[policy](self.circuit, self.phases)
            if made.is_stepwise:
                return self.rollout(policy, made.evidence)[0].operations > 0
            lap = rollout(self.circuit, self.phases, made, made.evidence)
            if made.is_worth(lap.operations, uniform, lap.steps):
                self._rollouts[policy, made.evidence] = self._ready(lap)
                return True
        return False

    def offered(self, policy: str) -> str:
        """The policy, or uniform play where it is not offered."""
        return policy if self.offers(policy) else "uniform"

    def take_over(self, policy: str, programs: Mapping[Evidence, tuple[Lap, Runner]]) -> None:
        """Take what another process has made: the programs of a policy, none where it is not offered."""
        self._offers[policy] = bool(programs)
        self._rollouts.update({(policy, evidence): program for evidence, program in programs.items()})

    def programs(self, policy: str, *more: Evidence) -> dict[Evidence, tuple[Lap, Runner]]:
        """The programs that a search by a policy runs, for another process, and those with more evidence.

        None where it is not offered.
        """
        if not self.offers(policy):
            return {}
        return {evidence: self.rollout(policy, evidence) for evidence in (*self._wanted(policy), *more)}

    def parameters(self, policy: str) -> int:
        """Rows of parameters that a policy has, from the row `total` on."""
        return POLICIES[policy](self.circuit, self.phases).rows

    def is_ready(self, policy: str) -> bool:
        """Whether a program of a policy has been made."""
        return any(name == policy for name, _ in self._rollouts)

    def _wanted(self, policy: str) -> list[Evidence]:
        own = POLICIES[policy].evidence
        return [own, Evidence.LAST] if self.circuit.roles == 1 else [own]

    @cached_property
    def look(self) -> tuple[Lap, Runner]:
        """The program that describes positions."""
        return self._ready(look(self.circuit, self.phases, hasty=self.hasty))

    def _ready(self, lap: Lap) -> tuple[Lap, Runner]:
        return lap, prepare(lap.program, self.way)
