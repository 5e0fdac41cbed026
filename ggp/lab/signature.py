"""One number that changes when, and only when, what searches do has changed.

The cases of `games/signature.toml` are searched with fixed seeds for fixed numbers of simulations, and all that the
searches grow is hashed: moves, visits, payoffs, and which edges meet. How nodes lie in memory does not matter, nor how
fast the machine is. So that every machine gives the same number, lanes are run by the interpreter (a bank has whole
blocks of lanes, and those of machine code have another width), and circuits are made without proofs, which may be cut
short by time. What is left are the last digits of `log` and `sqrt`, where platforms may differ, and numpy's generator.
Changes to the rules of a listed game, to grounding (the order of moves) and to how lanes choose at random change the
number as well: they change what searches do.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gdl.grounding import ground
from gdl.loader import load
from gdl.terms import kif
from ggp.circuits.compile import CompileSettings, compile_program
from ggp.core.library import folder
from ggp.lanes.engine import Engine
from ggp.lanes.ways import Way
from ggp.machines.circuit import CircuitMachine
from ggp.players.specs import split_spec
from ggp.search.graph import payoffs
from ggp.search.presets import search_options
from ggp.search.search import Search
from ggp.search.tree import Tree


@dataclass(frozen=True)
class Case:
    """Searches of the first positions of a game, each from where the best moves of the last one lead."""

    game: str
    player: str
    """A spec without limits."""
    slots: int
    """Simulations under way; 1: one after the other."""
    simulations: int
    """For each step."""
    steps: int
    memory: int
    """Of the graph [MB]."""

    @property
    def label(self) -> str:
        """What is searched and how."""
        return f"{self.game} {self.player}" + (f" slots {self.slots}" if self.slots > 1 else "")


@dataclass(frozen=True)
class Result:
    """What became of a case."""

    case: Case
    nodes: int
    """Of the graph in the end."""
    recycled: int
    """How often its memory was full."""
    digest: str


def cases() -> list[Case]:
    """What `games/signature.toml` lists."""
    data = tomllib.loads((folder() / "signature.toml").read_text(encoding="utf-8"))
    return [Case(**{**data["defaults"], **case}) for case in data["case"]]


def results(cases: Sequence[Case]) -> Iterator[Result]:
    """Search, case by case."""
    machines: dict[str, CircuitMachine] = {}
    for case in cases:
        if case.game not in machines:
            machines[case.game] = _machine(case.game)
        yield _result(machines[case.game], case)


def combined(found: Sequence[Result]) -> str:
    """The signature: eight hexadecimal digits."""
    return hashlib.sha256(" ".join(result.digest for result in found).encode()).hexdigest()[:8]


def _machine(game: str) -> CircuitMachine:
    ruleset = load(folder() / f"{game}.kif")
    program = ground(ruleset)
    circuit, _ = compile_program(program, CompileSettings(invariants=False, merge=False, resubstitute=False))
    machine = CircuitMachine(ruleset, program, Engine(circuit))
    machine.engine = Engine(circuit, way=Way.INTERPRETER)
    return machine


def _result(machine: CircuitMachine, case: Case) -> Result:
    settings, _ = search_options(*split_spec(case.player))
    search = Search(machine, replace(settings, slots=case.slots), 1, memory=case.memory * 2**20)
    position, state = machine.initial(), hashlib.sha256()
    for _ in range(case.steps):
        situation = machine.situation(position)
        if situation.terminal:
            break
        search.start(position)
        search.run(simulations=case.simulations)
        joint = []
        for role, legal in enumerate(situation.legal):
            best = search.best(role)
            joint.append(legal[0] if best is None else machine.inputs[best.input])
        for tree in search.trees:
            _absorb(state, machine, tree)
        state.update(" ".join(map(kif, joint)).encode())
        position = machine.next(position, tuple(joint))
    nodes = sum(tree.stats().nodes for tree in search.trees)
    return Result(case, nodes, sum(tree.recycled for tree in search.trees), state.hexdigest()[:16])


def _absorb(state: hashlib._Hash, machine: CircuitMachine, tree: Tree) -> None:
    """Add a graph to a hash: nodes by the order in which a walk from the root, edge by edge, comes to them."""
    numbers, order = {tree.root: 0}, [tree.root]
    for node in order:
        for edge in tree.edges(node):
            end = edge.end
            if end >= 0 and end not in numbers:
                numbers[end] = len(order)
                order.append(end)
            moves = " ".join(kif(machine.inputs[i]) for i in edge.inputs)
            paid = payoffs(tree.graph, edge.number)
            state.update(f"{numbers[node]} {moves} {numbers.get(end, -1)} {paid}\n".encode())
