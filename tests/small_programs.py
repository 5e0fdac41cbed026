"""Small ground programs, and what their circuits have to agree with: the slow evaluator, on every position and move.

A circuit as it is built (a net) is evaluated for many rows at once: bit r of a value belongs to row r.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from gdl.program import GroundProgram
from ggp.circuits.compile import CompileSettings, learn
from ggp.circuits.evaluate import Evaluator
from ggp.circuits.graph import Graph, Net
from ggp.circuits.multivalued import build_with_sets
from ggp.circuits.solver import Care
from ggp.circuits.work import Work
from tests.ground_games import ground_anyway
from tests.helpers import GAMES, ruleset
from tests.random_games import random_game

SLIDING = """
(role white) (role black) (rival white black) (rival black white)
(cell 1) (cell 2) (cell 3) (cell 4) (beside 1 2) (beside 2 3) (beside 3 4) (beside 4 1)
(init (at 1 man)) (init (at 2 king)) (init (at 3 none)) (init (at 4 none)) (init (control white))
(<= (legal ?p (move ?x ?y)) (true (control ?p)) (beside ?x ?y) (true (at ?y none)) (not (true (at ?x none))))
(<= (legal ?p (move ?y ?x)) (true (control ?p)) (beside ?x ?y) (true (at ?x none)) (not (true (at ?y none))))
(<= (legal ?p noop) (rival ?p ?q) (true (control ?q)))
(<= (next (at ?y ?k)) (does ?p (move ?x ?y)) (true (at ?x ?k)))
(<= (next (at ?x none)) (does ?p (move ?x ?y)))
(<= (touched ?x) (does ?p (move ?x ?y)))
(<= (touched ?y) (does ?p (move ?x ?y)))
(<= (next (at ?x ?k)) (true (at ?x ?k)) (not (touched ?x)))
(<= (next (control ?q)) (rival ?p ?q) (true (control ?p)))
(<= terminal (true (at 4 king)) (true (at 1 man)))
(<= (goal white 100) (true (at 4 king)))
(<= (goal white 40) (not (true (at 4 king))))
(<= (goal black 60) (role ?p) (distinct ?p white))
"""
"""Pieces of two kinds that slide along a ring: one piece to a cell, one role's turn, kinds carried by moves."""


@dataclass(frozen=True)
class Row:
    """A position and a legal joint move, with what the slow evaluator says of them."""

    bases: frozenset[int]
    inputs: frozenset[int]
    true: frozenset[int]
    """All atoms that hold."""


@cache
def program_of(name: str) -> GroundProgram:
    """Of a game of the library, of `sliding`, or of a random game, by its number."""
    if name.isdecimal():
        return ground_anyway(ruleset(random_game(random.Random(int(name)))))
    text = SLIDING if name == "sliding" else (GAMES / f"{name}.kif").read_text(encoding="utf-8")
    return ground_anyway(ruleset(text))


@cache
def rows_of(name: str, positions: int = 60, moves: int = 30) -> tuple[Row, ...]:
    """Reachable positions, the nearest first, each with some of its legal joint moves."""
    program = program_of(name)
    evaluator = Evaluator(program)
    generator = random.Random(1)
    found: list[Row] = []
    known, waiting = {program.initial}, [program.initial]
    for position in waiting:
        now = evaluator.evaluate(position)
        legal = [
            [j for j, pair in enumerate(program.inputs) if pair.role == role and now.holds(pair.legal)]
            for role in range(len(program.roles))
        ]
        joints = list(itertools.islice(itertools.product(*legal), 5_000))
        for joint in generator.sample(joints, min(moves, len(joints))):
            after = evaluator.evaluate(position, joint)
            found.append(Row(position, frozenset(joint), after.true))
            following = frozenset(i for i, base in enumerate(program.bases) if after.holds(base.next))
            if not now.holds(program.terminal) and following not in known and len(known) < positions:
                known.add(following)
                waiting.append(following)
    return tuple(found)


@cache
def care_of(name: str) -> Care:
    """What the compiler proves about the reachable positions."""
    program = program_of(name)
    return learn(program, build_with_sets(program, Care()), CompileSettings(), Work(2_000_000))[1]


def values(graph: Graph, leaves: Sequence[int], width: int) -> list[int]:
    """The value of each gate in each row, from those of the leaves; the groups of cycles grow from nothing, in order."""
    every = (1 << width) - 1
    found = [0, *leaves] + [0] * (len(graph) - 1 - graph.leaves)

    def literal(x: int) -> int:
        return found[x >> 1] ^ (every if x & 1 else 0)

    def sweep() -> None:
        for gate in range(1 + graph.leaves, len(graph)):
            if gate not in graph.feedback:
                found[gate] = literal(graph.left[gate]) & literal(graph.right[gate])

    sweep()
    for group in graph.groups:
        changed = True
        while changed:
            new = {gate: literal(graph.feedback[gate]) for gate in group}
            changed = any(found[gate] != value for gate, value in new.items())
            for gate, value in new.items():
                found[gate] = value
            sweep()
    return found


def outputs(net: Net, leaves: Sequence[int], width: int) -> list[int]:
    """The values of all outputs of a net."""
    found = values(net.graph, leaves, width)
    every = (1 << width) - 1
    return [found[x >> 1] ^ (every if x & 1 else 0) for x in net.outputs()]


def disagreements(name: str, net: Net) -> Iterator[str]:
    """Where a net says something else than the slow evaluator."""
    program, rows = program_of(name), rows_of(name)
    leaves = [bits(i in row.bases for row in rows) for i in range(len(program.bases))]
    leaves += [bits(j in row.inputs for row in rows) for j in range(len(program.inputs))]
    atoms = [pair.legal for pair in program.inputs]
    atoms += [program.terminal, *(goal.atom for goal in program.goals), *(base.next for base in program.bases)]
    atoms += [seen.atom for seen in program.sees]
    assert len(atoms) == len(net.outputs())
    for atom, got in zip(atoms, outputs(net, leaves, len(rows)), strict=True):
        if got != bits(atom in row.true for row in rows):
            yield program.names[atom] or "never"


def bits(flags: Iterator[bool]) -> int:
    """Bit r for row r."""
    return sum(1 << r for r, flag in enumerate(flags) if flag)


def random_net(generator: random.Random, leaves: int = 7, gates: int = 60) -> Net:
    """A net of random gates: half of the leaves are bases, the others inputs."""
    graph = Graph(leaves)
    bases = leaves // 2
    early = [2 * gate for gate in range(1 + bases)]  # literals that need no input
    literals = list(early) + [2 * gate for gate in range(1 + bases, 1 + leaves)]

    def new(among: list[int]) -> int:
        x, y = (generator.choice(among[-12:] + among[:leaves]) ^ generator.randint(0, 1) for _ in range(2))
        return graph.land(x, y) if generator.random() < 0.6 else graph.lor(x, y)

    for _ in range(gates // 2):
        early.append(new(early))
    for _ in range(gates // 2):
        literals.append(new(literals + early))
    late = [generator.choice(literals[-20:]) ^ generator.randint(0, 1) for _ in range(bases)]
    legal = [generator.choice(early[-20:]) ^ generator.randint(0, 1) for _ in range(leaves - bases)]
    return Net(graph, bases, leaves - bases, late, legal, early[-1], [early[-2]], [literals[-1]])


def table(net: Net) -> list[int]:
    """The outputs of a net for all values of its leaves: a truth table each."""
    n = net.graph.leaves
    return outputs(net, [bits(bool(row >> i & 1) for row in range(1 << n)) for i in range(n)], 1 << n)
