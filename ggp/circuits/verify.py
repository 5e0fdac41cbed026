"""Compare a circuit with the evaluator on random playouts: the project's main kind of test, in small."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from gdl.program import GroundProgram
from ggp.circuits.circuit import Circuit
from ggp.circuits.evaluate import Evaluator
from ggp.circuits.simulate import evaluate, pack, unpack, values
from ggp.core.arraytypes import Words


@dataclass(frozen=True)
class Verdict:
    """How much was compared, and the first difference (empty: none)."""

    positions: int
    problem: str = ""


def _one_lane(circuit: Circuit, state: set[int]) -> Words:
    """A bank whose 64 lanes all hold one position, evaluated up to the cut."""
    bits = np.zeros((circuit.bases, 64), np.bool_)
    bits[sorted(state)] = True
    bank = np.zeros((circuit.gates, 1), np.uint64)
    bank[1 : 1 + circuit.bases] = pack(bits)
    evaluate(circuit, bank, circuit.first, circuit.cut)
    return bank


def verify(program: GroundProgram, circuit: Circuit, *, playouts: int, steps: int, seed: int) -> Verdict:
    """Play at random with the evaluator; every output of the circuit must agree in every position seen."""
    oracle = Evaluator(program)
    rng = random.Random(seed)
    positions = 0
    for _ in range(playouts):
        state = set(program.initial)
        history: list[tuple[int, ...]] = []
        for _ in range(steps):
            positions += 1
            bank = _one_lane(circuit, state)
            now = oracle.evaluate(state, all_atoms=False)
            wanted = [now.holds(pair.legal) for pair in program.inputs]
            wanted += [now.holds(goal.atom) for goal in program.goals] + [now.holds(program.terminal)]
            early = [*circuit.legal, *circuit.goal_literals, circuit.terminal]
            got = unpack(values(bank, early))[:, 0]
            if got.tolist() != wanted:
                return Verdict(positions, f"position after {history}: {_where(program, got.tolist(), wanted)}")
            if wanted[-1]:
                break
            moves = []
            for role in range(len(program.roles)):
                choices = [j for j, p in enumerate(program.inputs) if p.role == role and wanted[j]]
                if choices:
                    moves.append(rng.choice(choices))
            if len(moves) < len(program.roles):
                break
            then = oracle.evaluate(state, moves)
            history.append(tuple(moves))
            done = np.zeros((circuit.inputs, 64), np.bool_)
            done[moves] = True
            bank[1 + circuit.bases : circuit.first] = pack(done)
            evaluate(circuit, bank, circuit.cut, circuit.gates)
            wanted = [then.holds(base.next) for base in program.bases]
            wanted += [then.holds(seen.atom) for seen in program.sees]
            got = unpack(values(bank, [*circuit.next, *circuit.sees_literals]))[:, 0]
            if got.tolist() != wanted:
                names = [b.fluent for b in program.bases] + [s.percept for s in program.sees]
                wrong = [names[i] for i, (g, w) in enumerate(zip(got, wanted, strict=True)) if g != w]
                return Verdict(positions, f"next after {history}: {wrong[:5]}")
            state = {i for i in range(len(program.bases)) if wanted[i]}
    return Verdict(positions)


def _where(program: GroundProgram, got: list[bool], wanted: list[bool]) -> str:
    """Names of the first outputs of the position cone that differ."""
    names = [f"legal {p.role} {p.move}" for p in program.inputs]
    names += [f"goal {g.role} {g.value}" for g in program.goals] + ["terminal"]
    wrong = [f"{names[i]} is {g}" for i, (g, w) in enumerate(zip(got, wanted, strict=True)) if g != w]
    return "; ".join(wrong[:5])
